/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-conversation-store.h"

#include <signal.h>

#include "hearth-enums.h"
#include "hearth-store-db.h"
#include "hearth-store-rows.h"

/* What could not be written is tried again this often. */
#define RETRY_MS 3000

enum op_kind
{
  OP_PUT,
  OP_PUT_MESSAGE,
  OP_APPEND,
  OP_CHOOSE,
  OP_REMOVE,
  OP_DUPLICATE,
  OP_PUT_NOTE,
  N_WRITING, /* those before change something; the others follow */
  OP_LIST,
  OP_READ,
  OP_READ_NOTE,
  OP_RETRY,
  OP_CLOSE,
};

/* One entry of the queue. The thread answers `task`; everything else is plain copies. */
struct op
{
  enum op_kind kind;
  guint64 number; /* of those that change something: 1, 2, … */
  GTask *task;
  gint64 id;
  gint64 copy_id;
  gint64 now;
  guint message_id;
  gboolean thought;
  char *text;
  char *key;
  HearthConversationRecord *record;
  HearthMessageRecord *message;
};

/* What the thread tells the main thread. */
struct news
{
  HearthStoreCondition condition;
  char *detail;
  char *set_aside;
  guint n_recovered;
};

/* Outlives the object while the thread still runs. */
struct shared
{
  gatomicrefcount ref_count;
  GWeakRef store;
  GMainContext *ui;
  GAsyncQueue *queue;
  char *folder;

  GMutex lock; /* guards `n_written` */
  guint64 n_written;
};

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

static void
op_free (gpointer data)
{
  struct op *op = data;

  g_clear_object (&op->task);
  g_free (op->text);
  g_free (op->key);
  hearth_conversation_record_free (op->record);
  hearth_message_record_free (op->message);
  g_free (op);
}

static gboolean
remove_cb (gpointer data)
{
  return G_SOURCE_REMOVE;
}

static void
news_clear (struct news *news)
{
  g_free (news->detail);
  g_free (news->set_aside);
}

static struct shared *
shared_ref (struct shared *shared)
{
  g_atomic_ref_count_inc (&shared->ref_count);
  return shared;
}

static void
shared_unref (struct shared *shared)
{
  if (!g_atomic_ref_count_dec (&shared->ref_count))
    return;
  g_weak_ref_clear (&shared->store);
  g_main_context_unref (shared->ui);
  g_async_queue_unref (shared->queue);
  g_mutex_clear (&shared->lock);
  g_free (shared->folder);
  g_free (shared);
}

/* A task holds the store, whose last reference must go on the main thread: what the thread has
 * answered goes back there, behind the answer. */
static void
op_done (struct op *op, GMainContext *ui)
{
  if (op->task != NULL)
    {
      g_autoptr (GSource) source = g_idle_source_new ();

      g_source_set_callback (source, remove_cb, g_steal_pointer (&op->task), g_object_unref);
      g_source_attach (source, ui);
    }
  op_free (op);
}

/* ---- the thread ------------------------------------------------------------------------- */

struct worker
{
  struct shared *shared;
  struct store_db *db;
  GQueue pending;  /* of struct op: not written yet */
  gint64 write_at; /* monotonic; when there are some */
  gboolean failing;
};

struct telling
{
  struct shared *shared;
  struct news news;
};

static void
telling_free (gpointer data)
{
  struct telling *telling = data;

  shared_unref (telling->shared);
  news_clear (&telling->news);
  g_free (telling);
}

/* Main thread. */
static gboolean
tell_cb (gpointer data)
{
  struct telling *telling = data;
  g_autoptr (HearthConversationStore) self = g_weak_ref_get (&telling->shared->store);
  gboolean changed;

  if (self == NULL)
    return G_SOURCE_REMOVE;
  changed = self->news.condition != telling->news.condition;
  news_clear (&self->news);
  self->news = telling->news;
  telling->news = (struct news) { 0 };
  if (changed)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CONDITION]);
  g_signal_emit (self, signals[CHANGED], 0);
  return G_SOURCE_REMOVE;
}

static void
tell (struct worker *self, HearthStoreCondition condition, const char *detail)
{
  g_autoptr (GSource) source = g_idle_source_new ();
  struct telling *telling = g_new0 (struct telling, 1);

  telling->shared = shared_ref (self->shared);
  telling->news.condition = condition;
  telling->news.detail = g_strdup (detail);
  telling->news.set_aside = g_strdup (self->db->set_aside);
  telling->news.n_recovered = self->db->n_recovered;
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_static_name (source, "hearth store");
  g_source_set_callback (source, tell_cb, telling, telling_free);
  g_source_attach (source, self->shared->ui);
}

/* Whether this went wrong because the file is damaged, and has been replaced since. */
static gboolean
mend (struct worker *self, const GError *error)
{
  if (!g_error_matches (error, HEARTH_STORE_ERROR, HEARTH_STORE_DAMAGED) || !self->db->on_disk)
    return FALSE;
  hearth_store_db_recover (self->db, error);
  tell (self, self->db->condition, self->db->detail);
  return TRUE;
}

static gboolean
apply (struct worker *self, struct op *op, GError **error)
{
  sqlite3 *db = self->db->db;

  switch (op->kind)
    {
    case OP_PUT:
      return hearth_store_put_chat (db, op->record, error);
    case OP_PUT_MESSAGE:
      return hearth_store_put_message (db, op->id, op->message, error);
    case OP_APPEND:
      return hearth_store_append (db, op->id, op->message_id, op->thought, op->text, error);
    case OP_CHOOSE:
      return hearth_store_choose (db, op->id, op->message_id, error);
    case OP_REMOVE:
      return hearth_store_remove (db, op->id, error);
    case OP_DUPLICATE:
      return hearth_store_duplicate (db, op->id, op->copy_id, op->text, op->now, error);
    case OP_PUT_NOTE:
      return hearth_store_put_note (db, op->key, op->text, error);
    case N_WRITING:
    case OP_LIST:
    case OP_READ:
    case OP_READ_NOTE:
    case OP_RETRY:
    case OP_CLOSE:
    default:
      g_assert_not_reached ();
    }
}

static gboolean
write_once (struct worker *self, GError **error)
{
  sqlite3 *db = self->db->db;
  const char *doing = "cannot write the chats";
  gboolean ok = hearth_store_run (db, "BEGIN IMMEDIATE", doing, error);

  for (GList *at = self->pending.head; ok && at != NULL; at = at->next)
    {
      g_autoptr (GError) problem = NULL;

      ok = apply (self, at->data, &problem);
      if (!ok && problem->code == HEARTH_STORE_FAILED &&
          (sqlite3_errcode (db) & 0xff) == SQLITE_CONSTRAINT)
        {
          /* About a chat that is not there any more: nothing that could be written later. */
          g_debug ("dropped: %s", problem->message);
          ok = TRUE;
        }
      else if (!ok)
        g_propagate_error (error, g_steal_pointer (&problem));
    }
  if (ok)
    ok = hearth_store_run (db, "COMMIT", doing, error);
  if (!ok && !sqlite3_get_autocommit (db))
    sqlite3_exec (db, "ROLLBACK", NULL, NULL, NULL);
  return ok;
}

/* Writes what is pending, or keeps it for later. */
static gboolean
write_pending (struct worker *self, GError **error)
{
  g_autoptr (GError) problem = NULL;
  struct op *last = g_queue_peek_tail (&self->pending);
  gboolean ok;

  if (last == NULL)
    return TRUE;
  ok = write_once (self, &problem);
  if (!ok && mend (self, problem))
    {
      g_clear_error (&problem);
      ok = write_once (self, &problem);
    }
  if (!ok)
    {
      if (!self->failing)
        tell (self, (HearthStoreCondition) problem->code, problem->message);
      self->failing = TRUE;
      self->write_at = g_get_monotonic_time () + RETRY_MS * 1000;
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  g_mutex_lock (&self->shared->lock);
  self->shared->n_written = last->number;
  g_mutex_unlock (&self->shared->lock);
  if (self->failing)
    tell (self, self->db->condition, self->db->detail);
  self->failing = FALSE;
  g_queue_clear_full (&self->pending, op_free);
  return TRUE;
}

static void
return_rows (GTask *task, gpointer value, GDestroyNotify free_value, GError *error)
{
  if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, value, free_value);
}

static gpointer
read_once (struct worker *self, struct op *op, GDestroyNotify *free_value, GError **error)
{
  sqlite3 *db = self->db->db;

  *free_value = (GDestroyNotify) g_ptr_array_unref;
  if (op->kind == OP_LIST)
    return hearth_store_list (db, error);
  if (op->kind == OP_READ)
    return hearth_store_read (db, op->id, error);
  *free_value = g_free;
  return hearth_store_read_note (db, op->key, error);
}

static void
read_for (struct worker *self, struct op *op)
{
  g_autoptr (GError) error = NULL;
  GDestroyNotify free_value;
  gpointer value;

  write_pending (self, NULL);
  value = read_once (self, op, &free_value, &error);
  if (error != NULL && mend (self, error))
    {
      g_clear_error (&error);
      value = read_once (self, op, &free_value, &error);
    }
  return_rows (op->task, value, free_value, g_steal_pointer (&error));
}

/* Returns: (transfer full) (nullable): NULL when it is time to write */
static struct op *
next_op (struct worker *self)
{
  gint64 wait;

  if (g_queue_is_empty (&self->pending))
    return g_async_queue_pop (self->shared->queue);
  wait = self->write_at - g_get_monotonic_time ();
  if (wait <= 0)
    return g_async_queue_try_pop (self->shared->queue);
  return g_async_queue_timeout_pop (self->shared->queue, (guint64) wait);
}

/* A piece of an answer may wait for others; whatever else happened is written as soon as the queue
 * is empty. */
static void
add_pending (struct worker *self, struct op *op)
{
  gint64 now = g_get_monotonic_time ();

  if (g_queue_is_empty (&self->pending))
    self->write_at = now + HEARTH_STORE_GROUP_MS * 1000;
  if (op->kind != OP_APPEND && !self->failing)
    self->write_at = now;
  g_queue_push_tail (&self->pending, op);
}

/* Answers when the file is closed and free for somebody else. */
static void
close_for (struct worker *self, struct op *op)
{
  g_autoptr (GError) error = NULL;
  gboolean ok = write_pending (self, &error);

  g_queue_clear_full (&self->pending, op_free);
  g_clear_pointer (&self->db, hearth_store_db_close);
  if (op->task == NULL)
    return;
  if (ok)
    g_task_return_boolean (op->task, TRUE);
  else
    g_task_return_error (op->task, g_steal_pointer (&error));
}

static gpointer
thread_main (gpointer data)
{
  struct worker worker = { .shared = data, .pending = G_QUEUE_INIT };
  struct worker *self = &worker;
  gboolean open = TRUE;

  self->db = hearth_store_db_open (self->shared->folder);
  if (self->db->condition != HEARTH_STORE_FINE)
    tell (self, self->db->condition, self->db->detail);
  while (open)
    {
      struct op *op = next_op (self);

      if (op == NULL || (!g_queue_is_empty (&self->pending) && !self->failing &&
                         g_get_monotonic_time () > self->write_at + HEARTH_STORE_GROUP_MS * 1000))
        write_pending (self, NULL); /* also when the queue never gets empty */
      if (op == NULL)
        continue;
      if (op->kind < N_WRITING)
        {
          add_pending (self, g_steal_pointer (&op));
          continue;
        }
      if (op->kind == OP_CLOSE)
        {
          close_for (self, op);
          open = FALSE;
        }
      else if (op->kind == OP_RETRY)
        write_pending (self, NULL);
      else
        read_for (self, op);
      op_done (op, self->shared->ui);
    }
  shared_unref (self->shared);
  return NULL;
}

/* ---- the object ------------------------------------------------------------------------- */

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
      op_free (op);
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

  g_clear_pointer (&self->shared, shared_unref);
  news_clear (&self->news);
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
  shared->queue = g_async_queue_new_full (op_free);
  shared->folder = g_strdup (folder);
  g_mutex_init (&shared->lock);
  self->shared = shared;
  self->thread = g_thread_new ("hearth-store", thread_main, shared_ref (shared));
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
