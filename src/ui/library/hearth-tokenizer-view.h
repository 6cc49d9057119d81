/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tokenizer-view.h - the vocabulary of a model file: a text in tokens, and the table of all
 * of them. Nothing of the weights is read. */
#pragma once

#include "hearth-model-view.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TOKENIZER_VIEW (hearth_tokenizer_view_get_type ())
G_DECLARE_FINAL_TYPE (HearthTokenizerView, hearth_tokenizer_view, HEARTH, TOKENIZER_VIEW, GtkWidget)

G_END_DECLS
