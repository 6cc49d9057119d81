/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main.c - locale, then the application object; everything else is in ui/ and core/. */
#include <locale.h>

#include <glib/gi18n.h>

#include "hearth-application.h"

int
main (int argc, char *argv[])
{
  g_autoptr (HearthApplication) application = NULL;
  int status;

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  application = hearth_application_new ();
  status = g_application_run (G_APPLICATION (application), argc, argv);
  return status != 0 ? status : hearth_application_get_exit_status (application);
}
