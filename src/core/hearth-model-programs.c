/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-programs.h"

#include <string.h>

#include <gio/gio.h>
#include <json-glib/json-glib.h>

/* Settings and manifests are some kilobytes; what is larger is something else. */
#define MAX_TEXT_BYTES (1 << 20)

static const char *const names[] = {
  [HEARTH_PROGRAM_FOLDER] = "",
  [HEARTH_PROGRAM_OPENED] = "",
  [HEARTH_PROGRAM_HUGGING_FACE] = "Hugging Face",
  [HEARTH_PROGRAM_LM_STUDIO] = "LM Studio",
  [HEARTH_PROGRAM_OLLAMA] = "Ollama",
  [HEARTH_PROGRAM_LLAMA_CPP] = "llama.cpp",
  [HEARTH_PROGRAM_JAN] = "Jan",
  [HEARTH_PROGRAM_GPT4ALL] = "GPT4All",
};

G_STATIC_ASSERT (G_N_ELEMENTS (names) == HEARTH_N_PROGRAMS);

const char *
hearth_program_get_name (HearthProgram program)
{
  return (guint) program < HEARTH_N_PROGRAMS ? names[program] : "";
}

HearthModelRoot *
hearth_model_root_new (HearthProgram program, const char *path)
{
  HearthModelRoot *root = g_new0 (HearthModelRoot, 1);

  root->program = program;
  root->path = g_canonicalize_filename (path, "/");
  return root;
}

void
hearth_model_root_free (HearthModelRoot *root)
{
  if (root == NULL)
    return;
  g_free (root->path);
  g_free (root);
}

char *
hearth_model_programs_read_text (const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) stream = NULL;
  g_autofree char *text = NULL;
  gsize size = 0;

  /* A pipe that somebody has put there would be waited for. */
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return NULL;
  stream = g_file_read (file, NULL, NULL);
  if (stream == NULL)
    return NULL;
  text = g_malloc (MAX_TEXT_BYTES + 1);
  if (!g_input_stream_read_all (G_INPUT_STREAM (stream), text, MAX_TEXT_BYTES, &size, NULL, NULL) ||
      size == MAX_TEXT_BYTES)
    return NULL;
  text[size] = '\0';
  return g_utf8_make_valid (text, (gssize) size);
}

char *
hearth_model_programs_read_member (const char *path, const char *name)
{
  g_autofree char *text = hearth_model_programs_read_text (path);
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *root;
  JsonNode *member;

  if (text == NULL || !json_parser_load_from_data (parser, text, -1, NULL))
    return NULL;
  root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    return NULL;
  member = json_object_get_member (json_node_get_object (root), name);
  if (member == NULL || json_node_get_value_type (member) != G_TYPE_STRING)
    return NULL;
  return json_node_dup_string (member);
}

/* ---- the environment -------------------------------------------------------------------- */

/* NULL when it is not set, or set to nothing. */
static const char *
get (char **environment, const char *name)
{
  const char *value = g_environ_getenv (environment, name);

  return value != NULL && *value != '\0' ? value : NULL;
}

static const char *
get_home (char **environment)
{
  const char *home = get (environment, "HOME");

  return home != NULL ? home : g_get_home_dir ();
}

/* "~" as a settings file may have it. */
static char *
expand (char **environment, const char *path)
{
  if (path[0] == '~' && (path[1] == '/' || path[1] == '\0'))
    return g_build_filename (get_home (environment), path + 1, NULL);
  return g_strdup (path);
}

/* In a sandbox XDG_CACHE_HOME is the sandbox's own; other programs use the host's. */
static char *
dup_base (char **environment, const char *host, const char *variable, const char *fallback)
{
  const char *value = get (environment, host);

  if (value == NULL && get (environment, "FLATPAK_ID") == NULL)
    value = get (environment, variable);
  if (value != NULL && g_path_is_absolute (value))
    return g_strdup (value);
  return g_build_filename (get_home (environment), fallback, NULL);
}

static char *
dup_cache (char **environment)
{
  return dup_base (environment, "HOST_XDG_CACHE_HOME", "XDG_CACHE_HOME", ".cache");
}

static char *
dup_data (char **environment)
{
  return dup_base (environment, "HOST_XDG_DATA_HOME", "XDG_DATA_HOME", ".local/share");
}

static char *
dup_config (char **environment)
{
  return dup_base (environment, "HOST_XDG_CONFIG_HOME", "XDG_CONFIG_HOME", ".config");
}

/* ---- one program each ------------------------------------------------------------------- */

static char *
dup_hub (char **environment)
{
  g_autofree char *cache = NULL;
  const char *set = get (environment, "HF_HUB_CACHE");

  if (set == NULL)
    set = get (environment, "HUGGINGFACE_HUB_CACHE");
  if (set != NULL)
    return expand (environment, set);
  set = get (environment, "HF_HOME");
  if (set != NULL)
    {
      g_autofree char *home = expand (environment, set);

      return g_build_filename (home, "hub", NULL);
    }
  cache = dup_cache (environment);
  return g_build_filename (cache, "huggingface", "hub", NULL);
}

static char *
dup_lm_studio (char **environment)
{
  const char *user = get_home (environment);
  g_autofree char *pointer = g_build_filename (user, ".lmstudio-home-pointer", NULL);
  g_autofree char *home = hearth_model_programs_read_text (pointer);
  g_autofree char *settings = NULL;
  g_autofree char *folder = NULL;

  if (home != NULL)
    g_strstrip (home);
  if (home == NULL || !g_path_is_absolute (home))
    {
      g_free (home);
      home = g_build_filename (user, ".cache", "lm-studio", NULL);
      if (!g_file_test (home, G_FILE_TEST_IS_DIR))
        {
          g_free (home);
          home = g_build_filename (user, ".lmstudio", NULL);
        }
    }
  settings = g_build_filename (home, "settings.json", NULL);
  folder = hearth_model_programs_read_member (settings, "downloadsFolder");
  if (folder != NULL && *folder != '\0')
    return expand (environment, folder);
  return g_build_filename (home, "models", NULL);
}

static char *
dup_ollama (char **environment)
{
  const char *set = get (environment, "OLLAMA_MODELS");

  if (set != NULL)
    return expand (environment, set);
  return g_build_filename (get_home (environment), ".ollama", "models", NULL);
}

static char *
dup_llama_cpp (char **environment)
{
  const char *set = get (environment, "LLAMA_CACHE");
  g_autofree char *cache = NULL;

  if (set != NULL)
    return expand (environment, set);
  cache = dup_cache (environment);
  return g_build_filename (cache, "llama.cpp", NULL);
}

char *
hearth_model_programs_dup_jan_folder (char **environment)
{
  const char *set = get (environment, "JAN_DATA_FOLDER");
  g_autofree char *data = NULL;
  g_autofree char *settings = NULL;
  g_autofree char *folder = NULL;

  if (set != NULL)
    return expand (environment, set);
  data = dup_data (environment);
  settings = g_build_filename (data, "Jan", "settings.json", NULL);
  folder = hearth_model_programs_read_member (settings, "data_folder");
  if (folder != NULL && *folder != '\0')
    return expand (environment, folder);
  return g_build_filename (data, "Jan", "data", NULL);
}

static char *
dup_gpt4all (char **environment)
{
  g_autofree char *config = dup_config (environment);
  g_autofree char *path = g_build_filename (config, "nomic.ai", "GPT4All.ini", NULL);
  g_autofree char *text = hearth_model_programs_read_text (path);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *data = NULL;

  if (text != NULL && g_key_file_load_from_data (file, text, (gsize) -1, G_KEY_FILE_NONE, NULL))
    {
      g_autofree char *raw = g_key_file_get_value (file, "General", "modelPath", NULL);
      g_autofree char *value = raw != NULL ? g_strcompress (raw) : NULL;
      gsize length = value != NULL ? strlen (value) : 0;

      /* Quoted where it has a comma or a semicolon. */
      if (length >= 2 && value[0] == '"' && value[length - 1] == '"')
        {
          value[length - 1] = '\0';
          memmove (value, value + 1, length - 1);
        }
      if (value != NULL && g_path_is_absolute (value))
        return g_steal_pointer (&value);
    }
  data = dup_data (environment);
  return g_build_filename (data, "nomic.ai", "GPT4All", NULL);
}

static void
add (GPtrArray *roots, HearthProgram program, char *path)
{
  g_autofree char *owned = path;

  if (g_path_is_absolute (owned))
    g_ptr_array_add (roots, hearth_model_root_new (program, owned));
}

GPtrArray *
hearth_model_programs_list_roots (char **environment)
{
  GPtrArray *roots = g_ptr_array_new_with_free_func ((GDestroyNotify) hearth_model_root_free);
  g_autofree char *jan = hearth_model_programs_dup_jan_folder (environment);

  add (roots, HEARTH_PROGRAM_HUGGING_FACE, dup_hub (environment));
  add (roots, HEARTH_PROGRAM_LM_STUDIO, dup_lm_studio (environment));
  add (roots, HEARTH_PROGRAM_OLLAMA, dup_ollama (environment));
  add (roots, HEARTH_PROGRAM_LLAMA_CPP, dup_llama_cpp (environment));
  add (roots, HEARTH_PROGRAM_JAN, g_build_filename (jan, "llamacpp", "models", NULL));
  add (roots, HEARTH_PROGRAM_JAN, g_build_filename (jan, "models", NULL));
  add (roots, HEARTH_PROGRAM_GPT4ALL, dup_gpt4all (environment));
  return roots;
}
