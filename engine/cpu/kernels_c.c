/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table in plain C: what every other level must agree with, written to be read. Sums that the
 * vector levels spread over lanes are taken in double here, so that a comparison measures them. */
#include "cpu/kernels.h"

#include <math.h>
#include <string.h>

#include "cpu/unpack_c.h"
#include "quant/blocks.h"

/* ---- quantised activations ---- */

enum { ACT_BLOCK = 32, ACT_GROUP = 16, ALIGN = 64 };

static size_t align_up(size_t n)
{
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

size_t kern_act_bytes(size_t k)
{
    return align_up(k) + align_up(k / ACT_GROUP * sizeof(float)) +
           align_up(k / ACT_BLOCK * sizeof(float)) + align_up(k / ACT_GROUP * sizeof(int16_t)) +
           align_up(k) + align_up(k / 8 * sizeof(float)) + align_up(k / ACT_GROUP * sizeof(float));
}

struct kern_act kern_act_at(void *memory, size_t k)
{
    uint8_t *at = memory;
    struct kern_act act;

    act.q = (int8_t *)at;
    at += align_up(k);
    act.d = (float *)(void *)at;
    at += align_up(k / ACT_GROUP * sizeof(float));
    act.s = (float *)(void *)at;
    at += align_up(k / ACT_BLOCK * sizeof(float));
    act.sum16 = (int16_t *)(void *)at;
    at += align_up(k / ACT_GROUP * sizeof(int16_t));
    act.lane_q = (int8_t *)at;
    at += align_up(k);
    act.lane_d = (float *)(void *)at;
    at += align_up(k / 8 * sizeof(float));
    act.lane_s = (float *)(void *)at;
    return act;
}

static uint32_t magnitude_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x7FFFFFFF;
}

static void quant_act(const float *x, size_t k, const struct kern_act *out)
{
    for (size_t g = 0; g < k / ACT_GROUP; g++) {
        const float *in = x + g * ACT_GROUP;
        int8_t *q = out->q + g * ACT_GROUP;

        /* As integers, magnitudes sort like the numbers, with NaN on top: it survives into d. */
        uint32_t top = 0;
        for (int i = 0; i < ACT_GROUP; i++) {
            uint32_t bits = magnitude_bits(in[i]);
            top = bits > top ? bits : top;
        }
        float amax;
        memcpy(&amax, &top, sizeof amax);
        if (!(amax >= KERN_ACT_TINY) && !isnan(amax))
            amax = 0;
        float inverse = 127 / amax;
        bool usable = amax > 0 && !isinf(amax);

        int sum = 0;
        for (int i = 0; i < ACT_GROUP; i++) {
            q[i] = usable ? (int8_t)rintf(in[i] * inverse) : 0;
            sum += q[i];
        }
        out->d[g] = amax / 127;
        out->sum16[g] = (int16_t)sum;
    }
    for (size_t b = 0; b < k / ACT_BLOCK; b++)
        out->s[b] = out->d[2 * b] * (float)out->sum16[2 * b] +
                    out->d[2 * b + 1] * (float)out->sum16[2 * b + 1];
}

/* ---- dot products with block types ---- */

/* Σ over one block, with the activations from element `at` on. */
static double dot_unpacked(const struct kern_unpacked *u, size_t block_length,
                           const struct kern_act *x, size_t at)
{
    double total = 0;
    for (size_t b = 0; b < block_length / ACT_BLOCK; b++) {
        const int8_t *w = u->q + b * ACT_BLOCK, *a = x->q + at + b * ACT_BLOCK;
        for (size_t g = 0; g < 2; g++) {
            int sum = 0;
            for (size_t i = g * ACT_GROUP; i < (g + 1) * ACT_GROUP; i++)
                sum += w[i] * a[i];
            size_t group = at / ACT_GROUP + 2 * b + g;
            total += (double)u->scale[2 * b + g] * x->d[group] * sum;
            total -= (double)u->min[2 * b + g] * x->d[group] * x->sum16[group];
        }
    }
    return total;
}

/* Columns that share one unpacking. */
enum { COLUMNS = 8 };

static void gemv_q(void (*unpack)(const void *block, struct kern_unpacked *u), size_t block_length,
                   size_t block_bytes, const struct kern_rows *rows, size_t k,
                   const struct kern_act *x, size_t n_cols, float *y, size_t y_stride)
{
    for (size_t r = 0; r < rows->n_rows; r++) {
        const uint8_t *w = (const uint8_t *)rows->w + r * rows->row_bytes;
        for (size_t c0 = 0; c0 < n_cols; c0 += COLUMNS) {
            size_t n = n_cols - c0 < COLUMNS ? n_cols - c0 : COLUMNS;
            double sum[COLUMNS] = { 0 };
            struct kern_unpacked u = { 0 };
            for (size_t b = 0; b < k / block_length; b++) {
                unpack(w + b * block_bytes, &u);
                for (size_t c = 0; c < n; c++)
                    sum[c] += dot_unpacked(&u, block_length, &x[c0 + c], b * block_length);
            }
            for (size_t c = 0; c < n; c++)
                y[(c0 + c) * y_stride + r] = (float)sum[c];
        }
    }
}

#define GEMV_Q(name, type)                                                                         \
    static void gemv_##name(const struct kern_rows *rows, size_t k, const struct kern_act *x,      \
                            size_t n_cols, float *y, size_t y_stride)                              \
    {                                                                                              \
        const struct quant_info *info = quant_info(type);                                          \
        gemv_q(kern_unpack_c[type], info->block_length, info->block_bytes, rows, k, x, n_cols, y,  \
               y_stride);                                                                          \
    }

KERN_BLOCK_TYPES(GEMV_Q)

/* ---- dot products with float types ---- */

static float load_f32(const uint8_t *at)
{
    float x;
    memcpy(&x, at, sizeof x);
    return x;
}

static float load_f16(const uint8_t *at)
{
    return quant_f16_to_f32(block_u16(at));
}

static float load_bf16(const uint8_t *at)
{
    return quant_bf16_to_f32(block_u16(at));
}

#define GEMV_F(type, size)                                                                         \
    static void gemv_##type(const void *w, size_t row_bytes, size_t n_rows, size_t k,              \
                            const float *x, size_t x_stride, size_t n_cols, float *y,              \
                            size_t y_stride)                                                       \
    {                                                                                              \
        for (size_t r = 0; r < n_rows; r++) {                                                      \
            const uint8_t *row = (const uint8_t *)w + r * row_bytes;                               \
            for (size_t c = 0; c < n_cols; c++) {                                                  \
                double sum = 0;                                                                    \
                for (size_t i = 0; i < k; i++)                                                     \
                    sum += (double)load_##type(row + i * (size)) * x[c * x_stride + i];            \
                y[c * y_stride + r] = (float)sum;                                                  \
            }                                                                                      \
        }                                                                                          \
    }

GEMV_F(f32, 4)
GEMV_F(f16, 2)
GEMV_F(bf16, 2)

/* ---- element operations ---- */

static void rms_norm(const float *x, const float *w, size_t n, float eps, float *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i] * x[i];
    float scale = (float)(1 / sqrt(sum / (double)n + eps));
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] * scale * (w ? w[i] : 1);
}

static void layer_norm(const float *x, const float *w, const float *b, size_t n, float eps,
                       float *y)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    float scale = (float)(1 / sqrt(squares / (double)n + eps)), middle = (float)mean;
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - middle) * scale * (w ? w[i] : 1) + (b ? b[i] : 0);
}

static void add_scaled(const float *x, size_t n, float scale, float *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] += scale * x[i];
}

static float activate(enum kern_activation act, float x)
{
    /* ½·x·(1 + tanh(u)) = x/(1 + e^(−2u)): no cancellation for negative x. */
    const float root = 0.79788456080286536f; /* √(2/π) */
    switch (act) {
    case KERN_SILU:
        return x / (1 + expf(-x));
    case KERN_GELU:
        return x / (1 + expf(-2 * root * x * (1 + 0.044715f * x * x)));
    case KERN_RELU2:
        return x > 0 ? x * x : x * 0; /* NaN stays NaN */
    }
    return x;
}

static void act_mul(enum kern_activation act, const float *gate, const float *up, size_t n,
                    float *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = activate(act, gate[i]) * (up ? up[i] : 1);
}

static void rope(float *x, const float *table, size_t n_pairs, bool neox)
{
    for (size_t i = 0; i < n_pairs; i++) {
        float *a = neox ? &x[i] : &x[2 * i], *b = neox ? &x[i + n_pairs] : &x[2 * i + 1];
        float cosine = table[2 * i], sine = table[2 * i + 1], first = *a, second = *b;
        *a = first * cosine - second * sine;
        *b = first * sine + second * cosine;
    }
}

static void f32_to_f16(const float *x, size_t n, uint16_t *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = quant_f32_to_f16(x[i]);
}

/* ---- attention ---- */

enum { TILE = 64 };

size_t kern_attend_scratch(size_t n_q, size_t d_k, size_t d_v)
{
    (void)d_k;
    (void)d_v;
    return n_q * (TILE + 1) * sizeof(float); /* scores, and a factor per query row */
}

/* One query row against positions [first, first + n): scores, then the running maximum, sum and
 * output are brought up to the tile's. */
#define ATTEND(type, size)                                                                         \
    static void attend_tile_##type(const struct kern_attend *a, size_t row, size_t first,          \
                                   size_t n)                                                       \
    {                                                                                              \
        const float *q = a->q + row * a->q_stride;                                                 \
        float *o = a->o + row * a->d_v, *score = a->scratch;                                       \
        float top = a->m[row];                                                                     \
                                                                                                   \
        for (size_t t = 0; t < n; t++) {                                                           \
            const uint8_t *k = (const uint8_t *)a->k + (first + t) * a->d_k * (size);              \
            double sum = 0;                                                                        \
            for (size_t i = 0; i < a->d_k; i++)                                                    \
                sum += (double)q[i] * load_##type(k + i * (size));                                 \
            score[t] = (float)sum * a->scale;                                                      \
            if (a->softcap > 0)                                                                    \
                score[t] = a->softcap * tanhf(score[t] / a->softcap);                              \
            top = score[t] > top ? score[t] : top;                                                 \
        }                                                                                          \
        if (top == -INFINITY)                                                                      \
            return;                                                                                \
        float shrink = expf(a->m[row] - top);                                                      \
        a->m[row] = top;                                                                           \
        a->s[row] *= shrink;                                                                       \
        for (size_t i = 0; i < a->d_v; i++)                                                        \
            o[i] *= shrink;                                                                        \
        for (size_t t = 0; t < n; t++) {                                                           \
            const uint8_t *v = (const uint8_t *)a->v + (first + t) * a->d_v * (size);              \
            float p = expf(score[t] - top);                                                        \
            a->s[row] += p;                                                                        \
            for (size_t i = 0; i < a->d_v; i++)                                                    \
                o[i] += p * load_##type(v + i * (size));                                           \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void attend_##type(const struct kern_attend *a)                                         \
    {                                                                                              \
        for (size_t row = 0; row < a->n_q; row++) {                                                \
            for (size_t t = 0; t < a->n_pos; t += TILE)                                            \
                attend_tile_##type(a, row, t, a->n_pos - t < TILE ? a->n_pos - t : TILE);          \
        }                                                                                          \
    }

ATTEND(f32, 4)
ATTEND(f16, 2)

/* ---- ceilings ---- */

static uint64_t read_loop(const void *data, size_t n_bytes)
{
    const uint8_t *at = data;
    uint64_t all[8] = { 0 };

    for (size_t i = 0; i + sizeof all <= n_bytes; i += sizeof all) {
        uint64_t line[8];
        memcpy(line, at + i, sizeof line);
        for (int j = 0; j < 8; j++)
            all[j] ^= line[j];
    }
    return all[0] ^ all[1] ^ all[2] ^ all[3] ^ all[4] ^ all[5] ^ all[6] ^ all[7];
}

static uint64_t int8_loop(uint64_t n)
{
    volatile int8_t source = 3;
    uint32_t sum[4] = { 0 }; /* independent, so that the multiplier is what is measured */
    int8_t w = source, a = source;

    for (uint64_t i = 0; i < n; i += 4) {
        for (uint32_t j = 0; j < 4; j++)
            sum[j] += (uint32_t)((w ^ (int8_t)sum[j]) * a);
    }
    source = (int8_t)((sum[0] ^ sum[1] ^ sum[2] ^ sum[3]) & 0x7F);
    return (n + 3) / 4 * 4 * 2;
}

/* ---- the table ---- */

#define GEMV_Q_ENTRY(name, type) [type] = gemv_##name,

static void kern_init_c(struct kern *kern)
{
    *kern = (struct kern){
        .quant_act = quant_act,
        .gemv_q = { KERN_BLOCK_TYPES(GEMV_Q_ENTRY) },
        .gemv_f = {
            [QUANT_F32] = gemv_f32,
            [QUANT_F16] = gemv_f16,
            [QUANT_BF16] = gemv_bf16,
        },
        .rms_norm = rms_norm,
        .layer_norm = layer_norm,
        .add_scaled = add_scaled,
        .act_mul = act_mul,
        .rope = rope,
        .f32_to_f16 = f32_to_f16,
        .attend_f16 = attend_f16,
        .attend_f32 = attend_f32,
        .read_loop = read_loop,
        .int8_loop = int8_loop,
    };
}

bool kern_has_wide(unsigned features)
{
    const unsigned needs = CPU_AVX2 | CPU_AVX512 | CPU_AVX512VNNI | CPU_AVX512BF16 | CPU_AMX;
    return (features & needs) == needs;
}

void kern_init(struct kern *kern, unsigned features)
{
    kern_init_c(kern);
    kern_init_panel_c(kern);
    kern_init_attend_tile_c(kern);
    kern->features = features;
#if defined(__x86_64__)
    if (features & CPU_AVX2) {
        kern_init_avx2(kern);
        kern_init_panel_avx2(kern);
        kern_init_attend_tile_avx2(kern);
    }
    if ((features & CPU_AVX2) && (features & CPU_AVXVNNI))
        kern_init_avxvnni(kern);
    if ((features & CPU_AVX2) && (features & CPU_AVX512) && (features & CPU_AVX512VNNI)) {
        kern_init_avx512(kern);
        kern_init_panel_avx512(kern);
        kern_init_attend_tile_avx512(kern);
    }
    if (kern_has_wide(features))
        kern_init_amx(kern);
#elif defined(__aarch64__)
    if (features & CPU_NEON)
        kern_init_neon(kern);
    if ((features & CPU_NEON) && (features & CPU_DOTPROD))
        kern_init_dotprod(kern);
    if ((features & CPU_NEON) && (features & CPU_DOTPROD) && (features & CPU_I8MM))
        kern_init_i8mm(kern);
#endif
}
