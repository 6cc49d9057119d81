/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which standard key a name is. */
#include "gguf/keys.h"

#include <string.h>

enum { LONGEST = 96 }; /* no standard key is longer */

static const struct ember_gguf_standard_key *find(const char *name)
{
    size_t low = 0, high = gguf_n_standard_keys;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, gguf_standard_keys[middle].name);
        if (!order)
            return &gguf_standard_keys[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* Copies the name with each segment of digits as {i}. */
static bool generalize(char out[LONGEST], const char *name, size_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < size;) {
        size_t end = i;
        bool digits = true;
        for (; end < size && name[end] != '.'; end++)
            digits &= name[end] >= '0' && name[end] <= '9';
        const char *piece = digits && end > i ? "{i}" : name + i;
        size_t length = digits && end > i ? 3 : end - i;
        if (n + length + 2 > LONGEST)
            return false;
        memcpy(out + n, piece, length);
        n += length;
        if (end < size)
            out[n++] = '.';
        i = end + 1;
    }
    out[n] = '\0';
    return true;
}

const struct ember_gguf_standard_key *ember_gguf_standard_key(struct ember_text name,
                                                              struct ember_text architecture)
{
    char copy[LONGEST];
    size_t prefix = architecture.size;

    if (name.size && memchr(name.data, '\0', name.size))
        return NULL;
    if (prefix && name.size > prefix + 1 && name.data[prefix] == '.' &&
        !memcmp(name.data, architecture.data, prefix)) {
        if (name.size - prefix + 2 > LONGEST)
            return NULL;
        copy[0] = 'A';
        memcpy(copy + 1, name.data + prefix, name.size - prefix);
        copy[1 + name.size - prefix] = '\0';
        const struct ember_gguf_standard_key *key = find(copy);
        if (key)
            return key;
    }
    return generalize(copy, name.data, name.size) ? find(copy) : NULL;
}

const struct ember_gguf_standard_key *ember_gguf_standard_key_at(size_t index)
{
    return index < gguf_n_standard_keys ? &gguf_standard_keys[index] : NULL;
}
