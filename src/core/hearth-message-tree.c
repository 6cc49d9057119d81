/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-message-tree.h"

struct node
{
  HearthMessage *message; /* NULL in the root, which stands before the first messages */
  struct node *parent;
  GPtrArray *children; /* of struct node; not owned */
  guint chosen;        /* of the children */
};

struct _HearthMessageTree
{
  struct node *root;
  GHashTable *nodes; /* id → struct node, which it owns */
  GPtrArray *path;   /* of HearthMessage */
  guint last_id;
};

static struct node *
node_new (HearthMessage *message, struct node *parent)
{
  struct node *node = g_new0 (struct node, 1);

  node->message = message != NULL ? g_object_ref (message) : NULL;
  node->parent = parent;
  node->children = g_ptr_array_new ();
  return node;
}

static void
node_free (gpointer data)
{
  struct node *node = data;

  g_clear_object (&node->message);
  g_ptr_array_unref (node->children);
  g_free (node);
}

HearthMessageTree *
hearth_message_tree_new (void)
{
  HearthMessageTree *self = g_new0 (HearthMessageTree, 1);

  self->root = node_new (NULL, NULL);
  self->nodes = g_hash_table_new_full (NULL, NULL, NULL, node_free);
  self->path = g_ptr_array_new_with_free_func (g_object_unref);
  return self;
}

void
hearth_message_tree_free (HearthMessageTree *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->path);
  g_hash_table_unref (self->nodes);
  node_free (self->root);
  g_free (self);
}

const GPtrArray *
hearth_message_tree_get_path (HearthMessageTree *self)
{
  return self->path;
}

guint
hearth_message_tree_get_n_messages (HearthMessageTree *self)
{
  return g_hash_table_size (self->nodes);
}

static struct node *
find (HearthMessageTree *self, guint id)
{
  return id != 0 ? g_hash_table_lookup (self->nodes, GUINT_TO_POINTER (id)) : NULL;
}

static guint
depth (struct node *node)
{
  guint n = 0;

  for (; node->parent != NULL; node = node->parent)
    n++;
  return n;
}

static struct node *
chosen_child (struct node *node)
{
  return node->children->len > 0 ? node->children->pdata[node->chosen] : NULL;
}

/* What comes after `node`, whose own place on the path is right. */
static void
follow (HearthMessageTree *self, struct node *node)
{
  g_ptr_array_set_size (self->path, (int) depth (node));
  for (node = chosen_child (node); node != NULL; node = chosen_child (node))
    g_ptr_array_add (self->path, g_object_ref (node->message));
}

static struct node *
insert (HearthMessageTree *self, struct node *parent, HearthMessage *message)
{
  struct node *node;
  guint id = hearth_message_get_id (message);

  if (id == 0)
    {
      id = self->last_id + 1;
      hearth_message_set_id (message, id);
    }
  self->last_id = MAX (self->last_id, id);
  node = node_new (message, parent);
  g_hash_table_insert (self->nodes, GUINT_TO_POINTER (id), node);
  g_ptr_array_add (parent->children, node);
  for (guint i = 0; i < parent->children->len; i++)
    {
      struct node *child = parent->children->pdata[i];

      hearth_message_set_versions (child->message, i, parent->children->len);
    }
  return node;
}

guint
hearth_message_tree_add (HearthMessageTree *self, HearthMessage *parent, HearthMessage *message)
{
  struct node *above = self->root;

  if (parent != NULL)
    above = find (self, hearth_message_get_id (parent));
  g_return_val_if_fail (above != NULL && above->message == parent, self->path->len);
  g_return_val_if_fail (find (self, hearth_message_get_id (message)) == NULL, self->path->len);

  insert (self, above, message);
  above->chosen = above->children->len - 1;
  follow (self, above);
  return depth (above);
}

static void
restore (HearthMessageTree *self, const HearthMessageRecord *record)
{
  struct node *above = find (self, record->parent);
  g_autoptr (HearthMessage) message = NULL;

  /* Stored by somebody else: nothing is taken for granted. */
  if (record->id == 0 || record->id == G_MAXUINT || find (self, record->id) != NULL)
    return;
  if (above == NULL)
    above = self->root;
  message = hearth_message_new_from_record (record);
  insert (self, above, message);
  if (record->chosen)
    above->chosen = above->children->len - 1;
}

void
hearth_message_tree_restore (HearthMessageTree *self, const HearthMessageRecord *records,
                             guint n_records)
{
  g_return_if_fail (hearth_message_tree_get_n_messages (self) == 0);

  for (guint i = 0; i < n_records; i++)
    restore (self, &records[i]);
  follow (self, self->root);
}

guint
hearth_message_tree_choose (HearthMessageTree *self, HearthMessage *message, guint version)
{
  struct node *node = find (self, hearth_message_get_id (message));

  g_return_val_if_fail (node != NULL && node->message == message, self->path->len);
  g_return_val_if_fail (version < node->parent->children->len, self->path->len);

  node->parent->chosen = version;
  follow (self, node->parent);
  return depth (node->parent);
}

HearthMessage *
hearth_message_tree_get_parent (HearthMessageTree *self, HearthMessage *message)
{
  struct node *node = find (self, hearth_message_get_id (message));

  g_return_val_if_fail (node != NULL && node->message == message, NULL);

  return node->parent->message;
}

HearthMessage *
hearth_message_tree_get_version (HearthMessageTree *self, HearthMessage *message, guint version)
{
  struct node *node = find (self, hearth_message_get_id (message));

  g_return_val_if_fail (node != NULL && node->message == message, NULL);

  if (version >= node->parent->children->len)
    return NULL;
  return ((struct node *) node->parent->children->pdata[version])->message;
}

gboolean
hearth_message_tree_is_chosen (HearthMessageTree *self, HearthMessage *message)
{
  struct node *node = find (self, hearth_message_get_id (message));

  g_return_val_if_fail (node != NULL && node->message == message, FALSE);

  return chosen_child (node->parent) == node;
}
