/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-context-bar.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-focus.h"
#include "hearth-words.h"

/* Heights in pixels. The taller bar and the words have their room all the time, so that nothing
 * moves when they appear. */
#define THIN 3
#define THICK 8
#define GAP 3
/* What would leave is broken into dashes of this width: another cue than its colour. */
#define DASH 4

struct _HearthContextBar
{
  GtkWidget parent_instance;

  GtkWidget *label;

  HearthCount count;
  gboolean known;
  gboolean full;
  gboolean pointed_at;
};

G_DEFINE_FINAL_TYPE (HearthContextBar, hearth_context_bar, GTK_TYPE_WIDGET)

static gboolean
is_open (HearthContextBar *self)
{
  return self->pointed_at || gtk_widget_has_focus (GTK_WIDGET (self));
}

static void
update_open (HearthContextBar *self)
{
  gtk_widget_set_child_visible (self->label, is_open (self));
  gtk_widget_queue_allocate (GTK_WIDGET (self));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
enter_cb (HearthContextBar *self)
{
  self->pointed_at = TRUE;
  update_open (self);
}

static void
leave_cb (HearthContextBar *self)
{
  self->pointed_at = FALSE;
  update_open (self);
}

static void
hearth_context_bar_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                            int *minimum, int *natural, int *minimum_baseline,
                            int *natural_baseline)
{
  HearthContextBar *self = HEARTH_CONTEXT_BAR (widget);

  gtk_widget_measure (self->label, orientation, -1, minimum, natural, NULL, NULL);
  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      *minimum += THICK + GAP;
      *natural += THICK + GAP;
    }
}

static void
hearth_context_bar_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HearthContextBar *self = HEARTH_CONTEXT_BAR (widget);
  GskTransform *below = gsk_transform_translate (NULL, &GRAPHENE_POINT_INIT (0, THICK + GAP));

  gtk_widget_allocate (self->label, width, height - THICK - GAP, -1, below);
}

static void
append_part (GtkSnapshot *snapshot, double *from, double to, int width, int height,
             gboolean mirrored, const GdkRGBA *color)
{
  double x = mirrored ? width - to : *from;

  if (to > *from)
    gtk_snapshot_append_color (
      snapshot, color, &GRAPHENE_RECT_INIT ((float) x, 0, (float) (to - *from), (float) height));
  *from = to;
}

static void
append_dashes (GtkSnapshot *snapshot, double *from, double to, int width, int height,
               gboolean mirrored, const GdkRGBA *color, const GdkRGBA *between)
{
  while (*from < to)
    {
      append_part (snapshot, from, MIN (*from + DASH, to), width, height, mirrored, color);
      append_part (snapshot, from, MIN (*from + DASH, to), width, height, mirrored, between);
    }
}

static void
hearth_context_bar_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  HearthContextBar *self = HEARTH_CONTEXT_BAR (widget);
  int width = gtk_widget_get_width (widget);
  int height = is_open (self) ? THICK : THIN;
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  /* More than there is room for is shown, too: the oldest would leave. */
  guint whole = MAX (MAX (self->count.n_ctx, self->count.n_prompt), 1);
  double scale = (double) width / whole;
  double at = 0;
  GdkRGBA color, faint, accent, soft;
  GskRoundedRect outline;

  if (!self->known)
    return;
  gtk_widget_get_color (widget, &color);
  faint = color;
  faint.alpha *=
    adw_style_manager_get_high_contrast (adw_style_manager_get_default ()) ? 0.5f : 0.15f;
  if (self->full)
    accent = (GdkRGBA) { 0.9f, 0.38f, 0, 1 };
  else
    {
      g_autoptr (GdkRGBA) system =
        adw_style_manager_get_accent_color_rgba (adw_style_manager_get_default ());

      accent = *system;
    }
  soft = accent;
  soft.alpha = 0.5f;

  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT (0, (float) (THICK - height) / 2));
  gsk_rounded_rect_init_from_rect (
    &outline, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height), (float) height / 2);
  gtk_snapshot_push_rounded_clip (snapshot, &outline);
  if (self->full && self->count.n_prompt > self->count.n_remaining)
    append_dashes (snapshot, &at, (self->count.n_prompt - self->count.n_remaining) * scale, width,
                   height, mirrored, &accent, &faint);
  append_part (snapshot, &at, MAX (self->count.n_kept * scale, at), width, height, mirrored,
               &accent);
  append_part (snapshot, &at, MAX (self->count.n_prompt * scale, at), width, height, mirrored,
               &soft);
  append_part (snapshot, &at, width, width, height, mirrored, &faint);
  gtk_snapshot_pop (snapshot);
  gtk_snapshot_restore (snapshot);
  GTK_WIDGET_CLASS (hearth_context_bar_parent_class)->snapshot (widget, snapshot);
}

static void
hearth_context_bar_dispose (GObject *object)
{
  g_clear_pointer (&HEARTH_CONTEXT_BAR (object)->label, gtk_widget_unparent);
  G_OBJECT_CLASS (hearth_context_bar_parent_class)->dispose (object);
}

static void
hearth_context_bar_class_init (HearthContextBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_context_bar_dispose;
  widget_class->measure = hearth_context_bar_measure;
  widget_class->size_allocate = hearth_context_bar_size_allocate;
  widget_class->snapshot = hearth_context_bar_snapshot;
  gtk_widget_class_set_css_name (widget_class, "contextbar");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_METER);
}

static void
hearth_context_bar_init (HearthContextBar *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *motion = gtk_event_controller_motion_new ();

  self->label = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->label), 0.5f);
  gtk_label_set_ellipsize (GTK_LABEL (self->label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (self->label, "caption");
  gtk_widget_add_css_class (self->label, "numeric");
  gtk_widget_set_parent (self->label, widget);
  g_signal_connect_object (motion, "enter", G_CALLBACK (enter_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (motion, "leave", G_CALLBACK (leave_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (widget, motion);
  g_signal_connect (self, "notify::has-focus", G_CALLBACK (update_open), NULL);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::accent-color-rgba",
                           G_CALLBACK (gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Context"), -1);
  hearth_context_bar_show (self, NULL, FALSE);
  update_open (self);
}

/* "1,204 of 8,192 tokens · 1,100 kept · 104 to read · 6,988 free" */
static char *
words_for (const HearthCount *count, gboolean leave_out)
{
  guint n_used = leave_out ? count->n_remaining : count->n_prompt;
  g_autofree char *used = hearth_words_for_number (n_used);
  g_autofree char *all = hearth_words_for_number (count->n_ctx);
  g_autofree char *kept = hearth_words_for_number (count->n_kept);
  g_autofree char *to_read = hearth_words_for_number (n_used - MIN (count->n_kept, n_used));
  g_autofree char *available = hearth_words_for_number (count->n_ctx - MIN (n_used, count->n_ctx));
  g_autofree char *first = g_strdup_printf (_ ("%1$s of %2$s tokens"), used, all);

  if (count->n_left_out > 0 && leave_out)
    return g_strdup_printf (ngettext ("%1$s · %2$u old message is left out",
                                      "%1$s · the %2$u oldest messages are left out",
                                      count->n_left_out),
                            first, count->n_left_out);
  if (count->n_left_out > 0)
    return g_strdup_printf (ngettext ("%1$s · full: %2$u old message would leave",
                                      "%1$s · full: the %2$u oldest messages would leave",
                                      count->n_left_out),
                            first, count->n_left_out);
  return g_strdup_printf (_ ("%1$s · %2$s kept · %3$s to read · %4$s free"), first, kept, to_read,
                          available);
}

void
hearth_context_bar_show (HearthContextBar *self, const HearthCount *count, gboolean leave_out)
{
  g_autofree char *words = NULL;
  g_autofree char *tooltip = NULL;
  guint n_used;

  g_return_if_fail (HEARTH_IS_CONTEXT_BAR (self));

  self->known = count != NULL && count->n_ctx > 0;
  if (self->known)
    {
      self->count = *count;
      if (leave_out)
        self->count.n_prompt = self->count.n_remaining;
      self->full = count->n_left_out > 0 && !leave_out;
      words = words_for (count, leave_out);
    }
  else
    {
      self->count = (HearthCount) { 0 };
      self->full = FALSE;
      words = g_strdup (_ ("Not known until the model is loaded"));
    }
  n_used = MIN (self->count.n_prompt, self->count.n_ctx);
  gtk_label_set_text (GTK_LABEL (self->label), words);
  tooltip = g_strdup_printf (
    "%s\n%s", _ ("How much of the context, all that the model can read at once, is used"), words);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), tooltip);
  gtk_widget_set_focusable (GTK_WIDGET (self), self->known);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, 0.0,
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, (double) self->count.n_ctx,
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, (double) n_used,
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, words,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, tooltip, -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
