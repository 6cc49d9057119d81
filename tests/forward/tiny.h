/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tiny.h - small seeded models written by the tests themselves, and a plain double-precision
 * forward pass to hold the engine against. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/gguf.h>

struct tiny {
    const char *arch; /* llama, qwen2, qwen3, gemma3 */
    uint32_t n_embd, n_layers, n_heads, n_kv, d_head, n_ff, n_vocab, n_ctx;
    uint32_t type;        /* of matrices */
    uint32_t vector_type; /* of norms; other vectors are f32 */
    bool tall_vectors;    /* vectors are stored with two dimensions, n × 1 */
    uint32_t n_embed;     /* rows of the embedding; 0 = n_vocab */
    uint32_t window;      /* gemma3 */
    uint32_t period;      /* gemma3; 0 = the default */
    bool biases, fused_qkv, tied, scales;
    bool rope_freqs, long_factors;
    const char *scaling; /* NULL, "linear", "yarn", "longrope" */
    double factor;
    uint32_t n_ctx_orig;
    double logit_softcap;
    bool vocabulary;   /* 256 byte tokens, an end token and words of two bytes; else no_vocab */
    const char *extra; /* name of one more tensor, or NULL */
    uint64_t seed;
};

/* A sensible small llama; change what the test is about. */
struct tiny tiny_default(const char *arch);

/* Writes the file; the path goes to `path` (a temporary file, removed by tiny_remove()). */
bool tiny_write(const struct tiny *tiny, char *path, size_t size);
void tiny_remove(const char *path);

/* Logits of all rows, [n][n_vocab], computed in double from the file's own tensors and keys. */
bool tiny_reference(const char *path, const int32_t *ids, size_t n, double *logits);

/* Σ(a−b)² / Σb² */
double tiny_error(const float *a, const double *b, size_t n);
double tiny_distance(const float *a, const float *b, size_t n);
void tiny_ids(int32_t *ids, size_t n, uint32_t n_vocab, uint64_t seed);
