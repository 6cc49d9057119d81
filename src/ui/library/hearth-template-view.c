/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-template-view.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-error-card.h"
#include "hearth-focus.h"
#include "hearth-model-text.h"
#include "hearth-template-editor.h"
#include "hearth-template-prompt.h"
#include "hearth-words.h"

#define DEBOUNCE_MS 150

struct _HearthTemplateView
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkStack *stack;
  HearthErrorCard *failed_card;
  AdwBanner *none_banner;
  GtkDropDown *template_drop_down;
  HearthTemplateEditor *editor;
  HearthTemplatePrompt *prompt;

  HearthModelFile *model;
  HearthModelText *text;
  GtkStringList *names;
  guint template_index;
  gboolean running, stale;
  guint debounce_id;
};

static void model_view_init (HearthModelViewInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthTemplateView, hearth_template_view, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (HEARTH_TYPE_MODEL_VIEW, model_view_init))

/* ---- rendering -------------------------------------------------------------------------- */

static HearthTemplate *
current_template (HearthTemplateView *self)
{
  if (self->text == NULL || self->template_index >= hearth_model_text_get_n_templates (self->text))
    return NULL;
  return hearth_model_text_get_template (self->text, self->template_index);
}

static void begin (HearthTemplateView *self);

static void
rendered_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthTemplateView) self = user_data;
  HearthRendering *rendering = hearth_template_render_finish (result, NULL);

  if (self->editor == NULL)
    {
      g_clear_pointer (&rendering, hearth_rendering_unref);
      return; /* disposed */
    }
  self->running = FALSE;
  if (self->stale)
    {
      g_clear_pointer (&rendering, hearth_rendering_unref);
      begin (self);
    }
  else
    hearth_template_prompt_set_rendering (self->prompt, rendering);
}

/* One at a time: a template may take seconds, and nobody can stop it. */
static void
begin (HearthTemplateView *self)
{
  HearthTemplate *tmpl = current_template (self);

  self->stale = self->running;
  if (tmpl == NULL || self->running)
    return;
  self->running = TRUE;
  hearth_template_editor_render (self->editor, tmpl, rendered_cb, g_object_ref (self));
}

static gboolean
debounced_cb (gpointer data)
{
  HearthTemplateView *self = data;

  self->debounce_id = 0;
  begin (self);
  return G_SOURCE_REMOVE;
}

static void
edited_cb (HearthTemplateView *self)
{
  g_clear_handle_id (&self->debounce_id, g_source_remove);
  self->debounce_id = g_timeout_add (DEBOUNCE_MS, debounced_cb, self);
}

/* ---- the model -------------------------------------------------------------------------- */

static void
show_template (HearthTemplateView *self)
{
  HearthTemplate *tmpl = current_template (self);

  if (tmpl == NULL)
    return;
  hearth_template_prompt_set_source (self->prompt, hearth_template_get_source (tmpl),
                                     hearth_model_file_get_path (self->model));
  hearth_template_editor_set_template (self->editor, tmpl,
                                       hearth_model_text_get_tokenizer (self->text) != NULL);
  adw_banner_set_revealed (self->none_banner, hearth_template_get_source (tmpl) == NULL);
  hearth_template_prompt_set_rendering (self->prompt, NULL);
  begin (self);
}

static void
template_picked_cb (HearthTemplateView *self)
{
  guint selected = gtk_drop_down_get_selected (self->template_drop_down);

  if (self->text == NULL || selected == GTK_INVALID_LIST_POSITION ||
      selected == self->template_index)
    return;
  self->template_index = selected;
  show_template (self);
}

static void
fill_names (HearthTemplateView *self)
{
  guint n = hearth_model_text_get_n_templates (self->text);

  for (guint i = 0; i < n; i++)
    {
      HearthTemplate *tmpl = hearth_model_text_get_template (self->text, i);
      const char *name = hearth_template_get_name (tmpl);

      gtk_string_list_append (self->names, name != NULL ? name
                                           : hearth_template_get_source (tmpl) != NULL
                                             /* Translators: the template without a name */
                                             ? _ ("Standard Template")
                                             : _ ("No Template"));
    }
  gtk_widget_set_visible (GTK_WIDGET (self->template_drop_down), n > 1);
}

static void
state_changed_cb (HearthTemplateView *self)
{
  const GError *error;

  switch (hearth_model_text_get_state (self->text))
    {
    case HEARTH_MODEL_TEXT_LOADING:
      gtk_stack_set_visible_child_name (self->stack, "reading");
      break;
    case HEARTH_MODEL_TEXT_READY:
      self->template_index = 0;
      fill_names (self);
      gtk_drop_down_set_selected (self->template_drop_down, 0);
      gtk_stack_set_visible_child_name (self->stack, "template");
      show_template (self);
      break;
    case HEARTH_MODEL_TEXT_FAILED:
    default:
      {
        g_autofree char *sentence = NULL;

        error = hearth_model_text_get_error (self->text);
        sentence = hearth_words_for_error (error, self->model);
        hearth_error_card_show_failure (self->failed_card, sentence, error->message);
        gtk_stack_set_visible_child_name (self->stack, "failed");
      }
    }
}

static void
forget (HearthTemplateView *self)
{
  if (self->text != NULL)
    g_signal_handlers_disconnect_by_data (self->text, self);
  g_clear_object (&self->text);
  g_clear_object (&self->model);
  g_clear_handle_id (&self->debounce_id, g_source_remove);
  /* A rendering that is under way is of no use any more. */
  self->stale = self->running;
  if (self->editor == NULL)
    return;
  gtk_string_list_splice (self->names, 0, g_list_model_get_n_items (G_LIST_MODEL (self->names)),
                          NULL);
  hearth_template_prompt_set_rendering (self->prompt, NULL);
}

static void
show_model (HearthModelView *view, HearthModelFile *model)
{
  HearthTemplateView *self = HEARTH_TEMPLATE_VIEW (view);

  forget (self);
  if (model == NULL)
    return;
  self->model = g_object_ref (model);
  self->text = hearth_model_text_get (model);
  g_signal_connect_object (self->text, "notify::state", G_CALLBACK (state_changed_cb), self,
                           G_CONNECT_SWAPPED);
  state_changed_cb (self);
}

static void
model_view_init (HearthModelViewInterface *iface)
{
  iface->show_model = show_model;
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_template_view_dispose (GObject *object)
{
  HearthTemplateView *self = HEARTH_TEMPLATE_VIEW (object);

  if (self->template_drop_down != NULL)
    g_signal_handlers_disconnect_by_data (self->template_drop_down, self);
  self->editor = NULL;
  forget (self);
  g_clear_object (&self->names);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_TEMPLATE_VIEW);
  G_OBJECT_CLASS (hearth_template_view_parent_class)->dispose (object);
}

static void
hearth_template_view_class_init (HearthTemplateViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_template_view_dispose;
  widget_class->focus = hearth_focus_move;
  g_type_ensure (HEARTH_TYPE_ERROR_CARD);
  g_type_ensure (HEARTH_TYPE_TEMPLATE_EDITOR);
  g_type_ensure (HEARTH_TYPE_TEMPLATE_PROMPT);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-template-view.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateView, root);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateView, stack);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateView, failed_card);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateView, none_banner);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateView, template_drop_down);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateView, editor);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateView, prompt);
  gtk_widget_class_bind_template_callback (widget_class, edited_cb);
  gtk_widget_class_bind_template_callback (widget_class, template_picked_cb);
}

static void
hearth_template_view_init (HearthTemplateView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->names = gtk_string_list_new (NULL);
  gtk_drop_down_set_model (self->template_drop_down, G_LIST_MODEL (self->names));
}
