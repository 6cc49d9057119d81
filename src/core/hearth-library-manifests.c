/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Ollama and Jan write down about their models. */
#include "hearth-library-walk.h"

#include <string.h>

#include <json-glib/json-glib.h>

/* Layers of one manifest: a model and a few things that go with it. */
#define MAX_LAYERS 64
#define MAX_MANIFESTS 20000

/* ---- Ollama ----------------------------------------------------------------------------- */

static const char *
get_string (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && json_node_get_value_type (node) == G_TYPE_STRING
           ? json_node_get_string (node)
           : NULL;
}

/* "sha256:ab…" is the file sha256-ab…; anything else could lead out of the folder. */
static char *
dup_blob (const char *root, const char *digest)
{
  const char *hash;
  g_autofree char *name = NULL;

  if (digest == NULL || !g_str_has_prefix (digest, "sha256:"))
    return NULL;
  hash = digest + strlen ("sha256:");
  if (strlen (hash) != 64 || strspn (hash, "0123456789abcdefABCDEF") != 64)
    return NULL;
  name = g_strconcat ("sha256-", hash, NULL);
  return g_build_filename (root, "blobs", name, NULL);
}

static const struct
{
  const char *media_type;
  HearthModelRole role;
} layers[] = {
  { "application/vnd.ollama.image.model", HEARTH_MODEL_ROLE_MODEL },
  { "application/vnd.ollama.image.projector", HEARTH_MODEL_ROLE_PROJECTOR },
  { "application/vnd.ollama.image.adapter", HEARTH_MODEL_ROLE_ADAPTER },
  { "application/vnd.ollama.image.draft", HEARTH_MODEL_ROLE_DRAFT },
};

static void
tell_blob (struct library_walk *self, const char *root, const char *path, HearthModelRole role,
           const char *label, const char *parent)
{
  g_autoptr (HearthFoundModel) found = g_new0 (HearthFoundModel, 1);
  g_autofree char *key = g_strdup_printf ("%d %s", HEARTH_PROGRAM_OLLAMA, path);

  if (g_hash_table_contains (self->told, key) || !hearth_model_facts_read (path, &found->facts))
    return;
  g_hash_table_add (self->told, g_steal_pointer (&key));
  found->facts.role = role;
  found->place.program = HEARTH_PROGRAM_OLLAMA;
  found->place.path = g_strdup (path);
  found->place.folder = g_strdup (root);
  found->place.label = g_strdup (label);
  found->parent = g_strdup (parent);
  self->tell (self, g_steal_pointer (&found));
}

static void
read_manifest (struct library_walk *self, const char *root, const char *path, const char *label)
{
  g_autofree char *text = hearth_model_programs_read_text (path);
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *top;
  JsonNode *list;
  JsonArray *array;
  g_autofree char *model = NULL;

  if (text == NULL || !json_parser_load_from_data (parser, text, -1, NULL))
    return;
  top = json_parser_get_root (parser);
  if (top == NULL || !JSON_NODE_HOLDS_OBJECT (top))
    return;
  list = json_object_get_member (json_node_get_object (top), "layers");
  if (list == NULL || !JSON_NODE_HOLDS_ARRAY (list))
    return;
  array = json_node_get_array (list);
  /* The model first: the others go with it. */
  for (gsize kind = 0; kind < G_N_ELEMENTS (layers); kind++)
    {
      for (guint i = 0; i < MIN (json_array_get_length (array), MAX_LAYERS); i++)
        {
          JsonNode *node = json_array_get_element (array, i);
          JsonObject *layer = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
          g_autofree char *blob = NULL;

          if (layer == NULL ||
              g_strcmp0 (get_string (layer, "mediaType"), layers[kind].media_type) != 0)
            continue;
          blob = dup_blob (root, get_string (layer, "digest"));
          if (blob == NULL)
            continue;
          tell_blob (self, root, blob, layers[kind].role, label, kind == 0 ? NULL : model);
          if (kind == 0 && model == NULL)
            model = g_steal_pointer (&blob);
        }
    }
}

/* manifests/HOST/NAMESPACE/MODEL/TAG; what Ollama's own tool leaves out of a name is left out. */
static void
walk_manifests (struct library_walk *self, const char *root, const char *folder,
                const char *const *names, guint depth)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  if (dir != NULL)
    g_ptr_array_add (self->folders, g_strdup (folder));
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL &&
         self->folders->len < MAX_MANIFESTS && !g_cancellable_is_cancelled (self->cancellable))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      const char *here[4] = { NULL };

      for (guint i = 0; i < depth; i++)
        here[i] = names[i];
      here[depth] = name;
      if (depth < 3)
        {
          if (g_file_test (path, G_FILE_TEST_IS_DIR))
            walk_manifests (self, root, path, here, depth + 1);
        }
      else if (*name != '.')
        {
          gboolean own_host = g_str_equal (here[0], "registry.ollama.ai");
          gboolean own_space = own_host && g_str_equal (here[1], "library");
          g_autofree char *label =
            g_strdup_printf ("%s%s%s%s%s:%s", own_host ? "" : here[0], own_host ? "" : "/",
                             own_space ? "" : here[1], own_space ? "" : "/", here[2], here[3]);
          g_autofree char *valid = g_utf8_make_valid (label, -1);

          read_manifest (self, root, path, valid);
        }
    }
}

void
_hearth_library_read_ollama (struct library_walk *self, const char *root)
{
  g_autofree char *manifests = g_build_filename (root, "manifests", NULL);

  walk_manifests (self, root, manifests, NULL, 0);
}

/* ---- Jan -------------------------------------------------------------------------------- */

/* The value of a top-level key of a file that is written by a program, one key a line. */
static char *
dup_yaml_value (char **lines, const char *key)
{
  gsize length = strlen (key);

  for (char **line = lines; *line != NULL; line++)
    {
      char *value;
      gsize size;

      if (strncmp (*line, key, length) != 0 || (*line)[length] != ':')
        continue;
      value = g_strstrip (g_strdup (*line + length + 1));
      size = strlen (value);
      if (size >= 2 && (*value == '"' || *value == '\'') && value[size - 1] == *value)
        {
          value[size - 1] = '\0';
          memmove (value, value + 1, size - 1);
        }
      if (*value != '\0')
        return value;
      g_free (value);
    }
  return NULL;
}

static char *
dup_jan_path (struct library_walk *self, const char *value)
{
  g_autofree char *folder = NULL;

  if (value == NULL || g_path_is_absolute (value))
    return g_strdup (value);
  folder = hearth_model_programs_dup_jan_folder (self->environment);
  return g_canonicalize_filename (value, folder);
}

void
_hearth_library_read_jan (struct library_walk *self, const char *root, const char *path)
{
  g_autofree char *text = hearth_model_programs_read_text (path);
  g_auto (GStrv) lines = text != NULL ? g_strsplit_set (text, "\r\n", -1) : NULL;
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *value = NULL;
  g_autofree char *model = NULL;
  g_autofree char *projector_value = NULL;
  g_autofree char *projector = NULL;
  g_autofree char *label = NULL;

  if (lines == NULL)
    return;
  value = dup_yaml_value (lines, "model_path");
  model = dup_jan_path (self, value);
  projector_value = dup_yaml_value (lines, "mmproj_path");
  projector = dup_jan_path (self, projector_value);
  /* Jan's own name for it is where its model.yml lies. */
  if (g_str_has_prefix (folder, root) && folder[strlen (root)] == '/')
    label = g_filename_display_name (folder + strlen (root) + 1);
  if (model != NULL)
    _hearth_library_walk_file (self, HEARTH_PROGRAM_JAN, model, root, label, NULL);
  if (projector != NULL)
    _hearth_library_walk_file (self, HEARTH_PROGRAM_JAN, projector, root, label, model);
}
