/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-text-link.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-focus.h"

struct _HearthTextLink
{
  GtkWidget parent_instance;

  char *target;
};

G_DEFINE_FINAL_TYPE (HearthTextLink, hearth_text_link, GTK_TYPE_WIDGET)

/* ---- the question ----------------------------------------------------------------------- */

static gboolean
may_be_opened (const char *target)
{
  const char *scheme = g_uri_peek_scheme (target);

  return scheme != NULL && (g_str_equal (scheme, "https") || g_str_equal (scheme, "http") ||
                            g_str_equal (scheme, "mailto"));
}

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GtkWidget) widget = user_data;
  g_autoptr (GError) error = NULL;

  if (gtk_uri_launcher_launch_finish (GTK_URI_LAUNCHER (source), result, &error) ||
      g_error_matches (error, GTK_DIALOG_ERROR, GTK_DIALOG_ERROR_DISMISSED))
    return;
  g_debug ("link not opened: %s", error->message);
  gtk_widget_activate_action (widget, "win.toast", "s",
                              _ ("No program on this computer opens this link"));
}

static void
open_cb (GtkButton *button, GtkPopover *popover)
{
  const char *target = g_object_get_data (G_OBJECT (popover), "target");
  GtkWidget *parent = gtk_widget_get_parent (GTK_WIDGET (popover));
  GtkRoot *root = gtk_widget_get_root (parent);
  g_autoptr (GtkUriLauncher) launcher = gtk_uri_launcher_new (target);

  gtk_uri_launcher_launch (launcher, GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL, NULL,
                           opened_cb, g_object_ref (parent));
  gtk_popover_popdown (popover);
}

static void
copy_cb (GtkButton *button, GtkPopover *popover)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (button)),
                          g_object_get_data (G_OBJECT (popover), "target"));
  gtk_widget_activate_action (GTK_WIDGET (button), "win.toast", "s", _ ("Link copied"));
  gtk_popover_popdown (popover);
}

static gboolean
drop_popover_cb (gpointer popover)
{
  gtk_widget_unparent (popover);
  return G_SOURCE_REMOVE;
}

/* What is in it still runs when it closes. */
static void
closed_cb (GtkWidget *popover)
{
  g_idle_add_full (G_PRIORITY_DEFAULT, drop_popover_cb, g_object_ref (popover), g_object_unref);
}

/* A target may be made to look like another one: what is not ASCII, and the host, are spelt out. */
static char *
spelt_out (const char *target)
{
  g_autofree char *clean = g_utf8_make_valid (target, -1);

  return g_uri_escape_string (clean, G_URI_RESERVED_CHARS_ALLOWED_IN_PATH "?#[]%", FALSE);
}

void
hearth_text_link_ask (GtkWidget *widget, const graphene_rect_t *area, const char *target)
{
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 9);
  GtkWidget *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = gtk_label_new (NULL);
  GtkWidget *copy = gtk_button_new_with_mnemonic (_ ("_Copy Link"));
  g_autofree char *shown = spelt_out (target);

  gtk_label_set_text (GTK_LABEL (label), shown);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_CHAR);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 36);
  gtk_label_set_lines (GTK_LABEL (label), 8);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "monospace");
  gtk_widget_add_css_class (box, "link-question");
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), buttons);
  gtk_box_set_homogeneous (GTK_BOX (buttons), TRUE);
  gtk_box_append (GTK_BOX (buttons), copy);
  g_signal_connect_object (copy, "clicked", G_CALLBACK (copy_cb), popover, G_CONNECT_DEFAULT);
  g_object_set_data_full (G_OBJECT (popover), "target", g_strdup (target), g_free);
  gtk_accessible_update_property (GTK_ACCESSIBLE (popover), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Open this link?"), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, shown,
                                  -1);
  if (may_be_opened (target))
    {
      GtkWidget *open = gtk_button_new_with_mnemonic (
        g_str_has_prefix (target, "mailto:") ? _ ("_Write Mail") : _ ("_Open in Browser"));

      gtk_widget_add_css_class (open, "suggested-action");
      gtk_box_append (GTK_BOX (buttons), open);
      g_signal_connect_object (open, "clicked", G_CALLBACK (open_cb), popover, G_CONNECT_DEFAULT);
      gtk_popover_set_default_widget (GTK_POPOVER (popover), open);
    }
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  gtk_widget_set_parent (popover, widget);
  gtk_popover_set_pointing_to (GTK_POPOVER (popover),
                               &(GdkRectangle) { (int) area->origin.x, (int) area->origin.y,
                                                 MAX ((int) area->size.width, 1),
                                                 MAX ((int) area->size.height, 1) });
  g_signal_connect (popover, "closed", G_CALLBACK (closed_cb), NULL);
  gtk_popover_popup (GTK_POPOVER (popover));
}

/* ---- object ----------------------------------------------------------------------------- */

static void
open_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthTextLink *self = HEARTH_TEXT_LINK (widget);

  hearth_text_link_ask (widget,
                        &GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (widget),
                                             (float) gtk_widget_get_height (widget)),
                        self->target);
}

static void
hearth_text_link_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  GtkWidget *child = gtk_widget_get_first_child (widget);

  for (; child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      if (GTK_IS_POPOVER (child))
        gtk_popover_present (GTK_POPOVER (child));
    }
}

static void
hearth_text_link_dispose (GObject *object)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (hearth_text_link_parent_class)->dispose (object);
}

static void
hearth_text_link_finalize (GObject *object)
{
  g_free (HEARTH_TEXT_LINK (object)->target);
  G_OBJECT_CLASS (hearth_text_link_parent_class)->finalize (object);
}

static void
hearth_text_link_class_init (HearthTextLinkClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_text_link_dispose;
  G_OBJECT_CLASS (klass)->finalize = hearth_text_link_finalize;
  widget_class->size_allocate = hearth_text_link_size_allocate;
  gtk_widget_class_set_css_name (widget_class, "textlink");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LINK);
  gtk_widget_class_install_action (widget_class, "link.open", NULL, open_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Return, 0, "link.open", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_KP_Enter, 0, "link.open", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_space, 0, "link.open", NULL);
}

static void
hearth_text_link_init (HearthTextLink *self)
{
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_can_target (GTK_WIDGET (self), FALSE);
}

GtkWidget *
hearth_text_link_new (const char *label, const char *target)
{
  HearthTextLink *self = g_object_new (HEARTH_TYPE_TEXT_LINK, NULL);

  self->target = g_strdup (target);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, target, -1);
  return GTK_WIDGET (self);
}
