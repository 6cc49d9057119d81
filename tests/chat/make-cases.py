#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make-cases.py: writes cases.json, what the reference (Jinja2 3.1, sandboxed as chat templates are
run) makes of expressions and templates. Needs the jinja2 package; the tests need only its result."""
import datetime
import json
import os

import jinja2
import jinja2.ext
import jinja2.sandbox

CONTEXT = {
    "s": "Hello, Wörld", "e": "", "n": 7, "f": 2.5, "neg": -7, "l": [1, 2, 3, "a"],
    "d": {"a": 1, "b": [1, 2], "items": 5, "k": None}, "nul": None,
    "messages": [{"role": "user", "content": "hi"},
                 {"role": "assistant", "content": "yo", "x": {"y": 3}},
                 {"role": "user", "content": "B"}],
    "users": [{"name": "bob", "age": 3}, {"name": "Al", "age": 20}, {"name": "al", "age": 7}],
    "html": "<b>&\"'", "big": 12345678901, "ws": " \t a b  c\n d ",
    "lines": "a\nb\r\nc\n\nd",
    "tree": [{"v": 1, "c": [{"v": 2, "c": []}, {"v": 3, "c": [{"v": 4, "c": []}]}]},
             {"v": 5, "c": []}],
}

# One expression a line; a line may hold several, which are printed as a tuple.
EXPRESSIONS = r"""
1+2*3-4/2
7//2, -7//2, 7%3, -7%3, 7%-3, 7.5//2, -7.5%2, 2**10, 2**-1, 2**0.5
1.0, 1e16, 1e15, 123456789.123, 1e-5, 0.0001, 1/3, 1e100, 5e-324, 0.1+0.2, 1e22, -0.0
n/2, n*2.0, neg//2, neg%2, -neg, +n, 1e308*f*f*f*f, -1e308*f*f*f*f
true + true, true * 3, -true, true / 2, 'a' * true, 2 * 'ab', [0]*3, (1,)*2
-2**2, 2**3**2, -1|abs, not 1 == 2, 1 ~ 2 * 3, 10 - 2 - 3, 2 * 3 ~ 'x'
'a'+'b', [1]+[2], (1,)+(2,)
'a'+1
'a'+none
undefd+1
1 < 'a'
1 in 'abc'
1 in 5
10/0
10%0
9223372036854775807, big+1
undefd
undefd.x
undefd()
nope.x is defined
undefd is defined, undefd|default('x'), e|default('x'), e|default('x',true), nul|default('q'), nul|d('q',true)
undefd == undefd, undefd == none, undefd|length, undefd|list, undefd ~ 'x', [undefd]
d.items(), d['items'], d.nope, d.a, d['a'], d.b[-1], d.b[5] is defined, d.get('z'), d.get('z', 3)
d.keys()|list, d.values()|list, 'a' in d, 'z' not in d, d|length, d.copy() == d
l[0], l[-1], l[1:], l[:2], l[::-1], l[::2], l[-2:], l[5:], l[1:-1], l[3:0:-1], l[none:2], l.0, l[true]
s[0], s[-1], s[7:], s[:5], s[::-1], s[8], s[100:], s[-3:-1], s[::3], s[-1:-9:-2], s[20] is defined
l['a':2]
l[::0]
none.x is defined, n.x is defined, l['0'] is defined, l[undefd] is defined, d[[1]] is defined
s|upper, s|lower, s|title, s.title(), s.swapcase(), s|capitalize
'ß ŉ ΑΣ ǆ İ'|upper, 'ß ŉ ΑΣ ǆ İ'|lower, 'ΑΣ ΑΣΑ Σ'.lower(), 'ß'.casefold(), 'ǆ'.title()
ws.split(), ws.split(' '), ws.split(none,1), ws.rsplit(none,1), ws.strip(), ws.lstrip(), ws.rstrip()
'a,b,,c'.split(','), 'a,b,,c'.rsplit(',',1), 'a,b,,c'.split(',',1), ''.split(','), ''.split(), 'aaa'.split('aa')
'a'.split('')
lines.splitlines(), lines.splitlines(true), 'x\x0by\u2028z'.splitlines()
'xxabcxx'.strip('x'), 'ÄÖabÄ'.strip('ÄÖ'), ' a '.strip(none), 'abc'.strip('')
'abcabc'.find('c'), 'abcabc'.rfind('c'), 'abc'.find('z'), 'äbäc'.find('c'), 'abcabc'.find('c',3), 'abc'.count(''), 'aaaa'.count('aa'), 'abc'.find('',7)
'abc'.index('z')
'abc'.startswith('ab'), 'abc'.startswith(('x','a')), 'abc'.endswith(('q','c')), 'abc'.startswith('b',1), 'abc'.endswith('b',0,2)
'abc'.replace('b','X'), 'aaa'.replace('a','b',2), 'abc'.replace('','-'), 'aaa'|replace('a','b',1), 5|replace(5,6)
'abc'.center(8,'*'), 'abcd'.center(7,'*'), 'ab'.ljust(4,'.'), 'ab'.rjust(4,'.'), '-5'.zfill(4), 'a\tb'.expandtabs(4)
'a-b-c'.partition('-'), 'a-b-c'.rpartition('-'), 'abc'.partition('-'), 'TestHook'.removeprefix('Test'), 'abc'.removesuffix('c')
', '.join(['a','b']), '-'.join(d), l|join('-'), users|join(',',attribute='name')
', '.join([1,2])
'a1'.isalpha(), '12'.isdigit(), '²'.isdigit(), '²'.isdecimal(), '½'.isnumeric(), 'Ab'.istitle(), 'ab c'.islower(), ''.isalpha(), '一'.isnumeric(), 'é'.isascii(), '\u200b'.isprintable()
'%s is %d and %5.2f%%' % ('x', 3, 2.5), '%r' % ('a',), '%5s|%-5s|' % ('a','b'), '%05d' % 42, '%+d' % 3, '%#x' % 255, '%e' % 12345.678, '%g' % 0.00001, '%(a)s' % {'a': 1}, '%.3s' % 'abcdef', '%*d' % (5,42)
'%d' % 'a'
'%s %s' % 'a'
'abc' % 5
'{} {}'.format(1,'b'), '{1} {0}'.format(1,2), '{a} {b!r}'.format(a=1,b='x'), '{:>5}|{:<5}|{:^5}|'.format('a','b','c'), '{:05d}'.format(42), '{:,}'.format(1234567), '{:.2f}'.format(3.14159), '{:%}'.format(0.5), '{{}}'.format(), '{0[a]} {0[b][1]}'.format(d), '{:{w}}|'.format('a',w=4), '{:08.3f}'.format(-3.14159), '{:.3}'.format(1234.5), '{:_x}'.format(1048575)
'{:d}'.format('a')
'{0} {}'.format(1,2)
'{'.format(1)
[1,'a',1.5,none,true,{'a':[1]},(1,),(),'it\'s','q"q','both\'"','new\nline','\x00\x7f\xa0é日\u200b']
{'a':1,2:'b',none:true,(1,2):'t',1.5:'f'}, {1:'a',true:'b',1.0:'c'}
{[1]:2}
{'a':1}|tojson, [1,2.0,none,true,'é"\\\n\t\x01/<>&\'']|tojson, d|tojson(indent=2), []|tojson(indent=2), {'a':[],'b':{}}|tojson(indent=4)
'é😀'|tojson(ensure_ascii=true), {'b':1,'a':2}|tojson(sort_keys=true), [1,2]|tojson(separators=(',',':')), {1:2,none:3,true:4,1.5:6}|tojson, (1,2)|tojson, [1]|tojson(indent='--'), [1]|tojson(indent=0)
undefd|tojson
range(3)|tojson
range(5)|list, range(1,5), range(0,10,3)|list, range(5,0,-2)|list, range(10)[2:5]|list, 3 in range(5), range(3)|length
range(100001)
range(1.5)
1 < 2 < 3, 1 < 3 < 2, 1 == 1.0, true == 1, [1,2] < [1,3], none == none, 'a' < 'b', {'a':1} == {'a':1.0}, 1 in [1.0], '1' in [1]
not true, true and 'x', '' and 'x', '' or 'y', none or 0, 1 if true else 2, 1 if false, 'a' if n > 9 else 'b' if n > 1 else 'c'
n is odd, 9 is divisibleby 3, n is number, f is float, true is integer, s is string, d is mapping, l is sequence, n is iterable, none is none, 'A' is upper, 1 is in [1], n is not odd, undefd is iterable, range is callable, 'upper' is filter, 3 is gt(2), s is escaped
'abc'|first, 'abc'|last, []|first is defined, d|first, d|last, l|length, (l|map('string')) is sequence
5|length
[3,1,2]|sort, [3,1,2]|sort(reverse=true), ['b','A','c']|sort, ['b','A','c']|sort(case_sensitive=true), users|sort(attribute='age')|map(attribute='name')|list, users|sort(attribute='name,age',reverse=true)|map(attribute='age')|list
l|sort
[3,1,2]|min, ['b','A']|max(case_sensitive=true), users|max(attribute='age'), []|min is defined, [1,2]|sum, users|sum(attribute='age')
['a','b']|map('upper')|join, users|map(attribute='nope',default='?')|list, messages[1:2]|map(attribute='x.y')|list
messages|map(attribute='x.y')|list
l|map('nope')|list
1 ~ 2 + 3
users|selectattr('age','gt',5)|map(attribute='name')|list, messages|selectattr('x','defined')|list|length, [1,2,3,4]|reject('odd')|list, [0,1,'',none]|select|list, none|select('odd')|list
[1,2,1,'a','A']|unique|list, [1,2,3,4,5]|batch(2)|list, [1,2,3]|batch(2,'x')|list, [1,2,3,4,5]|slice(2)|list
(users|groupby('name'))[0].grouper, (users|groupby('name'))[0].list|length, (users|groupby('name',case_sensitive=true))|map(attribute=0)|list
{'b':1,'A':2,'c':0}|dictsort, {'b':1,'A':2}|dictsort(true), {'b':1,'A':2}|dictsort(false,'value'), {'b':1,'A':2}|dictsort(reverse=true)
[1,2,3]|reverse|list, 'äöü'|reverse, d|items|list, undefd|items|list
'42'|int, '42.7'|int, 'x'|int, 'x'|int(5), -3.9|int, '0x1f'|int(0,16), '1_000'|int, none|int, '١٢'|int, '3.5'|float, 'x'|float(1.5), 'inf'|float
2.5|round, 2.675|round(2), 1250|round(-2), 2.7|round(method='floor'), 2.123|round(2,'ceil'), 5|round
html|e, (html|safe)|e, (html|safe)+'<', '<'+(html|safe), (html|safe)~'<', ('<%s>'|safe) % '<x>', [html|safe]
'a b/c?d=é&'|urlencode, {'a':1,'b c':'d/e'}|urlencode, {'class':'my "x"','id':none,'n':5}|xmlattr
'a\nb\n\nc'|indent, 'a\nb'|indent(2,true), 'a\n\nb'|indent(2,false,true), 'a\nb'|indent('> ')
'hello world foo bar'|truncate(11), 'hello world foo bar'|truncate(11,true), 'hello'|truncate(10), 'a big-world foo'|wordcount, 'ab'|center(7)
1|filesizeformat, 1500|filesizeformat, 1500000|filesizeformat(true)
"hello world-foo (bar) they're"|title, "they're".title(), '  x '|trim, 'xxaxx'|trim('x'), 5|trim
cycler('a','b').next(), joiner('|')(), dict(a=1,b=2), dict([('x',1)]), namespace(a=1).a, namespace(a=1).b is defined
l.append(1)
l.append is defined, d.pop is defined, l.index('a'), (1,2,1).count(1)
strftime_now('%Y-%m-%d'), strftime_now('%d %b %Y'), strftime_now('%A %B %-d %H:%M:%S %p %j %U %W %w %u %V %G %y %I %e %%')
raise_exception('boom')
nope()
'a' 'b' "c", 'a\'b', 'a\\b', '\x41\u00e9\101\q', '\U0001F600', 1_000, 0x1F, 0b101, 0o17, 1_0.5, 1E-2
01
'abc'|nope
'abc' is nope
('abc'|nope) if false else 'x'
1 is number is string
'日本語'|length, '日本語'[::-1], '日本語'[1], '日本語'.center(7,'*'), 'a😀b'[1], '😀'|tojson
loop
1 +
(1
[1, 2
{'a' 1}
'open
1 ! 2
a.b.
""".strip("\n").split("\n")

# Whole templates: white space, statements, scopes.
TEMPLATES = [
    "a\n", "a\n\n", "\n", "", "a\r\nb\rc\r\n",
    "{% if true %}\na\n{% endif %}\nb\n",
    "  {% if true %}\n  a\n  {% endif %}\nb",
    "x  {%- if true -%}  a  {%- endif -%}  y",
    "x  {%+ if true +%}\n  a  {%+ endif %}\n  y",
    "x\n  {#- note -#}\n y", "x\n  {# note #}\n y", "{# {{ n }} #}{#+ a +#}\nb", "a{#-#}\n#}b",
    "{{ n }}\n{{- n -}}\n {{ n }}", "{{n}}{{'}}'}}{{ '%}' }}", "{{ {'a': {'b': 1}}['a']['b'] }}",
    "{% raw %}{{ x }} {% if %}{% endraw %}!", "{%- raw -%}  {{ x }}  {%- endraw -%}  !", "{% raw %}\na\n{% endraw %}\nb",
    "{% for i in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }} {% endfor %}",
    "{% for i in l %}{{ loop.previtem }}<{{ i }}>{{ loop.nextitem }}{{ loop.cycle('a','b') }}{{ loop.changed(i is string) }} {% endfor %}",
    "{% for i in [] %}x{% else %}none{% endfor %}{% for i in undefd %}x{% else %}none{% endfor %}",
    "{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}{% for a, b in [[1,2],[3,4]] %}{{ a+b }}{% endfor %}",
    "{% for a, b in [[1,2,3]] %}{{ a }}{% endfor %}", "{% for i in 5 %}{% endfor %}",
    "{% for i in l if i is number %}{{ loop.index }}/{{ loop.length }}:{{ i }} {% endfor %}",
    "{% set ns = namespace(n=0) %}{% for i in [1,2,3,4] if ns.n < 3 %}{% set ns.n = ns.n + i %}{{ i }},{% endfor %}{{ ns.n }}",
    "{% for i in range(9) %}{% if i == 2 %}{% continue %}{% endif %}{% if i == 5 %}{% break %}{% endif %}{{ i }}{% else %}E{% endfor %}",
    "{% for i in [1] %}{% break %}{% else %}E{% endfor %}", "{% break %}",
    "{% for n in tree recursive %}{{ n.v }}{{ loop.depth }}{% if n.c %}[{{ loop(n.c) }}]{% endif %}{% endfor %}",
    "{% for n in tree %}{{ loop(n.c) }}{% endfor %}",
    "{% set x = 1 %}{% for i in [1,2] %}{{ x }}{% set x = x + 1 %}{{ x }}{% endfor %}{{ x }}",
    "{% set x = 1 %}{% if true %}{% set x = 2 %}{% endif %}{{ x }}", "{% set a, b = 1, 2 %}{{ b }}{{ a }}{% set t = 1, %}{{ t }}",
    "{% set x %}a {{ n }}{% endset %}[{{ x }}]{% set y | upper | trim %} q {% endset %}[{{ y }}]",
    "{% set ns = namespace(a=1) %}{% set ns.b = ns.a + 1 %}{{ ns.b }}{% set ns.c %}z{% endset %}{{ ns.c }}",
    "{% set d.a = 1 %}", "{% set loop = 1 %}{{ loop }}", "{% for i in l %}{% set loop = 1 %}{% endfor %}", "{% set true = 1 %}",
    "{% if n > 9 %}a{% elif n > 8 %}b{% elif n > 6 %}c{% else %}d{% endif %}",
    "{% macro m(a, b=2, c=a) %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m(1) }} {{ m(1, c=3) }} {{ m(b=1, a=5) }} {{ m() }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}", "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(q=2) }}",
    "{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, x=3) }}",
    "{% macro m(a, b=1, c) %}{% endmacro %}", "{% macro f(n) %}{% if n %}{{ n }}{{ f(n-1) }}{% endif %}{% endmacro %}{{ f(5) }}",
    "{% macro m(x) %}[{{ caller(x) }}|{{ caller('q') }}]{% endmacro %}{% call(y) m(3) %}<{{ y }}>{% endcall %}",
    "{% macro m() %}{{ x }}{% endmacro %}{% set x = 4 %}{{ m() }}{{ m.name }}{{ m.arguments }}",
    "{% for i in [1] %}{% macro m() %}{{ i }}{% endmacro %}{{ m() }}{% endfor %}{{ m is defined }}",
    "{% filter upper %}a{{ s }}{% endfilter %}{% filter trim %}  ab {% endfilter %}", "{% filter length %}  ab {% endfilter %}",
    "{% with x = 1, y = 2 %}{{ x }}{{ y }}{% endwith %}{{ x is defined }}",
    "{% generation %}a{{ n }}{% endgeneration %}", "{% print n, s %}", "{% block b %}x{{ n }}{% endblock %}", "{% autoescape false %}<{{ html }}{% endautoescape %}",
    "{% include 'x' %}", "{% import 'x' as y %}", "{% extends 'x' %}", "{% nope %}", "{% do 1 %}", "{% endif %}", "{% if true %}", "{% for %}", "{{", "{{ n", "{% if n", "{# open", "{% raw %}x",
    "{% for i in l %}{{ 'x'|nope }}{% endfor %}", "{% if false %}{{ 'x'|nope }}{% endif %}ok", "{% if true %}{{ 'x'|nope }}{% endif %}", "{% if false %}{% for i in l %}{{ i|nope }}{% endfor %}{% endif %}",
    "{%- for message in messages %}{{ '<|' + message['role'] + '|>\\n' + message['content'] + '<|end|>\\n' }}{% endfor %}{% if add_generation_prompt %}x{% endif %}",
]


class Generation(jinja2.ext.Extension):
    tags = {"generation"}

    def parse(self, parser):
        next(parser.stream)
        return parser.parse_statements(["name:endgeneration"], drop_needle=True)


def refuse(message):
    raise jinja2.exceptions.TemplateError(message)


def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators,
                      sort_keys=sort_keys)


now = datetime.datetime(2026, 7, 26, 12, 34, 56)
environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols", Generation])
environment.filters["tojson"] = to_json
environment.globals["raise_exception"] = refuse
environment.globals["strftime_now"] = now.strftime

cases = []
for source in ["{{ " + e + " }}" for e in EXPRESSIONS] + TEMPLATES:
    try:
        cases.append({"template": source,
                      "expected": environment.from_string(source).render(**CONTEXT)})
        assert " at 0x" not in cases[-1]["expected"], source
    except AssertionError:
        raise
    except Exception:
        cases.append({"template": source, "error": True})
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.json"), "w") as out:
    out.write(json.dumps({"context": CONTEXT, "cases": cases}, ensure_ascii=False, indent=0) + "\n")
print(len(cases), "cases,", sum("error" in c for c in cases), "errors")
