/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reference.c - the forward pass written the plainest way: one token after another, all keys and
 * values kept, everything in double. It reads the file by itself and shares no code with the engine
 * but the reader and the tensor decoders. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forward/tiny.h"
#include "gguf/gguf.h"
#include "quant/types.h"

struct ref {
    struct ember_gguf *g;
    char arch[32];
    uint32_t d, layers, heads, kv, dh, ff, vocab, ctx, window, period;
    double eps;
    bool gemma, qk_norm, norm_rope, ffn_scales;
};

static uint32_t key(const struct ref *r, const char *name, uint32_t fallback)
{
    char full[160];
    snprintf(full, sizeof full, "%s.%s", r->arch, name);
    return (uint32_t)ember_gguf_get_u64(r->g, full, fallback);
}

static double keyf(const struct ref *r, const char *name, double fallback)
{
    char full[160];
    snprintf(full, sizeof full, "%s.%s", r->arch, name);
    return ember_gguf_get_f64(r->g, full, fallback);
}

static const struct ember_gguf_tensor *find(const struct ref *r, int layer, const char *name)
{
    char full[160];
    if (layer < 0)
        snprintf(full, sizeof full, "%s", name);
    else
        snprintf(full, sizeof full, "blk.%d.%s", layer, name);
    return ember_gguf_find_tensor(r->g, full);
}

static float *row_of(const struct ref *r, const struct ember_gguf_tensor *t, uint64_t row)
{
    uint64_t bytes = 0;
    float *out = malloc(t->ne[0] * sizeof *out);
    quant_row_bytes(t->type, t->ne[0], &bytes);
    quant_decoder(t->type)((const uint8_t *)gguf_tensor_data(r->g, t) + row * bytes, t->ne[0], out);
    return out;
}

/* y = W x with bias and scale in the reference's order. */
static void linear(const struct ref *r, int layer, const char *name, const double *x, double *y)
{
    char part[96];
    snprintf(part, sizeof part, "%s.weight", name);
    const struct ember_gguf_tensor *w = find(r, layer, part);
    snprintf(part, sizeof part, "%s.bias", name);
    const struct ember_gguf_tensor *b = find(r, layer, part);
    snprintf(part, sizeof part, "%s.scale", name);
    const struct ember_gguf_tensor *s = find(r, layer, part);
    bool ffn = !strncmp(name, "ffn_", 4);
    float *bias = b ? row_of(r, b, 0) : NULL, *scale = s ? row_of(r, s, 0) : NULL;

    if (ffn && !r->ffn_scales) {
        free(scale);
        scale = NULL;
    }
    for (uint64_t o = 0; o < w->ne[1]; o++) {
        float *row = row_of(r, w, o);
        double sum = 0.0;
        for (uint64_t i = 0; i < w->ne[0]; i++)
            sum += (double)row[i] * x[i];
        if (ffn)
            y[o] = (sum + (bias ? (double)bias[o] : 0.0)) * (scale ? (double)*scale : 1.0);
        else
            y[o] = sum * (scale ? (double)*scale : 1.0) + (bias ? (double)bias[o] : 0.0);
        free(row);
    }
    free(bias);
    free(scale);
}

static void rms(const struct ref *r, int layer, const char *name, double *x, uint32_t n)
{
    float *w = row_of(r, find(r, layer, name), 0);
    double sum = 0.0;
    for (uint32_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    for (uint32_t i = 0; i < n; i++)
        x[i] = x[i] / sqrt(sum / n + r->eps) * (double)w[i];
    free(w);
}

static bool slides(const struct ref *r, uint32_t layer)
{
    return r->window && layer % r->period < r->period - 1;
}

static void rotate(const struct ref *r, double *x, uint32_t position, bool sliding)
{
    char name[96];
    uint32_t half = r->dh / 2, orig = key(r, "rope.scaling.original_context_length", r->ctx);
    double base = sliding && r->gemma ? 10000.0 : keyf(r, "rope.freq_base", 10000.0);
    double factor = keyf(r, "rope.scaling.factor", 1.0), magnitude = 1.0;
    snprintf(name, sizeof name, "%s.rope.scaling.type", r->arch);
    struct ember_text kind = ember_gguf_get_text(r->g, name);
    bool plain = sliding && r->gemma;
    bool yarn = !plain && kind.size == 4 && !memcmp(kind.data, "yarn", 4);
    bool lng = !plain && kind.size == 8;
    const struct ember_gguf_tensor *ft = plain ? NULL : find(r, -1, "rope_freqs.weight");

    if (!ft && lng)
        ft = find(r, -1, r->ctx > orig ? "rope_factors_long.weight" : "rope_factors_short.weight");
    float *factors = ft ? row_of(r, ft, 0) : NULL;
    if (lng)
        magnitude = keyf(r, "rope.scaling.attn_factor", 1.0);
    if (yarn)
        magnitude = 1.0 + 0.1 * log(factor);
    for (uint32_t i = 0; i < half; i++) {
        double f = pow(base, -2.0 * i / r->dh) / (factors ? (double)factors[i] : 1.0);
        if (yarn) {
            double lo = r->dh * log(orig / (32.0 * 6.283185307179586)) / (2.0 * log(base));
            double hi = r->dh * log(orig / (1.0 * 6.283185307179586)) / (2.0 * log(base));
            lo = fmax(0.0, floor(lo));
            hi = fmin(r->dh - 1.0, ceil(hi));
            double ramp = 1.0 - fmin(1.0, fmax(0.0, (i - lo) / fmax(0.001, hi - lo)));
            f = f / factor * (1.0 - ramp) + f * ramp;
        } else if (!plain) {
            f /= factor;
        }
        double c = cos(position * f) * magnitude, s = sin(position * f) * magnitude;
        uint32_t ia = r->norm_rope ? 2 * i : i, ib = r->norm_rope ? 2 * i + 1 : i + half;
        double a = x[ia], b = x[ib];
        x[ia] = a * c - b * s;
        x[ib] = a * s + b * c;
    }
    free(factors);
}

static void attention(const struct ref *r, uint32_t layer, size_t t, double *x, double *keys,
                      double *values)
{
    uint32_t q_n = r->heads * r->dh, kv_n = r->kv * r->dh;
    double *h = malloc(r->d * sizeof *h), *qkv = malloc((q_n + 2 * kv_n) * sizeof *qkv);
    double *o = calloc(q_n, sizeof *o), *p = malloc((t + 1) * sizeof *p);

    memcpy(h, x, r->d * sizeof *h);
    rms(r, (int)layer, "attn_norm.weight", h, r->d);
    if (find(r, (int)layer, "attn_qkv.weight")) {
        linear(r, (int)layer, "attn_qkv", h, qkv);
    } else {
        linear(r, (int)layer, "attn_q", h, qkv);
        linear(r, (int)layer, "attn_k", h, qkv + q_n);
        linear(r, (int)layer, "attn_v", h, qkv + q_n + kv_n);
    }
    for (uint32_t i = 0; i < r->heads + r->kv; i++) {
        if (r->qk_norm)
            rms(r, (int)layer, i < r->heads ? "attn_q_norm.weight" : "attn_k_norm.weight",
                qkv + i * r->dh, r->dh);
        rotate(r, qkv + i * r->dh, (uint32_t)t, slides(r, layer));
    }
    memcpy(keys + t * kv_n, qkv + q_n, kv_n * sizeof *keys);
    memcpy(values + t * kv_n, qkv + q_n + kv_n, kv_n * sizeof *values);
    size_t first = slides(r, layer) && t + 1 > r->window ? t + 1 - r->window : 0;
    for (uint32_t i = 0; i < r->heads; i++) {
        uint32_t g = i / (r->heads / r->kv);
        double most = -INFINITY, sum = 0.0;
        for (size_t j = first; j <= t; j++) {
            p[j] = 0.0;
            for (uint32_t d = 0; d < r->dh; d++)
                p[j] += qkv[i * r->dh + d] * keys[j * kv_n + g * r->dh + d];
            p[j] /= sqrt(r->dh);
            most = fmax(most, p[j]);
        }
        for (size_t j = first; j <= t; j++)
            sum += p[j] = exp(p[j] - most);
        for (size_t j = first; j <= t; j++)
            for (uint32_t d = 0; d < r->dh; d++)
                o[i * r->dh + d] += p[j] / sum * values[j * kv_n + g * r->dh + d];
    }
    linear(r, (int)layer, "attn_output", o, h);
    if (r->gemma)
        rms(r, (int)layer, "post_attention_norm.weight", h, r->d);
    for (uint32_t i = 0; i < r->d; i++)
        x[i] += h[i];
    free(h);
    free(qkv);
    free(o);
    free(p);
}

static void feed_forward(const struct ref *r, uint32_t layer, double *x)
{
    double *h = malloc(r->d * sizeof *h), *a = malloc(r->ff * sizeof *a),
           *b = malloc(r->ff * sizeof *b);

    memcpy(h, x, r->d * sizeof *h);
    rms(r, (int)layer, "ffn_norm.weight", h, r->d);
    linear(r, (int)layer, "ffn_gate", h, a);
    linear(r, (int)layer, "ffn_up", h, b);
    for (uint32_t i = 0; i < r->ff; i++) {
        double z = a[i];
        double act =
            r->gemma ? 0.5 * z *
                           (1 + tanh(sqrt(2 / 3.14159265358979323846) * z * (1 + 0.044715 * z * z)))
                     : z / (1 + exp(-z));
        a[i] = act * b[i];
    }
    linear(r, (int)layer, "ffn_down", a, h);
    if (r->gemma)
        rms(r, (int)layer, "post_ffw_norm.weight", h, r->d);
    for (uint32_t i = 0; i < r->d; i++)
        x[i] += h[i];
    free(h);
    free(a);
    free(b);
}

bool tiny_reference(const char *path, const int32_t *ids, size_t n, double *logits)
{
    struct ref r = { 0 };
    if (ember_gguf_open(&r.g, path, false, NULL) != EMBER_OK)
        return false;
    struct ember_text arch = ember_gguf_get_text(r.g, "general.architecture");
    snprintf(r.arch, sizeof r.arch, "%.*s", (int)arch.size, arch.data);
    r.gemma = !strcmp(r.arch, "gemma3");
    r.qk_norm = r.gemma || !strcmp(r.arch, "qwen3");
    r.norm_rope = !strcmp(r.arch, "llama");
    r.ffn_scales = r.norm_rope || !strcmp(r.arch, "qwen3");
    r.d = key(&r, "embedding_length", 0);
    r.layers = key(&r, "block_count", 0);
    r.heads = key(&r, "attention.head_count", 0);
    r.kv = key(&r, "attention.head_count_kv", 0);
    r.dh = key(&r, "attention.key_length", 0);
    r.ff = key(&r, "feed_forward_length", 0);
    r.ctx = key(&r, "context_length", 0);
    r.window = key(&r, "attention.sliding_window", 0);
    r.period = key(&r, "attention.sliding_window_pattern", 6);
    r.eps = keyf(&r, "attention.layer_norm_rms_epsilon", 0);
    const char *head = find(&r, -1, "output.weight") ? "output" : "token_embd";
    const struct ember_gguf_tensor *embd = find(&r, -1, "token_embd.weight");
    r.vocab = (uint32_t)embd->ne[1];
    double softcap = keyf(&r, "final_logit_softcapping", 0.0);

    uint32_t kv_n = r.kv * r.dh;
    double *keys = calloc(r.layers * n * kv_n, sizeof *keys);
    double *values = calloc(r.layers * n * kv_n, sizeof *values);
    double *x = malloc(r.d * sizeof *x);
    for (size_t t = 0; t < n; t++) {
        float *row = row_of(&r, embd, (uint64_t)ids[t]);
        for (uint32_t i = 0; i < r.d; i++)
            x[i] = (double)row[i] * (r.gemma ? (double)sqrtf((float)r.d) : 1.0);
        free(row);
        for (uint32_t l = 0; l < r.layers; l++) {
            attention(&r, l, t, x, keys + l * n * kv_n, values + l * n * kv_n);
            feed_forward(&r, l, x);
        }
        rms(&r, -1, "output_norm.weight", x, r.d);
        linear(&r, -1, head, x, logits + t * r.vocab);
        for (uint32_t i = 0; softcap != 0.0 && i < r.vocab; i++)
            logits[t * r.vocab + i] = softcap * tanh(logits[t * r.vocab + i] / softcap);
    }
    free(keys);
    free(values);
    free(x);
    ember_gguf_close(r.g);
    return true;
}
