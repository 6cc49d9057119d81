/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How full the context is, and the two ways out when it is full. */
#include "hearth-chat-page-private.h"

#include <glib/gi18n.h>

#include "hearth-error.h"
#include "hearth-words.h"

/* A pause in typing after which a question is counted. */
#define COUNT_MS 150

static void show_ways_out (HearthChatPage *self);

/* ---- counting --------------------------------------------------------------------------- */

static gboolean
leaves_out (HearthChatPage *self)
{
  return self->conversation != NULL &&
         hearth_chat_settings_get_leave_out (hearth_conversation_get_settings (self->conversation));
}

static void
show_count (HearthChatPage *self)
{
  if (self->context_bar != NULL)
    hearth_context_bar_show (self->context_bar, self->counted ? &self->count : NULL,
                             leaves_out (self));
}

/* The model in memory is this chat's. */
static gboolean
is_loaded (HearthChatPage *self)
{
  HearthEngineState state = hearth_engine_get_state (self->engine);
  HearthModelFile *model =
    self->conversation != NULL ? hearth_conversation_get_model (self->conversation) : NULL;

  return model != NULL && (state == HEARTH_ENGINE_READY || state == HEARTH_ENGINE_ANSWERING) &&
         g_strcmp0 (hearth_engine_get_path (self->engine), hearth_model_file_get_path (model)) == 0;
}

static void
counted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthChatPage) self = user_data;
  HearthCount count;
  g_autoptr (GError) error = NULL;
  gboolean ok =
    hearth_conversation_count_finish (HEARTH_CONVERSATION (source), result, &count, &error);

  if (HEARTH_CONVERSATION (source) != self->conversation ||
      g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_clear_object (&self->counting);
  self->counted = ok;
  if (ok)
    self->count = count;
  show_count (self);
  if (self->larger != NULL)
    show_ways_out (self);
}

static gboolean
count_cb (gpointer data)
{
  HearthChatPage *self = data;
  g_autofree char *draft = NULL;

  self->count_id = 0;
  if (self->engine == NULL || !is_loaded (self))
    {
      self->counted = FALSE;
      show_count (self);
      return G_SOURCE_REMOVE;
    }
  /* The answer tells what it takes by itself. */
  if (hearth_conversation_get_state (self->conversation) != HEARTH_CONVERSATION_IDLE)
    return G_SOURCE_REMOVE;
  if (self->counting != NULL)
    g_cancellable_cancel (self->counting);
  g_clear_object (&self->counting);
  self->counting = g_cancellable_new ();
  draft = hearth_composer_dup_text (self->composer);
  hearth_conversation_count_async (self->conversation, draft, self->counting, counted_cb,
                                   g_object_ref (self));
  return G_SOURCE_REMOVE;
}

void
_hearth_chat_page_count_later (HearthChatPage *self)
{
  if (self->composer == NULL)
    return; /* being disposed */
  g_clear_handle_id (&self->count_id, g_source_remove);
  self->count_id = g_timeout_add (COUNT_MS, count_cb, self);
}

void
_hearth_chat_page_show_progress (HearthChatPage *self)
{
  guint n_tokens;

  if (self->composer == NULL || !self->counted || self->conversation == NULL ||
      hearth_conversation_get_state (self->conversation) != HEARTH_CONVERSATION_ANSWERING)
    return;
  n_tokens = hearth_engine_get_n_tokens (self->engine);
  self->count.n_kept = n_tokens;
  self->count.n_prompt = MAX (self->count.n_prompt, n_tokens);
  self->count.n_remaining = MAX (self->count.n_remaining, n_tokens);
  show_count (self);
}

/* ---- when it is full -------------------------------------------------------------------- */

/* Whether the last answer was refused or cut off because the context is full. */
static gboolean
is_full (HearthChatPage *self)
{
  g_autoptr (HearthMessage) answer = _hearth_chat_page_ref_last_answer (self);
  const HearthFigures *figures;

  if (answer == NULL || hearth_message_get_role (answer) != HEARTH_MESSAGE_ANSWER ||
      hearth_conversation_get_state (self->conversation) != HEARTH_CONVERSATION_IDLE)
    return FALSE;
  figures = hearth_message_get_figures (answer);
  return g_error_matches (hearth_message_get_error (answer), HEARTH_ERROR,
                          HEARTH_ERROR_CONTEXT_FULL) ||
         (figures != NULL && hearth_message_get_state (answer) == HEARTH_MESSAGE_DONE &&
          figures->ending == HEARTH_ENDING_CONTEXT);
}

static guint
present_n_ctx (HearthChatPage *self)
{
  return self->counted ? self->count.n_ctx : hearth_engine_get_n_ctx (self->engine);
}

/* Twice as long, as far as the model was trained for it and memory goes; 0 when there is no more.
 */
static guint
larger_n_ctx (HearthChatPage *self)
{
  const HearthFitPlan *plan = self->larger != NULL ? hearth_fit_get_plan (self->larger) : NULL;
  guint present = present_n_ctx (self);
  guint larger;

  if (plan == NULL)
    return 0;
  larger = MIN (MIN (2 * present, plan->n_ctx_trained), plan->longest);
  return larger > present ? larger : 0;
}

static void
show_ways_out (HearthChatPage *self)
{
  const HearthFitPlan *plan = self->larger != NULL ? hearth_fit_get_plan (self->larger) : NULL;
  guint larger = larger_n_ctx (self);
  gboolean can_leave_out = !leaves_out (self) && (!self->counted || self->count.n_left_out > 0);

  if (self->full_card == NULL)
    return; /* being disposed */
  hearth_error_card_set_action (self->full_card, _ ("Leave Out the Oldest Turns"),
                                can_leave_out ? "chat.leave-out" : NULL);
  if (larger > 0 && plan != NULL)
    {
      HearthEngineMemory memory;
      guint64 now, then;
      g_autofree char *more = NULL;
      g_autofree char *label = NULL;

      hearth_engine_get_memory (self->engine, &memory);
      now = memory.kv + memory.checkpoint + memory.compute;
      then = plan->kv + plan->checkpoint + plan->compute;
      more = hearth_words_for_size (then > now ? then - now : 0);
      /* Translators: %s is a size in memory, "1.1 GB" */
      label = g_strdup_printf (_ ("Enlarge Context (%s more)"), more);
      hearth_error_card_set_other_action (self->full_card, label, "chat.enlarge");
    }
  else
    hearth_error_card_set_other_action (self->full_card, NULL, NULL);
}

void
_hearth_chat_page_update_full (HearthChatPage *self)
{
  HearthModelFile *model =
    self->conversation != NULL ? hearth_conversation_get_model (self->conversation) : NULL;
  gboolean full = model != NULL && is_full (self);
  g_autoptr (HearthMessage) answer = NULL;
  g_autofree char *number = NULL;
  g_autofree char *sentence = NULL;
  const GError *error;
  HearthChatSettings *settings;

  if (!full)
    {
      gtk_widget_set_visible (GTK_WIDGET (self->full_card), FALSE);
      g_clear_object (&self->larger);
      g_signal_group_set_target (self->larger_signals, NULL);
      return;
    }
  if (gtk_widget_get_visible (GTK_WIDGET (self->full_card)))
    return;
  settings = hearth_conversation_get_settings (self->conversation);
  answer = _hearth_chat_page_ref_last_answer (self);
  error = hearth_message_get_error (answer);
  number = hearth_words_for_number (present_n_ctx (self));
  sentence = g_strdup_printf (
    _ ("The conversation is longer than this model can read at once (%s tokens)."), number);
  hearth_error_card_show_failure (self->full_card, sentence, error != NULL ? error->message : NULL);
  gtk_accessible_announce (GTK_ACCESSIBLE (self), sentence,
                           GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_HIGH);
  g_clear_object (&self->larger);
  self->larger = hearth_fit_new (hearth_model_file_get_path (model));
  g_signal_group_set_target (self->larger_signals, self->larger);
  {
    HearthEngineMemory memory;

    hearth_engine_get_memory (self->engine, &memory);
    hearth_fit_set_wish (self->larger, 2 * present_n_ctx (self),
                         hearth_chat_settings_get_kv_type (settings),
                         hearth_chat_settings_get_n_threads (settings),
                         memory.kv + memory.checkpoint + memory.compute);
  }
  show_ways_out (self);
}

/* Whether there is more of it than when it was full. */
static gboolean
has_room (HearthChatPage *self)
{
  guint n = leaves_out (self) ? self->count.n_remaining : self->count.n_prompt;

  return !self->counted || n < self->count.n_ctx;
}

gboolean
_hearth_chat_page_show_full (HearthChatPage *self)
{
  if (self->conversation == NULL || !is_full (self) || has_room (self))
    return FALSE;
  gtk_widget_set_visible (GTK_WIDGET (self->full_card), FALSE);
  _hearth_chat_page_update_full (self);
  hearth_error_card_focus_action (self->full_card);
  return TRUE;
}

/* Where the full context had stopped it: an answer that was cut off goes on, one that was refused
 * is tried again. */
static void
go_on (HearthChatPage *self)
{
  if (hearth_conversation_can_continue (self->conversation))
    hearth_conversation_continue (self->conversation);
  else
    hearth_conversation_regenerate (self->conversation);
  gtk_widget_grab_focus (GTK_WIDGET (self->composer));
  hearth_message_list_scroll_to_end (self->message_list);
}

void
_hearth_chat_page_leave_out (HearthChatPage *self)
{
  if (self->conversation == NULL || !is_full (self))
    return;
  hearth_chat_settings_set_leave_out (hearth_conversation_get_settings (self->conversation), TRUE);
  go_on (self);
}

void
_hearth_chat_page_enlarge (HearthChatPage *self)
{
  guint larger = larger_n_ctx (self);

  if (self->conversation == NULL || !is_full (self) || larger == 0)
    return;
  hearth_chat_settings_set_n_ctx (hearth_conversation_get_settings (self->conversation), larger);
  go_on (self);
}

void
_hearth_chat_page_init_context (HearthChatPage *self)
{
  self->larger_signals = g_signal_group_new (HEARTH_TYPE_FIT);
  g_signal_group_connect_object (self->larger_signals, "notify::plan", G_CALLBACK (show_ways_out),
                                 self, G_CONNECT_SWAPPED);
}

void
_hearth_chat_page_dispose_context (HearthChatPage *self)
{
  g_clear_handle_id (&self->count_id, g_source_remove);
  if (self->counting != NULL)
    g_cancellable_cancel (self->counting);
  g_clear_object (&self->counting);
  g_clear_object (&self->larger_signals);
  g_clear_object (&self->larger);
}
