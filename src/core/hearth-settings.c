/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-settings.h"

#include <math.h>

#include "hearth-error.h"

#define SCHEMA_ID "io.github.hearth_app.Hearth"
#define KEY_WINDOW_WIDTH "window-width"
#define KEY_WINDOW_HEIGHT "window-height"
#define KEY_WINDOW_MAXIMIZED "window-maximized"
#define KEY_RECENT_MODELS "recent-models"
#define KEY_SYSTEM_PROMPT "system-prompt"
#define KEY_CONTEXT_LENGTH "context-length"
#define KEY_THREADS "threads"
#define KEY_TEMPERATURE "temperature"
#define KEY_TOP_P "top-p"
#define KEY_MIN_P "min-p"
#define KEY_TOP_K "top-k"

struct _HearthSettings
{
  GObject parent_instance;

  GSettings *settings;
};

G_DEFINE_FINAL_TYPE (HearthSettings, hearth_settings, G_TYPE_OBJECT)

/* A program run from its build folder must see the schema built with it, not an installed older
 * one: a key missing there would be fatal. */
static GSettingsSchema *
find_schema (void)
{
  GSettingsSchemaSource *installed = g_settings_schema_source_get_default ();
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);

  if (program != NULL)
    {
      g_autofree char *folder = g_path_get_dirname (program);
      g_autofree char *data = g_build_filename (folder, "..", "data", NULL);
      g_autoptr (GSettingsSchemaSource) built =
        g_settings_schema_source_new_from_directory (data, installed, FALSE, NULL);

      if (built != NULL)
        return g_settings_schema_source_lookup (built, SCHEMA_ID, TRUE);
    }
  return installed != NULL ? g_settings_schema_source_lookup (installed, SCHEMA_ID, TRUE) : NULL;
}

static double
get_maybe_double (HearthSettings *self, const char *key)
{
  g_autoptr (GVariant) value = g_settings_get_value (self->settings, key);
  g_autoptr (GVariant) inner = g_variant_get_maybe (value);

  return inner != NULL ? g_variant_get_double (inner) : (double) NAN;
}

static void
set_maybe_double (HearthSettings *self, const char *key, double value)
{
  GVariant *inner = isnan (value) ? NULL : g_variant_new_double (value);

  g_settings_set_value (self->settings, key, g_variant_new_maybe (G_VARIANT_TYPE_DOUBLE, inner));
}

static void
hearth_settings_dispose (GObject *object)
{
  HearthSettings *self = HEARTH_SETTINGS (object);

  g_clear_object (&self->settings);
  G_OBJECT_CLASS (hearth_settings_parent_class)->dispose (object);
}

static void
hearth_settings_class_init (HearthSettingsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hearth_settings_dispose;
}

static void
hearth_settings_init (HearthSettings *self)
{
}

HearthSettings *
hearth_settings_new (GError **error)
{
  g_autoptr (GSettingsSchema) schema = find_schema ();
  HearthSettings *self;

  if (schema == NULL)
    {
      g_set_error (error, HEARTH_ERROR, HEARTH_ERROR_NOT_FOUND,
                   "the settings schema %s is not installed", SCHEMA_ID);
      return NULL;
    }
  self = g_object_new (HEARTH_TYPE_SETTINGS, NULL);
  self->settings = g_settings_new_full (schema, NULL, NULL);
  return self;
}

void
hearth_settings_get_window_size (HearthSettings *self, int *width, int *height, gboolean *maximized)
{
  g_return_if_fail (HEARTH_IS_SETTINGS (self));

  *width = g_settings_get_int (self->settings, KEY_WINDOW_WIDTH);
  *height = g_settings_get_int (self->settings, KEY_WINDOW_HEIGHT);
  *maximized = g_settings_get_boolean (self->settings, KEY_WINDOW_MAXIMIZED);
}

void
hearth_settings_set_window_size (HearthSettings *self, int width, int height, gboolean maximized)
{
  g_return_if_fail (HEARTH_IS_SETTINGS (self));

  if (width > 0 && height > 0)
    {
      g_settings_set_int (self->settings, KEY_WINDOW_WIDTH, width);
      g_settings_set_int (self->settings, KEY_WINDOW_HEIGHT, height);
    }
  g_settings_set_boolean (self->settings, KEY_WINDOW_MAXIMIZED, maximized);
}

GStrv
hearth_settings_dup_recent_models (HearthSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_SETTINGS (self), NULL);

  return g_settings_get_strv (self->settings, KEY_RECENT_MODELS);
}

void
hearth_settings_set_recent_models (HearthSettings *self, const char *const *paths)
{
  g_return_if_fail (HEARTH_IS_SETTINGS (self));

  g_settings_set_strv (self->settings, KEY_RECENT_MODELS, paths);
}

char *
hearth_settings_dup_system_prompt (HearthSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_SETTINGS (self), NULL);

  return g_settings_get_string (self->settings, KEY_SYSTEM_PROMPT);
}

guint
hearth_settings_get_context_length (HearthSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_SETTINGS (self), 0);

  return g_settings_get_uint (self->settings, KEY_CONTEXT_LENGTH);
}

guint
hearth_settings_get_threads (HearthSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_SETTINGS (self), 0);

  return g_settings_get_uint (self->settings, KEY_THREADS);
}

void
hearth_settings_get_sampling (HearthSettings *self, HearthSampling *sampling)
{
  g_autoptr (GVariant) value = NULL;
  g_autoptr (GVariant) top_k = NULL;

  g_return_if_fail (HEARTH_IS_SETTINGS (self));

  hearth_sampling_init (sampling);
  sampling->temperature = get_maybe_double (self, KEY_TEMPERATURE);
  sampling->top_p = get_maybe_double (self, KEY_TOP_P);
  sampling->min_p = get_maybe_double (self, KEY_MIN_P);
  value = g_settings_get_value (self->settings, KEY_TOP_K);
  top_k = g_variant_get_maybe (value);
  if (top_k != NULL)
    sampling->top_k = g_variant_get_int32 (top_k);
}

void
hearth_settings_set_sampling (HearthSettings *self, const HearthSampling *sampling)
{
  GVariant *top_k = NULL;

  g_return_if_fail (HEARTH_IS_SETTINGS (self));

  set_maybe_double (self, KEY_TEMPERATURE, sampling->temperature);
  set_maybe_double (self, KEY_TOP_P, sampling->top_p);
  set_maybe_double (self, KEY_MIN_P, sampling->min_p);
  if (sampling->top_k != HEARTH_SAMPLING_UNSET_INT)
    top_k = g_variant_new_int32 (sampling->top_k);
  g_settings_set_value (self->settings, KEY_TOP_K,
                        g_variant_new_maybe (G_VARIANT_TYPE_INT32, top_k));
}
