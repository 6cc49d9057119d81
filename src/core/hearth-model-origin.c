/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-origin.h"

#include <string.h>

#include <ember/gguf.h>

#define MAX_NAME_BYTES 200
#define MAX_LINK_BYTES 400
/* More than this is nobody's. */
#define MAX_SOURCES 50u
#define MAX_FILES 1000u

static void
source_free (gpointer data)
{
  HearthOriginSource *source = data;

  if (source == NULL)
    return;
  g_free (source->name);
  g_free (source->by);
  g_free (source->link);
  g_free (source);
}

static void
file_free (gpointer data)
{
  g_free (((HearthOriginFile *) data)->name);
  g_free (data);
}

void
hearth_model_origin_free (HearthModelOrigin *origin)
{
  if (origin == NULL)
    return;
  g_ptr_array_unref (origin->bases);
  g_ptr_array_unref (origin->datasets);
  g_ptr_array_unref (origin->files);
  source_free (origin->licence);
  source_free (origin->page);
  source_free (origin->source);
  g_free (origin->vocabulary);
  g_free (origin);
}

/* A string of the file on one line, or NULL. */
static char *
dup_text (const struct ember_gguf *gguf, const char *key, gsize max_bytes)
{
  struct ember_text text = ember_gguf_get_text (gguf, key);
  g_autofree char *line = text.size > 0 ? hearth_gguf_dup_line (&text, max_bytes) : NULL;

  if (line == NULL || *g_strstrip (line) == '\0')
    return NULL;
  return g_steal_pointer (&line);
}

/* An address that may be opened, or NULL: a file can name anything. */
static char *
dup_link (const struct ember_gguf *gguf, const char *key)
{
  struct ember_text text = ember_gguf_get_text (gguf, key);
  g_autofree char *link = NULL;

  if (text.size > MAX_LINK_BYTES)
    return NULL;
  link = dup_text (gguf, key, MAX_LINK_BYTES);
  if (link == NULL ||
      !(g_str_has_prefix (link, "https://") || g_str_has_prefix (link, "http://")) ||
      strpbrk (link, " \t\"<>") != NULL || !g_uri_is_valid (link, G_URI_FLAGS_NONE, NULL))
    return NULL;
  return g_steal_pointer (&link);
}

static char *
first_of (const struct ember_gguf *gguf, const char *prefix, const char *const *names,
          char *(*dup) (const struct ember_gguf *gguf, const char *key))
{
  char *found = NULL;

  for (guint i = 0; names[i] != NULL && found == NULL; i++)
    {
      g_autofree char *key = g_strconcat (prefix, names[i], NULL);

      found = dup (gguf, key);
    }
  return found;
}

static char *
dup_name (const struct ember_gguf *gguf, const char *key)
{
  return dup_text (gguf, key, MAX_NAME_BYTES);
}

/* The last part of an address: what it is called there. */
static char *
name_of_link (const char *link)
{
  const char *slash = strrchr (link, '/');

  return slash != NULL && slash[1] != '\0' ? g_strdup (slash + 1) : g_strdup (link);
}

static HearthOriginSource *
source_new (char *name, char *by, char *link)
{
  HearthOriginSource *source;

  if (name == NULL && link == NULL)
    {
      g_free (by);
      return NULL;
    }
  source = g_new0 (HearthOriginSource, 1);
  source->name = name != NULL ? name : name_of_link (link);
  source->by = by;
  source->link = link;
  return source;
}

/* general.base_model.N.… and general.dataset.N.… */
static void
read_numbered (const struct ember_gguf *gguf, const char *what, GPtrArray *out)
{
  static const char *const names[] = { "name", NULL };
  static const char *const makers[] = { "organization", "author", NULL };
  static const char *const links[] = { "repo_url", "url", "doi", NULL };
  g_autofree char *count_key = g_strdup_printf ("general.%s.count", what);
  guint64 n = ember_gguf_get_u64 (gguf, count_key, MAX_SOURCES);

  for (guint64 i = 0; i < n && i < MAX_SOURCES; i++)
    {
      g_autofree char *prefix = g_strdup_printf ("general.%s.%" G_GUINT64_FORMAT ".", what, i);
      HearthOriginSource *source = source_new (first_of (gguf, prefix, names, dup_name),
                                               first_of (gguf, prefix, makers, dup_name),
                                               first_of (gguf, prefix, links, dup_link));

      if (source == NULL)
        return;
      g_ptr_array_add (out, source);
    }
}

/* The older form: general.datasets is a list of names. */
static void
read_list (const struct ember_gguf *gguf, const char *key, GPtrArray *out)
{
  int64_t index = ember_gguf_find (gguf, key);
  struct ember_text text;

  for (guint64 i = 0;
       index >= 0 && out->len < MAX_SOURCES && ember_gguf_text (gguf, index, i, &text); i++)
    {
      HearthOriginSource *source =
        source_new (hearth_gguf_dup_line (&text, MAX_NAME_BYTES), NULL, NULL);

      g_ptr_array_add (out, source);
    }
}

static void
read_sources (HearthModelOrigin *origin, const struct ember_gguf *gguf)
{
  static const char *const licences[] = { "license.name", "license", NULL };
  static const char *const licence_links[] = { "license.link", NULL };
  static const char *const pages[] = { "repo_url", "url", NULL };
  static const char *const sources[] = { "source.repo_url", "source.url", NULL };
  static const char *const hubs[] = { "source.huggingface.repository", NULL };

  read_numbered (gguf, "base_model", origin->bases);
  read_numbered (gguf, "dataset", origin->datasets);
  if (origin->datasets->len == 0)
    read_list (gguf, "general.datasets", origin->datasets);
  origin->licence = source_new (first_of (gguf, "general.", licences, dup_name), NULL,
                                first_of (gguf, "general.", licence_links, dup_link));
  origin->page = source_new (NULL, NULL, first_of (gguf, "general.", pages, dup_link));
  origin->source = source_new (first_of (gguf, "general.", hubs, dup_name), NULL,
                               first_of (gguf, "general.", sources, dup_link));
}

static void
read_files (HearthModelOrigin *origin, const struct ember_gguf *gguf)
{
  for (guint i = 0; i < ember_gguf_n_parts (gguf) && i < MAX_FILES; i++)
    {
      HearthOriginFile *file = g_new0 (HearthOriginFile, 1);
      const char *path = ember_gguf_part_file (gguf, i);
      g_autofree char *base = g_path_get_basename (path != NULL ? path : ember_gguf_path (gguf));

      file->name = g_filename_display_name (base);
      file->size = ember_gguf_part_size (gguf, i);
      g_ptr_array_add (origin->files, file);
    }
}

static guint64
get_arch_u64 (const struct ember_gguf *gguf, const char *suffix)
{
  g_autofree char *architecture = dup_text (gguf, "general.architecture", MAX_NAME_BYTES);
  g_autofree char *key =
    g_strdup_printf ("%s.%s", architecture != NULL ? architecture : "", suffix);

  return ember_gguf_get_u64 (gguf, key, 0);
}

static guint64
add_saturated (guint64 a, guint64 b)
{
  return a > G_MAXUINT64 - b ? G_MAXUINT64 : a + b;
}

/* Experts that a router chooses from are stored together, one after the other; shared experts and
 * the router itself are for every token. */
static gboolean
is_chosen_from (const struct ember_text *name)
{
  return g_strstr_len (name->data, (gssize) name->size, "_exps.") != NULL;
}

static void
count_experts (HearthModelOrigin *origin, const struct ember_gguf *gguf)
{
  guint64 n_all = get_arch_u64 (gguf, "expert_count");
  guint64 n_used = get_arch_u64 (gguf, "expert_used_count");

  if (n_all > 1 && n_all <= G_MAXUINT16 && n_used > 0 && n_used <= n_all)
    {
      origin->n_experts = (guint) n_all;
      origin->n_experts_used = (guint) n_used;
    }
  for (guint64 i = 0; i < ember_gguf_info (gguf)->n_tensors; i++)
    {
      const struct ember_gguf_tensor *tensor = ember_gguf_tensor (gguf, i);
      guint64 active = tensor->n_elements;

      if (origin->n_experts > 0 && is_chosen_from (&tensor->name))
        {
          active = tensor->n_elements / origin->n_experts * origin->n_experts_used;
          origin->n_expert_parameters =
            add_saturated (origin->n_expert_parameters, tensor->n_elements);
          origin->n_active_expert_parameters =
            add_saturated (origin->n_active_expert_parameters, active);
        }
      origin->n_active_parameters = add_saturated (origin->n_active_parameters, active);
    }
}

static void
count_templates (HearthModelOrigin *origin, const struct ember_gguf *gguf)
{
  static const char name[] = "tokenizer.chat_template";

  for (guint64 i = 0; i < ember_gguf_info (gguf)->n_keys; i++)
    {
      struct ember_text key = ember_gguf_key_name (gguf, i);

      /* The plain one, and named ones after a point. */
      if (key.size >= strlen (name) && memcmp (key.data, name, strlen (name)) == 0 &&
          (key.size == strlen (name) || key.data[strlen (name)] == '.') &&
          ember_gguf_key_type (gguf, i) == EMBER_GGUF_STRING)
        origin->n_templates++;
    }
}

HearthModelOrigin *
hearth_model_origin_new (HearthGguf *gguf)
{
  const struct ember_gguf *file = hearth_gguf_get (gguf);
  HearthModelOrigin *origin = g_new0 (HearthModelOrigin, 1);
  int64_t tokens = ember_gguf_find (file, "tokenizer.ggml.tokens");

  origin->bases = g_ptr_array_new_with_free_func (source_free);
  origin->datasets = g_ptr_array_new_with_free_func (source_free);
  origin->files = g_ptr_array_new_with_free_func (file_free);
  read_sources (origin, file);
  read_files (origin, file);
  origin->vocabulary = dup_text (file, "tokenizer.ggml.model", MAX_NAME_BYTES);
  if (tokens >= 0 && ember_gguf_key_type (file, (uint64_t) tokens) == EMBER_GGUF_ARRAY)
    origin->n_tokens = ember_gguf_key_length (file, (uint64_t) tokens);
  count_templates (origin, file);
  count_experts (origin, file);
  return origin;
}
