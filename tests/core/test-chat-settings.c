/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What answers are made with: layers and their sources, as text, presets. */
#include <math.h>

#include "core-test.h"
#include "hearth-chat-settings.h"
#include "hearth-presets.h"

static void
count_cb (HearthChatSettings *settings, guint *count)
{
  (*count)++;
}

static void
check (HearthChatSettings *settings, HearthParameter parameter, const HearthSampling *file,
       const HearthSampling *defaults, double value, HearthSource source)
{
  HearthSource found;
  double resolved = hearth_chat_settings_resolve (settings, parameter, file, defaults, &found);

  g_assert_cmpfloat (resolved, ==, value);
  g_assert_cmpint (found, ==, source);
}

/* Each layer hides those below it, and gives them back when it is taken away. */
static void
test_layers (void)
{
  g_autoptr (HearthChatSettings) settings = hearth_chat_settings_new ();
  HearthSampling file, defaults, preset, effective;
  guint n_changes = 0;
  HearthSource source;

  g_signal_connect (settings, "changed", G_CALLBACK (count_cb), &n_changes);
  hearth_sampling_init (&file);
  hearth_sampling_init (&defaults);
  hearth_sampling_init (&preset);
  for (guint i = 0; i < HEARTH_N_PARAMETERS; i++)
    defaults.values[i] = i;
  file.values[HEARTH_PARAMETER_TEMPERATURE] = 0.6;
  preset.values[HEARTH_PARAMETER_TEMPERATURE] = 0.2;
  preset.values[HEARTH_PARAMETER_TOP_P] = 0.9;

  check (settings, HEARTH_PARAMETER_TOP_K, &file, &defaults, HEARTH_PARAMETER_TOP_K,
         HEARTH_SOURCE_ENGINE);
  check (settings, HEARTH_PARAMETER_TEMPERATURE, &file, &defaults, 0.6, HEARTH_SOURCE_FILE);
  hearth_chat_settings_set_preset (settings, "precise", &preset);
  check (settings, HEARTH_PARAMETER_TEMPERATURE, &file, &defaults, 0.2, HEARTH_SOURCE_PRESET);
  hearth_chat_settings_set_value (settings, HEARTH_PARAMETER_TEMPERATURE, 1.5);
  check (settings, HEARTH_PARAMETER_TEMPERATURE, &file, &defaults, 1.5, HEARTH_SOURCE_YOURS);
  check (settings, HEARTH_PARAMETER_TOP_P, &file, &defaults, 0.9, HEARTH_SOURCE_PRESET);
  hearth_chat_settings_get_sampling (settings, &effective);
  g_assert_cmpfloat (effective.values[HEARTH_PARAMETER_TEMPERATURE], ==, 1.5);
  g_assert_cmpfloat (effective.values[HEARTH_PARAMETER_TOP_P], ==, 0.9);
  g_assert_false (hearth_sampling_is_set (&effective, HEARTH_PARAMETER_MIN_P));
  hearth_chat_settings_set_value (settings, HEARTH_PARAMETER_TEMPERATURE, (double) NAN);
  check (settings, HEARTH_PARAMETER_TEMPERATURE, &file, &defaults, 0.2, HEARTH_SOURCE_PRESET);
  g_assert_cmpuint (n_changes, ==, 3);
  hearth_chat_settings_set_value (settings, HEARTH_PARAMETER_TEMPERATURE, (double) NAN);
  g_assert_cmpuint (n_changes, ==, 3);

  g_assert_true (
    isnan (hearth_chat_settings_resolve (settings, HEARTH_PARAMETER_SEED, NULL, NULL, &source)));
}

static void
test_text (void)
{
  g_autoptr (HearthChatSettings) settings = hearth_chat_settings_new ();
  g_autoptr (HearthChatSettings) restored = hearth_chat_settings_new ();
  g_autofree char *empty = hearth_chat_settings_to_text (settings);
  g_autofree char *text = NULL;
  g_autofree char *again = NULL;
  HearthSampling sampling;

  g_assert_true (hearth_chat_settings_from_text (restored, empty));
  hearth_sampling_init (&sampling);
  sampling.values[HEARTH_PARAMETER_MIN_P] = 0.125;
  hearth_chat_settings_set_system_prompt (settings, "Sei “kurz”.\n'Ja'");
  hearth_chat_settings_set_preset (settings, "own:Mine", &sampling);
  hearth_chat_settings_set_value (settings, HEARTH_PARAMETER_SEED, 4000000000.0);
  hearth_chat_settings_set_n_ctx (settings, 12345);
  hearth_chat_settings_set_kv_type (settings, HEARTH_KV_F32);
  hearth_chat_settings_set_thinking (settings, FALSE);
  hearth_chat_settings_set_leave_out (settings, TRUE);
  text = hearth_chat_settings_to_text (settings);
  g_assert_null (strchr (text, '\n'));
  g_assert_true (hearth_chat_settings_from_text (restored, text));
  again = hearth_chat_settings_to_text (restored);
  g_assert_cmpstr (again, ==, text);
  g_assert_cmpstr (hearth_chat_settings_get_system_prompt (restored), ==, "Sei “kurz”.\n'Ja'");
  g_assert_cmpuint (hearth_chat_settings_get_n_ctx (restored), ==, 12345);
  hearth_chat_settings_get_sampling (restored, &sampling);
  g_assert_cmpfloat (sampling.values[HEARTH_PARAMETER_SEED], ==, 4000000000.0);
  g_assert_cmpfloat (sampling.values[HEARTH_PARAMETER_MIN_P], ==, 0.125);

  /* Text that somebody damaged: refused, or what makes sense of it is taken. */
  g_assert_false (hearth_chat_settings_from_text (restored, "{'preset': <"));
  g_assert_cmpuint (hearth_chat_settings_get_n_ctx (restored), ==, 12345);
  g_assert_true (hearth_chat_settings_from_text (
    restored, "{'own': <@a{sd} {'top-p': 17.0, 'nonsense': 1.0}>, 'context': <uint32 4294967295>,"
              " 'thinking': <'yes'>}"));
  hearth_chat_settings_get_own (restored, &sampling);
  g_assert_cmpfloat (sampling.values[HEARTH_PARAMETER_TOP_P], ==, 1);
  g_assert_false (hearth_sampling_is_set (&sampling, HEARTH_PARAMETER_SEED));
  g_assert_cmpuint (hearth_chat_settings_get_n_ctx (restored), <=, 1u << 24);
}

static void
test_presets (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HearthSettings) settings = hearth_settings_new (&error);
  g_autoptr (HearthPresets) presets = NULL;
  g_autoptr (HearthPresets) restarted = NULL;
  HearthSampling sampling;
  HearthPreset *mine;
  guint n;

  g_assert_no_error (error);
  g_assert_true (hearth_settings_is_writable (settings));
  presets = hearth_presets_new (settings);
  n = g_list_model_get_n_items (G_LIST_MODEL (presets));
  g_assert_cmpuint (n, >=, 4);
  g_assert_cmpuint (hearth_presets_find (presets, "creative"), >, 0);
  g_assert_cmpuint (hearth_presets_find (presets, "gone"), ==, 0);

  hearth_sampling_init (&sampling);
  sampling.values[HEARTH_PARAMETER_TEMPERATURE] = 0.33;
  mine = hearth_presets_save (presets, "creative", &sampling);
  g_assert_true (hearth_preset_is_own (mine));
  g_assert_cmpuint (hearth_presets_find (presets, hearth_preset_get_id (mine)), ==, n);
  sampling.values[HEARTH_PARAMETER_TEMPERATURE] = 0.44;
  hearth_presets_save (presets, "creative", &sampling);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (presets)), ==, n + 1);

  restarted = hearth_presets_new (settings);
  {
    g_autoptr (HearthPreset) kept = g_list_model_get_item (G_LIST_MODEL (restarted), n);

    g_assert_cmpstr (hearth_preset_get_name (kept), ==, "creative");
    g_assert_cmpfloat (hearth_preset_get_values (kept)->values[HEARTH_PARAMETER_TEMPERATURE], ==,
                       0.44);
  }
  /* However many there are, all of them stay. */
  for (guint i = 0; i < 150; i++)
    {
      g_autofree char *name = g_strdup_printf ("number %u", i);

      hearth_presets_save (restarted, name, &sampling);
    }
  {
    g_autoptr (HearthPresets) many = hearth_presets_new (settings);

    g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (many)), ==, n + 151);
    hearth_presets_remove (many, "own:number 0");
  }
  {
    g_autoptr (HearthPresets) many = hearth_presets_new (settings);

    g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (many)), ==, n + 150);
  }
  for (guint i = 0; i < 150; i++)
    {
      g_autofree char *id = g_strdup_printf ("own:number %u", i);

      hearth_presets_remove (restarted, id);
    }

  hearth_presets_remove (restarted, "creative");
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (restarted)), ==, n + 1);
  hearth_presets_remove (restarted, "own:creative");
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (restarted)), ==, n);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/chat-settings/layers", test_layers);
  g_test_add_func ("/chat-settings/text", test_text);
  g_test_add_func ("/chat-settings/presets", test_presets);
  return g_test_run ();
}
