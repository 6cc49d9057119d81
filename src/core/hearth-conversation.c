/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-conversation-private.h"

#include <string.h>

#include "hearth-enums.h"

#define TITLE_CHARS 80

static GParamSpec *properties[N_PROPS];

static GType
conversation_get_item_type (GListModel *list)
{
  return HEARTH_TYPE_MESSAGE;
}

static guint
conversation_get_n_items (GListModel *list)
{
  return hearth_message_tree_get_path (HEARTH_CONVERSATION (list)->tree)->len;
}

static gpointer
conversation_get_item (GListModel *list, guint position)
{
  const GPtrArray *path = hearth_message_tree_get_path (HEARTH_CONVERSATION (list)->tree);

  return position < path->len ? g_object_ref (path->pdata[position]) : NULL;
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

/* ---- for the other files of the class --------------------------------------------------- */

void
_hearth_conversation_notify (HearthConversation *self, enum conversation_prop prop)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[prop]);
}

void
_hearth_conversation_set_state (HearthConversation *self, HearthConversationState state)
{
  g_object_freeze_notify (G_OBJECT (self));
  if (self->state != state)
    {
      self->state = state;
      _hearth_conversation_notify (self, PROP_STATE);
    }
  _hearth_conversation_notify (self, PROP_CAN_ASK);
  _hearth_conversation_notify (self, PROP_CAN_REGENERATE);
  _hearth_conversation_notify (self, PROP_CAN_BRANCH);
  _hearth_conversation_notify (self, PROP_CAN_CONTINUE);
  g_object_thaw_notify (G_OBJECT (self));
}

void
_hearth_conversation_set_load_error (HearthConversation *self, const GError *error)
{
  if (self->load_error == NULL && error == NULL)
    return;
  g_clear_error (&self->load_error);
  if (error != NULL)
    self->load_error = g_error_copy (error);
  _hearth_conversation_notify (self, PROP_LOAD_ERROR);
}

void
_hearth_conversation_touch (HearthConversation *self)
{
  self->updated = g_get_real_time ();
  _hearth_conversation_changed (self);
  _hearth_conversation_notify (self, PROP_UPDATED);
}

static char *
title_from_question (const char *text)
{
  g_autofree char *line = NULL;

  while (g_ascii_isspace (*text))
    text++;
  line = g_strndup (text, strcspn (text, "\r\n"));
  g_strchomp (line);
  if (g_utf8_strlen (line, -1) <= TITLE_CHARS)
    return g_steal_pointer (&line);
  *g_utf8_offset_to_pointer (line, TITLE_CHARS - 1) = '\0';
  return g_strconcat (line, "…", NULL);
}

void
_hearth_conversation_update_title (HearthConversation *self)
{
  const GPtrArray *path = hearth_message_tree_get_path (self->tree);

  if (self->question_title != NULL || path->len == 0)
    return;
  self->question_title = title_from_question (hearth_message_get_text (path->pdata[0]));
  if (self->title == NULL)
    _hearth_conversation_notify (self, PROP_TITLE);
}

void
_hearth_conversation_update_untouched (HearthConversation *self)
{
  gboolean untouched = hearth_conversation_is_untouched (self);

  if (self->untouched == untouched)
    return;
  self->untouched = untouched;
  _hearth_conversation_notify (self, PROP_UNTOUCHED);
}

void
_hearth_conversation_path_changed (HearthConversation *self, guint position, guint n_before)
{
  guint n_now = hearth_message_tree_get_path (self->tree)->len;

  _hearth_conversation_update_title (self);
  _hearth_conversation_update_untouched (self);
  g_list_model_items_changed (G_LIST_MODEL (self), position, n_before - position, n_now - position);
}

/* ---- object ----------------------------------------------------------------------------- */

static void
hearth_conversation_dispose (GObject *object)
{
  HearthConversation *self = HEARTH_CONVERSATION (object);

  hearth_conversation_close (self);
  g_clear_object (&self->engine);
  g_clear_object (&self->model);
  G_OBJECT_CLASS (hearth_conversation_parent_class)->dispose (object);
}

static void
hearth_conversation_finalize (GObject *object)
{
  HearthConversation *self = HEARTH_CONVERSATION (object);

  hearth_message_tree_free (self->tree);
  g_free (self->title);
  g_free (self->question_title);
  g_free (self->model_path);
  g_free (self->model_title);
  g_clear_object (&self->settings);
  g_free (self->draft);
  g_free (self->first_settings);
  g_hash_table_unref (self->edited);
  g_clear_error (&self->load_error);
  G_OBJECT_CLASS (hearth_conversation_parent_class)->finalize (object);
}

static void
hearth_conversation_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthConversation *self = HEARTH_CONVERSATION (object);

  switch ((enum conversation_prop) id)
    {
    case PROP_TITLE:
      g_value_set_string (value, hearth_conversation_get_title (self));
      break;
    case PROP_MODEL:
      g_value_set_object (value, self->model);
      break;
    case PROP_MODEL_TITLE:
      g_value_set_string (value, hearth_conversation_get_model_title (self));
      break;
    case PROP_PINNED:
      g_value_set_boolean (value, self->pinned);
      break;
    case PROP_UPDATED:
      g_value_set_int64 (value, self->updated);
      break;
    case PROP_UNTOUCHED:
      g_value_set_boolean (value, self->untouched);
      break;
    case PROP_RESTORING:
      g_value_set_boolean (value, self->restoring);
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
    case PROP_CAN_BRANCH:
      g_value_set_boolean (value, hearth_conversation_can_branch (self));
      break;
    case PROP_CAN_CONTINUE:
      g_value_set_boolean (value, hearth_conversation_can_continue (self));
      break;
    case PROP_0:
    case N_PROPS:
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_conversation_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  HearthConversation *self = HEARTH_CONVERSATION (object);

  if (id == PROP_MODEL)
    hearth_conversation_set_model (self, g_value_get_object (value));
  else if (id == PROP_TITLE)
    hearth_conversation_set_title (self, g_value_get_string (value));
  else if (id == PROP_PINNED)
    hearth_conversation_set_pinned (self, g_value_get_boolean (value));
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

  properties[PROP_TITLE] =
    g_param_spec_string ("title", NULL, NULL, NULL, flags | G_PARAM_WRITABLE);
  properties[PROP_MODEL] =
    g_param_spec_object ("model", NULL, NULL, HEARTH_TYPE_MODEL_FILE, flags | G_PARAM_WRITABLE);
  properties[PROP_MODEL_TITLE] = g_param_spec_string ("model-title", NULL, NULL, NULL, flags);
  properties[PROP_PINNED] =
    g_param_spec_boolean ("pinned", NULL, NULL, FALSE, flags | G_PARAM_WRITABLE);
  properties[PROP_UPDATED] =
    g_param_spec_int64 ("updated", NULL, NULL, G_MININT64, G_MAXINT64, 0, flags);
  properties[PROP_UNTOUCHED] = g_param_spec_boolean ("untouched", NULL, NULL, TRUE, flags);
  properties[PROP_RESTORING] = g_param_spec_boolean ("restoring", NULL, NULL, FALSE, flags);
  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, HEARTH_TYPE_CONVERSATION_STATE,
                                              HEARTH_CONVERSATION_IDLE, flags);
  properties[PROP_LOAD_ERROR] = g_param_spec_boxed ("load-error", NULL, NULL, G_TYPE_ERROR, flags);
  properties[PROP_CAN_ASK] = g_param_spec_boolean ("can-ask", NULL, NULL, FALSE, flags);
  properties[PROP_CAN_REGENERATE] =
    g_param_spec_boolean ("can-regenerate", NULL, NULL, FALSE, flags);
  properties[PROP_CAN_CONTINUE] = g_param_spec_boolean ("can-continue", NULL, NULL, FALSE, flags);
  properties[PROP_CAN_BRANCH] = g_param_spec_boolean ("can-branch", NULL, NULL, TRUE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
hearth_conversation_init (HearthConversation *self)
{
  self->tree = hearth_message_tree_new ();
  self->draft = g_strdup ("");
  self->untouched = TRUE;
  do
    self->id = (gint64) (((guint64) g_random_int () << 31) ^ g_random_int ());
  while (self->id == 0);
  self->created = self->updated = g_get_real_time ();
  self->settings = hearth_chat_settings_new ();
  self->first_settings = hearth_chat_settings_to_text (self->settings);
  self->edited = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
  g_signal_connect_object (self->settings, "changed", G_CALLBACK (_hearth_conversation_changed),
                           self, G_CONNECT_SWAPPED);
}

HearthConversation *
hearth_conversation_new (HearthEngine *engine)
{
  HearthConversation *self = g_object_new (HEARTH_TYPE_CONVERSATION, NULL);

  self->engine = g_object_ref (engine);
  return self;
}

/* ---- what it is ------------------------------------------------------------------------- */

gint64
hearth_conversation_get_id (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), 0);

  return self->id;
}

const char *
hearth_conversation_get_title (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), NULL);

  return self->title != NULL ? self->title : self->question_title;
}

void
hearth_conversation_set_title (HearthConversation *self, const char *title)
{
  g_autofree char *stripped = NULL;

  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  stripped = title != NULL ? g_strstrip (g_strdup (title)) : NULL;
  if (stripped != NULL && *stripped == '\0')
    g_clear_pointer (&stripped, g_free);
  if (!g_set_str (&self->title, stripped))
    return;
  _hearth_conversation_notify (self, PROP_TITLE);
  _hearth_conversation_changed (self);
}

gboolean
hearth_conversation_get_pinned (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), FALSE);

  return self->pinned;
}

void
hearth_conversation_set_pinned (HearthConversation *self, gboolean pinned)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  pinned = !!pinned;
  if (self->pinned == pinned)
    return;
  self->pinned = pinned;
  _hearth_conversation_notify (self, PROP_PINNED);
  _hearth_conversation_changed (self);
}

gint64
hearth_conversation_get_updated (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), 0);

  return self->updated;
}

HearthModelFile *
hearth_conversation_get_model (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), NULL);

  return self->model;
}

static void
model_title_changed_cb (HearthConversation *self)
{
  g_set_str (&self->model_title, hearth_model_file_get_title (self->model));
  _hearth_conversation_notify (self, PROP_MODEL_TITLE);
  _hearth_conversation_changed (self);
}

/* The header was read, or failed to be. */
static void
model_state_changed_cb (HearthConversation *self)
{
  _hearth_conversation_set_state (self, self->state);
}

void
hearth_conversation_set_model (HearthConversation *self, HearthModelFile *model)
{
  const char *path;

  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  if (self->model == model)
    return;
  path = model != NULL ? hearth_model_file_get_path (model) : NULL;
  _hearth_conversation_drop_request (self);
  _hearth_conversation_set_load_error (self, NULL);
  if (self->model != NULL)
    g_signal_handlers_disconnect_by_data (self->model, self);
  g_set_object (&self->model, model);
  if (model != NULL)
    {
      g_signal_connect_object (model, "notify::title", G_CALLBACK (model_title_changed_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (model, "notify::state", G_CALLBACK (model_state_changed_cb), self,
                               G_CONNECT_SWAPPED);
    }
  /* A file whose header is not read yet is called by its name: what was known is better. */
  if (g_set_str (&self->model_path, path) || model == NULL || self->model_title == NULL ||
      hearth_model_file_get_header (model) != NULL)
    g_set_str (&self->model_title, model != NULL ? hearth_model_file_get_title (model) : NULL);
  _hearth_conversation_changed (self);
  g_object_freeze_notify (G_OBJECT (self));
  _hearth_conversation_notify (self, PROP_MODEL);
  _hearth_conversation_notify (self, PROP_MODEL_TITLE);
  _hearth_conversation_set_state (self, HEARTH_CONVERSATION_IDLE);
  g_object_thaw_notify (G_OBJECT (self));
}

const char *
hearth_conversation_get_model_title (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), NULL);

  return self->model_title;
}

const char *
hearth_conversation_get_model_path (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), NULL);

  return self->model_path;
}

HearthConversationState
hearth_conversation_get_state (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), HEARTH_CONVERSATION_IDLE);

  return self->state;
}

gboolean
hearth_conversation_get_restoring (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), FALSE);

  return self->restoring;
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

  return self->model != NULL && hearth_model_file_can_chat (self->model) && !self->unread &&
         !_hearth_conversation_is_answering (self);
}

/* The header's plan is for the context that new chats have. A shorter one of this chat takes its
 * part of the KV cache, or a little more where layers look back on a window alone. */
static gboolean
fits (HearthConversation *self, const HearthHeaderFit *fit)
{
  guint64 n_ctx = hearth_chat_settings_get_n_ctx (self->settings);
  guint64 kv = fit->kv;

  if (fit->fits)
    return TRUE;
  if (n_ctx != 0 && n_ctx < fit->n_ctx)
    kv = kv / fit->n_ctx * n_ctx;
  return fit->weights + kv + fit->checkpoint + fit->compute <= fit->budget;
}

gboolean
hearth_conversation_is_too_big (HearthConversation *self)
{
  const HearthModelHeader *header;

  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), FALSE);

  header = self->model != NULL ? hearth_model_file_get_header (self->model) : NULL;
  return header != NULL && header->fit_error == NULL && !fits (self, &header->fit) &&
         self->load_error == NULL && self->state == HEARTH_CONVERSATION_IDLE &&
         g_strcmp0 (hearth_engine_get_path (self->engine),
                    hearth_model_file_get_path (self->model)) != 0;
}

gboolean
hearth_conversation_can_regenerate (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), FALSE);

  return hearth_message_tree_get_path (self->tree)->len > 0 && hearth_conversation_can_ask (self);
}

gboolean
hearth_conversation_can_branch (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), FALSE);

  return !self->unread && !_hearth_conversation_is_answering (self);
}

gboolean
hearth_conversation_is_empty (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), TRUE);

  return !self->unread && hearth_message_tree_get_n_messages (self->tree) == 0;
}

gboolean
hearth_conversation_is_untouched (HearthConversation *self)
{
  g_autofree char *settings = NULL;

  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), FALSE);

  if (!hearth_conversation_is_empty (self) || *self->draft != '\0' ||
      hearth_conversation_get_title (self) != NULL || self->pinned)
    return FALSE;
  settings = hearth_chat_settings_to_text (self->settings);
  return g_str_equal (settings, self->first_settings);
}

HearthChatSettings *
hearth_conversation_get_settings (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), NULL);

  return self->settings;
}

void
hearth_conversation_set_sampling (HearthConversation *self, const HearthSampling *sampling)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  hearth_chat_settings_set_own (self->settings, sampling);
}

void
hearth_conversation_set_limits (HearthConversation *self, guint n_ctx, guint n_threads)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  hearth_chat_settings_set_n_ctx (self->settings, n_ctx);
  hearth_chat_settings_set_n_threads (self->settings, n_threads);
}

void
hearth_conversation_set_system_prompt (HearthConversation *self, const char *text)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  hearth_chat_settings_set_system_prompt (self->settings, text);
}

void
hearth_conversation_settle (HearthConversation *self)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  g_free (self->first_settings);
  self->first_settings = hearth_chat_settings_to_text (self->settings);
  _hearth_conversation_update_untouched (self);
}

const char *
hearth_conversation_get_draft (HearthConversation *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), "");

  return self->draft;
}

void
hearth_conversation_set_draft (HearthConversation *self, const char *text)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  if (g_set_str (&self->draft, text != NULL ? text : ""))
    _hearth_conversation_changed (self);
}

void
hearth_conversation_set_edit (HearthConversation *self, HearthMessage *message, const char *text)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));
  g_return_if_fail (HEARTH_IS_MESSAGE (message));

  if (g_strcmp0 (text, hearth_message_get_text (message)) == 0)
    text = NULL;
  if (!hearth_message_set_edit (message, text))
    return;
  g_hash_table_add (self->edited, g_object_ref (message));
  _hearth_conversation_changed (self);
}

void
hearth_conversation_get_place (HearthConversation *self, guint *message_id, double *offset)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  *message_id = self->place_id;
  *offset = self->place_offset;
}

void
hearth_conversation_set_place (HearthConversation *self, guint message_id, double offset)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  if (self->place_id == message_id && G_APPROX_VALUE (self->place_offset, offset, 0.5))
    return;
  self->place_id = message_id;
  self->place_offset = offset;
  _hearth_conversation_changed (self);
}
