/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE /* st_mtim */
#include "hearth-model-facts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <ember/gguf.h>
#include <ember/naming.h>

/* st_blocks counts in these, whatever the file system's own are. */
#define BLOCK_BYTES 512u

static gboolean
add_file (const char *path, HearthModelFacts *facts)
{
  struct stat info;
  gint64 changed;

  if (stat (path, &info) != 0 || !S_ISREG (info.st_mode))
    return FALSE;
  changed = (gint64) info.st_mtim.tv_sec * G_USEC_PER_SEC + info.st_mtim.tv_nsec / 1000;
  facts->size += (guint64) info.st_size;
  facts->disk += (guint64) info.st_blocks * BLOCK_BYTES;
  facts->changed = MAX (facts->changed, changed);
  if (facts->inode == 0)
    {
      facts->device = (guint64) info.st_dev;
      facts->inode = (guint64) info.st_ino;
    }
  return TRUE;
}

gboolean
hearth_model_facts_read (const char *path, HearthModelFacts *facts)
{
  size_t prefix;
  guint32 part, n_parts;

  *facts = (HearthModelFacts) { .n_parts = 1 };
  hearth_model_facts_guess_role (path, &facts->role);
  if (!add_file (path, facts))
    return FALSE;
  if (!ember_gguf_part_parse (path, &prefix, &part, &n_parts))
    return TRUE;
  facts->n_parts = n_parts;
  for (guint32 i = 0; i < n_parts; i++)
    {
      char *other;

      /* A name may claim any number of parts: where several are not there, no more will be. */
      if (i != part && facts->n_missing > 64)
        {
          facts->n_missing = MAX (facts->n_missing, n_parts - 1);
          break;
        }
      if (i == part)
        continue;
      other = ember_gguf_part_path (path, prefix, i, n_parts);
      if (other == NULL || !add_file (other, facts))
        facts->n_missing++;
      free (other);
    }
  return TRUE;
}

GStrv
hearth_model_facts_list_parts (const char *path)
{
  g_autoptr (GStrvBuilder) paths = g_strv_builder_new ();
  size_t prefix;
  guint32 part, n_parts;

  g_strv_builder_add (paths, path);
  if (!ember_gguf_part_parse (path, &prefix, &part, &n_parts))
    return g_strv_builder_end (paths);
  for (guint32 i = 0; i < n_parts; i++)
    {
      char *other = i != part ? ember_gguf_part_path (path, prefix, i, n_parts) : NULL;

      if (other != NULL && g_file_test (other, G_FILE_TEST_EXISTS))
        g_strv_builder_add (paths, other);
      free (other);
    }
  return g_strv_builder_end (paths);
}

gboolean
hearth_model_facts_equal (const HearthModelFacts *a, const HearthModelFacts *b)
{
  return a->device == b->device && a->inode == b->inode && a->size == b->size &&
         a->changed == b->changed && a->n_parts == b->n_parts && a->n_missing == b->n_missing;
}

/* ---- names ------------------------------------------------------------------------------ */

static const struct
{
  const char *start;
  HearthModelRole role;
} starts[] = {
  { "mmproj", HEARTH_MODEL_ROLE_PROJECTOR },      { "mtp-", HEARTH_MODEL_ROLE_DRAFT },
  { "eagle3-", HEARTH_MODEL_ROLE_DRAFT },         { "dflash-", HEARTH_MODEL_ROLE_DRAFT },
  { "dspark-", HEARTH_MODEL_ROLE_DRAFT },         { "draft-", HEARTH_MODEL_ROLE_DRAFT },
  { "ggml-vocab", HEARTH_MODEL_ROLE_VOCABULARY },
};

/* Words that stand for themselves: between separators, whatever the case. */
static const struct
{
  const char *word;
  HearthModelRole role;
} words[] = {
  { "mmproj", HEARTH_MODEL_ROLE_PROJECTOR }, { "lora", HEARTH_MODEL_ROLE_ADAPTER },
  { "adapter", HEARTH_MODEL_ROLE_ADAPTER },  { "draft", HEARTH_MODEL_ROLE_DRAFT },
  { "imatrix", HEARTH_MODEL_ROLE_IMATRIX },  { "vocab", HEARTH_MODEL_ROLE_VOCABULARY },
};

gboolean
hearth_model_facts_guess_role (const char *path, HearthModelRole *role)
{
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *name = g_ascii_strdown (base, -1);
  g_auto (GStrv) parts = NULL;

  *role = HEARTH_MODEL_ROLE_MODEL;
  if (!g_str_has_suffix (name, ".gguf"))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (starts); i++)
    {
      if (g_str_has_prefix (name, starts[i].start))
        {
          *role = starts[i].role;
          return TRUE;
        }
    }
  parts = g_strsplit_set (name, "-._", -1);
  for (char **part = parts; *part != NULL; part++)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
        {
          if (g_str_equal (*part, words[i].word))
            {
              *role = words[i].role;
              return TRUE;
            }
        }
    }
  return TRUE;
}

/* ---- memory ----------------------------------------------------------------------------- */

HearthModelPlace *
hearth_model_place_copy (const HearthModelPlace *place)
{
  HearthModelPlace *copy = g_new0 (HearthModelPlace, 1);

  copy->program = place->program;
  copy->path = g_strdup (place->path);
  copy->label = g_strdup (place->label);
  copy->folder = g_strdup (place->folder);
  return copy;
}

void
hearth_model_place_clear (HearthModelPlace *place)
{
  g_free (place->path);
  g_free (place->label);
  g_free (place->folder);
}

void
hearth_model_place_free (HearthModelPlace *place)
{
  if (place == NULL)
    return;
  hearth_model_place_clear (place);
  g_free (place);
}

void
hearth_found_model_free (HearthFoundModel *found)
{
  if (found == NULL)
    return;
  hearth_model_place_clear (&found->place);
  g_free (found->parent);
  g_free (found);
}
