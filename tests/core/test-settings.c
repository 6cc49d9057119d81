/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core-test.h"
#include "hearth-library.h"
#include "hearth-settings.h"

#include <glib/gstdio.h>
#include <math.h>

static HearthSettings *
settings_new (void)
{
  g_autoptr (GError) error = NULL;
  HearthSettings *settings = hearth_settings_new (&error);

  g_assert_no_error (error);
  return settings;
}

static void
test_defaults (void)
{
  g_autoptr (HearthSettings) settings = settings_new ();
  g_auto (GStrv) recent = hearth_settings_dup_recent_models (settings);
  g_autofree char *prompt = hearth_settings_dup_system_prompt (settings);
  HearthSampling sampling;
  int width, height;
  gboolean maximized;

  hearth_settings_get_window_size (settings, &width, &height, &maximized);
  g_assert_cmpint (width, ==, 1120);
  g_assert_cmpint (height, ==, 760);
  g_assert_false (maximized);
  g_assert_cmpuint (g_strv_length (recent), ==, 0);
  g_assert_cmpstr (prompt, ==, "");
  g_assert_cmpuint (hearth_settings_get_context_length (settings), ==, 0);
  g_assert_cmpuint (hearth_settings_get_threads (settings), ==, 0);
  hearth_settings_get_sampling (settings, &sampling);
  g_assert_true (isnan (sampling.values[HEARTH_PARAMETER_TEMPERATURE]));
  g_assert_true (isnan (sampling.values[HEARTH_PARAMETER_TOP_P]));
  g_assert_true (isnan (sampling.values[HEARTH_PARAMETER_MIN_P]));
  g_assert_true (isnan (sampling.values[HEARTH_PARAMETER_TOP_K]));
  g_assert_true (isnan (sampling.values[HEARTH_PARAMETER_SEED]));
}

static void
count_cb (guint *n)
{
  (*n)++;
}

static void
test_preferences (void)
{
  g_autoptr (HearthSettings) settings = settings_new ();
  g_auto (GStrv) folders = NULL;
  g_autofree char *place = hearth_settings_dup_place (settings);
  guint n = 0;

  g_assert_cmpstr (place, ==, "chats");
  g_assert_true (hearth_settings_get_enter_sends (settings));
  g_assert_cmpfloat (hearth_settings_get_text_scale (settings), ==, 1);
  g_assert_cmpint (hearth_settings_get_kv_type (settings), ==, HEARTH_KV_F16);

  /* A property is written, and whoever follows it hears. */
  g_signal_connect_swapped (settings, "notify::enter-sends", G_CALLBACK (count_cb), &n);
  g_object_set (settings, "enter-sends", FALSE, "kv-type", HEARTH_KV_F32, "threads", 3u,
                "text-scale", 1.5, NULL);
  g_assert_cmpuint (n, ==, 1);
  g_assert_false (hearth_settings_get_enter_sends (settings));
  g_assert_cmpint (hearth_settings_get_kv_type (settings), ==, HEARTH_KV_F32);
  g_assert_cmpuint (hearth_settings_get_threads (settings), ==, 3);
  g_assert_cmpfloat (hearth_settings_get_text_scale (settings), ==, 1.5);
  g_assert_false (hearth_settings_get_wrap_code (settings));
  g_object_set (settings, "wrap-code", TRUE, NULL);
  g_assert_true (hearth_settings_get_wrap_code (settings));
  hearth_settings_set_model_folders (settings, (const char *const[]) { "/a", "/b", NULL });
  g_object_get (settings, "model-folders", &folders, NULL);
  g_assert_cmpuint (g_strv_length (folders), ==, 2);
  hearth_settings_set_place (settings, "models");
  g_clear_pointer (&place, g_free);
  place = hearth_settings_dup_place (settings);
  g_assert_cmpstr (place, ==, "models");

  /* Back, for the tests that follow. */
  g_object_set (settings, "enter-sends", TRUE, "kv-type", HEARTH_KV_F16, "threads", 0u,
                "text-scale", 1.0, "wrap-code", FALSE, "model-folders", NULL, NULL);
  hearth_settings_set_place (settings, "chats");
}

static void
test_sampling (void)
{
  g_autoptr (HearthSettings) settings = settings_new ();
  HearthSampling sampling;

  hearth_sampling_init (&sampling);
  sampling.values[HEARTH_PARAMETER_TEMPERATURE] = 0;
  sampling.values[HEARTH_PARAMETER_TOP_K] = 0;
  hearth_settings_set_sampling (settings, &sampling);
  hearth_settings_get_sampling (settings, &sampling);
  g_assert_cmpfloat (sampling.values[HEARTH_PARAMETER_TEMPERATURE], ==, 0);
  g_assert_cmpfloat (sampling.values[HEARTH_PARAMETER_TOP_K], ==, 0);
  g_assert_true (isnan (sampling.values[HEARTH_PARAMETER_TOP_P]));

  hearth_sampling_init (&sampling);
  hearth_settings_set_sampling (settings, &sampling);
  hearth_settings_get_sampling (settings, &sampling);
  g_assert_true (isnan (sampling.values[HEARTH_PARAMETER_TEMPERATURE]));
  g_assert_true (isnan (sampling.values[HEARTH_PARAMETER_TOP_K]));
}

static void
test_window (void)
{
  g_autoptr (HearthSettings) settings = settings_new ();
  int width, height;
  gboolean maximized;

  hearth_settings_set_window_size (settings, 400, 300, TRUE);
  hearth_settings_set_window_size (settings, 0, -1, FALSE); /* a window that has none yet */
  hearth_settings_get_window_size (settings, &width, &height, &maximized);
  g_assert_cmpint (width, ==, 400);
  g_assert_cmpint (height, ==, 300);
  g_assert_false (maximized);
}

/* The files that were opened last come first, and those that are gone drop out by themselves. */
static void
test_library (void)
{
  g_autoptr (HearthSettings) settings = settings_new ();
  g_autoptr (HearthLibrary) library = hearth_library_new (settings);
  GListModel *list = G_LIST_MODEL (library);
  g_autoptr (HearthModelFile) a = hearth_library_ref_file (library, "/nowhere/a.gguf");
  g_autoptr (HearthModelFile) b = hearth_library_ref_file (library, "/nowhere/b.gguf");

  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 0);
  hearth_library_remember (library, a);
  hearth_library_remember (library, b);
  hearth_library_remember (library, a);
  {
    g_autoptr (HearthModelFile) first = g_list_model_get_item (list, 0);
    g_autoptr (HearthModelFile) again =
      hearth_library_ref_file (library, "/nowhere/../nowhere/b.gguf");
    g_auto (GStrv) recent = hearth_settings_dup_recent_models (settings);

    g_assert_cmpuint (g_list_model_get_n_items (list), ==, 2);
    g_assert_true (first == a);
    g_assert_true (again == b);
    g_assert_cmpstr (recent[0], ==, "/nowhere/a.gguf");
    g_assert_cmpstr (recent[1], ==, "/nowhere/b.gguf");
  }
  {
    g_autoptr (HearthLibrary) restarted = hearth_library_new (settings);

    g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (restarted)), ==, 2);
    core_test_wait (g_list_model_get_n_items (G_LIST_MODEL (restarted)) == 0);
  }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/settings/defaults", test_defaults);
  g_test_add_func ("/settings/preferences", test_preferences);
  g_test_add_func ("/settings/sampling", test_sampling);
  g_test_add_func ("/settings/window", test_window);
  g_test_add_func ("/library/order", test_library);
  return g_test_run ();
}
