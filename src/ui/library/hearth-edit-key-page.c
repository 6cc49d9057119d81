/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-edit-key-page.h"

#include <string.h>

#include <glib/gi18n.h>

struct _HearthEditKeyPage
{
  AdwNavigationPage parent_instance;

  AdwPreferencesGroup *name_group;
  AdwEntryRow *name_row;
  AdwComboRow *type_row;
  AdwPreferencesGroup *value_group;
  AdwEntryRow *number_row;
  AdwSwitchRow *bool_row;
  GtkWidget *text_scroller;
  GtkTextView *text_view;
  GtkWidget *long_label;
  GtkLabel *message_label;
  GtkWidget *actions_group;
  GtkWidget *reset_row;
  GtkWidget *remove_row;

  HearthModelEdit *edit;
  HearthEditKey *key; /* NULL: a new one */
  gboolean showing;   /* the rows are being set from the key */
  gboolean typed;     /* somebody has chosen a type */
};

G_DEFINE_FINAL_TYPE (HearthEditKeyPage, hearth_edit_key_page, ADW_TYPE_NAVIGATION_PAGE)

/* ---- what is wished --------------------------------------------------------------------- */

static const char *
get_type_name (HearthEditKeyPage *self)
{
  guint selected = adw_combo_row_get_selected (self->type_row);

  return hearth_model_edit_get_types ()[selected != GTK_INVALID_LIST_POSITION ? selected : 0];
}

static gboolean
is_text (const char *type)
{
  return g_str_equal (type, "str") || g_str_has_prefix (type, "arr");
}

/* A value of the file that cannot be written by hand stays what it is. */
static gboolean
is_fixed (HearthEditKeyPage *self)
{
  return self->key != NULL && !hearth_edit_key_has_text (self->key);
}

/* NULL: the value stays as it is. Returns: (transfer full) */
static char *
dup_text (HearthEditKeyPage *self)
{
  const char *type = get_type_name (self);

  if (is_fixed (self))
    return NULL;
  if (is_text (type))
    {
      GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->text_view);
      GtkTextIter start, end;

      gtk_text_buffer_get_bounds (buffer, &start, &end);
      return gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
    }
  if (g_str_equal (type, "bool"))
    return g_strdup (adw_switch_row_get_active (self->bool_row) ? "true" : "false");
  return g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->number_row))));
}

/* ---- what is shown ---------------------------------------------------------------------- */

/* What is wrong, in the person's words; the engine's sentence is the tooltip. */
static char *
dup_message (HearthEditKeyPage *self, const char *name, const char *type)
{
  if (*name == '\0')
    return g_strdup (_ ("A key needs a name."));
  if (strchr (name, '=') != NULL)
    return g_strdup (_ ("A name has no equals sign."));
  if (hearth_model_edit_is_taken (self->edit, self->key, name))
    return g_strdup (_ ("Another key has this name."));
  if (g_str_has_prefix (type, "arr"))
    /* Translators: %s is a type of values, "u32" */
    return g_strdup_printf (
      _ ("Write the values of type %s as JSON, such as [1, 2, 3] or [\"a\", \"b\"]."), type);
  if (g_str_equal (type, "str"))
    return g_strdup (_ ("This key cannot have this value."));
  /* Translators: %s is a type of values, "u32" */
  return g_strdup_printf (_ ("This is not a valid value of type %s."), type);
}

static gboolean
is_same (HearthEditKeyPage *self, const char *name, const char *type, const char *text)
{
  g_autofree char *now = NULL;

  if (self->key == NULL || !g_str_equal (name, hearth_edit_key_get_name (self->key)))
    return FALSE;
  if (text == NULL)
    return TRUE;
  now = hearth_edit_key_dup_text (self->key);
  return g_str_equal (type, hearth_edit_key_get_type_name (self->key)) && g_str_equal (text, now);
}

static void
show_message (HearthEditKeyPage *self, const char *message, const char *details)
{
  gboolean fresh =
    message != NULL && !g_str_equal (gtk_label_get_text (self->message_label), message);

  gtk_label_set_text (self->message_label, message != NULL ? message : "");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->message_label), details);
  gtk_widget_set_visible (GTK_WIDGET (self->message_label), message != NULL);
  if (fresh)
    gtk_accessible_announce (GTK_ACCESSIBLE (self), message,
                             GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
}

static void
update (HearthEditKeyPage *self)
{
  const char *name, *type;
  g_autofree char *text = NULL;
  g_autofree char *message = NULL;
  g_autofree char *meaning = NULL;
  g_autoptr (GError) error = NULL;
  gboolean same, right;

  if (self->edit == NULL || self->showing)
    return;
  name = gtk_editable_get_text (GTK_EDITABLE (self->name_row));
  type = get_type_name (self);
  text = dup_text (self);
  gtk_widget_set_visible (self->text_scroller, text != NULL && is_text (type));
  gtk_widget_set_visible (GTK_WIDGET (self->bool_row), text != NULL && g_str_equal (type, "bool"));
  gtk_widget_set_visible (GTK_WIDGET (self->number_row),
                          text != NULL && !is_text (type) && !g_str_equal (type, "bool"));
  gtk_widget_set_visible (self->long_label, text == NULL);
  /* The rows have names of their own. */
  adw_preferences_group_set_title (self->value_group,
                                   text == NULL || is_text (type) ? _ ("Value") : "");
  if (g_str_equal (type, "str"))
    gtk_widget_remove_css_class (GTK_WIDGET (self->text_view), "monospace");
  else
    gtk_widget_add_css_class (GTK_WIDGET (self->text_view), "monospace");
  meaning = hearth_model_edit_dup_meaning (self->edit, name);
  adw_preferences_group_set_description (self->name_group, meaning);

  same = is_same (self, name, type, text);
  right = hearth_model_edit_check (self->edit, self->key, name, type, text, &error);
  /* Nobody has written anything yet: nothing is wrong. */
  if (!right && !(self->key == NULL && *name == '\0'))
    message = dup_message (self, name, type);
  show_message (self, message, error != NULL ? error->message : NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "key.apply", right && !same);
}

static void
name_changed_cb (HearthEditKeyPage *self)
{
  const char *name = gtk_editable_get_text (GTK_EDITABLE (self->name_row));
  g_autofree char *type = NULL;
  const char *const *types = hearth_model_edit_get_types ();

  if (self->edit == NULL || self->showing)
    return;
  if (self->key == NULL && !self->typed)
    type = hearth_model_edit_dup_standard_type (self->edit, name);
  self->showing = TRUE;
  for (guint i = 0; type != NULL && types[i] != NULL; i++)
    {
      if (g_str_equal (types[i], type))
        adw_combo_row_set_selected (self->type_row, i);
    }
  self->showing = FALSE;
  update (self);
}

static void
type_changed_cb (HearthEditKeyPage *self)
{
  if (self->showing)
    return;
  self->typed = TRUE;
  update (self);
}

static void
show_key (HearthEditKeyPage *self)
{
  const char *const *types = hearth_model_edit_get_types ();
  const char *type = self->key != NULL ? hearth_edit_key_get_type_name (self->key) : "str";
  g_autofree char *text = self->key != NULL ? hearth_edit_key_dup_text (self->key) : g_strdup ("");
  HearthEditChange change =
    self->key != NULL ? hearth_edit_key_get_change (self->key) : HEARTH_EDIT_SAME;

  self->showing = TRUE;
  if (self->key != NULL)
    gtk_editable_set_text (GTK_EDITABLE (self->name_row), hearth_edit_key_get_name (self->key));
  for (guint i = 0; types[i] != NULL; i++)
    {
      if (g_str_equal (types[i], type))
        adw_combo_row_set_selected (self->type_row, i);
    }
  gtk_widget_set_sensitive (GTK_WIDGET (self->type_row), !is_fixed (self));
  if (is_text (type))
    gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->text_view), text, -1);
  else if (g_str_equal (type, "bool"))
    adw_switch_row_set_active (self->bool_row, g_str_equal (text, "true"));
  else
    gtk_editable_set_text (GTK_EDITABLE (self->number_row), text);
  gtk_widget_set_visible (self->actions_group, self->key != NULL);
  gtk_widget_set_visible (self->reset_row,
                          change == HEARTH_EDIT_CHANGED || change == HEARTH_EDIT_REMOVED);
  gtk_widget_set_visible (self->remove_row, change != HEARTH_EDIT_REMOVED);
  self->showing = FALSE;
  update (self);
}

/* ---- actions ---------------------------------------------------------------------------- */

static void
go_back (HearthEditKeyPage *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "navigation.pop", NULL);
}

static void
apply_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthEditKeyPage *self = HEARTH_EDIT_KEY_PAGE (widget);
  g_autofree char *text = dup_text (self);

  if (hearth_model_edit_apply (self->edit, self->key,
                               gtk_editable_get_text (GTK_EDITABLE (self->name_row)),
                               get_type_name (self), text, NULL))
    go_back (self);
}

static void
activated_cb (HearthEditKeyPage *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "key.apply", NULL);
}

static void
reset_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthEditKeyPage *self = HEARTH_EDIT_KEY_PAGE (widget);

  if (hearth_model_edit_reset (self->edit, self->key))
    go_back (self);
  else
    show_message (self, _ ("Another key has the name that this one had."), NULL);
}

static void
remove_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthEditKeyPage *self = HEARTH_EDIT_KEY_PAGE (widget);

  hearth_model_edit_remove (self->edit, self->key);
  go_back (self);
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_edit_key_page_shown (AdwNavigationPage *page)
{
  HearthEditKeyPage *self = HEARTH_EDIT_KEY_PAGE (page);

  /* What most people have come for: of a new key its name, else the value. */
  if (self->key == NULL || is_fixed (self))
    gtk_widget_grab_focus (GTK_WIDGET (self->name_row));
  else if (gtk_widget_get_visible (self->text_scroller))
    gtk_widget_grab_focus (GTK_WIDGET (self->text_view));
  else if (gtk_widget_get_visible (GTK_WIDGET (self->number_row)))
    gtk_widget_grab_focus (GTK_WIDGET (self->number_row));
  else
    gtk_widget_grab_focus (GTK_WIDGET (self->bool_row));
  ADW_NAVIGATION_PAGE_CLASS (hearth_edit_key_page_parent_class)->shown (page);
}

static void
hearth_edit_key_page_dispose (GObject *object)
{
  HearthEditKeyPage *self = HEARTH_EDIT_KEY_PAGE (object);

  g_clear_object (&self->edit);
  g_clear_object (&self->key);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_EDIT_KEY_PAGE);
  G_OBJECT_CLASS (hearth_edit_key_page_parent_class)->dispose (object);
}

static void
hearth_edit_key_page_class_init (HearthEditKeyPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_edit_key_page_dispose;
  ADW_NAVIGATION_PAGE_CLASS (klass)->shown = hearth_edit_key_page_shown;
  gtk_widget_class_install_action (widget_class, "key.apply", NULL, apply_action);
  gtk_widget_class_install_action (widget_class, "key.reset", NULL, reset_action);
  gtk_widget_class_install_action (widget_class, "key.remove", NULL, remove_action);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-edit-key-page.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthEditKeyPage, name_group);
  gtk_widget_class_bind_template_child (widget_class, HearthEditKeyPage, name_row);
  gtk_widget_class_bind_template_child (widget_class, HearthEditKeyPage, type_row);
  gtk_widget_class_bind_template_child (widget_class, HearthEditKeyPage, value_group);
  gtk_widget_class_bind_template_child (widget_class, HearthEditKeyPage, number_row);
  gtk_widget_class_bind_template_child (widget_class, HearthEditKeyPage, bool_row);
  gtk_widget_class_bind_template_child (widget_class, HearthEditKeyPage, text_scroller);
  gtk_widget_class_bind_template_child (widget_class, HearthEditKeyPage, text_view);
  gtk_widget_class_bind_template_child (widget_class, HearthEditKeyPage, long_label);
  gtk_widget_class_bind_template_child (widget_class, HearthEditKeyPage, message_label);
  gtk_widget_class_bind_template_child (widget_class, HearthEditKeyPage, actions_group);
  gtk_widget_class_bind_template_child (widget_class, HearthEditKeyPage, reset_row);
  gtk_widget_class_bind_template_child (widget_class, HearthEditKeyPage, remove_row);
  gtk_widget_class_bind_template_callback (widget_class, activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, name_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, type_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, update);
}

/* Before the text view, which would take it for a line break. */
static void
add_shortcut (HearthEditKeyPage *self)
{
  GtkEventController *controller = gtk_shortcut_controller_new ();

  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  gtk_shortcut_controller_add_shortcut (
    GTK_SHORTCUT_CONTROLLER (controller),
    gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_Return, GDK_CONTROL_MASK),
                      gtk_named_action_new ("key.apply")));
  gtk_widget_add_controller (GTK_WIDGET (self), controller);
}

static void
hearth_edit_key_page_init (HearthEditKeyPage *self)
{
  g_autoptr (GtkStringList) types = gtk_string_list_new (hearth_model_edit_get_types ());

  gtk_widget_init_template (GTK_WIDGET (self));
  self->showing = TRUE;
  adw_combo_row_set_model (self->type_row, G_LIST_MODEL (types));
  self->showing = FALSE;
  g_signal_connect_object (gtk_text_view_get_buffer (self->text_view), "changed",
                           G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  add_shortcut (self);
}

AdwNavigationPage *
hearth_edit_key_page_new (HearthModelEdit *edit, HearthEditKey *key)
{
  HearthEditKeyPage *self = g_object_new (HEARTH_TYPE_EDIT_KEY_PAGE, NULL);

  self->edit = g_object_ref (edit);
  g_set_object (&self->key, key);
  adw_navigation_page_set_title (ADW_NAVIGATION_PAGE (self),
                                 key != NULL ? hearth_edit_key_get_name (key) : _ ("New Key"));
  show_key (self);
  return ADW_NAVIGATION_PAGE (self);
}
