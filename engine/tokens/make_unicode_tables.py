#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make_unicode_tables.py > unicode_tables.c: the tables from this Python's Unicode data."""
import unicodedata

POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
WHITE = set(range(9, 14)) | {0x20, 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000} | set(range(0x2000, 0x200B))
HANGUL = range(0xAC00, 0xD7A4)


def kind(c):
    category = unicodedata.category(chr(c))
    if c in WHITE:
        return "TOK_SPACE"
    if category in ("Cc", "Cf", "Co") or c == 0xFFFD:
        return "TOK_HIDDEN"
    if category[0] == "M":
        return "TOK_MARK"
    if category[0] == "P" or (category[0] == "S" and c < 0x80):
        return "TOK_PUNCTUATION"
    return None


def lower(c):
    small = chr(c).lower()
    return ord(small[0]) if small != chr(c) else None


def base(c):
    parts = unicodedata.normalize("NFD", chr(c))
    return ord(parts[0]) if ord(parts[0]) != c else None


def ranges(values):
    """Runs of neighbours with one value."""
    rows = []
    for c, v in values:
        if rows and rows[-1][2] == v and rows[-1][1] == c - 1:
            rows[-1][1] = c
        else:
            rows.append([c, c, v])
    return rows


def steps(pairs):
    """Runs first, first + step, … last whose members all move by one delta; steps of 1 and 2."""
    rows = []
    for c, to in pairs:
        if rows:
            first, last, step, delta = rows[-1]
            if to - c == delta and ((last == first and c - last <= 2) or c - last == step):
                rows[-1] = [first, c, c - last, delta]
                continue
        rows.append([c, c, 1, to - c])
    return rows


def table(declaration, rows):
    print(f"\n{declaration} = {{")
    line = "   "
    for row in rows:
        if len(line) + len(row) + 2 > 100:
            print(line)
            line = "   "
        line += " " + row + ","
    print(line + "\n};")


print(f"""/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unicode {unicodedata.unidata_version}, written by make_unicode_tables.py. */
/* clang-format off */
#include "tokens/unicode.h\"""")
classes = ranges((c, k) for c in POINTS if (k := kind(c)))
lowers = steps((c, low) for c in POINTS if (low := lower(c)) is not None)
bases = ranges((c, b) for c in POINTS if c not in HANGUL and (b := base(c)) is not None)
table("const struct tok_class_row tok_classes[]", [f"{{ {a:#x}, {b:#x}, {v} }}" for a, b, v in classes])
table("const struct tok_lower_row tok_lowers[]", [f"{{ {a:#x}, {b:#x}, {s}, {d} }}" for a, b, s, d in lowers])
table("const struct tok_base_row tok_bases[]", [f"{{ {a:#x}, {b:#x}, {v:#x} }}" for a, b, v in bases])
print(f"""
const size_t tok_n_classes = sizeof tok_classes / sizeof tok_classes[0];
const size_t tok_n_lowers = sizeof tok_lowers / sizeof tok_lowers[0];
const size_t tok_n_bases = sizeof tok_bases / sizeof tok_bases[0];""")
