/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-conversation-store.h"

#include <signal.h>

#include "hearth-enums.h"
#include "hearth-store-rows.h"
#include "hearth-store-thread.h"

struct _HearthConversationStore
{
  GObject parent_instance;

  struct shared *shared;
  GThread *thread;
  guint64 n_put;
  gboolean closing;
  struct news news;
};

G_DEFINE_FINAL_TYPE (HearthConversationStore, hearth_conversation_store, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_CONDITION,
  N_PROPS
};

enum
{
  CHANGED,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

/* ---- the object ------------------------------------------------------------------------- */

void
_hearth_conversation_store_take_news (HearthConversationStore *self, struct news *news)
{
  gboolean changed = self->news.condition != news->condition;

  _hearth_store_news_clear (&self->news);
  self->news = *news;
  *news = (struct news) { 0 };
  if (changed)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CONDITION]);
  g_signal_emit (self, signals[CHANGED], 0);
}

static struct op *
op_new (enum op_kind kind, gint64 id)
{
  struct op *op = g_new0 (struct op, 1);

  op->kind = kind;
  op->id = id;
  return op;
}

static void
push (HearthConversationStore *self, struct op *op)
{
  if (self->closing)
    {
      g_critical ("the store is closed");
      _hearth_store_op_free (op);
      return;
    }
  if (op->kind < N_WRITING)
    op->number = ++self->n_put;
  self->closing = op->kind == OP_CLOSE;
  g_async_queue_push (self->shared->queue, op);
}

static void
push_task (HearthConversationStore *self, struct op *op, gpointer tag, GAsyncReadyCallback callback,
           gpointer user_data)
{
  op->task = g_task_new (self, NULL, callback, user_data);
  g_task_set_source_tag (op->task, tag);
  push (self, op);
}

static void
hearth_conversation_store_dispose (GObject *object)
{
  HearthConversationStore *self = HEARTH_CONVERSATION_STORE (object);

  /* Nothing is lost when nobody closed it: what is left is written before the thread ends. */
  if (self->thread != NULL && !self->closing)
    push (self, op_new (OP_CLOSE, 0));
  g_clear_pointer (&self->thread, g_thread_join);
  G_OBJECT_CLASS (hearth_conversation_store_parent_class)->dispose (object);
}

static void
hearth_conversation_store_finalize (GObject *object)
{
  HearthConversationStore *self = HEARTH_CONVERSATION_STORE (object);

  g_clear_pointer (&self->shared, _hearth_store_shared_unref);
  _hearth_store_news_clear (&self->news);
  G_OBJECT_CLASS (hearth_conversation_store_parent_class)->finalize (object);
}

static void
hearth_conversation_store_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_CONDITION)
    g_value_set_enum (value, (int) HEARTH_CONVERSATION_STORE (object)->news.condition);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_conversation_store_class_init (HearthConversationStoreClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = hearth_conversation_store_dispose;
  object_class->finalize = hearth_conversation_store_finalize;
  object_class->get_property = hearth_conversation_store_get_property;

  properties[PROP_CONDITION] =
    g_param_spec_enum ("condition", NULL, NULL, HEARTH_TYPE_STORE_CONDITION, HEARTH_STORE_FINE,
                       G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
hearth_conversation_store_init (HearthConversationStore *self)
{
}

HearthConversationStore *
hearth_conversation_store_new (const char *folder)
{
  HearthConversationStore *self = g_object_new (HEARTH_TYPE_CONVERSATION_STORE, NULL);
  struct shared *shared = g_new0 (struct shared, 1);

  /* A file that may not grow any more is a full disk, and not the end of the program. */
  signal (SIGXFSZ, SIG_IGN);
  g_atomic_ref_count_init (&shared->ref_count);
  g_weak_ref_init (&shared->store, self);
  shared->ui = g_main_context_ref_thread_default ();
  shared->queue = g_async_queue_new_full (_hearth_store_op_free);
  shared->folder = g_strdup (folder);
  g_mutex_init (&shared->lock);
  self->shared = shared;
  self->thread =
    g_thread_new ("hearth-store", _hearth_store_thread, _hearth_store_shared_ref (shared));
  return self;
}

HearthStoreCondition
hearth_conversation_store_get_condition (HearthConversationStore *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION_STORE (self), HEARTH_STORE_FAILED);

  return self->news.condition;
}

const char *
hearth_conversation_store_get_detail (HearthConversationStore *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION_STORE (self), NULL);

  return self->news.detail;
}

const char *
hearth_conversation_store_get_set_aside (HearthConversationStore *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION_STORE (self), NULL);

  return self->news.set_aside;
}

guint
hearth_conversation_store_get_n_recovered (HearthConversationStore *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION_STORE (self), 0);

  return self->news.n_recovered;
}

void
hearth_conversation_store_list_async (HearthConversationStore *self, GAsyncReadyCallback callback,
                                      gpointer user_data)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION_STORE (self));

  push_task (self, op_new (OP_LIST, 0), hearth_conversation_store_list_async, callback, user_data);
}

GPtrArray *
hearth_conversation_store_list_finish (HearthConversationStore *self, GAsyncResult *result,
                                       GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

void
hearth_conversation_store_read_async (HearthConversationStore *self, gint64 id,
                                      GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION_STORE (self));

  push_task (self, op_new (OP_READ, id), hearth_conversation_store_read_async, callback, user_data);
}

GPtrArray *
hearth_conversation_store_read_finish (HearthConversationStore *self, GAsyncResult *result,
                                       GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

void
hearth_conversation_store_put (HearthConversationStore *self,
                               const HearthConversationRecord *record)
{
  struct op *op;

  g_return_if_fail (HEARTH_IS_CONVERSATION_STORE (self));

  op = op_new (OP_PUT, record->id);
  op->record = hearth_conversation_record_copy (record);
  push (self, op);
}

void
hearth_conversation_store_put_message (HearthConversationStore *self, gint64 id,
                                       const HearthMessageRecord *message)
{
  struct op *op;

  g_return_if_fail (HEARTH_IS_CONVERSATION_STORE (self));

  op = op_new (OP_PUT_MESSAGE, id);
  op->message = hearth_message_record_copy (message);
  push (self, op);
}

void
hearth_conversation_store_append (HearthConversationStore *self, gint64 id, guint message,
                                  gboolean thought, const char *text)
{
  struct op *op;

  g_return_if_fail (HEARTH_IS_CONVERSATION_STORE (self));

  op = op_new (OP_APPEND, id);
  op->message_id = message;
  op->thought = thought;
  op->text = g_strdup (text);
  push (self, op);
}

void
hearth_conversation_store_choose (HearthConversationStore *self, gint64 id, guint message)
{
  struct op *op;

  g_return_if_fail (HEARTH_IS_CONVERSATION_STORE (self));

  op = op_new (OP_CHOOSE, id);
  op->message_id = message;
  push (self, op);
}

void
hearth_conversation_store_put_edit (HearthConversationStore *self, gint64 id, guint message,
                                    const char *text)
{
  struct op *op;

  g_return_if_fail (HEARTH_IS_CONVERSATION_STORE (self));

  op = op_new (OP_PUT_EDIT, id);
  op->message_id = message;
  op->text = g_strdup (text);
  push (self, op);
}

void
hearth_conversation_store_remove (HearthConversationStore *self, gint64 id)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION_STORE (self));

  push (self, op_new (OP_REMOVE, id));
}

void
hearth_conversation_store_duplicate (HearthConversationStore *self, gint64 id, gint64 copy_id,
                                     const char *title, gint64 now)
{
  struct op *op;

  g_return_if_fail (HEARTH_IS_CONVERSATION_STORE (self));

  op = op_new (OP_DUPLICATE, id);
  op->copy_id = copy_id;
  op->text = g_strdup (title);
  op->now = now;
  push (self, op);
}

void
hearth_conversation_store_put_note (HearthConversationStore *self, const char *key,
                                    const char *value)
{
  struct op *op;

  g_return_if_fail (HEARTH_IS_CONVERSATION_STORE (self));

  op = op_new (OP_PUT_NOTE, 0);
  op->key = g_strdup (key);
  op->text = g_strdup (value);
  push (self, op);
}

void
hearth_conversation_store_read_note_async (HearthConversationStore *self, const char *key,
                                           GAsyncReadyCallback callback, gpointer user_data)
{
  struct op *op;

  g_return_if_fail (HEARTH_IS_CONVERSATION_STORE (self));

  op = op_new (OP_READ_NOTE, 0);
  op->key = g_strdup (key);
  push_task (self, op, hearth_conversation_store_read_note_async, callback, user_data);
}

char *
hearth_conversation_store_read_note_finish (HearthConversationStore *self, GAsyncResult *result,
                                            GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

guint64
hearth_conversation_store_get_n_put (HearthConversationStore *self)
{
  g_return_val_if_fail (HEARTH_IS_CONVERSATION_STORE (self), 0);

  return self->n_put;
}

guint64
hearth_conversation_store_get_n_written (HearthConversationStore *self)
{
  g_autoptr (GMutexLocker) locker = NULL;

  g_return_val_if_fail (HEARTH_IS_CONVERSATION_STORE (self), 0);

  locker = g_mutex_locker_new (&self->shared->lock);
  return self->shared->n_written;
}

void
hearth_conversation_store_retry (HearthConversationStore *self)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION_STORE (self));

  push (self, op_new (OP_RETRY, 0));
}

void
hearth_conversation_store_close_async (HearthConversationStore *self, GAsyncReadyCallback callback,
                                       gpointer user_data)
{
  g_return_if_fail (HEARTH_IS_CONVERSATION_STORE (self));

  push_task (self, op_new (OP_CLOSE, 0), hearth_conversation_store_close_async, callback,
             user_data);
}

gboolean
hearth_conversation_store_close_finish (HearthConversationStore *self, GAsyncResult *result,
                                        GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  return g_task_propagate_boolean (G_TASK (result), error);
}
