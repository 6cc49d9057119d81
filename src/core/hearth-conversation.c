/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-conversation.h"

#include <string.h>

#include "hearth-enums.h"

struct _HearthConversation
{
  GObject parent_instance;

  HearthEngine *engine;
  HearthModelFile *model;
  GPtrArray *messages; /* of HearthMessage */
  char *title;
  char *system_prompt;
  GError *load_error;
  HearthSampling sampling;
  guint n_ctx;
  guint n_threads;
  HearthConversationState state;
  struct request *request; /* what is going on; NULL when idle */
};

/* A load or an answer under way. Its callback finds out by comparing with `owner->request` whether
 * somebody still wants the result. */
struct request
{
  HearthConversation *owner; /* weak: NULL once the conversation is gone */
  GCancellable *cancellable;
  HearthMessage *answer;     /* NULL: only a load */
  HearthReplyStream *stream; /* NULL until the engine has been asked */
};

enum
{
  PROP_0,
  PROP_TITLE,
  PROP_MODEL,
  PROP_STATE,
  PROP_LOAD_ERROR,
  PROP_CAN_ASK,
  PROP_CAN_REGENERATE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static GType
conversation_get_item_type (GListModel *list)
{
  return HEARTH_TYPE_MESSAGE;
}

static guint
conversation_get_n_items (GListModel *list)
{
  return HEARTH_CONVERSATION (list)->messages->len;
}

static gpointer
conversation_get_item (GListModel *list, guint position)
{
  HearthConversation *self = HEARTH_CONVERSATION (list);

  return position < self->messages->len ? g_object_ref (self->messages->pdata[position]) : NULL;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = conversation_get_item_type;
  iface->get_n_items = conversation_get_n_items;
  iface->get_item = conversation_get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthConversation, hearth_conversation, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

/* ---- requests --------------------------------------------------------------------------- */

static struct request *
request_new (HearthConversation *self, HearthMessage *answer)
{
  struct request *request = g_new0 (struct request, 1);

  g_set_weak_pointer (&request->owner, self);
  request->cancellable = g_cancellable_new ();
  g_set_object (&request->answer, answer);
  return request;
}

static void
request_free (struct request *request)
{
  g_clear_weak_pointer (&request->owner);
  g_clear_object (&request->cancellable);
  g_clear_object (&request->answer);
  if (request->stream != NULL)
    hearth_reply_stream_close (request->stream);
  g_clear_pointer (&request->stream, hearth_reply_stream_unref);
  g_free (request);
}

static void
set_state (HearthConversation *self, HearthConversationState state)
{
  GObject *object = G_OBJECT (self);

  g_object_freeze_notify (object);
  if (self->state != state)
    {
      self->state = state;
      g_object_notify_by_pspec (object, properties[PROP_STATE]);
    }
  g_object_notify_by_pspec (object, properties[PROP_CAN_ASK]);
  g_object_notify_by_pspec (object, properties[PROP_CAN_REGENERATE]);
  g_object_thaw_notify (object);
}

static void
set_load_error (HearthConversation *self, const GError *error)
{
  if (self->load_error == NULL && error == NULL)
    return;
  g_clear_error (&self->load_error);
  if (error != NULL)
    self->load_error = g_error_copy (error);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LOAD_ERROR]);
}

/* Whether the result of this request is still wanted. */
static gboolean
is_current (struct request *request)
{
  return request->owner != NULL && request->owner->request == request;
}

static void
end_request (struct request *request)
{
  HearthConversation *self = request->owner;

  self->request = NULL;
  request_free (request);
  set_state (self, HEARTH_CONVERSATION_IDLE);
}

/* Gives up on what is going on: the engine is told, and whatever it still says is dropped. */
static void
drop_request (HearthConversation *self)
{
  struct request *request = g_steal_pointer (&self->request);

  if (request == NULL)
    return;
  if (request->answer != NULL && !hearth_message_is_finished (request->answer))
    hearth_message_stop (request->answer);
  if (request->stream != NULL)
    hearth_reply_stream_close (request->stream);
  g_cancellable_cancel (request->cancellable); /* its callback frees it */
}

static HearthEngineModel
engine_model (HearthConversation *self)
{
  return (HearthEngineModel) {
    .path = hearth_model_file_get_path (self->model),
    .n_ctx = self->n_ctx,
    .n_threads = self->n_threads,
  };
}

/* ---- answers ---------------------------------------------------------------------------- */

static void
answered_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct request *request = user_data;
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
    hearth_message_finish (request->answer, figures);
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    hearth_message_stop (request->answer);
  else
    hearth_message_fail (request->answer, error);
  end_request (request);
}

/* Every question with the answer it got; one that got none would leave two questions in a row,
 * which many templates refuse. */
static void
collect (HearthConversation *self, HearthMessage *answer, GPtrArray *roles, GPtrArray *contents)
{
  if (self->system_prompt != NULL && *self->system_prompt != '\0')
    {
      g_ptr_array_add (roles, (gpointer) "system");
      g_ptr_array_add (contents, self->system_prompt);
    }
  for (guint i = 0; i + 1 < self->messages->len; i += 2)
    {
      HearthMessage *question = self->messages->pdata[i];
      HearthMessage *reply = self->messages->pdata[i + 1];
      gboolean last = reply == answer;

      if (!last && *hearth_message_get_text (reply) == '\0')
        continue;
      g_ptr_array_add (roles, (gpointer) "user");
      g_ptr_array_add (contents, (gpointer) hearth_message_get_text (question));
      if (last)
        break;
      g_ptr_array_add (roles, (gpointer) "assistant");
      g_ptr_array_add (contents, (gpointer) hearth_message_get_text (reply));
    }
}

static void
request_answer (struct request *request)
{
  HearthConversation *self = request->owner;
  g_autoptr (GPtrArray) roles = g_ptr_array_new ();
  g_autoptr (GPtrArray) contents = g_ptr_array_new ();
  HearthEngineTurn turn = { .model = engine_model (self), .sampling = &self->sampling };

  collect (self, request->answer, roles, contents);
  turn.roles = (const char *const *) roles->pdata;
  turn.contents = (const char *const *) contents->pdata;
  turn.n_messages = roles->len;
  request->stream = hearth_reply_stream_new (request->answer);
  set_state (self, HEARTH_CONVERSATION_ANSWERING);
  hearth_engine_answer_async (self->engine, &turn, request->stream, request->cancellable,
                              answered_cb, request);
}

static void
loaded_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct request *request = user_data;
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
        set_load_error (request->owner, error);
    }
  end_request (request);
}

static gboolean
model_is_in_memory (HearthConversation *self)
{
  HearthEngineState state = hearth_engine_get_state (self->engine);

  return (state == HEARTH_ENGINE_READY || state == HEARTH_ENGINE_ANSWERING) &&
         g_strcmp0 (hearth_engine_get_path (self->engine),
                    hearth_model_file_get_path (self->model)) == 0;
}

/* `answer` is NULL for a load alone. */
static void
begin (HearthConversation *self, HearthMessage *answer)
{
  HearthEngineModel model = engine_model (self);

  set_load_error (self, NULL);
  self->request = request_new (self, answer);
  if (answer != NULL && model_is_in_memory (self))
    {
      request_answer (self->request);
      return;
    }
  set_state (self, HEARTH_CONVERSATION_LOADING);
  hearth_engine_load_async (self->engine, &model, self->request->cancellable, loaded_cb,
                            self->request);
}

static void
add_message (HearthConversation *self, HearthMessage *message)
{
  g_ptr_array_add (self->messages, message);
  g_list_model_items_changed (G_LIST_MODEL (self), self->messages->len - 1, 0, 1);
}

/* ---- object ----------------------------------------------------------------------------- */

static void
hearth_conversation_dispose (GObject *object)
{
  HearthConversation *self = HEARTH_CONVERSATION (object);

  drop_request (self);
  g_clear_object (&self->engine);
  g_clear_object (&self->model);
  G_OBJECT_CLASS (hearth_conversation_parent_class)->dispose (object);
}

static void
hearth_conversation_finalize (GObject *object)
{
  HearthConversation *self = HEARTH_CONVERSATION (object);

  g_ptr_array_unref (self->messages);
  g_free (self->title);
  g_free (self->system_prompt);
  g_clear_error (&self->load_error);
  G_OBJECT_CLASS (hearth_conversation_parent_class)->finalize (object);
}

static void
hearth_conversation_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthConversation *self = HEARTH_CONVERSATION (object);

  switch (id)
    {
    case PROP_TITLE:
      g_value_set_string (value, self->title);
      break;
    case PROP_MODEL:
      g_value_set_object (value, self->model);
      break;
    case PROP_STATE:
      g_value_set_enum (value, (int) self->state);
      break;
    case PROP_LOAD_ERROR:
      g_value_set_boxed (value, self->load_error);
      break;
    case PROP_CAN_ASK:
      g_value_set_boolean (value, hearth_conversation_can_ask (self));
      break;
    case PROP_CAN_REGENERATE:
      g_value_set_boolean (value, hearth_conversation_can_regenerate (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_conversation_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_MODEL)
    hearth_conversation_set_model (HEARTH_CONVERSATION (object), g_value_get_object (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_conversation_class_init (HearthConversationClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->dispose = hearth_conversation_dispose;
  object_class->finalize = hearth_conversation_finalize;
  object_class->get_property = hearth_conversation_get_property;
  object_class->set_property = hearth_conversation_set_property;

  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, flags);
  properties[PROP_MODEL] =
    g_param_spec_object ("model", NULL, NULL, HEARTH_TYPE_MODEL_FILE, flags | G_PARAM_WRITABLE);
  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, HEARTH_TYPE_CONVERSATION_STATE,
                                              HEARTH_CONVERSATION_IDLE, flags);
  properties[PROP_LOAD_ERROR] = g_param_spec_boxed ("load-error", NULL, NULL, G_TYPE_ERROR, flags);
  properties[PROP_CAN_ASK] = g_param_spec_boolean ("can-ask", NULL, NULL, FALSE, flags);
  properties[PROP_CAN_REGENERATE] =
    g_param_spec_boolean ("can-regenerate", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
hearth_conversation_init (HearthConversation *self)
{
  self->messages = g_ptr_array_new_with_free_func (g_object_unref);
  hearth_sampling_init (&self->sampling);
}

HearthConversation *
hearth_conversation_new (HearthEngine *engine)
{
  HearthConversation *self = g_object_new (HEARTH_TYPE_CONVERSATION, NULL);

  self->engine = g_object_ref (engine);
  return self;
}

const char *
hearth_conversation_get_title (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), NULL);

  return self->title;
}

HearthModelFile *
hearth_conversation_get_model (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), NULL);

  return self->model;
}

void
hearth_conversation_set_model (HearthConversation *self, HearthModelFile *model)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  if (self->model == model)
    return;
  drop_request (self);
  set_load_error (self, NULL);
  g_set_object (&self->model, model);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MODEL]);
  set_state (self, HEARTH_CONVERSATION_IDLE);
}

HearthConversationState
hearth_conversation_get_state (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), HEARTH_CONVERSATION_IDLE);

  return self->state;
}

const GError *
hearth_conversation_get_load_error (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), NULL);

  return self->load_error;
}

gboolean
hearth_conversation_can_ask (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), FALSE);

  return self->model != NULL && hearth_model_file_can_chat (self->model) &&
         (self->request == NULL || self->request->answer == NULL);
}

gboolean
hearth_conversation_can_regenerate (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), FALSE);

  return self->messages->len >= 2 && hearth_conversation_can_ask (self);
}

gboolean
hearth_conversation_is_empty (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), TRUE);

  return self->messages->len == 0;
}

void
hearth_conversation_set_sampling (HearthConversation *self, const HearthSampling *sampling)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  self->sampling = *sampling;
}

void
hearth_conversation_set_limits (HearthConversation *self, guint n_ctx, guint n_threads)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  self->n_ctx = n_ctx;
  self->n_threads = n_threads;
}

void
hearth_conversation_set_system_prompt (HearthConversation *self, const char *text)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  g_set_str (&self->system_prompt, text);
}

void
hearth_conversation_load (HearthConversation *self)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));
  g_return_if_fail (self->model != NULL);

  if (self->request == NULL)
    begin (self, NULL);
}

static char *
title_from_question (const char *text)
{
  g_autofree char *line = NULL;

  while (g_ascii_isspace (*text))
    text++;
  line = g_strndup (text, strcspn (text, "\r\n"));
  g_strchomp (line);
  if (g_utf8_strlen (line, -1) <= 80)
    return g_steal_pointer (&line);
  *g_utf8_offset_to_pointer (line, 79) = '\0';
  return g_strconcat (line, "…", NULL);
}

static gboolean
is_blank (const char *text)
{
  for (; *text != '\0'; text = g_utf8_next_char (text))
    {
      if (!g_unichar_isspace (g_utf8_get_char (text)))
        return FALSE;
    }
  return TRUE;
}

gboolean
hearth_conversation_ask (HearthConversation *self, const char *text)
{
  HearthMessage *answer;

  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), FALSE);

  if (!hearth_conversation_can_ask (self) || is_blank (text))
    return FALSE;
  add_message (self, hearth_message_new (HEARTH_MESSAGE_QUESTION, text));
  answer = hearth_message_new (HEARTH_MESSAGE_ANSWER, "");
  add_message (self, answer);
  if (self->title == NULL)
    {
      self->title = title_from_question (text);
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TITLE]);
    }
  if (self->request == NULL)
    begin (self, answer);
  else
    {
      /* The load that is going on answers when it is through. */
      self->request->answer = g_object_ref (answer);
      set_state (self, self->state);
    }
  return TRUE;
}

void
hearth_conversation_regenerate (HearthConversation *self)
{
  guint last;
  HearthMessage *answer;

  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  if (!hearth_conversation_can_regenerate (self))
    return;
  last = self->messages->len - 1;
  answer = hearth_message_new (HEARTH_MESSAGE_ANSWER, "");
  g_object_unref (self->messages->pdata[last]);
  self->messages->pdata[last] = answer;
  g_list_model_items_changed (G_LIST_MODEL (self), last, 1, 1);
  if (self->request == NULL)
    begin (self, answer);
  else
    {
      self->request->answer = g_object_ref (answer);
      set_state (self, self->state);
    }
}

void
hearth_conversation_stop (HearthConversation *self)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  if (self->request != NULL)
    g_cancellable_cancel (self->request->cancellable);
}
