/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-presets.h - named sets of sampling values: a list of HearthPreset, those that come with
 * the program first, then the person's own, which are kept in the settings. Main thread. */
#pragma once

#include "hearth-settings.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_PRESET (hearth_preset_get_type ())
G_DECLARE_FINAL_TYPE (HearthPreset, hearth_preset, HEARTH, PRESET, GObject)

/* Properties: name. */

/* "" for what the model's file says. */
const char *hearth_preset_get_id (HearthPreset *self);
/* As it is shown: translated unless it is the person's own. */
const char *hearth_preset_get_name (HearthPreset *self);
/* Returns: (transfer none) */
const HearthSampling *hearth_preset_get_values (HearthPreset *self);
gboolean hearth_preset_is_own (HearthPreset *self);

#define HEARTH_TYPE_PRESETS (hearth_presets_get_type ())
G_DECLARE_FINAL_TYPE (HearthPresets, hearth_presets, HEARTH, PRESETS, GObject)

/* Returns: (transfer full) */
HearthPresets *hearth_presets_new (HearthSettings *settings);

/* The position of this id, or of the first preset when there is none of it. */
guint hearth_presets_find (HearthPresets *self, const char *id);
/* Keeps values under a name; one of the person's own of that name is replaced.
 * Returns: (transfer none): it */
HearthPreset *hearth_presets_save (HearthPresets *self, const char *name,
                                   const HearthSampling *values);
/* Does nothing for those that come with the program. */
void hearth_presets_remove (HearthPresets *self, const char *id);

G_END_DECLS
