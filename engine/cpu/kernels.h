/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels.h - the table of inner loops, by processor level.
 *
 * kern_init() fills it from a set of features: the C version first, then each level overwrites what
 * it improves. No global state: a test builds the reference and every level side by side. Pointers
 * are unaligned unless stated; nothing is read past the last block nor written past n; every output
 * element is computed in an order that depends on the shape alone, never on how many rows or
 * columns one call is given: a row's dot product has the same bits in a call for one row or for
 * many, for one column or for many. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quant/types.h"

enum cpu_feature {
    CPU_AVX2 = 1 << 0,       /* AVX2, FMA, F16C, usable by the system (XCR0) */
    CPU_AVXVNNI = 1 << 1,    /* 256-bit vpdpbusd */
    CPU_AVX512 = 1 << 2,     /* F, BW, VL, DQ */
    CPU_AVX512VNNI = 1 << 3, /* with VNNI */
    CPU_AVX512VBMI = 1 << 4,
    CPU_GFNI = 1 << 5,
    CPU_AVX512BF16 = 1 << 6,
    CPU_AMX = 1 << 7, /* tile and bf16, granted to this process by the system */
    CPU_NEON = 1 << 8,
    CPU_DOTPROD = 1 << 9,
    CPU_I8MM = 1 << 10
};

/* What this processor has and the system lets a process use, which it is asked for where it wants
 * to be (tiles); EMBER_CPU is not looked at. */
unsigned cpu_features(void);
/* Brand string, "" if unknown. */
void cpu_name(char out[96]);
/* Levels, weakest first: "scalar", "avx2", "avxvnni", "avx512vnni", "amx" / "neon", "dotprod",
 * "i8mm".
 * Drops from `features` what lies above the named level; false for an unknown name. */
bool cpu_cap(unsigned *features, const char *level);
/* Whether `features` allow a level's kernels; false for an unknown name. */
bool cpu_has_level(unsigned features, const char *level);
/* The strongest level whose kernels `features` allow. Static storage. */
const char *cpu_level_name(unsigned features);
/* All level names known for this architecture, NULL-terminated. */
const char *const *cpu_level_names(void);
/* "avx2 fma avx512f …" for people. */
void cpu_feature_names(unsigned features, char *out, size_t size);

/* 127/amax overflows not far below. */
#define KERN_ACT_TINY 0x1p-120f

/* One activation row of k elements (a multiple of 32; for 256-element weight types a multiple of
 * 256), quantised in groups of 16: x ≈ d[g]·q, codes −127 … 127; sum16 = sums of a group's codes;
 * s[b] = Σ d·q over 32 elements. A group whose largest magnitude is below KERN_ACT_TINY counts as
 * all zero: d = 0. One that holds an infinity or a NaN has d = that and codes 0, so that its
 * products are NaN. All arrays are 64-byte aligned. (Groups of 32 would save a shuffle per
 * vector; on a real model they measure 1.65 times the divergence from exact activations.) */
struct kern_act {
    int8_t *q;      /* [k] */
    float *d;       /* [k/16] */
    float *s;       /* [k/32] */
    int16_t *sum16; /* [k/16] */
    /* Of each whole 256 elements what arrange_act() made: codes and scales once more, in an order
     * of the level's own that saves its kernels shuffles, and the groups' sums as floats. */
    int8_t *lane_q; /* [k] */
    float *lane_d;  /* [k/8] */
    float *lane_s;  /* [k/16], d · sum16; the groups are in their own order */
};

/* Bytes one quantised row takes, and its arrays inside `memory` (64-byte aligned). */
size_t kern_act_bytes(size_t k);
struct kern_act kern_act_at(void *memory, size_t k);

/* Rows of weights in memory, row_bytes apart. What the thread reads afterwards may be named: x86
 * kernels for block types go on fetching there where the rows end. */
struct kern_rows {
    const void *w;
    size_t row_bytes, n_rows;
    const void *next; /* or NULL */
};

/* Block types that weights are stored in, X(name, type) each. */
#define KERN_BLOCK_TYPES(X)                                                                        \
    X(q4_0, QUANT_Q4_0)                                                                            \
    X(q4_1, QUANT_Q4_1)                                                                            \
    X(q5_0, QUANT_Q5_0)                                                                            \
    X(q5_1, QUANT_Q5_1)                                                                            \
    X(q8_0, QUANT_Q8_0)                                                                            \
    X(q4_k, QUANT_Q4_K)                                                                            \
    X(q5_k, QUANT_Q5_K)                                                                            \
    X(q6_k, QUANT_Q6_K)                                                                            \
    X(q2_k, QUANT_Q2_K)                                                                            \
    X(q3_k, QUANT_Q3_K)                                                                            \
    X(iq4_nl, QUANT_IQ4_NL)                                                                        \
    X(iq4_xs, QUANT_IQ4_XS)                                                                        \
    X(mxfp4, QUANT_MXFP4)                                                                          \
    X(nvfp4, QUANT_NVFP4)                                                                          \
    X(q1_0, QUANT_Q1_0)                                                                            \
    X(q2_0, QUANT_Q2_0)                                                                            \
    X(tq1_0, QUANT_TQ1_0)                                                                          \
    X(tq2_0, QUANT_TQ2_0)                                                                          \
    X(iq2_xxs, QUANT_IQ2_XXS)                                                                      \
    X(iq2_xs, QUANT_IQ2_XS)                                                                        \
    X(iq2_s, QUANT_IQ2_S)                                                                          \
    X(iq3_xxs, QUANT_IQ3_XXS)                                                                      \
    X(iq3_s, QUANT_IQ3_S)                                                                          \
    X(iq1_s, QUANT_IQ1_S)                                                                          \
    X(iq1_m, QUANT_IQ1_M)

/* How many elements of a type share a scale, and whether they have a minimum too. Types of 8-byte
 * or 4-byte grids and of tables count as scale · small integer. */
struct kern_scales {
    bool per_16; /* else per 32 */
    bool min;
};
struct kern_scales kern_scales_of(enum quant_type type);

/* ---- many columns: 16 rows of weights, taken apart, times a few columns ---- */

enum { KERN_PANEL_ROWS = 16, KERN_PANEL_MAX_COLS = 8 };

/* n quantised columns, at most kern.panel_cols, packed so that what is multiplied together lies
 * together. The products of one column do not depend on which others it is packed with. */
struct kern_cols {
    size_t n;
    int8_t *q;      /* [k/4][n][4] */
    float *d;       /* [k/16][n] */
    int32_t *start; /* [k/16][n]: −128 times the sum of a group's codes */
    float *s;       /* [k/32][n] */
};

/* Bytes of one packed column (a multiple of 64; n columns take n times as much), and n of them
 * inside `memory` (64-byte aligned). */
size_t kern_cols_bytes(size_t k);
struct kern_cols kern_cols_at(void *memory, size_t n, size_t k);
/* Column c of the n becomes x. */
void kern_cols_pack(const struct kern_cols *cols, size_t c, const struct kern_act *x, size_t k);

/* 16 rows of a block type, weight = scale · code + min, with one scale (and minimum) per group of
 * 32 elements or, if kern_scales_of() says so, of 16. Codes lie in the order in which they are
 * multiplied, with an offset of the instruction set's own: a panel is read by the table that made
 * it. */
struct kern_panel {
    enum quant_type type;
    size_t k;
    uint8_t *codes; /* [k/4][16][4] */
    float *scale;   /* [groups][16] */
    float *min;     /* [groups][16], if the type has one; per 16: −1/128 of it, for cols.start */
};

/* Bytes of a panel, and its arrays inside `memory` (64-byte aligned). */
size_t kern_panel_bytes(enum quant_type type, size_t k);
struct kern_panel kern_panel_at(void *memory, enum quant_type type, size_t k);

struct kern;

/* Float columns that are multiplied together: [k][width], `width` being kern_floats_width(kern, n)
 * for n of them. Column c becomes x; NULL: zeros, for those beyond the n. */
size_t kern_floats_width(const struct kern *kern, size_t n);
void kern_pack_floats(float *cols, size_t width, size_t c, const float *x, size_t k);

/* ---- very many columns: bf16 tiles of 16 rows and 16 columns ---- */

enum { KERN_WIDE_COLS = 16 };

/* Up to two panels times up to two groups of columns. */
struct kern_wide_product {
    const uint16_t *panels[2];
    size_t n_rows; /* ≤ 32; the second panel has those from 16 on */
    const uint16_t *groups[2];
    size_t n_cols; /* ≤ 32 */
    size_t k;      /* a multiple of 32 */
};

/* Weights and activations rounded to bf16, sums in float: each term is off by 2^−8 of itself at
 * most, which is less than quantised activations lose. A product's bits do not depend on which
 * others it is computed with. Panels and groups of columns take 16 · k bf16, 64-byte aligned. */
struct kern_wide {
    /* Column c (0 … 15) of a group becomes x, or zeroes if x is NULL. */
    void (*column)(const float *x, size_t k, size_t c, uint16_t *group);
    /* A panel that this table has made (repack), in bf16. */
    void (*panel)(const struct kern_panel *panel, uint16_t *out);
    /* y[c·y_stride + r] = row r · column c; only between begin() and end(), by the same thread. */
    void (*product)(const struct kern_wide_product *p, float *y, size_t y_stride);
    void (*begin)(void);
    void (*end)(void);
};

enum kern_activation { KERN_SILU, KERN_GELU, KERN_RELU2 };

/* One head group's attention over a contiguous stretch of cached positions, with an online softmax:
 * m, s, o carry the running maximum, the running sum and the unnormalised output, so that stretches
 * follow one another. Start: m = −INFINITY, s = 0, o = 0. */
struct kern_attend {
    const float *q;  /* [n_q][q_stride], d_k used */
    size_t q_stride; /* floats */
    size_t n_q;      /* query rows that share these keys (one group of heads) */
    const void *k;   /* [n_pos][d_k], F16 or F32 by entry */
    const void *v;   /* [n_pos][d_v] */
    size_t n_pos;
    size_t d_k, d_v;
    float scale;
    float softcap;  /* 0 = none; c·tanh(score/c) */
    float *m, *s;   /* [n_q] */
    float *o;       /* [n_q][d_v] */
    float *scratch; /* kern_attend_scratch() bytes */
};
size_t kern_attend_scratch(size_t n_q, size_t d_k, size_t d_v);

/* Many query rows over the same contiguous stretch of cached positions, of which each row sees a
 * range of its own. m, s and o as above, so that stretches follow one another; a row's bits do not
 * depend on the other rows, and positions it does not see have no influence whatever they hold. */
enum { KERN_TILE_QUERIES = 64 };
struct kern_attend_tile {
    const float *q; /* [n_q][d_k], scaled */
    size_t n_q;     /* ≤ KERN_TILE_QUERIES */
    const void *k;  /* [n_pos][d_k], F16 or F32 by entry */
    const void *v;  /* [n_pos][d_v] */
    size_t n_pos;
    const uint32_t *from, *to; /* [n_q]: a row sees positions from ≤ i < to, to ≤ n_pos */
    size_t d_k, d_v;
    float softcap;  /* 0 = none */
    float *m, *s;   /* [n_q] */
    float *o;       /* [n_q][kern_tile_stride(d_v)]; what stands behind d_v is undefined */
    float *scratch; /* kern_attend_tile_scratch() bytes, 64-byte aligned */
};
size_t kern_tile_stride(size_t d_v);
size_t kern_attend_tile_scratch(size_t d_k, size_t d_v);

struct kern {
    unsigned features;

    /* Float row → quantised row. Multiplier 127/amax, round half to even. */
    void (*quant_act)(const float *x, size_t k, const struct kern_act *out);
    /* Fills lane_q, lane_d and lane_s from the others, for gemv_q. NULL: the level has no order of
     * its own. */
    void (*arrange_act)(size_t k, const struct kern_act *x);

    /* Block types: y[c·y_stride + r] = w_r · x_c for rows of k weights and n_cols quantised
     * columns. Prefetches inside. NULL for a type without a kernel. */
    void (*gemv_q[QUANT_TYPE_COUNT])(const struct kern_rows *rows, size_t k,
                                     const struct kern_act *x, size_t n_cols, float *y,
                                     size_t y_stride);
    /* F32, F16, BF16: the same with float columns, x_stride floats apart. */
    void (*gemv_f[QUANT_TYPE_COUNT])(const void *w, size_t row_bytes, size_t n_rows, size_t k,
                                     const float *x, size_t x_stride, size_t n_cols, float *y,
                                     size_t y_stride);

    /* Block types: n_rows ≤ 16 rows of panel->k weights, each row_bytes apart, become a panel; what
     * stands in its rows beyond n_rows is undefined. NULL for a type without a kernel. */
    void (*repack[QUANT_TYPE_COUNT])(const void *w, size_t row_bytes, size_t n_rows,
                                     const struct kern_panel *panel);
    /* y[c·y_stride + r] = row r · column c for the first n_rows rows of a panel. */
    void (*panel_gemm)(const struct kern_panel *panel, size_t n_rows, const struct kern_cols *x,
                       float *y, size_t y_stride);
    size_t panel_cols; /* columns that panel_gemm takes at most, 1 … KERN_PANEL_MAX_COLS */
    /* Block types with very many columns: NULL entries where no level has tiles. */
    struct kern_wide wide;

    /* Float types: n_rows ≤ 16 rows of k weights become a panel [k][16]; what stands in its rows
     * beyond n_rows is undefined. */
    void (*repack_f[QUANT_TYPE_COUNT])(const void *w, size_t row_bytes, size_t n_rows, size_t k,
                                       float *panel);
    /* y[c·y_stride + r] = row r · column c for the first n_rows rows of a panel; n_cols columns as
     * kern_pack_floats() lays them. The sums of 256 elements each are added up, so that long rows
     * lose no more than short ones. */
    void (*panel_gemm_f)(const float *panel, size_t n_rows, size_t k, const float *x, size_t n_cols,
                         float *y, size_t y_stride);
    size_t panel_cols_f; /* columns that panel_gemm_f takes at most */
    size_t panel_step_f; /* it divides that; packed columns are a multiple of it */

    /* y = w · x / sqrt(mean(x²) + eps); w NULL = 1. y may be x. */
    void (*rms_norm)(const float *x, const float *w, size_t n, float eps, float *y);
    /* y = w·(x − mean)/sqrt(var + eps) + b; w, b may be NULL. */
    void (*layer_norm)(const float *x, const float *w, const float *b, size_t n, float eps,
                       float *y);
    /* y += scale · x */
    void (*add_scaled)(const float *x, size_t n, float scale, float *y);
    /* y = act(gate) · up, element by element; y may be gate. up NULL: y = act(gate). */
    void (*act_mul)(enum kern_activation act, const float *gate, const float *up, size_t n,
                    float *y);
    /* Rotates n_pairs pairs in place: (a, b) → (a·cos − b·sin, a·sin + b·cos), table [n_pairs][2] =
     * cos, sin. neox: a = x[i], b = x[i + n_pairs]; else a = x[2i], b = x[2i+1]. */
    void (*rope)(float *x, const float *table, size_t n_pairs, bool neox);
    void (*f32_to_f16)(const float *x, size_t n, uint16_t *y);
    void (*attend_f16)(const struct kern_attend *a);
    void (*attend_f32)(const struct kern_attend *a);
    void (*attend_tile_f16)(const struct kern_attend_tile *a);
    void (*attend_tile_f32)(const struct kern_attend_tile *a);

    /* Ceilings for benchmarks: sum of bytes read in 64-byte loads (xor of all, so that nothing is
     * optimised away), and `n` int8 multiply-add instructions of the best vector level in
     * registers; returns operations done (2 per multiply-add). */
    uint64_t (*read_loop)(const void *data, size_t n_bytes);
    uint64_t (*int8_loop)(uint64_t n);
};

/* Whether a table for these features has `wide`; without making one, for the plan. */
bool kern_has_wide(unsigned features);
/* Fills the table for these features (any subset of cpu_features()). */
void kern_init(struct kern *kern, unsigned features);

/* The entries for many columns and many queries, in C; called by kern_init() alone. */
void kern_init_panel_c(struct kern *kern);
void kern_init_attend_tile_c(struct kern *kern);

/* One per instruction set; each overwrites what it improves on. Called by kern_init() alone. */
void kern_init_avx2(struct kern *kern);
void kern_init_avxvnni(struct kern *kern);
void kern_init_avx512(struct kern *kern);
void kern_init_panel_avx2(struct kern *kern);
void kern_init_panel_avx512(struct kern *kern);
void kern_init_attend_tile_avx2(struct kern *kern);
void kern_init_attend_tile_avx512(struct kern *kern);
void kern_init_amx(struct kern *kern);
void kern_init_neon(struct kern *kern);
void kern_init_dotprod(struct kern *kern);
void kern_init_i8mm(struct kern *kern);
