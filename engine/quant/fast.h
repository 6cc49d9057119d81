/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fast.h - decoders for many values at once: the same bits as quant_decoder()'s, sooner.
 *
 * Any two NaNs count as the same here: which operand's payload survives is left to the processor.
 * Pure functions and constant tables; any thread. */
#pragma once

#include "quant/types.h"

/* Weakest first. */
enum quant_level {
    QUANT_LEVEL_SCALAR, /* quant_decoder() */
    QUANT_LEVEL_PLAIN,  /* loops for vectors, with what every processor of this kind has */
    QUANT_LEVEL_AVX2,   /* the same loops for AVX2 and F16C */
    QUANT_LEVEL_COUNT
};

/* The best level here, capped by EMBER_CPU as the kernels are. */
enum quant_level quant_level(void);
/* Whether this processor has it. */
bool quant_level_runs(enum quant_level level);
/* "scalar", "plain", "avx2" */
const char *quant_level_name(enum quant_level level);

/* NULL for types without a decoder. Only for a level that runs here. */
quant_decode_fn quant_decoder_at(enum quant_level level, uint32_t type);
