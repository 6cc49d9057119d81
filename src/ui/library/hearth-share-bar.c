/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-share-bar.h"

#include "hearth-focus.h"

/* What is there can be seen, however little it is. */
#define LEAST_WIDTH 3

struct _HearthShareBar
{
  GtkWidget parent_instance;

  GArray *amounts;   /* of guint64, one per part */
  GtkWidget *beyond; /* over what is past the limit, the last child; NULL: no limit */
  guint64 limit;
};

G_DEFINE_FINAL_TYPE (HearthShareBar, hearth_share_bar, GTK_TYPE_WIDGET)

static void
hearth_share_bar_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                          int *natural, int *minimum_baseline, int *natural_baseline)
{
  HearthShareBar *self = HEARTH_SHARE_BAR (widget);

  *minimum = *natural =
    orientation == GTK_ORIENTATION_VERTICAL ? 0 : (int) self->amounts->len * LEAST_WIDTH;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      int least, wanted;

      if (child == self->beyond)
        continue;
      gtk_widget_measure (child, orientation, -1, &least, &wanted, NULL, NULL);
      if (orientation == GTK_ORIENTATION_VERTICAL)
        {
          *minimum = MAX (*minimum, least);
          *natural = MAX (*natural, wanted);
        }
    }
  *minimum_baseline = *natural_baseline = -1;
}

static void
hearth_share_bar_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HearthShareBar *self = HEARTH_SHARE_BAR (widget);
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  int spare = MAX (0, width - (int) self->amounts->len * LEAST_WIDTH);
  double total = 0, before = 0;
  int limit = 0;
  guint i = 0;

  for (guint j = 0; j < self->amounts->len; j++)
    total += (double) g_array_index (self->amounts, guint64, j);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != self->beyond;
       child = gtk_widget_get_next_sibling (child), i++)
    {
      double amount = (double) g_array_index (self->amounts, guint64, i);
      double after = before + amount;
      int from = (int) i * LEAST_WIDTH + (total > 0 ? (int) (spare * (before / total)) : 0);
      int to = (int) (i + 1) * LEAST_WIDTH + (total > 0 ? (int) (spare * (after / total)) : 0);
      GtkAllocation place = { .x = mirrored ? width - to : from,
                              .width = to - from,
                              .height = height };

      gtk_widget_size_allocate (child, &place, -1);
      if (before <= (double) self->limit && amount > 0)
        limit = from + (int) ((to - from) * MIN (((double) self->limit - before) / amount, 1));
      before = after;
    }
  if (self->beyond != NULL)
    gtk_widget_size_allocate (
      self->beyond,
      &(GtkAllocation) { mirrored ? 0 : limit, 0, MAX (width - limit, LEAST_WIDTH), height }, -1);
}

static void
hearth_share_bar_dispose (GObject *object)
{
  hearth_share_bar_clear (HEARTH_SHARE_BAR (object));
  G_OBJECT_CLASS (hearth_share_bar_parent_class)->dispose (object);
}

static void
hearth_share_bar_finalize (GObject *object)
{
  g_array_unref (HEARTH_SHARE_BAR (object)->amounts);
  G_OBJECT_CLASS (hearth_share_bar_parent_class)->finalize (object);
}

static void
hearth_share_bar_class_init (HearthShareBarClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_share_bar_dispose;
  object_class->finalize = hearth_share_bar_finalize;
  widget_class->measure = hearth_share_bar_measure;
  widget_class->size_allocate = hearth_share_bar_size_allocate;
  gtk_widget_class_set_css_name (widget_class, "sharebar");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
hearth_share_bar_init (HearthShareBar *self)
{
  self->amounts = g_array_new (FALSE, FALSE, sizeof (guint64));
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
}

void
hearth_share_bar_clear (HearthShareBar *self)
{
  GtkWidget *child;

  g_return_if_fail (HEARTH_IS_SHARE_BAR (self));

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  self->beyond = NULL;
  g_array_set_size (self->amounts, 0);
}

static GtkWidget *
create_part (const char *style)
{
  /* The bar has a name for voice output; its parts are in the legend. */
  GtkWidget *part = g_object_new (GTK_TYPE_BOX, "css-name", "part", "accessible-role",
                                  GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);

  gtk_widget_add_css_class (part, style);
  return part;
}

void
hearth_share_bar_add (HearthShareBar *self, const char *style, guint64 amount, const char *tooltip)
{
  GtkWidget *part;

  g_return_if_fail (HEARTH_IS_SHARE_BAR (self));

  if (amount == 0)
    return;
  part = create_part (style);
  gtk_widget_set_tooltip_text (part, tooltip);
  g_array_append_val (self->amounts, amount);
  gtk_widget_insert_before (part, GTK_WIDGET (self), self->beyond);
}

void
hearth_share_bar_set_limit (HearthShareBar *self, guint64 limit, const char *tooltip)
{
  g_return_if_fail (HEARTH_IS_SHARE_BAR (self));

  if (self->beyond == NULL)
    {
      self->beyond = create_part ("beyond");
      gtk_widget_set_parent (self->beyond, GTK_WIDGET (self));
    }
  self->limit = limit;
  gtk_widget_set_tooltip_text (self->beyond, tooltip);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

const char *
hearth_share_bar_get_style (guint n)
{
  static const char *const styles[HEARTH_SHARE_COLOURS] = { "share-1", "share-2", "share-3",
                                                            "share-4", "share-5", "share-6",
                                                            "share-7", "share-8" };

  return styles[MIN (n, HEARTH_SHARE_COLOURS - 1)];
}

GtkWidget *
hearth_share_bar_swatch_new (const char *style)
{
  GtkWidget *swatch = create_part (style);

  gtk_widget_add_css_class (swatch, "swatch");
  gtk_widget_set_valign (swatch, GTK_ALIGN_CENTER);
  gtk_widget_set_halign (swatch, GTK_ALIGN_CENTER);
  return swatch;
}
