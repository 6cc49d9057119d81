/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-message-row.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-error-card.h"
#include "hearth-message-body.h"
#include "hearth-words.h"

struct _HearthMessageRow
{
  GtkListBoxRow parent_instance;

  AdwClamp *clamp;
  GtkBox *column;
  GtkBox *bubble;
  HearthMessageBody *body;
  GtkBox *waiting_box;
  GtkLabel *waiting_label;
  HearthErrorCard *error_card;
  GtkBox *action_box;
  GtkButton *regenerate_button;
  GtkLabel *figures_label;

  HearthMessage *message;
  HearthModelFile *model; /* who answers */
};

G_DEFINE_FINAL_TYPE (HearthMessageRow, hearth_message_row, GTK_TYPE_LIST_BOX_ROW)

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthMessageRow *self = HEARTH_MESSAGE_ROW (widget);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget),
                          hearth_message_get_text (self->message));
  gtk_widget_activate_action (widget, "win.toast", "s", _ ("Copied"));
}

static void
show_progress (HearthMessageRow *self)
{
  double progress = hearth_message_get_progress (self->message);
  g_autofree char *text = NULL;

  if (progress > 0 && progress < 1)
    text = g_strdup_printf (_ ("Reading… %d %%"), (int) (progress * 100));
  else
    text = g_strdup (_ ("Thinking of the first word…"));
  gtk_label_set_text (self->waiting_label, text);
}

static void
show_figures (HearthMessageRow *self)
{
  const HearthFigures *figures = hearth_message_get_figures (self->message);
  g_autofree char *line = NULL;
  g_autofree char *all = NULL;

  if (figures == NULL)
    {
      gboolean stopped = hearth_message_get_state (self->message) == HEARTH_MESSAGE_STOPPED;

      gtk_label_set_text (self->figures_label, stopped ? _ ("Stopped") : "");
      return;
    }
  line = hearth_words_for_figures (figures);
  all = hearth_words_for_all_figures (figures);
  gtk_label_set_text (self->figures_label, line);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->figures_label), all);
}

static void
state_changed_cb (HearthMessageRow *self)
{
  HearthMessageState state = hearth_message_get_state (self->message);
  gboolean answer = hearth_message_get_role (self->message) == HEARTH_MESSAGE_ANSWER;
  gboolean finished = hearth_message_is_finished (self->message);
  const GError *error = hearth_message_get_error (self->message);

  gtk_widget_set_visible (GTK_WIDGET (self->waiting_box),
                          state == HEARTH_MESSAGE_WAITING || state == HEARTH_MESSAGE_READING);
  gtk_widget_set_visible (GTK_WIDGET (self->body),
                          *hearth_message_get_text (self->message) != '\0');
  gtk_widget_set_visible (GTK_WIDGET (self->action_box),
                          finished && state != HEARTH_MESSAGE_FAILED);
  gtk_widget_set_visible (GTK_WIDGET (self->regenerate_button), answer);
  gtk_accessible_update_state (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_STATE_BUSY, !finished, -1);
  if (state == HEARTH_MESSAGE_FAILED && error != NULL)
    {
      g_autofree char *sentence = hearth_words_for_error (error, self->model);

      hearth_error_card_show_failure (self->error_card, sentence, error->message);
      hearth_error_card_set_action (self->error_card, _ ("Try Again"), "chat.regenerate");
    }
  if (finished)
    show_figures (self);
}

static void
appended_cb (HearthMessageRow *self, const char *text)
{
  hearth_message_body_append (self->body, text);
}

static void
hearth_message_row_dispose (GObject *object)
{
  HearthMessageRow *self = HEARTH_MESSAGE_ROW (object);

  if (self->message != NULL)
    g_signal_handlers_disconnect_by_data (self->message, self);
  g_clear_object (&self->message);
  g_clear_object (&self->model);
  /* The row owns its child itself; the template would take it away from under it. */
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (self), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_MESSAGE_ROW);
  G_OBJECT_CLASS (hearth_message_row_parent_class)->dispose (object);
}

static void
hearth_message_row_class_init (HearthMessageRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_message_row_dispose;

  g_type_ensure (HEARTH_TYPE_ERROR_CARD);
  g_type_ensure (HEARTH_TYPE_MESSAGE_BODY);
  gtk_widget_class_install_action (widget_class, "message.copy", NULL, copy_action);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-message-row.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, clamp);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, column);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, bubble);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, body);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, waiting_box);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, waiting_label);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, error_card);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, action_box);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, regenerate_button);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, figures_label);
}

static void
hearth_message_row_init (HearthMessageRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/* A question is a card at the trailing side, an answer plain text across the column. */
static void
set_role (HearthMessageRow *self)
{
  g_autofree char *label = NULL;

  if (hearth_message_get_role (self->message) == HEARTH_MESSAGE_QUESTION)
    {
      gtk_widget_add_css_class (GTK_WIDGET (self), "question");
      gtk_widget_add_css_class (GTK_WIDGET (self->bubble), "card");
      gtk_widget_set_halign (GTK_WIDGET (self->clamp), GTK_ALIGN_END);
      /* Its buttons stand before it, where they take no room between question and answer. */
      gtk_orientable_set_orientation (GTK_ORIENTABLE (self->column), GTK_ORIENTATION_HORIZONTAL);
      gtk_box_reorder_child_after (self->column, GTK_WIDGET (self->action_box), NULL);
      gtk_widget_set_valign (GTK_WIDGET (self->action_box), GTK_ALIGN_CENTER);
      gtk_widget_set_visible (GTK_WIDGET (self->figures_label), FALSE);
      label = g_strdup (_ ("Question"));
    }
  else
    {
      gtk_widget_add_css_class (GTK_WIDGET (self), "answer");
      adw_clamp_set_maximum_size (self->clamp, G_MAXINT);
      /* Translators: the name of a model */
      label = g_strdup_printf (
        _ ("Answer from %s"), self->model != NULL ? hearth_model_file_get_title (self->model) : "");
    }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

GtkWidget *
hearth_message_row_new (HearthMessage *message, HearthModelFile *model)
{
  HearthMessageRow *self = g_object_new (HEARTH_TYPE_MESSAGE_ROW, NULL);

  self->message = g_object_ref (message);
  g_set_object (&self->model, model);
  set_role (self);
  hearth_message_body_append (self->body, hearth_message_get_text (message));
  g_signal_connect_object (message, "appended", G_CALLBACK (appended_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (message, "notify::progress", G_CALLBACK (show_progress), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (message, "notify::state", G_CALLBACK (state_changed_cb), self,
                           G_CONNECT_SWAPPED);
  show_progress (self);
  state_changed_cb (self);
  return GTK_WIDGET (self);
}

HearthMessage *
hearth_message_row_get_message (HearthMessageRow *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE_ROW (self), NULL);

  return self->message;
}
