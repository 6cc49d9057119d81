/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-store-rows.h - chats and messages to and from the tables. Store thread; for
 * hearth-store*.c.
 *
 * Those that write expect a transaction around them. FALSE and NULL come with `error`. */
#pragma once

#include "hearth-store-schema.h"

G_BEGIN_DECLS

/* Prepares `sql`, binds what follows by a letter each in `types` (i: gint64, d: double, s: const
 * char *, may be NULL). Returns: (transfer full) (nullable) */
sqlite3_stmt *hearth_store_prepare (sqlite3 *db, const char *doing, GError **error, const char *sql,
                                    const char *types, ...);
/* The same, run to its end. */
gboolean hearth_store_change (sqlite3 *db, const char *doing, GError **error, const char *sql,
                              const char *types, ...);

gboolean hearth_store_put_chat (sqlite3 *db, const HearthConversationRecord *record,
                                GError **error);
gboolean hearth_store_put_message (sqlite3 *db, gint64 chat, const HearthMessageRecord *message,
                                   GError **error);
gboolean hearth_store_append (sqlite3 *db, gint64 chat, guint message, gboolean thought,
                              const char *text, GError **error);
gboolean hearth_store_choose (sqlite3 *db, gint64 chat, guint message, GError **error);
/* NULL: nothing. */
gboolean hearth_store_put_edit (sqlite3 *db, gint64 chat, guint message, const char *text,
                                GError **error);
gboolean hearth_store_remove (sqlite3 *db, gint64 chat, GError **error);
gboolean hearth_store_duplicate (sqlite3 *db, gint64 chat, gint64 copy, const char *title,
                                 gint64 now, GError **error);
gboolean hearth_store_put_note (sqlite3 *db, const char *key, const char *value, GError **error);
/* Answers that still grew when the process ended: they end where their journal ends. */
gboolean hearth_store_end_answers (sqlite3 *db, GError **error);

/* Returns: (transfer full) (nullable) (element-type HearthConversationRecord) */
GPtrArray *hearth_store_list (sqlite3 *db, GError **error);
/* Returns: (transfer full) (nullable) (element-type HearthMessageRecord) */
GPtrArray *hearth_store_read (sqlite3 *db, gint64 chat, GError **error);
/* Returns: (transfer full) (nullable): NULL without an error when there is none */
char *hearth_store_read_note (sqlite3 *db, const char *key, GError **error);

/* Records that own their strings. */
HearthMessageRecord *hearth_message_record_copy (const HearthMessageRecord *record);
void hearth_message_record_free (HearthMessageRecord *record);

G_END_DECLS
