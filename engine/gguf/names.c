/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gguf/names.h"

#include <stdlib.h>
#include <string.h>

static const struct ember_text *name_at(const struct name_list *list, uint32_t index)
{
    return (const void *)((const char *)list->first + (size_t)index * list->stride);
}

static bool equal(const struct ember_text *name, const void *data, size_t size)
{
    return name->size == size && (!size || !memcmp(name->data, data, size));
}

bool names_build(struct name_table *table, const struct hash_key *key, const struct name_list *list,
                 bool *twice)
{
    uint64_t n_slots = 16;
    /* At most four of five are taken. */
    while (n_slots * 4 < (uint64_t)list->count * 5)
        n_slots *= 2;
    if (n_slots > UINT32_MAX || n_slots > SIZE_MAX / sizeof(uint32_t))
        return false;
    uint32_t *slots = calloc((size_t)n_slots, sizeof *slots);
    if (!slots)
        return false;

    *twice = false;
    uint32_t mask = (uint32_t)n_slots - 1;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct ember_text *name = name_at(list, i);
        uint32_t at = (uint32_t)hash_bytes(key, name->data, name->size) & mask;
        while (slots[at] && !equal(name_at(list, slots[at] - 1), name->data, name->size))
            at = (at + 1) & mask;
        if (slots[at])
            *twice = true;
        else
            slots[at] = i + 1;
    }
    free(table->slots);
    table->slots = slots;
    table->mask = mask;
    return true;
}

uint32_t names_find(const struct name_table *table, const struct hash_key *key,
                    const struct name_list *list, const void *name, size_t size)
{
    if (!table->slots)
        return NAMES_NONE;
    uint32_t at = (uint32_t)hash_bytes(key, name, size) & table->mask;
    for (; table->slots[at]; at = (at + 1) & table->mask) {
        uint32_t index = table->slots[at] - 1;
        if (equal(name_at(list, index), name, size))
            return index;
    }
    return NAMES_NONE;
}

void names_finish(struct name_table *table)
{
    if (!table)
        return;
    free(table->slots);
    *table = (struct name_table){ 0 };
}
