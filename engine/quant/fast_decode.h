/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fast_decode.h - one table per instruction set; NULL where a type has only the scalar decoder. */
#pragma once

#include "quant/types.h"

extern const quant_decode_fn quant_fast_plain[QUANT_TYPE_COUNT];
extern const quant_decode_fn quant_fast_avx2[QUANT_TYPE_COUNT];
