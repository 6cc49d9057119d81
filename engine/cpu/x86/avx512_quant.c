/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block types with AVX-512 VNNI. Codes are unpacked to unsigned bytes, 64 at a time, and multiplied
 * with 64 activations into 16 sums of four products; these become floats and are scaled lane by
 * lane. Four groups of 16 share a vector in natural order; Q4_0, Q4_1, Q4_K and Q5_K have halves of
 * eight groups there, in the order of lane_q. What makes codes unsigned (an offset) or scales them
 * from below (a minimum) goes through the activations' sums. */
#include "cpu/x86/quant_rows.h"

/* Sums of one column: even and odd vectors take turns; the third is for offsets and minima of
 * blocks of 32. */
struct sums {
    __m512 even, odd;
    __m256 low;
};

INLINE void start(struct sums *sum, size_t n_cols)
{
#pragma GCC unroll 4
    for (size_t c = 0; c < n_cols; c++) {
        sum[c].even = sum[c].odd = _mm512_setzero_ps();
        sum[c].low = _mm256_setzero_ps();
    }
}

INLINE void finish(const struct sums *sum, size_t n_cols, float *y, size_t y_stride)
{
#pragma GCC unroll 4
    for (size_t c = 0; c < n_cols; c++) {
        __m512 all = _mm512_add_ps(sum[c].even, sum[c].odd);
        __m256 a = _mm256_add_ps(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps(all, 1));
        a = _mm256_add_ps(a, sum[c].low);
        __m128 b = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
        b = _mm_add_ps(b, _mm_movehl_ps(b, b));
        y[c * y_stride] = _mm_cvtss_f32(_mm_add_ss(b, _mm_movehdup_ps(b)));
    }
}

/* One vector of products: sum += scale · (codes · q), scale being given per lane. */
INLINE __m512 add_products(__m512 sum, __m512i codes, __m512i q, __m512 scale)
{
    __m512i dots = _mm512_dpbusd_epi32(_mm512_setzero_si512(), codes, q);
    return _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots), scale, sum);
}

/* Lane l of the vector with elements 64·part … belongs to group 4·part + l / 4. */
INLINE __m512i lanes_of_part(int part)
{
    const __m512i group = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return _mm512_add_epi32(group, _mm512_set1_epi32(4 * part));
}

/* Scales of eight blocks of 32, for their sixteen groups. */
INLINE __m512 twice(__m256 scale)
{
    const __m512i at = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    return _mm512_permutexvar_ps(at, _mm512_castps256_ps512(scale));
}

/* 1, 1/16, 1, 1/16, … */
INLINE __m512 second_sixteenth(void)
{
    return _mm512_castpd_ps(_mm512_castsi512_pd(_mm512_set1_epi64(0x3D8000003F800000)));
}

/* ---- blocks of 32 ---- */

/* A type of 32-element blocks, constant after inlining. `codes` gives the codes of two blocks.
 * weight = scale · code + (minimum, or offset · scale). A signed type's codes are magnitudes with
 * the signs in *negative. With `in_place` the second 16 codes of a block stay in the upper nibbles,
 * 16 times too large, and their scale makes up for it: no shift. */
struct type32 {
    size_t bytes;
    bool has_min, is_signed, in_place;
    float offset;
    __m512i (*codes)(const uint8_t *first, const uint8_t *second, __mmask64 *negative);
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

/* Word `word` of block i of eight, as an index into their first 128 bytes or, if it is beyond them,
 * into their last 64. */
#define WORD(i, word) ((i) * (int)stride / 2 + (word))
#define IN_FIRST(i, word) (short)(WORD(i, word) < 64 ? WORD(i, word) : 0)
#define IN_LAST(i, word) (short)(WORD(i, word) < 64 ? 0 : WORD(i, word) - 4 * (int)stride + 32)
#define ONCE(in, word)                                                                             \
    in(0, word), in(1, word), in(2, word), in(3, word), in(4, word), in(5, word), in(6, word),     \
        in(7, word)
#define TWICE(in)                                                                                  \
    in(0, 0), in(0, 0), in(1, 0), in(1, 0), in(2, 0), in(2, 0), in(3, 0), in(3, 0), in(4, 0),      \
        in(4, 0), in(5, 0), in(5, 0), in(6, 0), in(6, 0), in(7, 0), in(7, 0)
#define LOW_WORDS(in) ONCE(in, 0), ONCE(in, 0)
#define MIN_WORDS(in) ONCE(in, 1), ONCE(in, 1)

/* The scales of eight blocks, each twice, for its two groups; and once more, or the words behind
 * them, the minima. Reads nothing outside the eight blocks. */
INLINE __m512 scales_and_low(const uint8_t *w, const size_t stride, const bool has_min, __m256 *low)
{
    const __m256i twice = _mm256_setr_epi16(TWICE(IN_FIRST));
    const __m256i twice_last = _mm256_setr_epi16(TWICE(IN_LAST));
    const __m256i once =
        has_min ? _mm256_setr_epi16(MIN_WORDS(IN_FIRST)) : _mm256_setr_epi16(LOW_WORDS(IN_FIRST));
    const __m256i once_last =
        has_min ? _mm256_setr_epi16(MIN_WORDS(IN_LAST)) : _mm256_setr_epi16(LOW_WORDS(IN_LAST));
    __m512i at = _mm512_inserti64x4(_mm512_castsi256_si512(twice), once, 1);
    __m512i words =
        _mm512_permutex2var_epi16(_mm512_loadu_si512(w), at, _mm512_loadu_si512(w + 64));
    __mmask32 beyond = 0;
    for (int i = 0; i < 8; i++) {
        if (WORD(i, 0) >= 64)
            beyond |= 3u << 2 * i;
        if (WORD(i, has_min) >= 64)
            beyond |= 0x10000u << i;
    }
    at = _mm512_inserti64x4(_mm512_castsi256_si512(twice_last), once_last, 1);
    words =
        _mm512_mask_permutexvar_epi16(words, beyond, at, _mm512_loadu_si512(w + 8 * stride - 64));
    *low = _mm256_cvtph_ps(_mm512_extracti32x4_epi32(words, 2));
    return _mm512_cvtph_ps(_mm512_castsi512_si256(words));
}

/* Blocks b … n − 1, by twos; the last one may stand alone, then its partner counts nothing. */
INLINE void rest_of_32(const struct type32 type, const uint8_t *w, size_t b, size_t n,
                       const struct kern_act *x, const size_t n_cols, struct sums *sum)
{
    const size_t bytes = type.bytes;

    for (; b < n; b += 2, w += 2 * bytes) {
        const bool two = b + 1 < n;
        const uint8_t *second = two ? w + bytes : w;
        const __mmask8 halves = two ? 0xFF : 0x0F;
        __mmask64 negative = 0;
        __m512i codes = type.codes(w, second, &negative);
        float d0 = load_f16(w), d1 = two ? load_f16(second) : 0;
        float low0 = type.has_min ? load_f16(w + 2) : type.offset * d0;
        float low1 = type.has_min ? two ? load_f16(second + 2) : 0 : type.offset * d1;
#pragma GCC unroll 4
        for (size_t c = 0; c < n_cols; c++) {
            float s1 = two ? x[c].s[b + 1] : 0;
            float a2 = two ? x[c].d[2 * b + 2] : 0, a3 = two ? x[c].d[2 * b + 3] : 0;
            __m512i q = _mm512_maskz_loadu_epi64(halves, x[c].q + b * 32);
            if (type.is_signed)
                q = _mm512_mask_sub_epi8(q, negative, _mm512_setzero_si512(), q);
            __m128 groups =
                _mm_setr_ps(d0 * x[c].d[2 * b], d0 * x[c].d[2 * b + 1], d1 * a2, d1 * a3);
            if (type.in_place)
                groups = _mm_mul_ps(groups, _mm512_castps512_ps128(second_sixteenth()));
            __m512 each = _mm512_permutexvar_ps(lanes_of_part(0), _mm512_castps128_ps512(groups));
            sum[c].even = add_products(sum[c].even, codes, q, each);
            if (type.has_min || type.offset != 0) {
                __m256 s = _mm256_setr_ps(x[c].s[b], s1, 0, 0, 0, 0, 0, 0);
                __m256 low = _mm256_setr_ps(low0, low1, 0, 0, 0, 0, 0, 0);
                sum[c].low = _mm256_fmadd_ps(low, s, sum[c].low);
            }
        }
    }
}

INLINE void row_of_32(const struct type32 type, const uint8_t *w, size_t k, struct fetch ahead,
                      const struct kern_act *x, const size_t n_cols, float *y, size_t y_stride)
{
    struct sums sum[KERN_COLUMNS];
    const size_t n = k / 32, bytes = type.bytes;
    size_t b = 0;

    start(sum, n_cols);
    for (; b + 8 <= n; b += 8, w += 8 * bytes) {
        __m256 low = _mm256_setzero_ps();
        __m512 product[KERN_COLUMNS], scales;

        fetch_ahead(w, 8 * bytes, ahead);
        if (type.is_signed)
            scales = twice(eight_scales(w, bytes));
        else
            scales = scales_and_low(w, bytes, type.has_min, &low);
        if (!type.has_min)
            low = _mm256_mul_ps(low, _mm256_set1_ps(type.offset));
#pragma GCC unroll 4
        for (size_t c = 0; c < n_cols; c++) {
            product[c] = _mm512_mul_ps(scales, _mm512_loadu_ps(x[c].d + 2 * b));
            if (type.has_min || type.offset != 0)
                sum[c].low = _mm256_fmadd_ps(low, _mm256_loadu_ps(x[c].s + b), sum[c].low);
        }
#pragma GCC unroll 4
        for (int pair = 0; pair < 4; pair++) {
            const uint8_t *at = w + 2 * (size_t)pair * bytes;
            __mmask64 negative = 0;
            __m512i codes = type.codes(at, at + bytes, &negative);
#pragma GCC unroll 4
            for (size_t c = 0; c < n_cols; c++) {
                __m512i q = _mm512_loadu_si512(x[c].q + (b + 2 * (size_t)pair) * 32);
                if (type.is_signed)
                    q = _mm512_mask_sub_epi8(q, negative, _mm512_setzero_si512(), q);
                __m512 each = _mm512_permutexvar_ps(lanes_of_part(pair), product[c]);
                if (pair % 2)
                    sum[c].odd = add_products(sum[c].odd, codes, q, each);
                else
                    sum[c].even = add_products(sum[c].even, codes, q, each);
            }
        }
    }
    rest_of_32(type, w, b, n, x, n_cols, sum);
    finish(sum, n_cols, y, y_stride);
}

/* Two blocks of 16 bytes of nibbles in the order of halves, each in two lanes. */
INLINE __m512i each_in_two_lanes(const uint8_t *first, const uint8_t *second)
{
    __m512i bytes = _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)first));
    return _mm512_mask_broadcast_i32x4(bytes, 0xFF00, _mm_loadu_si128((const void *)second));
}

INLINE __m512i nibbles(const uint8_t *first, const uint8_t *second)
{
    const __m512i shift = _mm512_set_epi64(0x0004000400040004, 0x0004000400040004, 0, 0,
                                           0x0004000400040004, 0x0004000400040004, 0, 0);
    __m512i bytes = _mm512_srlv_epi16(each_in_two_lanes(first, second), shift);
    return _mm512_and_si512(bytes, _mm512_set1_epi8(15));
}

INLINE __m512i nibbles_in_place(const uint8_t *first, const uint8_t *second)
{
    const long long lower = 0x0F0F0F0F0F0F0F0F, upper = (long long)0xF0F0F0F0F0F0F0F0;
    const __m512i which = _mm512_set_epi64(upper, upper, lower, lower, upper, upper, lower, lower);
    return _mm512_and_si512(each_in_two_lanes(first, second), which);
}

/* Adds 16 where the blocks' fifth bits are set; they are in the order of the elements. */
INLINE __m512i add_fifth(__m512i codes, const uint8_t *first, const uint8_t *second)
{
    __mmask64 high = load_u32(first) | (uint64_t)load_u32(second) << 32;
    return _mm512_mask_add_epi8(codes, high, codes, _mm512_set1_epi8(16));
}

INLINE __m512i codes_q4_0(const uint8_t *first, const uint8_t *second, __mmask64 *negative)
{
    (void)negative;
    return nibbles_in_place(first + 2, second + 2);
}

INLINE __m512i codes_q4_1(const uint8_t *first, const uint8_t *second, __mmask64 *negative)
{
    (void)negative;
    return nibbles_in_place(first + 4, second + 4);
}

INLINE __m512i codes_q5_0(const uint8_t *first, const uint8_t *second, __mmask64 *negative)
{
    (void)negative;
    return add_fifth(nibbles(first + 6, second + 6), first + 2, second + 2);
}

INLINE __m512i codes_q5_1(const uint8_t *first, const uint8_t *second, __mmask64 *negative)
{
    (void)negative;
    return add_fifth(nibbles(first + 8, second + 8), first + 4, second + 4);
}

INLINE __m512i codes_q8_0(const uint8_t *first, const uint8_t *second, __mmask64 *negative)
{
    __m512i w = _mm512_castsi256_si512(_mm256_loadu_si256((const void *)(first + 2)));
    w = _mm512_inserti64x4(w, _mm256_loadu_si256((const void *)(second + 2)), 1);
    *negative = _mm512_movepi8_mask(w);
    return _mm512_abs_epi8(w); /* −128 becomes 128, unsigned */
}

INLINE __m512i iq4_values(__m512i codes)
{
    const __m128i table = _mm_loadu_si128((const void *)quant_iq4_values);
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), codes);
}

INLINE __m512i codes_iq4_nl(const uint8_t *first, const uint8_t *second, __mmask64 *negative)
{
    __m512i w = iq4_values(nibbles(first + 2, second + 2));
    *negative = _mm512_movepi8_mask(w);
    return _mm512_abs_epi8(w);
}

/* ---- in the order of lane_q ---- */

/* Half a group of 16 stands in each pair of lanes, its other half in a second vector: the products
 * of the two are summed before they become floats. By pairs of lanes, the groups are 0 8 1 9 4 12 5
 * 13 in the first two vectors of 256 codes and each two more in the last two; arrange_act() has the
 * activations so. Where two groups share a scale, these are scales 0 4 0 4 2 6 2 6, and one more.
 */
INLINE __m512 scales_of_lanes(__m256 scale, const int more)
{
    const __m512i at = _mm512_setr_epi32(0, 0, 4, 4, 0, 0, 4, 4, 2, 2, 6, 6, 2, 2, 6, 6);
    return _mm512_permutexvar_ps(_mm512_add_epi32(at, _mm512_set1_epi32(more)),
                                 _mm512_castps256_ps512(scale));
}

/* Adds the products of four vectors of codes with one column, from its element i on. */
INLINE void add_in_order(struct sums *sum, const __m512i codes[4], const __m512 scales[2],
                         const struct kern_act *x, size_t i)
{
    const int8_t *q = x->lane_q + i;
    const float *d = x->lane_d + i / 8;
    __m512i even = _mm512_dpbusd_epi32(_mm512_setzero_si512(), codes[0], _mm512_load_si512(q));
    __m512i odd = _mm512_dpbusd_epi32(_mm512_setzero_si512(), codes[2], _mm512_load_si512(q + 128));
    even = _mm512_dpbusd_epi32(even, codes[1], _mm512_load_si512(q + 64));
    odd = _mm512_dpbusd_epi32(odd, codes[3], _mm512_load_si512(q + 192));
    sum->even = _mm512_fmadd_ps(_mm512_cvtepi32_ps(even),
                                _mm512_mul_ps(scales[0], _mm512_load_ps(d)), sum->even);
    sum->odd = _mm512_fmadd_ps(_mm512_cvtepi32_ps(odd),
                               _mm512_mul_ps(scales[1], _mm512_load_ps(d + 16)), sum->odd);
}

/* Four words each from these on: a b a b c d c d. */
INLINE __m512i words_of_blocks(int a, int b, int c, int d)
{
    const long long four = 0x0001000100010001, steps = 0x0003000200010000;
    return _mm512_setr_epi64(a * four + steps, b * four + steps, a * four + steps, b * four + steps,
                             c * four + steps, d * four + steps, c * four + steps,
                             d * four + steps);
}

/* Eight blocks of nibbles at once. Shuffles of words bring them into order: halves of blocks 0 4 0
 * 4 2 6 2 6 from one pair of vectors, of the blocks behind each from another pair, the first four
 * blocks being in a pair's first vector. Where a block stands for the second time its upper nibbles
 * count; they stay in place, 16 times too large, and so do their sums until the end. */
INLINE void row_of_nibbles(const struct type32 type, const uint8_t *w, size_t k, struct fetch ahead,
                           const struct kern_act *x, const size_t n_cols, float *y, size_t y_stride)
{
    const long long lower = 0x0F0F0F0F0F0F0F0F, upper = (long long)0xF0F0F0F0F0F0F0F0;
    const __m512i which = _mm512_set_epi64(upper, upper, lower, lower, upper, upper, lower, lower);
    /* All in words: a block's length, where its nibbles begin, where its minimum (or scale) is;
     * where the second vector of the first pair begins and what that adds to an index into it. */
    const int step = (int)type.bytes / 2, head = type.has_min ? 2 : 1, low = type.has_min ? 1 : 0;
    const int second = type.has_min ? 40 : 32, add = 32 - second;
    const __m512i even0 =
        words_of_blocks(head, 4 * step + head + add, 2 * step + head, 6 * step + head + add);
    /* The second pair begins with block 1 and ends with block 7. */
    const __m512i odd0 =
        words_of_blocks(head, 64 - 3 * step + head, 2 * step + head, 64 - step + head);
    const __m512i even1 = _mm512_add_epi16(even0, _mm512_set1_epi16(4));
    const __m512i odd1 = _mm512_add_epi16(odd0, _mm512_set1_epi16(4));
    const __m128i first_words = _mm_setr_epi16(0, (short)step, (short)(2 * step), (short)(3 * step),
                                               (short)(4 * step + add), (short)(5 * step + add),
                                               (short)(6 * step + add), (short)(7 * step + add));
    const __m256i scale_words =
        _mm256_inserti128_si256(_mm256_castsi128_si256(first_words),
                                _mm_add_epi16(first_words, _mm_set1_epi16((short)low)), 1);
    struct sums sum[KERN_COLUMNS];
    const size_t n = k / 32, bytes = type.bytes;
    size_t b = 0;

    start(sum, n_cols);
    for (; b + 8 <= n; b += 8, w += 8 * bytes) {
        fetch_ahead(w, 8 * bytes, ahead);
        __m512i e0 = _mm512_loadu_si512(w), e1 = _mm512_loadu_si512(w + 2 * second);
        __m512i o0 = _mm512_loadu_si512(w + bytes), o1 = _mm512_loadu_si512(w + 8 * bytes - 64);
        /* Says that they may have changed: else each shuffle would load them anew. */
        __asm__("" : "+v"(e0), "+v"(e1), "+v"(o0), "+v"(o1));
        __m256i words = _mm512_castsi512_si256(
            _mm512_permutex2var_epi16(e0, _mm512_castsi256_si512(scale_words), e1));
        __m256 scale = _mm256_cvtph_ps(_mm256_castsi256_si128(words)), min = scale;
        if (type.has_min)
            min = _mm256_cvtph_ps(_mm256_extracti128_si256(words, 1));
        const __m512 scales[2] = { scales_of_lanes(scale, 0), scales_of_lanes(scale, 1) };
        const __m512i codes[4] = {
            _mm512_and_si512(_mm512_permutex2var_epi16(e0, even0, e1), which),
            _mm512_and_si512(_mm512_permutex2var_epi16(e0, even1, e1), which),
            _mm512_and_si512(_mm512_permutex2var_epi16(o0, odd0, o1), which),
            _mm512_and_si512(_mm512_permutex2var_epi16(o0, odd1, o1), which),
        };
#pragma GCC unroll 4
        for (size_t c = 0; c < n_cols; c++) {
            add_in_order(&sum[c], codes, scales, &x[c], 32 * b);
            sum[c].low = _mm256_fmadd_ps(min, _mm256_loadu_ps(x[c].s + b), sum[c].low);
        }
    }
    const __m512 share = _mm512_mask_blend_ps(0xF0F0, _mm512_set1_ps(1), _mm512_set1_ps(1.0F / 16));
#pragma GCC unroll 4
    for (size_t c = 0; c < n_cols; c++) {
        sum[c].even = _mm512_mul_ps(sum[c].even, share);
        sum[c].odd = _mm512_mul_ps(sum[c].odd, share);
        if (!type.has_min)
            sum[c].low = _mm256_mul_ps(sum[c].low, _mm256_set1_ps(type.offset));
    }
    rest_of_32(type, w, b, n, x, n_cols, sum);
    finish(sum, n_cols, y, y_stride);
}

#define ROW_32(type, rows, ...)                                                                    \
    INLINE void row_##type(const uint8_t *w, size_t k, struct fetch ahead,                         \
                           const struct kern_act *x, size_t n_cols, float *y, size_t y_stride)     \
    {                                                                                              \
        const struct type32 t = { .bytes = sizeof(struct block_##type),                            \
                                  .codes = codes_##type,                                           \
                                  __VA_ARGS__ };                                                   \
        rows(t, w, k, ahead, x, n_cols, y, y_stride);                                              \
    }                                                                                              \
    GEMV_Q(type)

ROW_32(q4_0, row_of_nibbles, .offset = -8, .in_place = true)
ROW_32(q4_1, row_of_nibbles, .has_min = true, .in_place = true)
ROW_32(q5_0, row_of_32, .offset = -16)
ROW_32(q5_1, row_of_32, .has_min = true)
ROW_32(q8_0, row_of_32, .is_signed = true)
ROW_32(iq4_nl, row_of_32, .is_signed = true)

/* ---- blocks of 256 ---- */

INLINE __m256 floats_of_bytes(uint64_t bytes)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)bytes)));
}

/* Adds 16 where a fifth bit is set: by eights bits 0, 4, 0, 4, 2, 6, 2 and 6, or those above. */
INLINE __m512i add_fifth_k(__m512i codes, __m512i bits, const int upper)
{
    const __m512i which = _mm512_setr_epi64(
        0x0101010101010101, 0x1010101010101010, 0x0101010101010101, 0x1010101010101010,
        0x0404040404040404, 0x4040404040404040, 0x0404040404040404, 0x4040404040404040);
    __mmask64 set = _mm512_test_epi8_mask(bits, upper ? _mm512_add_epi8(which, which) : which);
    return _mm512_mask_add_epi8(codes, set, codes, _mm512_set1_epi8(16));
}

/* Bytes 0 … 63 of a block's nibbles and bytes 64 … 127 take turns by eights. Q4_K's upper nibbles
 * stay in place, 16 times too large, and so do their sums until the end. */
INLINE void row_of_k(const bool five_bits, const uint8_t *w, size_t k, struct fetch ahead,
                     const struct kern_act *x, const size_t n_cols, float *y, size_t y_stride)
{
    const __m512i lower = _mm512_set1_epi8(15);
    struct sums sum[KERN_COLUMNS];
    const size_t bytes = five_bits ? sizeof(struct block_q5_k) : sizeof(struct block_q4_k);

    start(sum, n_cols);
    for (size_t i = 0; i < k; i += 256, w += bytes) {
        const struct block_q4_k *block = (const void *)w;
        const struct block_q5_k *block5 = (const void *)w;
        const uint8_t *qs = five_bits ? block5->qs : block->qs;
        uint64_t packed_scales, packed_minima;

        fetch_ahead(w, bytes, ahead);
        unpack_scale_min(block->scales, &packed_scales, &packed_minima);
        __m128 both = _mm_cvtph_ps(_mm_cvtsi32_si128((int)load_u32(block->d))); /* d, dmin */
        __m256 scale = _mm256_mul_ps(_mm256_broadcastss_ps(both), floats_of_bytes(packed_scales));
        __m256 min = _mm256_mul_ps(floats_of_bytes(packed_minima),
                                   _mm256_broadcastss_ps(_mm_movehdup_ps(both)));
        const __m512 scales[2] = { scales_of_lanes(scale, 0), scales_of_lanes(scale, 1) };

        __m512i a = _mm512_loadu_si512(qs), b = _mm512_loadu_si512(qs + 64);
        __m512i first = _mm512_unpacklo_epi64(a, b), second = _mm512_unpackhi_epi64(a, b);
        __m512i codes[4] = { _mm512_and_si512(first, lower), _mm512_and_si512(second, lower),
                             _mm512_andnot_si512(lower, first),
                             _mm512_andnot_si512(lower, second) };
        if (five_bits) {
            __m512i high = _mm512_broadcast_i64x4(_mm256_loadu_si256((const void *)block5->qh));
            __m512i high0 = _mm512_unpacklo_epi64(high, high);
            __m512i high1 = _mm512_unpackhi_epi64(high, high);
            codes[0] = add_fifth_k(codes[0], high0, 0);
            codes[1] = add_fifth_k(codes[1], high1, 0);
            codes[2] = add_fifth_k(_mm512_srli_epi16(codes[2], 4), high0, 1);
            codes[3] = add_fifth_k(_mm512_srli_epi16(codes[3], 4), high1, 1);
        }
#pragma GCC unroll 4
        for (size_t c = 0; c < n_cols; c++) {
            add_in_order(&sum[c], codes, scales, &x[c], i);
            sum[c].low = _mm256_fnmadd_ps(min, _mm256_loadu_ps(x[c].s + i / 32), sum[c].low);
        }
    }
    if (!five_bits) {
#pragma GCC unroll 4
        for (size_t c = 0; c < n_cols; c++)
            sum[c].odd = _mm512_mul_ps(sum[c].odd, _mm512_set1_ps(1.0F / 16));
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

/* Codes 64·part … 64·part + 63 of a block, 0 … 63 (32 too large): nibbles of 64 bytes, and above
 * each two bits of 32 bytes. Of those, every other two are cut off before they are moved to bits 4
 * and 5: then nothing comes to bits 6 and 7, and the nibble replaces what comes below. */
INLINE __m512i codes_q6_k(const uint8_t *w, int part)
{
    const struct block_q6_k *block = (const void *)w;
    const __m512i which =
        _mm512_inserti64x4(_mm512_set1_epi8(0x33), _mm256_set1_epi8((char)0xCC), 1);
    const __m512i up = _mm512_inserti64x4(_mm512_set1_epi16(4), _mm256_set1_epi16(2), 1);
    const __m512i down = _mm512_inserti64x4(_mm512_setzero_si512(), _mm256_set1_epi16(2), 1);
    __m512i low = _mm512_loadu_si512(block->ql + 64 * (part / 2));
    __m512i high =
        _mm512_broadcast_i64x4(_mm256_loadu_si256((const void *)(block->qh + 32 * (part / 2))));

    /* Says that it may have changed: else the other part would load it anew. */
    __asm__("" : "+v"(low));
    high = _mm512_and_si512(high, which);
    if (part % 2) {
        low = _mm512_srli_epi16(low, 4);
        high = _mm512_srlv_epi16(high, down);
    } else {
        high = _mm512_sllv_epi16(high, up);
    }
    /* (low & 15) | (high & ~15) */
    return _mm512_ternarylogic_epi32(_mm512_set1_epi8(15), low, high, 0xCA);
}

/* ---- blocks of 256 with scales per 16 ---- */

/* What the codes of each group are multiplied with, and its activations' sum: offset · scale, or
 * minus a minimum. */
struct groups {
    __m512 scale, low;
};

/* Constant after inlining. Signed types have no `low`. */
struct type16 {
    size_t bytes;
    bool is_signed;
    struct groups (*groups)(const uint8_t *block);
    __m512i (*codes)(const uint8_t *block, int part);
};

INLINE void row_of_16(const struct type16 type, const uint8_t *w, size_t k, struct fetch ahead,
                      const struct kern_act *x, const size_t n_cols, float *y, size_t y_stride)
{
    struct sums sum[KERN_COLUMNS];

    start(sum, n_cols);
    for (size_t i = 0; i < k; i += 256, w += type.bytes) {
        __m512 product[KERN_COLUMNS];

        fetch_ahead(w, type.bytes, ahead);
        const struct groups groups = type.groups(w);
#pragma GCC unroll 4
        for (size_t c = 0; c < n_cols; c++) {
            __m512 d = _mm512_loadu_ps(x[c].d + i / 16);
            product[c] = _mm512_mul_ps(groups.scale, d);
            if (!type.is_signed)
                sum[c].odd =
                    _mm512_fmadd_ps(groups.low, _mm512_load_ps(x[c].lane_s + i / 16), sum[c].odd);
        }
#pragma GCC unroll 4
        for (int part = 0; part < 4; part++) {
            __m512i codes = type.codes(w, part);
            __mmask64 negative = 0;
            if (type.is_signed) {
                negative = _mm512_movepi8_mask(codes);
                codes = _mm512_abs_epi8(codes);
            }
#pragma GCC unroll 4
            for (size_t c = 0; c < n_cols; c++) {
                __m512i q = _mm512_loadu_si512(x[c].q + i + 64 * (size_t)part);
                if (type.is_signed)
                    q = _mm512_mask_sub_epi8(q, negative, _mm512_setzero_si512(), q);
                __m512 each = _mm512_permutexvar_ps(lanes_of_part(part), product[c]);
                if (part % 2)
                    sum[c].odd = add_products(sum[c].odd, codes, q, each);
                else
                    sum[c].even = add_products(sum[c].even, codes, q, each);
            }
        }
    }
    finish(sum, n_cols, y, y_stride);
}

INLINE __m512 floats_of_signed(__m128i bytes, float d)
{
    return _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes)), _mm512_set1_ps(d));
}

INLINE struct groups groups_q6_k(const uint8_t *w)
{
    const struct block_q6_k *b = (const void *)w;
    __m512 scale = floats_of_signed(_mm_loadu_si128((const void *)b->scales), load_f16(b->d));
    return (struct groups){ scale, _mm512_mul_ps(scale, _mm512_set1_ps(-32)) };
}

/* Two crumbs of each of 32 bytes: row 2·(part % 2), then the next. */
INLINE __m512i crumbs_of_part(const uint8_t qs[64], int part)
{
    const __m512i first = _mm512_inserti64x4(_mm512_setzero_si512(), _mm256_set1_epi16(2), 1);
    const __m512i second = _mm512_inserti64x4(_mm512_set1_epi16(4), _mm256_set1_epi16(6), 1);
    __m512i bytes =
        _mm512_broadcast_i64x4(_mm256_loadu_si256((const void *)(qs + 32 * (part / 2))));
    bytes = _mm512_srlv_epi16(bytes, part % 2 ? second : first);
    return _mm512_and_si512(bytes, _mm512_set1_epi8(3));
}

INLINE struct groups groups_q2_k(const uint8_t *w)
{
    const struct block_q2_k *b = (const void *)w;
    const __m128i low = _mm_set1_epi8(15);
    __m128i packed = _mm_loadu_si128((const void *)b->scales);
    return (struct groups){
        floats_of_signed(_mm_and_si128(packed, low), load_f16(b->d)),
        floats_of_signed(_mm_and_si128(_mm_srli_epi16(packed, 4), low), -load_f16(b->dmin)),
    };
}

INLINE __m512i codes_q2_k(const uint8_t *w, int part)
{
    return crumbs_of_part(((const struct block_q2_k *)(const void *)w)->qs, part);
}

INLINE struct groups groups_q3_k(const uint8_t *w)
{
    const struct block_q3_k *b = (const void *)w;
    __m512 scale = floats_of_signed(unpack_scales_q3_k(b->scales), load_f16(b->d));
    return (struct groups){ scale, _mm512_mul_ps(scale, _mm512_set1_ps(-4)) };
}

/* 0 … 7, 4 too large. */
INLINE __m512i codes_q3_k(const uint8_t *w, int part)
{
    const struct block_q3_k *b = (const void *)w;
    const __m512i bits = _mm512_inserti64x4(_mm512_set1_epi8((char)(1 << 2 * part)),
                                            _mm256_set1_epi8((char)(2 << 2 * part)), 1);
    __m512i high = _mm512_broadcast_i64x4(_mm256_loadu_si256((const void *)b->hmask));
    __m512i codes = crumbs_of_part(b->qs, part);
    return _mm512_mask_add_epi8(codes, _mm512_test_epi8_mask(high, bits), codes,
                                _mm512_set1_epi8(4));
}

INLINE struct groups groups_iq4_xs(const uint8_t *w)
{
    const struct block_iq4_xs *b = (const void *)w;
    __m256 scale = _mm256_cvtepi32_ps(unpack_scales_iq4_xs(b));
    scale = _mm256_mul_ps(scale, _mm256_set1_ps(load_f16(b->d)));
    return (struct groups){ twice(scale), _mm512_setzero_ps() };
}

INLINE __m512i codes_iq4_xs(const uint8_t *w, int part)
{
    const uint8_t *qs = ((const struct block_iq4_xs *)(const void *)w)->qs + 32 * part;
    return iq4_values(nibbles(qs, qs + 16));
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

void kern_init_avx512(struct kern *kern)
{
    kern_init_elements_avx512(kern);
    kern_init_gemv_float_avx512(kern);
    kern_init_panel_float_avx512(kern);
    kern_init_code_rows_avx512(kern);
    kern_init_attend_avx512(kern);
    kern_init_act_avx512(kern);
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
}
