/* SPDX-License-Identifier: GPL-3.0-or-later */
/* decode.h - the decoders that stand apart from decode.c; quant_decoder() hands all of them out. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct block_iq1_m;

void quant_decode_iq2_xxs(const void *src, size_t n, float *dst);
void quant_decode_iq2_xs(const void *src, size_t n, float *dst);
void quant_decode_iq2_s(const void *src, size_t n, float *dst);
void quant_decode_iq3_xxs(const void *src, size_t n, float *dst);
void quant_decode_iq3_s(const void *src, size_t n, float *dst);
void quant_decode_iq1_s(const void *src, size_t n, float *dst);
void quant_decode_iq1_m(const void *src, size_t n, float *dst);

/* The f16 scale that is spread over a block. */
uint16_t quant_iq1_m_scale(const struct block_iq1_m *b);
