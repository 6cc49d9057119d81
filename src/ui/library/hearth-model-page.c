/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-error.h"
#include "hearth-tensor-type.h"
#include "hearth-words.h"

struct _HearthModelPage
{
  GtkWidget parent_instance;

  GtkWidget *root;
  AdwWindowTitle *window_title;
  GtkButton *chat_button;
  HearthErrorCard *notice;
  HearthErrorCard *status_card;
  GtkLabel *kind_label;
  AdwPreferencesGroup *facts_group;
  AdwPreferencesGroup *memory_group;
  AdwPreferencesGroup *types_group;
  GtkListBox *types_box;

  HearthModelFile *model;
  GPtrArray *rows; /* of the facts and memory groups, not owned */
};

G_DEFINE_FINAL_TYPE (HearthModelPage, hearth_model_page, GTK_TYPE_WIDGET)

static void
add_row (HearthModelPage *self, AdwPreferencesGroup *group, const char *title, const char *value)
{
  GtkWidget *row;

  if (value == NULL || *value == '\0')
    return;
  row = adw_action_row_new ();
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), value);
  adw_action_row_set_subtitle_selectable (ADW_ACTION_ROW (row), TRUE);
  gtk_widget_add_css_class (row, "property");
  gtk_widget_add_css_class (row, "numeric");
  adw_preferences_group_add (group, row);
  g_ptr_array_add (self->rows, row);
}

static void
add_size (HearthModelPage *self, AdwPreferencesGroup *group, const char *title, guint64 n_bytes)
{
  g_autofree char *value = hearth_words_for_exact_size (n_bytes);

  add_row (self, group, title, value);
}

/* `number` 0: the file does not say. */
static void
add_number (HearthModelPage *self, AdwPreferencesGroup *group, const char *title, guint64 number)
{
  g_autofree char *value = hearth_words_for_number (number);

  if (number > 0)
    add_row (self, group, title, value);
}

static void
show_facts (HearthModelPage *self, const HearthModelHeader *header)
{
  AdwPreferencesGroup *group = self->facts_group;
  g_autofree char *count = hearth_words_for_count (header->n_parameters);
  g_autofree char *number = hearth_words_for_number (header->n_parameters);
  g_autofree char *parameters =
    header->n_parameters < 1000000 ? g_strdup (number) : g_strdup_printf ("%s (%s)", count, number);
  g_autofree char *bits =
    g_strdup_printf ("%.2f", hearth_model_file_get_bits_per_weight (self->model));

  add_row (self, group, _ ("Name"), header->full_name);
  add_row (self, group, _ ("Architecture"), header->architecture);
  add_row (self, group, _ ("Parameters"), parameters);
  add_row (self, group, _ ("Quantization"), header->quantization);
  add_row (self, group, _ ("Bits per weight"), header->n_parameters > 0 ? bits : NULL);
  add_size (self, group, _ ("Size"), header->size);
  add_number (self, group, _ ("Longest context, in tokens"), header->n_ctx_trained);
  add_number (self, group, _ ("Layers"), header->n_layers);
  add_row (self, group, _ ("Licence"), header->licence);
  add_row (self, group, _ ("File"), hearth_model_file_get_path (self->model));
}

static void
show_memory (HearthModelPage *self, const HearthModelHeader *header)
{
  AdwPreferencesGroup *group = self->memory_group;
  const HearthHeaderFit *fit = &header->fit;
  g_autofree char *verdict = hearth_words_for_fit (self->model);
  g_autofree char *context = hearth_words_for_number (fit->n_ctx);
  g_autofree char *kv_title = g_strdup_printf (_ ("Context of %s tokens"), context);

  gtk_widget_set_visible (GTK_WIDGET (group), header->fit_error == NULL);
  if (header->fit_error != NULL)
    return;
  adw_preferences_group_set_description (group, verdict);
  add_size (self, group, _ ("Weights"), fit->weights);
  add_size (self, group, kv_title, fit->kv);
  if (fit->checkpoint > 0)
    add_size (self, group, _ ("Copy of the sliding windows"), fit->checkpoint);
  add_size (self, group, _ ("Working memory"), fit->compute);
  add_size (self, group, _ ("Together"), fit->weights + fit->kv + fit->checkpoint + fit->compute);
  add_size (self, group, _ ("Free memory"), fit->budget);
}

static GtkWidget *
create_type_row (gpointer item, gpointer user_data)
{
  HearthTensorType *type = item;
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *bar = gtk_level_bar_new_for_interval (0, 1);
  GtkWidget *percent;
  guint64 n = hearth_tensor_type_get_n_tensors (type);
  double share = hearth_tensor_type_get_share (type);
  g_autofree char *size = hearth_words_for_size (hearth_tensor_type_get_n_bytes (type));
  g_autofree char *exact = hearth_words_for_exact_size (hearth_tensor_type_get_n_bytes (type));
  g_autofree char *figure = hearth_words_for_number (n);
  g_autofree char *tensors =
    g_strdup_printf (ngettext ("%s tensor", "%s tensors", (gulong) MIN (n, G_MAXULONG)), figure);
  g_autofree char *subtitle = g_strdup_printf ("%s · %s", tensors, size);
  g_autofree char *share_text = g_strdup_printf (_ ("%.1f %%"), share * 100);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), hearth_tensor_type_get_name (type));
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  gtk_widget_set_tooltip_text (row, exact);
  gtk_widget_add_css_class (row, "numeric");

  gtk_level_bar_set_value (GTK_LEVEL_BAR (bar), share);
  gtk_level_bar_remove_offset_value (GTK_LEVEL_BAR (bar), NULL);
  gtk_widget_set_valign (bar, GTK_ALIGN_CENTER);
  gtk_widget_set_size_request (bar, 80, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (bar), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Share of the model's bytes"), -1);
  percent = gtk_label_new (share_text);
  gtk_label_set_width_chars (GTK_LABEL (percent), 7);
  gtk_label_set_xalign (GTK_LABEL (percent), 1);
  gtk_widget_add_css_class (percent, "dimmed");
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), bar);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), percent);
  return row;
}

static void
show (HearthModelPage *self)
{
  const HearthModelHeader *header =
    self->model != NULL ? hearth_model_file_get_header (self->model) : NULL;
  g_autofree char *kind = NULL;

  for (guint i = 0; i < self->rows->len; i++)
    {
      GtkWidget *row = self->rows->pdata[i];
      GtkWidget *group = gtk_widget_get_ancestor (row, ADW_TYPE_PREFERENCES_GROUP);

      adw_preferences_group_remove (ADW_PREFERENCES_GROUP (group), row);
    }
  g_ptr_array_set_size (self->rows, 0);
  gtk_list_box_bind_model (self->types_box, NULL, NULL, NULL, NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->status_card), FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->chat_button),
                          self->model != NULL && hearth_model_file_can_chat (self->model));
  if (self->model != NULL)
    {
      adw_window_title_set_title (self->window_title, hearth_model_file_get_title (self->model));
      adw_window_title_set_subtitle (self->window_title,
                                     hearth_model_file_get_base_name (self->model));
      gtk_actionable_set_action_target (GTK_ACTIONABLE (self->chat_button), "s",
                                        hearth_model_file_get_path (self->model));
    }
  gtk_widget_set_visible (GTK_WIDGET (self->types_group), header != NULL && header->types->len > 0);
  gtk_widget_set_visible (GTK_WIDGET (self->facts_group), header != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->memory_group), header != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->kind_label), header != NULL);
  if (self->model != NULL && hearth_model_file_get_error (self->model) != NULL)
    {
      const GError *error = hearth_model_file_get_error (self->model);
      g_autofree char *sentence = hearth_words_for_error (error, self->model);

      hearth_error_card_show_failure (self->status_card, sentence, error->message);
    }
  if (header == NULL)
    return;
  if (header->fit_error != NULL)
    {
      g_autofree char *sentence = hearth_words_for_error (header->fit_error, self->model);

      hearth_error_card_show_failure (self->status_card, sentence, header->fit_error->message);
    }
  else if (!header->has_vocabulary)
    {
      g_autoptr (GError) mute =
        g_error_new_literal (HEARTH_ERROR, HEARTH_ERROR_NO_CHAT, "tokenizer.ggml.tokens");
      g_autofree char *sentence = hearth_words_for_error (mute, self->model);

      hearth_error_card_show_failure (self->status_card, sentence, NULL);
    }
  kind = hearth_words_for_model_kind (self->model);
  gtk_label_set_text (self->kind_label, kind);
  show_facts (self, header);
  show_memory (self, header);
  gtk_list_box_bind_model (self->types_box, hearth_model_file_get_types (self->model),
                           create_type_row, NULL, NULL);
}

static void
state_changed_cb (HearthModelPage *self)
{
  if (hearth_model_file_get_state (self->model) != HEARTH_MODEL_FILE_READING)
    show (self);
}

static gboolean
hearth_model_page_grab_focus (GtkWidget *widget)
{
  HearthModelPage *self = HEARTH_MODEL_PAGE (widget);

  if (gtk_widget_get_visible (GTK_WIDGET (self->chat_button)))
    return gtk_widget_grab_focus (GTK_WIDGET (self->chat_button));
  return gtk_widget_child_focus (self->root, GTK_DIR_TAB_FORWARD);
}

static void
hearth_model_page_dispose (GObject *object)
{
  HearthModelPage *self = HEARTH_MODEL_PAGE (object);

  if (self->model != NULL)
    g_signal_handlers_disconnect_by_data (self->model, self);
  g_clear_object (&self->model);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_MODEL_PAGE);
  G_OBJECT_CLASS (hearth_model_page_parent_class)->dispose (object);
}

static void
hearth_model_page_class_init (HearthModelPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_model_page_dispose;
  widget_class->grab_focus = hearth_model_page_grab_focus;
  g_type_ensure (HEARTH_TYPE_ERROR_CARD);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-model-page.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, root);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, window_title);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, chat_button);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, notice);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, status_card);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, kind_label);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, facts_group);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, memory_group);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, types_group);
  gtk_widget_class_bind_template_child (widget_class, HearthModelPage, types_box);
}

static void
hearth_model_page_init (HearthModelPage *self)
{
  self->rows = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
hearth_model_page_set_model (HearthModelPage *self, HearthModelFile *model)
{
  g_return_if_fail (HEARTH_IS_MODEL_PAGE (self));

  if (self->model == model)
    return;
  if (self->model != NULL)
    g_signal_handlers_disconnect_by_func (self->model, state_changed_cb, self);
  g_set_object (&self->model, model);
  if (model != NULL)
    g_signal_connect_object (model, "notify::state", G_CALLBACK (state_changed_cb), self,
                             G_CONNECT_SWAPPED);
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
