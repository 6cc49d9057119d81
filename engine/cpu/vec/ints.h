/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ints.h - vectors of 32-bit lanes, one for each of VEC_LANES rows, as far as the kernels here need
 * them: what turns rows into columns.
 *
 * INTS; ints_right(x, n): lanes shifted right; floats_of_bits(x): the lanes' bits as floats;
 * floats_of_f16(x), floats_of_bf16(x): their lower halves as such numbers; load_lines(row, at,
 * out): 16 bytes of each row, out[i] having bytes 4·i … 4·i + 3 of every row. */
#pragma once

#if defined(__aarch64__)
#include "cpu/arm/ints.h"
#else
#include "cpu/x86/ints.h"
#endif
