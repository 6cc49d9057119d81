/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hash.h - a keyed hash (SipHash-1-3) for tables filled from hostile files: without the key nobody
 * can prepare names that all fall into one slot. Any thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct hash_key {
    uint64_t k[2];
};

/* A key from the system's random source (or, failing that, from addresses and the clock). */
struct hash_key hash_key_new(void);
uint64_t hash_bytes(const struct hash_key *key, const void *data, size_t size);
