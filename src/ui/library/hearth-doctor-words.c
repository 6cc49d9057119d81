/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-doctor-words.h"

#include <glib/gi18n.h>

#include "hearth-words.h"

/* What can be done; said of many things. */
#define ADVICE_DOWNLOAD                                                                            \
  N_ ("Download the file again, and compare its size with the one on the server.")
#define ADVICE_CONVERT N_ ("Convert the model again with a current converter.")
#define ADVICE_SOURCE N_ ("Get the file again, or from another source.")
#define ADVICE_SET N_ ("Set the key to the right value in a copy of the file.")
#define ADVICE_RENAME N_ ("Rename the key in a copy of the file.")
#define ADVICE_REMOVE N_ ("Remove the key in a copy of the file.")
#define ADVICE_OTHERS N_ ("Hearth reads it; other programs may refuse the file.")
#define ADVICE_HARMLESS N_ ("This does no harm here.")
#define ADVICE_NEWER                                                                               \
  N_ ("A newer version of Hearth may know it. Check the spelling if you made the file.")
#define ADVICE_TEMPLATE N_ ("Get a corrected template, or the file from another source.")
#define ADVICE_INSPECT N_ ("It can be inspected, but not run yet.")
#define ADVICE_PARTS N_ ("Put all parts into one folder, and download a wrong one again.")
#define ADVICE_ADAPTER N_ ("Convert the adapter again.")
#define ADVICE_MATRIX N_ ("Measure the importance matrix again.")
#define ADVICE_IGNORED N_ ("It is ignored.")
#define ADVICE_DISK N_ ("Check the disk, and whether there is enough memory.")
#define ADVICE_ACCESS N_ ("Check that it is still there and that you may read it.")
#define ADVICE_QUANTIZE N_ ("Quantize the model again with a type that fits its rows.")
#define ADVICE_NONSENSE                                                                            \
  N_ ("The model may answer nonsense. Get the file again, or from another source.")
#define ADVICE_LABEL N_ ("It only says how the file was made. Set it right in a copy of the file.")

/* One row per code of the engine's. The figures are in its own sentence, which is shown under
 * "Details": these are what people read first. */
static const struct
{
  const char *code;
  const char *sentence;
  const char *advice;
} words[] = {
  { "not-gguf", N_ ("This is not a GGUF file."), ADVICE_DOWNLOAD },
  { "cannot-open", N_ ("The file cannot be opened."), ADVICE_ACCESS },
  { "io", N_ ("The file cannot be read."), ADVICE_DISK },
  { "failed", N_ ("The file could not be examined."), ADVICE_DISK },
  { "truncated", N_ ("The file ends inside its own header."), ADVICE_DOWNLOAD },
  { "header-too-large", N_ ("The header is larger than any model needs."), ADVICE_DOWNLOAD },
  { "beyond-file", N_ ("A length in the header leads past the end of the file."), ADVICE_DOWNLOAD },
  { "too-long", N_ ("A name or text in the header is longer than any can be."), ADVICE_DOWNLOAD },
  { "overflow", N_ ("A tensor is larger than any file can be."), ADVICE_DOWNLOAD },
  { "dimensions", N_ ("A tensor has a shape that cannot be."), ADVICE_DOWNLOAD },
  { "version", N_ ("The file has a GGUF version that Hearth does not know."), ADVICE_CONVERT },
  { "version-old", N_ ("The file has an old GGUF version."), ADVICE_OTHERS },
  { "endian", N_ ("The file is big-endian; nearly all are little-endian."), ADVICE_OTHERS },
  { "endian-version", N_ ("The file is big-endian, but its version knows no big-endian files."),
    ADVICE_OTHERS },
  { "empty", N_ ("The file holds neither keys nor tensors."), ADVICE_DOWNLOAD },
  { "no-metadata", N_ ("The file has tensors but no keys that say what they are."),
    ADVICE_CONVERT },
  { "value-type", N_ ("A key has a type of value that does not exist."), ADVICE_DOWNLOAD },
  { "nesting", N_ ("A key holds arrays that are nested too deeply."), ADVICE_REMOVE },
  { "nested", N_ ("A key holds an array of arrays."), ADVICE_OTHERS },
  { "type-newer", N_ ("A key has a type that is newer than the file’s version."), ADVICE_OTHERS },
  { "alignment", N_ ("The alignment of the data cannot be what the file says."), ADVICE_CONVERT },
  { "alignment-type", N_ ("The alignment is stored as the wrong type."), ADVICE_CONVERT },
  { "alignment-odd", N_ ("The alignment of the data is no power of two."), ADVICE_OTHERS },
  { "alignment-small", N_ ("The data is aligned more loosely than other programs need."),
    ADVICE_OTHERS },
  { "padding", N_ ("There are bytes other than zero where padding should be."), ADVICE_HARMLESS },
  { "padding-missing", N_ ("The padding after the last tensor is missing."), ADVICE_HARMLESS },
  { "trailing", N_ ("The file goes on after the last tensor."), ADVICE_IGNORED },
  { "data-truncated", N_ ("The file is incomplete: the end of its data is missing."),
    ADVICE_DOWNLOAD },
  { "data-zeros", N_ ("The end of the data is all zeros, as an unfinished download leaves it."),
    ADVICE_DOWNLOAD },
  { "offset", N_ ("A tensor does not begin where the alignment wants it."), ADVICE_CONVERT },
  { "row-length", N_ ("The rows of a tensor do not fill whole blocks of its type."),
    ADVICE_QUANTIZE },
  { "tensor-type", N_ ("A tensor has a type that Hearth does not know."), ADVICE_SOURCE },
  { "tensor-duplicate", N_ ("Two tensors have the same name."), ADVICE_CONVERT },
  { "tensor-overlap", N_ ("Two tensors lie over each other in the file."), ADVICE_DOWNLOAD },
  { "tensor-gap", N_ ("There is a gap in front of a tensor."), ADVICE_OTHERS },
  { "tensor-order", N_ ("Tensors are not stored in the order of their table."), ADVICE_OTHERS },
  { "tensor-name-empty", N_ ("A tensor has no name, so nothing can refer to it."), ADVICE_CONVERT },
  { "tensor-name-long", N_ ("The name of a tensor is too long."), ADVICE_OTHERS },
  { "tensor-name-utf8", N_ ("The name of a tensor is not valid text."), ADVICE_OTHERS },
  { "tensor-name-control", N_ ("The name of a tensor holds a control character."), ADVICE_OTHERS },
  { "tensor-zero", N_ ("A tensor is empty."), ADVICE_OTHERS },
  { "key-empty", N_ ("A key has no name."), ADVICE_REMOVE },
  { "key-duplicate", N_ ("A key is there more than once; the first one counts."), ADVICE_OTHERS },
  { "key-long", N_ ("The name of a key is too long."), ADVICE_REMOVE },
  { "key-utf8", N_ ("The name of a key is not valid text."), ADVICE_RENAME },
  { "key-syntax", N_ ("The name of a key is not spelled as keys are."), ADVICE_RENAME },
  { "key-type", N_ ("A key has the wrong type."), ADVICE_SET },
  { "key-width", N_ ("A key has another number type than usual."), ADVICE_OTHERS },
  { "key-integer", N_ ("A key holds whole numbers where others have decimal ones."),
    ADVICE_OTHERS },
  { "key-layers", N_ ("A list does not have one entry for each layer."), ADVICE_CONVERT },
  { "key-nan", N_ ("A key holds something that is no number."), ADVICE_CONVERT },
  { "key-missing", N_ ("A key that every model of this kind needs is missing."), ADVICE_CONVERT },
  { "bool", N_ ("A yes-or-no value is neither; it counts as yes."), ADVICE_SET },
  { "text-utf8", N_ ("A text is not valid; broken characters are shown as �."), ADVICE_SET },
  { "text-control", N_ ("A text holds control characters."), ADVICE_SET },
  { "range", N_ ("The value of a key is out of range."), ADVICE_CONVERT },
  { "rope", N_ ("The position encoding is described wrongly."), ADVICE_CONVERT },
  { "heads", N_ ("The numbers of attention heads do not fit together."), ADVICE_CONVERT },
  { "experts", N_ ("More experts are used than there are."), ADVICE_CONVERT },
  { "file-type", N_ ("The tensors are not of the types that the file claims."), ADVICE_LABEL },
  { "quantization-version", N_ ("The version of the quantization is missing."), ADVICE_HARMLESS },
  { "architecture-missing", N_ ("The file does not say what kind of model it is."),
    ADVICE_CONVERT },
  { "architecture-unknown", N_ ("The file names an unknown architecture."), ADVICE_NEWER },
  { "architecture-not-runnable", N_ ("Hearth knows this architecture, but cannot run it yet."),
    ADVICE_INSPECT },
  { "not-runnable", N_ ("Hearth cannot run this model yet."), ADVICE_INSPECT },
  { "no-tensors", N_ ("The file holds no tensors, so nothing can be run with it."), ADVICE_SOURCE },
  { "layer-missing", N_ ("A layer has no tensors."), ADVICE_CONVERT },
  { "layer-extra", N_ ("There are tensors of a layer that the model does not have."),
    ADVICE_CONVERT },
  { "tensor-missing", N_ ("A tensor that the model needs is missing."), ADVICE_CONVERT },
  { "tensor-shape", N_ ("A tensor has a shape that does not fit the model."), ADVICE_CONVERT },
  { "shape", N_ ("The keys that describe the model contradict each other."), ADVICE_CONVERT },
  { "part-name", N_ ("The file is a part of a model, but its name does not say which."),
    ADVICE_OTHERS },
  { "part-missing", N_ ("A part of the model is missing."), ADVICE_PARTS },
  { "part-foreign", N_ ("A part belongs to another model."), ADVICE_PARTS },
  { "part-damaged", N_ ("Another part of the model is damaged."), ADVICE_PARTS },
  { "part-duplicate", N_ ("Two parts hold the same tensor."), ADVICE_PARTS },
  { "part-number", N_ ("The number of the part cannot be right."), ADVICE_PARTS },
  { "part-tensors", N_ ("The parts do not hold as many tensors as they should."), ADVICE_PARTS },
  { "no-vocabulary", N_ ("The model has no vocabulary, so it cannot read or write text."), NULL },
  { "vocabulary-missing", N_ ("A part of the vocabulary is missing."), ADVICE_CONVERT },
  { "vocabulary-length", N_ ("Lists of the vocabulary have different lengths."), ADVICE_CONVERT },
  { "tokenizer-unknown", N_ ("The vocabulary is of an unknown kind."), ADVICE_NEWER },
  { "pre-default",
    N_ ("The file does not say how to cut text into words, so it is cut in wrong places."),
    ADVICE_CONVERT },
  { "pre-unknown", N_ ("The way to cut text into words is unknown."), ADVICE_NEWER },
  { "pre-wrong", N_ ("The way to cut text into words is a known mistake of old converters."),
    ADVICE_CONVERT },
  { "token-duplicate", N_ ("Two tokens have the same text."), ADVICE_CONVERT },
  { "token-id", N_ ("A special token has a number that does not exist."), ADVICE_SET },
  { "token-type", N_ ("Tokens have types that do not exist."), ADVICE_CONVERT },
  { "token-rows", N_ ("There are more tokens than the model has rows for."), ADVICE_CONVERT },
  { "token-padding", N_ ("The vocabulary is padded with rows that no token uses."),
    ADVICE_HARMLESS },
  { "token-count", N_ ("The number of tokens is not what the file says."), ADVICE_CONVERT },
  { "merge", N_ ("Merges of the vocabulary are malformed."), ADVICE_CONVERT },
  { "merge-token", N_ ("Merges of the vocabulary lead to texts that are no tokens."),
    ADVICE_CONVERT },
  { "charsmap", N_ ("The table that normalizes characters is damaged."), ADVICE_CONVERT },
  { "end-of-turn", N_ ("The end of a turn cannot be told, so an answer may not end."),
    ADVICE_CONVERT },
  { "template-syntax", N_ ("The chat template has a syntax error."), ADVICE_TEMPLATE },
  { "template-fails", N_ ("The chat template fails on a plain conversation."), ADVICE_TEMPLATE },
  { "template-empty", N_ ("The chat template makes an empty prompt."), ADVICE_TEMPLATE },
  { "template-user", N_ ("The chat template leaves out what the user says."), ADVICE_TEMPLATE },
  { "template-system", N_ ("The chat template refuses a system message, as some do."),
    ADVICE_HARMLESS },
  { "template-attribute", N_ ("The chat template is unsafe: it reaches for what no chat needs."),
    ADVICE_TEMPLATE },
  { "template-many", N_ ("There are many chat templates; not all of them were tried."), NULL },
  { "adapter-type", N_ ("The adapter is of another type than LoRA."), ADVICE_OTHERS },
  { "adapter-alpha", N_ ("The adapter does not say how strong it is; it is applied as it is."),
    ADVICE_HARMLESS },
  { "lora-pair", N_ ("Half of a pair of LoRA tensors is missing."), ADVICE_ADAPTER },
  { "lora-rank", N_ ("The two halves of a LoRA pair do not fit together."), ADVICE_ADAPTER },
  { "lora-name", N_ ("A tensor of the adapter belongs to no pair."), ADVICE_OTHERS },
  { "imatrix-pair", N_ ("Half of a pair of the importance matrix is missing."), ADVICE_MATRIX },
  { "imatrix-name", N_ ("A tensor does not belong in an importance matrix."), ADVICE_IGNORED },
  { "vector-name", N_ ("A tensor does not belong in a control vector."), ADVICE_IGNORED },
  { "vector-hint", N_ ("The control vector does not say which architecture it is for."),
    ADVICE_HARMLESS },
  { "projector-type", N_ ("The projector does not say of what type it is."), ADVICE_OTHERS },
  { "data-nan", N_ ("A tensor holds values that are no numbers."), ADVICE_NONSENSE },
  { "data-scale", N_ ("Blocks of a tensor have scales that cannot be."), ADVICE_NONSENSE },
  { "data-zero", N_ ("Rows of a tensor are nothing but zeros."), NULL },
  { "checksum", N_ ("A checksum of all tensor data was made."), NULL },
};

/* Rows of zeros are usual for tokens that were never trained, and bad elsewhere: the engine knows.
 */
static const char *
advice_for_zeros (HearthSeverity severity)
{
  return severity == HEARTH_SEVERITY_INFO ? N_ ("Usual for tokens that were never trained.")
                                          : ADVICE_NONSENSE;
}

static gsize
find (const char *code)
{
  gsize i = 0;

  while (i < G_N_ELEMENTS (words) && !g_str_equal (words[i].code, code))
    i++;
  return i;
}

gboolean
hearth_doctor_words_know (const char *code)
{
  return find (code) < G_N_ELEMENTS (words);
}

char *
hearth_doctor_words_for_diagnosis (HearthDiagnosis *diagnosis)
{
  gsize at = find (hearth_diagnosis_get_code (diagnosis));
  guint64 n_more = hearth_diagnosis_get_n_more (diagnosis);
  const char *sentence =
    at < G_N_ELEMENTS (words) ? _ (words[at].sentence) : hearth_diagnosis_get_message (diagnosis);

  if (n_more > 0)
    {
      g_autofree char *number = hearth_words_for_number (n_more);

      return g_strdup_printf (ngettext ("%1$s more of these: %2$s", "%1$s more of these: %2$s",
                                        (gulong) MIN (n_more, G_MAXULONG)),
                              number, sentence);
    }
  return g_strdup (sentence);
}

const char *
hearth_doctor_words_for_advice (HearthDiagnosis *diagnosis)
{
  const char *code = hearth_diagnosis_get_code (diagnosis);
  gsize at = find (code);

  if (hearth_diagnosis_get_n_more (diagnosis) > 0)
    return "";
  if (at == G_N_ELEMENTS (words))
    return hearth_diagnosis_get_advice (diagnosis);
  if (g_str_equal (code, "data-zero"))
    return _ (advice_for_zeros (hearth_diagnosis_get_severity (diagnosis)));
  return words[at].advice != NULL ? _ (words[at].advice) : "";
}

char *
hearth_doctor_words_for_place (HearthDiagnosis *diagnosis)
{
  const char *file = hearth_diagnosis_get_file (diagnosis);
  const char *item = hearth_diagnosis_get_item (diagnosis);
  g_autofree char *name = file != NULL ? g_path_get_basename (file) : NULL;
  g_autofree char *shown = name != NULL ? g_filename_display_name (name) : NULL;
  g_autofree char *place = NULL;

  if (hearth_diagnosis_get_place (diagnosis) == HEARTH_PLACE_KEY && item != NULL)
    /* Translators: a key of the metadata */
    place = g_strdup_printf (_ ("Key “%s”"), item);
  else if (hearth_diagnosis_get_place (diagnosis) == HEARTH_PLACE_TENSOR && item != NULL)
    place = g_strdup_printf (_ ("Tensor “%s”"), item);
  if (place != NULL && shown != NULL)
    return g_strdup_printf ("%s · %s", shown, place);
  if (place != NULL)
    return g_steal_pointer (&place);
  return g_strdup (shown != NULL ? shown : "");
}

char *
hearth_doctor_words_for_verdict (HearthDoctor *doctor)
{
  guint n_errors = hearth_doctor_count (doctor, HEARTH_SEVERITY_ERROR);
  guint n_warnings = hearth_doctor_count (doctor, HEARTH_SEVERITY_WARNING);

  if (n_errors > 0)
    return g_strdup_printf (ngettext ("This file cannot be trusted: %u error was found.",
                                      "This file cannot be trusted: %u errors were found.",
                                      n_errors),
                            n_errors);
  if (n_warnings > 0)
    return g_strdup_printf (ngettext ("This file can be used, with %u thing to look at.",
                                      "This file can be used, with %u things to look at.",
                                      n_warnings),
                            n_warnings);
  return g_strdup (_ ("Nothing is wrong with this file."));
}

const char *
hearth_doctor_words_for_extent (HearthDoctor *doctor)
{
  if (!hearth_doctor_get_readable (doctor))
    return _ ("The examination ended where the file could not be read on.");
  if (hearth_doctor_get_values_checked (doctor))
    return _ ("Header, keys, tensor table and every value were examined.");
  return _ ("Header, keys and tensor table were examined. The values were not.");
}

const char *
hearth_doctor_words_for_severity (HearthSeverity severity)
{
  switch (severity)
    {
    case HEARTH_SEVERITY_ERROR:
      return _ ("Error");
    case HEARTH_SEVERITY_WARNING:
      return _ ("Warning");
    case HEARTH_SEVERITY_INFO:
    default:
      return _ ("Note");
    }
}

char *
hearth_doctor_words_for_report (HearthDoctor *doctor)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autofree char *verdict = hearth_doctor_words_for_verdict (doctor);
  g_autofree char *file = g_filename_display_name (hearth_doctor_get_path (doctor));

  g_string_append_printf (out, "%s\n%s\n%s\n", file, verdict,
                          hearth_doctor_words_for_extent (doctor));
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (doctor)); i++)
    {
      g_autoptr (HearthDiagnosis) diagnosis = g_list_model_get_item (G_LIST_MODEL (doctor), i);
      HearthSeverity severity = hearth_diagnosis_get_severity (diagnosis);
      g_autofree char *sentence = hearth_doctor_words_for_diagnosis (diagnosis);
      g_autofree char *place = hearth_doctor_words_for_place (diagnosis);
      const char *advice = hearth_doctor_words_for_advice (diagnosis);

      g_string_append_printf (out, "\n%s: %s\n", hearth_doctor_words_for_severity (severity),
                              sentence);
      if (*place != '\0')
        g_string_append_printf (out, "  %s\n", place);
      if (*advice != '\0')
        g_string_append_printf (out, "  %s\n", advice);
      g_string_append_printf (out, "  %s\n", hearth_diagnosis_get_message (diagnosis));
    }
  return g_string_free_and_steal (g_steal_pointer (&out));
}
