/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tensors of a model: their roles, the map, statistics, values as rows, bytes of the file, what is
 * in memory, and tables as text. */
#define _DEFAULT_SOURCE /* ftruncate */
#include <math.h>
#include <unistd.h>

#include <ember/gguf.h>
#include <ember/tensor.h>

#include "core-test.h"
#include "gguf-file.h"
#include "hearth-file-bytes.h"
#include "hearth-file-layout.h"
#include "hearth-model-contents.h"
#include "hearth-residency.h"
#include "hearth-table-text.h"
#include "hearth-tensor-map.h"
#include "hearth-tensor-role.h"
#include "hearth-tensor-rows.h"
#include "hearth-tensor-stats.h"

static char *folder;

static HearthModelContents *
read_contents (const char *path)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  HearthModelContents *contents;

  hearth_model_contents_read_async (path, NULL, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  contents = hearth_model_contents_read_finish (result, &error);
  g_assert_no_error (error);
  return contents;
}

static HearthTensor *
find_tensor (HearthModelContents *contents, const char *name)
{
  GListModel *tensors = hearth_model_contents_get_tensors (contents);

  for (guint i = 0; i < g_list_model_get_n_items (tensors); i++)
    {
      g_autoptr (HearthTensor) tensor = g_list_model_get_item (tensors, i);

      if (g_str_equal (hearth_tensor_get_name (tensor), name))
        return g_steal_pointer (&tensor);
    }
  g_assert_not_reached ();
}

static void
test_roles (void)
{
  static const struct
  {
    const char *name;
    int layer;
    const char *key, *title, *suffix;
  } cases[] = {
    { "token_embd.weight", -1, "token_embd.weight", "Token embedding", NULL },
    { "blk.0.attn_q.weight", 0, "attn_q.weight", "Attention Q", NULL },
    { "blk.12.attn_q.bias", 12, "attn_q.bias", "Attention Q", "bias" },
    { "blk.7.attn_q_norm.weight", 7, "attn_q_norm.weight", "Attention Q norm", NULL },
    { "blk.3.ffn_norm", 3, "ffn_norm", "Feed-forward norm", NULL },
    { "blk.3.ffn_gate_inp.weight", 3, "ffn_gate_inp.weight", "Router", NULL },
    { "blk.3.ssm_a", 3, "ssm_a", "SSM A", NULL },
    { "blk.3.shortconv.conv.weight", 3, "shortconv.conv.weight", "Short convolution", NULL },
    { "blk.40.nextn.eh_proj.weight", 40, "nextn.eh_proj.weight", NULL, NULL },
    { "v.blk.2.attn_q.weight", 2, "v.attn_q.weight", NULL, NULL },
    { "enc.blk.2.ffn_up.weight", 2, "enc.ffn_up.weight", NULL, NULL },
    { "output.weight", -1, "output.weight", "Output head", NULL },
    { "output_norm.weight", -1, "output_norm.weight", "Output norm", NULL },
    { "blk.02.attn_q.weight", -1, "blk.02.attn_q.weight", NULL, NULL },
    { "blk.2147483648.a", -1, "blk.2147483648.a", NULL, NULL },
    { "blk.99999999999999999999.a", -1, "blk.99999999999999999999.a", NULL, NULL },
    { "blk.", -1, "blk.", NULL, NULL },
    { "blk.5", -1, "blk.5", NULL, NULL },
    { "blk.5.", 5, "", NULL, NULL },
    { "", -1, "", NULL, NULL },
    { "...", -1, "...", NULL, NULL },
  };
  guint before = 0;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (HearthTensorPlace) place;

      hearth_tensor_place_init (&place, cases[i].name);
      g_assert_cmpint (place.layer, ==, cases[i].layer);
      g_assert_cmpstr (place.key, ==, cases[i].key);
      g_assert_cmpstr (place.title, ==, cases[i].title);
      g_assert_cmpstr (place.suffix, ==, cases[i].suffix);
    }
  /* From the beginning of a model to its end. */
  for (guint i = 0; i < 4; i++)
    {
      static const char *const names[] = { "token_embd.weight", "blk.1.attn_v.weight",
                                           "blk.0.something", "output.weight" };
      g_auto (HearthTensorPlace) place;

      hearth_tensor_place_init (&place, names[i]);
      g_assert_true (i == 0 || place.order > before);
      before = place.order;
    }
}

static HearthTensor *
make (const char *name, const char *type, guint64 n_elements, guint64 n_bytes, guint position)
{
  HearthTensorFields fields = { .name = g_strdup (name),
                                .type = g_intern_string (type),
                                .shape = g_strdup ("?"),
                                .n_elements = n_elements,
                                .n_bytes = n_bytes,
                                .row_length = n_elements,
                                .position = position };

  return hearth_tensor_new_take (NULL, &fields);
}

static void
test_map (void)
{
  static const char *const names[] = { "output.weight",       "blk.9.attn_q.weight", "a.thing",
                                       "blk.2.attn_q.weight", "blk.2.attn_q.bias",   "blk.9.odd",
                                       "token_embd.weight",   "blk.2.attn_q.weight" };
  static const char *const rows[] = { "token_embd.weight", "attn_q.weight", "attn_q.weight 7",
                                      "attn_q.bias",       "a.thing",       "odd",
                                      "output.weight" };
  g_autoptr (GListStore) store = g_list_store_new (HEARTH_TYPE_TENSOR);
  g_autoptr (HearthTensorMap) map = NULL;
  HearthTensor *tensor;
  guint column;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (HearthTensor) one =
        make (names[i], i % 2 == 0 ? "Q4_K" : "F32", 256, i % 2 == 0 ? 144 : 1024, i);

      g_list_store_append (store, one);
    }
  map = hearth_tensor_map_new (G_LIST_MODEL (store));
  g_assert_cmpuint (hearth_tensor_map_get_n_rows (map), ==, G_N_ELEMENTS (rows));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_assert_cmpstr (hearth_tensor_map_get_row_key (map, i), ==, rows[i]);
  g_assert_cmpstr (hearth_tensor_map_get_row_suffix (map, 3), ==, "bias");
  g_assert_cmpuint (hearth_tensor_map_get_n_columns (map), ==, 3);
  g_assert_cmpint (hearth_tensor_map_get_layer (map, 0), ==, -1);
  g_assert_cmpint (hearth_tensor_map_get_layer (map, 1), ==, 2);
  g_assert_cmpint (hearth_tensor_map_get_layer (map, 2), ==, 9);
  tensor = hearth_tensor_map_get_tensor (map, 1, 2);
  g_assert_cmpstr (hearth_tensor_get_name (tensor), ==, "blk.9.attn_q.weight");
  g_assert_null (hearth_tensor_map_get_tensor (map, 1, 0));
  g_assert_null (hearth_tensor_map_get_tensor (map, 3, 2));
  g_assert_null (hearth_tensor_map_get_tensor (map, 99, 0));
  column = 0;
  g_assert_true (hearth_tensor_map_next (map, 1, &column, &tensor));
  g_assert_cmpuint (column, ==, 1);
  column = 3;
  g_assert_false (hearth_tensor_map_next (map, 1, &column, &tensor));
  g_assert_cmpuint (hearth_tensor_map_get_n_types (map), ==, 2);
  g_assert_cmpstr (hearth_tensor_map_get_type_at (map, 0)->name, ==, "F32");
  g_assert_cmpuint (hearth_tensor_map_get_type_at (map, 0)->n_bytes, ==, 4 * 1024);
  tensor = hearth_tensor_map_get_tensor (map, 0, 0);
  g_assert_cmpuint (hearth_tensor_map_find_type (map, tensor), ==, 1);
  g_assert_cmpuint (hearth_tensor_map_get_bits_step (tensor), ==, 3); /* 4.5 */
}

/* A model whose every tensor has a row and a column of its own: memory goes with tensors. */
static void
test_map_sparse (void)
{
  g_autoptr (GListStore) store = g_list_store_new (HEARTH_TYPE_TENSOR);
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (HearthTensorMap) map = NULL;
  const guint n = 50000;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("blk.%u.part_%u", i, i);

      g_ptr_array_add (all, make (name, "F32", 1, 4, i));
    }
  g_list_store_splice (store, 0, 0, all->pdata, all->len);
  map = hearth_tensor_map_new (G_LIST_MODEL (store));
  g_assert_cmpuint (hearth_tensor_map_get_n_rows (map), ==, n);
  g_assert_cmpuint (hearth_tensor_map_get_n_columns (map), ==, n);
  for (guint i = 0; i < n; i += 997)
    g_assert_true (hearth_tensor_map_get_tensor (map, i, i) == all->pdata[i]);
}

static void
test_stats (void)
{
  g_autoptr (HearthModelContents) contents = read_contents (core_test_path);
  g_autoptr (HearthTensor) large = find_tensor (contents, "token_embd.weight");
  g_autoptr (HearthTensor) small = find_tensor (contents, "output_norm.weight");
  g_autoptr (HearthTensorStats) stats = hearth_tensor_stats_new (large);
  const HearthTensorFigures *figures;

  g_assert_cmpint (hearth_tensor_stats_get_state (stats), ==, HEARTH_STATS_SAMPLING);
  g_assert_null (hearth_tensor_stats_get_figures (stats));
  core_test_wait (hearth_tensor_stats_get_state (stats) == HEARTH_STATS_COUNTING);
  figures = hearth_tensor_stats_get_figures (stats);
  g_assert_cmpuint (figures->n, <, figures->n_all);
  g_assert_cmpuint (figures->n, >, 200000);

  /* Stopped, the sample stays; begun again, all values are counted. */
  hearth_tensor_stats_stop (stats);
  g_assert_cmpint (hearth_tensor_stats_get_state (stats), ==, HEARTH_STATS_STOPPED);
  g_assert_true (hearth_tensor_stats_get_figures (stats) == figures);
  hearth_tensor_stats_start (stats);
  g_assert_cmpint (hearth_tensor_stats_get_state (stats), ==, HEARTH_STATS_COUNTING);
  core_test_wait (hearth_tensor_stats_get_state (stats) == HEARTH_STATS_EXACT);
  figures = hearth_tensor_stats_get_figures (stats);
  g_assert_cmpuint (figures->n, ==, hearth_tensor_get_n_elements (large));
  g_assert_cmpuint (figures->n_all, ==, figures->n);
  g_assert_cmpfloat (figures->min, <, figures->quantiles[0]);
  g_assert_cmpfloat (figures->quantiles[0], <, figures->quantiles[6]);
  g_assert_cmpfloat (figures->quantiles[6], <, figures->max);
  g_assert_cmpfloat (fabs (figures->rms * figures->rms - figures->mean * figures->mean -
                           figures->deviation * figures->deviation),
                     <, 1e-9);

  /* All of a small one is looked at at once; one that is dropped half-way ends quietly. */
  g_clear_object (&stats);
  stats = hearth_tensor_stats_new (small);
  core_test_wait (hearth_tensor_stats_get_state (stats) != HEARTH_STATS_SAMPLING);
  g_assert_cmpint (hearth_tensor_stats_get_state (stats), ==, HEARTH_STATS_EXACT);
  g_clear_object (&stats);
  stats = hearth_tensor_stats_new (large);
}

/* The end of the file is not there: the sentence is the engine's. */
static void
test_lost (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree char *path = g_build_filename (folder, "lost.gguf", NULL);
  g_autoptr (HearthModelContents) contents = NULL;
  g_autoptr (HearthTensor) tensor = NULL;
  g_autoptr (HearthTensorStats) stats = NULL;
  g_autoptr (HearthTensorRows) rows = NULL;
  float value;

  put_header (bytes, 1, 0);
  put_tensor (bytes, "a", 1 << 20, 0, 0);
  g_assert_true (g_file_set_contents (path, (const char *) bytes->data, bytes->len, NULL));
  contents = read_contents (path);
  tensor = find_tensor (contents, "a");
  stats = hearth_tensor_stats_new (tensor);
  core_test_wait (hearth_tensor_stats_get_state (stats) == HEARTH_STATS_FAILED);
  g_assert_nonnull (hearth_tensor_stats_get_error (stats));
  g_assert_null (hearth_tensor_stats_get_figures (stats));
  rows = hearth_tensor_rows_new (tensor);
  g_assert_false (hearth_tensor_rows_peek (rows, 0, 5, &value));
  core_test_wait (hearth_tensor_rows_is_idle (rows));
  g_assert_nonnull (hearth_tensor_rows_get_error (rows));
  g_assert_false (hearth_tensor_rows_peek (rows, 0, 5, &value));
  g_assert_true (hearth_tensor_rows_is_idle (rows)); /* it is not tried again and again */
}

static void
test_rows (void)
{
  g_autoptr (HearthModelContents) contents = read_contents (core_test_path);
  g_autoptr (HearthTensor) tensor = find_tensor (contents, "blk.3.ffn_down.weight");
  g_autoptr (HearthTensorRows) rows = hearth_tensor_rows_new (tensor);
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GBytes) text = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) lines = NULL;
  struct ember_gguf *gguf = NULL;
  const struct ember_gguf_tensor *record;
  guint64 width = hearth_tensor_get_row_length (tensor), n_rows = hearth_tensor_get_n_rows (tensor);
  g_autofree float *all = g_new (float, hearth_tensor_get_n_elements (tensor));
  char shown[HEARTH_VALUE_TEXT_SIZE];
  HearthTensorRange range = { .first_row = n_rows - 2,
                              .n_rows = 99,
                              .first_column = 5,
                              .n_columns = 3,
                              .separator = ',',
                              .titles = TRUE };

  g_assert_cmpint (ember_gguf_open (&gguf, core_test_path, true, NULL), ==, EMBER_OK);
  record = ember_gguf_find_tensor (gguf, "blk.3.ffn_down.weight");
  g_assert_cmpint (ember_tensor_values (gguf, record, 0, record->n_elements, all, NULL), ==,
                   EMBER_OK);
  for (guint64 row = 0; row < n_rows; row += 97)
    {
      guint64 column = row * 31 % width;
      float value = 0;

      core_test_wait (hearth_tensor_rows_peek (rows, row, column, &value));
      g_assert_true (value == all[row * width + column]);
    }
  g_assert_false (hearth_tensor_rows_peek (rows, n_rows, 0, &(float) { 0 }));
  g_assert_false (hearth_tensor_rows_peek (rows, 0, width, &(float) { 0 }));
  g_assert_true (hearth_tensor_rows_is_idle (rows));

  hearth_tensor_rows_export_async (rows, &range, NULL, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  text = hearth_tensor_rows_export_finish (result, &error);
  g_assert_no_error (error);
  lines = g_strsplit (g_bytes_get_data (text, NULL), "\n", -1);
  g_assert_cmpstr (lines[0], ==, ",5,6,7");
  for (guint64 r = 0; r < 2; r++)
    {
      g_auto (GStrv) cells = g_strsplit (lines[1 + r], ",", -1);

      g_assert_cmpuint (g_strv_length (cells), ==, 4);
      g_assert_cmpuint (g_ascii_strtoull (cells[0], NULL, 10), ==, n_rows - 2 + r);
      for (guint c = 0; c < 3; c++)
        g_assert_true ((float) g_ascii_strtod (cells[1 + c], NULL) ==
                       all[(n_rows - 2 + r) * width + 5 + c]);
    }
  g_assert_cmpstr (lines[3], ==, "");
  hearth_tensor_rows_format (0.1f, shown);
  g_assert_cmpstr (shown, ==, "0.1");
  hearth_tensor_rows_format (-1.17549435e-38f, shown);
  g_assert_true ((float) g_ascii_strtod (shown, NULL) == -1.17549435e-38f);
  hearth_tensor_rows_format (NAN, shown);
  g_assert_nonnull (strstr (shown, "nan"));
  ember_gguf_close (gguf);
}

static void
test_bytes (void)
{
  g_autofree char *path = g_build_filename (folder, "bytes", NULL);
  const gsize size = 3 * 1024 * 1024 + 77;
  g_autofree guint8 *data = g_malloc (size);
  g_autoptr (HearthFileBytes) bytes = NULL;
  g_autoptr (HearthFileBytes) gone = hearth_file_bytes_new ("/nowhere/at/all", 100);
  guint8 some[100];

  for (gsize i = 0; i < size; i++)
    data[i] = (guint8) (i * 2654435761u >> 13);
  g_assert_true (g_file_set_contents (path, (const char *) data, (gssize) size, NULL));
  bytes = hearth_file_bytes_new (path, size);
  for (guint64 at = 0; at < size; at += 65521)
    {
      gsize n = (gsize) MIN (sizeof some, size - at);

      core_test_wait (hearth_file_bytes_peek (bytes, at, some, sizeof some) == n);
      g_assert_cmpmem (some, n, data + at, n);
    }
  /* Dragged over: what was passed long ago is not read any more. */
  g_clear_object (&bytes);
  bytes = hearth_file_bytes_new (path, size);
  for (guint64 at = 0; at < size; at += 16384)
    hearth_file_bytes_peek (bytes, at, some, 16);
  core_test_wait (hearth_file_bytes_is_idle (bytes));
  g_assert_cmpuint (hearth_file_bytes_get_n_read (bytes), <=, 26);
  g_assert_cmpuint (hearth_file_bytes_peek (bytes, size - 50, some, sizeof some), ==, 50);

  g_assert_cmpuint (hearth_file_bytes_peek (gone, 0, some, 10), ==, 0);
  core_test_wait (hearth_file_bytes_is_idle (gone));
  g_assert_error (hearth_file_bytes_get_error (gone), G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
}

static HearthResidency *
read_residency (const char *path)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  HearthResidency *residency;

  hearth_residency_read_async (path, NULL, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  residency = hearth_residency_read_finish (result, &error);
  g_assert_no_error (error);
  return residency;
}

static void
test_residency (void)
{
  g_autofree char *path = g_build_filename (folder, "resident", NULL);
  g_autofree char *hole = g_build_filename (folder, "hole", NULL);
  const gsize size = 1024 * 1024 + 77;
  g_autofree char *data = g_malloc0 (size);
  g_autoptr (HearthResidency) written = NULL;
  g_autoptr (HearthResidency) empty = NULL;
  FILE *file;

  memset (data, 7, size);
  g_assert_true (g_file_set_contents (path, data, (gssize) size, NULL));
  written = read_residency (path);
  /* Just written: in the page cache. Sums of stretches are those of the whole. */
  g_assert_cmpuint (hearth_residency_count (written, 0, size), ==, size);
  g_assert_cmpuint (hearth_residency_count (written, 0, G_MAXUINT64), ==, size);
  g_assert_cmpuint (hearth_residency_count (written, 5000, 1), ==, 1);
  g_assert_cmpuint (hearth_residency_count (written, 4095, 2), ==, 2);
  g_assert_cmpuint (hearth_residency_count (written, size, 10), ==, 0);
  g_assert_cmpuint (hearth_residency_count (written, 10, 900001), ==, 900001);
  /* Nobody has read a hole of 8 GB, and asking does not. */
  file = fopen (hole, "w");
  g_assert_nonnull (file);
  g_assert_cmpint (ftruncate (fileno (file), (off_t) 8 << 30), ==, 0);
  fclose (file);
  empty = read_residency (hole);
  g_assert_cmpuint (hearth_residency_count (empty, 0, G_MAXUINT64), ==, 0);
}

static void
test_table_text (void)
{
  static const char *const names[] = { "a", "b", NULL };

  for (guint i = 0; i < 2; i++)
    {
      HearthTableText *table =
        hearth_table_text_new (i == 0 ? HEARTH_TABLE_CSV : HEARTH_TABLE_JSON, names);
      g_autoptr (GBytes) text = NULL;
      g_autofree char *got = NULL;

      hearth_table_text_add (table, "x,\"y\"\n");
      hearth_table_text_add_number (table, G_MAXUINT64);
      hearth_table_text_add (table, "=1+1");
      hearth_table_text_add_real (table, 4.5);
      text = hearth_table_text_end (table);
      got = g_strndup (g_bytes_get_data (text, NULL), g_bytes_get_size (text));
      g_assert_cmpstr (got, ==,
                       i == 0 ? "a,b\n\"x,\"\"y\"\"\n\",18446744073709551615\n\"'=1+1\",4.5\n"
                              : "[\n  {\"a\": \"x,\\\"y\\\"\\u000a\", \"b\": 18446744073709551615},"
                                "\n  {\"a\": \"=1+1\", \"b\": 4.5}\n]\n");
    }
}

int
main (int argc, char *argv[])
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("hearth-test-XXXXXX", NULL);
  g_test_add_func ("/tensor-data/roles", test_roles);
  g_test_add_func ("/tensor-data/map", test_map);
  g_test_add_func ("/tensor-data/map-sparse", test_map_sparse);
  core_test_add ("/tensor-data/stats", test_stats);
  g_test_add_func ("/tensor-data/lost", test_lost);
  core_test_add ("/tensor-data/rows", test_rows);
  g_test_add_func ("/tensor-data/bytes", test_bytes);
  g_test_add_func ("/tensor-data/residency", test_residency);
  g_test_add_func ("/tensor-data/table-text", test_table_text);
  status = g_test_run ();
  core_test_remove (folder);
  g_free (folder);
  return status;
}
