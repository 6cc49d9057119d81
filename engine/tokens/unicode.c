/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tokens/unicode.h"

#include <stdbool.h>

/* Index of the last row that begins at or before `codepoint`; rows begin with `first` and `last`.
 */
static bool find_row(const void *rows, size_t n, size_t row_size, uint32_t codepoint, size_t *row)
{
    size_t low = 0, high = n;
    const uint32_t *bounds;

    while (low < high) {
        size_t middle = (low + high) / 2;
        bounds = (const void *)((const char *)rows + middle * row_size);
        if (bounds[0] <= codepoint)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    *row = low - 1;
    bounds = (const void *)((const char *)rows + *row * row_size);
    return codepoint <= bounds[1];
}

enum tok_class tok_class_of(uint32_t codepoint)
{
    size_t i;
    if (!find_row(tok_classes, tok_n_classes, sizeof *tok_classes, codepoint, &i))
        return TOK_OTHER;
    return tok_classes[i].class;
}

uint32_t tok_lower(uint32_t codepoint)
{
    size_t i;
    if (!find_row(tok_lowers, tok_n_lowers, sizeof *tok_lowers, codepoint, &i) ||
        (codepoint - tok_lowers[i].first) % tok_lowers[i].step)
        return codepoint;
    return (uint32_t)((int32_t)codepoint + tok_lowers[i].delta);
}

uint32_t tok_base(uint32_t codepoint)
{
    /* A syllable is its first letter's block of 21 × 28 in the order of the letters. */
    enum { SYLLABLES = 0xAC00, SYLLABLES_END = 0xD7A4, LETTERS = 0x1100, BLOCK = 21 * 28 };
    size_t i;

    if (codepoint >= SYLLABLES && codepoint < SYLLABLES_END)
        return LETTERS + (codepoint - SYLLABLES) / BLOCK;
    if (!find_row(tok_bases, tok_n_bases, sizeof *tok_bases, codepoint, &i))
        return codepoint;
    return tok_bases[i].base;
}
