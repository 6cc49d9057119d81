/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block types with AVX2, and with AVX-VNNI. Codes are unpacked to unsigned bytes in natural order,
 * 32 at a time. Offsets and minima go through the activations' sums. */
#include "cpu/x86/dots.h"
#include "cpu/x86/quant_rows.h"

/* Sums of one column: even and odd vectors take turns. */
struct sums {
    __m256 even, odd;
};

INLINE void start(struct sums *sum, size_t n_cols)
{
#pragma GCC unroll 4
    for (size_t c = 0; c < n_cols; c++)
        sum[c].even = sum[c].odd = _mm256_setzero_ps();
}

INLINE void finish(const struct sums *sum, size_t n_cols, float *y, size_t y_stride)
{
#pragma GCC unroll 4
    for (size_t c = 0; c < n_cols; c++) {
        __m256 a = _mm256_add_ps(sum[c].even, sum[c].odd);
        __m128 b = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
        b = _mm_add_ps(b, _mm_movehl_ps(b, b));
        y[c * y_stride] = _mm_cvtss_f32(_mm_add_ss(b, _mm_movehdup_ps(b)));
    }
}

/* One vector of products: sum += scale · (codes · q), scale being given per lane. */
INLINE __m256 add_products(__m256 sum, __m256i codes, __m256i q, __m256 scale)
{
    return _mm256_fmadd_ps(_mm256_cvtepi32_ps(dots_of(codes, q)), scale, sum);
}

/* ---- blocks of 32 ---- */

/* A type of 32-element blocks, constant after inlining.
 * weight = scale · code + (minimum, or offset · scale). */
struct type32 {
    size_t bytes;
    bool has_min, is_signed;
    float offset;
    __m256i (*codes)(const uint8_t *block);
};

/* The first 16 bits of eight blocks. */
INLINE __m256 eight_scales(const uint8_t *w, size_t stride)
{
    __m128i d = _mm_cvtsi32_si128(block_u16(w));
    d = _mm_insert_epi16(d, block_u16(w + stride), 1);
    d = _mm_insert_epi16(d, block_u16(w + 2 * stride), 2);
    d = _mm_insert_epi16(d, block_u16(w + 3 * stride), 3);
    d = _mm_insert_epi16(d, block_u16(w + 4 * stride), 4);
    d = _mm_insert_epi16(d, block_u16(w + 5 * stride), 5);
    d = _mm_insert_epi16(d, block_u16(w + 6 * stride), 6);
    d = _mm_insert_epi16(d, block_u16(w + 7 * stride), 7);
    return _mm256_cvtph_ps(d);
}

/* The first 32 bits of four blocks: scales in the lower half, minima in the upper. */
INLINE __m128i four_scales_mins(const uint8_t *w, size_t stride)
{
    const __m128i apart = _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    __m128i dm = _mm_cvtsi32_si128((int)load_u32(w));
    dm = _mm_insert_epi32(dm, (int)load_u32(w + stride), 1);
    dm = _mm_insert_epi32(dm, (int)load_u32(w + 2 * stride), 2);
    dm = _mm_insert_epi32(dm, (int)load_u32(w + 3 * stride), 3);
    return _mm_shuffle_epi8(dm, apart);
}

/* Scales of sixteen groups of 16, of weights times activations. */
struct products {
    __m256 half[2];
};

/* From the scales of eight blocks of 32. */
INLINE struct products products_of_32(__m256 scale, const float *d)
{
    const __m256i low = _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3);
    const __m256i high = _mm256_setr_epi32(4, 4, 5, 5, 6, 6, 7, 7);
    __m256 first = _mm256_permutevar8x32_ps(scale, low);
    __m256 second = _mm256_permutevar8x32_ps(scale, high);
    return (struct products){ { _mm256_mul_ps(first, _mm256_loadu_ps(d)),
                                _mm256_mul_ps(second, _mm256_loadu_ps(d + 8)) } };
}

/* Those of groups 2·i and 2·i + 1 over the lanes of 32 elements. */
INLINE __m256 each_of_two(const struct products *p, size_t i)
{
    const __m256i lanes = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
    __m256i at = _mm256_add_epi32(lanes, _mm256_set1_epi32((int)(2 * (i % 4))));
    return _mm256_permutevar8x32_ps(p->half[i / 4], at);
}

INLINE void block_of_32(const struct type32 type, const uint8_t *block, size_t b,
                        const struct kern_act *x, const size_t n_cols,
                        const struct products *product, size_t i, struct sums *sum)
{
    __m256i w = type.codes(block);
    __m256i codes = type.is_signed ? _mm256_abs_epi8(w) : w; /* −128 becomes 128, unsigned */
#pragma GCC unroll 4
    for (size_t c = 0; c < n_cols; c++) {
        __m256i q = _mm256_loadu_si256((const void *)(x[c].q + b * 32));
        if (type.is_signed)
            q = _mm256_sign_epi8(q, w);
        __m256 each = each_of_two(&product[c], i);
        if (i % 2)
            sum[c].odd = add_products(sum[c].odd, codes, q, each);
        else
            sum[c].even = add_products(sum[c].even, codes, q, each);
    }
}

INLINE void row_of_32(const struct type32 type, const uint8_t *w, size_t k, struct fetch ahead,
                      const struct kern_act *x, const size_t n_cols, float *y, size_t y_stride)
{
    struct sums sum[KERN_COLUMNS];
    struct products product[KERN_COLUMNS];
    const size_t n = k / 32, bytes = type.bytes;
    size_t b = 0;

    start(sum, n_cols);
    for (; b + 8 <= n; b += 8, w += 8 * bytes) {
        __m256 scale, low = _mm256_setzero_ps();

        fetch_ahead(w, 8 * bytes, ahead);
        if (type.has_min) {
            __m128i first = four_scales_mins(w, bytes);
            __m128i second = four_scales_mins(w + 4 * bytes, bytes);
            scale = _mm256_cvtph_ps(_mm_unpacklo_epi64(first, second));
            low = _mm256_cvtph_ps(_mm_unpackhi_epi64(first, second));
        } else {
            scale = eight_scales(w, bytes);
            if (type.offset != 0)
                low = _mm256_mul_ps(scale, _mm256_set1_ps(type.offset));
        }
#pragma GCC unroll 4
        for (size_t c = 0; c < n_cols; c++) {
            product[c] = products_of_32(scale, x[c].d + 2 * b);
            if (type.has_min || type.offset != 0)
                sum[c].odd = _mm256_fmadd_ps(low, _mm256_loadu_ps(x[c].s + b), sum[c].odd);
        }
#pragma GCC unroll 8
        for (size_t i = 0; i < 8; i++)
            block_of_32(type, w + i * bytes, b + i, x, n_cols, product, i, sum);
    }
    for (; b < n; b++, w += bytes) {
        float scale = load_f16(w), low = type.has_min ? load_f16(w + 2) : type.offset * scale;
#pragma GCC unroll 4
        for (size_t c = 0; c < n_cols; c++) {
            product[c].half[0] =
                _mm256_setr_ps(scale * x[c].d[2 * b], scale * x[c].d[2 * b + 1], 0, 0, 0, 0, 0, 0);
            if (type.has_min || type.offset != 0) {
                __m256 s = _mm256_zextps128_ps256(_mm_set_ss(x[c].s[b]));
                sum[c].odd = _mm256_fmadd_ps(_mm256_set1_ps(low), s, sum[c].odd);
            }
        }
        block_of_32(type, w, b, x, n_cols, product, 0, sum);
    }
    finish(sum, n_cols, y, y_stride);
}

INLINE __m256i nibbles(const uint8_t qs[16])
{
    __m128i bytes = _mm_loadu_si128((const void *)qs);
    __m256i both =
        _mm256_inserti128_si256(_mm256_castsi128_si256(bytes), _mm_srli_epi16(bytes, 4), 1);
    return _mm256_and_si256(both, _mm256_set1_epi8(15));
}

/* 16 in each byte whose bit of the 32 is set. */
INLINE __m256i fifth_bits(const uint8_t qh[4])
{
    const __m256i spread = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2,
                                            2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
    const __m256i bit = _mm256_set1_epi64x((long long)0x8040201008040201);
    __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32((int)load_u32(qh)), spread);
    __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit);
    return _mm256_and_si256(set, _mm256_set1_epi8(16));
}

INLINE __m256i codes_q4_0(const uint8_t *block)
{
    return nibbles(block + 2);
}

INLINE __m256i codes_q4_1(const uint8_t *block)
{
    return nibbles(block + 4);
}

INLINE __m256i codes_q5_0(const uint8_t *block)
{
    return _mm256_or_si256(nibbles(block + 6), fifth_bits(block + 2));
}

INLINE __m256i codes_q5_1(const uint8_t *block)
{
    return _mm256_or_si256(nibbles(block + 8), fifth_bits(block + 4));
}

INLINE __m256i codes_q8_0(const uint8_t *block)
{
    return _mm256_loadu_si256((const void *)(block + 2));
}

INLINE __m256i iq4_values(__m256i codes)
{
    const __m128i table = _mm_loadu_si128((const void *)quant_iq4_values);
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), codes);
}

INLINE __m256i codes_iq4_nl(const uint8_t *block)
{
    return iq4_values(nibbles(block + 2));
}

#define ROW_32(type, ...)                                                                          \
    INLINE void row_##type(const uint8_t *w, size_t k, struct fetch ahead,                         \
                           const struct kern_act *x, size_t n_cols, float *y, size_t y_stride)     \
    {                                                                                              \
        const struct type32 t = { .bytes = sizeof(struct block_##type),                            \
                                  .codes = codes_##type,                                           \
                                  __VA_ARGS__ };                                                   \
        row_of_32(t, w, k, ahead, x, n_cols, y, y_stride);                                         \
    }                                                                                              \
    GEMV_Q(type)

ROW_32(q4_0, .offset = -8)
ROW_32(q4_1, .has_min = true)
ROW_32(q5_0, .offset = -16)
ROW_32(q5_1, .has_min = true)
ROW_32(q8_0, .is_signed = true)
ROW_32(iq4_nl, .is_signed = true)

/* ---- blocks of 256 ---- */

INLINE __m256 floats_of_bytes(uint64_t bytes)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)bytes)));
}

/* Q4_K and Q5_K differ in the fifth bits: bit j of byte i of qh belongs to element 32·j + i. */
INLINE void row_of_k(const bool five_bits, const uint8_t *w, size_t k, struct fetch ahead,
                     const struct kern_act *x, const size_t n_cols, float *y, size_t y_stride)
{
    struct sums sum[KERN_COLUMNS];
    struct products product[KERN_COLUMNS];
    const size_t bytes = five_bits ? sizeof(struct block_q5_k) : sizeof(struct block_q4_k);

    start(sum, n_cols);
    for (size_t i = 0; i < k; i += 256, w += bytes) {
        const struct block_q4_k *block = (const void *)w;
        const struct block_q5_k *block5 = (const void *)w;
        const uint8_t *qs = five_bits ? block5->qs : block->qs;
        uint64_t scales, minima;

        fetch_ahead(w, bytes, ahead);
        unpack_scale_min(block->scales, &scales, &minima);
        __m128 both = _mm_cvtph_ps(_mm_cvtsi32_si128((int)load_u32(block->d))); /* d, dmin */
        __m256 scale = _mm256_mul_ps(floats_of_bytes(scales), _mm256_broadcastss_ps(both));
        __m256 min =
            _mm256_mul_ps(floats_of_bytes(minima), _mm256_broadcastss_ps(_mm_movehdup_ps(both)));
#pragma GCC unroll 4
        for (size_t c = 0; c < n_cols; c++) {
            product[c] = products_of_32(scale, x[c].d + i / 16);
            sum[c].odd = _mm256_fnmadd_ps(min, _mm256_loadu_ps(x[c].s + i / 32), sum[c].odd);
        }
#pragma GCC unroll 8
        for (int j = 0; j < 8; j++) {
            __m256i codes = _mm256_loadu_si256((const void *)(qs + 32 * (j / 2)));
            if (j % 2)
                codes = _mm256_srli_epi16(codes, 4);
            codes = _mm256_and_si256(codes, _mm256_set1_epi8(15));
            if (five_bits) {
                __m256i high = _mm256_loadu_si256((const void *)block5->qh);
                high = j < 4 ? _mm256_slli_epi16(high, 4 - j) : _mm256_srli_epi16(high, j - 4);
                codes = _mm256_or_si256(codes, _mm256_and_si256(high, _mm256_set1_epi8(16)));
            }
#pragma GCC unroll 4
            for (size_t c = 0; c < n_cols; c++) {
                __m256i q = _mm256_loadu_si256((const void *)(x[c].q + i + 32 * (size_t)j));
                __m256 each = each_of_two(&product[c], (size_t)j);
                if (j % 2)
                    sum[c].odd = add_products(sum[c].odd, codes, q, each);
                else
                    sum[c].even = add_products(sum[c].even, codes, q, each);
            }
        }
    }
    finish(sum, n_cols, y, y_stride);
}

INLINE void row_q4_k(const uint8_t *w, size_t k, struct fetch ahead, const struct kern_act *x,
                     size_t n_cols, float *y, size_t y_stride)
{
    row_of_k(false, w, k, ahead, x, n_cols, y, y_stride);
}

INLINE void row_q5_k(const uint8_t *w, size_t k, struct fetch ahead, const struct kern_act *x,
                     size_t n_cols, float *y, size_t y_stride)
{
    row_of_k(true, w, k, ahead, x, n_cols, y, y_stride);
}

/* Codes 32·part … 32·part + 31 of a block, 0 … 63 (32 too large). */
INLINE __m256i codes_q6_k(const uint8_t *w, int part)
{
    const struct block_q6_k *block = (const void *)w;
    const int half = part / 4, quarter = part % 4;
    __m256i low = _mm256_loadu_si256((const void *)(block->ql + 64 * half + 32 * (quarter % 2)));
    __m256i high = _mm256_loadu_si256((const void *)(block->qh + 32 * half));

    if (quarter >= 2)
        low = _mm256_srli_epi16(low, 4);
    low = _mm256_and_si256(low, _mm256_set1_epi8(15));
    /* Bits 2·quarter and the next go to bits 4 and 5. */
    if (quarter < 2)
        high = _mm256_slli_epi16(high, 4 - 2 * quarter);
    else
        high = _mm256_srli_epi16(high, 2 * quarter - 4);
    return _mm256_or_si256(low, _mm256_and_si256(high, _mm256_set1_epi8(0x30)));
}

/* ---- blocks of 256 with scales per 16 ---- */

/* What the codes of each group are multiplied with, and its activations' sum: offset · scale, or
 * minus a minimum. Eight groups in each half. */
struct groups {
    __m256 scale[2], low[2];
};

/* Constant after inlining. Signed types have no `low`. */
struct type16 {
    size_t bytes;
    bool is_signed;
    struct groups (*groups)(const uint8_t *block);
    __m256i (*codes)(const uint8_t *block, int part);
};

INLINE void row_of_16(const struct type16 type, const uint8_t *w, size_t k, struct fetch ahead,
                      const struct kern_act *x, const size_t n_cols, float *y, size_t y_stride)
{
    struct sums sum[KERN_COLUMNS];

    start(sum, n_cols);
    for (size_t i = 0; i < k; i += 256, w += type.bytes) {
        struct products product[KERN_COLUMNS];

        fetch_ahead(w, type.bytes, ahead);
        const struct groups groups = type.groups(w);
#pragma GCC unroll 4
        for (size_t c = 0; c < n_cols; c++) {
#pragma GCC unroll 2
            for (int h = 0; h < 2; h++) {
                __m256 d = _mm256_loadu_ps(x[c].d + i / 16 + 8 * h);
                product[c].half[h] = _mm256_mul_ps(groups.scale[h], d);
                if (type.is_signed)
                    continue;
                __m256 sums = _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(
                    _mm_loadu_si128((const void *)(x[c].sum16 + i / 16 + 8 * h))));
                sum[c].odd = _mm256_fmadd_ps(_mm256_mul_ps(groups.low[h], d), sums, sum[c].odd);
            }
        }
#pragma GCC unroll 8
        for (int part = 0; part < 8; part++) {
            __m256i codes = type.codes(w, part);
            __m256i magnitude = type.is_signed ? _mm256_abs_epi8(codes) : codes;
#pragma GCC unroll 4
            for (size_t c = 0; c < n_cols; c++) {
                __m256i q = _mm256_loadu_si256((const void *)(x[c].q + i + 32 * (size_t)part));
                if (type.is_signed)
                    q = _mm256_sign_epi8(q, codes);
                __m256 each = each_of_two(&product[c], (size_t)part);
                if (part % 2)
                    sum[c].odd = add_products(sum[c].odd, magnitude, q, each);
                else
                    sum[c].even = add_products(sum[c].even, magnitude, q, each);
            }
        }
    }
    finish(sum, n_cols, y, y_stride);
}

/* Sixteen signed bytes times d. */
INLINE void floats_of_signed(__m128i bytes, float d, __m256 out[2])
{
    __m256 by = _mm256_set1_ps(d);
    out[0] = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes)), by);
    bytes = _mm_srli_si128(bytes, 8);
    out[1] = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes)), by);
}

INLINE struct groups with_offset(__m128i scales, float d, float offset)
{
    struct groups g;
    floats_of_signed(scales, d, g.scale);
    g.low[0] = _mm256_mul_ps(g.scale[0], _mm256_set1_ps(offset));
    g.low[1] = _mm256_mul_ps(g.scale[1], _mm256_set1_ps(offset));
    return g;
}

INLINE struct groups groups_q6_k(const uint8_t *w)
{
    const struct block_q6_k *b = (const void *)w;
    return with_offset(_mm_loadu_si128((const void *)b->scales), load_f16(b->d), -32);
}

/* Crumb part % 4 of each of 32 bytes. */
INLINE __m256i crumbs_of_part(const uint8_t qs[64], int part)
{
    __m256i bytes = _mm256_loadu_si256((const void *)(qs + 32 * (part / 4)));
    return _mm256_and_si256(_mm256_srli_epi16(bytes, 2 * (part % 4)), _mm256_set1_epi8(3));
}

INLINE struct groups groups_q2_k(const uint8_t *w)
{
    const struct block_q2_k *b = (const void *)w;
    const __m128i low = _mm_set1_epi8(15);
    __m128i packed = _mm_loadu_si128((const void *)b->scales);
    struct groups g;
    floats_of_signed(_mm_and_si128(packed, low), load_f16(b->d), g.scale);
    floats_of_signed(_mm_and_si128(_mm_srli_epi16(packed, 4), low), -load_f16(b->dmin), g.low);
    return g;
}

INLINE __m256i codes_q2_k(const uint8_t *w, int part)
{
    return crumbs_of_part(((const struct block_q2_k *)(const void *)w)->qs, part);
}

INLINE struct groups groups_q3_k(const uint8_t *w)
{
    const struct block_q3_k *b = (const void *)w;
    return with_offset(unpack_scales_q3_k(b->scales), load_f16(b->d), -4);
}

/* 0 … 7, 4 too large. Bit `part` of hmask goes to bit 2. */
INLINE __m256i codes_q3_k(const uint8_t *w, int part)
{
    const struct block_q3_k *b = (const void *)w;
    __m256i high = _mm256_loadu_si256((const void *)b->hmask);
    high = part < 2 ? _mm256_slli_epi16(high, 2 - part) : _mm256_srli_epi16(high, part - 2);
    return _mm256_or_si256(crumbs_of_part(b->qs, part),
                           _mm256_and_si256(high, _mm256_set1_epi8(4)));
}

INLINE struct groups groups_iq4_xs(const uint8_t *w)
{
    const struct block_iq4_xs *b = (const void *)w;
    const __m256i low = _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3);
    __m256 scale = _mm256_cvtepi32_ps(unpack_scales_iq4_xs(b));
    scale = _mm256_mul_ps(scale, _mm256_set1_ps(load_f16(b->d)));
    struct groups g = { 0 };
    g.scale[0] = _mm256_permutevar8x32_ps(scale, low);
    g.scale[1] = _mm256_permutevar8x32_ps(scale, _mm256_add_epi32(low, _mm256_set1_epi32(4)));
    return g;
}

INLINE __m256i codes_iq4_xs(const uint8_t *w, int part)
{
    return iq4_values(nibbles(((const struct block_iq4_xs *)(const void *)w)->qs + 16 * part));
}

#define ROW_16(type, ...)                                                                          \
    INLINE void row_##type(const uint8_t *w, size_t k, struct fetch ahead,                         \
                           const struct kern_act *x, size_t n_cols, float *y, size_t y_stride)     \
    {                                                                                              \
        const struct type16 t = { .bytes = sizeof(struct block_##type),                            \
                                  .groups = groups_##type,                                         \
                                  .codes = codes_##type,                                           \
                                  __VA_ARGS__ };                                                   \
        row_of_16(t, w, k, ahead, x, n_cols, y, y_stride);                                         \
    }                                                                                              \
    GEMV_Q(type)

GEMV_Q(q4_k)
GEMV_Q(q5_k)
ROW_16(q6_k, .is_signed = false)
ROW_16(q2_k, .is_signed = false)
ROW_16(q3_k, .is_signed = false)
ROW_16(iq4_xs, .is_signed = true)

/* ---- activations ---- */

static uint32_t largest(__m256i x)
{
    __m128i y = _mm_max_epu32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    y = _mm_max_epu32(y, _mm_shuffle_epi32(y, 0x4E));
    y = _mm_max_epu32(y, _mm_shuffle_epi32(y, 0xB1));
    return (uint32_t)_mm_cvtsi128_si32(y);
}

/* One group: its 16 codes as 16-bit numbers, four of each half in turn; d through the pointer. */
INLINE __m256i quantise_group(const float *x, float *d)
{
    const __m256i magnitude = _mm256_set1_epi32(0x7FFFFFFF);
    __m256 first = _mm256_loadu_ps(x), second = _mm256_loadu_ps(x + 8);
    __m256i bits0 = _mm256_and_si256(_mm256_castps_si256(first), magnitude);
    __m256i bits1 = _mm256_and_si256(_mm256_castps_si256(second), magnitude);

    /* As integers, magnitudes sort like the numbers, with NaN on top: it survives into d. */
    uint32_t top = largest(_mm256_max_epu32(bits0, bits1));
    float amax;
    memcpy(&amax, &top, sizeof amax);
    *d = amax < KERN_ACT_TINY ? 0 : amax / 127;
    float inverse = amax >= KERN_ACT_TINY ? 127 / amax : 0;
    __m256 factor = _mm256_set1_ps(inverse);
    /* With an infinity or a NaN all codes are 0. */
    __m256i usable = _mm256_set1_epi32(inverse > 0 ? -1 : 0);
    __m256i lo = _mm256_and_si256(_mm256_cvtps_epi32(_mm256_mul_ps(first, factor)), usable);
    __m256i hi = _mm256_and_si256(_mm256_cvtps_epi32(_mm256_mul_ps(second, factor)), usable);
    return _mm256_packs_epi32(lo, hi);
}

static void quant_act(const float *x, size_t k, const struct kern_act *out)
{
    const __m256i in_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256i ones8 = _mm256_set1_epi8(1), ones16 = _mm256_set1_epi16(1);

    for (size_t b = 0; b < k / 32; b++, x += 32) {
        __m256i q = _mm256_packs_epi16(quantise_group(x, &out->d[2 * b]),
                                       quantise_group(x + 16, &out->d[2 * b + 1]));
        q = _mm256_permutevar8x32_epi32(q, in_order);
        _mm256_storeu_si256((void *)(out->q + b * 32), q);

        __m256i sums = _mm256_madd_epi16(_mm256_maddubs_epi16(ones8, q), ones16);
        sums = _mm256_add_epi32(sums, _mm256_shuffle_epi32(sums, 0x4E));
        sums = _mm256_add_epi32(sums, _mm256_shuffle_epi32(sums, 0xB1));
        int sum0 = _mm256_extract_epi32(sums, 0), sum1 = _mm256_extract_epi32(sums, 4);
        out->sum16[2 * b] = (int16_t)sum0;
        out->sum16[2 * b + 1] = (int16_t)sum1;
        out->s[b] = out->d[2 * b] * (float)sum0 + out->d[2 * b + 1] * (float)sum1;
    }
}

/* ---- ceilings ---- */

static uint64_t read_loop(const void *data, size_t n_bytes)
{
    const uint8_t *at = data;
    __m256i all[8];
    size_t i = 0;

    for (int j = 0; j < 8; j++)
        all[j] = _mm256_setzero_si256();
    for (; i + 256 <= n_bytes; i += 256) {
#pragma GCC unroll 8
        for (size_t j = 0; j < 8; j++) {
            all[j] = _mm256_xor_si256(all[j], _mm256_loadu_si256((const void *)(at + i + 32 * j)));
        }
    }
    for (; i + 32 <= n_bytes; i += 32)
        all[0] = _mm256_xor_si256(all[0], _mm256_loadu_si256((const void *)(at + i)));
    for (int j = 1; j < 8; j++)
        all[0] = _mm256_xor_si256(all[0], all[j]);
    uint64_t lanes[4];
    _mm256_storeu_si256((void *)lanes, all[0]);
    return lanes[0] ^ lanes[1] ^ lanes[2] ^ lanes[3];
}

static uint64_t int8_loop(uint64_t n)
{
    /* Eight independent sums; what widens them is not counted. */
    __m256i a = _mm256_set1_epi8(3), b = _mm256_set1_epi8(5);
    __m256i s0 = a, s1 = a, s2 = a, s3 = a, s4 = b, s5 = b, s6 = b, s7 = b;

    for (uint64_t i = 0; i < n; i += 8) {
#define STEP(s)                                                                                    \
    s = add_dots(s, a, b);                                                                         \
    __asm__ volatile("" : "+x"(a), "+x"(b))
        STEP(s0);
        STEP(s1);
        STEP(s2);
        STEP(s3);
        STEP(s4);
        STEP(s5);
        STEP(s6);
        STEP(s7);
#undef STEP
    }
    s0 = _mm256_xor_si256(_mm256_xor_si256(s0, s1), _mm256_xor_si256(s2, s3));
    s4 = _mm256_xor_si256(_mm256_xor_si256(s4, s5), _mm256_xor_si256(s6, s7));
    s0 = _mm256_xor_si256(s0, s4);
    __asm__ volatile("" : : "x"(s0));
    return (n + 7) / 8 * 8 * 64;
}

void LEVEL(kern_init_quant)(struct kern *kern)
{
    kern->quant_act = quant_act;
    kern->gemv_q[QUANT_Q4_0] = gemv_q4_0;
    kern->gemv_q[QUANT_Q4_1] = gemv_q4_1;
    kern->gemv_q[QUANT_Q5_0] = gemv_q5_0;
    kern->gemv_q[QUANT_Q5_1] = gemv_q5_1;
    kern->gemv_q[QUANT_Q8_0] = gemv_q8_0;
    kern->gemv_q[QUANT_Q4_K] = gemv_q4_k;
    kern->gemv_q[QUANT_Q5_K] = gemv_q5_k;
    kern->gemv_q[QUANT_Q6_K] = gemv_q6_k;
    kern->gemv_q[QUANT_Q2_K] = gemv_q2_k;
    kern->gemv_q[QUANT_Q3_K] = gemv_q3_k;
    kern->gemv_q[QUANT_IQ4_NL] = gemv_iq4_nl;
    kern->gemv_q[QUANT_IQ4_XS] = gemv_iq4_xs;
    kern->read_loop = read_loop;
    kern->int8_loop = int8_loop;
}
