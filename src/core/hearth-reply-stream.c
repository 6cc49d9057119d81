/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-reply-stream.h"

#include "hearth-thinking.h"

struct _HearthReplyStream
{
  gatomicrefcount ref_count;
  GMainContext *ui;
  GThread *ui_thread;
  HearthMessage *message; /* main thread only; NULL once closed */

  GMutex lock; /* guards what follows */
  HearthThinking thinking;
  GString *thoughts; /* pending, before `pending` */
  GString *pending;
  double progress; /* negative: none since the last flush */
  gboolean flush_queued;
};

static gboolean
flush_cb (gpointer user_data)
{
  hearth_reply_stream_flush (user_data);
  return G_SOURCE_REMOVE;
}

/* Call with the lock held. */
static void
queue_flush (HearthReplyStream *self)
{
  g_autoptr (GSource) source = NULL;

  if (self->flush_queued)
    return;
  self->flush_queued = TRUE;
  source = g_idle_source_new ();
  g_source_set_static_name (source, "hearth reply");
  g_source_set_callback (source, flush_cb, hearth_reply_stream_ref (self),
                         (GDestroyNotify) hearth_reply_stream_unref);
  g_source_attach (source, self->ui);
}

HearthReplyStream *
hearth_reply_stream_new (HearthMessage *message)
{
  HearthReplyStream *self = g_new0 (HearthReplyStream, 1);

  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->lock);
  self->ui = g_main_context_ref_thread_default ();
  self->ui_thread = g_thread_self ();
  self->message = g_object_ref (message);
  self->pending = g_string_new (NULL);
  self->thoughts = g_string_new (NULL);
  hearth_thinking_init (&self->thinking, NULL, NULL, FALSE);
  self->progress = -1;
  return self;
}

HearthReplyStream *
hearth_reply_stream_ref (HearthReplyStream *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
hearth_reply_stream_unref (HearthReplyStream *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_clear_object (&self->message);
  g_main_context_unref (self->ui);
  g_string_free (self->pending, TRUE);
  g_string_free (self->thoughts, TRUE);
  hearth_thinking_finish (&self->thinking);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
hearth_reply_stream_expect_thinking (HearthReplyStream *self, const char *begin, const char *end,
                                     gboolean open)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  hearth_thinking_finish (&self->thinking);
  hearth_thinking_init (&self->thinking, begin, end, open);
}

void
hearth_reply_stream_go_on_thinking (HearthReplyStream *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  hearth_thinking_go_on (&self->thinking);
}

void
hearth_reply_stream_push_text (HearthReplyStream *self, const char *text, gsize size)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  hearth_thinking_push (&self->thinking, text, size, self->thoughts, self->pending);
  queue_flush (self);
}

void
hearth_reply_stream_end (HearthReplyStream *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  hearth_thinking_end (&self->thinking, self->thoughts, self->pending);
  queue_flush (self);
}

void
hearth_reply_stream_push_progress (HearthReplyStream *self, double progress)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  self->progress = progress;
  queue_flush (self);
}

void
hearth_reply_stream_flush (HearthReplyStream *self)
{
  g_autoptr (GString) text = NULL;
  g_autoptr (GString) thoughts = NULL;
  double progress;

  g_return_if_fail (g_thread_self () == self->ui_thread);

  g_mutex_lock (&self->lock);
  text = g_steal_pointer (&self->pending);
  self->pending = g_string_new (NULL);
  thoughts = g_steal_pointer (&self->thoughts);
  self->thoughts = g_string_new (NULL);
  progress = self->progress;
  self->progress = -1;
  self->flush_queued = FALSE;
  g_mutex_unlock (&self->lock);

  if (self->message == NULL || hearth_message_is_finished (self->message))
    return;
  if (progress >= 0)
    hearth_message_set_progress (self->message, progress);
  hearth_message_think (self->message, thoughts->str, thoughts->len);
  hearth_message_append (self->message, text->str, text->len);
}

void
hearth_reply_stream_close (HearthReplyStream *self)
{
  g_return_if_fail (g_thread_self () == self->ui_thread);

  g_clear_object (&self->message);
}
