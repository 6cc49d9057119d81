/* SPDX-License-Identifier: GPL-3.0-or-later */
/* locked-settings.h - settings of which an administrator has locked one key, or all: a backend of
 * the tests' own keeps them, since none of GLib's can be given locks by a program. To be included
 * once in a program, before anything of GLib. */
#pragma once

#define G_SETTINGS_ENABLE_BACKEND
#include <gio/gio.h>
#include <gio/gsettingsbackend.h>

#include "hearth-settings.h"

#define PATH "/io/github/hearth_app/Hearth/"

#define LOCKED_TYPE_BACKEND (locked_backend_get_type ())
G_DECLARE_FINAL_TYPE (LockedBackend, locked_backend, LOCKED, BACKEND, GSettingsBackend)

struct _LockedBackend
{
  GSettingsBackend parent_instance;
};

G_DEFINE_FINAL_TYPE (LockedBackend, locked_backend, G_TYPE_SETTINGS_BACKEND)

static GHashTable *locked_values; /* by path */
static const char *locked = "";   /* the key that is locked; NULL: all */

static gboolean
is_writable (const char *key)
{
  return locked != NULL && !g_str_equal (key, locked);
}

static GVariant *
backend_read (GSettingsBackend *backend, const char *key, const GVariantType *type,
              gboolean default_value)
{
  GVariant *value = default_value ? NULL : g_hash_table_lookup (locked_values, key);

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
  g_hash_table_insert (locked_values, g_strdup (key), g_steal_pointer (&kept));
  g_settings_backend_changed (backend, key, origin_tag);
  return TRUE;
}

static void
backend_reset (GSettingsBackend *backend, const char *key, gpointer origin_tag)
{
  if (is_writable (key) && g_hash_table_remove (locked_values, key))
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

/* Before the first settings of the program. */
static void
locked_settings_begin (void)
{
  /* Whoever makes one of GLib's backends has the point where others can be added. */
  g_autoptr (GSettingsBackend) memory = g_memory_settings_backend_new ();

  locked_values =
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_variant_unref);
  g_io_extension_point_implement (G_SETTINGS_BACKEND_EXTENSION_POINT_NAME, LOCKED_TYPE_BACKEND,
                                  "locked", 0);
  g_setenv ("GSETTINGS_BACKEND", "locked", TRUE);
}
