/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-load-card.h"

#include <glib/gi18n.h>

#include "hearth-focus.h"

struct _HearthLoadCard
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkLabel *label;
  GtkProgressBar *bar;
};

G_DEFINE_FINAL_TYPE (HearthLoadCard, hearth_load_card, GTK_TYPE_WIDGET)

static void
hearth_load_card_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_LOAD_CARD);
  G_OBJECT_CLASS (hearth_load_card_parent_class)->dispose (object);
}

static void
hearth_load_card_class_init (HearthLoadCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_load_card_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_STATUS);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-load-card.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthLoadCard, root);
  gtk_widget_class_bind_template_child (widget_class, HearthLoadCard, label);
  gtk_widget_class_bind_template_child (widget_class, HearthLoadCard, bar);
}

static void
hearth_load_card_init (HearthLoadCard *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
hearth_load_card_update (HearthLoadCard *self, const char *title, double progress)
{
  g_autofree char *text = NULL;

  g_return_if_fail (HEARTH_IS_LOAD_CARD (self));

  /* Translators: "Loading Qwen3 4B… 43 %" */
  text = g_strdup_printf (_ ("Loading %1$s… %2$d %%"), title, (int) (progress * 100));
  gtk_label_set_text (self->label, text);
  gtk_progress_bar_set_fraction (self->bar, CLAMP (progress, 0, 1));
}
