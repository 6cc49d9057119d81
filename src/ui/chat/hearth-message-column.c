/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-message-column.h"

#include <math.h>
#include <string.h>

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-focus.h"

/* Rows that are kept although they are far from the view: scrolling back costs nothing then. */
#define KEPT_ROWS 48
#define WIDEST 784 /* sp */
#define MARGIN_TOP 12
#define MARGIN_BOTTOM 6
/* Pixels from the end within which the view counts as being at the end. */
#define AT_END 4.0

struct slot
{
  HearthMessage *message;
  GtkWidget *row; /* NULL: far away */
  int height;
  gboolean measured; /* the height is a row's at this width, not a guess */
};

struct _HearthMessageColumn
{
  GtkWidget parent_instance;

  GListModel *model;
  HearthMessageColumnCreate create;
  gpointer create_data;
  GArray *slots; /* of struct slot */
  GtkAdjustment *adjustments[2];
  GtkScrollablePolicy policies[2];

  gboolean following;
  guint anchor;         /* the message at the top of the view */
  double anchor_offset; /* pixels of it above the view; negative: the view begins before it */
  int width;            /* that the heights are for */
  double last_value;
  gboolean configuring;
  guint trim_id;
  guint64 n_made;
};

static void scrollable_init (GtkScrollableInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthMessageColumn, hearth_message_column, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (GTK_TYPE_SCROLLABLE, scrollable_init))

enum
{
  PROP_0,
  PROP_FOLLOWING,
  N_PROPS,
  PROP_HADJUSTMENT = N_PROPS,
  PROP_VADJUSTMENT,
  PROP_HSCROLL_POLICY,
  PROP_VSCROLL_POLICY,
};

static GParamSpec *properties[N_PROPS];

static struct slot *
get_slot (HearthMessageColumn *self, guint i)
{
  return &g_array_index (self->slots, struct slot, i);
}

static GtkAdjustment *
vertical (HearthMessageColumn *self)
{
  return self->adjustments[GTK_ORIENTATION_VERTICAL];
}

static void
set_following (HearthMessageColumn *self, gboolean following)
{
  if (self->following == following)
    return;
  self->following = following;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FOLLOWING]);
}

/* ---- rows ------------------------------------------------------------------------------- */

static int
row_width (HearthMessageColumn *self, int width)
{
  double widest =
    adw_length_unit_to_px (ADW_LENGTH_UNIT_SP, WIDEST, gtk_widget_get_settings (GTK_WIDGET (self)));

  return MIN (width, (int) widest);
}

/* From the length of the text alone: a line holds as many characters as fit, and lines are about
 * three times as high as a character is wide. */
static int
guess_height (HearthMessageColumn *self, HearthMessage *message)
{
  const char *text = hearth_message_get_text (message);
  double per_line = MAX (row_width (self, self->width) / 7.5, 10);
  double lines = 0;

  while (*text != '\0')
    {
      gsize n = strcspn (text, "\n");

      lines += MAX (ceil ((double) n / per_line), 1);
      text += n + (text[n] == '\n');
    }
  return (int) MIN (lines * 22, 1000000) + 64;
}

static GtkWidget *
ensure_row (HearthMessageColumn *self, guint i)
{
  struct slot *slot = get_slot (self, i);
  GtkWidget *next = NULL;

  if (slot->row != NULL)
    return slot->row;
  slot->row = self->create (slot->message, self->create_data);
  for (guint k = i + 1; k < self->slots->len && next == NULL; k++)
    next = get_slot (self, k)->row;
  gtk_widget_insert_before (slot->row, GTK_WIDGET (self), next);
  if (i + 1 == self->slots->len)
    gtk_widget_add_css_class (slot->row, "last");
  gtk_accessible_update_relation (GTK_ACCESSIBLE (slot->row), GTK_ACCESSIBLE_RELATION_POS_IN_SET,
                                  (int) i + 1, GTK_ACCESSIBLE_RELATION_SET_SIZE,
                                  (int) self->slots->len, -1);
  self->n_made++;
  return slot->row;
}

static void
drop_row (struct slot *slot)
{
  if (slot->row != NULL)
    gtk_widget_unparent (slot->row);
  slot->row = NULL;
}

static int
measure_row (HearthMessageColumn *self, guint i)
{
  struct slot *slot = get_slot (self, i);

  gtk_widget_measure (ensure_row (self, i), GTK_ORIENTATION_VERTICAL, row_width (self, self->width),
                      &slot->height, NULL, NULL, NULL);
  slot->measured = TRUE;
  return slot->height;
}

static double
top_of (HearthMessageColumn *self, guint i)
{
  double top = MARGIN_TOP;

  for (guint k = 0; k < i; k++)
    top += get_slot (self, k)->height;
  return top;
}

static double
full_height (HearthMessageColumn *self)
{
  return top_of (self, self->slots->len) + MARGIN_BOTTOM;
}

/* What somebody is in the middle of is not taken away. */
static gboolean
is_needed (HearthMessageColumn *self, const struct slot *slot)
{
  return gtk_widget_get_focus_child (GTK_WIDGET (self)) == slot->row ||
         !hearth_message_is_finished (slot->message) ||
         gtk_widget_has_css_class (slot->row, "editing");
}

/* Drops the rows that are farthest away, when there are too many. */
static gboolean
trim_cb (gpointer data)
{
  HearthMessageColumn *self = data;
  guint n = hearth_message_column_get_n_rows (self);
  guint low = 0;
  guint high = self->slots->len;

  self->trim_id = 0;
  while (n > KEPT_ROWS && low < high)
    {
      guint far;

      /* The anchor is in the view; the ends are compared by their distance to it. */
      if (self->anchor - MIN (low, self->anchor) > high - 1 - MIN (self->anchor, high - 1))
        far = low++;
      else
        far = --high;
      if (far == self->anchor)
        break;
      if (get_slot (self, far)->row == NULL || is_needed (self, get_slot (self, far)))
        continue;
      drop_row (get_slot (self, far));
      n--;
    }
  return G_SOURCE_REMOVE;
}

/* ---- layout ----------------------------------------------------------------------------- */

/* Moves the anchor to the message at `value`. */
static void
anchor_at (HearthMessageColumn *self, double value)
{
  double top = MARGIN_TOP;
  guint i = 0;

  while (i + 1 < self->slots->len && top + get_slot (self, i)->height <= value)
    top += get_slot (self, i++)->height;
  self->anchor = i;
  self->anchor_offset = value - top;
}

/* Measures what is in the view, beginning with the anchor: rows are made until the view and a
 * margin on both sides are full. Guesses above the anchor turn into heights without moving it. */
static void
fill_view (HearthMessageColumn *self, double page)
{
  double margin = page / 2;
  guint n = self->slots->len;

  if (self->following)
    {
      double height = MARGIN_BOTTOM;
      guint i = n;

      while (i > 0 && height < page + margin)
        height += measure_row (self, --i);
      anchor_at (self, MAX (full_height (self) - page, 0));
    }
  else
    {
      double above = self->anchor_offset;
      double below = -self->anchor_offset;

      self->anchor = MIN (self->anchor, n - 1);
      for (guint i = self->anchor; i < n && below < page + margin; i++)
        below += measure_row (self, i);
      for (guint i = self->anchor; i > 0 && above < margin; i--)
        above += measure_row (self, i - 1);
    }
}

static void
configure (HearthMessageColumn *self, int width, int height)
{
  GtkAdjustment *adjustment = vertical (self);
  double full = MAX (full_height (self), height);
  double value =
    self->following ? full - height : top_of (self, self->anchor) + self->anchor_offset;

  value = CLAMP (value, 0, full - height);
  self->configuring = TRUE;
  gtk_adjustment_configure (adjustment, value, 0, full, height * 0.1, height * 0.9, height);
  if (self->adjustments[GTK_ORIENTATION_HORIZONTAL] != NULL)
    gtk_adjustment_configure (self->adjustments[GTK_ORIENTATION_HORIZONTAL], 0, 0, width, 1, width,
                              width);
  self->configuring = FALSE;
  self->last_value = value;
  if (self->slots->len > 0)
    anchor_at (self, value);
}

static void
hearth_message_column_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HearthMessageColumn *self = HEARTH_MESSAGE_COLUMN (widget);
  int inner = row_width (self, width);
  double y;

  if (self->width != width)
    {
      self->width = width;
      for (guint i = 0; i < self->slots->len; i++)
        {
          struct slot *slot = get_slot (self, i);

          slot->measured = FALSE;
          slot->height = guess_height (self, slot->message);
        }
    }
  /* A row that is there has a height, wherever it is. */
  for (guint i = 0; i < self->slots->len; i++)
    {
      if (get_slot (self, i)->row != NULL)
        measure_row (self, i);
    }
  if (self->slots->len > 0)
    fill_view (self, height);
  configure (self, width, height);

  y = MARGIN_TOP - self->last_value;
  for (guint i = 0; i < self->slots->len; i++)
    {
      struct slot *slot = get_slot (self, i);

      if (slot->row != NULL)
        gtk_widget_size_allocate (
          slot->row, &(GtkAllocation) { (width - inner) / 2, (int) round (y), inner, slot->height },
          -1);
      y += slot->height;
    }
  if (self->trim_id == 0 && hearth_message_column_get_n_rows (self) > KEPT_ROWS)
    /* Before the next frame: behind frames it would wait while somebody scrolls, and each frame
     * would have more rows than the one before. */
    self->trim_id = g_idle_add_full (G_PRIORITY_HIGH_IDLE, trim_cb, self, NULL);
}

static void
hearth_message_column_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                               int *minimum, int *natural, int *minimum_baseline,
                               int *natural_baseline)
{
  HearthMessageColumn *self = HEARTH_MESSAGE_COLUMN (widget);

  *minimum = 0;
  for (guint i = 0; orientation == GTK_ORIENTATION_HORIZONTAL && i < self->slots->len; i++)
    {
      GtkWidget *row = get_slot (self, i)->row;
      int least;

      if (row == NULL)
        continue;
      gtk_widget_measure (row, orientation, -1, &least, NULL, NULL, NULL);
      *minimum = MAX (*minimum, least);
    }
  *natural = *minimum;
}

static void
hearth_message_column_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  HearthMessageColumn *self = HEARTH_MESSAGE_COLUMN (widget);
  double y = MARGIN_TOP - self->last_value;
  int height = gtk_widget_get_height (widget);

  for (guint i = 0; i < self->slots->len && y < height; i++)
    {
      struct slot *slot = get_slot (self, i);

      if (slot->row != NULL && y + slot->height > 0)
        gtk_widget_snapshot_child (widget, slot->row, snapshot);
      y += slot->height;
    }
}

/* ---- scrolling -------------------------------------------------------------------------- */

static void
scrolled_cb (HearthMessageColumn *self, GtkAdjustment *adjustment)
{
  double value = gtk_adjustment_get_value (adjustment);
  double end = gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment);

  if (self->configuring || self->slots->len == 0)
    return;
  /* Only a move away from the end, which growing text never causes, is the reader's wish. */
  set_following (self, value >= end - AT_END);
  anchor_at (self, value);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

static void
set_adjustment (HearthMessageColumn *self, GtkOrientation orientation, GtkAdjustment *adjustment)
{
  if (adjustment != NULL && self->adjustments[orientation] == adjustment)
    return;
  if (adjustment == NULL)
    adjustment = gtk_adjustment_new (0, 0, 0, 0, 0, 0);
  if (self->adjustments[orientation] != NULL)
    g_signal_handlers_disconnect_by_data (self->adjustments[orientation], self);
  g_clear_object (&self->adjustments[orientation]);
  self->adjustments[orientation] = g_object_ref_sink (adjustment);
  if (orientation == GTK_ORIENTATION_VERTICAL)
    g_signal_connect_object (adjustment, "value-changed", G_CALLBACK (scrolled_cb), self,
                             G_CONNECT_SWAPPED);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

static void
scrollable_init (GtkScrollableInterface *iface)
{
}

void
hearth_message_column_scroll_to_end (HearthMessageColumn *self)
{
  g_return_if_fail (HEARTH_IS_MESSAGE_COLUMN (self));

  set_following (self, TRUE);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

void
hearth_message_column_scroll_to (HearthMessageColumn *self, guint position, double offset)
{
  g_return_if_fail (HEARTH_IS_MESSAGE_COLUMN (self));

  set_following (self, FALSE);
  self->anchor = position;
  self->anchor_offset = offset;
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

void
hearth_message_column_hold (HearthMessageColumn *self, guint position)
{
  g_return_if_fail (HEARTH_IS_MESSAGE_COLUMN (self));

  if (position >= self->slots->len)
    return;
  set_following (self, FALSE);
  self->anchor = position;
  self->anchor_offset = self->last_value - top_of (self, position);
}

gboolean
hearth_message_column_get_place (HearthMessageColumn *self, guint *position, double *offset)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE_COLUMN (self), FALSE);

  if (self->slots->len == 0)
    return FALSE;
  *position = self->anchor;
  *offset = self->anchor_offset;
  return TRUE;
}

void
hearth_message_column_reveal (HearthMessageColumn *self, GtkWidget *widget,
                              const graphene_rect_t *area)
{
  GtkAdjustment *adjustment = vertical (self);
  double page = gtk_adjustment_get_page_size (adjustment);
  double value = gtk_adjustment_get_value (adjustment);
  graphene_point_t top;
  double start, end;

  if (!gtk_widget_compute_point (widget, GTK_WIDGET (self), &area->origin, &top))
    return;
  start = value + top.y - 12;
  end = value + top.y + area->size.height + 12;
  if (start < value || end - start > page)
    gtk_adjustment_set_value (adjustment, start);
  else if (end > value + page)
    gtk_adjustment_set_value (adjustment, end - page);
}

/* The keyboard has gone somewhere: to what can be seen of it. */
static void
hearth_message_column_set_focus_child (GtkWidget *widget, GtkWidget *child)
{
  HearthMessageColumn *self = HEARTH_MESSAGE_COLUMN (widget);
  GtkWidget *focus;

  GTK_WIDGET_CLASS (hearth_message_column_parent_class)->set_focus_child (widget, child);
  focus = child;
  while (focus != NULL && gtk_widget_get_focus_child (focus) != NULL)
    focus = gtk_widget_get_focus_child (focus);
  if (focus != NULL && gtk_widget_get_height (focus) > 0)
    hearth_message_column_reveal (
      self, focus,
      &GRAPHENE_RECT_INIT (
        0, 0, 1,
        MIN ((float) gtk_widget_get_height (focus), (float) gtk_widget_get_height (widget) / 2)));
}

/* ---- the model -------------------------------------------------------------------------- */

static void
clear_slot (gpointer data)
{
  struct slot *slot = data;

  drop_row (slot);
  g_clear_object (&slot->message);
}

static void
mark_last (HearthMessageColumn *self)
{
  for (guint i = 0; i < self->slots->len; i++)
    {
      GtkWidget *row = get_slot (self, i)->row;

      if (row == NULL)
        continue;
      if (i + 1 == self->slots->len)
        gtk_widget_add_css_class (row, "last");
      else
        gtk_widget_remove_css_class (row, "last");
      gtk_accessible_update_relation (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_RELATION_POS_IN_SET,
                                      (int) i + 1, GTK_ACCESSIBLE_RELATION_SET_SIZE,
                                      (int) self->slots->len, -1);
    }
}

static void
items_changed_cb (HearthMessageColumn *self, guint position, guint removed, guint added)
{
  g_autofree struct slot *fresh = g_new0 (struct slot, added + 1);

  for (guint i = 0; i < added; i++)
    {
      fresh[i].message = g_list_model_get_item (self->model, position + i);
      fresh[i].height = guess_height (self, fresh[i].message);
    }
  if (removed > 0)
    g_array_remove_range (self->slots, position, removed);
  g_array_insert_vals (self->slots, position, fresh, added);
  /* What is read stays where it is when something changes above it. */
  if (self->anchor >= position + removed && removed != added)
    self->anchor = self->anchor - removed + added;
  else if (self->anchor >= position && self->anchor < position + removed && added == 0)
    self->anchor = position > 0 ? position - 1 : 0;
  mark_last (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

void
hearth_message_column_set_model (HearthMessageColumn *self, GListModel *model,
                                 HearthMessageColumnCreate create, gpointer user_data)
{
  g_return_if_fail (HEARTH_IS_MESSAGE_COLUMN (self));

  if (self->model != NULL)
    g_signal_handlers_disconnect_by_data (self->model, self);
  g_array_set_size (self->slots, 0);
  g_set_object (&self->model, model);
  self->create = create;
  self->create_data = user_data;
  self->anchor = 0;
  self->anchor_offset = -MARGIN_TOP;
  set_following (self, TRUE);
  if (model == NULL)
    return;
  g_signal_connect_object (model, "items-changed", G_CALLBACK (items_changed_cb), self,
                           G_CONNECT_SWAPPED);
  items_changed_cb (self, 0, 0, g_list_model_get_n_items (model));
}

gboolean
hearth_message_column_get_following (HearthMessageColumn *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE_COLUMN (self), FALSE);

  return self->following;
}

GtkWidget *
hearth_message_column_get_row (HearthMessageColumn *self, guint position)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE_COLUMN (self), NULL);

  return position < self->slots->len ? ensure_row (self, position) : NULL;
}

guint
hearth_message_column_get_n_rows (HearthMessageColumn *self)
{
  guint n = 0;

  g_return_val_if_fail (HEARTH_IS_MESSAGE_COLUMN (self), 0);

  for (guint i = 0; i < self->slots->len; i++)
    n += get_slot (self, i)->row != NULL;
  return n;
}

guint64
hearth_message_column_get_n_made (HearthMessageColumn *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE_COLUMN (self), 0);

  return self->n_made;
}

/* ---- object ----------------------------------------------------------------------------- */

static void
hearth_message_column_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthMessageColumn *self = HEARTH_MESSAGE_COLUMN (object);

  switch (id)
    {
    case PROP_FOLLOWING:
      g_value_set_boolean (value, self->following);
      break;
    case PROP_HADJUSTMENT:
    case PROP_VADJUSTMENT:
      g_value_set_object (value, self->adjustments[id == PROP_VADJUSTMENT]);
      break;
    case PROP_HSCROLL_POLICY:
    case PROP_VSCROLL_POLICY:
      g_value_set_enum (value, (int) self->policies[id == PROP_VSCROLL_POLICY]);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_message_column_set_property (GObject *object, guint id, const GValue *value,
                                    GParamSpec *pspec)
{
  HearthMessageColumn *self = HEARTH_MESSAGE_COLUMN (object);

  switch (id)
    {
    case PROP_HADJUSTMENT:
      set_adjustment (self, GTK_ORIENTATION_HORIZONTAL, g_value_get_object (value));
      break;
    case PROP_VADJUSTMENT:
      set_adjustment (self, GTK_ORIENTATION_VERTICAL, g_value_get_object (value));
      break;
    case PROP_HSCROLL_POLICY:
    case PROP_VSCROLL_POLICY:
      self->policies[id == PROP_VSCROLL_POLICY] = (GtkScrollablePolicy) g_value_get_enum (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_message_column_dispose (GObject *object)
{
  HearthMessageColumn *self = HEARTH_MESSAGE_COLUMN (object);

  g_clear_handle_id (&self->trim_id, g_source_remove);
  hearth_message_column_set_model (self, NULL, NULL, NULL);
  for (int i = 0; i < 2; i++)
    {
      if (self->adjustments[i] != NULL)
        g_signal_handlers_disconnect_by_data (self->adjustments[i], self);
      g_clear_object (&self->adjustments[i]);
    }
  G_OBJECT_CLASS (hearth_message_column_parent_class)->dispose (object);
}

static void
hearth_message_column_finalize (GObject *object)
{
  g_array_unref (HEARTH_MESSAGE_COLUMN (object)->slots);
  G_OBJECT_CLASS (hearth_message_column_parent_class)->finalize (object);
}

static void
hearth_message_column_class_init (HearthMessageColumnClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_message_column_dispose;
  object_class->finalize = hearth_message_column_finalize;
  object_class->get_property = hearth_message_column_get_property;
  object_class->set_property = hearth_message_column_set_property;
  widget_class->measure = hearth_message_column_measure;
  widget_class->size_allocate = hearth_message_column_size_allocate;
  widget_class->snapshot = hearth_message_column_snapshot;
  widget_class->set_focus_child = hearth_message_column_set_focus_child;

  properties[PROP_FOLLOWING] =
    g_param_spec_boolean ("following", NULL, NULL, TRUE,
                          G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  g_object_class_override_property (object_class, PROP_HADJUSTMENT, "hadjustment");
  g_object_class_override_property (object_class, PROP_VADJUSTMENT, "vadjustment");
  g_object_class_override_property (object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
  g_object_class_override_property (object_class, PROP_VSCROLL_POLICY, "vscroll-policy");
  gtk_widget_class_set_css_name (widget_class, "messages");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LIST);
}

static void
hearth_message_column_init (HearthMessageColumn *self)
{
  self->slots = g_array_new (FALSE, TRUE, sizeof (struct slot));
  g_array_set_clear_func (self->slots, clear_slot);
  self->following = TRUE;
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Conversation"), -1);
}
