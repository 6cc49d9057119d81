/* SPDX-License-Identifier: GPL-3.0-or-later */
/* core-test.h - what the core tests share: waiting for the main loop, the model to test with. */
#pragma once

#include <gio/gio.h>
#include <glib/gstdio.h>

/* Only ends a test that has failed: nothing is decided by time. */
#define CORE_TEST_PATIENCE_S 240

static inline gboolean
core_test_timeout_cb (gpointer data)
{
  g_error ("waited in vain for: %s", (const char *) data);
  return G_SOURCE_REMOVE;
}

/* Runs the main loop until CONDITION holds. */
#define core_test_wait(CONDITION)                                                                  \
  G_STMT_START                                                                                     \
  {                                                                                                \
    guint core_test_id =                                                                           \
      g_timeout_add_seconds (CORE_TEST_PATIENCE_S, core_test_timeout_cb, (gpointer) #CONDITION);   \
    while (!(CONDITION))                                                                           \
      g_main_context_iteration (NULL, TRUE);                                                       \
    g_source_remove (core_test_id);                                                                \
  }                                                                                                \
  G_STMT_END

static inline void
core_test_result_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GAsyncResult **out = user_data;

  *out = g_object_ref (result);
}

/* The small chat model; NULL, with the test skipped (failed in CI), when it is not there.
 * Returns: (transfer full) (nullable) */
static inline char *
core_test_model (void)
{
  const char *folder = g_getenv ("HEARTH_TEST_MODELS");
  g_autofree char *path = g_build_filename (folder != NULL ? folder : ".", "smollm2.gguf", NULL);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&path);
  if (g_getenv ("CI") != NULL)
    g_test_fail_printf ("missing: %s", path);
  else
    g_test_skip_printf ("no model %s", path);
  return NULL;
}

/* Removes a file, or a folder of the test's with all in it. */
static inline void
core_test_remove (const char *path)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;

  if (!g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    dir = g_dir_open (path, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      core_test_remove (child);
    }
  g_remove (path);
}

/* For g_object_weak_ref(), data: GThread **, who let go of the object last. */
static inline void
core_test_gone_cb (gpointer data, GObject *object)
{
  *(GThread **) data = g_thread_self ();
}

/* The model of the tests that core_test_add() added, while one of them runs. */
G_GNUC_UNUSED static char *core_test_path;

static inline void
core_test_with_model (gconstpointer data)
{
  core_test_path = core_test_model ();
  if (core_test_path != NULL)
    ((void (*) (void)) data) ();
  g_clear_pointer (&core_test_path, g_free);
}

/* A test that is skipped, or fails where CI is set, without a model. */
static inline void
core_test_add (const char *path, void (*test) (void))
{
  g_test_add_data_func (path, (gconstpointer) test, core_test_with_model);
}
