/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-field-row.h"

#include "hearth-focus.h"

/* ---- where the field stands -------------------------------------------------------------- */

/* Between the title and what is behind or below it. */
#define SPACING 6

/* Of the row's own box: beside the title stands what is there for it, or below where the title
 * would have to be broken within a word. */
#define HEARTH_TYPE_FIELD_LAYOUT (hearth_field_layout_get_type ())
G_DECLARE_FINAL_TYPE (HearthFieldLayout, hearth_field_layout, HEARTH, FIELD_LAYOUT,
                      GtkLayoutManager)

struct _HearthFieldLayout
{
  GtkLayoutManager parent_instance;

  GtkWidget *titles; /* title over subtitle; these three are the row's */
  GtkWidget *title;
  GtkWidget *field;
};

G_DEFINE_FINAL_TYPE (HearthFieldLayout, hearth_field_layout, GTK_TYPE_LAYOUT_MANAGER)

static int
natural_height (GtkWidget *widget, int width)
{
  int height, least;

  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, width < 0 ? -1 : MAX (width, least), NULL,
                      &height, NULL, NULL);
  return height;
}

static int
widest_word (GtkWidget *title)
{
  g_auto (GStrv) words = g_strsplit (gtk_label_get_label (GTK_LABEL (title)), " ", -1);
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (title, NULL);
  int widest = 0;

  for (char **word = words; *word != NULL; word++)
    {
      int width;

      pango_layout_set_text (layout, *word, -1);
      pango_layout_get_pixel_size (layout, &width, NULL);
      widest = MAX (widest, width);
    }
  return widest;
}

/* What both have of this width. */
struct shares
{
  int titles, field;
  gboolean below; /* the field is below */
};

static struct shares
share (HearthFieldLayout *self, int width)
{
  struct shares shares = { .titles = width };
  int least, natural, word;

  if (!gtk_widget_should_layout (self->field))
    return shares;
  gtk_widget_measure (self->field, GTK_ORIENTATION_HORIZONTAL, -1, &least, &natural, NULL, NULL);
  word = widest_word (self->title);
  shares.below = word + SPACING + least > width;
  shares.field = MAX (MIN (natural, width - (shares.below ? 0 : SPACING + word)), least);
  if (!shares.below)
    shares.titles = width - SPACING - shares.field;
  return shares;
}

static GtkSizeRequestMode
hearth_field_layout_get_request_mode (GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
hearth_field_layout_measure (GtkLayoutManager *manager, GtkWidget *widget,
                             GtkOrientation orientation, int for_size, int *minimum, int *natural,
                             int *minimum_baseline, int *natural_baseline)
{
  HearthFieldLayout *self = HEARTH_FIELD_LAYOUT (manager);
  gboolean has_field = gtk_widget_should_layout (self->field);

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      int least = 0, wished = 0;

      gtk_widget_measure (self->titles, orientation, -1, minimum, natural, NULL, NULL);
      if (has_field)
        gtk_widget_measure (self->field, orientation, -1, &least, &wished, NULL, NULL);
      *minimum = MAX (*minimum, least);
      *natural += has_field ? SPACING + wished : 0;
    }
  else
    {
      struct shares shares = share (self, for_size < 0 ? G_MAXINT / 2 : for_size);
      int titles = natural_height (self->titles, for_size < 0 ? -1 : shares.titles);
      int field = has_field ? natural_height (self->field, shares.field) : 0;

      *minimum = *natural = shares.below ? titles + field + 2 * SPACING : MAX (titles, field);
    }
}

static void
place (GtkWidget *widget, GtkWidget *child, int x, int y, int width, int height, int whole)
{
  GtkAllocation box = { x, y, width, height };

  if (gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL)
    box.x = whole - x - width;
  gtk_widget_size_allocate (child, &box, -1);
}

static void
hearth_field_layout_allocate (GtkLayoutManager *manager, GtkWidget *widget, int width, int height,
                              int baseline)
{
  HearthFieldLayout *self = HEARTH_FIELD_LAYOUT (manager);
  struct shares shares = share (self, width);
  int titles_height = shares.below ? natural_height (self->titles, shares.titles) : height;
  int top = shares.below ? titles_height : 0;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      /* Rows with fields have neither icons nor anything else before the title. */
      if (child != self->titles && child != self->field && gtk_widget_should_layout (child))
        place (widget, child, 0, 0, shares.titles, height, width);
    }
  place (widget, self->titles, 0, 0, shares.titles, titles_height, width);
  if (gtk_widget_should_layout (self->field))
    place (widget, self->field, width - shares.field, top, shares.field,
           height - top - (shares.below ? SPACING : 0), width);
}

static void
hearth_field_layout_class_init (HearthFieldLayoutClass *klass)
{
  GtkLayoutManagerClass *layout_class = GTK_LAYOUT_MANAGER_CLASS (klass);

  layout_class->get_request_mode = hearth_field_layout_get_request_mode;
  layout_class->measure = hearth_field_layout_measure;
  layout_class->allocate = hearth_field_layout_allocate;
}

static void
hearth_field_layout_init (HearthFieldLayout *self)
{
}

static GtkWidget *
find_child (GtkWidget *parent, const char *css_class)
{
  GtkWidget *child = parent != NULL ? gtk_widget_get_first_child (parent) : NULL;

  while (child != NULL && !gtk_widget_has_css_class (child, css_class))
    child = gtk_widget_get_next_sibling (child);
  return child;
}

/* By the classes that libadwaita's style knows the row's parts by. */
static void
lay_out (GtkWidget *row)
{
  GtkWidget *header = gtk_list_box_row_get_child (GTK_LIST_BOX_ROW (row));
  GtkWidget *titles = find_child (header, "title");
  GtkWidget *title = find_child (titles, "title");
  GtkWidget *field = find_child (header, "suffixes");
  HearthFieldLayout *layout;

  g_return_if_fail (GTK_IS_LABEL (title) && field != NULL);

  layout = g_object_new (HEARTH_TYPE_FIELD_LAYOUT, NULL);
  layout->titles = titles;
  layout->title = title;
  layout->field = field;
  gtk_widget_set_layout_manager (header, GTK_LAYOUT_MANAGER (layout));
}

/* ---- the row ---------------------------------------------------------------------------- */

G_DEFINE_TYPE (HearthFieldRow, hearth_field_row, ADW_TYPE_ACTION_ROW)

static gboolean
hearth_field_row_grab_focus (GtkWidget *widget)
{
  GtkWidget *field = adw_action_row_get_activatable_widget (ADW_ACTION_ROW (widget));

  return field != NULL && gtk_widget_grab_focus (field);
}

static void
hearth_field_row_class_init (HearthFieldRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  widget_class->grab_focus = hearth_field_row_grab_focus;
}

static void
hearth_field_row_init (HearthFieldRow *self)
{
  gtk_widget_set_focusable (GTK_WIDGET (self), FALSE);
  lay_out (GTK_WIDGET (self));
}
