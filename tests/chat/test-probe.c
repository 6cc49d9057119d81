/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a template knows, found by rendering; and the line that a failure is about. */
#include "support.h"

static struct ember_template *parse(const char *source)
{
    struct ember_template *tmpl = NULL;
    struct ember_error err = { 0 };
    CHECK_MSG(ember_template_new(&tmpl, source, strlen(source), "test.jinja", &err) == EMBER_OK,
              "%s", err.message);
    return tmpl;
}

static struct ember_template_features probe(const char *source)
{
    struct ember_template *tmpl = parse(source);
    struct ember_template_features f = { 0 };
    if (tmpl)
        ember_template_probe(tmpl, no_text, no_text, &f);
    ember_template_free(tmpl);
    return f;
}

static void test_features(void)
{
    struct ember_template_features f =
        probe("{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
              "{% if add_generation_prompt %}assistant:{% endif %}");
    CHECK(f.system && f.generation_prompt && !f.tools && !f.thinking && !f.typed_content);
    CHECK(!f.refuses_system);

    f = probe("{% for m in messages %}{% if m.role == 'system' %}"
              "{{ raise_exception('no system') }}{% endif %}{{ m.content }}{% endfor %}");
    CHECK(!f.system && f.refuses_system && !f.generation_prompt);

    f = probe("{% for m in messages %}{% if m.role == 'user' %}{{ m.content }}{% endif %}"
              "{% endfor %}{# add_generation_prompt tools enable_thinking #}");
    CHECK(!f.system && !f.refuses_system && !f.generation_prompt && !f.tools && !f.thinking);

    f = probe("{% if tools %}{{ tools | tojson }}{% endif %}{{ messages[-1].content }}"
              "{% if add_generation_prompt %}a:{% if enable_thinking is false %}<think></think>"
              "{% endif %}{% endif %}");
    CHECK(f.tools && f.generation_prompt);
    CHECK(f.thinking && strcmp(f.thinking, "enable_thinking") == 0);

    f = probe("{{ messages[-1].content }}{% if thinking %}<think>{% endif %}");
    CHECK(f.thinking && strcmp(f.thinking, "thinking") == 0);

    f = probe("{% for m in messages %}{% for part in m.content %}{{ part.text }}{% endfor %}"
              "{% endfor %}");
    CHECK(f.typed_content && f.system);

    f = probe("{{ raise_exception('nothing works') }}");
    CHECK(f.refuses_system && !f.system && !f.tools && !f.generation_prompt && !f.thinking);

    /* One that does not end is left alone. */
    f = probe("{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}");
    CHECK(!f.system && !f.tools && !f.generation_prompt && !f.thinking);
}

static void check_line(const char *source, unsigned line)
{
    struct ember_template *tmpl = NULL;
    struct ember_prompt prompt = { 0 };
    struct ember_error err = { .line = 99 };
    enum ember_status st = ember_template_new(&tmpl, source, strlen(source), "test.jinja", &err);
    if (st == EMBER_OK)
        st = render_limited(source, "{\"messages\": []}", &template_default_limits, &prompt, &err);
    CHECK_MSG(st == EMBER_FORMAT, "%s: no failure", source);
    CHECK_MSG(err.line == line, "%s: line %u, expected %u (%s)", source, err.line, line,
              err.message);
    ember_prompt_finish(&prompt);
    ember_template_free(tmpl);
}

static void test_lines(void)
{
    struct ember_error err = { .line = 99 };
    struct ember_template *tmpl = NULL;

    check_line("a\nb\n{{ raise_exception('x') }}", 3);
    check_line("a\n{% if %}", 2);
    check_line("a\n\n\n{{ 'never ends }}", 4);
    check_line("{% for %}", 1);
    /* What is not about a line says so. */
    char *large = calloc(1, (5 << 20) + 1);
    if (!large)
        abort();
    memset(large, 'x', 5 << 20);
    CHECK(ember_template_new(&tmpl, large, 5 << 20, "large", &err) == EMBER_FORMAT);
    CHECK_UINT(err.line, 0);
    free(large);
}

/* What real templates know. */
static void test_corpus_templates(void)
{
    static const struct {
        const char *name;
        bool system, tools, generation_prompt;
        const char *thinking;
    } cases[] = {
        { "Qwen-Qwen2.5-7B-Instruct", true, true, true, NULL },
        { "Qwen3.5-4B", true, true, true, "enable_thinking" },
        { "deepseek-ai-DeepSeek-V3.1", true, false, true, "enable_thinking" },
        { "google-gemma-4-31B-it", true, true, true, "enable_thinking" },
        { "microsoft-Phi-3.5-mini-instruct", true, false, true, NULL },
        { "meta-llama-Llama-3.1-8B-Instruct", true, true, true, NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[200], path[4096];
        size_t size = 0;
        snprintf(name, sizeof name, "templates/%s.jinja", cases[i].name);
        if (!test_corpus(path, name)) {
            test_missing(name, "no corpus");
            continue;
        }
        char *source = read_file(path, &size);
        if (!CHECK(source))
            continue;
        struct ember_template_features f = probe(source);
        CHECK_MSG(f.system == cases[i].system, "%s: system", name);
        CHECK_MSG(f.tools == cases[i].tools, "%s: tools", name);
        CHECK_MSG(f.generation_prompt == cases[i].generation_prompt, "%s: generation", name);
        CHECK_MSG((f.thinking == NULL) == (cases[i].thinking == NULL) &&
                      (!f.thinking || strcmp(f.thinking, cases[i].thinking) == 0),
                  "%s: thinking is switched by %s", name, f.thinking ? f.thinking : "nothing");
        free(source);
    }
}

int main(void)
{
    test_features();
    test_lines();
    test_corpus_templates();
    return test_end();
}
