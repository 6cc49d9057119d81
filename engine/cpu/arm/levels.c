/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each AArch64 level puts into the table. */
#include "cpu/arm/levels.h"

void kern_init_neon(struct kern *kern)
{
    kern_init_elements_neon(kern);
    kern_init_gemv_float_neon(kern);
    kern_init_panel_float_neon(kern);
    kern_init_attend_neon(kern);
    kern_init_attend_tile_neon(kern);
    kern_init_quant_neon(kern);
    kern_init_panel_neon(kern);
}

void kern_init_dotprod(struct kern *kern)
{
    kern_init_quant_dotprod(kern);
    kern_init_panel_dotprod(kern);
}

void kern_init_i8mm(struct kern *kern)
{
    kern_init_panel_i8mm(kern);
}
