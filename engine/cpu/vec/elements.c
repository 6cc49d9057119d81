/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Norms, activations, rotation, conversion: the float vectors of one level. */
#include <math.h>

#include "cpu/vec/vec.h"

enum { L = VEC_LANES };

/* Four sums in fixed places, then the rest: Σ (x − middle)². */
static float sum_squares(const float *x, size_t n, float middle)
{
    VEC sum[4] = { vec_zero(), vec_zero(), vec_zero(), vec_zero() }, m = vec_set1(middle);
    size_t i = 0;

    for (; i + 4 * L <= n; i += 4 * L) {
        for (int j = 0; j < 4; j++) {
            VEC v = vec_sub(vec_load(x + i + j * L), m);
            sum[j] = vec_fma(v, v, sum[j]);
        }
    }
    for (; i + L <= n; i += L) {
        VEC v = vec_sub(vec_load(x + i), m);
        sum[0] = vec_fma(v, v, sum[0]);
    }
    float rest = 0;
    for (; i < n; i++)
        rest += (x[i] - middle) * (x[i] - middle);
    return vec_sum(vec_add(vec_add(sum[0], sum[1]), vec_add(sum[2], sum[3]))) + rest;
}

static float sum_all(const float *x, size_t n)
{
    VEC sum[4] = { vec_zero(), vec_zero(), vec_zero(), vec_zero() };
    size_t i = 0;

    for (; i + 4 * L <= n; i += 4 * L) {
        for (int j = 0; j < 4; j++)
            sum[j] = vec_add(sum[j], vec_load(x + i + j * L));
    }
    for (; i + L <= n; i += L)
        sum[0] = vec_add(sum[0], vec_load(x + i));
    float rest = 0;
    for (; i < n; i++)
        rest += x[i];
    return vec_sum(vec_add(vec_add(sum[0], sum[1]), vec_add(sum[2], sum[3]))) + rest;
}

static void rms_norm(const float *x, const float *w, size_t n, float eps, float *y)
{
    float scale = 1 / sqrtf(sum_squares(x, n, 0) / (float)n + eps);
    VEC s = vec_set1(scale);
    size_t i = 0;

    for (; i + L <= n; i += L) {
        VEC v = vec_mul(vec_load(x + i), s);
        vec_store(y + i, w ? vec_mul(v, vec_load(w + i)) : v);
    }
    for (; i < n; i++)
        y[i] = x[i] * scale * (w ? w[i] : 1);
}

static void layer_norm(const float *x, const float *w, const float *b, size_t n, float eps,
                       float *y)
{
    float middle = sum_all(x, n) / (float)n;
    float scale = 1 / sqrtf(sum_squares(x, n, middle) / (float)n + eps);
    VEC s = vec_set1(scale), m = vec_set1(middle);
    size_t i = 0;

    for (; i + L <= n; i += L) {
        VEC v = vec_mul(vec_sub(vec_load(x + i), m), s);
        v = w ? vec_mul(v, vec_load(w + i)) : v;
        vec_store(y + i, b ? vec_add(v, vec_load(b + i)) : v);
    }
    for (; i < n; i++)
        y[i] = (x[i] - middle) * scale * (w ? w[i] : 1) + (b ? b[i] : 0);
}

static void add_scaled(const float *x, size_t n, float scale, float *y)
{
    VEC s = vec_set1(scale);
    size_t i = 0;

    for (; i + L <= n; i += L)
        vec_store(y + i, vec_fma(s, vec_load(x + i), vec_load(y + i)));
    if (i < n)
        vec_store_n(y + i, vec_fma(s, vec_load_n(x + i, n - i), vec_load_n(y + i, n - i)), n - i);
}

INLINE VEC silu(VEC x)
{
    return vec_div(x, vec_add(vec_set1(1), vec_exp(vec_sub(vec_zero(), x))));
}

/* ½·x·(1 + tanh(u)) = x/(1 + e^(−2u)), u = √(2/π)·x·(1 + 0.044715·x²). Where x² is large and u
 * negative the power is infinite and the quotient −0. */
INLINE VEC gelu(VEC x)
{
    VEC inner = vec_fma(vec_mul(x, x), vec_set1(0.044715f), vec_set1(1));
    VEC minus_2u = vec_mul(vec_mul(x, vec_set1(-2 * 0.79788456080286536f)), inner);
    return vec_div(x, vec_add(vec_set1(1), vec_exp(minus_2u)));
}

INLINE VEC relu2(VEC x)
{
    VEC positive = vec_max(vec_zero(), x); /* NaN passes as the second operand */
    return vec_mul(positive, positive);
}

/* `apply` is a constant function, so each of the three loops is compiled on its own. */
INLINE void act_loop(VEC (*apply)(VEC), const float *gate, const float *up, size_t n, float *y)
{
    size_t i = 0;

    for (; i + L <= n; i += L) {
        VEC v = apply(vec_load(gate + i));
        vec_store(y + i, up ? vec_mul(v, vec_load(up + i)) : v);
    }
    if (i < n) {
        VEC v = apply(vec_load_n(gate + i, n - i));
        vec_store_n(y + i, up ? vec_mul(v, vec_load_n(up + i, n - i)) : v, n - i);
    }
}

static void act_mul(enum kern_activation act, const float *gate, const float *up, size_t n,
                    float *y)
{
    switch (act) {
    case KERN_SILU:
        act_loop(silu, gate, up, n, y);
        break;
    case KERN_GELU:
        act_loop(gelu, gate, up, n, y);
        break;
    case KERN_RELU2:
        act_loop(relu2, gate, up, n, y);
        break;
    }
}

static void rope(float *x, const float *table, size_t n_pairs, bool neox)
{
    size_t i = 0;

    if (!neox) {
        for (; 2 * i + L <= 2 * n_pairs; i += L / 2)
            vec_store(x + 2 * i, vec_rotate(vec_load(x + 2 * i), vec_load(table + 2 * i)));
        if (i < n_pairs) {
            size_t rest = 2 * (n_pairs - i);
            VEC v = vec_rotate(vec_load_n(x + 2 * i, rest), vec_load_n(table + 2 * i, rest));
            vec_store_n(x + 2 * i, v, rest);
        }
        return;
    }
    for (; i + L <= n_pairs; i += L) {
        VEC first = vec_load(table + 2 * i), second = vec_load(table + 2 * i + L);
        VEC cosine = vec_even(first, second), sine = vec_odd(first, second);
        VEC a = vec_load(x + i), b = vec_load(x + i + n_pairs);
        vec_store(x + i, vec_fnma(b, sine, vec_mul(a, cosine)));
        vec_store(x + i + n_pairs, vec_fma(a, sine, vec_mul(b, cosine)));
    }
    for (; i < n_pairs; i++) {
        float cosine = table[2 * i], sine = table[2 * i + 1], a = x[i], b = x[i + n_pairs];
        x[i] = a * cosine - b * sine;
        x[i + n_pairs] = a * sine + b * cosine;
    }
}

static void f32_to_f16(const float *x, size_t n, uint16_t *y)
{
    size_t i = 0;

    for (; i + L <= n; i += L)
        vec_store_f16(y + i, vec_load(x + i));
    if (i < n)
        vec_store_f16_n(y + i, vec_load_n(x + i, n - i), n - i);
}

void LEVEL(kern_init_elements)(struct kern *kern)
{
    kern->rms_norm = rms_norm;
    kern->layer_norm = layer_norm;
    kern->add_scaled = add_scaled;
    kern->act_mul = act_mul;
    kern->rope = rope;
    kern->f32_to_f16 = f32_to_f16;
}
