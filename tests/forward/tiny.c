/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "forward/tiny.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gguf/image.h"
#include "quant/types.h"

struct tiny tiny_default(const char *arch)
{
    return (struct tiny){
        .arch = arch,
        .n_embd = 64,
        .n_layers = 3,
        .n_heads = 4,
        .n_kv = 2,
        .d_head = 16,
        .n_ff = 96,
        .n_vocab = 130,
        .n_ctx = 512,
        .type = QUANT_F32,
        .vector_type = QUANT_F32,
        .window = 24,
        .period = 2,
        .seed = 1,
    };
}

static uint64_t next(uint64_t *state)
{
    /* splitmix64 (Steele, Lea, Flood 2014) */
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static float uniform(uint64_t *state)
{
    return (float)((double)(next(state) >> 11) / 9007199254740992.0 * 2.0 - 1.0);
}

void tiny_ids(int32_t *ids, size_t n, uint32_t n_vocab, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        ids[i] = (int32_t)(next(&seed) % n_vocab);
}

/* --- writing ------------------------------------------------------------------------------------
 */

struct maker {
    struct image keys, infos, data;
    uint64_t n_keys, n_tensors;
    uint64_t random;
    const struct tiny *t;
};

static void key_u32(struct maker *m, const char *name, uint32_t value)
{
    char full[96];
    snprintf(full, sizeof full, "%s.%s", m->t->arch, name);
    image_key_u32(&m->keys, full, value);
    m->n_keys++;
}

static void key_f32(struct maker *m, const char *name, double value)
{
    char full[96];
    snprintf(full, sizeof full, "%s.%s", m->t->arch, name);
    image_key(&m->keys, full, EMBER_GGUF_F32);
    image_f32(&m->keys, (float)value);
    m->n_keys++;
}

static void key_string(struct maker *m, const char *name, const char *value)
{
    image_key_string(&m->keys, name, value);
    m->n_keys++;
}

/* Random codes are as good as any weights; the scale makes them about `scale` at most. */
static void sane_scale(uint32_t type, uint8_t *block, float scale)
{
    static const struct {
        uint32_t type;
        size_t at;       /* of the f16 */
        float magnitude; /* of the largest scale · code, about */
    } places[] = {
        { QUANT_Q8_0, 0, 128 },    { QUANT_Q6_K, 208, 2048 }, { QUANT_Q2_K, 80, 40 },
        { QUANT_Q3_K, 108, 128 },  { QUANT_TQ1_0, 52, 2 },    { QUANT_TQ2_0, 64, 2 },
        { QUANT_Q1_0, 0, 1 },      { QUANT_Q2_0, 0, 2 },      { QUANT_IQ4_NL, 0, 127 },
        { QUANT_IQ4_XS, 0, 4000 }, { QUANT_IQ2_XXS, 0, 160 }, { QUANT_IQ2_XS, 0, 160 },
        { QUANT_IQ2_S, 0, 160 },   { QUANT_IQ3_XXS, 0, 400 }, { QUANT_IQ3_S, 0, 400 },
        { QUANT_IQ1_S, 0, 16 },
    };
    size_t at = 0;
    float magnitude = 512;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (places[i].type == type) {
            at = places[i].at;
            magnitude = places[i].magnitude;
        }
    uint16_t d = quant_f32_to_f16(scale / magnitude);
    switch (type) {
    case QUANT_MXFP4:
        block[0] = 127 - 5;
        return;
    case QUANT_NVFP4: /* up to 2^-6 */
        for (int i = 0; i < 4; i++)
            block[i] = (uint8_t)(4 + block[i] % 12);
        return;
    case QUANT_IQ1_M: /* in the top nibbles of four words */
        d = quant_f32_to_f16(scale / 16);
        for (int i = 0; i < 4; i++)
            block[48 + 2 * i + 1] =
                (uint8_t)((block[48 + 2 * i + 1] & 15) | (d >> 4 * i & 15) << 4);
        return;
    case QUANT_Q4_1:
    case QUANT_Q5_1:
    case QUANT_Q4_K:
    case QUANT_Q5_K:
    case QUANT_Q2_K:
        memcpy(block + at + 2, &d, 2);
        break;
    default:
        break;
    }
    memcpy(block + at, &d, 2);
}

/* One row of random weights in the wanted type; enough of a quantiser for test data. */
static void put_row(struct maker *m, uint32_t type, size_t n, float scale, float offset)
{
    for (size_t i = 0; i < n;) {
        if (type == QUANT_F32) {
            image_f32(&m->data, offset + scale * uniform(&m->random));
            i++;
        } else if (type == QUANT_F16 || type == QUANT_BF16) {
            float x = offset + scale * uniform(&m->random);
            image_uint(&m->data, 2, type == QUANT_F16 ? quant_f32_to_f16(x) : quant_f32_to_bf16(x));
            i++;
        } else {
            const struct quant_info *info = quant_info(type);
            uint8_t block[256];
            for (size_t b = 0; b < info->block_bytes; b++)
                block[b] = (uint8_t)next(&m->random);
            sane_scale(type, block, scale);
            image_bytes(&m->data, block, info->block_bytes);
            i += info->block_length;
        }
    }
}

static void tensor(struct maker *m, const char *name, uint64_t cols, uint64_t rows, uint32_t type,
                   float scale, float offset)
{
    image_pad(&m->data, 32);
    if (rows || m->t->tall_vectors)
        image_tensor_2d(&m->infos, name, cols, rows ? rows : 1, type, m->data.size);
    else
        image_tensor(&m->infos, name, 1, &cols, type, m->data.size);
    m->n_tensors++;
    for (uint64_t r = 0; r < (rows ? rows : 1); r++)
        put_row(m, type, cols, scale, offset);
}

static void matrix(struct maker *m, uint32_t layer, const char *name, uint64_t cols, uint64_t rows)
{
    char full[96];
    snprintf(full, sizeof full, "blk.%u.%s.weight", layer, name);
    tensor(m, full, cols, rows, m->t->type, 1.5f / sqrtf((float)cols), 0.0f);
    snprintf(full, sizeof full, "blk.%u.%s.bias", layer, name);
    if (m->t->biases)
        tensor(m, full, rows, 0, QUANT_F32, 0.3f, 0.0f);
    snprintf(full, sizeof full, "blk.%u.%s.scale", layer, name);
    if (m->t->scales)
        tensor(m, full, 1, 0, QUANT_F32, 0.3f, 1.0f);
}

static void norm(struct maker *m, uint32_t layer, const char *name, uint64_t width)
{
    char full[96];
    snprintf(full, sizeof full, "blk.%u.%s.weight", layer, name);
    tensor(m, full, width, 0, m->t->vector_type, 0.4f, 1.0f);
}

static void add_layer(struct maker *m, uint32_t i)
{
    const struct tiny *t = m->t;
    uint64_t d = t->n_embd, q = (uint64_t)t->n_heads * t->d_head,
             kv = (uint64_t)t->n_kv * t->d_head;
    bool gemma = !strcmp(t->arch, "gemma3");

    norm(m, i, "attn_norm", d);
    if (t->fused_qkv) {
        matrix(m, i, "attn_qkv", d, q + 2 * kv);
    } else {
        matrix(m, i, "attn_q", d, q);
        matrix(m, i, "attn_k", d, kv);
        matrix(m, i, "attn_v", d, kv);
    }
    if (gemma || !strcmp(t->arch, "qwen3")) {
        norm(m, i, "attn_q_norm", t->d_head);
        norm(m, i, "attn_k_norm", t->d_head);
    }
    matrix(m, i, "attn_output", q, d);
    if (gemma)
        norm(m, i, "post_attention_norm", d);
    norm(m, i, "ffn_norm", d);
    matrix(m, i, "ffn_gate", d, t->n_ff);
    matrix(m, i, "ffn_up", d, t->n_ff);
    matrix(m, i, "ffn_down", t->n_ff, d);
    if (gemma)
        norm(m, i, "post_ffw_norm", d);
}

/* Characters of byte-level BPE: printable bytes stand for themselves, the rest from U+0100 on. */
static size_t byte_text(unsigned byte, char *out)
{
    unsigned c = byte, extra = 0;
    bool plain = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    for (unsigned b = 0; b < byte && !plain; b++)
        extra += !((b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE);
    if (!plain)
        c = 256 + extra;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    out[0] = (char)(0xC0 | c >> 6);
    out[1] = (char)(0x80 | (c & 63));
    return 2;
}

static void add_vocabulary(struct maker *m)
{
    const uint32_t n = m->t->n_vocab;
    char text[32];

    key_string(m, "tokenizer.ggml.model", "gpt2");
    key_string(m, "tokenizer.ggml.pre", "gpt-2");
    image_key(&m->keys, "tokenizer.ggml.tokens", EMBER_GGUF_ARRAY);
    image_array(&m->keys, EMBER_GGUF_STRING, n);
    for (uint32_t i = 0; i < n; i++) {
        size_t size = i < 256 ? byte_text(i, text) : 0;
        if (i == 256)
            size = (size_t)snprintf(text, sizeof text, "<|im_end|>");
        else if (i > 256)
            size = (size_t)snprintf(text, sizeof text, "word%u", i);
        image_uint(&m->keys, 8, size);
        image_bytes(&m->keys, text, size);
    }
    image_key(&m->keys, "tokenizer.ggml.token_type", EMBER_GGUF_ARRAY);
    image_array(&m->keys, EMBER_GGUF_I32, n);
    for (uint32_t i = 0; i < n; i++)
        image_uint(&m->keys, 4, i == 256 ? 3 : 1);
    image_key(&m->keys, "tokenizer.ggml.merges", EMBER_GGUF_ARRAY);
    image_array(&m->keys, EMBER_GGUF_STRING, 0);
    image_key_u32(&m->keys, "tokenizer.ggml.eos_token_id", 256);
    m->n_keys += 4;
}

static void add_keys(struct maker *m)
{
    const struct tiny *t = m->t;

    key_string(m, "general.architecture", t->arch);
    key_u32(m, "context_length", t->n_ctx);
    key_u32(m, "embedding_length", t->n_embd);
    key_u32(m, "block_count", t->n_layers);
    key_u32(m, "feed_forward_length", t->n_ff);
    key_u32(m, "attention.head_count", t->n_heads);
    key_u32(m, "attention.head_count_kv", t->n_kv);
    key_u32(m, "attention.key_length", t->d_head);
    key_u32(m, "attention.value_length", t->d_head);
    key_f32(m, "attention.layer_norm_rms_epsilon", 1e-5);
    if (!strcmp(t->arch, "gemma3")) {
        key_u32(m, "attention.sliding_window", t->window);
        if (t->period)
            key_u32(m, "attention.sliding_window_pattern", t->period);
    }
    if (t->scaling) {
        char full[96];
        snprintf(full, sizeof full, "%s.rope.scaling.type", t->arch);
        key_string(m, full, t->scaling);
        key_f32(m, "rope.scaling.factor", t->factor);
        if (!strcmp(t->scaling, "longrope"))
            key_f32(m, "rope.scaling.attn_factor", 1.19);
        if (t->n_ctx_orig)
            key_u32(m, "rope.scaling.original_context_length", t->n_ctx_orig);
    }
    if (t->logit_softcap != 0.0)
        key_f32(m, "final_logit_softcapping", t->logit_softcap);
    if (t->vocabulary)
        add_vocabulary(m);
    else
        key_string(m, "tokenizer.ggml.model", "no_vocab");
}

static void add_tensors(struct maker *m)
{
    const struct tiny *t = m->t;

    tensor(m, "token_embd.weight", t->n_embd, t->n_embed ? t->n_embed : t->n_vocab, t->type, 1.0f,
           0.0f);
    for (uint32_t i = 0; i < t->n_layers; i++)
        add_layer(m, i);
    tensor(m, "output_norm.weight", t->n_embd, 0, t->vector_type, 0.4f, 1.0f);
    if (!t->tied)
        tensor(m, "output.weight", t->n_embd, t->n_vocab, t->type, 0.5f, 0.0f);
    if (t->rope_freqs)
        tensor(m, "rope_freqs.weight", t->d_head / 2, 0, QUANT_F32, 0.5f, 2.0f);
    if (t->long_factors) {
        tensor(m, "rope_factors_long.weight", t->d_head / 2, 0, QUANT_F32, 0.5f, 3.0f);
        tensor(m, "rope_factors_short.weight", t->d_head / 2, 0, QUANT_F32, 0.1f, 1.2f);
    }
    if (t->extra)
        tensor(m, t->extra, 32, 1, QUANT_F32, 1.0f, 0.0f);
    image_pad(&m->data, 32);
}

bool tiny_write(const struct tiny *tiny, char *path, size_t size)
{
    struct maker m = { .t = tiny, .random = tiny->seed };
    struct image head = { 0 };
    bool fine;

    m.keys.length = m.infos.length = 8;
    m.infos.dim = 8;
    add_keys(&m);
    add_tensors(&m);
    image_begin(&head, 3, m.n_tensors, m.n_keys);
    image_bytes(&head, m.keys.data, m.keys.size);
    image_bytes(&head, m.infos.data, m.infos.size);
    image_pad(&head, 32);
    image_bytes(&head, m.data.data, m.data.size);

    const char *folder = getenv("TMPDIR");
    snprintf(path, size, "%s/ember-tiny-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkstemp(path);
    fine = fd >= 0 && write(fd, head.data, head.size) == (ssize_t)head.size;
    if (fd >= 0)
        close(fd);
    free(m.keys.data);
    free(m.infos.data);
    free(m.data.data);
    free(head.data);
    return fine;
}

void tiny_remove(const char *path)
{
    unlink(path);
}

double tiny_error(const float *a, const double *b, size_t n)
{
    double up = 0.0, down = 0.0;
    for (size_t i = 0; i < n; i++) {
        up += (a[i] - b[i]) * (a[i] - b[i]);
        down += b[i] * b[i];
    }
    return up / down;
}

double tiny_distance(const float *a, const float *b, size_t n)
{
    double up = 0.0, down = 0.0;
    for (size_t i = 0; i < n; i++) {
        up += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        down += (double)b[i] * b[i];
    }
    return up / down;
}
