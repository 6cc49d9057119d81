/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text to tokens as the window shows it: the same ids as `ember tokenize` for every vocabulary
 * there is, cells, lines, the searchable list, files for other programs. */
#include "hearth-token-lines.h"
#include "hearth-token-list.h"
#include "hearth-visible.h"
#include "text-test.h"

static HearthTokenText *
tokenize (HearthTokenizer *tokenizer, const char *text, gsize size, HearthTokenizeFlags flags)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, size);
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  HearthTokenText *tokens;

  hearth_tokenizer_tokenize_async (tokenizer, bytes, flags, NULL, NULL, core_test_result_cb,
                                   &result);
  core_test_wait (result != NULL);
  tokens = hearth_tokenizer_tokenize_finish (result, &error);
  g_assert_no_error (error);
  return tokens;
}

static char *
cell_text (HearthTokenText *text, guint i)
{
  HearthTokenCell cell;

  hearth_token_text_get_cell (text, i, &cell);
  return g_strndup (hearth_token_text_get_text (text, NULL) + cell.from, cell.to - cell.from);
}

/* ---- the same as the tool --------------------------------------------------------------- */

static void
compare (HearthTokenizer *tokenizer, const char *path, const char *text, gsize size,
         HearthTokenizeFlags flags)
{
  const char *arguments[7] = { "tokenize", "--json", path };
  guint n = 3;
  gboolean fine;
  g_autofree char *printed = NULL;
  g_autoptr (GArray) wanted = NULL;
  g_autoptr (HearthTokenText) tokens = tokenize (tokenizer, text, size, flags);
  guint n_ids;
  const gint32 *ids = hearth_token_text_get_ids (tokens, &n_ids);

  if (flags.add_special)
    arguments[n++] = "--bos";
  if (flags.parse_special)
    arguments[n++] = "--special";
  printed = text_test_run_tool (arguments, text, size, &fine);
  g_assert_true (fine);
  wanted = text_test_parse_ids (printed);
  if (n_ids != wanted->len || (n_ids > 0 && memcmp (ids, wanted->data, n_ids * sizeof *ids) != 0))
    g_test_fail_printf ("%s: %u ids for “%.40s”, the tool has %u others", path, n_ids, text,
                        wanted->len);
  g_assert_cmpuint (hearth_token_text_get_n_cells (tokens), ==, n_ids);
}

static void
test_tool (void)
{
  static const struct
  {
    const char *text;
    gsize size;
  } texts[] = {
    { "", 0 },
    { "Hello, world!\n\nIt's  42°.", 26 },
    { "\t\ttabs and\r\nlines ", 18 },
    { "<s>[INST] <|im_start|>user<start_of_turn></s>", 45 },
    { "naïve 日本語 Привет 😀👩‍💻", 43 },
    { "bad \xF0\x9F\x98 bytes \xFF\x00 end", 20 },
  };
  g_autoptr (GPtrArray) files = text_test_list_files ();

  for (guint f = 0; f < files->len; f++)
    {
      const char *path = g_ptr_array_index (files, f);
      g_autoptr (HearthModelText) text = text_test_read (path);
      HearthTokenizer *tokenizer = hearth_model_text_get_tokenizer (text);

      g_assert_nonnull (tokenizer);
      for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
        {
          for (guint flags = 0; flags < 4; flags += 3)
            compare (tokenizer, path, texts[i].text, texts[i].size,
                     (HearthTokenizeFlags) { .add_special = flags & 1,
                                             .parse_special = (flags & 2) != 0 });
        }
    }
}

/* ---- cells and lines -------------------------------------------------------------------- */

static void
test_visible (void)
{
  g_autofree char *shown = hearth_visible_dup ("a b\n\t\x1b\xF0\x9Fü\xE2\x80\x8B\0", 14);
  g_autoptr (GString) text = g_string_new (NULL);

  g_assert_cmpstr (shown, ==, "a·b⏎⇥␛\\xF0\\x9Fü\\u200B\\x00");
  g_assert_false (hearth_visible_append (text, "a b\n", 4));
  g_assert_cmpstr (text->str, ==, "a b\n");
  g_assert_true (hearth_visible_append (text, "\xE2\x80\xAE", 3)); /* turns all that follows */
  g_assert_cmpstr (text->str, ==, "a b\n\\u202E");
}

static void
test_cells (void)
{
  g_autoptr (HearthModelText) text = text_test_read (core_test_path);
  HearthTokenizer *tokenizer = hearth_model_text_get_tokenizer (text);
  static const char source[] = "Hi there 🫠\n";
  const HearthTokenizeFlags plain = { 0 };
  const HearthTokenizeFlags parse = { .parse_special = TRUE };
  g_autoptr (HearthTokenText) tokens = tokenize (tokenizer, source, strlen (source), plain);
  g_autoptr (HearthTokenText) special = tokenize (tokenizer, "<|im_start|>a", 13, parse);
  g_autoptr (HearthTokenText) aligned = NULL;
  g_autofree char *first = cell_text (tokens, 0);
  g_autofree char *second = cell_text (tokens, 1);
  g_autofree char *bytes = cell_text (tokens, 3);
  g_autofree char *ids = hearth_token_text_dup_ids (special);
  g_autofree char *emoji = NULL;
  gsize n_bytes, n_characters, n_words;
  HearthTokenCell cell;
  guint n;
  const gint32 *all = hearth_token_text_get_ids (tokens, &n);

  g_assert_cmpstr (first, ==, "Hi");
  g_assert_cmpstr (second, ==, " there");
  g_assert_true (g_str_has_prefix (bytes, "\\x"));
  hearth_token_text_get_cell (tokens, 3, &cell);
  g_assert_cmpint (cell.flags, ==, HEARTH_CELL_ESCAPED);
  g_assert_cmpuint (hearth_token_text_find_cell (tokens, cell.from), ==, 3);
  g_assert_cmpuint (hearth_token_text_find_cell (tokens, cell.to - 1), ==, 3);
  g_assert_cmpuint (hearth_token_text_find_cell (tokens, 99999), ==,
                    hearth_token_text_get_n_cells (tokens) - 1);
  hearth_token_text_get_counts (tokens, &n_bytes, &n_characters, &n_words);
  g_assert_cmpuint (n_bytes, ==, 14);
  g_assert_cmpuint (n_characters, ==, 11);
  g_assert_cmpuint (n_words, ==, 3);

  hearth_token_text_get_cell (special, 0, &cell);
  g_assert_cmpint (cell.flags, ==, HEARTH_CELL_SPECIAL);
  g_assert_cmpstr (ids, ==, "1, 81");

  /* The text itself: the emoji is one cell of several tokens, and nothing is lost. */
  aligned = hearth_token_text_new_aligned (tokenizer, all, n, source, strlen (source));
  g_assert_true (hearth_token_text_has_borders (aligned));
  g_assert_cmpstr (hearth_token_text_get_text (aligned, NULL), ==, source);
  hearth_token_text_get_cell (aligned, 2, &cell);
  emoji = cell_text (aligned, 2);
  g_assert_true (g_str_has_suffix (emoji, "🫠"));
  g_assert_cmpuint (cell.n, >, 1);
  g_assert_cmpuint (cell.first, ==, 2);
  hearth_token_text_get_cell (aligned, hearth_token_text_get_n_cells (aligned) - 1, &cell);
  g_assert_cmpuint (cell.first + cell.n, ==, n);
}

/* The borders of every vocabulary's tokens give the text, or it is said that there are none. */
static void
test_aligned (void)
{
  static const char source[] = "The Rain, in Spain…\n\n  is 12345 ÄÖÜ 日本 😀.  ";
  g_autoptr (GPtrArray) files = text_test_list_files ();
  guint n_borders = 0;

  for (guint f = 0; f < files->len; f++)
    {
      const char *path = g_ptr_array_index (files, f);
      g_autoptr (HearthModelText) text = text_test_read (path);
      HearthTokenizer *tokenizer = hearth_model_text_get_tokenizer (text);
      g_autoptr (HearthTokenText) tokens = tokenize (tokenizer, source, strlen (source),
                                                     (HearthTokenizeFlags) { .add_special = TRUE });
      guint n, at = 0;
      const gint32 *ids = hearth_token_text_get_ids (tokens, &n);
      g_autoptr (HearthTokenText) aligned =
        hearth_token_text_new_aligned (tokenizer, ids, n, source, strlen (source));
      gboolean borders = hearth_token_text_has_borders (aligned);
      gboolean bert = strstr (path, "bert") != NULL;

      g_assert_true (g_str_has_suffix (hearth_token_text_get_text (aligned, NULL), source));
      g_assert_true (borders == !bert);
      n_borders += borders;
      for (guint i = 0; borders && i < hearth_token_text_get_n_cells (aligned); i++)
        {
          HearthTokenCell cell;

          hearth_token_text_get_cell (aligned, i, &cell);
          if (cell.flags & HEARTH_CELL_PLAIN)
            continue;
          g_assert_cmpuint (cell.first, ==, at);
          at += cell.n;
        }
      g_assert_cmpuint (at, ==, borders ? n : 0);
    }
  if (files->len > 0)
    g_assert_cmpuint (n_borders, >, 0);
}

static void
test_lines (void)
{
  static const char source[] = "one two three\n\n日本語日本語 averyverylongword";
  g_autoptr (HearthTokenText) text =
    hearth_token_text_new_aligned (NULL, NULL, 0, source, strlen (source));
  static const char *const wanted[] = { "one two ", "three\n",  "\n",       "日本語日",
                                        "本語 ",    "averyver", "ylongwor", "d" };
  g_autoptr (HearthTokenLines) lines = hearth_token_lines_new (text, 8);
  guint before = 0;

  g_assert_false (hearth_token_text_has_borders (text));
  g_assert_cmpuint (hearth_token_lines_get_n (lines), ==, G_N_ELEMENTS (wanted));
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      guint from, to;
      g_autofree char *line = NULL;

      hearth_token_lines_get (lines, i, &from, &to);
      line = g_strndup (hearth_token_text_get_text (text, NULL) + from, to - from);
      g_assert_cmpstr (line, ==, wanted[i]);
      g_assert_cmpuint (from, ==, before);
      g_assert_cmpuint (hearth_token_lines_find (lines, from), ==, i);
      g_assert_cmpuint (hearth_token_lines_find (lines, to - 1), ==, i);
      before = to;
    }
  g_assert_cmpuint (hearth_token_lines_width ('a'), ==, 1);
  g_assert_cmpuint (hearth_token_lines_width (0x65E5), ==, 2);
  g_assert_cmpuint (hearth_token_lines_width (0x301), ==, 0);
}

/* ---- long texts ------------------------------------------------------------------------- */

static void
test_long (void)
{
  g_autoptr (HearthModelText) text = text_test_read (core_test_path);
  HearthTokenizer *tokenizer = hearth_model_text_get_tokenizer (text);
  g_autoptr (GString) source = g_string_new (NULL);
  g_autoptr (HearthProgress) progress = hearth_progress_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GAsyncResult) other = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HearthTokenText) tokens = NULL;
  g_autoptr (HearthTokenLines) lines = NULL;
  guint n;

  for (guint i = 0; source->len < 1000 * 1000; i++)
    g_string_append_printf (source, "line %u of a text that is long\n", i);
  bytes = g_bytes_new (source->str, source->len);
  hearth_tokenizer_tokenize_async (tokenizer, bytes, (HearthTokenizeFlags) { 0 }, progress, NULL,
                                   core_test_result_cb, &result);
  core_test_wait (result != NULL);
  tokens = hearth_tokenizer_tokenize_finish (result, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (hearth_progress_get (progress), >, 0.9);
  hearth_token_text_get_ids (tokens, &n);
  g_assert_cmpuint (n, >, 200000);
  g_assert_cmpstr (hearth_token_text_get_text (tokens, NULL), ==, source->str);
  lines = hearth_token_lines_new (tokens, 80);
  g_assert_cmpuint (hearth_token_lines_get_n (lines), >, 20000);

  hearth_tokenizer_tokenize_async (tokenizer, bytes, (HearthTokenizeFlags) { 0 }, NULL, cancellable,
                                   core_test_result_cb, &other);
  g_cancellable_cancel (cancellable);
  core_test_wait (other != NULL);
  g_assert_null (hearth_tokenizer_tokenize_finish (other, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* ---- the list --------------------------------------------------------------------------- */

static void
query (HearthTokenList *list, const char *text, int kind, HearthTokenOrder order,
       gboolean descending)
{
  const HearthTokenQuery wish = {
    .text = text, .kind = kind, .order = order, .descending = descending
  };

  hearth_token_list_query (list, &wish);
  core_test_wait (!hearth_token_list_get_busy (list));
}

static int
id_at (HearthTokenList *list, guint position)
{
  g_autoptr (HearthToken) token = g_list_model_get_item (G_LIST_MODEL (list), position);

  return token != NULL ? hearth_token_get_id (token) : -1;
}

static guint
size_of (HearthTokenList *list)
{
  return g_list_model_get_n_items (G_LIST_MODEL (list));
}

static void
test_list (void)
{
  g_autoptr (HearthModelText) text = text_test_read (core_test_path);
  HearthTokenizer *tokenizer = hearth_model_text_get_tokenizer (text);
  g_autoptr (HearthTokenList) list = hearth_token_list_new ();
  guint n = hearth_tokenizer_get_n_tokens (tokenizer), sum = 0;
  const guint *counts;

  g_assert_cmpuint (size_of (list), ==, 0);
  hearth_token_list_set_tokenizer (list, tokenizer);
  g_assert_cmpuint (size_of (list), ==, 49152);
  g_assert_cmpuint (size_of (list), ==, n);
  g_assert_cmpint (id_at (list, 49151), ==, 49151);
  g_assert_cmpint (id_at (list, 49152), ==, -1);
  counts = hearth_token_list_get_counts (list);
  for (guint i = 0; i < HEARTH_TOKEN_N_KINDS; i++)
    sum += counts[i];
  g_assert_cmpuint (sum, ==, n);

  query (list, "im_start", -1, HEARTH_TOKEN_ORDER_ID, FALSE);
  g_assert_cmpuint (size_of (list), ==, 1);
  g_assert_cmpint (id_at (list, 0), ==, 1);
  query (list, "IM_START", -1, HEARTH_TOKEN_ORDER_ID, FALSE);
  g_assert_cmpuint (size_of (list), ==, 0);
  /* As it stands in a text, and as it is stored. */
  query (list, " gravity", -1, HEARTH_TOKEN_ORDER_ID, FALSE);
  g_assert_cmpuint (size_of (list), >=, 1);
  n = size_of (list);
  query (list, "Ġgravity", -1, HEARTH_TOKEN_ORDER_ID, FALSE);
  g_assert_cmpuint (size_of (list), ==, n);
  query (list, "31999", -1, HEARTH_TOKEN_ORDER_ID, FALSE);
  g_assert_cmpint (id_at (list, 0), ==, 31999);

  query (list, NULL, HEARTH_TOKEN_CONTROL, HEARTH_TOKEN_ORDER_ID, TRUE);
  g_assert_cmpuint (size_of (list), ==, counts[HEARTH_TOKEN_CONTROL]);
  g_assert_cmpint (id_at (list, 0), >, id_at (list, 1));
  query (list, NULL, -1, HEARTH_TOKEN_ORDER_PIECE, FALSE);
  g_assert_cmpuint (size_of (list), ==, 49152);
  {
    g_autofree char *a = hearth_tokenizer_dup_stored (tokenizer, id_at (list, 100));
    g_autofree char *b = hearth_tokenizer_dup_stored (tokenizer, id_at (list, 101));

    g_assert_cmpint (strcmp (a, b), <, 0);
  }

  /* The last of many questions counts. */
  for (guint i = 0; i < 50; i++)
    {
      g_autofree char *word = g_strdup_printf ("%u", i);
      const HearthTokenQuery wish = { .text = word, .kind = -1 };

      hearth_token_list_query (list, &wish);
    }
  query (list, "im_end", -1, HEARTH_TOKEN_ORDER_ID, FALSE);
  g_assert_cmpuint (size_of (list), ==, 1);
  g_assert_cmpint (id_at (list, 0), ==, 2);

  hearth_token_list_set_tokenizer (list, NULL);
  g_assert_cmpuint (size_of (list), ==, 0);
}

/* A list that nobody wants any more while it is searched. */
static void
test_list_ends (void)
{
  g_autoptr (HearthModelText) text = text_test_read (core_test_path);

  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (HearthTokenList) list = hearth_token_list_new ();
      const HearthTokenQuery wish = { .text = "a", .kind = -1 };

      hearth_token_list_set_tokenizer (list, hearth_model_text_get_tokenizer (text));
      hearth_token_list_query (list, &wish);
    }
  {
    g_autoptr (HearthModelText) other = hearth_model_text_new (core_test_path);

    g_assert_cmpint (hearth_model_text_get_state (other), ==, HEARTH_MODEL_TEXT_LOADING);
  }
}

static char *
export_list (HearthTokenList *list, HearthTableFormat format)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;

  hearth_token_list_export_async (list, format, NULL, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  bytes = hearth_token_list_export_finish (result, &error);
  g_assert_no_error (error);
  return g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static void
test_export (void)
{
  g_autoptr (HearthModelText) text = text_test_read (core_test_path);
  g_autoptr (HearthTokenList) list = hearth_token_list_new ();
  g_autofree char *csv = NULL;
  g_autofree char *json = NULL;
  g_autofree char *all = NULL;
  guint n_lines = 0;

  hearth_token_list_set_tokenizer (list, hearth_model_text_get_tokenizer (text));
  query (list, " gravity", -1, HEARTH_TOKEN_ORDER_ID, FALSE);
  csv = export_list (list, HEARTH_TABLE_CSV);
  g_assert_true (g_str_has_prefix (csv, "id,piece,type,score,bytes\n"));
  g_assert_nonnull (strstr (csv, ",Ġgravity,normal,,2067726176697479\n"));
  json = export_list (list, HEARTH_TABLE_JSON);
  g_assert_nonnull (strstr (
    json, "\"piece\": \"Ġgravity\", \"type\": \"normal\", \"score\": null, \"bytes\": \"20"));
  query (list, NULL, -1, HEARTH_TOKEN_ORDER_ID, FALSE);
  all = export_list (list, HEARTH_TABLE_JSON);
  for (const char *at = all; *at != '\0'; at++)
    n_lines += *at == '\n';
  g_assert_cmpuint (n_lines, ==, 49152 + 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tokenizer/visible", test_visible);
  g_test_add_func ("/tokenizer/tool", test_tool);
  core_test_add ("/tokenizer/cells", test_cells);
  g_test_add_func ("/tokenizer/aligned", test_aligned);
  g_test_add_func ("/tokenizer/lines", test_lines);
  core_test_add ("/tokenizer/long", test_long);
  core_test_add ("/tokenizer/list", test_list);
  core_test_add ("/tokenizer/list-ends", test_list_ends);
  core_test_add ("/tokenizer/export", test_export);
  return g_test_run ();
}
