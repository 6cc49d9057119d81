/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-token-list.h"

#include <string.h>

#include <ember/tokenizer.h>

#include "hearth-token-export.h"
#include "hearth-weak.h"

/* ---- one token -------------------------------------------------------------------------- */

struct _HearthToken
{
  GObject parent_instance;

  HearthTokenizer *tokenizer;
  int id;
};

G_DEFINE_FINAL_TYPE (HearthToken, hearth_token, G_TYPE_OBJECT)

static void
hearth_token_finalize (GObject *object)
{
  hearth_tokenizer_unref (HEARTH_TOKEN (object)->tokenizer);
  G_OBJECT_CLASS (hearth_token_parent_class)->finalize (object);
}

static void
hearth_token_class_init (HearthTokenClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hearth_token_finalize;
}

static void
hearth_token_init (HearthToken *self)
{
}

int
hearth_token_get_id (HearthToken *self)
{
  g_return_val_if_fail (HEARTH_IS_TOKEN (self), -1);

  return self->id;
}

HearthTokenizer *
hearth_token_get_tokenizer (HearthToken *self)
{
  g_return_val_if_fail (HEARTH_IS_TOKEN (self), NULL);

  return self->tokenizer;
}

/* ---- the list --------------------------------------------------------------------------- */

struct _HearthTokenList
{
  GObject parent_instance;

  HearthTokenizer *tokenizer;
  GArray *ids; /* gint32, those listed; never changed once made. NULL: all */
  guint counts[HEARTH_TOKEN_N_KINDS];
  guint generation; /* of the tokenizer */

  char *text;
  HearthTokenQuery query;
  gboolean stale; /* the query has changed while a search was made */
  GCancellable *searching;
};

enum
{
  PROP_0,
  PROP_BUSY,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void begin_search (HearthTokenList *self);

static GType
get_item_type (GListModel *model)
{
  return HEARTH_TYPE_TOKEN;
}

static guint
get_n_items (GListModel *model)
{
  HearthTokenList *self = HEARTH_TOKEN_LIST (model);

  if (self->ids != NULL)
    return self->ids->len;
  return self->tokenizer != NULL ? hearth_tokenizer_get_n_tokens (self->tokenizer) : 0;
}

static gpointer
get_item (GListModel *model, guint position)
{
  HearthTokenList *self = HEARTH_TOKEN_LIST (model);
  HearthToken *token;

  if (position >= get_n_items (model))
    return NULL;
  token = g_object_new (HEARTH_TYPE_TOKEN, NULL);
  token->tokenizer = hearth_tokenizer_ref (self->tokenizer);
  token->id = self->ids != NULL ? g_array_index (self->ids, gint32, position) : (int) position;
  return token;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthTokenList, hearth_token_list, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

/* ---- the searching thread --------------------------------------------------------------- */

struct search
{
  HearthTokenizer *tokenizer;
  guint generation;
  char *text;
  HearthTokenQuery query;
};

static void
search_free (gpointer data)
{
  struct search *search = data;

  hearth_tokenizer_unref (search->tokenizer);
  g_free (search->text);
  g_free (search);
}

/* Whether bytes hold the wanted ones; capital letters count if `exact`. */
static gboolean
holds (const char *bytes, gsize n, const char *wanted, gsize n_wanted, gboolean exact)
{
  for (gsize i = 0; i + n_wanted <= n; i++)
    {
      if (exact ? memcmp (bytes + i, wanted, n_wanted) == 0
                : g_ascii_strncasecmp (bytes + i, wanted, n_wanted) == 0)
        return TRUE;
    }
  return FALSE;
}

static gboolean
matches (const struct ember_tokenizer *t, int id, const char *wanted, gsize n_wanted,
         gboolean exact, gint64 number)
{
  struct ember_text stored = ember_tokenizer_piece (t, id);
  char bytes[256];
  gsize n;

  if (id == number || holds (stored.data, stored.size, wanted, n_wanted, exact))
    return TRUE;
  n = ember_detokenize_one (t, id, true, bytes, sizeof bytes);
  return holds (bytes, MIN (n, sizeof bytes), wanted, n_wanted, exact);
}

static gboolean
has_capitals (const char *text)
{
  for (; *text != '\0'; text++)
    {
      if (g_ascii_isupper (*text))
        return TRUE;
    }
  return FALSE;
}

/* The token's number if that is all that is asked for, or -1. */
static gint64
number_of (const char *text)
{
  guint64 number;

  return g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT32, &number, NULL) ? (gint64) number : -1;
}

static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const struct search *search = data;
  const struct ember_tokenizer *t = hearth_tokenizer_get (search->tokenizer);
  gint32 x = *(const gint32 *) a;
  gint32 y = *(const gint32 *) b;
  int order = 0;

  if (search->query.order == HEARTH_TOKEN_ORDER_PIECE)
    {
      struct ember_text m = ember_tokenizer_piece (t, x);
      struct ember_text n = ember_tokenizer_piece (t, y);
      gsize size = MIN (m.size, n.size);

      order = size > 0 ? memcmp (m.data, n.data, size) : 0;
      if (order == 0)
        order = m.size < n.size ? -1 : m.size > n.size;
    }
  else if (search->query.order == HEARTH_TOKEN_ORDER_KIND)
    order = (int) ember_tokenizer_kind (t, x) - (int) ember_tokenizer_kind (t, y);
  else if (search->query.order == HEARTH_TOKEN_ORDER_SCORE)
    {
      float m = 0, n = 0;

      ember_tokenizer_score (t, x, &m);
      ember_tokenizer_score (t, y, &n);
      order = m < n ? -1 : m > n;
    }
  if (order == 0)
    order = x < y ? -1 : x > y;
  return search->query.descending ? -order : order;
}

static void
search_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  struct search *search = task_data;
  const struct ember_tokenizer *t = hearth_tokenizer_get (search->tokenizer);
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  gsize n_wanted = search->text != NULL ? strlen (search->text) : 0;
  gboolean exact = n_wanted > 0 && has_capitals (search->text);
  gint64 number = n_wanted > 0 ? number_of (search->text) : -1;
  gint32 n = (gint32) ember_tokenizer_n_tokens (t);

  for (gint32 id = 0; id < n; id++)
    {
      if (id % 4096 == 0 && g_cancellable_is_cancelled (cancellable))
        break;
      if ((search->query.kind < 0 || (int) ember_tokenizer_kind (t, id) == search->query.kind) &&
          (n_wanted == 0 || matches (t, id, search->text, n_wanted, exact, number)))
        g_array_append_val (ids, id);
    }
  if ((search->query.order != HEARTH_TOKEN_ORDER_ID || search->query.descending) &&
      !g_cancellable_is_cancelled (cancellable))
    g_sort_array (ids->data, ids->len, sizeof (gint32), compare, search);
  g_task_return_pointer (task, ids, (GDestroyNotify) g_array_unref);
}

/* ---- the main thread -------------------------------------------------------------------- */

static void
searched_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthTokenList) self = hearth_weak_take (user_data);
  struct search *search = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  GArray *ids = g_task_propagate_pointer (G_TASK (result), &error);
  guint before;

  if (self == NULL)
    {
      g_clear_pointer (&ids, g_array_unref);
      return;
    }
  g_clear_object (&self->searching);
  if (self->stale || ids == NULL || search->generation != self->generation)
    {
      g_clear_pointer (&ids, g_array_unref);
      if (self->tokenizer != NULL)
        begin_search (self);
      else
        g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
      return;
    }
  before = get_n_items (G_LIST_MODEL (self));
  g_clear_pointer (&self->ids, g_array_unref);
  self->ids = ids;
  g_list_model_items_changed (G_LIST_MODEL (self), 0, before, ids->len);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
}

static void
begin_search (HearthTokenList *self)
{
  g_autoptr (GTask) task = NULL;
  struct search *search;

  if (self->searching != NULL)
    {
      self->stale = TRUE;
      g_cancellable_cancel (self->searching);
      return;
    }
  self->stale = FALSE;
  self->searching = g_cancellable_new ();
  search = g_new0 (struct search, 1);
  search->tokenizer = hearth_tokenizer_ref (self->tokenizer);
  search->generation = self->generation;
  search->text = g_strdup (self->text);
  search->query = self->query;
  task = g_task_new (NULL, self->searching, searched_cb, hearth_weak_new (self));
  g_task_set_source_tag (task, begin_search);
  g_task_set_task_data (task, search, search_free);
  g_task_run_in_thread (task, search_in_thread);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
}

static void
hearth_token_list_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_BUSY)
    g_value_set_boolean (value, hearth_token_list_get_busy (HEARTH_TOKEN_LIST (object)));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_token_list_finalize (GObject *object)
{
  HearthTokenList *self = HEARTH_TOKEN_LIST (object);

  if (self->searching != NULL)
    g_cancellable_cancel (self->searching);
  g_clear_object (&self->searching);
  g_clear_pointer (&self->tokenizer, hearth_tokenizer_unref);
  g_clear_pointer (&self->ids, g_array_unref);
  g_free (self->text);
  G_OBJECT_CLASS (hearth_token_list_parent_class)->finalize (object);
}

static void
hearth_token_list_class_init (HearthTokenListClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = hearth_token_list_get_property;
  object_class->finalize = hearth_token_list_finalize;
  properties[PROP_BUSY] = g_param_spec_boolean (
    "busy", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
hearth_token_list_init (HearthTokenList *self)
{
  self->query.kind = -1;
}

HearthTokenList *
hearth_token_list_new (void)
{
  return g_object_new (HEARTH_TYPE_TOKEN_LIST, NULL);
}

void
hearth_token_list_set_tokenizer (HearthTokenList *self, HearthTokenizer *tokenizer)
{
  guint before;

  g_return_if_fail (HEARTH_IS_TOKEN_LIST (self));

  if (self->tokenizer == tokenizer)
    return;
  before = get_n_items (G_LIST_MODEL (self));
  self->generation++;
  if (self->searching != NULL)
    g_cancellable_cancel (self->searching);
  g_clear_pointer (&self->ids, g_array_unref);
  g_clear_pointer (&self->tokenizer, hearth_tokenizer_unref);
  g_clear_pointer (&self->text, g_free);
  self->query = (HearthTokenQuery) { .kind = -1 };
  memset (self->counts, 0, sizeof self->counts);
  if (tokenizer != NULL)
    {
      self->tokenizer = hearth_tokenizer_ref (tokenizer);
      for (guint id = 0; id < hearth_tokenizer_get_n_tokens (tokenizer); id++)
        {
          HearthTokenKind kind = hearth_tokenizer_get_kind (tokenizer, (int) id);

          if ((guint) kind < HEARTH_TOKEN_N_KINDS)
            self->counts[kind]++;
        }
    }
  g_list_model_items_changed (G_LIST_MODEL (self), 0, before, get_n_items (G_LIST_MODEL (self)));
}

HearthTokenizer *
hearth_token_list_get_tokenizer (HearthTokenList *self)
{
  g_return_val_if_fail (HEARTH_IS_TOKEN_LIST (self), NULL);

  return self->tokenizer;
}

void
hearth_token_list_query (HearthTokenList *self, const HearthTokenQuery *query)
{
  const char *text = query->text != NULL && *query->text != '\0' ? query->text : NULL;

  g_return_if_fail (HEARTH_IS_TOKEN_LIST (self));

  if (g_strcmp0 (text, self->text) == 0 && query->kind == self->query.kind &&
      query->order == self->query.order && query->descending == self->query.descending)
    return;
  g_set_str (&self->text, text);
  self->query = *query;
  self->query.text = NULL;
  if (self->tokenizer != NULL)
    begin_search (self);
}

gboolean
hearth_token_list_get_busy (HearthTokenList *self)
{
  g_return_val_if_fail (HEARTH_IS_TOKEN_LIST (self), FALSE);

  return self->searching != NULL;
}

const guint *
hearth_token_list_get_counts (HearthTokenList *self)
{
  g_return_val_if_fail (HEARTH_IS_TOKEN_LIST (self), NULL);

  return self->counts;
}

void
hearth_token_list_export_async (HearthTokenList *self, HearthTableFormat format,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  g_return_if_fail (HEARTH_IS_TOKEN_LIST (self) && self->tokenizer != NULL);

  hearth_token_export_async (self->tokenizer, self->ids, format, cancellable, callback, user_data);
}

GBytes *
hearth_token_list_export_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
