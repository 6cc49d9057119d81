/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-message-body.h"

#include <string.h>

#include <glib/gi18n.h>

#include "hearth-block-column.h"
#include "hearth-focus.h"
#include "hearth-markdown.h"
#include "hearth-text-link.h"
#include "hearth-text-selection.h"

struct _HearthMessageBody
{
  GtkWidget parent_instance;

  HearthBlockColumn *column;
  HearthMarkdown *markdown;
  HearthTextSelection *selection;
  GtkWidget *menu;

  gboolean finished;
  guint told_block; /* what voice output has heard: up to this place of this block */
  gsize told_bytes;
};

G_DEFINE_FINAL_TYPE (HearthMessageBody, hearth_message_body, GTK_TYPE_WIDGET)

/* ---- content ---------------------------------------------------------------------------- */

static void
show_blocks (HearthMessageBody *self, guint first)
{
  guint n = hearth_markdown_get_n_blocks (self->markdown);
  g_autofree HearthMarkdownBlock **blocks = g_new (HearthMarkdownBlock *, n + 1);

  for (guint i = first; i < n; i++)
    blocks[i] = hearth_markdown_get_block (self->markdown, i);
  hearth_block_column_set_blocks (self->column, blocks, n, first);
  hearth_text_selection_update (self->selection);
}

void
hearth_message_body_clear (HearthMessageBody *self)
{
  g_return_if_fail (HEARTH_IS_MESSAGE_BODY (self));

  g_clear_pointer (&self->markdown, hearth_markdown_free);
  self->markdown = hearth_markdown_new ();
  self->finished = FALSE;
  self->told_block = 0;
  self->told_bytes = 0;
  show_blocks (self, 0);
}

void
hearth_message_body_append (HearthMessageBody *self, const char *text)
{
  g_return_if_fail (HEARTH_IS_MESSAGE_BODY (self));

  if (*text != '\0')
    show_blocks (self, hearth_markdown_append (self->markdown, text));
}

void
hearth_message_body_finish (HearthMessageBody *self)
{
  g_return_if_fail (HEARTH_IS_MESSAGE_BODY (self));

  if (self->finished)
    return;
  self->finished = TRUE;
  show_blocks (self, hearth_markdown_finish (self->markdown));
}

void
hearth_message_body_set_plain (HearthMessageBody *self, const char *text, gsize size, gboolean more)
{
  g_return_if_fail (HEARTH_IS_MESSAGE_BODY (self));

  hearth_block_column_set_plain (self->column, text, size, more);
  hearth_text_selection_update (self->selection);
}

void
hearth_message_body_grow_plain (HearthMessageBody *self, const char *text, gsize size,
                                gboolean more)
{
  g_return_if_fail (HEARTH_IS_MESSAGE_BODY (self));

  hearth_block_column_grow_plain (self->column, text, size, more);
  hearth_text_selection_update (self->selection);
}

/* ---- for voice output ------------------------------------------------------------------- */

static void
append_spoken (GString *out, const HearthMarkdownBlock *block)
{
  if (block->text != NULL)
    {
      g_string_append_len (out, block->text->string->str, (gssize) block->text->string->len);
      g_string_append_c (out, '\n');
    }
  for (guint i = 0; block->children != NULL && i < block->children->len; i++)
    append_spoken (out, block->children->pdata[i]);
  for (guint i = 0; block->rows != NULL && i < block->rows->len; i++)
    {
      const GPtrArray *row = block->rows->pdata[i];

      for (guint k = 0; k < row->len; k++)
        g_string_append_printf (out, "%s%s", k > 0 ? ", " : "",
                                ((HearthMarkdownText *) row->pdata[k])->string->str);
      g_string_append_c (out, '\n');
    }
}

/* Behind the last sentence that is surely complete: something follows its full stop. */
static gsize
end_of_sentences (const char *text, gsize from)
{
  gsize end = from;

  for (const char *at = text + from; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);
      const char *next = g_utf8_next_char (at);

      if (c == '\n' && *next != '\0')
        end = (gsize) (next - text);
      else if ((c == '.' || c == '!' || c == '?') && g_ascii_isspace (*next) && next[1] != '\0')
        end = (gsize) (next - text);
      else if (c == 0x3002 || c == 0xff01 || c == 0xff1f) /* 。！？ */
        end = (gsize) (next - text);
    }
  return end;
}

char *
hearth_message_body_take_sentences (HearthMessageBody *self)
{
  guint n, n_finished;
  g_autoptr (GString) said = NULL;

  g_return_val_if_fail (HEARTH_IS_MESSAGE_BODY (self), NULL);

  n = hearth_markdown_get_n_blocks (self->markdown);
  n_finished = self->finished ? n : hearth_markdown_get_n_finished (self->markdown);
  said = g_string_new (NULL);
  for (; self->told_block < n; self->told_block++, self->told_bytes = 0)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      const HearthMarkdownBlock *block =
        hearth_markdown_get_block (self->markdown, self->told_block);
      gsize end;

      append_spoken (text, block);
      self->told_bytes = MIN (self->told_bytes, text->len);
      if (self->told_block < n_finished)
        end = text->len;
      else if (block->kind == HEARTH_MARKDOWN_PARAGRAPH || block->kind == HEARTH_MARKDOWN_ITEM)
        {
          /* Its own line break is no end: the block still grows. */
          g_string_truncate (text, text->len > 0 ? text->len - 1 : 0);
          end = end_of_sentences (text->str, MIN (self->told_bytes, text->len));
        }
      else
        break;
      if (end > self->told_bytes)
        g_string_append_len (said, text->str + self->told_bytes, (gssize) (end - self->told_bytes));
      self->told_bytes = end;
      if (self->told_block >= n_finished)
        break;
    }
  g_strstrip (said->str);
  return *said->str != '\0' ? g_strdup (said->str) : NULL;
}

/* ---- selecting -------------------------------------------------------------------------- */

/* Whether the pointer is on something with a use of its own. */
static gboolean
is_on_control (HearthMessageBody *self, double x, double y)
{
  GtkWidget *widget = gtk_widget_pick (GTK_WIDGET (self), x, y, GTK_PICK_DEFAULT);

  for (; widget != NULL && widget != GTK_WIDGET (self); widget = gtk_widget_get_parent (widget))
    {
      if (GTK_IS_BUTTON (widget) || GTK_IS_SCROLLBAR (widget) || GTK_IS_POPOVER (widget))
        return TRUE;
    }
  return FALSE;
}

static const char *
link_at (HearthMessageBody *self, double x, double y, HearthTextBlock **block,
         graphene_rect_t *area)
{
  graphene_point_t point;

  *block = hearth_text_selection_get_block_at (self->selection, x, y);
  if (*block == NULL ||
      !gtk_widget_compute_point (GTK_WIDGET (self), GTK_WIDGET (*block),
                                 &GRAPHENE_POINT_INIT ((float) x, (float) y), &point))
    return NULL;
  return hearth_text_block_get_link_at (*block, point.x, point.y, area);
}

static void
show_menu (HearthMessageBody *self, double x, double y)
{
  if (self->menu == NULL)
    {
      g_autoptr (GMenu) menu = g_menu_new ();

      g_menu_append (menu, _ ("_Copy"), "text.copy");
      g_menu_append (menu, _ ("Select _All"), "text.select-all");
      self->menu = gtk_popover_menu_new_from_model (G_MENU_MODEL (menu));
      gtk_popover_set_has_arrow (GTK_POPOVER (self->menu), FALSE);
      gtk_widget_set_halign (self->menu, GTK_ALIGN_START);
      gtk_widget_set_parent (self->menu, GTK_WIDGET (self));
    }
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "text.copy",
                                 !hearth_text_selection_is_empty (self->selection));
  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu),
                               &(GdkRectangle) { (int) x, (int) y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (self->menu));
}

static void
pressed_cb (GtkGestureClick *gesture, int n_presses, double x, double y, HearthMessageBody *self)
{
  GdkEvent *event = gtk_event_controller_get_current_event (GTK_EVENT_CONTROLLER (gesture));
  GdkModifierType held =
    gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  guint button = gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture));

  if (is_on_control (self, x, y))
    {
      gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  if (event != NULL && gdk_event_triggers_context_menu (event))
    {
      gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
      if (hearth_text_selection_is_empty (self->selection))
        hearth_text_selection_press (self->selection, x, y, 2, FALSE);
      show_menu (self, x, y);
      return;
    }
  if (button == GDK_BUTTON_PRIMARY)
    hearth_text_selection_press (self->selection, x, y, (n_presses - 1) % 3 + 1,
                                 (held & GDK_SHIFT_MASK) != 0);
}

static void
released_cb (GtkGestureClick *gesture, int n_presses, double x, double y, HearthMessageBody *self)
{
  HearthTextBlock *block;
  graphene_rect_t area;
  const char *link;

  if (gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture)) != GDK_BUTTON_PRIMARY ||
      n_presses != 1 || !hearth_text_selection_is_empty (self->selection))
    return;
  link = link_at (self, x, y, &block, &area);
  if (link != NULL)
    hearth_text_link_ask (GTK_WIDGET (block), &area, link);
}

static void
drag_begin_cb (GtkGestureDrag *gesture, double x, double y, HearthMessageBody *self)
{
  GdkDevice *device = gtk_gesture_get_device (GTK_GESTURE (gesture));

  /* A finger scrolls. */
  if (is_on_control (self, x, y) ||
      (device != NULL && gdk_device_get_source (device) == GDK_SOURCE_TOUCHSCREEN))
    gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_DENIED);
}

static void
drag_update_cb (GtkGestureDrag *gesture, double dx, double dy, HearthMessageBody *self)
{
  double x, y;

  if (!gtk_drag_check_threshold (GTK_WIDGET (self), 0, 0, (int) dx, (int) dy) &&
      hearth_text_selection_is_empty (self->selection))
    return;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  gtk_gesture_drag_get_start_point (gesture, &x, &y);
  hearth_text_selection_drag (self->selection, x + dx, y + dy);
  gtk_widget_activate_action (GTK_WIDGET (self), "messages.reveal", NULL);
}

static void
long_press_cb (GtkGestureLongPress *gesture, double x, double y, HearthMessageBody *self)
{
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  hearth_text_selection_press (self->selection, x, y, 2, FALSE);
  show_menu (self, x, y);
}

static void
motion_cb (GtkEventControllerMotion *controller, double x, double y, HearthMessageBody *self)
{
  HearthTextBlock *block;
  graphene_rect_t area;
  const char *cursor = NULL;

  if (link_at (self, x, y, &block, &area) != NULL)
    cursor = "pointer";
  else if (block != NULL)
    cursor = "text";
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), cursor);
}

static gboolean
query_tooltip_cb (HearthMessageBody *self, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  HearthTextBlock *block;
  graphene_rect_t area;
  const char *link = keyboard ? NULL : link_at (self, x, y, &block, &area);
  graphene_rect_t bounds;

  if (link == NULL)
    return FALSE;
  if (gtk_widget_compute_bounds (GTK_WIDGET (block), GTK_WIDGET (self), &bounds))
    gtk_tooltip_set_tip_area (tooltip,
                              &(GdkRectangle) { (int) (bounds.origin.x + area.origin.x),
                                                (int) (bounds.origin.y + area.origin.y),
                                                (int) area.size.width, (int) area.size.height });
  gtk_tooltip_set_text (tooltip, link);
  return TRUE;
}

/* ---- actions and keys ------------------------------------------------------------------- */

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthMessageBody *self = HEARTH_MESSAGE_BODY (widget);
  g_autofree char *text = hearth_text_selection_dup_text (self->selection);

  if (*text != '\0')
    gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
}

static void
select_all_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hearth_text_selection_select_all (HEARTH_MESSAGE_BODY (widget)->selection);
}

static gboolean
is_in_text (HearthMessageBody *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));

  return root != NULL && HEARTH_IS_TEXT_BLOCK (gtk_root_get_focus (root));
}

static gboolean
copy_key (GtkWidget *widget, GVariant *arguments, gpointer user_data)
{
  HearthMessageBody *self = HEARTH_MESSAGE_BODY (widget);

  if (hearth_text_selection_is_empty (self->selection))
    return FALSE;
  copy_action (widget, NULL, NULL);
  return TRUE;
}

static gboolean
move_key (GtkWidget *widget, GVariant *arguments, gpointer user_data)
{
  HearthMessageBody *self = HEARTH_MESSAGE_BODY (widget);
  int step, count;
  gboolean extend;

  if (!is_in_text (self))
    return FALSE;
  g_variant_get (arguments, "(iib)", &step, &count, &extend);
  hearth_text_selection_move (self->selection, (HearthTextStep) step, count, extend);
  gtk_widget_activate_action (widget, "messages.reveal", NULL);
  return TRUE; /* at the end of the text too: the arrows stay in it */
}

static gboolean
menu_key (GtkWidget *widget, GVariant *arguments, gpointer user_data)
{
  HearthMessageBody *self = HEARTH_MESSAGE_BODY (widget);
  GtkWidget *focus;
  graphene_rect_t area;

  if (!is_in_text (self))
    return FALSE;
  focus = gtk_root_get_focus (gtk_widget_get_root (widget));
  if (!gtk_widget_compute_bounds (focus, widget, &area))
    return FALSE;
  show_menu (self, area.origin.x + 12, area.origin.y + 12);
  return TRUE;
}

static void
bind_move (GtkWidgetClass *widget_class, guint key, GdkModifierType held, HearthTextStep step,
           int count)
{
  gtk_widget_class_add_binding (widget_class, key, held, move_key, "(iib)", (int) step, count,
                                FALSE);
  gtk_widget_class_add_binding (widget_class, key, held | GDK_SHIFT_MASK, move_key, "(iib)",
                                (int) step, count, TRUE);
}

/* ---- object ----------------------------------------------------------------------------- */

static void
hearth_message_body_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HearthMessageBody *self = HEARTH_MESSAGE_BODY (widget);

  gtk_widget_size_allocate (GTK_WIDGET (self->column), &(GtkAllocation) { 0, 0, width, height },
                            baseline);
  if (self->menu != NULL)
    gtk_popover_present (GTK_POPOVER (self->menu));
}

static void
hearth_message_body_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                             int *minimum, int *natural, int *minimum_baseline,
                             int *natural_baseline)
{
  gtk_widget_measure (GTK_WIDGET (HEARTH_MESSAGE_BODY (widget)->column), orientation, for_size,
                      minimum, natural, NULL, NULL);
}

static GtkSizeRequestMode
hearth_message_body_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
hearth_message_body_dispose (GObject *object)
{
  HearthMessageBody *self = HEARTH_MESSAGE_BODY (object);

  g_clear_pointer (&self->menu, gtk_widget_unparent);
  if (self->column != NULL)
    gtk_widget_unparent (GTK_WIDGET (g_steal_pointer (&self->column)));
  g_clear_pointer (&self->selection, hearth_text_selection_free);
  g_clear_pointer (&self->markdown, hearth_markdown_free);
  G_OBJECT_CLASS (hearth_message_body_parent_class)->dispose (object);
}

static void
hearth_message_body_class_init (HearthMessageBodyClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_message_body_dispose;
  widget_class->measure = hearth_message_body_measure;
  widget_class->size_allocate = hearth_message_body_size_allocate;
  widget_class->get_request_mode = hearth_message_body_get_request_mode;
  gtk_widget_class_set_css_name (widget_class, "messagebody");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);

  gtk_widget_class_install_action (widget_class, "text.copy", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "text.select-all", NULL, select_all_action);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_c, GDK_CONTROL_MASK, copy_key, NULL);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Insert, GDK_CONTROL_MASK, copy_key, NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_a, GDK_CONTROL_MASK, "text.select-all",
                                       NULL);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Menu, 0, menu_key, NULL);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_F10, GDK_SHIFT_MASK, menu_key, NULL);
  bind_move (widget_class, GDK_KEY_Left, 0, HEARTH_TEXT_CHARACTERS, -1);
  bind_move (widget_class, GDK_KEY_Right, 0, HEARTH_TEXT_CHARACTERS, 1);
  bind_move (widget_class, GDK_KEY_Left, GDK_CONTROL_MASK, HEARTH_TEXT_WORDS, -1);
  bind_move (widget_class, GDK_KEY_Right, GDK_CONTROL_MASK, HEARTH_TEXT_WORDS, 1);
  bind_move (widget_class, GDK_KEY_Up, 0, HEARTH_TEXT_DISPLAY_LINES, -1);
  bind_move (widget_class, GDK_KEY_Down, 0, HEARTH_TEXT_DISPLAY_LINES, 1);
  bind_move (widget_class, GDK_KEY_Home, 0, HEARTH_TEXT_LINE_ENDS, -1);
  bind_move (widget_class, GDK_KEY_End, 0, HEARTH_TEXT_LINE_ENDS, 1);
  bind_move (widget_class, GDK_KEY_Home, GDK_CONTROL_MASK, HEARTH_TEXT_ENDS, -1);
  bind_move (widget_class, GDK_KEY_End, GDK_CONTROL_MASK, HEARTH_TEXT_ENDS, 1);
}

static void
hearth_message_body_init (HearthMessageBody *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkGesture *press = gtk_gesture_click_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkGesture *long_press = gtk_gesture_long_press_new ();

  self->column = HEARTH_BLOCK_COLUMN (hearth_block_column_new (FALSE));
  gtk_widget_set_parent (GTK_WIDGET (self->column), GTK_WIDGET (self));
  self->selection = hearth_text_selection_new (GTK_WIDGET (self->column));
  self->markdown = hearth_markdown_new ();

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (press), 0);
  g_signal_connect_object (press, "pressed", G_CALLBACK (pressed_cb), self, G_CONNECT_DEFAULT);
  g_signal_connect_object (press, "released", G_CALLBACK (released_cb), self, G_CONNECT_DEFAULT);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (press));
  g_signal_connect_object (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self, G_CONNECT_DEFAULT);
  g_signal_connect_object (drag, "drag-update", G_CALLBACK (drag_update_cb), self,
                           G_CONNECT_DEFAULT);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_gesture_group (drag, press);
  gtk_gesture_single_set_touch_only (GTK_GESTURE_SINGLE (long_press), TRUE);
  g_signal_connect_object (long_press, "pressed", G_CALLBACK (long_press_cb), self,
                           G_CONNECT_DEFAULT);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (long_press));
  g_signal_connect_object (motion, "motion", G_CALLBACK (motion_cb), self, G_CONNECT_DEFAULT);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);

  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (query_tooltip_cb), NULL);
}
