/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-preferences.h - the dialog of what a person may set for all chats. Everything applies at
 * once; the theme is the desktop's. */
#pragma once

#include <adwaita.h>

#include "hearth-settings.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_PREFERENCES (hearth_preferences_get_type ())
G_DECLARE_FINAL_TYPE (HearthPreferences, hearth_preferences, HEARTH, PREFERENCES,
                      AdwPreferencesDialog)

/* Returns: (transfer floating) */
AdwDialog *hearth_preferences_new (HearthSettings *settings);

G_END_DECLS
