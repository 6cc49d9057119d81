/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-application.h"

#include <glib-unix.h>
#include <glib/gi18n.h>

#include "hearth-ask.h"
#include "hearth-hardware.h"
#include "hearth-menu.h"
#include "hearth-preferences.h"
#include "hearth-shortcuts.h"
#include "hearth-window.h"

#define APPLICATION_ID "io.github.hearth_app.Hearth"
#define RESOURCE_BASE "/io/github/hearth_app/Hearth"

struct _HearthApplication
{
  AdwApplication parent_instance;

  HearthSettings *settings;
  HearthEngine *engine;
  HearthLibrary *library;
  HearthConversationStore *store;
  HearthConversationList *conversations;
  HearthAsk *ask;
  guint terminate_id;
  guint interrupt_id;

  /* The command line. */
  char *question;
  char *screenshot;
  GFile *chat; /* NULL once it is open */
  int exit_status;
  gboolean closing;
};

G_DEFINE_FINAL_TYPE (HearthApplication, hearth_application, ADW_TYPE_APPLICATION)

static const GOptionEntry options[] = {
  { "ask", 0, 0, G_OPTION_ARG_STRING, NULL,
    N_ ("Ask TEXT at temperature 0, print the answer and exit"), N_ ("TEXT") },
  { "chat", 0, 0, G_OPTION_ARG_FILENAME, NULL, N_ ("Load the model FILE and open a chat with it"),
    N_ ("FILE") },
  { "screenshot", 0, 0, G_OPTION_ARG_FILENAME, NULL,
    N_ ("Save a picture of the window as a PNG, print its path and exit"), N_ ("PATH") },
  { "version", 0, 0, G_OPTION_ARG_NONE, NULL, N_ ("Print the version and exit"), NULL },
  { 0 },
};

/* ---- closing ---------------------------------------------------------------------------- */

static void
engine_closed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthApplication) self = user_data;

  hearth_engine_close_finish (HEARTH_ENGINE (source), result);
  g_application_release (G_APPLICATION (self));
}

static void
store_closed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthApplication) self = user_data;
  g_autoptr (GError) error = NULL;

  if (!hearth_conversation_store_close_finish (HEARTH_CONVERSATION_STORE (source), result, &error))
    g_printerr ("hearth: %s\n", error->message);
  g_application_release (G_APPLICATION (self));
}

/* The windows are gone at once; the program stays until the engine's thread has ended, and what was
 * said is on disk. */
static void
begin_closing (HearthApplication *self)
{
  if (self->closing || self->engine == NULL)
    return;
  self->closing = TRUE;
  g_clear_object (&self->ask);
  hearth_conversation_list_close (self->conversations);
  g_application_hold (G_APPLICATION (self));
  hearth_conversation_store_close_async (self->store, store_closed_cb, g_object_ref (self));
  g_application_hold (G_APPLICATION (self));
  hearth_engine_close_async (self->engine, engine_closed_cb, g_object_ref (self));
}

static void
hearth_application_window_removed (GtkApplication *application, GtkWindow *window)
{
  GTK_APPLICATION_CLASS (hearth_application_parent_class)->window_removed (application, window);
  if (gtk_application_get_windows (application) == NULL)
    begin_closing (HEARTH_APPLICATION (application));
}

static gpointer
ref_cb (gconstpointer object, gpointer user_data)
{
  return g_object_ref ((gpointer) object);
}

/* With references: some go while the others are looked at. */
static GList *
dup_windows (HearthApplication *self)
{
  return g_list_copy_deep (gtk_application_get_windows (GTK_APPLICATION (self)), ref_cb, NULL);
}

/* Whether a dialog of the window holds something that was written. It asks whether that may go;
 * when its question is there already, that stays. */
static gboolean
asks_first (AdwApplicationWindow *window)
{
  AdwDialog *visible = adw_application_window_get_visible_dialog (window);
  g_autoptr (GListModel) dialogs = adw_application_window_get_dialogs (window);

  for (guint i = 0; i < g_list_model_get_n_items (dialogs); i++)
    {
      g_autoptr (AdwDialog) dialog = g_list_model_get_item (dialogs, i);

      if (adw_dialog_get_can_close (dialog))
        continue;
      if (dialog == visible)
        adw_dialog_close (dialog);
      return TRUE;
    }
  return FALSE;
}

/* Closing a window closes no more than the dialog over it. `may_ask`: one in which something was
 * written asks first whether that may go. */
static void
leave (HearthApplication *self, gboolean may_ask)
{
  g_autolist (GtkWindow) windows = dup_windows (self);

  for (GList *at = windows; at != NULL; at = at->next)
    {
      if (may_ask && HEARTH_IS_WINDOW (at->data) && asks_first (at->data))
        continue;
      if (HEARTH_IS_WINDOW (at->data))
        hearth_window_leave (at->data);
      else
        gtk_window_close (at->data);
    }
}

static void
quit_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  leave (user_data, TRUE);
}

/* Who says so asks nobody: dialogs close, whatever they would ask first. */
static gboolean
signal_cb (gpointer user_data)
{
  g_autolist (GtkWindow) windows = dup_windows (user_data);

  for (GList *at = windows; at != NULL; at = at->next)
    {
      AdwDialog *dialog;

      while (ADW_IS_APPLICATION_WINDOW (at->data) &&
             (dialog = adw_application_window_get_visible_dialog (at->data)) != NULL)
        adw_dialog_force_close (dialog);
    }
  leave (user_data, FALSE);
  return G_SOURCE_CONTINUE;
}

/* ---- actions ---------------------------------------------------------------------------- */

/* Where things are, and what draws them: what whoever helps with a fault asks first. */
static char *
dup_paths (void)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  GdkDisplay *display = gdk_display_get_default ();
  const char *container = g_file_test ("/.flatpak-info", G_FILE_TEST_EXISTS) ? "Flatpak" : "none";

  return g_strdup_printf ("Display: %s, container: %s\nProgram: %s\nData: %s/hearth\n"
                          "Configuration: %s\nCache: %s/hearth\n",
                          display != NULL ? G_OBJECT_TYPE_NAME (display) : "none", container,
                          program != NULL ? program : "?", g_get_user_data_dir (),
                          g_get_user_config_dir (), g_get_user_cache_dir ());
}

static void
about_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  HearthApplication *self = user_data;
  AdwAboutDialog *about = ADW_ABOUT_DIALOG (adw_about_dialog_new ());
  g_autofree char *hardware = hearth_hardware_dup_report ();
  g_autofree char *paths = dup_paths ();
  g_autofree char *report =
    g_strdup_printf ("Hearth %s, Ember %s\nGTK %u.%u.%u, libadwaita %u.%u.%u, GLib %u.%u.%u\n%s%s",
                     HEARTH_VERSION, hearth_hardware_get_engine_version (),
                     gtk_get_major_version (), gtk_get_minor_version (), gtk_get_micro_version (),
                     adw_get_major_version (), adw_get_minor_version (), adw_get_micro_version (),
                     glib_major_version, glib_minor_version, glib_micro_version, hardware, paths);

  adw_about_dialog_set_application_icon (about, APPLICATION_ID);
  adw_about_dialog_set_application_name (about, "Hearth");
  adw_about_dialog_set_version (about, HEARTH_VERSION);
  adw_about_dialog_set_developer_name (about, _ ("The Hearth Project"));
  adw_about_dialog_set_license_type (about, GTK_LICENSE_GPL_3_0);
  adw_about_dialog_set_comments (
    about, _ ("Talk to language models that live on this computer, and look inside them."));
  adw_about_dialog_set_debug_info (about, report);
  adw_about_dialog_set_debug_info_filename (about, "hearth.txt");
  adw_dialog_present (ADW_DIALOG (about),
                      GTK_WIDGET (gtk_application_get_active_window (GTK_APPLICATION (self))));
}

static void
shortcuts_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (user_data));

  adw_dialog_present (hearth_shortcuts_dialog_new (), GTK_WIDGET (window));
}

static void
preferences_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  HearthApplication *self = user_data;
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (self));

  adw_dialog_present (hearth_preferences_new (self->settings), GTK_WIDGET (window));
}

static const GActionEntry actions[] = {
  { .name = "quit", .activate = quit_action },
  { .name = "about", .activate = about_action },
  { .name = "preferences", .activate = preferences_action },
  { .name = "shortcuts", .activate = shortcuts_action },
};

/* ---- start ------------------------------------------------------------------------------ */

/* What a file is opened for, told to a Hearth that runs already. */
#define HINT_CHAT "chat"

/* Whether a Hearth that runs already has been told. */
static gboolean
chat_elsewhere (GApplication *application, GFile *file)
{
  if (!g_application_register (application, NULL, NULL) ||
      !g_application_get_is_remote (application))
    return FALSE;
  g_application_open (application, &file, 1, HINT_CHAT);
  return TRUE;
}

static int
hearth_application_handle_local_options (GApplication *application, GVariantDict *dict)
{
  HearthApplication *self = HEARTH_APPLICATION (application);
  g_autofree char *chat = NULL;

  if (g_variant_dict_contains (dict, "version"))
    {
      g_print ("Hearth %s\n", HEARTH_VERSION);
      return 0;
    }
  if (!gtk_init_check ())
    {
      g_printerr ("hearth: %s\n", _ ("There is no display to open a window on."));
      return 1;
    }
  g_variant_dict_lookup (dict, "ask", "s", &self->question);
  g_variant_dict_lookup (dict, "screenshot", "^ay", &self->screenshot);
  /* Such a run answers to its caller alone: it must not reach into the person's own window. */
  if (self->question != NULL || self->screenshot != NULL)
    g_application_set_flags (application,
                             g_application_get_flags (application) | G_APPLICATION_NON_UNIQUE);
  if (g_variant_dict_lookup (dict, "chat", "^ay", &chat))
    {
      self->chat = g_file_new_for_commandline_arg (chat);
      if (chat_elsewhere (application, self->chat))
        return 0;
    }
  return -1;
}

/* Which model the lists mark as the one in memory. */
static void
engine_changed_cb (HearthApplication *self)
{
  HearthEngineState state = hearth_engine_get_state (self->engine);
  gboolean ready = state == HEARTH_ENGINE_READY || state == HEARTH_ENGINE_ANSWERING;

  if (self->library != NULL)
    hearth_library_set_loaded (self->library, ready ? hearth_engine_get_path (self->engine) : NULL);
}

static void
hearth_application_startup (GApplication *application)
{
  HearthApplication *self = HEARTH_APPLICATION (application);
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = NULL;

  G_APPLICATION_CLASS (hearth_application_parent_class)->startup (application);
  hearth_menu_name_all ();
  gtk_window_set_default_icon_name (APPLICATION_ID);
  /* Walking through an answer with the keyboard must not select every paragraph. */
  g_object_set (gtk_settings_get_default (), "gtk-label-select-on-focus", FALSE, NULL);

  self->settings = hearth_settings_new (&error);
  if (self->settings == NULL)
    {
      g_printerr ("hearth: %s\n", error->message);
      self->exit_status = 1;
      return;
    }
  self->engine = hearth_engine_new ();
  self->library = hearth_library_new (self->settings);
  g_signal_connect_object (self->engine, "notify::state", G_CALLBACK (engine_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->engine, "notify::path", G_CALLBACK (engine_changed_cb), self,
                           G_CONNECT_SWAPPED);
  /* A run that answers to its caller alone leaves nothing behind. */
  if (self->question == NULL && self->screenshot == NULL)
    folder = g_build_filename (g_get_user_data_dir (), "hearth", NULL);
  self->store = hearth_conversation_store_new (folder);
  self->conversations =
    hearth_conversation_list_new (self->engine, self->store, self->library, self->settings);
  g_action_map_add_action_entries (G_ACTION_MAP (self), actions, G_N_ELEMENTS (actions), self);
  hearth_shortcuts_add_to_application (GTK_APPLICATION (self));
  self->terminate_id = g_unix_signal_add (SIGTERM, signal_cb, self);
  self->interrupt_id = g_unix_signal_add (SIGINT, signal_cb, self);
}

/* NULL when the program cannot run, or is about to end. */
static HearthWindow *
ensure_window (HearthApplication *self)
{
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (self));

  if (self->settings == NULL || self->closing)
    return NULL;
  if (window == NULL)
    window = GTK_WINDOW (hearth_window_new (GTK_APPLICATION (self), self->engine, self->library,
                                            self->settings, self->conversations));
  gtk_window_present (window);
  return HEARTH_WINDOW (window);
}

static void
ask_done_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HearthApplication *self = user_data;

  self->exit_status = hearth_ask_run_finish (HEARTH_ASK (source), result);
  leave (self, FALSE);
}

static void
begin_ask (HearthApplication *self, HearthWindow *window, GFile *file)
{
  self->ask = hearth_ask_new (window, file, self->question, self->screenshot);
  hearth_ask_run_async (self->ask, ask_done_cb, self);
}

static gboolean
answers_to_its_caller (HearthApplication *self)
{
  return self->question != NULL || self->screenshot != NULL;
}

static void
hearth_application_activate (GApplication *application)
{
  HearthApplication *self = HEARTH_APPLICATION (application);
  HearthWindow *window = ensure_window (self);
  g_autoptr (GFile) chat = g_steal_pointer (&self->chat);

  if (window == NULL)
    return;
  if (answers_to_its_caller (self))
    begin_ask (self, window, chat);
  else if (chat != NULL)
    hearth_window_open_file (window, chat);
}

static void
hearth_application_open (GApplication *application, GFile **files, int n_files, const char *hint)
{
  HearthApplication *self = HEARTH_APPLICATION (application);
  HearthWindow *window = ensure_window (self);

  /* One page is about one model: of several files the first is opened. */
  if (window == NULL || n_files == 0)
    return;
  if (answers_to_its_caller (self))
    begin_ask (self, window, files[0]);
  else if (g_strcmp0 (hint, HINT_CHAT) == 0)
    hearth_window_open_file (window, files[0]);
  else
    hearth_window_inspect_file (window, files[0]);
}

static void
hearth_application_shutdown (GApplication *application)
{
  HearthApplication *self = HEARTH_APPLICATION (application);

  g_clear_handle_id (&self->terminate_id, g_source_remove);
  g_clear_handle_id (&self->interrupt_id, g_source_remove);
  g_clear_object (&self->ask);
  G_APPLICATION_CLASS (hearth_application_parent_class)->shutdown (application);
}

static void
hearth_application_dispose (GObject *object)
{
  HearthApplication *self = HEARTH_APPLICATION (object);

  g_clear_object (&self->chat);
  g_clear_object (&self->conversations);
  g_clear_object (&self->store);
  g_clear_object (&self->library);
  g_clear_object (&self->engine);
  g_clear_object (&self->settings);
  G_OBJECT_CLASS (hearth_application_parent_class)->dispose (object);
}

static void
hearth_application_finalize (GObject *object)
{
  HearthApplication *self = HEARTH_APPLICATION (object);

  g_free (self->question);
  g_free (self->screenshot);
  G_OBJECT_CLASS (hearth_application_parent_class)->finalize (object);
}

static void
hearth_application_class_init (HearthApplicationClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);

  object_class->dispose = hearth_application_dispose;
  object_class->finalize = hearth_application_finalize;
  application_class->handle_local_options = hearth_application_handle_local_options;
  application_class->startup = hearth_application_startup;
  application_class->activate = hearth_application_activate;
  application_class->open = hearth_application_open;
  application_class->shutdown = hearth_application_shutdown;
  GTK_APPLICATION_CLASS (klass)->window_removed = hearth_application_window_removed;
}

static void
hearth_application_init (HearthApplication *self)
{
  g_application_add_main_option_entries (G_APPLICATION (self), options);
  g_application_set_option_context_parameter_string (G_APPLICATION (self), _ ("[FILE.gguf]"));
}

HearthApplication *
hearth_application_new (void)
{
  return g_object_new (HEARTH_TYPE_APPLICATION, "application-id", APPLICATION_ID, "flags",
                       G_APPLICATION_HANDLES_OPEN, "resource-base-path", RESOURCE_BASE, NULL);
}

int
hearth_application_get_exit_status (HearthApplication *self)
{
  g_return_val_if_fail (HEARTH_IS_APPLICATION (self), 1);

  return self->exit_status;
}
