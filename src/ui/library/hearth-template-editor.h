/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-template-editor.h - the small conversation that a template is tried with, and what the
 * template is asked for. A switch that the template does not know says so. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-template.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TEMPLATE_EDITOR (hearth_template_editor_get_type ())
G_DECLARE_FINAL_TYPE (HearthTemplateEditor, hearth_template_editor, HEARTH, TEMPLATE_EDITOR,
                      GtkWidget)

/* Property: borders (of tokens are wanted). Signal: "changed". */

/* What is written and switched stays. `tokens`: there is a vocabulary. */
void hearth_template_editor_set_template (HearthTemplateEditor *self, HearthTemplate *tmpl,
                                          gboolean tokens);
/* hearth_template_render_async() with what is written here. */
void hearth_template_editor_render (HearthTemplateEditor *self, HearthTemplate *tmpl,
                                    GAsyncReadyCallback callback, gpointer user_data);

G_END_DECLS
