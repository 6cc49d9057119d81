/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-file-map.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-cell-paint.h"
#include "hearth-export.h"
#include "hearth-file-layout.h"
#include "hearth-file-strip.h"
#include "hearth-focus.h"
#include "hearth-hex-view.h"
#include "hearth-menu.h"
#include "hearth-region-table.h"
#include "hearth-residency.h"
#include "hearth-tensor-export.h"
#include "hearth-words.h"

struct _HearthFileMap
{
  GtkWidget parent_instance;

  AdwNavigationView *pages;
  GtkDropDown *part_drop_down;
  AdwWrapBox *legend;
  HearthFileStrip *strip;
  GtkLabel *detail;
  GtkMenuButton *menu_button;
  HearthRegionTable *table;

  GStrv files; /* of the model; NULL: none */
  HearthFileLayout *layout;
  HearthResidency *residency;
  char *failure;         /* what keeps the layout, or what is cached, from being known */
  char *wanted;          /* a key or tensor to be gone to */
  gboolean wants_bytes;  /* of what is wanted, not only its place */
  GCancellable *reading; /* of what is shown; a late result of another file is dropped */
};

static void model_view_init (HearthModelViewInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthFileMap, hearth_file_map, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (HEARTH_TYPE_MODEL_VIEW, model_view_init))

/* ---- what is pointed at ----------------------------------------------------------------- */

static char *
dup_region_facts (HearthFileMap *self, HearthFileRegion *region)
{
  guint64 offset = hearth_file_region_get_offset (region);
  guint64 size = hearth_file_region_get_size (region);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *at = hearth_words_for_number (offset);
  g_autofree char *exact = hearth_words_for_exact_size (size);

  g_string_append (text, _ (hearth_region_kind_get_name (hearth_file_region_get_kind (region))));
  if (*hearth_file_region_get_name (region) != '\0')
    g_string_append_printf (text, " %s", hearth_file_region_get_name (region));
  if (*hearth_file_region_get_type_name (region) != '\0')
    g_string_append_printf (text, " · %s", hearth_file_region_get_type_name (region));
  /* Translators: the offset of something in a file */
  g_string_append_printf (text, _ (" · at %s"), at);
  g_string_append_printf (text, " · %s", exact);
  if (hearth_file_region_get_n_present (region) < size)
    g_string_append_printf (text, " · %s", _ ("its end is not in the file"));
  if (hearth_file_region_get_overlaps (region))
    g_string_append_printf (text, " · %s", _ ("overlaps the one before"));
  return g_string_free_and_steal (g_steal_pointer (&text));
}

static void
show_detail (HearthFileMap *self)
{
  int position;
  g_autofree char *text = NULL;

  if (self->detail == NULL || self->strip == NULL)
    return;
  position = hearth_file_strip_get_hovered (self->strip);
  if (position < 0)
    position = hearth_file_strip_get_marked (self->strip);
  if (self->layout != NULL && position >= 0)
    text = dup_region_facts (self, hearth_file_layout_get (self->layout, (guint) position));
  else if (self->failure != NULL)
    text = g_strdup (self->failure);
  else if (self->layout != NULL)
    text = hearth_words_for_exact_size (hearth_file_layout_get_file_size (self->layout));
  gtk_label_set_text (self->detail, text != NULL ? text : "");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->detail), text);
}

static void
marked_cb (HearthFileMap *self)
{
  int position = hearth_file_strip_get_marked (self->strip);

  if (position >= 0)
    hearth_region_table_select (self->table,
                                hearth_file_layout_get (self->layout, (guint) position));
  show_detail (self);
}

static int
find_position (HearthFileMap *self, HearthFileRegion *region)
{
  guint position;

  /* Of several that begin here all but the last are empty. */
  if (!hearth_file_layout_find (self->layout, hearth_file_region_get_offset (region), &position))
    return -1;
  while (position > 0 && hearth_file_layout_get (self->layout, position) != region &&
         hearth_file_region_get_offset (hearth_file_layout_get (self->layout, position)) >=
           hearth_file_region_get_offset (region))
    position--;
  return (int) position;
}

static void
row_marked_cb (HearthFileMap *self, HearthFileRegion *region)
{
  hearth_file_strip_mark (self->strip, find_position (self, region));
  show_detail (self);
}

/* ---- bytes ------------------------------------------------------------------------------ */

static void
show_bytes (HearthFileMap *self, guint64 offset, guint64 size)
{
  GtkWidget *bar = adw_toolbar_view_new ();
  GtkWidget *header = adw_header_bar_new ();
  GtkWidget *view =
    hearth_hex_view_new (hearth_file_layout_get_path (self->layout),
                         hearth_file_layout_get_file_size (self->layout), self->layout);
  AdwNavigationPage *page;

  adw_header_bar_set_show_start_title_buttons (ADW_HEADER_BAR (header), FALSE);
  adw_header_bar_set_show_end_title_buttons (ADW_HEADER_BAR (header), FALSE);
  adw_toolbar_view_add_top_bar (ADW_TOOLBAR_VIEW (bar), header);
  adw_toolbar_view_set_content (ADW_TOOLBAR_VIEW (bar), view);
  page = adw_navigation_page_new (bar, _ ("Bytes"));
  hearth_focus_hold (GTK_WIDGET (page));
  adw_navigation_view_push (self->pages, page);
  hearth_hex_view_go_to (HEARTH_HEX_VIEW (view), offset, size);
  /* Who comes from another view had the keyboard there. */
  hearth_hex_view_focus_bytes (HEARTH_HEX_VIEW (view));
}

static void
row_opened_cb (HearthFileMap *self, HearthFileRegion *region)
{
  show_bytes (self, hearth_file_region_get_offset (region),
              hearth_file_region_get_n_present (region));
}

static void
opened_cb (HearthFileMap *self)
{
  int position = hearth_file_strip_get_marked (self->strip);

  if (position >= 0)
    row_opened_cb (self, hearth_file_layout_get (self->layout, (guint) position));
}

static void
bytes_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  if (HEARTH_FILE_MAP (widget)->layout != NULL)
    show_bytes (HEARTH_FILE_MAP (widget), 0, 1);
}

/* ---- reading ---------------------------------------------------------------------------- */

static void
stop_reading (HearthFileMap *self)
{
  if (self->reading != NULL)
    g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
}

static GtkWidget *
add_to_legend (HearthFileMap *self, GtkWidget *swatch, const char *name, guint64 n_bytes)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  g_autofree char *size = hearth_words_for_size (n_bytes);
  g_autofree char *exact = hearth_words_for_exact_size (n_bytes);
  g_autofree char *text = g_strdup_printf ("%s · %s", name, size);
  GtkWidget *label = gtk_label_new (text);

  /* Large text in a narrow window. */
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_box_append (GTK_BOX (box), swatch);
  gtk_box_append (GTK_BOX (box), label);
  gtk_widget_set_tooltip_text (box, exact);
  adw_wrap_box_append (self->legend, box);
  return box;
}

/* It is easily taken for what Hearth has loaded. */
static GtkWidget *
create_cache_help (void)
{
  GtkWidget *button = gtk_menu_button_new ();
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *label = gtk_label_new (
    _ ("The system keeps what was lately read from files in memory that is free anyway, so "
       "reading it again is fast: a model that is cached loads sooner. Programs that need this "
       "memory get it at once.\n\nWhether the model is loaded is another matter."));

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 36);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_margin_start (label, 6);
  gtk_widget_set_margin_end (label, 6);
  gtk_widget_set_margin_top (label, 6);
  gtk_widget_set_margin_bottom (label, 6);
  gtk_popover_set_child (GTK_POPOVER (popover), label);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "help-about-symbolic");
  gtk_widget_set_tooltip_text (button, _ ("What “Cached” Means"));
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "help");
  return button;
}

static void
fill_legend (HearthFileMap *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->legend))) != NULL)
    adw_wrap_box_remove (self->legend, child);
  for (HearthRegionKind kind = 0; self->layout != NULL && kind < HEARTH_N_REGION_KINDS; kind++)
    {
      if (hearth_file_layout_get_n_regions (self->layout, kind) > 0)
        add_to_legend (self,
                       hearth_cell_paint_swatch_new (hearth_file_strip_get_colour (kind), FALSE),
                       _ (hearth_region_kind_get_name (kind)),
                       hearth_file_layout_get_n_bytes (self->layout, kind));
    }
  if (self->layout != NULL && self->residency != NULL)
    {
      GtkWidget *swatch =
        g_object_new (GTK_TYPE_BOX, "css-name", "memoryswatch", "valign", GTK_ALIGN_CENTER,
                      "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);

      GtkWidget *entry = add_to_legend (self, swatch, _ ("Cached by the system"),
                                        hearth_residency_count (self->residency, 0, G_MAXUINT64));

      gtk_box_append (GTK_BOX (entry), create_cache_help ());
    }
}

static void
residency_read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthFileMap) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (HearthResidency) residency = hearth_residency_read_finish (result, &error);

  if (self->reading == NULL || g_task_get_cancellable (G_TASK (result)) != self->reading)
    return;
  g_clear_pointer (&self->residency, hearth_residency_unref);
  g_clear_pointer (&self->failure, g_free);
  if (residency != NULL)
    self->residency = hearth_residency_ref (residency);
  else
    self->failure = g_error_matches (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED)
                      ? g_strdup (_ ("What the system has cached is told only to who may write the "
                                     "file."))
                      : g_strdup (_ ("What the system has cached cannot be found out."));
  hearth_file_strip_set_residency (self->strip, residency);
  hearth_region_table_set_residency (self->table, residency);
  fill_legend (self);
  show_detail (self);
}

static void
refresh (HearthFileMap *self)
{
  if (self->layout != NULL && self->reading != NULL)
    hearth_residency_read_async (hearth_file_layout_get_path (self->layout), self->reading,
                                 residency_read_cb, g_object_ref (self));
}

static void
refresh_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  refresh (HEARTH_FILE_MAP (widget));
}

static void
go_to_wanted (HearthFileMap *self)
{
  guint n = self->layout != NULL ? g_list_model_get_n_items (G_LIST_MODEL (self->layout)) : 0;

  for (guint i = 0; self->wanted != NULL && i < n; i++)
    {
      HearthFileRegion *region = hearth_file_layout_get (self->layout, i);

      if (g_str_equal (hearth_file_region_get_name (region), self->wanted))
        {
          hearth_file_strip_mark (self->strip, (int) i);
          if (self->wants_bytes)
            row_opened_cb (self, region);
          break;
        }
    }
  if (self->layout != NULL)
    g_clear_pointer (&self->wanted, g_free);
}

static void
want (HearthFileMap *self, const char *name, gboolean bytes)
{
  adw_navigation_view_pop_to_tag (self->pages, "map");
  g_set_str (&self->wanted, name);
  self->wants_bytes = bytes;
  go_to_wanted (self);
}

static void
set_layout (HearthFileMap *self, HearthFileLayout *layout)
{
  g_set_object (&self->layout, layout);
  g_clear_pointer (&self->residency, hearth_residency_unref);
  g_clear_pointer (&self->failure, g_free);
  adw_navigation_view_pop_to_tag (self->pages, "map");
  hearth_file_strip_set_layout (self->strip, layout);
  hearth_region_table_set_layout (self->table, layout);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "file.zoom", layout != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "file.refresh", layout != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "file.bytes", layout != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "file.export", layout != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "file.save-picture", layout != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "file.copy-picture", layout != NULL);
  fill_legend (self);
  show_detail (self);
  go_to_wanted (self);
}

static void
layout_read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthFileMap) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (HearthFileLayout) layout = hearth_file_layout_read_finish (result, &error);

  if (self->reading == NULL || g_task_get_cancellable (G_TASK (result)) != self->reading)
    return;
  if (layout == NULL)
    {
      self->failure = hearth_words_for_error (error, NULL);
      show_detail (self);
      return;
    }
  set_layout (self, layout);
  refresh (self);
}

static void
read_part (HearthFileMap *self, guint part)
{
  stop_reading (self);
  set_layout (self, NULL);
  if (self->files == NULL || part >= g_strv_length (self->files))
    return;
  self->reading = g_cancellable_new ();
  hearth_file_layout_read_async (self->files[part], self->reading, layout_read_cb,
                                 g_object_ref (self));
}

static void
part_picked_cb (HearthFileMap *self)
{
  guint part;

  if (self->files == NULL || self->part_drop_down == NULL)
    return;
  part = gtk_drop_down_get_selected (self->part_drop_down);
  if (part != GTK_INVALID_LIST_POSITION &&
      (self->layout == NULL ||
       !g_str_equal (hearth_file_layout_get_path (self->layout), self->files[part])))
    read_part (self, part);
}

/* ---- actions ---------------------------------------------------------------------------- */

static void
zoom_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hearth_file_strip_zoom (HEARTH_FILE_MAP (widget)->strip, g_variant_get_int32 (parameter));
}

static void
export_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthFileMap *self = HEARTH_FILE_MAP (widget);
  gboolean json = g_str_equal (g_variant_get_string (parameter, NULL), "json");
  g_autofree char *file = NULL;

  if (self->layout == NULL)
    return;
  file = hearth_export_name (hearth_file_layout_get_path (self->layout),
                             json ? "-regions.json" : "-regions.csv");
  hearth_export_save (widget, file,
                      hearth_file_region_export (hearth_region_table_get_shown (self->table),
                                                 self->residency,
                                                 json ? HEARTH_TABLE_JSON : HEARTH_TABLE_CSV));
}

static void
picture_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthFileMap *self = HEARTH_FILE_MAP (widget);
  g_autoptr (GdkTexture) picture = NULL;
  g_autofree char *base = NULL;
  g_autofree char *title = NULL;
  g_autofree char *file = NULL;

  if (self->layout == NULL)
    return;
  base = g_path_get_basename (hearth_file_layout_get_path (self->layout));
  title = g_filename_display_name (base);
  picture = hearth_file_strip_draw (self->strip, title);
  if (picture == NULL)
    return;
  file = hearth_export_name (hearth_file_layout_get_path (self->layout), "-regions.png");
  if (g_str_equal (name, "file.copy-picture"))
    hearth_export_copy_picture (widget, picture);
  else
    hearth_export_save_picture (widget, file, picture);
}

/* ---- as a view of the page -------------------------------------------------------------- */

/* The files come with the contents: those of a split model are known then. */
static void
show_contents (HearthModelView *view, HearthModelContents *contents)
{
  HearthFileMap *self = HEARTH_FILE_MAP (view);
  g_auto (GStrv) names = NULL;
  guint n;

  g_clear_pointer (&self->files, g_strfreev);
  gtk_widget_set_visible (GTK_WIDGET (self->part_drop_down), FALSE);
  if (contents == NULL)
    {
      stop_reading (self);
      set_layout (self, NULL);
      return;
    }
  self->files = g_strdupv ((char **) hearth_model_contents_get_files (contents));
  n = g_strv_length (self->files);
  if (n > 1)
    {
      g_autoptr (GtkStringList) list = NULL;

      names = g_new0 (char *, n + 1);
      for (guint i = 0; i < n; i++)
        names[i] = g_path_get_basename (self->files[i]);
      list = gtk_string_list_new ((const char *const *) names);
      gtk_drop_down_set_model (self->part_drop_down, G_LIST_MODEL (list));
      gtk_widget_set_visible (GTK_WIDGET (self->part_drop_down), TRUE);
    }
  if (self->reading == NULL)
    read_part (self, 0);
}

static void
show_model (HearthModelView *view, HearthModelFile *model)
{
  HearthFileMap *self = HEARTH_FILE_MAP (view);

  g_clear_pointer (&self->wanted, g_free);
  g_clear_pointer (&self->files, g_strfreev);
  stop_reading (self);
  set_layout (self, NULL);
}

static gboolean
find (HearthModelView *view)
{
  HearthFileMap *self = HEARTH_FILE_MAP (view);

  adw_navigation_view_pop_to_tag (self->pages, "map");
  return hearth_region_table_focus_search (self->table);
}

static void
reveal (HearthModelView *view, const char *what)
{
  want (HEARTH_FILE_MAP (view), what, FALSE);
}

static gboolean
go_back (HearthModelView *view)
{
  return adw_navigation_view_pop (HEARTH_FILE_MAP (view)->pages);
}

static void
left (HearthModelView *view)
{
  g_clear_pointer (&HEARTH_FILE_MAP (view)->wanted, g_free);
}

static void
model_view_init (HearthModelViewInterface *iface)
{
  iface->show_model = show_model;
  iface->show_contents = show_contents;
  iface->find = find;
  iface->reveal = reveal;
  iface->go_back = go_back;
  iface->left = left;
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_file_map_dispose (GObject *object)
{
  HearthFileMap *self = HEARTH_FILE_MAP (object);

  stop_reading (self);
  g_clear_pointer (&self->files, g_strfreev);
  g_clear_object (&self->layout);
  g_clear_pointer (&self->residency, hearth_residency_unref);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_FILE_MAP);
  G_OBJECT_CLASS (hearth_file_map_parent_class)->dispose (object);
}

static void
hearth_file_map_finalize (GObject *object)
{
  HearthFileMap *self = HEARTH_FILE_MAP (object);

  g_free (self->failure);
  g_free (self->wanted);
  G_OBJECT_CLASS (hearth_file_map_parent_class)->finalize (object);
}

static void
hearth_file_map_class_init (HearthFileMapClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_file_map_dispose;
  object_class->finalize = hearth_file_map_finalize;
  g_type_ensure (HEARTH_TYPE_FILE_STRIP);
  g_type_ensure (HEARTH_TYPE_REGION_TABLE);
  gtk_widget_class_install_action (widget_class, "file.zoom", "i", zoom_action);
  gtk_widget_class_install_action (widget_class, "file.refresh", NULL, refresh_action);
  gtk_widget_class_install_action (widget_class, "file.bytes", NULL, bytes_action);
  gtk_widget_class_install_action (widget_class, "file.export", "s", export_action);
  gtk_widget_class_install_action (widget_class, "file.save-picture", NULL, picture_action);
  gtk_widget_class_install_action (widget_class, "file.copy-picture", NULL, picture_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-file-map.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthFileMap, pages);
  gtk_widget_class_bind_template_child (widget_class, HearthFileMap, part_drop_down);
  gtk_widget_class_bind_template_child (widget_class, HearthFileMap, legend);
  gtk_widget_class_bind_template_child (widget_class, HearthFileMap, strip);
  gtk_widget_class_bind_template_child (widget_class, HearthFileMap, detail);
  gtk_widget_class_bind_template_child (widget_class, HearthFileMap, menu_button);
  gtk_widget_class_bind_template_child (widget_class, HearthFileMap, table);
  gtk_widget_class_bind_template_callback (widget_class, part_picked_cb);
  gtk_widget_class_bind_template_callback (widget_class, marked_cb);
  gtk_widget_class_bind_template_callback (widget_class, show_detail);
  gtk_widget_class_bind_template_callback (widget_class, opened_cb);
  gtk_widget_class_bind_template_callback (widget_class, row_marked_cb);
  gtk_widget_class_bind_template_callback (widget_class, row_opened_cb);
}

static void
hearth_file_map_init (HearthFileMap *self)
{
  g_autoptr (GMenuModel) menu = hearth_menu_new ("library/hearth-export-menus.ui", "file_menu");

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_menu_button_set_menu_model (self->menu_button, menu);
}

GtkWidget *
hearth_file_map_new (void)
{
  return g_object_new (HEARTH_TYPE_FILE_MAP, NULL);
}

void
hearth_file_map_show_bytes_of (HearthFileMap *self, const char *name)
{
  g_return_if_fail (HEARTH_IS_FILE_MAP (self));

  gtk_drop_down_set_selected (self->part_drop_down, 0); /* keys are in the first file */
  want (self, name, TRUE);
}
