/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-store-thread.h"

#include "hearth-store-db.h"
#include "hearth-store-rows.h"

/* What could not be written is tried again this often. */
#define RETRY_MS 3000

void
_hearth_store_op_free (gpointer data)
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

void
_hearth_store_news_clear (struct news *news)
{
  g_free (news->detail);
  g_free (news->set_aside);
}

struct shared *
_hearth_store_shared_ref (struct shared *shared)
{
  g_atomic_ref_count_inc (&shared->ref_count);
  return shared;
}

void
_hearth_store_shared_unref (struct shared *shared)
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
  _hearth_store_op_free (op);
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

  _hearth_store_shared_unref (telling->shared);
  _hearth_store_news_clear (&telling->news);
  g_free (telling);
}

/* Main thread. */
static gboolean
tell_cb (gpointer data)
{
  struct telling *telling = data;
  g_autoptr (HearthConversationStore) store = g_weak_ref_get (&telling->shared->store);

  if (store != NULL)
    _hearth_conversation_store_take_news (store, &telling->news);
  return G_SOURCE_REMOVE;
}

static void
tell (struct worker *self, HearthStoreCondition condition, const char *detail)
{
  g_autoptr (GSource) source = g_idle_source_new ();
  struct telling *telling = g_new0 (struct telling, 1);

  telling->shared = _hearth_store_shared_ref (self->shared);
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
    case OP_PUT_EDIT:
      return hearth_store_put_edit (db, op->id, op->message_id, op->text, error);
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
  g_queue_clear_full (&self->pending, _hearth_store_op_free);
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

  g_queue_clear_full (&self->pending, _hearth_store_op_free);
  g_clear_pointer (&self->db, hearth_store_db_close);
  if (op->task == NULL)
    return;
  if (ok)
    g_task_return_boolean (op->task, TRUE);
  else
    g_task_return_error (op->task, g_steal_pointer (&error));
}

gpointer
_hearth_store_thread (gpointer data)
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
  _hearth_store_shared_unref (self->shared);
  return NULL;
}
