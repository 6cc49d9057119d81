/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sha256.h - SHA-256 (FIPS 180-4). One thread per state. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Takes whole blocks of 64 bytes into the state. */
typedef void (*sha256_mix_fn)(uint32_t state[8], const uint8_t *data, size_t n_blocks);

struct sha256 {
    sha256_mix_fn mix; /* the best for this processor; EMBER_CPU=scalar keeps to plain C */
    uint32_t h[8];
    uint64_t n_bytes;
    uint8_t block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t size);
/* 64 lower-case digits and a NUL; the state is used up. */
void sha256_hex(struct sha256 *s, char hex[65]);

extern const uint32_t sha256_constants[64];
void sha256_mix_sha(uint32_t state[8], const uint8_t *data, size_t n_blocks);
