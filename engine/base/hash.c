/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/hash.h"

#include <sys/random.h>
#include <time.h>

struct sip {
    uint64_t a, b, c, d;
};

static uint64_t rotate(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

static void mix(struct sip *s)
{
    s->a += s->b;
    s->c += s->d;
    s->b = rotate(s->b, 13) ^ s->a;
    s->d = rotate(s->d, 16) ^ s->c;
    s->a = rotate(s->a, 32);
    s->c += s->b;
    s->a += s->d;
    s->b = rotate(s->b, 17) ^ s->c;
    s->d = rotate(s->d, 21) ^ s->a;
    s->c = rotate(s->c, 32);
}

struct hash_key hash_key_new(void)
{
    struct hash_key key;
    struct timespec now = { 0 };

    if (getrandom(&key, sizeof key, GRND_NONBLOCK) == (ssize_t)sizeof key)
        return key;
    clock_gettime(CLOCK_MONOTONIC, &now);
    key.k[0] = (uint64_t)now.tv_nsec * 0x9E3779B97F4A7C15u ^ (uint64_t)now.tv_sec;
    key.k[1] = (uint64_t)(uintptr_t)&key ^ rotate((uint64_t)(uintptr_t)&hash_key_new, 32);
    return key;
}

uint64_t hash_bytes(const struct hash_key *key, const void *data, size_t size)
{
    const unsigned char *p = data;
    struct sip s = {
        .a = key->k[0] ^ 0x736f6d6570736575u,
        .b = key->k[1] ^ 0x646f72616e646f6du,
        .c = key->k[0] ^ 0x6c7967656e657261u,
        .d = key->k[1] ^ 0x7465646279746573u,
    };
    size_t left = size;

    for (;; p += 8, left -= 8) {
        uint64_t word = left < 8 ? (uint64_t)size << 56 : 0;
        for (unsigned i = 0; i < 8 && i < left; i++)
            word |= (uint64_t)p[i] << 8 * i;
        s.d ^= word;
        mix(&s);
        s.a ^= word;
        if (left < 8)
            break;
    }
    s.c ^= 0xFF;
    mix(&s);
    mix(&s);
    mix(&s);
    return s.a ^ s.b ^ s.c ^ s.d;
}
