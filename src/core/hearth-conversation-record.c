/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-conversation-record.c - a conversation and its store. */
#include "hearth-conversation-private.h"

/* What is typed is saved in one go this often. */
#define SAVE_MS 100

/* ---- saving ----------------------------------------------------------------------------- */

static void
put_edits (HearthConversation *self)
{
  GHashTableIter iter;
  gpointer message;

  g_hash_table_iter_init (&iter, self->edited);
  while (g_hash_table_iter_next (&iter, &message, NULL))
    hearth_conversation_store_put_edit (self->store, self->id, hearth_message_get_id (message),
                                        hearth_message_get_edit (message));
  g_hash_table_remove_all (self->edited);
}

void
hearth_conversation_save (HearthConversation *self)
{
  g_autofree char *settings = NULL;
  HearthConversationRecord record;

  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  g_clear_handle_id (&self->save_id, g_source_remove);
  if (self->store == NULL)
    return;
  /* An empty chat that nobody has done anything to is not worth a row. */
  if (hearth_conversation_is_untouched (self))
    {
      if (self->kept)
        hearth_conversation_store_remove (self->store, self->id);
      self->kept = FALSE;
      return;
    }
  settings = hearth_chat_settings_to_text (self->settings);
  record = (HearthConversationRecord) {
    .id = self->id,
    .title = self->title,
    .question = self->question_title,
    .pinned = self->pinned,
    .created = self->created,
    .updated = self->updated,
    .model_path = self->model_path,
    .model_title = self->model_title,
    .draft = self->draft,
    .settings = settings,
    .place_message = self->place_id,
    .place_offset = self->place_offset,
  };
  hearth_conversation_store_put (self->store, &record);
  self->kept = TRUE;
  put_edits (self);
}

static void
save_cb (gpointer data)
{
  HearthConversation *self = data;

  self->save_id = 0;
  hearth_conversation_save (self);
}

void
_hearth_conversation_changed (HearthConversation *self)
{
  _hearth_conversation_update_untouched (self);
  if (self->store != NULL && self->save_id == 0)
    self->save_id = g_timeout_add_once (SAVE_MS, save_cb, self);
}

static void
put_message (HearthConversation *self, HearthMessage *message)
{
  HearthMessage *parent = hearth_message_tree_get_parent (self->tree, message);
  HearthMessageRecord record = {
    .id = hearth_message_get_id (message),
    .parent = parent != NULL ? hearth_message_get_id (parent) : 0,
    .role = hearth_message_get_role (message),
    .state = hearth_message_get_state (message),
    .chosen = hearth_message_tree_is_chosen (self->tree, message),
    .created = hearth_message_get_created (message),
    .text = hearth_message_get_text (message),
    .thinking = hearth_message_get_thinking (message),
    .thinking_ms = hearth_message_get_thinking_ms (message),
    .model_title = hearth_message_get_model_title (message),
    .figures = hearth_message_get_figures (message),
    .error = hearth_message_get_error (message),
  };

  hearth_conversation_store_put_message (self->store, self->id, &record);
}

static void
appended_cb (HearthConversation *self, const char *text, HearthMessage *message)
{
  if (self->store != NULL)
    hearth_conversation_store_append (self->store, self->id, hearth_message_get_id (message), FALSE,
                                      text);
}

static void
thought_cb (HearthConversation *self, const char *text, HearthMessage *message)
{
  if (self->store != NULL)
    hearth_conversation_store_append (self->store, self->id, hearth_message_get_id (message), TRUE,
                                      text);
}

static void
state_changed_cb (HearthConversation *self, GParamSpec *pspec, HearthMessage *message)
{
  /* Waiting: it is gone on with. */
  if (self->store != NULL && (hearth_message_is_finished (message) ||
                              hearth_message_get_state (message) == HEARTH_MESSAGE_WAITING))
    put_message (self, message);
}

void
_hearth_conversation_follow (HearthConversation *self, HearthMessage *message)
{
  if (self->store == NULL)
    return;
  g_signal_handlers_disconnect_by_func (message, appended_cb, self);
  g_signal_handlers_disconnect_by_func (message, thought_cb, self);
  g_signal_handlers_disconnect_by_func (message, state_changed_cb, self);
  g_signal_connect_object (message, "appended", G_CALLBACK (appended_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (message, "thought", G_CALLBACK (thought_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (message, "notify::state", G_CALLBACK (state_changed_cb), self,
                           G_CONNECT_SWAPPED);
}

void
_hearth_conversation_record_message (HearthConversation *self, HearthMessage *message)
{
  if (self->store == NULL)
    return;
  hearth_conversation_save (self);
  put_message (self, message);
  if (hearth_message_get_role (message) == HEARTH_MESSAGE_ANSWER)
    _hearth_conversation_follow (self, message);
}

void
_hearth_conversation_record_choice (HearthConversation *self, HearthMessage *message)
{
  if (self->store != NULL)
    hearth_conversation_store_choose (self->store, self->id, hearth_message_get_id (message));
}

/* ---- restoring -------------------------------------------------------------------------- */

static void
read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthConversation) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) records =
    hearth_conversation_store_read_finish (HEARTH_CONVERSATION_STORE (source), result, &error);
  g_autofree HearthMessageRecord *flat = NULL;

  self->restoring = FALSE;
  if (records == NULL)
    {
      /* Its messages stay unread: what is asked now must not overwrite them. */
      _hearth_conversation_set_load_error (self, error);
      _hearth_conversation_notify (self, PROP_RESTORING);
      return;
    }
  flat = g_new (HearthMessageRecord, records->len);
  for (guint i = 0; i < records->len; i++)
    flat[i] = *(HearthMessageRecord *) records->pdata[i];
  hearth_message_tree_restore (self->tree, flat, records->len);
  self->unread = FALSE;
  _hearth_conversation_path_changed (self, 0, 0);
  _hearth_conversation_notify (self, PROP_RESTORING);
  _hearth_conversation_set_state (self, self->state);
}

void
hearth_conversation_restore (HearthConversation *self)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  if (!self->unread || self->restoring || self->store == NULL)
    return;
  self->restoring = TRUE;
  _hearth_conversation_notify (self, PROP_RESTORING);
  hearth_conversation_store_read_async (self->store, self->id, read_cb, g_object_ref (self));
}

static void
set_record (HearthConversation *self, const HearthConversationRecord *record)
{
  self->id = record->id;
  self->title = g_strdup (record->title);
  self->question_title = g_strdup (record->question);
  self->pinned = record->pinned;
  self->created = record->created;
  self->updated = record->updated;
  self->model_path = g_strdup (record->model_path);
  self->model_title = g_strdup (record->model_title);
  g_set_str (&self->draft, record->draft);
  self->place_id = record->place_message;
  self->place_offset = record->place_offset;
  hearth_chat_settings_from_text (self->settings, record->settings);
  self->unread = TRUE;
  self->kept = TRUE;
  _hearth_conversation_update_untouched (self);
}

HearthConversation *
hearth_conversation_new_kept (HearthEngine *engine, HearthConversationStore *store,
                              const HearthConversationRecord *record)
{
  HearthConversation *self = hearth_conversation_new (engine);

  self->store = g_object_ref (store);
  if (record != NULL)
    set_record (self, record);
  return self;
}

HearthConversation *
hearth_conversation_duplicate (HearthConversation *self, const char *title)
{
  HearthConversation *copy;

  g_return_val_if_fail (HEARTH_IS_CONVERSATION (self), NULL);
  g_return_val_if_fail (self->store != NULL, NULL);

  hearth_conversation_save (self);
  copy = hearth_conversation_new_kept (self->engine, self->store, NULL);
  copy->title = g_strdup (title);
  copy->question_title = g_strdup (self->question_title);
  hearth_chat_settings_assign (copy->settings, self->settings);
  g_set_str (&copy->draft, self->draft);
  copy->place_id = self->place_id;
  copy->place_offset = self->place_offset;
  hearth_conversation_store_duplicate (self->store, self->id, copy->id, title, copy->created);
  copy->unread = TRUE;
  copy->kept = TRUE;
  _hearth_conversation_update_untouched (copy);
  hearth_conversation_set_model (copy, self->model);
  g_set_str (&copy->model_path, self->model_path);
  g_set_str (&copy->model_title, self->model_title);
  return copy;
}

void
hearth_conversation_close (HearthConversation *self)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  _hearth_conversation_drop_request (self);
  if (self->save_id != 0)
    hearth_conversation_save (self);
  g_clear_object (&self->store);
}

void
hearth_conversation_forget (HearthConversation *self)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION (self));

  g_clear_handle_id (&self->save_id, g_source_remove);
  if (self->store != NULL && self->kept)
    hearth_conversation_store_remove (self->store, self->id);
  g_clear_object (&self->store);
  self->kept = FALSE;
}
