/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-template-source.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>

#include "hearth-focus.h"

/* A longer source is shown without colours. */
#define MOST_COLOURED (256 * 1024)

struct _HearthTemplateSource
{
  GtkWidget parent_instance;

  GtkStack *stack;
  GtkSourceView *view;
  GtkSourceBuffer *buffer;
  guint failed_line; /* from 1; 0: none */
};

G_DEFINE_FINAL_TYPE (HearthTemplateSource, hearth_template_source, GTK_TYPE_WIDGET)

#define FAILED "failed"
#define WHOLE "whole"

/* Whichever of its names the language has here; it may have none. */
static GtkSourceLanguage *
find_language (void)
{
  static const char *const names[] = { "jinja2", "jinja", "django-template", "twig" };
  GtkSourceLanguageManager *manager = gtk_source_language_manager_get_default ();

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      GtkSourceLanguage *language = gtk_source_language_manager_get_language (manager, names[i]);

      if (language != NULL)
        return language;
    }
  return NULL;
}

static void
update_style (HearthTemplateSource *self)
{
  GtkSourceStyleSchemeManager *schemes = gtk_source_style_scheme_manager_get_default ();
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  GtkTextTag *tag = gtk_text_tag_table_lookup (
    gtk_text_buffer_get_tag_table (GTK_TEXT_BUFFER (self->buffer)), FAILED);

  gtk_source_buffer_set_style_scheme (self->buffer, gtk_source_style_scheme_manager_get_scheme (
                                                      schemes, dark ? "Adwaita-dark" : "Adwaita"));
  g_object_set (tag, "paragraph-background", dark ? "#5c2a2e" : "#fbd5d7", NULL);
}

static char *
failed_tooltip_cb (GtkSourceMarkAttributes *attributes, GtkSourceMark *mark, gpointer user_data)
{
  return g_strdup (_ ("The template failed here"));
}

static void
hearth_template_source_dispose (GObject *object)
{
  HearthTemplateSource *self = HEARTH_TEMPLATE_SOURCE (object);

  g_clear_object (&self->buffer);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_TEMPLATE_SOURCE);
  G_OBJECT_CLASS (hearth_template_source_parent_class)->dispose (object);
}

static void
hearth_template_source_class_init (HearthTemplateSourceClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_template_source_dispose;
  widget_class->focus = hearth_focus_move;
  g_type_ensure (GTK_SOURCE_TYPE_VIEW);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-template-source.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateSource, stack);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateSource, view);
}

static void
hearth_template_source_init (HearthTemplateSource *self)
{
  g_autoptr (GtkSourceMarkAttributes) attributes = gtk_source_mark_attributes_new ();
  GtkSourceLanguage *language = find_language ();

  gtk_widget_init_template (GTK_WIDGET (self));
  self->buffer = language != NULL ? gtk_source_buffer_new_with_language (language)
                                  : gtk_source_buffer_new (NULL);
  gtk_source_buffer_set_highlight_matching_brackets (self->buffer, FALSE);
  gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (self->buffer), FAILED, NULL);
  /* A hyphen at the end of a line would be one of the source. */
  gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (self->buffer), WHOLE, "insert-hyphens", FALSE, NULL);
  gtk_text_view_set_buffer (GTK_TEXT_VIEW (self->view), GTK_TEXT_BUFFER (self->buffer));
  gtk_source_mark_attributes_set_icon_name (attributes, "dialog-error-symbolic");
  g_signal_connect (attributes, "query-tooltip-text", G_CALLBACK (failed_tooltip_cb), NULL);
  gtk_source_view_set_mark_attributes (self->view, FAILED, attributes, 1);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (update_style), self, G_CONNECT_SWAPPED);
  update_style (self);
  /* Code is written from left to right in every language. */
  gtk_widget_set_direction (GTK_WIDGET (self->view), GTK_TEXT_DIR_LTR);
}

void
hearth_template_source_set_text (HearthTemplateSource *self, const char *text)
{
  GtkTextIter start, end;

  g_return_if_fail (HEARTH_IS_TEMPLATE_SOURCE (self));

  self->failed_line = 0;
  gtk_source_buffer_set_highlight_syntax (self->buffer,
                                          text != NULL && strlen (text) <= MOST_COLOURED);
  gtk_text_buffer_set_text (GTK_TEXT_BUFFER (self->buffer), text != NULL ? text : "", -1);
  gtk_text_buffer_get_bounds (GTK_TEXT_BUFFER (self->buffer), &start, &end);
  gtk_text_buffer_apply_tag_by_name (GTK_TEXT_BUFFER (self->buffer), WHOLE, &start, &end);
  gtk_source_view_set_show_line_marks (self->view, FALSE);
  gtk_stack_set_visible_child_name (self->stack, text != NULL ? "source" : "none");
}

static void
get_failed_line (HearthTemplateSource *self, GtkTextIter *start, GtkTextIter *end)
{
  gtk_text_buffer_get_iter_at_line (GTK_TEXT_BUFFER (self->buffer), start,
                                    (int) self->failed_line - 1);
  *end = *start;
  gtk_text_iter_forward_line (end);
}

void
hearth_template_source_set_failed_line (HearthTemplateSource *self, guint line)
{
  GtkTextBuffer *buffer;
  GtkTextIter start, end;

  g_return_if_fail (HEARTH_IS_TEMPLATE_SOURCE (self));

  if (self->failed_line == line)
    return;
  buffer = GTK_TEXT_BUFFER (self->buffer);
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  gtk_text_buffer_remove_tag_by_name (buffer, FAILED, &start, &end);
  gtk_source_buffer_remove_source_marks (self->buffer, &start, &end, FAILED);
  self->failed_line = line;
  gtk_source_view_set_show_line_marks (self->view, line > 0);
  if (line == 0)
    return;
  get_failed_line (self, &start, &end);
  gtk_text_buffer_apply_tag_by_name (buffer, FAILED, &start, &end);
  gtk_source_buffer_create_source_mark (self->buffer, NULL, FAILED, &start);
}

void
hearth_template_source_show_failed_line (HearthTemplateSource *self)
{
  GtkTextIter start, end;

  g_return_if_fail (HEARTH_IS_TEMPLATE_SOURCE (self));

  if (self->failed_line == 0)
    return;
  get_failed_line (self, &start, &end);
  gtk_text_buffer_place_cursor (GTK_TEXT_BUFFER (self->buffer), &start);
  gtk_text_view_scroll_to_mark (GTK_TEXT_VIEW (self->view),
                                gtk_text_buffer_get_insert (GTK_TEXT_BUFFER (self->buffer)), 0,
                                TRUE, 0, 0.3);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}
