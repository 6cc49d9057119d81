/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-spin-words.h - a word in a field with a number, where the number is none: "Automatic"
 * instead of 0. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* From now on the field shows `words` at this value, and takes them for it when somebody types
 * them. Once per field. */
void hearth_spin_words_add (GtkSpinButton *spin, double value, const char *words);

G_END_DECLS
