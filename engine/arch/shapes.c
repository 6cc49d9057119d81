/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shapes.c - from the keys of a header to the numbers a forward pass is built from. Every number is
 * bounded here, so that later products of a few of them cannot overflow 64 bits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/fail.h"

/* Far above anything real, low enough for products of three to fit 64 bits. */
#define MAX_DIM (1u << 20)
#define MAX_LAYERS 1024u
#define MAX_CTX (1u << 28)

struct keys {
    const struct ember_gguf *gguf;
    const char *prefix; /* the architecture's name */
    struct ember_error *err;
    char name[160]; /* the key being read, for sentences */
};

static int64_t find(struct keys *k, const char *suffix)
{
    snprintf(k->name, sizeof k->name, "%s.%s", k->prefix, suffix);
    return ember_gguf_find(k->gguf, k->name);
}

static enum ember_status bad(struct keys *k, const char *what)
{
    return ember_fail(k->err, EMBER_FORMAT, "%s: key \"%s\" %s.", ember_gguf_path(k->gguf), k->name,
                      what);
}

/* An integer in [low, high]; `fallback` when absent, or an error if `required`. */
static enum ember_status read_u32(struct keys *k, const char *suffix, bool required,
                                  uint64_t fallback, uint64_t low, uint64_t high, uint32_t *out)
{
    uint64_t value = fallback;
    char what[96];
    int64_t at = find(k, suffix);

    if (at < 0 && required)
        return bad(k, "is missing, and this architecture needs it");
    if (at >= 0 && !ember_gguf_u64(k->gguf, at, 0, &value))
        return bad(k, "must be a whole number");
    if (value < low || value > high) {
        snprintf(what, sizeof what, "is %llu; it must be %llu to %llu", (unsigned long long)value,
                 (unsigned long long)low, (unsigned long long)high);
        return bad(k, what);
    }
    *out = (uint32_t)value;
    return EMBER_OK;
}

enum sign { ANY_SIGN, NOT_NEGATIVE, POSITIVE };

/* A finite number; `fallback` when absent. */
static enum ember_status read_f64(struct keys *k, const char *suffix, double fallback,
                                  enum sign sign, double *out)
{
    static const char *const wanted[] = {
        [ANY_SIGN] = "a finite number",
        [NOT_NEGATIVE] = "a finite number of 0 or more",
        [POSITIVE] = "a finite number above 0",
    };
    double value = fallback;
    char what[96];
    int64_t at = find(k, suffix);

    if (at >= 0 && !ember_gguf_f64(k->gguf, at, 0, &value))
        return bad(k, "must be a number");
    if (at >= 0 && (!isfinite(value) || (sign == NOT_NEGATIVE && value < 0.0) ||
                    (sign == POSITIVE && value <= 0.0))) {
        snprintf(what, sizeof what, "is %g; it must be %s", value, wanted[sign]);
        return bad(k, what);
    }
    *out = value;
    return EMBER_OK;
}

/* A number per layer, stored as one scalar or as an array of n_layers. */
static enum ember_status read_layers(struct keys *k, const char *suffix, bool required,
                                     uint32_t n_layers, uint32_t *out)
{
    char what[96];
    int64_t at = find(k, suffix);
    if (at < 0)
        return required ? bad(k, "is missing, and this architecture needs it") : EMBER_OK;
    bool array = ember_gguf_key_type(k->gguf, (uint64_t)at) == EMBER_GGUF_ARRAY;
    uint64_t n = ember_gguf_key_length(k->gguf, (uint64_t)at);
    if (array && n < n_layers) {
        snprintf(what, sizeof what, "has %llu entries; the model has %u layers",
                 (unsigned long long)n, n_layers);
        return bad(k, what);
    }
    for (uint32_t i = 0; i < n_layers; i++) {
        uint64_t value;
        if (!ember_gguf_u64(k->gguf, at, array ? i : 0, &value) || value > MAX_DIM)
            return bad(k, "must hold whole numbers below 1,048,577");
        out[i] = (uint32_t)value;
    }
    return EMBER_OK;
}

static enum ember_status read_scaling(struct keys *k, struct arch_shape *s)
{
    enum ember_status st;
    double factor = 1.0, yarn_attn;
    struct ember_text type = { 0 };
    int64_t at = find(k, "rope.scaling.type");

    if (at >= 0 && !ember_gguf_text(k->gguf, at, 0, &type))
        return bad(k, "must be a string");
    if (at < 0)
        type = (struct ember_text){ "linear", 6 };
    static const struct {
        const char *name;
        enum arch_scaling scaling;
    } names[] = { { "none", ARCH_SCALING_NONE },
                  { "linear", ARCH_SCALING_LINEAR },
                  { "yarn", ARCH_SCALING_YARN },
                  { "longrope", ARCH_SCALING_LONG } };
    size_t i = 0;
    while (i < 4 &&
           (strlen(names[i].name) != type.size || memcmp(names[i].name, type.data, type.size)))
        i++;
    if (i == 4)
        return ember_fail(k->err, EMBER_UNSUPPORTED,
                          "%s: key \"%s\" is \"%.*s\"; known are none, linear, yarn, longrope.",
                          ember_gguf_path(k->gguf), k->name, (int)(type.size > 40 ? 40 : type.size),
                          type.data);
    s->scaling = names[i].scaling;

    if ((st = read_f64(k, "rope.scale_linear", 0.0, NOT_NEGATIVE, &factor)) != EMBER_OK ||
        (st = read_f64(k, "rope.scaling.factor", factor, NOT_NEGATIVE, &factor)) != EMBER_OK)
        return st;
    if (factor == 0.0)
        factor = 1.0;
    s->freq_scale = s->scaling == ARCH_SCALING_NONE ? 1.0 : 1.0 / factor;
    if ((st = read_f64(k, "rope.scaling.attn_factor", 1.0, POSITIVE, &s->attn_factor)) !=
            EMBER_OK ||
        (st = read_f64(k, "rope.scaling.yarn_attn_factor", 1.0, POSITIVE, &yarn_attn)) !=
            EMBER_OK ||
        (st = read_f64(k, "rope.scaling.original_context_length", s->n_ctx_trained, POSITIVE,
                       &s->n_ctx_orig)) != EMBER_OK)
        return st;
    s->beta_fast = 32.0;
    s->beta_slow = 1.0;
    s->log_multiplier = 0.0;
    if (s->arch->yarn_keys) {
        if ((st = read_f64(k, "rope.scaling.yarn_beta_fast", 32.0, POSITIVE, &s->beta_fast)) ||
            (st = read_f64(k, "rope.scaling.yarn_beta_slow", 1.0, POSITIVE, &s->beta_slow)) ||
            (st = read_f64(k, "rope.scaling.yarn_log_multiplier", 0.0, ANY_SIGN,
                           &s->log_multiplier)))
            return st;
    }
    return EMBER_OK;
}

static enum ember_status read_rope(struct keys *k, struct arch_shape *s)
{
    enum ember_status st;
    double base_swa = s->arch->base_swa;

    if ((st = read_u32(k, "rope.dimension_count", false, s->d_k, 0, s->d_k, &s->n_rot)) ||
        (st = read_u32(k, "rope.dimension_count_swa", false, s->n_rot, 0, s->d_k, &s->n_rot_swa)) ||
        (st = read_f64(k, "rope.freq_base", 10000.0, POSITIVE, &s->base)))
        return st;
    if (base_swa == 0.0)
        base_swa = s->base;
    if ((st = read_f64(k, "rope.freq_base_swa", base_swa, POSITIVE, &s->base_swa)))
        return st;
    if (s->n_rot % 2 || s->n_rot_swa % 2)
        return ember_fail(k->err, EMBER_FORMAT,
                          "%s: RoPE rotates pairs, but its dimension count is %u, an odd number.",
                          ember_gguf_path(k->gguf), s->n_rot % 2 ? s->n_rot : s->n_rot_swa);
    if (s->arch->whole_head_rope && s->n_rot != s->d_k)
        return ember_fail(k->err, EMBER_FORMAT,
                          "%s: RoPE rotates %u of %u dimensions; this architecture rotates all.",
                          ember_gguf_path(k->gguf), s->n_rot, s->d_k);
    return read_scaling(k, s);
}

/* Which layers slide: an array of bools if the file has one, else by period. */
static enum ember_status read_windows(struct keys *k, struct arch_shape *s)
{
    enum ember_status st;
    uint32_t window = 0, period = s->arch->window_period;

    if (!s->arch->window)
        return EMBER_OK;
    if ((st = read_u32(k, "attention.sliding_window", false, 0, 0, MAX_CTX, &window)))
        return st;
    int64_t at = find(k, "attention.sliding_window_pattern");
    bool array = at >= 0 && ember_gguf_key_type(k->gguf, (uint64_t)at) == EMBER_GGUF_ARRAY;
    if (at >= 0 && !array &&
        (st = read_u32(k, "attention.sliding_window_pattern", true, 0, 0, MAX_LAYERS, &period)))
        return st;
    if (array && ember_gguf_key_length(k->gguf, (uint64_t)at) < s->n_layers)
        return bad(k, "has fewer entries than the model has layers");
    for (uint32_t i = 0; i < s->n_layers; i++) {
        uint64_t slides = period == 0 || i % period < period - 1;
        if (array && !ember_gguf_u64(k->gguf, at, i, &slides))
            return bad(k, "must hold true or false for each layer");
        s->layers[i].window = slides ? window : 0;
    }
    return EMBER_OK;
}

static enum ember_status read_heads(struct keys *k, struct arch_shape *s)
{
    enum ember_status st = EMBER_OK;
    uint32_t *number = calloc((size_t)s->n_layers * 3, sizeof *number);
    if (!number)
        return ember_fail(k->err, EMBER_NO_MEMORY, "Out of memory while reading the header.");
    uint32_t *heads = number, *kv = number + s->n_layers, *ff = number + 2 * s->n_layers;

    if ((st = read_layers(k, "attention.head_count", true, s->n_layers, heads)))
        goto out;
    memcpy(kv, heads, s->n_layers * sizeof *kv);
    if ((st = read_layers(k, "attention.head_count_kv", false, s->n_layers, kv)) ||
        (st = read_layers(k, "feed_forward_length", true, s->n_layers, ff)))
        goto out;
    for (uint32_t i = 0; i < s->n_layers; i++) {
        s->layers[i] = (struct arch_layer){ heads[i], kv[i], ff[i], 0 };
        if (!heads[i] || !kv[i] || !ff[i] || heads[i] % kv[i]) {
            st = ember_fail(k->err, EMBER_FORMAT,
                            "%s: layer %u has %u heads over %u key-value heads and a feed-forward "
                            "length of %u; heads must be a multiple and none may be 0.",
                            ember_gguf_path(k->gguf), i, heads[i], kv[i], ff[i]);
            goto out;
        }
    }
    uint32_t per_head = s->n_embd / s->layers[0].n_heads;
    if ((st = read_u32(k, "attention.key_length", false, per_head, 1, 65536, &s->d_k)) ||
        (st = read_u32(k, "attention.value_length", false, per_head, 1, 65536, &s->d_v)))
        goto out;
    bool wide = s->arch->wide_scale_layers && s->n_layers == s->arch->wide_scale_layers;
    s->score_scale = (float)(1.0 / sqrt(wide ? (double)s->n_embd / s->layers[0].n_heads : s->d_k));
out:
    free(number);
    return st;
}

static enum ember_status unsupported_key(struct keys *k, const char *suffix, const char *what)
{
    uint64_t value = 0;
    int64_t at = find(k, suffix);
    if (at < 0 || !ember_gguf_u64(k->gguf, at, 0, &value) || value == 0)
        return EMBER_OK;
    return ember_fail(k->err, EMBER_UNSUPPORTED, "%s: key \"%s\" is %llu: %s cannot be run yet.",
                      ember_gguf_path(k->gguf), k->name, (unsigned long long)value, what);
}

static enum ember_status read_shape(struct keys *k, struct arch_shape *s)
{
    enum ember_status st;
    double eps, softcap;

    if ((st = read_u32(k, "context_length", true, 0, 1, MAX_CTX, &s->n_ctx_trained)) ||
        (st = read_u32(k, "embedding_length", true, 0, 1, MAX_DIM, &s->n_embd)) ||
        (st = read_u32(k, "block_count", true, 0, 1, MAX_LAYERS, &s->n_layers)))
        return st;
    if (!s->arch->experts && (st = unsupported_key(k, "expert_count", "a mixture of experts")))
        return st;
    s->layers = calloc(s->n_layers, sizeof *s->layers);
    if (!s->layers)
        return ember_fail(k->err, EMBER_NO_MEMORY, "Out of memory while reading the header.");
    if ((st = read_heads(k, s)) || (st = read_rope(k, s)) || (st = read_windows(k, s)))
        return st;
    if (find(k, "attention.layer_norm_rms_epsilon") < 0)
        return bad(k, "is missing, and this architecture needs it");
    if ((st = read_f64(k, "attention.layer_norm_rms_epsilon", 0.0, NOT_NEGATIVE, &eps)))
        return st;
    s->norm_eps = (float)eps;
    if ((st = read_f64(k, "final_logit_softcapping", 0.0, NOT_NEGATIVE, &softcap)))
        return st;
    s->logit_softcap = (float)softcap;
    s->embed_scale = s->arch->embed_sqrt ? sqrtf((float)s->n_embd) : 1.0f;

    const struct ember_gguf_tensor *head = ember_gguf_find_tensor(k->gguf, "output.weight");
    if (!head)
        head = ember_gguf_find_tensor(k->gguf, "token_embd.weight");
    if (!head)
        return ember_fail(k->err, EMBER_FORMAT,
                          "%s: tensor \"token_embd.weight\" is missing; there is nothing to run.",
                          ember_gguf_path(k->gguf));
    if (head->ne[1] < 1 || head->ne[1] > MAX_CTX)
        return ember_fail(k->err, EMBER_FORMAT, "%s: the output matrix has %llu rows.",
                          ember_gguf_path(k->gguf), (unsigned long long)head->ne[1]);
    s->n_vocab = (uint32_t)head->ne[1];
    return EMBER_OK;
}

enum ember_status arch_shape_read(struct arch_shape *out, const struct ember_gguf *gguf,
                                  struct ember_error *err)
{
    struct ember_text name = ember_gguf_get_text(gguf, "general.architecture");
    struct ember_text type = ember_gguf_get_text(gguf, "general.type");
    enum ember_status st;
    struct keys keys = { .gguf = gguf, .err = err };

    *out = (struct arch_shape){ 0 };
    if (!name.data)
        return ember_fail(err, EMBER_FORMAT,
                          "%s: key \"general.architecture\" is missing; it must name the kind of "
                          "model.",
                          ember_gguf_path(gguf));
    if (type.data && (type.size != 5 || memcmp(type.data, "model", 5)))
        return ember_fail(err, EMBER_UNSUPPORTED,
                          "%s holds a \"%.*s\", not a model that can be run by itself.",
                          ember_gguf_path(gguf), (int)(type.size > 40 ? 40 : type.size), type.data);
    out->arch = arch_find(name);
    if (!out->arch)
        return ember_fail(err, EMBER_UNSUPPORTED,
                          "%s uses the architecture \"%.*s\", which cannot be run yet.",
                          ember_gguf_path(gguf), (int)(name.size > 60 ? 60 : name.size), name.data);
    keys.prefix = out->arch->name;
    st = read_shape(&keys, out);
    if (st != EMBER_OK)
        arch_shape_finish(out);
    return st;
}

void arch_shape_finish(struct arch_shape *shape)
{
    free(shape->layers);
    *shape = (struct arch_shape){ 0 };
}
