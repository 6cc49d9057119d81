/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block types that are taken apart in memory first: a stretch of a row becomes signed bytes with a
 * scale per 16 of them (unpack.h), small enough to stay in the first-level cache; all that comes
 * after is the same for every type. Signs go from the weights to the activations, since one factor
 * of a product must be unsigned. */
#include "cpu/x86/dots.h"
#include "cpu/x86/ints.h"
#include "cpu/x86/unpack.h"

enum { L = VEC_LANES, ROWS = KERN_PANEL_ROWS, LINE = 4 * ROWS };

/* Elements taken apart before they are multiplied: stores have long left for the cache then. */
enum { STRETCH = 1024, GROUPS = STRETCH / 16 };

/* Constant after inlining. */
struct code_type {
    size_t length, bytes; /* of a block */
    bool per_16, min;
    void (*unpack)(const uint8_t *w, int8_t *q, float *scale, float *min);
};

/* ---- rows times columns ---- */

/* Elements whose products fill a vector of sums, four in each. */
enum { PART = 4 * L };

#if KERN_512

/* n elements, all 64 or the last 32. */
INLINE INTS load_part(const int8_t *q, size_t n)
{
    return n >= PART ? _mm512_loadu_si512(q) : _mm512_maskz_loadu_epi64(0x0F, q);
}

INLINE VEC dot_part(INTS w, INTS a)
{
    a = _mm512_mask_sub_epi8(a, _mm512_movepi8_mask(w), _mm512_setzero_si512(), a);
    return _mm512_cvtepi32_ps(_mm512_dpbusd_epi32(_mm512_setzero_si512(), _mm512_abs_epi8(w), a));
}

/* Lane l belongs to group 4·part + l / 4. */
INLINE VEC spread(VEC scales, const int part)
{
    const __m512i group = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return _mm512_permutexvar_ps(_mm512_add_epi32(group, _mm512_set1_epi32(4 * part)), scales);
}

#else

INLINE INTS load_part(const int8_t *q, size_t n)
{
    (void)n;
    return _mm256_loadu_si256((const void *)q);
}

INLINE VEC dot_part(INTS w, INTS a)
{
    return _mm256_cvtepi32_ps(dots_of(_mm256_abs_epi8(w), _mm256_sign_epi8(a, w)));
}

/* Lane l belongs to group 2·part + l / 4. */
INLINE VEC spread(VEC scales, const int part)
{
    const __m256i group = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
    return _mm256_permutevar8x32_ps(scales, _mm256_add_epi32(group, _mm256_set1_epi32(2 * part)));
}

#endif

INLINE void row_of_codes(const struct code_type type, const uint8_t *w, size_t k,
                         struct fetch ahead, const struct kern_act *x, const size_t n_cols,
                         float *y, size_t y_stride)
{
    _Alignas(64) int8_t q[STRETCH];
    _Alignas(64) float scale[GROUPS];
    VEC even[KERN_COLUMNS], odd[KERN_COLUMNS];

#pragma GCC unroll 4
    for (size_t c = 0; c < n_cols; c++)
        even[c] = odd[c] = vec_zero();
    for (size_t at = 0; at < k; at += STRETCH) {
        const size_t n = k - at < STRETCH ? k - at : STRETCH, n_groups = n / 16;

        for (size_t i = 0; i < n; i += type.length, w += type.bytes) {
            fetch_ahead(w, type.bytes, ahead);
            type.unpack(w, q + i, scale + i / 16, NULL);
        }
        for (size_t g = 0; g < n_groups; g += L) {
            const size_t left = n_groups - g, here = at / 16 + g;
            VEC product[KERN_COLUMNS];
#pragma GCC unroll 4
            for (size_t c = 0; c < n_cols; c++) {
                VEC s = left < L ? vec_load_n(scale + g, left) : vec_load(scale + g);
                VEC d = left < L ? vec_load_n(x[c].d + here, left) : vec_load(x[c].d + here);
                product[c] = vec_mul(s, d);
            }
#pragma GCC unroll 4
            for (int part = 0; part < 4; part++) {
                const size_t from = 16 * g + (size_t)part * PART;
                if (from >= n)
                    break;
                INTS codes = load_part(q + from, n - from);
#pragma GCC unroll 4
                for (size_t c = 0; c < n_cols; c++) {
                    VEC dot = dot_part(codes, load_part(x[c].q + at + from, n - from));
                    VEC *sum = part % 2 ? &odd[c] : &even[c];
                    *sum = vec_fma(dot, spread(product[c], part), *sum);
                }
            }
        }
    }
#pragma GCC unroll 4
    for (size_t c = 0; c < n_cols; c++)
        y[c * y_stride] = vec_sum(vec_add(even[c], odd[c]));
}

/* ---- panels ---- */

/* As far as rows are fetched ahead; past a row's end, in the row 16 further on. */
enum { AHEAD = 256 };

INLINE void repack_codes(const struct code_type type, const uint8_t *w, size_t row_bytes,
                         size_t n_rows, const struct kern_panel *panel)
{
    _Alignas(64) int8_t q[ROWS][QUANT_SUPER_BLOCK];
    float scale[ROWS][QUANT_SUPER_BLOCK / 16], min[ROWS][QUANT_SUPER_BLOCK / 16];
    const size_t step = type.per_16 ? 1 : 2, n_groups = type.length / 16;
    const uint8_t *lines[ROWS];
    uint8_t *codes = panel->codes;
    float *scales = panel->scale, *minima = panel->min;

    for (size_t r = 0; r < ROWS; r++)
        lines[r] = (const uint8_t *)q[r];
    for (size_t b = 0; b < panel->k / type.length; b++) {
        const size_t at = b * type.bytes;
        const size_t ahead = at + AHEAD < row_bytes ? AHEAD : AHEAD + (ROWS - 1) * row_bytes;

        for (size_t r = 0; r < ROWS; r++) {
            /* Rows beyond the last one repeat it: they are multiplied, and not delivered. */
            const uint8_t *block = w + (r < n_rows ? r : n_rows - 1) * row_bytes + at;
            for (size_t i = 0; i < type.bytes; i += 64)
                _mm_prefetch((const char *)block + ahead + i, _MM_HINT_T0);
            type.unpack(block, q[r], scale[r], min[r]);
        }
        for (size_t i = 0; i < type.length; i += 16, codes += 4 * LINE)
            for (size_t r = 0; r < ROWS; r += L) {
                INTS x[4];
                load_lines(lines + r, i, x);
#pragma GCC unroll 4
                for (int j = 0; j < 4; j++) {
                    if (KERN_OFFSET)
                        x[j] = ints_add8(x[j], ints_set8(KERN_OFFSET));
                    ints_store(codes + j * LINE + r * 4, x[j]);
                }
            }
        for (size_t g = 0; g < n_groups; g += step, scales += ROWS)
            for (size_t r = 0; r < ROWS; r++)
                scales[r] = scale[r][g];
        for (size_t g = 0; type.min && g < n_groups; g += step, minima += ROWS)
            for (size_t r = 0; r < ROWS; r++)
                minima[r] = min[r][g] * 0x1p-7f; /* times cols.start, −128 · Σ codes */
    }
}

/* ---- the table ---- */

#define REPACK_TYPE(name, block_length, ...)                                                       \
    static const struct code_type type_##name = { .length = block_length,                          \
                                                  .bytes = sizeof(struct block_##name),            \
                                                  .unpack = unpack_##name,                         \
                                                  __VA_ARGS__ };                                   \
    static void repack_##name(const void *w, size_t row_bytes, size_t n_rows,                      \
                              const struct kern_panel *panel)                                      \
    {                                                                                              \
        repack_codes(type_##name, w, row_bytes, n_rows, panel);                                    \
    }

/* Their rows too; the others have kernels of their own. */
#define CODE_TYPE(name, block_length, ...)                                                         \
    REPACK_TYPE(name, block_length, __VA_ARGS__)                                                   \
    INLINE void row_##name(const uint8_t *w, size_t k, struct fetch ahead,                         \
                           const struct kern_act *x, size_t n_cols, float *y, size_t y_stride)     \
    {                                                                                              \
        row_of_codes(type_##name, w, k, ahead, x, n_cols, y, y_stride);                            \
    }                                                                                              \
    GEMV_Q(name)

REPACK_TYPE(q2_k, 256, .per_16 = true, .min = true)
REPACK_TYPE(q3_k, 256, .per_16 = true)
REPACK_TYPE(iq4_nl, 32, .per_16 = false)
REPACK_TYPE(iq4_xs, 256, .per_16 = false)
CODE_TYPE(mxfp4, 32, .per_16 = false)
CODE_TYPE(nvfp4, 64, .per_16 = true)
CODE_TYPE(q1_0, 128, .per_16 = false)
CODE_TYPE(q2_0, 64, .per_16 = false)
CODE_TYPE(tq1_0, 256, .per_16 = false)
CODE_TYPE(tq2_0, 256, .per_16 = false)
CODE_TYPE(iq2_xxs, 256, .per_16 = false)
CODE_TYPE(iq2_xs, 256, .per_16 = true)
CODE_TYPE(iq2_s, 256, .per_16 = true)
CODE_TYPE(iq3_xxs, 256, .per_16 = false)
CODE_TYPE(iq3_s, 256, .per_16 = false)
CODE_TYPE(iq1_s, 256, .per_16 = false)
CODE_TYPE(iq1_m, 256, .per_16 = true)

#define ENTRY(name, type)                                                                          \
    kern->gemv_q[type] = gemv_##name;                                                              \
    kern->repack[type] = repack_##name

void LEVEL(kern_init_code_rows)(struct kern *kern)
{
    kern->repack[QUANT_Q2_K] = repack_q2_k;
    kern->repack[QUANT_Q3_K] = repack_q3_k;
    kern->repack[QUANT_IQ4_NL] = repack_iq4_nl;
    kern->repack[QUANT_IQ4_XS] = repack_iq4_xs;
    ENTRY(mxfp4, QUANT_MXFP4);
    ENTRY(nvfp4, QUANT_NVFP4);
    ENTRY(q1_0, QUANT_Q1_0);
    ENTRY(q2_0, QUANT_Q2_0);
    ENTRY(tq1_0, QUANT_TQ1_0);
    ENTRY(tq2_0, QUANT_TQ2_0);
    ENTRY(iq2_xxs, QUANT_IQ2_XXS);
    ENTRY(iq2_xs, QUANT_IQ2_XS);
    ENTRY(iq2_s, QUANT_IQ2_S);
    ENTRY(iq3_xxs, QUANT_IQ3_XXS);
    ENTRY(iq3_s, QUANT_IQ3_S);
    ENTRY(iq1_s, QUANT_IQ1_S);
    ENTRY(iq1_m, QUANT_IQ1_M);
}
