/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main.c - locale, then the application object; everything else is in ui/ and core/. */
#include <locale.h>

#include <glib/gi18n.h>

#include "hearth-application.h"

/* Where translations are: as tests say, beside a program that is run where it was built, or where
 * they are installed. */
static const char *
find_translations (void)
{
  const char *said = g_getenv ("HEARTH_LOCALEDIR");
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = program != NULL ? g_path_get_dirname (program) : NULL;
  g_autofree char *schema = NULL;
  g_autofree char *built = NULL;

  if (said != NULL || folder == NULL)
    return said != NULL ? said : LOCALEDIR;
  schema = g_build_filename (folder, "..", "data", "gschemas.compiled", NULL);
  built = g_build_filename (folder, "..", "po", NULL);
  return g_file_test (schema, G_FILE_TEST_EXISTS) ? g_intern_string (built) : LOCALEDIR;
}

int
main (int argc, char *argv[])
{
  g_autoptr (HearthApplication) application = NULL;
  int status;

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, find_translations ());
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  application = hearth_application_new ();
  status = g_application_run (G_APPLICATION (application), argc, argv);
  return status != 0 ? status : hearth_application_get_exit_status (application);
}
