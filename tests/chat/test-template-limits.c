/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences with their lines, and the bounds: no template runs, nests or grows without end. */
#include "support.h"

static void check_sentence(const char *source, const char *context, const char *sentence)
{
    struct ember_prompt prompt = { 0 };
    struct ember_error err = { 0 };
    enum ember_status st = render_limited(source, context, &template_default_limits, &prompt, &err);
    CHECK_MSG(st == EMBER_FORMAT, "%s: %s", source, ember_status_name(st));
    CHECK_INT(err.status, EMBER_FORMAT);
    CHECK_STR(err.message, sentence);
    ember_prompt_finish(&prompt);
}

static void test_sentences(void)
{
    static const struct {
        const char *source, *sentence;
    } cases[] = {
        { "a\n\n{{ x.y }}", "test.jinja, line 3: 'x' is undefined" },
        { "{% if m %}\n{{ m.a.b }}\n{% endif %}",
          "test.jinja, line 2: type dict has no attribute 'a'" },
        { "{{ l[3] + 1 }}", "test.jinja, line 1: type list has no element 3" },
        { "\n{%- if l %}\n  {{ raise_exception('Roles must ' ~ 'alternate') }}{% endif %}",
          "test.jinja, line 3: Roles must alternate" },
        { "{{ 'a' +\n l }}", "test.jinja, line 1: '+' is not possible between str and list" },
        { "{% macro m(a) %}\n{{ a.x.y }}{% endmacro %}\n{{ m() }}",
          "test.jinja, line 2: the parameter 'a' was not given" },
        { "{% for i in l %}\n{% if i %}\n{% endfor %}",
          "test.jinja, line 3: unknown or misplaced tag 'endfor'" },
        { "\n\n{% if l %}\ntext", "test.jinja, line 3: the block that begins here is never closed "
                                  "(no {% endif %})" },
        { "\r\n\r\n{{ 1 ? 2 }}", "test.jinja, line 3: unexpected character '?'" },
        { "{{ 'a\nb' }}{{ nope() }}", "test.jinja, line 2: 'nope' is undefined" },
        { "{#\n#}{{ 'x'|upper|shout }}", "test.jinja, line 2: no filter is called 'shout'" },
        { "{% if false %}{{ 'x'|shout }}{% endif %}\n{{ 'x' is loud }}",
          "test.jinja, line 2: no test is called 'loud'" },
        { "{% include 'a' %}", "test.jinja, line 1: {% include %} is not allowed: a chat template "
                               "stands alone" },
        { "{{ 'x'|replace('a') }}", "test.jinja, line 1: replace needs 2 arguments at least" },
        { "{{ 'x'|trim(q=1) }}", "test.jinja, line 1: trim takes no argument named 'q'" },
        { "{{ l.upper() }}", "test.jinja, line 1: type list has no attribute 'upper'" },
        { "{% set l.x = 1 %}",
          "test.jinja, line 1: attributes can be set on a namespace only, not on list" },
        { "{{ 'x'|random }}", "test.jinja, line 1: the filters pprint, random, striptags, urlize "
                              "and wordwrap are not supported" },
        { "{{ strftime_now() }}", "test.jinja, line 1: strftime_now() needs 1 argument at least" },
        { "{{ 9223372036854775807 + 1 }}",
          "test.jinja, line 1: an integer leaves the range of 64 bits" },
        { "{{ 2 ** 64 }}", "test.jinja, line 1: an integer leaves the range of 64 bits" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_sentence(cases[i].source, "{\"l\": [1], \"m\": {\"k\": 1}}", cases[i].sentence);
}

/* Limits small enough to be met at once, so that no test is slow on a busy machine. */
static const struct template_limits small = {
    .steps = 3000000, .depth = 300, .text = 100000, .memory = 32 << 20
};

static void check_bounded(const char *source, const char *words)
{
    struct ember_prompt prompt = { 0 };
    struct ember_error err = { 0 };
    enum ember_status st = render_limited(source, "{\"l\": [1, 2, 3]}", &small, &prompt, &err);
    CHECK_MSG(st == EMBER_FORMAT, "%s: %s", source, ember_status_name(st));
    CHECK_MSG(strstr(err.message, words), "%s: \"%s\" does not say \"%s\"", source, err.message,
              words);
    CHECK_MSG(strstr(err.message, ", line 1: "), "%s: no line in \"%s\"", source, err.message);
    ember_prompt_finish(&prompt);
}

static void test_bounds(void)
{
    check_bounded(
        "{% set l = range(9999)|list %}{% for a in l %}{% for b in l %}{% endfor %}{% endfor %}",
        "does not end within");
    check_bounded("{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(1) }}", "nested more than");
    check_bounded("{% for i in [l] recursive %}{{ loop([l]) }}{% endfor %}", "nested more than");
    check_bounded("{% for i in range(99999) %}0123456789{% endfor %}", "grows beyond");
    check_bounded("{% set n = namespace(s='x') %}{% for i in range(99) %}{% set n.s = n.s + n.s %}"
                  "{% endfor %}",
                  "grows beyond");
    check_bounded("{{ 'x' * 1000000000000 }}", "grows beyond");
    check_bounded("{{ 'x'.center(1000000000000) }}", "grows beyond");
    check_bounded("{{ '%1000000d' % 1 }}", "width is too large");
    check_bounded("{{ [0] * 1000000000000 }}", "MiB of memory");
    check_bounded("{% set n = namespace(l=[1]) %}{% for i in range(99) %}{% set n.l = n.l + n.l %}"
                  "{% endfor %}",
                  "MiB of memory");
    check_bounded("{% set n = namespace(v=[]) %}{% for i in range(5000) %}{% set n.v = [n.v] %}"
                  "{% endfor %}{{ n.v }}",
                  "nested more than");
    check_bounded("{% set n = namespace(v=[]) %}{% for i in range(5000) %}{% set n.v = [n.v] %}"
                  "{% endfor %}{{ n.v|tojson }}",
                  "nested more than");
    check_bounded("{% set a = namespace(v=[]) %}{% set b = namespace(v=[]) %}"
                  "{% for i in range(5000) %}{% set a.v = [a.v] %}{% set b.v = [b.v] %}{% endfor %}"
                  "{{ a.v == b.v }}",
                  "nested more than");
    check_bounded("{% set n = namespace(v='abc') %}{% for i in range(5000) %}"
                  "{% set n.v = n.v|map('upper') %}{% endfor %}{{ n.v|list }}",
                  "nested more than");
    check_bounded("{% set n = namespace(v=()) %}{% for i in range(5000) %}{% set n.v = (n.v,) %}"
                  "{% endfor %}{{ {n.v: 1} }}",
                  "cannot be the key");
    check_bounded("{% set s = 'a' * 90000 %}{% for i in range(9999) %}{{ s.count('ab') }}"
                  "{% endfor %}",
                  "does not end within");
    check_bounded("{% set s = 'a' * 90000 %}{% for i in range(9999) %}{{ s.rfind('b') }}"
                  "{% endfor %}",
                  "does not end within");
    check_bounded(
        "{% set l = range(9999)|list %}{% set m = range(9999)|list %}{% for i in l if l == m %}"
        "{% endfor %}",
        "does not end within");
}

/* Deep source is refused when it is read, long source is not. */
static void test_source(void)
{
    enum { DEEP = 5000 };
    char *source = malloc(3 * DEEP + 64);
    struct ember_prompt prompt = { 0 };
    struct ember_error err = { 0 };
    static const char opening[] = "([{-n";
    if (!source)
        abort();
    for (const char *c = opening; *c; c++) {
        size_t at = (size_t)sprintf(source, "{{ ");
        for (int i = 0; i < DEEP; i++)
            at += (size_t)sprintf(source + at, "%s",
                                  *c == 'n'   ? "-n"
                                  : *c == '{' ? "{1:"
                                  : *c == '-' ? "-"
                                  : *c == '(' ? "("
                                              : "[");
        sprintf(source + at, "1");
        CHECK(render_limited(source, "{}", &small, &prompt, &err) == EMBER_FORMAT);
        CHECK_MSG(strncmp(err.message, "test.jinja, line 1: ", 20) == 0, "%s", err.message);
    }
    size_t at = 0;
    for (int i = 0; i < 1000; i++)
        at += (size_t)sprintf(source + at, "{%% if l %%}");
    CHECK(render_limited(source, "{}", &small, &prompt, &err) == EMBER_FORMAT);
    CHECK_MSG(strstr(err.message, "nested more than"), "%s", err.message);

    /* 100 branches behind one another, 100 terms, 100 macros deep. */
    at = (size_t)sprintf(source, "{%% if n == 0 %%}");
    for (int i = 1; i < 100; i++)
        at += (size_t)sprintf(source + at, "{%% elif n == %d %%}%d", i, i);
    sprintf(source + at, "{%% endif %%}");
    CHECK(render_limited(source, "{\"n\": 99}", &template_default_limits, &prompt, &err) ==
          EMBER_OK);
    CHECK_STR(prompt.text, "99");
    ember_prompt_finish(&prompt);
    at = (size_t)sprintf(source, "{{ 1");
    for (int i = 1; i < 100; i++)
        at += (size_t)sprintf(source + at, " + 1");
    sprintf(source + at, " }}");
    CHECK(render_limited(source, "{}", &template_default_limits, &prompt, &err) == EMBER_OK);
    CHECK_STR(prompt.text, "100");
    ember_prompt_finish(&prompt);
    CHECK(render_limited("{% macro f(n) %}{% if n > 0 %}{% for i in [1] %}{{ f(n - 1) }}{% endfor "
                         "%}{% else %}end{% endif %}{% endmacro %}{{ f(100) }}",
                         "{}", &template_default_limits, &prompt, &err) == EMBER_OK);
    CHECK_STR(prompt.text, "end");
    ember_prompt_finish(&prompt);
    free(source);
}

/* What the defaults must leave room for: a long conversation that a template gathers bit by bit. */
static void test_room(void)
{
    static const char source[] =
        "{% set ns = namespace(text='') %}{% for i in range(2000) %}{% for w in words %}"
        "{% set ns.text = ns.text ~ w ~ ' ' %}{% endfor %}{% endfor %}{{ ns.text|length }}";
    struct ember_prompt prompt = { 0 };
    struct ember_error err = { 0 };
    CHECK_MSG(render_limited(source,
                             "{\"words\": [\"one\", \"two\", \"dr\\u00efe\", \"four\", \"five\"]}",
                             &template_default_limits, &prompt, &err) == EMBER_OK,
              "%s", err.message);
    CHECK_STR(prompt.text, "46000");
    ember_prompt_finish(&prompt);
}

int main(void)
{
    test_sentences();
    test_bounds();
    test_source();
    test_room();
    return test_end();
}
