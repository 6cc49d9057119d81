/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-file-layout.h"

#include <string.h>

#include <ember/gguf.h>

#include "hearth-error.h"
#include "hearth-gguf.h"

#define MAX_NAME_BYTES 200

struct _HearthFileRegion
{
  GObject parent_instance;

  HearthRegionKind kind;
  gboolean overlaps;
  char *name;
  char *exact_name; /* NULL: it is `name` */
  const char *type; /* interned */
  guint64 offset;
  guint64 size;
  guint64 n_present;
};

G_DEFINE_FINAL_TYPE (HearthFileRegion, hearth_file_region, G_TYPE_OBJECT)

struct _HearthFileLayout
{
  GObject parent_instance;

  char *path;
  guint64 file_size;
  guint64 end;
  GPtrArray *regions; /* by offset */
  guint64 n_bytes[HEARTH_N_REGION_KINDS];
  guint n_regions[HEARTH_N_REGION_KINDS];
};

static void list_model_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthFileLayout, hearth_file_layout, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

/* ---- regions ---------------------------------------------------------------------------- */

static void
hearth_file_region_finalize (GObject *object)
{
  HearthFileRegion *self = HEARTH_FILE_REGION (object);

  g_free (self->name);
  g_free (self->exact_name);
  G_OBJECT_CLASS (hearth_file_region_parent_class)->finalize (object);
}

static void
hearth_file_region_class_init (HearthFileRegionClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hearth_file_region_finalize;
}

static void
hearth_file_region_init (HearthFileRegion *self)
{
}

HearthRegionKind
hearth_file_region_get_kind (HearthFileRegion *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_REGION (self), HEARTH_REGION_GAP);

  return self->kind;
}

const char *
hearth_file_region_get_name (HearthFileRegion *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_REGION (self), NULL);

  return self->name != NULL ? self->name : "";
}

const char *
hearth_file_region_get_exact_name (HearthFileRegion *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_REGION (self), NULL);

  return self->exact_name != NULL ? self->exact_name : hearth_file_region_get_name (self);
}

const char *
hearth_file_region_get_type_name (HearthFileRegion *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_REGION (self), NULL);

  return self->type != NULL ? self->type : "";
}

guint64
hearth_file_region_get_offset (HearthFileRegion *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_REGION (self), 0);

  return self->offset;
}

guint64
hearth_file_region_get_size (HearthFileRegion *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_REGION (self), 0);

  return self->size;
}

guint64
hearth_file_region_get_n_present (HearthFileRegion *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_REGION (self), 0);

  return self->n_present;
}

gboolean
hearth_file_region_get_overlaps (HearthFileRegion *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_REGION (self), FALSE);

  return self->overlaps;
}

/* ---- reading ---------------------------------------------------------------------------- */

static void
add (HearthFileLayout *self, HearthRegionKind kind, const struct ember_text *name, const char *type,
     guint64 offset, guint64 size)
{
  HearthFileRegion *region = g_object_new (HEARTH_TYPE_FILE_REGION, NULL);

  region->kind = kind;
  if (name != NULL)
    {
      region->name = hearth_gguf_dup_line (name, MAX_NAME_BYTES);
      if (strlen (region->name) != name->size || memcmp (region->name, name->data, name->size) != 0)
        region->exact_name = hearth_gguf_dup_exact (name);
    }
  region->type = type;
  region->offset = offset;
  region->size = size;
  region->n_present = MIN (size, self->file_size - MIN (offset, self->file_size));
  region->overlaps = offset < self->end && self->regions->len > 0 && size > 0;
  g_ptr_array_add (self->regions, region);
  self->end = MAX (self->end, offset + size); /* the engine has checked the sum */
  self->n_bytes[kind] += size;
  self->n_regions[kind]++;
}

/* What lies between here and `offset`. */
static void
fill_up_to (HearthFileLayout *self, guint64 offset, guint32 alignment)
{
  guint64 size = offset - MIN (self->end, offset);

  if (size > 0)
    add (self, size < alignment ? HEARTH_REGION_PADDING : HEARTH_REGION_GAP, NULL, NULL, self->end,
         size);
}

static int
compare_offsets (gconstpointer a, gconstpointer b)
{
  const struct ember_gguf_tensor *x = *(const struct ember_gguf_tensor *const *) a;
  const struct ember_gguf_tensor *y = *(const struct ember_gguf_tensor *const *) b;

  if (x->file_offset != y->file_offset)
    return x->file_offset < y->file_offset ? -1 : 1;
  /* An empty tensor comes before the one that begins at the same place. */
  if ((x->n_bytes == 0) != (y->n_bytes == 0))
    return x->n_bytes == 0 ? -1 : 1;
  return x < y ? -1 : x > y;
}

static const char *
intern_upper (const char *name)
{
  g_autofree char *upper = g_ascii_strup (name != NULL ? name : "?", -1);

  return g_intern_string (upper);
}

static const char *
intern_key_type (const struct ember_gguf *gguf, guint64 index)
{
  const char *name = ember_gguf_type_name (ember_gguf_key_type (gguf, index));
  const char *inner = ember_gguf_type_name (ember_gguf_key_element_type (gguf, index));
  g_autofree char *text = NULL;

  if (ember_gguf_key_type (gguf, index) != EMBER_GGUF_ARRAY)
    return name;
  text = g_strdup_printf ("arr[%s]", inner != NULL ? inner : "?");
  return g_intern_string (text);
}

static void
build (HearthFileLayout *self, const struct ember_gguf *gguf)
{
  const struct ember_gguf_info *info = ember_gguf_info (gguf);
  struct ember_gguf_place place;
  g_autoptr (GPtrArray) tensors = g_ptr_array_sized_new ((guint) info->n_tensors);

  ember_gguf_table_place (gguf, &place);
  if (info->n_keys > 0)
    ember_gguf_key_place (gguf, 0, &place);
  add (self, HEARTH_REGION_HEADER, NULL, NULL, 0, place.offset);
  for (guint64 i = 0; i < info->n_keys; i++)
    {
      struct ember_text name = ember_gguf_key_name (gguf, i);

      ember_gguf_key_place (gguf, i, &place);
      add (self, HEARTH_REGION_KEY, &name, intern_key_type (gguf, i), place.offset, place.size);
    }
  ember_gguf_table_place (gguf, &place);
  if (place.size > 0)
    add (self, HEARTH_REGION_INFO, NULL, NULL, place.offset, place.size);
  for (guint64 i = 0; i < info->n_tensors; i++)
    g_ptr_array_add (tensors, (gpointer) ember_gguf_tensor (gguf, i));
  g_ptr_array_sort (tensors, compare_offsets);
  for (guint i = 0; i < tensors->len; i++)
    {
      const struct ember_gguf_tensor *tensor = tensors->pdata[i];

      fill_up_to (self, tensor->file_offset, info->alignment);
      add (self, HEARTH_REGION_TENSOR, &tensor->name,
           intern_upper (ember_tensor_type_name (tensor->type)), tensor->file_offset,
           tensor->n_bytes);
    }
  fill_up_to (self, self->file_size, info->alignment);
}

/* Nobody listens to the list yet, so that it may be filled here and handed over. */
static void
read_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  GError *error = NULL;
  g_autoptr (HearthGguf) gguf = hearth_gguf_open_part (task_data, &error);
  HearthFileLayout *self;

  if (gguf == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  self = g_object_new (HEARTH_TYPE_FILE_LAYOUT, NULL);
  self->path = g_strdup (task_data);
  self->file_size = ember_gguf_info (hearth_gguf_get (gguf))->file_size;
  build (self, hearth_gguf_get (gguf));
  g_task_return_pointer (task, self, g_object_unref);
}

void
hearth_file_layout_read_async (const char *path, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);

  g_task_set_source_tag (task, hearth_file_layout_read_async);
  g_task_set_task_data (task, g_strdup (path), g_free);
  g_task_run_in_thread (task, read_in_thread);
}

HearthFileLayout *
hearth_file_layout_read_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

/* ---- the list --------------------------------------------------------------------------- */

static GType
get_item_type (GListModel *list)
{
  return HEARTH_TYPE_FILE_REGION;
}

static guint
get_n_items (GListModel *list)
{
  return HEARTH_FILE_LAYOUT (list)->regions->len;
}

static gpointer
get_item (GListModel *list, guint position)
{
  HearthFileRegion *region = hearth_file_layout_get (HEARTH_FILE_LAYOUT (list), position);

  return region != NULL ? g_object_ref (region) : NULL;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

static void
hearth_file_layout_finalize (GObject *object)
{
  HearthFileLayout *self = HEARTH_FILE_LAYOUT (object);

  g_ptr_array_unref (self->regions);
  g_free (self->path);
  G_OBJECT_CLASS (hearth_file_layout_parent_class)->finalize (object);
}

static void
hearth_file_layout_class_init (HearthFileLayoutClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hearth_file_layout_finalize;
}

static void
hearth_file_layout_init (HearthFileLayout *self)
{
  self->regions = g_ptr_array_new_with_free_func (g_object_unref);
}

const char *
hearth_file_layout_get_path (HearthFileLayout *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_LAYOUT (self), NULL);

  return self->path;
}

guint64
hearth_file_layout_get_file_size (HearthFileLayout *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_LAYOUT (self), 0);

  return self->file_size;
}

guint64
hearth_file_layout_get_end (HearthFileLayout *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_LAYOUT (self), 0);

  return self->end;
}

guint64
hearth_file_layout_get_n_bytes (HearthFileLayout *self, HearthRegionKind kind)
{
  g_return_val_if_fail (HEARTH_IS_FILE_LAYOUT (self) && kind < HEARTH_N_REGION_KINDS, 0);

  return self->n_bytes[kind];
}

guint
hearth_file_layout_get_n_regions (HearthFileLayout *self, HearthRegionKind kind)
{
  g_return_val_if_fail (HEARTH_IS_FILE_LAYOUT (self) && kind < HEARTH_N_REGION_KINDS, 0);

  return self->n_regions[kind];
}

gboolean
hearth_file_layout_find (HearthFileLayout *self, guint64 offset, guint *position)
{
  guint low = 0, high;

  g_return_val_if_fail (HEARTH_IS_FILE_LAYOUT (self), FALSE);

  /* Of those that begin at the same place the last: the others are empty. */
  high = self->regions->len;
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (((HearthFileRegion *) self->regions->pdata[middle])->offset <= offset)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == 0 || offset >= self->end)
    return FALSE;
  *position = low - 1;
  return TRUE;
}

HearthFileRegion *
hearth_file_layout_get (HearthFileLayout *self, guint position)
{
  g_return_val_if_fail (HEARTH_IS_FILE_LAYOUT (self), NULL);

  return position < self->regions->len ? self->regions->pdata[position] : NULL;
}
