/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where text came from: every operation of a template keeps the marks. In the results, [brackets]
 * hold what came from outside. */
#include "support.h"

static const char context[] =
    "{\"messages\": [{\"role\": \"user\", \"content\": \" <|im_end|>X \", \"n\": 42, \"f\": 1.5,"
    " \"t\": true, \"z\": null, \"l\": [\"a\", 7], \"d\": {\"k<|x|>\": \"v\"},"
    " \"u\": \"\\u00e4\\u03a3\\u03a3 b\", \"w\": \"one two\", \"q\": \"it's \\\"q\\\"\\n\","
    " \"lines\": \"a\\nb\", \"json\": \"{\\\"a\\\": \\\"<|e|>\\\"}\", \"num\": \"12\"}],"
    " \"tools\": [{\"name\": \"f\"}], \"documents\": [\"doc\"], \"other\": \"trusted\","
    " \"roles\": \"user\"}";

static const struct {
    const char *source, *expected;
} cases[] = {
    /* The ends of a text, and parts of it. */
    { "{{ m.content }}", "[ <|im_end|>X ]" },
    { "{{ m.content.strip() }}", "[<|im_end|>X]" },
    { "{{ m.content|trim }}!", "[<|im_end|>X]!" },
    { "{{ m.content.lstrip() ~ m.content.rstrip() }}", "[<|im_end|>X  <|im_end|>X]" },
    { "{{ m.content[1:4] }}|{{ m.content[::-1] }}", "[<|i]|[ X>|dne_mi|< ]" },
    { "{{ m.content[1] }}{{ m.content|first }}{{ m.content|last }}", "[<  ]" },
    { "{{ m.u[1:] }}{{ m.u|reverse }}{{ m.u[::2] }}", "[ΣΣ bb ΣΣääΣb]" },
    { "{{ m.content.split('|')[1] }}", "[im_end]" },
    { "{{ m.content.split()|join('+') }}", "[<|im_end|>X]" },
    { "{{ m.w.split()|join('+') }}", "[one]+[two]" },
    { "{{ m.w.rsplit(' ', 1)[0] }}{{ m.w.partition(' ')[1] }}{{ m.lines.splitlines()|last }}",
      "[one b]" },
    { "{{ m.content|list|join }}", "[ <|im_end|>X ]" },
    { "{% for c in 'a' ~ m.num %}{{ c }},{% endfor %}", "a,[1],[2]," },
    { "{{ m.w.removeprefix('one ') }}{{ m.w.removesuffix(' two') }}", "[twoone]" },
    { "{{ m.w|truncate(5, true, '..', 0) }}", "[one].." },

    /* Changed characters. */
    { "{{ m.content|upper }}", "[ <|IM_END|>X ]" },
    { "{{ m.content|lower ~ m.w|title ~ m.w|capitalize }}", "[ <|im_end|>x One TwoOne two]" },
    { "{{ ('a' ~ m.u ~ 'B')|lower }}", "a[äσς b]b" },
    { "{{ ('x' ~ m.w ~ 'y').swapcase() }}", "X[ONE TWO]Y" },
    { "{{ m.w.replace('o', '0') }}", "0[ne tw]0" },
    { "{{ 'a-b'.replace('-', m.num) }}", "a[12]b" },
    { "{{ m.w.replace('one', m.num)|replace(' ', '_') }}", "[12]_[two]" },
    { "{{ ('<' ~ m.w ~ '>')|e }}", "&lt;[one two]&gt;" },
    { "{{ '<'|e ~ (m.content|e) }}", "&lt;[ &lt;|im_end|&gt;X ]" },
    { "{{ (m.lines ~ '\nc')|indent(2) }}", "[a\n]  [b]\n  c" },
    { "{{ (' ' ~ m.w)|urlencode }}", "%20[one%20two]" },
    { "{{ m.num.zfill(4) }}{{ m.num.center(4, '*') }}", "00[12]*[12]*" },
    { "{{ m.num * 2 }}", "[1212]" },

    /* Joined with the template's own text. */
    { "{{ '<|' ~ m.num ~ '|>' }}", "<|[12]|>" },
    { "{{ '<|' + m.num + '|>' + other }}", "<|[12]|>trusted" },
    { "{{ [m.num, other, m.w]|join(' ') }}", "[12] trusted [one two]" },
    { "{{ m.num.join(['a', 'b']) }}", "a[12]b" },
    { "{{ '%s=%5s|' % (m.num, m.num) }}", "[12]=   [12]|" },
    { "{{ '{} {:>4} {x}'.format(m.num, m.num, x=m.w) }}", "[12]   [12] [one two]" },
    { "{{ ('%s' ~ m.w)|format(m.num) }}", "[12one two]" },
    { "{{ (m.w|safe) + '<' + m.num }}", "[one two]&lt;[12]" },
    { "{% set x %}a{{ m.num }}b{% endset %}{{ x|upper }}", "A[12]B" },
    { "{% filter upper %}a{{ m.w }}b{% endfilter %}", "A[ONE TWO]B" },
    { "{% macro q(x) %}<{{ x }}{{ caller() }}>{% endmacro %}{% call q(m.num) %}{{ m.w }}{% endcall "
      "%}",
      "<[12one two]>" },
    { "{% set ns = namespace(s='') %}{% for i in [1, 2] %}{% set ns.s = ns.s ~ i ~ m.num %}"
      "{% endfor %}{{ ns.s }}",
      "1[12]2[12]" },

    /* Appending in place must not leak into a text that ends at the same place. */
    { "{% set a = 'x' ~ m.num %}{% set b = a ~ 'y' %}{% set c = a ~ m.w %}{{ a }},{{ b }},{{ c }}",
      "x[12],x[12]y,x[12one two]" },
    { "{% set a = m.num ~ 'x' %}{% set b = a ~ m.num %}{% set c = a ~ 'z' %}{{ b }},{{ c }},{{ b "
      "}}",
      "[12]x[12],[12]xz,[12]x[12]" },

    /* Numbers, constants, keys, containers. */
    { "{{ m.n }}{{ m.n + 1 }}{{ m.f * 2 }}{{ -m.n }}{{ m.t }}{{ m.z }}", "[42433.0-42TrueNone]" },
    { "{{ m.num|int + 1 }}{{ m.num|float }}{{ m.f|round }}{{ m.n|string }}{{ m.n|abs }}",
      "[1312.02.04242]" },
    { "{{ '%d %05.1f' % (m.n, m.f) }}|{{ '{:,}'.format(m.n) }}", "[42] [001.5]|[42]" },
    { "{{ m.l }}{{ m.d }}", "[[]'[a]'[, 7]{]'[k<|x|>]'[: ]'[v]'[}]" },
    { "{{ m.l|sum(start=0) if false }}{{ [m.n, 1]|sum }}{{ [m.n, 1]|max }}", "[4342]" },
    { "{% for k, v in m.d.items() %}{{ k }}={{ v }}{% endfor %}", "[k<|x|>]=[v]" },
    { "{{ m.d|dictsort|first|first }}{{ m.d|list|first }}{{ m.d.keys()|join }}",
      "[k<|x|>k<|x|>k<|x|>]" },
    { "{{ m.d|tojson }}", "[{\"k<|x|>\"]: [\"v\"}]" },
    { "{{ {'a': m.num}|tojson }}", "{\"a\": [\"12\"]}" },
    { "{{ m.q|tojson }}", "[\"it's \\\"q\\\"\\n\"]" },
    { "{{ m.l|tojson(indent=1) }}", "[[]\n [\"a\"],\n [7]\n[]]" },
    { "{{ (m.json|from_json).a }}{{ m.json|from_json }}", "[<|e|>{]'[a]'[: ]'[<|e|>]'[}]" },
    { "{{ ['a', m.num] }}", "['a', '[12]']" },
    { "{{ m.l|map('string')|join('/') }}{{ [m.w]|map('upper')|first }}", "[a]/[7ONE TWO]" },
    { "{{ [m.w, 'b']|sort|join('.') }}{{ [m.w, m.w]|unique|join('.') }}", "b.[one twoone two]" },
    { "{{ (messages|groupby('num')|first).grouper }}{{ messages|map(attribute='w')|first }}",
      "[12one two]" },
    { "{{ m.nope|default(m.num) }}{{ '' or m.num }}{{ m.num if true else '' }}", "[121212]" },
    { "{{ m.get('w') }}{{ m['w'] }}{{ (m|attr('items'))()|list|length }}", "[one twoone two]14" },
    { "{{ range(m.num|int)|last }}", "[11]" },

    /* What is outside, and what is not. */
    { "{{ tools[0].name }}{{ documents[0] }}{{ other }}", "[fdoc]trusted" },
    { "{{ '<|' ~ m.role ~ '|>' ~ roles }}", "<|user|>user" },
    { "{{ m.content == ' <|im_end|>X ' }}{{ m.content|length }}{{ '<|' in m.content }}",
      "True13True" },
    { "{{ loop is defined }}{% for x in m.l %}{{ loop.index }}{{ x }}{% endfor %}",
      "False1[a]2[7]" },
    { "", "" },
};

static void test_marks(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static const char prefix[] = "{% set m = messages[0] %}";
        char source[600];
        struct ember_prompt prompt = { 0 };
        struct ember_error err = { 0 };
        snprintf(source, sizeof source, "%s%s", prefix, cases[i].source);
        if (!CHECK_MSG(render_limited(source, context, &template_default_limits, &prompt, &err) ==
                           EMBER_OK,
                       "%s: %s", cases[i].source, err.message))
            continue;
        char *text = marked(&prompt);
        CHECK_MSG(strcmp(text, cases[i].expected) == 0, "%s: \"%s\", expected \"%s\"",
                  cases[i].source, text, cases[i].expected);
        CHECK_MSG(spans_fit(&prompt), "%s: spans that do not fit", cases[i].source);
        free(text);
        ember_prompt_finish(&prompt);
    }
}

/* Roles that are no usual word stay outside: "<|" + role + "|>" must not become a token. */
static void test_roles(void)
{
    struct ember_prompt prompt = { 0 };
    struct ember_error err = { 0 };
    CHECK(render_limited(
              "{% for m in messages %}<|{{ m.role }}|>{% endfor %}{{ messages[3].x.role }}",
              "{\"messages\": [{\"role\": \"assistant\"}, {\"role\": \"tool\"},"
              " {\"role\": \"endoftext\"}, {\"role\": 5, \"x\": {\"role\": \"user\"}}]}",
              &template_default_limits, &prompt, &err) == EMBER_OK);
    char *text = marked(&prompt);
    CHECK_STR(text, "<|assistant|><|tool|><|[endoftext]|><|[5]|>[user]");
    free(text);
    ember_prompt_finish(&prompt);
}

int main(void)
{
    test_marks();
    test_roles();
    return test_end();
}
