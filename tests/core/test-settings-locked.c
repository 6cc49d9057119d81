/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-settings-locked.c - settings of which an administrator has locked one key, or all. */
#include "locked-settings.h"

#include "core-test.h"

static void
put (const char *key, GVariant *value)
{
  g_hash_table_insert (locked_values, g_strconcat (PATH, key, NULL), g_variant_ref_sink (value));
}

/* The administrator's value stays, and everything else is kept. */
static void
test_one (void)
{
  g_autoptr (HearthSettings) settings = NULL;
  GVariant *threads;

  g_hash_table_remove_all (locked_values);
  locked = PATH "text-scale";
  put ("text-scale", g_variant_new_double (1.25));
  settings = settings_new ();
  g_assert_true (hearth_settings_is_writable (settings));
  g_assert_cmpfloat (hearth_settings_get_text_scale (settings), ==, 1.25);
  g_assert_true (hearth_settings_is_locked (settings, "text-scale"));
  g_assert_false (hearth_settings_is_locked (settings, "threads"));
  g_object_set (settings, "text-scale", 2.0, "threads", 3, NULL);
  threads = g_hash_table_lookup (locked_values, PATH "threads");
  g_assert_nonnull (threads);
  g_assert_cmpuint (g_variant_get_uint32 (threads), ==, 3);
  g_assert_cmpfloat (g_variant_get_double (g_hash_table_lookup (locked_values, PATH "text-scale")),
                     ==, 1.25);
  g_clear_object (&settings);
  settings = settings_new ();
  g_assert_cmpfloat (hearth_settings_get_text_scale (settings), ==, 1.25);
  g_assert_cmpuint (hearth_settings_get_threads (settings), ==, 3);
  g_clear_object (&settings);
  /* Whichever it is. */
  locked = PATH "temperature";
  settings = settings_new ();
  g_assert_true (hearth_settings_is_writable (settings));
  g_object_set (settings, "threads", 4, NULL);
  threads = g_hash_table_lookup (locked_values, PATH "threads");
  g_assert_cmpuint (g_variant_get_uint32 (threads), ==, 4);
}

/* Nothing is kept, and what is changed lasts as long as the object. */
static void
test_all (void)
{
  g_autoptr (HearthSettings) settings = NULL;

  g_hash_table_remove_all (locked_values);
  locked = NULL;
  put ("text-scale", g_variant_new_double (1.25));
  settings = settings_new ();
  g_assert_false (hearth_settings_is_writable (settings));
  g_assert_cmpfloat (hearth_settings_get_text_scale (settings), ==, 1.25);
  g_object_set (settings, "text-scale", 2.0, "threads", 3, NULL);
  g_assert_cmpfloat (hearth_settings_get_text_scale (settings), ==, 2.0);
  g_assert_cmpuint (hearth_settings_get_threads (settings), ==, 3);
  g_assert_cmpuint (g_hash_table_size (locked_values), ==, 1);
}

int
main (int argc, char *argv[])
{
  locked_settings_begin ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/settings-locked/one", test_one);
  g_test_add_func ("/settings-locked/all", test_all);
  return g_test_run ();
}
