/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-application.h - the one global object: what lives as long as the program does. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_APPLICATION (hearth_application_get_type ())
G_DECLARE_FINAL_TYPE (HearthApplication, hearth_application, HEARTH, APPLICATION, AdwApplication)

/* Returns: (transfer full) */
HearthApplication *hearth_application_new (void);

/* What main() returns when g_application_run() itself had nothing to complain about. */
int hearth_application_get_exit_status (HearthApplication *self);

G_END_DECLS
