/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Activations with AVX-512: quantised, and arranged as avx512_quant.c multiplies them. And the
 * loops that measure what the processor can do at most. */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/x86/levels.h"

/* One group: its codes; d and the sum of the codes through pointers. */
INLINE __m128i quantise_group(__m512 x, float *d, int *sum)
{
    const __m512i magnitude = _mm512_set1_epi32(0x7FFFFFFF);

    /* As integers, magnitudes sort like the numbers, with NaN on top: it survives into d. */
    uint32_t top = _mm512_reduce_max_epu32(_mm512_and_si512(_mm512_castps_si512(x), magnitude));
    float amax;
    memcpy(&amax, &top, sizeof amax);
    *d = amax < KERN_ACT_TINY ? 0 : amax / 127;
    float inverse = amax >= KERN_ACT_TINY ? 127 / amax : 0;
    /* With an infinity or a NaN all codes are 0. */
    __mmask16 usable = inverse > 0 ? 0xFFFF : 0;
    __m512i codes = _mm512_maskz_cvtps_epi32(usable, _mm512_mul_ps(x, _mm512_set1_ps(inverse)));
    *sum = _mm512_reduce_add_epi32(codes);
    return _mm512_cvtepi32_epi8(codes);
}

static void quant_act(const float *x, size_t k, const struct kern_act *out)
{
    for (size_t b = 0; b < k / 32; b++, x += 32) {
        int sum0, sum1;
        __m128i lo = quantise_group(_mm512_loadu_ps(x), &out->d[2 * b], &sum0);
        __m128i hi = quantise_group(_mm512_loadu_ps(x + 16), &out->d[2 * b + 1], &sum1);

        _mm_storeu_si128((void *)(out->q + b * 32), lo);
        _mm_storeu_si128((void *)(out->q + b * 32 + 16), hi);
        out->sum16[2 * b] = (int16_t)sum0;
        out->sum16[2 * b + 1] = (int16_t)sum1;
        out->s[b] = out->d[2 * b] * (float)sum0 + out->d[2 * b + 1] * (float)sum1;
    }
}

/* lane_q and lane_d of 256 elements, as add_in_order() multiplies them, and lane_s. */
INLINE void arrange(const int8_t *q, const float *d, const int16_t *sum16, int8_t *lane_q,
                    float *lane_d, float *lane_s)
{
    const __m512i lower = _mm512_setr_epi32(0, 0, 8, 8, 1, 1, 9, 9, 4, 4, 12, 12, 5, 5, 13, 13);
    const __m512i upper = _mm512_add_epi32(lower, _mm512_set1_epi32(2));
    __m512i q0 = _mm512_load_si512(q), q1 = _mm512_load_si512(q + 64);
    __m512i q2 = _mm512_load_si512(q + 128), q3 = _mm512_load_si512(q + 192);
    __m512i even_a = _mm512_unpacklo_epi64(q0, q2), even_b = _mm512_unpacklo_epi64(q1, q3);
    __m512i odd_a = _mm512_unpackhi_epi64(q0, q2), odd_b = _mm512_unpackhi_epi64(q1, q3);
    __m512 scales = _mm512_load_ps(d);

    _mm512_store_si512(lane_q, _mm512_shuffle_i64x2(even_a, even_b, 0x44));
    _mm512_store_si512(lane_q + 64, _mm512_shuffle_i64x2(odd_a, odd_b, 0x44));
    _mm512_store_si512(lane_q + 128, _mm512_shuffle_i64x2(even_a, even_b, 0xEE));
    _mm512_store_si512(lane_q + 192, _mm512_shuffle_i64x2(odd_a, odd_b, 0xEE));
    _mm512_store_ps(lane_d, _mm512_permutexvar_ps(lower, scales));
    _mm512_store_ps(lane_d + 16, _mm512_permutexvar_ps(upper, scales));
    __m512i sums = _mm512_cvtepi16_epi32(_mm256_load_si256((const void *)sum16));
    _mm512_store_ps(lane_s, _mm512_mul_ps(scales, _mm512_cvtepi32_ps(sums)));
}

static void arrange_act(size_t k, const struct kern_act *x)
{
    for (size_t i = 0; i + 256 <= k; i += 256)
        arrange(x->q + i, x->d + i / 16, x->sum16 + i / 16, x->lane_q + i, x->lane_d + i / 8,
                x->lane_s + i / 16);
}

/* ---- ceilings ---- */

static uint64_t read_loop(const void *data, size_t n_bytes)
{
    const uint8_t *at = data;
    __m512i all[4] = { _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                       _mm512_setzero_si512() };
    size_t i = 0;

    for (; i + 256 <= n_bytes; i += 256) {
#pragma GCC unroll 4
        for (size_t j = 0; j < 4; j++) {
            all[j] = _mm512_xor_si512(all[j], _mm512_loadu_si512(at + i + 64 * j));
        }
    }
    for (; i + 64 <= n_bytes; i += 64)
        all[0] = _mm512_xor_si512(all[0], _mm512_loadu_si512(at + i));
    all[0] = _mm512_xor_si512(_mm512_xor_si512(all[0], all[1]), _mm512_xor_si512(all[2], all[3]));
    uint64_t lanes[8];
    _mm512_storeu_si512(lanes, all[0]);
    return lanes[0] ^ lanes[1] ^ lanes[2] ^ lanes[3] ^ lanes[4] ^ lanes[5] ^ lanes[6] ^ lanes[7];
}

static uint64_t int8_loop(uint64_t n)
{
    /* Twelve independent sums hide the latency; they are named, since an array might spill. */
    __m512i a = _mm512_set1_epi8(3), b = _mm512_set1_epi8(5);
    __m512i s0 = a, s1 = a, s2 = a, s3 = a, s4 = a, s5 = a;
    __m512i s6 = b, s7 = b, s8 = b, s9 = b, s10 = b, s11 = b;

    /* Says that they differ: equal sums would be computed once. */
    __asm__("" : "+v"(s0), "+v"(s1), "+v"(s2), "+v"(s3), "+v"(s4), "+v"(s5));
    __asm__("" : "+v"(s6), "+v"(s7), "+v"(s8), "+v"(s9), "+v"(s10), "+v"(s11));
    for (uint64_t i = 0; i < n; i += 12) {
#define STEP(s) s = _mm512_dpbusd_epi32(s, a, b)
        STEP(s0);
        STEP(s1);
        STEP(s2);
        STEP(s3);
        STEP(s4);
        STEP(s5);
        STEP(s6);
        STEP(s7);
        STEP(s8);
        STEP(s9);
        STEP(s10);
        STEP(s11);
#undef STEP
        /* Says that the factors may have changed, so that no product is moved out of the loop. */
        __asm__ volatile("" : "+v"(a), "+v"(b));
    }
    s0 = _mm512_xor_si512(_mm512_xor_si512(s0, s1), _mm512_xor_si512(s2, s3));
    s4 = _mm512_xor_si512(_mm512_xor_si512(s4, s5), _mm512_xor_si512(s6, s7));
    s8 = _mm512_xor_si512(_mm512_xor_si512(s8, s9), _mm512_xor_si512(s10, s11));
    s0 = _mm512_xor_si512(_mm512_xor_si512(s0, s4), s8);
    __asm__ volatile("" : : "v"(s0));
    return (n + 11) / 12 * 12 * 128;
}

void kern_init_act_avx512(struct kern *kern)
{
    kern->quant_act = quant_act;
    kern->arrange_act = arrange_act;
    kern->read_loop = read_loop;
    kern->int8_loop = int8_loop;
}
