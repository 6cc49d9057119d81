/* SPDX-License-Identifier: GPL-3.0-or-later */
/* levels.h - the parts from which the AArch64 levels fill the table. Files that are compiled once
 * per level define one name each time. */
#pragma once

#include "cpu/kernels.h"
#include "cpu/vec/levels.h"

#if defined(__ARM_FEATURE_MATMUL_INT8)
#define LEVEL(name) name##_i8mm
#elif defined(__ARM_FEATURE_DOTPROD)
#define LEVEL(name) name##_dotprod
#else
#define LEVEL(name) name##_neon
#endif

void kern_init_elements_neon(struct kern *kern);
void kern_init_panel_float_neon(struct kern *kern);
void kern_init_gemv_float_neon(struct kern *kern);
void kern_init_attend_neon(struct kern *kern);
void kern_init_attend_tile_neon(struct kern *kern);
void kern_init_quant_neon(struct kern *kern);
void kern_init_quant_dotprod(struct kern *kern);
void kern_init_panel_neon(struct kern *kern);
void kern_init_panel_dotprod(struct kern *kern);
void kern_init_panel_i8mm(struct kern *kern);
