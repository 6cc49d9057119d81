/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include <glib.h>

#include "hearth-markdown-parse.h"
#include "hearth-markdown.h"

/* ---- blocks as text --------------------------------------------------------------------- */

static void
write_text (GString *out, const HearthMarkdownText *text)
{
  guint done = 0;

  for (guint i = 0; i < text->spans->len; i++)
    {
      const HearthMarkdownSpan *span = &g_array_index (text->spans, HearthMarkdownSpan, i);

      g_assert_cmpuint (span->start, >=, done);
      g_assert_cmpuint (span->end, >, span->start);
      g_assert_cmpuint (span->end, <=, text->string->len);
      g_string_append_len (out, text->string->str + done, span->start - done);
      g_string_append_printf (out, "<%s%s%s%s%s%s|%.*s>",
                              span->style & HEARTH_MARKDOWN_BOLD ? "b" : "",
                              span->style & HEARTH_MARKDOWN_ITALIC ? "i" : "",
                              span->style & HEARTH_MARKDOWN_MONOSPACE ? "m" : "",
                              span->style & HEARTH_MARKDOWN_STRIKE ? "s" : "",
                              span->link != NULL ? "@" : "", span->link != NULL ? span->link : "",
                              (int) (span->end - span->start), text->string->str + span->start);
      done = span->end;
    }
  g_string_append (out, text->string->str + done);
  g_assert_true (g_utf8_validate (text->string->str, (gssize) text->string->len, NULL));
}

static void
write_block (GString *out, const HearthMarkdownBlock *block, guint depth)
{
  static const char *const names[] = { "p", "h", "code", "item", "quote", "table", "rule" };
  static const char *const tasks[] = { "", " [ ]", " [x]" };

  g_assert_cmpuint (depth, <=, 13);
  g_string_append_printf (out, "%*s%s", (int) depth * 2, "", names[block->kind]);
  if (block->kind == HEARTH_MARKDOWN_HEADING)
    g_string_append_printf (out, "%u", block->level);
  if (block->ordered)
    g_string_append_printf (out, " %u.", block->ordinal);
  g_string_append (out, tasks[block->task]);
  if (block->language != NULL)
    g_string_append_printf (out, " (%s)", block->language);
  if (block->continues)
    g_string_append (out, " …");
  if (block->text != NULL)
    {
      g_string_append (out, ": ");
      write_text (out, block->text);
    }
  g_string_append_c (out, '\n');
  for (guint i = 0; block->children != NULL && i < block->children->len; i++)
    write_block (out, block->children->pdata[i], depth + 1);
  for (guint i = 0; block->rows != NULL && i < block->rows->len; i++)
    {
      const GPtrArray *row = block->rows->pdata[i];

      g_string_append_printf (out, "%*s", (int) depth * 2 + 2, "");
      for (guint k = 0; k < row->len; k++)
        {
          static const char *const aligns[] = { "", "^", ">" };

          g_string_append (out, aligns[g_array_index (block->aligns, HearthMarkdownAlign, k)]);
          write_text (out, row->pdata[k]);
          g_string_append_c (out, ';');
        }
      g_string_append_c (out, '\n');
    }
}

static char *
written (HearthMarkdown *markdown)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < hearth_markdown_get_n_blocks (markdown); i++)
    write_block (out, hearth_markdown_get_block (markdown, i), 0);
  return g_string_free (out, FALSE);
}

static char *
at_once (const char *source)
{
  g_autoptr (HearthMarkdown) markdown = hearth_markdown_new ();

  hearth_markdown_append (markdown, source);
  hearth_markdown_finish (markdown);
  return written (markdown);
}

/* In pieces that end anywhere between characters; what was finished stays the same object. */
static char *
in_pieces (const char *source, GRand *rand)
{
  g_autoptr (HearthMarkdown) markdown = hearth_markdown_new ();
  g_autoptr (GPtrArray) finished = g_ptr_array_new ();

  while (*source != '\0')
    {
      const char *end = source;
      g_autofree char *piece = NULL;
      guint first;

      for (int n = g_rand_int_range (rand, 1, 12); n > 0 && *end != '\0'; n--)
        end = g_utf8_next_char (end);
      piece = g_strndup (source, (gsize) (end - source));
      first = hearth_markdown_append (markdown, piece);
      g_assert_cmpuint (first, ==, finished->len);
      for (guint i = 0; i < hearth_markdown_get_n_finished (markdown); i++)
        {
          if (i < finished->len)
            g_assert_true (finished->pdata[i] == hearth_markdown_get_block (markdown, i));
          else
            g_ptr_array_add (finished, hearth_markdown_get_block (markdown, i));
        }
      source = end;
    }
  hearth_markdown_finish (markdown);
  return written (markdown);
}

/* The whole source by the parser alone, without any cut. */
static char *
uncut (const char *source)
{
  g_autoptr (GPtrArray) blocks =
    g_ptr_array_new_with_free_func ((GDestroyNotify) hearth_markdown_block_unref);
  GString *out = g_string_new (NULL);

  hearth_markdown_parse (source, strlen (source), blocks);
  for (guint i = 0; i < blocks->len; i++)
    write_block (out, blocks->pdata[i], 0);
  return g_string_free (out, FALSE);
}

/* ---- what is what ----------------------------------------------------------------------- */

static const struct
{
  const char *source;
  const char *blocks;
} samples[] = {
  { "", "" },
  { "Hello.", "p: Hello.\n" },
  { "One\ntwo\n\nthree", "p: One\ntwo\np: three\n" },
  { "# A *b*\n## C ##\ntext", "h1: A <i|b>\nh2: C\np: text\n" },
  { "Title\n===\nSub\n---\n", "h1: Title\nh2: Sub\n" },
  { "**b** *i* ***bi*** `m` ~~s~~", "p: <b|b> <i|i> <bi|bi> <m|m> <s|s>\n" },
  { "[a **b**](https://x.org/?a=1&amp;b=2)",
    "p: <@https://x.org/?a=1&b=2|a ><b@https://x.org/?a=1&b=2|b>\n" },
  { "![a cat](https://x.org/c.png)", "p: <@https://x.org/c.png|a cat>\n" },
  { "![](https://x.org/c.png)", "p: <@https://x.org/c.png|https://x.org/c.png>\n" },
  { "See https://x.org/a.", "p: See <@https://x.org/a|https://x.org/a>.\n" },
  { "<b>bold</b> <script>x</script>", "p: <b>bold</b> <script>x</script>\n" },
  { "<div>\nraw\n</div>", "p: <div>\nraw\n</div>\n" },
  { "a &lt; b &#65; &unknown;", "p: a < b A &unknown;\n" },
  { "$a_1 * b_2 * c$ and $5", "p: $a_1 * b_2 * c$ and $5\n" },
  { "- a\n- b\n  - c\n\n    d\n- e", "item\n  p: a\nitem\n  p: b\n  item\n    p: c\n    p: d\n"
                                     "item\n  p: e\n" },
  { "3. a\n3. b\n\n7) c\n8) d",
    "item 3.\n  p: a\nitem 4.\n  p: b\nitem 7.\n  p: c\nitem 8.\n  p: d\n" },
  { "- [ ] open\n- [x] done\n- none",
    "item [ ]\n  p: open\nitem [x]\n  p: done\nitem\n  p: none\n" },
  { "> a\nlazy\n> > b\n\n> c", "quote\n  p: a\nlazy\n  quote\n    p: b\nquote\n  p: c\n" },
  { "```c\nint a;\n\n*b*\n```\nafter", "code (c): int a;\n\n*b*\np: after\n" },
  { "~~~\nopen\n```\n", "code: open\n```\n" },
  { "    indented\n\n    code\n\nafter", "code: indented\n\ncode\np: after\n" },
  { "a\n\n---\n\nb\n***", "p: a\nrule\np: b\nrule\n" },
  { "| a | b | c |\n|:--|:-:|--:|\n| 1 | `x|y` | **3** |\n| 4 |\n\nafter",
    "table\n  a;^b;>c;\n  1;^<m|x|y>;><b|3>;\n  4;\np: after\n" },
  { "1. a\n   ```sh\n   ls\n   ```\n2. b", "item 1.\n  p: a\n  code (sh): ls\nitem 2.\n  p: b\n" },
  { "text\n- a\n- b\n\nafter", "p: text\nitem\n  p: a\nitem\n  p: b\np: after\n" },
  { "text\n```\nx\n```\n# h\n", "p: text\ncode: x\nh1: h\n" },
};

static void
test_samples (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (gsize i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      g_autofree char *once = at_once (samples[i].source);
      g_autofree char *whole = uncut (samples[i].source);

      /* One difference is wanted: two lists that only a marker tells apart. */
      if (g_strcmp0 (once, samples[i].blocks) != 0)
        g_test_message ("source: %s", samples[i].source);
      g_assert_cmpstr (once, ==, samples[i].blocks);
      g_assert_cmpstr (whole, ==, samples[i].blocks);
      for (int k = 0; k < 20; k++)
        {
          g_autofree char *pieces = in_pieces (samples[i].source, rand);

          g_assert_cmpstr (pieces, ==, samples[i].blocks);
        }
    }
}

/* Random soup of lines that mean something: however it is cut into pieces, and whether or not there
 * are cuts at all, the blocks are the same. */
static void
test_soup (void)
{
  static const char *const lines[] = {
    "text",      "more **text**", "",       "",       "# head",   "- item",    "- item two",
    "  inner",   "    deep",      "1. one", "2. two", "   in it", "> quote",   "```",
    "```c",      "~~~",           "***",    "* star", "> - both", "| a | b |", "|---|---|",
    "| 1 | 2 |", "- [x] done",    "`code`", "+ plus", "10. ten",  "    code",
  };
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (int round = 0; round < 3000; round++)
    {
      g_autoptr (GString) source = g_string_new (NULL);
      g_autofree char *once = NULL;
      g_autofree char *pieces = NULL;

      for (int n = g_rand_int_range (rand, 1, 14); n > 0; n--)
        {
          g_string_append (source, lines[g_rand_int_range (rand, 0, G_N_ELEMENTS (lines))]);
          g_string_append_c (source, '\n');
        }
      once = at_once (source->str);
      pieces = in_pieces (source->str, rand);
      if (g_strcmp0 (once, pieces) != 0)
        g_test_message ("source:\n%s", source->str);
      g_assert_cmpstr (once, ==, pieces);
    }
}

static void
test_soup_uncut (void)
{
  static const char *const blocks[] = {
    "text\n\n",
    "more **text**\nin two lines\n\n",
    "# head\n",
    "## head\n\n",
    "- item\n- item two\n  - inner\n\n    deep\n\n- last\n\n",
    "1. one\n2. two\n\n   still two\n3. three\n\nno item\n\n",
    "> quote\n> more\n\n",
    "```\ncode\n\n- no item\n# no head\n```\n",
    "***\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
    "text\n```c\nint a;\n```\n",
    "Head\n===\n\n",
    "- [ ] a\n- [x] b\n\ntext\n\n",
  };
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);

  for (int round = 0; round < 1000; round++)
    {
      g_autoptr (GString) source = g_string_new (NULL);
      g_autofree char *once = NULL;
      g_autofree char *whole = NULL;

      for (int n = g_rand_int_range (rand, 1, 8); n > 0; n--)
        {
          /* A paragraph between, so that lists do not melt into each other. */
          g_string_append (source, blocks[g_rand_int_range (rand, 0, G_N_ELEMENTS (blocks))]);
          g_string_append (source, "between\n\n");
        }
      once = at_once (source->str);
      whole = uncut (source->str);
      if (g_strcmp0 (once, whole) != 0)
        g_test_message ("source:\n%s", source->str);
      g_assert_cmpstr (once, ==, whole);
    }
}

/* ---- what growing costs ----------------------------------------------------------------- */

static void
test_long (void)
{
  g_autoptr (HearthMarkdown) markdown = hearth_markdown_new ();
  g_autoptr (GPtrArray) seen = g_ptr_array_new ();
  gsize size = 0;
  guint changed_again = 0;

  /* 7,500 lines of every kind, a word at a time. */
  for (int i = 0; i < 500; i++)
    {
      g_autofree char *section = g_strdup_printf (
        "## Section %d\n\nA paragraph with **bold** words.\nAnd a second line.\n\n"
        "- first\n- second\n  - inner\n\n```c\nint a = %d;\n```\n\n| a | b |\n|--|--|\n| %d | 2 "
        "|\n\n",
        i, i, i);
      g_auto (GStrv) words = g_strsplit (section, " ", -1);

      for (char **word = words; *word != NULL; word++)
        {
          g_autofree char *piece = g_strconcat (*word, word[1] != NULL ? " " : "", NULL);
          guint first = hearth_markdown_append (markdown, piece);

          size += strlen (piece);
          for (guint k = first; k < seen->len; k++)
            changed_again++;
          while (seen->len < hearth_markdown_get_n_finished (markdown))
            g_ptr_array_add (seen, hearth_markdown_get_block (markdown, seen->len));
        }
    }
  g_assert_cmpuint (changed_again, ==, 0);
  for (guint i = 0; i < seen->len; i++)
    g_assert_true (seen->pdata[i] == hearth_markdown_get_block (markdown, i));
  g_assert_cmpuint (seen->len, ==, 2999);
  /* Each block is parsed once a word while it is open, never after: far from size². */
  g_test_message ("%zu bytes, %" G_GUINT64_FORMAT " parsed", size,
                  hearth_markdown_get_n_parsed (markdown));
  g_assert_cmpuint (hearth_markdown_get_n_parsed (markdown), <, size * 20);
}

/* A list of thousands of items is finished item by item. */
static void
test_long_list (void)
{
  g_autoptr (HearthMarkdown) markdown = hearth_markdown_new ();

  for (int i = 1; i <= 3000; i++)
    {
      g_autofree char *item = g_strdup_printf ("%d. item\n", i);

      hearth_markdown_append (markdown, item);
    }
  g_assert_cmpuint (hearth_markdown_get_n_blocks (markdown), ==, 3000);
  g_assert_cmpuint (hearth_markdown_get_n_finished (markdown), ==, 2999);
  g_assert_cmpuint (hearth_markdown_get_block (markdown, 2999)->ordinal, ==, 3000);
}

/* While it grows, a mark waits for its partner unseen. */
static void
test_growing_marks (void)
{
  static const char *const pairs[][2] = {
    { "A **bo", "p: A <b|bo>\n" },
    { "A **bold*", "p: A <b|bold>\n" },
    { "A **", "p: A\n" },
    { "A `co", "p: A <m|co>\n" },
    { "A *it", "p: A <i|it>\n" },
    { "A **b** c", "p: A <b|b> c\n" },
    { "- **Key", "item\n  p: <b|Key>\n" },
    { "2 * 3", "p: 2 * 3\n" },
    { "```\na **b", "code: a **b\n" },
    { "x **b `c", "p: x <b|b ><bm|c>\n" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autoptr (HearthMarkdown) markdown = hearth_markdown_new ();
      g_autofree char *growing = NULL;

      hearth_markdown_append (markdown, pairs[i][0]);
      growing = written (markdown);
      g_assert_cmpstr (growing, ==, pairs[i][1]);
    }
  {
    g_autofree char *done = at_once ("A **bo");

    g_assert_cmpstr (done, ==, "p: A **bo\n");
  }
}

/* ---- hostile text ----------------------------------------------------------------------- */

static char *
repeated (const char *text, gsize n)
{
  GString *out = g_string_sized_new (strlen (text) * n);

  while (n-- > 0)
    g_string_append (out, text);
  return g_string_free (out, FALSE);
}

static gsize
text_size (const HearthMarkdownBlock *block)
{
  gsize size = block->text != NULL ? block->text->string->len : 0;

  for (guint i = 0; block->children != NULL && i < block->children->len; i++)
    size += text_size (block->children->pdata[i]);
  return size;
}

/* Every one in pieces of 1,000 bytes, as it would come. The depth is checked by write_block(). */
static void
test_hostile (void)
{
  const struct
  {
    const char *what;
    const char *unit;
    gsize n;
    gsize least; /* bytes of text that must be seen */
  } cases[] = {
    { "one line of 1 MB", "word ", 200000, 900000 },
    { "one word of 1 MB", "w", 1000000, 1000000 },
    { "wide characters", "字", 300000, 900000 },
    { "quotes in quotes", ">", 100000, 0 },
    { "lists in lists", "- ", 100000, 0 },
    { "brackets", "[", 100000, 90000 },
    { "images", "![", 50000, 90000 },
    { "emphasis", "*a_", 100000, 90000 },
    { "ticks", "`a", 100000, 90000 },
    { "code without an end", "```\nx\n", 100000, 50000 },
    { "bars", "|", 100000, 90000 },
    { "table of bars", "|a|b|\n|-|-|\n", 20000, 0 },
    { "entities", "&#0;", 50000, 100000 },
    { "links", "[a](<b>", 20000, 90000 },
    { "empty lines", "\n", 200000, 0 },
    { "returns", "\r\n\t \r", 50000, 0 },
    { "headings", "#", 100000, 90000 },
    { "indents", "    a\n", 50000, 40000 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *source = repeated (cases[i].unit, cases[i].n);
      gsize size = strlen (source);
      g_autoptr (HearthMarkdown) markdown = hearth_markdown_new ();
      g_autofree char *out = NULL;
      gint64 start = g_get_monotonic_time ();
      gsize shown = 0;

      for (gsize at = 0; at < size;)
        {
          gsize end = MIN (at + 999, size);
          g_autofree char *piece = NULL;

          while (((guchar) source[end] & 0xc0) == 0x80)
            end++;
          piece = g_strndup (source + at, end - at);
          hearth_markdown_append (markdown, piece);
          at = end;
        }
      hearth_markdown_finish (markdown);
      g_test_message ("%s: %" G_GINT64_FORMAT " ms, %u blocks, %" G_GUINT64_FORMAT " parsed",
                      cases[i].what, (g_get_monotonic_time () - start) / 1000,
                      hearth_markdown_get_n_blocks (markdown),
                      hearth_markdown_get_n_parsed (markdown));
      out = written (markdown);
      for (guint k = 0; k < hearth_markdown_get_n_blocks (markdown); k++)
        {
          const HearthMarkdownBlock *block = hearth_markdown_get_block (markdown, k);

          shown += text_size (block);
          if (block->kind == HEARTH_MARKDOWN_PARAGRAPH)
            g_assert_cmpuint (block->text->string->len, <=, 8192);
        }
      g_assert_cmpuint (shown, >=, cases[i].least);
      /* An append parses what is open, at most the limit. */
      g_assert_cmpuint (hearth_markdown_get_n_parsed (markdown), <=,
                        (size / 999 + 2) * (guint64) (256 * 1024 + 4096));
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/markdown/samples", test_samples);
  g_test_add_func ("/markdown/soup", test_soup);
  g_test_add_func ("/markdown/soup-uncut", test_soup_uncut);
  g_test_add_func ("/markdown/long", test_long);
  g_test_add_func ("/markdown/long-list", test_long_list);
  g_test_add_func ("/markdown/growing-marks", test_growing_marks);
  g_test_add_func ("/markdown/hostile", test_hostile);
  return g_test_run ();
}
