/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the levels with vectors of 256 bits put into the table. */
#include "cpu/x86/levels.h"

void kern_init_avx2(struct kern *kern)
{
    kern_init_elements_avx2(kern);
    kern_init_gemv_float_avx2(kern);
    kern_init_panel_float_avx2(kern);
    kern_init_code_rows_avx2(kern);
    kern_init_attend_avx2(kern);
    kern_init_quant_avx2(kern);
}

void kern_init_avxvnni(struct kern *kern)
{
    kern_init_code_rows_avxvnni(kern);
    kern_init_quant_avxvnni(kern);
    kern_init_panel_avxvnni(kern);
}
