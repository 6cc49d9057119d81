/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core-test.h"
#include "hearth-message-tree.h"

static HearthMessage *
add (HearthMessageTree *tree, HearthMessage *parent, HearthMessageRole role, const char *text,
     guint changed_from)
{
  g_autoptr (HearthMessage) message = hearth_message_new (role, text);

  g_assert_cmpuint (hearth_message_tree_add (tree, parent, message), ==, changed_from);
  return message; /* the tree keeps it */
}

/* The texts of the path, joined. */
static char *
path_text (HearthMessageTree *tree)
{
  const GPtrArray *path = hearth_message_tree_get_path (tree);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < path->len; i++)
    g_string_append (text, hearth_message_get_text (path->pdata[i]));
  return g_string_free (text, FALSE);
}

#define assert_path(TREE, TEXT)                                                                    \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_autofree char *assert_path_text = path_text (TREE);                                          \
    g_assert_cmpstr (assert_path_text, ==, TEXT);                                                  \
  }                                                                                                \
  G_STMT_END

static void
test_versions (void)
{
  g_autoptr (HearthMessageTree) tree = hearth_message_tree_new ();
  HearthMessage *a, *b, *c, *d, *e;

  assert_path (tree, "");
  a = add (tree, NULL, HEARTH_MESSAGE_QUESTION, "a", 0);
  b = add (tree, a, HEARTH_MESSAGE_ANSWER, "b", 1);
  c = add (tree, a, HEARTH_MESSAGE_ANSWER, "c", 1);
  assert_path (tree, "ac");
  d = add (tree, c, HEARTH_MESSAGE_QUESTION, "d", 2);
  assert_path (tree, "acd");
  g_assert_cmpuint (hearth_message_get_id (a), ==, 1);
  g_assert_cmpuint (hearth_message_get_id (d), ==, 4);
  g_assert_cmpuint (hearth_message_get_n_versions (b), ==, 2);
  g_assert_cmpuint (hearth_message_get_version (b), ==, 0);
  g_assert_cmpuint (hearth_message_get_version (c), ==, 1);
  g_assert_cmpuint (hearth_message_get_n_versions (d), ==, 1);

  g_assert_cmpuint (hearth_message_tree_choose (tree, c, 0), ==, 1);
  assert_path (tree, "ab");
  g_assert_false (hearth_message_tree_is_chosen (tree, c));
  g_assert_cmpuint (hearth_message_tree_choose (tree, b, 1), ==, 1);
  assert_path (tree, "acd");

  e = add (tree, NULL, HEARTH_MESSAGE_QUESTION, "e", 0);
  assert_path (tree, "e");
  g_assert_null (hearth_message_tree_get_parent (tree, e));
  g_assert_true (hearth_message_tree_get_parent (tree, d) == c);
  g_assert_true (hearth_message_tree_get_version (tree, e, 0) == a);
  g_assert_null (hearth_message_tree_get_version (tree, e, 2));
  g_assert_cmpuint (hearth_message_tree_choose (tree, e, 0), ==, 0);
  assert_path (tree, "acd");
  g_assert_cmpuint (hearth_message_tree_get_n_messages (tree), ==, 5);
}

static void
test_restore (void)
{
  const HearthFigures figures = { .n_generated = 7, .decode_s = 2 };
  const HearthMessageRecord records[] = {
    { .id = 1, .role = HEARTH_MESSAGE_QUESTION, .state = HEARTH_MESSAGE_DONE, .text = "a" },
    { .id = 3,
      .parent = 1,
      .role = HEARTH_MESSAGE_ANSWER,
      .state = HEARTH_MESSAGE_DONE,
      .chosen = TRUE,
      .text = "b",
      .created = 12,
      .model_title = "M",
      .figures = &figures },
    { .id = 4,
      .parent = 1,
      .role = HEARTH_MESSAGE_ANSWER,
      .state = HEARTH_MESSAGE_ANSWERING,
      .text = "c" },
    /* What a damaged store may hold: no such parent, twice the same, its own parent, no id. */
    { .id = 9,
      .parent = 8,
      .role = HEARTH_MESSAGE_QUESTION,
      .state = HEARTH_MESSAGE_DONE,
      .text = "lost" },
    { .id = 9, .parent = 1, .role = HEARTH_MESSAGE_QUESTION, .text = "twice" },
    { .id = 11, .parent = 11, .role = HEARTH_MESSAGE_QUESTION, .text = "itself" },
    { .id = 0, .parent = 1, .role = HEARTH_MESSAGE_QUESTION, .text = "nobody" },
    { .id = G_MAXUINT, .parent = 1, .role = HEARTH_MESSAGE_QUESTION, .text = "last" },
  };
  g_autoptr (HearthMessageTree) tree = hearth_message_tree_new ();
  HearthMessage *answer;

  hearth_message_tree_restore (tree, records, G_N_ELEMENTS (records));
  g_assert_cmpuint (hearth_message_tree_get_n_messages (tree), ==, 5);
  assert_path (tree, "ab");
  answer = hearth_message_tree_get_path (tree)->pdata[1];
  g_assert_cmpint (hearth_message_get_created (answer), ==, 12);
  g_assert_cmpstr (hearth_message_get_model_title (answer), ==, "M");
  g_assert_cmpuint (hearth_message_get_figures (answer)->n_generated, ==, 7);
  g_assert_cmpint (hearth_message_get_state (answer), ==, HEARTH_MESSAGE_DONE);
  g_assert_cmpint (hearth_message_get_state (hearth_message_tree_get_version (tree, answer, 1)), ==,
                   HEARTH_MESSAGE_STOPPED);

  /* New ones get ids that nobody had. */
  answer = add (tree, answer, HEARTH_MESSAGE_QUESTION, "d", 2);
  g_assert_cmpuint (hearth_message_get_id (answer), ==, 12);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/message-tree/versions", test_versions);
  g_test_add_func ("/message-tree/restore", test_restore);
  return g_test_run ();
}
