/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The flow of tokens with a megabyte of text and the table with a whole vocabulary, in a real
 * window: however they are scrolled, moved through and searched, few lines and rows exist, and
 * frames go on. And what a view does once its file has been read, if somebody still looks at it. */
#include <adwaita.h>

#include "hearth-file-map.h"
#include "hearth-model-text.h"
#include "hearth-region-table.h"
#include "hearth-token-flow.h"
#include "hearth-token-table.h"
#include "hearth-tokenizer-view.h"
#include "window-test.h"

#define MOST_LINES 120u
#define MOST_ROWS 300u

static const char *path;
static HearthModelText *text;
static GtkWindow *window;
static HearthTokenFlow *flow;
static HearthTokenTable *table;
static guint most_lines, most_rows;

static void
look (void)
{
  if (flow != NULL)
    most_lines = MAX (most_lines, hearth_token_flow_get_n_realized (flow));
  if (table != NULL)
    most_rows = MAX (most_rows, hearth_token_table_get_n_rows (table));
}

static void
tokenized_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  HearthTokenText **out = user_data;

  *out = hearth_tokenizer_tokenize_finish (result, &error);
  g_assert_no_error (error);
}

/* A megabyte, in lines and as one line, is broken on another thread and drawn by what is seen. */
static void
show_megabyte (gboolean one_line)
{
  HearthTokenizer *tokenizer = hearth_model_text_get_tokenizer (text);
  g_autoptr (GString) source = g_string_new (NULL);
  g_autoptr (GBytes) bytes = NULL;
  HearthTokenText *tokens = NULL;
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  GtkAdjustment *vertical;
  guint before, n;

  for (guint i = 0; source->len < 1000 * 1000; i++)
    g_string_append_printf (source, "the %u. sentence of many%s", i, one_line ? " " : "\n");
  bytes = g_bytes_new (source->str, source->len);
  flow = g_object_new (HEARTH_TYPE_TOKEN_FLOW, NULL);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (flow));
  window = window_test_open (scrolled, 700, 500, look);
  before = window_test_n_frames;
  hearth_tokenizer_tokenize_async (tokenizer, bytes, (HearthTokenizeFlags) { 0 }, NULL, NULL,
                                   tokenized_cb, &tokens);
  core_test_wait (tokens != NULL);
  hearth_token_flow_set_text (flow, tokens);
  core_test_wait (hearth_token_flow_get_n_lines (flow) > 10000);
  g_assert_cmpuint (window_test_n_frames, >, before);
  window_test_wait_frames (2);
  g_assert_cmpuint (hearth_token_flow_get_n_realized (flow), >, 5);

  vertical = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled));
  for (guint i = 0; i < 60; i++)
    {
      gtk_adjustment_set_value (vertical, gtk_adjustment_get_upper (vertical) * i / 59);
      window_test_wait_frames (1);
    }
  /* A window of another width. */
  before = hearth_token_flow_get_n_lines (flow);
  gtk_window_set_default_size (window, 420, 500);
  core_test_wait (hearth_token_flow_get_n_lines (flow) > before || !one_line);
  window_test_wait_frames (3);
  n = hearth_token_flow_get_n_lines (flow);
  g_test_message ("at most %u of %u lines of a megabyte were laid out", most_lines, n);
  g_print ("# at most %u of %u lines of a megabyte\n", most_lines, n);
  g_assert_cmpuint (most_lines, >, 0);
  g_assert_cmpuint (most_lines, <=, MOST_LINES);
  flow = NULL;
  gtk_window_destroy (window);
  hearth_token_text_unref (tokens);
}

static void
test_lines (void)
{
  show_megabyte (FALSE);
}

static void
test_one_line (void)
{
  show_megabyte (TRUE);
}

/* Texts that follow each other quickly; the flow goes while lines are being broken. */
static void
test_quick (void)
{
  HearthTokenizer *tokenizer = hearth_model_text_get_tokenizer (text);
  g_autoptr (GString) source = g_string_new (NULL);
  g_autoptr (GBytes) bytes = NULL;
  HearthTokenText *tokens = NULL;
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  while (source->len < 600 * 1000)
    g_string_append (source, "again and again ");
  bytes = g_string_free_to_bytes (g_steal_pointer (&source));
  hearth_tokenizer_tokenize_async (tokenizer, bytes, (HearthTokenizeFlags) { 0 }, NULL, NULL,
                                   tokenized_cb, &tokens);
  core_test_wait (tokens != NULL);
  flow = g_object_new (HEARTH_TYPE_TOKEN_FLOW, NULL);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (flow));
  window = window_test_open (scrolled, 700, 500, look);
  for (guint i = 0; i < 20; i++)
    {
      hearth_token_flow_set_text (flow, i % 2 == 0 ? tokens : NULL);
      if (i % 5 == 0)
        window_test_wait_frames (1);
    }
  hearth_token_flow_set_text (flow, tokens);
  core_test_wait (hearth_token_flow_get_n_lines (flow) > 1000);
  hearth_token_flow_set_text (flow, NULL);
  g_assert_cmpuint (hearth_token_flow_get_n_lines (flow), ==, 0);
  hearth_token_flow_set_text (flow, tokens);
  flow = NULL;
  gtk_window_destroy (window);
  hearth_token_text_unref (tokens);
}

static void
test_table (void)
{
  HearthTokenizer *tokenizer = hearth_model_text_get_tokenizer (text);
  guint n = hearth_tokenizer_get_n_tokens (tokenizer), before;
  GtkWidget *entry, *scrolled;
  GtkAdjustment *vertical;

  table = g_object_new (HEARTH_TYPE_TOKEN_TABLE, NULL);
  window = window_test_open (GTK_WIDGET (table), 700, 500, look);
  hearth_token_table_set_tokenizer (table, tokenizer, "model");
  window_test_wait_frames (3);
  scrolled = window_test_find (GTK_WIDGET (table), GTK_TYPE_SCROLLED_WINDOW);
  vertical = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled));
  for (guint i = 0; i < 60; i++)
    {
      gtk_adjustment_set_value (vertical, gtk_adjustment_get_upper (vertical) * i / 59);
      window_test_wait_frames (1);
    }
  entry = window_test_find (GTK_WIDGET (table), GTK_TYPE_SEARCH_ENTRY);
  before = window_test_n_frames;
  gtk_editable_set_text (GTK_EDITABLE (entry), "the");
  window_test_wait_frames (12);
  gtk_editable_set_text (GTK_EDITABLE (entry), "");
  window_test_wait_frames (12);
  g_assert_cmpuint (window_test_n_frames, >, before);
  g_print ("# at most %u rows of %u tokens\n", most_rows, n);
  g_assert_cmpuint (most_rows, >, 5);
  g_assert_cmpuint (most_rows, <=, MOST_ROWS);
  table = NULL;
  gtk_window_destroy (window);
}

/* ---- leaving while a file is read ------------------------------------------------------- */

/* A view beside a button, looked at; it hears that it is left as it does on the page of a model. */
static GtkWidget *
open_beside (GtkWidget *view)
{
  GtkWidget *stack = gtk_stack_new ();
  GtkWidget *button = gtk_button_new_with_label ("elsewhere");

  g_signal_connect (view, "unmap", G_CALLBACK (hearth_model_view_left), NULL);
  gtk_stack_add_named (GTK_STACK (stack), view, "view");
  gtk_stack_add_named (GTK_STACK (stack), button, "elsewhere");
  window = window_test_open (stack, 700, 500, NULL);
  return stack;
}

static void
leave (GtkWidget *stack)
{
  gtk_stack_set_visible_child_name (GTK_STACK (stack), "elsewhere");
  gtk_widget_grab_focus (gtk_stack_get_visible_child (GTK_STACK (stack)));
}

static gboolean
is_in (GtkWidget *widget, GtkWidget *area)
{
  return widget != NULL && gtk_widget_is_ancestor (widget, area);
}

/* A search that was asked for while the vocabulary is read gets the keyboard, unless one has left.
 */
static void
test_search_later (gconstpointer data)
{
  gboolean leaves = GPOINTER_TO_INT (data);
  g_autoptr (HearthModelFile) model = hearth_model_file_new (path);
  HearthModelView *view = g_object_new (HEARTH_TYPE_TOKENIZER_VIEW, NULL);
  g_autoptr (HearthModelText) read = NULL;
  GtkWidget *stack = open_beside (GTK_WIDGET (view));

  hearth_model_view_show_model (view, model);
  read = hearth_model_text_get (model);
  g_assert_cmpint (hearth_model_text_get_state (read), ==, HEARTH_MODEL_TEXT_LOADING);
  g_assert_true (hearth_model_view_find (view));
  if (leaves)
    leave (stack);
  core_test_wait (hearth_model_text_get_state (read) != HEARTH_MODEL_TEXT_LOADING);
  /* The view has heard of it by now: it is told of the state as it changes. */
  if (leaves)
    g_assert_true (gtk_window_get_focus (window) ==
                   gtk_stack_get_visible_child (GTK_STACK (stack)));
  else
    core_test_wait (is_in (gtk_window_get_focus (window), GTK_WIDGET (view)));
  gtk_window_destroy (window);
}

static void
contents_read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  HearthModelContents **out = user_data;

  *out = hearth_model_contents_read_finish (result, &error);
  g_assert_no_error (error);
}

/* The same with the bytes of a key. */
static void
test_bytes_later (gconstpointer data)
{
  gboolean leaves = GPOINTER_TO_INT (data);
  g_autoptr (HearthModelContents) contents = NULL;
  GtkWidget *view = hearth_file_map_new ();
  HearthRegionTable *regions =
    HEARTH_REGION_TABLE (window_test_find (view, HEARTH_TYPE_REGION_TABLE));
  GtkWidget *pages = window_test_find (view, ADW_TYPE_NAVIGATION_VIEW);
  GtkWidget *stack = open_beside (view);

  hearth_model_contents_read_async (path, NULL, contents_read_cb, &contents);
  core_test_wait (contents != NULL);
  hearth_model_view_show_contents (HEARTH_MODEL_VIEW (view), contents);
  hearth_file_map_show_bytes_of (HEARTH_FILE_MAP (view), "general.architecture");
  if (leaves)
    leave (stack);
  core_test_wait (g_list_model_get_n_items (hearth_region_table_get_shown (regions)) > 0);
  /* What fills the table goes to the bytes, too. */
  g_assert_cmpint (
    g_strcmp0 (adw_navigation_view_get_visible_page_tag (ADW_NAVIGATION_VIEW (pages)), "map") == 0,
    ==, leaves);
  gtk_window_destroy (window);
}

int
main (int argc, char **argv)
{
  int status;

  gtk_test_init (&argc, &argv, NULL);
  adw_init ();
  path = argc > 1 ? argv[1] : NULL;
  if (path == NULL)
    g_error ("a model file is missing");
  text = hearth_model_text_new (path);
  core_test_wait (hearth_model_text_get_state (text) != HEARTH_MODEL_TEXT_LOADING);
  g_assert_nonnull (hearth_model_text_get_tokenizer (text));
  g_test_add_func ("/token-flow/lines", test_lines);
  g_test_add_func ("/token-flow/one-line", test_one_line);
  g_test_add_func ("/token-flow/quick", test_quick);
  g_test_add_func ("/token-table/rows", test_table);
  g_test_add_data_func ("/later/search", GINT_TO_POINTER (FALSE), test_search_later);
  g_test_add_data_func ("/later/search-left", GINT_TO_POINTER (TRUE), test_search_later);
  g_test_add_data_func ("/later/bytes", GINT_TO_POINTER (FALSE), test_bytes_later);
  g_test_add_data_func ("/later/bytes-left", GINT_TO_POINTER (TRUE), test_bytes_later);
  status = g_test_run ();
  g_clear_object (&text);
  return status;
}
