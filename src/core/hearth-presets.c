/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-presets.h"

#include <math.h>

#include <glib/gi18n.h>

struct _HearthPreset
{
  GObject parent_instance;

  char *id;
  char *name;
  HearthSampling values;
  gboolean own;
};

G_DEFINE_FINAL_TYPE (HearthPreset, hearth_preset, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_NAME,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

struct _HearthPresets
{
  GObject parent_instance;

  HearthSettings *settings;
  GPtrArray *list;
};

static GType
presets_get_item_type (GListModel *list)
{
  return HEARTH_TYPE_PRESET;
}

static guint
presets_get_n_items (GListModel *list)
{
  return HEARTH_PRESETS (list)->list->len;
}

static gpointer
presets_get_item (GListModel *list, guint position)
{
  GPtrArray *presets = HEARTH_PRESETS (list)->list;

  return position < presets->len ? g_object_ref (presets->pdata[position]) : NULL;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = presets_get_item_type;
  iface->get_n_items = presets_get_n_items;
  iface->get_item = presets_get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthPresets, hearth_presets, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

/* Those that come with the program. NAN: left to the file, or to the engine. */
static const struct
{
  const char *id;
  const char *name;
  double temperature, top_p, min_p;
} built_in[] = {
  { "", NC_ ("preset", "None"), (double) NAN, (double) NAN, (double) NAN },
  { "precise", NC_ ("preset", "Precise"), 0.2, 0.9, 0.1 },
  { "balanced", NC_ ("preset", "Balanced"), 0.7, 0.95, 0.05 },
  { "creative", NC_ ("preset", "Creative"), 1.1, 0.98, 0.02 },
};

/* ---- one -------------------------------------------------------------------------------- */

static void
hearth_preset_finalize (GObject *object)
{
  HearthPreset *self = HEARTH_PRESET (object);

  g_free (self->id);
  g_free (self->name);
  G_OBJECT_CLASS (hearth_preset_parent_class)->finalize (object);
}

static void
hearth_preset_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_NAME)
    g_value_set_string (value, HEARTH_PRESET (object)->name);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_preset_class_init (HearthPresetClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = hearth_preset_finalize;
  object_class->get_property = hearth_preset_get_property;
  properties[PROP_NAME] =
    g_param_spec_string ("name", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
hearth_preset_init (HearthPreset *self)
{
  hearth_sampling_init (&self->values);
}

const char *
hearth_preset_get_id (HearthPreset *self)
{
  g_return_val_if_fail (HEARTH_IS_PRESET (self), "");

  return self->id;
}

const char *
hearth_preset_get_name (HearthPreset *self)
{
  g_return_val_if_fail (HEARTH_IS_PRESET (self), "");

  return self->name;
}

const HearthSampling *
hearth_preset_get_values (HearthPreset *self)
{
  g_return_val_if_fail (HEARTH_IS_PRESET (self), NULL);

  return &self->values;
}

gboolean
hearth_preset_is_own (HearthPreset *self)
{
  g_return_val_if_fail (HEARTH_IS_PRESET (self), FALSE);

  return self->own;
}

/* ---- all of them ------------------------------------------------------------------------ */

static HearthPreset *
own_new (const char *name, const HearthSampling *values)
{
  HearthPreset *preset = g_object_new (HEARTH_TYPE_PRESET, NULL);

  /* A name of the person's own is no id of ours. */
  preset->id = g_strconcat ("own:", name, NULL);
  preset->name = g_strdup (name);
  preset->values = *values;
  preset->own = TRUE;
  return preset;
}

static void
store (HearthPresets *self)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(sa{sd})"));
  for (guint i = G_N_ELEMENTS (built_in); i < self->list->len; i++)
    {
      HearthPreset *preset = self->list->pdata[i];

      g_variant_builder_add (&builder, "(s@a{sd})", preset->name,
                             hearth_sampling_to_variant (&preset->values));
    }
  hearth_settings_set_presets (self->settings, g_variant_builder_end (&builder));
}

static void
hearth_presets_dispose (GObject *object)
{
  g_clear_object (&HEARTH_PRESETS (object)->settings);
  G_OBJECT_CLASS (hearth_presets_parent_class)->dispose (object);
}

static void
hearth_presets_finalize (GObject *object)
{
  g_ptr_array_unref (HEARTH_PRESETS (object)->list);
  G_OBJECT_CLASS (hearth_presets_parent_class)->finalize (object);
}

static void
hearth_presets_class_init (HearthPresetsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hearth_presets_dispose;
  G_OBJECT_CLASS (klass)->finalize = hearth_presets_finalize;
}

static void
hearth_presets_init (HearthPresets *self)
{
  self->list = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < G_N_ELEMENTS (built_in); i++)
    {
      HearthPreset *preset = g_object_new (HEARTH_TYPE_PRESET, NULL);

      preset->id = g_strdup (built_in[i].id);
      preset->name = g_strdup (g_dpgettext2 (NULL, "preset", built_in[i].name));
      preset->values.values[HEARTH_PARAMETER_TEMPERATURE] = built_in[i].temperature;
      preset->values.values[HEARTH_PARAMETER_TOP_P] = built_in[i].top_p;
      preset->values.values[HEARTH_PARAMETER_MIN_P] = built_in[i].min_p;
      g_ptr_array_add (self->list, preset);
    }
}

HearthPresets *
hearth_presets_new (HearthSettings *settings)
{
  HearthPresets *self = g_object_new (HEARTH_TYPE_PRESETS, NULL);
  g_autoptr (GVariant) own = hearth_settings_dup_presets (settings);
  gsize n = g_variant_n_children (own);

  self->settings = g_object_ref (settings);
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GVariant) values = NULL;
      const char *name;
      HearthSampling sampling;

      g_variant_get_child (own, i, "(&s@a{sd})", &name, &values);
      hearth_sampling_from_variant (&sampling, values);
      g_ptr_array_add (self->list, own_new (name, &sampling));
    }
  return self;
}

static gboolean
look_up (HearthPresets *self, const char *id, guint *position)
{
  for (guint i = 0; i < self->list->len; i++)
    {
      if (g_str_equal (((HearthPreset *) self->list->pdata[i])->id, id))
        {
          *position = i;
          return TRUE;
        }
    }
  return FALSE;
}

guint
hearth_presets_find (HearthPresets *self, const char *id)
{
  guint position;

  g_return_val_if_fail (HEARTH_IS_PRESETS (self), 0);

  return look_up (self, id, &position) ? position : 0;
}

HearthPreset *
hearth_presets_save (HearthPresets *self, const char *name, const HearthSampling *values)
{
  HearthPreset *preset;
  guint position;
  guint n_before = 1;

  g_return_val_if_fail (HEARTH_IS_PRESETS (self), NULL);

  preset = own_new (name, values);
  if (look_up (self, preset->id, &position))
    {
      g_object_unref (self->list->pdata[position]);
      self->list->pdata[position] = preset;
    }
  else
    {
      position = self->list->len;
      n_before = 0;
      g_ptr_array_add (self->list, preset);
    }
  store (self);
  g_list_model_items_changed (G_LIST_MODEL (self), position, n_before, 1);
  return preset;
}

void
hearth_presets_remove (HearthPresets *self, const char *id)
{
  guint position;

  g_return_if_fail (HEARTH_IS_PRESETS (self));

  if (!look_up (self, id, &position) || position < G_N_ELEMENTS (built_in))
    return;
  g_ptr_array_remove_index (self->list, position);
  store (self);
  g_list_model_items_changed (G_LIST_MODEL (self), position, 1, 0);
}
