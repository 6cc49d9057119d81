/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grids.h - the tables of the IQ types: rows of 8 elements, of 4 for iq3. */
#pragma once

#include <stdint.h>

extern const int8_t quant_iq2xxs_grid[256][8];
extern const int8_t quant_iq2xs_grid[512][8];
extern const int8_t quant_iq2s_grid[1024][8];
extern const int8_t quant_iq3xxs_grid[256][4];
extern const int8_t quant_iq3s_grid[512][4];
extern const int8_t quant_iq1s_grid[2048][8];
