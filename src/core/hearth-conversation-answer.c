/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-conversation-answer.c - loading, asking and answering. */
#include "hearth-conversation-private.h"

/* A load or an answer under way. Its callback finds out by comparing with `owner->request` whether
 * somebody still wants the result. */
struct conversation_request
{
  HearthConversation *owner; /* weak: NULL once the conversation is gone */
  GCancellable *cancellable;
  HearthMessage *answer;     /* NULL: only a load */
  HearthReplyStream *stream; /* NULL until the engine has been asked */
  HearthFigures *before;     /* of the answer's beginning; NULL unless it is continued */
};

/* ---- requests --------------------------------------------------------------------------- */

static struct conversation_request *
request_new (HearthConversation *self, HearthMessage *answer)
{
  struct conversation_request *request = g_new0 (struct conversation_request, 1);

  g_set_weak_pointer (&request->owner, self);
  request->cancellable = g_cancellable_new ();
  g_set_object (&request->answer, answer);
  return request;
}

static void
request_free (struct conversation_request *request)
{
  g_clear_weak_pointer (&request->owner);
  g_clear_object (&request->cancellable);
  g_clear_object (&request->answer);
  if (request->stream != NULL)
    hearth_reply_stream_close (request->stream);
  g_clear_pointer (&request->stream, hearth_reply_stream_unref);
  g_free (request->before);
  g_free (request);
}

/* Whether the result of this request is still wanted. */
static gboolean
is_current (struct conversation_request *request)
{
  return request->owner != NULL && request->owner->request == request;
}

static void
end_request (struct conversation_request *request)
{
  HearthConversation *self = request->owner;

  self->request = NULL;
  request_free (request);
  _hearth_conversation_set_state (self, HEARTH_CONVERSATION_IDLE);
}

/* The engine is told, and whatever it still says is dropped. */
void
_hearth_conversation_drop_request (HearthConversation *self)
{
  struct conversation_request *request = g_steal_pointer (&self->request);

  if (request == NULL)
    return;
  /* What the model has said by now is kept, also what is not shown yet. */
  if (request->stream != NULL)
    hearth_reply_stream_flush (request->stream);
  if (request->answer != NULL && !hearth_message_is_finished (request->answer))
    hearth_message_stop (request->answer);
  if (request->stream != NULL)
    hearth_reply_stream_close (request->stream);
  g_cancellable_cancel (request->cancellable); /* its callback frees it */
}

gboolean
_hearth_conversation_is_answering (HearthConversation *self)
{
  return self->request != NULL && self->request->answer != NULL;
}

static HearthEngineModel
engine_model (HearthConversation *self)
{
  return (HearthEngineModel) {
    .path = hearth_model_file_get_path (self->model),
    .n_ctx = hearth_chat_settings_get_n_ctx (self->settings),
    .n_threads = hearth_chat_settings_get_n_threads (self->settings),
    .kv_type = hearth_chat_settings_get_kv_type (self->settings),
  };
}

/* ---- answers ---------------------------------------------------------------------------- */

static void
answered_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct conversation_request *request = user_data;
  g_autoptr (GError) error = NULL;
  g_autofree HearthFigures *figures =
    hearth_engine_answer_finish (HEARTH_ENGINE (source), result, &error);

  if (!is_current (request))
    {
      request_free (request);
      return;
    }
  hearth_reply_stream_flush (request->stream);
  if (figures != NULL)
    {
      hearth_figures_add (figures, request->before);
      hearth_message_finish (request->answer, figures);
    }
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    hearth_message_stop (request->answer);
  else
    hearth_message_fail (request->answer, error);
  end_request (request);
}

static void
collect_message (HearthMessage *message, GPtrArray *roles, GPtrArray *contents)
{
  gboolean question = hearth_message_get_role (message) == HEARTH_MESSAGE_QUESTION;

  g_ptr_array_add (roles, (gpointer) (question ? "user" : "assistant"));
  g_ptr_array_add (contents, (gpointer) hearth_message_get_text (message));
}

/* Every question with the answer it got; one that got none would leave two questions in a row,
 * which many templates refuse. `answer` is the one that is wanted: what it says already is the
 * beginning that it goes on from. */
static void
collect (HearthConversation *self, HearthMessage *answer, GPtrArray *roles, GPtrArray *contents)
{
  const GPtrArray *path = hearth_message_tree_get_path (self->tree);
  const char *system_prompt = hearth_chat_settings_get_system_prompt (self->settings);
  HearthMessage *question = NULL;

  if (*system_prompt != '\0')
    {
      g_ptr_array_add (roles, (gpointer) "system");
      g_ptr_array_add (contents, (gpointer) system_prompt);
    }
  for (guint i = 0; i < path->len; i++)
    {
      HearthMessage *message = path->pdata[i];

      if (hearth_message_get_role (message) == HEARTH_MESSAGE_QUESTION)
        question = message;
      else if (question != NULL &&
               (message == answer || *hearth_message_get_text (message) != '\0'))
        {
          collect_message (question, roles, contents);
          if (*hearth_message_get_text (message) != '\0' ||
              *hearth_message_get_thinking (message) != '\0')
            collect_message (message, roles, contents);
          if (message == answer)
            return;
          question = NULL;
        }
    }
}

/* What is the same for every question; `sampling` is filled in and must live as long. */
static HearthEngineTurn
engine_turn (HearthConversation *self, HearthSampling *sampling)
{
  hearth_chat_settings_get_sampling (self->settings, sampling);
  return (HearthEngineTurn) {
    .model = engine_model (self),
    .sampling = sampling,
    .thinking = hearth_chat_settings_get_thinking (self->settings),
    .leave_out = hearth_chat_settings_get_leave_out (self->settings),
  };
}

static void
request_answer (struct conversation_request *request)
{
  HearthConversation *self = request->owner;
  g_autoptr (GPtrArray) roles = g_ptr_array_new ();
  g_autoptr (GPtrArray) contents = g_ptr_array_new ();
  HearthSampling sampling;
  HearthEngineTurn turn = engine_turn (self, &sampling);

  collect (self, request->answer, roles, contents);
  turn.thoughts = hearth_message_get_thinking (request->answer);
  turn.roles = (const char *const *) roles->pdata;
  turn.contents = (const char *const *) contents->pdata;
  turn.n_messages = roles->len;
  request->stream = hearth_reply_stream_new (request->answer);
  _hearth_conversation_set_state (self, HEARTH_CONVERSATION_ANSWERING);
  hearth_engine_answer_async (self->engine, &turn, request->stream, request->cancellable,
                              answered_cb, request);
}

static void
loaded_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct conversation_request *request = user_data;
  g_autoptr (GError) error = NULL;
  gboolean loaded = hearth_engine_load_finish (HEARTH_ENGINE (source), result, &error);

  if (!is_current (request))
    {
      request_free (request);
      return;
    }
  if (loaded && request->answer != NULL)
    {
      request_answer (request);
      return;
    }
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      if (request->answer != NULL)
        hearth_message_stop (request->answer);
    }
  else if (error != NULL)
    {
      if (request->answer != NULL)
        hearth_message_fail (request->answer, error);
      else
        _hearth_conversation_set_load_error (request->owner, error);
    }
  end_request (request);
}

/* `answer` is NULL for a load alone. */
static void
begin (HearthConversation *self, HearthMessage *answer)
{
  HearthEngineModel model = engine_model (self);

  _hearth_conversation_set_load_error (self, NULL);
  self->request = request_new (self, answer);
  if (answer != NULL && hearth_engine_has_loaded (self->engine, &model))
    {
      request_answer (self->request);
      return;
    }
  _hearth_conversation_set_state (self, HEARTH_CONVERSATION_LOADING);
  hearth_engine_load_async (self->engine, &model, self->request->cancellable, loaded_cb,
                            self->request);
}

/* ---- the tree --------------------------------------------------------------------------- */

/* Returns: (transfer none): the message, now in the tree */
static HearthMessage *
add_message (HearthConversation *self, HearthMessage *parent, HearthMessageRole role,
             const char *text)
{
  g_autoptr (HearthMessage) message = hearth_message_new (role, text);
  guint n_before = hearth_message_tree_get_path (self->tree)->len;
  guint position;

  if (role == HEARTH_MESSAGE_ANSWER)
    hearth_message_set_model_title (message, hearth_conversation_get_model_title (self));
  position = hearth_message_tree_add (self->tree, parent, message);
  _hearth_conversation_path_changed (self, position, n_before);
  _hearth_conversation_record_message (self, message);
  return message; /* the tree keeps it */
}

/* The engine is asked for this message, when what goes on is through. */
static void
await (HearthConversation *self, HearthMessage *message)
{
  _hearth_conversation_touch (self);
  if (self->request == NULL)
    begin (self, message);
  else
    {
      /* The load that is going on answers when it is through. */
      self->request->answer = g_object_ref (message);
      _hearth_conversation_set_state (self, self->state);
    }
}

/* A new version of the answer to `question`. */
static void
answer (HearthConversation *self, HearthMessage *question)
{
  await (self, add_message (self, question, HEARTH_MESSAGE_ANSWER, ""));
}

static HearthMessage *
last_message (HearthConversation *self)
{
  const GPtrArray *path = hearth_message_tree_get_path (self->tree);

  return path->len > 0 ? path->pdata[path->len - 1] : NULL;
}

/* ---- public functions ------------------------------------------------------------------- */

void
hearth_conversation_load (HearthConversation *self)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));
  g_return_if_fail (self->model != NULL);

  if (self->request == NULL)
    begin (self, NULL);
}

gboolean
hearth_conversation_ask (HearthConversation *self, const char *text)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), FALSE);

  if (!hearth_conversation_can_ask (self) || hearth_text_is_blank (text))
    return FALSE;
  answer (self, add_message (self, last_message (self), HEARTH_MESSAGE_QUESTION, text));
  return TRUE;
}

void
hearth_conversation_regenerate (HearthConversation *self)
{
  HearthMessage *last;

  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  last = last_message (self);
  if (last == NULL || !hearth_conversation_can_regenerate (self))
    return;
  if (hearth_message_get_state (last) == HEARTH_MESSAGE_FAILED &&
      *hearth_message_get_text (last) == '\0' && *hearth_message_get_thinking (last) == '\0')
    {
      /* There is nothing to keep of it: another try takes its place. */
      _hearth_conversation_follow (self, last);
      hearth_message_set_model_title (last, hearth_conversation_get_model_title (self));
      hearth_message_resume (last);
      await (self, last);
      return;
    }
  if (hearth_message_get_role (last) == HEARTH_MESSAGE_ANSWER)
    last = hearth_message_tree_get_parent (self->tree, last);
  answer (self, last);
}

/* Whether it is one of those in the list. */
static gboolean
is_on_path (HearthConversation *self, HearthMessage *message)
{
  return g_ptr_array_find ((GPtrArray *) hearth_message_tree_get_path (self->tree), message, NULL);
}

gboolean
hearth_conversation_regenerate_answer (HearthConversation *self, HearthMessage *message)
{
  HearthMessage *question;

  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), FALSE);
  g_return_val_if_fail (HEARTH_IS_MESSAGE (message), FALSE);

  if (hearth_message_get_role (message) != HEARTH_MESSAGE_ANSWER || !is_on_path (self, message) ||
      !hearth_conversation_can_regenerate (self))
    return FALSE;
  question = hearth_message_tree_get_parent (self->tree, message);
  if (question == NULL)
    return FALSE;
  answer (self, question);
  return TRUE;
}

gboolean
hearth_conversation_edit (HearthConversation *self, HearthMessage *message, const char *text)
{
  HearthMessage *parent;
  HearthMessage *edited;

  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), FALSE);
  g_return_val_if_fail (HEARTH_IS_MESSAGE (message), FALSE);

  if (hearth_text_is_blank (text) || !is_on_path (self, message) ||
      !hearth_conversation_can_branch (self))
    return FALSE;
  parent = hearth_message_tree_get_parent (self->tree, message);
  if (hearth_message_get_role (message) == HEARTH_MESSAGE_QUESTION)
    {
      if (!hearth_conversation_can_ask (self))
        return FALSE;
      answer (self, add_message (self, parent, HEARTH_MESSAGE_QUESTION, text));
    }
  else
    {
      edited = add_message (self, parent, HEARTH_MESSAGE_ANSWER, text);
      hearth_message_finish (edited, NULL);
      _hearth_conversation_touch (self);
    }
  return TRUE;
}

void
hearth_conversation_show_version (HearthConversation *self, HearthMessage *message, guint version)
{
  guint n_before;
  guint position;

  g_return_if_fail (HEARTH_IS_CONVERSATION (self));
  g_return_if_fail (HEARTH_IS_MESSAGE (message));

  if (!hearth_conversation_can_branch (self) || !is_on_path (self, message) ||
      version >= hearth_message_get_n_versions (message) ||
      version == hearth_message_get_version (message))
    return;
  n_before = hearth_message_tree_get_path (self->tree)->len;
  position = hearth_message_tree_choose (self->tree, message, version);
  _hearth_conversation_path_changed (self, position, n_before);
  _hearth_conversation_record_choice (
    self, hearth_message_tree_get_version (self->tree, message, version));
}

gboolean
hearth_conversation_can_continue (HearthConversation *self)
{
  HearthMessage *last;

  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), FALSE);

  last = last_message (self);
  return last != NULL && hearth_conversation_can_ask (self) && hearth_message_can_go_on (last);
}

void
hearth_conversation_continue (HearthConversation *self)
{
  HearthMessage *last;
  const HearthFigures *figures;
  g_autofree HearthFigures *before = NULL;

  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  if (!hearth_conversation_can_continue (self))
    return;
  last = last_message (self);
  figures = hearth_message_get_figures (last);
  before = figures != NULL ? g_memdup2 (figures, sizeof *figures) : NULL;
  _hearth_conversation_follow (self, last);
  hearth_message_resume (last);
  await (self, last);
  self->request->before = g_steal_pointer (&before);
}

static void
counted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  g_autofree HearthCount *count = g_new0 (HearthCount, 1);
  GError *error = NULL;

  if (hearth_engine_count_finish (HEARTH_ENGINE (source), result, count, &error))
    g_task_return_pointer (task, g_steal_pointer (&count), g_free);
  else
    g_task_return_error (task, error);
}

void
hearth_conversation_count_async (HearthConversation *self, const char *draft,
                                 GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer user_data)
{
  g_autoptr (GPtrArray) roles = g_ptr_array_new ();
  g_autoptr (GPtrArray) contents = g_ptr_array_new ();
  HearthSampling sampling;
  HearthEngineTurn turn;

  g_return_if_fail (HEARTH_IS_CONVERSATION (self));
  g_return_if_fail (self->model != NULL);

  turn = engine_turn (self, &sampling);
  collect (self, NULL, roles, contents);
  if (draft != NULL && !hearth_text_is_blank (draft))
    {
      g_ptr_array_add (roles, (gpointer) "user");
      g_ptr_array_add (contents, (gpointer) draft);
    }
  turn.roles = (const char *const *) roles->pdata;
  turn.contents = (const char *const *) contents->pdata;
  turn.n_messages = roles->len;
  hearth_engine_count_async (self->engine, &turn, cancellable, counted_cb,
                             g_task_new (self, cancellable, callback, user_data));
}

gboolean
hearth_conversation_count_finish (HearthConversation *self, GAsyncResult *result,
                                  HearthCount *count, GError **error)
{
  g_autofree HearthCount *counted = NULL;

  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  counted = g_task_propagate_pointer (G_TASK (result), error);
  if (counted == NULL)
    return FALSE;
  *count = *counted;
  return TRUE;
}

void
hearth_conversation_stop (HearthConversation *self)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  if (self->request != NULL)
    g_cancellable_cancel (self->request->cancellable);
}
