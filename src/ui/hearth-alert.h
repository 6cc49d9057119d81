/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-alert.h - a question or a sentence in a dialog, whose heading may be of any length. One of
 * AdwAlertDialog's own must fit on a line, else GTK complains about how it is measured. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* An AdwAlertDialog without responses yet; its extra child is a vertical GtkBox that more can be
 * added to. `body` may be NULL. Returns: (transfer full) */
AdwDialog *hearth_alert_new (const char *heading, const char *body);

G_END_DECLS
