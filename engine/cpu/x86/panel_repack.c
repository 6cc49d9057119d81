/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a block type taken apart into a panel, by vectors that hold four bytes of each of their
 * rows (16 rows with AVX-512, else 8, and it is done twice).
 *
 * 16 packed bytes of each row are read and transposed as 32-bit pieces; what comes out lies as the
 * codes will, so that all unpacking is the same for every row and nothing is moved again. */
#include "cpu/x86/levels.h"

#include <string.h>

#include "cpu/x86/ints.h"
#include "quant/blocks.h"

/* Stored codes: with vpdpbusd all types are code + 128, so that all share the columns' starts. AVX2
 * keeps them as they are in the file, since its sums of pairs must not saturate. `zero` is what the
 * file's code of a zero weight is. */
#define BIAS(zero) (KERN_OFFSET ? KERN_OFFSET - (zero) : 0)

enum { L = VEC_LANES, ROWS = KERN_PANEL_ROWS, LINE = 4 * ROWS };

/* 32 bits of each row, or 16 (in the lower halves). */
INLINE INTS load_words(const uint8_t *const *row, size_t at, const bool half)
{
    uint32_t all[L];
#pragma GCC unroll 16
    for (int i = 0; i < L; i++)
        all[i] = half ? block_u16(row[i] + at) : block_u32(row[i] + at);
    INTS x;
    memcpy(&x, all, sizeof x);
    return x;
}

/* Fetches what is AHEAD bytes behind `at` in each row, n bytes of it; where that is past a row's
 * end, the same part of the row 16 further on, which is next. Without it, few columns wait for
 * memory twice as long as for everything else. */
enum { AHEAD = 256 };

INLINE void fetch_ahead(const uint8_t *const *row, size_t row_bytes, size_t at, size_t n)
{
    size_t to = at + AHEAD < row_bytes ? at + AHEAD : at + AHEAD + (ROWS - 1) * row_bytes;
    for (size_t r = 0; r < L; r++)
        for (size_t i = 0; i < n; i += 64)
            _mm_prefetch((const char *)row[r] + to + i, _MM_HINT_T0);
}

/* Where the codes and scales of one block of 32 elements go, for the rows of a vector. */
struct place {
    uint8_t *codes;
    float *scale, *min;
};

INLINE struct place place_at(const struct kern_panel *p, size_t block, size_t first_row)
{
    return (struct place){ p->codes + block * 8 * LINE + first_row * 4,
                           p->scale + block * ROWS + first_row, p->min + block * ROWS + first_row };
}

/* Codes of elements 4·line … 4·line + 3 of a block. */
INLINE void put_codes(struct place to, int line, INTS codes, const int bias)
{
    if (bias)
        codes = ints_add8(codes, ints_set8(bias));
    ints_store(to.codes + line * LINE, codes);
}

/* ---- blocks of 32 ---- */

/* A type of nibbles in the order of halves: d, perhaps m, perhaps qh, qs. Constant after inlining.
 */
struct nibble_type {
    size_t bytes;
    bool has_min, five_bits;
    int zero;
};

INLINE void rows_of_nibbles(const struct nibble_type type, const uint8_t *const *row,
                            size_t row_bytes, size_t first_row, const struct kern_panel *panel)
{
    const INTS low = ints_set8(15);
    const size_t qh = type.has_min ? 4 : 2, qs = type.five_bits ? qh + 4 : qh;

    for (size_t b = 0, at = 0; b < panel->k / 32; b++, at += type.bytes) {
        struct place to = place_at(panel, b, first_row);
        INTS x[4], high = ints_set8(0);

        if (b % 4 == 0)
            fetch_ahead(row, row_bytes, at, 4 * type.bytes);
        INTS head = load_words(row, at, !type.has_min);

        vec_store(to.scale, floats_of_f16(head));
        if (type.has_min)
            vec_store(to.min, floats_of_f16(ints_right(head, 16)));
        if (type.five_bits)
            high = load_words(row, at + qh, false);
        load_lines(row, at + qs, x);
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            INTS first = ints_and(x[i], low), second = ints_and(ints_right(x[i], 4), low);
            if (type.five_bits) {
                first = ints_or(first, fifth_bits(high, i));
                second = ints_or(second, fifth_bits(high, i + 4));
            }
            put_codes(to, i, first, BIAS(type.zero));
            put_codes(to, i + 4, second, BIAS(type.zero));
        }
    }
}

INLINE void rows_of_q8_0(const uint8_t *const *row, size_t row_bytes, size_t first_row,
                         const struct kern_panel *panel)
{
    for (size_t b = 0, at = 0; b < panel->k / 32; b++, at += sizeof(struct block_q8_0)) {
        struct place to = place_at(panel, b, first_row);

        if (b % 2 == 0)
            fetch_ahead(row, row_bytes, at, 2 * sizeof(struct block_q8_0));
        vec_store(to.scale, floats_of_f16(load_words(row, at, true)));
#pragma GCC unroll 2
        for (int half = 0; half < 2; half++) {
            INTS x[4];
            load_lines(row, at + 2 + 16 * (size_t)half, x);
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++)
                put_codes(to, 4 * half + i, x[i], BIAS(0));
        }
    }
}

/* ---- blocks of 256 ---- */

/* Byte i of each lane, as a float. */
INLINE VEC floats_of_byte(INTS x, const int i)
{
    return floats_of(ints_and(ints_right(x, 8 * i), ints_set32(0xFF)));
}

/* Q4_K, and Q5_K whose fifth bits are bit j of byte i of qh for element 32·j + i. */
INLINE void rows_of_k(const bool five_bits, const uint8_t *const *row, size_t row_bytes,
                      size_t first_row, const struct kern_panel *panel)
{
    const size_t bytes = five_bits ? sizeof(struct block_q5_k) : sizeof(struct block_q4_k);
    const size_t qs = five_bits ? 48 : 16;
    const INTS low = ints_set8(15), six = ints_set8(63), fifth = ints_set8(16);
    const INTS two_high = ints_set8(0x30);

    for (size_t b = 0, at = 0; b < panel->k / 32; b += 8, at += bytes) {
        INTS head[4], high[8];

        fetch_ahead(row, row_bytes, at, bytes);
        /* d and dmin; twelve bytes of 6-bit scales and minima, as quant_scale_min() has them. */
        load_lines(row, at, head);
        INTS scales[2] = { ints_and(head[1], six),
                           ints_or(ints_and(head[3], low),
                                   ints_and(ints_right(head[1], 2), two_high)) };
        INTS minima[2] = { ints_and(head[2], six),
                           ints_or(ints_and(ints_right(head[3], 4), low),
                                   ints_and(ints_right(head[2], 2), two_high)) };
        VEC d = floats_of_f16(head[0]);
        VEC dmin = vec_sub(vec_zero(), floats_of_f16(ints_right(head[0], 16)));
        if (five_bits) {
            load_lines(row, at + 16, high);
            load_lines(row, at + 32, high + 4);
        }
#pragma GCC unroll 8
        for (int j = 0; j < 8; j++) {
            struct place to = place_at(panel, b + (size_t)j, first_row);
            vec_store(to.scale, vec_mul(floats_of_byte(scales[j / 4], j % 4), d));
            vec_store(to.min, vec_mul(floats_of_byte(minima[j / 4], j % 4), dmin));
        }
#pragma GCC unroll 4
        for (int pair = 0; pair < 4; pair++) {
            struct place first = place_at(panel, b + 2 * (size_t)pair, first_row);
            struct place second = place_at(panel, b + 2 * (size_t)pair + 1, first_row);
#pragma GCC unroll 2
            for (int half = 0; half < 2; half++) {
                INTS x[4];
                load_lines(row, at + qs + 32 * (size_t)pair + 16 * (size_t)half, x);
#pragma GCC unroll 4
                for (int i = 0; i < 4; i++) {
                    const int line = 4 * half + i, up = 4 - 2 * pair;
                    INTS q0 = ints_and(x[i], low), q1 = ints_and(ints_right(x[i], 4), low);
                    if (five_bits) {
                        INTS h = high[line];
                        INTS h0 = up >= 0 ? ints_left(h, up) : ints_right(h, -up);
                        INTS h1 = up >= 1 ? ints_left(h, up - 1) : ints_right(h, 1 - up);
                        q0 = ints_or(q0, ints_and(h0, fifth));
                        q1 = ints_or(q1, ints_and(h1, fifth));
                    }
                    put_codes(first, line, q0, BIAS(0));
                    put_codes(second, line, q1, BIAS(0));
                }
            }
        }
    }
}

INLINE void rows_of_q6_k(const uint8_t *const *row, size_t row_bytes, size_t first_row,
                         const struct kern_panel *panel)
{
    const INTS low = ints_set8(15), two = ints_set8(0x30);

    for (size_t b = 0, at = 0; b < panel->k / 32; b += 8, at += sizeof(struct block_q6_k)) {
        const size_t qh = sizeof((struct block_q6_k *)0)->ql;
        const size_t scales = qh + sizeof((struct block_q6_k *)0)->qh;
        INTS s[4];
        fetch_ahead(row, row_bytes, at, sizeof(struct block_q6_k));
        load_lines(row, at + scales, s);
        VEC d = floats_of_f16(load_words(row, at + scales + 16, true));
        float *scale = panel->scale + 2 * b * ROWS + first_row;
#pragma GCC unroll 16
        for (int g = 0; g < 16; g++) {
            INTS one = ints_right_signed(ints_left(s[g / 4], 24 - 8 * (g % 4)), 24);
            vec_store(scale + g * ROWS, vec_mul(floats_of(one), d));
        }
#pragma GCC unroll 2
        for (int half = 0; half < 2; half++) {
            /* Low bits: nibbles of 64 bytes; high bits: two of each of 32 bytes. */
#pragma GCC unroll 2
            for (int part = 0; part < 2; part++) {
                INTS h[4], l0[4], l1[4];
                const size_t ql = at + 64 * (size_t)half + 16 * (size_t)part;
                load_lines(row, at + qh + 32 * (size_t)half + 16 * (size_t)part, h);
                load_lines(row, ql, l0);
                load_lines(row, ql + 32, l1);
                struct place to = place_at(panel, b + 4 * (size_t)half, first_row);
                to.codes += 4 * part * LINE;
#pragma GCC unroll 4
                for (int i = 0; i < 4; i++) {
                    INTS q0 = ints_or(ints_and(l0[i], low), ints_and(ints_left(h[i], 4), two));
                    INTS q1 = ints_or(ints_and(l1[i], low), ints_and(ints_left(h[i], 2), two));
                    INTS q2 = ints_or(ints_and(ints_right(l0[i], 4), low), ints_and(h[i], two));
                    INTS q3 = ints_or(ints_and(ints_right(l1[i], 4), low),
                                      ints_and(ints_right(h[i], 2), two));
                    put_codes(to, i, q0, BIAS(32));
                    put_codes(to, i + 8, q1, BIAS(32));
                    put_codes(to, i + 16, q2, BIAS(32));
                    put_codes(to, i + 24, q3, BIAS(32));
                }
            }
        }
    }
}

INLINE void rows_of_q4_0(const uint8_t *const *row, size_t row_bytes, size_t first_row,
                         const struct kern_panel *p)
{
    const struct nibble_type type = { .bytes = sizeof(struct block_q4_0), .zero = 8 };
    rows_of_nibbles(type, row, row_bytes, first_row, p);
}
INLINE void rows_of_q4_1(const uint8_t *const *row, size_t row_bytes, size_t first_row,
                         const struct kern_panel *p)
{
    const struct nibble_type type = { .bytes = sizeof(struct block_q4_1), .has_min = true };
    rows_of_nibbles(type, row, row_bytes, first_row, p);
}
INLINE void rows_of_q5_0(const uint8_t *const *row, size_t row_bytes, size_t first_row,
                         const struct kern_panel *p)
{
    const struct nibble_type type = { .bytes = sizeof(struct block_q5_0),
                                      .five_bits = true,
                                      .zero = 16 };
    rows_of_nibbles(type, row, row_bytes, first_row, p);
}
INLINE void rows_of_q5_1(const uint8_t *const *row, size_t row_bytes, size_t first_row,
                         const struct kern_panel *p)
{
    const struct nibble_type type = { .bytes = sizeof(struct block_q5_1),
                                      .has_min = true,
                                      .five_bits = true };
    rows_of_nibbles(type, row, row_bytes, first_row, p);
}
INLINE void rows_of_q4_k(const uint8_t *const *row, size_t row_bytes, size_t first_row,
                         const struct kern_panel *p)
{
    rows_of_k(false, row, row_bytes, first_row, p);
}
INLINE void rows_of_q5_k(const uint8_t *const *row, size_t row_bytes, size_t first_row,
                         const struct kern_panel *p)
{
    rows_of_k(true, row, row_bytes, first_row, p);
}

/* Rows beyond the last one repeat it: they are multiplied, and not delivered. */
#define REPACK(type)                                                                               \
    static void repack_##type(const void *w, size_t row_bytes, size_t n_rows,                      \
                              const struct kern_panel *panel)                                      \
    {                                                                                              \
        const uint8_t *row[ROWS];                                                                  \
        for (size_t r = 0; r < ROWS; r++)                                                          \
            row[r] = (const uint8_t *)w + (r < n_rows ? r : n_rows - 1) * row_bytes;               \
        for (size_t r = 0; r < ROWS; r += L)                                                       \
            rows_of_##type(row + r, row_bytes, r, panel);                                          \
    }

REPACK(q4_0)
REPACK(q4_1)
REPACK(q5_0)
REPACK(q5_1)
REPACK(q8_0)
REPACK(q4_k)
REPACK(q5_k)
REPACK(q6_k)

void LEVEL(kern_init_repack)(struct kern *kern)
{
    kern->repack[QUANT_Q4_0] = repack_q4_0;
    kern->repack[QUANT_Q4_1] = repack_q4_1;
    kern->repack[QUANT_Q5_0] = repack_q5_0;
    kern->repack[QUANT_Q5_1] = repack_q5_1;
    kern->repack[QUANT_Q8_0] = repack_q8_0;
    kern->repack[QUANT_Q4_K] = repack_q4_k;
    kern->repack[QUANT_Q5_K] = repack_q5_k;
    kern->repack[QUANT_Q6_K] = repack_q6_k;
}
