/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-text.h"

#include <string.h>

#include <ember/gguf.h>

#include "hearth-enums.h"
#include "hearth-gguf.h"
#include "hearth-weak.h"

/* A file with more named templates is made by somebody who means harm. */
#define MAX_TEMPLATES 64

struct _HearthModelText
{
  GObject parent_instance;

  HearthModelTextState state;
  GCancellable *reading;
  HearthTokenizer *tokenizer;
  GPtrArray *templates;
  GError *error;
};

G_DEFINE_FINAL_TYPE (HearthModelText, hearth_model_text, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_STATE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/* ---- the reading thread ----------------------------------------------------------------- */

struct found
{
  HearthTokenizer *tokenizer;
  GPtrArray *templates;
  GError *error; /* of the vocabulary */
};

static void
found_free (gpointer data)
{
  struct found *found = data;

  g_clear_pointer (&found->tokenizer, hearth_tokenizer_unref);
  g_clear_pointer (&found->templates, g_ptr_array_unref);
  g_clear_error (&found->error);
  g_free (found);
}

static void
add_template (struct found *found, HearthGguf *gguf, const char *name, gint64 key)
{
  struct ember_text source = { 0 };
  gboolean there =
    key >= 0 && ember_gguf_text (hearth_gguf_get (gguf), key, 0, &source) && source.size > 0;

  if (name != NULL && !there)
    return;
  g_ptr_array_add (found->templates,
                   hearth_template_new (gguf, found->tokenizer, name, there ? &source : NULL));
}

static void
read_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  static const char prefix[] = "tokenizer.chat_template.";
  GError *error = NULL;
  g_autoptr (HearthGguf) opened = hearth_gguf_open (task_data, &error);
  const struct ember_gguf *gguf;
  struct found *found;
  guint64 n_keys;

  if (opened == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  gguf = hearth_gguf_get (opened);
  found = g_new0 (struct found, 1);
  found->templates = g_ptr_array_new_with_free_func ((GDestroyNotify) hearth_template_unref);
  found->tokenizer = hearth_tokenizer_new (opened, &found->error);
  add_template (found, opened, NULL, ember_gguf_find (gguf, "tokenizer.chat_template"));
  n_keys = ember_gguf_info (gguf)->n_keys;
  for (guint64 i = 0; i < n_keys && found->templates->len < MAX_TEMPLATES &&
                      !g_cancellable_is_cancelled (cancellable);
       i++)
    {
      struct ember_text key = ember_gguf_key_name (gguf, i);

      if (key.size > sizeof prefix - 1 && memcmp (key.data, prefix, sizeof prefix - 1) == 0)
        {
          struct ember_text rest = { key.data + sizeof prefix - 1, key.size - sizeof prefix + 1 };
          g_autofree char *name = hearth_gguf_dup_line (&rest, 60);

          add_template (found, opened, name, (gint64) i);
        }
    }
  g_task_return_pointer (task, found, found_free);
}

/* ---- the main thread -------------------------------------------------------------------- */

static void
read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthModelText) self = hearth_weak_take (user_data);
  g_autoptr (GError) error = NULL;
  struct found *found = g_task_propagate_pointer (G_TASK (result), &error);

  if (self != NULL)
    {
      g_clear_object (&self->reading);
      self->state = found != NULL ? HEARTH_MODEL_TEXT_READY : HEARTH_MODEL_TEXT_FAILED;
      self->error = found != NULL ? g_steal_pointer (&found->error) : g_steal_pointer (&error);
      if (found != NULL)
        {
          self->tokenizer = g_steal_pointer (&found->tokenizer);
          self->templates = g_steal_pointer (&found->templates);
        }
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
    }
  if (found != NULL)
    found_free (found);
}

static void
hearth_model_text_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_STATE)
    g_value_set_enum (value, HEARTH_MODEL_TEXT (object)->state);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_model_text_finalize (GObject *object)
{
  HearthModelText *self = HEARTH_MODEL_TEXT (object);

  if (self->reading != NULL)
    g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
  g_clear_pointer (&self->templates, g_ptr_array_unref);
  g_clear_pointer (&self->tokenizer, hearth_tokenizer_unref);
  g_clear_error (&self->error);
  G_OBJECT_CLASS (hearth_model_text_parent_class)->finalize (object);
}

static void
hearth_model_text_class_init (HearthModelTextClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = hearth_model_text_get_property;
  object_class->finalize = hearth_model_text_finalize;
  properties[PROP_STATE] =
    g_param_spec_enum ("state", NULL, NULL, HEARTH_TYPE_MODEL_TEXT_STATE, HEARTH_MODEL_TEXT_LOADING,
                       G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
hearth_model_text_init (HearthModelText *self)
{
}

HearthModelText *
hearth_model_text_new (const char *path)
{
  HearthModelText *self = g_object_new (HEARTH_TYPE_MODEL_TEXT, NULL);
  g_autoptr (GTask) task = NULL;

  self->reading = g_cancellable_new ();
  task = g_task_new (NULL, self->reading, read_cb, hearth_weak_new (self));
  g_task_set_source_tag (task, hearth_model_text_new);
  g_task_set_task_data (task, g_strdup (path), g_free);
  g_task_run_in_thread (task, read_in_thread);
  return self;
}

static void
weak_free (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

HearthModelText *
hearth_model_text_get (HearthModelFile *model)
{
  static const char key[] = "hearth-model-text";
  GWeakRef *known = g_object_get_data (G_OBJECT (model), key);
  HearthModelText *self = known != NULL ? g_weak_ref_get (known) : NULL;

  if (self == NULL)
    {
      self = hearth_model_text_new (hearth_model_file_get_path (model));
      known = hearth_weak_new (self);
      g_object_set_data_full (G_OBJECT (model), key, known, weak_free);
    }
  return self;
}

HearthModelTextState
hearth_model_text_get_state (HearthModelText *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_TEXT (self), HEARTH_MODEL_TEXT_FAILED);

  return self->state;
}

const GError *
hearth_model_text_get_error (HearthModelText *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_TEXT (self), NULL);

  return self->error;
}

HearthTokenizer *
hearth_model_text_get_tokenizer (HearthModelText *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_TEXT (self), NULL);

  return self->tokenizer;
}

guint
hearth_model_text_get_n_templates (HearthModelText *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_TEXT (self), 0);

  return self->templates != NULL ? self->templates->len : 0;
}

HearthTemplate *
hearth_model_text_get_template (HearthModelText *self, guint index)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_TEXT (self), NULL);
  g_return_val_if_fail (self->templates != NULL && index < self->templates->len, NULL);

  return g_ptr_array_index (self->templates, index);
}
