/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE /* realpath */
#include "library-test.h"

#include <sqlite3.h>

#include "hearth-error.h"
#include "hearth-header-cache.h"

static char *home;
static char *database;

static void
setup (void)
{
  home = library_test_home ();
  database = g_build_filename (home, "deep", "headers.db", NULL);
}

static void
teardown (void)
{
  core_test_remove (home);
  g_clear_pointer (&home, free);
  g_clear_pointer (&database, g_free);
}

static void
check_equal (const HearthModelHeader *a, const HearthModelHeader *b)
{
  g_autoptr (GBytes) x = _hearth_header_to_bytes (a);
  g_autoptr (GBytes) y = _hearth_header_to_bytes (b);

  g_assert_true (g_bytes_equal (x, y));
}

static void
run_sql (const char *sql)
{
  sqlite3 *db = NULL;

  g_assert_cmpint (sqlite3_open (database, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
}

/* A real header comes back as it was, with all that pages show. */
static void
test_record (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HearthModelHeader) header = hearth_model_header_read (core_test_path, 0, 0, &error);
  g_autoptr (HearthModelHeader) back = NULL;
  g_autoptr (GBytes) bytes = NULL;
  gsize size;
  const guint8 *data;

  g_assert_no_error (error);
  bytes = _hearth_header_to_bytes (header);
  back = _hearth_header_from_bytes (bytes);
  g_assert_nonnull (back);
  check_equal (header, back);
  g_assert_cmpstr (back->name, ==, header->name);
  g_assert_cmpstr (back->architecture, ==, header->architecture);
  g_assert_cmpstr (back->quantization, ==, header->quantization);
  g_assert_cmpstr (back->family, ==, header->family);
  g_assert_cmpuint (back->n_parameters, ==, header->n_parameters);
  g_assert_cmpuint (back->types->len, ==, header->types->len);
  g_assert_cmpuint (back->fit.weights, ==, header->fit.weights);
  g_assert_cmpint (back->has_vocabulary, ==, TRUE);
  g_assert_true (hearth_sampling_equal (&back->sampling_defaults, &header->sampling_defaults));

  /* Whatever is damaged in it is refused, or at least read without harm. */
  data = g_bytes_get_data (bytes, &size);
  for (gsize i = 0; i < size; i++)
    {
      g_autofree guint8 *copy = g_memdup2 (data, size);
      g_autoptr (GBytes) cut = g_bytes_new (data, i);
      g_autoptr (GBytes) changed = NULL;
      g_autoptr (HearthModelHeader) half = _hearth_header_from_bytes (cut);
      g_autoptr (HearthModelHeader) other = NULL;

      g_assert_null (half);
      copy[i] ^= 0xff;
      changed = g_bytes_new (copy, size);
      other = _hearth_header_from_bytes (changed);
    }
}

static HearthModelHeader *
put_one (HearthHeaderCache *cache, const char *path, HearthModelFacts *facts)
{
  g_autoptr (GError) error = NULL;
  HearthModelHeader *header = hearth_model_header_read (path, 0, 0, &error);

  g_assert_no_error (error);
  g_assert_true (hearth_model_facts_read (path, facts));
  hearth_header_cache_begin (cache);
  hearth_header_cache_put (cache, path, facts, 0, 0, header);
  hearth_header_cache_commit (cache);
  return header;
}

static gboolean
has (HearthHeaderCache *cache, const char *path, const HearthModelFacts *facts)
{
  g_autoptr (HearthModelHeader) header =
    hearth_header_cache_get (cache, path, facts, 0, 0, G_MAXUINT64);

  return header != NULL;
}

static void
test_keys (void)
{
  g_autoptr (HearthHeaderCache) cache = NULL;
  g_autoptr (HearthModelHeader) header = NULL;
  g_autoptr (HearthModelHeader) back = NULL;
  g_autofree char *path = NULL;
  HearthModelFacts facts;
  HearthModelFacts other;

  setup ();
  path = library_test_write (home, "a.gguf", "A", NULL);
  cache = hearth_header_cache_new (database);
  header = put_one (cache, path, &facts);
  back = hearth_header_cache_get (cache, path, &facts, 0, 0, 0);
  g_assert_nonnull (back);
  check_equal (header, back);
  /* Why it cannot run is kept as well. */
  g_assert_error (back->fit_error, HEARTH_ERROR, HEARTH_ERROR_ARCHITECTURE);

  /* Any difference, and it is another file, or another plan. */
  g_assert_false (has (cache, "/elsewhere.gguf", &facts));
#define CHECK_KEY(MEMBER)                                                                          \
  G_STMT_START                                                                                     \
  {                                                                                                \
    other = facts;                                                                                 \
    other.MEMBER++;                                                                                \
    g_assert_false (has (cache, path, &other));                                                    \
  }                                                                                                \
  G_STMT_END
  CHECK_KEY (device);
  CHECK_KEY (inode);
  CHECK_KEY (size);
  CHECK_KEY (changed);
  CHECK_KEY (n_missing);
  g_assert_null (hearth_header_cache_get (cache, path, &facts, 512, 0, 0));
  g_assert_null (hearth_header_cache_get (cache, path, &facts, 0, 3, 0));
  g_assert_true (has (cache, path, &facts));

  /* It is there for the next program. */
  g_clear_pointer (&cache, hearth_header_cache_unref);
  cache = hearth_header_cache_new (database);
  g_assert_true (has (cache, path, &facts));
  teardown ();
}

/* What is known of memory is told for another amount of it only where that must be true. */
static void
test_budget (void)
{
  g_autoptr (HearthHeaderCache) cache = hearth_header_cache_new (NULL);
  g_autoptr (HearthModelHeader) header = hearth_model_header_new ();
  HearthModelFacts facts = { .inode = 1 };
  HearthModelHeader *back;

  header->name = g_strdup ("A");
  header->n_ctx_trained = 4096;
  header->fit = (HearthHeaderFit) { .fits = TRUE,
                                    .n_ctx = 4096,
                                    .weights = 600,
                                    .kv = 300,
                                    .compute = 100,
                                    .budget = 1500,
                                    .free = 500 };
  hearth_header_cache_put (cache, "/a", &facts, 0, 0, header);
  back = hearth_header_cache_get (cache, "/a", &facts, 0, 0, 1200);
  g_assert_true (back->fit.fits);
  g_assert_cmpuint (back->fit.free, ==, 200);
  g_assert_cmpuint (back->fit.budget, ==, 1200);
  hearth_model_header_free (back);
  /* A shorter context might still fit. */
  g_assert_null (hearth_header_cache_get (cache, "/a", &facts, 0, 0, 900));

  /* It was shortened to fit: with more room it is longer. */
  header->fit.n_ctx = 1024;
  hearth_header_cache_put (cache, "/b", &facts, 0, 0, header);
  g_assert_null (hearth_header_cache_get (cache, "/b", &facts, 0, 0, 2000));

  /* Too big stays too big with less, and where the weights alone are too much. */
  header->fit.fits = FALSE;
  header->fit.free = 0;
  header->fit.budget = 500;
  hearth_header_cache_put (cache, "/c", &facts, 0, 0, header);
  back = hearth_header_cache_get (cache, "/c", &facts, 0, 0, 400);
  g_assert_false (back->fit.fits);
  hearth_model_header_free (back);
  back = hearth_header_cache_get (cache, "/c", &facts, 0, 0, 599);
  g_assert_false (back->fit.fits);
  hearth_model_header_free (back);
  g_assert_null (hearth_header_cache_get (cache, "/c", &facts, 0, 0, 601));
}

static void
test_damage (void)
{
  static const char *const spoils[] = {
    "PRAGMA user_version = 9999",
    "DROP TABLE headers",
    "UPDATE headers SET record = x'00'",
    "PRAGMA user_version = 0",
  };
  g_autofree char *path = NULL;
  HearthModelFacts facts;

  setup ();
  path = library_test_write (home, "a.gguf", "A", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (spoils) + 2; i++)
    {
      HearthHeaderCache *cache = hearth_header_cache_new (database);

      hearth_model_header_free (put_one (cache, path, &facts));
      g_assert_true (has (cache, path, &facts));
      hearth_header_cache_unref (cache);
      if (i < G_N_ELEMENTS (spoils))
        run_sql (spoils[i]);
      else if (i == G_N_ELEMENTS (spoils))
        library_test_write_text (database,
                                 "this is no database, and longer than its header is: "
                                 "one hundred bytes are what it looks at first of all.",
                                 -1);
      else
        {
          /* A page in the middle. */
          g_autofree char *bytes = NULL;
          gsize size;

          g_assert_true (g_file_get_contents (database, &bytes, &size, NULL));
          memset (bytes + 4096, 0xAA, size - 4096);
          library_test_write_text (database, bytes, (gssize) size);
        }
      /* It is as if nothing had been kept, and keeps again. */
      cache = hearth_header_cache_new (database);
      g_assert_false (has (cache, path, &facts));
      hearth_model_header_free (put_one (cache, path, &facts));
      g_assert_true (has (cache, path, &facts));
      hearth_header_cache_unref (cache);
    }
  teardown ();
}

/* Nowhere to write: everything is read anew, and nothing else happens. */
static void
test_nowhere (void)
{
  g_autoptr (HearthHeaderCache) cache = NULL;
  g_autofree char *path = NULL;
  g_autofree char *folder = NULL;
  HearthModelFacts facts;

  setup ();
  path = library_test_write (home, "a.gguf", "A", NULL);
  folder = g_build_filename (path, "headers.db", NULL); /* a file is no folder */
  cache = hearth_header_cache_new (folder);
  hearth_model_header_free (put_one (cache, path, &facts));
  g_assert_false (has (cache, path, &facts));
  teardown ();
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  core_test_add ("/header-cache/record", test_record);
  g_test_add_func ("/header-cache/keys", test_keys);
  g_test_add_func ("/header-cache/budget", test_budget);
  g_test_add_func ("/header-cache/damage", test_damage);
  g_test_add_func ("/header-cache/nowhere", test_nowhere);
  return g_test_run ();
}
