/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-file-private.h"

#include "hearth-enums.h"
#include "hearth-error.h"
#include "hearth-tensor-type.h"

struct _HearthModelFile
{
  GObject parent_instance;

  char *path;
  char *base_name;
  HearthModelHeader *header;
  GListStore *types;
  GError *error;
  const char *kind;
  HearthModelFileState state;
  gboolean loaded;

  HearthModelPresence presence;
  HearthModelFacts facts;
  GPtrArray *places; /* of HearthModelPlace */
  char *stores;
  HearthModelFile *parent; /* weak */
  char *parent_path;
  guint used;
  char *sort_key; /* NULL: to be made anew, as below */
  char *search_text;
};

G_DEFINE_FINAL_TYPE (HearthModelFile, hearth_model_file, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_PATH,
  PROP_TITLE,
  PROP_STATE,
  PROP_QUANTIZATION,
  PROP_SIZE,
  PROP_PARAMETERS,
  PROP_ARCHITECTURE,
  PROP_LOADED,
  PROP_PRESENCE,
  PROP_STORES,
  PROP_PARENT,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/* What the reading thread is given and gives back. */
struct reading
{
  char *path;
  guint n_ctx;
  guint n_threads;
  const char *kind;
};

static void
reading_free (gpointer data)
{
  struct reading *reading = data;

  g_free (reading->path);
  g_free (reading);
}

static const char *
guess_kind (const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) stream = g_file_read (file, NULL, NULL);
  guint8 bytes[32];
  gsize n_read = 0;

  if (stream == NULL)
    return NULL;
  g_input_stream_read_all (G_INPUT_STREAM (stream), bytes, sizeof bytes, &n_read, NULL, NULL);
  return hearth_model_header_guess_kind (bytes, n_read);
}

void
hearth_model_reading_clear (HearthModelReading *reading)
{
  g_clear_pointer (&reading->header, hearth_model_header_free);
  g_clear_error (&reading->error);
  reading->kind = NULL;
}

void
hearth_model_reading_read (HearthModelReading *out, const char *path, guint n_ctx, guint n_threads)
{
  *out = (HearthModelReading) { 0 };
  out->header = hearth_model_header_read (path, n_ctx, n_threads, &out->error);
  if (g_error_matches (out->error, HEARTH_ERROR, HEARTH_ERROR_NOT_A_MODEL))
    out->kind = guess_kind (path);
}

static void
read_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  struct reading *reading = task_data;
  HearthModelReading result;

  hearth_model_reading_read (&result, reading->path, reading->n_ctx, reading->n_threads);
  reading->kind = result.kind;
  if (result.header == NULL)
    g_task_return_error (task, result.error);
  else
    g_task_return_pointer (task, result.header, (GDestroyNotify) hearth_model_header_free);
}

static void
set_state (HearthModelFile *self, HearthModelFileState state)
{
  if (self->state == state)
    return;
  self->state = state;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
}

static void
forget_texts (HearthModelFile *self)
{
  g_clear_pointer (&self->sort_key, g_free);
  g_clear_pointer (&self->search_text, g_free);
}

static void
take_header (HearthModelFile *self, HearthModelHeader *header)
{
  forget_texts (self);
  g_clear_pointer (&self->header, hearth_model_header_free);
  self->header = header;
  g_list_store_remove_all (self->types);
  for (guint i = 0; i < header->types->len; i++)
    {
      const HearthHeaderType *type = &g_array_index (header->types, HearthHeaderType, i);
      double share =
        header->n_tensor_bytes > 0 ? (double) type->n_bytes / (double) header->n_tensor_bytes : 0;
      g_autoptr (HearthTensorType) row = hearth_tensor_type_new (
        type->type, type->n_tensors, type->n_elements, type->n_bytes, MIN (share, 1));

      g_list_store_append (self->types, row);
    }
  g_object_freeze_notify (G_OBJECT (self));
  for (guint id = PROP_TITLE; id < N_PROPS; id++)
    {
      if (id < PROP_LOADED && id != PROP_STATE)
        g_object_notify_by_pspec (G_OBJECT (self), properties[id]);
    }
  set_state (self, HEARTH_MODEL_FILE_READY);
  g_object_thaw_notify (G_OBJECT (self));
}

static void
hearth_model_file_finalize (GObject *object)
{
  HearthModelFile *self = HEARTH_MODEL_FILE (object);

  g_free (self->path);
  g_free (self->base_name);
  g_clear_pointer (&self->header, hearth_model_header_free);
  g_clear_object (&self->types);
  g_clear_error (&self->error);
  g_ptr_array_unref (self->places);
  g_free (self->stores);
  g_clear_weak_pointer (&self->parent);
  g_free (self->parent_path);
  g_free (self->sort_key);
  g_free (self->search_text);
  G_OBJECT_CLASS (hearth_model_file_parent_class)->finalize (object);
}

static void
hearth_model_file_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthModelFile *self = HEARTH_MODEL_FILE (object);
  const HearthModelHeader *header = self->header;

  switch (id)
    {
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    case PROP_TITLE:
      g_value_set_string (value, hearth_model_file_get_title (self));
      break;
    case PROP_STATE:
      g_value_set_enum (value, (int) self->state);
      break;
    case PROP_QUANTIZATION:
      g_value_set_string (value, header != NULL ? header->quantization : NULL);
      break;
    case PROP_SIZE:
      g_value_set_uint64 (value, hearth_model_file_get_size (self));
      break;
    case PROP_PARAMETERS:
      g_value_set_uint64 (value, header != NULL ? header->n_parameters : 0);
      break;
    case PROP_ARCHITECTURE:
      g_value_set_string (value, header != NULL ? header->architecture : NULL);
      break;
    case PROP_LOADED:
      g_value_set_boolean (value, self->loaded);
      break;
    case PROP_PRESENCE:
      g_value_set_enum (value, (int) self->presence);
      break;
    case PROP_STORES:
      g_value_set_string (value, self->stores);
      break;
    case PROP_PARENT:
      g_value_set_object (value, self->parent);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_model_file_class_init (HearthModelFileClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->finalize = hearth_model_file_finalize;
  object_class->get_property = hearth_model_file_get_property;

  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, flags);
  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, flags);
  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, HEARTH_TYPE_MODEL_FILE_STATE,
                                              HEARTH_MODEL_FILE_UNREAD, flags);
  properties[PROP_QUANTIZATION] = g_param_spec_string ("quantization", NULL, NULL, NULL, flags);
  properties[PROP_SIZE] = g_param_spec_uint64 ("size", NULL, NULL, 0, G_MAXUINT64, 0, flags);
  properties[PROP_PARAMETERS] =
    g_param_spec_uint64 ("parameters", NULL, NULL, 0, G_MAXUINT64, 0, flags);
  properties[PROP_ARCHITECTURE] = g_param_spec_string ("architecture", NULL, NULL, NULL, flags);
  properties[PROP_LOADED] = g_param_spec_boolean ("loaded", NULL, NULL, FALSE, flags);
  properties[PROP_PRESENCE] = g_param_spec_enum ("presence", NULL, NULL, HEARTH_TYPE_MODEL_PRESENCE,
                                                 HEARTH_MODEL_PRESENCE_WHOLE, flags);
  properties[PROP_STORES] = g_param_spec_string ("stores", NULL, NULL, "", flags);
  properties[PROP_PARENT] =
    g_param_spec_object ("parent", NULL, NULL, HEARTH_TYPE_MODEL_FILE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
hearth_model_file_init (HearthModelFile *self)
{
  self->types = g_list_store_new (HEARTH_TYPE_TENSOR_TYPE);
  self->places = g_ptr_array_new_with_free_func ((GDestroyNotify) hearth_model_place_free);
  self->stores = g_strdup ("");
}

HearthModelFile *
hearth_model_file_new (const char *path)
{
  HearthModelFile *self = g_object_new (HEARTH_TYPE_MODEL_FILE, NULL);
  g_autofree char *base_name = NULL;

  self->path = g_canonicalize_filename (path, NULL);
  base_name = g_path_get_basename (self->path);
  self->base_name = g_filename_display_name (base_name);
  return self;
}

static void
take_error (HearthModelFile *self, const GError *error, const char *kind)
{
  forget_texts (self);
  g_clear_error (&self->error);
  self->error = g_error_copy (error);
  self->kind = kind;
  g_clear_pointer (&self->header, hearth_model_header_free);
  g_list_store_remove_all (self->types);
  set_state (self, HEARTH_MODEL_FILE_FAILED);
}

/* Back on the main thread, where alone the file and the caller's task live: the thread gives its
 * own task back last of all, and what hung on that would end there. */
static void
read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  HearthModelFile *self = g_task_get_source_object (task);
  struct reading *reading = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  HearthModelHeader *header = g_task_propagate_pointer (G_TASK (result), &error);

  if (header != NULL)
    {
      g_clear_error (&self->error);
      take_header (self, header);
      g_task_return_boolean (task, TRUE);
      return;
    }
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    set_state (self, self->header != NULL ? HEARTH_MODEL_FILE_READY : HEARTH_MODEL_FILE_UNREAD);
  else
    take_error (self, error, reading->kind);
  g_task_return_error (task, g_steal_pointer (&error));
}

void
hearth_model_file_load_async (HearthModelFile *self, guint n_ctx, guint n_threads,
                              GCancellable *cancellable, GAsyncReadyCallback callback,
                              gpointer user_data)
{
  g_autoptr (GTask) reader = NULL;
  GTask *task;
  struct reading *reading;

  g_return_if_fail (HEARTH_IS_MODEL_FILE (self));

  reading = g_new0 (struct reading, 1);
  reading->path = g_strdup (self->path);
  reading->n_ctx = n_ctx;
  reading->n_threads = n_threads;
  task = g_task_new (self, NULL, callback, user_data);
  g_task_set_source_tag (task, hearth_model_file_load_async);
  set_state (self, HEARTH_MODEL_FILE_READING);
  reader = g_task_new (NULL, cancellable, read_cb, task);
  g_task_set_source_tag (reader, hearth_model_file_load_async);
  g_task_set_task_data (reader, reading, reading_free);
  g_task_run_in_thread (reader, read_in_thread);
}

gboolean
hearth_model_file_load_finish (HearthModelFile *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  return g_task_propagate_boolean (G_TASK (result), error);
}

const char *
hearth_model_file_get_path (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), NULL);

  return self->path;
}

const char *
hearth_model_file_get_base_name (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), NULL);

  return self->base_name;
}

const char *
hearth_model_file_get_title (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), NULL);

  /* Files of these programs are called sha256-… or model.gguf; their names are elsewhere. */
  if (self->header == NULL || self->header->full_name == NULL)
    {
      for (guint i = 0; i < self->places->len; i++)
        {
          const HearthModelPlace *place = self->places->pdata[i];

          if (place->label != NULL &&
              (place->program == HEARTH_PROGRAM_OLLAMA || place->program == HEARTH_PROGRAM_JAN))
            return place->label;
        }
    }
  return self->header != NULL ? self->header->name : self->base_name;
}

HearthModelFileState
hearth_model_file_get_state (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), HEARTH_MODEL_FILE_UNREAD);

  return self->state;
}

const GError *
hearth_model_file_get_error (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), NULL);

  return self->error;
}

const char *
hearth_model_file_get_kind (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), NULL);

  return self->kind;
}

const HearthModelHeader *
hearth_model_file_get_header (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), NULL);

  return self->header;
}

double
hearth_model_file_get_bits_per_weight (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), 0);

  if (self->header == NULL || self->header->n_parameters == 0)
    return 0;
  return 8.0 * (double) self->header->n_tensor_bytes / (double) self->header->n_parameters;
}

GListModel *
hearth_model_file_get_types (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), NULL);

  return G_LIST_MODEL (self->types);
}

gboolean
hearth_model_file_can_chat (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), FALSE);

  return self->header != NULL && self->header->fit_error == NULL && self->header->has_vocabulary;
}

gboolean
hearth_model_file_get_loaded (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), FALSE);

  return self->loaded;
}

void
hearth_model_file_set_loaded (HearthModelFile *self, gboolean loaded)
{
  g_return_if_fail (HEARTH_IS_MODEL_FILE (self));

  if (self->loaded == loaded)
    return;
  self->loaded = loaded;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LOADED]);
}

/* ---- the file as the library knows it --------------------------------------------------- */

HearthModelPresence
hearth_model_file_get_presence (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), HEARTH_MODEL_PRESENCE_WHOLE);

  return self->presence;
}

const HearthModelFacts *
hearth_model_file_get_facts (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), NULL);

  return &self->facts;
}

HearthModelRole
hearth_model_file_get_role (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), HEARTH_MODEL_ROLE_MODEL);

  if (self->header == NULL)
    return self->facts.role;
  /* What the header says goes before the name: a model that an adapter was merged into is one. The
   * header of a draft model, and of a projector without a type, is mostly that of any model: there
   * the name, or the program that keeps the file, has its say. */
  if (self->header->role == HEARTH_MODEL_ROLE_MODEL &&
      (self->facts.role == HEARTH_MODEL_ROLE_DRAFT ||
       self->facts.role == HEARTH_MODEL_ROLE_PROJECTOR))
    return self->facts.role;
  return self->header->role;
}

guint64
hearth_model_file_get_size (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), 0);

  return self->header != NULL ? self->header->size : self->facts.size;
}

const char *
hearth_model_file_get_family (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), NULL);

  if (self->header != NULL && self->header->family != NULL)
    return self->header->family;
  return hearth_model_file_get_title (self);
}

const HearthModelPlace *
hearth_model_file_get_place (HearthModelFile *self, guint position)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), NULL);

  return position < self->places->len ? self->places->pdata[position] : NULL;
}

const char *
hearth_model_file_get_sort_key (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), NULL);

  if (self->sort_key == NULL)
    {
      g_autofree char *folded = g_utf8_casefold (hearth_model_file_get_title (self), -1);

      /* For file names: 7B comes before 30B. */
      self->sort_key = g_utf8_collate_key_for_filename (folded, -1);
    }
  return self->sort_key;
}

static void
add_words (GString *out, const char *words)
{
  g_autofree char *normal = words != NULL ? g_utf8_normalize (words, -1, G_NORMALIZE_ALL) : NULL;
  g_autofree char *folded = normal != NULL ? g_utf8_casefold (normal, -1) : NULL;

  if (folded == NULL)
    return;
  g_string_append (out, folded);
  g_string_append_c (out, '\n');
}

const char *
hearth_model_file_get_search_text (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), NULL);

  if (self->search_text == NULL)
    {
      GString *text = g_string_new (NULL);

      add_words (text, hearth_model_file_get_title (self));
      add_words (text, self->base_name);
      if (self->header != NULL)
        {
          add_words (text, self->header->family);
          add_words (text, self->header->architecture);
          add_words (text, self->header->quantization);
          add_words (text, self->header->author);
        }
      add_words (text, self->stores);
      for (guint i = 0; i < self->places->len; i++)
        add_words (text, ((HearthModelPlace *) self->places->pdata[i])->label);
      self->search_text = g_string_free_and_steal (text);
    }
  return self->search_text;
}

guint
hearth_model_file_get_n_places (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), 0);

  return self->places->len;
}

const char *
hearth_model_file_get_stores (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), NULL);

  return self->stores;
}

const HearthModelPlace *
hearth_model_file_get_own_place (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), NULL);

  for (guint i = 0; i < self->places->len; i++)
    {
      const HearthModelPlace *place = self->places->pdata[i];

      if (place->program == HEARTH_PROGRAM_FOLDER)
        return place;
    }
  return NULL;
}

HearthModelFile *
hearth_model_file_get_parent (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), NULL);

  return self->parent;
}

guint
hearth_model_file_get_used (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), 0);

  return self->used;
}

gboolean
hearth_model_file_is_only_recent (HearthModelFile *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_FILE (self), FALSE);

  return self->used > 0 && hearth_model_file_get_own_place (self) == NULL && *self->stores == '\0';
}

void
_hearth_model_file_begin_reading (HearthModelFile *self)
{
  set_state (self, HEARTH_MODEL_FILE_READING);
}

void
_hearth_model_file_take (HearthModelFile *self, HearthModelReading *reading)
{
  if (reading->header != NULL)
    {
      g_clear_error (&self->error);
      take_header (self, g_steal_pointer (&reading->header));
    }
  else if (reading->error != NULL)
    take_error (self, reading->error, reading->kind);
  else
    set_state (self, self->header != NULL ? HEARTH_MODEL_FILE_READY : HEARTH_MODEL_FILE_UNREAD);
  hearth_model_reading_clear (reading);
}

void
_hearth_model_file_set_facts (HearthModelFile *self, const HearthModelFacts *facts)
{
  guint64 size = hearth_model_file_get_size (self);

  self->facts = *facts;
  if (hearth_model_file_get_size (self) != size)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SIZE]);
}

void
_hearth_model_file_set_presence (HearthModelFile *self, HearthModelPresence presence)
{
  if (self->presence == presence)
    return;
  self->presence = presence;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PRESENCE]);
}

/* Each program once, in the order of their names' list. */
static void
update_stores (HearthModelFile *self)
{
  g_autoptr (GString) names = g_string_new (NULL);

  forget_texts (self);
  for (guint program = 0; program < HEARTH_N_PROGRAMS; program++)
    {
      const char *name = hearth_program_get_name ((HearthProgram) program);
      gboolean has = FALSE;

      for (guint i = 0; i < self->places->len; i++)
        has |= ((HearthModelPlace *) self->places->pdata[i])->program == (HearthProgram) program;
      if (has && *name != '\0')
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", name);
    }
  if (g_set_str (&self->stores, names->str))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STORES]);
}

gboolean
_hearth_model_file_add_place (HearthModelFile *self, const HearthModelPlace *place)
{
  for (guint i = 0; i < self->places->len; i++)
    {
      const HearthModelPlace *known = self->places->pdata[i];

      if (known->program == place->program && g_str_equal (known->path, place->path))
        return FALSE;
    }
  g_ptr_array_add (self->places, hearth_model_place_copy (place));
  update_stores (self);
  return TRUE;
}

void
_hearth_model_file_remove_place (HearthModelFile *self, guint position)
{
  g_ptr_array_remove_index (self->places, position);
  update_stores (self);
}

void
_hearth_model_file_set_parent (HearthModelFile *self, HearthModelFile *parent)
{
  if (!g_set_weak_pointer (&self->parent, parent))
    return;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PARENT]);
}

void
_hearth_model_file_set_used (HearthModelFile *self, guint used)
{
  self->used = used;
}

const char *
_hearth_model_file_get_parent_path (HearthModelFile *self)
{
  return self->parent_path;
}

void
_hearth_model_file_set_parent_path (HearthModelFile *self, const char *path)
{
  g_set_str (&self->parent_path, path);
}
