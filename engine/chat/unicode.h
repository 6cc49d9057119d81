/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unicode.h - what Python's string methods know about characters. Any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum unicode_category {
    UNICODE_CN,
    UNICODE_CC,
    UNICODE_CF,
    UNICODE_CO,
    UNICODE_CS,
    UNICODE_LL,
    UNICODE_LM,
    UNICODE_LO,
    UNICODE_LT,
    UNICODE_LU,
    UNICODE_MC,
    UNICODE_ME,
    UNICODE_MN,
    UNICODE_ND,
    UNICODE_NL,
    UNICODE_NO,
    UNICODE_PC,
    UNICODE_PD,
    UNICODE_PE,
    UNICODE_PF,
    UNICODE_PI,
    UNICODE_PO,
    UNICODE_PS,
    UNICODE_SC,
    UNICODE_SK,
    UNICODE_SM,
    UNICODE_SO,
    UNICODE_ZL,
    UNICODE_ZP,
    UNICODE_ZS
};

enum { UNICODE_MAX_MAPPED = 3 }; /* characters that one character may become */

enum unicode_category unicode_category(uint32_t c);
bool unicode_is_space(uint32_t c);
bool unicode_is_line_end(uint32_t c);
bool unicode_is_alpha(uint32_t c);
bool unicode_is_decimal(uint32_t c);
bool unicode_is_digit(uint32_t c);
bool unicode_is_numeric(uint32_t c);
bool unicode_is_alnum(uint32_t c);
bool unicode_is_printable(uint32_t c);
bool unicode_is_lower(uint32_t c);
bool unicode_is_upper(uint32_t c);
bool unicode_is_title(uint32_t c);
bool unicode_is_cased(uint32_t c);
bool unicode_is_case_ignorable(uint32_t c);
bool unicode_is_word(uint32_t c); /* \w of a regular expression */
bool unicode_is_name_start(uint32_t c);
/* 0 … 9 of a decimal digit in any script, or -1. */
int unicode_digit_value(uint32_t c);

/* Each writes 1 … UNICODE_MAX_MAPPED characters and returns how many. */
unsigned unicode_lower(uint32_t c, uint32_t out[UNICODE_MAX_MAPPED]);
unsigned unicode_upper(uint32_t c, uint32_t out[UNICODE_MAX_MAPPED]);
unsigned unicode_title(uint32_t c, uint32_t out[UNICODE_MAX_MAPPED]);
unsigned unicode_fold(uint32_t c, uint32_t out[UNICODE_MAX_MAPPED]);

/* The tables of unicode_tables.c, sorted by first character. */
struct unicode_category_start {
    uint32_t first;
    uint8_t category; /* up to the next row */
};
struct unicode_range {
    uint32_t first, last;
};
struct unicode_run {
    uint32_t first, last;
    uint32_t step;
    int32_t delta;
};
struct unicode_many {
    uint32_t from;
    uint32_t to[UNICODE_MAX_MAPPED]; /* ends at a zero */
};
#define UNICODE_TABLE(kind, name)                                                                  \
    extern const struct kind name[];                                                               \
    extern const unsigned name##_count;
UNICODE_TABLE(unicode_category_start, unicode_categories)
UNICODE_TABLE(unicode_run, unicode_lower_runs)
UNICODE_TABLE(unicode_run, unicode_upper_runs)
UNICODE_TABLE(unicode_run, unicode_title_runs)
UNICODE_TABLE(unicode_run, unicode_fold_runs)
UNICODE_TABLE(unicode_many, unicode_lower_many)
UNICODE_TABLE(unicode_many, unicode_upper_many)
UNICODE_TABLE(unicode_many, unicode_title_many)
UNICODE_TABLE(unicode_many, unicode_fold_many)
UNICODE_TABLE(unicode_range, unicode_lower_extra)
UNICODE_TABLE(unicode_range, unicode_upper_extra)
UNICODE_TABLE(unicode_range, unicode_digit_extra)
UNICODE_TABLE(unicode_range, unicode_numeric_extra)
UNICODE_TABLE(unicode_range, unicode_case_ignorable)
#undef UNICODE_TABLE
