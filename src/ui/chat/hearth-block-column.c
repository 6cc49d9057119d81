/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-block-column.h"

#include <string.h>

#include <glib/gi18n.h>

#include "hearth-code-block.h"
#include "hearth-focus.h"
#include "hearth-text-block.h"
#include "hearth-text-table.h"

/* Blocks in a section. */
#define SECTION 32
#define SPACING 12
#define LIST_SPACING 6
/* Bytes of plain text in a piece. */
#define PIECE 4096

struct shown
{
  HearthMarkdownBlock *block;
  GtkWidget *widget;  /* in `section` */
  GtkWidget *section; /* a box */
};

struct _HearthBlockColumn
{
  GtkWidget parent_instance;

  GArray *shown; /* of struct shown */
  gboolean compact;
  /* Pieces at the beginning that stay as they are when the text grows, and their bytes. */
  guint n_settled;
  gsize settled_size;
  gboolean plain;
};

G_DEFINE_FINAL_TYPE (HearthBlockColumn, hearth_block_column, GTK_TYPE_WIDGET)

/* ---- one block -------------------------------------------------------------------------- */

static GtkWidget *
new_rule (void)
{
  GtkWidget *rule = gtk_separator_new (GTK_ORIENTATION_HORIZONTAL);

  gtk_widget_add_css_class (rule, "rule");
  return rule;
}

static GtkWidget *
new_quote (void)
{
  GtkWidget *quote =
    g_object_new (GTK_TYPE_BOX, "accessible-role", GTK_ACCESSIBLE_ROLE_BLOCK_QUOTE, NULL);
  GtkWidget *column = hearth_block_column_new (TRUE);

  gtk_widget_set_hexpand (column, TRUE);
  gtk_widget_add_css_class (quote, "quote");
  gtk_box_append (GTK_BOX (quote), column);
  return quote;
}

static GtkWidget *
new_item (void)
{
  GtkWidget *item =
    g_object_new (GTK_TYPE_BOX, "accessible-role", GTK_ACCESSIBLE_ROLE_LIST_ITEM, NULL);
  GtkWidget *column = hearth_block_column_new (TRUE);

  gtk_widget_set_hexpand (column, TRUE);
  gtk_widget_add_css_class (item, "item");
  gtk_box_append (GTK_BOX (item), column);
  return item;
}

static GtkWidget *
new_widget (const HearthMarkdownBlock *block, gboolean plain)
{
  GtkWidget *widget;
  char style[3] = { 'h', (char) ('0' + MIN (block->level, 9)), '\0' };

  switch (block->kind)
    {
    case HEARTH_MARKDOWN_HEADING:
      widget = hearth_text_block_new (GTK_ACCESSIBLE_ROLE_HEADING, HEARTH_TEXT_FILL);
      gtk_widget_add_css_class (widget, style);
      gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LEVEL,
                                      (int) block->level, -1);
      return widget;
    case HEARTH_MARKDOWN_CODE:
      return hearth_code_block_new ();
    case HEARTH_MARKDOWN_ITEM:
      return new_item ();
    case HEARTH_MARKDOWN_QUOTE:
      return new_quote ();
    case HEARTH_MARKDOWN_TABLE:
      return hearth_text_table_new ();
    case HEARTH_MARKDOWN_RULE:
      return new_rule ();
    case HEARTH_MARKDOWN_PARAGRAPH:
    default:
      return hearth_text_block_new (GTK_ACCESSIBLE_ROLE_PARAGRAPH,
                                    plain ? HEARTH_TEXT_WRAP : HEARTH_TEXT_FILL);
    }
}

/* The bullet, number or box before an item. */
static void
set_marker (GtkWidget *item, const HearthMarkdownBlock *block)
{
  GtkWidget *column = gtk_widget_get_last_child (item);
  GtkWidget *marker = gtk_widget_get_first_child (item);

  if (marker != column)
    gtk_box_remove (GTK_BOX (item), marker);
  if (block->task != HEARTH_MARKDOWN_NO_TASK)
    {
      gboolean done = block->task == HEARTH_MARKDOWN_DONE_TASK;

      marker = g_object_new (GTK_TYPE_IMAGE, "accessible-role", GTK_ACCESSIBLE_ROLE_IMG, NULL);
      if (done)
        gtk_image_set_from_icon_name (GTK_IMAGE (marker), "object-select-symbolic");
      gtk_widget_add_css_class (marker, "task");
      if (done)
        gtk_widget_add_css_class (marker, "done");
      gtk_widget_set_valign (marker, GTK_ALIGN_START);
      gtk_accessible_update_property (GTK_ACCESSIBLE (marker), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      done ? _ ("Done") : _ ("Not done"), -1);
    }
  else
    {
      g_autofree char *number = g_strdup_printf ("%u.", block->ordinal);

      marker = gtk_label_new (block->ordered ? number : "•");
      gtk_label_set_xalign (GTK_LABEL (marker), 1);
      gtk_label_set_width_chars (GTK_LABEL (marker), 2);
      gtk_widget_set_valign (marker, GTK_ALIGN_START);
      gtk_widget_add_css_class (marker, "numeric");
    }
  gtk_widget_add_css_class (marker, "marker");
  gtk_box_insert_child_after (GTK_BOX (item), marker, NULL);
}

static gboolean
same_marker (const HearthMarkdownBlock *a, const HearthMarkdownBlock *b)
{
  return a != NULL && a->ordered == b->ordered && a->ordinal == b->ordinal && a->task == b->task;
}

static void
set_widget (GtkWidget *widget, const HearthMarkdownBlock *before, HearthMarkdownBlock *block)
{
  switch (block->kind)
    {
    case HEARTH_MARKDOWN_PARAGRAPH:
    case HEARTH_MARKDOWN_HEADING:
      hearth_text_block_set_text (HEARTH_TEXT_BLOCK (widget), block->text);
      break;
    case HEARTH_MARKDOWN_CODE:
      hearth_code_block_set_code (HEARTH_CODE_BLOCK (widget), block->text->string->str,
                                  block->text->string->len, block->language);
      break;
    case HEARTH_MARKDOWN_TABLE:
      hearth_text_table_set_block (HEARTH_TEXT_TABLE (widget), block);
      break;
    case HEARTH_MARKDOWN_ITEM:
      if (!same_marker (before, block))
        set_marker (widget, block);
      hearth_block_column_set_blocks (HEARTH_BLOCK_COLUMN (gtk_widget_get_last_child (widget)),
                                      (HearthMarkdownBlock *const *) block->children->pdata,
                                      block->children->len, 0);
      break;
    case HEARTH_MARKDOWN_QUOTE:
      hearth_block_column_set_blocks (HEARTH_BLOCK_COLUMN (gtk_widget_get_first_child (widget)),
                                      (HearthMarkdownBlock *const *) block->children->pdata,
                                      block->children->len, 0);
      break;
    case HEARTH_MARKDOWN_RULE:
    default:
      break;
    }
}

/* ---- the column ------------------------------------------------------------------------- */

static struct shown *
get_shown (HearthBlockColumn *self, guint i)
{
  return &g_array_index (self->shown, struct shown, i);
}

/* Takes the last block away. */
static void
pop (HearthBlockColumn *self)
{
  struct shown *last = get_shown (self, self->shown->len - 1);

  gtk_box_remove (GTK_BOX (last->section), last->widget);
  if (gtk_widget_get_first_child (last->section) == NULL)
    gtk_widget_unparent (last->section);
  hearth_markdown_block_unref (last->block);
  g_array_set_size (self->shown, self->shown->len - 1);
}

/* A list is a section of its own, which voice output calls a list. */
static GtkWidget *
section_for (HearthBlockColumn *self, const HearthMarkdownBlock *block)
{
  struct shown *last = self->shown->len > 0 ? get_shown (self, self->shown->len - 1) : NULL;
  gboolean item = block->kind == HEARTH_MARKDOWN_ITEM;
  GtkWidget *section;

  if (last != NULL && item == (last->block->kind == HEARTH_MARKDOWN_ITEM) &&
      (!item || last->block->ordered == block->ordered))
    {
      guint n = 0;

      for (guint i = self->shown->len; i > 0 && get_shown (self, i - 1)->section == last->section;
           i--)
        n++;
      if (n < SECTION)
        return last->section;
    }
  section = g_object_new (GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL, "spacing",
                          item || self->compact ? LIST_SPACING : SPACING, "accessible-role",
                          item ? GTK_ACCESSIBLE_ROLE_LIST : GTK_ACCESSIBLE_ROLE_GENERIC, NULL);
  if (last != NULL && item && last->block->kind == HEARTH_MARKDOWN_ITEM &&
      last->block->ordered == block->ordered)
    gtk_widget_add_css_class (section, "list-goes-on");
  if (!item && !self->compact)
    gtk_widget_add_css_class (section, "paragraphs");
  gtk_widget_set_parent (section, GTK_WIDGET (self));
  return section;
}

static void
push (HearthBlockColumn *self, HearthMarkdownBlock *block)
{
  struct shown shown = { .section = section_for (self, block),
                         .widget = new_widget (block, self->plain) };

  if (block->continues)
    gtk_widget_add_css_class (shown.widget, "continues");
  gtk_box_append (GTK_BOX (shown.section), shown.widget);
  set_widget (shown.widget, NULL, block);
  shown.block = hearth_markdown_block_ref (block);
  g_array_append_val (self->shown, shown);
}

static gboolean
may_change_into (const HearthMarkdownBlock *from, const HearthMarkdownBlock *to)
{
  return from->kind == to->kind && from->level == to->level && from->continues == to->continues &&
         from->ordered == to->ordered;
}

/* These blocks instead of those that are shown from `i` on. */
static void
show_from (HearthBlockColumn *self, guint i, HearthMarkdownBlock *const *blocks, guint n)
{
  guint k;

  for (k = 0; k < n && i < self->shown->len; k++, i++)
    {
      struct shown *shown = get_shown (self, i);

      if (!may_change_into (shown->block, blocks[k]))
        break;
      if (!hearth_markdown_block_equal (shown->block, blocks[k]))
        set_widget (shown->widget, shown->block, blocks[k]);
      hearth_markdown_block_unref (shown->block);
      shown->block = hearth_markdown_block_ref (blocks[k]);
    }
  while (self->shown->len > i)
    pop (self);
  for (; k < n; k++)
    push (self, blocks[k]);
}

void
hearth_block_column_set_blocks (HearthBlockColumn *self, HearthMarkdownBlock *const *blocks,
                                guint n, guint first)
{
  guint i;

  g_return_if_fail (HEARTH_IS_BLOCK_COLUMN (self));

  i = MIN (MIN (first, n), self->shown->len);
  show_from (self, i, blocks + i, n - i);
}

void
hearth_block_column_set_plain (HearthBlockColumn *self, const char *text, gsize size, gboolean more)
{
  self->n_settled = 0;
  self->settled_size = 0;
  hearth_block_column_grow_plain (self, text, size, more);
}

void
hearth_block_column_grow_plain (HearthBlockColumn *self, const char *text, gsize size,
                                gboolean more)
{
  g_autoptr (GPtrArray) blocks =
    g_ptr_array_new_with_free_func ((GDestroyNotify) hearth_markdown_block_unref);
  guint first = self->n_settled;

  self->plain = TRUE;
  for (gsize from = self->settled_size; from < size;)
    {
      HearthMarkdownBlock *block = hearth_markdown_block_new (HEARTH_MARKDOWN_PARAGRAPH);
      gsize start = from;
      gsize to = MIN (from + PIECE, size);
      const char *line = to < size ? memchr (text + to, '\n', MIN (size - to, PIECE)) : NULL;
      gboolean settled = line != NULL || to + PIECE < size;

      if (line != NULL)
        to = (gsize) (line - text);
      while (to < size && ((guchar) text[to] & 0xc0) == 0x80)
        to++;
      hearth_markdown_text_add (block->text, text + from, to - from, 0, NULL);
      block->continues = from > 0;
      g_ptr_array_add (blocks, block);
      from = line != NULL ? to + 1 : to;
      if (settled)
        {
          self->n_settled = first + blocks->len;
          self->settled_size = from;
        }
      if (from >= size && more)
        {
          hearth_markdown_text_add (block->text, " …", strlen (" …"), 0, NULL);
          /* It is not what a longer text has here. */
          self->n_settled = MIN (self->n_settled, first + blocks->len - 1);
          self->settled_size = MIN (self->settled_size, start);
        }
    }
  show_from (self, first, (HearthMarkdownBlock *const *) blocks->pdata, blocks->len);
}

/* ---- object ----------------------------------------------------------------------------- */

static void
hearth_block_column_dispose (GObject *object)
{
  HearthBlockColumn *self = HEARTH_BLOCK_COLUMN (object);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  for (guint i = 0; i < self->shown->len; i++)
    hearth_markdown_block_unref (get_shown (self, i)->block);
  g_array_set_size (self->shown, 0);
  G_OBJECT_CLASS (hearth_block_column_parent_class)->dispose (object);
}

static void
hearth_block_column_finalize (GObject *object)
{
  g_array_unref (HEARTH_BLOCK_COLUMN (object)->shown);
  G_OBJECT_CLASS (hearth_block_column_parent_class)->finalize (object);
}

static void
hearth_block_column_class_init (HearthBlockColumnClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_block_column_dispose;
  G_OBJECT_CLASS (klass)->finalize = hearth_block_column_finalize;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "blockcolumn");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GENERIC);
}

static void
hearth_block_column_init (HearthBlockColumn *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));

  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  self->shown = g_array_new (FALSE, TRUE, sizeof (struct shown));
}

GtkWidget *
hearth_block_column_new (gboolean compact)
{
  HearthBlockColumn *self = g_object_new (HEARTH_TYPE_BLOCK_COLUMN, NULL);
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));

  self->compact = compact;
  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (layout), compact ? LIST_SPACING : SPACING);
  if (compact)
    gtk_widget_add_css_class (GTK_WIDGET (self), "compact");
  return GTK_WIDGET (self);
}
