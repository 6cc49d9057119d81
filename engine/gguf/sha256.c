/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gguf/sha256.h"

#include <stdlib.h>
#include <string.h>

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* The first 32 bits of the fractions of the cube roots of the first 64 primes. */
const uint32_t sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* One round; the caller's letters move on instead of the values. */
static inline void turn(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e, uint32_t f,
                        uint32_t g, uint32_t *h, uint32_t in)
{
    uint32_t choice = (e & f) ^ (~e & g), majority = (a & b) ^ (a & c) ^ (b & c);
    uint32_t one = *h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + in;

    *d += one;
    *h = one + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
}

static void mix_plain(uint32_t state[8], const uint8_t *data, size_t n_blocks)
{
    uint32_t w[64];

    for (; n_blocks; n_blocks--, data += 64) {
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        uint32_t e = state[4], f = state[5], g = state[6], h = state[7];

        for (unsigned i = 0; i < 16; i++)
            w[i] = (uint32_t)data[4 * i] << 24 | (uint32_t)data[4 * i + 1] << 16 |
                   (uint32_t)data[4 * i + 2] << 8 | data[4 * i + 3];
        for (unsigned i = 16; i < 64; i++) {
            uint32_t x = w[i - 15], y = w[i - 2];
            w[i] = w[i - 16] + (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + w[i - 7] +
                   (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
        }
        for (unsigned i = 0; i < 64; i++)
            w[i] += sha256_constants[i];
        for (const uint32_t *in = w; in < w + 64; in += 8) {
            turn(a, b, c, &d, e, f, g, &h, in[0]);
            turn(h, a, b, &c, d, e, f, &g, in[1]);
            turn(g, h, a, &b, c, d, e, &f, in[2]);
            turn(f, g, h, &a, b, c, d, &e, in[3]);
            turn(e, f, g, &h, a, b, c, &d, in[4]);
            turn(d, e, f, &g, h, a, b, &c, in[5]);
            turn(c, d, e, &f, g, h, a, &b, in[6]);
            turn(b, c, d, &e, f, g, h, &a, in[7]);
        }
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
        state[4] += e;
        state[5] += f;
        state[6] += g;
        state[7] += h;
    }
}

static sha256_mix_fn best_mix(void)
{
    const char *cap = getenv("EMBER_CPU");

    if (cap && !strcmp(cap, "scalar"))
        return mix_plain;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sha") && __builtin_cpu_supports("sse4.1"))
        return sha256_mix_sha;
#endif
    return mix_plain;
}

void sha256_init(struct sha256 *s)
{
    /* The fractions of the square roots of the first eight primes. */
    *s = (struct sha256){ .mix = best_mix(),
                          .h = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

void sha256_add(struct sha256 *s, const void *data, size_t size)
{
    const uint8_t *p = data;
    size_t held = s->n_bytes % 64;

    s->n_bytes += size;
    if (held) {
        size_t n = size < 64 - held ? size : 64 - held;
        memcpy(s->block + held, p, n);
        p += n;
        size -= n;
        if (held + n < 64)
            return;
        s->mix(s->h, s->block, 1);
    }
    s->mix(s->h, p, size / 64);
    if (size % 64)
        memcpy(s->block, p + size / 64 * 64, size % 64);
}

void sha256_hex(struct sha256 *s, char hex[65])
{
    static const char digits[] = "0123456789abcdef";
    uint64_t n_bits = s->n_bytes * 8;
    uint8_t tail[72] = { 0x80 };
    size_t n =
        64 - (s->n_bytes + 8) % 64; /* the end mark, zeros, the length: up to a block's end */

    for (unsigned i = 0; i < 8; i++)
        tail[n + i] = (uint8_t)(n_bits >> (56 - 8 * i));
    sha256_add(s, tail, n + 8);
    for (unsigned i = 0; i < 64; i++)
        hex[i] = digits[s->h[i / 8] >> (28 - 4 * (i % 8)) & 15];
    hex[64] = '\0';
}
