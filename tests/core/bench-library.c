/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench-library FOLDER N FILE...: how long a folder of N models takes to be listed and read, anew
 * and with what is kept of it, how long the main loop stood still at most, and how long the header
 * of each FILE takes. One JSON object. */
#include "hearth-library.h"

static HearthLibrary *library;

/* One turn of the main loop that did something; the longest is how long a key would have waited. */
static gint64
turn (void)
{
  gint64 start = g_get_monotonic_time ();

  if (!g_main_context_iteration (NULL, FALSE))
    {
      g_usleep (200);
      return 0;
    }
  return g_get_monotonic_time () - start;
}

static gboolean
all_read (void)
{
  GListModel *list = G_LIST_MODEL (library);

  if (hearth_library_get_scanning (library))
    return FALSE;
  /* Backwards: the last are read last. */
  for (guint i = g_list_model_get_n_items (list); i > 0; i--)
    {
      g_autoptr (HearthModelFile) file = g_list_model_get_item (list, i - 1);
      HearthModelFileState state = hearth_model_file_get_state (file);

      if (state != HEARTH_MODEL_FILE_READY && state != HEARTH_MODEL_FILE_FAILED)
        return FALSE;
    }
  return TRUE;
}

static double
ms_since (gint64 start)
{
  return (double) (g_get_monotonic_time () - start) / 1000;
}

static void
measure (HearthSettings *settings, char **environment, guint n, const char *how)
{
  gint64 start = g_get_monotonic_time ();
  gint64 longest = 0;
  double first = 0, listed = 0;

  library = hearth_library_new_for_environment (settings, environment);
  while (listed <= 0 || !all_read ())
    {
      guint there = g_list_model_get_n_items (G_LIST_MODEL (library));
      gint64 took;

      if (first <= 0 && there > 0)
        first = ms_since (start);
      if (listed <= 0 && there >= n)
        listed = ms_since (start);
      took = turn (); /* not within MAX, which would turn twice and keep the second */
      longest = MAX (longest, took);
    }
  g_print ("\"%s\": {\"first\": %.3f, \"listed\": %.3f, \"read\": %.3f, \"stall\": %.3f}, ", how,
           first, listed, ms_since (start), (double) longest / 1000);
  g_clear_object (&library);
}

int
main (int argc, char *argv[])
{
  g_auto (GStrv) environment = NULL;
  g_autoptr (HearthSettings) settings = NULL;
  guint n;

  if (argc < 3)
    {
      g_printerr ("bench-library FOLDER N FILE...\n");
      return 2;
    }
  n = (guint) g_ascii_strtoull (argv[2], NULL, 10);
  /* Nobody's own models and nobody's own cache: that lies beside the folder. */
  environment = g_environ_setenv (NULL, "HOME", argv[1], TRUE);
  {
    g_autofree char *above = g_path_get_dirname (argv[1]);

    environment = g_environ_setenv (environment, "XDG_CACHE_HOME", above, TRUE);
  }
  settings = hearth_settings_new (NULL);
  hearth_settings_set_recent_models (settings, (const char *[]) { NULL });
  hearth_settings_set_model_folders (settings, (const char *[]) { argv[1], NULL });
  g_print ("{");
  measure (settings, environment, n, "anew");
  measure (settings, environment, n, "kept");
  g_print ("\"files\": [");
  for (int i = 3; i < argc; i++)
    {
      gint64 start = g_get_monotonic_time ();
      g_autoptr (HearthModelHeader) header = hearth_model_header_read (argv[i], 0, 0, NULL);

      g_print ("%s%.3f", i > 3 ? ", " : "", header != NULL ? ms_since (start) : -1.0);
    }
  g_print ("]}\n");
  return 0;
}
