/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-conversation-store.h - the chats on disk: a SQLite database on a thread of its own. Main
 * thread; nothing here waits for the disk.
 *
 * What is put is written in order. A piece of a growing answer is on its way to the disk within
 * HEARTH_STORE_GROUP_MS, everything else at once; from then on it survives the end of the process.
 * What cannot be written now is kept in memory and tried again, and `condition` says why:
 *
 *   fine ◀─▶ full, failed                 (writing; back to fine by itself)
 *   from the start: read-only, in-use     (a copy in memory: nothing is kept)
 *                   damaged, newer        (the old file was set aside, a new one is written) */
#pragma once

#include <gio/gio.h>

#include "hearth-message.h"

G_BEGIN_DECLS

#define HEARTH_STORE_GROUP_MS 100

/* What may be wrong with the store; as codes of HEARTH_STORE_ERROR, why a call failed. */
typedef enum
{
  HEARTH_STORE_FINE,
  HEARTH_STORE_READ_ONLY, /* the folder cannot be written */
  HEARTH_STORE_IN_USE,    /* another process has it */
  HEARTH_STORE_FULL,      /* no space left */
  HEARTH_STORE_DAMAGED,   /* contradicts itself */
  HEARTH_STORE_NEWER,     /* written by a newer version */
  HEARTH_STORE_FAILED,    /* none of the others */
} HearthStoreCondition;

#define HEARTH_STORE_ERROR (hearth_store_error_quark ())
GQuark hearth_store_error_quark (void);

/* A chat without its messages. */
typedef struct
{
  gint64 id;
  char *title;    /* given by somebody; NULL: none */
  char *question; /* the first one's first line; NULL: nothing asked yet */
  gboolean pinned;
  gint64 created; /* microseconds since 1970 */
  gint64 updated;
  char *model_path;  /* NULL: none */
  char *model_title; /* NULL: none */
  char *draft;
  char *settings; /* a GVariant dictionary as text; "": nothing set */
  guint place_message;
  double place_offset;
} HearthConversationRecord;

HearthConversationRecord *hearth_conversation_record_copy (const HearthConversationRecord *record);
void hearth_conversation_record_free (HearthConversationRecord *record);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthConversationRecord, hearth_conversation_record_free)

#define HEARTH_TYPE_CONVERSATION_STORE (hearth_conversation_store_get_type ())
G_DECLARE_FINAL_TYPE (HearthConversationStore, hearth_conversation_store, HEARTH,
                      CONVERSATION_STORE, GObject)

/* Properties: condition. Signal "changed": the condition, or what is told about it, changed. */

/* The database "chats.db" in `folder`, which is made when it is missing; NULL keeps everything in
 * memory. Opening goes on in the thread. Returns: (transfer full) */
HearthConversationStore *hearth_conversation_store_new (const char *folder);

HearthStoreCondition hearth_conversation_store_get_condition (HearthConversationStore *self);
/* One English sentence about the condition, for "Details". Returns: (transfer none) (nullable) */
const char *hearth_conversation_store_get_detail (HearthConversationStore *self);
/* The file that was set aside. Returns: (transfer none) (nullable) */
const char *hearth_conversation_store_get_set_aside (HearthConversationStore *self);
/* How many chats could be read from a damaged one. */
guint hearth_conversation_store_get_n_recovered (HearthConversationStore *self);

/* Every chat, in no order. Returns: (transfer full) (element-type HearthConversationRecord) */
void hearth_conversation_store_list_async (HearthConversationStore *self,
                                           GAsyncReadyCallback callback, gpointer user_data);
GPtrArray *hearth_conversation_store_list_finish (HearthConversationStore *self,
                                                  GAsyncResult *result, GError **error);
/* The messages of a chat, parents first. Returns: (transfer full) (element-type
 * HearthMessageRecord): records that own what they point to */
void hearth_conversation_store_read_async (HearthConversationStore *self, gint64 id,
                                           GAsyncReadyCallback callback, gpointer user_data);
GPtrArray *hearth_conversation_store_read_finish (HearthConversationStore *self,
                                                  GAsyncResult *result, GError **error);

/* Writes a chat, new or known. */
void hearth_conversation_store_put (HearthConversationStore *self,
                                    const HearthConversationRecord *record);
/* Writes a message, new or known, of a chat that was put. */
void hearth_conversation_store_put_message (HearthConversationStore *self, gint64 id,
                                            const HearthMessageRecord *message);
/* Adds to the text, or to the thoughts, of an unfinished answer that was put. */
void hearth_conversation_store_append (HearthConversationStore *self, gint64 id, guint message,
                                       gboolean thought, const char *text);
/* Among its versions, this one is shown. */
void hearth_conversation_store_choose (HearthConversationStore *self, gint64 id, guint message);
/* What somebody is writing in place of a message that was put; NULL: nothing. */
void hearth_conversation_store_put_edit (HearthConversationStore *self, gint64 id, guint message,
                                         const char *text);
void hearth_conversation_store_remove (HearthConversationStore *self, gint64 id);
/* A copy of the chat with all its messages, under another id and title. */
void hearth_conversation_store_duplicate (HearthConversationStore *self, gint64 id, gint64 copy_id,
                                          const char *title, gint64 now);
/* A word to remember, like which chat is open. */
void hearth_conversation_store_put_note (HearthConversationStore *self, const char *key,
                                         const char *value);
/* Returns: (transfer full) (nullable): NULL without an error when there is none */
void hearth_conversation_store_read_note_async (HearthConversationStore *self, const char *key,
                                                GAsyncReadyCallback callback, gpointer user_data);
char *hearth_conversation_store_read_note_finish (HearthConversationStore *self,
                                                  GAsyncResult *result, GError **error);

/* Counts what was put: when get_n_written() has reached what get_n_put() was, that is on disk. Any
 * thread. */
guint64 hearth_conversation_store_get_n_put (HearthConversationStore *self);
guint64 hearth_conversation_store_get_n_written (HearthConversationStore *self);

/* Tries again now what could not be written. */
void hearth_conversation_store_retry (HearthConversationStore *self);
/* Writes what is left, and closes. No call may follow. FALSE when something could not be written.
 */
void hearth_conversation_store_close_async (HearthConversationStore *self,
                                            GAsyncReadyCallback callback, gpointer user_data);
gboolean hearth_conversation_store_close_finish (HearthConversationStore *self,
                                                 GAsyncResult *result, GError **error);

G_END_DECLS
