/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-edit-review-page.h"

#include <glib/gi18n.h>

#include "hearth-edit-words.h"
#include "hearth-error-card.h"

struct _HearthEditReviewPage
{
  AdwNavigationPage parent_instance;

  AdwHeaderBar *header_bar;
  GtkWidget *save_button;
  GtkStack *stack;
  HearthErrorCard *error_card;
  AdwPreferencesGroup *changes_group;
  GtkListBox *changes_box;
  GtkLabel *saving_label;
  GtkProgressBar *progress_bar;

  HearthModelEdit *edit;
  GCancellable *saving; /* NULL: nothing is being written */
  char *target;         /* where it is written to */
};

G_DEFINE_FINAL_TYPE (HearthEditReviewPage, hearth_edit_review_page, ADW_TYPE_NAVIGATION_PAGE)

enum
{
  SAVING,
  SAVED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* ---- changes ---------------------------------------------------------------------------- */

static const char *
icon_of (HearthEditChange change)
{
  switch (change)
    {
    case HEARTH_EDIT_ADDED:
      return "list-add-symbolic";
    case HEARTH_EDIT_REMOVED:
      return "list-remove-symbolic";
    case HEARTH_EDIT_SAME:
    case HEARTH_EDIT_CHANGED:
    default:
      return "document-edit-symbolic";
    }
}

static void
add_change (HearthEditReviewPage *self, HearthEditKey *key)
{
  HearthEditChange change = hearth_edit_key_get_change (key);
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *icon = gtk_image_new_from_icon_name (icon_of (change));
  g_autofree char *state = hearth_edit_item_state (NULL, change);
  g_autofree char *text = hearth_edit_words_for_change (key);
  GtkWidget *state_label = gtk_label_new (state);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), hearth_edit_key_get_name (key));
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), text);
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), icon);
  gtk_widget_add_css_class (state_label, "caption");
  gtk_widget_add_css_class (state_label, "dimmed");
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), state_label);
  gtk_accessible_update_state (GTK_ACCESSIBLE (icon), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE, -1);
  gtk_list_box_append (self->changes_box, row);
}

static void
show_changes (HearthEditReviewPage *self)
{
  GListModel *keys = G_LIST_MODEL (self->edit);
  g_autofree char *base = g_path_get_basename (hearth_model_edit_get_path (self->edit));
  g_autofree char *name = g_filename_display_name (base);
  g_autofree char *text =
    g_strdup_printf (_ ("Only the copy has these changes. “%s” stays as it is."), name);
  g_autofree char *escaped = g_markup_escape_text (text, -1);

  gtk_list_box_remove_all (self->changes_box);
  for (guint i = 0; i < g_list_model_get_n_items (keys); i++)
    {
      g_autoptr (HearthEditKey) key = g_list_model_get_item (keys, i);

      if (hearth_edit_key_get_change (key) != HEARTH_EDIT_SAME)
        add_change (self, key);
    }
  adw_preferences_group_set_description (self->changes_group, escaped);
}

/* ---- saving ----------------------------------------------------------------------------- */

static void
progress_cb (HearthEditReviewPage *self)
{
  g_autofree char *base = NULL;
  g_autofree char *name = NULL;
  g_autofree char *text = NULL;
  double done;

  if (self->saving == NULL)
    return;
  done = hearth_model_edit_get_progress (self->edit);
  base = g_path_get_basename (self->target);
  name = g_filename_display_name (base);
  /* Translators: the name of a file, and how much of it has been written */
  text = g_strdup_printf (_ ("Saving “%1$s”… %2$.0f %%"), name, done * 100);
  gtk_label_set_text (self->saving_label, text);
  gtk_progress_bar_set_fraction (self->progress_bar, done);
}

static void
set_saving (HearthEditReviewPage *self, gboolean saving)
{
  gtk_stack_set_visible_child_name (self->stack, saving ? "saving" : "changes");
  gtk_widget_set_visible (self->save_button, !saving);
  adw_navigation_page_set_can_pop (ADW_NAVIGATION_PAGE (self), !saving);
  adw_header_bar_set_show_end_title_buttons (self->header_bar, !saving);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "review.save", !saving);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "review.cancel", saving);
  g_signal_emit (self, signals[SAVING], 0, saving);
}

static void
show_failure (HearthEditReviewPage *self, const char *path, const GError *error)
{
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *name = g_filename_display_name (base);
  g_autofree char *sentence = NULL;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_EXISTS))
    sentence = g_strdup_printf (_ ("“%s” is the file itself. Give the copy another name."), name);
  else
    sentence = g_strdup_printf (_ ("“%s” could not be saved."), name);
  hearth_error_card_show_failure (self->error_card, sentence, error->message);
  gtk_accessible_announce (GTK_ACCESSIBLE (self), sentence,
                           GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_HIGH);
}

static void
saved_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthEditReviewPage) self = user_data;
  g_autoptr (GError) error = NULL;
  gboolean saved = hearth_model_edit_save_finish (HEARTH_MODEL_EDIT (source), result, &error);
  g_autofree char *target = g_steal_pointer (&self->target);

  g_clear_object (&self->saving);
  g_application_release (g_application_get_default ());
  if (self->stack == NULL)
    return; /* the dialog was closed */
  set_saving (self, FALSE);
  if (saved)
    g_signal_emit (self, signals[SAVED], 0, target);
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    show_failure (self, target, error);
}

static void
chosen_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthEditReviewPage) self = user_data;
  g_autoptr (GFile) file = gtk_file_dialog_save_finish (GTK_FILE_DIALOG (source), result, NULL);

  if (self->stack == NULL || file == NULL || g_file_peek_path (file) == NULL)
    return;
  gtk_widget_set_visible (GTK_WIDGET (self->error_card), FALSE);
  self->target = g_file_get_path (file);
  self->saving = g_cancellable_new ();
  set_saving (self, TRUE);
  progress_cb (self);
  /* The program does not end before what was begun is complete, or removed. */
  g_application_hold (g_application_get_default ());
  hearth_model_edit_save_async (self->edit, self->target, self->saving, saved_cb,
                                g_object_ref (self));
}

/* "model-edited.gguf" beside "model.gguf" and "model-00001-of-00003.gguf". */
static char *
dup_suggestion (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  g_autoptr (GRegex) ending =
    g_regex_new ("(-\\d+-of-\\d+)?\\.gguf$", G_REGEX_CASELESS, G_REGEX_MATCH_DEFAULT, NULL);
  g_autofree char *stem = g_regex_replace_literal (ending, base, -1, 0, "", 0, NULL);

  return g_strdup_printf ("%s-edited.gguf", stem != NULL ? stem : base);
}

static void
save_action (GtkWidget *widget, const char *action, GVariant *parameter)
{
  HearthEditReviewPage *self = HEARTH_EDIT_REVIEW_PAGE (widget);
  g_autoptr (GtkFileDialog) dialog = gtk_file_dialog_new ();
  g_autofree char *folder = g_path_get_dirname (hearth_model_edit_get_path (self->edit));
  g_autoptr (GFile) place = g_file_new_for_path (folder);
  g_autofree char *name = dup_suggestion (hearth_model_edit_get_path (self->edit));

  if (self->saving != NULL)
    return;
  gtk_file_dialog_set_title (dialog, _ ("Save Copy"));
  gtk_file_dialog_set_initial_folder (dialog, place);
  gtk_file_dialog_set_initial_name (dialog, name);
  gtk_file_dialog_save (dialog, GTK_WINDOW (gtk_widget_get_root (widget)), NULL, chosen_cb,
                        g_object_ref (self));
}

static void
cancel_action (GtkWidget *widget, const char *action, GVariant *parameter)
{
  hearth_edit_review_page_stop (HEARTH_EDIT_REVIEW_PAGE (widget));
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_edit_review_page_dispose (GObject *object)
{
  HearthEditReviewPage *self = HEARTH_EDIT_REVIEW_PAGE (object);

  hearth_edit_review_page_stop (self);
  g_clear_object (&self->edit);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_EDIT_REVIEW_PAGE);
  G_OBJECT_CLASS (hearth_edit_review_page_parent_class)->dispose (object);
}

static void
hearth_edit_review_page_finalize (GObject *object)
{
  HearthEditReviewPage *self = HEARTH_EDIT_REVIEW_PAGE (object);

  g_clear_object (&self->saving);
  g_free (self->target);
  G_OBJECT_CLASS (hearth_edit_review_page_parent_class)->finalize (object);
}

static void
hearth_edit_review_page_class_init (HearthEditReviewPageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = hearth_edit_review_page_dispose;
  object_class->finalize = hearth_edit_review_page_finalize;

  signals[SAVING] = g_signal_new ("saving", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_BOOLEAN);
  signals[SAVED] = g_signal_new ("saved", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);

  g_type_ensure (HEARTH_TYPE_ERROR_CARD);
  gtk_widget_class_install_action (widget_class, "review.save", NULL, save_action);
  gtk_widget_class_install_action (widget_class, "review.cancel", NULL, cancel_action);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-edit-review-page.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthEditReviewPage, header_bar);
  gtk_widget_class_bind_template_child (widget_class, HearthEditReviewPage, save_button);
  gtk_widget_class_bind_template_child (widget_class, HearthEditReviewPage, stack);
  gtk_widget_class_bind_template_child (widget_class, HearthEditReviewPage, error_card);
  gtk_widget_class_bind_template_child (widget_class, HearthEditReviewPage, changes_group);
  gtk_widget_class_bind_template_child (widget_class, HearthEditReviewPage, changes_box);
  gtk_widget_class_bind_template_child (widget_class, HearthEditReviewPage, saving_label);
  gtk_widget_class_bind_template_child (widget_class, HearthEditReviewPage, progress_bar);
}

static void
hearth_edit_review_page_init (HearthEditReviewPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

AdwNavigationPage *
hearth_edit_review_page_new (HearthModelEdit *edit)
{
  HearthEditReviewPage *self = g_object_new (HEARTH_TYPE_EDIT_REVIEW_PAGE, NULL);

  self->edit = g_object_ref (edit);
  g_signal_connect_object (edit, "notify::progress", G_CALLBACK (progress_cb), self,
                           G_CONNECT_SWAPPED);
  show_changes (self);
  return ADW_NAVIGATION_PAGE (self);
}

void
hearth_edit_review_page_stop (HearthEditReviewPage *self)
{
  g_return_if_fail (HEARTH_IS_EDIT_REVIEW_PAGE (self));

  if (self->saving != NULL)
    g_cancellable_cancel (self->saving);
}
