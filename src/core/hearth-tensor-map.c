/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tensor-map.h"

#include "hearth-tensor-role.h"

struct cell
{
  guint column;
  guint tensor;
};

struct row
{
  char *key;
  const char *title;
  const char *suffix; /* within `key` */
  guint order;
  guint number;  /* until rows are sorted: in which order they were met */
  GArray *cells; /* of struct cell, by column */
};

struct spot
{
  guint row;
  guint column;
};

struct _HearthTensorMap
{
  GObject parent_instance;

  GPtrArray *tensors; /* of HearthTensor */
  GPtrArray *rows;    /* of struct row */
  GArray *layers;     /* of int, one per column */
  GArray *types;      /* of HearthTensorMapType */
  GHashTable *type_indexes;
  GHashTable *spots; /* HearthTensor to its index in `places` */
  GArray *places;    /* of struct spot, one per tensor */
};

G_DEFINE_FINAL_TYPE (HearthTensorMap, hearth_tensor_map, G_TYPE_OBJECT)

static const double bits_limits[HEARTH_N_BITS_STEPS - 1] = { 2, 3, 4, 5, 6, 8.5, 16 };

static void
row_free (gpointer data)
{
  struct row *row = data;

  g_free (row->key);
  g_array_unref (row->cells);
  g_free (row);
}

static void
hearth_tensor_map_finalize (GObject *object)
{
  HearthTensorMap *self = HEARTH_TENSOR_MAP (object);

  g_ptr_array_unref (self->tensors);
  g_ptr_array_unref (self->rows);
  g_array_unref (self->layers);
  g_array_unref (self->types);
  g_hash_table_unref (self->type_indexes);
  g_hash_table_unref (self->spots);
  g_array_unref (self->places);
  G_OBJECT_CLASS (hearth_tensor_map_parent_class)->finalize (object);
}

static void
hearth_tensor_map_class_init (HearthTensorMapClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hearth_tensor_map_finalize;
}

static void
hearth_tensor_map_init (HearthTensorMap *self)
{
  self->tensors = g_ptr_array_new_with_free_func (g_object_unref);
  self->rows = g_ptr_array_new_with_free_func (row_free);
  self->layers = g_array_new (FALSE, FALSE, sizeof (int));
  self->types = g_array_new (FALSE, FALSE, sizeof (HearthTensorMapType));
  self->type_indexes = g_hash_table_new (NULL, NULL);
  self->spots = g_hash_table_new (NULL, NULL);
  self->places = g_array_new (FALSE, TRUE, sizeof (struct spot));
}

/* ---- building --------------------------------------------------------------------------- */

static int
compare_ints (gconstpointer a, gconstpointer b)
{
  const int *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const struct row *x = *(struct row *const *) a;
  const struct row *y = *(struct row *const *) b;

  if (x->order != y->order)
    return x->order < y->order ? -1 : 1;
  /* The weight itself before its bias; unknown ones in the file's order. */
  if ((x->suffix == NULL) != (y->suffix == NULL))
    return x->suffix == NULL ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

static int
compare_cells (gconstpointer a, gconstpointer b)
{
  const struct cell *x = a, *y = b;

  return x->column < y->column ? -1 : x->column > y->column;
}

static int
compare_types (gconstpointer a, gconstpointer b)
{
  const HearthTensorMapType *x = a, *y = b;

  if (x->n_bytes != y->n_bytes)
    return x->n_bytes > y->n_bytes ? -1 : 1;
  return g_strcmp0 (x->name, y->name);
}

static void
count_types (HearthTensorMap *self)
{
  for (guint i = 0; i < self->tensors->len; i++)
    {
      HearthTensor *tensor = self->tensors->pdata[i];
      const char *name = hearth_tensor_get_type_name (tensor);
      guint64 n_bytes = hearth_tensor_get_n_bytes (tensor);
      gpointer at;
      HearthTensorMapType *type;

      if (!g_hash_table_lookup_extended (self->type_indexes, name, NULL, &at))
        {
          HearthTensorMapType fresh = { .name = name };

          at = GUINT_TO_POINTER (self->types->len);
          g_array_append_val (self->types, fresh);
          g_hash_table_insert (self->type_indexes, (gpointer) name, at);
        }
      type = &g_array_index (self->types, HearthTensorMapType, GPOINTER_TO_UINT (at));
      type->n_tensors++;
      /* A header may claim anything: sums stop at the top. */
      type->n_bytes = type->n_bytes > G_MAXUINT64 - n_bytes ? G_MAXUINT64 : type->n_bytes + n_bytes;
    }
  g_array_sort (self->types, compare_types);
  g_hash_table_remove_all (self->type_indexes);
  for (guint i = 0; i < self->types->len; i++)
    g_hash_table_insert (self->type_indexes,
                         (gpointer) g_array_index (self->types, HearthTensorMapType, i).name,
                         GUINT_TO_POINTER (i));
}

static struct row *
get_row (HearthTensorMap *self, GHashTable *by_key, const HearthTensorPlace *place, const char *key)
{
  struct row *row = g_hash_table_lookup (by_key, key);

  if (row != NULL)
    return row;
  row = g_new0 (struct row, 1);
  row->key = g_strdup (key);
  row->title = place->title;
  row->suffix = place->suffix != NULL ? row->key + (place->suffix - place->key) : NULL;
  row->order = place->order;
  row->number = self->rows->len;
  row->cells = g_array_new (FALSE, FALSE, sizeof (struct cell));
  g_ptr_array_add (self->rows, row);
  g_hash_table_insert (by_key, row->key, row);
  return row;
}

/* Names are shown cut at some length, and are alike then: each still gets a cell. */
static struct row *
get_free_row (HearthTensorMap *self, GHashTable *by_key, GHashTable *taken,
              const HearthTensorPlace *place, guint number)
{
  g_autoptr (GString) key = g_string_new (place->key);

  for (;;)
    {
      struct row *row = get_row (self, by_key, place, key->str);
      gint64 *spot = g_new (gint64, 1);

      *spot = ((gint64) row->number << 32) | (guint32) place->layer;
      if (g_hash_table_add (taken, spot))
        return row;
      g_string_append_printf (key, " %u", number);
    }
}

static void
build (HearthTensorMap *self)
{
  g_autoptr (GHashTable) by_key = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) taken = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GHashTable) columns = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < self->tensors->len; i++)
    {
      g_auto (HearthTensorPlace) place;
      struct row *row;
      struct cell cell = { .tensor = i };

      hearth_tensor_place_init (&place, hearth_tensor_get_name (self->tensors->pdata[i]));
      row = get_free_row (self, by_key, taken, &place, i);
      cell.column = (guint) place.layer; /* until columns are numbered */
      g_array_append_val (row->cells, cell);
      if (g_hash_table_add (columns, GINT_TO_POINTER (place.layer)))
        g_array_append_val (self->layers, place.layer);
    }
  g_array_sort (self->layers, compare_ints);
  for (guint i = 0; i < self->layers->len; i++)
    g_hash_table_insert (columns, GINT_TO_POINTER (g_array_index (self->layers, int, i)),
                         GUINT_TO_POINTER (i));
  g_ptr_array_sort (self->rows, compare_rows);
  g_array_set_size (self->places, self->tensors->len);
  for (guint r = 0; r < self->rows->len; r++)
    {
      struct row *row = self->rows->pdata[r];

      for (guint i = 0; i < row->cells->len; i++)
        {
          struct cell *cell = &g_array_index (row->cells, struct cell, i);

          cell->column =
            GPOINTER_TO_UINT (g_hash_table_lookup (columns, GINT_TO_POINTER ((int) cell->column)));
          g_array_index (self->places, struct spot, cell->tensor) =
            (struct spot) { .row = r, .column = cell->column };
        }
      g_array_sort (row->cells, compare_cells);
    }
}

HearthTensorMap *
hearth_tensor_map_new (GListModel *tensors)
{
  HearthTensorMap *self = g_object_new (HEARTH_TYPE_TENSOR_MAP, NULL);
  guint n = g_list_model_get_n_items (tensors);

  for (guint i = 0; i < n; i++)
    {
      HearthTensor *tensor = g_list_model_get_item (tensors, i);

      g_ptr_array_add (self->tensors, tensor);
      g_hash_table_insert (self->spots, tensor, GUINT_TO_POINTER (i));
    }
  count_types (self);
  build (self);
  return self;
}

/* ---- asking ----------------------------------------------------------------------------- */

guint
hearth_tensor_map_get_n_rows (HearthTensorMap *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP (self), 0);

  return self->rows->len;
}

guint
hearth_tensor_map_get_n_columns (HearthTensorMap *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP (self), 0);

  return self->layers->len;
}

guint
hearth_tensor_map_get_n_tensors (HearthTensorMap *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP (self), 0);

  return self->tensors->len;
}

static struct row *
row_at (HearthTensorMap *self, guint row)
{
  return row < self->rows->len ? self->rows->pdata[row] : NULL;
}

const char *
hearth_tensor_map_get_row_title (HearthTensorMap *self, guint row)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP (self) && row < self->rows->len, NULL);

  return row_at (self, row)->title;
}

const char *
hearth_tensor_map_get_row_key (HearthTensorMap *self, guint row)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP (self) && row < self->rows->len, NULL);

  return row_at (self, row)->key;
}

const char *
hearth_tensor_map_get_row_suffix (HearthTensorMap *self, guint row)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP (self) && row < self->rows->len, NULL);

  return row_at (self, row)->suffix;
}

int
hearth_tensor_map_get_layer (HearthTensorMap *self, guint column)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP (self) && column < self->layers->len, -1);

  return g_array_index (self->layers, int, column);
}

gboolean
hearth_tensor_map_next (HearthTensorMap *self, guint row, guint *column, HearthTensor **tensor)
{
  const struct row *found;
  guint low = 0, high;

  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP (self), FALSE);

  found = row_at (self, row);
  if (found == NULL)
    return FALSE;
  high = found->cells->len;
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (found->cells, struct cell, middle).column < *column)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == found->cells->len)
    return FALSE;
  *column = g_array_index (found->cells, struct cell, low).column;
  *tensor = self->tensors->pdata[g_array_index (found->cells, struct cell, low).tensor];
  return TRUE;
}

HearthTensor *
hearth_tensor_map_get_tensor (HearthTensorMap *self, guint row, guint column)
{
  HearthTensor *tensor = NULL;
  guint at = column;

  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP (self), NULL);

  return hearth_tensor_map_next (self, row, &at, &tensor) && at == column ? tensor : NULL;
}

gboolean
hearth_tensor_map_find (HearthTensorMap *self, HearthTensor *tensor, guint *row, guint *column)
{
  gpointer at;
  struct spot spot;

  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP (self), FALSE);

  if (!g_hash_table_lookup_extended (self->spots, tensor, NULL, &at))
    return FALSE;
  spot = g_array_index (self->places, struct spot, GPOINTER_TO_UINT (at));
  *row = spot.row;
  *column = spot.column;
  return TRUE;
}

guint
hearth_tensor_map_get_n_types (HearthTensorMap *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP (self), 0);

  return self->types->len;
}

const HearthTensorMapType *
hearth_tensor_map_get_type_at (HearthTensorMap *self, guint index)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP (self) && index < self->types->len, NULL);

  return &g_array_index (self->types, HearthTensorMapType, index);
}

guint
hearth_tensor_map_find_type (HearthTensorMap *self, HearthTensor *tensor)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP (self), 0);

  return GPOINTER_TO_UINT (
    g_hash_table_lookup (self->type_indexes, hearth_tensor_get_type_name (tensor)));
}

guint
hearth_tensor_map_get_bits_step (HearthTensor *tensor)
{
  double bits = hearth_tensor_get_bits_per_weight (tensor);
  guint step = 0;

  while (step < G_N_ELEMENTS (bits_limits) && bits > bits_limits[step])
    step++;
  return step;
}

double
hearth_tensor_map_get_bits_limit (guint step)
{
  return step < G_N_ELEMENTS (bits_limits) ? bits_limits[step] : G_MAXDOUBLE;
}
