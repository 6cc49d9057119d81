/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vec.h - the float vector of the instruction set a file is compiled for. The float kernels are
 * written once with it and compiled once per level; LEVEL(name) gives their entry points a name of
 * their own. All partial loads stay inside the n elements. */
#pragma once

#if defined(__aarch64__)
#include "cpu/arm/levels.h"
#include "cpu/arm/vec.h"
#else
#include "cpu/x86/levels.h"
#include "cpu/x86/vec.h"
#endif

/* e^x = 2^n · e^r, n = rn(x / ln 2), |r| ≤ ln 2 / 2, e^r = 1 + r + r²·P(r). P's minimax error is
 * 3e-9, so the result is within 1.5 units of the last place; infinite above 88.72, gradually 0
 * below −87.3, NaN for NaN. */
INLINE VEC vec_exp(VEC x)
{
    /* Limits that keep n in range for vec_scale(); the order of operands lets NaN through. */
    x = vec_max(vec_set1(-105), x);
    x = vec_if_less(vec_set1(90), x, vec_set1(90), x);
    VEC n = vec_round(vec_mul(x, vec_set1(0x1.715476p+0f)));
    VEC r = vec_fnma(n, vec_set1(0x1.62e4p-1f), x); /* ln 2 in two parts: n·first is exact */
    r = vec_fnma(n, vec_set1(0x1.7f7d1cp-20f), r);
    VEC p = vec_fma(r, vec_set1(0x1.6a2434p-10f), vec_set1(0x1.1239e2p-7f));
    p = vec_fma(p, r, vec_set1(0x1.5558f2p-5f));
    p = vec_fma(p, r, vec_set1(0x1.555492p-3f));
    p = vec_fma(p, r, vec_set1(0x1.fffffcp-2f));
    p = vec_fma(p, vec_mul(r, r), r);
    return vec_scale(vec_add(p, vec_set1(1)), n);
}

/* Below 0.625: x + x·x²·P(x²), error 5e-9; above: 1 − 2/(1 + e^2|x|). Within 3 units of the last
 * place. */
INLINE VEC vec_tanh(VEC x)
{
    VEC a = vec_abs(x), z = vec_mul(x, x), one = vec_set1(1), two = vec_set1(2);
    VEC p = vec_fma(z, vec_set1(-0x1.7591e8p-8f), vec_set1(0x1.52156ep-6f));
    p = vec_fma(p, z, vec_set1(-0x1.b839d6p-5f));
    p = vec_fma(p, z, vec_set1(0x1.110714p-3f));
    p = vec_fma(p, z, vec_set1(-0x1.555532p-2f));
    VEC near = vec_fma(vec_mul(p, z), a, a);
    VEC far = vec_sub(one, vec_div(two, vec_add(one, vec_exp(vec_mul(a, two)))));
    return vec_copy_sign(vec_if_less(a, vec_set1(0.625f), near, far), x);
}
