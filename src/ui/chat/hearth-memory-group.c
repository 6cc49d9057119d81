/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-memory-group.h"

#include <math.h>

#include <glib/gi18n.h>

#include "hearth-field-row.h"
#include "hearth-fit.h"
#include "hearth-words.h"

/* A plan is made when a wish has stood for so long: dragging asks for none that nobody sees. */
#define DEBOUNCE_MS 60

/* Context lengths are multiples of this, but for the model's own longest. */
#define STEP 256

struct _HearthMemoryGroup
{
  AdwPreferencesGroup parent_instance;

  AdwActionRow *tokens_row;
  GtkSpinButton *tokens_spin;
  GtkWidget *reset_button;
  GtkWidget *scale_row;
  GtkScale *scale;
  AdwComboRow *kv_row;
  GtkLabel *verdict_label;
  GtkLevelBar *level;
  GtkLabel *parts_label;
  GtkWidget *apply_row;

  HearthEngine *engine;
  HearthConversation *conversation;
  HearthFit *fit;
  GSignalGroup *fit_signals;
  GSignalGroup *conversation_signals;
  GSignalGroup *settings_signals;
  GSignalGroup *model_signals;
  guint wish_id;
  guint n_trained;
  guint n_to_scroll;  /* frames until it is in view */
  gboolean automatic; /* the length is the engine's choice */
  gboolean showing;   /* values are being shown, nobody entered them */
};

G_DEFINE_FINAL_TYPE (HearthMemoryGroup, hearth_memory_group, ADW_TYPE_PREFERENCES_GROUP)

static HearthChatSettings *
get_settings (HearthMemoryGroup *self)
{
  return self->conversation != NULL ? hearth_conversation_get_settings (self->conversation) : NULL;
}

static HearthModelFile *
get_model (HearthMemoryGroup *self)
{
  return self->conversation != NULL ? hearth_conversation_get_model (self->conversation) : NULL;
}

/* ---- what is wished --------------------------------------------------------------------- */

/* As it is sent to the engine: 0 for automatic. */
static guint
wished_n_ctx (HearthMemoryGroup *self)
{
  return self->automatic ? 0 : (guint) gtk_spin_button_get_value_as_int (self->tokens_spin);
}

static HearthKvType
wished_kv_type (HearthMemoryGroup *self)
{
  return adw_combo_row_get_selected (self->kv_row) == 1 ? HEARTH_KV_F32 : HEARTH_KV_F16;
}

/* What the loaded session would give back, since the new one takes its place. */
static guint64
given_back (HearthMemoryGroup *self)
{
  HearthEngineMemory memory;

  hearth_engine_get_memory (self->engine, &memory);
  return memory.kv + memory.checkpoint + memory.compute;
}

static gboolean
wish_cb (gpointer data)
{
  HearthMemoryGroup *self = data;
  HearthChatSettings *settings = get_settings (self);

  self->wish_id = 0;
  if (self->fit != NULL && settings != NULL)
    hearth_fit_set_wish (self->fit, wished_n_ctx (self), wished_kv_type (self),
                         hearth_chat_settings_get_n_threads (settings), given_back (self));
  return G_SOURCE_REMOVE;
}

static void
wish (HearthMemoryGroup *self)
{
  g_clear_handle_id (&self->wish_id, g_source_remove);
  self->wish_id = g_timeout_add (DEBOUNCE_MS, wish_cb, self);
}

/* ---- what is shown ---------------------------------------------------------------------- */

static void
show_tokens (HearthMemoryGroup *self, guint n_ctx)
{
  self->showing = TRUE;
  gtk_spin_button_set_value (self->tokens_spin, n_ctx);
  gtk_range_set_value (GTK_RANGE (self->scale), log2 (MAX (n_ctx, 1)));
  self->showing = FALSE;
}

static void
show_source (HearthMemoryGroup *self)
{
  adw_action_row_set_subtitle (self->tokens_row,
                               self->automatic ? _ ("Chosen for this computer") : _ ("Yours"));
  gtk_widget_set_visible (self->reset_button, !self->automatic);
}

/* Whether what is wished is not what the chat has, and whether it can be had now. */
static void
show_apply (HearthMemoryGroup *self)
{
  HearthChatSettings *settings = get_settings (self);
  gboolean differs =
    settings != NULL && (wished_n_ctx (self) != hearth_chat_settings_get_n_ctx (settings) ||
                         wished_kv_type (self) != hearth_chat_settings_get_kv_type (settings));

  gtk_widget_set_visible (self->apply_row, differs);
  gtk_widget_set_sensitive (self->apply_row,
                            differs && hearth_conversation_get_state (self->conversation) ==
                                         HEARTH_CONVERSATION_IDLE);
}

static void
show_plan (HearthMemoryGroup *self)
{
  const HearthFitPlan *plan = self->fit != NULL ? hearth_fit_get_plan (self->fit) : NULL;
  g_autofree char *verdict = NULL;
  g_autofree char *parts = NULL;

  if (self->level == NULL)
    return; /* being disposed */
  gtk_widget_set_visible (GTK_WIDGET (self->level), plan != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->parts_label), plan != NULL);
  if (plan == NULL)
    {
      gtk_label_set_text (self->verdict_label, self->fit == NULL
                                                 ? _ ("The cost is known when a model is chosen.")
                                                 : _ ("Computing the cost…"));
      return;
    }
  if (self->automatic && plan->n_ctx > 0)
    show_tokens (self, plan->n_ctx);
  verdict = hearth_words_for_room (hearth_model_file_get_title (get_model (self)), plan->need,
                                   plan->budget, plan->longest, plan->longest == 0);
  parts = hearth_words_for_memory (plan->weights, plan->kv + plan->checkpoint, plan->compute);
  gtk_label_set_text (self->verdict_label, verdict);
  gtk_label_set_text (self->parts_label, parts);
  gtk_level_bar_set_value (
    self->level, plan->budget > 0 ? MIN ((double) plan->need / (double) plan->budget, 1) : 1);
  if (plan->fits)
    gtk_widget_remove_css_class (GTK_WIDGET (self->level), "over");
  else
    gtk_widget_add_css_class (GTK_WIDGET (self->level), "over");
}

/* The model's own longest context ends the scale; marks at the usual lengths. */
static void
set_range (HearthMemoryGroup *self, guint n_trained)
{
  static const guint marks[] = { 1024, 4096, 32768, 131072, 1048576 };
  guint longest = MAX (n_trained, 512);

  if (self->n_trained == longest)
    return;
  self->n_trained = longest;
  self->showing = TRUE;
  gtk_spin_button_set_range (self->tokens_spin, 64, longest);
  gtk_range_set_range (GTK_RANGE (self->scale), log2 (256), log2 (longest));
  gtk_scale_clear_marks (self->scale);
  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    {
      if (marks[i] < longest)
        gtk_scale_add_mark (self->scale, log2 (marks[i]), GTK_POS_BOTTOM, NULL);
    }
  self->showing = FALSE;
}

static void
show_settings (HearthMemoryGroup *self)
{
  HearthChatSettings *settings = get_settings (self);
  guint n_ctx;

  if (settings == NULL || self->kv_row == NULL)
    return;
  n_ctx = hearth_chat_settings_get_n_ctx (settings);
  self->automatic = n_ctx == 0;
  self->showing = TRUE;
  adw_combo_row_set_selected (self->kv_row,
                              hearth_chat_settings_get_kv_type (settings) == HEARTH_KV_F32 ? 1 : 0);
  self->showing = FALSE;
  if (n_ctx > 0)
    show_tokens (self, n_ctx);
  show_source (self);
  show_apply (self);
  wish (self);
}

static void
model_read_cb (HearthMemoryGroup *self)
{
  HearthModelFile *model = get_model (self);
  const HearthModelHeader *header = model != NULL ? hearth_model_file_get_header (model) : NULL;
  const char *path =
    header != NULL && header->fit_error == NULL ? hearth_model_file_get_path (model) : NULL;

  if (path == NULL || self->fit == NULL || g_strcmp0 (hearth_fit_get_path (self->fit), path) != 0)
    {
      g_clear_object (&self->fit);
      self->fit = path != NULL ? hearth_fit_new (path) : NULL;
      g_signal_group_set_target (self->fit_signals, self->fit);
    }
  if (header != NULL)
    set_range (self, header->n_ctx_trained);
  /* Without a model there is nothing to choose: how long it may be and what it takes is its own. */
  gtk_widget_set_visible (GTK_WIDGET (self->tokens_row), path != NULL);
  gtk_widget_set_visible (self->scale_row, path != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->kv_row), path != NULL);
  show_settings (self);
  show_plan (self);
}

static void
model_changed_cb (HearthMemoryGroup *self)
{
  g_signal_group_set_target (self->model_signals, get_model (self));
  model_read_cb (self);
}

/* ---- what is entered -------------------------------------------------------------------- */

static void
entered (HearthMemoryGroup *self)
{
  self->automatic = FALSE;
  show_source (self);
  show_apply (self);
  wish (self);
}

static void
tokens_changed_cb (HearthMemoryGroup *self)
{
  if (self->showing)
    return;
  show_tokens (self, (guint) gtk_spin_button_get_value_as_int (self->tokens_spin));
  entered (self);
}

static void
scale_changed_cb (HearthMemoryGroup *self)
{
  double tokens = exp2 (gtk_range_get_value (GTK_RANGE (self->scale)));

  if (self->showing)
    return;
  /* The end of the scale is the model's own length, whatever it is. */
  if (tokens < self->n_trained - 1)
    tokens = round (tokens / STEP) * STEP;
  self->showing = TRUE;
  gtk_spin_button_set_value (self->tokens_spin, MAX (round (tokens), STEP));
  self->showing = FALSE;
  entered (self);
}

static void
kv_selected_cb (HearthMemoryGroup *self)
{
  if (self->showing || self->conversation == NULL)
    return;
  show_apply (self);
  wish (self);
}

static void
reset_clicked_cb (HearthMemoryGroup *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->tokens_spin));
  self->automatic = TRUE;
  show_source (self);
  show_apply (self);
  wish (self);
}

static void
apply_cb (HearthMemoryGroup *self)
{
  HearthChatSettings *settings = get_settings (self);
  guint n_ctx = wished_n_ctx (self);
  HearthKvType kv_type = wished_kv_type (self);

  gtk_widget_grab_focus (GTK_WIDGET (self->tokens_spin));
  hearth_chat_settings_set_n_ctx (settings, n_ctx);
  self->showing = TRUE;
  adw_combo_row_set_selected (self->kv_row, kv_type == HEARTH_KV_F32 ? 1 : 0);
  self->showing = FALSE;
  hearth_chat_settings_set_kv_type (settings, kv_type);
  hearth_conversation_load (self->conversation);
}

/* ---- object ----------------------------------------------------------------------------- */

static void
hearth_memory_group_dispose (GObject *object)
{
  HearthMemoryGroup *self = HEARTH_MEMORY_GROUP (object);

  g_clear_handle_id (&self->wish_id, g_source_remove);
  g_clear_object (&self->fit_signals);
  g_clear_object (&self->conversation_signals);
  g_clear_object (&self->settings_signals);
  g_clear_object (&self->model_signals);
  g_clear_object (&self->fit);
  g_clear_object (&self->conversation);
  g_clear_object (&self->engine);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_MEMORY_GROUP);
  G_OBJECT_CLASS (hearth_memory_group_parent_class)->dispose (object);
}

static void
hearth_memory_group_class_init (HearthMemoryGroupClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_memory_group_dispose;
  g_type_ensure (HEARTH_TYPE_FIELD_ROW);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-memory-group.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthMemoryGroup, tokens_row);
  gtk_widget_class_bind_template_child (widget_class, HearthMemoryGroup, tokens_spin);
  gtk_widget_class_bind_template_child (widget_class, HearthMemoryGroup, reset_button);
  gtk_widget_class_bind_template_child (widget_class, HearthMemoryGroup, scale_row);
  gtk_widget_class_bind_template_child (widget_class, HearthMemoryGroup, scale);
  gtk_widget_class_bind_template_child (widget_class, HearthMemoryGroup, kv_row);
  gtk_widget_class_bind_template_child (widget_class, HearthMemoryGroup, verdict_label);
  gtk_widget_class_bind_template_child (widget_class, HearthMemoryGroup, level);
  gtk_widget_class_bind_template_child (widget_class, HearthMemoryGroup, parts_label);
  gtk_widget_class_bind_template_child (widget_class, HearthMemoryGroup, apply_row);
  gtk_widget_class_bind_template_callback (widget_class, tokens_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, scale_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, kv_selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, reset_clicked_cb);
  gtk_widget_class_bind_template_callback (widget_class, apply_cb);
}

static void
hearth_memory_group_init (HearthMemoryGroup *self)
{
  self->automatic = TRUE;
  self->showing = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  self->showing = FALSE;
  self->fit_signals = g_signal_group_new (HEARTH_TYPE_FIT);
  g_signal_group_connect_object (self->fit_signals, "notify::plan", G_CALLBACK (show_plan), self,
                                 G_CONNECT_SWAPPED);
  self->conversation_signals = g_signal_group_new (HEARTH_TYPE_CONVERSATION);
  g_signal_group_connect_object (self->conversation_signals, "notify::model",
                                 G_CALLBACK (model_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_group_connect_object (self->conversation_signals, "notify::state",
                                 G_CALLBACK (show_apply), self, G_CONNECT_SWAPPED);
  self->settings_signals = g_signal_group_new (HEARTH_TYPE_CHAT_SETTINGS);
  g_signal_group_connect_object (self->settings_signals, "notify::n-ctx",
                                 G_CALLBACK (show_settings), self, G_CONNECT_SWAPPED);
  g_signal_group_connect_object (self->settings_signals, "notify::kv-type",
                                 G_CALLBACK (show_settings), self, G_CONNECT_SWAPPED);
  self->model_signals = g_signal_group_new (HEARTH_TYPE_MODEL_FILE);
  g_signal_group_connect_object (self->model_signals, "notify::state", G_CALLBACK (model_read_cb),
                                 self, G_CONNECT_SWAPPED);
}

void
hearth_memory_group_set_engine (HearthMemoryGroup *self, HearthEngine *engine)
{
  g_return_if_fail (HEARTH_IS_MEMORY_GROUP (self));
  g_return_if_fail (self->engine == NULL);

  self->engine = g_object_ref (engine);
}

void
hearth_memory_group_set_conversation (HearthMemoryGroup *self, HearthConversation *conversation)
{
  g_return_if_fail (HEARTH_IS_MEMORY_GROUP (self));

  g_set_object (&self->conversation, conversation);
  g_signal_group_set_target (self->conversation_signals, conversation);
  g_signal_group_set_target (self->settings_signals, get_settings (self));
  model_changed_cb (self);
}

/* Where something is nobody knows before it was laid out, nor how much room the cost takes before
 * there is one: it is brought into view until a frame was made with that. */
static gboolean
scroll_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  HearthMemoryGroup *self = HEARTH_MEMORY_GROUP (widget);
  GtkWidget *viewport = gtk_widget_get_ancestor (widget, GTK_TYPE_VIEWPORT);
  graphene_point_t place;

  if (viewport == NULL)
    return G_SOURCE_REMOVE;
  if (gtk_widget_get_mapped (widget) && gtk_widget_get_height (viewport) > 0 &&
      gtk_widget_compute_point (widget, viewport, graphene_point_zero (), &place))
    {
      GtkAdjustment *adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (viewport));

      gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment) + place.y);
      if (self->fit == NULL || hearth_fit_get_plan (self->fit) != NULL)
        self->n_to_scroll--;
    }
  return self->n_to_scroll > 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

void
hearth_memory_group_focus (HearthMemoryGroup *self)
{
  g_return_if_fail (HEARTH_IS_MEMORY_GROUP (self));

  gtk_widget_grab_focus (GTK_WIDGET (self->tokens_spin));
  if (self->n_to_scroll == 0)
    gtk_widget_add_tick_callback (GTK_WIDGET (self), scroll_cb, NULL, NULL);
  self->n_to_scroll = 2;
}
