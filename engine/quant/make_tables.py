#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make_tables.py GRIDS > grid_tables.c: the grids of the IQ types as lists of packed level numbers.

GRIDS is the folder with NAME_grid.txt, one row of values per line. A row becomes one number: the position
of each value among the grid's levels, 2 or 3 bits each, the first element lowest."""
import os
import sys

GRIDS = [("iq2xxs", [8, 25, 43], 2), ("iq2xs", [8, 25, 43], 2), ("iq2s", [8, 25, 43], 2),
         ("iq3xxs", [4, 12, 20, 28, 36, 44, 52, 62], 3), ("iq3s", [1, 3, 5, 7, 9, 11, 13, 15], 3), ("iq1s", [-1, 0, 1], 2)]

print("""/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grid_tables.c - the grids of the IQ types; written by make_tables.py. A row is one number: the
 * level of each of its elements in 2 or 3 bits, the first element lowest. */
#include "quant/grids.h"
""")
for name, levels, bits in GRIDS:
    with open(os.path.join(sys.argv[1], name + "_grid.txt")) as file:
        rows = [[int(x) for x in line.split()] for line in file]
    codes = [sum(levels.index(x) << bits * i for i, x in enumerate(row)) for row in rows]
    assert codes == sorted(codes)
    print(f"const uint16_t quant_{name}_grid[{len(codes)}] = {{")
    for i in range(0, len(codes), 12):
        print("    " + " ".join(f"0x{c:04X}," for c in codes[i:i + 12]))
    print("};\n" if name != GRIDS[-1][0] else "};")
