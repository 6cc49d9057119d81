/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-overview.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-export.h"
#include "hearth-focus.h"
#include "hearth-overview-export.h"
#include "hearth-overview-origin.h"
#include "hearth-share-group.h"
#include "hearth-tensor-type.h"
#include "hearth-words.h"

struct _HearthOverview
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkLabel *name_label;
  GtkLabel *origin_label;
  GtkLabel *kind_label;
  GtkLabel *advice_label;
  GtkFlowBox *facts_box;
  HearthShareGroup *types_group;
  HearthShareGroup *roles_group;
  AdwBin *origin_bin;

  HearthModelFile *model;
};

static void model_view_init (HearthModelViewInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthOverview, hearth_overview, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (HEARTH_TYPE_MODEL_VIEW, model_view_init))

/* What tensors are for, in the order they are shown. */
static const char *const role_names[HEARTH_N_ROLES] = {
  [HEARTH_ROLE_EMBEDDING] = N_ ("Vocabulary"),
  [HEARTH_ROLE_ATTENTION] = N_ ("Attention"),
  [HEARTH_ROLE_FEED_FORWARD] = N_ ("Feed-forward"),
  [HEARTH_ROLE_EXPERTS] = N_ ("Experts"),
  [HEARTH_ROLE_RECURRENT] = N_ ("Recurrent state"),
  [HEARTH_ROLE_NORM] = N_ ("Normalization"),
  [HEARTH_ROLE_OUTPUT] = N_ ("Output"),
  [HEARTH_ROLE_OTHER] = N_ ("Other"),
};

/* ---- facts ------------------------------------------------------------------------------ */

static void
fact_activated_cb (HearthOverview *self, GtkFlowBoxChild *child)
{
  const char *value = g_object_get_data (G_OBJECT (child), "value");

  hearth_export_copy (GTK_WIDGET (self), g_strdup (value));
}

static void
add_fact (HearthOverview *self, const char *title, const char *value)
{
  GtkWidget *child, *box, *title_label, *value_label;
  g_autofree char *spoken = NULL;

  if (value == NULL || *value == '\0')
    return;
  child = gtk_flow_box_child_new ();
  box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  title_label = gtk_label_new (title);
  value_label = gtk_label_new (value);
  spoken = g_strdup_printf ("%s: %s", title, value);

  gtk_label_set_xalign (GTK_LABEL (title_label), 0);
  gtk_label_set_wrap (GTK_LABEL (title_label), TRUE);
  gtk_widget_add_css_class (title_label, "dimmed");
  gtk_widget_add_css_class (title_label, "caption");
  gtk_label_set_xalign (GTK_LABEL (value_label), 0);
  gtk_label_set_wrap (GTK_LABEL (value_label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (value_label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (value_label, "numeric");
  gtk_box_append (GTK_BOX (box), title_label);
  gtk_box_append (GTK_BOX (box), value_label);
  gtk_flow_box_child_set_child (GTK_FLOW_BOX_CHILD (child), box);
  gtk_widget_set_tooltip_text (child, _ ("Click to copy"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (child), GTK_ACCESSIBLE_PROPERTY_LABEL, spoken,
                                  -1);
  g_object_set_data_full (G_OBJECT (child), "title", g_strdup (title), g_free);
  g_object_set_data_full (G_OBJECT (child), "value", g_strdup (value), g_free);
  gtk_flow_box_append (self->facts_box, child);
}

/* `number` 0: the file does not say. */
static void
add_number (HearthOverview *self, const char *title, guint64 number)
{
  g_autofree char *value = hearth_words_for_number (number);

  if (number > 0)
    add_fact (self, title, value);
}

static char *
dup_date (gint64 seconds)
{
  g_autoptr (GDateTime) date = seconds > 0 ? g_date_time_new_from_unix_local (seconds) : NULL;

  /* Translators: a date such as "12 Nov 2026" */
  return date != NULL ? g_date_time_format (date, _ ("%-d %b %Y")) : NULL;
}

static void
show_facts (HearthOverview *self, HearthModelFile *model, const HearthModelHeader *header)
{
  g_autofree char *count = hearth_words_for_count (header->n_parameters);
  g_autofree char *number = hearth_words_for_number (header->n_parameters);
  g_autofree char *parameters =
    header->n_parameters < 1000000 ? g_strdup (number) : g_strdup_printf ("%s (%s)", count, number);
  g_autofree char *bits = g_strdup_printf ("%.2f", hearth_model_file_get_bits_per_weight (model));
  g_autofree char *size = hearth_words_for_exact_size (header->size);
  g_autofree char *date = dup_date (header->changed);
  g_autofree char *parts = hearth_words_for_number (header->n_parts);

  gtk_flow_box_remove_all (self->facts_box);
  add_fact (self, _ ("Architecture"), header->architecture);
  add_fact (self, _ ("Parameters"), parameters);
  add_fact (self, _ ("Quantization"), header->quantization);
  add_fact (self, _ ("Bits per weight"), header->n_parameters > 0 ? bits : NULL);
  add_fact (self, _ ("Size"), size);
  if (header->expected_size > header->size)
    {
      g_autofree char *missing = hearth_words_for_exact_size (header->expected_size - header->size);

      add_fact (self, C_ ("bytes of a file", "Missing"), missing);
    }
  add_number (self, _ ("Longest context, in tokens"), header->n_ctx_trained);
  add_number (self, _ ("Layers"), header->n_layers);
  add_number (self, _ ("Width"), header->width);
  add_number (self, _ ("Tensors"), header->n_tensors);
  add_number (self, _ ("Metadata keys"), header->n_keys);
  if (g_strcmp0 (header->full_name, header->name) != 0)
    add_fact (self, _ ("Full name"), header->full_name);
  add_fact (self, _ ("Version"), header->version_label);
  add_fact (self, _ ("Quantized by"), header->quantized_by);
  add_fact (self, _ ("Files"), header->n_parts > 1 ? parts : NULL);
  add_fact (self, _ ("File changed"), date);
  add_fact (self, _ ("File"), hearth_model_file_get_path (model));
}

/* ---- shares ----------------------------------------------------------------------------- */

static void
show_types (HearthOverview *self, HearthModelFile *model)
{
  GListModel *types = hearth_model_file_get_types (model);
  guint n = g_list_model_get_n_items (types);

  hearth_share_group_clear (self->types_group);
  gtk_widget_set_visible (GTK_WIDGET (self->types_group), n > 0);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (HearthTensorType) type = g_list_model_get_item (types, i);
      const char *name = hearth_tensor_type_get_name (type);
      guint64 n_tensors = hearth_tensor_type_get_n_tensors (type);
      guint64 n_bytes = hearth_tensor_type_get_n_bytes (type);
      g_autofree char *size = hearth_words_for_size (n_bytes);
      g_autofree char *exact = hearth_words_for_exact_size (n_bytes);
      g_autofree char *figure = hearth_words_for_number (n_tensors);
      g_autofree char *tensors = g_strdup_printf (
        ngettext ("%s tensor", "%s tensors", (gulong) MIN (n_tensors, G_MAXULONG)), figure);
      g_autofree char *count = hearth_words_for_count (hearth_tensor_type_get_n_elements (type));
      g_autofree char *parameters = g_strdup_printf (_ ("%s parameters"), count);
      g_autofree char *subtitle = g_strdup_printf ("%s · %s · %s", tensors, parameters, size);

      hearth_share_group_add (self->types_group,
                              &(struct hearth_share) { name, subtitle, size, exact, n_bytes,
                                                       hearth_tensor_type_get_share (type) });
    }
}

static void
show_roles (HearthOverview *self, const HearthModelHeader *header)
{
  hearth_share_group_clear (self->roles_group);
  gtk_widget_set_visible (GTK_WIDGET (self->roles_group), header->n_parameters > 0);
  for (guint role = 0; role < HEARTH_N_ROLES; role++)
    {
      guint64 n = header->roles[role];
      g_autofree char *count = hearth_words_for_count (n);
      g_autofree char *number = hearth_words_for_number (n);
      g_autofree char *subtitle = g_strdup_printf (_ ("%s parameters"), count);

      if (n > 0)
        hearth_share_group_add (
          self->roles_group,
          &(struct hearth_share) { _ (role_names[role]), subtitle, count, number, n,
                                   (double) n / (double) header->n_parameters });
    }
}

/* ---- the head --------------------------------------------------------------------------- */

static void
set_text (GtkLabel *label, const char *text)
{
  gtk_label_set_text (label, text != NULL ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (label), text != NULL && *text != '\0');
}

static void
show_hero (HearthOverview *self, HearthModelFile *model, const HearthModelHeader *header)
{
  g_autoptr (GStrvBuilder) parts = g_strv_builder_new ();
  g_autofree char *kind = hearth_words_for_model_kind (model);
  g_autofree char *advice = hearth_words_for_model_advice (model);
  g_autofree char *origin = NULL;
  g_auto (GStrv) list = NULL;

  if (header->author != NULL)
    g_strv_builder_add (parts, header->author);
  if (header->licence != NULL)
    g_strv_builder_add (parts, header->licence);
  list = g_strv_builder_end (parts);
  origin = g_strjoinv (" · ", list);
  set_text (self->name_label, header->name);
  set_text (self->origin_label, origin);
  set_text (self->kind_label, kind);
  set_text (self->advice_label, advice);
}

/* ---- what the open file says of itself -------------------------------------------------- */

/* What one token goes through in a mixture of experts. */
static void
show_active (HearthOverview *self, const HearthModelOrigin *origin, guint64 n_parameters)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *active = hearth_words_for_count (origin->n_active_parameters);
  g_autofree char *all = hearth_words_for_count (n_parameters);
  g_autofree char *number = hearth_words_for_number (origin->n_active_parameters);
  g_autofree char *experts_active = hearth_words_for_count (origin->n_active_expert_parameters);
  g_autofree char *experts_all = hearth_words_for_count (origin->n_expert_parameters);
  g_autofree char *text = g_strdup_printf (
    /* Translators: counts such as "12.9 billion" */
    _ ("%1$s of %2$s parameters: %3$u of %4$u experts answer, %5$s of their %6$s parameters"),
    active, all, origin->n_experts_used, origin->n_experts, experts_active, experts_all);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ ("Active for one token"));
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), text);
  gtk_widget_set_tooltip_text (row, number);
  hearth_share_group_add_row (self->roles_group, row);
}

static void
show_vocabulary (HearthOverview *self, const HearthModelOrigin *origin)
{
  g_autofree char *tokens = hearth_words_for_number (origin->n_tokens);
  g_autofree char *templates = hearth_words_for_number (origin->n_templates);
  g_autofree char *vocabulary = NULL;

  if (origin->n_tokens > 0 && origin->vocabulary != NULL)
    /* Translators: "49,152 tokens (gpt2)" */
    vocabulary = g_strdup_printf (_ ("%1$s tokens (%2$s)"), tokens, origin->vocabulary);
  add_fact (self, _ ("Vocabulary"), vocabulary);
  if (origin->n_tokens > 0)
    add_fact (self, _ ("Chat template"),
              origin->n_templates > 1    ? templates
              : origin->n_templates == 1 ? _ ("Yes")
                                         : C_ ("chat template", "None"));
}

static void
show_contents (HearthModelView *view, HearthModelContents *contents)
{
  HearthOverview *self = HEARTH_OVERVIEW (view);
  const HearthModelHeader *header =
    self->model != NULL ? hearth_model_file_get_header (self->model) : NULL;
  const HearthModelOrigin *origin;

  adw_bin_set_child (self->origin_bin, NULL);
  if (contents == NULL || header == NULL)
    return;
  origin = hearth_model_contents_get_origin (contents);
  adw_bin_set_child (self->origin_bin, hearth_overview_origin_new (origin));
  show_vocabulary (self, origin);
  if (origin->n_experts > 0 && origin->n_expert_parameters > 0)
    show_active (self, origin, header->n_parameters);
}

/* ---- copying and exporting -------------------------------------------------------------- */

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthOverview *self = HEARTH_OVERVIEW (widget);
  GString *text = g_string_new (NULL);

  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->facts_box)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    g_string_append_printf (text, "%s\t%s\n",
                            (const char *) g_object_get_data (G_OBJECT (child), "title"),
                            (const char *) g_object_get_data (G_OBJECT (child), "value"));
  hearth_export_copy (widget, g_string_free_and_steal (text));
}

static void
export_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthOverview *self = HEARTH_OVERVIEW (widget);
  gboolean json = g_str_equal (g_variant_get_string (parameter, NULL), "json");
  g_autofree char *file = NULL;

  if (self->model == NULL || hearth_model_file_get_header (self->model) == NULL)
    return;
  file = hearth_export_name (hearth_model_file_get_path (self->model),
                             json ? "-overview.json" : "-overview.csv");
  hearth_export_save (
    widget, file,
    hearth_overview_export (self->model, json ? HEARTH_TABLE_JSON : HEARTH_TABLE_CSV));
}

/* ---- as a view of the page -------------------------------------------------------------- */

static void
show_model (HearthModelView *view, HearthModelFile *model)
{
  HearthOverview *self = HEARTH_OVERVIEW (view);
  const HearthModelHeader *header = model != NULL ? hearth_model_file_get_header (model) : NULL;

  g_set_object (&self->model, model);
  adw_bin_set_child (self->origin_bin, NULL);
  gtk_widget_set_visible (self->root, header != NULL);
  if (header == NULL)
    return;
  show_hero (self, model, header);
  show_facts (self, model, header);
  show_types (self, model);
  show_roles (self, header);
}

static void
model_view_init (HearthModelViewInterface *iface)
{
  iface->show_model = show_model;
  iface->show_contents = show_contents;
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_overview_dispose (GObject *object)
{
  g_clear_object (&HEARTH_OVERVIEW (object)->model);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_OVERVIEW);
  G_OBJECT_CLASS (hearth_overview_parent_class)->dispose (object);
}

static void
hearth_overview_class_init (HearthOverviewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_overview_dispose;
  g_type_ensure (HEARTH_TYPE_SHARE_GROUP);
  gtk_widget_class_install_action (widget_class, "overview.copy", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "overview.export", "s", export_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-overview.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthOverview, root);
  gtk_widget_class_bind_template_child (widget_class, HearthOverview, name_label);
  gtk_widget_class_bind_template_child (widget_class, HearthOverview, origin_label);
  gtk_widget_class_bind_template_child (widget_class, HearthOverview, kind_label);
  gtk_widget_class_bind_template_child (widget_class, HearthOverview, advice_label);
  gtk_widget_class_bind_template_child (widget_class, HearthOverview, facts_box);
  gtk_widget_class_bind_template_child (widget_class, HearthOverview, types_group);
  gtk_widget_class_bind_template_child (widget_class, HearthOverview, roles_group);
  gtk_widget_class_bind_template_child (widget_class, HearthOverview, origin_bin);
  gtk_widget_class_bind_template_callback (widget_class, fact_activated_cb);
}

static void
hearth_overview_init (HearthOverview *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
