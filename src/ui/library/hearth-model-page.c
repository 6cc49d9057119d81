/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-compare-view.h"
#include "hearth-doctor-view.h"
#include "hearth-doctor-words.h"
#include "hearth-edit-dialog.h"
#include "hearth-error.h"
#include "hearth-file-map.h"
#include "hearth-fit-view.h"
#include "hearth-focus.h"
#include "hearth-metadata-view.h"
#include "hearth-model-contents.h"
#include "hearth-model-view.h"
#include "hearth-overview.h"
#include "hearth-show-in-files.h"
#include "hearth-template-view.h"
#include "hearth-tensor-view.h"
#include "hearth-tokenizer-view.h"
#include "hearth-view-picker.h"
#include "hearth-view-scroll.h"
#include "hearth-words.h"

/* The views in the order they are shown. A new one is a line here, and a widget with the interface
 * of hearth-model-view.h. */
static const struct
{
  const char *name;
  const char *title;
  GType (*get_type) (void);
} view_types[] = {
  { "overview", N_ ("Overview"), hearth_overview_get_type },
  { "fit", N_ ("Fit"), hearth_fit_view_get_type },
  { "metadata", N_ ("Metadata"), hearth_metadata_view_get_type },
  { "tensors", N_ ("Tensors"), hearth_tensor_view_get_type },
  { "template", N_ ("Template"), hearth_template_view_get_type },
  { "tokenizer", N_ ("Tokenizer"), hearth_tokenizer_view_get_type },
  { "file", N_ ("File"), hearth_file_map_get_type },
  { "doctor", N_ ("Doctor"), hearth_doctor_view_get_type },
  { "compare", N_ ("Compare"), hearth_compare_view_get_type },
};

struct _HearthModelPage
{
  GtkWidget parent_instance;

  GtkWidget *root;
  AdwWindowTitle *window_title;
  GtkButton *chat_button;
  HearthViewPicker *picker;
  AdwBanner *doctor_banner;
  HearthErrorCard *notice;
  GtkWidget *status_area;
  HearthErrorCard *status_card;
  GtkWidget *nothing_page;
  GtkWidget *open_button;
  GtkWidget *menu_button;
  AdwViewStack *views;
  HearthModelView *made[G_N_ELEMENTS (view_types)]; /* the stack's children */
  gboolean showing[G_N_ELEMENTS (view_types)];      /* has been told about the model */

  HearthEngine *engine;
  HearthModelFile *model;
  HearthModelContents *contents;
  gboolean incomplete;   /* the file's end is missing */
  GCancellable *reading; /* NULL: `contents` are not being read */
  HearthDoctor *doctor;  /* examines the file, whichever view is looked at */
};

G_DEFINE_FINAL_TYPE (HearthModelPage, hearth_model_page, GTK_TYPE_WIDGET)

static void update_actions (HearthModelPage *self);

/* ---- contents --------------------------------------------------------------------------- */

static void
stop_reading (HearthModelPage *self)
{
  if (self->reading != NULL)
    g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
}

static void
contents_read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthModelPage) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (HearthModelContents) contents = hearth_model_contents_read_finish (result, &error);

  if (self->views == NULL || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return; /* the page was closed, or shows another file by now */
  g_clear_object (&self->reading);
  if (contents == NULL)
    {
      g_autofree char *sentence = hearth_words_for_error (error, self->model);

      hearth_error_card_show_failure (self->status_card, sentence, error->message);
      return;
    }
  g_set_object (&self->contents, contents);
  for (guint i = 0; i < G_N_ELEMENTS (view_types); i++)
    {
      if (self->showing[i])
        hearth_model_view_show_contents (self->made[i], contents);
    }
  update_actions (self);
}

static void
read_contents (HearthModelPage *self)
{
  stop_reading (self);
  g_clear_object (&self->contents);
  if (self->model == NULL || hearth_model_file_get_header (self->model) == NULL)
    return;
  self->reading = g_cancellable_new ();
  hearth_model_contents_read_async (hearth_model_file_get_path (self->model), self->reading,
                                    contents_read_cb, g_object_ref (self));
}

/* ---- the examination -------------------------------------------------------------------- */

static void
examined_cb (HearthModelPage *self)
{
  g_autofree char *verdict = NULL;
  gboolean bad = self->doctor != NULL &&
                 hearth_doctor_count (self->doctor, HEARTH_SEVERITY_ERROR) > 0 &&
                 !self->incomplete && /* a card says so */
                 /* what is on the screen need not be announced above it */
                 g_strcmp0 (adw_view_stack_get_visible_child_name (self->views), "doctor") != 0;

  if (bad)
    {
      verdict = hearth_doctor_words_for_verdict (self->doctor);
      adw_banner_set_title (self->doctor_banner, verdict);
    }
  adw_banner_set_revealed (self->doctor_banner, bad);
}

static void
examine (HearthModelPage *self)
{
  GtkWidget *view = adw_view_stack_get_child_by_name (self->views, "doctor");
  const char *path = self->model != NULL ? hearth_model_file_get_path (self->model) : NULL;

  if (self->doctor != NULL && g_strcmp0 (path, hearth_doctor_get_path (self->doctor)) == 0 &&
      (hearth_doctor_get_values_checked (self->doctor) ||
       hearth_doctor_get_checking_values (self->doctor)))
    return; /* that took its time */
  if (self->doctor != NULL)
    g_signal_handlers_disconnect_by_data (self->doctor, self);
  g_clear_object (&self->doctor);
  if (path != NULL && hearth_model_file_get_state (self->model) >= HEARTH_MODEL_FILE_READY)
    {
      self->doctor = hearth_doctor_new (path);
      g_signal_connect_object (self->doctor, "items-changed", G_CALLBACK (examined_cb), self,
                               G_CONNECT_SWAPPED);
    }
  hearth_doctor_view_set_doctor (HEARTH_DOCTOR_VIEW (view), self->doctor);
  examined_cb (self);
}

/* ---- the views -------------------------------------------------------------------------- */

/* What keeps a model from being talked to does not matter to who looks at its tensors; the view of
 * what it needs says itself why it cannot tell. */
static void
update_status_area (HearthModelPage *self)
{
  const char *name = adw_view_stack_get_visible_child_name (self->views);
  gboolean alone = self->model == NULL || hearth_model_file_get_header (self->model) == NULL;

  gtk_widget_set_visible (self->status_area, alone || g_strcmp0 (name, "overview") == 0);
}

/* A view is told about the model when somebody looks at it. */
static void
view_changed_cb (HearthModelPage *self)
{
  GtkWidget *visible = self->views != NULL ? adw_view_stack_get_visible_child (self->views) : NULL;

  if (visible != NULL)
    {
      examined_cb (self);
      update_status_area (self);
    }
  if (self->model == NULL || hearth_model_file_get_header (self->model) == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (view_types); i++)
    {
      if (visible != GTK_WIDGET (self->made[i]) || self->showing[i])
        continue;
      self->showing[i] = TRUE;
      hearth_model_view_show_model (self->made[i], self->model);
      hearth_model_view_show_contents (self->made[i], self->contents);
    }
}

static void
forget_views (HearthModelPage *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (view_types); i++)
    {
      if (!self->showing[i])
        continue;
      self->showing[i] = FALSE;
      hearth_model_view_show_contents (self->made[i], NULL);
      hearth_model_view_show_model (self->made[i], NULL);
    }
}

static HearthModelView *
visible_view (HearthModelPage *self)
{
  GtkWidget *visible = adw_view_stack_get_visible_child (self->views);

  return visible != NULL ? HEARTH_MODEL_VIEW (visible) : NULL;
}

/* ---- what is shown ---------------------------------------------------------------------- */

/* What keeps this model from being talked to. */
static void
show_obstacle (HearthModelPage *self, const HearthModelHeader *header)
{
  g_autoptr (GError) mute = NULL;
  const GError *error = hearth_model_file_get_error (self->model);

  if (error == NULL && header != NULL && header->fit_error != NULL)
    error = header->fit_error;
  if (error == NULL && header != NULL && !header->has_vocabulary)
    error = mute =
      g_error_new_literal (HEARTH_ERROR, HEARTH_ERROR_NO_CHAT, "tokenizer.ggml.tokens");
  self->incomplete = g_error_matches (error, HEARTH_ERROR, HEARTH_ERROR_INCOMPLETE);
  if (error != NULL)
    {
      const char *way_out = hearth_words_for_way_out (error, self->model);
      g_autofree char *sentence = hearth_words_for_error (error, self->model);

      hearth_error_card_show_failure (self->status_card, sentence,
                                      error == mute ? NULL : error->message);
      hearth_error_card_set_advice (self->status_card, way_out);
      hearth_error_card_set_action (self->status_card, way_out != NULL ? _ ("Show in Files") : NULL,
                                    way_out != NULL ? "model.show-in-files" : NULL);
    }
}

static void
update_actions (HearthModelPage *self)
{
  if (self->engine == NULL)
    return; /* being disposed */
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "model.unload",
                                 self->model != NULL && hearth_model_file_get_loaded (self->model));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "model.edit-copy", self->contents != NULL);
  /* Files of other programs stay where they are. */
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "model.remove",
                                 self->model != NULL &&
                                   hearth_model_file_get_own_place (self->model) != NULL);
}

static void
show (HearthModelPage *self)
{
  HearthModelFile *model = self->model;
  const HearthModelHeader *header = model != NULL ? hearth_model_file_get_header (model) : NULL;
  gboolean failed = model != NULL && header == NULL &&
                    hearth_model_file_get_state (model) == HEARTH_MODEL_FILE_FAILED;

  gtk_widget_set_visible (GTK_WIDGET (self->status_card), FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->chat_button),
                          model != NULL && hearth_model_file_can_chat (model));
  gtk_widget_set_visible (self->nothing_page, model == NULL);
  gtk_widget_set_visible (self->menu_button, model != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->picker), header != NULL);
  /* Of a file that cannot be read there is still an examination. */
  gtk_widget_set_visible (GTK_WIDGET (self->views), header != NULL || failed);
  if (failed)
    adw_view_stack_set_visible_child_name (self->views, "doctor");
  if (model != NULL)
    {
      const char *base_name = hearth_model_file_get_base_name (model);
      const char *title = hearth_model_file_get_title (model);

      adw_window_title_set_title (self->window_title, title);
      adw_window_title_set_subtitle (self->window_title,
                                     g_str_equal (title, base_name) ? "" : base_name);
      gtk_actionable_set_action_target (GTK_ACTIONABLE (self->chat_button), "s",
                                        hearth_model_file_get_path (model));
      show_obstacle (self, header);
    }
  examine (self);
  forget_views (self);
  read_contents (self);
  view_changed_cb (self);
  update_actions (self);
}

static void
state_changed_cb (HearthModelPage *self)
{
  if (hearth_model_file_get_state (self->model) != HEARTH_MODEL_FILE_READING)
    show (self);
}

/* ---- actions ---------------------------------------------------------------------------- */

static void
unload_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hearth_engine_unload (HEARTH_MODEL_PAGE (widget)->engine);
}

static void
show_in_files_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthModelPage *self = HEARTH_MODEL_PAGE (widget);

  if (self->model != NULL)
    hearth_show_in_files (widget, hearth_model_file_get_path (self->model));
}

static void
copy_path_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthModelPage *self = HEARTH_MODEL_PAGE (widget);

  if (self->model == NULL)
    return;
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget),
                          hearth_model_file_get_path (self->model));
  gtk_widget_activate_action (widget, "win.toast", "s", _ ("Path copied"));
}

static void
remove_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthModelPage *self = HEARTH_MODEL_PAGE (widget);

  if (self->model != NULL)
    gtk_widget_activate_action (widget, "win.remove-model", "s",
                                hearth_model_file_get_path (self->model));
}

static void
edit_copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthModelPage *self = HEARTH_MODEL_PAGE (widget);

  if (self->contents != NULL)
    adw_dialog_present (
      hearth_edit_dialog_new (hearth_model_file_get_path (self->model), self->contents), widget);
}

static void
find_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthModelPage *self = HEARTH_MODEL_PAGE (widget);
  HearthModelView *view = visible_view (self);

  if (view != NULL && hearth_model_view_find (view))
    return;
  adw_view_stack_set_visible_child_name (self->views, "metadata");
  hearth_model_view_find (visible_view (self));
}

static void
compare_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthModelPage *self = HEARTH_MODEL_PAGE (widget);
  GtkWidget *view = adw_view_stack_get_child_by_name (self->views, "compare");

  adw_view_stack_set_visible_child (self->views, view);
  hearth_compare_view_choose (HEARTH_COMPARE_VIEW (view));
}

/* Parameters: the view's name, and what it should go to, or "". */
static void
show_view_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthModelPage *self = HEARTH_MODEL_PAGE (widget);
  const char *view, *what;

  g_variant_get (parameter, "(&s&s)", &view, &what);
  if (adw_view_stack_get_child_by_name (self->views, view) == NULL)
    return;
  adw_view_stack_set_visible_child_name (self->views, view);
  if (*what != '\0')
    hearth_model_view_reveal (visible_view (self), what);
}

/* Parameter: the name of a key. */
static void
show_bytes_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthModelPage *self = HEARTH_MODEL_PAGE (widget);

  adw_view_stack_set_visible_child_name (self->views, "file");
  hearth_file_map_show_bytes_of (HEARTH_FILE_MAP (visible_view (self)),
                                 g_variant_get_string (parameter, NULL));
}

/* The next of the tabs that can be seen, if there is one. */
static void
step_view (HearthModelPage *self, int by)
{
  g_autoptr (GtkSelectionModel) pages = adw_view_stack_get_pages (self->views);
  GtkBitset *selected = gtk_selection_model_get_selection (pages);
  gint64 at = gtk_bitset_is_empty (selected) ? -1 : (gint64) gtk_bitset_get_minimum (selected);
  gint64 n = g_list_model_get_n_items (G_LIST_MODEL (pages));

  gtk_bitset_unref (selected);
  for (at += by; at >= 0 && at < n; at += by)
    {
      g_autoptr (AdwViewStackPage) page = g_list_model_get_item (G_LIST_MODEL (pages), (guint) at);

      if (!adw_view_stack_page_get_visible (page))
        continue;
      adw_view_stack_set_visible_child (self->views, adw_view_stack_page_get_child (page));
      gtk_accessible_announce (GTK_ACCESSIBLE (self), adw_view_stack_page_get_title (page),
                               GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
      return;
    }
}

static void
step_view_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthModelPage *self = HEARTH_MODEL_PAGE (widget);

  if (gtk_widget_get_visible (GTK_WIDGET (self->picker)))
    step_view (self, g_str_equal (name, "model.next-view") ? 1 : -1);
}

static void
show_doctor_cb (HearthModelPage *self)
{
  adw_view_stack_set_visible_child_name (self->views, "doctor");
}

/* ---- the widget ------------------------------------------------------------------------- */

static gboolean
hearth_model_page_grab_focus (GtkWidget *widget)
{
  HearthModelPage *self = HEARTH_MODEL_PAGE (widget);

  if (gtk_widget_get_visible (GTK_WIDGET (self->chat_button)))
    return gtk_widget_grab_focus (GTK_WIDGET (self->chat_button));
  return gtk_widget_child_focus (self->root, GTK_DIR_TAB_FORWARD);
}

/* Escape, wherever in the page the keyboard is. */
static gboolean
go_back_cb (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  HearthModelView *view = visible_view (HEARTH_MODEL_PAGE (widget));

  return view != NULL && hearth_model_view_go_back (view);
}

static void
hearth_model_page_dispose (GObject *object)
{
  HearthModelPage *self = HEARTH_MODEL_PAGE (object);

  if (self->model != NULL)
    g_signal_handlers_disconnect_by_data (self->model, self);
  stop_reading (self);
  if (self->doctor != NULL)
    g_signal_handlers_disconnect_by_data (self->doctor, self);
  g_clear_object (&self->doctor);
  if (self->picker != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->views, self);
      hearth_view_picker_set_stack (self->picker, NULL);
    }
  g_clear_object (&self->model);
  g_clear_object (&self->contents);
  g_clear_object (&self->engine);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_MODEL_PAGE);
  G_OBJECT_CLASS (hearth_model_page_parent_class)->dispose (object);
}

static void
hearth_model_page_class_init (HearthModelPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_model_page_dispose;
  widget_class->grab_focus = hearth_model_page_grab_focus;
  g_type_ensure (HEARTH_TYPE_ERROR_CARD);
  g_type_ensure (HEARTH_TYPE_VIEW_PICKER);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Escape, GDK_NO_MODIFIER_MASK, go_back_cb,
                                NULL);
  gtk_widget_class_install_action (widget_class, "model.unload", NULL, unload_action);
  gtk_widget_class_install_action (widget_class, "model.show-in-files", NULL, show_in_files_action);
  gtk_widget_class_install_action (widget_class, "model.copy-path", NULL, copy_path_action);
  gtk_widget_class_install_action (widget_class, "model.edit-copy", NULL, edit_copy_action);
  gtk_widget_class_install_action (widget_class, "model.remove", NULL, remove_action);
  gtk_widget_class_install_action (widget_class, "model.compare", NULL, compare_action);
  gtk_widget_class_install_action (widget_class, "model.find", NULL, find_action);
  gtk_widget_class_install_action (widget_class, "model.show-bytes", "s", show_bytes_action);
  gtk_widget_class_install_action (widget_class, "model.previous-view", NULL, step_view_action);
  gtk_widget_class_install_action (widget_class, "model.next-view", NULL, step_view_action);
  gtk_widget_class_install_action (widget_class, "model.show-view", "(ss)", show_view_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-model-page.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, root);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, window_title);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, chat_button);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, picker);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, doctor_banner);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, notice);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, status_area);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, status_card);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, nothing_page);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, open_button);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, menu_button);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, views);
  gtk_widget_class_bind_template_callback (widget_class, show_doctor_cb);
  gtk_widget_class_bind_template_callback (widget_class, view_changed_cb);
}

static void
hearth_model_page_init (HearthModelPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  for (guint i = 0; i < G_N_ELEMENTS (view_types); i++)
    {
      self->made[i] = g_object_new (view_types[i].get_type (), NULL);
      g_signal_connect (self->made[i], "unmap", G_CALLBACK (hearth_model_view_left), NULL);
      adw_view_stack_add_titled (self->views, GTK_WIDGET (self->made[i]), view_types[i].name,
                                 _ (view_types[i].title));
    }
  hearth_view_picker_set_stack (self->picker, self->views);
  hearth_view_scroll_keep (self->views);
  hearth_focus_hold (GTK_WIDGET (self));
}

/* Beside an empty list, which has such a button itself, one is enough. */
static void
library_changed_cb (HearthModelPage *self, guint position, guint removed, guint added,
                    GListModel *library)
{
  gtk_widget_set_visible (self->open_button, g_list_model_get_n_items (library) > 0);
}

void
hearth_model_page_set_sources (HearthModelPage *self, HearthEngine *engine, HearthLibrary *library,
                               HearthSettings *settings)
{
  GtkWidget *compare;

  g_return_if_fail (HEARTH_IS_MODEL_PAGE (self));

  compare = adw_view_stack_get_child_by_name (self->views, "compare");
  hearth_compare_view_set_library (HEARTH_COMPARE_VIEW (compare), library);
  g_signal_connect_object (library, "items-changed", G_CALLBACK (library_changed_cb), self,
                           G_CONNECT_SWAPPED);
  library_changed_cb (self, 0, 0, 0, G_LIST_MODEL (library));
  g_set_object (&self->engine, engine);
  for (guint i = 0; i < G_N_ELEMENTS (view_types); i++)
    hearth_model_view_set_sources (self->made[i], engine, settings);
  show (self);
}

void
hearth_model_page_set_model (HearthModelPage *self, HearthModelFile *model)
{
  g_return_if_fail (HEARTH_IS_MODEL_PAGE (self));

  if (self->model == model)
    return;
  if (self->model != NULL)
    g_signal_handlers_disconnect_by_data (self->model, self);
  g_set_object (&self->model, model);
  if (model != NULL)
    {
      g_signal_connect_object (model, "notify::state", G_CALLBACK (state_changed_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (model, "notify::loaded", G_CALLBACK (update_actions), self,
                               G_CONNECT_SWAPPED);
    }
  adw_view_stack_set_visible_child_name (self->views, "overview");
  hearth_view_scroll_forget (self->views);
  show (self);
}

HearthModelFile *
hearth_model_page_get_model (HearthModelPage *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_PAGE (self), NULL);

  return self->model;
}

HearthErrorCard *
hearth_model_page_get_notice (HearthModelPage *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_PAGE (self), NULL);

  return self->notice;
}
