/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-header.h"

#include <string.h>

#include <ember/chat.h>
#include <ember/fit.h>
#include <ember/gguf.h>
#include <ember/naming.h>
#include <gio/gio.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "hearth-engine-sampling.h"
#include "hearth-error.h"
#include "hearth-gguf.h"

/* Longest name that is worth showing; the rest of a hostile one is cut. */
#define MAX_NAME_BYTES 200

/* general.file_type: the recipe a file was made by. */
static const char *const recipes[] = {
  [0] = "F32",      [1] = "F16",      [2] = "Q4_0",    [3] = "Q4_1",    [7] = "Q8_0",
  [8] = "Q5_0",     [9] = "Q5_1",     [10] = "Q2_K",   [11] = "Q3_K_S", [12] = "Q3_K_M",
  [13] = "Q3_K_L",  [14] = "Q4_K_S",  [15] = "Q4_K_M", [16] = "Q5_K_S", [17] = "Q5_K_M",
  [18] = "Q6_K",    [19] = "IQ2_XXS", [20] = "IQ2_XS", [21] = "Q2_K_S", [22] = "IQ3_XS",
  [23] = "IQ3_XXS", [24] = "IQ1_S",   [25] = "IQ4_NL", [26] = "IQ3_S",  [27] = "IQ3_M",
  [28] = "IQ2_S",   [29] = "IQ2_M",   [30] = "IQ4_XS", [31] = "IQ1_M",  [32] = "BF16",
  [36] = "TQ1_0",   [37] = "TQ2_0",   [38] = "MXFP4",  [39] = "NVFP4",  [40] = "Q1_0",
  [41] = "Q2_0",
};

static const struct
{
  const char *bytes;
  gsize n_bytes;
  const char *kind;
} magics[] = {
  { "PK\3\4", 4, N_ ("a ZIP archive") },
  { "\x1f\x8b", 2, N_ ("a gzip archive") },
  { "\xFD\x37zXZ", 5, N_ ("an XZ archive") },
  { "\x28\xb5\x2f\xfd", 4, N_ ("a Zstandard archive") },
  { "7z\xbc\xaf\x27\x1c", 6, N_ ("a 7-Zip archive") },
  { "%PDF", 4, N_ ("a PDF document") },
  { "\x89PNG", 4, N_ ("a PNG image") },
  { "\xff\xd8\xff", 3, N_ ("a JPEG image") },
  { "\177ELF", 4, N_ ("a program") },
  { "version https://git-lfs", 23, N_ ("a Git LFS pointer, which only says where the model is") },
  { "<!DOCTYPE", 9, N_ ("a web page") },
  { "<!doctype", 9, N_ ("a web page") },
  { "<html", 5, N_ ("a web page") },
  { "lmgg", 4, N_ ("a model in the old GGML format") },
  { "fmgg", 4, N_ ("a model in the old GGMF format") },
  { "tjgg", 4, N_ ("a model in the old GGJT format") },
  { "algg", 4, N_ ("an adapter in the old GGLA format") },
  { "\x80\x02", 2, N_ ("a Python pickle") },
  { "\x89HDF", 4, N_ ("an HDF5 file") },
};

const char *
hearth_model_header_guess_kind (const guint8 *bytes, gsize n_bytes)
{
  for (gsize i = 0; i < G_N_ELEMENTS (magics); i++)
    {
      if (n_bytes >= magics[i].n_bytes && memcmp (bytes, magics[i].bytes, magics[i].n_bytes) == 0)
        return magics[i].kind;
    }
  /* Safetensors: the length of a JSON object, then the object. */
  if (n_bytes >= 10 && bytes[7] == 0 && bytes[6] == 0 && bytes[8] == '{' && bytes[9] == '"')
    return N_ ("a Safetensors file");
  if (n_bytes > 0 && bytes[0] == '{')
    return N_ ("a JSON file");
  return NULL;
}

static void
type_clear (gpointer data)
{
  g_free (((HearthHeaderType *) data)->type);
}

HearthModelHeader *
hearth_model_header_new (void)
{
  HearthModelHeader *header = g_new0 (HearthModelHeader, 1);

  header->types = g_array_new (FALSE, TRUE, sizeof (HearthHeaderType));
  g_array_set_clear_func (header->types, type_clear);
  return header;
}

void
hearth_model_header_free (HearthModelHeader *header)
{
  if (header == NULL)
    return;
  g_free (header->name);
  g_free (header->full_name);
  g_free (header->architecture);
  g_free (header->quantization);
  g_free (header->family);
  g_free (header->licence);
  g_free (header->author);
  g_free (header->quantized_by);
  g_free (header->version_label);
  g_free (header->base_model);
  g_free (header->source);
  g_clear_pointer (&header->types, g_array_unref);
  g_clear_error (&header->fit_error);
  g_free (header);
}

/* A string of the file as one short line of valid text, or NULL. */
static char *
dup_line (const struct ember_gguf *gguf, const char *key)
{
  struct ember_text text = ember_gguf_get_text (gguf, key);
  g_autofree char *line = NULL;

  if (text.size == 0)
    return NULL;
  line = hearth_gguf_dup_line (&text, MAX_NAME_BYTES);
  g_strstrip (line);
  return *line != '\0' ? g_steal_pointer (&line) : NULL;
}

static guint64
get_arch_u64 (const struct ember_gguf *gguf, const char *architecture, const char *what)
{
  g_autofree char *key = g_strdup_printf ("%s.%s", architecture, what);

  return ember_gguf_get_u64 (gguf, key, 0);
}

static guint64
add_saturated (guint64 a, guint64 b)
{
  return a > G_MAXUINT64 - b ? G_MAXUINT64 : a + b;
}

/* Where a file says that it comes from, the most telling first. */
static const char *const source_keys[] = {
  "general.repo_url",        "general.url",
  "general.source.repo_url", "general.source.huggingface.repository",
  "general.source.url",      "general.base_model.0.repo_url",
};

/* Models that turn a text into one vector say how its values are pooled; 0 is "not at all". */
static gboolean
is_embedder (const struct ember_gguf *gguf, const char *architecture)
{
  g_autofree char *key = g_strdup_printf ("%s.pooling_type", architecture);

  return ember_gguf_get_u64 (gguf, key, 0) > 0;
}

/* Seconds since 1970; 0 when the system does not say. */
static gint64
get_changed (const char *path)
{
  GStatBuf info;

  return g_stat (path, &info) == 0 ? (gint64) info.st_mtime : 0;
}

/* What a tensor is for, by the usual parts of its name. */
static HearthTensorRole
role_of (const struct ember_text *name)
{
  static const struct
  {
    const char *part;
    HearthTensorRole role;
  } parts[] = {
    { "_norm", HEARTH_ROLE_NORM },
    { "norm.", HEARTH_ROLE_NORM },
    { "token_embd", HEARTH_ROLE_EMBEDDING },
    { "per_layer_token_embd", HEARTH_ROLE_EMBEDDING },
    { "position_embd", HEARTH_ROLE_EMBEDDING },
    { "token_types", HEARTH_ROLE_EMBEDDING },
    { "_exps", HEARTH_ROLE_EXPERTS },
    { "_shexp", HEARTH_ROLE_EXPERTS },
    { "ffn_gate_inp", HEARTH_ROLE_EXPERTS },
    { "attn", HEARTH_ROLE_ATTENTION },
    { "ffn", HEARTH_ROLE_FEED_FORWARD },
    { "ssm", HEARTH_ROLE_RECURRENT },
    { "time_mix", HEARTH_ROLE_RECURRENT },
    { "shortconv", HEARTH_ROLE_RECURRENT },
    { "output.", HEARTH_ROLE_OUTPUT },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      if (g_strstr_len (name->data, (gssize) name->size, parts[i].part) != NULL)
        return parts[i].role;
    }
  return HEARTH_ROLE_OTHER;
}

/* Converters append the training run to the name ("… 135M 8k Lc100K Mix1 Ep2"). A tail of three or
 * more words that all hold digits says nothing to people, so the name ends at the size. */
static char *
shorten_name (const char *name, const char *size_label)
{
  g_auto (GStrv) words = g_strsplit (name, " ", -1);
  guint n = g_strv_length (words);

  if (size_label == NULL)
    return g_strdup (name);
  for (guint i = 0; i + 3 < n; i++)
    {
      gboolean machine_made = g_ascii_strcasecmp (words[i], size_label) == 0;

      for (guint j = i + 1; machine_made && j < n; j++)
        machine_made = strpbrk (words[j], "0123456789") != NULL;
      if (machine_made)
        {
          g_clear_pointer (&words[i + 1], g_free);
          for (guint j = i + 2; j < n; j++)
            g_clear_pointer (&words[j], g_free);
          return g_strjoinv (" ", words);
        }
    }
  return g_strdup (name);
}

static char *
name_from_path (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *name = g_filename_display_name (base);

  if (g_str_has_suffix (name, ".gguf") && strlen (name) > strlen (".gguf"))
    name[strlen (name) - strlen (".gguf")] = '\0';
  return g_steal_pointer (&name);
}

/* "7B", "8x7B", "1.5b" */
static gboolean
is_size (const char *word)
{
  gsize length = strlen (word);

  return length > 1 && g_ascii_isdigit (word[0]) && strchr ("bBmMkK", word[length - 1]) != NULL &&
         strspn (word, "0123456789.x") == length - 1;
}

/* The words of a name before its size. Returns: (nullable) */
static char *
dup_beginning (const char *name)
{
  g_auto (GStrv) words = g_strsplit_set (name, " -_", -1);

  for (guint i = 0; words[i] != NULL; i++)
    {
      if (is_size (words[i]))
        {
          for (guint j = i; words[j] != NULL; j++)
            g_clear_pointer (&words[j], g_free);
          return i > 0 ? g_strjoinv (" ", words) : NULL;
        }
    }
  return g_strdup (name);
}

/* What its sizes and quantizations have in common. Uploaders part words by hyphens. */
static char *
dup_family (const struct ember_gguf *gguf, const char *path, const char *architecture,
            const char *full_name)
{
  g_autofree char *family = dup_line (gguf, "general.basename");
  struct ember_file_name name;

  if (family == NULL && full_name != NULL)
    family = dup_beginning (full_name);
  if (family == NULL && ember_file_name_parse (path, &name) && name.base.size > 0)
    family = hearth_gguf_dup_line (&name.base, MAX_NAME_BYTES);
  if (family == NULL)
    return g_strdup (architecture);
  return g_strdelimit (g_steal_pointer (&family), "-_", ' ');
}

/* What the file is for, by its keys. */
static HearthModelRole
read_role (const struct ember_gguf *gguf, const char *architecture, guint64 n_tensors,
           gboolean has_vocabulary)
{
  static const struct
  {
    const char *type;
    HearthModelRole role;
  } types[] = {
    { "mmproj", HEARTH_MODEL_ROLE_PROJECTOR },
    { "adapter", HEARTH_MODEL_ROLE_ADAPTER },
    { "imatrix", HEARTH_MODEL_ROLE_IMATRIX },
  };
  struct ember_text type = ember_gguf_get_text (gguf, "general.type");

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      if (type.size == strlen (types[i].type) && memcmp (type.data, types[i].type, type.size) == 0)
        return types[i].role;
    }
  if (g_strcmp0 (architecture, "clip") == 0)
    return HEARTH_MODEL_ROLE_PROJECTOR;
  /* These read what another model has worked out, and cannot go alone. */
  if (architecture != NULL &&
      (g_str_has_prefix (architecture, "eagle3") || g_str_has_prefix (architecture, "dflash")))
    return HEARTH_MODEL_ROLE_DRAFT;
  if (ember_gguf_find (gguf, "adapter.type") >= 0 ||
      ember_gguf_find (gguf, "controlvector.model_hint") >= 0)
    return HEARTH_MODEL_ROLE_ADAPTER;
  if (n_tensors == 0 && has_vocabulary)
    return HEARTH_MODEL_ROLE_VOCABULARY;
  return HEARTH_MODEL_ROLE_MODEL;
}

static int
compare_types (gconstpointer a, gconstpointer b)
{
  guint64 x = ((const HearthHeaderType *) a)->n_bytes;
  guint64 y = ((const HearthHeaderType *) b)->n_bytes;

  return x < y ? 1 : x > y ? -1 : 0;
}

static void
sum_tensors (HearthModelHeader *header, const struct ember_gguf *gguf)
{
  const struct ember_gguf_info *info = ember_gguf_info (gguf);
  g_autoptr (GHashTable) by_type = g_hash_table_new (NULL, NULL); /* type id → index + 1 */

  header->expected_size = info->data_offset;
  for (guint64 i = 0; i < info->n_tensors; i++)
    {
      const struct ember_gguf_tensor *tensor = ember_gguf_tensor (gguf, i);
      gpointer key = GUINT_TO_POINTER (tensor->type);
      guint index = GPOINTER_TO_UINT (g_hash_table_lookup (by_type, key));
      HearthHeaderType *type;
      HearthTensorRole role;

      if (index == 0)
        {
          const char *name = ember_tensor_type_name (tensor->type);
          HearthHeaderType fresh = { .type = name != NULL ? g_ascii_strup (name, -1)
                                                          : g_strdup_printf ("%u", tensor->type) };

          g_array_append_val (header->types, fresh);
          index = header->types->len;
          g_hash_table_insert (by_type, key, GUINT_TO_POINTER (index));
        }
      type = &g_array_index (header->types, HearthHeaderType, index - 1);
      type->n_tensors++;
      type->n_elements = add_saturated (type->n_elements, tensor->n_elements);
      type->n_bytes = add_saturated (type->n_bytes, tensor->n_bytes);
      role = role_of (&tensor->name);
      header->roles[role] = add_saturated (header->roles[role], tensor->n_elements);
      header->n_parameters = add_saturated (header->n_parameters, tensor->n_elements);
      header->n_tensor_bytes = add_saturated (header->n_tensor_bytes, tensor->n_bytes);
      header->expected_size =
        MAX (header->expected_size, add_saturated (tensor->file_offset, tensor->n_bytes));
    }
  g_array_sort (header->types, compare_types);
}

static void
plan (HearthModelHeader *header, const struct ember_gguf *gguf, guint n_ctx, guint n_threads)
{
  struct ember_fit_params params = { .n_ctx = n_ctx, .n_threads = n_threads };
  struct ember_error failure = { 0 };
  struct ember_fit fit;

  if (header->expected_size > header->size)
    {
      header->fit_error = g_error_new (HEARTH_ERROR, HEARTH_ERROR_INCOMPLETE,
                                       "the file has %" G_GUINT64_FORMAT
                                       " bytes, its tensor table asks for %" G_GUINT64_FORMAT,
                                       header->size, header->expected_size);
      return;
    }
  if (ember_fit_plan (&fit, gguf, &params, &failure) != EMBER_OK)
    {
      header->fit_error = hearth_error_from_ember (&failure);
      if (failure.status == EMBER_UNSUPPORTED && !ember_fit_knows (gguf))
        header->fit_error->code = HEARTH_ERROR_ARCHITECTURE;
      return;
    }
  header->fit = (HearthHeaderFit) {
    .fits = fit.verdict == EMBER_FITS_CPU,
    .n_ctx = fit.n_ctx,
    .weights = fit.weights,
    .kv = fit.kv,
    .checkpoint = fit.checkpoint,
    .compute = fit.compute,
    .budget = fit.budget,
    .free = fit.free,
  };
}

HearthModelHeader *
hearth_model_header_read (const char *path, guint n_ctx, guint n_threads, GError **error)
{
  g_autoptr (HearthModelHeader) header = hearth_model_header_new ();
  g_autofree char *size_label = NULL;
  g_autoptr (HearthGguf) open = hearth_gguf_open (path, error);
  const struct ember_gguf *gguf;
  const struct ember_gguf_info *info;
  guint64 recipe;

  if (open == NULL)
    return NULL;
  gguf = hearth_gguf_get (open);
  info = ember_gguf_info (gguf);
  header->size = info->file_size;
  header->version = info->version;
  header->n_keys = info->n_keys;
  header->n_tensors = info->n_tensors;
  sum_tensors (header, gguf);

  size_label = dup_line (gguf, "general.size_label");
  header->full_name = dup_line (gguf, "general.name");
  header->name = header->full_name != NULL ? shorten_name (header->full_name, size_label)
                                           : name_from_path (path);
  header->licence = dup_line (gguf, "general.license.name");
  if (header->licence == NULL)
    header->licence = dup_line (gguf, "general.license");
  header->author = dup_line (gguf, "general.author");
  if (header->author == NULL)
    header->author = dup_line (gguf, "general.organization");
  header->quantized_by = dup_line (gguf, "general.quantized_by");
  header->version_label = dup_line (gguf, "general.version");
  header->base_model = dup_line (gguf, "general.base_model.0.name");
  for (gsize i = 0; i < G_N_ELEMENTS (source_keys) && header->source == NULL; i++)
    header->source = dup_line (gguf, source_keys[i]);
  header->n_parts = ember_gguf_n_parts (gguf);
  header->changed = get_changed (path);
  header->architecture = dup_line (gguf, "general.architecture");
  if (header->architecture != NULL)
    {
      header->n_ctx_trained =
        (guint) MIN (get_arch_u64 (gguf, header->architecture, "context_length"), G_MAXUINT);
      header->is_embedder = is_embedder (gguf, header->architecture);
      header->width =
        (guint) MIN (get_arch_u64 (gguf, header->architecture, "embedding_length"), G_MAXUINT);
      header->n_layers =
        (guint) MIN (get_arch_u64 (gguf, header->architecture, "block_count"), G_MAXUINT);
    }
  recipe = ember_gguf_get_u64 (gguf, "general.file_type", G_MAXUINT64);
  if (recipe < G_N_ELEMENTS (recipes) && recipes[recipe] != NULL)
    header->quantization = g_strdup (recipes[recipe]);
  else if (header->types->len > 0)
    header->quantization = g_strdup (g_array_index (header->types, HearthHeaderType, 0).type);
  header->has_template = ember_gguf_get_text (gguf, "tokenizer.chat_template").size > 0;
  header->has_vocabulary = ember_gguf_find (gguf, "tokenizer.ggml.tokens") >= 0;
  header->family = dup_family (gguf, path, header->architecture, header->full_name);
  header->role = read_role (gguf, header->architecture, header->n_tensors, header->has_vocabulary);
  header->can_think = ember_chat_can_think (gguf);
  _hearth_engine_read_sampling (gguf, &header->sampling, &header->sampling_defaults);

  plan (header, gguf, n_ctx, n_threads);
  return g_steal_pointer (&header);
}
