/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-totals EMBER: the figures of the overview, of the lists of keys and tensors, of
 * `ember inspect --json` and the file's size are the same for every model file of the corpus. */
#include "core-test.h"
#include "hearth-comparison.h"
#include "hearth-error.h"
#include "hearth-model-contents.h"
#include "hearth-model-header.h"
#include "hearth-tensor.h"

#include <ember/json.h>
#include <glib/gstdio.h>

static const char *ember;

static guint64
number (const struct ember_json *object, const char *name)
{
  const struct ember_json *value = ember_json_member (object, name);

  g_assert_nonnull (value);
  g_assert_cmpint (value->kind, ==, EMBER_JSON_INT);
  return (guint64) value->integer;
}

static guint64
sum_roles (const HearthModelHeader *header)
{
  guint64 sum = 0;

  for (guint i = 0; i < HEARTH_N_ROLES; i++)
    sum += header->roles[i];
  return sum;
}

static void
check_lists (const char *path, const HearthModelHeader *header)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (HearthModelContents) contents = NULL;
  g_autoptr (GError) error = NULL;
  const HearthModelOrigin *origin;
  guint64 n_elements = 0, n_bytes = 0, size = 0;
  GListModel *tensors;

  hearth_model_contents_read_async (path, NULL, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  contents = hearth_model_contents_read_finish (result, &error);
  g_assert_no_error (error);
  tensors = hearth_model_contents_get_tensors (contents);
  g_assert_cmpuint (g_list_model_get_n_items (tensors), ==, header->n_tensors);
  g_assert_cmpuint (g_list_model_get_n_items (hearth_model_contents_get_keys (contents)), ==,
                    header->n_keys);
  for (guint i = 0; i < g_list_model_get_n_items (tensors); i++)
    {
      g_autoptr (HearthTensor) tensor = g_list_model_get_item (tensors, i);

      n_elements += hearth_tensor_get_n_elements (tensor);
      n_bytes += hearth_tensor_get_n_bytes (tensor);
    }
  g_assert_cmpuint (n_elements, ==, header->n_parameters);
  g_assert_cmpuint (n_bytes, ==, header->n_tensor_bytes);
  origin = hearth_model_contents_get_origin (contents);
  for (guint i = 0; i < origin->files->len; i++)
    size += ((HearthOriginFile *) g_ptr_array_index (origin->files, i))->size;
  g_assert_cmpuint (size, ==, header->size);
  g_assert_cmpuint (origin->n_active_parameters, ==,
                    header->n_parameters - origin->n_expert_parameters +
                      origin->n_active_expert_parameters);
  g_assert_cmpuint (origin->n_expert_parameters, <=, header->roles[HEARTH_ROLE_EXPERTS]);
  if (origin->n_experts > 0)
    g_assert_cmpuint (origin->n_active_expert_parameters * origin->n_experts, ==,
                      origin->n_expert_parameters * origin->n_experts_used);
  if (g_str_has_suffix (path, "/llama-moe.gguf")) /* a mixture it is */
    {
      g_assert_cmpuint (origin->n_experts, ==, 4);
      g_assert_cmpuint (origin->n_experts_used, ==, 2);
      g_assert_cmpuint (origin->n_expert_parameters, >, 0);
    }
}

/* TRUE: the file could be read. */
static gboolean
check_file (const char *path)
{
  const char *const argv[] = { ember, "inspect", "--json", path, NULL };
  g_autofree char *out = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HearthModelHeader) header = hearth_model_header_read (path, 0, 1, &error);
  struct ember_json_document *document = NULL;
  const struct ember_json *file, *totals, *types;
  GStatBuf info;
  int status;

  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                               &out, NULL, &status, NULL));
  if (header == NULL)
    {
      /* What the one cannot read, the other cannot, either. */
      if (status == 0)
        g_error ("%s: %s", path, error->message);
      return FALSE;
    }
  if (status != 0) /* the tool reads a whole file only; this one's header is all there is */
    {
      g_assert_cmpuint (header->expected_size, >, header->size);
      return FALSE;
    }
  g_assert_cmpint (ember_json_parse (&document, out, strlen (out), NULL), ==, EMBER_OK);
  file = ember_json_member (ember_json_root (document), "file");
  totals = ember_json_member (ember_json_root (document), "totals");
  types = ember_json_member (totals, "by_type");
  g_assert_cmpint (g_stat (path, &info), ==, 0);
  g_assert_cmpuint (header->size, ==, (guint64) info.st_size);
  g_assert_cmpuint (header->size, ==, number (file, "size"));
  g_assert_cmpuint (header->n_keys, ==, number (file, "n_kv"));
  g_assert_cmpuint (header->n_tensors, ==, number (file, "n_tensors"));
  g_assert_cmpuint (header->n_parameters, ==, number (totals, "parameters"));
  g_assert_cmpuint (header->n_tensor_bytes, ==, number (totals, "bytes"));
  g_assert_cmpuint (sum_roles (header), ==, header->n_parameters);
  g_assert_cmpuint (header->types->len, ==, types->list.count);
  for (guint i = 0; i < header->types->len; i++)
    {
      const HearthHeaderType *type = &g_array_index (header->types, HearthHeaderType, i);
      gboolean found = FALSE;

      for (gsize k = 0; k < types->list.count; k++)
        {
          const struct ember_json *name = ember_json_member (&types->list.items[k], "type");
          g_autofree char *upper = g_ascii_strup (name->text.data, (gssize) name->text.size);

          if (!g_str_equal (upper, type->type))
            continue;
          found = TRUE;
          g_assert_cmpuint (type->n_bytes, ==, number (&types->list.items[k], "bytes"));
          g_assert_cmpuint (type->n_tensors, ==, number (&types->list.items[k], "tensors"));
        }
      g_assert_true (found);
    }
  check_lists (path, header);
  ember_json_free (document);
  return TRUE;
}

static guint
check_folder (const char *folder, guint *n_read)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        n += check_folder (path, n_read);
      else if (g_str_has_suffix (name, ".gguf"))
        {
          n++;
          *n_read += check_file (path) ? 1 : 0;
        }
    }
  return n;
}

static void
test_corpus (void)
{
  const char *corpus = g_getenv ("HEARTH_CORPUS");
  guint n, n_read = 0;

  if (corpus == NULL || !g_file_test (corpus, G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("the corpus is not there");
      return;
    }
  n = check_folder (corpus, &n_read);
  g_test_message ("%u files, %u of them read", n, n_read);
  g_assert_cmpuint (n, >=, 90);
  g_assert_cmpuint (n_read, >=, 60);
}

/* The real models, too. */
static void
test_models (void)
{
  const char *models = g_getenv ("HEARTH_TEST_MODELS");
  guint n_read = 0;

  if (models == NULL || !g_file_test (models, G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("the models are not there");
      return;
    }
  check_folder (models, &n_read);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 2);
  ember = argv[1];
  g_test_add_func ("/totals/corpus", test_corpus);
  g_test_add_func ("/totals/models", test_models);
  return g_test_run ();
}
