/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grids.h - the tables of the IQ types. A row of 8 (iq2, iq1) or 4 (iq3) elements is one number
 * that holds the level of each element in 2 (iq3: 3) bits, the first element lowest. */
#pragma once

#include <stdint.h>

extern const uint16_t quant_iq2xxs_grid[256];
extern const uint16_t quant_iq2xs_grid[512];
extern const uint16_t quant_iq2s_grid[1024];
extern const uint16_t quant_iq3xxs_grid[256];
extern const uint16_t quant_iq3s_grid[512];
extern const uint16_t quant_iq1s_grid[2048];
