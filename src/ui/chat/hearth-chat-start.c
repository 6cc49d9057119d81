/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-chat-start.h"

#include <adwaita.h>

#include "hearth-focus.h"
#include "hearth-hardware.h"
#include "hearth-words.h"

struct _HearthChatStart
{
  GtkWidget parent_instance;

  GtkStack *root;
  AdwStatusPage *welcome_page;
  GtkWidget *open_button;
  GtkLabel *suiting_label;
  GtkButton *models_button;
  AdwStatusPage *ready_page;
};

G_DEFINE_FINAL_TYPE (HearthChatStart, hearth_chat_start, GTK_TYPE_WIDGET)

static gboolean
hearth_chat_start_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (HEARTH_CHAT_START (widget)->open_button);
}

static void
hearth_chat_start_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_CHAT_START);
  G_OBJECT_CLASS (hearth_chat_start_parent_class)->dispose (object);
}

static void
hearth_chat_start_class_init (HearthChatStartClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  widget_class->grab_focus = hearth_chat_start_grab_focus;
  G_OBJECT_CLASS (klass)->dispose = hearth_chat_start_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-chat-start.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthChatStart, root);
  gtk_widget_class_bind_template_child (widget_class, HearthChatStart, welcome_page);
  gtk_widget_class_bind_template_child (widget_class, HearthChatStart, open_button);
  gtk_widget_class_bind_template_child (widget_class, HearthChatStart, suiting_label);
  gtk_widget_class_bind_template_child (widget_class, HearthChatStart, models_button);
  gtk_widget_class_bind_template_child (widget_class, HearthChatStart, ready_page);
}

static void
hearth_chat_start_init (HearthChatStart *self)
{
  guint64 memory = hearth_hardware_get_memory ();

  gtk_widget_init_template (GTK_WIDGET (self));
  /* With large text its label is wider than a narrow window. */
  gtk_label_set_wrap (GTK_LABEL (gtk_button_get_child (self->models_button)), TRUE);
  gtk_label_set_justify (GTK_LABEL (gtk_button_get_child (self->models_button)),
                         GTK_JUSTIFY_CENTER);
  gtk_widget_set_visible (GTK_WIDGET (self->suiting_label), memory > 0);
  if (memory > 0)
    {
      g_autofree char *suiting = hearth_words_for_suiting (memory);

      gtk_label_set_text (self->suiting_label, suiting);
    }
}

/* What the memory is for, one step deeper than the sentence. */
static void
show_parts (HearthChatStart *self, HearthModelFile *model)
{
  const HearthModelHeader *header = hearth_model_file_get_header (model);
  g_autofree char *parts = NULL;

  if (header != NULL && header->fit_error == NULL)
    parts = hearth_words_for_memory (header->fit.weights, header->fit.kv + header->fit.checkpoint,
                                     header->fit.compute);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->ready_page), parts);
}

void
hearth_chat_start_show (HearthChatStart *self, HearthModelFile *model, gboolean with_fit)
{
  g_return_if_fail (HEARTH_IS_CHAT_START (self));

  if (model != NULL)
    {
      g_autofree char *figures = hearth_words_for_model (model);
      g_autofree char *fit = hearth_words_for_fit (model);
      g_autofree char *lines =
        with_fit ? g_strdup_printf ("%s\n%s", figures, fit) : g_strdup (figures);
      g_autofree char *description = g_markup_escape_text (lines, -1);

      show_parts (self, model);
      adw_status_page_set_title (self->ready_page, hearth_model_file_get_title (model));
      adw_status_page_set_description (self->ready_page, description);
    }
  gtk_stack_set_visible_child_name (self->root, model != NULL ? "ready" : "welcome");
}

void
hearth_chat_start_set_low (HearthChatStart *self, gboolean low)
{
  g_return_if_fail (HEARTH_IS_CHAT_START (self));

  adw_status_page_set_icon_name (self->welcome_page, low ? NULL : "io.github.hearth_app.Hearth");
  adw_status_page_set_icon_name (self->ready_page,
                                 low ? NULL : "io.github.hearth_app.Hearth-symbolic");
}
