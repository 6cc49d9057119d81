/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the list was left, and the list as text. */
#include "hearth-model-list-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "hearth-export.h"
#include "hearth-model-export.h"

static const char *const sorts[] = {
  [HEARTH_MODEL_SORT_NAME] = "name",
  [HEARTH_MODEL_SORT_SIZE] = "size",
  [HEARTH_MODEL_SORT_DATE] = "date",
};

static const char *const groups[] = {
  [HEARTH_MODEL_GROUP_NONE] = "none",
  [HEARTH_MODEL_GROUP_FAMILY] = "family",
  [HEARTH_MODEL_GROUP_FOLDER] = "folder",
};

static guint
find_id (const char *const *ids, guint n, const char *id, guint otherwise)
{
  for (guint i = 0; i < n; i++)
    {
      if (g_strcmp0 (ids[i], id) == 0)
        return i;
    }
  return otherwise;
}

const char *
_hearth_model_list_sort_id (HearthModelSort sort)
{
  return sorts[sort];
}

HearthModelSort
_hearth_model_list_sort_from_id (const char *id)
{
  return (HearthModelSort) find_id (sorts, G_N_ELEMENTS (sorts), id, HEARTH_MODEL_SORT_NAME);
}

const char *
_hearth_model_list_group_id (HearthModelGroup group)
{
  return groups[group];
}

HearthModelGroup
_hearth_model_list_group_from_id (const char *id)
{
  return (HearthModelGroup) find_id (groups, G_N_ELEMENTS (groups), id, HEARTH_MODEL_GROUP_FOLDER);
}

/* ---- settings --------------------------------------------------------------------------- */

void
_hearth_model_list_restore (HearthModelList *self)
{
  g_autofree char *sort = hearth_settings_dup_list_state (self->settings, HEARTH_LIST_SORT);
  g_autofree char *group = hearth_settings_dup_list_state (self->settings, HEARTH_LIST_GROUP);
  g_autofree char *filters = hearth_settings_dup_list_state (self->settings, HEARTH_LIST_FILTERS);
  g_autofree char *search = hearth_settings_dup_list_state (self->settings, HEARTH_LIST_SEARCH);
  g_autofree char *position = hearth_settings_dup_list_state (self->settings, HEARTH_LIST_POSITION);
  g_auto (GStrv) names = g_strsplit (filters, " ", -1);

  g_object_set (self, "sort", sort, "group", group, "only-chat",
                g_strv_contains ((const char *const *) names, "chat"), "only-embedding",
                g_strv_contains ((const char *const *) names, "embedding"), "only-fits",
                g_strv_contains ((const char *const *) names, "fits"), NULL);
  if (*search != '\0')
    {
      GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
      GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

      gtk_search_bar_set_search_mode (self->search_bar, TRUE);
      gtk_editable_set_text (self->search_entry, search);
      /* A search bar that opens takes the keyboard; nobody has asked for that. */
      if (root != NULL)
        gtk_root_set_focus (root, focus);
    }
  if (*position != '\0')
    self->wanted_position = g_steal_pointer (&position);
}

void
_hearth_model_list_keep (HearthModelList *self)
{
  g_autoptr (GString) filters = g_string_new (NULL);

  if (self->settings == NULL)
    return;
  if (self->wish.chat)
    g_string_append (filters, " chat");
  if (self->wish.embedding)
    g_string_append (filters, " embedding");
  if (self->wish.fits)
    g_string_append (filters, " fits");
  hearth_settings_set_list_state (self->settings, HEARTH_LIST_SORT, sorts[self->order.sort]);
  hearth_settings_set_list_state (self->settings, HEARTH_LIST_GROUP, groups[self->order.group]);
  hearth_settings_set_list_state (self->settings, HEARTH_LIST_FILTERS,
                                  filters->len > 0 ? filters->str + 1 : "");
}

/* The row that is nearest to the upper edge: there may be the head of a group. */
static const char *
find_topmost (HearthModelList *self)
{
  for (double y = 4; y < 160; y += 8)
    {
      GtkWidget *at = gtk_widget_pick (GTK_WIDGET (self->scroller), 40, y, GTK_PICK_DEFAULT);
      GtkWidget *row = at != NULL ? gtk_widget_get_ancestor (at, HEARTH_TYPE_MODEL_ROW) : NULL;
      HearthModelFile *model =
        row != NULL ? hearth_model_row_get_model (HEARTH_MODEL_ROW (row)) : NULL;

      if (model != NULL)
        return hearth_model_file_get_path (model);
    }
  return NULL;
}

void
hearth_model_list_save (HearthModelList *self)
{
  const char *topmost;

  g_return_if_fail (HEARTH_IS_MODEL_LIST (self));

  if (self->settings == NULL)
    return;
  hearth_settings_set_list_state (self->settings, HEARTH_LIST_SEARCH,
                                  gtk_editable_get_text (self->search_entry));
  topmost = self->wanted_position;
  if (topmost == NULL &&
      gtk_adjustment_get_value (gtk_scrolled_window_get_vadjustment (self->scroller)) > 0)
    {
      topmost = find_topmost (self);
      if (topmost == NULL)
        return; /* not shown now: it is where it was before */
    }
  hearth_settings_set_list_state (self->settings, HEARTH_LIST_POSITION,
                                  topmost != NULL ? topmost : "");
}

void
_hearth_model_list_restore_position (HearthModelList *self)
{
  GListModel *list = G_LIST_MODEL (self->selection);
  guint n = g_list_model_get_n_items (list);

  gboolean found = FALSE;

  /* Files that come are put above and below; until somebody scrolls the beginning is shown. */
  if (self->wanted_position == NULL && !self->touched)
    gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (self->scroller), 0);
  /* Before it has a height nothing can be scrolled to. */
  if (self->wanted_position == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self->view)) ||
      gtk_widget_get_height (GTK_WIDGET (self->view)) == 0)
    return;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (HearthModelFile) file = g_list_model_get_item (list, i);

      if (!g_str_equal (hearth_model_file_get_path (file), self->wanted_position))
        continue;
      /* From below, so that it comes to the upper edge. */
      gtk_list_view_scroll_to (self->view, n - 1, GTK_LIST_SCROLL_NONE, NULL);
      gtk_list_view_scroll_to (self->view, i, GTK_LIST_SCROLL_NONE, NULL);
      found = TRUE;
      break;
    }
  /* While files come it is found again and again; then it is where somebody puts it. */
  if (found && !hearth_library_get_scanning (self->library))
    {
      g_clear_pointer (&self->wanted_position, g_free);
      self->touched = TRUE;
    }
}

/* ---- the list as text ------------------------------------------------------------------- */

void
_hearth_model_list_copy (HearthModelList *self)
{
  g_autoptr (GBytes) text = hearth_model_export (G_LIST_MODEL (self->selection), HEARTH_TABLE_CSV);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)),
                          g_bytes_get_data (text, NULL));
  gtk_widget_activate_action (GTK_WIDGET (self), "win.toast", "s", _ ("List copied"));
}

static void
place_chosen_cb (GtkWidget *widget, GFile *file, gpointer data)
{
  HearthModelList *self = HEARTH_MODEL_LIST (widget);
  g_autofree char *name = g_file_get_basename (file);
  g_autoptr (GBytes) contents = NULL;
  gboolean json = name != NULL && g_str_has_suffix (name, ".json");

  if (self->view == NULL)
    return;
  contents = hearth_model_export (G_LIST_MODEL (self->selection),
                                  json ? HEARTH_TABLE_JSON : HEARTH_TABLE_CSV);
  hearth_export_write (widget, file, contents);
}

static void
add_filter (GListStore *filters, const char *name, const char *suffix)
{
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, name);
  gtk_file_filter_add_suffix (filter, suffix);
  g_list_store_append (filters, filter);
}

void
_hearth_model_list_export (HearthModelList *self)
{
  g_autoptr (GListStore) filters = g_list_store_new (GTK_TYPE_FILE_FILTER);

  add_filter (filters, _ ("Table (CSV)"), "csv");
  add_filter (filters, _ ("Data (JSON)"), "json");
  hearth_export_ask (GTK_WIDGET (self), _ ("Export the List of Models"), "models.csv",
                     G_LIST_MODEL (filters), place_chosen_cb, NULL, NULL);
}
