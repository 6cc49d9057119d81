/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-focus.h"

#include <adwaita.h>

/* ---- by Tab ----------------------------------------------------------------------------- */

gboolean
hearth_focus_move (GtkWidget *widget, GtkDirectionType direction)
{
  gboolean back =
    direction == GTK_DIR_TAB_BACKWARD || direction == GTK_DIR_UP || direction == GTK_DIR_LEFT;
  GtkWidget *child = gtk_widget_get_focus_child (widget);
  gboolean inside = child != NULL;
  gboolean itself = gtk_widget_is_focus (widget);

  if (itself && back)
    return FALSE;
  if (!inside && !itself && !back && gtk_widget_get_focusable (widget) &&
      gtk_widget_grab_focus (widget))
    return TRUE;
  if (inside && gtk_widget_child_focus (child, direction))
    return TRUE;
  if (inside)
    child = back ? gtk_widget_get_prev_sibling (child) : gtk_widget_get_next_sibling (child);
  else
    child = back ? gtk_widget_get_last_child (widget) : gtk_widget_get_first_child (widget);
  while (child != NULL)
    {
      if (gtk_widget_child_focus (child, direction))
        return TRUE;
      child = back ? gtk_widget_get_prev_sibling (child) : gtk_widget_get_next_sibling (child);
    }
  return back && gtk_widget_get_focusable (widget) && gtk_widget_grab_focus (widget);
}

/* ---- an area that keeps the keyboard ---------------------------------------------------- */

/* What is around the one that had the focus: so many of them that one is left when a row goes with
 * all that is in it. */
#define N_AROUND 12

struct hold
{
  GtkWidget *area;
  GtkRoot *root;               /* NULL: the area is not shown */
  GtkWidget *last;             /* has the focus, or had it; weak */
  GtkWidget *around[N_AROUND]; /* its ancestors in the area, nearest first; weak */
  gboolean inside;             /* `last` is, or was, in the area */
  guint idle;
};

static gboolean
is_inside (struct hold *hold, GtkWidget *widget)
{
  /* A menu gives the focus back by itself. */
  return widget != NULL && gtk_widget_is_ancestor (widget, hold->area) &&
         gtk_widget_get_native (widget) == GTK_NATIVE (hold->root);
}

static gboolean
can_keep (GtkWidget *widget)
{
  return widget != NULL && gtk_widget_get_mapped (widget) && gtk_widget_is_sensitive (widget);
}

static gboolean
move_in_cb (gpointer data)
{
  struct hold *hold = data;
  GtkWidget *now = hold->root != NULL ? gtk_root_get_focus (hold->root) : NULL;

  hold->idle = 0;
  if (hold->root == NULL || is_inside (hold, now) || can_keep (hold->last))
    return G_SOURCE_REMOVE;
  /* What was opened over the window has it by right. */
  if (now != NULL && (gtk_widget_get_native (now) != GTK_NATIVE (hold->root) ||
                      gtk_widget_get_ancestor (now, ADW_TYPE_DIALOG) != NULL))
    return G_SOURCE_REMOVE;
  for (guint i = 0; i < N_AROUND; i++)
    {
      GtkWidget *around = hold->around[i];

      if (can_keep (around) &&
          (around == hold->area || gtk_widget_is_ancestor (around, hold->area)) &&
          gtk_widget_child_focus (around, GTK_DIR_TAB_FORWARD))
        return G_SOURCE_REMOVE;
    }
  gtk_widget_grab_focus (hold->area);
  return G_SOURCE_REMOVE;
}

/* Afterwards nobody can ask it: it may be gone for good. */
static void
remember (struct hold *hold, GtkWidget *widget)
{
  GtkWidget *around = widget;

  g_set_weak_pointer (&hold->last, widget);
  for (guint i = 0; i < N_AROUND; i++)
    {
      around = around != NULL && around != hold->area ? gtk_widget_get_parent (around) : NULL;
      g_set_weak_pointer (&hold->around[i], around);
    }
}

static void
focus_moved_cb (struct hold *hold)
{
  GtkWidget *now = gtk_root_get_focus (hold->root);

  if (is_inside (hold, now))
    {
      remember (hold, now);
      hold->inside = TRUE;
    }
  else if (hold->inside)
    {
      hold->inside = FALSE;
      /* Not from here: what it was at may be in the middle of going. But before the next key. */
      if (hold->idle == 0 && !can_keep (hold->last))
        hold->idle = g_idle_add_full (G_PRIORITY_HIGH, move_in_cb, hold, NULL);
    }
}

static void
release (struct hold *hold)
{
  if (hold->root != NULL)
    g_signal_handlers_disconnect_by_func (hold->root, focus_moved_cb, hold);
  g_clear_handle_id (&hold->idle, g_source_remove);
  remember (hold, NULL);
  hold->root = NULL;
  hold->inside = FALSE;
}

static void
mapped_cb (struct hold *hold)
{
  release (hold);
  hold->root = gtk_widget_get_root (hold->area);
  g_signal_connect_swapped (hold->root, "notify::focus-widget", G_CALLBACK (focus_moved_cb), hold);
  focus_moved_cb (hold);
}

static void
hold_free (gpointer data)
{
  release (data);
  g_free (data);
}

void
hearth_focus_hold (GtkWidget *area)
{
  struct hold *hold;

  g_return_if_fail (GTK_IS_WIDGET (area));
  g_return_if_fail (g_object_get_data (G_OBJECT (area), "hearth-focus-hold") == NULL);

  hold = g_new0 (struct hold, 1);
  hold->area = area;
  g_object_set_data_full (G_OBJECT (area), "hearth-focus-hold", hold, hold_free);
  g_signal_connect_swapped (area, "map", G_CALLBACK (mapped_cb), hold);
  g_signal_connect_swapped (area, "unmap", G_CALLBACK (release), hold);
}

/* ---- going to a text -------------------------------------------------------------------- */

gboolean
hearth_focus_is_in (GtkWidget *widget)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *now = root != NULL ? gtk_root_get_focus (root) : NULL;

  return now != NULL && (now == widget || gtk_widget_is_ancestor (now, widget));
}

static void
left_cb (GtkWidget *label)
{
  gtk_widget_set_focusable (label, FALSE);
}

void
hearth_focus_visit (GtkWidget *label)
{
  GtkRoot *root;

  g_return_if_fail (GTK_IS_LABEL (label));

  root = gtk_widget_get_root (label);
  if (root == NULL || !gtk_widget_get_mapped (label))
    return;
  if (g_object_get_data (G_OBJECT (label), "hearth-focus-visit") == NULL)
    {
      GtkEventController *controller = gtk_event_controller_focus_new ();

      g_object_set_data (G_OBJECT (label), "hearth-focus-visit", controller);
      g_signal_connect_swapped (controller, "leave", G_CALLBACK (left_cb), label);
      gtk_widget_add_controller (label, controller);
    }
  gtk_widget_set_focusable (label, TRUE);
  /* A label that cannot be selected refuses to grab it. */
  gtk_root_set_focus (root, label);
}
