/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-shortcuts.h"

#include <glib/gi18n.h>

/* Keys of "win.", "chats." and the like are bound by hearth_shortcuts_add_to(); those of tables and
 * maps by these, which take them from here or have more of them for the same. */
struct shortcut
{
  const char *group; /* NULL: as the one before */
  const char *action;
  const char *keys;
  const char *title;
};

static const struct shortcut shortcuts[] = {
  { N_ ("Chat"), "win.new-chat", "<Control>n", N_ ("New chat") },
  { NULL, "chat.focus", "<Control>l", N_ ("Write a question") },
  { NULL, "chat.stop", "Escape", N_ ("Stop the answer") },
  { NULL, "chat.regenerate", "<Control>r", N_ ("Answer again") },
  { NULL, "chat.continue", "<Control><Shift>r", N_ ("Go on with a stopped answer") },
  { NULL, "chat.edit-last", "<Control>e", N_ ("Edit the last question") },
  { NULL, "chat.copy-last", "<Control><Shift>c", N_ ("Copy the last answer") },
  { NULL, "chat.panel", "F9", N_ ("Chat settings") },
  { NULL, "win.previous-chat", "<Control>Page_Up", N_ ("Previous chat") },
  { NULL, "win.next-chat", "<Control>Page_Down", N_ ("Next chat") },
  { N_ ("List of Chats"), "win.find", "<Control>f", N_ ("Search what is shown") },
  { NULL, "chats.rename", "F2", N_ ("Rename the chat") },
  { NULL, "chats.delete", "Delete", N_ ("Delete the chat") },
  { NULL, "chats.menu", "<Shift>F10", N_ ("Show what can be done with it") },
  { N_ ("Models"), "win.open", "<Control>o", N_ ("Open a model file") },
  { NULL, "win.show-model", "<Control>i", N_ ("About this model") },
  { N_ ("List of Models"), "library.remove", "Delete",
    N_ ("Move to the trash, or remove from the list") },
  { NULL, "library.menu", "<Shift>F10", N_ ("Show what can be done with it") },
  { NULL, "library.refresh", "F5", N_ ("Look for models again") },
  { N_ ("Page of a Model"), "model.previous-view", "<Control>Page_Up", N_ ("Previous view") },
  { NULL, "model.next-view", "<Control>Page_Down", N_ ("Next view") },
  { NULL, "table.copy", "<Control>c", N_ ("Copy the selected row") },
  { NULL, "metadata.show-bytes", "<Control>b", N_ ("Show the bytes of the selected key") },
  { NULL, "map.zoom-in", "<Control>plus", N_ ("Enlarge a map") },
  { NULL, "map.zoom-out", "<Control>minus", N_ ("Reduce a map") },
  { NULL, "map.zoom-reset", "<Control>0", N_ ("Show a map in its first size") },
  { N_ ("Window"), "win.place('chats')", "<Alt>1", N_ ("Chats") },
  { NULL, "win.place('models')", "<Alt>2", N_ ("Models") },
  { NULL, "app.preferences", "<Control>comma", N_ ("Preferences") },
  { NULL, "app.shortcuts", "<Control>question", N_ ("Keyboard shortcuts") },
  { NULL, "undo.last", "<Control>z", N_ ("Take back what was deleted or removed") },
  { NULL, "window.close", "<Control>w", N_ ("Close the window") },
  { NULL, "app.quit", "<Control>q", N_ ("Quit") },
};

const char *
hearth_shortcuts_get_keys (const char *action)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shortcuts); i++)
    {
      if (g_str_equal (shortcuts[i].action, action))
        return shortcuts[i].keys;
    }
  g_return_val_if_reached ("");
}

void
hearth_shortcuts_add_zoom (GtkWidgetClass *klass, GtkShortcutFunc zoom)
{
  /* Beside those that are listed, the same signs elsewhere on a keyboard. */
  static const struct
  {
    const char *action; /* NULL: `key` */
    guint key;
    int by;
  } bindings[] = {
    { "map.zoom-in", 0, 1 },   { NULL, GDK_KEY_equal, 1 },        { NULL, GDK_KEY_KP_Add, 1 },
    { "map.zoom-out", 0, -1 }, { NULL, GDK_KEY_KP_Subtract, -1 }, { "map.zoom-reset", 0, 0 },
    { NULL, GDK_KEY_KP_0, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bindings); i++)
    {
      guint key = bindings[i].key;
      GdkModifierType modifiers = GDK_CONTROL_MASK;

      if (bindings[i].action != NULL)
        gtk_accelerator_parse (hearth_shortcuts_get_keys (bindings[i].action), &key, &modifiers);
      gtk_widget_class_add_binding (klass, key, modifiers, zoom, "i", bindings[i].by);
    }
}

void
hearth_shortcuts_add_to_application (GtkApplication *application)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shortcuts); i++)
    {
      if (g_str_has_prefix (shortcuts[i].action, "app."))
        gtk_application_set_accels_for_action (application, shortcuts[i].action,
                                               (const char *[]) { shortcuts[i].keys, NULL });
    }
}

static void
add_shortcut (GtkEventController *controller, const struct shortcut *which)
{
  g_autofree char *name = NULL;
  g_autoptr (GVariant) target = NULL;
  GtkShortcut *shortcut;

  if (!g_action_parse_detailed_name (which->action, &name, &target, NULL))
    g_assert_not_reached ();
  shortcut =
    gtk_shortcut_new (gtk_shortcut_trigger_parse_string (which->keys), gtk_named_action_new (name));
  gtk_shortcut_set_arguments (shortcut, target);
  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (controller), shortcut);
}

void
hearth_shortcuts_add_to (GtkWidget *widget, const char *prefix)
{
  GtkEventController *controller = gtk_shortcut_controller_new ();
  GtkEventController *near = gtk_shortcut_controller_new ();

  /* Those of a list are about the row that has the keyboard. */
  gtk_shortcut_controller_set_scope (
    GTK_SHORTCUT_CONTROLLER (controller),
    g_str_equal (prefix, "chats.") || g_str_equal (prefix, "library.") ? GTK_SHORTCUT_SCOPE_LOCAL
                                                                       : GTK_SHORTCUT_SCOPE_GLOBAL);
  /* The window's come first: the composer has a use of its own for Ctrl+Page Down. The others come
   * last: Escape closes what is open over the chat before it stops an answer. */
  if (g_str_equal (prefix, "win."))
    gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  for (gsize i = 0; i < G_N_ELEMENTS (shortcuts); i++)
    {
      if (!g_str_has_prefix (shortcuts[i].action, prefix))
        continue;
      add_shortcut (controller, &shortcuts[i]);
      /* In a narrow window Escape goes back to the lists, but not before the answer has stopped. */
      if (g_str_equal (shortcuts[i].keys, "Escape"))
        add_shortcut (near, &shortcuts[i]);
    }
  gtk_widget_add_controller (widget, controller);
  gtk_widget_add_controller (widget, near);
}

void
hearth_shortcuts_add_to_dialog (AdwDialog *dialog)
{
  GtkEventController *controller = gtk_shortcut_controller_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (shortcuts); i++)
    {
      if (g_str_equal (shortcuts[i].action, "app.quit"))
        add_shortcut (controller, &shortcuts[i]);
    }
  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (GTK_WIDGET (dialog), controller);
}

AdwDialog *
hearth_shortcuts_dialog_new (void)
{
  AdwDialog *dialog = adw_dialog_new ();
  GtkWidget *page = adw_preferences_page_new ();
  GtkWidget *view = adw_toolbar_view_new ();
  AdwPreferencesGroup *group = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (shortcuts); i++)
    {
      GtkWidget *row = adw_action_row_new ();
      GtkWidget *keys;
      g_autofree char *label = NULL;
      guint key = 0;
      GdkModifierType held = 0;

      if (shortcuts[i].group != NULL)
        {
          group = ADW_PREFERENCES_GROUP (adw_preferences_group_new ());
          adw_preferences_group_set_title (group, _ (shortcuts[i].group));
          adw_preferences_page_add (ADW_PREFERENCES_PAGE (page), group);
        }
      if (!gtk_accelerator_parse (shortcuts[i].keys, &key, &held))
        g_assert_not_reached ();
      label = gtk_accelerator_get_label (key, held);
      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ (shortcuts[i].title));
      keys = gtk_label_new (label);
      gtk_widget_add_css_class (keys, "dimmed");
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), keys);
      adw_preferences_group_add (group, row);
    }
  adw_toolbar_view_add_top_bar (ADW_TOOLBAR_VIEW (view), adw_header_bar_new ());
  adw_toolbar_view_set_content (ADW_TOOLBAR_VIEW (view), page);
  adw_dialog_set_title (dialog, _ ("Keyboard Shortcuts"));
  adw_dialog_set_content_width (dialog, 420);
  adw_dialog_set_content_height (dialog, 560);
  adw_dialog_set_child (dialog, view);
  return dialog;
}
