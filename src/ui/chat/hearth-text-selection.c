/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-text-selection.h"

#include <math.h>
#include <string.h>

#include "hearth-code-block.h"

struct place
{
  HearthTextBlock *block; /* weak */
  guint position;
};

struct _HearthTextSelection
{
  GtkWidget *root;
  struct place anchor;
  struct place caret;
  double wanted_x; /* of up and down, in the root; negative: where the caret is */
};

/* ---- blocks in order -------------------------------------------------------------------- */

static GtkWidget *
next_widget (GtkWidget *root, GtkWidget *widget, gboolean into)
{
  GtkWidget *next = into ? gtk_widget_get_first_child (widget) : NULL;

  while (next == NULL && widget != root)
    {
      next = gtk_widget_get_next_sibling (widget);
      if (next == NULL)
        widget = gtk_widget_get_parent (widget);
    }
  return next;
}

static GtkWidget *
previous_widget (GtkWidget *root, GtkWidget *widget)
{
  GtkWidget *previous = gtk_widget_get_prev_sibling (widget);

  if (previous == NULL)
    {
      widget = gtk_widget_get_parent (widget);
      return widget == root ? NULL : widget;
    }
  for (GtkWidget *last; (last = gtk_widget_get_last_child (previous)) != NULL;)
    previous = last;
  return previous;
}

static HearthTextBlock *
next_block (HearthTextSelection *self, HearthTextBlock *block)
{
  GtkWidget *widget = block != NULL ? GTK_WIDGET (block) : self->root;

  do
    widget = next_widget (self->root, widget, !HEARTH_IS_TEXT_BLOCK (widget));
  while (widget != NULL && !HEARTH_IS_TEXT_BLOCK (widget));
  return (HearthTextBlock *) widget;
}

static HearthTextBlock *
previous_block (HearthTextSelection *self, HearthTextBlock *block)
{
  GtkWidget *widget = GTK_WIDGET (block);

  do
    widget = previous_widget (self->root, widget);
  while (widget != NULL && !HEARTH_IS_TEXT_BLOCK (widget));
  return (HearthTextBlock *) widget;
}

static HearthTextBlock *
last_block (HearthTextSelection *self)
{
  GtkWidget *widget = self->root;

  for (GtkWidget *last; (last = gtk_widget_get_last_child (widget)) != NULL;)
    widget = last;
  if (widget == self->root)
    return NULL;
  /* The widget may be a block's link: go up to the block, else back to the one before. */
  for (GtkWidget *up = widget; up != self->root; up = gtk_widget_get_parent (up))
    {
      if (HEARTH_IS_TEXT_BLOCK (up))
        return HEARTH_TEXT_BLOCK (up);
    }
  while (widget != NULL && !HEARTH_IS_TEXT_BLOCK (widget))
    widget = previous_widget (self->root, widget);
  return (HearthTextBlock *) widget;
}

static guint
depth_of (GtkWidget *root, GtkWidget *widget)
{
  guint depth = 0;

  for (; widget != root; widget = gtk_widget_get_parent (widget))
    depth++;
  return depth;
}

/* Whether a comes before b, which is another widget. */
static gboolean
is_before (GtkWidget *root, GtkWidget *a, GtkWidget *b)
{
  guint depth_a = depth_of (root, a);
  guint depth_b = depth_of (root, b);

  for (; depth_a > depth_b; depth_a--)
    a = gtk_widget_get_parent (a);
  for (; depth_b > depth_a; depth_b--)
    b = gtk_widget_get_parent (b);
  while (gtk_widget_get_parent (a) != gtk_widget_get_parent (b))
    {
      a = gtk_widget_get_parent (a);
      b = gtk_widget_get_parent (b);
    }
  /* Look in both directions at once: near neighbours are the rule. */
  for (GtkWidget *left = a, *right = a; left != NULL || right != NULL;)
    {
      if (right != NULL && (right = gtk_widget_get_next_sibling (right)) == b)
        return TRUE;
      if (left != NULL && (left = gtk_widget_get_prev_sibling (left)) == b)
        return FALSE;
    }
  return TRUE;
}

static void
set_place (struct place *place, HearthTextBlock *block, guint position)
{
  g_set_weak_pointer (&place->block, block);
  place->position = position;
}

/* The ends of the selection in the order of the text. */
static gboolean
get_ends (HearthTextSelection *self, struct place *first, struct place *last)
{
  const struct place *a = &self->anchor;
  const struct place *b = &self->caret;
  gboolean forward;

  if (a->block == NULL || b->block == NULL)
    return FALSE;
  if (a->block == b->block)
    forward = a->position <= b->position;
  else
    forward = is_before (self->root, GTK_WIDGET (a->block), GTK_WIDGET (b->block));
  *first = forward ? *a : *b;
  *last = forward ? *b : *a;
  return a->block != b->block || a->position != b->position;
}

static void
show (HearthTextSelection *self)
{
  struct place first = { 0 }, last = { 0 };
  gboolean any = get_ends (self, &first, &last);
  gboolean inside = FALSE;

  for (HearthTextBlock *block = next_block (self, NULL); block != NULL;
       block = next_block (self, block))
    {
      guint start = 0, end = 0;

      if (any && block == first.block)
        inside = TRUE;
      if (inside)
        {
          start = block == first.block ? first.position : 0;
          end = block == last.block ? last.position : hearth_text_block_get_size (block);
        }
      hearth_text_block_set_selection (block, start, end);
      if (block != self->caret.block)
        {
          hearth_text_block_set_caret (block, -1);
          gtk_widget_set_focusable (GTK_WIDGET (block), FALSE);
        }
      if (any && block == last.block)
        inside = FALSE;
    }
  if (self->caret.block != NULL)
    {
      gtk_widget_set_focusable (GTK_WIDGET (self->caret.block), TRUE);
      hearth_text_block_set_caret (self->caret.block, (int) self->caret.position);
    }
}

/* ---- public ----------------------------------------------------------------------------- */

HearthTextSelection *
hearth_text_selection_new (GtkWidget *root)
{
  HearthTextSelection *self = g_new0 (HearthTextSelection, 1);

  self->root = root;
  self->wanted_x = -1;
  return self;
}

void
hearth_text_selection_free (HearthTextSelection *self)
{
  if (self == NULL)
    return;
  g_clear_weak_pointer (&self->anchor.block);
  g_clear_weak_pointer (&self->caret.block);
  g_free (self);
}

/* A text that grows may become shorter: of a link only the label is left once it is complete.
 * Returns: whether the place has moved */
static gboolean
keep_inside (struct place *place)
{
  const char *text = hearth_text_block_get_text (place->block);
  guint position = MIN (place->position, hearth_text_block_get_size (place->block));

  while (position > 0 && ((guchar) text[position] & 0xc0) == 0x80)
    position--;
  if (position == place->position)
    return FALSE;
  place->position = position;
  return TRUE;
}

void
hearth_text_selection_update (HearthTextSelection *self)
{
  HearthTextBlock *first;

  if (self->anchor.block != NULL && self->caret.block != NULL)
    {
      gboolean anchor_moved = keep_inside (&self->anchor);
      gboolean caret_moved = keep_inside (&self->caret);

      if (anchor_moved || caret_moved)
        show (self);
      return;
    }
  first = next_block (self, NULL);
  set_place (&self->anchor, first, 0);
  set_place (&self->caret, first, 0);
  if (first != NULL)
    show (self);
}

gboolean
hearth_text_selection_is_empty (HearthTextSelection *self)
{
  struct place first, last;

  return !get_ends (self, &first, &last);
}

void
hearth_text_selection_select_all (HearthTextSelection *self)
{
  HearthTextBlock *first = next_block (self, NULL);
  HearthTextBlock *last = last_block (self);

  if (first == NULL || last == NULL)
    return;
  set_place (&self->anchor, first, 0);
  set_place (&self->caret, last, hearth_text_block_get_size (last));
  show (self);
}

/* ---- as text ---------------------------------------------------------------------------- */

static GtkWidget *
ancestor_of_style (GtkWidget *root, GtkWidget *widget, const char *style)
{
  for (; widget != NULL && widget != root; widget = gtk_widget_get_parent (widget))
    {
      if (gtk_widget_has_css_class (widget, style))
        return widget;
    }
  return NULL;
}

/* The markers of the items that begin with this block. */
static void
append_markers (HearthTextSelection *self, HearthTextBlock *block, GString *out)
{
  GtkWidget *item = ancestor_of_style (self->root, GTK_WIDGET (block), "item");
  guint depth = 0;

  if (item == NULL)
    return;
  for (GtkWidget *up = gtk_widget_get_parent (item);
       (up = ancestor_of_style (self->root, up, "item")) != NULL; up = gtk_widget_get_parent (up))
    depth++;
  g_string_append_printf (out, "%*s", (int) depth * 2, "");
  {
    GtkWidget *marker = gtk_widget_get_first_child (item);
    HearthTextBlock *before = previous_block (self, block);

    if (before != NULL && gtk_widget_is_ancestor (GTK_WIDGET (before), item))
      g_string_append (out, "  ");
    else if (GTK_IS_LABEL (marker))
      {
        const char *text = gtk_label_get_text (GTK_LABEL (marker));

        g_string_append_printf (out, "%s ", g_ascii_isdigit (*text) ? text : "-");
      }
    else
      g_string_append (out, gtk_widget_has_css_class (marker, "done") ? "- [x] " : "- [ ] ");
  }
}

/* What stands between two blocks. */
static const char *
separator (HearthTextSelection *self, HearthTextBlock *before, HearthTextBlock *block)
{
  GtkWidget *a = GTK_WIDGET (before);
  GtkWidget *b = GTK_WIDGET (block);
  GtkWidget *code = gtk_widget_get_ancestor (b, HEARTH_TYPE_CODE_BLOCK);
  GtkAccessibleRole role = gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (b));

  if (role == GTK_ACCESSIBLE_ROLE_CELL)
    {
      GtkWidget *row = gtk_widget_get_parent (b);

      if (row == gtk_widget_get_parent (a))
        return "\t";
      if (gtk_widget_get_parent (row) == gtk_widget_get_parent (gtk_widget_get_parent (a)))
        return "\n";
    }
  if (code != NULL && code == gtk_widget_get_ancestor (a, HEARTH_TYPE_CODE_BLOCK))
    return "\n";
  if (gtk_widget_has_css_class (b, "continues"))
    return "";
  if (ancestor_of_style (self->root, a, "item") != NULL &&
      ancestor_of_style (self->root, b, "item") != NULL)
    return "\n";
  return "\n\n";
}

char *
hearth_text_selection_dup_text (HearthTextSelection *self)
{
  GString *out = g_string_new (NULL);
  struct place first, last;
  HearthTextBlock *before = NULL;

  if (!get_ends (self, &first, &last))
    return g_string_free (out, FALSE);
  for (HearthTextBlock *block = first.block; block != NULL; block = next_block (self, block))
    {
      guint start = block == first.block ? first.position : 0;
      guint end = block == last.block ? last.position : hearth_text_block_get_size (block);

      if (before != NULL)
        g_string_append (out, separator (self, before, block));
      if (start == 0 && first.block != last.block)
        append_markers (self, block, out);
      g_string_append_len (out, hearth_text_block_get_text (block) + start, end - start);
      before = block;
      if (block == last.block)
        break;
    }
  return g_string_free (out, FALSE);
}

/* ---- the pointer ------------------------------------------------------------------------ */

HearthTextBlock *
hearth_text_selection_get_block_at (HearthTextSelection *self, double x, double y)
{
  GtkWidget *widget = gtk_widget_pick (self->root, x, y, GTK_PICK_DEFAULT);

  while (widget != NULL && widget != self->root && !HEARTH_IS_TEXT_BLOCK (widget))
    widget = gtk_widget_get_parent (widget);
  return widget != NULL && widget != self->root ? HEARTH_TEXT_BLOCK (widget) : NULL;
}

static double
distance (GtkWidget *root, GtkWidget *widget, double x, double y)
{
  graphene_rect_t area;
  double dx, dy;

  if (!gtk_widget_get_mapped (widget) || !gtk_widget_compute_bounds (widget, root, &area))
    return INFINITY;
  dx = MAX (0, MAX (area.origin.x - x, x - (area.origin.x + area.size.width)));
  dy = MAX (0, MAX (area.origin.y - y, y - (area.origin.y + area.size.height)));
  return dy * 1000 + dx; /* lines first */
}

/* The block closest to a point that is on none: always into the closest child that has one. */
static HearthTextBlock *
closest_block (GtkWidget *root, GtkWidget *widget, double x, double y)
{
  HearthTextBlock *found = NULL;
  double best = INFINITY;

  if (HEARTH_IS_TEXT_BLOCK (widget))
    return HEARTH_TEXT_BLOCK (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      double far = distance (root, child, x, y);
      HearthTextBlock *block = far < best ? closest_block (root, child, x, y) : NULL;

      if (block == NULL)
        continue;
      best = far;
      found = block;
    }
  return found;
}

static gboolean
place_at (HearthTextSelection *self, double x, double y, struct place *place)
{
  HearthTextBlock *block = hearth_text_selection_get_block_at (self, x, y);
  graphene_point_t point;

  if (block == NULL)
    block = closest_block (self->root, self->root, x, y);
  if (block == NULL ||
      !gtk_widget_compute_point (self->root, GTK_WIDGET (block),
                                 &GRAPHENE_POINT_INIT ((float) x, (float) y), &point))
    return FALSE;
  place->block = block;
  place->position = hearth_text_block_get_position_at (block, point.x, point.y);
  return TRUE;
}

void
hearth_text_selection_press (HearthTextSelection *self, double x, double y, int n_presses,
                             gboolean extend)
{
  struct place place;

  self->wanted_x = -1;
  if (!place_at (self, x, y, &place))
    return;
  set_place (&self->caret, place.block, place.position);
  if (!extend || self->anchor.block == NULL)
    set_place (&self->anchor, place.block, place.position);
  if (n_presses > 1)
    {
      const char *text = hearth_text_block_get_text (place.block);
      guint start, end;

      hearth_text_block_get_around (place.block,
                                    (guint) g_utf8_pointer_to_offset (text, text + place.position),
                                    n_presses == 2 ? GTK_ACCESSIBLE_TEXT_GRANULARITY_WORD
                                                   : GTK_ACCESSIBLE_TEXT_GRANULARITY_PARAGRAPH,
                                    &start, &end);
      self->anchor.position = (guint) (g_utf8_offset_to_pointer (text, (glong) start) - text);
      self->caret.position = (guint) (g_utf8_offset_to_pointer (text, (glong) end) - text);
    }
  show (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->caret.block));
}

void
hearth_text_selection_drag (HearthTextSelection *self, double x, double y)
{
  struct place place;

  if (self->anchor.block == NULL || !place_at (self, x, y, &place) ||
      (place.block == self->caret.block && place.position == self->caret.position))
    return;
  set_place (&self->caret, place.block, place.position);
  show (self);
}

/* ---- the keyboard ----------------------------------------------------------------------- */

static void
move_in_block (struct place *place, gboolean words, int count)
{
  PangoLayout *layout = hearth_text_block_get_layout (place->block);
  const char *text = hearth_text_block_get_text (place->block);
  int n, at;
  const PangoLogAttr *attrs = pango_layout_get_log_attrs_readonly (layout, &n);

  at = (int) g_utf8_pointer_to_offset (text, text + place->position);
  do
    at += count;
  while (at > 0 && at < n - 1 &&
         !(words ? (count > 0 ? attrs[at].is_word_end : attrs[at].is_word_start)
                 : attrs[at].is_cursor_position));
  at = CLAMP (at, 0, n - 1);
  place->position = (guint) (g_utf8_offset_to_pointer (text, at) - text);
}

static gboolean
move_by_text (HearthTextSelection *self, struct place *place, gboolean words, int count)
{
  guint before = place->position;
  HearthTextBlock *other;

  move_in_block (place, words, count);
  if (place->position != before)
    return TRUE;
  other = count > 0 ? next_block (self, place->block) : previous_block (self, place->block);
  if (other == NULL)
    return FALSE;
  place->block = other;
  place->position = count > 0 ? 0 : hearth_text_block_get_size (other);
  return TRUE;
}

/* A line up or down: within the block, else into the block beside it. */
static gboolean
move_by_line (HearthTextSelection *self, struct place *place, int count)
{
  graphene_rect_t area;
  graphene_point_t point;
  double y;
  struct place found = *place;

  hearth_text_block_get_caret_area (place->block, place->position, &area);
  if (self->wanted_x < 0 &&
      gtk_widget_compute_point (GTK_WIDGET (place->block), self->root, &area.origin, &point))
    self->wanted_x = point.x;
  if (!gtk_widget_compute_point (self->root, GTK_WIDGET (place->block),
                                 &GRAPHENE_POINT_INIT ((float) self->wanted_x, 0), &point))
    return FALSE;
  y = count > 0 ? area.origin.y + area.size.height * 1.5 : area.origin.y - area.size.height * 0.5;
  if (y >= 0 && y < gtk_widget_get_height (GTK_WIDGET (place->block)))
    {
      found.position = hearth_text_block_get_position_at (place->block, point.x, y);
      if (found.position != place->position)
        {
          *place = found;
          return TRUE;
        }
    }
  found.block = count > 0 ? next_block (self, place->block) : previous_block (self, place->block);
  if (found.block == NULL ||
      !gtk_widget_compute_point (self->root, GTK_WIDGET (found.block),
                                 &GRAPHENE_POINT_INIT ((float) self->wanted_x, 0), &point))
    return FALSE;
  found.position = hearth_text_block_get_position_at (
    found.block, point.x, count > 0 ? 1 : gtk_widget_get_height (GTK_WIDGET (found.block)) - 2);
  *place = found;
  return TRUE;
}

static void
move_to_line_end (struct place *place, int count)
{
  PangoLayout *layout = hearth_text_block_get_layout (place->block);
  PangoLayoutLine *line;
  int number;

  pango_layout_index_to_line_x (layout, (int) place->position, FALSE, &number, NULL);
  line = pango_layout_get_line_readonly (layout, number);
  place->position = (guint) (line->start_index + (count > 0 ? line->length : 0));
}

static gboolean
is_rtl (const struct place *place)
{
  PangoLayout *layout = hearth_text_block_get_layout (place->block);

  return pango_layout_get_direction (layout, (int) place->position) == PANGO_DIRECTION_RTL;
}

gboolean
hearth_text_selection_move (HearthTextSelection *self, HearthTextStep step, int count,
                            gboolean extend)
{
  struct place place;
  gboolean moved = TRUE;

  hearth_text_selection_update (self);
  if (self->caret.block == NULL)
    return FALSE;
  place = self->caret;
  if (step != HEARTH_TEXT_DISPLAY_LINES)
    self->wanted_x = -1;
  switch (step)
    {
    case HEARTH_TEXT_CHARACTERS:
    case HEARTH_TEXT_WORDS:
      /* Left and right are what they are on the screen. */
      moved =
        move_by_text (self, &place, step == HEARTH_TEXT_WORDS, is_rtl (&place) ? -count : count);
      break;
    case HEARTH_TEXT_DISPLAY_LINES:
      moved = move_by_line (self, &place, count);
      break;
    case HEARTH_TEXT_LINE_ENDS:
      move_to_line_end (&place, count);
      break;
    case HEARTH_TEXT_ENDS:
    default:
      place.block = count > 0 ? last_block (self) : next_block (self, NULL);
      place.position = count > 0 ? hearth_text_block_get_size (place.block) : 0;
      break;
    }
  if (!moved)
    return FALSE;
  set_place (&self->caret, place.block, place.position);
  if (!extend)
    set_place (&self->anchor, place.block, place.position);
  show (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->caret.block));
  return TRUE;
}
