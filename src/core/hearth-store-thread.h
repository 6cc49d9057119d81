/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-store-thread.h - what the store's two halves share: hearth-conversation-store.c, which is
 * the main thread's, and hearth-store-thread.c, which alone touches the database. */
#pragma once

#include "hearth-conversation-store.h"

G_BEGIN_DECLS

enum op_kind
{
  OP_PUT,
  OP_PUT_MESSAGE,
  OP_APPEND,
  OP_CHOOSE,
  OP_PUT_EDIT,
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

/* Both threads. */
void _hearth_store_op_free (gpointer op);
void _hearth_store_news_clear (struct news *news);
struct shared *_hearth_store_shared_ref (struct shared *shared);
void _hearth_store_shared_unref (struct shared *shared);

/* What the store's thread does until an OP_CLOSE comes. `shared`: a reference, which it drops. */
gpointer _hearth_store_thread (gpointer shared);

/* Main thread, hearth-conversation-store.c: takes over what is in `news`, and tells everybody. */
void _hearth_conversation_store_take_news (HearthConversationStore *self, struct news *news);

G_END_DECLS
