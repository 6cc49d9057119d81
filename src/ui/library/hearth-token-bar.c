/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-token-bar.h"

#include <glib/gi18n.h>

#include "hearth-token-words.h"

struct _HearthTokenBar
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkLabel *piece_label;
  GtkLabel *ids_label;
  GtkLabel *details_label;

  HearthTokenFlow *flow;
};

G_DEFINE_FINAL_TYPE (HearthTokenBar, hearth_token_bar, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_FLOW,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/* Why nothing in the text can be pointed at; NULL where it can. */
static const char *
find_reason (HearthTokenText *text)
{
  guint n = 0;

  if (text == NULL || hearth_token_text_has_borders (text) ||
      hearth_token_text_get_n_cells (text) == 0)
    return NULL;
  hearth_token_text_get_ids (text, &n);
  return n > 0 ? _ ("This vocabulary changes the text, so its tokens have no place in it")
               : _ ("There are no tokens without a usable vocabulary");
}

static void
cell_changed_cb (HearthTokenBar *self)
{
  HearthTokenText *text = self->flow != NULL ? hearth_token_flow_get_text (self->flow) : NULL;
  int cell = self->flow != NULL ? hearth_token_flow_get_cell (self->flow) : -1;
  const char *reason = find_reason (text);
  g_autofree char *piece = NULL;
  g_autofree char *ids = NULL;
  g_autofree char *details = NULL;

  if (text == NULL || cell < 0 || reason != NULL)
    {
      gtk_label_set_text (self->piece_label, "");
      gtk_widget_set_margin_end (GTK_WIDGET (self->piece_label), 0);
      gtk_label_set_text (self->ids_label,
                          reason != NULL ? reason : _ ("Point at a token, or use the arrow keys"));
      gtk_label_set_text (self->details_label, "");
      return;
    }
  piece = hearth_token_words_for_piece (text, (guint) cell);
  ids = hearth_token_words_for_ids (text, (guint) cell);
  details = hearth_token_words_for_details (text, (guint) cell);
  gtk_label_set_text (self->piece_label, piece);
  gtk_widget_set_margin_end (GTK_WIDGET (self->piece_label), 12);
  gtk_label_set_text (self->ids_label, ids);
  gtk_label_set_text (self->details_label, details);
}

static void
hearth_token_bar_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  HearthTokenBar *self = HEARTH_TOKEN_BAR (object);

  if (id != PROP_FLOW)
    {
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      return;
    }
  g_set_object (&self->flow, g_value_get_object (value));
  if (self->flow != NULL)
    g_signal_connect_object (self->flow, "notify::cell", G_CALLBACK (cell_changed_cb), self,
                             G_CONNECT_SWAPPED);
  cell_changed_cb (self);
}

static void
hearth_token_bar_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_FLOW)
    g_value_set_object (value, HEARTH_TOKEN_BAR (object)->flow);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_token_bar_dispose (GObject *object)
{
  g_clear_object (&HEARTH_TOKEN_BAR (object)->flow);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_TOKEN_BAR);
  G_OBJECT_CLASS (hearth_token_bar_parent_class)->dispose (object);
}

static void
hearth_token_bar_class_init (HearthTokenBarClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = hearth_token_bar_dispose;
  object_class->get_property = hearth_token_bar_get_property;
  object_class->set_property = hearth_token_bar_set_property;
  properties[PROP_FLOW] =
    g_param_spec_object ("flow", NULL, NULL, HEARTH_TYPE_TOKEN_FLOW,
                         G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-token-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthTokenBar, root);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenBar, piece_label);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenBar, ids_label);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenBar, details_label);
}

static void
hearth_token_bar_init (HearthTokenBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
