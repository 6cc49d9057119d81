/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-chat-settings.h"

#include <math.h>

#include "hearth-enums.h"

/* What a chat may ask for; the engine has the last word. */
#define MAX_N_CTX (1u << 24)

struct _HearthChatSettings
{
  GObject parent_instance;

  char *system_prompt;
  char *preset;
  HearthSampling preset_values;
  HearthSampling own;
  HearthKvType kv_type;
  guint n_ctx;
  guint n_threads;
  gboolean thinking;
  gboolean leave_out;
};

G_DEFINE_FINAL_TYPE (HearthChatSettings, hearth_chat_settings, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_N_CTX,
  PROP_KV_TYPE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
changed (HearthChatSettings *self)
{
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
all_changed (HearthChatSettings *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_CTX]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_KV_TYPE]);
  changed (self);
}

static void
hearth_chat_settings_finalize (GObject *object)
{
  HearthChatSettings *self = HEARTH_CHAT_SETTINGS (object);

  g_free (self->system_prompt);
  g_free (self->preset);
  G_OBJECT_CLASS (hearth_chat_settings_parent_class)->finalize (object);
}

static void
hearth_chat_settings_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthChatSettings *self = HEARTH_CHAT_SETTINGS (object);

  if (id == PROP_N_CTX)
    g_value_set_uint (value, self->n_ctx);
  else if (id == PROP_KV_TYPE)
    g_value_set_enum (value, (int) self->kv_type);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_chat_settings_class_init (HearthChatSettingsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->finalize = hearth_chat_settings_finalize;
  object_class->get_property = hearth_chat_settings_get_property;
  properties[PROP_N_CTX] = g_param_spec_uint ("n-ctx", NULL, NULL, 0, G_MAXUINT, 0, flags);
  properties[PROP_KV_TYPE] =
    g_param_spec_enum ("kv-type", NULL, NULL, HEARTH_TYPE_KV_TYPE, HEARTH_KV_F16, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
hearth_chat_settings_init (HearthChatSettings *self)
{
  self->system_prompt = g_strdup ("");
  self->preset = g_strdup ("");
  self->thinking = TRUE;
  hearth_sampling_init (&self->preset_values);
  hearth_sampling_init (&self->own);
}

HearthChatSettings *
hearth_chat_settings_new (void)
{
  return g_object_new (HEARTH_TYPE_CHAT_SETTINGS, NULL);
}

void
hearth_chat_settings_assign (HearthChatSettings *self, HearthChatSettings *from)
{
  g_return_if_fail (HEARTH_IS_CHAT_SETTINGS (self));
  g_return_if_fail (HEARTH_IS_CHAT_SETTINGS (from));

  g_set_str (&self->system_prompt, from->system_prompt);
  g_set_str (&self->preset, from->preset);
  self->preset_values = from->preset_values;
  self->own = from->own;
  self->kv_type = from->kv_type;
  self->n_ctx = from->n_ctx;
  self->n_threads = from->n_threads;
  self->thinking = from->thinking;
  self->leave_out = from->leave_out;
  all_changed (self);
}

const char *
hearth_chat_settings_get_system_prompt (HearthChatSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_CHAT_SETTINGS (self), "");

  return self->system_prompt;
}

void
hearth_chat_settings_set_system_prompt (HearthChatSettings *self, const char *text)
{
  g_return_if_fail (HEARTH_IS_CHAT_SETTINGS (self));

  if (g_set_str (&self->system_prompt, text != NULL ? text : ""))
    changed (self);
}

const char *
hearth_chat_settings_get_preset (HearthChatSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_CHAT_SETTINGS (self), "");

  return self->preset;
}

void
hearth_chat_settings_set_preset (HearthChatSettings *self, const char *id,
                                 const HearthSampling *values)
{
  g_return_if_fail (HEARTH_IS_CHAT_SETTINGS (self));

  if (g_str_equal (self->preset, id) && hearth_sampling_equal (&self->preset_values, values))
    return;
  g_set_str (&self->preset, id);
  self->preset_values = *values;
  changed (self);
}

void
hearth_chat_settings_get_own (HearthChatSettings *self, HearthSampling *sampling)
{
  g_return_if_fail (HEARTH_IS_CHAT_SETTINGS (self));

  *sampling = self->own;
}

void
hearth_chat_settings_set_own (HearthChatSettings *self, const HearthSampling *sampling)
{
  g_return_if_fail (HEARTH_IS_CHAT_SETTINGS (self));

  if (hearth_sampling_equal (&self->own, sampling))
    return;
  self->own = *sampling;
  changed (self);
}

void
hearth_chat_settings_set_value (HearthChatSettings *self, HearthParameter parameter, double value)
{
  HearthSampling own;

  g_return_if_fail (HEARTH_IS_CHAT_SETTINGS (self));
  g_return_if_fail (parameter < HEARTH_N_PARAMETERS);

  own = self->own;
  own.values[parameter] = value;
  hearth_chat_settings_set_own (self, &own);
}

void
hearth_chat_settings_get_sampling (HearthChatSettings *self, HearthSampling *sampling)
{
  g_return_if_fail (HEARTH_IS_CHAT_SETTINGS (self));

  *sampling = self->preset_values;
  hearth_sampling_overlay (sampling, &self->own);
}

double
hearth_chat_settings_resolve (HearthChatSettings *self, HearthParameter parameter,
                              const HearthSampling *file, const HearthSampling *defaults,
                              HearthSource *source)
{
  const HearthSampling *layers[] = {
    [HEARTH_SOURCE_ENGINE] = defaults,
    [HEARTH_SOURCE_FILE] = file,
    [HEARTH_SOURCE_PRESET] = NULL,
    [HEARTH_SOURCE_YOURS] = NULL,
  };

  g_return_val_if_fail (HEARTH_IS_CHAT_SETTINGS (self), (double) NAN);

  layers[HEARTH_SOURCE_PRESET] = &self->preset_values;
  layers[HEARTH_SOURCE_YOURS] = &self->own;
  for (int i = HEARTH_SOURCE_YOURS; i >= HEARTH_SOURCE_ENGINE; i--)
    {
      if (layers[i] != NULL && hearth_sampling_is_set (layers[i], parameter))
        {
          *source = (HearthSource) i;
          return layers[i]->values[parameter];
        }
    }
  *source = HEARTH_SOURCE_ENGINE;
  return hearth_parameter_get_info (parameter)->ours ? hearth_parameter_get_info (parameter)->min
                                                     : (double) NAN;
}

gboolean
hearth_chat_settings_get_thinking (HearthChatSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_CHAT_SETTINGS (self), TRUE);

  return self->thinking;
}

void
hearth_chat_settings_set_thinking (HearthChatSettings *self, gboolean thinking)
{
  g_return_if_fail (HEARTH_IS_CHAT_SETTINGS (self));

  if (self->thinking == !!thinking)
    return;
  self->thinking = !!thinking;
  changed (self);
}

guint
hearth_chat_settings_get_n_ctx (HearthChatSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_CHAT_SETTINGS (self), 0);

  return self->n_ctx;
}

void
hearth_chat_settings_set_n_ctx (HearthChatSettings *self, guint n_ctx)
{
  g_return_if_fail (HEARTH_IS_CHAT_SETTINGS (self));

  n_ctx = MIN (n_ctx, MAX_N_CTX);
  if (self->n_ctx == n_ctx)
    return;
  self->n_ctx = n_ctx;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_CTX]);
  changed (self);
}

HearthKvType
hearth_chat_settings_get_kv_type (HearthChatSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_CHAT_SETTINGS (self), HEARTH_KV_F16);

  return self->kv_type;
}

void
hearth_chat_settings_set_kv_type (HearthChatSettings *self, HearthKvType kv_type)
{
  g_return_if_fail (HEARTH_IS_CHAT_SETTINGS (self));

  if (self->kv_type == kv_type)
    return;
  self->kv_type = kv_type;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_KV_TYPE]);
  changed (self);
}

guint
hearth_chat_settings_get_n_threads (HearthChatSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_CHAT_SETTINGS (self), 0);

  return self->n_threads;
}

void
hearth_chat_settings_set_n_threads (HearthChatSettings *self, guint n_threads)
{
  g_return_if_fail (HEARTH_IS_CHAT_SETTINGS (self));

  if (self->n_threads == n_threads)
    return;
  self->n_threads = n_threads;
  changed (self);
}

gboolean
hearth_chat_settings_get_leave_out (HearthChatSettings *self)
{
  g_return_val_if_fail (HEARTH_IS_CHAT_SETTINGS (self), FALSE);

  return self->leave_out;
}

void
hearth_chat_settings_set_leave_out (HearthChatSettings *self, gboolean leave_out)
{
  g_return_if_fail (HEARTH_IS_CHAT_SETTINGS (self));

  if (self->leave_out == !!leave_out)
    return;
  self->leave_out = !!leave_out;
  changed (self);
}

char *
hearth_chat_settings_to_text (HearthChatSettings *self)
{
  g_autoptr (GVariant) all = NULL;
  GVariantBuilder builder;

  g_return_val_if_fail (HEARTH_IS_CHAT_SETTINGS (self), NULL);

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&builder, "{sv}", "system-prompt",
                         g_variant_new_string (self->system_prompt));
  g_variant_builder_add (&builder, "{sv}", "preset", g_variant_new_string (self->preset));
  g_variant_builder_add (&builder, "{sv}", "preset-values",
                         hearth_sampling_to_variant (&self->preset_values));
  g_variant_builder_add (&builder, "{sv}", "own", hearth_sampling_to_variant (&self->own));
  g_variant_builder_add (&builder, "{sv}", "context", g_variant_new_uint32 (self->n_ctx));
  g_variant_builder_add (&builder, "{sv}", "kv-f32",
                         g_variant_new_boolean (self->kv_type == HEARTH_KV_F32));
  g_variant_builder_add (&builder, "{sv}", "thinking", g_variant_new_boolean (self->thinking));
  g_variant_builder_add (&builder, "{sv}", "leave-out", g_variant_new_boolean (self->leave_out));
  all = g_variant_ref_sink (g_variant_builder_end (&builder));
  return g_variant_print (all, TRUE);
}

static void
read_sampling (GVariant *all, const char *name, HearthSampling *sampling)
{
  g_autoptr (GVariant) values = g_variant_lookup_value (all, name, G_VARIANT_TYPE ("a{sd}"));

  if (values != NULL)
    hearth_sampling_from_variant (sampling, values);
}

gboolean
hearth_chat_settings_from_text (HearthChatSettings *self, const char *text)
{
  g_autoptr (GVariant) all = NULL;
  g_autofree char *string = NULL;
  gboolean kv_f32;

  g_return_val_if_fail (HEARTH_IS_CHAT_SETTINGS (self), FALSE);

  all = g_variant_parse (G_VARIANT_TYPE_VARDICT, text, NULL, NULL, NULL);
  if (all == NULL)
    return FALSE;
  if (g_variant_lookup (all, "system-prompt", "s", &string))
    g_set_str (&self->system_prompt, string);
  g_clear_pointer (&string, g_free);
  if (g_variant_lookup (all, "preset", "s", &string))
    g_set_str (&self->preset, string);
  read_sampling (all, "preset-values", &self->preset_values);
  read_sampling (all, "own", &self->own);
  g_variant_lookup (all, "context", "u", &self->n_ctx);
  self->n_ctx = MIN (self->n_ctx, MAX_N_CTX);
  if (g_variant_lookup (all, "kv-f32", "b", &kv_f32))
    self->kv_type = kv_f32 ? HEARTH_KV_F32 : HEARTH_KV_F16;
  g_variant_lookup (all, "thinking", "b", &self->thinking);
  g_variant_lookup (all, "leave-out", "b", &self->leave_out);
  all_changed (self);
  return TRUE;
}
