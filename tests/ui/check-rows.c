/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check-rows: proves by counters that what is finished is never laid out again while 5,000 lines
 * arrive, and that a chat of 2,000 messages is a few dozen widgets. Needs a display. */
#include <adwaita.h>
#include <stdlib.h>
#include <string.h>

#include "hearth-text-block.h"
#include "rows-scene.h"

#define N_LINES 5000

static int failed;
static int passed;

static void
check (gboolean condition, const char *what)
{
  if (condition)
    passed++;
  else
    {
      failed++;
      g_print ("FAILED %s\n", what);
    }
}

static GPtrArray *
text_blocks (GtkWidget *widget, GPtrArray *found)
{
  if (HEARTH_IS_TEXT_BLOCK (widget))
    g_ptr_array_add (found, widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    text_blocks (child, found);
  return found;
}

/* ---- what is finished stays ------------------------------------------------------------- */

static void
check_long_answer (HearthEngine *engine)
{
  struct scene scene;
  g_autoptr (HearthMessage) question = hearth_message_new (HEARTH_MESSAGE_QUESTION, "Go on.");
  g_autoptr (HearthMessage) answer = hearth_message_new (HEARTH_MESSAGE_ANSWER, "");
  g_autoptr (GHashTable) counts = g_hash_table_new (NULL, NULL);
  guint again = 0;
  guint n_finished = 0;
  guint before, after = 0;

  scene_open (&scene, engine);
  g_list_store_append (scene.messages, question);
  g_list_store_append (scene.messages, answer);
  for (int i = 0; i < N_LINES / SECTION_LINES; i++)
    {
      g_autofree char *text = scene_section (i);
      g_autoptr (GPtrArray) blocks = NULL;

      hearth_message_append (answer, text, strlen (text));
      scene_run_frames (&scene, 2);
      blocks = text_blocks (GTK_WIDGET (scene.column), g_ptr_array_new ());
      n_finished = blocks->len - 2; /* the last two are the code that ended with the text */
      for (guint k = 0; k < n_finished; k++)
        {
          guint n = hearth_text_block_get_n_layouts (blocks->pdata[k]);
          gpointer known;

          if (g_hash_table_lookup_extended (counts, blocks->pdata[k], NULL, &known))
            again += n - GPOINTER_TO_UINT (known);
          g_hash_table_insert (counts, blocks->pdata[k], GUINT_TO_POINTER (n));
        }
      check (g_hash_table_size (counts) == n_finished, "a finished block keeps its widget");
    }
  g_print ("%d lines: %u finished blocks, laid out again %u times\n", N_LINES, n_finished, again);
  check (again == 0, "finished blocks are not laid out again");
  check (n_finished > 2000, "there are thousands of blocks");
  check (hearth_message_column_get_following (scene.column), "the view follows the answer");

  /* The counter counts: another width is another layout of everything. */
  before = g_hash_table_size (counts);
  gtk_window_set_default_size (scene.window, 500, 700);
  scene_run_frames (&scene, 20);
  {
    g_autoptr (GPtrArray) blocks = text_blocks (GTK_WIDGET (scene.column), g_ptr_array_new ());

    for (guint k = 0; k < blocks->len; k++)
      {
        guint n = hearth_text_block_get_n_layouts (blocks->pdata[k]);

        after += n > GPOINTER_TO_UINT (g_hash_table_lookup (counts, blocks->pdata[k]));
      }
  }
  check (after > before / 2, "a narrower window lays them out again");
  scene_close (&scene);
}

/* ---- a long chat ------------------------------------------------------------------------ */

static void
check_long_chat (HearthEngine *engine)
{
  struct scene scene;
  GtkAdjustment *adjustment;
  guint most = 0;

  scene_open (&scene, engine);
  scene_add_long_chat (&scene);
  adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (scene.column));
  check (hearth_message_column_get_following (scene.column), "it opens at the end");
  check (hearth_message_column_get_n_made (scene.column) < 20, "few rows are made to open it");

  for (int step = 0; step <= 20; step++)
    {
      guint place, place_after;
      double offset, offset_after;

      gtk_adjustment_set_value (adjustment, (gtk_adjustment_get_upper (adjustment) -
                                             gtk_adjustment_get_page_size (adjustment)) *
                                              step / 20);
      scene_run_frames (&scene, 1);
      hearth_message_column_get_place (scene.column, &place, &offset);
      scene_run_frames (&scene, 3);
      hearth_message_column_get_place (scene.column, &place_after, &offset_after);
      check (place == place_after && ABS (offset - offset_after) < 2,
             "what is read stays where it is when heights become known");
      most = MAX (most, hearth_message_column_get_n_rows (scene.column));
    }
  g_print ("2,000 messages: %u rows at most, %" G_GUINT64_FORMAT " made\n", most,
           hearth_message_column_get_n_made (scene.column));
  check (most <= 64, "rows are bounded");
  check (hearth_message_column_get_n_made (scene.column) > 64, "rows were made and dropped");
  scene_close (&scene);
}

int
main (void)
{
  g_autoptr (HearthEngine) engine = NULL;

  adw_init ();
  engine = hearth_engine_new ();
  check_long_answer (engine);
  check_long_chat (engine);
  scene_close_engine (engine);
  g_print ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
