/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tokenizer-view.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-error.h"
#include "hearth-focus.h"
#include "hearth-model-text.h"
#include "hearth-token-table.h"
#include "hearth-tokenize-page.h"
#include "hearth-words.h"

struct _HearthTokenizerView
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkStack *stack;
  AdwStatusPage *none_page;
  GtkStack *pages;
  HearthTokenizePage *page;
  HearthTokenTable *table;

  HearthModelFile *model;
  HearthModelText *text;
  gboolean wants_search; /* once the vocabulary is there */
};

static void model_view_init (HearthModelViewInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthTokenizerView, hearth_tokenizer_view, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (HEARTH_TYPE_MODEL_VIEW, model_view_init))

static void
show_none (HearthTokenizerView *self, const GError *error)
{
  gboolean missing = g_error_matches (error, HEARTH_ERROR, HEARTH_ERROR_NOT_FOUND);
  g_autofree char *markup = g_markup_escape_text (
    missing || error == NULL ? _ ("This file has no vocabulary, as files of adapters, projectors "
                                  "and voices often do not.")
                             : error->message,
    -1);

  adw_status_page_set_title (self->none_page,
                             missing ? _ ("No Vocabulary") : _ ("Vocabulary Cannot Be Used"));
  adw_status_page_set_description (self->none_page, markup);
  gtk_stack_set_visible_child_name (self->stack, "none");
}

static void
search (HearthTokenizerView *self)
{
  gtk_stack_set_visible_child_name (self->pages, "vocabulary");
  hearth_token_table_focus_search (self->table);
}

static void
state_changed_cb (HearthTokenizerView *self)
{
  HearthTokenizer *tokenizer;

  if (self->text == NULL || self->page == NULL)
    return;
  if (hearth_model_text_get_state (self->text) == HEARTH_MODEL_TEXT_LOADING)
    {
      gtk_stack_set_visible_child_name (self->stack, "reading");
      return;
    }
  tokenizer = hearth_model_text_get_tokenizer (self->text);
  if (tokenizer != NULL)
    {
      const char *name = hearth_model_file_get_base_name (self->model);

      gtk_stack_set_visible_child_name (self->stack, "tokens");
      hearth_tokenize_page_set_tokenizer (self->page, tokenizer, name);
      hearth_token_table_set_tokenizer (self->table, tokenizer, name);
      if (self->wants_search)
        search (self);
    }
  else
    show_none (self, hearth_model_text_get_error (self->text));
  self->wants_search = FALSE;
}

static void
forget (HearthTokenizerView *self)
{
  if (self->text != NULL)
    g_signal_handlers_disconnect_by_data (self->text, self);
  g_clear_object (&self->text);
  g_clear_object (&self->model);
  self->wants_search = FALSE;
  if (self->page != NULL)
    {
      hearth_tokenize_page_set_tokenizer (self->page, NULL, NULL);
      hearth_token_table_set_tokenizer (self->table, NULL, NULL);
    }
}

static void
show_model (HearthModelView *view, HearthModelFile *model)
{
  HearthTokenizerView *self = HEARTH_TOKENIZER_VIEW (view);

  forget (self);
  if (model == NULL)
    return;
  self->model = g_object_ref (model);
  self->text = hearth_model_text_get (model);
  g_signal_connect_object (self->text, "notify::state", G_CALLBACK (state_changed_cb), self,
                           G_CONNECT_SWAPPED);
  state_changed_cb (self);
}

static gboolean
find (HearthModelView *view)
{
  HearthTokenizerView *self = HEARTH_TOKENIZER_VIEW (view);

  if (self->text == NULL)
    return FALSE;
  if (hearth_model_text_get_state (self->text) == HEARTH_MODEL_TEXT_LOADING)
    self->wants_search = TRUE;
  else if (hearth_model_text_get_tokenizer (self->text) != NULL)
    search (self);
  else
    return FALSE;
  return TRUE;
}

static void
left (HearthModelView *view)
{
  HEARTH_TOKENIZER_VIEW (view)->wants_search = FALSE;
}

static void
model_view_init (HearthModelViewInterface *iface)
{
  iface->left = left;
  iface->show_model = show_model;
  iface->find = find;
}

static void
hearth_tokenizer_view_dispose (GObject *object)
{
  HearthTokenizerView *self = HEARTH_TOKENIZER_VIEW (object);

  self->page = NULL;
  forget (self);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_TOKENIZER_VIEW);
  G_OBJECT_CLASS (hearth_tokenizer_view_parent_class)->dispose (object);
}

static void
hearth_tokenizer_view_class_init (HearthTokenizerViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_tokenizer_view_dispose;
  widget_class->focus = hearth_focus_move;
  g_type_ensure (HEARTH_TYPE_TOKENIZE_PAGE);
  g_type_ensure (HEARTH_TYPE_TOKEN_TABLE);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-tokenizer-view.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthTokenizerView, root);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenizerView, stack);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenizerView, none_page);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenizerView, pages);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenizerView, page);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenizerView, table);
}

static void
hearth_tokenizer_view_init (HearthTokenizerView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
