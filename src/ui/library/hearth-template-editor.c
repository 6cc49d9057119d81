/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-template-editor.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-focus.h"
#include "hearth-template-turn.h"

/* In every language the same: names of a program's functions. */
static const char sample_tools[] = "[{\n"
                                   "  \"type\": \"function\",\n"
                                   "  \"function\": {\n"
                                   "    \"name\": \"get_weather\",\n"
                                   "    \"description\": \"Tells the weather of a place.\",\n"
                                   "    \"parameters\": {\n"
                                   "      \"type\": \"object\",\n"
                                   "      \"properties\": {\n"
                                   "        \"place\": {\"type\": \"string\", "
                                   "\"description\": \"A city.\"}\n"
                                   "      },\n"
                                   "      \"required\": [\"place\"]\n"
                                   "    }\n"
                                   "  }\n"
                                   "}]";

/* A switch, what it is set to while the template does not know it, and what it says otherwise. */
struct choice
{
  AdwSwitchRow *row;
  gboolean wanted;
};

enum choices
{
  CHOICE_SYSTEM,
  CHOICE_TOOLS,
  CHOICE_THINKING,
  CHOICE_GENERATION,
  CHOICE_BORDERS,
  N_CHOICES
};

struct _HearthTemplateEditor
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkBox *turns;
  AdwSwitchRow *system_row;
  AdwSwitchRow *tools_row;
  AdwSwitchRow *thinking_row;
  AdwSwitchRow *generation_row;
  AdwSwitchRow *borders_row;

  struct choice choices[N_CHOICES];
  HearthTemplateTurn *system_turn;
  HearthTemplateTurn *tools_turn;
  gboolean setting;
};

G_DEFINE_FINAL_TYPE (HearthTemplateEditor, hearth_template_editor, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_BORDERS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

enum
{
  SIGNAL_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
emit_changed (HearthTemplateEditor *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* ---- messages --------------------------------------------------------------------------- */

static gboolean
is_fixed (HearthTemplateEditor *self, GtkWidget *turn)
{
  return turn == GTK_WIDGET (self->system_turn) || turn == GTK_WIDGET (self->tools_turn);
}

/* The next of the messages that may be moved. */
static GtkWidget *
next_turn (HearthTemplateEditor *self, GtkWidget *turn)
{
  turn = turn != NULL ? gtk_widget_get_next_sibling (turn)
                      : gtk_widget_get_first_child (GTK_WIDGET (self->turns));
  while (turn != NULL && is_fixed (self, turn))
    turn = gtk_widget_get_next_sibling (turn);
  return turn;
}

static GtkWidget *
previous_turn (HearthTemplateEditor *self, GtkWidget *turn)
{
  turn = gtk_widget_get_prev_sibling (turn);
  return turn != NULL && !is_fixed (self, turn) ? turn : NULL;
}

static void
update_places (HearthTemplateEditor *self)
{
  for (GtkWidget *turn = next_turn (self, NULL); turn != NULL; turn = next_turn (self, turn))
    hearth_template_turn_set_place (HEARTH_TEMPLATE_TURN (turn), previous_turn (self, turn) == NULL,
                                    next_turn (self, turn) == NULL);
}

static void
move_cb (HearthTemplateTurn *turn, int by, gpointer user_data)
{
  HearthTemplateEditor *self = user_data;
  GtkWidget *widget = GTK_WIDGET (turn);
  GtkWidget *after = by < 0 ? previous_turn (self, widget) : next_turn (self, widget);

  if (after == NULL)
    return;
  if (by < 0)
    after = gtk_widget_get_prev_sibling (after); /* before all: NULL */
  gtk_box_reorder_child_after (self->turns, widget, after);
  update_places (self);
  hearth_template_turn_focus_text (turn);
  gtk_accessible_announce (GTK_ACCESSIBLE (turn), by < 0 ? _ ("Moved up") : _ ("Moved down"),
                           GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
  emit_changed (self);
}

static void
removed_cb (HearthTemplateTurn *turn, gpointer user_data)
{
  HearthTemplateEditor *self = user_data;
  GtkWidget *next = next_turn (self, GTK_WIDGET (turn));

  if (next == NULL)
    next = previous_turn (self, GTK_WIDGET (turn));
  if (next != NULL)
    hearth_template_turn_focus_text (HEARTH_TEMPLATE_TURN (next));
  else
    gtk_widget_child_focus (self->root, GTK_DIR_TAB_FORWARD);
  gtk_box_remove (self->turns, GTK_WIDGET (turn));
  update_places (self);
  emit_changed (self);
}

static HearthTemplateTurn *
add_turn (HearthTemplateEditor *self, GtkWidget *turn)
{
  g_signal_connect_object (turn, "changed", G_CALLBACK (emit_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (turn, "move", G_CALLBACK (move_cb), self, 0);
  g_signal_connect_object (turn, "removed", G_CALLBACK (removed_cb), self, 0);
  gtk_box_append (self->turns, turn);
  update_places (self);
  return HEARTH_TEMPLATE_TURN (turn);
}

static void
add_clicked_cb (HearthTemplateEditor *self)
{
  GtkWidget *last = NULL;
  const char *role = "user";

  for (GtkWidget *turn = next_turn (self, NULL); turn != NULL; turn = next_turn (self, turn))
    last = turn;
  if (last != NULL &&
      g_str_equal (hearth_template_turn_get_role (HEARTH_TEMPLATE_TURN (last)), "user"))
    role = "assistant";
  hearth_template_turn_focus_text (add_turn (self, hearth_template_turn_new (role, "")));
  emit_changed (self);
}

/* ---- switches --------------------------------------------------------------------------- */

static gboolean
is_on (HearthTemplateEditor *self, enum choices choice)
{
  AdwSwitchRow *row = self->choices[choice].row;

  return gtk_widget_get_sensitive (GTK_WIDGET (row)) && adw_switch_row_get_active (row);
}

static void
show_fixed (HearthTemplateEditor *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self->system_turn), is_on (self, CHOICE_SYSTEM));
  gtk_widget_set_visible (GTK_WIDGET (self->tools_turn), is_on (self, CHOICE_TOOLS));
}

static void
switched_cb (HearthTemplateEditor *self)
{
  if (self->setting || self->choices[0].row == NULL)
    return;
  for (guint i = 0; i < N_CHOICES; i++)
    {
      if (gtk_widget_get_sensitive (GTK_WIDGET (self->choices[i].row)))
        self->choices[i].wanted = adw_switch_row_get_active (self->choices[i].row);
    }
  show_fixed (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BORDERS]);
  emit_changed (self);
}

/* `reason`: why it cannot be switched; NULL: it can. */
static void
set_choice (HearthTemplateEditor *self, enum choices choice, const char *reason)
{
  struct choice *at = &self->choices[choice];

  gtk_widget_set_sensitive (GTK_WIDGET (at->row), reason == NULL);
  adw_switch_row_set_active (at->row, reason == NULL && at->wanted);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (at->row), reason != NULL ? reason : "");
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_template_editor_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_BORDERS)
    g_value_set_boolean (value, is_on (HEARTH_TEMPLATE_EDITOR (object), CHOICE_BORDERS));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_template_editor_dispose (GObject *object)
{
  HearthTemplateEditor *self = HEARTH_TEMPLATE_EDITOR (object);

  self->setting = TRUE;
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_TEMPLATE_EDITOR);
  G_OBJECT_CLASS (hearth_template_editor_parent_class)->dispose (object);
}

static void
hearth_template_editor_class_init (HearthTemplateEditorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = hearth_template_editor_dispose;
  object_class->get_property = hearth_template_editor_get_property;
  widget_class->focus = hearth_focus_move;
  properties[PROP_BORDERS] =
    g_param_spec_boolean ("borders", NULL, NULL, TRUE,
                          G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-template-editor.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateEditor, root);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateEditor, turns);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateEditor, system_row);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateEditor, tools_row);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateEditor, thinking_row);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateEditor, generation_row);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateEditor, borders_row);
  gtk_widget_class_bind_template_callback (widget_class, switched_cb);
  gtk_widget_class_bind_template_callback (widget_class, add_clicked_cb);
}

static void
hearth_template_editor_init (HearthTemplateEditor *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->system_turn =
    add_turn (self, hearth_template_turn_new_fixed (C_ ("role of a message", "System"),
                                                    _ ("You are a helpful assistant."), FALSE));
  self->tools_turn =
    add_turn (self, hearth_template_turn_new_fixed (_ ("Tools, as JSON"), sample_tools, TRUE));
  add_turn (self, hearth_template_turn_new ("user", _ ("What is the capital of France?")));
  add_turn (self, hearth_template_turn_new ("assistant", _ ("Paris.")));
  add_turn (self, hearth_template_turn_new ("user", _ ("And of Italy?")));
  self->choices[CHOICE_SYSTEM] = (struct choice) { self->system_row, TRUE };
  self->choices[CHOICE_TOOLS] = (struct choice) { self->tools_row, FALSE };
  self->choices[CHOICE_THINKING] = (struct choice) { self->thinking_row, TRUE };
  self->choices[CHOICE_GENERATION] = (struct choice) { self->generation_row, TRUE };
  self->choices[CHOICE_BORDERS] = (struct choice) { self->borders_row, TRUE };
  show_fixed (self);
}

void
hearth_template_editor_set_template (HearthTemplateEditor *self, HearthTemplate *tmpl,
                                     gboolean tokens)
{
  const HearthTemplateFeatures *features;
  const char *none;

  g_return_if_fail (HEARTH_IS_TEMPLATE_EDITOR (self));

  features = hearth_template_get_features (tmpl);
  none = hearth_template_get_source (tmpl) == NULL ? _ ("There is no template") : NULL;
  self->setting = TRUE;
  set_choice (self, CHOICE_SYSTEM,
              features->system           ? NULL
              : features->refuses_system ? _ ("The template refuses system messages")
                                         : _ ("The template leaves system messages out"));
  set_choice (self, CHOICE_TOOLS,
              features->tools ? NULL
              : none != NULL  ? none
                              : _ ("The template does not know tools"));
  set_choice (self, CHOICE_THINKING,
              features->thinking ? NULL
              : none != NULL     ? none
                                 : _ ("The template has no switch for it"));
  set_choice (self, CHOICE_GENERATION,
              features->generation_prompt ? NULL
              : none != NULL              ? none
                                          : _ ("The template ends the same either way"));
  set_choice (self, CHOICE_BORDERS, tokens ? NULL : _ ("The file has no usable vocabulary"));
  self->setting = FALSE;
  show_fixed (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BORDERS]);
}

void
hearth_template_editor_render (HearthTemplateEditor *self, HearthTemplate *tmpl,
                               GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GArray) messages = g_array_new (FALSE, FALSE, sizeof (HearthTemplateMessage));
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *tools = NULL;
  HearthTemplateWish wish = { .no_thinking = !self->choices[CHOICE_THINKING].wanted,
                              .generation_prompt = is_on (self, CHOICE_GENERATION) };

  g_return_if_fail (HEARTH_IS_TEMPLATE_EDITOR (self));

  if (is_on (self, CHOICE_SYSTEM))
    {
      HearthTemplateMessage system = { "system",
                                       hearth_template_turn_dup_text (self->system_turn) };

      g_ptr_array_add (texts, (gpointer) system.text);
      g_array_append_val (messages, system);
    }
  for (GtkWidget *turn = next_turn (self, NULL); turn != NULL; turn = next_turn (self, turn))
    {
      HearthTemplateMessage message = { hearth_template_turn_get_role (HEARTH_TEMPLATE_TURN (turn)),
                                        hearth_template_turn_dup_text (
                                          HEARTH_TEMPLATE_TURN (turn)) };

      g_ptr_array_add (texts, (gpointer) message.text);
      g_array_append_val (messages, message);
    }
  if (is_on (self, CHOICE_TOOLS))
    wish.tools = tools = hearth_template_turn_dup_text (self->tools_turn);
  wish.messages = (const HearthTemplateMessage *) (gconstpointer) messages->data;
  wish.n_messages = messages->len;
  hearth_template_render_async (tmpl, &wish, callback, user_data);
}
