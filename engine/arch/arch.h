/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arch.h - what kind of model a file holds: one constant row per architecture, and the shape of one
 * model read from its header by that row. Pure functions of the header; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>
#include <ember/gguf.h>

enum arch_norm_place {
    ARCH_PRE,     /* x += Attn(N1 x); x += FFN(N2 x) */
    ARCH_SANDWICH /* x += P1 Attn(N1 x); x += P2 FFN(N2 x) */
};

enum arch_rope { ARCH_ROPE_NORM, ARCH_ROPE_NEOX };

enum arch_act { ARCH_SILU, ARCH_GELU };

/* One architecture. Zero is the common choice: RMS norm before each half, no QK norm, full
 * attention, score scale 1/sqrt(d_head), gated SiLU, tied output when `output` is missing. */
struct arch {
    const char *name; /* general.architecture */
    enum arch_norm_place place;
    enum arch_rope rope;
    enum arch_act act;
    bool qk_norm;               /* RMS over each head before RoPE; its weights are required */
    bool embed_sqrt;            /* embedding × sqrt(embedding_length) */
    bool window;                /* reads attention.sliding_window */
    uint32_t window_period;     /* default pattern: layer il slides iff il mod n < n − 1 */
    double base_swa;            /* RoPE base of sliding layers; 0 = as the full ones */
    bool swa_unscaled;          /* sliding layers use frequency scale 1, no YaRN */
    uint32_t wide_scale_layers; /* with this many layers the score scale is 1/sqrt(D/H) */
    bool whole_head_rope;       /* n_rot must equal the head size */
    bool yarn_keys;             /* reads yarn_beta_fast, yarn_beta_slow, yarn_log_multiplier */
    bool ffn_scales;            /* `.scale` of feed-forward matrices counts for every type; else for
                                 * nvfp4 alone, as in the reference */
    bool experts;               /* may have expert_count > 0 */
};

/* NULL when unknown. */
const struct arch *arch_find(struct ember_text name);

struct arch_layer {
    uint32_t n_heads;
    uint32_t n_kv_heads;
    uint32_t n_ff;
    uint32_t window; /* 0 = sees everything */
};

enum arch_scaling { ARCH_SCALING_NONE, ARCH_SCALING_LINEAR, ARCH_SCALING_YARN, ARCH_SCALING_LONG };

/* One model's shape, from its keys. Owns `layers`; release with arch_shape_finish(). */
struct arch_shape {
    const struct arch *arch;
    uint32_t n_ctx_trained;
    uint32_t n_embd;
    uint32_t n_layers;
    uint32_t n_vocab;  /* rows of the output matrix */
    uint32_t d_k, d_v; /* head sizes */
    uint32_t n_rot, n_rot_swa;
    double base, base_swa;
    enum arch_scaling scaling;
    double freq_scale;  /* 1 / factor */
    double attn_factor; /* longrope magnitude */
    double n_ctx_orig;
    double beta_fast, beta_slow, log_multiplier;
    float norm_eps;
    float score_scale;
    float score_softcap, logit_softcap; /* 0 = none */
    float embed_scale;
    struct arch_layer *layers;
};

/* EMBER_UNSUPPORTED: unknown architecture (named), or a key that asks for something that cannot be
 * run. EMBER_FORMAT: a required key is missing or cannot be right. */
enum ember_status arch_shape_read(struct arch_shape *out, const struct ember_gguf *gguf,
                                  struct ember_error *err);
void arch_shape_finish(struct arch_shape *shape);
