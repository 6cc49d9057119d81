/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every template of the application is built once, with nothing to show yet, and goes again: a name
 * in it that no class has, a handler that is missing or a reference that is kept would be seen
 * here, whichever screen it belongs to. Nothing in one moves where no motion is
 * wanted. Then the keyboard in an area that keeps it, and rows with fields in any width,
 * and what an administrator has fixed. */
#include "locked-settings.h"

#include <adwaita.h>

#include "hearth-field-row.h"
#include "hearth-focus.h"
#include "hearth-preferences.h"
#include "window-test.h"

#define PREFIX "/io/github/hearth_app/Hearth"

static GtkWindow *window;

/* ---- what there is ----------------------------------------------------------------------- */

/* Only what has a parent is a widget of ours; the others are rows of lists. */
static void
element_cb (GMarkupParseContext *context, const char *element, const char **names,
            const char **values, gpointer data, GError **error)
{
  char **found = data;
  const char *class_name = NULL, *parent = NULL;

  if (!g_str_equal (element, "template"))
    return;
  for (guint i = 0; names[i] != NULL; i++)
    {
      if (g_str_equal (names[i], "class"))
        class_name = values[i];
      else if (g_str_equal (names[i], "parent"))
        parent = values[i];
    }
  if (parent != NULL)
    *found = g_strdup (class_name);
}

static char *
dup_class_name (const char *path)
{
  const GMarkupParser parser = { .start_element = element_cb };
  char *found = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) text = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, &error);
  g_autoptr (GMarkupParseContext) context =
    g_markup_parse_context_new (&parser, G_MARKUP_DEFAULT_FLAGS, &found, NULL);
  gsize size;
  const char *data;

  g_assert_no_error (error);
  data = g_bytes_get_data (text, &size);
  g_markup_parse_context_parse (context, data, (gssize) size, &error);
  g_assert_no_error (error);
  return found;
}

/* ---- templates -------------------------------------------------------------------------- */

/* Of these there is none without what it shows. */
static const char *const never_empty[] = { "HearthEditKeyPage", "HearthMessageRow", NULL };

/* In the window, as far as it can be without anything to show. */
static void
build (const char *class_name, GType type)
{
  GObject *object = g_object_new (type, NULL);
  GtkWidget *widget = GTK_WIDGET (object);

  g_assert_true (GTK_IS_WIDGET (object));
  g_assert_cmpstr (G_OBJECT_TYPE_NAME (object), ==, class_name);
  g_assert_true (ADW_IS_DIALOG (widget) || gtk_widget_get_first_child (widget) != NULL);
  g_object_add_weak_pointer (object, (gpointer *) &object);
  if (ADW_IS_DIALOG (widget))
    {
      adw_dialog_present (ADW_DIALOG (widget), GTK_WIDGET (window));
      window_test_wait_frames (2);
      adw_dialog_force_close (ADW_DIALOG (widget));
    }
  else if (GTK_IS_WINDOW (widget))
    gtk_window_destroy (GTK_WINDOW (widget));
  else if (g_strv_contains (never_empty, class_name))
    {
      g_object_ref_sink (object);
      g_object_unref (object);
    }
  else
    {
      adw_window_set_content (ADW_WINDOW (window), widget);
      window_test_wait_frames (2);
      adw_window_set_content (ADW_WINDOW (window), NULL);
    }
  core_test_wait (object == NULL); /* nothing keeps it */
}

static guint
build_all (const char *folder)
{
  g_auto (GStrv) children =
    g_resources_enumerate_children (folder, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_autoptr (GtkBuilder) builder = gtk_builder_new ();
  guint n = 0;

  for (guint i = 0; children[i] != NULL; i++)
    {
      g_autofree char *path = g_strconcat (folder, "/", children[i], NULL);
      g_autofree char *class_name = NULL;
      GType type;

      if (g_str_has_suffix (path, "/"))
        {
          path[strlen (path) - 1] = '\0';
          n += build_all (path);
          continue;
        }
      if (!g_str_has_suffix (path, ".ui"))
        continue;
      class_name = dup_class_name (path);
      if (class_name == NULL)
        continue;
      type = gtk_builder_get_type_from_name (builder, class_name);
      if (type == G_TYPE_INVALID)
        g_error ("%s: there is no %s", path, class_name);
      g_test_message ("%s", class_name);
      build (class_name, type);
      n++;
    }
  return n;
}

static void
test_templates (void)
{
  guint n = build_all (PREFIX);

  g_test_message ("%u templates", n);
  g_assert_cmpuint (n, >=, 50);
}

/* ---- the keyboard ----------------------------------------------------------------------- */

struct scene
{
  GtkWidget *box;
  GtkWidget *before; /* buttons; this one is outside of the area */
  GtkWidget *area;
  GtkWidget *top;
  GtkWidget *group; /* of the next two */
  GtkWidget *first;
  GtkWidget *second;
  GtkWidget *menu_button;
  GtkWidget *after; /* outside again */
};

static GtkWidget *
add_button (GtkWidget *box, const char *label)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_box_append (GTK_BOX (box), button);
  return button;
}

static struct scene
create_scene (void)
{
  struct scene s;
  GMenu *menu = g_menu_new ();

  s.box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  s.before = add_button (s.box, "before");
  s.area = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_append (GTK_BOX (s.box), s.area);
  s.top = add_button (s.area, "top");
  s.menu_button = gtk_menu_button_new ();
  g_menu_append (menu, "Entry", NULL);
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (s.menu_button), G_MENU_MODEL (menu));
  g_object_unref (menu);
  gtk_box_append (GTK_BOX (s.area), s.menu_button);
  s.group = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_box_append (GTK_BOX (s.area), s.group);
  s.first = add_button (s.group, "first");
  s.second = add_button (s.group, "second");
  s.after = add_button (s.box, "after");
  hearth_focus_hold (s.area);
  adw_window_set_content (ADW_WINDOW (window), s.box);
  window_test_wait_frames (2);
  return s;
}

static GtkWidget *
focus_after_frames (void)
{
  window_test_wait_frames (4);
  return gtk_root_get_focus (GTK_ROOT (window));
}

static gboolean
is_in (GtkWidget *widget, GtkWidget *area)
{
  return widget != NULL && gtk_widget_is_ancestor (widget, area);
}

static void
test_vanishing (void)
{
  struct scene s = create_scene ();

  /* The last of the area goes, in each way that something can: GTK would go on behind it. */
  gtk_widget_grab_focus (s.second);
  gtk_widget_set_visible (s.second, FALSE);
  g_assert_true (focus_after_frames () == s.first);
  gtk_widget_set_visible (s.second, TRUE);
  gtk_widget_grab_focus (s.second);
  gtk_widget_set_sensitive (s.second, FALSE);
  g_assert_true (is_in (focus_after_frames (), s.group));
  gtk_widget_set_sensitive (s.second, TRUE);
  gtk_widget_grab_focus (s.second);
  gtk_widget_set_child_visible (s.group, FALSE);
  g_assert_true (is_in (focus_after_frames (), s.area));
  gtk_widget_set_child_visible (s.group, TRUE);
  gtk_widget_grab_focus (s.second);
  gtk_widget_set_sensitive (s.group, FALSE);
  g_assert_true (is_in (focus_after_frames (), s.area));
  gtk_widget_set_sensitive (s.group, TRUE);
  gtk_widget_grab_focus (s.second);
  /* Gone for good, it still says where it was: not the area's first gets the keyboard. */
  gtk_box_remove (GTK_BOX (s.group), s.second);
  g_assert_true (focus_after_frames () == s.first);
  adw_window_set_content (ADW_WINDOW (window), NULL);
}

/* Who goes out of the area, or goes away with it, goes. */
static void
test_leaving (void)
{
  struct scene s = create_scene ();

  gtk_widget_grab_focus (s.second);
  gtk_widget_grab_focus (s.after);
  gtk_widget_set_visible (s.second, FALSE);
  g_assert_true (focus_after_frames () == s.after);
  gtk_widget_grab_focus (s.first);
  gtk_widget_set_visible (s.area, FALSE);
  g_assert_true (focus_after_frames () == s.after ||
                 gtk_root_get_focus (GTK_ROOT (window)) == s.before);
  /* It comes back as it was. */
  gtk_widget_set_visible (s.second, TRUE);
  gtk_widget_set_visible (s.area, TRUE);
  window_test_wait_frames (2);
  gtk_widget_grab_focus (s.second);
  gtk_widget_set_visible (s.second, FALSE);
  g_assert_true (focus_after_frames () == s.first);
  adw_window_set_content (ADW_WINDOW (window), NULL);
}

/* What is opened over the window takes the keyboard, even as what had it goes. */
static void
test_opened (void)
{
  struct scene s = create_scene ();
  AdwDialog *dialog = adw_dialog_new ();
  GtkWidget *inside = gtk_button_new_with_label ("in the dialog");
  GtkWidget *focus;

  gtk_widget_grab_focus (s.menu_button);
  gtk_menu_button_popup (GTK_MENU_BUTTON (s.menu_button));
  focus = focus_after_frames ();
  g_assert_true (GTK_WIDGET (gtk_widget_get_native (focus)) != GTK_WIDGET (window));
  gtk_menu_button_popdown (GTK_MENU_BUTTON (s.menu_button));
  g_assert_true (is_in (focus_after_frames (), s.area));

  gtk_widget_grab_focus (s.second);
  adw_dialog_set_child (dialog, inside);
  adw_dialog_present (dialog, GTK_WIDGET (window));
  gtk_widget_set_visible (s.second, FALSE);
  g_assert_true (is_in (focus_after_frames (), GTK_WIDGET (dialog)));
  adw_dialog_force_close (dialog);
  window_test_wait_frames (2);
  adw_window_set_content (ADW_WINDOW (window), NULL);
}

/* ---- rows with fields -------------------------------------------------------------------- */

static GtkWidget *
find_title (GtkWidget *widget, const char *text)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_title (child, text);

      if (found != NULL)
        return found;
    }
  return GTK_IS_LABEL (widget) && g_str_equal (gtk_label_get_text (GTK_LABEL (widget)), text)
           ? widget
           : NULL;
}

/* A title is broken between its words, never within one; the field then goes below it. */
static void
test_field_rows (void)
{
  static const char *const titles[] = { "Answer Length", "Antwortlänge", "Temperature" };

  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    {
      GtkWidget *clamp = adw_clamp_new ();
      GtkWidget *row = g_object_new (HEARTH_TYPE_FIELD_ROW, "title", titles[i], NULL);
      GtkWidget *spin = gtk_spin_button_new_with_range (0, 100000, 1);
      GtkWidget *label;
      gboolean below = FALSE, beside = FALSE;
      int n_words = strchr (titles[i], ' ') != NULL ? 2 : 1;

      gtk_widget_set_valign (spin, GTK_ALIGN_CENTER);
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), spin);
      adw_clamp_set_child (ADW_CLAMP (clamp), row);
      adw_window_set_content (ADW_WINDOW (window), clamp);
      label = find_title (row, titles[i]);
      g_assert_nonnull (label);
      for (int width = 180; width <= 420; width += 12)
        {
          graphene_rect_t title, field;

          adw_clamp_set_maximum_size (ADW_CLAMP (clamp), width);
          adw_clamp_set_tightening_threshold (ADW_CLAMP (clamp), width);
          window_test_wait_frames (2);
          g_assert_true (gtk_widget_compute_bounds (label, row, &title));
          g_assert_true (gtk_widget_compute_bounds (spin, row, &field));
          g_assert_cmpint (pango_layout_get_line_count (gtk_label_get_layout (GTK_LABEL (label))),
                           <=, n_words);
          g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (label))));
          if (field.origin.y >= title.origin.y + title.size.height)
            below = TRUE;
          else
            {
              beside = TRUE;
              g_assert_cmpfloat (field.origin.x, >=, title.origin.x + title.size.width);
            }
          g_assert_cmpfloat (field.origin.x + field.size.width, <=, gtk_widget_get_width (row));
        }
      g_assert_true (below && beside);
    }
  adw_window_set_content (ADW_WINDOW (window), NULL);
}

/* What an administrator has fixed says so, and takes nothing else. */
static void
test_locked (void)
{
  static const struct
  {
    const char *key, *title;
  } cases[] = {
    { "threads", "Threads" },
    { "text-scale", "Text Size of Answers" },
    { "context-length", "Context Length" },
    { "kv-type", "KV Cache" },
    { "enter-sends", "Send With" },
    { "wrap-code", "Wrap Long Lines of Code" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat (PATH, cases[i].key, NULL);
      g_autoptr (HearthSettings) settings = NULL;
      AdwDialog *dialog;
      guint n_locked = 0;

      locked = path;
      settings = settings_new ();
      dialog = hearth_preferences_new (settings);
      adw_dialog_present (dialog, GTK_WIDGET (window));
      window_test_wait_frames (2);
      for (guint j = 0; j < G_N_ELEMENTS (cases); j++)
        {
          GtkWidget *title = find_title (GTK_WIDGET (dialog), cases[j].title);
          GtkWidget *row = gtk_widget_get_ancestor (title, ADW_TYPE_ACTION_ROW);
          gboolean said = find_title (row, "Set by the administrator of this computer") != NULL;

          g_assert_true (gtk_widget_get_sensitive (row) == (i != j));
          g_assert_true (said == (i == j));
          n_locked += said;
        }
      g_assert_cmpuint (n_locked, ==, 1);
      adw_dialog_force_close (dialog);
      window_test_wait_frames (2);
      locked = "";
    }
}

int
main (int argc, char *argv[])
{
  int status;

  locked_settings_begin ();
  g_test_init (&argc, &argv, NULL);
  if (!gtk_init_check ())
    {
      g_print ("1..0 # SKIP no display\n");
      return 77;
    }
  adw_init ();
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  window = GTK_WINDOW (adw_window_new ());
  gtk_window_set_default_size (window, 1000, 800);
  gtk_widget_add_tick_callback (GTK_WIDGET (window), window_test_frame_cb, NULL, NULL);
  gtk_window_present (window);
  window_test_wait_frames (3);
  g_test_add_func ("/window/templates", test_templates);
  g_test_add_func ("/window/focus/vanishing", test_vanishing);
  g_test_add_func ("/window/focus/leaving", test_leaving);
  g_test_add_func ("/window/focus/opened", test_opened);
  g_test_add_func ("/window/field-rows", test_field_rows);
  g_test_add_func ("/window/locked", test_locked);
  status = g_test_run ();
  gtk_window_destroy (window);
  return status;
}
