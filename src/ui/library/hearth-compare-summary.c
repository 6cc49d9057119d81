/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-compare-summary.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-compare-words.h"
#include "hearth-words.h"

static void
add_cell (GtkGrid *grid, int column, int row, const char *text, const char *style)
{
  GtkWidget *label = gtk_label_new (text != NULL ? text : "–");
  PangoAttrList *plain = pango_attr_list_new ();

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_yalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_natural_wrap_mode (GTK_LABEL (label), GTK_NATURAL_WRAP_NONE);
  /* A hyphen would be taken for a part of a file's name. */
  pango_attr_list_insert (plain, pango_attr_insert_hyphens_new (FALSE));
  gtk_label_set_attributes (GTK_LABEL (label), plain);
  pango_attr_list_unref (plain);
  gtk_label_set_selectable (GTK_LABEL (label), column > 0 && row > 0);
  gtk_widget_set_hexpand (label, column > 0);
  gtk_widget_add_css_class (label, style);
  gtk_grid_attach (grid, label, column, row, 1, 1);
}

/* What differs is heavier than what does not, so that nobody has to look for it. */
static void
add_row (GtkGrid *grid, int *row, const char *title, char *first, char *second)
{
  const char *style = g_strcmp0 (first, second) != 0 ? "heading" : "numeric";

  add_cell (grid, 0, *row, title, "dimmed");
  add_cell (grid, 1, *row, first, style);
  add_cell (grid, 2, *row, second, style);
  ++*row;
  g_free (first);
  g_free (second);
}

static char *
dup_bits (const HearthComparisonSide *side)
{
  return side->n_parameters > 0 ? g_strdup_printf ("%.2f", 8.0 * (double) side->n_tensor_bytes /
                                                             (double) side->n_parameters)
                                : NULL;
}

GtkWidget *
hearth_compare_summary_new (HearthComparison *comparison)
{
  const HearthComparisonSide *a = hearth_comparison_get_side (comparison, FALSE);
  const HearthComparisonSide *b = hearth_comparison_get_side (comparison, TRUE);
  GtkWidget *grid = gtk_grid_new ();
  GtkWidget *clamp = adw_clamp_new ();
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  int row = 0;

  gtk_grid_set_column_spacing (GTK_GRID (grid), 18);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 9);
  gtk_grid_set_column_homogeneous (GTK_GRID (grid), FALSE);
  gtk_widget_add_css_class (grid, "card");
  gtk_widget_add_css_class (grid, "comparison");
  gtk_widget_set_valign (grid, GTK_ALIGN_START);
  add_row (GTK_GRID (grid), &row, "", g_strdup (_ ("Here")), g_strdup (_ ("There")));
  add_row (GTK_GRID (grid), &row, _ ("File"), hearth_compare_words_for_file (a),
           hearth_compare_words_for_file (b));
  add_row (GTK_GRID (grid), &row, _ ("Name"), g_strdup (a->name), g_strdup (b->name));
  add_row (GTK_GRID (grid), &row, _ ("Architecture"), g_strdup (a->architecture),
           g_strdup (b->architecture));
  add_row (GTK_GRID (grid), &row, _ ("Main type"), g_strdup (a->quantization),
           g_strdup (b->quantization));
  add_row (GTK_GRID (grid), &row, _ ("Bits per weight"), dup_bits (a), dup_bits (b));
  add_row (GTK_GRID (grid), &row, _ ("Size"), hearth_words_for_size (a->size),
           hearth_words_for_size (b->size));
  add_row (GTK_GRID (grid), &row, _ ("Bytes of tensors"),
           hearth_words_for_number (a->n_tensor_bytes),
           hearth_words_for_number (b->n_tensor_bytes));
  add_row (GTK_GRID (grid), &row, _ ("Parameters"), hearth_words_for_number (a->n_parameters),
           hearth_words_for_number (b->n_parameters));
  add_row (GTK_GRID (grid), &row, _ ("Tensors"), hearth_words_for_number (a->n_tensors),
           hearth_words_for_number (b->n_tensors));
  add_row (GTK_GRID (grid), &row, _ ("Metadata keys"), hearth_words_for_number (a->n_keys),
           hearth_words_for_number (b->n_keys));
  adw_clamp_set_maximum_size (ADW_CLAMP (clamp), 760);
  adw_clamp_set_child (ADW_CLAMP (clamp), grid);
  gtk_widget_set_margin_start (clamp, 12);
  gtk_widget_set_margin_end (clamp, 12);
  gtk_widget_set_margin_top (clamp, 6);
  gtk_widget_set_margin_bottom (clamp, 24);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), clamp);
  return scrolled;
}
