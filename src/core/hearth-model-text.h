/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-text.h - how a model file makes tokens of text: its vocabulary and its chat
 * templates. Read from the header on another thread, once for all who look at the file. Main
 * thread.
 *
 *   loading ─┬▶ ready    what the file has is known; it may lack either
 *            └▶ failed   the file cannot be read */
#pragma once

#include "hearth-model-file.h"
#include "hearth-template.h"
#include "hearth-tokenizer.h"

G_BEGIN_DECLS

typedef enum
{
  HEARTH_MODEL_TEXT_LOADING,
  HEARTH_MODEL_TEXT_READY,
  HEARTH_MODEL_TEXT_FAILED,
} HearthModelTextState;

#define HEARTH_TYPE_MODEL_TEXT (hearth_model_text_get_type ())
G_DECLARE_FINAL_TYPE (HearthModelText, hearth_model_text, HEARTH, MODEL_TEXT, GObject)

/* Property: state. */

/* The one of this file, which begins to be read if nobody has it. Dropping the last reference ends
 * the reading. Returns: (transfer full) */
HearthModelText *hearth_model_text_get (HearthModelFile *model);
/* Returns: (transfer full) */
HearthModelText *hearth_model_text_new (const char *path);

HearthModelTextState hearth_model_text_get_state (HearthModelText *self);
/* Why the file cannot be read, or why its vocabulary cannot be used.
 * Returns: (transfer none) (nullable) */
const GError *hearth_model_text_get_error (HearthModelText *self);
/* Returns: (transfer none) (nullable) */
HearthTokenizer *hearth_model_text_get_tokenizer (HearthModelText *self);
/* When ready at least one: the standard one, even if the file has none. */
guint hearth_model_text_get_n_templates (HearthModelText *self);
/* Returns: (transfer none) */
HearthTemplate *hearth_model_text_get_template (HearthModelText *self, guint index);

G_END_DECLS
