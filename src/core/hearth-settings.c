/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-settings.h"

#define G_SETTINGS_ENABLE_BACKEND /* a backend in memory */
#include <gio/gsettingsbackend.h>
#include <glib/gstdio.h>
#include <math.h>
#include <unistd.h>

#include "hearth-enums.h"
#include "hearth-error.h"

#define SCHEMA_ID "io.github.hearth_app.Hearth"
#define KEY_WINDOW_WIDTH "window-width"
#define KEY_WINDOW_HEIGHT "window-height"
#define KEY_WINDOW_MAXIMIZED "window-maximized"
#define KEY_RECENT_MODELS "recent-models"
#define KEY_PLACE "place"
#define KEY_MODEL_FOLDERS "model-folders"
#define KEY_KV_TYPE "kv-type"
#define KEY_ENTER_SENDS "enter-sends"
#define KEY_WRAP_CODE "wrap-code"
#define KEY_TEXT_SCALE "text-scale"
#define KEY_SYSTEM_PROMPT "system-prompt"
#define KEY_CONTEXT_LENGTH "context-length"
#define KEY_THREADS "threads"
#define KEY_TEMPERATURE "temperature"
#define KEY_TOP_P "top-p"
#define KEY_MIN_P "min-p"
#define KEY_TOP_K "top-k"
#define KEY_PRESETS "presets"
#define KEY_MAP_COLOURS "tensor-map-colours"
#define KEY_MAP_ZOOM "tensor-map-zoom"
#define KEY_MAP_HEIGHT "tensor-map-height"

static const char *const list_keys[] = {
  [HEARTH_LIST_SORT] = "list-sort",         [HEARTH_LIST_GROUP] = "list-group",
  [HEARTH_LIST_FILTERS] = "list-filters",   [HEARTH_LIST_SEARCH] = "list-search",
  [HEARTH_LIST_POSITION] = "list-position",
};

struct _HearthSettings
{
  GObject parent_instance;

  GSettings *settings;
  gboolean kept; /* beyond the end of the program */
};

G_DEFINE_FINAL_TYPE (HearthSettings, hearth_settings, G_TYPE_OBJECT)

/* Properties have the names of their keys. */
enum
{
  PROP_0,
  PROP_THREADS,
  PROP_CONTEXT_LENGTH,
  PROP_KV_TYPE,
  PROP_ENTER_SENDS,
  PROP_WRAP_CODE,
  PROP_TEXT_SCALE,
  PROP_MODEL_FOLDERS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

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
key_changed_cb (HearthSettings *self, const char *key)
{
  for (guint id = 1; id < N_PROPS; id++)
    {
      if (g_str_equal (properties[id]->name, key))
        g_object_notify_by_pspec (G_OBJECT (self), properties[id]);
    }
}

static void
hearth_settings_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthSettings *self = HEARTH_SETTINGS (object);

  switch (id)
    {
    case PROP_THREADS:
      g_value_set_uint (value, hearth_settings_get_threads (self));
      break;
    case PROP_CONTEXT_LENGTH:
      g_value_set_uint (value, hearth_settings_get_context_length (self));
      break;
    case PROP_KV_TYPE:
      g_value_set_enum (value, (int) hearth_settings_get_kv_type (self));
      break;
    case PROP_ENTER_SENDS:
      g_value_set_boolean (value, hearth_settings_get_enter_sends (self));
      break;
    case PROP_WRAP_CODE:
      g_value_set_boolean (value, hearth_settings_get_wrap_code (self));
      break;
    case PROP_TEXT_SCALE:
      g_value_set_double (value, hearth_settings_get_text_scale (self));
      break;
    case PROP_MODEL_FOLDERS:
      g_value_take_boxed (value, hearth_settings_dup_model_folders (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_settings_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  HearthSettings *self = HEARTH_SETTINGS (object);

  /* What is written notifies when GSettings says so. */
  switch (id)
    {
    case PROP_THREADS:
    case PROP_CONTEXT_LENGTH:
      g_settings_set_uint (self->settings, pspec->name, g_value_get_uint (value));
      break;
    case PROP_KV_TYPE:
      g_settings_set_enum (self->settings, pspec->name, g_value_get_enum (value));
      break;
    case PROP_ENTER_SENDS:
      g_settings_set_boolean (self->settings, pspec->name, g_value_get_boolean (value));
      break;
    case PROP_WRAP_CODE:
      g_settings_set_boolean (self->settings, pspec->name, g_value_get_boolean (value));
      break;
    case PROP_TEXT_SCALE:
      g_settings_set_double (self->settings, pspec->name, g_value_get_double (value));
      break;
    case PROP_MODEL_FOLDERS:
      hearth_settings_set_model_folders (self, g_value_get_boxed (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
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
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->dispose = hearth_settings_dispose;
  object_class->get_property = hearth_settings_get_property;
  object_class->set_property = hearth_settings_set_property;

  properties[PROP_THREADS] = g_param_spec_uint (KEY_THREADS, NULL, NULL, 0, 1024, 0, flags);
  properties[PROP_CONTEXT_LENGTH] =
    g_param_spec_uint (KEY_CONTEXT_LENGTH, NULL, NULL, 0, 16777216, 0, flags);
  properties[PROP_KV_TYPE] =
    g_param_spec_enum (KEY_KV_TYPE, NULL, NULL, HEARTH_TYPE_KV_TYPE, HEARTH_KV_F16, flags);
  properties[PROP_ENTER_SENDS] = g_param_spec_boolean (KEY_ENTER_SENDS, NULL, NULL, TRUE, flags);
  properties[PROP_WRAP_CODE] = g_param_spec_boolean (KEY_WRAP_CODE, NULL, NULL, FALSE, flags);
  properties[PROP_TEXT_SCALE] = g_param_spec_double (KEY_TEXT_SCALE, NULL, NULL, 0.5, 3, 1, flags);
  properties[PROP_MODEL_FOLDERS] =
    g_param_spec_boxed (KEY_MODEL_FOLDERS, NULL, NULL, G_TYPE_STRV, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
hearth_settings_init (HearthSettings *self)
{
}

/* Where dconf has its database. It is written by a service, so that dconf itself takes any key for
 * writable. */
static gboolean
can_dconf_write (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_config_dir (), "dconf", NULL);

  while (g_access (folder, F_OK) != 0)
    {
      char *parent = g_path_get_dirname (folder);

      if (g_str_equal (parent, folder))
        {
          g_free (parent);
          return FALSE;
        }
      g_free (folder);
      folder = parent;
    }
  return g_access (folder, W_OK | X_OK) == 0;
}

/* An administrator may have locked some keys: the others are kept all the same. */
static gboolean
can_keep (GSettings *settings, GSettingsSchema *schema)
{
  g_autoptr (GSettingsBackend) backend = NULL;
  g_auto (GStrv) keys = g_settings_schema_list_keys (schema);

  g_object_get (settings, "backend", &backend, NULL);
  if (g_str_equal (G_OBJECT_TYPE_NAME (backend), "DConfSettingsBackend") && !can_dconf_write ())
    return FALSE;
  for (char **key = keys; *key != NULL; key++)
    {
      if (g_settings_is_writable (settings, *key))
        return TRUE;
    }
  return FALSE;
}

/* Settings with the same values, an administrator's too, which can be changed until the program
 * ends. */
static GSettings *
copy_to_memory (GSettings *settings, GSettingsSchema *schema)
{
  g_autoptr (GSettingsBackend) memory = g_memory_settings_backend_new ();
  GSettings *copy = g_settings_new_full (schema, memory, NULL);
  g_auto (GStrv) keys = g_settings_schema_list_keys (schema);

  for (char **key = keys; *key != NULL; key++)
    {
      g_autoptr (GVariant) value = g_settings_get_value (settings, *key);

      g_settings_set_value (copy, *key, value);
    }
  return copy;
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
  self->kept = can_keep (self->settings, schema);
  if (!self->kept)
    {
      g_autoptr (GSettings) unkept = g_steal_pointer (&self->settings);

      self->settings = copy_to_memory (unkept, schema);
    }
  g_signal_connect_object (self->settings, "changed", G_CALLBACK (key_changed_cb), self,
                           G_CONNECT_SWAPPED);
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
hearth_settings_dup_place (HearthSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_SETTINGS (self), NULL);

  return g_settings_get_string (self->settings, KEY_PLACE);
}

void
hearth_settings_set_place (HearthSettings *self, const char *place)
{
  g_return_if_fail (HEARTH_IS_SETTINGS (self));

  g_settings_set_string (self->settings, KEY_PLACE, place);
}

void
hearth_settings_get_tensor_map (HearthSettings *self, HearthMapSettings *map)
{
  g_autofree char *colours = NULL;

  g_return_if_fail (HEARTH_IS_SETTINGS (self));

  colours = g_settings_get_string (self->settings, KEY_MAP_COLOURS);
  map->by_bits = g_str_equal (colours, "bits");
  map->zoom = g_settings_get_uint (self->settings, KEY_MAP_ZOOM);
  map->height = g_settings_get_int (self->settings, KEY_MAP_HEIGHT);
}

void
hearth_settings_set_tensor_map (HearthSettings *self, const HearthMapSettings *map)
{
  g_return_if_fail (HEARTH_IS_SETTINGS (self));

  g_settings_set_string (self->settings, KEY_MAP_COLOURS, map->by_bits ? "bits" : "type");
  g_settings_set_uint (self->settings, KEY_MAP_ZOOM, map->zoom);
  g_settings_set_int (self->settings, KEY_MAP_HEIGHT, map->height);
}

GStrv
hearth_settings_dup_model_folders (HearthSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_SETTINGS (self), NULL);

  return g_settings_get_strv (self->settings, KEY_MODEL_FOLDERS);
}

void
hearth_settings_set_model_folders (HearthSettings *self, const char *const *paths)
{
  const char *const none[] = { NULL };

  g_return_if_fail (HEARTH_IS_SETTINGS (self));

  g_settings_set_strv (self->settings, KEY_MODEL_FOLDERS, paths != NULL ? paths : none);
}

char *
hearth_settings_dup_list_state (HearthSettings *self, HearthListState which)
{
  g_return_val_if_fail (HEARTH_IS_SETTINGS (self), NULL);

  return g_settings_get_string (self->settings, list_keys[which]);
}

void
hearth_settings_set_list_state (HearthSettings *self, HearthListState which, const char *value)
{
  g_return_if_fail (HEARTH_IS_SETTINGS (self));

  g_settings_set_string (self->settings, list_keys[which], value);
}

HearthKvType
hearth_settings_get_kv_type (HearthSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_SETTINGS (self), HEARTH_KV_F16);

  return (HearthKvType) g_settings_get_enum (self->settings, KEY_KV_TYPE);
}

gboolean
hearth_settings_get_enter_sends (HearthSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_SETTINGS (self), TRUE);

  return g_settings_get_boolean (self->settings, KEY_ENTER_SENDS);
}

gboolean
hearth_settings_get_wrap_code (HearthSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_SETTINGS (self), FALSE);

  return g_settings_get_boolean (self->settings, KEY_WRAP_CODE);
}

double
hearth_settings_get_text_scale (HearthSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_SETTINGS (self), 1);

  return g_settings_get_double (self->settings, KEY_TEXT_SCALE);
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

GVariant *
hearth_settings_dup_presets (HearthSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_SETTINGS (self), NULL);

  return g_settings_get_value (self->settings, KEY_PRESETS);
}

void
hearth_settings_set_presets (HearthSettings *self, GVariant *presets)
{
  g_return_if_fail (HEARTH_IS_SETTINGS (self));

  g_settings_set_value (self->settings, KEY_PRESETS, presets);
}

gboolean
hearth_settings_is_writable (HearthSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_SETTINGS (self), FALSE);

  return self->kept;
}

gboolean
hearth_settings_is_locked (HearthSettings *self, const char *property)
{
  g_return_val_if_fail (HEARTH_IS_SETTINGS (self), FALSE);

  return !g_settings_is_writable (self->settings, property);
}

void
hearth_settings_get_sampling (HearthSettings *self, HearthSampling *sampling)
{
  g_autoptr (GVariant) value = NULL;
  g_autoptr (GVariant) top_k = NULL;

  g_return_if_fail (HEARTH_IS_SETTINGS (self));

  hearth_sampling_init (sampling);
  sampling->values[HEARTH_PARAMETER_TEMPERATURE] = get_maybe_double (self, KEY_TEMPERATURE);
  sampling->values[HEARTH_PARAMETER_TOP_P] = get_maybe_double (self, KEY_TOP_P);
  sampling->values[HEARTH_PARAMETER_MIN_P] = get_maybe_double (self, KEY_MIN_P);
  value = g_settings_get_value (self->settings, KEY_TOP_K);
  top_k = g_variant_get_maybe (value);
  if (top_k != NULL)
    sampling->values[HEARTH_PARAMETER_TOP_K] = g_variant_get_int32 (top_k);
}

void
hearth_settings_set_sampling (HearthSettings *self, const HearthSampling *sampling)
{
  GVariant *top_k = NULL;

  g_return_if_fail (HEARTH_IS_SETTINGS (self));

  set_maybe_double (self, KEY_TEMPERATURE, sampling->values[HEARTH_PARAMETER_TEMPERATURE]);
  set_maybe_double (self, KEY_TOP_P, sampling->values[HEARTH_PARAMETER_TOP_P]);
  set_maybe_double (self, KEY_MIN_P, sampling->values[HEARTH_PARAMETER_MIN_P]);
  if (hearth_sampling_is_set (sampling, HEARTH_PARAMETER_TOP_K))
    top_k = g_variant_new_int32 ((gint32) sampling->values[HEARTH_PARAMETER_TOP_K]);
  g_settings_set_value (self->settings, KEY_TOP_K,
                        g_variant_new_maybe (G_VARIANT_TYPE_INT32, top_k));
}
