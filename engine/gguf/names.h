/* SPDX-License-Identifier: GPL-3.0-or-later */
/* names.h - which index has this name, in constant time. Built by one thread, then read by any. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/gguf.h>

#include "base/hash.h"

struct name_table {
    uint32_t *slots; /* index + 1; 0 = free */
    uint32_t mask;
};

/* Records whose first member is their name, `stride` bytes apart. */
struct name_list {
    const void *first;
    size_t stride;
    uint32_t count;
};

#define NAMES_NONE UINT32_MAX

/* Makes the table from nothing. Of equal names the first is found; *twice says that there are any.
 * False when out of memory, and then the old table is as it was. */
bool names_build(struct name_table *table, const struct hash_key *key, const struct name_list *list,
                 bool *twice);
/* NAMES_NONE when absent. */
uint32_t names_find(const struct name_table *table, const struct hash_key *key,
                    const struct name_list *list, const void *name, size_t size);
void names_finish(struct name_table *table);
