/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE /* realpath, symlink, link */
#include "library-test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "hearth-error.h"

static char *home;
static char *folder;
static GStrv environment;
static HearthSettings *settings;

static void
setup (void)
{
  home = library_test_home ();
  folder = g_build_filename (home, "models", NULL);
  g_mkdir (folder, 0700);
  environment = g_environ_setenv (NULL, "HOME", home, TRUE);
  settings = library_test_settings ();
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
  g_clear_pointer (&folder, g_free);
  g_clear_pointer (&environment, g_strfreev);
  g_clear_object (&settings);
}

static HearthLibrary *
begin_with_folder (void)
{
  hearth_settings_set_model_folders (settings, (const char *[]) { folder, NULL });
  return begin ();
}

static const char *
name_at (HearthLibrary *library, guint position)
{
  g_autoptr (HearthModelFile) file = g_list_model_get_item (G_LIST_MODEL (library), position);

  return file != NULL ? hearth_model_file_get_base_name (file) : NULL; /* the list keeps it */
}

static void
test_folders (void)
{
  g_autoptr (HearthLibrary) library = NULL;
  g_autofree char *b = NULL;
  g_autofree char *a = NULL;
  g_autofree char *d = NULL;
  g_autofree char *notes = NULL;
  g_autoptr (HearthModelFile) opened = NULL;

  setup ();
  b = library_test_write (folder, "b.gguf", "B", NULL);
  a = library_test_write (folder, "deeper/a.GGUF", "A", NULL);
  notes = g_build_filename (folder, "notes.txt", NULL);
  library_test_write_text (notes, "no model", -1);
  library = begin ();
  g_assert_cmpuint (library_test_count (library), ==, 0);

  /* Whatever the depth. */
  hearth_library_add_folder (library, folder);
  core_test_wait (library_test_count (library) == 2 && library_test_all_read (library));
  g_assert_nonnull (library_test_find (library, "a.GGUF"));
  g_assert_nonnull (library_test_find (library, "B"));
  g_assert_cmpstr (hearth_model_file_get_stores (library_test_find (library, "B")), ==, "");
  g_assert_cmpstr (hearth_model_file_get_own_place (library_test_find (library, "B"))->folder, ==,
                   folder);

  /* What is opened comes first, and is there once. */
  opened = hearth_library_ref_file (library, a);
  hearth_library_remember (library, opened);
  g_assert_cmpuint (library_test_count (library), ==, 2);
  g_assert_cmpstr (name_at (library, 0), ==, "a.GGUF");
  library_test_look (library);
  g_assert_cmpuint (library_test_count (library), ==, 2);
  g_assert_cmpuint (hearth_model_file_get_used (opened), >, 0);

  /* What is in memory is marked. */
  g_assert_false (hearth_model_file_get_loaded (opened));
  hearth_library_set_loaded (library, a);
  g_assert_true (hearth_model_file_get_loaded (opened));
  hearth_library_set_loaded (library, NULL);
  g_assert_false (hearth_model_file_get_loaded (opened));

  /* One that is forgotten stays, since it is in the folder. */
  hearth_library_forget (library, opened);
  g_assert_cmpuint (library_test_count (library), ==, 2);
  g_assert_cmpuint (hearth_model_file_get_used (opened), ==, 0);

  /* A file that is gone leaves the list at the next look; one that is new comes. */
  g_unlink (a);
  d = library_test_write (folder, "deeper/d.gguf", "D", NULL);
  library_test_look (library);
  g_assert_cmpuint (library_test_count (library), ==, 2);
  g_assert_null (library_test_find (library, "a.GGUF"));
  g_assert_nonnull (library_test_find (library, "D"));

  /* Without the folder what was opened stays. */
  g_clear_object (&opened);
  opened = hearth_library_ref_file (library, b);
  hearth_library_remember (library, opened);
  hearth_settings_set_model_folders (settings, NULL);
  core_test_wait (library_test_count (library) == 1 && library_test_all_read (library));
  g_assert_null (hearth_model_file_get_own_place (opened));
  hearth_library_forget (library, opened);
  g_assert_cmpuint (library_test_count (library), ==, 0);
  teardown ();
}

/* Those that were opened last, and no more of them; one that is taken from the list can be put back
 * where it was. */
static void
test_opened (void)
{
  enum
  {
    N = 15,
    N_KEPT = 12
  };
  g_autoptr (HearthLibrary) library = NULL;
  g_autoptr (HearthModelFile) third = NULL;
  g_autoptr (HearthModelFile) known = NULL;
  g_auto (GStrv) kept = NULL;
  g_auto (GStrv) rest = NULL;
  g_autofree char *path = NULL;
  guint used;

  setup ();
  library = begin ();
  for (guint i = 0; i < N; i++)
    {
      g_autofree char *name = g_strdup_printf ("%02u.gguf", i);
      g_autofree char *written = library_test_write (folder, name, name, NULL);
      g_autoptr (HearthModelFile) file = hearth_library_ref_file (library, written);

      hearth_library_remember (library, file);
    }
  g_assert_cmpuint (library_test_count (library), ==, N_KEPT);
  g_assert_cmpstr (name_at (library, 0), ==, "14.gguf");
  g_assert_cmpstr (name_at (library, N_KEPT - 1), ==, "03.gguf");
  kept = hearth_settings_dup_recent_models (settings);
  g_assert_cmpuint (g_strv_length (kept), ==, N_KEPT);

  /* Out of the list, while it is being looked at, and at the next look. */
  third = g_list_model_get_item (G_LIST_MODEL (library), 2);
  path = g_strdup (hearth_model_file_get_path (third));
  core_test_wait (library_test_all_read (library));
  g_assert_true (hearth_model_file_is_only_recent (third));
  used = hearth_model_file_get_used (third);
  hearth_library_scan (library);
  hearth_library_forget (library, third);
  g_assert_false (hearth_model_file_is_only_recent (third));
  core_test_wait (library_test_all_read (library));
  g_assert_cmpuint (library_test_count (library), ==, N_KEPT - 1);
  g_assert_null (library_test_find (library, "12.gguf"));
  rest = hearth_settings_dup_recent_models (settings);
  g_assert_cmpuint (g_strv_length (rest), ==, N_KEPT - 1);
  library_test_look (library);
  g_assert_cmpuint (library_test_count (library), ==, N_KEPT - 1);

  /* Back where it was. */
  hearth_library_recall (library, third, used);
  g_assert_cmpstr (name_at (library, 2), ==, "12.gguf");
  g_strfreev (g_steal_pointer (&rest));
  rest = hearth_settings_dup_recent_models (settings);
  g_assert_cmpstrv (rest, kept);
  library_test_look (library);
  g_assert_cmpuint (library_test_count (library), ==, N_KEPT);
  known = hearth_library_ref_file (library, path);
  g_assert_true (known == third);

  /* Opened again before it is put back, it stays on top, once. */
  hearth_library_forget (library, third);
  g_clear_object (&known);
  known = hearth_library_ref_file (library, path);
  hearth_library_remember (library, known);
  hearth_library_recall (library, third, used);
  g_assert_cmpuint (library_test_count (library), ==, N_KEPT);
  g_assert_cmpstr (name_at (library, 0), ==, "12.gguf");
  g_assert_cmpstr (name_at (library, 1), ==, "14.gguf");

  /* Too many after it is put back: the oldest goes. */
  used = hearth_model_file_get_used (known);
  hearth_library_forget (library, known);
  {
    g_autofree char *last = library_test_write (folder, "last.gguf", "last", NULL);
    g_autoptr (HearthModelFile) file = hearth_library_ref_file (library, last);

    hearth_library_remember (library, file);
  }
  hearth_library_recall (library, known, used);
  g_assert_cmpuint (library_test_count (library), ==, N_KEPT);
  g_assert_cmpstr (name_at (library, 0), ==, "last.gguf");
  g_assert_cmpstr (name_at (library, 1), ==, "12.gguf");
  g_assert_null (library_test_find (library, "03.gguf"));
  core_test_wait (library_test_all_read (library));

  /* So many since that it would have gone by itself: it stays away. */
  g_clear_object (&third);
  third = g_list_model_get_item (G_LIST_MODEL (library), N_KEPT - 1);
  used = hearth_model_file_get_used (third);
  hearth_library_forget (library, third);
  {
    g_autofree char *newest = library_test_write (folder, "newest.gguf", "newest", NULL);
    g_autoptr (HearthModelFile) file = hearth_library_ref_file (library, newest);

    hearth_library_remember (library, file);
  }
  hearth_library_recall (library, third, used);
  g_assert_cmpuint (hearth_model_file_get_used (third), ==, 0);
  g_assert_cmpuint (hearth_model_file_get_n_places (third), ==, 0);
  g_assert_null (library_test_find (library, hearth_model_file_get_base_name (third)));
  library_test_look (library);
  g_assert_cmpuint (library_test_count (library), ==, N_KEPT);
  g_assert_cmpstr (name_at (library, 0), ==, "newest.gguf");
  teardown ();
}

/* One that is taken from the list while its header is read, and put back, is read then. */
static void
test_recalled (void)
{
  g_autoptr (HearthLibrary) library = NULL;
  g_autofree char *a = NULL;
  g_autofree char *b = NULL;
  g_autoptr (HearthModelFile) gone = NULL;
  g_autoptr (HearthModelFile) other = NULL;
  guint used;

  setup ();
  library = begin ();
  a = library_test_write (folder, "a.gguf", "Otter", NULL);
  b = library_test_write (folder, "b.gguf", "Heron", NULL);
  gone = hearth_library_ref_file (library, a);
  other = hearth_library_ref_file (library, b);
  hearth_library_remember (library, gone);
  hearth_library_remember (library, other);
  /* Both are found by one look, and read together. */
  core_test_wait (hearth_model_file_get_state (gone) == HEARTH_MODEL_FILE_READING);
  used = hearth_model_file_get_used (gone);
  hearth_library_forget (library, gone);
  core_test_wait (hearth_model_file_get_state (other) == HEARTH_MODEL_FILE_READY);
  g_assert_cmpint (hearth_model_file_get_state (gone), ==, HEARTH_MODEL_FILE_READING);

  hearth_library_recall (library, gone, used);
  core_test_wait (library_test_all_read (library));
  g_assert_true (library_test_find (library, "Otter") == gone);
  g_assert_cmpstr (name_at (library, 1), ==, "a.gguf");
  teardown ();
}

static void
test_parts (void)
{
  g_autoptr (HearthLibrary) library = NULL;
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  g_autofree char *other = NULL;
  HearthModelFile *file;
  guint64 size;

  setup ();
  first = library_test_write (folder, "c-00001-of-00002.gguf", "C", NULL);
  second = library_test_write (folder, "c-00002-of-00002.gguf", "C", NULL);
  other = library_test_write (folder, "e-00002-of-00003.gguf", "E", NULL);
  library = begin_with_folder ();

  /* The parts are one entry, with the size of all. */
  g_assert_cmpuint (library_test_count (library), ==, 2);
  file = library_test_find (library, "c-00001-of-00002.gguf");
  g_assert_nonnull (file);
  g_assert_cmpuint (hearth_model_file_get_facts (file)->n_parts, ==, 2);
  g_assert_cmpuint (hearth_model_file_get_facts (file)->n_missing, ==, 0);
  size = hearth_model_file_get_facts (file)->size;
  g_assert_cmpuint (size, >, 256);

  /* Without the first, the one that is there stands for them, and says how many are missing. */
  file = library_test_find (library, "e-00002-of-00003.gguf");
  g_assert_nonnull (file);
  g_assert_cmpuint (hearth_model_file_get_facts (file)->n_missing, ==, 2);

  g_unlink (second);
  library_test_look (library);
  file = library_test_find (library, "c-00001-of-00002.gguf");
  g_assert_cmpuint (hearth_model_file_get_facts (file)->n_missing, ==, 1);
  g_assert_cmpuint (hearth_model_file_get_facts (file)->size, <, size);
  teardown ();
}

static void
test_links (void)
{
  g_autoptr (HearthLibrary) library = NULL;
  g_autofree char *one = NULL;
  g_autofree char *hard = NULL;
  g_autofree char *soft = NULL;
  g_autofree char *below = NULL;
  HearthModelFile *file;

  setup ();
  one = library_test_write (folder, "one.gguf", "One", NULL);
  hard = g_build_filename (folder, "hard.gguf", NULL);
  soft = g_build_filename (folder, "soft.gguf", NULL);
  below = g_build_filename (folder, "loop", NULL);
  g_assert_cmpint (link (one, hard), ==, 0);
  g_assert_cmpint (symlink (one, soft), ==, 0);
  g_assert_cmpint (symlink (folder, below), ==, 0);
  library = begin_with_folder ();
  g_assert_cmpuint (library_test_count (library), ==, 1);
  file = library_test_find (library, "One");
  g_assert_cmpuint (hearth_model_file_get_n_places (file), ==, 3);

  /* Without the name that it is listed under it goes on under another. */
  g_unlink (hearth_model_file_get_path (file));
  if (!g_file_test (one, G_FILE_TEST_EXISTS))
    g_unlink (soft);
  library_test_look (library);
  g_assert_cmpuint (library_test_count (library), ==, 1);
  file = library_test_find (library, "One");
  g_assert_true (g_file_test (hearth_model_file_get_path (file), G_FILE_TEST_EXISTS));
  g_assert_cmpuint (hearth_model_file_get_n_places (file), <=, 2);
  teardown ();
}

static void
test_companions (void)
{
  g_autoptr (HearthLibrary) library = NULL;
  g_autofree char *model = NULL;
  g_autofree char *larger = NULL;
  g_autofree char *projector = NULL;
  g_autofree char *adapter = NULL;
  g_autofree char *lonely = NULL;
  g_autofree char *merged = NULL;
  HearthModelFile *file;

  setup ();
  model = library_test_write (folder, "otter-7b-Q4_K_M.gguf", "Otter Q4", NULL);
  larger = library_test_write (folder, "otter-70b-Q8_0.gguf", "Otter Q8", NULL);
  projector = library_test_write (folder, "mmproj-otter-7b-F16.gguf", "Otter eyes", "mmproj");
  /* Its keys say it, not its name. */
  adapter = library_test_write (folder, "extra/otter-70b-french.gguf", "French", "adapter");
  lonely = library_test_write (home, "elsewhere/mmproj-F16.gguf", "Lonely", "mmproj");
  /* A model that an adapter was merged into: its name says one thing, its keys another. */
  merged = library_test_write (folder, "otter-7b-lora-merged.gguf", "Otter merged", NULL);
  hearth_settings_set_model_folders (settings, (const char *[]) { folder, lonely, NULL });
  library = begin_with_folder ();
  file = library_test_find (library, "Otter eyes");
  core_test_wait (hearth_model_file_get_parent (file) != NULL);
  g_assert_true (hearth_model_file_get_parent (file) == library_test_find (library, "Otter Q4"));
  g_assert_cmpint (hearth_model_file_get_role (file), ==, HEARTH_MODEL_ROLE_PROJECTOR);
  file = library_test_find (library, "French");
  core_test_wait (hearth_model_file_get_parent (file) != NULL);
  g_assert_cmpint (hearth_model_file_get_role (file), ==, HEARTH_MODEL_ROLE_ADAPTER);
  g_assert_true (hearth_model_file_get_parent (file) == library_test_find (library, "Otter Q8"));
  g_assert_null (hearth_model_file_get_parent (library_test_find (library, "Otter Q4")));
  core_test_wait (library_test_find (library, "Otter merged") != NULL);
  file = library_test_find (library, "Otter merged");
  g_assert_cmpint (hearth_model_file_get_role (file), ==, HEARTH_MODEL_ROLE_MODEL);
  core_test_wait (hearth_model_file_get_parent (file) == NULL);
  teardown ();
}

static gboolean
is_paired (HearthLibrary *library, const char *companion, const char *model)
{
  HearthModelFile *parent = hearth_model_file_get_parent (library_test_find (library, companion));

  return parent != NULL && parent == library_test_find (library, model);
}

/* What the headers say goes before the names: each of these would go elsewhere by its name. */
static void
test_kinship (void)
{
  g_autoptr (HearthLibrary) library = NULL;

  setup ();
  /* Two families in one folder. */
  g_free (library_test_write (folder, "two/heron.gguf", "Heron 7B", NULL));
  g_free (library_test_write (folder, "two/otter.gguf", "Otter 7B", NULL));
  g_free (library_test_write (folder, "two/mmproj-heron.gguf", "Otter 1B", "mmproj"));
  g_free (library_test_write (folder, "two/mmproj-otter.gguf", "Heron 1B", "mmproj"));
  /* Beside the adapter is a model of its family, but of another architecture. */
  g_free (library_test_write_of (folder, "base/crane.gguf", "crane", "Crane", NULL));
  g_free (library_test_write_of (folder, "base/lora/stork-french.gguf", "stork", "Stork", NULL));
  g_free (library_test_write_of (folder, "base/lora/lora-stork-french.gguf", "crane", "French",
                                 "adapter"));
  /* Draft models by architecture, and one by its name, which its architecture pairs. */
  g_free (library_test_write_of (folder, "fast/swift.gguf", "swift", "Swift 30B", NULL));
  g_free (library_test_write_of (folder, "fast/raven.gguf", "raven", "Raven 30B", NULL));
  g_free (library_test_write_of (folder, "fast/raven-a.gguf", "eagle3", "Swift 1B", NULL));
  g_free (library_test_write_of (folder, "fast/raven-b.gguf", "dflash-draft", "Swift 2B", NULL));
  g_free (library_test_write_of (folder, "fast/raven-draft.gguf", "swift", "Little", NULL));
  library = begin_with_folder ();
  core_test_wait (is_paired (library, "Otter 1B", "Otter 7B"));
  core_test_wait (is_paired (library, "Heron 1B", "Heron 7B"));
  core_test_wait (is_paired (library, "French", "Crane"));
  core_test_wait (is_paired (library, "Swift 1B", "Swift 30B"));
  core_test_wait (is_paired (library, "Swift 2B", "Swift 30B"));
  core_test_wait (is_paired (library, "Little", "Swift 30B"));
  g_assert_cmpint (hearth_model_file_get_role (library_test_find (library, "Swift 1B")), ==,
                   HEARTH_MODEL_ROLE_DRAFT);
  g_assert_cmpint (hearth_model_file_get_role (library_test_find (library, "Swift 2B")), ==,
                   HEARTH_MODEL_ROLE_DRAFT);
  teardown ();
}

/* ---- what happens to files -------------------------------------------------------------- */

static gboolean
has_presence (HearthLibrary *library, const char *name, HearthModelPresence presence)
{
  HearthModelFile *file = library_test_find (library, name);

  return file != NULL && hearth_model_file_get_presence (file) == presence;
}

static void
test_watched (void)
{
  g_autoptr (HearthLibrary) library = NULL;
  g_autofree char *new = NULL;
  g_autofree char *inside = NULL;
  g_autofree char *moved = NULL;
  HearthModelFile *file;

  setup ();
  library = begin_with_folder ();
  g_assert_cmpuint (library_test_count (library), ==, 0);

  /* Nobody asks for another look: the folder is watched, and those that are made in it. */
  new = library_test_write (folder, "new.gguf", "New", NULL);
  core_test_wait (library_test_find (library, "New") != NULL);
  inside = library_test_write (folder, "made/later/inside.gguf", "Inside", NULL);
  core_test_wait (library_test_find (library, "Inside") != NULL);

  /* One that goes is shown as gone, and comes back. */
  moved = g_build_filename (home, "away.gguf", NULL);
  file = library_test_find (library, "New");
  g_assert_cmpint (g_rename (new, moved), ==, 0);
  core_test_wait (has_presence (library, "New", HEARTH_MODEL_PRESENCE_GONE));
  g_assert_cmpint (g_rename (moved, new), ==, 0);
  core_test_wait (has_presence (library, "New", HEARTH_MODEL_PRESENCE_WHOLE));
  g_assert_true (library_test_find (library, "New") == file);

  /* What is in it now is read again. */
  g_unlink (new);
  core_test_wait (has_presence (library, "New", HEARTH_MODEL_PRESENCE_GONE));
  g_free (g_steal_pointer (&new));
  new = library_test_write (folder, "new.gguf", "Newer", NULL);
  core_test_wait (library_test_find (library, "Newer") != NULL);
  core_test_wait (has_presence (library, "Newer", HEARTH_MODEL_PRESENCE_WHOLE));
  teardown ();
}

/* The number of a file that is gone is given to the next one; that is another file all the same. */
static void
test_reused (void)
{
  g_autoptr (HearthLibrary) library = NULL;

  setup ();
  library = begin_with_folder ();
  for (guint i = 0; i < 6; i++)
    {
      g_autofree char *name = g_strdup_printf ("model-%u.gguf", i);
      g_autofree char *title = g_strdup_printf ("Model %u", i);
      g_autofree char *path = library_test_write (folder, name, title, NULL);

      core_test_wait (has_presence (library, title, HEARTH_MODEL_PRESENCE_WHOLE));
      g_assert_cmpstr (hearth_model_file_get_path (library_test_find (library, title)), ==, path);
      g_unlink (path);
    }
  core_test_wait (has_presence (library, "Model 5", HEARTH_MODEL_PRESENCE_GONE));
  g_assert_cmpuint (library_test_count (library), ==, 6);
  library_test_look (library);
  g_assert_cmpuint (library_test_count (library), ==, 0);
  teardown ();
}

static void
append (const char *path, const guint8 *bytes, gsize size)
{
  FILE *out = g_fopen (path, "ab");

  g_assert_nonnull (out);
  g_assert_cmpuint (fwrite (bytes, 1, size, out), ==, size);
  fclose (out);
}

static void
test_written (void)
{
  g_autoptr (HearthLibrary) library = NULL;
  g_autoptr (GByteArray) bytes = library_test_bytes ("Growing", NULL, 4096);
  g_autofree char *path = NULL;
  HearthModelFile *file;

  setup ();
  path = g_build_filename (folder, "growing.gguf", NULL);
  library_test_write_text (path, (const char *) bytes->data, 20);
  library = begin_with_folder ();

  /* Too short for a header: it is being written. */
  core_test_wait (has_presence (library, "growing.gguf", HEARTH_MODEL_PRESENCE_WRITING));
  file = library_test_find (library, "growing.gguf");
  g_assert_cmpint (hearth_model_file_get_state (file), ==, HEARTH_MODEL_FILE_FAILED);

  /* The header is there, the weights are not. */
  append (path, bytes->data + 20, 1000);
  core_test_wait (library_test_find (library, "Growing") == file);
  g_assert_cmpint (hearth_model_file_get_presence (file), ==, HEARTH_MODEL_PRESENCE_WRITING);
  g_assert_cmpuint (hearth_model_file_get_header (file)->expected_size, ==, bytes->len);

  /* Whole: nobody had to ask. */
  append (path, bytes->data + 1020, bytes->len - 1020);
  core_test_wait (hearth_model_file_get_presence (file) == HEARTH_MODEL_PRESENCE_WHOLE);
  g_assert_cmpuint (hearth_model_file_get_header (file)->size, ==, bytes->len);
  g_assert_cmpint (hearth_model_file_get_state (file), ==, HEARTH_MODEL_FILE_READY);
  teardown ();
}

/* One that stands still for long is told as what it is: cut short. */
static void
test_cut_short (void)
{
  g_autoptr (HearthLibrary) library = NULL;
  g_autoptr (GByteArray) bytes = library_test_bytes ("Cut", NULL, 4096);
  g_autofree char *path = NULL;
  HearthModelFile *file;
  struct utimbuf long_ago = { .actime = 1000000000, .modtime = 1000000000 };

  setup ();
  path = g_build_filename (folder, "cut.gguf", NULL);
  library_test_write_text (path, (const char *) bytes->data, 1000);
  g_assert_cmpint (g_utime (path, &long_ago), ==, 0);
  library = begin_with_folder ();
  file = library_test_find (library, "Cut");
  g_assert_nonnull (file);
  g_assert_cmpint (hearth_model_file_get_presence (file), ==, HEARTH_MODEL_PRESENCE_WHOLE);
  g_assert_error (hearth_model_file_get_header (file)->fit_error, HEARTH_ERROR,
                  HEARTH_ERROR_INCOMPLETE);
  teardown ();
}

/* ---- what is kept of headers ------------------------------------------------------------ */

/* Other bytes in the same place, as if nothing had happened to the file: `name` is as long as the
 * one before. */
static void
rewrite_unseen (const char *path, const char *name)
{
  g_autoptr (GByteArray) bytes = library_test_bytes (name, NULL, 128);
  struct stat info;
  FILE *out;

  g_assert_cmpint (stat (path, &info), ==, 0);
  g_assert_cmpuint ((guint64) info.st_size, ==, bytes->len);
  out = g_fopen (path, "r+b");
  g_assert_nonnull (out);
  g_assert_cmpuint (fwrite (bytes->data, 1, bytes->len, out), ==, bytes->len);
  fclose (out);
  g_assert_cmpint (
    utimensat (AT_FDCWD, path, (struct timespec[]) { info.st_atim, info.st_mtim }, 0), ==, 0);
}

/* A header is read once, by whichever program; anew when the file has changed. What is kept tells
 * itself apart from what is read by a name that the file does not have any more. */
static void
test_kept (void)
{
  HearthLibrary *library;
  g_autofree char *otter = NULL;
  g_autofree char *heron = NULL;
  g_autofree char *cache = NULL;
  g_autofree char *database = NULL;
  struct timespec later[] = { { 2000000000, 0 }, { 2000000000, 0 } };

  setup ();
  cache = g_build_filename (home, "cache", NULL);
  database = g_build_filename (cache, "hearth", "headers.db", NULL);
  environment = g_environ_setenv (environment, "XDG_CACHE_HOME", cache, TRUE);
  otter = library_test_write (folder, "a.gguf", "Otter", NULL);
  heron = library_test_write (folder, "b.gguf", "Heron", NULL);
  library = begin_with_folder ();
  g_assert_nonnull (library_test_find (library, "Otter"));
  g_assert_nonnull (library_test_find (library, "Heron"));
  g_object_unref (library);
  g_assert_true (g_file_test (database, G_FILE_TEST_EXISTS));

  rewrite_unseen (otter, "Stoat");
  rewrite_unseen (heron, "Crane");
  library = begin ();
  g_assert_nonnull (library_test_find (library, "Otter"));
  g_assert_nonnull (library_test_find (library, "Heron"));

  /* One of them has changed. */
  g_assert_cmpint (utimensat (AT_FDCWD, otter, later, 0), ==, 0);
  library_test_look (library);
  core_test_wait (library_test_find (library, "Stoat") != NULL);
  g_assert_null (library_test_find (library, "Otter"));
  g_assert_nonnull (library_test_find (library, "Heron"));
  g_object_unref (library);

  /* That is kept, too; without what was kept both are read. */
  rewrite_unseen (otter, "Eagle");
  library = begin ();
  g_assert_nonnull (library_test_find (library, "Stoat"));
  g_object_unref (library);
  core_test_remove (cache);
  library = begin ();
  g_assert_nonnull (library_test_find (library, "Eagle"));
  g_assert_nonnull (library_test_find (library, "Crane"));
  g_object_unref (library);
  teardown ();
}

/* ---- many ------------------------------------------------------------------------------- */

static guint n_changes;

static void
changed_cb (void)
{
  n_changes++;
}

static void
test_many (void)
{
  g_autoptr (HearthLibrary) library = NULL;
  const guint n = 3000;
  guint n_first;

  setup ();
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u/model-%u.gguf", i / 100, i);
      g_autofree char *title = g_strdup_printf ("Model %u", i);

      g_free (library_test_write (folder, name, title, NULL));
    }
  hearth_settings_set_model_folders (settings, (const char *[]) { folder, NULL });
  library = hearth_library_new_for_environment (settings, environment);
  n_changes = 0;
  g_signal_connect (library, "items-changed", G_CALLBACK (changed_cb), NULL);

  /* Some are there before all are, and they come in groups. */
  core_test_wait (library_test_count (library) > 0);
  n_first = library_test_count (library);
  g_assert_cmpuint (n_first, <, n);
  core_test_wait (library_test_all_read (library));
  g_assert_cmpuint (library_test_count (library), ==, n);
  g_assert_cmpuint (n_changes, <, n / 10);
  g_assert_nonnull (library_test_find (library, "Model 2999"));
  teardown ();
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/library/folders", test_folders);
  g_test_add_func ("/library/opened", test_opened);
  g_test_add_func ("/library/recalled", test_recalled);
  g_test_add_func ("/library/parts", test_parts);
  g_test_add_func ("/library/links", test_links);
  g_test_add_func ("/library/companions", test_companions);
  g_test_add_func ("/library/kinship", test_kinship);
  g_test_add_func ("/library/watched", test_watched);
  g_test_add_func ("/library/reused", test_reused);
  g_test_add_func ("/library/written", test_written);
  g_test_add_func ("/library/cut-short", test_cut_short);
  g_test_add_func ("/library/kept", test_kept);
  g_test_add_func ("/library/many", test_many);
  return g_test_run ();
}
