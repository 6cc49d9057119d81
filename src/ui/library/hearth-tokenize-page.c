/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tokenize-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-export.h"
#include "hearth-focus.h"
#include "hearth-progress-row.h"
#include "hearth-token-input.h"
#include "hearth-token-pane.h"
#include "hearth-words.h"

#define DEBOUNCE_MS 120
/* What takes no longer is not worth a bar. */
#define PATIENCE_MS 200

struct _HearthTokenizePage
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkPaned *paned;
  HearthTokenInput *input;
  AdwSwitchRow *add_row;
  AdwSwitchRow *parse_row;
  GtkLabel *counts_label;
  HearthProgressRow *progress_row;
  HearthTokenPane *pane;

  HearthTokenizer *tokenizer;
  char *name;
  GBytes *text; /* of the tokens shown */
  GCancellable *running;
  HearthProgress *progress;
  guint debounce_id, progress_id;
};

G_DEFINE_FINAL_TYPE (HearthTokenizePage, hearth_tokenize_page, GTK_TYPE_WIDGET)

/* ---- what comes out --------------------------------------------------------------------- */

static void
show_counts (HearthTokenizePage *self, HearthTokenText *tokens)
{
  gsize n_bytes, n_characters, n_words;
  guint n_tokens;
  g_autofree char *token_number = NULL;
  g_autofree char *character_number = NULL;
  g_autofree char *byte_number = NULL;
  g_autofree char *token_text = NULL;
  g_autofree char *character_text = NULL;
  g_autofree char *byte_text = NULL;
  g_autofree char *ratio = NULL;
  g_autofree char *all = NULL;

  hearth_token_text_get_ids (tokens, &n_tokens);
  hearth_token_text_get_counts (tokens, &n_bytes, &n_characters, &n_words);
  token_number = hearth_words_for_number (n_tokens);
  character_number = hearth_words_for_number (n_characters);
  byte_number = hearth_words_for_number (n_bytes);
  token_text = g_strdup_printf (ngettext ("%s token", "%s tokens", n_tokens), token_number);
  character_text =
    g_strdup_printf (ngettext ("%s character", "%s characters", n_characters), character_number);
  byte_text = g_strdup_printf (ngettext ("%s byte", "%s bytes", n_bytes), byte_number);
  if (n_words > 0)
    /* Translators: how many tokens a word has on average */
    ratio = g_strdup_printf (_ ("%.2f tokens per word"), (double) n_tokens / (double) n_words);
  all = g_strjoin (" · ", token_text, character_text, byte_text, ratio, NULL);
  gtk_label_set_text (self->counts_label, all);
}

static void
stop (HearthTokenizePage *self)
{
  if (self->running != NULL)
    g_cancellable_cancel (self->running);
  g_clear_object (&self->running);
  g_clear_pointer (&self->progress, hearth_progress_unref);
  g_clear_handle_id (&self->progress_id, g_source_remove);
  if (self->progress_row != NULL)
    hearth_progress_row_end (self->progress_row, GTK_WIDGET (self->input), NULL);
}

static gboolean
progress_cb (gpointer data)
{
  HearthTokenizePage *self = data;

  hearth_progress_row_begin (self->progress_row, NULL);
  hearth_progress_row_set_fraction (self->progress_row, hearth_progress_get (self->progress));
  return G_SOURCE_CONTINUE;
}

static void
update_actions (HearthTokenizePage *self)
{
  gboolean any = self->text != NULL;

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "tokenize.copy-ids", any);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "tokenize.save-json", any);
}

static void
show_tokens (HearthTokenizePage *self, HearthTokenText *tokens, GBytes *text)
{
  g_clear_pointer (&self->text, g_bytes_unref);
  self->text = text != NULL ? g_bytes_ref (text) : NULL;
  hearth_token_pane_set_text (self->pane, tokens);
  if (tokens != NULL)
    show_counts (self, tokens);
  else
    gtk_label_set_text (self->counts_label, "");
  update_actions (self);
}

struct asked
{
  HearthTokenizePage *self; /* a reference */
  GCancellable *running;
  GBytes *text;
};

static void
tokenized_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct asked *asked = user_data;
  HearthTokenizePage *self = asked->self;
  g_autoptr (GError) error = NULL;
  HearthTokenText *tokens = hearth_tokenizer_tokenize_finish (result, &error);

  if (self->running == asked->running)
    {
      stop (self);
      show_tokens (self, tokens, asked->text);
      if (tokens == NULL)
        gtk_label_set_text (self->counts_label, error->message);
    }
  g_clear_pointer (&tokens, hearth_token_text_unref);
  g_object_unref (asked->running);
  g_bytes_unref (asked->text);
  g_object_unref (asked->self);
  g_free (asked);
}

static void
begin (HearthTokenizePage *self)
{
  const HearthTokenizeFlags flags = { .add_special = adw_switch_row_get_active (self->add_row),
                                      .parse_special =
                                        adw_switch_row_get_active (self->parse_row) };
  struct asked *asked;

  stop (self);
  if (self->tokenizer == NULL)
    return;
  self->running = g_cancellable_new ();
  self->progress = hearth_progress_new ();
  self->progress_id = g_timeout_add (PATIENCE_MS, progress_cb, self);
  asked = g_new0 (struct asked, 1);
  asked->self = g_object_ref (self);
  asked->running = g_object_ref (self->running);
  asked->text = hearth_token_input_dup_text (self->input);
  hearth_tokenizer_tokenize_async (self->tokenizer, asked->text, flags, self->progress,
                                   self->running, tokenized_cb, asked);
}

static gboolean
debounced_cb (gpointer data)
{
  HearthTokenizePage *self = data;

  self->debounce_id = 0;
  begin (self);
  return G_SOURCE_REMOVE;
}

static void
begin_soon (HearthTokenizePage *self)
{
  g_clear_handle_id (&self->debounce_id, g_source_remove);
  self->debounce_id = g_timeout_add (DEBOUNCE_MS, debounced_cb, self);
}

/* ---- actions ---------------------------------------------------------------------------- */

static void
copy_ids_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthTokenText *tokens = hearth_token_pane_get_text (HEARTH_TOKENIZE_PAGE (widget)->pane);

  if (tokens != NULL)
    hearth_export_copy (widget, hearth_token_text_dup_ids (tokens));
}

static void
save_json_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthTokenizePage *self = HEARTH_TOKENIZE_PAGE (widget);
  HearthTokenText *tokens = hearth_token_pane_get_text (self->pane);
  g_autofree char *suggestion = NULL;
  gsize size;
  const char *text;

  if (tokens == NULL || self->text == NULL)
    return;
  suggestion = hearth_export_name (self->name, "-tokens.json");
  text = g_bytes_get_data (self->text, &size);
  hearth_export_save (widget, suggestion,
                      hearth_token_text_to_json (tokens, text != NULL ? text : "", size));
}

static void
cancel_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthTokenizePage *self = HEARTH_TOKENIZE_PAGE (widget);

  stop (self);
  show_tokens (self, NULL, NULL);
  gtk_label_set_text (self->counts_label, _ ("Stopped"));
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_tokenize_page_dispose (GObject *object)
{
  HearthTokenizePage *self = HEARTH_TOKENIZE_PAGE (object);

  g_clear_handle_id (&self->debounce_id, g_source_remove);
  self->progress_row = NULL;
  stop (self);
  g_clear_pointer (&self->tokenizer, hearth_tokenizer_unref);
  g_clear_pointer (&self->text, g_bytes_unref);
  g_clear_pointer (&self->name, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_TOKENIZE_PAGE);
  G_OBJECT_CLASS (hearth_tokenize_page_parent_class)->dispose (object);
}

static void
hearth_tokenize_page_class_init (HearthTokenizePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_tokenize_page_dispose;
  widget_class->focus = hearth_focus_move;
  g_type_ensure (HEARTH_TYPE_PROGRESS_ROW);
  g_type_ensure (HEARTH_TYPE_TOKEN_INPUT);
  g_type_ensure (HEARTH_TYPE_TOKEN_PANE);
  gtk_widget_class_install_action (widget_class, "tokenize.copy-ids", NULL, copy_ids_action);
  gtk_widget_class_install_action (widget_class, "tokenize.save-json", NULL, save_json_action);
  gtk_widget_class_install_action (widget_class, "tokenize.cancel", NULL, cancel_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-tokenize-page.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthTokenizePage, root);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenizePage, paned);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenizePage, input);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenizePage, add_row);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenizePage, parse_row);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenizePage, counts_label);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenizePage, progress_row);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenizePage, pane);
  gtk_widget_class_bind_template_callback (widget_class, begin_soon);
}

static void
hearth_tokenize_page_init (HearthTokenizePage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  update_actions (self);
}

void
hearth_tokenize_page_set_tokenizer (HearthTokenizePage *self, HearthTokenizer *tokenizer,
                                    const char *name)
{
  int first, last;
  g_autofree char *subtitle = NULL;

  g_return_if_fail (HEARTH_IS_TOKENIZE_PAGE (self));

  if (self->tokenizer == tokenizer)
    return;
  stop (self);
  g_clear_pointer (&self->tokenizer, hearth_tokenizer_unref);
  g_set_str (&self->name, name);
  show_tokens (self, NULL, NULL);
  if (tokenizer == NULL)
    return;
  self->tokenizer = hearth_tokenizer_ref (tokenizer);
  first = hearth_tokenizer_get_first (tokenizer);
  last = hearth_tokenizer_get_last (tokenizer);
  if (first < 0 && last < 0)
    subtitle = g_strdup (_ ("This vocabulary adds none"));
  else
    {
      g_autofree char *before = first >= 0 ? hearth_tokenizer_dup_piece (tokenizer, first) : NULL;
      g_autofree char *after = last >= 0 ? hearth_tokenizer_dup_piece (tokenizer, last) : NULL;

      if (before == NULL)
        subtitle = g_strdup_printf (_ ("%s after the text"), after);
      else if (after == NULL)
        subtitle = g_strdup_printf (_ ("%s before the text"), before);
      else
        subtitle = g_strdup_printf (_ ("%1$s before and %2$s after the text"), before, after);
    }
  {
    g_autofree char *markup = g_markup_escape_text (subtitle, -1);

    adw_action_row_set_subtitle (ADW_ACTION_ROW (self->add_row), markup);
  }
  gtk_widget_set_sensitive (GTK_WIDGET (self->add_row), first >= 0 || last >= 0);
  begin (self);
}
