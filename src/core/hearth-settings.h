/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-settings.h - what a person has set, typed; the only file that knows GSettings keys.
 * Main thread. */
#pragma once

#include <gio/gio.h>

#include "hearth-kv-type.h"
#include "hearth-sampling.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_SETTINGS (hearth_settings_get_type ())
G_DECLARE_FINAL_TYPE (HearthSettings, hearth_settings, HEARTH, SETTINGS, GObject)

/* Properties, read and written by preferences and followed by what they are about: threads,
 * context-length, kv-type, enter-sends, wrap-code, text-scale, model-folders. */

/* NULL with a sentence when the schema is installed nowhere.
 * Returns: (transfer full) (nullable) */
HearthSettings *hearth_settings_new (GError **error);

void hearth_settings_get_window_size (HearthSettings *self, int *width, int *height,
                                      gboolean *maximized);
void hearth_settings_set_window_size (HearthSettings *self, int width, int height,
                                      gboolean maximized);

/* Absolute paths, last used first. Returns: (transfer full) */
GStrv hearth_settings_dup_recent_models (HearthSettings *self);
void hearth_settings_set_recent_models (HearthSettings *self, const char *const *paths);

/* The place that was shown last: "chats" or "models". Returns: (transfer full) */
char *hearth_settings_dup_place (HearthSettings *self);
void hearth_settings_set_place (HearthSettings *self, const char *place);

/* How the map of tensors was looked at last. */
typedef struct
{
  gboolean by_bits; /* coloured by bits per weight, not by type */
  guint zoom;
  int height; /* of the map above its table; 0: as it fits */
} HearthMapSettings;
void hearth_settings_get_tensor_map (HearthSettings *self, HearthMapSettings *map);
void hearth_settings_set_tensor_map (HearthSettings *self, const HearthMapSettings *map);

/* Absolute paths of folders whose model files are listed. Returns: (transfer full) */
GStrv hearth_settings_dup_model_folders (HearthSettings *self);
void hearth_settings_set_model_folders (HearthSettings *self, const char *const *paths);

/* How the list of models was left. Text of ids; "" where there is nothing. */
typedef enum
{
  HEARTH_LIST_SORT,     /* "name", "size", "date" */
  HEARTH_LIST_GROUP,    /* "none", "family", "folder" */
  HEARTH_LIST_FILTERS,  /* "chat", "embedding", "fits", parted by spaces */
  HEARTH_LIST_SEARCH,   /* what was searched for */
  HEARTH_LIST_POSITION, /* the path of the topmost row */
  HEARTH_N_LIST_STATES
} HearthListState;

/* Returns: (transfer full) */
char *hearth_settings_dup_list_state (HearthSettings *self, HearthListState which);
void hearth_settings_set_list_state (HearthSettings *self, HearthListState which,
                                     const char *value);

/* "" when there is none. Returns: (transfer full) */
char *hearth_settings_dup_system_prompt (HearthSettings *self);

/* Tokens; 0 leaves it to the model and the memory that is free. */
guint hearth_settings_get_context_length (HearthSettings *self);
/* 0: one per physical core. */
guint hearth_settings_get_threads (HearthSettings *self);

/* What new chats keep their context in. */
HearthKvType hearth_settings_get_kv_type (HearthSettings *self);
/* Whether Enter sends a question and Shift+Enter breaks the line; else Ctrl+Enter sends. */
gboolean hearth_settings_get_enter_sends (HearthSettings *self);
/* Whether long lines of code are wrapped; else they scroll sideways. */
gboolean hearth_settings_get_wrap_code (HearthSettings *self);
/* Size of the text of answers, 1 = as everything else. */
double hearth_settings_get_text_scale (HearthSettings *self);

/* The person's own presets, a(sa{sd}): names and values by id. Returns: (transfer full) */
GVariant *hearth_settings_dup_presets (HearthSettings *self);
/* `presets` may be floating. */
void hearth_settings_set_presets (HearthSettings *self, GVariant *presets);

/* Whether what is set is kept: not where the settings are read-only. */
gboolean hearth_settings_is_writable (HearthSettings *self);

/* Whether the administrator of this computer has fixed what this property is about: it is read, and
 * writing it does nothing. */
gboolean hearth_settings_is_locked (HearthSettings *self, const char *property);

void hearth_settings_get_sampling (HearthSettings *self, HearthSampling *sampling);
void hearth_settings_set_sampling (HearthSettings *self, const HearthSampling *sampling);

G_END_DECLS
