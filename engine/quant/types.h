/* SPDX-License-Identifier: GPL-3.0-or-later */
/* types.h - tensor types: names, block lengths, sizes, and the scalar decoder that defines them.
 * Pure functions and constant tables. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers of the file format. */
enum quant_type {
    QUANT_F32 = 0,
    QUANT_F16 = 1,
    QUANT_Q4_0 = 2,
    QUANT_Q4_1 = 3,
    QUANT_Q5_0 = 6,
    QUANT_Q5_1 = 7,
    QUANT_Q8_0 = 8,
    QUANT_Q8_1 = 9,
    QUANT_Q2_K = 10,
    QUANT_Q3_K = 11,
    QUANT_Q4_K = 12,
    QUANT_Q5_K = 13,
    QUANT_Q6_K = 14,
    QUANT_Q8_K = 15,
    QUANT_IQ2_XXS = 16,
    QUANT_IQ2_XS = 17,
    QUANT_IQ3_XXS = 18,
    QUANT_IQ1_S = 19,
    QUANT_IQ4_NL = 20,
    QUANT_IQ3_S = 21,
    QUANT_IQ2_S = 22,
    QUANT_IQ4_XS = 23,
    QUANT_I8 = 24,
    QUANT_I16 = 25,
    QUANT_I32 = 26,
    QUANT_I64 = 27,
    QUANT_F64 = 28,
    QUANT_IQ1_M = 29,
    QUANT_BF16 = 30,
    QUANT_TQ1_0 = 34,
    QUANT_TQ2_0 = 35,
    QUANT_MXFP4 = 39,
    QUANT_NVFP4 = 40,
    QUANT_Q1_0 = 41,
    QUANT_Q2_0 = 42,
    QUANT_TYPE_COUNT = 43
};

struct quant_info {
    const char *name;      /* as printed: "q4_K"; removed types have a name too */
    uint16_t block_length; /* elements per block; 0 for a removed type */
    uint16_t block_bytes;
};

/* NULL for an id that never existed. */
const struct quant_info *quant_info(uint32_t type);

/* What a fork of the format calls this id where ours has none or a removed type ("iq4_ks"), or
 * NULL: for sentences only, since such rows have other layouts. */
const char *quant_foreign_name(uint32_t type);

/* Bytes of a row of `n` elements; false when n is no multiple of the block length, the type is
 * unknown or removed, or the product overflows. */
bool quant_row_bytes(uint32_t type, uint64_t n, uint64_t *out);

/* Decodes n elements (a multiple of the block length) to float32, one rounding per operation, no
 * fused multiply-add: the definition of the type. `src` may be unaligned. NULL for types that have
 * no decoder here. */
typedef void (*quant_decode_fn)(const void *src, size_t n, float *dst);
quant_decode_fn quant_decoder(uint32_t type);

/* Whether all blocks of n_bytes can be meant: floats and scales finite, no reserved scale. Integers
 * and NVFP4 always are; q8_1, unknown types and part blocks never. *first_bad is a block index. */
bool quant_validate(uint32_t type, const void *data, size_t n_bytes, size_t *first_bad);

/* Turns whole blocks from big-endian to little-endian or back, in place: every number of more than
 * one byte, and nothing inside packed codes. */
void quant_swap_bytes(uint32_t type, void *data, size_t n_bytes);

float quant_f16_to_f32(uint16_t bits);
uint16_t quant_f32_to_f16(float x); /* to nearest even; NaN → sign | 0x7E00 */
float quant_bf16_to_f32(uint16_t bits);
uint16_t quant_f32_to_bf16(float x);
