/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check-views FOLDER OTHER FILE…: the list of the models in FOLDER, then the page of a model in a
 * real window, view by view, with each file; the last view compares it with OTHER. Prints a line
 * for each:
 *
 *   FILE VIEW rows N widgets N again N layouts N read BYTES appears MS complete MS turn MS
 *
 * rows that exist; widgets that exist, and those that are new when the view is left and looked at
 * once more; layouts in frames in which nobody does anything; bytes that the main thread has read
 * from files until the view was complete; how long the first frame with the view took, and the last
 * that changed something; how long the main thread computed at most before it looked for events
 * again. `./dev bench` has the times, the test views-counted the rest. */
#include <adwaita.h>
#include <time.h>
#include <unistd.h>

#include "hearth-compare-chooser.h"
#include "hearth-model-list.h"
#include "hearth-model-page.h"
#include "window-test.h"

#define IDLE_FRAMES 20
/* What another thread finds comes once, be it after somebody has come back; what is made anew for
 * who comes back is made so each time. */
#define MOST_TRIPS 5
#define MARK "check-views-seen"

static GtkWindow *window;
static HearthModelPage *page;
static AdwViewStack *views;
static guint n_layouts;
static gint64 last_layout, last_paint;

static void
layout_cb (void)
{
  n_layouts++;
  last_layout = g_get_monotonic_time ();
}

static void
painted_cb (void)
{
  last_paint = g_get_monotonic_time ();
}

/* ---- the main thread -------------------------------------------------------------------- */

static gint64 turn_begin, longest_turn;

/* Of computing, in microseconds: what waits for a processor is no fault of the window's. */
static gint64
get_cpu_time (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return (gint64) time.tv_sec * G_USEC_PER_SEC + time.tv_nsec / 1000;
}

static gint
poll_cb (GPollFD *fds, guint n, gint timeout)
{
  gint found;

  longest_turn = MAX (longest_turn, get_cpu_time () - turn_begin);
  found = g_poll (fds, n, timeout);
  turn_begin = get_cpu_time ();
  return found;
}

/* By read(), not by a map; -1: the system does not count. */
static gint64
get_n_read (void)
{
  /* The main thread's number is that of the process. */
  g_autofree char *path = g_strdup_printf ("/proc/self/task/%d/io", (int) getpid ());
  g_autofree char *text = NULL;
  const char *at;

  if (!g_file_get_contents (path, &text, NULL, NULL) || (at = strstr (text, "rchar:")) == NULL)
    return -1;
  return g_ascii_strtoll (at + strlen ("rchar:"), NULL, 10);
}

/* ---- what there is ---------------------------------------------------------------------- */

struct counts
{
  guint n_rows, n_widgets, n_new;
};

static void
count (GtkWidget *widget, struct counts *counts)
{
  counts->n_widgets++;
  counts->n_rows += g_str_equal (gtk_widget_get_css_name (widget), "row");
  counts->n_new += g_object_get_data (G_OBJECT (widget), MARK) == NULL;
  g_object_set_data (G_OBJECT (widget), MARK, widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    count (child, counts);
}

/* Whether something in sight says that there is more to come. */
static gboolean
is_busy (GtkWidget *widget)
{
  if (!gtk_widget_get_mapped (widget))
    return FALSE;
  if (ADW_IS_SPINNER (widget))
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      if (is_busy (child))
        return TRUE;
    }
  return FALSE;
}

/* Until nothing is to come, and many frames in a row have laid out nothing. */
static void
settle (GtkWidget *view)
{
  guint before;

  do
    {
      before = n_layouts;
      window_test_wait_frames (IDLE_FRAMES);
    }
  while (n_layouts != before || is_busy (view));
}

static void
print_line (const char *file, const char *name, const struct counts *counts,
            const struct counts *again, gint64 n_read, double appears, double complete, double turn)
{
  /* What another thread has found out may come late; what never rests is seen each time. */
  for (guint trip = 0; trip < MOST_TRIPS && (trip == 0 || n_layouts > 0); trip++)
    {
      n_layouts = 0;
      window_test_wait_frames (IDLE_FRAMES);
    }
  g_print ("%s\t%s\trows\t%u\twidgets\t%u\tagain\t%u\tlayouts\t%u\tread\t%" G_GINT64_FORMAT
           "\tappears\t%.1f\tcomplete\t%.1f\tturn\t%.1f\n",
           file, name, again->n_rows, counts->n_widgets, again->n_new, n_layouts, n_read, appears,
           complete, turn);
}

static GtkWidget *
get_other (const char *name)
{
  return adw_view_stack_get_child_by_name (views,
                                           g_str_equal (name, "overview") ? "fit" : "overview");
}

static void
check (const char *file, const char *name, const char *other)
{
  GtkWidget *view = adw_view_stack_get_child_by_name (views, name);
  struct counts counts = { 0 }, again = { 0 };
  gint64 begin, n_read = get_n_read ();
  double appears, complete, turn;

  begin = g_get_monotonic_time ();
  last_layout = last_paint = begin;
  turn_begin = get_cpu_time ();
  longest_turn = 0;
  adw_view_stack_set_visible_child (views, view);
  if (g_str_equal (name, "compare"))
    g_signal_emit_by_name (window_test_find (view, HEARTH_TYPE_COMPARE_CHOOSER), "chosen", other);
  core_test_wait (last_paint > begin);
  appears = (double) (last_paint - begin) / 1000;
  settle (view);
  complete = (double) (last_layout - begin) / 1000;
  turn = (double) longest_turn / 1000;
  n_read = get_n_read () - n_read;
  count (view, &counts);

  /* Another one, and this one again. */
  for (guint trip = 0; trip < MOST_TRIPS && (trip == 0 || again.n_new > 0); trip++)
    {
      adw_view_stack_set_visible_child (views, get_other (name));
      settle (get_other (name));
      adw_view_stack_set_visible_child (views, view);
      settle (view);
      again = (struct counts) { 0 };
      count (view, &again);
    }
  print_line (file, name, &counts, &again, n_read, appears, complete, turn);
}

/* ---- the list of models ----------------------------------------------------------------- */

static gboolean
is_all_read (HearthLibrary *library)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (library));

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (HearthModelFile) file = g_list_model_get_item (G_LIST_MODEL (library), i);

      if (hearth_model_file_get_state (file) < HEARTH_MODEL_FILE_READY)
        return FALSE;
    }
  return n > 0 && !hearth_library_get_scanning (library);
}

/* While thousands of files are found and read, and when all are there. */
static void
check_list (HearthSettings *settings, const char *folder)
{
  GtkWidget *stack = gtk_stack_new ();
  GtkWidget *list = g_object_new (HEARTH_TYPE_MODEL_LIST, NULL);
  GtkWidget *nothing = gtk_label_new ("another place");
  GtkWidget *before = g_object_ref (gtk_window_get_child (window));
  g_autoptr (HearthLibrary) library = NULL;
  struct counts counts = { 0 }, again = { 0 };
  gint64 begin;
  double appears, complete, turn;

  gtk_stack_add_child (GTK_STACK (stack), list);
  gtk_stack_add_child (GTK_STACK (stack), nothing);
  gtk_window_set_child (window, stack);
  hearth_settings_set_model_folders (settings, (const char *[]) { folder, NULL });
  begin = g_get_monotonic_time ();
  turn_begin = get_cpu_time ();
  longest_turn = 0;
  library = hearth_library_new_for_environment (settings, (char *[]) { NULL });
  hearth_model_list_set_library (HEARTH_MODEL_LIST (list), library, settings);
  core_test_wait (g_list_model_get_n_items (G_LIST_MODEL (library)) > 0);
  appears = (double) (g_get_monotonic_time () - begin) / 1000;
  core_test_wait (is_all_read (library));
  complete = (double) (g_get_monotonic_time () - begin) / 1000;
  settle (list);
  turn = (double) longest_turn / 1000;
  count (list, &counts);
  for (guint trip = 0; trip < MOST_TRIPS && (trip == 0 || again.n_new > 0); trip++)
    {
      gtk_stack_set_visible_child (GTK_STACK (stack), nothing);
      settle (nothing);
      gtk_stack_set_visible_child (GTK_STACK (stack), list);
      settle (list);
      again = (struct counts) { 0 };
      count (list, &again);
    }
  print_line ("list", "library", &counts, &again, 0, appears, complete, turn);
  gtk_window_set_child (window, before);
  g_object_unref (before);
  hearth_settings_set_model_folders (settings, NULL);
}

static void
open_file (const char *path, const char *other)
{
  g_autoptr (HearthModelFile) model = hearth_model_file_new (path);
  g_autoptr (GAsyncResult) read = NULL;
  g_autoptr (GtkSelectionModel) pages = adw_view_stack_get_pages (views);
  g_autofree char *base = g_path_get_basename (path);
  g_autoptr (GError) error = NULL;

  hearth_model_file_load_async (model, 0, 1, NULL, core_test_result_cb, &read);
  core_test_wait (read != NULL);
  hearth_model_file_load_finish (model, read, &error);
  g_clear_error (&error); /* the page says so */
  hearth_model_page_set_model (page, model);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (pages)); i++)
    {
      g_autoptr (AdwViewStackPage) view = g_list_model_get_item (G_LIST_MODEL (pages), i);

      check (base, adw_view_stack_page_get_name (view), other);
    }
  hearth_model_page_set_model (page, NULL);
}

int
main (int argc, char *argv[])
{
  g_autoptr (HearthEngine) engine = NULL;
  g_autoptr (HearthSettings) settings = NULL;
  g_autoptr (HearthLibrary) library = NULL;
  g_autoptr (GAsyncResult) closed = NULL;
  GdkFrameClock *clock;

  if (!gtk_init_check ())
    return 77;
  adw_init ();
  g_main_context_set_poll_func (NULL, poll_cb);
  engine = hearth_engine_new ();
  settings = hearth_settings_new (NULL);
  library = hearth_library_new_for_environment (settings, (char *[]) { NULL });
  page = g_object_new (HEARTH_TYPE_MODEL_PAGE, NULL);
  hearth_model_page_set_sources (page, engine, library, settings);
  window = window_test_open (GTK_WIDGET (page), 900, 760, NULL);
  views = ADW_VIEW_STACK (window_test_find (GTK_WIDGET (page), ADW_TYPE_VIEW_STACK));
  clock = gtk_widget_get_frame_clock (GTK_WIDGET (window));
  g_signal_connect (clock, "layout", G_CALLBACK (layout_cb), NULL);
  g_signal_connect (clock, "after-paint", G_CALLBACK (painted_cb), NULL);
  check_list (settings, argv[1]);
  for (int i = 3; i < argc; i++)
    open_file (argv[i], argv[2]);
  gtk_window_destroy (window);
  hearth_engine_close_async (engine, core_test_result_cb, &closed);
  core_test_wait (closed != NULL);
  return 0;
}
