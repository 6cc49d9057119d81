/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dot products with block types and the quantiser of activations, at every level this processor
 * has, against the definition of the types in double and against the C table. */
#include "kernels-test.h"
#include "quant-fill.h"

/* Roundings a term meets: its scale's products, one addition in K/64 to a lane (two lanes of
 * vectors of 32, or one sum of 64), those of offsets, and the last sums across lanes. */
static double bound(size_t k, double magnitude)
{
    double n_roundings = (double)k / 64 + (double)k / 256 + 16;
    return FLT_EPSILON * n_roundings * magnitude + (double)k * 20000 * 0x1p-149;
}

static struct kern_act guarded_act(size_t k)
{
    return kern_act_at(guarded(kern_act_bytes(k)), k);
}

/* One shape at one level: near the truth and the C table; the same bits whatever is asked for
 * together; nothing else written. */
static void check_shape(const struct kern *ref, const struct kern *kern, const char *level,
                        unsigned t, size_t k, size_t n_rows, size_t n_cols, enum fill fill)
{
    enum { MAX_COLS = 16, MAX_ROWS = 40, GAP = 3 };
    const char *name = quant_info(types[t].type)->name;
    struct kern_act x[MAX_COLS];
    uint64_t row_bytes;

    CHECK(quant_row_bytes(types[t].type, k, &row_bytes));
    uint8_t *w = guarded(row_bytes * n_rows);
    size_t y_stride = n_rows + GAP, n_y = (n_cols - 1) * y_stride + n_rows;
    float *y = guarded(n_y * sizeof *y), *y_ref = guarded(n_y * sizeof *y);
    fill_blocks(types[t].type, w, row_bytes * n_rows, fill);
    for (size_t c = 0; c < n_cols; c++) {
        x[c] = guarded_act(k);
        fill_act(&x[c], k, fill);
        if (kern->arrange_act)
            kern->arrange_act(k, &x[c]);
    }
    const struct kern_rows rows = { w, row_bytes, n_rows, .next = w };
    ref->gemv_q[types[t].type](&rows, k, x, n_cols, y_ref, y_stride);
    kern->gemv_q[types[t].type](&rows, k, x, n_cols, y, y_stride);

    uint32_t untouched = 0xA5A5A5A5;
    float gap;
    memcpy(&gap, &untouched, sizeof gap);
    for (size_t c = 0; c < n_cols; c++) {
        for (size_t r = 0; r < y_stride && c * y_stride + r < n_y; r++) {
            float got = y[c * y_stride + r];
            if (r >= n_rows) {
                CHECK_MSG(same_bits(got, gap), "%s %s: written between columns", level, name);
                continue;
            }
            double magnitude;
            const uint8_t *row = w + r * row_bytes;
            double want = true_dot(types[t].type, types[t].length, row, k, &x[c], &magnitude);
            CHECK_NEAR(got, want, bound(k, magnitude),
                       "%s %s k=%zu rows=%zu cols=%zu fill=%d [%zu][%zu]", level, name, k, n_rows,
                       n_cols, fill, c, r);
            CHECK_NEAR(got, y_ref[c * y_stride + r], bound(k, magnitude),
                       "%s %s against C, k=%zu rows=%zu cols=%zu fill=%d", level, name, k, n_rows,
                       n_cols, fill);
            float alone;
            kern->gemv_q[types[t].type](&(struct kern_rows){ row, row_bytes, 1, NULL }, k, &x[c], 1,
                                        &alone, 1);
            CHECK_MSG(same_bits(alone, got),
                      "%s %s k=%zu: row %zu of %zu, column %zu of %zu: %.9g alone, %.9g together",
                      level, name, k, r, n_rows, c, n_cols, (double)alone, (double)got);
        }
    }
    guarded_free_all();
}

static void check_gemv(const struct kern *ref, const struct kern *kern, const char *level)
{
    static const size_t blocks[] = { 1, 2, 3, 7, 8, 9, 10, 11, 15, 16, 17, 18, 19, 31, 33, 64 };
    static const size_t shapes[][2] = { { 1, 1 }, { 2, 1 }, { 3, 2 },  { 1, 3 },  { 5, 4 },
                                        { 2, 5 }, { 1, 8 }, { 17, 6 }, { 33, 9 }, { 16, 13 } };
    for (unsigned t = 0; t < N_TYPES; t++) {
        for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
            if (types[t].length >= 64 && blocks[i] > 11)
                continue;
            for (enum fill fill = 0; fill < FILL_COUNT; fill++)
                check_shape(ref, kern, level, t, blocks[i] * types[t].length, 2, 4, fill);
        }
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            check_shape(ref, kern, level, t, 256 * 3, shapes[i][0], shapes[i][1], FILL_RANDOM);
            if (types[t].length == 32)
                check_shape(ref, kern, level, t, 32 * 11, shapes[i][0], shapes[i][1], FILL_RANDOM);
        }
    }
}

/* ---- the quantiser: the same bytes at every level ---- */

static float act_input(size_t i, int kind)
{
    switch (kind) {
    case 0:
        return 3 * random_float();
    case 1: /* ties, and the largest magnitude negative */
        return i % 32 == 5 ? -127 : (float)(int)(random_u32() % 253) * 0.5f - 63;
    case 2:
        return 0;
    case 3: /* around the limit below which a block counts as zero */
        return (i / 32 % 2 ? 0x1p-120f : 0x1.fffffep-121f) * (i % 32 == 7 ? 1 : random_float());
    case 4:
        return FLT_MAX * random_float();
    case 5:
        return 1e-42f * random_float();
    case 6:
        return i % 64 == 40 ? INFINITY : random_float();
    case 7:
        return i % 64 == 3 ? NAN : random_float();
    default: /* one outlier */
        return i % 32 == 31 ? 1000 : 0.01f * random_float();
    }
}

static void check_quant_act(const struct kern *ref, const struct kern *kern, const char *level)
{
    for (size_t k = 32; k <= 32 * 20; k += 32) {
        for (int kind = 0; kind <= 8; kind++) {
            float *x = guarded(k * sizeof *x);
            struct kern_act want = guarded_act(k), got = guarded_act(k);
            for (size_t i = 0; i < k; i++)
                x[i] = act_input(i, kind);
            ref->quant_act(x, k, &want);
            kern->quant_act(x, k, &got);
            bool same = !memcmp(got.q, want.q, k) &&
                        !memcmp(got.sum16, want.sum16, k / 16 * sizeof *got.sum16);
            for (size_t g = 0; g < k / 16; g++)
                same = same && (got.d[g] == want.d[g] || (isnan(got.d[g]) && isnan(want.d[g])));
            for (size_t b = 0; b < k / 32; b++)
                same = same && (got.s[b] == want.s[b] || (isnan(got.s[b]) && isnan(want.s[b])));
            CHECK_MSG(same, "%s quant_act k=%zu kind=%d differs from C", level, k, kind);

            /* The definition itself: codes within range, half a step off at most, sums right. */
            for (size_t g = 0; g < k / 16; g++) {
                int sum = 0;
                bool near = true, finite = true;
                float amax = 0, d = got.d[g];
                for (size_t i = g * 16; i < g * 16 + 16; i++) {
                    finite = finite && isfinite(x[i]);
                    amax = fabsf(x[i]) > amax ? fabsf(x[i]) : amax;
                    sum += got.q[i];
                    near =
                        near && got.q[i] >= -127 &&
                        (amax < KERN_ACT_TINY || fabs((double)d * got.q[i] - x[i]) <= d * 0.5001);
                }
                CHECK_MSG(got.sum16[g] == sum, "%s quant_act k=%zu kind=%d: sums of 16", level, k,
                          kind);
                if (!finite) {
                    CHECK_MSG(!isfinite(d) && isnan(got.s[g / 2]),
                              "%s quant_act kind=%d: a value that is no number is lost", level,
                              kind);
                    continue;
                }
                CHECK_MSG(near, "%s quant_act k=%zu kind=%d: code off", level, k, kind);
                CHECK_MSG((d == 0) == (amax < KERN_ACT_TINY), "%s quant_act k=%zu kind=%d: d = 0",
                          level, k, kind);
            }
            for (size_t b = 0; b < k / 32; b++) {
                float s = got.d[2 * b] * (float)got.sum16[2 * b] +
                          got.d[2 * b + 1] * (float)got.sum16[2 * b + 1];
                CHECK_MSG(same_bits(got.s[b], s) || (isnan(s) && isnan(got.s[b])),
                          "%s quant_act k=%zu kind=%d: s is not the sum of d · q", level, k, kind);
            }
            guarded_free_all();
        }
    }
}

static void check_level(const struct kern *ref, const struct kern *kern, const char *level)
{
    check_quant_act(ref, kern, level);
    check_gemv(ref, kern, level);
}

int main(void)
{
    for_each_level(check_level);
    return test_end();
}
