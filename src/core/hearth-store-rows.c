/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-store-rows.h"

#include <stdarg.h>
#include <string.h>

#include "hearth-error.h"

static const char writing[] = "cannot write the chats";
static const char reading[] = "cannot read the chats";

/* In SQL; the enumeration says the same. */
#define STATE_DONE 3
#define STATE_STOPPED 4
#define ENDING_INTERRUPTED 4
G_STATIC_ASSERT (STATE_DONE == HEARTH_MESSAGE_DONE);
G_STATIC_ASSERT (STATE_STOPPED == HEARTH_MESSAGE_STOPPED);
G_STATIC_ASSERT (ENDING_INTERRUPTED == HEARTH_ENDING_INTERRUPTED);

/* What the journal adds to the text (0) or the thoughts (1) of a message. */
#define PIECES(THOUGHT)                                                                            \
  " coalesce ((SELECT group_concat (text, '') FROM (SELECT text FROM journal"                      \
  "  WHERE message = messages.row AND thought = " THOUGHT " ORDER BY row)), '')"

/* ---- records ---------------------------------------------------------------------------- */

HearthConversationRecord *
hearth_conversation_record_copy (const HearthConversationRecord *record)
{
  HearthConversationRecord *copy = g_memdup2 (record, sizeof *record);

  copy->title = g_strdup (record->title);
  copy->question = g_strdup (record->question);
  copy->model_path = g_strdup (record->model_path);
  copy->model_title = g_strdup (record->model_title);
  copy->draft = g_strdup (record->draft != NULL ? record->draft : "");
  copy->settings = g_strdup (record->settings != NULL ? record->settings : "");
  return copy;
}

void
hearth_conversation_record_free (HearthConversationRecord *record)
{
  if (record == NULL)
    return;
  g_free (record->title);
  g_free (record->question);
  g_free (record->model_path);
  g_free (record->model_title);
  g_free (record->draft);
  g_free (record->settings);
  g_free (record);
}

HearthMessageRecord *
hearth_message_record_copy (const HearthMessageRecord *record)
{
  HearthMessageRecord *copy = g_memdup2 (record, sizeof *record);

  copy->text = g_strdup (record->text);
  copy->thinking = g_strdup (record->thinking);
  copy->model_title = g_strdup (record->model_title);
  copy->edit = g_strdup (record->edit);
  copy->figures =
    record->figures != NULL ? g_memdup2 (record->figures, sizeof *record->figures) : NULL;
  copy->error = record->error != NULL ? g_error_copy (record->error) : NULL;
  return copy;
}

void
hearth_message_record_free (HearthMessageRecord *record)
{
  if (record == NULL)
    return;
  g_free ((char *) record->text);
  g_free ((char *) record->thinking);
  g_free ((char *) record->model_title);
  g_free ((char *) record->edit);
  g_free ((HearthFigures *) record->figures);
  if (record->error != NULL)
    g_error_free ((GError *) record->error);
  g_free (record);
}

/* ---- statements ------------------------------------------------------------------------- */

static sqlite3_stmt *
prepare_va (sqlite3 *db, const char *doing, GError **error, const char *sql, const char *types,
            va_list values)
{
  sqlite3_stmt *statement = NULL;
  int status = sqlite3_prepare_v2 (db, sql, -1, &statement, NULL);

  g_assert (status != SQLITE_OK ||
            (gsize) sqlite3_bind_parameter_count (statement) >= strlen (types));
  for (int i = 1; status == SQLITE_OK && types[i - 1] != '\0'; i++)
    {
      switch (types[i - 1])
        {
        case 'i':
          status = sqlite3_bind_int64 (statement, i, va_arg (values, gint64));
          break;
        case 'd':
          status = sqlite3_bind_double (statement, i, va_arg (values, double));
          break;
        case 's':
          status =
            sqlite3_bind_text (statement, i, va_arg (values, const char *), -1, SQLITE_TRANSIENT);
          break;
        default:
          g_assert_not_reached ();
        }
    }
  if (status == SQLITE_OK)
    return statement;
  hearth_store_fail (db, status, doing, error);
  sqlite3_finalize (statement);
  return NULL;
}

sqlite3_stmt *
hearth_store_prepare (sqlite3 *db, const char *doing, GError **error, const char *sql,
                      const char *types, ...)
{
  sqlite3_stmt *statement;
  va_list values;

  va_start (values, types);
  statement = prepare_va (db, doing, error, sql, types, values);
  va_end (values);
  return statement;
}

gboolean
hearth_store_change (sqlite3 *db, const char *doing, GError **error, const char *sql,
                     const char *types, ...)
{
  sqlite3_stmt *statement;
  va_list values;
  int status;

  va_start (values, types);
  statement = prepare_va (db, doing, error, sql, types, values);
  va_end (values);
  if (statement == NULL)
    return FALSE;
  do
    status = sqlite3_step (statement);
  while (status == SQLITE_ROW);
  if (status != SQLITE_DONE)
    hearth_store_fail (db, status, doing, error);
  sqlite3_finalize (statement);
  return status == SQLITE_DONE;
}

/* ---- figures as text -------------------------------------------------------------------- */

static char *
figures_to_text (const HearthFigures *figures)
{
  g_autoptr (GVariant) variant = NULL;
  GVariantDict dict;

  if (figures == NULL)
    return NULL;
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "ending", "i", (int) figures->ending);
  g_variant_dict_insert (&dict, "prompt", "t", figures->n_prompt);
  g_variant_dict_insert (&dict, "reused", "t", figures->n_reused);
  g_variant_dict_insert (&dict, "generated", "t", figures->n_generated);
  g_variant_dict_insert (&dict, "prefill-s", "d", figures->prefill_s);
  g_variant_dict_insert (&dict, "decode-s", "d", figures->decode_s);
  g_variant_dict_insert (&dict, "first-token-s", "d", figures->first_token_s);
  g_variant_dict_insert (&dict, "left-out", "t", figures->n_left_out);
  variant = g_variant_ref_sink (g_variant_dict_end (&dict));
  return g_variant_print (variant, TRUE);
}

static HearthFigures *
figures_from_text (const char *text)
{
  g_autoptr (GVariant) variant = NULL;
  HearthFigures *figures;
  GVariantDict dict;
  int ending = HEARTH_ENDING_END;

  if (text == NULL)
    return NULL;
  variant = g_variant_parse (G_VARIANT_TYPE_VARDICT, text, NULL, NULL, NULL);
  if (variant == NULL)
    return NULL;
  figures = g_new0 (HearthFigures, 1);
  g_variant_dict_init (&dict, variant);
  g_variant_dict_lookup (&dict, "ending", "i", &ending);
  g_variant_dict_lookup (&dict, "prompt", "t", &figures->n_prompt);
  g_variant_dict_lookup (&dict, "reused", "t", &figures->n_reused);
  g_variant_dict_lookup (&dict, "generated", "t", &figures->n_generated);
  g_variant_dict_lookup (&dict, "prefill-s", "d", &figures->prefill_s);
  g_variant_dict_lookup (&dict, "decode-s", "d", &figures->decode_s);
  g_variant_dict_lookup (&dict, "first-token-s", "d", &figures->first_token_s);
  g_variant_dict_lookup (&dict, "left-out", "t", &figures->n_left_out);
  g_variant_dict_clear (&dict);
  figures->ending =
    (HearthEnding) CLAMP (ending, (int) HEARTH_ENDING_END, (int) HEARTH_ENDING_INTERRUPTED);
  return figures;
}

/* ---- writing ---------------------------------------------------------------------------- */

gboolean
hearth_store_put_chat (sqlite3 *db, const HearthConversationRecord *record, GError **error)
{
  return hearth_store_change (
    db, writing, error,
    "INSERT INTO chats (id, title, question, pinned, created, updated, model_path, model_title,"
    "  draft, settings, place_message, place_offset)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (id) DO UPDATE SET title = excluded.title, question = excluded.question,"
    "  pinned = excluded.pinned, created = excluded.created, updated = excluded.updated,"
    "  model_path = excluded.model_path, model_title = excluded.model_title,"
    "  draft = excluded.draft,"
    "  settings = excluded.settings, place_message = excluded.place_message,"
    "  place_offset = excluded.place_offset",
    "issiiissssid", record->id, record->title, record->question, (gint64) record->pinned,
    record->created, record->updated, record->model_path, record->model_title, record->draft,
    record->settings, (gint64) record->place_message, record->place_offset);
}

gboolean
hearth_store_put_message (sqlite3 *db, gint64 chat, const HearthMessageRecord *message,
                          GError **error)
{
  g_autofree char *figures = figures_to_text (message->figures);

  return hearth_store_change (
           db, writing, error,
           "INSERT INTO messages (chat, id, parent, role, state, chosen, created, text,"
           "  thinking, thinking_ms, model_title, figures, error_code, error)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
           " ON CONFLICT (chat, id) DO UPDATE SET parent = excluded.parent,"
           "  role = excluded.role, state = excluded.state, chosen = excluded.chosen,"
           "  created = excluded.created, text = excluded.text, thinking = excluded.thinking,"
           "  thinking_ms = excluded.thinking_ms,"
           "  model_title = excluded.model_title, figures = excluded.figures,"
           "  error_code = excluded.error_code, error = excluded.error",
           "iiiiiiississis", chat, (gint64) message->id, (gint64) message->parent,
           (gint64) message->role, (gint64) message->state, (gint64) message->chosen,
           message->created, message->text, message->thinking != NULL ? message->thinking : "",
           (gint64) message->thinking_ms, message->model_title, figures,
           (gint64) (message->error != NULL ? message->error->code : 0),
           message->error != NULL ? message->error->message : NULL) &&
         hearth_store_change (db, writing, error,
                              "DELETE FROM journal WHERE message ="
                              " (SELECT row FROM messages WHERE chat = ? AND id = ?)",
                              "ii", chat, (gint64) message->id) &&
         (!message->chosen || hearth_store_choose (db, chat, message->id, error));
}

gboolean
hearth_store_append (sqlite3 *db, gint64 chat, guint message, gboolean thought, const char *text,
                     GError **error)
{
  return hearth_store_change (db, writing, error,
                              "INSERT INTO journal (message, thought, text)"
                              " SELECT row, ?, ? FROM messages WHERE chat = ? AND id = ?",
                              "isii", (gint64) thought, text, chat, (gint64) message);
}

gboolean
hearth_store_choose (sqlite3 *db, gint64 chat, guint message, GError **error)
{
  return hearth_store_change (db, writing, error,
                              "UPDATE messages SET chosen = (id = ?2) WHERE chat = ?1 AND parent ="
                              " (SELECT parent FROM messages WHERE chat = ?1 AND id = ?2)",
                              "ii", chat, (gint64) message);
}

gboolean
hearth_store_put_edit (sqlite3 *db, gint64 chat, guint message, const char *text, GError **error)
{
  return hearth_store_change (db, writing, error,
                              "UPDATE messages SET edit = ? WHERE chat = ? AND id = ?", "sii", text,
                              chat, (gint64) message);
}

gboolean
hearth_store_remove (sqlite3 *db, gint64 chat, GError **error)
{
  return hearth_store_change (db, writing, error, "DELETE FROM chats WHERE id = ?", "i", chat);
}

/* An answer that still grows in one chat is one that was stopped in its copy. */
gboolean
hearth_store_duplicate (sqlite3 *db, gint64 chat, gint64 copy, const char *title, gint64 now,
                        GError **error)
{
  return hearth_store_change (
           db, writing, error,
           "INSERT INTO chats (id, title, question, pinned, created, updated, model_path,"
           "  model_title, draft, settings, place_message, place_offset)"
           " SELECT ?2, ?3, question, 0, ?4, ?4, model_path, model_title, draft,"
           "  settings, place_message, place_offset FROM chats WHERE id = ?1",
           "iisi", chat, copy, title, now) &&
         hearth_store_change (
           db, writing, error,
           "INSERT INTO messages (chat, id, parent, role, state, chosen, created, text,"
           "  thinking, thinking_ms, model_title, figures, error_code, error)"
           " SELECT ?2, id, parent, role, CASE WHEN state < ?3 THEN ?4 ELSE state END, chosen,"
           "  created, text ||" PIECES ("0") ", thinking ||" PIECES (
             "1") ", thinking_ms,"
                  "  model_title, figures, error_code, error FROM messages WHERE chat = ?1 ORDER "
                  "BY id",
           "iiii", chat, copy, (gint64) HEARTH_MESSAGE_DONE, (gint64) HEARTH_MESSAGE_STOPPED);
}

gboolean
hearth_store_put_note (sqlite3 *db, const char *key, const char *value, GError **error)
{
  return hearth_store_change (db, writing, error,
                              "INSERT INTO notes (key, value) VALUES (?, ?)"
                              " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                              "ss", key, value);
}

#define STOPPED G_STRINGIFY (STATE_STOPPED)
#define DONE G_STRINGIFY (STATE_DONE)
#define INTERRUPTED "'{''ending'': <" G_STRINGIFY (ENDING_INTERRUPTED) ">}'"

gboolean
hearth_store_end_answers (sqlite3 *db, GError **error)
{
  static const char end[] =
    "SAVEPOINT end_answers;"
    "UPDATE messages SET text = text ||" PIECES ("0") ", thinking = thinking ||" PIECES (
      "1") " WHERE row IN (SELECT message FROM journal);"
           "DELETE FROM journal;"
           "UPDATE messages SET state = " STOPPED ", figures = " INTERRUPTED " WHERE state < " DONE
           ";"
           "RELEASE end_answers;";

  if (hearth_store_run (db, end, writing, error))
    return TRUE;
  sqlite3_exec (db, "ROLLBACK TO end_answers; RELEASE end_answers", NULL, NULL, NULL);
  return FALSE;
}

/* ---- reading ---------------------------------------------------------------------------- */

static char *
dup_text (sqlite3_stmt *statement, int column)
{
  const char *text = (const char *) sqlite3_column_text (statement, column);

  /* What somebody else wrote there need not be UTF-8. */
  return text != NULL ? g_utf8_make_valid (text, -1) : NULL;
}

static gpointer
chat_from_row (sqlite3_stmt *statement)
{
  HearthConversationRecord *record = g_new0 (HearthConversationRecord, 1);

  record->id = sqlite3_column_int64 (statement, 0);
  record->title = dup_text (statement, 1);
  record->question = dup_text (statement, 2);
  record->pinned = sqlite3_column_int (statement, 3) != 0;
  record->created = sqlite3_column_int64 (statement, 4);
  record->updated = sqlite3_column_int64 (statement, 5);
  record->model_path = dup_text (statement, 6);
  record->model_title = dup_text (statement, 7);
  record->draft = dup_text (statement, 8);
  record->settings = dup_text (statement, 9);
  record->place_message = (guint) sqlite3_column_int64 (statement, 10);
  record->place_offset = sqlite3_column_double (statement, 11);
  if (record->draft == NULL)
    record->draft = g_strdup ("");
  if (record->settings == NULL)
    record->settings = g_strdup ("");
  return record;
}

static gpointer
message_from_row (sqlite3_stmt *statement)
{
  HearthMessageRecord *record = g_new0 (HearthMessageRecord, 1);
  g_autofree char *figures = dup_text (statement, 10);
  g_autofree char *error = dup_text (statement, 12);
  gint64 state = sqlite3_column_int64 (statement, 3);

  record->id = (guint) sqlite3_column_int64 (statement, 0);
  record->parent = (guint) sqlite3_column_int64 (statement, 1);
  record->role = sqlite3_column_int (statement, 2) == HEARTH_MESSAGE_QUESTION
                   ? HEARTH_MESSAGE_QUESTION
                   : HEARTH_MESSAGE_ANSWER;
  record->state = (HearthMessageState) CLAMP (state, (gint64) HEARTH_MESSAGE_WAITING,
                                              (gint64) HEARTH_MESSAGE_FAILED);
  record->chosen = sqlite3_column_int (statement, 4) != 0;
  record->created = sqlite3_column_int64 (statement, 5);
  record->text = dup_text (statement, 6);
  if (record->text == NULL)
    record->text = g_strdup ("");
  record->thinking = dup_text (statement, 7);
  record->thinking_ms = (guint) CLAMP (sqlite3_column_int64 (statement, 8), 0, G_MAXUINT);
  record->model_title = dup_text (statement, 9);
  record->edit = dup_text (statement, 13);
  record->figures = figures_from_text (figures);
  if (record->state == HEARTH_MESSAGE_FAILED)
    record->error = g_error_new_literal (HEARTH_ERROR, sqlite3_column_int (statement, 11),
                                         error != NULL ? error : "");
  return record;
}

static GPtrArray *
read_all (sqlite3 *db, sqlite3_stmt *statement, gpointer (*from_row) (sqlite3_stmt *),
          GDestroyNotify free_one, GError **error)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (free_one);
  int status;

  if (statement == NULL)
    return NULL;
  while ((status = sqlite3_step (statement)) == SQLITE_ROW)
    g_ptr_array_add (rows, from_row (statement));
  if (status != SQLITE_DONE)
    {
      hearth_store_fail (db, status, reading, error);
      g_clear_pointer (&rows, g_ptr_array_unref);
    }
  sqlite3_finalize (statement);
  return g_steal_pointer (&rows);
}

GPtrArray *
hearth_store_list (sqlite3 *db, GError **error)
{
  sqlite3_stmt *statement = hearth_store_prepare (
    db, reading, error,
    "SELECT id, title, question, pinned, created, updated, model_path, model_title,"
    " draft, settings, place_message, place_offset FROM chats",
    "");

  return read_all (db, statement, chat_from_row, (GDestroyNotify) hearth_conversation_record_free,
                   error);
}

GPtrArray *
hearth_store_read (sqlite3 *db, gint64 chat, GError **error)
{
  sqlite3_stmt *statement =
    hearth_store_prepare (db, reading, error,
                          "SELECT id, parent, role, state, chosen, created,"
                          " text ||" PIECES ("0") ", thinking ||" PIECES (
                            "1") ", thinking_ms,"
                                 " model_title, figures, error_code, error, edit FROM messages "
                                 "WHERE chat = ? ORDER BY id",
                          "i", chat);

  return read_all (db, statement, message_from_row, (GDestroyNotify) hearth_message_record_free,
                   error);
}

char *
hearth_store_read_note (sqlite3 *db, const char *key, GError **error)
{
  sqlite3_stmt *statement =
    hearth_store_prepare (db, reading, error, "SELECT value FROM notes WHERE key = ?", "s", key);
  char *value = NULL;
  int status;

  if (statement == NULL)
    return NULL;
  status = sqlite3_step (statement);
  if (status == SQLITE_ROW)
    value = dup_text (statement, 0);
  else if (status != SQLITE_DONE)
    hearth_store_fail (db, status, reading, error);
  sqlite3_finalize (statement);
  return value;
}
