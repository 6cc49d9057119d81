/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tensor-role.h"

#include <string.h>

#include <glib/gi18n.h>

/* In the order in which a model uses them. */
static const struct
{
  const char *stem;
  const char *title;
} roles[] = {
  { "token_embd", N_ ("Token embedding") },
  { "token_embd_norm", N_ ("Embedding norm") },
  { "per_layer_token_embd", N_ ("Per-layer embedding") },
  { "per_layer_model_proj", N_ ("Per-layer projection") },
  { "per_layer_proj_norm", N_ ("Per-layer norm") },
  { "position_embd", N_ ("Position embedding") },
  { "token_types", N_ ("Token type embedding") },
  { "rope_freqs", N_ ("RoPE factors") },
  { "rope_factors_long", N_ ("RoPE factors, long") },
  { "rope_factors_short", N_ ("RoPE factors, short") },
  { "attn_norm", N_ ("Attention norm") },
  { "attn_norm_2", N_ ("Second attention norm") },
  { "attn_qkv", N_ ("Attention Q, K, V") },
  { "attn_q", N_ ("Attention Q") },
  { "attn_q_a", N_ ("Attention Q, down") },
  { "attn_q_a_norm", N_ ("Attention Q, norm between") },
  { "attn_q_b", N_ ("Attention Q, up") },
  { "attn_q_norm", N_ ("Attention Q norm") },
  { "attn_k", N_ ("Attention K") },
  { "attn_k_b", N_ ("Attention K, up") },
  { "attn_k_norm", N_ ("Attention K norm") },
  { "attn_v", N_ ("Attention V") },
  { "attn_v_b", N_ ("Attention V, up") },
  { "attn_kv_a_mqa", N_ ("Attention KV, down") },
  { "attn_kv_a_norm", N_ ("Attention KV, norm between") },
  { "attn_kv_b", N_ ("Attention KV, up") },
  { "attn_sinks", N_ ("Attention sinks") },
  { "attn_gate", N_ ("Attention gate") },
  { "attn_output", N_ ("Attention output") },
  { "attn_output_norm", N_ ("Attention output norm") },
  { "post_attention_norm", N_ ("Norm after attention") },
  { "ssm_in", N_ ("SSM input") },
  { "ssm_conv1d", N_ ("SSM convolution") },
  { "ssm_x", N_ ("SSM x") },
  { "ssm_dt", N_ ("SSM time step") },
  { "ssm_a", N_ ("SSM A") },
  { "ssm_d", N_ ("SSM D") },
  { "ssm_alpha", N_ ("SSM alpha") },
  { "ssm_beta", N_ ("SSM beta") },
  { "ssm_ba", N_ ("SSM beta and alpha") },
  { "ssm_norm", N_ ("SSM norm") },
  { "ssm_out", N_ ("SSM output") },
  { "shortconv.in_proj", N_ ("Short convolution input") },
  { "shortconv.conv", N_ ("Short convolution") },
  { "shortconv.out_proj", N_ ("Short convolution output") },
  { "ffn_norm", N_ ("Feed-forward norm") },
  { "ffn_gate", N_ ("Feed-forward gate") },
  { "ffn_up", N_ ("Feed-forward up") },
  { "ffn_down", N_ ("Feed-forward down") },
  { "ffn_gate_inp", N_ ("Router") },
  { "exp_probs_b", N_ ("Router correction") },
  { "ffn_gate_up_exps", N_ ("Experts gate and up") },
  { "ffn_gate_exps", N_ ("Experts gate") },
  { "ffn_up_exps", N_ ("Experts up") },
  { "ffn_down_exps", N_ ("Experts down") },
  { "ffn_gate_inp_shexp", N_ ("Shared expert router") },
  { "ffn_gate_shexp", N_ ("Shared expert gate") },
  { "ffn_up_shexp", N_ ("Shared expert up") },
  { "ffn_down_shexp", N_ ("Shared expert down") },
  { "post_ffw_norm", N_ ("Norm after feed-forward") },
  { "layer_output_norm", N_ ("Layer output norm") },
  { "layer_output_scale", N_ ("Layer output scale") },
  { NULL, NULL }, /* those without a word */
  { "output_norm", N_ ("Output norm") },
  { "output", N_ ("Output head") },
  { "cls", N_ ("Classifier") },
  { "cls.output", N_ ("Classifier output") },
};

/* The end of "blk.12." at `text`, or NULL. */
static const char *
parse_layer (const char *text, int *layer)
{
  gint64 number = 0;
  const char *at = text + strlen ("blk.");

  if (!g_str_has_prefix (text, "blk.") || !g_ascii_isdigit (*at) ||
      (*at == '0' && g_ascii_isdigit (at[1])))
    return NULL;
  for (; g_ascii_isdigit (*at); at++)
    {
      number = number * 10 + (*at - '0');
      if (number > HEARTH_LAST_LAYER)
        return NULL;
    }
  if (*at != '.')
    return NULL;
  *layer = (int) number;
  return at + 1;
}

static gboolean
is_stem (const char *key, const char *stem, const char **suffix)
{
  gsize n = strlen (stem);

  if (strncmp (key, stem, n) != 0 || (key[n] != '\0' && key[n] != '.'))
    return FALSE;
  if (key[n] != '\0' && strchr (key + n + 1, '.') != NULL)
    return FALSE; /* the beginning of a longer name */
  *suffix = key[n] == '\0' || g_str_equal (key + n + 1, "weight") ? NULL : key + n + 1;
  return TRUE;
}

void
hearth_tensor_place_init (HearthTensorPlace *place, const char *name)
{
  const char *begin = name;

  *place = (HearthTensorPlace) { .layer = -1 };
  /* "blk.", or after the name of one of several stacks: "enc.blk.", "v.blk." */
  for (const char *at = name; at != NULL; at = strchr (at, '.'), at = at != NULL ? at + 1 : NULL)
    {
      const char *end = parse_layer (at, &place->layer);

      if (end != NULL)
        {
          place->key = g_strdup_printf ("%.*s%s", (int) (at - begin), begin, end);
          break;
        }
    }
  if (place->key == NULL)
    place->key = g_strdup (name);
  for (guint i = 0; i < G_N_ELEMENTS (roles); i++)
    {
      if (roles[i].stem == NULL)
        place->order = i;
      else if (is_stem (place->key, roles[i].stem, &place->suffix))
        {
          place->order = i;
          place->title = roles[i].title;
          return;
        }
    }
}

void
hearth_tensor_place_clear (HearthTensorPlace *place)
{
  g_clear_pointer (&place->key, g_free);
}
