/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tensor-map-pane.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-cell-paint.h"
#include "hearth-export.h"
#include "hearth-focus.h"
#include "hearth-words.h"

struct _HearthTensorMapPane
{
  GtkWidget parent_instance;

  GtkWidget *root;
  AdwToggleGroup *colours;
  GtkWidget *scroller;
  HearthTensorMapView *map_view;
  GtkLabel *detail;
  AdwWrapBox *legend;

  HearthTensorMap *map;
  char *filter; /* the last one that was asked for here */
};

G_DEFINE_FINAL_TYPE (HearthTensorMapPane, hearth_tensor_map_pane, GTK_TYPE_WIDGET)

enum
{
  FILTER,
  OPEN,
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* ---- legend ----------------------------------------------------------------------------- */

static void
toggled_cb (HearthTensorMapPane *self, GtkToggleButton *button)
{
  guint index = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "index"));

  hearth_tensor_map_view_set_hidden (self->map_view, index, !gtk_toggle_button_get_active (button));
}

static void
add_to_legend (HearthTensorMapPane *self, guint index, gboolean is_level, const char *name,
               guint n_tensors)
{
  GtkWidget *button = gtk_toggle_button_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  g_autofree char *count = hearth_words_for_number (n_tensors);
  g_autofree char *tip = g_strdup_printf (ngettext ("%s tensor", "%s tensors", n_tensors), count);
  g_autofree char *spoken = g_strdup_printf ("%s, %s", name, tip);

  gtk_box_append (GTK_BOX (box), hearth_cell_paint_swatch_new (index, is_level));
  gtk_box_append (GTK_BOX (box), gtk_label_new (name));
  gtk_button_set_child (GTK_BUTTON (button), box);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "legend");
  gtk_widget_set_tooltip_text (button, tip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, spoken,
                                  -1);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button),
                                !hearth_tensor_map_view_get_hidden (self->map_view, index));
  g_object_set_data (G_OBJECT (button), "index", GUINT_TO_POINTER (index));
  g_signal_connect_object (button, "toggled", G_CALLBACK (toggled_cb), self, G_CONNECT_SWAPPED);
  adw_wrap_box_append (self->legend, button);
}

/* How many tensors each step of bits has. */
static void
count_steps (HearthTensorMapPane *self, guint counts[HEARTH_N_BITS_STEPS])
{
  for (guint row = 0; row < hearth_tensor_map_get_n_rows (self->map); row++)
    {
      HearthTensor *tensor;

      for (guint column = 0; hearth_tensor_map_next (self->map, row, &column, &tensor); column++)
        counts[hearth_tensor_map_get_bits_step (tensor)]++;
    }
}

static void
fill_legend (HearthTensorMapPane *self)
{
  guint counts[HEARTH_N_BITS_STEPS] = { 0 };
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->legend))) != NULL)
    adw_wrap_box_remove (self->legend, child);
  if (self->map == NULL)
    return;
  if (hearth_tensor_map_pane_get_colours (self) == HEARTH_MAP_BY_TYPE)
    {
      for (guint i = 0; i < hearth_tensor_map_get_n_types (self->map); i++)
        {
          const HearthTensorMapType *type = hearth_tensor_map_get_type_at (self->map, i);

          add_to_legend (self, i, FALSE, type->name, type->n_tensors);
        }
      return;
    }
  count_steps (self, counts);
  for (guint i = 0; i < HEARTH_N_BITS_STEPS; i++)
    {
      double from = i > 0 ? hearth_tensor_map_get_bits_limit (i - 1) : 0;
      double to = hearth_tensor_map_get_bits_limit (i);
      g_autofree char *name = NULL;

      if (counts[i] == 0)
        continue;
      if (i == 0)
        /* Translators: up to so many bits per weight */
        name = g_strdup_printf (_ ("≤ %.3g"), to);
      else if (i + 1 == HEARTH_N_BITS_STEPS)
        /* Translators: more than so many bits per weight */
        name = g_strdup_printf (_ ("> %.3g"), from);
      else
        /* Translators: from … to bits per weight */
        name = g_strdup_printf (_ ("%1$.3g–%2$.3g"), from, to);
      add_to_legend (self, i, TRUE, name, counts[i]);
    }
}

/* ---- what is pointed at ----------------------------------------------------------------- */

static void
pointed_cb (HearthTensorMapPane *self)
{
  HearthTensor *tensor =
    self->map != NULL ? hearth_tensor_map_view_get_pointed (self->map_view) : NULL;
  g_autofree char *facts = NULL;

  if (tensor != NULL)
    facts = hearth_tensor_map_dup_facts (self->map, tensor);
  gtk_label_set_text (self->detail, facts != NULL ? facts : "");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->detail), facts);
}

static void
ask_filter (HearthTensorMapPane *self, const char *text)
{
  /* The same once more takes it away. */
  if (g_strcmp0 (text, self->filter) == 0)
    text = "";
  if (g_set_str (&self->filter, text))
    g_signal_emit (self, signals[FILTER], 0, text);
}

static void
clicked_cb (HearthTensorMapPane *self)
{
  HearthTensor *tensor = hearth_tensor_map_view_get_tensor (self->map_view);

  if (tensor != NULL)
    ask_filter (self, hearth_tensor_get_name (tensor));
}

static void
activated_cb (HearthTensorMapPane *self)
{
  HearthTensor *tensor = hearth_tensor_map_view_get_tensor (self->map_view);

  if (tensor != NULL)
    g_signal_emit (self, signals[OPEN], 0, tensor);
}

static void
title_clicked_cb (HearthTensorMapPane *self, gboolean is_row, guint64 number)
{
  g_autofree char *text = NULL;

  if (is_row)
    text = g_strdup (hearth_tensor_map_get_row_key (self->map, (guint) number));
  else if (hearth_tensor_map_get_layer (self->map, (guint) number) >= 0)
    text = g_strdup_printf ("blk.%d.", hearth_tensor_map_get_layer (self->map, (guint) number));
  if (text != NULL)
    ask_filter (self, text);
}

/* ---- the look --------------------------------------------------------------------------- */

static void
update_zoom_action (HearthTensorMapPane *self)
{
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "map.zoom", self->map != NULL);
}

static void
zoom_by (HearthTensorMapPane *self, int steps)
{
  int zoom = steps == 0 ? HEARTH_MAP_FIRST_ZOOM
                        : (int) hearth_tensor_map_view_get_zoom (self->map_view) + steps;

  hearth_tensor_map_view_set_zoom (self->map_view, (guint) CLAMP (zoom, 0, HEARTH_MAP_N_ZOOMS - 1));
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
zoomed_cb (HearthTensorMapPane *self, int steps)
{
  zoom_by (self, steps);
}

static void
zoom_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  zoom_by (HEARTH_TENSOR_MAP_PANE (widget), g_variant_get_int32 (parameter));
}

static void
colours_changed_cb (HearthTensorMapPane *self)
{
  if (self->legend == NULL || self->map_view == NULL)
    return; /* being built, or disposed */
  hearth_tensor_map_view_set_colours (self->map_view, hearth_tensor_map_pane_get_colours (self));
  fill_legend (self);
  g_signal_emit (self, signals[CHANGED], 0);
}

/* ---- pictures --------------------------------------------------------------------------- */

static void
save_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autoptr (GdkTexture) picture =
    hearth_tensor_map_view_draw (HEARTH_TENSOR_MAP_PANE (widget)->map_view);

  if (picture == NULL)
    gtk_widget_activate_action (widget, "win.toast", "s",
                                _ ("The map is too large for a picture: zoom out first"));
  else
    hearth_export_save_picture (widget, "tensors.png", picture);
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autoptr (GdkTexture) picture =
    hearth_tensor_map_view_draw (HEARTH_TENSOR_MAP_PANE (widget)->map_view);

  if (picture == NULL)
    {
      gtk_widget_activate_action (widget, "win.toast", "s",
                                  _ ("The map is too large for a picture: zoom out first"));
      return;
    }
  gdk_clipboard_set_texture (gtk_widget_get_clipboard (widget), picture);
  gtk_widget_activate_action (widget, "win.toast", "s", _ ("Map copied"));
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_tensor_map_pane_dispose (GObject *object)
{
  HearthTensorMapPane *self = HEARTH_TENSOR_MAP_PANE (object);

  g_clear_object (&self->map);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_TENSOR_MAP_PANE);
  G_OBJECT_CLASS (hearth_tensor_map_pane_parent_class)->dispose (object);
}

static void
hearth_tensor_map_pane_finalize (GObject *object)
{
  g_free (HEARTH_TENSOR_MAP_PANE (object)->filter);
  G_OBJECT_CLASS (hearth_tensor_map_pane_parent_class)->finalize (object);
}

static void
hearth_tensor_map_pane_class_init (HearthTensorMapPaneClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_tensor_map_pane_dispose;
  object_class->finalize = hearth_tensor_map_pane_finalize;
  signals[FILTER] =
    g_signal_new ("filter", HEARTH_TYPE_TENSOR_MAP_PANE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                  G_TYPE_NONE, 1, G_TYPE_STRING | G_SIGNAL_TYPE_STATIC_SCOPE);
  signals[OPEN] = g_signal_new ("open", HEARTH_TYPE_TENSOR_MAP_PANE, G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, HEARTH_TYPE_TENSOR);
  signals[CHANGED] = g_signal_new ("changed", HEARTH_TYPE_TENSOR_MAP_PANE, G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_type_ensure (HEARTH_TYPE_TENSOR_MAP_VIEW);
  gtk_widget_class_install_action (widget_class, "map.zoom", "i", zoom_action);
  gtk_widget_class_install_action (widget_class, "map.save", NULL, save_action);
  gtk_widget_class_install_action (widget_class, "map.copy", NULL, copy_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-tensor-map-pane.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthTensorMapPane, root);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorMapPane, colours);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorMapPane, scroller);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorMapPane, map_view);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorMapPane, detail);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorMapPane, legend);
  gtk_widget_class_bind_template_callback (widget_class, colours_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, pointed_cb);
  gtk_widget_class_bind_template_callback (widget_class, activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, clicked_cb);
  gtk_widget_class_bind_template_callback (widget_class, title_clicked_cb);
  gtk_widget_class_bind_template_callback (widget_class, zoomed_cb);
}

static void
hearth_tensor_map_pane_init (HearthTensorMapPane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  update_zoom_action (self);
}

static void
describe_map (HearthTensorMapPane *self)
{
  g_autofree char *n = hearth_words_for_number (hearth_tensor_map_get_n_tensors (self->map));
  g_autofree char *n_rows = hearth_words_for_number (hearth_tensor_map_get_n_rows (self->map));
  g_autofree char *n_columns =
    hearth_words_for_number (hearth_tensor_map_get_n_columns (self->map));
  g_autofree char *text = g_strdup_printf (
    /* Translators: said by voice output of the map of tensors */
    _ ("%1$s tensors: %2$s rows by what they are for, %3$s columns by layer. The table below has "
       "the same tensors."),
    n, n_rows, n_columns);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self->map_view),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}

void
hearth_tensor_map_pane_set_map (HearthTensorMapPane *self, HearthTensorMap *map)
{
  g_return_if_fail (HEARTH_IS_TENSOR_MAP_PANE (self));

  if (!g_set_object (&self->map, map))
    return;
  g_clear_pointer (&self->filter, g_free);
  hearth_tensor_map_view_set_map (self->map_view, map);
  fill_legend (self);
  update_zoom_action (self);
  pointed_cb (self);
  if (map != NULL)
    describe_map (self);
}

HearthTensorMapView *
hearth_tensor_map_pane_get_map_view (HearthTensorMapPane *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP_PANE (self), NULL);

  return self->map_view;
}

void
hearth_tensor_map_pane_set_look (HearthTensorMapPane *self, HearthMapColours colours, guint zoom)
{
  g_return_if_fail (HEARTH_IS_TENSOR_MAP_PANE (self));

  adw_toggle_group_set_active_name (self->colours, colours == HEARTH_MAP_BY_BITS ? "bits" : "type");
  hearth_tensor_map_view_set_zoom (self->map_view, zoom);
}

HearthMapColours
hearth_tensor_map_pane_get_colours (HearthTensorMapPane *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP_PANE (self), HEARTH_MAP_BY_TYPE);

  return g_strcmp0 (adw_toggle_group_get_active_name (self->colours), "bits") == 0
           ? HEARTH_MAP_BY_BITS
           : HEARTH_MAP_BY_TYPE;
}
