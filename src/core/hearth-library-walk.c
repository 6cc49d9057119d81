/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE /* realpath */
#include "hearth-library-walk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <ember/gguf.h>

/* Stores of other programs lay files out a few levels deep; a whole disk is not gone through. */
#define MAX_DEPTH 8
#define MAX_FILES 100000
#define MAX_FOLDERS 20000

static gboolean
goes_on (struct library_walk *self)
{
  return self->n_found < MAX_FILES && self->folders->len < MAX_FOLDERS &&
         !g_cancellable_is_cancelled (self->cancellable);
}

static gboolean
is_inside (const char *path, const char *folder)
{
  gsize length = strlen (folder);

  return strncmp (path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* Whose folder this is, although it was come to from elsewhere. */
static HearthProgram
owner_of (struct library_walk *self, HearthProgram program, const char *folder)
{
  char *real;

  if (program != HEARTH_PROGRAM_FOLDER && program != HEARTH_PROGRAM_OPENED)
    return program;
  real = realpath (folder, NULL);
  for (guint i = 0; real != NULL && i < self->roots->len; i++)
    {
      const HearthModelRoot *root = self->roots->pdata[i];

      if (is_inside (real, root->path))
        {
          program = root->program;
          break;
        }
    }
  free (real);
  return program;
}

static void
tell (struct library_walk *self, HearthProgram program, const char *path, const char *folder,
      const char *label, const char *parent)
{
  g_autoptr (HearthFoundModel) found = NULL;
  g_autofree char *key = g_strdup_printf ("%d %s", (int) program, path);

  if (g_hash_table_contains (self->told, key))
    return;
  found = g_new0 (HearthFoundModel, 1);
  if (!hearth_model_facts_read (path, &found->facts))
    return; /* gone meanwhile, or a link that leads nowhere */
  g_hash_table_add (self->told, g_steal_pointer (&key));
  found->place.program = program;
  found->place.path = g_strdup (path);
  found->place.label = g_strdup (label);
  found->place.folder = g_strdup (folder);
  found->parent = g_strdup (parent);
  self->n_found++;
  self->tell (self, g_steal_pointer (&found));
}

void
_hearth_library_walk_file (struct library_walk *self, HearthProgram program, const char *path,
                           const char *folder, const char *label, const char *parent)
{
  g_autofree char *canonical = g_canonicalize_filename (path, "/");
  g_autofree char *lies_in = g_path_get_dirname (canonical);

  tell (self, owner_of (self, program, lies_in), canonical, folder, label, parent);
}

/* ---- names that programs give ----------------------------------------------------------- */

/* models--acme-labs--otter-7b-GGUF is acme-labs/otter-7b-GGUF. */
static char *
dup_repository (const char *folder, const char *path)
{
  const char *at = strstr (path + strlen (folder), "/models--");
  const char *end;
  g_autofree char *id = NULL;
  g_auto (GStrv) parts = NULL;

  if (at == NULL)
    return NULL;
  at += strlen ("/models--");
  end = strchr (at, '/');
  if (end == NULL)
    return NULL;
  id = g_strndup (at, (gsize) (end - at));
  parts = g_strsplit (id, "--", 2);
  return g_strjoinv ("/", parts);
}

/* PUBLISHER/REPOSITORY/FILE */
static char *
dup_publisher (const char *folder, const char *path)
{
  g_autofree char *lies_in = g_path_get_dirname (path);

  if (strlen (lies_in) <= strlen (folder) + 1)
    return NULL;
  return g_filename_display_name (lies_in + strlen (folder) + 1);
}

static char *
dup_label (HearthProgram program, const char *folder, const char *path)
{
  if (!is_inside (path, folder))
    return NULL;
  switch (program)
    {
    case HEARTH_PROGRAM_HUGGING_FACE:
    case HEARTH_PROGRAM_LLAMA_CPP:
      return dup_repository (folder, path);
    case HEARTH_PROGRAM_LM_STUDIO:
      return dup_publisher (folder, path);
    case HEARTH_PROGRAM_FOLDER:
    case HEARTH_PROGRAM_OPENED:
    case HEARTH_PROGRAM_OLLAMA:
    case HEARTH_PROGRAM_JAN:
    case HEARTH_PROGRAM_GPT4ALL:
    case HEARTH_N_PROGRAMS:
      break;
    }
  return NULL;
}

/* ---- folders ---------------------------------------------------------------------------- */

/* Of a split model one part stands for all: the first that is there. */
static gboolean
stands_for_its_parts (GHashTable *names, const char *name)
{
  size_t prefix;
  guint32 part, n_parts;

  if (!ember_gguf_part_parse (name, &prefix, &part, &n_parts))
    return TRUE;
  for (guint32 i = 0; i < part; i++)
    {
      char *other = ember_gguf_part_path (name, prefix, i, n_parts);
      gboolean there = other != NULL && g_hash_table_contains (names, other);

      free (other);
      if (there)
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_listed (HearthProgram program, const char *name)
{
  HearthModelRole role;

  if (!hearth_model_facts_guess_role (name, &role))
    return FALSE;
  /* A download of GPT4All's that is not done has the name that it will have, and this before. */
  return program != HEARTH_PROGRAM_GPT4ALL || !g_str_has_prefix (name, "incomplete-");
}

struct place
{
  HearthProgram program;
  const char *root;
  gboolean follow;
  GHashTable *visited; /* set of "device inode" of folders; NULL where links are not followed */
};

static void walk (struct library_walk *self, const struct place *place, const char *folder,
                  guint depth);

/* Whether to go into it: a folder, and no link to one unless they are followed, each once. */
static gboolean
is_folder_to_enter (const struct place *place, const char *path)
{
  struct stat info;
  char *key;

  if (lstat (path, &info) != 0)
    return FALSE;
  if (S_ISLNK (info.st_mode) && (!place->follow || stat (path, &info) != 0))
    return FALSE;
  if (!S_ISDIR (info.st_mode))
    return FALSE;
  if (place->visited == NULL)
    return TRUE;
  key = g_strdup_printf ("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, (guint64) info.st_dev,
                         (guint64) info.st_ino);
  return g_hash_table_add (place->visited, key);
}

static void
walk (struct library_walk *self, const struct place *place, const char *folder, guint depth)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) folders = g_ptr_array_new_with_free_func (g_free);
  HearthProgram owner;
  GHashTableIter iter;
  const char *name;
  gpointer key;

  if (dir == NULL)
    return;
  g_ptr_array_add (self->folders, g_strdup (folder));
  owner = owner_of (self, place->program, folder);
  while ((name = g_dir_read_name (dir)) != NULL && goes_on (self))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (is_listed (owner, name))
        g_hash_table_add (names, g_strdup (name));
      else if (owner == HEARTH_PROGRAM_JAN && g_str_equal (name, "model.yml"))
        _hearth_library_read_jan (self, place->root, path);
      else if (depth < MAX_DEPTH && strchr (name, '.') != name && is_folder_to_enter (place, path))
        g_ptr_array_add (folders, g_steal_pointer (&path));
    }
  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &key, NULL) && goes_on (self))
    {
      g_autofree char *path = g_build_filename (folder, key, NULL);
      g_autofree char *label = dup_label (owner, place->root, path);

      if (!stands_for_its_parts (names, key))
        continue;
      /* A folder may be called like a file. */
      if (depth < MAX_DEPTH && is_folder_to_enter (place, path))
        g_ptr_array_add (folders, g_steal_pointer (&path));
      else
        tell (self, owner, path, place->root, label, NULL);
    }
  for (guint i = 0; i < folders->len && goes_on (self); i++)
    walk (self, place, folders->pdata[i], depth + 1);
}

void
_hearth_library_walk_folder (struct library_walk *self, HearthProgram program, const char *folder,
                             gboolean follow)
{
  g_autoptr (GHashTable) visited =
    follow ? g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) : NULL;
  struct place place = { .program = program, .root = folder, .follow = follow, .visited = visited };

  walk (self, &place, folder, 0);
}
