/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsing, rendering and stopping with every allocation refused in turn: a status and a sentence,
 * and nothing lost. The linker redirects the allocator's names here. */
#include "refuse.h"
#include "support.h"

static const char source[] =
    "{% macro m(a, b=2) %}{{ a }}{{ b }}{% endmacro %}{% set ns = namespace(s='') %}"
    "{% for i in range(40) %}{% set ns.s = ns.s ~ messages[0].content ~ i %}{% endfor %}"
    "{{ m(ns.s|upper|replace('A', '\\u00e9'), b=messages|tojson(indent=1)) }}"
    "{{ messages|map(attribute='content')|join(',') }}{{ '%s {}' % 'x' }}"
    "{{ messages|sort(attribute='role')|list }}{% set x %}{{ x }}{% endset %}{{ x.split() }}";
static const char json[] = "{\"messages\": [{\"role\": \"user\", \"content\": \"abc\"}]}";

static enum ember_status render_once(const struct ember_json *context, struct ember_error *err)
{
    struct ember_template *tmpl = NULL;
    struct ember_prompt prompt = { 0 };
    enum ember_status st = ember_template_new(&tmpl, source, sizeof source - 1, "t", err);
    if (st == EMBER_OK)
        st = ember_template_render(tmpl, context, no_text, no_text, test_now, &prompt, err);
    ember_prompt_finish(&prompt);
    ember_template_free(tmpl);
    return st;
}

static void test_render(void)
{
    struct ember_json_document *document = NULL;
    CHECK(ember_json_parse(&document, json, sizeof json - 1, NULL) == EMBER_OK);
    long before = live;
    enum ember_status st = EMBER_NO_MEMORY;
    long n = 0;
    for (; st != EMBER_OK && n < 10000; n++) {
        struct ember_error err = { 0 };
        calls = 0;
        fail_at = n;
        st = render_once(ember_json_root(document), &err);
        fail_at = -1;
        if (st != EMBER_OK)
            CHECK_MSG(st == EMBER_NO_MEMORY && strstr(err.message, "out of memory"),
                      "allocation %ld: %s: %s", n, ember_status_name(st), err.message);
        CHECK_MSG(live == before, "allocation %ld: %ld pieces lost", n, live - before);
    }
    CHECK_INT(st, EMBER_OK);
    CHECK_MSG(n > 10, "only %ld allocations", n);
    ember_json_free(document);
}

static void test_stop(void)
{
    static const char *const strings[] = { "stop", "end" };
    long before = live;
    for (long n = 0; n < 3; n++) {
        struct ember_stop *stop = NULL;
        struct ember_error err = { 0 };
        calls = 0;
        fail_at = n;
        enum ember_status st = ember_stop_new(&stop, strings, 2, &err);
        fail_at = -1;
        CHECK_INT(st, EMBER_NO_MEMORY);
        CHECK(err.message[0] && live == before);
    }

    /* Pieces of ordinary size allocate nothing. */
    struct ember_stop *stop = NULL;
    bool stopped = false;
    CHECK(ember_stop_new(&stop, strings, 2, NULL) == EMBER_OK);
    calls = 0;
    for (int i = 0; i < 100000; i++)
        ember_stop_push(stop, (struct ember_text){ "some text st", 12 }, &stopped);
    CHECK_INT(calls, 0);

    /* A piece that finds no room ends the text; what was held back is still there. */
    static char huge[100000];
    fail_at = 0;
    struct ember_text text =
        ember_stop_push(stop, (struct ember_text){ huge, sizeof huge }, &stopped);
    fail_at = -1;
    CHECK(text.size == 0 && stopped);
    text = ember_stop_flush(stop);
    CHECK(text.size == 2 && memcmp(text.data, "st", 2) == 0);
    ember_stop_free(stop);
    CHECK_INT(live, before);
}

int main(void)
{
    test_render();
    test_stop();
    return test_end();
}
