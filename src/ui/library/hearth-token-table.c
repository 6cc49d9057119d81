/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-token-table.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-export.h"
#include "hearth-focus.h"
#include "hearth-table-stack.h"
#include "hearth-table.h"
#include "hearth-token-list.h"
#include "hearth-token-words.h"
#include "hearth-words.h"

enum column
{
  COLUMN_ID,
  COLUMN_PIECE,
  COLUMN_TYPE,
  COLUMN_SCORE,
  N_COLUMNS
};

struct _HearthTokenTable
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkSearchEntry *search_entry;
  GtkDropDown *type_drop_down;
  GtkLabel *count_label;
  HearthTableStack *stack;
  GtkColumnView *table;

  GtkColumnViewColumn *columns[N_COLUMNS];
  GtkStringList *types;                /* the first is "all of them" */
  int kinds[HEARTH_TOKEN_N_KINDS + 1]; /* of the entries in `types`; -1: any */
  HearthTokenList *list;
  GtkSingleSelection *selection;
  char *name;
  gboolean filling;
};

G_DEFINE_FINAL_TYPE (HearthTokenTable, hearth_token_table, GTK_TYPE_WIDGET)

/* ---- cells ------------------------------------------------------------------------------ */

static void
setup_cell_cb (GtkSignalListItemFactory *factory, GtkColumnViewCell *cell, gpointer data)
{
  enum column column = (enum column) GPOINTER_TO_UINT (data);
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), column == COLUMN_ID || column == COLUMN_SCORE ? 1 : 0);
  if (column == COLUMN_PIECE)
    {
      gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
      gtk_label_set_width_chars (GTK_LABEL (label), 8);
      gtk_widget_set_halign (label, GTK_ALIGN_START);
      gtk_widget_add_css_class (label, "monospace");
    }
  else
    gtk_widget_add_css_class (label, column == COLUMN_TYPE ? "dimmed" : "numeric");
  gtk_column_view_cell_set_child (cell, label);
}

static char *
dup_cell (HearthToken *token, enum column column)
{
  HearthTokenizer *tokenizer = hearth_token_get_tokenizer (token);
  int id = hearth_token_get_id (token);

  switch (column)
    {
    case COLUMN_ID:
      return g_strdup_printf ("%d", id);
    case COLUMN_PIECE:
      return hearth_tokenizer_dup_piece (tokenizer, id);
    case COLUMN_TYPE:
      return g_strdup (hearth_token_words_for_kind (hearth_tokenizer_get_kind (tokenizer, id)));
    case COLUMN_SCORE:
      return hearth_token_words_for_score (tokenizer, id);
    case N_COLUMNS:
    default:
      g_assert_not_reached ();
    }
}

static void
bind_cell_cb (GtkSignalListItemFactory *factory, GtkColumnViewCell *cell, gpointer data)
{
  enum column column = (enum column) GPOINTER_TO_UINT (data);
  HearthToken *token = gtk_column_view_cell_get_item (cell);
  GtkWidget *label = gtk_column_view_cell_get_child (cell);
  g_autofree char *text = dup_cell (token, column);

  gtk_label_set_text (GTK_LABEL (label), text);
  if (column != COLUMN_PIECE)
    return;
  if (hearth_tokenizer_is_special (hearth_token_get_tokenizer (token), hearth_token_get_id (token)))
    gtk_widget_add_css_class (label, "pill-label");
  else
    gtk_widget_remove_css_class (label, "pill-label");
  gtk_widget_set_tooltip_text (label, text);
}

/* What voice output says of a row. */
static void
bind_row_cb (GtkSignalListItemFactory *factory, GtkColumnViewRow *row, gpointer data)
{
  HearthToken *token = gtk_column_view_row_get_item (row);
  g_autofree char *piece = dup_cell (token, COLUMN_PIECE);
  g_autofree char *kind = dup_cell (token, COLUMN_TYPE);
  g_autofree char *details = g_strdup_printf ("%d, %s", hearth_token_get_id (token), kind);

  gtk_column_view_row_set_accessible_label (row, piece);
  gtk_column_view_row_set_accessible_description (row, details);
}

/* ---- searching -------------------------------------------------------------------------- */

static void
update_count (HearthTokenTable *self)
{
  HearthTokenizer *tokenizer = hearth_token_list_get_tokenizer (self->list);
  guint n = tokenizer != NULL ? hearth_tokenizer_get_n_tokens (tokenizer) : 0;
  guint n_shown = g_list_model_get_n_items (G_LIST_MODEL (self->list));
  g_autofree char *all = hearth_words_for_number (n);
  g_autofree char *shown = hearth_words_for_number (n_shown);
  g_autofree char *text = NULL;

  if (self->stack == NULL)
    return;
  if (n_shown == n)
    text = g_strdup_printf (ngettext ("%s token", "%s tokens", n), all);
  else
    /* Translators: "81 of 49,152 tokens" */
    text = g_strdup_printf (ngettext ("%1$s of %2$s token", "%1$s of %2$s tokens", n), shown, all);
  gtk_label_set_text (self->count_label, text);
  hearth_table_stack_show_found (self->stack, n_shown > 0);
}

static HearthTokenOrder
wanted_order (HearthTokenTable *self, gboolean *descending)
{
  static const HearthTokenOrder orders[N_COLUMNS] = {
    [COLUMN_ID] = HEARTH_TOKEN_ORDER_ID,
    [COLUMN_PIECE] = HEARTH_TOKEN_ORDER_PIECE,
    [COLUMN_TYPE] = HEARTH_TOKEN_ORDER_KIND,
    [COLUMN_SCORE] = HEARTH_TOKEN_ORDER_SCORE,
  };
  GtkColumnViewSorter *sorter = GTK_COLUMN_VIEW_SORTER (gtk_column_view_get_sorter (self->table));
  GtkColumnViewColumn *column = gtk_column_view_sorter_get_primary_sort_column (sorter);

  *descending = gtk_column_view_sorter_get_primary_sort_order (sorter) == GTK_SORT_DESCENDING;
  for (guint i = 0; i < N_COLUMNS; i++)
    {
      if (column != NULL && self->columns[i] == column)
        return orders[i];
    }
  *descending = FALSE;
  return HEARTH_TOKEN_ORDER_ID;
}

static void
query_changed_cb (HearthTokenTable *self)
{
  HearthTokenQuery query = { .kind = -1 };
  guint selected;

  if (self->list == NULL || self->filling)
    return; /* being built, or disposed */
  selected = gtk_drop_down_get_selected (self->type_drop_down);
  query.text = gtk_editable_get_text (GTK_EDITABLE (self->search_entry));
  if (selected < G_N_ELEMENTS (self->kinds))
    query.kind = self->kinds[selected];
  query.order = wanted_order (self, &query.descending);
  hearth_token_list_query (self->list, &query);
}

/* ---- actions ---------------------------------------------------------------------------- */

static HearthToken *
selected_token (HearthTokenTable *self)
{
  return gtk_single_selection_get_selected_item (self->selection);
}

static void
selection_changed_cb (HearthTokenTable *self)
{
  gboolean any = self->selection != NULL && selected_token (self) != NULL;

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "tokens.copy", any);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "tokens.copy-id", any);
}

/* As it stands in a text; what is none is copied as it is shown. */
static char *
dup_text (gpointer object, gpointer item)
{
  HearthToken *token = item;
  g_autoptr (GBytes) bytes =
    hearth_tokenizer_dup_bytes (hearth_token_get_tokenizer (token), hearth_token_get_id (token));
  gsize n;
  const char *data = g_bytes_get_data (bytes, &n);

  return g_utf8_validate (data, (gssize) n, NULL) ? g_strndup (data, n)
                                                  : dup_cell (token, COLUMN_PIECE);
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthToken *token = selected_token (HEARTH_TOKEN_TABLE (widget));

  if (token != NULL)
    hearth_export_copy (widget, g_str_equal (name, "tokens.copy-id") ? dup_cell (token, COLUMN_ID)
                                                                     : dup_text (NULL, token));
}

struct exporting
{
  HearthTokenTable *self; /* a reference */
  char *name;
};

static void
exported_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct exporting *exporting = user_data;
  GBytes *bytes = hearth_token_list_export_finish (result, NULL);

  if (bytes != NULL && exporting->self->list != NULL)
    hearth_export_save (GTK_WIDGET (exporting->self), exporting->name, g_steal_pointer (&bytes));
  g_clear_pointer (&bytes, g_bytes_unref);
  g_object_unref (exporting->self);
  g_free (exporting->name);
  g_free (exporting);
}

static void
save_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthTokenTable *self = HEARTH_TOKEN_TABLE (widget);
  gboolean json = g_str_equal (name, "tokens.save-json");
  struct exporting *exporting;

  if (hearth_token_list_get_tokenizer (self->list) == NULL)
    return;
  exporting = g_new0 (struct exporting, 1);
  exporting->self = g_object_ref (self);
  exporting->name = hearth_export_name (self->name, json ? "-vocabulary.json" : "-vocabulary.csv");
  hearth_token_list_export_async (self->list, json ? HEARTH_TABLE_JSON : HEARTH_TABLE_CSV, NULL,
                                  exported_cb, exporting);
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
add_column (HearthTokenTable *self, enum column id, const char *title)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  /* The list sorts itself: this one only makes the title a button. */
  GtkSorter *sorter = GTK_SORTER (gtk_custom_sorter_new (NULL, NULL, NULL));

  g_signal_connect (factory, "setup", G_CALLBACK (setup_cell_cb), GUINT_TO_POINTER (id));
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cell_cb), GUINT_TO_POINTER (id));
  self->columns[id] =
    hearth_table_add_column (self->table, title, factory, id == COLUMN_PIECE, sorter);
}

static void
hearth_token_table_dispose (GObject *object)
{
  HearthTokenTable *self = HEARTH_TOKEN_TABLE (object);

  if (self->table != NULL)
    gtk_column_view_set_model (self->table, NULL);
  g_clear_object (&self->selection);
  g_clear_object (&self->list);
  g_clear_object (&self->types);
  g_clear_pointer (&self->name, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_TOKEN_TABLE);
  G_OBJECT_CLASS (hearth_token_table_parent_class)->dispose (object);
}

static void
hearth_token_table_class_init (HearthTokenTableClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_token_table_dispose;
  widget_class->focus = hearth_focus_move;
  gtk_widget_class_install_action (widget_class, "tokens.copy", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "tokens.copy-id", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "tokens.save-csv", NULL, save_action);
  gtk_widget_class_install_action (widget_class, "tokens.save-json", NULL, save_action);
  g_type_ensure (HEARTH_TYPE_TABLE_STACK);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-token-table.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthTokenTable, root);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenTable, search_entry);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenTable, type_drop_down);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenTable, count_label);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenTable, stack);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenTable, table);
  gtk_widget_class_bind_template_callback (widget_class, query_changed_cb);
}

static void
hearth_token_table_init (HearthTokenTable *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->list = hearth_token_list_new ();
  self->types = gtk_string_list_new ((const char *const[]) { _ ("All Types"), NULL });
  self->kinds[0] = -1;
  gtk_drop_down_set_model (self->type_drop_down, G_LIST_MODEL (self->types));
  g_signal_connect_object (self->list, "items-changed", G_CALLBACK (update_count), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);

  add_column (self, COLUMN_ID, _ ("ID"));
  add_column (self, COLUMN_PIECE, _ ("Token"));
  add_column (self, COLUMN_TYPE, _ ("Type"));
  add_column (self, COLUMN_SCORE, _ ("Score"));
  g_signal_connect_object (gtk_column_view_get_sorter (self->table), "changed",
                           G_CALLBACK (query_changed_cb), self, G_CONNECT_SWAPPED);
  self->selection = g_object_ref (
    hearth_table_set_list (self->table, G_LIST_MODEL (self->list), G_CALLBACK (bind_row_cb)));
  hearth_table_add_copy (self->table, dup_text, self);
  g_signal_connect_object (self->selection, "notify::selected-item",
                           G_CALLBACK (selection_changed_cb), self, G_CONNECT_SWAPPED);
  selection_changed_cb (self);
}

/* The types that the vocabulary has, with how many there are. */
static void
fill_types (HearthTokenTable *self)
{
  const guint *counts = hearth_token_list_get_counts (self->list);
  guint n = 1;

  gtk_string_list_splice (self->types, 1, g_list_model_get_n_items (G_LIST_MODEL (self->types)) - 1,
                          NULL);
  for (guint kind = 0; kind < HEARTH_TOKEN_N_KINDS; kind++)
    {
      g_autofree char *number = hearth_words_for_number (counts[kind]);
      g_autofree char *entry = NULL;

      if (counts[kind] == 0)
        continue;
      /* Translators: a type of tokens, and how many there are: "Control (17)" */
      entry = g_strdup_printf (_ ("%1$s (%2$s)"),
                               hearth_token_words_for_kind ((HearthTokenKind) kind), number);
      gtk_string_list_append (self->types, entry);
      self->kinds[n++] = (int) kind;
    }
}

void
hearth_token_table_set_tokenizer (HearthTokenTable *self, HearthTokenizer *tokenizer,
                                  const char *name)
{
  float score;

  g_return_if_fail (HEARTH_IS_TOKEN_TABLE (self));

  if (hearth_token_list_get_tokenizer (self->list) == tokenizer)
    return;
  self->filling = TRUE;
  g_set_str (&self->name, name);
  hearth_token_list_set_tokenizer (self->list, tokenizer);
  gtk_drop_down_set_selected (self->type_drop_down, 0);
  fill_types (self);
  gtk_column_view_sort_by_column (self->table, NULL, GTK_SORT_ASCENDING);
  gtk_column_view_column_set_visible (self->columns[COLUMN_SCORE],
                                      tokenizer != NULL &&
                                        hearth_tokenizer_get_score (tokenizer, 0, &score));
  self->filling = FALSE;
  update_count (self);
  /* What was searched for in the model before is searched for in this one. */
  query_changed_cb (self);
}

void
hearth_token_table_focus_search (HearthTokenTable *self)
{
  g_return_if_fail (HEARTH_IS_TOKEN_TABLE (self));

  gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
}

guint
hearth_token_table_get_n_rows (HearthTokenTable *self)
{
  g_return_val_if_fail (HEARTH_IS_TOKEN_TABLE (self), 0);

  return hearth_table_get_n_rows (self->table);
}
