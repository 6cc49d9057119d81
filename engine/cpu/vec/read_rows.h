/* SPDX-License-Identifier: GPL-3.0-or-later */
/* read_rows.h - rows of F32 and F16 as vectors of float32: weights and cached keys and values
 * alike. Included by files that are compiled once for each level. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cpu/vec/vec.h"

/* How a type is read; constants after inlining. */
struct reader {
    size_t size;
    VEC (*load)(const uint8_t *p);
    VEC (*load_n)(const uint8_t *p, size_t n);
};

INLINE VEC read_f32(const uint8_t *p)
{
    return vec_load((const float *)(const void *)p);
}
INLINE VEC read_f32_n(const uint8_t *p, size_t n)
{
    return vec_load_n((const float *)(const void *)p, n);
}
INLINE VEC read_f16(const uint8_t *p)
{
    return vec_load_f16((const uint16_t *)(const void *)p);
}
INLINE VEC read_f16_n(const uint8_t *p, size_t n)
{
    return vec_load_f16_n((const uint16_t *)(const void *)p, n);
}
