/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stores of other programs, laid out as they do it. */
#define _DEFAULT_SOURCE /* realpath, symlink, link */
#include "library-test.h"

#include <unistd.h>

static char *home;
static GStrv environment;
static HearthSettings *settings;

#define HASH_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HASH_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define HASH_C "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

static void
setup (void)
{
  home = library_test_home ();
  environment = g_environ_setenv (NULL, "HOME", home, TRUE);
  settings = library_test_settings ();
}

static void
set (const char *name, const char *below)
{
  g_autofree char *path = g_build_filename (home, below, NULL);

  environment = g_environ_setenv (environment, name, path, TRUE);
}

static HearthLibrary *
begin (void)
{
  HearthLibrary *library = hearth_library_new_for_environment (settings, environment);

  core_test_wait (library_test_all_read (library));
  return library;
}

static void
teardown (void)
{
  core_test_remove (home);
  g_clear_pointer (&home, free);
  g_clear_pointer (&environment, g_strfreev);
  g_clear_object (&settings);
}

static void
link_to (const char *target, const char *below, gboolean hard)
{
  g_autofree char *path = g_build_filename (home, below, NULL);
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_cmpint (hard ? link (target, path) : symlink (target, path), ==, 0);
}

static void
write_text (const char *below, const char *text)
{
  g_autofree char *path = g_build_filename (home, below, NULL);

  library_test_write_text (path, text, -1);
}

/* Exactly one file of this title, in this program's store alone. */
static HearthModelFile *
check_one (HearthLibrary *library, const char *title, const char *stores)
{
  HearthModelFile *file = library_test_find (library, title);

  g_assert_nonnull (file);
  g_assert_cmpstr (hearth_model_file_get_stores (file), ==, stores);
  g_assert_null (hearth_model_file_get_own_place (file));
  return file;
}

/* ---- where they are --------------------------------------------------------------------- */

static char *
dup_root (HearthProgram program)
{
  g_autoptr (GPtrArray) roots = hearth_model_programs_list_roots (environment);

  for (guint i = 0; i < roots->len; i++)
    {
      const HearthModelRoot *root = roots->pdata[i];

      if (root->program == program)
        return g_strdup (g_str_has_prefix (root->path, home) ? root->path + strlen (home)
                                                             : root->path);
    }
  return NULL;
}

#define check_root(PROGRAM, PATH)                                                                  \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_autofree char *root = dup_root (PROGRAM);                                                    \
    g_assert_cmpstr (root, ==, PATH);                                                              \
  }                                                                                                \
  G_STMT_END

static void
test_roots (void)
{
  setup ();
  check_root (HEARTH_PROGRAM_HUGGING_FACE, "/.cache/huggingface/hub");
  check_root (HEARTH_PROGRAM_LM_STUDIO, "/.lmstudio/models");
  check_root (HEARTH_PROGRAM_OLLAMA, "/.ollama/models");
  check_root (HEARTH_PROGRAM_LLAMA_CPP, "/.cache/llama.cpp");
  check_root (HEARTH_PROGRAM_JAN, "/.local/share/Jan/data/llamacpp/models");
  check_root (HEARTH_PROGRAM_GPT4ALL, "/.local/share/nomic.ai/GPT4All");

  /* The variables that move them, the weaker first. */
  set ("XDG_CACHE_HOME", "cache");
  set ("XDG_DATA_HOME", "data");
  check_root (HEARTH_PROGRAM_HUGGING_FACE, "/cache/huggingface/hub");
  check_root (HEARTH_PROGRAM_LLAMA_CPP, "/cache/llama.cpp");
  check_root (HEARTH_PROGRAM_JAN, "/data/Jan/data/llamacpp/models");
  check_root (HEARTH_PROGRAM_GPT4ALL, "/data/nomic.ai/GPT4All");
  set ("HF_HOME", "hf");
  check_root (HEARTH_PROGRAM_HUGGING_FACE, "/hf/hub");
  set ("HUGGINGFACE_HUB_CACHE", "old-hub");
  check_root (HEARTH_PROGRAM_HUGGING_FACE, "/old-hub");
  set ("HF_HUB_CACHE", "new-hub");
  check_root (HEARTH_PROGRAM_HUGGING_FACE, "/new-hub");
  set ("OLLAMA_MODELS", "llamas");
  check_root (HEARTH_PROGRAM_OLLAMA, "/llamas");
  set ("LLAMA_CACHE", "llama-cache");
  check_root (HEARTH_PROGRAM_LLAMA_CPP, "/llama-cache");
  set ("JAN_DATA_FOLDER", "jan");
  check_root (HEARTH_PROGRAM_JAN, "/jan/llamacpp/models");

  /* The settings files that name others. */
  write_text (".lmstudio/settings.json", "{\"downloadsFolder\": \"~/big disk\", \"x\": [1]}");
  check_root (HEARTH_PROGRAM_LM_STUDIO, "/big disk");
  write_text (".cache/lm-studio/settings.json", "{\"downloadsFolder\": 7}");
  check_root (HEARTH_PROGRAM_LM_STUDIO, "/.cache/lm-studio/models");
  {
    g_autofree char *pointed = g_strdup_printf ("%s/lms\n", home);

    write_text (".lmstudio-home-pointer", pointed);
  }
  check_root (HEARTH_PROGRAM_LM_STUDIO, "/lms/models");
  write_text (".config/nomic.ai/GPT4All.ini", "[General]\nmodelPath=/srv/gpt4all\n");
  check_root (HEARTH_PROGRAM_GPT4ALL, "/srv/gpt4all");
  environment = g_environ_unsetenv (environment, "JAN_DATA_FOLDER");
  write_text ("data/Jan/settings.json", "{\"data_folder\": \"/srv/jan\"}");
  check_root (HEARTH_PROGRAM_JAN, "/srv/jan/llamacpp/models");
  /* Not JSON: as if it was not there. */
  write_text ("data/Jan/settings.json", "{\"data_folder\": ");
  check_root (HEARTH_PROGRAM_JAN, "/data/Jan/data/llamacpp/models");
  teardown ();
}

/* ---- one program each ------------------------------------------------------------------- */

static void
test_hub (void)
{
  g_autofree char *blob = NULL;
  g_autofree char *part = NULL;
  g_autoptr (HearthLibrary) library = NULL;
  HearthModelFile *file;

  setup ();
#define REPOSITORY ".cache/huggingface/hub/models--acme-labs--otter-7b-GGUF"
  blob = library_test_write (home, REPOSITORY "/blobs/" HASH_A, "Otter", NULL);
  part = library_test_write (home, REPOSITORY "/blobs/" HASH_B ".incomplete", "Part", NULL);
  link_to ("../../../blobs/" HASH_A, REPOSITORY "/snapshots/1234/Q8_0/otter-Q8_0.gguf", FALSE);
  link_to ("../../blobs/" HASH_A, REPOSITORY "/snapshots/5678/otter-Q8_0.gguf", FALSE);
  link_to ("../../blobs/" HASH_C, REPOSITORY "/snapshots/5678/nowhere.gguf", FALSE);
  /* Without links real files lie in the snapshots. */
  g_free (library_test_write (home, ".cache/huggingface/hub/models--b--c/snapshots/1/heron.gguf",
                              "Heron", NULL));
  library = begin ();
  g_assert_cmpuint (library_test_count (library), ==, 2);
  file = check_one (library, "Otter", "Hugging Face");
  g_assert_cmpuint (hearth_model_file_get_n_places (file), ==, 2);
  g_assert_cmpstr (hearth_model_file_get_place (file, 0)->label, ==, "acme-labs/otter-7b-GGUF");
  file = check_one (library, "Heron", "Hugging Face");
  g_assert_cmpstr (hearth_model_file_get_place (file, 0)->label, ==, "b/c");
  teardown ();
}

static void
test_lm_studio (void)
{
  g_autoptr (HearthLibrary) library = NULL;
  HearthModelFile *file;

  setup ();
#define PUBLISHER ".lmstudio/models/acme-labs/otter-GGUF"
  g_free (library_test_write (home, PUBLISHER "/otter-Q4_K_M.gguf", "Otter", NULL));
  g_free (library_test_write (home, PUBLISHER "/mmproj-otter-F16.gguf", "Eyes", "mmproj"));
  write_text (PUBLISHER "/downloading_other.gguf.part", "GGUF");
  library = begin ();
  g_assert_cmpuint (library_test_count (library), ==, 2);
  file = check_one (library, "Otter", "LM Studio");
  g_assert_cmpstr (hearth_model_file_get_place (file, 0)->label, ==, "acme-labs/otter-GGUF");
  core_test_wait (hearth_model_file_get_parent (library_test_find (library, "Eyes")) == file);
  teardown ();
}

static void
write_manifest (const char *below, const char *model, const char *projector)
{
  g_autofree char *text = g_strdup_printf (
    "{\"schemaVersion\":2,\"config\":{\"digest\":\"sha256:%s\",\"size\":3},\"layers\":["
    "{\"mediaType\":\"application/vnd.ollama.image.license\",\"digest\":\"sha256:%s\"},"
    "{\"mediaType\":\"application/vnd.ollama.image.projector\",\"digest\":\"sha256:%s\"}, 7,"
    "{\"mediaType\":\"application/vnd.ollama.image.model\",\"digest\":\"sha256:%s\"}]}",
    HASH_C, HASH_C, projector, model);

  write_text (below, text);
}

static void
test_ollama (void)
{
  g_autoptr (HearthLibrary) library = NULL;
  HearthModelFile *file;
  HearthModelFile *eyes;

  setup ();
#define LLAMAS ".ollama/models"
  g_free (library_test_write (home, LLAMAS "/blobs/sha256-" HASH_A, "Otter", NULL));
  g_free (library_test_write (home, LLAMAS "/blobs/sha256-" HASH_B, "Eyes", "mmproj"));
  write_text (LLAMAS "/blobs/sha256-" HASH_C "-partial", "half");
  write_manifest (LLAMAS "/manifests/registry.ollama.ai/library/otter/7b", HASH_A, HASH_B);
  write_manifest (LLAMAS "/manifests/registry.ollama.ai/library/otter/latest", HASH_A, HASH_B);
  /* What is no digest may not lead out of the store. */
  write_manifest (LLAMAS "/manifests/hf.co/evil/way/out", "../../../../secret.gguf", "x");
  write_text (LLAMAS "/manifests/hf.co/not/json/here", "{");
  write_text (LLAMAS "/manifests/hf.co/an/array/here", "[1, 2]");
  g_free (library_test_write (home, "secret.gguf", "Secret", NULL));
  library = begin ();
  g_assert_cmpuint (library_test_count (library), ==, 2);
  file = check_one (library, "Otter", "Ollama");
  eyes = check_one (library, "Eyes", "Ollama");
  g_assert_true (g_str_has_prefix (hearth_model_file_get_place (file, 0)->label, "otter:"));
  g_assert_cmpint (hearth_model_file_get_role (eyes), ==, HEARTH_MODEL_ROLE_PROJECTOR);
  core_test_wait (hearth_model_file_get_parent (eyes) == file);

  /* A header that does not say what it is for: the manifest has said it, and a new look leaves it.
   */
  g_free (library_test_write (home, LLAMAS "/blobs/sha256-" HASH_B, "Larger eyes", NULL));
  library_test_look (library);
  core_test_wait (g_str_equal (hearth_model_file_get_title (eyes), "Larger eyes"));
  g_assert_cmpint (hearth_model_file_get_header (eyes)->role, ==, HEARTH_MODEL_ROLE_MODEL);
  g_assert_cmpint (hearth_model_file_get_role (eyes), ==, HEARTH_MODEL_ROLE_PROJECTOR);
  core_test_wait (hearth_model_file_get_parent (eyes) == file);
  teardown ();
}

/* A blob that is listed already takes what a manifest says later that it is for. */
static void
test_ollama_later (void)
{
  g_autoptr (HearthLibrary) library = NULL;
  HearthModelFile *file;
  HearthModelFile *eyes;

  setup ();
  g_free (library_test_write (home, LLAMAS "/blobs/sha256-" HASH_A, "Otter", NULL));
  g_free (library_test_write (home, LLAMAS "/blobs/sha256-" HASH_B, "Eyes", NULL));
  write_manifest (LLAMAS "/manifests/registry.ollama.ai/library/otter/7b", HASH_B, "x");
  library = begin ();
  g_assert_cmpuint (library_test_count (library), ==, 1);
  eyes = check_one (library, "Eyes", "Ollama");
  g_assert_cmpint (hearth_model_file_get_role (eyes), ==, HEARTH_MODEL_ROLE_MODEL);

  write_manifest (LLAMAS "/manifests/registry.ollama.ai/library/otter/7b", HASH_A, HASH_B);
  library_test_look (library);
  g_assert_cmpuint (library_test_count (library), ==, 2);
  file = check_one (library, "Otter", "Ollama");
  g_assert_true (library_test_find (library, "Eyes") == eyes);
  g_assert_cmpint (hearth_model_file_get_role (eyes), ==, HEARTH_MODEL_ROLE_PROJECTOR);
  core_test_wait (hearth_model_file_get_parent (eyes) == file);

  /* And what it says after that. */
  write_manifest (LLAMAS "/manifests/registry.ollama.ai/library/otter/7b", HASH_B, "x");
  library_test_look (library);
  g_assert_cmpint (hearth_model_file_get_role (eyes), ==, HEARTH_MODEL_ROLE_MODEL);
  core_test_wait (hearth_model_file_get_parent (eyes) == NULL);
  teardown ();
}

static void
test_llama_cpp (void)
{
  g_autoptr (HearthLibrary) library = NULL;

  setup ();
  g_free (library_test_write (home, ".cache/llama.cpp/acme_otter_otter-Q8_0.gguf", "Otter", NULL));
  write_text (".cache/llama.cpp/acme_otter_otter-Q8_0.gguf.json", "{\"url\": \"x\"}");
  write_text (".cache/llama.cpp/other.gguf.downloadInProgress", "GGUF");
  library = begin ();
  g_assert_cmpuint (library_test_count (library), ==, 1);
  check_one (library, "Otter", "llama.cpp");
  teardown ();
}

static void
test_jan (void)
{
  g_autoptr (HearthLibrary) library = NULL;
  g_autofree char *imported = NULL;
  g_autofree char *text = NULL;
  HearthModelFile *file;

  setup ();
#define JAN ".local/share/Jan/data/llamacpp/models"
  g_free (library_test_write (home, JAN "/acme/otter/model.gguf", "Otter", NULL));
  g_free (library_test_write (home, JAN "/acme/otter/mmproj.gguf", "Eyes", "mmproj"));
  write_text (JAN "/acme/otter/model.yml",
              "name: otter\nmodel_path: llamacpp/models/acme/otter/model.gguf\n"
              "mmproj_path: \"llamacpp/models/acme/otter/mmproj.gguf\"\nsize_bytes: 12\n");
  /* One that was brought in stays where the person has it. */
  imported = library_test_write (home, "Downloads/heron.gguf", "Heron", NULL);
  text = g_strdup_printf ("model_path: %s\n", imported);
  write_text (JAN "/heron/model.yml", text);
  write_text (JAN "/half/model.gguf.tmp", "GGUF");
  library = begin ();
  g_assert_cmpuint (library_test_count (library), ==, 3);
  file = check_one (library, "Otter", "Jan");
  g_assert_cmpstr (hearth_model_file_get_place (file, 0)->label, ==, "acme/otter");
  core_test_wait (hearth_model_file_get_parent (library_test_find (library, "Eyes")) == file);
  file = check_one (library, "Heron", "Jan");
  g_assert_cmpstr (hearth_model_file_get_path (file), ==, imported);
  teardown ();
}

static void
test_gpt4all (void)
{
  g_autoptr (HearthLibrary) library = NULL;

  setup ();
#define GPT4ALL ".local/share/nomic.ai/GPT4All"
  g_free (library_test_write (home, GPT4ALL "/otter.gguf", "Otter", NULL));
  g_free (library_test_write (home, GPT4ALL "/incomplete-heron.gguf", "Heron", NULL));
  write_text (GPT4ALL "/gpt4all-key.rmodel", "{\"apiKey\": \"secret\"}");
  library = begin ();
  g_assert_cmpuint (library_test_count (library), ==, 1);
  check_one (library, "Otter", "GPT4All");
  teardown ();
}

/* ---- several at once -------------------------------------------------------------------- */

static void
test_shared (void)
{
  g_autoptr (HearthLibrary) library = NULL;
  g_autofree char *own = NULL;
  g_autofree char *folder = NULL;
  HearthModelFile *file;

  setup ();
  folder = g_build_filename (home, "mine", NULL);
  own = library_test_write (home, "mine/otter.gguf", "Otter", NULL);
  link_to (own, LLAMAS "/blobs/sha256-" HASH_A, TRUE);
  write_manifest (LLAMAS "/manifests/hf.co/acme/otter/q8_0", HASH_A, HASH_B);
  link_to (own, PUBLISHER "/otter.gguf", FALSE);
  link_to (own, REPOSITORY "/snapshots/1/otter.gguf", FALSE);
  hearth_settings_set_model_folders (settings, (const char *[]) { folder, NULL });
  library = begin ();

  /* Once, with all its stores, and it is still the person's own. */
  g_assert_cmpuint (library_test_count (library), ==, 1);
  file = library_test_find (library, "Otter");
  g_assert_cmpstr (hearth_model_file_get_stores (file), ==, "Hugging Face, LM Studio, Ollama");
  g_assert_cmpuint (hearth_model_file_get_n_places (file), ==, 4);
  g_assert_cmpstr (hearth_model_file_get_path (file), ==, own);
  g_assert_cmpstr (hearth_model_file_get_own_place (file)->path, ==, own);

  /* Without the person's name for it, it is other programs'; the links lead nowhere now. */
  g_unlink (own);
  library_test_look (library);
  g_assert_cmpuint (library_test_count (library), ==, 1);
  file = check_one (library, "Otter", "Ollama");
  g_assert_cmpstr (hearth_model_file_get_place (file, 0)->label, ==, "hf.co/acme/otter:q8_0");
  teardown ();
}

/* A folder that somebody adds does not make theirs what another program keeps in it. */
static void
test_added (void)
{
  g_autoptr (HearthLibrary) library = NULL;
  g_autofree char *folder = NULL;

  setup ();
  folder = g_build_filename (home, ".lmstudio", NULL);
  g_free (library_test_write (home, PUBLISHER "/otter.gguf", "Otter", NULL));
  g_free (library_test_write (home, ".lmstudio/own.gguf", "Own", NULL));
  hearth_settings_set_model_folders (settings, (const char *[]) { folder, NULL });
  library = begin ();
  g_assert_cmpuint (library_test_count (library), ==, 2);
  check_one (library, "Otter", "LM Studio");
  g_assert_nonnull (hearth_model_file_get_own_place (library_test_find (library, "Own")));
  teardown ();
}

/* Whatever may not be read is passed over. */
static void
test_closed (void)
{
  g_autoptr (HearthLibrary) library = NULL;
  g_autofree char *closed = NULL;

  setup ();
  g_free (library_test_write (home, PUBLISHER "/otter.gguf", "Otter", NULL));
  g_free (library_test_write (home, GPT4ALL "/heron.gguf", "Heron", NULL));
  closed = g_build_filename (home, PUBLISHER, NULL);
  g_chmod (closed, 0);
  library = begin ();
  g_assert_nonnull (library_test_find (library, "Heron"));
  /* Root may read everything. */
  g_assert_cmpuint (library_test_count (library), ==, geteuid () == 0 ? 2 : 1);
  g_chmod (closed, 0700);
  teardown ();
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/library/stores/roots", test_roots);
  g_test_add_func ("/library/stores/hub", test_hub);
  g_test_add_func ("/library/stores/lm-studio", test_lm_studio);
  g_test_add_func ("/library/stores/ollama", test_ollama);
  g_test_add_func ("/library/stores/ollama-later", test_ollama_later);
  g_test_add_func ("/library/stores/llama-cpp", test_llama_cpp);
  g_test_add_func ("/library/stores/jan", test_jan);
  g_test_add_func ("/library/stores/gpt4all", test_gpt4all);
  g_test_add_func ("/library/stores/shared", test_shared);
  g_test_add_func ("/library/stores/added", test_added);
  g_test_add_func ("/library/stores/closed", test_closed);
  return g_test_run ();
}
