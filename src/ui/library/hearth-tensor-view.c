/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tensor-view.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-focus.h"
#include "hearth-tensor-map-pane.h"
#include "hearth-tensor-page.h"
#include "hearth-tensor-table.h"

/* Of the view's height, before somebody moves the splitter. */
#define MAP_SHARE 0.5

/* How a model's tensors were looked at last; kept while the program runs. */
struct look
{
  char *search;
  guint tensor; /* under the cursor of the map: its position in the table */
};

struct _HearthTensorView
{
  GtkWidget parent_instance;

  AdwNavigationView *pages;
  GtkPaned *paned;
  HearthTensorMapPane *map_pane;
  HearthTensorTable *table;

  HearthSettings *settings;
  char *path; /* of the model that is shown */
  GListModel *tensors;
  GHashTable *looks; /* path to struct look */
  char *wanted;      /* a tensor to be gone to as soon as they are there */
  int height;        /* of the map, as somebody set it; 0: nobody has */
  gboolean placing;  /* the splitter is moved from here */
};

static void model_view_init (HearthModelViewInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthTensorView, hearth_tensor_view, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (HEARTH_TYPE_MODEL_VIEW, model_view_init))

static void
look_free (gpointer data)
{
  struct look *look = data;

  g_free (look->search);
  g_free (look);
}

/* ---- the look is kept ------------------------------------------------------------------- */

static void
look_changed_cb (HearthTensorView *self)
{
  HearthMapSettings map;

  if (self->settings == NULL || self->placing || self->paned == NULL)
    return;
  map = (HearthMapSettings) {
    .by_bits = hearth_tensor_map_pane_get_colours (self->map_pane) == HEARTH_MAP_BY_BITS,
    .zoom = hearth_tensor_map_view_get_zoom (hearth_tensor_map_pane_get_map_view (self->map_pane)),
    .height = gtk_paned_get_position (self->paned),
  };
  self->height = map.height;
  hearth_settings_set_tensor_map (self->settings, &map);
}

static void
keep_look (HearthTensorView *self)
{
  HearthTensor *tensor;
  struct look *look;

  if (self->path == NULL || self->tensors == NULL)
    return;
  tensor = hearth_tensor_map_view_get_tensor (hearth_tensor_map_pane_get_map_view (self->map_pane));
  look = g_new0 (struct look, 1);
  look->search = g_strdup (hearth_tensor_table_get_search (self->table));
  look->tensor = tensor != NULL ? hearth_tensor_get_position (tensor) : 0;
  g_hash_table_replace (self->looks, g_strdup (self->path), look);
}

static void
restore_look (HearthTensorView *self)
{
  const struct look *look =
    self->path != NULL ? g_hash_table_lookup (self->looks, self->path) : NULL;
  g_autoptr (HearthTensor) tensor = NULL;

  if (look == NULL)
    return;
  hearth_tensor_table_set_search (self->table, look->search);
  tensor = g_list_model_get_item (self->tensors, look->tensor);
  if (tensor != NULL)
    hearth_tensor_map_view_go_to (hearth_tensor_map_pane_get_map_view (self->map_pane), tensor);
}

/* ---- the parts work together ------------------------------------------------------------ */

static void
filter_cb (HearthTensorView *self, const char *text)
{
  hearth_tensor_table_set_search (self->table, text);
}

static void
open_cb (HearthTensorView *self, HearthTensor *tensor)
{
  hearth_tensor_map_view_go_to (hearth_tensor_map_pane_get_map_view (self->map_pane), tensor);
  adw_navigation_view_push (self->pages, hearth_tensor_page_new (tensor));
}

static void
go_to_wanted (HearthTensorView *self)
{
  g_autofree char *name = g_steal_pointer (&self->wanted);
  guint n = self->tensors != NULL ? g_list_model_get_n_items (self->tensors) : 0;

  if (name == NULL)
    return;
  if (self->tensors == NULL)
    {
      self->wanted = g_steal_pointer (&name);
      return;
    }
  hearth_tensor_table_set_search (self->table, name);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (HearthTensor) tensor = g_list_model_get_item (self->tensors, i);

      if (g_str_equal (hearth_tensor_get_name (tensor), name))
        {
          open_cb (self, tensor);
          return;
        }
    }
}

static void
show_tensors (HearthTensorView *self, GListModel *tensors)
{
  g_autoptr (HearthTensorMap) map = tensors != NULL ? hearth_tensor_map_new (tensors) : NULL;

  adw_navigation_view_pop_to_tag (self->pages, "list");
  g_set_object (&self->tensors, tensors);
  hearth_tensor_table_set_tensors (self->table, tensors);
  hearth_tensor_map_pane_set_map (self->map_pane, map);
  gtk_widget_set_visible (GTK_WIDGET (self->map_pane),
                          map != NULL && hearth_tensor_map_get_n_tensors (map) > 0);
  if (tensors == NULL)
    return;
  restore_look (self);
  go_to_wanted (self);
}

/* ---- as a view of the page -------------------------------------------------------------- */

static void
set_sources (HearthModelView *view, HearthEngine *engine, HearthSettings *settings)
{
  HearthTensorView *self = HEARTH_TENSOR_VIEW (view);
  HearthMapSettings map;

  hearth_settings_get_tensor_map (settings, &map);
  self->height = map.height;
  hearth_tensor_map_pane_set_look (self->map_pane,
                                   map.by_bits ? HEARTH_MAP_BY_BITS : HEARTH_MAP_BY_TYPE, map.zoom);
  g_set_object (&self->settings, settings);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

static void
show_model (HearthModelView *view, HearthModelFile *model)
{
  HearthTensorView *self = HEARTH_TENSOR_VIEW (view);

  keep_look (self);
  g_clear_pointer (&self->wanted, g_free);
  g_set_str (&self->path, model != NULL ? hearth_model_file_get_path (model) : NULL);
}

static void
show_contents (HearthModelView *view, HearthModelContents *contents)
{
  show_tensors (HEARTH_TENSOR_VIEW (view),
                contents != NULL ? hearth_model_contents_get_tensors (contents) : NULL);
}

static gboolean
find (HearthModelView *view)
{
  HearthTensorView *self = HEARTH_TENSOR_VIEW (view);

  adw_navigation_view_pop_to_tag (self->pages, "list");
  return hearth_tensor_table_focus_search (self->table);
}

/* By its name: its page, with the table behind it left with this tensor alone. */
static void
reveal (HearthModelView *view, const char *what)
{
  HearthTensorView *self = HEARTH_TENSOR_VIEW (view);

  adw_navigation_view_pop_to_tag (self->pages, "list");
  g_set_str (&self->wanted, what);
  go_to_wanted (self);
}

static gboolean
go_back (HearthModelView *view)
{
  return adw_navigation_view_pop (HEARTH_TENSOR_VIEW (view)->pages);
}

static void
left (HearthModelView *view)
{
  g_clear_pointer (&HEARTH_TENSOR_VIEW (view)->wanted, g_free);
}

static void
model_view_init (HearthModelViewInterface *iface)
{
  iface->left = left;
  iface->set_sources = set_sources;
  iface->show_model = show_model;
  iface->show_contents = show_contents;
  iface->find = find;
  iface->reveal = reveal;
  iface->go_back = go_back;
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_tensor_view_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HearthTensorView *self = HEARTH_TENSOR_VIEW (widget);
  int least, wanted;
  int position;

  /* As high as all rows of the map are, up to a share of the view; where somebody has moved the
   * splitter, there. */
  gtk_widget_measure (GTK_WIDGET (self->map_pane), GTK_ORIENTATION_VERTICAL, width, &least, &wanted,
                      NULL, NULL);
  position = self->height > 0 ? MIN (self->height, height - height / 5)
                              : MIN (wanted, (int) (height * MAP_SHARE));
  self->placing = TRUE;
  if (gtk_paned_get_position (self->paned) != MAX (position, least))
    gtk_paned_set_position (self->paned, MAX (position, least));
  gtk_widget_allocate (GTK_WIDGET (self->pages), width, height, baseline, NULL);
  self->placing = FALSE;
}

static void
hearth_tensor_view_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                            int *minimum, int *natural, int *minimum_baseline,
                            int *natural_baseline)
{
  gtk_widget_measure (GTK_WIDGET (HEARTH_TENSOR_VIEW (widget)->pages), orientation, for_size,
                      minimum, natural, NULL, NULL);
  *minimum_baseline = *natural_baseline = -1;
}

static void
hearth_tensor_view_dispose (GObject *object)
{
  HearthTensorView *self = HEARTH_TENSOR_VIEW (object);

  g_clear_object (&self->settings);
  g_clear_object (&self->tensors);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_TENSOR_VIEW);
  G_OBJECT_CLASS (hearth_tensor_view_parent_class)->dispose (object);
}

static void
hearth_tensor_view_finalize (GObject *object)
{
  HearthTensorView *self = HEARTH_TENSOR_VIEW (object);

  g_hash_table_unref (self->looks);
  g_free (self->path);
  g_free (self->wanted);
  G_OBJECT_CLASS (hearth_tensor_view_parent_class)->finalize (object);
}

static void
hearth_tensor_view_class_init (HearthTensorViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  widget_class->measure = hearth_tensor_view_measure;
  widget_class->size_allocate = hearth_tensor_view_size_allocate;
  object_class->dispose = hearth_tensor_view_dispose;
  object_class->finalize = hearth_tensor_view_finalize;
  g_type_ensure (HEARTH_TYPE_TENSOR_MAP_PANE);
  g_type_ensure (HEARTH_TYPE_TENSOR_TABLE);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-tensor-view.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthTensorView, pages);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorView, paned);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorView, map_pane);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorView, table);
  gtk_widget_class_bind_template_callback (widget_class, look_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, filter_cb);
  gtk_widget_class_bind_template_callback (widget_class, open_cb);
}

static void
hearth_tensor_view_init (HearthTensorView *self)
{
  self->looks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, look_free);
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
hearth_tensor_view_new (void)
{
  return g_object_new (HEARTH_TYPE_TENSOR_VIEW, NULL);
}
