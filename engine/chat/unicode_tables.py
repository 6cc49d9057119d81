#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes unicode_tables.c from Python's own Unicode data, which is what templates are written for.

Usage: unicode_tables.py > unicode_tables.c   (then clang-format)"""
import sys
import unicodedata

CATEGORIES = "Cn Cc Cf Co Cs Ll Lm Lo Lt Lu Mc Me Mn Nd Nl No Pc Pd Pe Pf Pi Po Ps Sc Sk Sm So Zl Zp Zs".split()
LAST = 0x110000


def category(c):
    return unicodedata.category(chr(c))


def ranges(member):
    out, start = [], None
    for c in range(LAST + 1):
        inside = c < LAST and member(c)
        if inside and start is None:
            start = c
        elif not inside and start is not None:
            out.append((start, c - 1))
            start = None
    return out


def mapping(convert):
    """Runs of one-to-one mappings with a common distance and step, and the one-to-many ones."""
    runs, many = [], []
    for c in range(LAST):
        if 0xD800 <= c < 0xE000:
            continue
        to = convert(chr(c))
        if to == chr(c):
            continue
        if len(to) > 1:
            many.append((c, [ord(x) for x in to]))
            continue
        delta = ord(to) - c
        if runs:
            first, last, step, d = runs[-1]
            gap = c - last
            if d == delta and (gap == step or (first == last and gap <= 2)):
                runs[-1] = (first, c, gap, d)
                continue
        runs.append((c, c, 1, delta))
    return runs, many


def put(name, kind, rows):
    print(f"const struct {kind} {name}[] = {{")
    line = "   "
    for row in rows:
        text = " { " + ", ".join(str(x) for x in row) + " },"
        if len(line) + len(text) > 100:
            print(line)
            line = "   "
        line += text
    print(line)
    print("};")
    print(f"const unsigned {name}_count = {len(rows)};\n")


def hexes(rows):
    return [tuple(f"0x{x:x}" for x in row) for row in rows]


def extra(yes, rule):
    """Where Python's answer is yes although the category alone says no."""
    return ranges(lambda c: not 0xD800 <= c < 0xE000 and yes(chr(c)) and category(c) not in rule)


print("/* SPDX-License-Identifier: GPL-3.0-or-later */")
print("/* Made by unicode_tables.py from Unicode %s; not edited by hand. */" % unicodedata.unidata_version)
print('#include "chat/unicode.h"\n')
cats, previous = [], None
for c in range(LAST):
    g = category(c)
    if g != previous:
        cats.append((f"0x{c:x}", "UNICODE_" + g.upper()))
        previous = g
put("unicode_categories", "unicode_category_start", cats)
for name, convert in (("lower", str.lower), ("upper", str.upper), ("title", str.title),
                      ("fold", str.casefold)):
    runs, many = mapping(convert)
    put(f"unicode_{name}_runs", "unicode_run",
        [(f"0x{a:x}", f"0x{b:x}", s, d) for a, b, s, d in runs])
    put(f"unicode_{name}_many", "unicode_many",
        [(f"0x{c:x}", "{ " + ", ".join(f"0x{x:x}" for x in to) + " }") for c, to in many])
put("unicode_lower_extra", "unicode_range", hexes(extra(str.islower, ["Ll"])))
put("unicode_upper_extra", "unicode_range", hexes(extra(str.isupper, ["Lu"])))
put("unicode_digit_extra", "unicode_range", hexes(extra(str.isdigit, ["Nd"])))
put("unicode_numeric_extra", "unicode_range", hexes(extra(str.isnumeric, ["Nd", "Nl", "No"])))
# Characters that lower() looks past when it decides whether a sigma ends a word.
put("unicode_case_ignorable", "unicode_range", hexes(ranges(
    lambda c: not 0xD800 <= c < 0xE000 and (category(c) in ("Mn", "Me", "Cf", "Lm", "Sk")
                                            or chr(c) in "'.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a"))))
sys.exit(0)
