/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unicode.h - the properties of characters that PCRE2's patterns cannot give. Any thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum tok_class {
    TOK_OTHER,
    TOK_SPACE,
    TOK_HIDDEN,      /* controls, format characters, private use, U+FFFD */
    TOK_MARK,        /* accents and other combining characters */
    TOK_PUNCTUATION, /* and the symbols of ASCII */
};

struct tok_class_row {
    uint32_t first, last;
    enum tok_class class;
};

/* first, first + step, … last: each plus delta is its small letter. */
struct tok_lower_row {
    uint32_t first, last;
    uint32_t step;
    int32_t delta;
};

/* All of first … last are accented forms of `base` (the first character of the decomposition). */
struct tok_base_row {
    uint32_t first, last;
    uint32_t base;
};

/* Ascending, not overlapping. unicode_tables.c */
extern const struct tok_class_row tok_classes[];
extern const struct tok_lower_row tok_lowers[];
extern const struct tok_base_row tok_bases[];
extern const size_t tok_n_classes, tok_n_lowers, tok_n_bases;

enum tok_class tok_class_of(uint32_t codepoint);
uint32_t tok_lower(uint32_t codepoint);
/* The character without its accents; of a Hangul syllable its first letter. */
uint32_t tok_base(uint32_t codepoint);
