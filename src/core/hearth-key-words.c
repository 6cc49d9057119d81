/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-key-words.h"

#include <glib/gi18n.h>

/* The engine says in English what its standard keys mean; marked here for translation. A test
 * holds these lists against the engine's. */
static const char *const meanings[] = {
  NC_ ("metadata key", "0 none, 1 mean, 2 first, 3 last, 4 rank"),
  NC_ ("metadata key", "1 softmax, 2 sigmoid, 3 softmax of the chosen, 4 sqrt-softplus"),
  NC_ ("metadata key", "DOI"),
  NC_ ("metadata key", "KDA gate"),
  NC_ ("metadata key", "RWKV"),
  NC_ ("metadata key", "SPDX licence expression"),
  NC_ ("metadata key", "activation function"),
  NC_ ("metadata key", "adapters inside the model"),
  NC_ ("metadata key", "added below the root"),
  NC_ ("metadata key", "address of the licence"),
  NC_ ("metadata key", "alignment of tensor data"),
  NC_ ("metadata key", "architecture it is for"),
  NC_ ("metadata key", "attention and feed-forward side by side"),
  NC_ ("metadata key", "attention factor"),
  NC_ ("metadata key", "attention heads"),
  NC_ ("metadata key", "audio encoder"),
  NC_ ("metadata key", "base model {i}"),
  NC_ ("metadata key", "base of the rotation"),
  NC_ ("metadata key", "clamp by layer"),
  NC_ ("metadata key", "compression by layer"),
  NC_ ("metadata key", "context before scaling"),
  NC_ ("metadata key", "data set {i}"),
  NC_ ("metadata key", "data sets"),
  NC_ ("metadata key", "description"),
  NC_ ("metadata key", "diffusion"),
  NC_ ("metadata key", "distance of layers with experts"),
  NC_ ("metadata key", "draft layers at the end"),
  NC_ ("metadata key", "encoder"),
  NC_ ("metadata key", "every so manieth layer attends to all"),
  NC_ ("metadata key", "factor"),
  NC_ ("metadata key", "factor on the experts"),
  NC_ ("metadata key", "first token of the decoder"),
  NC_ ("metadata key", "from where queries are scaled"),
  NC_ ("metadata key", "groups of the norm"),
  NC_ ("metadata key", "groups of the output"),
  NC_ ("metadata key", "home page"),
  NC_ ("metadata key", "how it was measured"),
  NC_ ("metadata key", "how many base models follow"),
  NC_ ("metadata key", "how many data sets follow"),
  NC_ ("metadata key", "how text becomes tokens"),
  NC_ ("metadata key", "hyper-connections"),
  NC_ ("metadata key", "identifier"),
  NC_ ("metadata key", "importance matrix used"),
  NC_ ("metadata key", "key-value heads"),
  NC_ ("metadata key", "kind of each token"),
  NC_ ("metadata key", "kind of model"),
  NC_ ("metadata key", "kind of vocabulary"),
  NC_ ("metadata key", "kinds of segments"),
  NC_ ("metadata key", "labels"),
  NC_ ("metadata key", "labels of the classes"),
  NC_ ("metadata key", "languages"),
  NC_ ("metadata key", "layers fed with pictures"),
  NC_ ("metadata key", "layers it has"),
  NC_ ("metadata key", "layers of the decoder"),
  NC_ ("metadata key", "layers that use another one's cache"),
  NC_ ("metadata key", "layers without experts at the start"),
  NC_ ("metadata key", "length of the short convolution"),
  NC_ ("metadata key", "lora"),
  NC_ ("metadata key", "mixture of experts"),
  NC_ ("metadata key", "model, adapter, imatrix or mmproj"),
  NC_ ("metadata key", "name"),
  NC_ ("metadata key", "name of the base"),
  NC_ ("metadata key", "name of the licence"),
  NC_ ("metadata key", "name of the pre-tokenizer"),
  NC_ ("metadata key", "name of the tuning"),
  NC_ ("metadata key", "names of further templates"),
  NC_ ("metadata key", "never chosen"),
  NC_ ("metadata key", "none, linear, yarn or longrope"),
  NC_ ("metadata key", "norms as in Swin"),
  NC_ ("metadata key", "norms of the state space"),
  NC_ ("metadata key", "number of layers"),
  NC_ ("metadata key", "order of values in a tensor"),
  NC_ ("metadata key", "parts of the model"),
  NC_ ("metadata key", "parts of the rotation"),
  NC_ ("metadata key", "picture encoder"),
  NC_ ("metadata key", "position buckets"),
  NC_ ("metadata key", "projector"),
  NC_ ("metadata key", "recipe of tensor types"),
  NC_ ("metadata key", "recommended sampler setting"),
  NC_ ("metadata key", "recommended samplers"),
  NC_ ("metadata key", "repository"),
  NC_ ("metadata key", "rotated values of a head"),
  NC_ ("metadata key", "rules of the normalizer"),
  NC_ ("metadata key", "scaling of the context"),
  NC_ ("metadata key", "scaling of the context, old spelling"),
  NC_ ("metadata key", "score of each token"),
  NC_ ("metadata key", "size class"),
  NC_ ("metadata key", "size of the vocabulary"),
  NC_ ("metadata key", "soft cap"),
  NC_ ("metadata key", "sparse attention"),
  NC_ ("metadata key", "sparse attention by layer"),
  NC_ ("metadata key", "sparsity by layer"),
  NC_ ("metadata key", "special token"),
  NC_ ("metadata key", "state space"),
  NC_ ("metadata key", "strength of the adapter"),
  NC_ ("metadata key", "template of a conversation"),
  NC_ ("metadata key", "tensors in all parts"),
  NC_ ("metadata key", "texts it was measured on"),
  NC_ ("metadata key", "the original vocabulary"),
  NC_ ("metadata key", "tokens see only what is before them"),
  NC_ ("metadata key", "tokens that switch the adapter on"),
  NC_ ("metadata key", "trained context"),
  NC_ ("metadata key", "trained with the scaling"),
  NC_ ("metadata key", "version"),
  NC_ ("metadata key", "version of the block formats"),
  NC_ ("metadata key", "vocabulary"),
  NC_ ("metadata key", "vocoder"),
  NC_ ("metadata key", "weights of the chosen experts sum to 1"),
  NC_ ("metadata key", "what the adapter is for"),
  NC_ ("metadata key", "where it was made from"),
  NC_ ("metadata key", "which layer gets which picture features"),
  NC_ ("metadata key", "which layers are recurrent"),
  NC_ ("metadata key", "which layers rotate"),
  NC_ ("metadata key", "which layers slide"),
  NC_ ("metadata key", "which part this is, from 0"),
  NC_ ("metadata key", "who made it"),
  NC_ ("metadata key", "who published it"),
  NC_ ("metadata key", "who quantized it"),
  NC_ ("metadata key", "width inside an expert"),
  NC_ ("metadata key", "width inside the feed-forward part"),
  NC_ ("metadata key", "width of a KDA head"),
  NC_ ("metadata key", "width of a head or of its low-rank form"),
  NC_ ("metadata key", "width of the features"),
  NC_ ("metadata key", "width of the model"),
  NC_ ("metadata key", "width of the per-layer embeddings"),
  NC_ ("metadata key", "width of what comes out"),
  NC_ ("metadata key", "window of the sliding layers"),
  NC_ ("metadata key", "xIELU by layer"),
};

static const char *const units[] = {
  NC_ ("unit of a metadata key", "bytes"),   NC_ ("unit of a metadata key", "experts"),
  NC_ ("unit of a metadata key", "groups"),  NC_ ("unit of a metadata key", "heads"),
  NC_ ("unit of a metadata key", "layers"),  NC_ ("unit of a metadata key", "parts"),
  NC_ ("unit of a metadata key", "tensors"), NC_ ("unit of a metadata key", "token"),
  NC_ ("unit of a metadata key", "tokens"),  NC_ ("unit of a metadata key", "values"),
};

static const char *
find (const char *const *list, gsize n, const char *text)
{
  for (gsize i = 0; i < n; i++)
    {
      if (g_str_equal (list[i], text))
        return list[i];
    }
  return NULL;
}

const char *
hearth_key_words_find_meaning (const char *english)
{
  return find (meanings, G_N_ELEMENTS (meanings), english);
}

const char *
hearth_key_words_find_unit (const char *english)
{
  return find (units, G_N_ELEMENTS (units), english);
}

guint
hearth_key_words_get_n (void)
{
  return G_N_ELEMENTS (meanings) + G_N_ELEMENTS (units);
}

/* The first segment of a name that is a number: "2" of "general.base_model.2.name". */
static char *
dup_number (const char *name)
{
  g_auto (GStrv) segments = g_strsplit (name, ".", -1);

  for (char **at = segments; *at != NULL; at++)
    {
      if (**at != '\0' && strspn (*at, "0123456789") == strlen (*at))
        return g_strdup (*at);
    }
  return g_strdup ("");
}

char *
hearth_key_words_dup (const char *name, const char *meaning, const char *unit)
{
  g_autoptr (GString) text = g_string_new (g_dpgettext2 (GETTEXT_PACKAGE, "metadata key", meaning));

  if (strstr (text->str, "{i}") != NULL)
    {
      g_autofree char *number = dup_number (name);

      g_string_replace (text, "{i}", number, 0);
    }
  /* "number of layers" says it already */
  if (unit != NULL && strstr (meaning, unit) == NULL)
    {
      g_autofree char *plain = g_string_free_and_steal (g_steal_pointer (&text));

      /* Translators: what a metadata key means, and the unit of its value: "trained context
       * (tokens)" */
      return g_strdup_printf (_ ("%1$s (%2$s)"), plain,
                              g_dpgettext2 (GETTEXT_PACKAGE, "unit of a metadata key", unit));
    }
  return g_string_free_and_steal (g_steal_pointer (&text));
}
