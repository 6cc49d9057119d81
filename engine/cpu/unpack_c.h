/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unpack_c.h - a block of any type taken apart in plain C, for the kernels in C alone. */
#pragma once

#include "cpu/kernels.h"
#include "quant/blocks.h"

/* Weight i = scale[i / 16] · q[i] − min[i / 16]; types without minima leave `min` alone. */
struct kern_unpacked {
    int8_t q[QUANT_SUPER_BLOCK];
    float scale[QUANT_SUPER_BLOCK / 16];
    float min[QUANT_SUPER_BLOCK / 16];
};

/* NULL for types without kernels. A short block fills the first of each array. */
extern void (*const kern_unpack_c[QUANT_TYPE_COUNT])(const void *block, struct kern_unpacked *u);
