/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-template-prompt.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-error-card.h"
#include "hearth-export.h"
#include "hearth-focus.h"
#include "hearth-template-source.h"
#include "hearth-token-pane.h"
#include "hearth-words.h"

struct _HearthTemplatePrompt
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkLabel *count_label;
  HearthErrorCard *error_card;
  GtkStack *pages;
  HearthTokenPane *pane;
  HearthTemplateSource *source;

  char *path; /* of the model */
  HearthRendering *rendering;
  gboolean shaded;
};

G_DEFINE_FINAL_TYPE (HearthTemplatePrompt, hearth_template_prompt, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_SHADED,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/* ---- what is shown ---------------------------------------------------------------------- */

static void
update_actions (HearthTemplatePrompt *self)
{
  HearthTokenText *tokens =
    self->rendering != NULL ? hearth_rendering_get_tokens (self->rendering) : NULL;
  guint n = 0;

  if (tokens != NULL)
    hearth_token_text_get_ids (tokens, &n);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "template.copy-prompt", tokens != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "template.copy-ids", n > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "template.save-text", tokens != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "template.save-json", tokens != NULL);
}

/* The engine's sentence without where it happened. */
static const char *
skip_place (const char *failure, guint line)
{
  g_autofree char *place = g_strdup_printf (", line %u: ", line);
  const char *found = strstr (failure, place);

  return found != NULL ? found + strlen (place) : failure;
}

static void
show_failure (HearthTemplatePrompt *self)
{
  guint line = 0;
  const char *failure =
    self->rendering != NULL ? hearth_rendering_get_failure (self->rendering, &line) : NULL;
  g_autofree char *sentence = NULL;

  hearth_template_source_set_failed_line (self->source, line);
  gtk_widget_set_visible (GTK_WIDGET (self->error_card), failure != NULL);
  if (failure == NULL)
    return;
  if (hearth_rendering_is_about_tools (self->rendering))
    sentence = g_strdup (_ ("The tools are no JSON list."));
  else if (hearth_rendering_is_detour (self->rendering))
    sentence =
      g_strdup_printf (_ ("The template refuses this conversation in line %u. Chats then join "
                          "messages until it takes them, as shown here."),
                       line);
  else if (line > 0)
    /* Translators: a line's number, and what the template or the engine says about it */
    sentence = g_strdup_printf (_ ("The template fails in line %1$u: “%2$s”"), line,
                                skip_place (failure, line));
  else
    sentence = g_strdup (_ ("The template makes no prompt of this."));
  hearth_error_card_show_failure (self->error_card, sentence, failure);
  hearth_error_card_set_action (self->error_card, line > 0 ? _ ("Show Line") : NULL,
                                "template.show-line");
}

static void
show_count (HearthTemplatePrompt *self, HearthTokenText *tokens)
{
  g_autofree char *number = NULL;
  g_autofree char *text = NULL;
  guint n = 0;

  if (tokens != NULL)
    hearth_token_text_get_ids (tokens, &n);
  if (n > 0)
    {
      number = hearth_words_for_number (n);
      text = g_strdup_printf (ngettext ("%s token", "%s tokens", n), number);
    }
  gtk_label_set_text (self->count_label, text != NULL ? text : "");
}

/* Borders are wanted, and there are some. */
static void
update_shaded (HearthTemplatePrompt *self)
{
  HearthTokenText *tokens;

  if (self->pane == NULL)
    return; /* disposed */
  tokens = hearth_token_pane_get_text (self->pane);
  hearth_token_pane_set_shaded (self->pane, self->shaded && tokens != NULL &&
                                              hearth_token_text_has_borders (tokens));
}

/* ---- actions ---------------------------------------------------------------------------- */

static void
show_line_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthTemplatePrompt *self = HEARTH_TEMPLATE_PROMPT (widget);

  gtk_stack_set_visible_child_name (self->pages, "source");
  hearth_template_source_show_failed_line (self->source);
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthTemplatePrompt *self = HEARTH_TEMPLATE_PROMPT (widget);
  GBytes *prompt;

  if (self->rendering == NULL || hearth_rendering_get_tokens (self->rendering) == NULL)
    return;
  if (g_str_equal (name, "template.copy-ids"))
    {
      hearth_export_copy (
        widget, hearth_token_text_dup_ids (hearth_rendering_get_tokens (self->rendering)));
      return;
    }
  prompt = hearth_rendering_get_prompt (self->rendering);
  hearth_export_copy (widget, g_utf8_make_valid (g_bytes_get_data (prompt, NULL),
                                                 (gssize) g_bytes_get_size (prompt)));
}

static void
save_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthTemplatePrompt *self = HEARTH_TEMPLATE_PROMPT (widget);
  gboolean json = g_str_equal (name, "template.save-json");
  g_autofree char *suggestion = NULL;

  if (self->path == NULL || self->rendering == NULL ||
      hearth_rendering_get_prompt (self->rendering) == NULL)
    return;
  suggestion = hearth_export_name (self->path, json ? "-prompt.json" : "-prompt.txt");
  hearth_export_save (widget, suggestion,
                      json ? hearth_rendering_to_json (self->rendering)
                           : g_bytes_ref (hearth_rendering_get_prompt (self->rendering)));
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_template_prompt_set_property (GObject *object, guint id, const GValue *value,
                                     GParamSpec *pspec)
{
  HearthTemplatePrompt *self = HEARTH_TEMPLATE_PROMPT (object);

  if (id == PROP_SHADED)
    {
      self->shaded = g_value_get_boolean (value);
      update_shaded (self);
    }
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_template_prompt_dispose (GObject *object)
{
  HearthTemplatePrompt *self = HEARTH_TEMPLATE_PROMPT (object);

  g_clear_pointer (&self->rendering, hearth_rendering_unref);
  g_clear_pointer (&self->path, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_TEMPLATE_PROMPT);
  G_OBJECT_CLASS (hearth_template_prompt_parent_class)->dispose (object);
}

static void
hearth_template_prompt_class_init (HearthTemplatePromptClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = hearth_template_prompt_dispose;
  object_class->set_property = hearth_template_prompt_set_property;
  widget_class->focus = hearth_focus_move;
  g_type_ensure (HEARTH_TYPE_ERROR_CARD);
  g_type_ensure (HEARTH_TYPE_TEMPLATE_SOURCE);
  g_type_ensure (HEARTH_TYPE_TOKEN_PANE);
  properties[PROP_SHADED] =
    g_param_spec_boolean ("shaded", NULL, NULL, FALSE,
                          G_PARAM_WRITABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  gtk_widget_class_install_action (widget_class, "template.show-line", NULL, show_line_action);
  gtk_widget_class_install_action (widget_class, "template.copy-prompt", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "template.copy-ids", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "template.save-text", NULL, save_action);
  gtk_widget_class_install_action (widget_class, "template.save-json", NULL, save_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-template-prompt.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthTemplatePrompt, root);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplatePrompt, count_label);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplatePrompt, error_card);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplatePrompt, pages);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplatePrompt, pane);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplatePrompt, source);
}

static void
hearth_template_prompt_init (HearthTemplatePrompt *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  update_actions (self);
}

void
hearth_template_prompt_set_source (HearthTemplatePrompt *self, const char *source, const char *path)
{
  g_return_if_fail (HEARTH_IS_TEMPLATE_PROMPT (self));

  g_set_str (&self->path, path);
  hearth_template_source_set_text (self->source, source);
}

void
hearth_template_prompt_set_rendering (HearthTemplatePrompt *self, HearthRendering *rendering)
{
  HearthTokenText *tokens = rendering != NULL ? hearth_rendering_get_tokens (rendering) : NULL;

  g_return_if_fail (HEARTH_IS_TEMPLATE_PROMPT (self));

  g_clear_pointer (&self->rendering, hearth_rendering_unref);
  self->rendering = rendering;
  hearth_token_pane_set_text (self->pane, tokens);
  show_count (self, tokens);
  show_failure (self);
  update_shaded (self);
  update_actions (self);
}
