/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-settings-locked.c - settings of which an administrator has locked one key, or all: a backend
 * of this test's own keeps them, since none of GLib's can be given locks by a program. */
#define G_SETTINGS_ENABLE_BACKEND
#include "core-test.h"
#include "hearth-settings.h"

#include <gio/gsettingsbackend.h>

#define PATH "/io/github/hearth_app/Hearth/"

#define LOCKED_TYPE_BACKEND (locked_backend_get_type ())
G_DECLARE_FINAL_TYPE (LockedBackend, locked_backend, LOCKED, BACKEND, GSettingsBackend)

struct _LockedBackend
{
  GSettingsBackend parent_instance;
};

G_DEFINE_FINAL_TYPE (LockedBackend, locked_backend, G_TYPE_SETTINGS_BACKEND)

static GHashTable *values; /* by path */
static const char *locked; /* the key that is locked; NULL: all */

static gboolean
is_writable (const char *key)
{
  return locked != NULL && !g_str_equal (key, locked);
}

static GVariant *
backend_read (GSettingsBackend *backend, const char *key, const GVariantType *type,
              gboolean default_value)
{
  GVariant *value = default_value ? NULL : g_hash_table_lookup (values, key);

  return value != NULL && g_variant_is_of_type (value, type) ? g_variant_ref (value) : NULL;
}

static gboolean
backend_get_writable (GSettingsBackend *backend, const char *key)
{
  return is_writable (key);
}

static gboolean
backend_write (GSettingsBackend *backend, const char *key, GVariant *value, gpointer origin_tag)
{
  g_autoptr (GVariant) kept = g_variant_ref_sink (value);

  if (!is_writable (key))
    return FALSE;
  g_hash_table_insert (values, g_strdup (key), g_steal_pointer (&kept));
  g_settings_backend_changed (backend, key, origin_tag);
  return TRUE;
}

static void
backend_reset (GSettingsBackend *backend, const char *key, gpointer origin_tag)
{
  if (is_writable (key) && g_hash_table_remove (values, key))
    g_settings_backend_changed (backend, key, origin_tag);
}

static void
locked_backend_class_init (LockedBackendClass *klass)
{
  GSettingsBackendClass *backend_class = G_SETTINGS_BACKEND_CLASS (klass);

  backend_class->read = backend_read;
  backend_class->get_writable = backend_get_writable;
  backend_class->write = backend_write;
  backend_class->reset = backend_reset;
}

static void
locked_backend_init (LockedBackend *self)
{
}

static HearthSettings *
settings_new (void)
{
  g_autoptr (GError) error = NULL;
  HearthSettings *settings = hearth_settings_new (&error);

  g_assert_no_error (error);
  return settings;
}

static void
put (const char *key, GVariant *value)
{
  g_hash_table_insert (values, g_strconcat (PATH, key, NULL), g_variant_ref_sink (value));
}

/* The administrator's value stays, and everything else is kept. */
static void
test_one (void)
{
  g_autoptr (HearthSettings) settings = NULL;
  GVariant *threads;

  g_hash_table_remove_all (values);
  locked = PATH "text-scale";
  put ("text-scale", g_variant_new_double (1.25));
  settings = settings_new ();
  g_assert_true (hearth_settings_is_writable (settings));
  g_assert_cmpfloat (hearth_settings_get_text_scale (settings), ==, 1.25);
  g_object_set (settings, "text-scale", 2.0, "threads", 3, NULL);
  threads = g_hash_table_lookup (values, PATH "threads");
  g_assert_nonnull (threads);
  g_assert_cmpuint (g_variant_get_uint32 (threads), ==, 3);
  g_assert_cmpfloat (g_variant_get_double (g_hash_table_lookup (values, PATH "text-scale")), ==,
                     1.25);
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
  threads = g_hash_table_lookup (values, PATH "threads");
  g_assert_cmpuint (g_variant_get_uint32 (threads), ==, 4);
}

/* Nothing is kept, and what is changed lasts as long as the object. */
static void
test_all (void)
{
  g_autoptr (HearthSettings) settings = NULL;

  g_hash_table_remove_all (values);
  locked = NULL;
  put ("text-scale", g_variant_new_double (1.25));
  settings = settings_new ();
  g_assert_false (hearth_settings_is_writable (settings));
  g_assert_cmpfloat (hearth_settings_get_text_scale (settings), ==, 1.25);
  g_object_set (settings, "text-scale", 2.0, "threads", 3, NULL);
  g_assert_cmpfloat (hearth_settings_get_text_scale (settings), ==, 2.0);
  g_assert_cmpuint (hearth_settings_get_threads (settings), ==, 3);
  g_assert_cmpuint (g_hash_table_size (values), ==, 1);
}

int
main (int argc, char *argv[])
{
  /* Whoever makes one of GLib's backends has the point where others can be added. */
  g_autoptr (GSettingsBackend) memory = g_memory_settings_backend_new ();

  values =
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_variant_unref);
  g_io_extension_point_implement (G_SETTINGS_BACKEND_EXTENSION_POINT_NAME, LOCKED_TYPE_BACKEND,
                                  "locked", 0);
  g_setenv ("GSETTINGS_BACKEND", "locked", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/settings-locked/one", test_one);
  g_test_add_func ("/settings-locked/all", test_all);
  return g_test_run ();
}
