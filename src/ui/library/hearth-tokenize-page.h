/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tokenize-page.h - text in, tokens out, while one types. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-tokenizer.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TOKENIZE_PAGE (hearth_tokenize_page_get_type ())
G_DECLARE_FINAL_TYPE (HearthTokenizePage, hearth_tokenize_page, HEARTH, TOKENIZE_PAGE, GtkWidget)

/* Text and switches stay. `name` is what files are called. NULL: forget the tokens. */
void hearth_tokenize_page_set_tokenizer (HearthTokenizePage *self, HearthTokenizer *tokenizer,
                                         const char *name);

G_END_DECLS
