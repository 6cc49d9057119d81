/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products of many columns with AMX, in bf16: 16 columns times 32 elements, times 32 elements of 16
 * rows, added to 16 × 16 floats by one instruction.
 *
 * Only without scaling in the inner loop do tiles pay: sums of codes that are stored and scaled
 * every 16 or 32 elements are no faster than vpdpbusd. So weights become scale · code + min in
 * bf16, once for all columns, and activations are not quantised.
 *
 * A group of columns is [k/32][16 columns][32], a panel [k/2][16 rows][2]: a tile of either is 1024
 * consecutive bytes, and columns far apart share no cache set. Two by two of them make four
 * products of four loads. */
#include <assert.h>
#include <string.h>

#include "cpu/x86/levels.h"
#if defined(KERN_TILES)
#include KERN_TILES
#else
#include "cpu/x86/amx_tiles.h"
#endif

enum { ROWS = KERN_PANEL_ROWS, COLS = KERN_WIDE_COLS, STEP = 32, TILE_BYTES = 64 };
enum { TILE = COLS * STEP }; /* bf16 in one */

/* What the processor reads. Constant and static: compilers that believe it reads eight bytes only
 * leave the rest of a local one unwritten. */
struct tile_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t n_rows[16];
};

static_assert(sizeof(struct tile_config) == 64, "tile_config");

static const struct tile_config all_full __attribute__((aligned(64))) = {
    .palette = 1,
    .row_bytes = { 64, 64, 64, 64, 64, 64, 64, 64 },
    .n_rows = { 16, 16, 16, 16, 16, 16, 16, 16 },
};

static void begin(void)
{
    TILES_CONFIGURE(&all_full);
}

static void end(void)
{
    TILES_RELEASE();
}

static void column(const float *x, size_t k, size_t c, uint16_t *group)
{
    for (size_t i = 0; i < k; i += STEP) {
        __m512i both = _mm512_setzero_si512();
        if (x) {
            __m512 first = _mm512_loadu_ps(x + i), second = _mm512_loadu_ps(x + i + 16);
            both = (__m512i)_mm512_cvtne2ps_pbh(second, first);
        }
        _mm512_storeu_si512(group + i / STEP * TILE + c * STEP, both);
    }
}

/* Code i of four of each row, signed. */
INLINE __m512 weights(__m512i codes, const int i, __m512 scale, __m512 low)
{
    __m512i one = _mm512_slli_epi32(codes, 24 - 8 * (unsigned)i);
    return _mm512_fmadd_ps(_mm512_cvtepi32_ps(_mm512_srai_epi32(one, 24)), scale, low);
}

/* Two elements of each row become neighbours. */
INLINE void put_pairs(uint16_t *out, __m512 first, __m512 second)
{
    const __m512i turns =
        _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                         21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    __m512i both = (__m512i)_mm512_cvtne2ps_pbh(second, first);
    _mm512_storeu_si512(out, _mm512_permutexvar_epi16(turns, both));
}

static void panel(const struct kern_panel *p, uint16_t *out)
{
    const struct kern_scales scales = kern_scales_of(p->type);
    const size_t group = scales.per_16 ? 16 : 32;
    const uint8_t *codes = p->codes;

    for (size_t g = 0; g < p->k / group; g++) {
        __m512 scale = _mm512_loadu_ps(p->scale + g * ROWS), low = _mm512_setzero_ps();
        /* Minima per 16 are kept as −1/128 of themselves. */
        if (scales.min)
            low = _mm512_loadu_ps(p->min + g * ROWS);
        if (scales.min && scales.per_16)
            low = _mm512_mul_ps(low, _mm512_set1_ps(-128));
        for (size_t i = 0; i < group; i += 4, codes += 4 * ROWS, out += 4 * ROWS) {
            /* They are kept as code + 128. */
            __m512i x = _mm512_xor_si512(_mm512_loadu_si512(codes), _mm512_set1_epi8(-128));
            put_pairs(out, weights(x, 0, scale, low), weights(x, 1, scale, low));
            put_pairs(out + 2 * ROWS, weights(x, 2, scale, low), weights(x, 3, scale, low));
        }
    }
}

/* 16 × 16 sums, of which n_rows of n_cols columns are wanted. A macro, since the tile's number must
 * be a constant. */
#define DELIVER(t, y, n_rows, n_cols)                                                              \
    do {                                                                                           \
        if ((n_rows) >= ROWS && (n_cols) >= COLS) {                                                \
            TILE_STORE(t, y, y_stride * sizeof(float));                                            \
        } else {                                                                                   \
            float all[COLS][ROWS];                                                                 \
            TILE_STORE(t, all, TILE_BYTES);                                                        \
            put_part(all, n_rows, n_cols, y, y_stride);                                            \
        }                                                                                          \
    } while (0)

static void put_part(float all[COLS][ROWS], size_t n_rows, size_t n_cols, float *y, size_t y_stride)
{
    for (size_t c = 0; c < n_cols && c < COLS; c++)
        memcpy(y + c * y_stride, all[c], (n_rows < ROWS ? n_rows : ROWS) * sizeof(float));
}

/* two_panels and two_groups are constants in each copy. Each product is summed along k alike. */
INLINE void tiles(const bool two_panels, const bool two_groups, const struct kern_wide_product *p,
                  float *y, size_t y_stride)
{
    TILE_ZERO(0);
    if (two_groups)
        TILE_ZERO(1);
    if (two_panels)
        TILE_ZERO(2);
    if (two_panels && two_groups)
        TILE_ZERO(3);
    for (size_t i = 0; i < p->k / STEP * TILE; i += TILE) {
        TILE_LOAD(4, p->groups[0] + i, TILE_BYTES);
        TILE_LOAD(6, p->panels[0] + i, TILE_BYTES);
        TILE_DOT_BF16(0, 4, 6);
        if (two_groups) {
            TILE_LOAD(5, p->groups[1] + i, TILE_BYTES);
            TILE_DOT_BF16(1, 5, 6);
        }
        if (two_panels) {
            TILE_LOAD(7, p->panels[1] + i, TILE_BYTES);
            TILE_DOT_BF16(2, 4, 7);
        }
        if (two_panels && two_groups)
            TILE_DOT_BF16(3, 5, 7);
    }
    DELIVER(0, y, p->n_rows, p->n_cols);
    if (two_groups)
        DELIVER(1, y + COLS * y_stride, p->n_rows, p->n_cols - COLS);
    if (two_panels)
        DELIVER(2, y + ROWS, p->n_rows - ROWS, p->n_cols);
    if (two_panels && two_groups)
        DELIVER(3, y + COLS * y_stride + ROWS, p->n_rows - ROWS, p->n_cols - COLS);
}

static void product(const struct kern_wide_product *p, float *y, size_t y_stride)
{
    if (p->n_rows > ROWS && p->n_cols > COLS)
        tiles(true, true, p, y, y_stride);
    else if (p->n_rows > ROWS)
        tiles(true, false, p, y, y_stride);
    else if (p->n_cols > COLS)
        tiles(false, true, p, y, y_stride);
    else
        tiles(false, false, p, y, y_stride);
}

#if defined(KERN_TILES)
void kern_init_amx_in_c(struct kern *kern)
#else
void kern_init_amx(struct kern *kern)
#endif
{
    kern->wide = (struct kern_wide){
        .column = column,
        .panel = panel,
        .product = product,
        .begin = begin,
        .end = end,
    };
}
