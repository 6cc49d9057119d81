/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-message-row.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <string.h>

#include "hearth-again-button.h"
#include "hearth-error-card.h"
#include "hearth-error.h"
#include "hearth-focus.h"
#include "hearth-message-body.h"
#include "hearth-message-column.h"
#include "hearth-message-editor.h"
#include "hearth-thinking-view.h"
#include "hearth-words.h"

/* A longer question begins folded: so much of it, and no more lines than that. */
#define FOLDED_SIZE 3000
#define FOLDED_LINES 24
/* A fold is worth it only when it hides as much again. */
#define UNFOLDED 2
/* Bytes that are laid out in one frame. */
#define STEP 16384

struct _HearthMessageRow
{
  GtkWidget parent_instance;

  GtkBox *column;
  GtkBox *bubble;
  HearthThinkingView *thinking_view;
  HearthMessageBody *body;
  GtkButton *fold_button;
  gsize text_size;  /* bytes of a question */
  gsize shown_size; /* of them */
  guint unfold_id;
  GtkWidget *waiting_box;
  GtkLabel *waiting_label;
  HearthErrorCard *error_card;
  GtkWidget *action_box;
  GtkWidget *edit_button;
  GtkWidget *again_button;
  GtkWidget *copy_button;
  GtkWidget *continue_button;
  gboolean ended; /* nothing was added to the body any more */
  GtkWidget *version_box;
  GtkLabel *version_label;
  GtkLabel *figures_label;
  HearthMessageEditor *editor; /* NULL unless it is being edited */
  gboolean enter_sends;

  HearthMessage *message;
  HearthConversation *conversation;
};

G_DEFINE_FINAL_TYPE (HearthMessageRow, hearth_message_row, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_ENTER_SENDS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static gboolean
is_question (HearthMessageRow *self)
{
  return hearth_message_get_role (self->message) == HEARTH_MESSAGE_QUESTION;
}

/* ---- what it shows ---------------------------------------------------------------------- */

static void
show_progress (HearthMessageRow *self)
{
  double progress = hearth_message_get_progress (self->message);
  g_autofree char *text = NULL;

  if (hearth_message_get_state (self->message) == HEARTH_MESSAGE_WAITING)
    text = g_strdup (_ ("Waiting for the model…"));
  else if (progress > 0 && progress < 1)
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
  /* Nobody was there to measure that one. */
  all = figures->ending == HEARTH_ENDING_INTERRUPTED
          ? g_strdup (_ ("Hearth ended before this answer did."))
          : hearth_words_for_all_figures (figures);
  gtk_label_set_text (self->figures_label, line);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->figures_label), all);
}

static void
show_versions (HearthMessageRow *self)
{
  guint n = hearth_message_get_n_versions (self->message);
  guint version = hearth_message_get_version (self->message);
  g_autofree char *text = g_strdup_printf ("%u / %u", version + 1, n);
  g_autofree char *spoken = g_strdup_printf (_ ("Version %u of %u"), version + 1, n);

  gtk_widget_set_visible (self->version_box, n > 1);
  gtk_label_set_text (self->version_label, text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->version_label),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, spoken, -1);
}

static void
update_actions (HearthMessageRow *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  guint n = hearth_message_get_n_versions (self->message);
  guint version = hearth_message_get_version (self->message);
  gboolean can_branch = hearth_conversation_can_branch (self->conversation);
  gboolean can_ask = hearth_conversation_can_ask (self->conversation);
  gboolean has_text = *hearth_message_get_copy_text (self->message) != '\0';

  gtk_widget_action_set_enabled (widget, "message.copy", has_text);
  gtk_widget_set_visible (self->copy_button, has_text);
  gtk_widget_action_set_enabled (widget, "message.edit", is_question (self) ? can_ask : can_branch);
  if (self->editor != NULL)
    hearth_message_editor_set_can_save (self->editor, is_question (self) ? can_ask : can_branch);
  gtk_widget_action_set_enabled (widget, "message.regenerate", can_ask);
  gtk_widget_action_set_enabled (widget, "message.regenerate-model", can_ask);
  gtk_widget_action_set_enabled (widget, "message.regenerate-settings", can_ask);
  gtk_widget_action_set_enabled (widget, "message.previous-version", can_branch && version > 0);
  gtk_widget_action_set_enabled (widget, "message.next-version", can_branch && version + 1 < n);
}

/* ---- a long question -------------------------------------------------------------------- */

static gsize
end_of_lines (const char *text, guint n)
{
  const char *at = text;

  for (guint i = 0; i < n && at != NULL; i++)
    {
      at = strchr (at, '\n');
      at = at != NULL ? at + 1 : NULL;
    }
  return at != NULL ? (gsize) (at - text) : strlen (text);
}

static gsize
letter_start (const char *text, gsize at)
{
  while (at > 0 && ((guchar) text[at] & 0xc0) == 0x80)
    at--;
  return at;
}

/* All of a short question. */
static gsize
folded_size (const char *text)
{
  gsize size = strlen (text);

  if (size <= UNFOLDED * FOLDED_SIZE && end_of_lines (text, UNFOLDED * FOLDED_LINES) == size)
    return size;
  return letter_start (text, MIN (FOLDED_SIZE, end_of_lines (text, FOLDED_LINES) - 1));
}

/* The row may go while it is far from the view: the message remembers. */
static gboolean
is_unfolded (HearthMessageRow *self)
{
  return g_object_get_data (G_OBJECT (self->message), "hearth-unfolded") != NULL;
}

static gsize
part_size (HearthMessageRow *self, gsize size)
{
  return size < self->text_size ? letter_start (hearth_message_get_text (self->message), size)
                                : self->text_size;
}

/* A frame of each part: the window goes on meanwhile. */
static gboolean
unfold_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  HearthMessageRow *self = HEARTH_MESSAGE_ROW (widget);

  self->shown_size = part_size (self, self->shown_size + STEP);
  hearth_message_body_grow_plain (self->body, hearth_message_get_text (self->message),
                                  self->shown_size, self->shown_size < self->text_size);
  if (self->shown_size < self->text_size)
    return G_SOURCE_CONTINUE;
  self->unfold_id = 0;
  return G_SOURCE_REMOVE;
}

static void
show_question (HearthMessageRow *self)
{
  const char *text = hearth_message_get_text (self->message);
  gsize size = strlen (text);
  gsize folded = folded_size (text);
  g_autofree char *words = hearth_words_for_size (size);
  g_autofree char *label = NULL;

  if (self->unfold_id != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->unfold_id);
  self->unfold_id = 0;
  self->text_size = size;
  self->shown_size = part_size (self, folded);
  hearth_message_body_set_plain (self->body, text, self->shown_size, self->shown_size < size);
  if (folded == size)
    return;
  /* Translators: of a long question; %s is its size, "300 kB" */
  label =
    is_unfolded (self) ? g_strdup (_ ("Show Less")) : g_strdup_printf (_ ("Show All (%s)"), words);
  gtk_button_set_label (self->fold_button, label);
  gtk_widget_set_visible (GTK_WIDGET (self->fold_button), TRUE);
  if (is_unfolded (self))
    self->unfold_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), unfold_cb, NULL, NULL);
}

static void
fold_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthMessageRow *self = HEARTH_MESSAGE_ROW (widget);

  g_object_set_data (G_OBJECT (self->message), "hearth-unfolded",
                     is_unfolded (self) ? NULL : self->message);
  show_question (self);
}

/* Whole sentences, as they are completed. */
static void
announce (HearthMessageRow *self)
{
  g_autofree char *sentences = hearth_message_body_take_sentences (self->body);

  if (sentences != NULL)
    gtk_accessible_announce (GTK_ACCESSIBLE (self), sentences,
                             GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
}

/* The answer goes on: its last block may still grow. What was told already is not told again. */
static void
reopen_body (HearthMessageRow *self)
{
  g_autofree char *told = NULL;

  self->ended = FALSE;
  hearth_message_body_clear (self->body);
  hearth_message_body_append (self->body, hearth_message_get_text (self->message));
  told = hearth_message_body_take_sentences (self->body);
}

/* Only the last answer can go on: the button of an earlier one would go on with that. */
static void
update_continue (HearthMessageRow *self)
{
  GListModel *list = G_LIST_MODEL (self->conversation);
  guint n = g_list_model_get_n_items (list);
  g_autoptr (HearthMessage) last = n > 0 ? g_list_model_get_item (list, n - 1) : NULL;

  gtk_widget_set_visible (self->continue_button,
                          self->message == last && hearth_message_can_go_on (last));
}

static void
state_changed_cb (HearthMessageRow *self)
{
  HearthMessageState state = hearth_message_get_state (self->message);
  gboolean finished = hearth_message_is_finished (self->message);
  const GError *error = hearth_message_get_error (self->message);
  gboolean failed = state == HEARTH_MESSAGE_FAILED && error != NULL;

  gtk_widget_set_visible (self->waiting_box,
                          state == HEARTH_MESSAGE_WAITING || state == HEARTH_MESSAGE_READING);
  show_progress (self);
  gtk_widget_set_visible (GTK_WIDGET (self->body),
                          self->editor == NULL && *hearth_message_get_text (self->message) != '\0');
  gtk_widget_set_visible (GTK_WIDGET (self->fold_button),
                          self->editor == NULL && gtk_button_get_label (self->fold_button) != NULL);
  gtk_widget_set_visible (self->action_box, finished && self->editor == NULL);
  gtk_widget_set_visible (self->again_button, !is_question (self) && !failed);
  gtk_widget_set_visible (self->edit_button, !failed);
  update_continue (self);
  gtk_accessible_update_state (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_STATE_BUSY, !finished, -1);
  /* Of a full context the page tells, with the ways out of it. */
  failed &= !g_error_matches (error, HEARTH_ERROR, HEARTH_ERROR_CONTEXT_FULL);
  gtk_widget_set_visible (GTK_WIDGET (self->error_card), failed);
  if (failed)
    {
      HearthModelFile *model = hearth_conversation_get_model (self->conversation);
      g_autofree char *sentence = hearth_words_for_error (error, model);

      hearth_error_card_show_failure (self->error_card, sentence, error->message);
      hearth_error_card_set_action (self->error_card, _ ("Try Again"), "message.regenerate");
      hearth_error_card_set_other_action (
        self->error_card, _ ("Adjust Settings"),
        g_error_matches (error, HEARTH_ERROR, HEARTH_ERROR_NO_MEMORY) ? "chat.memory" : NULL);
    }
  if (finished && !is_question (self))
    {
      hearth_message_body_finish (self->body);
      self->ended = TRUE;
      show_figures (self);
    }
  else if (self->ended)
    reopen_body (self);
  update_actions (self);
}

/* The answer has ended: what has not been said yet is. */
static void
ended_cb (HearthMessageRow *self)
{
  state_changed_cb (self);
  if (hearth_message_is_finished (self->message) && !is_question (self))
    announce (self);
}

static void
appended_cb (HearthMessageRow *self, const char *text)
{
  if (*hearth_message_get_text (self->message) != '\0')
    gtk_widget_set_visible (GTK_WIDGET (self->body), TRUE);
  hearth_message_body_append (self->body, text);
  announce (self);
}

static void
show_text (HearthMessageRow *self)
{
  if (is_question (self))
    {
      show_question (self);
      return;
    }
  hearth_message_body_append (self->body, hearth_message_get_text (self->message));
  /* It has been heard, or nobody wants to hear all of it now. */
  g_free (hearth_message_body_take_sentences (self->body));
}

/* ---- actions ---------------------------------------------------------------------------- */

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthMessageRow *self = HEARTH_MESSAGE_ROW (widget);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget),
                          hearth_message_get_copy_text (self->message));
  gtk_widget_activate_action (widget, "win.toast", "s", _ ("Copied"));
}

static void
end_editing (HearthMessageRow *self)
{
  gboolean had_focus = gtk_widget_get_focus_child (GTK_WIDGET (self)) != NULL;

  if (self->editor == NULL)
    return;
  hearth_conversation_set_edit (self->conversation, self->message, NULL);
  gtk_box_remove (self->bubble, GTK_WIDGET (g_steal_pointer (&self->editor)));
  gtk_widget_remove_css_class (GTK_WIDGET (self), "editing");
  if (is_question (self))
    gtk_widget_set_halign (GTK_WIDGET (self->bubble), GTK_ALIGN_END);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  state_changed_cb (self);
  if (had_focus)
    gtk_widget_grab_focus (GTK_WIDGET (self));
}

static guint
get_position (HearthMessageRow *self)
{
  GListModel *list = G_LIST_MODEL (self->conversation);
  guint position = 0;

  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (HearthMessage) message = g_list_model_get_item (list, i);

      if (message == self->message)
        position = i;
    }
  return position;
}

/* What would load a model that does not fit is left to the page. */
static gboolean
is_held_back (HearthMessageRow *self)
{
  return hearth_conversation_is_too_big (self->conversation) &&
         gtk_widget_activate_action (GTK_WIDGET (self), "chat.offer-to-load", NULL);
}

/* An edited text is a new version, in a row of its own. */
static void
edited_cb (HearthMessageRow *self, const char *text)
{
  g_autoptr (HearthMessageRow) kept = g_object_ref (self);
  g_autofree char *edited = g_strdup (text);
  gboolean question = is_question (self);
  /* This row makes way for the new version's, and is nowhere then. */
  GtkWidget *column = gtk_widget_get_parent (GTK_WIDGET (self));
  guint position = get_position (self);

  if (question && is_held_back (self))
    return;
  end_editing (self);
  if (g_strcmp0 (edited, hearth_message_get_text (self->message)) == 0 && !question)
    return;
  if (!question && HEARTH_IS_MESSAGE_COLUMN (column))
    hearth_message_column_hold (HEARTH_MESSAGE_COLUMN (column), position);
  if (!hearth_conversation_edit (self->conversation, self->message, edited) ||
      !HEARTH_IS_MESSAGE_COLUMN (column))
    return;
  if (question)
    {
      /* Sent: the next thing to write is another question. */
      gtk_widget_activate_action (column, "messages.to-end", NULL);
      gtk_widget_activate_action (column, "chat.focus", NULL);
      return;
    }
  gtk_widget_grab_focus (hearth_message_column_get_row (HEARTH_MESSAGE_COLUMN (column), position));
}

/* What is written stays with the message, whatever becomes of the row. */
static void
edit_changed_cb (HearthMessageRow *self, const char *text)
{
  hearth_conversation_set_edit (self->conversation, self->message, text);
}

static void
begin_editing (HearthMessageRow *self, const char *text)
{
  self->editor = HEARTH_MESSAGE_EDITOR (hearth_message_editor_new (text, is_question (self)));
  g_object_bind_property (self, "enter-sends", self->editor, "enter-sends", G_BINDING_SYNC_CREATE);
  gtk_box_append (self->bubble, GTK_WIDGET (self->editor));
  g_signal_connect_object (self->editor, "changed", G_CALLBACK (edit_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->editor, "edited", G_CALLBACK (edited_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->editor, "cancelled", G_CALLBACK (end_editing), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_add_css_class (GTK_WIDGET (self), "editing");
  gtk_widget_set_halign (GTK_WIDGET (self->bubble), GTK_ALIGN_FILL);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  state_changed_cb (self);
}

void
hearth_message_row_edit (HearthMessageRow *self)
{
  g_return_if_fail (HEARTH_IS_MESSAGE_ROW (self));

  if (self->editor == NULL)
    begin_editing (self, hearth_message_get_text (self->message));
  gtk_widget_grab_focus (GTK_WIDGET (self->editor));
}

static void
edit_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hearth_message_row_edit (HEARTH_MESSAGE_ROW (widget));
}

static void
regenerate_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthMessageRow *self = HEARTH_MESSAGE_ROW (widget);
  g_autoptr (HearthMessageRow) kept = g_object_ref (self);

  if (is_held_back (self))
    return;
  if (hearth_conversation_regenerate_answer (self->conversation, self->message))
    gtk_widget_activate_action (widget, "messages.to-end", NULL);
}

/* The page opens what is needed for it, and answers again with that. */
static void
regenerate_with_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthMessageRow *self = HEARTH_MESSAGE_ROW (widget);
  gboolean model = g_str_equal (name, "message.regenerate-model");

  gtk_widget_activate_action (widget, model ? "chat.regenerate-model" : "chat.regenerate-settings",
                              "u", hearth_message_get_id (self->message));
}

static void
version_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthMessageRow *self = HEARTH_MESSAGE_ROW (widget);
  guint version = hearth_message_get_version (self->message);
  gboolean next = g_str_equal (name, "message.next-version");

  /* The row of the other version takes this one's place: the list brings the focus there. */
  gtk_widget_activate_action (widget, "messages.show-version", "(uu)",
                              hearth_message_get_id (self->message),
                              next ? version + 1 : version - 1);
}

/* ---- layout ----------------------------------------------------------------------------- */

/* A question takes four fifths of the width at most, an answer all of it. */
static int
column_width (HearthMessageRow *self, int width)
{
  int natural, minimum;
  int most = width * 4 / 5;

  if (!is_question (self))
    return width;
  gtk_widget_measure (GTK_WIDGET (self->column), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural,
                      NULL, NULL);
  /* Room to write: an editor does not grow with each letter. */
  if (self->editor != NULL)
    natural = most;
  return CLAMP (natural, MIN (minimum, width), MAX (most, minimum));
}

static GtkSizeRequestMode
hearth_message_row_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
hearth_message_row_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                            int *minimum, int *natural, int *minimum_baseline,
                            int *natural_baseline)
{
  HearthMessageRow *self = HEARTH_MESSAGE_ROW (widget);

  if (orientation == GTK_ORIENTATION_VERTICAL && for_size >= 0)
    for_size = column_width (self, for_size);
  gtk_widget_measure (GTK_WIDGET (self->column), orientation, for_size, minimum, natural, NULL,
                      NULL);
}

static void
hearth_message_row_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HearthMessageRow *self = HEARTH_MESSAGE_ROW (widget);
  int inner = column_width (self, width);
  gboolean rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;

  gtk_widget_size_allocate (
    GTK_WIDGET (self->column),
    &(GtkAllocation) { is_question (self) && !rtl ? width - inner : 0, 0, inner, height }, -1);
}

/* ---- object ----------------------------------------------------------------------------- */

/* A finger has no way to hover: where it taps, the buttons stay until it taps elsewhere. */
static void
touched_cb (HearthMessageRow *self)
{
  GtkWidget *row = gtk_widget_get_first_child (gtk_widget_get_parent (GTK_WIDGET (self)));

  for (; row != NULL; row = gtk_widget_get_next_sibling (row))
    gtk_widget_remove_css_class (row, "touched");
  gtk_widget_add_css_class (GTK_WIDGET (self), "touched");
}

static void
hearth_message_row_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_ENTER_SENDS)
    g_value_set_boolean (value, HEARTH_MESSAGE_ROW (object)->enter_sends);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_message_row_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  HearthMessageRow *self = HEARTH_MESSAGE_ROW (object);

  if (id != PROP_ENTER_SENDS)
    {
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      return;
    }
  self->enter_sends = g_value_get_boolean (value);
  g_object_notify_by_pspec (object, pspec);
}

static void
hearth_message_row_dispose (GObject *object)
{
  HearthMessageRow *self = HEARTH_MESSAGE_ROW (object);

  if (self->message != NULL)
    g_signal_handlers_disconnect_by_data (self->message, self);
  if (self->conversation != NULL)
    g_signal_handlers_disconnect_by_data (self->conversation, self);
  self->editor = NULL;
  g_clear_object (&self->message);
  g_clear_object (&self->conversation);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_MESSAGE_ROW);
  G_OBJECT_CLASS (hearth_message_row_parent_class)->dispose (object);
}

static void
hearth_message_row_class_init (HearthMessageRowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_message_row_dispose;
  object_class->get_property = hearth_message_row_get_property;
  object_class->set_property = hearth_message_row_set_property;
  widget_class->measure = hearth_message_row_measure;
  widget_class->size_allocate = hearth_message_row_size_allocate;
  widget_class->get_request_mode = hearth_message_row_get_request_mode;

  properties[PROP_ENTER_SENDS] =
    g_param_spec_boolean ("enter-sends", NULL, NULL, TRUE,
                          G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  g_type_ensure (HEARTH_TYPE_AGAIN_BUTTON);
  g_type_ensure (HEARTH_TYPE_ERROR_CARD);
  g_type_ensure (HEARTH_TYPE_MESSAGE_BODY);
  g_type_ensure (HEARTH_TYPE_THINKING_VIEW);
  gtk_widget_class_set_css_name (widget_class, "message");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LIST_ITEM);
  gtk_widget_class_install_action (widget_class, "message.copy", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "message.edit", NULL, edit_action);
  gtk_widget_class_install_action (widget_class, "message.fold", NULL, fold_action);
  gtk_widget_class_install_action (widget_class, "message.regenerate", NULL, regenerate_action);
  gtk_widget_class_install_action (widget_class, "message.regenerate-model", NULL,
                                   regenerate_with_action);
  gtk_widget_class_install_action (widget_class, "message.regenerate-settings", NULL,
                                   regenerate_with_action);
  gtk_widget_class_install_action (widget_class, "message.previous-version", NULL, version_action);
  gtk_widget_class_install_action (widget_class, "message.next-version", NULL, version_action);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-message-row.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, column);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, bubble);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, thinking_view);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, body);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, fold_button);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, waiting_box);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, waiting_label);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, error_card);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, action_box);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, edit_button);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, again_button);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, copy_button);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, continue_button);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, version_box);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, version_label);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageRow, figures_label);
}

static void
hearth_message_row_init (HearthMessageRow *self)
{
  GtkGesture *touch = gtk_gesture_click_new ();

  self->enter_sends = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_gesture_single_set_touch_only (GTK_GESTURE_SINGLE (touch), TRUE);
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (touch), GTK_PHASE_CAPTURE);
  g_signal_connect_object (touch, "pressed", G_CALLBACK (touched_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (touch));
}

/* A question is a card at the trailing side, an answer plain text across the column. */
static void
set_role (HearthMessageRow *self)
{
  const char *title = hearth_message_get_model_title (self->message);
  g_autofree char *label = NULL;

  if (is_question (self))
    {
      gtk_widget_add_css_class (GTK_WIDGET (self), "question");
      gtk_widget_add_css_class (GTK_WIDGET (self->bubble), "card");
      gtk_widget_set_halign (GTK_WIDGET (self->bubble), GTK_ALIGN_END);
      gtk_widget_set_halign (self->action_box, GTK_ALIGN_END);
      gtk_widget_set_visible (GTK_WIDGET (self->figures_label), FALSE);
      label = g_strdup (_ ("Question"));
    }
  else
    {
      HearthModelFile *model = hearth_conversation_get_model (self->conversation);

      if (title == NULL && model != NULL)
        title = hearth_model_file_get_title (model);
      gtk_widget_add_css_class (GTK_WIDGET (self), "answer");
      /* Translators: the name of a model */
      label = g_strdup_printf (_ ("Answer from %s"), title != NULL ? title : "");
    }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

static void
follow (HearthMessageRow *self, gpointer object, const char *signal, GCallback callback)
{
  g_signal_connect_object (object, signal, callback, self, G_CONNECT_SWAPPED);
}

GtkWidget *
hearth_message_row_new (HearthMessage *message, HearthConversation *conversation)
{
  HearthMessageRow *self = g_object_new (HEARTH_TYPE_MESSAGE_ROW, NULL);

  self->message = g_object_ref (message);
  self->conversation = g_object_ref (conversation);
  set_role (self);
  show_text (self);
  hearth_thinking_view_set_message (self->thinking_view, message);
  follow (self, message, "appended", G_CALLBACK (appended_cb));
  follow (self, message, "notify::progress", G_CALLBACK (show_progress));
  follow (self, message, "notify::state", G_CALLBACK (ended_cb));
  follow (self, message, "notify::version", G_CALLBACK (show_versions));
  follow (self, message, "notify::n-versions", G_CALLBACK (show_versions));
  follow (self, message, "notify::n-versions", G_CALLBACK (update_actions));
  follow (self, conversation, "notify::can-branch", G_CALLBACK (update_actions));
  follow (self, conversation, "notify::can-ask", G_CALLBACK (update_actions));
  follow (self, conversation, "items-changed", G_CALLBACK (update_continue));
  show_progress (self);
  show_versions (self);
  state_changed_cb (self);
  if (hearth_message_get_edit (message) != NULL)
    begin_editing (self, hearth_message_get_edit (message));
  return GTK_WIDGET (self);
}

HearthMessage *
hearth_message_row_get_message (HearthMessageRow *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE_ROW (self), NULL);

  return self->message;
}
