/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store-test.h - what the tests of the chats' store share. */
#pragma once

#include <glib/gstdio.h>
#include <string.h>

#include "core-test.h"
#include "hearth-conversation-store.h"

/* Returns: (transfer full): a new empty folder */
static inline char *
store_test_folder (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("hearth-store-XXXXXX", &error);

  g_assert_no_error (error);
  return folder;
}

static inline void
store_test_remove_folder (char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_unlink (path);
    }
  g_rmdir (folder);
  g_free (folder);
}

G_GNUC_UNUSED static GPtrArray *
store_test_list (HearthConversationStore *store)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  GPtrArray *list;

  hearth_conversation_store_list_async (store, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  list = hearth_conversation_store_list_finish (store, result, &error);
  g_assert_no_error (error);
  return list;
}

G_GNUC_UNUSED static GPtrArray *
store_test_read (HearthConversationStore *store, gint64 id)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  GPtrArray *messages;

  hearth_conversation_store_read_async (store, id, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  messages = hearth_conversation_store_read_finish (store, result, &error);
  g_assert_no_error (error);
  return messages;
}

static inline gboolean
store_test_wake_cb (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

/* Until everything that was put is on disk. */
G_GNUC_UNUSED static void
store_test_wait_written (HearthConversationStore *store)
{
  guint64 n = hearth_conversation_store_get_n_put (store);
  guint wake_id = g_timeout_add (5, store_test_wake_cb, NULL);

  core_test_wait (hearth_conversation_store_get_n_written (store) >= n);
  g_source_remove (wake_id);
}

/* Closes it and lets go of it. Returns whether everything was written. */
G_GNUC_UNUSED static gboolean
store_test_close (HearthConversationStore *store)
{
  g_autoptr (GAsyncResult) result = NULL;
  gboolean ok;

  hearth_conversation_store_close_async (store, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  ok = hearth_conversation_store_close_finish (store, result, NULL);
  g_clear_object (&result);
  g_object_unref (store);
  return ok;
}

G_GNUC_UNUSED static void
store_test_put (HearthConversationStore *store, gint64 id, const char *question)
{
  HearthConversationRecord record = {
    .id = id, .question = (char *) question, .created = id, .updated = id + 1
  };

  hearth_conversation_store_put (store, &record);
}

G_GNUC_UNUSED static void
store_test_put_message (HearthConversationStore *store, gint64 chat, guint id, guint parent,
                        HearthMessageState state, const char *text)
{
  HearthMessageRecord record = { .id = id,
                                 .parent = parent,
                                 .role = parent % 2 == 0 ? HEARTH_MESSAGE_QUESTION
                                                         : HEARTH_MESSAGE_ANSWER,
                                 .state = state,
                                 .chosen = TRUE,
                                 .created = id,
                                 .text = text };

  hearth_conversation_store_put_message (store, chat, &record);
}
