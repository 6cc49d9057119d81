/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is done with one file of the list of models. Each takes its path. */
#include <glib/gi18n.h>

#include "hearth-alert.h"
#include "hearth-model-order.h"
#include "hearth-model-trash.h"
#include "hearth-show-in-files.h"
#include "hearth-window-private.h"

static HearthModelFile *
ref_model (HearthWindow *self, GVariant *parameter)
{
  return hearth_library_ref_file (self->library, g_variant_get_string (parameter, NULL));
}

static void
show_in_files_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hearth_show_in_files (widget, g_variant_get_string (parameter, NULL));
}

static void
copy_path_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget),
                          g_variant_get_string (parameter, NULL));
  gtk_widget_activate_action (widget, "win.toast", "s", _ ("Path copied"));
}

/* ---- trash, undo ------------------------------------------------------------------------ */

/* The toast keeps what it would undo; whatever becomes of it, the files are in the trash. */
struct undo
{
  HearthTrashed *trashed;
  char *title;
};

static void
undo_free (gpointer data)
{
  struct undo *undo = data;

  hearth_trashed_unref (undo->trashed);
  g_free (undo->title);
  g_free (undo);
}

static void
check_paths (HearthWindow *self, const char *const *paths)
{
  for (const char *const *path = paths; self->library != NULL && *path != NULL; path++)
    hearth_library_check (self->library, *path);
}

static void
restored_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthWindow) self = user_data;
  g_autoptr (GError) error = NULL;

  if (hearth_model_restore_finish (result, &error))
    {
      if (self->library != NULL)
        hearth_library_scan (self->library);
      return;
    }
  if (self->chat_page != NULL)
    _hearth_window_show_failure (self, _ ("The file could not be put back. It is in the trash."),
                                 error->message);
}

static void
undo_cb (AdwToast *toast, gpointer user_data)
{
  struct undo *undo = g_object_get_data (G_OBJECT (toast), "undo");

  hearth_model_restore_async (undo->trashed, restored_cb, g_object_ref (user_data));
}

/* The toast keeps, under `key`, what its button takes back. */
static void
say_undoable (HearthWindow *self, const char *text, const char *key, gpointer data,
              GDestroyNotify destroy, GCallback undo)
{
  AdwToast *toast = _hearth_window_offer_undo (self, text);

  g_object_set_data_full (G_OBJECT (toast), key, data, destroy);
  g_signal_connect_object (toast, "button-clicked", undo, self, G_CONNECT_DEFAULT);
}

static void
say_trashed (HearthWindow *self, struct undo *undo, const char *also)
{
  g_autofree char *text =
    *also == '\0'
      ? g_strdup_printf (_ ("“%s” moved to the trash"), undo->title)
      /* Translators: the second is the name of a program, "LM Studio" */
      : g_strdup_printf (_ ("“%1$s” moved to the trash; %2$s still has it"), undo->title, also);

  say_undoable (self, text, "undo", undo, undo_free, G_CALLBACK (undo_cb));
}

struct trashing
{
  HearthWindow *window;
  HearthModelFile *model;
};

static void
trashed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autofree struct trashing *trashing = user_data;
  g_autoptr (HearthWindow) self = trashing->window;
  g_autoptr (HearthModelFile) model = trashing->model;
  g_autoptr (GError) error = NULL;
  g_autoptr (HearthTrashed) trashed = hearth_model_trash_finish (result, &error);
  g_autofree char *sentence = NULL;
  struct undo *undo;

  if (self->chat_page == NULL)
    return;
  if (trashed == NULL)
    {
      sentence = g_strdup_printf (_ ("“%s” could not be moved to the trash."),
                                  hearth_model_file_get_title (model));
      _hearth_window_show_failure (self, sentence, error->message);
      return;
    }
  undo = g_new0 (struct undo, 1);
  undo->trashed = hearth_trashed_ref (trashed);
  undo->title = g_strdup (hearth_model_file_get_title (model));
  say_trashed (self, undo, hearth_model_file_get_stores (model));
  check_paths (self, hearth_trashed_get_paths (trashed));
  hearth_library_forget (self->library, model);
  /* What is gone on purpose is not shown as gone. */
  hearth_library_scan (self->library);
}

static void
trash (HearthWindow *self, HearthModelFile *model)
{
  const HearthModelPlace *own = hearth_model_file_get_own_place (model);
  g_auto (GStrv) paths = hearth_model_facts_list_parts (own->path);
  struct trashing *trashing = g_new0 (struct trashing, 1);

  trashing->window = g_object_ref (self);
  trashing->model = g_object_ref (model);
  hearth_model_trash_async ((const char *const *) paths, trashed_cb, trashing);
}

/* ---- out of the list, undo -------------------------------------------------------------- */

struct forgotten
{
  HearthModelFile *model;
  guint used;
};

static void
forgotten_free (gpointer data)
{
  struct forgotten *forgotten = data;

  g_object_unref (forgotten->model);
  g_free (forgotten);
}

static void
recall_cb (AdwToast *toast, gpointer user_data)
{
  HearthWindow *self = user_data;
  struct forgotten *forgotten = g_object_get_data (G_OBJECT (toast), "forgotten");

  if (self->library != NULL)
    hearth_library_recall (self->library, forgotten->model, forgotten->used);
}

static void
forget (HearthWindow *self, HearthModelFile *model)
{
  struct forgotten *forgotten;
  g_autofree char *text = NULL;

  if (hearth_model_file_get_used (model) == 0)
    return;
  text = g_strdup_printf (hearth_model_file_is_only_recent (model)
                            ? _ ("“%s” removed from the list")
                            /* Translators: a model is not among those that were opened last */
                            : _ ("“%s” is no longer a recent file"),
                          hearth_model_file_get_title (model));
  forgotten = g_new0 (struct forgotten, 1);
  forgotten->model = g_object_ref (model);
  forgotten->used = hearth_model_file_get_used (model);
  hearth_library_forget (self->library, model);
  say_undoable (self, text, "forgotten", forgotten, forgotten_free, G_CALLBACK (recall_cb));
}

static void
forget_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthWindow *self = HEARTH_WINDOW (widget);
  g_autoptr (HearthModelFile) model = ref_model (self, parameter);

  forget (self, model);
}

/* ---- other programs' files -------------------------------------------------------------- */

static void
answered_cb (AdwAlertDialog *dialog, const char *response, gpointer user_data)
{
  const char *path = g_object_get_data (G_OBJECT (dialog), "path");

  if (g_str_equal (response, "show"))
    hearth_show_in_files (GTK_WIDGET (user_data), path);
}

static void
explain (HearthWindow *self, HearthModelFile *model)
{
  const char *stores = hearth_model_file_get_stores (model);
  g_autofree char *title = NULL;
  g_autofree char *body = NULL;
  AdwDialog *dialog;

  if (*stores == '\0')
    {
      g_autofree char *text = g_strdup_printf (
        _ ("“%s” is in none of your model folders, so Hearth leaves it where it is."),
        hearth_model_file_get_title (model));

      gtk_widget_activate_action (GTK_WIDGET (self), "win.toast", "s", text);
      return;
    }
  /* Translators: a model, and the program that has it: “Qwen3 4B” Belongs to LM Studio */
  title =
    g_strdup_printf (_ ("“%1$s” Belongs to %2$s"), hearth_model_file_get_title (model), stores);
  body = g_strdup_printf (
    _ ("Hearth reads the files of other programs where they are and never changes them. "
       "To remove this one, remove it in %s."),
    stores);
  dialog = hearth_alert_new (title, body);
  adw_alert_dialog_add_responses (ADW_ALERT_DIALOG (dialog), "close", _ ("_Close"), "show",
                                  _ ("_Show in Files"), NULL);
  adw_alert_dialog_set_default_response (ADW_ALERT_DIALOG (dialog), "close");
  adw_alert_dialog_set_close_response (ADW_ALERT_DIALOG (dialog), "close");
  g_object_set_data_full (G_OBJECT (dialog), "path", g_strdup (hearth_model_file_get_path (model)),
                          g_free);
  g_signal_connect_object (dialog, "response", G_CALLBACK (answered_cb), self, G_CONNECT_DEFAULT);
  adw_dialog_present (dialog, GTK_WIDGET (self));
}

static void
remove_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthWindow *self = HEARTH_WINDOW (widget);
  g_autoptr (HearthModelFile) model = ref_model (self, parameter);

  if (hearth_model_file_get_own_place (model) != NULL)
    trash (self, model);
  else if (hearth_model_file_is_only_recent (model))
    forget (self, model);
  else
    explain (self, model);
}

void
_hearth_window_class_install_model_actions (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.show-in-files", "s", show_in_files_action);
  gtk_widget_class_install_action (widget_class, "win.copy-path", "s", copy_path_action);
  gtk_widget_class_install_action (widget_class, "win.forget-model", "s", forget_action);
  gtk_widget_class_install_action (widget_class, "win.remove-model", "s", remove_action);
}

/* ---- models to choose from -------------------------------------------------------------- */

static gboolean
is_model (gpointer item, gpointer user_data)
{
  HearthModelFile *file = item;

  return hearth_model_file_get_role (file) == HEARTH_MODEL_ROLE_MODEL &&
         hearth_model_file_get_presence (file) != HEARTH_MODEL_PRESENCE_GONE;
}

static int
compare_choices (gconstpointer a, gconstpointer b, gpointer user_data)
{
  return hearth_model_order_compare ((gpointer) a, (gpointer) b, user_data);
}

struct choices
{
  GtkSorter *sorter;
  GtkFilter *filter;
  HearthModelOrder *order;
};

static void
choices_changed_cb (GtkSortListModel *sorted)
{
  struct choices *choices = g_object_get_data (G_OBJECT (sorted), "choices");

  choices->order->serial++;
  gtk_filter_changed (choices->filter, GTK_FILTER_CHANGE_DIFFERENT);
  gtk_sorter_changed (choices->sorter, GTK_SORTER_CHANGE_DIFFERENT);
}

GListModel *
_hearth_window_list_choices (HearthLibrary *library)
{
  struct choices *choices = g_new0 (struct choices, 1);
  GtkFilterListModel *models;
  GtkSortListModel *sorted;

  choices->order = g_new0 (HearthModelOrder, 1);
  choices->order->quark = g_quark_from_static_string ("hearth-model-choices");
  choices->order->sort = HEARTH_MODEL_SORT_USE;
  choices->filter = GTK_FILTER (gtk_custom_filter_new (is_model, NULL, NULL));
  choices->sorter = GTK_SORTER (gtk_custom_sorter_new (compare_choices, choices->order, g_free));
  models = gtk_filter_list_model_new (G_LIST_MODEL (g_object_ref (library)), choices->filter);
  sorted = gtk_sort_list_model_new (G_LIST_MODEL (models), choices->sorter);
  g_object_set_data_full (G_OBJECT (sorted), "choices", choices, g_free);
  g_signal_connect_object (library, "updated", G_CALLBACK (choices_changed_cb), sorted,
                           G_CONNECT_SWAPPED);
  return G_LIST_MODEL (sorted);
}
