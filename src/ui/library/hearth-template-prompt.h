/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-template-prompt.h - what a chat template makes of a conversation: the prompt with the
 * borders of its tokens, or what went wrong; on a second page the template's source. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-template.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TEMPLATE_PROMPT (hearth_template_prompt_get_type ())
G_DECLARE_FINAL_TYPE (HearthTemplatePrompt, hearth_template_prompt, HEARTH, TEMPLATE_PROMPT,
                      GtkWidget)

/* Property: shaded (borders of tokens are wanted). Actions: template.copy-prompt, .copy-ids,
 * .save-text, .save-json and .show-line (that failed). */

/* NULL: no template. `path` of the model names what is saved. */
void hearth_template_prompt_set_source (HearthTemplatePrompt *self, const char *source,
                                        const char *path);
/* `rendering` (transfer full) (nullable) */
void hearth_template_prompt_set_rendering (HearthTemplatePrompt *self, HearthRendering *rendering);

G_END_DECLS
