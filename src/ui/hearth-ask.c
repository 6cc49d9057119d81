/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-ask.h"

#include <glib/gi18n.h>

#include "hearth-error.h"
#include "hearth-screenshot.h"
#include "hearth-words.h"

enum stage
{
  STAGE_OPENING,
  STAGE_LOADING,
  STAGE_ANSWERING,
  STAGE_PICTURE,
  STAGE_DONE,
};

struct _HearthAsk
{
  GObject parent_instance;

  HearthWindow *window; /* weak: NULL when somebody closed it */
  GFile *file;
  char *question;
  char *screenshot;

  GTask *task;
  enum stage stage;
  HearthConversation *conversation;
  HearthMessage *answer;
};

G_DEFINE_FINAL_TYPE (HearthAsk, hearth_ask, G_TYPE_OBJECT)

static void
finish (HearthAsk *self, GError *error)
{
  g_autoptr (GTask) task = g_steal_pointer (&self->task);

  self->stage = STAGE_DONE;
  if (task == NULL)
    g_clear_error (&error);
  else if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, TRUE);
}

static void
fail (HearthAsk *self, const GError *reason)
{
  HearthModelFile *model = self->window != NULL ? hearth_window_get_opened (self->window) : NULL;
  g_autofree char *sentence = hearth_words_for_error (reason, model);

  finish (self, g_error_new (G_IO_ERROR, G_IO_ERROR_FAILED, "%s (%s)", sentence, reason->message));
}

static void
print_outcome (HearthAsk *self)
{
  if (self->screenshot != NULL)
    {
      g_autofree char *path = g_canonicalize_filename (self->screenshot, NULL);

      g_print ("%s\n", path);
    }
  if (self->answer != NULL)
    {
      g_autofree char *line =
        g_strdelimit (g_strdup (hearth_message_get_text (self->answer)), "\r\n", ' ');

      g_print ("%s\n", line);
    }
}

static void
picture_taken_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthAsk) self = user_data;
  GError *error = NULL;

  if (hearth_screenshot_save_finish (result, &error))
    print_outcome (self);
  finish (self, error);
}

static void
take_picture (HearthAsk *self)
{
  self->stage = STAGE_PICTURE;
  if (self->screenshot == NULL)
    {
      print_outcome (self);
      finish (self, NULL);
      return;
    }
  hearth_screenshot_save_async (GTK_WINDOW (self->window), self->screenshot, picture_taken_cb,
                                g_object_ref (self));
}

static void
answer_state_cb (HearthAsk *self)
{
  HearthMessageState state = hearth_message_get_state (self->answer);

  if (self->stage != STAGE_ANSWERING || !hearth_message_is_finished (self->answer))
    return;
  if (state == HEARTH_MESSAGE_FAILED)
    fail (self, hearth_message_get_error (self->answer));
  else if (state == HEARTH_MESSAGE_STOPPED)
    finish (self,
            g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, _ ("The answer was stopped.")));
  else
    take_picture (self);
}

/* Types the question and sends it, as the keyboard would. */
static void
ask (HearthAsk *self)
{
  HearthChatPage *page = hearth_window_get_chat_page (self->window);
  HearthSampling sampling;

  self->stage = STAGE_ANSWERING;
  hearth_sampling_init (&sampling);
  sampling.values[HEARTH_PARAMETER_TEMPERATURE] = 0;
  hearth_conversation_set_sampling (self->conversation, &sampling);
  hearth_composer_set_text (hearth_chat_page_get_composer (page), self->question);
  gtk_widget_activate_action (GTK_WIDGET (page), "chat.send", NULL);
  self->answer = g_list_model_get_item (G_LIST_MODEL (self->conversation), 1);
  if (self->answer == NULL)
    {
      finish (self,
              g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, _ ("There is nothing to ask.")));
      return;
    }
  g_signal_connect_object (self->answer, "notify::state", G_CALLBACK (answer_state_cb), self,
                           G_CONNECT_SWAPPED);
  answer_state_cb (self);
}

static void
conversation_state_cb (HearthAsk *self)
{
  const GError *error = hearth_conversation_get_load_error (self->conversation);

  if (self->stage != STAGE_LOADING ||
      hearth_conversation_get_state (self->conversation) != HEARTH_CONVERSATION_IDLE)
    return;
  if (error != NULL && self->question != NULL)
    fail (self, error);
  else if (self->question != NULL)
    ask (self);
  else
    take_picture (self);
}

/* The window has read the header, and has had its say about it. */
static void
opened (HearthAsk *self)
{
  HearthModelFile *model = hearth_window_get_opened (self->window);
  HearthChatPage *page = hearth_window_get_chat_page (self->window);
  const HearthModelHeader *header = hearth_model_file_get_header (model);

  if (self->stage != STAGE_OPENING)
    return;
  if (header == NULL && self->question != NULL)
    {
      fail (self, hearth_model_file_get_error (model));
      return;
    }
  if (header != NULL && header->fit_error != NULL && self->question != NULL)
    {
      fail (self, header->fit_error);
      return;
    }
  if (!hearth_model_file_can_chat (model) && self->question != NULL)
    {
      g_autoptr (GError) mute =
        g_error_new_literal (HEARTH_ERROR, HEARTH_ERROR_NO_CHAT, "the file has no vocabulary");

      fail (self, mute);
      return;
    }
  if (!hearth_model_file_can_chat (model))
    {
      take_picture (self);
      return;
    }
  self->stage = STAGE_LOADING;
  self->conversation = g_object_ref (hearth_chat_page_get_conversation (page));
  /* Nothing but the model and the question decides the answer. */
  hearth_conversation_set_system_prompt (self->conversation, NULL);
  hearth_conversation_set_limits (self->conversation, 0, 0);
  hearth_chat_settings_set_kv_type (hearth_conversation_get_settings (self->conversation),
                                    HEARTH_KV_F16);
  g_signal_connect_object (self->conversation, "notify::state", G_CALLBACK (conversation_state_cb),
                           self, G_CONNECT_SWAPPED);
  conversation_state_cb (self);
}

static void
window_gone (HearthAsk *self)
{
  if (self->stage != STAGE_DONE)
    finish (self, g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED,
                                       _ ("The window was closed before there was an answer.")));
}

static void
hearth_ask_dispose (GObject *object)
{
  HearthAsk *self = HEARTH_ASK (object);

  g_clear_weak_pointer (&self->window);
  g_clear_object (&self->file);
  g_clear_object (&self->conversation);
  g_clear_object (&self->answer);
  g_clear_object (&self->task);
  G_OBJECT_CLASS (hearth_ask_parent_class)->dispose (object);
}

static void
hearth_ask_finalize (GObject *object)
{
  HearthAsk *self = HEARTH_ASK (object);

  g_free (self->question);
  g_free (self->screenshot);
  G_OBJECT_CLASS (hearth_ask_parent_class)->finalize (object);
}

static void
hearth_ask_class_init (HearthAskClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hearth_ask_dispose;
  G_OBJECT_CLASS (klass)->finalize = hearth_ask_finalize;
}

static void
hearth_ask_init (HearthAsk *self)
{
}

HearthAsk *
hearth_ask_new (HearthWindow *window, GFile *file, const char *question, const char *screenshot)
{
  HearthAsk *self = g_object_new (HEARTH_TYPE_ASK, NULL);

  g_set_weak_pointer (&self->window, window);
  g_set_object (&self->file, file);
  self->question = g_strdup (question);
  self->screenshot = g_strdup (screenshot);
  return self;
}

void
hearth_ask_run_async (HearthAsk *self, GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail (HEARTH_IS_ASK (self));

  self->task = g_task_new (self, NULL, callback, user_data);
  g_signal_connect_object (self->window, "destroy", G_CALLBACK (window_gone), self,
                           G_CONNECT_SWAPPED);
  if (self->file == NULL)
    {
      if (self->question != NULL)
        finish (self, g_error_new_literal (G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                                           _ ("--ask needs a model file.")));
      else
        take_picture (self);
      return;
    }
  g_signal_connect_object (self->window, "file-opened", G_CALLBACK (opened), self,
                           G_CONNECT_SWAPPED);
  hearth_window_open_file (self->window, self->file);
  if (hearth_window_get_opened (self->window) == NULL)
    finish (self, g_error_new_literal (G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                                       _ ("Hearth opens model files that are on this computer.")));
}

int
hearth_ask_run_finish (HearthAsk *self, GAsyncResult *result)
{
  g_autoptr (GError) error = NULL;

  g_return_val_if_fail (g_task_is_valid (result, self), 1);

  if (g_task_propagate_boolean (G_TASK (result), &error))
    return 0;
  g_printerr ("hearth: %s\n", error->message);
  return 1;
}
