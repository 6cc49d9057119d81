/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON reader and writer: grammar, hostile input, exact numbers, UTF-8. */
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ember/json.h>

#include "refuse.h"
#include "test.h"

static struct ember_json_document *parse(const char *text, size_t size)
{
    struct ember_json_document *document = NULL;
    struct ember_error err = { 0 };
    /* an exact copy without terminator, so that a sanitizer sees any read past the end */
    char *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    enum ember_status status = ember_json_parse(&document, copy, size, &err);
    free(copy);
    CHECK_MSG((status == EMBER_OK) == (document != NULL), "status %d but document %p: %.40s",
              (int)status, (void *)document, text);
    if (status != EMBER_OK) {
        CHECK_INT(err.status, status);
        CHECK_MSG(strncmp(err.message, "JSON line ", 10) == 0, "no line named: %s", err.message);
    }
    return document;
}

static void check_accepted(void)
{
    static const char *const good[] = {
        "null",
        " true ",
        "false",
        "0",
        "-0",
        "1e5",
        "1E+5",
        "-1.5e-3",
        "\"\"",
        "[]",
        "{}",
        "[ ]",
        "{ }",
        "[1,2]",
        "{\"a\":[{}]}",
        "\t\n\r 1\n",
        "\"\\u0000\"",
        "\"\\/\\b\\f\"",
        "\"\x7f\"",
        "0.0",
        "[[],[[]],{}]",
        "\"\xf4\x8f\xbf\xbf\"",
        "\xef\xbb\xbf[]",
        "{\"\":0,\"\":1}",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct ember_json_document *document = parse(good[i], strlen(good[i]));
        CHECK_MSG(document != NULL, "refused: %s", good[i]);
        ember_json_free(document);
    }
}

static void check_refused(void)
{
    static const char *const bad[] = {
        "",
        " ",
        "nul",
        "nulll",
        "True",
        "01",
        "-",
        "+1",
        "1.",
        ".5",
        "1e",
        "1e+",
        "0x10",
        "inf",
        "NaN",
        "-inf",
        "[",
        "]",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{",
        "{1:2}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\" 1}",
        "\"",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\n\"",
        "\"\x01\"",
        "'a'",
        "[1]2",
        "1 2",
        "\"a\"\"b\"",
        "\x0c"
        "1",
        "\xa0"
        "1",
        "\"\xff\"",
        "\"\xc0\x80\"",
        "\"\xed\xa0\x80\"",
        "\"\xe2\x82\"",
        "\"\xf4\x90\x80\x80\"",
        "// x\n1",
        "1e400",
        "-1e400",
        "[1}",
        "{\"a\":1]",
        "\"\\",
        "\"\\u",
        "-a",
        "[-]",
        "1e5.5",
        "--1",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ember_json_document *document = parse(bad[i], strlen(bad[i]));
        CHECK_MSG(document == NULL, "accepted: %s", bad[i]);
        ember_json_free(document);
    }
    struct ember_json_document *document = parse("[1,\0]", 5);
    CHECK(document == NULL);
    ember_json_free(document);
}

/* Every beginning of a valid text is refused, and none is read past its end. */
static void check_prefixes(void)
{
    static const char text[] =
        "{\"a\": [1, -2.5e+3, \"x\\u00e9\\ud83d\\ude00\xc3\xa9\"], \"b\": {\"c\": null}}";
    for (size_t n = 0; n < sizeof text - 1; n++) {
        struct ember_json_document *document = parse(text, n);
        CHECK_MSG(document == NULL, "accepted the first %zu bytes", n);
        ember_json_free(document);
    }
}

static void check_depth(void)
{
    for (size_t depth = 255; depth <= 257; depth++) {
        char *text = malloc(2 * depth);
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        struct ember_json_document *document = parse(text, 2 * depth);
        CHECK_MSG((document != NULL) == (depth <= 256), "depth %zu", depth);
        ember_json_free(document);
        free(text);
    }
    size_t n = 1 << 20;
    char *text = malloc(n);
    for (size_t i = 0; i < n; i++)
        text[i] = i % 5 == 0 ? '{' : "\"a\":"[i % 5 - 1];
    struct ember_json_document *document = parse(text, n);
    CHECK(document == NULL);
    ember_json_free(document);
    free(text);
}

static void check_line(void)
{
    struct ember_json_document *document = NULL;
    struct ember_error err = { 0 };
    static const char text[] = "{\n\"a\": 1,\n\"b\" 2\n}";
    CHECK_INT(ember_json_parse(&document, text, sizeof text - 1, &err), EMBER_FORMAT);
    CHECK_STR(err.message, "JSON line 3: expected ':', found '2'");
    CHECK_INT(ember_json_parse(&document, "[", 1, &err), EMBER_FORMAT);
    CHECK_STR(err.message, "JSON line 1: expected a value, found the end");
    CHECK_INT(ember_json_parse(&document, "[", 1, NULL), EMBER_FORMAT);
    CHECK(document == NULL);
}

static void check_tree(void)
{
    static const char text[] = "{\"n\": null, \"list\": [1, 2.5, \"three\", [], {}], \"n\": true,"
                               " \"big\": 9223372036854775807, \"small\": -9223372036854775808,"
                               " \"bigger\": 9223372036854775808, \"a\\u0000b\": 7}";
    struct ember_json_document *document = parse(text, sizeof text - 1);
    if (!CHECK(document != NULL))
        return;
    const struct ember_json *root = ember_json_root(document);
    CHECK_INT(root->kind, EMBER_JSON_OBJECT);
    CHECK_UINT(root->list.count, 7);
    CHECK_STR(root->list.names[1].data, "list");
    const struct ember_json *n = ember_json_member(root, "n");
    CHECK(n && n->kind == EMBER_JSON_BOOL && n->boolean); /* the last one wins */
    const struct ember_json *list = ember_json_member(root, "list");
    if (CHECK(list && list->kind == EMBER_JSON_ARRAY && list->list.count == 5)) {
        CHECK(list->list.items[0].kind == EMBER_JSON_INT && list->list.items[0].integer == 1);
        CHECK(list->list.items[1].kind == EMBER_JSON_FLOAT && list->list.items[1].number == 2.5);
        CHECK_STR(list->list.items[2].text.data, "three");
        CHECK_UINT(list->list.items[3].list.count, 0);
        CHECK_NEAR(ember_json_number(&list->list.items[0], -1), 1, 0, "an integer as a double");
        CHECK_NEAR(ember_json_number(&list->list.items[2], -1), -1, 0, "the fallback");
    }
    const struct ember_json *big = ember_json_member(root, "big");
    CHECK(big && big->kind == EMBER_JSON_INT && big->integer == INT64_MAX);
    const struct ember_json *small = ember_json_member(root, "small");
    CHECK(small && small->kind == EMBER_JSON_INT && small->integer == INT64_MIN);
    const struct ember_json *bigger = ember_json_member(root, "bigger");
    CHECK(bigger && bigger->kind == EMBER_JSON_FLOAT && bigger->number == 0x1p63);
    CHECK(root->list.names[6].size == 3 && memcmp(root->list.names[6].data, "a\0b", 3) == 0);
    CHECK(ember_json_member(root, "a") == NULL);
    CHECK(ember_json_member(NULL, "a") == NULL);
    CHECK(ember_json_member(list, "a") == NULL);
    CHECK_NEAR(ember_json_number(NULL, 3), 3, 0, "NULL");
    ember_json_free(document);
    ember_json_free(NULL);
}

static void check_strings(void)
{
    static const struct {
        const char *json, *want;
    } cases[] = {
        { "\"\\u00e9\\u20ac\"", "\xc3\xa9\xe2\x82\xac" },
        { "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80" },
        { "\"\\uD83D\\uDE00\"", "\xf0\x9f\x98\x80" },
        { "\"\\ud83d\"", "\xef\xbf\xbd" },
        { "\"\\ude00x\"", "\xef\xbf\xbdx" },
        { "\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80" },
        { "\"\\ud83d\\n\"", "\xef\xbf\xbd\n" },
        { "\"\\ud83dA\\u0041\"", "\xef\xbf\xbd"
                                 "AA" },
        { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
        { "\"\xf0\x9f\x98\x80\"", "\xf0\x9f\x98\x80" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ember_json_document *document = parse(cases[i].json, strlen(cases[i].json));
        if (!CHECK_MSG(document != NULL, "refused: %s", cases[i].json))
            continue;
        const struct ember_text text = ember_json_root(document)->text;
        CHECK_STR(text.data, cases[i].want);
        CHECK_UINT(text.size, strlen(cases[i].want));
        ember_json_free(document);
    }
}

static void check_number(const char *text, double want)
{
    struct ember_json_document *document = parse(text, strlen(text));
    if (!CHECK_MSG(document != NULL, "refused: %s", text))
        return;
    CHECK_NEAR(ember_json_number(ember_json_root(document), NAN), want, 0, "%s", text);
    ember_json_free(document);
}

static void check_numbers(void)
{
    check_number("0.1", 0.1);
    check_number("123456789012345678901234567890", 123456789012345678901234567890.0);
    check_number("2.2250738585072011e-308", 2.2250738585072011e-308);
    check_number("4.9406564584124654e-324", 0x1p-1074);
    check_number("1.7976931348623157e308", DBL_MAX);
    check_number("9007199254740993.0", 9007199254740992.0);
    check_number("9007199254740992.99999999999999999999999999999999999999", 9007199254740992.0);
    check_number("1e-999", 0);
    /* a long number must be read as a whole */
    size_t n = 100000;
    char *text = malloc(n + 8);
    memset(text, '0', n);
    text[1] = '.';
    memcpy(text + n, "1e99999", 8);
    check_number(text, 1); /* 10^-99999 × 10^99999 */
    free(text);
}

static const char *finish(struct ember_json_writer *writer)
{
    static char text[4096];
    size_t size = 0;
    const char *data = ember_json_writer_finish(writer, &size);
    snprintf(text, sizeof text, "%.*s", (int)size, data ? data : "(null)");
    ember_json_writer_free(writer);
    return text;
}

static void write_sample(struct ember_json_writer *writer)
{
    ember_json_begin_object(writer);
    ember_json_name(writer, "a");
    ember_json_begin_array(writer);
    ember_json_write_i64(writer, INT64_MIN);
    ember_json_write_u64(writer, UINT64_MAX);
    ember_json_begin_array(writer);
    ember_json_end_array(writer);
    ember_json_begin_object(writer);
    ember_json_end_object(writer);
    ember_json_end_array(writer);
    ember_json_name_text(writer, (struct ember_text){ "b\0\n", 3 });
    ember_json_begin_object(writer);
    ember_json_name(writer, "c");
    ember_json_write_null(writer);
    ember_json_name(writer, "d");
    ember_json_write_bool(writer, true);
    ember_json_end_object(writer);
    ember_json_name(writer, "e");
    ember_json_write_bool(writer, false);
    ember_json_end_object(writer);
}

static void check_layout(void)
{
    struct ember_json_writer *writer = ember_json_writer_new(0);
    write_sample(writer);
    CHECK_STR(finish(writer), "{\"a\": [-9223372036854775808, 18446744073709551615, [], {}], "
                              "\"b\\u0000\\n\": {\"c\": null, \"d\": true}, \"e\": false}");
    writer = ember_json_writer_new(2);
    write_sample(writer);
    CHECK_STR(finish(writer),
              "{\n  \"a\": [\n    -9223372036854775808,\n    18446744073709551615,\n"
              "    [],\n    {}\n  ],\n  \"b\\u0000\\n\": {\n    \"c\": null,\n"
              "    \"d\": true\n  },\n  \"e\": false\n}");
    writer = ember_json_writer_new(0);
    ember_json_write_i64(writer, -3);
    CHECK_STR(finish(writer), "-3");
    ember_json_writer_free(NULL);
}

static void check_bad_utf8(void)
{
#define BAD "\xef\xbf\xbd"
    static const struct {
        const char *bytes, *want;
    } cases[] = {
        { "\xff", "\"" BAD "\"" },
        { "a\xc3", "\"a" BAD "\"" },
        { "\xe2\x82", "\"" BAD "\"" }, /* cut: one sequence */
        { "\xe2\x82x", "\"" BAD "x\"" },
        { "\xf0\x9f\x98", "\"" BAD "\"" },
        { "\xf0\x9f\x98\xff", "\"" BAD BAD "\"" },
        { "\xc0\x80", "\"" BAD BAD "\"" }, /* overlong: byte by byte */
        { "\xe0\x9f\x80", "\"" BAD BAD BAD "\"" },
        { "\xed\xa0\x80", "\"" BAD BAD BAD "\"" },         /* a surrogate */
        { "\xf4\x90\x80\x80", "\"" BAD BAD BAD BAD "\"" }, /* above U+10FFFF */
        { "\xe2\xe2\x82\xac", "\"" BAD "\xe2\x82\xac\"" },
        { "\x80\xbf", "\"" BAD BAD "\"" },
        { "\x01\x1f\x7f\"\\/", "\"\\u0001\\u001f\x7f\\\"\\\\/\"" },
        { "\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"" },
        { "", "\"\"" },
    };
#undef BAD
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ember_json_writer *writer = ember_json_writer_new(0);
        ember_json_write_string(writer, cases[i].bytes);
        CHECK_STR(finish(writer), cases[i].want);
    }
    struct ember_json_writer *writer = ember_json_writer_new(0);
    ember_json_write_text(writer, (struct ember_text){ NULL, 0 });
    CHECK_STR(finish(writer), "\"\"");
}

static const char *format(double value, bool is_f32)
{
    struct ember_json_writer *writer = ember_json_writer_new(0);
    ember_json_write_f64(writer, value, is_f32);
    return finish(writer);
}

static void check_digits(void)
{
    CHECK_STR(format(0, false), "0.0");
    CHECK_STR(format(-0.0, false), "-0.0");
    CHECK_STR(format(1, false), "1.0");
    CHECK_STR(format(10000, true), "10000.0");
    CHECK_STR(format(0.1, false), "0.1");
    CHECK_STR(format(0.1f, true), "0.1");
    CHECK_STR(format(0.1f, false), "0.10000000149011612");
    CHECK_STR(format(1e-6f, true), "1e-6");
    CHECK_STR(format(-1.5e-4, false), "-0.00015");
    CHECK_STR(format(12345.678, false), "12345.678");
    CHECK_STR(format(1e16, false), "1e16");
    CHECK_STR(format(1e15, false), "1000000000000000.0");
    CHECK_STR(format(1e22, false), "1e22");
    CHECK_STR(format(123e20, false), "1.23e22");
    CHECK_STR(format(DBL_MAX, false), "1.7976931348623157e308");
    CHECK_STR(format(0x1p-1074, false), "5e-324");
    CHECK_STR(format(DBL_MIN, false), "2.2250738585072014e-308");
    CHECK_STR(format(FLT_MAX, true), "3.4028235e38");
    CHECK_STR(format(0x1p-149, true), "1e-45");
    CHECK_STR(format(0x1p-44, false), "5.684341886080802e-14");
    CHECK_STR(format(9007199254740993.0, false), "9007199254740992.0");
    CHECK_STR(format(0.3, false), "0.3");
    CHECK_STR(format(0.1 + 0.2, false), "0.30000000000000004");
    CHECK_STR(format(16777216, true), "16777216.0");
    CHECK_STR(format(NAN, false), "\"nan\"");
    CHECK_STR(format(INFINITY, true), "\"inf\"");
    CHECK_STR(format(-INFINITY, false), "\"-inf\"");
    CHECK_STR(format(1e300, true), "\"inf\"");
}

/* Random bit patterns and powers of two: what is written reads back the same, by our own reader,
 * and no decimal with a digit fewer does. */
static void check_round_trip(void)
{
    uint64_t state = 88172645463325252u;
    unsigned wrong = 0, longer = 0;
    for (int i = 0; i < 20000; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bool is_f32 = i & 1;
        double value;
        if (is_f32) {
            uint32_t bits = (uint32_t)(state >> 32);
            float f;
            if (i % 8 == 1)
                bits &= 0xff800000; /* a power of two */
            memcpy(&f, &bits, sizeof f);
            value = (double)f;
        } else {
            uint64_t bits = state;
            if (i % 8 == 0)
                bits &= 0xfff0000000000000;
            memcpy(&value, &bits, sizeof value);
        }
        if (!isfinite(value) || value == 0)
            continue;
        const char *text = format(value, is_f32);
        struct ember_json_document *document = NULL;
        double back = 0;
        if (ember_json_parse(&document, text, strlen(text), NULL) == EMBER_OK)
            back = ember_json_number(ember_json_root(document), 0);
        ember_json_free(document);
        wrong += is_f32 ? strtof(text, NULL) != (float)value : back != value;

        int digits = 0, zeros = 0;
        for (const char *c = text; *c && *c != 'e'; c++) {
            if (*c >= '0' && *c <= '9' && (digits || *c != '0')) {
                digits++;
                zeros = *c == '0' ? zeros + 1 : 0;
            }
        }
        char shorter[64];
        digits -= zeros;
        if (digits > 1) {
            snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
            longer +=
                is_f32 ? strtof(shorter, NULL) == (float)value : strtod(shorter, NULL) == value;
        }
    }
    CHECK_UINT(wrong, 0);
    CHECK_UINT(longer, 0);
}

/* Each allocation refused in turn, until nothing is left to refuse. */
static void check_refused_memory(void)
{
    static char text[4096];
    for (size_t i = 0; i < 100; i++)
        strcat(text, i ? ", {\"name\": [1.5, \"text\"]}" : "[{}");
    strcat(text, "]");
    unsigned refusals = 0;
    const long before = live;
    for (long nth = 0; nth < 10000; nth++, refusals++) {
        struct ember_json_document *document = NULL;
        struct ember_error err = { 0 };
        calls = 0;
        fail_at = nth;
        enum ember_status status = ember_json_parse(&document, text, strlen(text), &err);
        fail_at = -1;
        ember_json_free(document);
        CHECK_INT(live, before);
        if (status == EMBER_OK)
            break;
        if (!CHECK_INT(status, EMBER_NO_MEMORY) || !CHECK(!document && err.message[0]))
            break;
    }
    CHECK_MSG(refusals >= 5, "reader: %u allocations were refused", refusals);

    refusals = 0;
    for (long nth = 0; nth < 10000; nth++, refusals++) {
        calls = 0;
        fail_at = nth;
        struct ember_json_writer *writer = ember_json_writer_new(2);
        bool finished = false;
        if (writer) {
            write_sample(writer);
            finished = ember_json_writer_finish(writer, NULL) != NULL;
        }
        fail_at = -1;
        ember_json_writer_free(writer);
        CHECK_INT(live, before);
        if (finished)
            break;
    }
    CHECK_MSG(refusals >= 3, "writer: %u allocations were refused", refusals);
}

static void check_foreign_locale(void)
{
    static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ru_RU.UTF-8" };
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = setlocale(LC_ALL, names[i]) && strcmp(localeconv()->decimal_point, ".") != 0;
    if (!found) {
        test_skip("numbers in a locale with a decimal comma", "no such locale is installed");
        return;
    }
    check_number("0.5", 0.5);
    check_number("1.25e2", 125);
    CHECK_STR(format(0.5, false), "0.5");
    CHECK_STR(format(1.5e-9, true), "1.5e-9");
    setlocale(LC_ALL, "C");
}

int main(void)
{
    check_accepted();
    check_refused();
    check_prefixes();
    check_depth();
    check_line();
    check_tree();
    check_strings();
    check_numbers();
    check_layout();
    check_bad_utf8();
    check_digits();
    check_round_trip();
    check_refused_memory();
    check_foreign_locale();
    return test_end();
}
