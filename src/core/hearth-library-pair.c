/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which model a projector, a draft model or an adapter goes with. Programs that keep a list say so;
 * everywhere else it lies beside its model, or in a folder below; of several models there, what the
 * headers say goes before the names. */
#include "hearth-library-private.h"

#include <string.h>

/* Folders above that of a projector in which its model is looked for. */
#define MAX_ABOVE 2

static gboolean
needs_model (HearthModelFile *file)
{
  HearthModelRole role = hearth_model_file_get_role (file);

  return role == HEARTH_MODEL_ROLE_PROJECTOR || role == HEARTH_MODEL_ROLE_DRAFT ||
         role == HEARTH_MODEL_ROLE_ADAPTER;
}

/* What is left of a file's name without what says that it is a companion. */
static char *
dup_stem (HearthModelFile *file)
{
  static const char *const starts[] = { "mmproj-", "mmproj.", "mtp-",   "eagle3-",
                                        "dflash-", "dspark-", "draft-", "lora-" };
  g_autofree char *name = g_ascii_strdown (hearth_model_file_get_base_name (file), -1);

  for (gsize i = 0; i < G_N_ELEMENTS (starts); i++)
    {
      if (g_str_has_prefix (name, starts[i]))
        return g_strdup (name + strlen (starts[i]));
    }
  return g_steal_pointer (&name);
}

static gsize
common_start (const char *a, const char *b)
{
  gsize n = 0;

  while (a[n] != '\0' && a[n] == b[n])
    n++;
  return n;
}

static gboolean
same (const char *a, const char *b)
{
  return a != NULL && b != NULL && g_ascii_strcasecmp (a, b) == 0;
}

/* How well the headers go together: below zero, not at all. An adapter's tensors are named after
 * those of one architecture; a projector has one of its own. */
static int
kinship (const HearthModelHeader *companion, HearthModelRole role, const HearthModelHeader *model)
{
  int kin;

  if (companion == NULL || model == NULL)
    return 0;
  if (role == HEARTH_MODEL_ROLE_ADAPTER && companion->architecture != NULL &&
      !same (companion->architecture, model->architecture))
    return -1;
  kin = same (companion->family, model->family) ? 2 : 0;
  if (role == HEARTH_MODEL_ROLE_DRAFT && same (companion->architecture, model->architecture))
    kin++;
  return kin;
}

/* The model that is kin by its header, and then the one whose name begins most like the
 * companion's; of equals the one that comes first. */
static HearthModelFile *
choose (HearthModelFile *companion, GPtrArray *models)
{
  g_autofree char *stem = dup_stem (companion);
  HearthModelFile *best = NULL;
  gsize most = 0;
  int closest = 0;

  for (guint i = 0; i < models->len; i++)
    {
      HearthModelFile *model = models->pdata[i];
      g_autofree char *name = dup_stem (model);
      gsize common = common_start (stem, name);
      int kin =
        kinship (hearth_model_file_get_header (companion), hearth_model_file_get_role (companion),
                 hearth_model_file_get_header (model));

      if (kin < 0)
        continue;
      if (best == NULL || kin > closest || (kin == closest && common > most) ||
          (kin == closest && common == most &&
           g_utf8_collate (hearth_model_file_get_base_name (model),
                           hearth_model_file_get_base_name (best)) < 0))
        {
          best = model;
          most = common;
          closest = kin;
        }
    }
  return best;
}

static HearthModelFile *
find_beside (GHashTable *by_folder, HearthModelFile *companion)
{
  g_autofree char *folder = g_path_get_dirname (hearth_model_file_get_path (companion));

  for (guint i = 0; i <= MAX_ABOVE; i++)
    {
      GPtrArray *models = g_hash_table_lookup (by_folder, folder);
      HearthModelFile *best = models != NULL ? choose (companion, models) : NULL;
      g_autofree char *above = g_path_get_dirname (folder);

      if (best != NULL)
        return best;
      g_free (folder);
      folder = g_steal_pointer (&above);
    }
  return NULL;
}

static void
pair (HearthLibrary *self)
{
  g_autoptr (GHashTable) by_folder =
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  gboolean any = FALSE;

  for (guint i = 0; i < self->files->len && !any; i++)
    any = needs_model (self->files->pdata[i]);
  for (guint i = 0; any && i < self->files->len; i++)
    {
      HearthModelFile *file = self->files->pdata[i];
      char *folder;
      GPtrArray *models;

      if (hearth_model_file_get_role (file) != HEARTH_MODEL_ROLE_MODEL)
        continue;
      folder = g_path_get_dirname (hearth_model_file_get_path (file));
      models = g_hash_table_lookup (by_folder, folder);
      if (models == NULL)
        {
          models = g_ptr_array_new ();
          g_hash_table_insert (by_folder, g_strdup (folder), models);
        }
      g_ptr_array_add (models, file);
      g_free (folder);
    }
  for (guint i = 0; i < self->files->len; i++)
    {
      HearthModelFile *file = self->files->pdata[i];
      const char *named = _hearth_model_file_get_parent_path (file);
      HearthModelFile *parent = NULL;

      if (needs_model (file))
        {
          parent = named != NULL ? g_hash_table_lookup (self->by_path, named) : NULL;
          /* In the store of a program that names them, what is beside it is somebody else's. */
          if (parent == NULL &&
              g_strstr_len (hearth_model_file_get_path (file), -1, "/blobs/sha256-") == NULL)
            parent = find_beside (by_folder, file);
        }
      _hearth_model_file_set_parent (file, parent != file ? parent : NULL);
    }
}

static gboolean
pair_cb (gpointer data)
{
  HearthLibrary *self = data;

  self->pair_id = 0;
  pair (self);
  _hearth_library_files_changed (self);
  return G_SOURCE_REMOVE;
}

void
_hearth_library_pair_soon (HearthLibrary *self)
{
  if (self->pair_id == 0)
    self->pair_id = g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, pair_cb, self, NULL);
}
