/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-edit-save.h"

#include <string.h>
#include <sys/stat.h>

#include <ember/gguf.h>
#include <ember/writer.h>

#include "hearth-edit-key.h"
#include "hearth-error.h"

/* One change. `index` is the key's in the file; names there are bytes, so they are taken from it.
 */
struct wish
{
  HearthEditChange change;
  guint64 index;
  char *old_name; /* as far as it can be read: the file must still be the one that was looked at */
  char *name;
  char *value; /* TYPE:VALUE; NULL: the value stays */
};

struct _HearthEditSave
{
  char *source;
  char *path;
  GArray *wishes; /* of struct wish */
  GCancellable *cancellable;
  int permille; /* atomic */
};

static void
wish_clear (gpointer data)
{
  struct wish *wish = data;

  g_free (wish->old_name);
  g_free (wish->name);
  g_free (wish->value);
}

static void
edit_save_free (gpointer data)
{
  HearthEditSave *self = data;

  g_free (self->source);
  g_free (self->path);
  g_array_unref (self->wishes);
  g_clear_object (&self->cancellable);
  g_free (self);
}

gboolean
hearth_edit_save_same_file (const char *a, const char *b)
{
  struct stat one, other;

  return stat (a, &one) == 0 && stat (b, &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

gboolean
hearth_edit_save_is_part (HearthGguf *gguf, const char *path)
{
  const struct ember_gguf *open = hearth_gguf_get (gguf);

  for (guint32 i = 0; i < ember_gguf_n_parts (open); i++)
    {
      if (hearth_edit_save_same_file (ember_gguf_part_file (open, i), path))
        return TRUE;
    }
  return FALSE;
}

double
hearth_edit_save_get_progress (HearthEditSave *self)
{
  return g_atomic_int_get (&self->permille) / 1000.0;
}

/* ---- the writing thread ----------------------------------------------------------------- */

static bool
report (double done, void *user_data)
{
  HearthEditSave *self = user_data;

  g_atomic_int_set (&self->permille, (int) (CLAMP (done, 0, 1) * 1000));
  return !g_cancellable_is_cancelled (self->cancellable);
}

static struct ember_text
text_of (const char *text)
{
  return (struct ember_text) { text, strlen (text) };
}

/* A name that nothing else has: names may be exchanged with each other. */
static char *
dup_interim_name (guint i)
{
  return g_strdup_printf ("hearth.edit.%u", i);
}

/* Whether the keys are those that were looked at: the file may be another one by now. */
static gboolean
is_unchanged (HearthEditSave *self, const struct ember_gguf *gguf)
{
  for (guint i = 0; i < self->wishes->len; i++)
    {
      const struct wish *wish = &g_array_index (self->wishes, struct wish, i);
      g_autofree char *name = NULL;
      struct ember_text text;

      if (wish->change == HEARTH_EDIT_ADDED)
        continue;
      if (wish->index >= ember_gguf_info (gguf)->n_keys)
        return FALSE;
      text = ember_gguf_key_name (gguf, wish->index);
      name = hearth_gguf_dup_line (&text, strlen (wish->old_name));
      if (!g_str_has_prefix (wish->old_name, name))
        return FALSE;
    }
  return TRUE;
}

/* A name that was not changed stays byte for byte, also where what is shown of it is not all. */
static struct ember_text
final_name (const struct wish *wish, const struct ember_gguf *gguf)
{
  if (wish->change != HEARTH_EDIT_ADDED && g_str_equal (wish->name, wish->old_name))
    return ember_gguf_key_name (gguf, wish->index);
  return text_of (wish->name);
}

static enum ember_status
change_keys (HearthEditSave *self, struct ember_writer *writer, const struct ember_gguf *gguf,
             struct ember_error *failure)
{
  enum ember_status status = EMBER_OK;

  for (guint i = 0; i < self->wishes->len && status == EMBER_OK; i++)
    {
      const struct wish *wish = &g_array_index (self->wishes, struct wish, i);
      g_autofree char *interim = dup_interim_name (i);

      if (wish->change == HEARTH_EDIT_REMOVED)
        status = ember_writer_remove (writer, ember_gguf_key_name (gguf, wish->index), failure);
      else if (wish->change == HEARTH_EDIT_CHANGED)
        status = ember_writer_rename (writer, ember_gguf_key_name (gguf, wish->index),
                                      text_of (interim), failure);
    }
  for (guint i = 0; i < self->wishes->len && status == EMBER_OK; i++)
    {
      const struct wish *wish = &g_array_index (self->wishes, struct wish, i);
      g_autofree char *interim = dup_interim_name (i);

      if (wish->change == HEARTH_EDIT_CHANGED)
        status = ember_writer_rename (writer, text_of (interim), final_name (wish, gguf), failure);
    }
  for (guint i = 0; i < self->wishes->len && status == EMBER_OK; i++)
    {
      const struct wish *wish = &g_array_index (self->wishes, struct wish, i);
      struct ember_text name = final_name (wish, gguf);
      g_autofree char *assignment = NULL;

      if (wish->value == NULL)
        continue;
      if (memchr (name.data, '=', name.size) != NULL || memchr (name.data, '\0', name.size) != NULL)
        {
          *failure = (struct ember_error) { .status = EMBER_INVALID };
          g_snprintf (failure->message, sizeof failure->message,
                      "The value of \"%.200s\" cannot be set under this name.", wish->name);
          return EMBER_INVALID;
        }
      assignment = g_strdup_printf ("%.*s=%s", (int) name.size, name.data, wish->value);
      status = ember_writer_set (writer, assignment, failure);
    }
  return status;
}

static void
save_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  HearthEditSave *self = task_data;
  struct ember_progress progress = { report, self };
  struct ember_error failure = { 0 };
  struct ember_gguf *gguf = NULL;
  struct ember_writer *writer = NULL;
  GError *error = NULL;
  enum ember_status status;
  gboolean own = FALSE;

  status = ember_gguf_open (&gguf, self->source, false, &failure);
  for (guint32 i = 0; status == EMBER_OK && i < ember_gguf_n_parts (gguf); i++)
    own |= hearth_edit_save_same_file (ember_gguf_part_file (gguf, i), self->path);
  if (own)
    error = g_error_new (G_IO_ERROR, G_IO_ERROR_EXISTS, "%s: this is the file itself.", self->path);
  else if (status == EMBER_OK && !is_unchanged (self, gguf))
    error = g_error_new (HEARTH_ERROR, HEARTH_ERROR_FAILED,
                         "%s: the file is not the one whose keys were edited.", self->source);
  else
    {
      if (status == EMBER_OK)
        status = ember_writer_from (&writer, gguf, &failure);
      if (status == EMBER_OK)
        status = change_keys (self, writer, gguf, &failure);
      if (status == EMBER_OK)
        status = ember_writer_save (writer, self->path, EMBER_SAVE_REPLACE, &progress, &failure);
      if (status != EMBER_OK)
        error = hearth_error_from_ember (&failure);
    }
  ember_writer_free (writer);
  ember_gguf_close (gguf);
  if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, TRUE);
}

/* ---- the main thread -------------------------------------------------------------------- */

HearthEditSave *
hearth_edit_save_begin (const char *source, const char *path, GListModel *keys,
                        GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  HearthEditSave *self = g_new0 (HearthEditSave, 1);
  guint n = g_list_model_get_n_items (keys);

  self->source = g_strdup (source);
  self->path = g_strdup (path);
  self->cancellable = cancellable != NULL ? g_object_ref (cancellable) : NULL;
  self->wishes = g_array_new (FALSE, TRUE, sizeof (struct wish));
  g_array_set_clear_func (self->wishes, wish_clear);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (HearthEditKey) key = g_list_model_get_item (keys, i);
      HearthMetadataKey *original = hearth_edit_key_get_original (key);
      struct wish wish = { .change = hearth_edit_key_get_change (key) };

      if (wish.change == HEARTH_EDIT_SAME)
        continue;
      wish.name = g_strdup (hearth_edit_key_get_name (key));
      if (original != NULL)
        {
          wish.index = hearth_metadata_key_get_index (original);
          wish.old_name = g_strdup (hearth_metadata_key_get_name (original));
        }
      if (wish.change != HEARTH_EDIT_REMOVED && hearth_edit_key_has_new_text (key))
        {
          g_autofree char *text = hearth_edit_key_dup_text (key);

          wish.value = g_strdup_printf ("%s:%s", hearth_edit_key_get_type_name (key), text);
        }
      g_array_append_val (self->wishes, wish);
    }
  g_task_set_source_tag (task, hearth_edit_save_begin);
  g_task_set_task_data (task, self, edit_save_free);
  /* A copy that is complete although somebody wished to stop is a copy. */
  g_task_set_check_cancellable (task, FALSE);
  g_task_run_in_thread (task, save_in_thread);
  return self;
}
