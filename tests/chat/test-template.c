/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language: expressions and templates against what the reference made of them (cases.json, see
 * make-cases.py). */
#include "support.h"

static void run_case(const struct ember_json *one, const struct ember_json *context)
{
    const struct ember_json *source = ember_json_member(one, "template");
    const struct ember_json *expected = ember_json_member(one, "expected");
    struct ember_template *tmpl = NULL;
    struct ember_prompt prompt = { 0 };
    struct ember_error err = { 0 };
    int size = (int)source->text.size;
    enum ember_status st =
        ember_template_new(&tmpl, source->text.data, source->text.size, "test.jinja", &err);
    if (st == EMBER_OK)
        st = ember_template_render(tmpl, context, no_text, no_text, test_now, &prompt, &err);
    if (!expected) {
        CHECK_MSG(st == EMBER_FORMAT, "%.*s: rendered \"%s\" where the reference refuses", size,
                  source->text.data, prompt.text ? prompt.text : "");
        CHECK_MSG(st == EMBER_OK || strncmp(err.message, "test.jinja, line ", 17) == 0,
                  "%.*s: the sentence names no line: %s", size, source->text.data, err.message);
    } else if (CHECK_MSG(st == EMBER_OK, "%.*s: %s", size, source->text.data, err.message)) {
        CHECK_MSG(prompt.size == expected->text.size &&
                      memcmp(prompt.text, expected->text.data, prompt.size) == 0,
                  "%.*s: \"%s\", expected \"%.*s\"", size, source->text.data, prompt.text,
                  (int)expected->text.size, expected->text.data);
        CHECK_MSG(spans_fit(&prompt), "%.*s: spans that do not fit", size, source->text.data);
    }
    ember_prompt_finish(&prompt);
    ember_template_free(tmpl);
}

static void test_cases(void)
{
    struct ember_json_document *document = NULL;
    struct ember_error err = { 0 };
    char path[4096];
    size_t size = 0;
    char *text = NULL;
    if (test_path(path, sizeof path, "HEARTH_SOURCE", "tests/chat/cases.json"))
        text = read_file(path, &size);
    if (!CHECK_MSG(text, "tests/chat/cases.json is missing"))
        return;
    if (CHECK_MSG(ember_json_parse(&document, text, size, &err) == EMBER_OK, "%s", err.message)) {
        const struct ember_json *root = ember_json_root(document);
        const struct ember_json *cases = ember_json_member(root, "cases");
        for (size_t i = 0; i < cases->list.count; i++)
            run_case(&cases->list.items[i], ember_json_member(root, "context"));
        CHECK(cases->list.count > 150);
    }
    ember_json_free(document);
    free(text);
}

/* BOS and EOS stand in only where the context is silent. */
static void test_bos(void)
{
    static const char source[] = "{{ bos_token }}|{{ eos_token }}";
    static const char *const contexts[] = { "{}", "{\"bos_token\": \"B\"}" };
    static const char *const expected[] = { "<s>|</s>", "B|</s>" };
    struct ember_text bos = { "<s>", 3 }, eos = { "</s>", 4 };
    for (int i = 0; i < 2; i++) {
        struct ember_json_document *context = NULL;
        struct ember_template *tmpl = NULL;
        struct ember_prompt prompt = { 0 };
        CHECK(ember_json_parse(&context, contexts[i], strlen(contexts[i]), NULL) == EMBER_OK);
        CHECK(ember_template_new(&tmpl, source, strlen(source), "bos", NULL) == EMBER_OK);
        CHECK(ember_template_render(tmpl, ember_json_root(context), bos, eos, test_now, &prompt,
                                    NULL) == EMBER_OK);
        CHECK_STR(prompt.text, expected[i]);
        ember_prompt_finish(&prompt);
        ember_template_free(tmpl);
        ember_json_free(context);
    }
}

/* The reference's sandbox refuses methods that change lists; conversations may allow them. */
static void test_changes(void)
{
    static const char source[] =
        "{% set l = [3] %}{% set _ = l.append(1) %}{% set _ = l.extend([2, 5]) %}"
        "{% set _ = l.insert(1, 'i') %}{{ l.pop() }}{{ l.pop(0) }}{% set _ = l.reverse() %}{{ l }}"
        "{% set d = {'a': 1} %}{% set _ = d.update({'b': 2}, c=3) %}{{ d.pop('a') }}{{ d }}"
        "{{ d.setdefault('z', 9) }}{{ d.pop('q', 'none') }}{% set _ = d.clear() %}{{ d }}";
    struct ember_json_document *context = NULL;
    struct ember_template *tmpl = NULL;
    struct ember_prompt prompt = { 0 };
    struct ember_error err = { 0 };
    CHECK(ember_json_parse(&context, "{}", 2, NULL) == EMBER_OK);
    CHECK(ember_template_new(&tmpl, source, strlen(source), "t", NULL) == EMBER_OK);
    CHECK(template_render_limited(tmpl, ember_json_root(context), no_text, no_text, test_now,
                                  &template_default_limits, true, &prompt, &err) == EMBER_OK);
    CHECK_STR(prompt.text, "53[2, 1, 'i']1{'b': 2, 'c': 3}9none{}");
    ember_prompt_finish(&prompt);
    CHECK(ember_template_render(tmpl, ember_json_root(context), no_text, no_text, test_now, &prompt,
                                &err) == EMBER_FORMAT);
    CHECK_STR(err.message, "t, line 1: 'append' would change a list, which a template must not do");
    ember_template_free(tmpl);
    ember_json_free(context);
}

/* Tool calls come as JSON text from some programs and as objects from others. */
static void test_from_json(void)
{
    struct ember_prompt prompt = { 0 };
    struct ember_error err = { 0 };
    CHECK(render_limited("{% set a = x|from_json %}{{ a.n + 1 }}{{ a.l[1] }}{{ a|tojson }}",
                         "{\"x\": \"{\\\"n\\\": 1.5, \\\"l\\\": [null, true]}\"}",
                         &template_default_limits, &prompt, &err) == EMBER_OK);
    CHECK_STR(prompt.text, "2.5True{\"n\": 1.5, \"l\": [null, true]}");
    ember_prompt_finish(&prompt);
    CHECK(render_limited("{{ x|from_json }}", "{\"x\": \"{\"}", &template_default_limits, &prompt,
                         &err) == EMBER_FORMAT);
}

int main(void)
{
    test_cases();
    test_bos();
    test_changes();
    test_from_json();
    return test_end();
}
