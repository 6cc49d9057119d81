/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chat/unicode.h"

#include <stddef.h>

enum unicode_category unicode_category(uint32_t c)
{
    unsigned low = 0, high = unicode_categories_count; /* row `low` starts at or before c */
    if (c > 0x10FFFF)
        return UNICODE_CN;
    while (high - low > 1) {
        unsigned middle = low + (high - low) / 2;
        if (unicode_categories[middle].first <= c)
            low = middle;
        else
            high = middle;
    }
    return (enum unicode_category)unicode_categories[low].category;
}

static bool in_ranges(const struct unicode_range *ranges, unsigned count, uint32_t c)
{
    unsigned low = 0, high = count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (c > ranges[middle].last)
            low = middle + 1;
        else if (c < ranges[middle].first)
            high = middle;
        else
            return true;
    }
    return false;
}

bool unicode_is_space(uint32_t c)
{
    if (c < 0x80)
        return c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x1F);
    return c == 0x85 || unicode_category(c) >= UNICODE_ZL;
}

bool unicode_is_line_end(uint32_t c)
{
    return (c >= 10 && c <= 13) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
           c == 0x2029;
}

bool unicode_is_alpha(uint32_t c)
{
    enum unicode_category g = unicode_category(c);
    return g >= UNICODE_LL && g <= UNICODE_LU;
}

bool unicode_is_decimal(uint32_t c)
{
    return unicode_category(c) == UNICODE_ND;
}

bool unicode_is_digit(uint32_t c)
{
    return unicode_is_decimal(c) || in_ranges(unicode_digit_extra, unicode_digit_extra_count, c);
}

bool unicode_is_numeric(uint32_t c)
{
    enum unicode_category g = unicode_category(c);
    return (g >= UNICODE_ND && g <= UNICODE_NO) ||
           in_ranges(unicode_numeric_extra, unicode_numeric_extra_count, c);
}

bool unicode_is_alnum(uint32_t c)
{
    if (c < 0x80)
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    return unicode_is_alpha(c) || unicode_is_numeric(c);
}

bool unicode_is_printable(uint32_t c)
{
    if (c < 0x7F)
        return c >= 0x20;
    enum unicode_category g = unicode_category(c);
    return g >= UNICODE_LL && g < UNICODE_ZL;
}

bool unicode_is_lower(uint32_t c)
{
    return unicode_category(c) == UNICODE_LL ||
           in_ranges(unicode_lower_extra, unicode_lower_extra_count, c);
}

bool unicode_is_upper(uint32_t c)
{
    return unicode_category(c) == UNICODE_LU ||
           in_ranges(unicode_upper_extra, unicode_upper_extra_count, c);
}

bool unicode_is_title(uint32_t c)
{
    return unicode_category(c) == UNICODE_LT;
}

bool unicode_is_cased(uint32_t c)
{
    return unicode_is_lower(c) || unicode_is_upper(c) || unicode_is_title(c);
}

bool unicode_is_case_ignorable(uint32_t c)
{
    return in_ranges(unicode_case_ignorable, unicode_case_ignorable_count, c);
}

bool unicode_is_word(uint32_t c)
{
    return c == '_' || unicode_is_alnum(c);
}

bool unicode_is_name_start(uint32_t c)
{
    if (c < 0x80)
        return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    return unicode_is_alpha(c) || unicode_category(c) == UNICODE_NL;
}

int unicode_digit_value(uint32_t c)
{
    if (c < 0x80)
        return c >= '0' && c <= '9' ? (int)(c - '0') : -1;
    if (!unicode_is_decimal(c))
        return -1;
    /* Every script has its ten digits in one run; several runs may touch each other. */
    uint32_t first = c;
    while (first > 0 && unicode_is_decimal(first - 1))
        first--;
    return (int)((c - first) % 10);
}

static unsigned convert(const struct unicode_run *runs, unsigned n_runs,
                        const struct unicode_many *many, unsigned n_many, uint32_t c,
                        uint32_t out[UNICODE_MAX_MAPPED])
{
    out[0] = c;
    unsigned low = 0, high = n_runs;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (c > runs[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < n_runs && c >= runs[low].first && (c - runs[low].first) % runs[low].step == 0) {
        out[0] = (uint32_t)((int64_t)c + runs[low].delta);
        return 1;
    }
    low = 0, high = n_many;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (c > many[middle].from) {
            low = middle + 1;
        } else if (c < many[middle].from) {
            high = middle;
        } else {
            unsigned n = 0;
            while (n < UNICODE_MAX_MAPPED && many[middle].to[n]) {
                out[n] = many[middle].to[n];
                n++;
            }
            return n;
        }
    }
    return 1;
}

unsigned unicode_lower(uint32_t c, uint32_t out[UNICODE_MAX_MAPPED])
{
    if (c < 0x80) {
        out[0] = c >= 'A' && c <= 'Z' ? c + 32 : c;
        return 1;
    }
    return convert(unicode_lower_runs, unicode_lower_runs_count, unicode_lower_many,
                   unicode_lower_many_count, c, out);
}

unsigned unicode_upper(uint32_t c, uint32_t out[UNICODE_MAX_MAPPED])
{
    if (c < 0x80) {
        out[0] = c >= 'a' && c <= 'z' ? c - 32 : c;
        return 1;
    }
    return convert(unicode_upper_runs, unicode_upper_runs_count, unicode_upper_many,
                   unicode_upper_many_count, c, out);
}

unsigned unicode_title(uint32_t c, uint32_t out[UNICODE_MAX_MAPPED])
{
    if (c < 0x80)
        return unicode_upper(c, out);
    return convert(unicode_title_runs, unicode_title_runs_count, unicode_title_many,
                   unicode_title_many_count, c, out);
}

unsigned unicode_fold(uint32_t c, uint32_t out[UNICODE_MAX_MAPPED])
{
    if (c < 0x80)
        return unicode_lower(c, out);
    return convert(unicode_fold_runs, unicode_fold_runs_count, unicode_fold_many,
                   unicode_fold_many_count, c, out);
}
