/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-spin-words.h"

struct words
{
  double value;
  char *words;
};

static void
words_free (gpointer data, GClosure *closure)
{
  struct words *self = data;

  g_free (self->words);
  g_free (self);
}

static gboolean
output_cb (GtkSpinButton *spin, gpointer data)
{
  const struct words *self = data;

  if (!G_APPROX_VALUE (gtk_spin_button_get_value (spin), self->value, 1e-9))
    return FALSE;
  if (!g_str_equal (gtk_editable_get_text (GTK_EDITABLE (spin)), self->words))
    gtk_editable_set_text (GTK_EDITABLE (spin), self->words);
  return TRUE;
}

static int
input_cb (GtkSpinButton *spin, double *value, gpointer data)
{
  const struct words *self = data;
  g_autofree char *typed = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (spin)), -1);
  g_autofree char *wanted = g_utf8_casefold (self->words, -1);

  if (!g_str_equal (g_strstrip (typed), wanted))
    return FALSE;
  *value = self->value;
  return TRUE;
}

void
hearth_spin_words_add (GtkSpinButton *spin, double value, const char *words)
{
  struct words *self = g_new0 (struct words, 1);
  int width = (int) g_utf8_strlen (words, -1);

  self->value = value;
  self->words = g_strdup (words);
  /* A field for numbers alone refuses the words, too; what is neither leaves the value alone. */
  gtk_spin_button_set_numeric (spin, FALSE);
  gtk_spin_button_set_update_policy (spin, GTK_UPDATE_IF_VALID);
  gtk_editable_set_width_chars (GTK_EDITABLE (spin),
                                MAX (width, gtk_editable_get_width_chars (GTK_EDITABLE (spin))));
  gtk_editable_set_max_width_chars (
    GTK_EDITABLE (spin), MAX (width, gtk_editable_get_max_width_chars (GTK_EDITABLE (spin))));
  g_signal_connect (spin, "input", G_CALLBACK (input_cb), self);
  g_signal_connect_data (spin, "output", G_CALLBACK (output_cb), self, words_free,
                         G_CONNECT_DEFAULT);
  gtk_spin_button_update (spin);
}
