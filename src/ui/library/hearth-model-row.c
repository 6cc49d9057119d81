/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-row.h"

#include <glib/gi18n.h>
#include <string.h>

#include "hearth-focus.h"
#include "hearth-menu.h"
#include "hearth-model-list.h"
#include "hearth-model-words.h"
#include "hearth-words.h"

struct _HearthModelRow
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkLabel *title_label;
  GtkLabel *kind_label;
  GtkLabel *size_label;
  GtkLabel *stores_label;
  GtkWidget *standing_box;
  GtkImage *standing_icon;
  GtkLabel *standing_label;
  GtkWidget *menu; /* the one opened last, or NULL */

  HearthModelFile *model;
  GSignalGroup *signals;
  GSignalGroup *parent_signals; /* of the model that it goes with, whose name is told */
  char *detail;
  gboolean common_store;
};

G_DEFINE_FINAL_TYPE (HearthModelRow, hearth_model_row, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_MODEL,
  PROP_TITLE,
  PROP_DETAIL,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void
show_label (GtkLabel *label, const char *text)
{
  gtk_label_set_text (label, text != NULL ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (label), text != NULL && *text != '\0');
}

/* Every way to the file, a line each. */
static char *
dup_tooltip (HearthModelFile *model)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < hearth_model_file_get_n_places (model); i++)
    {
      const HearthModelPlace *place = hearth_model_file_get_place (model, i);
      const char *program = hearth_program_get_name (place->program);
      g_autofree char *path = g_filename_display_name (place->path);

      if (strstr (text->str, path) != NULL)
        continue;
      if (text->len > 0)
        g_string_append_c (text, '\n');
      if (*program != '\0' && place->label != NULL)
        g_string_append_printf (text, "%s (%s): ", program, place->label);
      else if (*program != '\0')
        g_string_append_printf (text, "%s: ", program);
      g_string_append (text, path);
    }
  if (text->len == 0)
    g_string_append (text, hearth_model_file_get_path (model));
  return g_utf8_make_valid (text->str, (gssize) text->len);
}

static void
update (HearthModelRow *self)
{
  const HearthModelHeader *header;
  HearthStanding standing;
  HearthModelRole role;
  const char *stores;
  g_autofree char *size = NULL;
  g_autofree char *tooltip = NULL;

  if (self->model == NULL || self->title_label == NULL)
    return;
  g_signal_group_set_target (self->parent_signals, hearth_model_file_get_parent (self->model));
  header = hearth_model_file_get_header (self->model);
  standing = hearth_model_words_get_standing (self->model);
  role = hearth_model_file_get_role (self->model);
  stores = hearth_model_file_get_stores (self->model);
  size = hearth_words_for_size (hearth_model_file_get_size (self->model));
  tooltip = dup_tooltip (self->model);
  gtk_label_set_text (self->title_label, hearth_model_file_get_title (self->model));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), tooltip);
  show_label (self->kind_label, role != HEARTH_MODEL_ROLE_MODEL
                                  ? hearth_model_words_for_role (role)
                                  : (header != NULL ? header->quantization : NULL));
  show_label (self->size_label, hearth_model_file_get_size (self->model) > 0 ? size : NULL);
  show_label (self->stores_label,
              self->common_store && strstr (stores, ", ") == NULL ? NULL : stores);
  gtk_image_set_from_icon_name (self->standing_icon,
                                hearth_model_words_icon_for_standing (standing));
  gtk_label_set_text (self->standing_label, hearth_model_words_for_standing (standing));
  gtk_widget_set_visible (self->standing_box, standing != HEARTH_STANDING_COMPANION);
  if (hearth_model_file_get_parent (self->model) != NULL)
    gtk_widget_add_css_class (GTK_WIDGET (self), "companion");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "companion");
  g_free (self->detail);
  self->detail = hearth_model_words_for_row (self->model);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TITLE]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_DETAIL]);
}

/* ---- the menu --------------------------------------------------------------------------- */

static void
add_item (GMenu *menu, const char *label, const char *action, const char *path)
{
  g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

  g_menu_item_set_action_and_target (item, action, "s", path);
  g_menu_append_item (menu, item);
}

static GMenuModel *
menu_model (HearthModelFile *model)
{
  const char *path = hearth_model_file_get_path (model);
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) first = g_menu_new ();
  g_autoptr (GMenu) middle = g_menu_new ();
  g_autoptr (GMenu) last = g_menu_new ();

  if (hearth_model_file_can_chat (model))
    add_item (first, _ ("_Chat"), "win.chat-with", path);
  add_item (middle, _ ("_Show in Files"), "win.show-in-files", path);
  add_item (middle, _ ("Copy _Path"), "win.copy-path", path);
  if (hearth_model_file_get_own_place (model) != NULL)
    add_item (last, _ ("Move to _Trash"), "win.remove-model", path);
  else if (*hearth_model_file_get_stores (model) != '\0')
    add_item (last, _ ("_Remove…"), "win.remove-model", path);
  if (hearth_model_file_get_used (model) > 0)
    add_item (last,
              hearth_model_file_is_only_recent (model) ? _ ("Remove From _List")
                                                       : _ ("_Forget That It Was Opened"),
              "win.forget-model", path);
  g_menu_append_section (menu, NULL, G_MENU_MODEL (first));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (middle));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (last));
  return G_MENU_MODEL (menu);
}

static void
drop_menu (HearthModelRow *self)
{
  hearth_menu_drop (&self->menu);
}

static void
popup_at (HearthModelRow *self, double x, double y)
{
  GtkWidget *list = gtk_widget_get_ancestor (GTK_WIDGET (self), HEARTH_TYPE_MODEL_LIST);

  if (self->model == NULL || list == NULL)
    return;
  drop_menu (self);
  self->menu = hearth_menu_popup_for_row (GTK_WIDGET (self), list, menu_model (self->model),
                                          gtk_label_get_text (self->title_label), x, y);
}

void
hearth_model_row_popup_menu (HearthModelRow *self)
{
  gboolean rtl = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;

  g_return_if_fail (HEARTH_IS_MODEL_ROW (self));

  popup_at (self, rtl ? gtk_widget_get_width (GTK_WIDGET (self)) - 12 : 12,
            gtk_widget_get_height (GTK_WIDGET (self)));
}

static void
pressed_cb (HearthModelRow *self, int n_press, double x, double y, GtkGesture *gesture)
{
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  popup_at (self, x, y);
}

static void
long_pressed_cb (HearthModelRow *self, double x, double y, GtkGesture *gesture)
{
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  popup_at (self, x, y);
}

/* ---- object ----------------------------------------------------------------------------- */

static void
set_model (HearthModelRow *self, HearthModelFile *model)
{
  if (!g_set_object (&self->model, model))
    return;
  drop_menu (self);
  g_signal_group_set_target (self->signals, model);
  update (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MODEL]);
}

static void
hearth_model_row_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthModelRow *self = HEARTH_MODEL_ROW (object);

  switch (id)
    {
    case PROP_MODEL:
      g_value_set_object (value, self->model);
      break;
    case PROP_TITLE:
      g_value_set_string (value, gtk_label_get_text (self->title_label));
      break;
    case PROP_DETAIL:
      g_value_set_string (value, self->detail);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_model_row_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_MODEL)
    set_model (HEARTH_MODEL_ROW (object), g_value_get_object (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

/* A row is made for whatever the list shows by then. */
static void
hearth_model_row_root (GtkWidget *widget)
{
  HearthModelRow *self = HEARTH_MODEL_ROW (widget);
  GtkWidget *list = gtk_widget_get_ancestor (widget, HEARTH_TYPE_MODEL_LIST);

  GTK_WIDGET_CLASS (hearth_model_row_parent_class)->root (widget);
  if (list != NULL)
    hearth_model_row_set_common_store (
      self, hearth_model_list_is_grouped_by_folder (HEARTH_MODEL_LIST (list)));
}

static void
hearth_model_row_dispose (GObject *object)
{
  HearthModelRow *self = HEARTH_MODEL_ROW (object);

  drop_menu (self);
  g_clear_object (&self->signals);
  g_clear_object (&self->parent_signals);
  g_clear_object (&self->model);
  g_clear_pointer (&self->detail, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_MODEL_ROW);
  G_OBJECT_CLASS (hearth_model_row_parent_class)->dispose (object);
}

static void
hearth_model_row_class_init (HearthModelRowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  widget_class->focus = hearth_focus_move;
  widget_class->root = hearth_model_row_root;
  object_class->dispose = hearth_model_row_dispose;
  object_class->get_property = hearth_model_row_get_property;
  object_class->set_property = hearth_model_row_set_property;

  properties[PROP_MODEL] =
    g_param_spec_object ("model", NULL, NULL, HEARTH_TYPE_MODEL_FILE, flags | G_PARAM_WRITABLE);
  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, flags);
  properties[PROP_DETAIL] = g_param_spec_string ("detail", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  gtk_widget_class_set_css_name (widget_class, "modelrow");
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-model-row.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthModelRow, root);
  gtk_widget_class_bind_template_child (widget_class, HearthModelRow, title_label);
  gtk_widget_class_bind_template_child (widget_class, HearthModelRow, kind_label);
  gtk_widget_class_bind_template_child (widget_class, HearthModelRow, size_label);
  gtk_widget_class_bind_template_child (widget_class, HearthModelRow, stores_label);
  gtk_widget_class_bind_template_child (widget_class, HearthModelRow, standing_box);
  gtk_widget_class_bind_template_child (widget_class, HearthModelRow, standing_icon);
  gtk_widget_class_bind_template_child (widget_class, HearthModelRow, standing_label);
  gtk_widget_class_bind_template_callback (widget_class, pressed_cb);
  gtk_widget_class_bind_template_callback (widget_class, long_pressed_cb);
}

static void
hearth_model_row_init (HearthModelRow *self)
{
  static const char *const watched[] = { "notify::title",   "notify::state",  "notify::size",
                                         "notify::loaded",  "notify::stores", "notify::parent",
                                         "notify::presence" };

  gtk_widget_init_template (GTK_WIDGET (self));
  self->signals = g_signal_group_new (HEARTH_TYPE_MODEL_FILE);
  self->parent_signals = g_signal_group_new (HEARTH_TYPE_MODEL_FILE);
  g_signal_group_connect_object (self->parent_signals, "notify::title", G_CALLBACK (update), self,
                                 G_CONNECT_SWAPPED);
  for (gsize i = 0; i < G_N_ELEMENTS (watched); i++)
    g_signal_group_connect_object (self->signals, watched[i], G_CALLBACK (update), self,
                                   G_CONNECT_SWAPPED);
}

HearthModelFile *
hearth_model_row_get_model (HearthModelRow *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_ROW (self), NULL);

  return self->model;
}

void
hearth_model_row_set_common_store (HearthModelRow *self, gboolean common)
{
  g_return_if_fail (HEARTH_IS_MODEL_ROW (self));

  if (self->common_store == common)
    return;
  self->common_store = common;
  update (self);
}
