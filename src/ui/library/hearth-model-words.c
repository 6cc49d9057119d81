/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-words.h"

#include <glib/gi18n.h>

#include "hearth-words.h"

char *
hearth_model_words_for_plan (HearthModelFile *model, const HearthFitPlan *plan)
{
  return hearth_words_for_room (hearth_model_file_get_title (model), plan->need, plan->budget,
                                plan->longest, plan->longest == 0);
}

static void
add_term (GString *out, const char *title, guint64 n_bytes)
{
  g_autofree char *term = hearth_words_for_term (title, n_bytes);

  g_string_append (out, term);
  g_string_append_c (out, '\n');
}

char *
hearth_model_words_for_arithmetic (HearthModelFile *model, const HearthFitPlan *plan)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autofree char *context = hearth_words_for_number (plan->n_ctx);
  g_autofree char *batch = hearth_words_for_number (plan->n_batch);
  g_autofree char *threads = hearth_words_for_number (plan->n_threads);
  gint64 left = (gint64) plan->budget - (gint64) plan->need;

  g_string_append_printf (out, "%s\n", hearth_model_file_get_base_name (model));
  g_string_append_printf (
    out,
    _ (
      "Context length: %1$s tokens, KV cache: %2$s; read %3$s tokens at a time, with %4$s threads"),
    context, plan->kv_type == HEARTH_KV_F32 ? _ ("32 bits") : _ ("16 bits"), batch, threads);
  g_string_append (out, "\n\n");
  for (guint i = 0; i < plan->types->len; i++)
    {
      const HearthFitType *type = &g_array_index (plan->types, HearthFitType, i);
      g_autofree char *n = hearth_words_for_number (type->n_tensors);
      g_autofree char *bytes = hearth_words_for_number (type->n_bytes);

      g_string_append (out, "  ");
      g_string_append_printf (out,
                              /* Translators: "Q4_K, 27 tensors: 13,316,940 bytes" */
                              ngettext ("%1$s, %2$s tensor: %3$s bytes",
                                        "%1$s, %2$s tensors: %3$s bytes",
                                        (gulong) MIN (type->n_tensors, G_MAXULONG)),
                              type->type, n, bytes);
      g_string_append_c (out, '\n');
    }
  add_term (out, _ ("Weights"), plan->weights);
  g_string_append_c (out, '\n');
  if (plan->kv_full > 0 && plan->n_ctx > 0 && plan->kv_full % plan->n_ctx == 0)
    {
      g_autofree char *each = hearth_words_for_number (plan->kv_full / plan->n_ctx);
      g_autofree char *all = hearth_words_for_number (plan->kv_full);

      g_string_append (out, "  ");
      g_string_append_printf (out,
                              _ ("Layers that see the whole context: %1$s tokens × %2$s bytes "
                                 "= %3$s bytes"),
                              context, each, all);
      g_string_append_c (out, '\n');
    }
  else if (plan->kv_full > 0)
    {
      g_string_append (out, "  ");
      add_term (out, _ ("Layers that see the whole context"), plan->kv_full);
    }
  if (plan->kv_window > 0)
    {
      g_string_append (out, "  ");
      add_term (out, _ ("Layers with a sliding window"), plan->kv_window);
    }
  add_term (out, _ ("KV cache"), plan->kv);
  if (plan->checkpoint > 0)
    add_term (out, _ ("Copy of the sliding windows"), plan->checkpoint);
  add_term (out, _ ("Working memory"), plan->compute);
  g_string_append_c (out, '\n');
  add_term (out, _ ("Together"), plan->need);
  add_term (out, _ ("Free now"), plan->budget);
  add_term (out, left >= 0 ? _ ("Left free") : _ ("Missing"), (guint64) ABS (left));
  g_string_truncate (out, out->len - 1);
  return g_string_free_and_steal (g_steal_pointer (&out));
}

/* ---- standings -------------------------------------------------------------------------- */

static const struct
{
  const char *word;
  const char *icon;
} standings[] = {
  [HEARTH_STANDING_UNKNOWN] = { N_ ("Reading…"), "hearth-unknown-symbolic" },
  [HEARTH_STANDING_LOADED] = { N_ ("Loaded"), "hearth-loaded-symbolic" },
  [HEARTH_STANDING_FITS] = { N_ ("Fits"), "hearth-fits-symbolic" },
  [HEARTH_STANDING_TOO_BIG] = { N_ ("Too big"), "hearth-too-big-symbolic" },
  [HEARTH_STANDING_CANNOT_RUN] = { N_ ("Cannot run"), "hearth-cannot-run-symbolic" },
  [HEARTH_STANDING_INCOMPLETE] = { N_ ("Incomplete"), "hearth-damaged-symbolic" },
  [HEARTH_STANDING_DAMAGED] = { N_ ("Damaged"), "hearth-damaged-symbolic" },
  [HEARTH_STANDING_WRITING] = { N_ ("Being written"), "hearth-writing-symbolic" },
  [HEARTH_STANDING_GONE] = { N_ ("Gone"), "hearth-gone-symbolic" },
  [HEARTH_STANDING_COMPANION] = { N_ ("Companion"), "hearth-companion-symbolic" },
};

static const char *const roles[] = {
  [HEARTH_MODEL_ROLE_MODEL] = N_ ("Model"),
  [HEARTH_MODEL_ROLE_PROJECTOR] = N_ ("Projector"),
  [HEARTH_MODEL_ROLE_DRAFT] = N_ ("Draft model"),
  [HEARTH_MODEL_ROLE_ADAPTER] = N_ ("Adapter"),
  [HEARTH_MODEL_ROLE_VOCABULARY] = N_ ("Vocabulary"),
  [HEARTH_MODEL_ROLE_IMATRIX] = N_ ("Importance matrix"),
};

HearthStanding
hearth_model_words_get_standing (HearthModelFile *model)
{
  const HearthModelHeader *header = hearth_model_file_get_header (model);

  if (hearth_model_file_get_presence (model) == HEARTH_MODEL_PRESENCE_GONE)
    return HEARTH_STANDING_GONE;
  if (hearth_model_file_get_loaded (model))
    return HEARTH_STANDING_LOADED;
  if (hearth_model_file_get_presence (model) == HEARTH_MODEL_PRESENCE_WRITING)
    return HEARTH_STANDING_WRITING;
  if (hearth_model_file_get_facts (model)->n_missing > 0)
    return HEARTH_STANDING_INCOMPLETE;
  if (hearth_model_file_get_state (model) == HEARTH_MODEL_FILE_FAILED)
    return HEARTH_STANDING_DAMAGED;
  if (header == NULL)
    return HEARTH_STANDING_UNKNOWN;
  if (header->expected_size > header->size)
    return HEARTH_STANDING_INCOMPLETE;
  if (hearth_model_file_get_role (model) != HEARTH_MODEL_ROLE_MODEL)
    return HEARTH_STANDING_COMPANION;
  if (header->fit_error != NULL || !header->has_vocabulary)
    return HEARTH_STANDING_CANNOT_RUN;
  return header->fit.fits ? HEARTH_STANDING_FITS : HEARTH_STANDING_TOO_BIG;
}

const char *
hearth_model_words_for_standing (HearthStanding standing)
{
  return _ (standings[standing].word);
}

const char *
hearth_model_words_icon_for_standing (HearthStanding standing)
{
  return standings[standing].icon;
}

const char *
hearth_model_words_for_role (HearthModelRole role)
{
  return _ (roles[role]);
}

char *
hearth_model_words_for_row (HearthModelFile *model)
{
  const HearthModelHeader *header = hearth_model_file_get_header (model);
  HearthStanding standing = hearth_model_words_get_standing (model);
  HearthModelFile *parent = hearth_model_file_get_parent (model);
  guint64 size = hearth_model_file_get_size (model);
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_auto (GStrv) list = NULL;

  if (header != NULL && header->quantization != NULL)
    g_strv_builder_add (words, header->quantization);
  if (size > 0)
    g_strv_builder_take (words, hearth_words_for_size (size));
  if (standing != HEARTH_STANDING_COMPANION)
    g_strv_builder_add (words, hearth_model_words_for_standing (standing));
  if (hearth_model_file_get_role (model) != HEARTH_MODEL_ROLE_MODEL)
    g_strv_builder_add (words, hearth_model_words_for_role (hearth_model_file_get_role (model)));
  if (parent != NULL)
    /* Translators: a file that goes with a model: "for Qwen3 4B" */
    g_strv_builder_take (words,
                         g_strdup_printf (_ ("for %s"), hearth_model_file_get_title (parent)));
  if (*hearth_model_file_get_stores (model) != '\0')
    g_strv_builder_add (words, hearth_model_file_get_stores (model));
  list = g_strv_builder_end (words);
  return g_strjoinv (", ", list);
}

/* ---- rows of the model button ------------------------------------------------------------ */

char *
hearth_model_words_choice_detail (gpointer item, HearthModelFile *file, guint state,
                                  gboolean loaded)
{
  const HearthModelHeader *header = file != NULL ? hearth_model_file_get_header (file) : NULL;
  const char *standing;
  g_autofree char *size = NULL;

  if (header == NULL)
    return g_strdup ("");
  standing = hearth_model_words_for_standing (hearth_model_words_get_standing (file));
  size = hearth_words_for_size (header->size);
  if (header->quantization == NULL)
    return g_strdup_printf ("%s · %s", standing, size);
  return g_strdup_printf ("%s · %s · %s", standing, header->quantization, size);
}

char *
hearth_model_words_choice_icon (gpointer item, HearthModelFile *file, guint state, gboolean loaded)
{
  return g_strdup (
    standings[file != NULL ? hearth_model_words_get_standing (file) : HEARTH_STANDING_UNKNOWN]
      .icon);
}

GStrv
hearth_model_words_choice_classes (gpointer item, HearthModelFile *file, guint state,
                                   gboolean loaded)
{
  HearthStanding standing =
    file != NULL ? hearth_model_words_get_standing (file) : HEARTH_STANDING_UNKNOWN;
  const char *style = "dimmed";

  if (standing == HEARTH_STANDING_FITS || standing == HEARTH_STANDING_LOADED)
    style = "success";
  else if (standing == HEARTH_STANDING_TOO_BIG)
    style = "warning";
  return g_strdupv ((char *[]) { (char *) style, NULL });
}
