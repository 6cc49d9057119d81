/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock, and dates as text. Words are English whatever the computer's language: models were
 * trained on them. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "chat/jinja_run.h"

struct ember_time ember_time_now(void)
{
    time_t now = time(NULL);
    struct tm tm;
    if (!localtime_r(&now, &tm))
        return (struct ember_time){ .year = 1970, .month = 1, .day = 1 };
    return (struct ember_time){ .year = tm.tm_year + 1900,
                                .month = tm.tm_mon + 1,
                                .day = tm.tm_mday,
                                .hour = tm.tm_hour,
                                .minute = tm.tm_min,
                                .second = tm.tm_sec };
}

static const char *const days[] = { "Sunday",   "Monday", "Tuesday", "Wednesday",
                                    "Thursday", "Friday", "Saturday" };
static const char *const months[] = { "January",   "February", "March",    "April",
                                      "May",       "June",     "July",     "August",
                                      "September", "October",  "November", "December" };

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int day_of_year(const struct ember_time *t) /* 0 … 365 */
{
    static const int before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
    return before[t->month - 1] + t->day - 1 + (t->month > 2 && is_leap(t->year));
}

/* 0 = Sunday. Counts the days since a year that began on a Sunday's Monday. */
static int week_day(const struct ember_time *t)
{
    long y = t->year - 1L;
    long n = y * 365 + y / 4 - y / 100 + y / 400 + day_of_year(t);
    return (int)((n + 1) % 7);
}

/* ISO 8601: week 1 has the year's first Thursday. */
static void iso_week(const struct ember_time *t, int *year, int *week)
{
    int weekday = (week_day(t) + 6) % 7; /* 0 = Monday */
    int n = (day_of_year(t) - weekday + 10) / 7;
    *year = t->year;
    if (n < 1) {
        const struct ember_time last = { .year = t->year - 1, .month = 12, .day = 31 };
        *year = t->year - 1;
        n = (day_of_year(&last) - (week_day(&last) + 6) % 7 + 10) / 7;
    } else if (n == 53) {
        const struct ember_time first = { .year = t->year + 1, .month = 1, .day = 1 };
        int next = (week_day(&first) + 6) % 7;
        if (next <= 3) {
            *year = t->year + 1;
            n = 1;
        }
    }
    *week = n;
}

/* Days since 1970-01-01. */
static long long days_since_epoch(const struct ember_time *t)
{
    long long y = t->year - 1;
    return y * 365 + y / 4 - y / 100 + y / 400 + day_of_year(t) - 719162;
}

static void number(char out[64], int value, int width, char pad, char flag)
{
    if (flag == '-')
        width = 0;
    else if (flag == '_')
        pad = ' ';
    else if (flag == '0')
        pad = '0';
    if (pad == '0')
        snprintf(out, 64, "%0*d", width, value);
    else
        snprintf(out, 64, "%*d", width, value);
}

/* One conversion. False for one that is not known. */
static bool convert(const struct ember_time *t, char letter, char flag, char out[64])
{
    int twelve = t->hour % 12 ? t->hour % 12 : 12, weekday = week_day(t), iso_year, iso;
    iso_week(t, &iso_year, &iso);
    switch (letter) {
    case 'a':
        snprintf(out, 64, "%.3s", days[weekday]);
        return true;
    case 'A':
        snprintf(out, 64, "%s", days[weekday]);
        return true;
    case 'b':
    case 'h':
        snprintf(out, 64, "%.3s", months[t->month - 1]);
        return true;
    case 'B':
        snprintf(out, 64, "%s", months[t->month - 1]);
        return true;
    case 'c':
        snprintf(out, 64, "%.3s %.3s %2d %02d:%02d:%02d %d", days[weekday], months[t->month - 1],
                 t->day, t->hour, t->minute, t->second, t->year);
        return true;
    case 'C':
        number(out, t->year / 100, 2, '0', flag);
        return true;
    case 'd':
        number(out, t->day, 2, '0', flag);
        return true;
    case 'D':
    case 'x':
        snprintf(out, 64, "%02d/%02d/%02d", t->month, t->day, t->year % 100);
        return true;
    case 'e':
        number(out, t->day, 2, ' ', flag);
        return true;
    case 'f':
        snprintf(out, 64, "000000");
        return true;
    case 'F':
        snprintf(out, 64, "%d-%02d-%02d", t->year, t->month, t->day);
        return true;
    case 'g':
        number(out, iso_year % 100, 2, '0', flag);
        return true;
    case 'G':
        number(out, iso_year, 1, '0', flag);
        return true;
    case 'H':
        number(out, t->hour, 2, '0', flag);
        return true;
    case 'I':
        number(out, twelve, 2, '0', flag);
        return true;
    case 'j':
        number(out, day_of_year(t) + 1, 3, '0', flag);
        return true;
    case 'k':
        number(out, t->hour, 2, ' ', flag);
        return true;
    case 'l':
        number(out, twelve, 2, ' ', flag);
        return true;
    case 'm':
        number(out, t->month, 2, '0', flag);
        return true;
    case 'M':
        number(out, t->minute, 2, '0', flag);
        return true;
    case 'n':
        snprintf(out, 64, "\n");
        return true;
    case 'p':
        snprintf(out, 64, "%s", t->hour < 12 ? "AM" : "PM");
        return true;
    case 'P':
        snprintf(out, 64, "%s", t->hour < 12 ? "am" : "pm");
        return true;
    case 'r':
        snprintf(out, 64, "%02d:%02d:%02d %s", twelve, t->minute, t->second,
                 t->hour < 12 ? "AM" : "PM");
        return true;
    case 'R':
        snprintf(out, 64, "%02d:%02d", t->hour, t->minute);
        return true;
    case 's':
        snprintf(out, 64, "%lld",
                 days_since_epoch(t) * 86400 + t->hour * 3600 + t->minute * 60 + t->second);
        return true;
    case 'S':
        number(out, t->second, 2, '0', flag);
        return true;
    case 't':
        snprintf(out, 64, "\t");
        return true;
    case 'T':
    case 'X':
        snprintf(out, 64, "%02d:%02d:%02d", t->hour, t->minute, t->second);
        return true;
    case 'u':
        number(out, weekday ? weekday : 7, 1, '0', flag);
        return true;
    case 'U':
        number(out, (day_of_year(t) + 7 - weekday) / 7, 2, '0', flag);
        return true;
    case 'V':
        number(out, iso, 2, '0', flag);
        return true;
    case 'w':
        number(out, weekday, 1, '0', flag);
        return true;
    case 'W':
        number(out, (day_of_year(t) + 7 - (weekday + 6) % 7) / 7, 2, '0', flag);
        return true;
    case 'y':
        number(out, t->year % 100, 2, '0', flag);
        return true;
    case 'Y':
        number(out, t->year, 1, '0', flag);
        return true;
    case 'z':
    case 'Z':
        out[0] = '\0'; /* a wall clock has no zone */
        return true;
    case '%':
        snprintf(out, 64, "%%");
        return true;
    default:
        return false;
    }
}

bool jinja_put_time(struct builder *b, struct str format, const struct ember_time *t)
{
    const char *data = str_data(format);
    if (t->year < 1 || t->year > 9999 || t->month < 1 || t->month > 12 || t->day < 1 || t->day > 31)
        return jinja_fail(b->r, "strftime_now(): the time given is not a date");
    for (uint32_t at = 0; at < format.size && b->r->status == EMBER_OK;) {
        uint32_t from = at;
        bool untrusted = str_untrusted_at(format, at);
        char flag = 0, text[64];
        if (data[at] != '%') {
            while (at < format.size && data[at] != '%')
                at++;
            builder_str(b, str_part(format, from, at - from));
            continue;
        }
        at++;
        while (at < format.size && data[at] && strchr("-_0^#", data[at]))
            flag = data[at++];
        if (at < format.size && convert(t, data[at], flag, text)) {
            for (char *c = text; *c && flag == '^'; c++)
                *c = (char)toupper((unsigned char)*c);
            builder_string(b, text, untrusted);
            at++;
        } else {
            /* Unknown: as it stands. */
            at += at < format.size;
            builder_str(b, str_part(format, from, at - from));
        }
    }
    return b->r->status == EMBER_OK;
}
