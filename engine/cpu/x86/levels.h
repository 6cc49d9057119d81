/* SPDX-License-Identifier: GPL-3.0-or-later */
/* levels.h - the parts from which the x86 levels fill the table. Files that are compiled once per
 * level define a name of each, one in each library. */
#pragma once

#include "cpu/kernels.h"
#include "cpu/vec/levels.h"

/* KERN_AVXVNNI is the end of names where vectors of 256 bits have vpdpbusd: with AVX-VNNI, and for
 * the kernel checks under EVEX, which has the same instruction, on processors without that.
 * KERN_512: vectors have 512 bits. KERN_OFFSET: what is added to the codes in panels. */
#if defined(KERN_AVXVNNI)
#define KERN_512 0
#define KERN_OFFSET 128
#define LEVEL_(name, level) name##level
#define LEVEL__(name, level) LEVEL_(name, level)
#define LEVEL(name) LEVEL__(name, KERN_AVXVNNI)
#elif defined(__AVX512F__)
#define KERN_512 1
#define KERN_OFFSET 128
#define LEVEL(name) name##_avx512
#else
#define KERN_512 0
#define KERN_OFFSET 0
#define LEVEL(name) name##_avx2
#endif

void kern_init_elements_avx2(struct kern *kern);
void kern_init_elements_avx512(struct kern *kern);
void kern_init_code_rows_avx2(struct kern *kern);
void kern_init_code_rows_avx512(struct kern *kern);
void kern_init_panel_float_avx2(struct kern *kern);
void kern_init_panel_float_avx512(struct kern *kern);
void kern_init_gemv_float_avx2(struct kern *kern);
void kern_init_gemv_float_avx512(struct kern *kern);
void kern_init_attend_avx2(struct kern *kern);
void kern_init_attend_avx512(struct kern *kern);
void kern_init_act_avx512(struct kern *kern);
void kern_init_repack_avx2(struct kern *kern);
void kern_init_repack_avx512(struct kern *kern);
void kern_init_quant_avx2(struct kern *kern);
void kern_init_quant_avxvnni(struct kern *kern);
void kern_init_code_rows_avxvnni(struct kern *kern);
void kern_init_repack_avxvnni(struct kern *kern);
void kern_init_panel_avxvnni(struct kern *kern);

/* The levels of the checks alone. */
void kern_init_quant_avxvnni_evex(struct kern *kern);
void kern_init_code_rows_avxvnni_evex(struct kern *kern);
void kern_init_repack_avxvnni_evex(struct kern *kern);
void kern_init_panel_avxvnni_evex(struct kern *kern);
void kern_init_amx_in_c(struct kern *kern);
