/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-order.h"

#include <glib/gi18n.h>
#include <string.h>

#include "hearth-model-words.h"

/* The model that a file is listed with: itself, or the one that it goes with. */
static HearthModelFile *
get_head (HearthModelFile *file)
{
  HearthModelFile *parent = hearth_model_file_get_parent (file);

  return parent != NULL ? parent : file;
}

/* ---- filter ----------------------------------------------------------------------------- */

GStrv
hearth_model_order_split_words (const char *text)
{
  g_autofree char *normal = g_utf8_normalize (text, -1, G_NORMALIZE_ALL);
  g_autofree char *folded = normal != NULL ? g_utf8_casefold (normal, -1) : g_strdup ("");
  g_auto (GStrv) parts = g_strsplit_set (folded, " \t\n", -1);
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();

  for (char **part = parts; *part != NULL; part++)
    {
      if (**part != '\0')
        g_strv_builder_add (words, *part);
    }
  return g_strv_builder_end (words);
}

static gboolean
has_words (HearthModelFile *file, char **words)
{
  const char *text =
    words != NULL && *words != NULL ? hearth_model_file_get_search_text (file) : NULL;

  for (char **word = words; text != NULL && *word != NULL; word++)
    {
      if (strstr (text, *word) == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_wished (HearthModelFile *file, const HearthModelWish *wish)
{
  const HearthModelHeader *header = hearth_model_file_get_header (file);
  gboolean embedder = header != NULL && header->is_embedder;
  gboolean chat = hearth_model_file_can_chat (file) && !embedder;

  if ((wish->chat || wish->embedding) && !((wish->chat && chat) || (wish->embedding && embedder)))
    return FALSE;
  return !wish->fits || (header != NULL && header->fit_error == NULL && header->fit.fits &&
                         hearth_model_file_get_presence (file) != HEARTH_MODEL_PRESENCE_GONE);
}

gboolean
hearth_model_order_matches (HearthModelFile *file, const HearthModelWish *wish)
{
  HearthModelFile *head = get_head (file);

  return is_wished (head, wish) &&
         (has_words (file, wish->words) || (head != file && has_words (head, wish->words)));
}

/* ---- groups ----------------------------------------------------------------------------- */

/* The place that decides where a file is: the person's own, else that of the first program. */
static const HearthModelPlace *
get_deciding_place (HearthModelFile *file)
{
  const HearthModelPlace *place = hearth_model_file_get_own_place (file);

  for (guint i = 0; place == NULL && i < hearth_model_file_get_n_places (file); i++)
    {
      const HearthModelPlace *at = hearth_model_file_get_place (file, i);

      if (at->program != HEARTH_PROGRAM_OPENED)
        place = at;
    }
  return place;
}

/* "models" for what lies in the folder that was added, "models/qwen" for what is deeper. */
static char *
dup_folder (const HearthModelPlace *place)
{
  g_autofree char *lies_in = g_path_get_dirname (place->path);
  g_autofree char *root = place->folder != NULL ? g_path_get_basename (place->folder) : NULL;
  gsize length = place->folder != NULL ? strlen (place->folder) : 0;
  g_autofree char *path = NULL;

  if (root == NULL || strncmp (lies_in, place->folder, length) != 0)
    return g_filename_display_name (lies_in);
  path = g_strconcat (root, lies_in + length, NULL);
  return g_filename_display_name (path);
}

char *
hearth_model_order_dup_group_title (HearthModelFile *file, HearthModelGroup group)
{
  HearthModelFile *head = get_head (file);
  const HearthModelPlace *place;

  if (group == HEARTH_MODEL_GROUP_NONE)
    return g_strdup ("");
  if (group == HEARTH_MODEL_GROUP_FAMILY)
    return g_strdup (hearth_model_file_get_family (head));
  place = get_deciding_place (head);
  if (place == NULL)
    return g_strdup (_ ("Opened Files"));
  if (place->program == HEARTH_PROGRAM_FOLDER)
    return dup_folder (place);
  return g_strdup (hearth_program_get_name (place->program));
}

static char *
dup_key (HearthModelFile *file, HearthModelGroup group)
{
  g_autofree char *title = hearth_model_order_dup_group_title (file, group);
  g_autofree char *folded = g_utf8_casefold (title, -1);
  g_autofree char *key = g_utf8_collate_key_for_filename (folded, -1);
  const HearthModelPlace *place;

  if (group != HEARTH_MODEL_GROUP_FOLDER)
    return g_steal_pointer (&key);
  place = get_deciding_place (get_head (file));
  if (place == NULL)
    return g_strdup ("~");
  if (place->program != HEARTH_PROGRAM_FOLDER)
    return g_strdup_printf ("1%02d", (int) place->program);
  /* Folders of one name are not one group. */
  return g_strconcat ("0", key, "\001", place->folder, NULL);
}

/* ---- order ------------------------------------------------------------------------------ */

struct kept
{
  guint serial;
  HearthModelFile *parent; /* NULL: none */
  char *sort_key;
  char *group_key;
  guint64 size;
  gint64 changed;
  guint used;
};

static void
kept_free (gpointer data)
{
  struct kept *kept = data;

  g_clear_object (&kept->parent);
  g_free (kept->sort_key);
  g_free (kept->group_key);
  g_free (kept);
}

static const struct kept *
keep (HearthModelFile *file, const HearthModelOrder *order)
{
  struct kept *kept = g_object_get_qdata (G_OBJECT (file), order->quark);
  HearthModelFile *parent;

  if (kept != NULL && kept->serial == order->serial)
    return kept;
  kept = g_new0 (struct kept, 1);
  parent = hearth_model_file_get_parent (file);
  kept->serial = order->serial;
  kept->parent = parent != NULL ? g_object_ref (parent) : NULL;
  kept->sort_key = g_strdup (hearth_model_file_get_sort_key (file));
  kept->group_key =
    order->group != HEARTH_MODEL_GROUP_NONE ? dup_key (file, order->group) : g_strdup ("");
  kept->size = hearth_model_file_get_size (file);
  kept->changed = hearth_model_file_get_facts (file)->changed;
  kept->used = hearth_model_file_get_used (file);
  g_object_set_qdata_full (G_OBJECT (file), order->quark, kept, kept_free);
  return kept;
}

static int
compare_names (const struct kept *x, const struct kept *y, HearthModelFile *a, HearthModelFile *b)
{
  int by_name = strcmp (x->sort_key, y->sort_key);

  if (by_name != 0)
    return by_name;
  /* The quantizations of a model have its name: the largest last. */
  if (x->size != y->size)
    return x->size < y->size ? -1 : 1;
  return strcmp (hearth_model_file_get_path (a), hearth_model_file_get_path (b));
}

static int
compare_heads (const struct kept *x, const struct kept *y, HearthModelSort sort)
{
  switch (sort)
    {
    case HEARTH_MODEL_SORT_SIZE:
      return (x->size < y->size) - (x->size > y->size);
    case HEARTH_MODEL_SORT_DATE:
      return (x->changed < y->changed) - (x->changed > y->changed);
    case HEARTH_MODEL_SORT_USE:
      return (x->used < y->used) - (x->used > y->used);
    case HEARTH_MODEL_SORT_NAME:
      break;
    }
  return 0;
}

int
hearth_model_order_compare (HearthModelFile *a, HearthModelFile *b, const HearthModelOrder *order)
{
  const struct kept *own_a = keep (a, order);
  const struct kept *own_b = keep (b, order);
  HearthModelFile *head_a = own_a->parent != NULL ? own_a->parent : a;
  HearthModelFile *head_b = own_b->parent != NULL ? own_b->parent : b;

  if (a == b)
    return 0;
  if (head_a != head_b)
    {
      const struct kept *x = keep (head_a, order);
      const struct kept *y = keep (head_b, order);
      int by_wish = compare_heads (x, y, order->sort);

      return by_wish != 0 ? by_wish : compare_names (x, y, head_a, head_b);
    }
  if (a == head_a || b == head_b)
    return a == head_a ? -1 : 1;
  return compare_names (own_a, own_b, a, b);
}

const char *
hearth_model_order_get_group_key (HearthModelFile *file, const HearthModelOrder *order)
{
  return keep (file, order)->group_key;
}
