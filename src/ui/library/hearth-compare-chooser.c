/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-compare-chooser.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-focus.h"
#include "hearth-model-dialog.h"
#include "hearth-words.h"

/* The most that are offered of each kind; any other is opened as a file. */
#define MAX_ROWS 50u

/* How much a file is like the model; the most alike first. */
enum likeness
{
  SAME_MODEL, /* another quantization of it */
  SAME_FAMILY,
  SAME_ARCHITECTURE,
  UNLIKE,
};

struct candidate
{
  HearthModelFile *file; /* owned */
  enum likeness likeness;
};

struct _HearthCompareChooser
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkWidget *kin_group;
  GtkListBox *kin_box;
  GtkWidget *others_group;
  GtkListBox *others_box;

  HearthLibrary *library;
  HearthModelFile *model;
  guint idle;
};

G_DEFINE_FINAL_TYPE (HearthCompareChooser, hearth_compare_chooser, GTK_TYPE_WIDGET)

enum
{
  SIGNAL_CHOSEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* ---- what is offered -------------------------------------------------------------------- */

static enum likeness
get_likeness (HearthModelFile *model, HearthModelFile *other)
{
  const HearthModelHeader *a = hearth_model_file_get_header (model);
  const HearthModelHeader *b = hearth_model_file_get_header (other);
  gboolean family = g_ascii_strcasecmp (hearth_model_file_get_family (model),
                                        hearth_model_file_get_family (other)) == 0;

  if (a == NULL || b == NULL)
    return family ? SAME_FAMILY : UNLIKE;
  if (a->n_parameters > 0 && a->n_parameters == b->n_parameters &&
      g_strcmp0 (a->architecture, b->architecture) == 0 &&
      (family || g_strcmp0 (a->full_name, b->full_name) == 0))
    return SAME_MODEL;
  if (family)
    return SAME_FAMILY;
  return a->architecture != NULL && g_strcmp0 (a->architecture, b->architecture) == 0
           ? SAME_ARCHITECTURE
           : UNLIKE;
}

static void
candidate_clear (gpointer data)
{
  g_object_unref (((struct candidate *) data)->file);
}

static int
most_alike_first (gconstpointer a, gconstpointer b)
{
  const struct candidate *x = a, *y = b;

  if (x->likeness != y->likeness)
    return (int) x->likeness - (int) y->likeness;
  return g_utf8_collate (hearth_model_file_get_base_name (x->file),
                         hearth_model_file_get_base_name (y->file));
}

static GArray *
find_candidates (HearthCompareChooser *self)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (struct candidate));
  guint n = self->library != NULL ? g_list_model_get_n_items (G_LIST_MODEL (self->library)) : 0;

  g_array_set_clear_func (found, candidate_clear);
  for (guint i = 0; i < n; i++)
    {
      struct candidate candidate = { .file =
                                       g_list_model_get_item (G_LIST_MODEL (self->library), i) };

      if (hearth_model_file_get_state (candidate.file) == HEARTH_MODEL_FILE_FAILED ||
          hearth_model_file_get_presence (candidate.file) == HEARTH_MODEL_PRESENCE_GONE ||
          g_str_equal (hearth_model_file_get_path (candidate.file),
                       hearth_model_file_get_path (self->model)))
        {
          g_object_unref (candidate.file);
          continue;
        }
      candidate.likeness = get_likeness (self->model, candidate.file);
      g_array_append_val (found, candidate);
    }
  g_array_sort (found, most_alike_first);
  return found;
}

static GtkWidget *
create_row (HearthModelFile *file)
{
  GtkWidget *row = adw_action_row_new ();
  const HearthModelHeader *header = hearth_model_file_get_header (file);
  g_autofree char *size = hearth_words_for_size (hearth_model_file_get_size (file));
  g_autofree char *subtitle =
    header != NULL && header->quantization != NULL
      ? g_strdup_printf ("%s · %s · %s", header->quantization, size,
                         hearth_model_file_get_base_name (file))
      : g_strdup_printf ("%s · %s", size, hearth_model_file_get_base_name (file));

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), hearth_model_file_get_title (file));
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row),
                             gtk_image_new_from_icon_name ("go-next-symbolic"));
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  g_object_set_data_full (G_OBJECT (row), "path", g_strdup (hearth_model_file_get_path (file)),
                          g_free);
  return row;
}

static gboolean
fill_cb (gpointer data)
{
  HearthCompareChooser *self = data;
  g_autoptr (GArray) found = NULL;
  guint n_kin = 0, n_others = 0;

  self->idle = 0;
  gtk_list_box_remove_all (self->kin_box);
  gtk_list_box_remove_all (self->others_box);
  if (self->model != NULL)
    found = find_candidates (self);
  for (guint i = 0; found != NULL && i < found->len; i++)
    {
      const struct candidate *candidate = &g_array_index (found, struct candidate, i);

      if (candidate->likeness == SAME_MODEL && n_kin++ < MAX_ROWS)
        gtk_list_box_append (self->kin_box, create_row (candidate->file));
      else if (candidate->likeness != SAME_MODEL && n_others++ < MAX_ROWS)
        gtk_list_box_append (self->others_box, create_row (candidate->file));
    }
  gtk_widget_set_visible (self->kin_group, n_kin > 0);
  gtk_widget_set_visible (self->others_group, n_others > 0);
  return G_SOURCE_REMOVE;
}

/* The library fills up in many small steps; and what nobody sees costs nothing. */
static void
fill_later (HearthCompareChooser *self)
{
  if (self->idle == 0 && gtk_widget_get_mapped (GTK_WIDGET (self)))
    self->idle = g_idle_add (fill_cb, self);
}

/* ---- choosing --------------------------------------------------------------------------- */

static void
row_activated_cb (HearthCompareChooser *self, GtkListBoxRow *row)
{
  g_signal_emit (self, signals[SIGNAL_CHOSEN], 0, g_object_get_data (G_OBJECT (row), "path"));
}

static void
file_chosen_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthCompareChooser) self = user_data;
  g_autoptr (GFile) file = gtk_file_dialog_open_finish (GTK_FILE_DIALOG (source), result, NULL);

  if (file == NULL || self->root == NULL)
    return;
  if (g_file_peek_path (file) != NULL)
    g_signal_emit (self, signals[SIGNAL_CHOSEN], 0, g_file_peek_path (file));
  else
    gtk_widget_activate_action (GTK_WIDGET (self), "win.toast", "s",
                                _ ("Hearth opens model files that are on this computer."));
}

static void
open_cb (HearthCompareChooser *self)
{
  const char *path = self->model != NULL ? hearth_model_file_get_path (self->model) : NULL;
  g_autoptr (GtkFileDialog) dialog = hearth_model_dialog_new (_ ("Compare With…"), path);
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));

  gtk_file_dialog_open (dialog, GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL, NULL,
                        file_chosen_cb, g_object_ref (self));
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_compare_chooser_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (hearth_compare_chooser_parent_class)->map (widget);
  fill_later (HEARTH_COMPARE_CHOOSER (widget));
}

static void
hearth_compare_chooser_dispose (GObject *object)
{
  HearthCompareChooser *self = HEARTH_COMPARE_CHOOSER (object);

  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_object (&self->library);
  g_clear_object (&self->model);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_COMPARE_CHOOSER);
  G_OBJECT_CLASS (hearth_compare_chooser_parent_class)->dispose (object);
}

static void
hearth_compare_chooser_class_init (HearthCompareChooserClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  widget_class->map = hearth_compare_chooser_map;
  G_OBJECT_CLASS (klass)->dispose = hearth_compare_chooser_dispose;
  signals[SIGNAL_CHOSEN] = g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                         NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-compare-chooser.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthCompareChooser, root);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareChooser, kin_group);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareChooser, kin_box);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareChooser, others_group);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareChooser, others_box);
  gtk_widget_class_bind_template_callback (widget_class, row_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, open_cb);
}

static void
hearth_compare_chooser_init (HearthCompareChooser *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
hearth_compare_chooser_set_library (HearthCompareChooser *self, HearthLibrary *library)
{
  g_return_if_fail (HEARTH_IS_COMPARE_CHOOSER (self));

  if (g_set_object (&self->library, library) && library != NULL)
    g_signal_connect_object (library, "items-changed", G_CALLBACK (fill_later), self,
                             G_CONNECT_SWAPPED);
  fill_later (self);
}

void
hearth_compare_chooser_set_model (HearthCompareChooser *self, HearthModelFile *model)
{
  g_return_if_fail (HEARTH_IS_COMPARE_CHOOSER (self));

  g_set_object (&self->model, model);
  fill_later (self);
}
