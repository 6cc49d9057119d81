/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One template, rendered by several threads at once: read-only after parsing, so each gets what one
 * alone gets. ThreadSanitizer watches. */
#include <pthread.h>

#include "support.h"

enum { THREADS = 4, ROUNDS = 50 };

static const char source[] =
    "{% macro m(a) %}<{{ a }}{{ caller() }}>{% endmacro %}{% set ns = namespace(s='s') %}"
    "{% for x in messages %}{% set ns.s = ns.s ~ 'const' ~ x.content %}"
    "{% call m('arg' ~ loop.index) %}{{ 'A' ~ 'b'|upper }}{{ x|tojson }}{% endcall %}{% endfor %}"
    "{{ ns.s }}{{ 'abc' + 'def' }}{{ {'k': 1}.items()|list }}";
static const char json[] = "{\"messages\": [{\"content\": \"one\"}, {\"content\": \"two\"}, "
                           "{\"content\": \"thr\\u00e9e\"}]}";

struct shared {
    const struct ember_template *tmpl;
    const struct ember_json *context;
    char *expected;
};

static bool render_same(const struct shared *shared)
{
    struct ember_prompt prompt = { 0 };
    if (ember_template_render(shared->tmpl, shared->context, no_text, no_text, test_now, &prompt,
                              NULL) != EMBER_OK)
        return false;
    char *text = marked(&prompt);
    bool same = strcmp(text, shared->expected) == 0;
    free(text);
    ember_prompt_finish(&prompt);
    return same;
}

/* Returns its argument if every rendering was right. */
static void *run(void *data)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (!render_same(data))
            return NULL;
    }
    return data;
}

int main(void)
{
    struct ember_json_document *document = NULL;
    struct ember_template *tmpl = NULL;
    struct ember_prompt prompt = { 0 };
    pthread_t threads[THREADS];
    CHECK(ember_json_parse(&document, json, sizeof json - 1, NULL) == EMBER_OK);
    CHECK(ember_template_new(&tmpl, source, sizeof source - 1, "t", NULL) == EMBER_OK);
    struct shared shared = { .tmpl = tmpl, .context = ember_json_root(document) };
    CHECK(ember_template_render(tmpl, shared.context, no_text, no_text, test_now, &prompt, NULL) ==
          EMBER_OK);
    shared.expected = marked(&prompt);
    int started = 0;
    while (started < THREADS && CHECK(!pthread_create(&threads[started], NULL, run, &shared)))
        started++;
    for (int i = 0; i < started; i++) {
        void *result = NULL;
        CHECK(!pthread_join(threads[i], &result) && result == &shared);
    }
    free(shared.expected);
    ember_prompt_finish(&prompt);
    ember_template_free(tmpl);
    ember_json_free(document);
    return test_end();
}
