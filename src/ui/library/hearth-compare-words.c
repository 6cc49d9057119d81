/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-compare-words.h"

#include <glib/gi18n.h>

#include "hearth-words.h"

const char *
hearth_compare_words_for_change (HearthChange change)
{
  switch (change)
    {
    case HEARTH_CHANGE_ADDED:
      /* Translators: a key or tensor of the second of two files */
      return _ ("Only there");
    case HEARTH_CHANGE_REMOVED:
      return _ ("Only here");
    case HEARTH_CHANGE_CHANGED:
      return _ ("Changed");
    case HEARTH_CHANGE_SAME:
    default:
      return _ ("Same");
    }
}

char *
hearth_compare_words_for_error (const HearthValueError *error)
{
  double percent = error->relative_rms * 100;
  g_autofree char *least = NULL;

  if (error->n_different == 0)
    return g_strdup (_ ("Equal"));
  least = hearth_words_for_percent (MAX (percent, 0.001), percent < 0.1 ? 3 : 2);
  /* Translators: a figure in per cent */
  return percent < 0.001 ? g_strdup_printf (_ ("under %s"), least) : g_steal_pointer (&least);
}

char *
hearth_compare_words_for_all_of_error (const HearthValueError *error)
{
  g_autofree char *different = hearth_words_for_number (error->n_different);

  return g_strdup_printf (_ ("Relative RMS error: %1$.6g\n"
                             "Largest difference: %2$.6g\n"
                             "Cosine similarity: %3$.8f\n"
                             "Values that differ: %4$s"),
                          error->relative_rms, error->maximum, error->cosine, different);
}

char *
hearth_compare_words_for_file (const HearthComparisonSide *side)
{
  g_autofree char *base = g_path_get_basename (side->path);

  return g_filename_display_name (base);
}

static guint
count_keys (GListModel *keys)
{
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (keys); i++)
    {
      g_autoptr (HearthComparedKey) key = g_list_model_get_item (keys, i);

      n += hearth_compared_key_get_change (key) != HEARTH_CHANGE_SAME ? 1 : 0;
    }
  return n;
}

static guint
count_tensors (GListModel *tensors)
{
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (tensors); i++)
    {
      g_autoptr (HearthComparedTensor) tensor = g_list_model_get_item (tensors, i);

      n += hearth_compared_tensor_get_change (tensor) != HEARTH_CHANGE_SAME ? 1 : 0;
    }
  return n;
}

char *
hearth_compare_words_for_verdict (HearthComparison *comparison)
{
  const HearthComparisonSide *first = hearth_comparison_get_side (comparison, FALSE);
  const HearthComparisonSide *second = hearth_comparison_get_side (comparison, TRUE);
  guint n_keys = count_keys (hearth_comparison_get_keys (comparison));
  guint n_tensors = count_tensors (hearth_comparison_get_tensors (comparison));
  gboolean all = hearth_comparison_get_n_measured (comparison) ==
                 hearth_comparison_get_n_comparable (comparison);
  g_autofree char *keys_number = hearth_words_for_number (n_keys);
  g_autofree char *tensors_number = hearth_words_for_number (n_tensors);
  g_autofree char *keys = NULL;
  g_autofree char *tensors = NULL;

  if (first->architecture != NULL && second->architecture != NULL &&
      g_strcmp0 (first->architecture, second->architecture) != 0)
    /* Translators: names of architectures, "llama" and "gemma3" */
    return g_strdup_printf (_ ("These are models of different architectures, “%1$s” and “%2$s”. "
                               "Little in them can be compared."),
                            first->architecture, second->architecture);
  if (n_keys == 0 && n_tensors == 0 && all)
    return g_strdup (_ ("Keys, tensors and values are the same in both files."));
  if (n_keys == 0 && n_tensors == 0)
    return g_strdup (_ ("Keys and tensors are the same in both files. Measure the values to see "
                        "whether these are, too."));
  keys = g_strdup_printf (ngettext ("%s key differs", "%s keys differ", n_keys), keys_number);
  tensors = g_strdup_printf (ngettext ("%s tensor differs", "%s tensors differ", n_tensors),
                             tensors_number);
  if (n_tensors == 0)
    return g_strdup_printf (_ ("%s. The tensors are of the same shapes and types."), keys);
  if (n_keys == 0)
    return g_strdup_printf (_ ("%s. The keys are the same."), tensors);
  /* Translators: "3 keys differ, 12 tensors differ." */
  return g_strdup_printf (_ ("%1$s, %2$s."), keys, tensors);
}

static void
add_key (GString *out, HearthComparedKey *key)
{
  const char *first = hearth_compared_key_get_first (key);
  const char *second = hearth_compared_key_get_second (key);

  g_string_append_printf (out, "%s: %s → %s\n", hearth_compared_key_get_name (key),
                          first != NULL ? first : "–", second != NULL ? second : "–");
}

static void
add_tensor (GString *out, HearthComparedTensor *tensor)
{
  const HearthValueError *error = hearth_compared_tensor_get_error (tensor);
  const char *types[2];

  for (guint i = 0; i < 2; i++)
    {
      types[i] = hearth_compared_tensor_get_type_name (tensor, i == 1);
      types[i] = types[i] != NULL ? types[i] : "–";
    }
  g_string_append_printf (out, "%s: %s → %s", hearth_compared_tensor_get_name (tensor), types[0],
                          types[1]);
  if (error != NULL)
    {
      g_autofree char *text = hearth_compare_words_for_error (error);

      g_string_append_printf (out, ", %s", text);
    }
  g_string_append_c (out, '\n');
}

char *
hearth_compare_words_for_report (HearthComparison *comparison)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autofree char *first =
    hearth_compare_words_for_file (hearth_comparison_get_side (comparison, FALSE));
  g_autofree char *second =
    hearth_compare_words_for_file (hearth_comparison_get_side (comparison, TRUE));
  g_autofree char *verdict = hearth_compare_words_for_verdict (comparison);
  GListModel *keys = hearth_comparison_get_keys (comparison);
  GListModel *tensors = hearth_comparison_get_tensors (comparison);

  g_string_append_printf (out, "%s ↔ %s\n%s\n\n", first, second, verdict);
  for (guint i = 0; i < g_list_model_get_n_items (keys); i++)
    {
      g_autoptr (HearthComparedKey) key = g_list_model_get_item (keys, i);

      if (hearth_compared_key_get_change (key) != HEARTH_CHANGE_SAME)
        add_key (out, key);
    }
  g_string_append_c (out, '\n');
  for (guint i = 0; i < g_list_model_get_n_items (tensors); i++)
    {
      g_autoptr (HearthComparedTensor) tensor = g_list_model_get_item (tensors, i);

      if (hearth_compared_tensor_get_change (tensor) != HEARTH_CHANGE_SAME)
        add_tensor (out, tensor);
    }
  return g_string_free_and_steal (g_steal_pointer (&out));
}
