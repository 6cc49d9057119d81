/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-list-private.h"

#include <glib/gi18n.h>

#include "hearth-focus.h"
#include "hearth-model-empty.h"
#include "hearth-model-filters.h"
#include "hearth-shortcuts.h"
#include "hearth-words.h"

/* Sums and places are told after the list has stood still for a moment. */
#define REFRESH_MS 60

G_DEFINE_FINAL_TYPE (HearthModelList, hearth_model_list, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_SORT,
  PROP_GROUP,
  PROP_ONLY_CHAT,
  PROP_ONLY_EMBEDDING,
  PROP_ONLY_FITS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

enum
{
  MODEL_CHOSEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* ---- filter and order ------------------------------------------------------------------- */

static gboolean
matches (gpointer item, gpointer user_data)
{
  return hearth_model_order_matches (item, &HEARTH_MODEL_LIST (user_data)->wish);
}

static int
compare (gconstpointer a, gconstpointer b, gpointer user_data)
{
  return hearth_model_order_compare ((gpointer) a, (gpointer) b,
                                     &HEARTH_MODEL_LIST (user_data)->order);
}

static int
compare_groups (gconstpointer a, gconstpointer b, gpointer user_data)
{
  HearthModelList *self = user_data;

  return g_strcmp0 (hearth_model_order_get_group_key ((gpointer) a, &self->order),
                    hearth_model_order_get_group_key ((gpointer) b, &self->order));
}

static void
filter_again (HearthModelList *self)
{
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

static void
sort_again (HearthModelList *self)
{
  gboolean grouped = self->order.group != HEARTH_MODEL_GROUP_NONE;

  /* The view must not ask for groups while their keys are new and the order is not: GTK aborts
   * where a group that it knows lies in two places. */
  gtk_list_view_set_header_factory (self->view, NULL);
  self->order.serial++;
  gtk_sort_list_model_set_section_sorter (self->sorted, grouped ? self->sections : NULL);
  gtk_sorter_changed (self->sections, GTK_SORTER_CHANGE_DIFFERENT);
  gtk_sorter_changed (self->sorter, GTK_SORTER_CHANGE_DIFFERENT);
  gtk_list_view_set_header_factory (self->view, grouped ? self->heads : NULL);
}

/* ---- heads of groups, sums -------------------------------------------------------------- */

static void
update_header (HearthModelList *self, GtkListHeader *header)
{
  HearthModelFile *file = gtk_list_header_get_item (header);
  GtkWidget *box = gtk_list_header_get_child (header);
  GtkLabel *title = GTK_LABEL (gtk_widget_get_first_child (box));
  GtkLabel *size = GTK_LABEL (gtk_widget_get_last_child (box));
  g_autofree char *text = NULL;
  g_autofree char *sum = NULL;
  const guint64 *n_bytes;

  if (file == NULL)
    return;
  text = hearth_model_order_dup_group_title (file, self->order.group);
  gtk_label_set_text (title, text);
  n_bytes =
    g_hash_table_lookup (self->totals, hearth_model_order_get_group_key (file, &self->order));
  sum = hearth_words_for_size (n_bytes != NULL ? *n_bytes : 0);
  gtk_label_set_text (size, n_bytes != NULL ? sum : "");
}

static void
header_setup_cb (GtkSignalListItemFactory *factory, GtkListHeader *header, gpointer user_data)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *title = gtk_label_new (NULL);
  GtkWidget *size = gtk_label_new (NULL);

  gtk_widget_add_css_class (box, "group-head");
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_label_set_ellipsize (GTK_LABEL (title), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_hexpand (title, TRUE);
  gtk_widget_add_css_class (title, "caption-heading");
  gtk_widget_add_css_class (title, "dimmed");
  gtk_widget_add_css_class (size, "caption");
  gtk_widget_add_css_class (size, "dimmed");
  gtk_widget_add_css_class (size, "numeric");
  gtk_widget_set_tooltip_text (size, _ ("On the disk"));
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), size);
  gtk_list_header_set_child (header, box);
}

static void
header_bind_cb (GtkSignalListItemFactory *factory, GtkListHeader *header, gpointer user_data)
{
  HearthModelList *self = user_data;

  g_hash_table_add (self->headers, header);
  update_header (self, header);
}

static void
header_unbind_cb (GtkSignalListItemFactory *factory, GtkListHeader *header, gpointer user_data)
{
  g_hash_table_remove (HEARTH_MODEL_LIST (user_data)->headers, header);
}

static void
add_to_total (HearthModelList *self, HearthModelFile *file, guint64 n_bytes)
{
  const char *key = hearth_model_order_get_group_key (file, &self->order);
  guint64 *sum = g_hash_table_lookup (self->totals, key);

  if (sum == NULL)
    {
      sum = g_new0 (guint64, 1);
      g_hash_table_insert (self->totals, g_strdup (key), sum);
    }
  *sum += n_bytes;
}

/* How many models of those that there are, and what they take on the disk. */
static void
update_total (HearthModelList *self)
{
  GListModel *list = G_LIST_MODEL (self->selection);
  guint n_models = 0, n_all = 0;
  guint64 n_bytes = 0;
  g_autofree char *size = NULL;
  g_autofree char *number = NULL;
  g_autofree char *all = NULL;
  g_autofree char *text = NULL;

  g_hash_table_remove_all (self->totals);
  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (HearthModelFile) file = g_list_model_get_item (list, i);
      gboolean gone = hearth_model_file_get_presence (file) == HEARTH_MODEL_PRESENCE_GONE;
      guint64 disk = gone ? 0 : hearth_model_file_get_facts (file)->disk;

      n_models += hearth_model_file_get_parent (file) == NULL;
      n_bytes += disk;
      add_to_total (self, file, disk);
    }
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->library)); i++)
    {
      g_autoptr (HearthModelFile) file = g_list_model_get_item (G_LIST_MODEL (self->library), i);

      n_all += hearth_model_file_get_parent (file) == NULL;
    }
  size = hearth_words_for_size (n_bytes);
  number = hearth_words_for_number (n_models);
  all = hearth_words_for_number (n_all);
  if (n_models == n_all)
    /* Translators: "14 models · 98.4 GB on disk" */
    text = g_strdup_printf (
      ngettext ("%1$s model · %2$s on disk", "%1$s models · %2$s on disk", n_models), number, size);
  else
    /* Translators: "3 of 14 models · 12 GB on disk" */
    text = g_strdup_printf (
      ngettext ("%1$s of %2$s model · %3$s on disk", "%1$s of %2$s models · %3$s on disk", n_all),
      number, all, size);
  gtk_label_set_text (self->total_label, text);
}

static void
update_stack (HearthModelList *self)
{
  gboolean any = g_list_model_get_n_items (G_LIST_MODEL (self->library)) > 0;
  gboolean shown = g_list_model_get_n_items (G_LIST_MODEL (self->selection)) > 0;
  gboolean busy = gtk_filter_list_model_get_pending (self->found) > 0 ||
                  hearth_library_get_scanning (self->library);

  gtk_widget_set_visible (self->filters, any);
  gtk_widget_set_visible (self->footer, any || hearth_library_get_scanning (self->library));
  if (shown)
    gtk_stack_set_visible_child_name (self->stack, "list");
  else if (!any)
    gtk_stack_set_visible_child_name (self->stack, "empty");
  else if (!busy)
    gtk_stack_set_visible_child_name (self->stack, "nothing");
}

static guint
find (HearthModelList *self, gconstpointer wanted)
{
  GListModel *list = G_LIST_MODEL (self->selection);

  for (guint i = 0; wanted != NULL && i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (GObject) at = g_list_model_get_item (list, i);

      if (at == wanted)
        return i;
    }
  return GTK_INVALID_LIST_POSITION;
}

static gboolean
refresh_cb (gpointer data)
{
  HearthModelList *self = data;
  GHashTableIter iter;
  gpointer header;

  self->refresh_id = 0;
  update_total (self);
  update_stack (self);
  g_hash_table_iter_init (&iter, self->headers);
  while (g_hash_table_iter_next (&iter, &header, NULL))
    update_header (self, header);
  /* Searching may hide the present model, and brings it back. */
  if (self->present != NULL &&
      gtk_single_selection_get_selected_item (self->selection) != (gpointer) self->present)
    gtk_single_selection_set_selected (self->selection, find (self, self->present));
  _hearth_model_list_restore_position (self);
  return G_SOURCE_REMOVE;
}

static void
refresh_soon (HearthModelList *self)
{
  if (self->view != NULL && self->library != NULL && self->refresh_id == 0)
    self->refresh_id = g_timeout_add (REFRESH_MS, refresh_cb, self);
}

static void
list_changed_cb (HearthModelList *self)
{
  if (self->view == NULL || self->library == NULL)
    return; /* being disposed */
  update_stack (self);
  refresh_soon (self);
}

static void
files_updated_cb (HearthModelList *self)
{
  if (self->view == NULL)
    return;
  filter_again (self);
  sort_again (self);
  refresh_soon (self);
}

/* ---- choosing, searching ---------------------------------------------------------------- */

static void
choose_at (HearthModelList *self, guint position)
{
  g_autoptr (HearthModelFile) model =
    g_list_model_get_item (G_LIST_MODEL (self->selection), position);

  if (model == NULL)
    return;
  g_signal_emit (self, signals[MODEL_CHOSEN], 0, model);
}

static void
activated_cb (HearthModelList *self, guint position)
{
  choose_at (self, position);
}

static void
search_changed_cb (HearthModelList *self)
{
  g_strfreev (self->wish.words);
  self->wish.words = hearth_model_order_split_words (gtk_editable_get_text (self->search_entry));
  /* What is searched is put together for each file once, which takes a while for thousands. */
  gtk_filter_list_model_set_incremental (self->found, *self->wish.words != NULL);
  filter_again (self);
  refresh_soon (self);
}

static void
search_activated_cb (HearthModelList *self)
{
  if (*gtk_editable_get_text (self->search_entry) != '\0')
    choose_at (self, 0);
}

static void
search_mode_cb (HearthModelList *self)
{
  if (self->view != NULL && !gtk_search_bar_get_search_mode (self->search_bar))
    gtk_editable_set_text (self->search_entry, "");
}

/* ---- actions ---------------------------------------------------------------------------- */

static HearthModelRow *
focused_row (HearthModelList *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  GtkWidget *child;

  if (focus == NULL || !gtk_widget_is_ancestor (focus, GTK_WIDGET (self->view)))
    return NULL;
  child = gtk_widget_get_first_child (focus);
  return HEARTH_IS_MODEL_ROW (child) ? HEARTH_MODEL_ROW (child) : NULL;
}

static void
remove_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthModelFile *model = hearth_model_list_get_focused (HEARTH_MODEL_LIST (widget));

  if (model != NULL)
    gtk_widget_activate_action (widget, "win.remove-model", "s",
                                hearth_model_file_get_path (model));
}

static void
menu_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthModelRow *row = focused_row (HEARTH_MODEL_LIST (widget));

  if (row != NULL)
    hearth_model_row_popup_menu (row);
}

static void
refresh_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hearth_library_scan (HEARTH_MODEL_LIST (widget)->library);
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  _hearth_model_list_copy (HEARTH_MODEL_LIST (widget));
}

static void
export_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  _hearth_model_list_export (HEARTH_MODEL_LIST (widget));
}

static void
show_all_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthModelList *self = HEARTH_MODEL_LIST (widget);

  g_object_set (self, "only-chat", FALSE, "only-embedding", FALSE, "only-fits", FALSE, NULL);
  gtk_search_bar_set_search_mode (self->search_bar, FALSE);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

/* ---- object ----------------------------------------------------------------------------- */

static void
share_stores (HearthModelList *self)
{
  gboolean by_folder = hearth_model_list_is_grouped_by_folder (self);

  /* Those rows that there are: a screenful or a few. */
  for (GtkWidget *item = gtk_widget_get_first_child (GTK_WIDGET (self->view)); item != NULL;
       item = gtk_widget_get_next_sibling (item))
    {
      GtkWidget *row = gtk_widget_get_first_child (item);

      if (HEARTH_IS_MODEL_ROW (row))
        hearth_model_row_set_common_store (HEARTH_MODEL_ROW (row), by_folder);
    }
}

static void
set_flag (HearthModelList *self, gboolean *flag, const GValue *value, GParamSpec *pspec)
{
  if (*flag == g_value_get_boolean (value))
    return;
  *flag = g_value_get_boolean (value);
  filter_again (self);
  refresh_soon (self);
  _hearth_model_list_keep (self);
  g_object_notify_by_pspec (G_OBJECT (self), pspec);
}

static void
hearth_model_list_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  HearthModelList *self = HEARTH_MODEL_LIST (object);

  switch (id)
    {
    case PROP_SORT:
      self->order.sort = _hearth_model_list_sort_from_id (g_value_get_string (value));
      break;
    case PROP_GROUP:
      self->order.group = _hearth_model_list_group_from_id (g_value_get_string (value));
      share_stores (self);
      break;
    case PROP_ONLY_CHAT:
      set_flag (self, &self->wish.chat, value, pspec);
      return;
    case PROP_ONLY_EMBEDDING:
      set_flag (self, &self->wish.embedding, value, pspec);
      return;
    case PROP_ONLY_FITS:
      set_flag (self, &self->wish.fits, value, pspec);
      return;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      return;
    }
  sort_again (self);
  refresh_soon (self);
  _hearth_model_list_keep (self);
  g_object_notify_by_pspec (object, pspec);
}

static void
hearth_model_list_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthModelList *self = HEARTH_MODEL_LIST (object);

  switch (id)
    {
    case PROP_SORT:
      g_value_set_string (value, _hearth_model_list_sort_id (self->order.sort));
      break;
    case PROP_GROUP:
      g_value_set_string (value, _hearth_model_list_group_id (self->order.group));
      break;
    case PROP_ONLY_CHAT:
      g_value_set_boolean (value, self->wish.chat);
      break;
    case PROP_ONLY_EMBEDDING:
      g_value_set_boolean (value, self->wish.embedding);
      break;
    case PROP_ONLY_FITS:
      g_value_set_boolean (value, self->wish.fits);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static gboolean
hearth_model_list_grab_focus (GtkWidget *widget)
{
  HearthModelList *self = HEARTH_MODEL_LIST (widget);
  guint selected = gtk_single_selection_get_selected (self->selection);

  if (g_list_model_get_n_items (G_LIST_MODEL (self->selection)) == 0)
    return gtk_widget_child_focus (GTK_WIDGET (self->stack), GTK_DIR_TAB_FORWARD);
  if (selected != GTK_INVALID_LIST_POSITION)
    gtk_list_view_scroll_to (self->view, selected, GTK_LIST_SCROLL_FOCUS, NULL);
  return gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static void
hearth_model_list_dispose (GObject *object)
{
  HearthModelList *self = HEARTH_MODEL_LIST (object);

  g_clear_handle_id (&self->refresh_id, g_source_remove);
  g_clear_weak_pointer (&self->present);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_MODEL_LIST);
  g_clear_object (&self->filter);
  g_clear_object (&self->sorter);
  g_clear_object (&self->sections);
  g_clear_object (&self->heads);
  g_clear_object (&self->library);
  g_clear_object (&self->settings);
  G_OBJECT_CLASS (hearth_model_list_parent_class)->dispose (object);
}

static void
hearth_model_list_finalize (GObject *object)
{
  HearthModelList *self = HEARTH_MODEL_LIST (object);

  g_strfreev (self->wish.words);
  g_free (self->wanted_position);
  g_hash_table_unref (self->headers);
  g_hash_table_unref (self->totals);
  G_OBJECT_CLASS (hearth_model_list_parent_class)->finalize (object);
}

static void
install_properties (GObjectClass *object_class)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  properties[PROP_SORT] = g_param_spec_string ("sort", NULL, NULL, "name", flags);
  properties[PROP_GROUP] = g_param_spec_string ("group", NULL, NULL, "folder", flags);
  properties[PROP_ONLY_CHAT] = g_param_spec_boolean ("only-chat", NULL, NULL, FALSE, flags);
  properties[PROP_ONLY_EMBEDDING] =
    g_param_spec_boolean ("only-embedding", NULL, NULL, FALSE, flags);
  properties[PROP_ONLY_FITS] = g_param_spec_boolean ("only-fits", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
install_actions (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_property_action (widget_class, "library.sort", "sort");
  gtk_widget_class_install_property_action (widget_class, "library.group", "group");
  gtk_widget_class_install_property_action (widget_class, "library.only-chat", "only-chat");
  gtk_widget_class_install_property_action (widget_class, "library.only-embedding",
                                            "only-embedding");
  gtk_widget_class_install_property_action (widget_class, "library.only-fits", "only-fits");
  gtk_widget_class_install_action (widget_class, "library.remove", NULL, remove_action);
  gtk_widget_class_install_action (widget_class, "library.menu", NULL, menu_action);
  gtk_widget_class_install_action (widget_class, "library.refresh", NULL, refresh_action);
  gtk_widget_class_install_action (widget_class, "library.copy", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "library.export", NULL, export_action);
  gtk_widget_class_install_action (widget_class, "library.show-all", NULL, show_all_action);
}

static void
hearth_model_list_class_init (HearthModelListClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  widget_class->grab_focus = hearth_model_list_grab_focus;
  object_class->dispose = hearth_model_list_dispose;
  object_class->finalize = hearth_model_list_finalize;
  object_class->get_property = hearth_model_list_get_property;
  object_class->set_property = hearth_model_list_set_property;
  install_properties (object_class);
  install_actions (widget_class);

  signals[MODEL_CHOSEN] =
    g_signal_new ("model-chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                  G_TYPE_NONE, 1, HEARTH_TYPE_MODEL_FILE);

  g_type_ensure (HEARTH_TYPE_MODEL_EMPTY);
  g_type_ensure (HEARTH_TYPE_MODEL_FILTERS);
  g_type_ensure (HEARTH_TYPE_MODEL_ROW);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-model-list.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthModelList, root);
  gtk_widget_class_bind_template_child (widget_class, HearthModelList, search_bar);
  gtk_widget_class_bind_template_child (widget_class, HearthModelList, search_entry);
  gtk_widget_class_bind_template_child (widget_class, HearthModelList, filters);
  gtk_widget_class_bind_template_child (widget_class, HearthModelList, footer);
  gtk_widget_class_bind_template_child (widget_class, HearthModelList, total_label);
  gtk_widget_class_bind_template_child (widget_class, HearthModelList, spinner);
  gtk_widget_class_bind_template_child (widget_class, HearthModelList, stack);
  gtk_widget_class_bind_template_child (widget_class, HearthModelList, scroller);
  gtk_widget_class_bind_template_child (widget_class, HearthModelList, view);
  gtk_widget_class_bind_template_child (widget_class, HearthModelList, found);
  gtk_widget_class_bind_template_child (widget_class, HearthModelList, sorted);
  gtk_widget_class_bind_template_child (widget_class, HearthModelList, selection);
  gtk_widget_class_bind_template_callback (widget_class, activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_mode_cb);
}

static gboolean
touched_cb (GtkEventControllerLegacy *controller, GdkEvent *event, gpointer user_data)
{
  HearthModelList *self = user_data;
  GdkEventType type = gdk_event_get_event_type (event);

  if (type == GDK_SCROLL || type == GDK_KEY_PRESS || type == GDK_BUTTON_PRESS ||
      type == GDK_TOUCH_BEGIN)
    {
      self->touched = TRUE;
      g_clear_pointer (&self->wanted_position, g_free);
    }
  return GDK_EVENT_PROPAGATE;
}

/* Until then the list is where it was left, whatever comes and goes. */
static void
watch_touch (HearthModelList *self)
{
  GtkEventController *controller = gtk_event_controller_legacy_new ();

  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  g_signal_connect_object (controller, "event", G_CALLBACK (touched_cb), self, G_CONNECT_DEFAULT);
  gtk_widget_add_controller (GTK_WIDGET (self->scroller), controller);
}

static void
make_heads (HearthModelList *self)
{
  self->heads = gtk_signal_list_item_factory_new ();
  g_signal_connect_object (self->heads, "setup", G_CALLBACK (header_setup_cb), self,
                           G_CONNECT_DEFAULT);
  g_signal_connect_object (self->heads, "bind", G_CALLBACK (header_bind_cb), self,
                           G_CONNECT_DEFAULT);
  g_signal_connect_object (self->heads, "unbind", G_CALLBACK (header_unbind_cb), self,
                           G_CONNECT_DEFAULT);
}

static void
hearth_model_list_init (HearthModelList *self)
{
  self->headers = g_hash_table_new (NULL, NULL);
  self->totals = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->order.quark = g_quark_from_static_string ("hearth-model-list");
  self->order.group = HEARTH_MODEL_GROUP_FOLDER;
  self->filter = GTK_FILTER (gtk_custom_filter_new (matches, self, NULL));
  self->sorter = GTK_SORTER (gtk_custom_sorter_new (compare, self, NULL));
  self->sections = GTK_SORTER (gtk_custom_sorter_new (compare_groups, self, NULL));
  gtk_widget_init_template (GTK_WIDGET (self));
  make_heads (self);
  watch_touch (self);
  gtk_search_bar_connect_entry (self->search_bar, self->search_entry);
  gtk_search_bar_set_key_capture_widget (self->search_bar, GTK_WIDGET (self->view));
  hearth_shortcuts_add_to (GTK_WIDGET (self), "library.");
}

void
hearth_model_list_set_library (HearthModelList *self, HearthLibrary *library,
                               HearthSettings *settings)
{
  g_return_if_fail (HEARTH_IS_MODEL_LIST (self));

  self->library = g_object_ref (library);
  self->settings = g_object_ref (settings);
  _hearth_model_list_restore (self);
  gtk_filter_list_model_set_filter (self->found, self->filter);
  gtk_sort_list_model_set_sorter (self->sorted, self->sorter);
  sort_again (self);
  g_signal_connect_object (self->selection, "items-changed", G_CALLBACK (list_changed_cb), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (self->found, "notify::pending", G_CALLBACK (refresh_soon), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (library, "items-changed", G_CALLBACK (list_changed_cb), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (library, "updated", G_CALLBACK (files_updated_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (library, "notify::scanning", G_CALLBACK (list_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->view, "map", G_CALLBACK (refresh_soon), self, G_CONNECT_SWAPPED);
  gtk_filter_list_model_set_model (self->found, G_LIST_MODEL (library));
  g_object_bind_property (library, "scanning", self->spinner, "visible", G_BINDING_SYNC_CREATE);
  list_changed_cb (self);
}

void
hearth_model_list_select (HearthModelList *self, HearthModelFile *model)
{
  g_return_if_fail (HEARTH_IS_MODEL_LIST (self));

  g_set_weak_pointer (&self->present, model);
  gtk_single_selection_set_selected (self->selection, find (self, model));
}

void
hearth_model_list_find (HearthModelList *self)
{
  g_return_if_fail (HEARTH_IS_MODEL_LIST (self));

  gtk_search_bar_set_search_mode (self->search_bar, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
}

HearthModelFile *
hearth_model_list_get_focused (HearthModelList *self)
{
  HearthModelRow *row;

  g_return_val_if_fail (HEARTH_IS_MODEL_LIST (self), NULL);

  row = focused_row (self);
  return row != NULL ? hearth_model_row_get_model (row) : NULL;
}

gboolean
hearth_model_list_is_grouped_by_folder (HearthModelList *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_LIST (self), FALSE);

  return self->order.group == HEARTH_MODEL_GROUP_FOLDER;
}
