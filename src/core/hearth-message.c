/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-message.h"

#include "hearth-enums.h"

struct _HearthMessage
{
  GObject parent_instance;

  GString *text;
  GString *thinking;
  gint64 thinking_since; /* monotonic; 0: does not think */
  guint thinking_ms;     /* before that */
  HearthFigures *figures;
  GError *error;
  char *model_title;
  char *edit;
  gint64 created;
  double progress;
  guint id;
  guint version;
  guint n_versions;
  HearthMessageRole role;
  HearthMessageState state;
};

G_DEFINE_FINAL_TYPE (HearthMessage, hearth_message, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_ROLE,
  PROP_STATE,
  PROP_TEXT,
  PROP_PROGRESS,
  PROP_FIGURES,
  PROP_ERROR,
  PROP_VERSION,
  PROP_N_VERSIONS,
  PROP_THINKING_MS,
  N_PROPS
};

enum
{
  APPENDED,
  THOUGHT,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

static HearthFigures *
hearth_figures_copy (HearthFigures *figures)
{
  return g_memdup2 (figures, sizeof *figures);
}

G_DEFINE_BOXED_TYPE (HearthFigures, hearth_figures, hearth_figures_copy, g_free)

double
hearth_figures_get_speed (const HearthFigures *figures)
{
  /* decode_s runs from the first token to the last, so it covers one token less than there are. */
  if (figures->n_generated < 2 || figures->decode_s <= 0)
    return 0;
  return (double) (figures->n_generated - 1) / figures->decode_s;
}

void
hearth_figures_add (HearthFigures *figures, const HearthFigures *before)
{
  if (before == NULL || before->ending == HEARTH_ENDING_INTERRUPTED)
    return;
  /* Between the two parts lies the time to the first token of the second, unless that is the time
   * of reading the conversation anew. */
  if (figures->n_generated > 0 && figures->n_prompt <= figures->n_reused + 1)
    figures->decode_s += figures->first_token_s;
  figures->decode_s += before->decode_s;
  figures->n_generated += before->n_generated;
  figures->n_prompt = before->n_prompt;
  figures->n_reused = before->n_reused;
  figures->prefill_s = before->prefill_s;
  figures->first_token_s = before->first_token_s;
}

static void
set_state (HearthMessage *self, HearthMessageState state)
{
  if (self->state == state)
    return;
  self->state = state;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
}

static void
hearth_message_finalize (GObject *object)
{
  HearthMessage *self = HEARTH_MESSAGE (object);

  g_string_free (self->text, TRUE);
  g_string_free (self->thinking, TRUE);
  g_clear_pointer (&self->figures, g_free);
  g_clear_error (&self->error);
  g_free (self->model_title);
  g_free (self->edit);
  G_OBJECT_CLASS (hearth_message_parent_class)->finalize (object);
}

static void
hearth_message_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthMessage *self = HEARTH_MESSAGE (object);

  switch (id)
    {
    case PROP_ROLE:
      g_value_set_enum (value, (int) self->role);
      break;
    case PROP_STATE:
      g_value_set_enum (value, (int) self->state);
      break;
    case PROP_TEXT:
      g_value_set_string (value, self->text->str);
      break;
    case PROP_PROGRESS:
      g_value_set_double (value, self->progress);
      break;
    case PROP_FIGURES:
      g_value_set_boxed (value, self->figures);
      break;
    case PROP_ERROR:
      g_value_set_boxed (value, self->error);
      break;
    case PROP_VERSION:
      g_value_set_uint (value, self->version);
      break;
    case PROP_N_VERSIONS:
      g_value_set_uint (value, self->n_versions);
      break;
    case PROP_THINKING_MS:
      g_value_set_uint (value, hearth_message_get_thinking_ms (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_message_class_init (HearthMessageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->finalize = hearth_message_finalize;
  object_class->get_property = hearth_message_get_property;

  properties[PROP_ROLE] = g_param_spec_enum ("role", NULL, NULL, HEARTH_TYPE_MESSAGE_ROLE,
                                             HEARTH_MESSAGE_QUESTION, flags);
  properties[PROP_STATE] =
    g_param_spec_enum ("state", NULL, NULL, HEARTH_TYPE_MESSAGE_STATE, HEARTH_MESSAGE_DONE, flags);
  properties[PROP_TEXT] = g_param_spec_string ("text", NULL, NULL, "", flags);
  properties[PROP_PROGRESS] = g_param_spec_double ("progress", NULL, NULL, 0, 1, 0, flags);
  properties[PROP_FIGURES] = g_param_spec_boxed ("figures", NULL, NULL, HEARTH_TYPE_FIGURES, flags);
  properties[PROP_ERROR] = g_param_spec_boxed ("error", NULL, NULL, G_TYPE_ERROR, flags);
  properties[PROP_VERSION] = g_param_spec_uint ("version", NULL, NULL, 0, G_MAXUINT, 0, flags);
  properties[PROP_N_VERSIONS] =
    g_param_spec_uint ("n-versions", NULL, NULL, 1, G_MAXUINT, 1, flags);
  properties[PROP_THINKING_MS] =
    g_param_spec_uint ("thinking-ms", NULL, NULL, 0, G_MAXUINT, 0, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  signals[APPENDED] =
    g_signal_new ("appended", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                  G_TYPE_NONE, 1, G_TYPE_STRING | G_SIGNAL_TYPE_STATIC_SCOPE);
  signals[THOUGHT] =
    g_signal_new ("thought", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                  G_TYPE_NONE, 1, G_TYPE_STRING | G_SIGNAL_TYPE_STATIC_SCOPE);
}

static void
hearth_message_init (HearthMessage *self)
{
  self->text = g_string_new (NULL);
  self->thinking = g_string_new (NULL);
  self->n_versions = 1;
  self->created = g_get_real_time ();
}

HearthMessage *
hearth_message_new (HearthMessageRole role, const char *text)
{
  HearthMessage *self = g_object_new (HEARTH_TYPE_MESSAGE, NULL);

  self->role = role;
  self->state = role == HEARTH_MESSAGE_QUESTION ? HEARTH_MESSAGE_DONE : HEARTH_MESSAGE_WAITING;
  g_string_assign (self->text, text);
  return self;
}

HearthMessage *
hearth_message_new_from_record (const HearthMessageRecord *record)
{
  HearthMessage *self = hearth_message_new (record->role, record->text);

  self->id = record->id;
  self->created = record->created;
  self->model_title = g_strdup (record->model_title);
  self->edit = g_strdup (record->edit);
  if (record->thinking != NULL)
    g_string_assign (self->thinking, record->thinking);
  self->thinking_ms = record->thinking_ms;
  if (record->figures != NULL)
    self->figures = g_memdup2 (record->figures, sizeof *record->figures);
  if (record->error != NULL)
    self->error = g_error_copy (record->error);
  self->state = record->state;
  if (record->state < HEARTH_MESSAGE_DONE)
    {
      self->state = HEARTH_MESSAGE_STOPPED;
      g_free (self->figures);
      self->figures = g_new0 (HearthFigures, 1);
      self->figures->ending = HEARTH_ENDING_INTERRUPTED;
    }
  return self;
}

HearthMessageRole
hearth_message_get_role (HearthMessage *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), HEARTH_MESSAGE_QUESTION);

  return self->role;
}

HearthMessageState
hearth_message_get_state (HearthMessage *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), HEARTH_MESSAGE_DONE);

  return self->state;
}

gboolean
hearth_message_is_finished (HearthMessage *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), TRUE);

  return self->state >= HEARTH_MESSAGE_DONE;
}

/* Whether it ended before the model had said all: stopped, too long, or the context was full. */
static gboolean
is_unfinished (HearthMessage *self)
{
  return self->role == HEARTH_MESSAGE_ANSWER &&
         (self->state == HEARTH_MESSAGE_STOPPED ||
          (self->state == HEARTH_MESSAGE_DONE && self->figures != NULL &&
           self->figures->ending != HEARTH_ENDING_END));
}

gboolean
hearth_message_can_go_on (HearthMessage *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), FALSE);

  return is_unfinished (self) && (self->text->len > 0 || self->thinking->len > 0);
}

gboolean
hearth_text_is_blank (const char *text)
{
  for (; *text != '\0'; text = g_utf8_next_char (text))
    {
      if (!g_unichar_isspace (g_utf8_get_char (text)))
        return FALSE;
    }
  return TRUE;
}

const char *
hearth_message_get_text (HearthMessage *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), "");

  return self->text->str;
}

const char *
hearth_message_get_thinking (HearthMessage *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), "");

  return self->thinking->str;
}

const char *
hearth_message_get_copy_text (HearthMessage *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), "");

  return self->text->len > 0 ? self->text->str : self->thinking->str;
}

gboolean
hearth_message_is_thinking (HearthMessage *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), FALSE);

  return self->thinking_since != 0;
}

guint
hearth_message_get_thinking_ms (HearthMessage *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), 0);

  if (self->thinking_since == 0)
    return self->thinking_ms;
  return self->thinking_ms + (guint) ((g_get_monotonic_time () - self->thinking_since) / 1000);
}

double
hearth_message_get_progress (HearthMessage *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), 0);

  return self->progress;
}

const HearthFigures *
hearth_message_get_figures (HearthMessage *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), NULL);

  return self->figures;
}

const GError *
hearth_message_get_error (HearthMessage *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), NULL);

  return self->error;
}

guint
hearth_message_get_id (HearthMessage *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), 0);

  return self->id;
}

gint64
hearth_message_get_created (HearthMessage *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), 0);

  return self->created;
}

const char *
hearth_message_get_model_title (HearthMessage *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), NULL);

  return self->model_title;
}

guint
hearth_message_get_n_versions (HearthMessage *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), 1);

  return self->n_versions;
}

guint
hearth_message_get_version (HearthMessage *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), 0);

  return self->version;
}

const char *
hearth_message_get_edit (HearthMessage *self)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), NULL);

  return self->edit;
}

/* A model may say NUL, which would hide all that follows from everything that reads strings. */
static void
append_visible (GString *to, const char *text, gsize size)
{
  gsize before = to->len;

  g_string_append_len (to, text, (gssize) size);
  if (memchr (text, '\0', size) != NULL)
    {
      g_autofree char *visible = g_utf8_make_valid (to->str + before, (gssize) size);

      g_string_truncate (to, before);
      g_string_append (to, visible);
    }
}

static void
end_thinking (HearthMessage *self)
{
  if (self->thinking_since == 0)
    return;
  self->thinking_ms = hearth_message_get_thinking_ms (self);
  self->thinking_since = 0;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_THINKING_MS]);
}

void
hearth_message_append (HearthMessage *self, const char *text, gsize size)
{
  gsize before;

  g_return_if_fail (HEARTH_IS_MESSAGE (self));
  g_return_if_fail (!hearth_message_is_finished (self));

  if (size == 0)
    return;
  end_thinking (self);
  before = self->text->len;
  append_visible (self->text, text, size);
  set_state (self, HEARTH_MESSAGE_ANSWERING);
  g_signal_emit (self, signals[APPENDED], 0, self->text->str + before);
}

void
hearth_message_think (HearthMessage *self, const char *text, gsize size)
{
  gsize before;

  g_return_if_fail (HEARTH_IS_MESSAGE (self));
  g_return_if_fail (!hearth_message_is_finished (self));

  if (size == 0)
    return;
  if (self->thinking_since == 0)
    self->thinking_since = g_get_monotonic_time ();
  before = self->thinking->len;
  append_visible (self->thinking, text, size);
  set_state (self, HEARTH_MESSAGE_ANSWERING);
  g_signal_emit (self, signals[THOUGHT], 0, self->thinking->str + before);
}

void
hearth_message_set_progress (HearthMessage *self, double progress)
{
  g_return_if_fail (HEARTH_IS_MESSAGE (self));

  if (self->state == HEARTH_MESSAGE_WAITING)
    set_state (self, HEARTH_MESSAGE_READING);
  progress = CLAMP (progress, 0, 1);
  if (G_APPROX_VALUE (self->progress, progress, 1e-6))
    return;
  self->progress = progress;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROGRESS]);
}

void
hearth_message_finish (HearthMessage *self, const HearthFigures *figures)
{
  g_return_if_fail (HEARTH_IS_MESSAGE (self));
  g_return_if_fail (!hearth_message_is_finished (self));

  end_thinking (self);
  g_free (self->figures);
  self->figures = g_memdup2 (figures, sizeof *figures);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FIGURES]);
  set_state (self, figures != NULL && figures->ending == HEARTH_ENDING_CANCELLED
                     ? HEARTH_MESSAGE_STOPPED
                     : HEARTH_MESSAGE_DONE);
}

void
hearth_message_fail (HearthMessage *self, const GError *error)
{
  g_return_if_fail (HEARTH_IS_MESSAGE (self));
  g_return_if_fail (!hearth_message_is_finished (self));

  end_thinking (self);
  g_clear_error (&self->error);
  self->error = g_error_copy (error);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ERROR]);
  set_state (self, HEARTH_MESSAGE_FAILED);
}

void
hearth_message_stop (HearthMessage *self)
{
  g_return_if_fail (HEARTH_IS_MESSAGE (self));
  g_return_if_fail (!hearth_message_is_finished (self));

  end_thinking (self);
  set_state (self, HEARTH_MESSAGE_STOPPED);
}

void
hearth_message_resume (HearthMessage *self)
{
  g_return_if_fail (HEARTH_IS_MESSAGE (self));
  g_return_if_fail (self->role == HEARTH_MESSAGE_ANSWER);
  g_return_if_fail (hearth_message_is_finished (self));

  g_object_freeze_notify (G_OBJECT (self));
  g_clear_error (&self->error);
  g_clear_pointer (&self->figures, g_free);
  self->progress = 0;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ERROR]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FIGURES]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROGRESS]);
  set_state (self, HEARTH_MESSAGE_WAITING);
  g_object_thaw_notify (G_OBJECT (self));
}

void
hearth_message_set_model_title (HearthMessage *self, const char *title)
{
  g_return_if_fail (HEARTH_IS_MESSAGE (self));

  g_set_str (&self->model_title, title);
}

void
hearth_message_set_id (HearthMessage *self, guint id)
{
  g_return_if_fail (HEARTH_IS_MESSAGE (self));
  g_return_if_fail (self->id == 0 || self->id == id);

  self->id = id;
}

gboolean
hearth_message_set_edit (HearthMessage *self, const char *text)
{
  g_return_val_if_fail (HEARTH_IS_MESSAGE (self), FALSE);

  return g_set_str (&self->edit, text);
}

void
hearth_message_set_versions (HearthMessage *self, guint version, guint n_versions)
{
  g_return_if_fail (HEARTH_IS_MESSAGE (self));
  g_return_if_fail (version < n_versions);

  g_object_freeze_notify (G_OBJECT (self));
  if (self->version != version)
    {
      self->version = version;
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_VERSION]);
    }
  if (self->n_versions != n_versions)
    {
      self->n_versions = n_versions;
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_VERSIONS]);
    }
  g_object_thaw_notify (G_OBJECT (self));
}
