/* SPDX-License-Identifier: GPL-3.0-or-later */
/* levels.h - the parts from which kern_init_avx2() and kern_init_avx512() fill the table. Files
 * that are compiled once per level define both names of a pair, one in each library. */
#pragma once

#include "cpu/kernels.h"
#include "cpu/vec/levels.h"

void kern_init_elements_avx2(struct kern *kern);
void kern_init_elements_avx512(struct kern *kern);
void kern_init_code_rows_avx2(struct kern *kern);
void kern_init_code_rows_avx512(struct kern *kern);
void kern_init_gemv_float_avx2(struct kern *kern);
void kern_init_gemv_float_avx512(struct kern *kern);
void kern_init_attend_avx2(struct kern *kern);
void kern_init_attend_avx512(struct kern *kern);
void kern_init_repack_avx2(struct kern *kern);
void kern_init_repack_avx512(struct kern *kern);
