/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-conversation-list.h"

#define NOTE_OPEN "open-chat"

struct _HearthConversationList
{
  GObject parent_instance;

  HearthEngine *engine;
  HearthConversationStore *store;
  HearthLibrary *library;
  HearthSettings *settings;
  GPtrArray *shown;  /* of HearthConversation, in order */
  GPtrArray *hidden; /* of HearthConversation */
  gint64 last_open;  /* when the program ended */
  gint64 open;       /* now */
  gint64 noted;      /* in the store */
  gboolean ready;
};

static GType
list_get_item_type (GListModel *list)
{
  return HEARTH_TYPE_CONVERSATION;
}

static guint
list_get_n_items (GListModel *list)
{
  return HEARTH_CONVERSATION_LIST (list)->shown->len;
}

static gpointer
list_get_item (GListModel *list, guint position)
{
  HearthConversationList *self = HEARTH_CONVERSATION_LIST (list);

  return position < self->shown->len ? g_object_ref (self->shown->pdata[position]) : NULL;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = list_get_item_type;
  iface->get_n_items = list_get_n_items;
  iface->get_item = list_get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthConversationList, hearth_conversation_list, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

enum
{
  PROP_0,
  PROP_READY,
  PROP_STORE,
  N_PROPS
};

enum
{
  USED,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

/* ---- order ------------------------------------------------------------------------------ */

static int
compare (HearthConversation *a, HearthConversation *b)
{
  gint64 a_updated = hearth_conversation_get_updated (a);
  gint64 b_updated = hearth_conversation_get_updated (b);
  int pinned = hearth_conversation_get_pinned (b) - hearth_conversation_get_pinned (a);

  if (pinned != 0)
    return pinned;
  return (b_updated > a_updated) - (b_updated < a_updated);
}

static int
compare_values (gconstpointer a, gconstpointer b)
{
  return compare (*(HearthConversation *const *) a, *(HearthConversation *const *) b);
}

static void
remove_at (HearthConversationList *self, guint position)
{
  g_ptr_array_remove_index (self->shown, position);
  g_list_model_items_changed (G_LIST_MODEL (self), position, 1, 0);
}

/* Takes over the reference. */
static void
insert (HearthConversationList *self, HearthConversation *conversation)
{
  guint position = 0;

  while (position < self->shown->len && compare (self->shown->pdata[position], conversation) < 0)
    position++;
  g_ptr_array_insert (self->shown, (int) position, conversation);
  g_list_model_items_changed (G_LIST_MODEL (self), position, 0, 1);
}

/* Pinned, or used just now. */
static void
order_changed_cb (HearthConversationList *self, GParamSpec *pspec, HearthConversation *conversation)
{
  guint position;

  if (!g_ptr_array_find (self->shown, conversation, &position))
    return;
  if ((position == 0 || compare (self->shown->pdata[position - 1], conversation) <= 0) &&
      (position + 1 == self->shown->len ||
       compare (conversation, self->shown->pdata[position + 1]) <= 0))
    {
      g_signal_emit (self, signals[USED], 0, conversation);
      return;
    }
  g_object_ref (conversation);
  remove_at (self, position);
  insert (self, conversation);
}

/* Who lists only the chats that somebody has begun has to look at it anew. */
static void
untouched_changed_cb (HearthConversationList *self, GParamSpec *pspec,
                      HearthConversation *conversation)
{
  guint position;

  if (g_ptr_array_find (self->shown, conversation, &position))
    g_list_model_items_changed (G_LIST_MODEL (self), position, 1, 1);
}

static void
follow (HearthConversationList *self, HearthConversation *conversation)
{
  g_signal_connect_object (conversation, "notify::updated", G_CALLBACK (order_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (conversation, "notify::pinned", G_CALLBACK (order_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (conversation, "notify::untouched", G_CALLBACK (untouched_changed_cb),
                           self, G_CONNECT_SWAPPED);
}

/* Takes over the reference and returns it. */
static HearthConversation *
add (HearthConversationList *self, HearthConversation *conversation)
{
  follow (self, conversation);
  insert (self, conversation);
  return conversation;
}

/* ---- reading ---------------------------------------------------------------------------- */

static HearthConversation *
find_in (GPtrArray *list, gint64 id)
{
  for (guint i = 0; i < list->len; i++)
    {
      if (hearth_conversation_get_id (list->pdata[i]) == id)
        return list->pdata[i];
    }
  return NULL;
}

/* Not before it is known which one was open last. */
static void
note_open (HearthConversationList *self)
{
  g_autofree char *value = g_strdup_printf ("%" G_GINT64_FORMAT, self->open);

  if (!self->ready || self->noted == self->open)
    return;
  self->noted = self->open;
  hearth_conversation_store_put_note (self->store, NOTE_OPEN, value);
}

static void
listed_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthConversationList) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) records =
    hearth_conversation_store_list_finish (HEARTH_CONVERSATION_STORE (source), result, &error);
  guint n_before = self->shown->len;

  if (self->engine == NULL)
    return; /* closed meanwhile */
  if (records == NULL)
    g_warning ("%s", error->message);
  for (guint i = 0; records != NULL && i < records->len; i++)
    {
      HearthConversationRecord *record = records->pdata[i];
      HearthConversation *conversation;

      if (find_in (self->shown, record->id) != NULL || find_in (self->hidden, record->id) != NULL)
        continue; /* begun while the store was opened */
      conversation = hearth_conversation_new_kept (self->engine, self->store, record);
      follow (self, conversation);
      g_ptr_array_add (self->shown, conversation);
    }
  g_ptr_array_sort (self->shown, compare_values);
  g_list_model_items_changed (G_LIST_MODEL (self), 0, n_before, self->shown->len);
  self->ready = TRUE;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_READY]);
  note_open (self);
}

static void
note_read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthConversationList) self = user_data;
  g_autofree char *value =
    hearth_conversation_store_read_note_finish (HEARTH_CONVERSATION_STORE (source), result, NULL);

  /* Before the chats come: it was asked for first. */
  if (value != NULL)
    self->last_open = self->noted = g_ascii_strtoll (value, NULL, 10);
}

/* ---- defaults --------------------------------------------------------------------------- */

/* A chat that nobody has begun is still a new one: it gets the default that was chosen last. */
static void
default_changed_cb (HearthConversationList *self, GParamSpec *pspec)
{
  for (guint i = 0; i < self->shown->len; i++)
    {
      HearthConversation *conversation = self->shown->pdata[i];
      HearthChatSettings *settings = hearth_conversation_get_settings (conversation);

      if (!hearth_conversation_is_untouched (conversation))
        continue;
      if (g_str_equal (pspec->name, "kv-type"))
        hearth_chat_settings_set_kv_type (settings, hearth_settings_get_kv_type (self->settings));
      else
        hearth_chat_settings_set_n_ctx (settings,
                                        hearth_settings_get_context_length (self->settings));
      hearth_conversation_settle (conversation);
    }
}

/* Threads are this computer's and not a chat's: they reach every chat, with its next load or
 * answer. One that has no model yet gets them when it is opened. */
static void
threads_changed_cb (HearthConversationList *self)
{
  GPtrArray *const lists[] = { self->shown, self->hidden };

  for (gsize k = 0; k < G_N_ELEMENTS (lists); k++)
    for (guint i = 0; i < lists[k]->len; i++)
      {
        HearthConversation *conversation = lists[k]->pdata[i];

        if (hearth_conversation_get_model (conversation) != NULL ||
            hearth_conversation_is_untouched (conversation))
          hearth_chat_settings_set_n_threads (hearth_conversation_get_settings (conversation),
                                              hearth_settings_get_threads (self->settings));
      }
}

static void
follow_default (HearthConversationList *self, const char *signal)
{
  g_signal_connect_object (self->settings, signal, G_CALLBACK (default_changed_cb), self,
                           G_CONNECT_SWAPPED);
}

/* ---- object ----------------------------------------------------------------------------- */

static void
hearth_conversation_list_dispose (GObject *object)
{
  HearthConversationList *self = HEARTH_CONVERSATION_LIST (object);

  hearth_conversation_list_close (self);
  g_clear_object (&self->engine);
  g_clear_object (&self->store);
  g_clear_object (&self->library);
  g_clear_object (&self->settings);
  G_OBJECT_CLASS (hearth_conversation_list_parent_class)->dispose (object);
}

static void
hearth_conversation_list_finalize (GObject *object)
{
  HearthConversationList *self = HEARTH_CONVERSATION_LIST (object);

  g_ptr_array_unref (self->shown);
  g_ptr_array_unref (self->hidden);
  G_OBJECT_CLASS (hearth_conversation_list_parent_class)->finalize (object);
}

static void
hearth_conversation_list_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthConversationList *self = HEARTH_CONVERSATION_LIST (object);

  switch (id)
    {
    case PROP_READY:
      g_value_set_boolean (value, self->ready);
      break;
    case PROP_STORE:
      g_value_set_object (value, self->store);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_conversation_list_class_init (HearthConversationListClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->dispose = hearth_conversation_list_dispose;
  object_class->finalize = hearth_conversation_list_finalize;
  object_class->get_property = hearth_conversation_list_get_property;

  properties[PROP_READY] = g_param_spec_boolean ("ready", NULL, NULL, FALSE, flags);
  properties[PROP_STORE] =
    g_param_spec_object ("store", NULL, NULL, HEARTH_TYPE_CONVERSATION_STORE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  signals[USED] = g_signal_new ("used", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 1, HEARTH_TYPE_CONVERSATION);
}

static void
hearth_conversation_list_init (HearthConversationList *self)
{
  self->shown = g_ptr_array_new_with_free_func (g_object_unref);
  self->hidden = g_ptr_array_new_with_free_func (g_object_unref);
}

HearthConversationList *
hearth_conversation_list_new (HearthEngine *engine, HearthConversationStore *store,
                              HearthLibrary *library, HearthSettings *settings)
{
  HearthConversationList *self = g_object_new (HEARTH_TYPE_CONVERSATION_LIST, NULL);

  self->engine = g_object_ref (engine);
  self->store = g_object_ref (store);
  self->library = g_object_ref (library);
  self->settings = g_object_ref (settings);
  follow_default (self, "notify::context-length");
  follow_default (self, "notify::kv-type");
  g_signal_connect_object (settings, "notify::threads", G_CALLBACK (threads_changed_cb), self,
                           G_CONNECT_SWAPPED);
  hearth_conversation_store_read_note_async (store, NOTE_OPEN, note_read_cb, g_object_ref (self));
  hearth_conversation_store_list_async (store, listed_cb, g_object_ref (self));
  return self;
}

gboolean
hearth_conversation_list_get_ready (HearthConversationList *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION_LIST (self), FALSE);

  return self->ready;
}

HearthConversationStore *
hearth_conversation_list_get_store (HearthConversationList *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION_LIST (self), NULL);

  return self->store;
}

HearthConversation *
hearth_conversation_list_find (HearthConversationList *self, gint64 id)
{
  HearthConversation *found;

  g_return_val_if_fail (HEARTH_IS_CONVERSATION_LIST (self), NULL);

  found = find_in (self->shown, id);
  return found != NULL ? found : find_in (self->hidden, id);
}

/* ---- new ones --------------------------------------------------------------------------- */

HearthConversation *
hearth_conversation_list_get_fresh (HearthConversationList *self)
{
  g_autofree char *system_prompt = NULL;
  HearthConversation *fresh;
  HearthSampling sampling;

  g_return_val_if_fail (HEARTH_IS_CONVERSATION_LIST (self), NULL);

  for (guint i = 0; i < self->shown->len; i++)
    {
      if (hearth_conversation_is_untouched (self->shown->pdata[i]))
        return self->shown->pdata[i];
    }
  fresh = hearth_conversation_new_kept (self->engine, self->store, NULL);
  system_prompt = hearth_settings_dup_system_prompt (self->settings);
  hearth_settings_get_sampling (self->settings, &sampling);
  hearth_conversation_set_sampling (fresh, &sampling);
  hearth_conversation_set_system_prompt (fresh, system_prompt);
  hearth_conversation_set_limits (fresh, hearth_settings_get_context_length (self->settings),
                                  hearth_settings_get_threads (self->settings));
  hearth_chat_settings_set_kv_type (hearth_conversation_get_settings (fresh),
                                    hearth_settings_get_kv_type (self->settings));
  hearth_conversation_settle (fresh);
  return add (self, fresh);
}

void
hearth_conversation_list_tidy (HearthConversationList *self, HearthConversation *conversation)
{
  guint position;

  g_return_if_fail (HEARTH_IS_CONVERSATION_LIST (self));
  g_return_if_fail (HEARTH_IS_CONVERSATION (conversation));

  if (hearth_conversation_is_untouched (conversation) &&
      g_ptr_array_find (self->shown, conversation, &position))
    remove_at (self, position);
}

HearthConversation *
hearth_conversation_list_duplicate (HearthConversationList *self, HearthConversation *conversation,
                                    const char *title)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION_LIST (self), NULL);
  g_return_val_if_fail (HEARTH_IS_CONVERSATION (conversation), NULL);

  return add (self, hearth_conversation_duplicate (conversation, title));
}

/* ---- opening ---------------------------------------------------------------------------- */

static void
header_read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  /* The file tells its state itself; a chat whose model is gone can still be read. */
  if (!hearth_model_file_load_finish (HEARTH_MODEL_FILE (source), result, &error))
    g_debug ("the model of a chat: %s", error->message);
}

static void
find_model (HearthConversationList *self, HearthConversation *conversation)
{
  const char *path = hearth_conversation_get_model_path (conversation);
  HearthModelFile *model = hearth_conversation_get_model (conversation);
  g_autoptr (HearthModelFile) found = NULL;

  if (model == NULL && path != NULL)
    {
      found = hearth_library_ref_file (self->library, path);
      hearth_conversation_set_model (conversation, found);
      model = found;
    }
  if (model != NULL && hearth_model_file_get_header (model) == NULL)
    hearth_model_file_load_async (model, hearth_settings_get_context_length (self->settings),
                                  hearth_settings_get_threads (self->settings), NULL,
                                  header_read_cb, NULL);
}

void
hearth_conversation_list_open (HearthConversationList *self, HearthConversation *conversation)
{
  HearthChatSettings *settings;

  g_return_if_fail (HEARTH_IS_CONVERSATION_LIST (self));
  g_return_if_fail (HEARTH_IS_CONVERSATION (conversation));

  settings = hearth_conversation_get_settings (conversation);
  hearth_chat_settings_set_n_threads (settings, hearth_settings_get_threads (self->settings));
  find_model (self, conversation);
  hearth_conversation_restore (conversation);
  self->open = hearth_conversation_get_id (conversation);
  note_open (self);
}

void
hearth_conversation_list_lend_model (HearthConversationList *self, HearthConversation *conversation)
{
  HearthConversation *newest = NULL;
  g_autoptr (HearthModelFile) model = NULL;

  g_return_if_fail (HEARTH_IS_CONVERSATION_LIST (self));
  g_return_if_fail (HEARTH_IS_CONVERSATION (conversation));

  if (hearth_conversation_get_model (conversation) != NULL)
    return;
  for (guint i = 0; i < self->shown->len; i++)
    {
      HearthConversation *at = self->shown->pdata[i];

      if (hearth_conversation_get_model_path (at) != NULL &&
          (newest == NULL ||
           hearth_conversation_get_updated (at) > hearth_conversation_get_updated (newest)))
        newest = at;
    }
  if (newest == NULL)
    return;
  model = hearth_library_ref_file (self->library, hearth_conversation_get_model_path (newest));
  hearth_conversation_set_model (conversation, model);
  find_model (self, conversation);
}

HearthConversation *
hearth_conversation_list_get_last_open (HearthConversationList *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION_LIST (self), NULL);

  return self->last_open != 0 ? find_in (self->shown, self->last_open) : NULL;
}

/* ---- deleting --------------------------------------------------------------------------- */

void
hearth_conversation_list_hide (HearthConversationList *self, HearthConversation *conversation)
{
  guint position;

  g_return_if_fail (HEARTH_IS_CONVERSATION_LIST (self));
  g_return_if_fail (HEARTH_IS_CONVERSATION (conversation));

  if (!g_ptr_array_find (self->shown, conversation, &position))
    return;
  hearth_conversation_stop (conversation);
  g_ptr_array_add (self->hidden, g_object_ref (conversation));
  remove_at (self, position);
}

gboolean
hearth_conversation_list_unhide (HearthConversationList *self, gint64 id)
{
  HearthConversation *conversation;
  guint position;

  g_return_val_if_fail (HEARTH_IS_CONVERSATION_LIST (self), FALSE);

  conversation = find_in (self->hidden, id);
  if (conversation == NULL || !g_ptr_array_find (self->hidden, conversation, &position))
    return FALSE;
  insert (self, g_ptr_array_steal_index (self->hidden, position));
  return TRUE;
}

void
hearth_conversation_list_purge (HearthConversationList *self, gint64 id)
{
  HearthConversation *conversation;

  g_return_if_fail (HEARTH_IS_CONVERSATION_LIST (self));

  conversation = find_in (self->hidden, id);
  if (conversation == NULL)
    return;
  hearth_conversation_forget (conversation);
  g_ptr_array_remove (self->hidden, conversation);
}

void
hearth_conversation_list_close (HearthConversationList *self)
{
  guint n;

  g_return_if_fail (HEARTH_IS_CONVERSATION_LIST (self));

  n = self->shown->len;
  for (guint i = 0; i < self->hidden->len; i++)
    hearth_conversation_forget (self->hidden->pdata[i]);
  g_ptr_array_set_size (self->hidden, 0);
  for (guint i = 0; i < n; i++)
    hearth_conversation_close (self->shown->pdata[i]);
  g_ptr_array_set_size (self->shown, 0);
  if (n > 0)
    g_list_model_items_changed (G_LIST_MODEL (self), 0, n, 0);
}
