/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-token-input.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-focus.h"
#include "hearth-words.h"

/* More characters are kept aside. */
#define MOST_TYPED 50000

struct _HearthTokenInput
{
  GtkWidget parent_instance;

  GtkStack *root;
  GtkTextView *text_view;
  AdwActionRow *long_row;

  GBytes *long_text; /* NULL: what is typed counts */
  guint aside_id;
};

G_DEFINE_FINAL_TYPE (HearthTokenInput, hearth_token_input, GTK_TYPE_WIDGET)

enum
{
  SIGNAL_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
changed (HearthTokenInput *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static void
show_long (HearthTokenInput *self)
{
  gboolean is_long = self->long_text != NULL;

  if (is_long)
    {
      g_autofree char *size = hearth_words_for_size (g_bytes_get_size (self->long_text));

      adw_action_row_set_subtitle (self->long_row, size);
    }
  gtk_stack_set_visible_child_name (self->root, is_long ? "long" : "text");
}

static gboolean
aside_cb (gpointer data)
{
  HearthTokenInput *self = data;
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->text_view);
  gboolean focused = gtk_widget_has_focus (GTK_WIDGET (self->text_view));

  self->aside_id = 0;
  if (self->long_text == NULL) /* else a paste came in between */
    self->long_text = hearth_token_input_dup_text (self);
  gtk_text_buffer_set_text (buffer, "", 0);
  show_long (self);
  if (focused)
    gtk_widget_child_focus (GTK_WIDGET (self->long_row), GTK_DIR_TAB_FORWARD);
  changed (self);
  return G_SOURCE_REMOVE;
}

static void
text_changed_cb (HearthTokenInput *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->text_view);

  if (self->long_text != NULL)
    return;
  /* Before it is laid out, which takes long for a long line. */
  if (gtk_text_buffer_get_char_count (buffer) > MOST_TYPED && self->aside_id == 0)
    self->aside_id = g_idle_add_full (G_PRIORITY_HIGH, aside_cb, self, NULL);
  changed (self);
}

/* A long text does not go through the field at all. */
static void
pasted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthTokenInput) self = user_data;
  g_autofree char *text = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (source), result, NULL);
  GtkTextBuffer *buffer;
  gsize size = text != NULL ? strlen (text) : 0;

  if (size == 0 || self->text_view == NULL)
    return;
  if (size > MOST_TYPED)
    {
      g_clear_pointer (&self->long_text, g_bytes_unref);
      self->long_text = g_bytes_new_take (g_steal_pointer (&text), size);
      show_long (self);
      gtk_widget_child_focus (GTK_WIDGET (self->long_row), GTK_DIR_TAB_FORWARD);
      changed (self);
      return;
    }
  buffer = gtk_text_view_get_buffer (self->text_view);
  gtk_text_buffer_begin_user_action (buffer);
  gtk_text_buffer_delete_selection (buffer, TRUE, TRUE);
  gtk_text_buffer_insert_at_cursor (buffer, text, (int) size);
  gtk_text_buffer_end_user_action (buffer);
  gtk_text_view_scroll_mark_onscreen (self->text_view, gtk_text_buffer_get_insert (buffer));
}

static void
paste_cb (HearthTokenInput *self)
{
  g_signal_stop_emission_by_name (self->text_view, "paste-clipboard");
  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (GTK_WIDGET (self)), NULL, pasted_cb,
                                 g_object_ref (self));
}

static void
remove_long_cb (HearthTokenInput *self)
{
  g_clear_pointer (&self->long_text, g_bytes_unref);
  show_long (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->text_view));
  changed (self);
}

/* ---- the widget ------------------------------------------------------------------------- */

static gboolean
hearth_token_input_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (HEARTH_TOKEN_INPUT (widget)->text_view));
}

static void
hearth_token_input_dispose (GObject *object)
{
  HearthTokenInput *self = HEARTH_TOKEN_INPUT (object);

  g_clear_handle_id (&self->aside_id, g_source_remove);
  g_clear_pointer (&self->long_text, g_bytes_unref);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_TOKEN_INPUT);
  G_OBJECT_CLASS (hearth_token_input_parent_class)->dispose (object);
}

static void
hearth_token_input_class_init (HearthTokenInputClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_token_input_dispose;
  widget_class->focus = hearth_focus_move;
  widget_class->grab_focus = hearth_token_input_grab_focus;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-token-input.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthTokenInput, root);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenInput, text_view);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenInput, long_row);
  gtk_widget_class_bind_template_callback (widget_class, remove_long_cb);
}

static void
hearth_token_input_init (HearthTokenInput *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->text_view),
                            _ ("The quick brown fox jumps over the lazy dog.\n"
                               "It costs 3.14 €, naïve café 🦊"),
                            -1);
  g_signal_connect_object (gtk_text_view_get_buffer (self->text_view), "changed",
                           G_CALLBACK (text_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->text_view, "paste-clipboard", G_CALLBACK (paste_cb), self,
                           G_CONNECT_SWAPPED);
}

GBytes *
hearth_token_input_dup_text (HearthTokenInput *self)
{
  GtkTextBuffer *buffer;
  GtkTextIter start, end;
  char *text;

  g_return_val_if_fail (HEARTH_IS_TOKEN_INPUT (self), NULL);

  if (self->long_text != NULL)
    return g_bytes_ref (self->long_text);
  buffer = gtk_text_view_get_buffer (self->text_view);
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  text = gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
  return g_bytes_new_take (text, strlen (text));
}
