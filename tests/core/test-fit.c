/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core-test.h"
#include "hearth-error.h"
#include "hearth-fit.h"

#include <ember/fit.h>
#include <ember/gguf.h>

static void
count_cb (guint *n)
{
  (*n)++;
}

static void
wait_for_plan (HearthFit *fit)
{
  core_test_wait (!hearth_fit_get_busy (fit));
}

/* What is shown is what the engine plans, to the byte. */
static void
test_same_as_engine (void)
{
  g_autoptr (HearthFit) fit = hearth_fit_new (core_test_path);
  const HearthFitPlan *plan;
  struct ember_fit_params params = { .n_ctx = 4096, .n_threads = 1, .kv_type = EMBER_KV_F32 };
  struct ember_gguf *gguf = NULL;
  struct ember_fit wanted;
  guint64 sum = 0;

  g_assert_cmpint (ember_gguf_open (&gguf, core_test_path, true, NULL), ==, EMBER_OK);
  g_assert_cmpint (ember_fit_plan (&wanted, gguf, &params, NULL), ==, EMBER_OK);
  ember_gguf_close (gguf);

  g_assert_null (hearth_fit_get_plan (fit));
  hearth_fit_set_wish (fit, 4096, HEARTH_KV_F32, 1, 0);
  g_assert_true (hearth_fit_get_busy (fit));
  wait_for_plan (fit);
  plan = hearth_fit_get_plan (fit);
  g_assert_nonnull (plan);
  g_assert_cmpuint (plan->n_ctx, ==, 4096);
  g_assert_cmpuint (plan->weights, ==, wanted.weights);
  g_assert_cmpuint (plan->kv, ==, wanted.kv);
  g_assert_cmpuint (plan->kv_full + plan->kv_window, ==, wanted.kv);
  g_assert_cmpuint (plan->compute, ==, wanted.compute);
  g_assert_cmpuint (plan->need, ==,
                    wanted.weights + wanted.kv + wanted.checkpoint + wanted.compute);
  g_assert_cmpuint (plan->types->len, ==, wanted.n_types);
  for (guint i = 0; i < plan->types->len; i++)
    sum += g_array_index (plan->types, HearthFitType, i).n_bytes;
  g_assert_cmpuint (sum, ==, plan->weights);
}

/* Of many wishes the last is planned, and not many more. */
static void
test_last_wish (void)
{
  g_autoptr (HearthFit) fit = hearth_fit_new (core_test_path);
  guint n = 0;

  g_signal_connect_swapped (fit, "notify::plan", G_CALLBACK (count_cb), &n);
  for (guint n_ctx = 256; n_ctx <= 8192; n_ctx += 256)
    hearth_fit_set_wish (fit, n_ctx, HEARTH_KV_F16, 1, 0);
  wait_for_plan (fit);
  g_assert_cmpuint (hearth_fit_get_plan (fit)->n_ctx, ==, 8192);
  g_assert_cmpuint (n, ==, 1);

  /* The same wish is no work. */
  hearth_fit_set_wish (fit, 8192, HEARTH_KV_F16, 1, 0);
  g_assert_false (hearth_fit_get_busy (fit));
  hearth_fit_refresh (fit);
  g_assert_true (hearth_fit_get_busy (fit));
  wait_for_plan (fit);
  g_assert_cmpuint (n, ==, 2);
}

/* The longest context fits, and needs more than a shorter one. */
static void
test_longest (void)
{
  g_autoptr (HearthFit) fit = hearth_fit_new (core_test_path);
  guint64 need;
  guint trained;

  hearth_fit_set_wish (fit, 256, HEARTH_KV_F16, 1, 0);
  wait_for_plan (fit);
  need = hearth_fit_get_plan (fit)->need;
  trained = hearth_fit_get_plan (fit)->n_ctx_trained;
  g_assert_cmpuint (trained, ==, 8192);
  if (hearth_fit_get_plan (fit)->budget < G_GUINT64_CONSTANT (2000000000))
    {
      g_test_skip ("less than 2 GB of memory are free");
      return;
    }
  g_assert_cmpuint (hearth_fit_get_plan (fit)->longest, ==, trained);
  hearth_fit_set_wish (fit, trained, HEARTH_KV_F16, 1, 0);
  wait_for_plan (fit);
  g_assert_true (hearth_fit_get_plan (fit)->fits);
  g_assert_cmpuint (hearth_fit_get_plan (fit)->need, >, need);

  /* What is given back can be used. */
  hearth_fit_set_wish (fit, trained, HEARTH_KV_F16, 1, 1000000);
  wait_for_plan (fit);
  g_assert_true (hearth_fit_get_plan (fit)->fits);
}

static void
test_gone (void)
{
  g_autoptr (HearthFit) fit = hearth_fit_new ("/nowhere/at-all.gguf");

  hearth_fit_set_wish (fit, 0, HEARTH_KV_F16, 0, 0);
  wait_for_plan (fit);
  g_assert_null (hearth_fit_get_plan (fit));
  g_assert_error (hearth_fit_get_error (fit), HEARTH_ERROR, HEARTH_ERROR_NOT_FOUND);
}

/* An object that nobody wants any more ends quietly, though a plan is being made. */
static void
test_dropped (void)
{
  HearthFit *fit = hearth_fit_new (core_test_path);
  gpointer weak = fit;

  g_object_add_weak_pointer (G_OBJECT (fit), &weak);
  hearth_fit_set_wish (fit, 0, HEARTH_KV_F16, 0, 0);
  g_object_unref (fit);
  core_test_wait (weak == NULL);
}

int
main (int argc, char *argv[])
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fit/gone", test_gone);
  core_test_add ("/fit/same-as-engine", test_same_as_engine);
  core_test_add ("/fit/last-wish", test_last_wish);
  core_test_add ("/fit/longest", test_longest);
  core_test_add ("/fit/dropped", test_dropped);
  status = g_test_run ();
  return status;
}
