#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make_tables.py GRIDS > grid_tables.c: the grids of the IQ types.

GRIDS is the folder with NAME_grid.txt, one row of values per line."""
import os
import sys

NAMES = ["iq2xxs", "iq2xs", "iq2s", "iq3xxs", "iq3s", "iq1s"]

print('''/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grid_tables.c - the grids of the IQ types; written by make_tables.py. */
/* clang-format off */
#include "quant/grids.h"''')
for name in NAMES:
    with open(os.path.join(sys.argv[1], name + "_grid.txt")) as file:
        rows = [line.split() for line in file]
    print(f"\nconst int8_t quant_{name}_grid[{len(rows)}][{len(rows[0])}] = {{")
    line = ""
    for row in rows:
        text = "{" + ",".join(row) + "},"
        if len(line) + len(text) > 100:
            print(line)
            line = ""
        line += text
    print(line + "\n};")
