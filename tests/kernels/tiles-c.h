/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tiles-c.h - AMX's tiles in plain C, for checks on processors without them: what amx_tiles.h has,
 * by the processor's manual. A use without a configuration ends the program, as it does there; a
 * second configuration before a release does too, so that none is forgotten. */
#pragma once

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct tiles_c {
    bool configured;
    uint8_t n_rows[8];
    uint16_t row_bytes[8];
    uint8_t data[8][16][64];
};

/* Each thread has its own, as each has its registers. */
static _Thread_local struct tiles_c tiles_c;

static void tiles_c_configure(const void *config)
{
    const uint8_t *c = config;
    bool right = !tiles_c.configured && c[0] == 1 && c[1] == 0 && (uintptr_t)c % 64 == 0;

    for (int i = 2; i < 16; i++)
        right = right && c[i] == 0;
    for (int t = 0; t < 16; t++) {
        uint16_t bytes;
        memcpy(&bytes, c + 16 + 2 * t, sizeof bytes);
        right = right && bytes <= 64 && c[48 + t] <= 16 && (bytes == 0) == (c[48 + t] == 0);
        right = right && (t < 8 || bytes == 0);
        if (t < 8) {
            tiles_c.row_bytes[t] = bytes;
            tiles_c.n_rows[t] = c[48 + t];
        }
    }
    if (!right)
        abort();
    memset(tiles_c.data, 0, sizeof tiles_c.data);
    tiles_c.configured = true;
}

static void tiles_c_release(void)
{
    memset(&tiles_c, 0, sizeof tiles_c);
}

static void tiles_c_need(int t)
{
    if (!tiles_c.configured || t < 0 || t >= 8 || !tiles_c.n_rows[t])
        abort();
}

static void tiles_c_zero(int t)
{
    tiles_c_need(t);
    memset(tiles_c.data[t], 0, sizeof tiles_c.data[t]);
}

static void tiles_c_load(int t, const void *from, size_t stride)
{
    tiles_c_need(t);
    memset(tiles_c.data[t], 0, sizeof tiles_c.data[t]);
    for (int r = 0; r < tiles_c.n_rows[t]; r++)
        memcpy(tiles_c.data[t][r], (const uint8_t *)from + (size_t)r * stride,
               tiles_c.row_bytes[t]);
}

static void tiles_c_store(int t, void *to, size_t stride)
{
    tiles_c_need(t);
    for (int r = 0; r < tiles_c.n_rows[t]; r++)
        memcpy((uint8_t *)to + (size_t)r * stride, tiles_c.data[t][r], tiles_c.row_bytes[t]);
}

/* A bf16 as a float; subnormal ones count as zero. */
static float tiles_c_float(const uint8_t *p)
{
    uint32_t bits = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 24;
    float x;
    if (!(bits & 0x7F800000))
        bits &= 0x80000000;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* sum[m][n] += Σ_k a[m][2k]·b[k][2n] + a[m][2k + 1]·b[k][2n + 1], even and odd elements apart. */
static void tiles_c_dot_bf16(int sum, int a, int b)
{
    tiles_c_need(sum);
    tiles_c_need(a);
    tiles_c_need(b);
    if (sum == a || sum == b || a == b || tiles_c.row_bytes[a] / 4 != tiles_c.n_rows[b] ||
        tiles_c.n_rows[sum] != tiles_c.n_rows[a] || tiles_c.row_bytes[sum] != tiles_c.row_bytes[b])
        abort();
    for (int m = 0; m < tiles_c.n_rows[sum]; m++)
        for (int n = 0; n < tiles_c.row_bytes[sum] / 4; n++) {
            float even = 0, odd = 0, total;
            for (int k = 0; k < tiles_c.row_bytes[a] / 4; k++) {
                const uint8_t *x = tiles_c.data[a][m] + 4 * k, *y = tiles_c.data[b][k] + 4 * n;
                even += tiles_c_float(x) * tiles_c_float(y);
                odd += tiles_c_float(x + 2) * tiles_c_float(y + 2);
            }
            memcpy(&total, tiles_c.data[sum][m] + 4 * n, sizeof total);
            total += even + odd;
            memcpy(tiles_c.data[sum][m] + 4 * n, &total, sizeof total);
        }
}

#define TILES_CONFIGURE(config) tiles_c_configure(config)
#define TILES_RELEASE() tiles_c_release()
#define TILE_ZERO(t) tiles_c_zero(t)
#define TILE_LOAD(t, from, stride) tiles_c_load(t, from, stride)
#define TILE_STORE(t, to, stride) tiles_c_store(t, to, stride)
#define TILE_DOT_BF16(sum, a, b) tiles_c_dot_bf16(sum, a, b)
