/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-message-body.h"

#include <string.h>

struct _HearthMessageBody
{
  GtkWidget parent_instance;

  GtkWidget *growing; /* the last block, while it may grow */
  GString *tail;      /* its text */
};

G_DEFINE_FINAL_TYPE (HearthMessageBody, hearth_message_body, GTK_TYPE_WIDGET)

static GtkWidget *
add_block (HearthMessageBody *self)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_natural_wrap_mode (GTK_LABEL (label), GTK_NATURAL_WRAP_NONE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_widget_set_parent (label, GTK_WIDGET (self));
  return label;
}

/* Shows the tail; white space at its end would be an empty line until more comes. */
static void
show_tail (HearthMessageBody *self)
{
  g_autofree char *shown = g_strchomp (g_strdup (self->tail->str));

  if (*shown == '\0')
    return;
  if (self->growing == NULL)
    self->growing = add_block (self);
  gtk_label_set_text (GTK_LABEL (self->growing), shown);
}

static void
hearth_message_body_dispose (GObject *object)
{
  hearth_message_body_clear (HEARTH_MESSAGE_BODY (object));
  G_OBJECT_CLASS (hearth_message_body_parent_class)->dispose (object);
}

static void
hearth_message_body_finalize (GObject *object)
{
  g_string_free (HEARTH_MESSAGE_BODY (object)->tail, TRUE);
  G_OBJECT_CLASS (hearth_message_body_parent_class)->finalize (object);
}

static void
hearth_message_body_class_init (HearthMessageBodyClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_message_body_dispose;
  G_OBJECT_CLASS (klass)->finalize = hearth_message_body_finalize;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "messagebody");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
hearth_message_body_init (HearthMessageBody *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));

  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (layout), 12);
  self->tail = g_string_new (NULL);
}

void
hearth_message_body_clear (HearthMessageBody *self)
{
  GtkWidget *child;

  g_return_if_fail (HEARTH_IS_MESSAGE_BODY (self));

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
  self->growing = NULL;
  g_string_truncate (self->tail, 0);
}

void
hearth_message_body_append (HearthMessageBody *self, const char *text)
{
  char *border;

  g_return_if_fail (HEARTH_IS_MESSAGE_BODY (self));

  g_string_append (self->tail, text);
  while ((border = strstr (self->tail->str, "\n\n")) != NULL)
    {
      g_autofree char *rest = NULL;

      rest = g_strdup (border + strspn (border, "\n"));
      /* More line breaks may still come: they belong to this border, not to the next block. */
      if (*rest == '\0')
        break;
      g_string_truncate (self->tail, (gsize) (border - self->tail->str));
      show_tail (self);
      self->growing = NULL;
      g_string_assign (self->tail, rest);
    }
  if (self->growing == NULL)
    g_string_erase (self->tail, 0, (gssize) strspn (self->tail->str, "\n"));
  show_tail (self);
}
