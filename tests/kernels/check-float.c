/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Float kernels (dot products, norms, activations, rotation, conversion, attention of a single row,
 * the loops of the ceilings) at every level this processor has, against double precision. Bounds
 * count roundings, half an epsilon each: a sum of n terms in eight lanes or more meets at most n/8
 * additions and a few more across lanes. C sums in double precision. */
#include "kernels-test.h"

static float *guarded_floats(size_t n)
{
    return guarded(n * sizeof(float));
}

static float *random_floats(size_t n, float size)
{
    float *x = guarded_floats(n);
    for (size_t i = 0; i < n; i++)
        x[i] = size * random_float();
    return x;
}

/* ---- dot products ---- */

static const enum quant_type float_types[] = { QUANT_F32, QUANT_F16, QUANT_BF16 };

static void check_gemv_shape(const struct kern *kern, const char *level, enum quant_type type,
                             size_t k, size_t n_rows, size_t n_cols, float size)
{
    size_t bytes = quant_info(type)->block_bytes, row_bytes = k * bytes, x_stride = k + 5;
    size_t y_stride = n_rows + 2, n_y = (n_cols - 1) * y_stride + n_rows;
    uint8_t *w = guarded(row_bytes * n_rows);
    float *x = random_floats((n_cols - 1) * x_stride + k, 1 / size);
    float *y = guarded_floats(n_y), *decoded = guarded_floats(k);

    for (size_t i = 0; i < n_rows * k; i++)
        put_float(type, w, i, size * random_float());
    kern->gemv_f[type](w, row_bytes, n_rows, k, x, x_stride, n_cols, y, y_stride);
    for (size_t r = 0; r < n_rows; r++) {
        quant_decoder(type)(w + r * row_bytes, k, decoded);
        for (size_t c = 0; c < n_cols; c++) {
            double want = 0, magnitude = 0;
            for (size_t i = 0; i < k; i++) {
                want += (double)decoded[i] * x[c * x_stride + i];
                magnitude += fabs((double)decoded[i] * x[c * x_stride + i]);
            }
            float got = y[c * y_stride + r], alone;
            CHECK_NEAR(got, want, FLT_EPSILON * ((double)k / 16 + 16) * magnitude,
                       "%s gemv %s k=%zu rows=%zu cols=%zu", level, quant_info(type)->name, k,
                       n_rows, n_cols);
            kern->gemv_f[type](w + r * row_bytes, row_bytes, 1, k, x + c * x_stride, x_stride, 1,
                               &alone, 1);
            CHECK_MSG(same_bits(got, alone), "%s gemv %s k=%zu rows=%zu cols=%zu: other bits alone",
                      level, quant_info(type)->name, k, n_rows, n_cols);
        }
    }
    guarded_free_all();
}

static void check_gemv(const struct kern *kern, const char *level)
{
    static const size_t longer[] = { 127, 128, 129, 255, 256, 257, 576, 1000, 2048 };
    for (size_t t = 0; t < 3; t++) {
        for (size_t k = 1; k <= 70; k++)
            check_gemv_shape(kern, level, float_types[t], k, 2, 4, 1);
        for (size_t i = 0; i < sizeof longer / sizeof longer[0]; i++)
            check_gemv_shape(kern, level, float_types[t], longer[i], 3, 5, 1);
        for (size_t n_cols = 1; n_cols <= 9; n_cols++)
            check_gemv_shape(kern, level, float_types[t], 100, 18, n_cols, 1);
        check_gemv_shape(kern, level, float_types[t], 77, 3, 3, 1e4f);
        check_gemv_shape(kern, level, float_types[t], 77, 3, 3, 1e-4f);
    }
}

/* ---- norms ---- */

static void check_norm_length(const struct kern *kern, const char *level, size_t n, float size,
                              bool with_weights)
{
    float *x = random_floats(n, size), *w = with_weights ? random_floats(n, 2) : NULL;
    float *b = with_weights ? random_floats(n, 2) : NULL, *y = guarded_floats(n);
    const float eps = 1e-5f;
    double sum = 0, squares = 0, spread = 0, magnitude = 0;
    double relative = FLT_EPSILON * ((double)n / 16 + 16);

    for (size_t i = 0; i < n; i++) {
        x[i] += 0.5f * size;
        sum += x[i];
        magnitude += fabs(x[i]);
        squares += (double)x[i] * x[i];
    }
    double mean = sum / (double)n, mean_error = relative * magnitude / (double)n;
    for (size_t i = 0; i < n; i++)
        spread += (x[i] - mean) * (x[i] - mean);
    double scale = 1 / sqrt(squares / (double)n + eps);
    kern->rms_norm(x, w, n, eps, y);
    for (size_t i = 0; i < n; i++) {
        double want = x[i] * scale * (w ? w[i] : 1);
        CHECK_NEAR(y[i], want, relative * fabs(want), "%s rms_norm n=%zu", level, n);
    }
    scale = 1 / sqrt(spread / (double)n + eps);
    kern->layer_norm(x, w, b, n, eps, y);
    for (size_t i = 0; i < n; i++) {
        double weight = w ? w[i] : 1, want = (x[i] - mean) * scale * weight + (b ? b[i] : 0);
        double off = (mean_error + relative * fabs(x[i] - mean)) * scale * fabs(weight) +
                     FLT_EPSILON * (fabs(want) + (b ? fabs(b[i]) : 0));
        /* The scale feels the error of the mean too. */
        off += mean_error * scale * fabs(want);
        CHECK_NEAR(y[i], want, off, "%s layer_norm n=%zu", level, n);
    }
    kern->rms_norm(x, w, n, eps, y);
    kern->rms_norm(x, w, n, eps, x);
    CHECK_MSG(!memcmp(x, y, n * sizeof *x), "%s rms_norm in place, n=%zu", level, n);
    guarded_free_all();
}

static void check_norms(const struct kern *kern, const char *level)
{
    for (size_t n = 1; n <= 150; n++)
        check_norm_length(kern, level, n, n % 3 ? 1 : 1e4f, n % 2);
    check_norm_length(kern, level, 576, 1e-3f, true);
    check_norm_length(kern, level, 4096, 1, true);
    check_norm_length(kern, level, 5001, 100, false);
}

/* ---- element by element ---- */

static void check_add_scaled(const struct kern *kern, const char *level)
{
    for (size_t n = 1; n <= 70; n++) {
        float *x = random_floats(n, 3), *y = random_floats(n, 3), *before = guarded_floats(n);
        memcpy(before, y, n * sizeof *y);
        kern->add_scaled(x, n, -0.7f, y);
        for (size_t i = 0; i < n; i++)
            CHECK_NEAR(y[i], before[i] + (double)-0.7f * x[i],
                       FLT_EPSILON * (fabs(before[i]) + fabs(x[i])), "%s add_scaled n=%zu", level,
                       n);
        guarded_free_all();
    }
}

static double true_act(enum kern_activation act, double x, double *sensitivity)
{
    const double root = 0.79788456080286535588; /* √(2/π) */
    double u = root * x * (1 + 0.044715 * x * x);

    *sensitivity = 0;
    switch (act) {
    case KERN_SILU:
        return x / (1 + exp(-x));
    case KERN_GELU:
        /* An error of a few roundings in 2u is an error of 2u times that in e^(−2u). */
        *sensitivity = fabs(2 * u) < 90 ? fabs(2 * u) : 90;
        return x / (1 + exp(-2 * u)); /* = ½·x·(1 + tanh(u)) */
    case KERN_RELU2:
        return x > 0 ? x * x : 0;
    }
    return 0;
}

static float act_input(size_t i)
{
    static const float special[] = { 0.0f, -0.0f, 1e-30f, -1e-30f, 88,    -88,    88.8f, -88.8f,
                                     100,  -100,  1e4f,   -1e4f,   1e18f, -1e18f, 1e-42f };
    if (i % 40 == 39)
        return special[i / 40 % (sizeof special / sizeof special[0])];
    return (i % 3 ? 10 : 100) * random_float();
}

static void check_act_mul(const struct kern *kern, const char *level)
{
    for (enum kern_activation act = KERN_SILU; act <= KERN_RELU2; act++) {
        for (size_t n = 1; n <= 3000; n = n < 70 ? n + 1 : n * 3 + 1) {
            float *gate = guarded_floats(n), *up = random_floats(n, 2), *y = guarded_floats(n);
            float *alone = guarded_floats(n);
            for (size_t i = 0; i < n; i++)
                gate[i] = act_input(i);
            kern->act_mul(act, gate, up, n, y);
            kern->act_mul(act, gate, NULL, n, alone);
            for (size_t i = 0; i < n; i++) {
                double sensitivity, want = true_act(act, gate[i], &sensitivity);
                /* e^x is within 2 units of the last place; the sum, quotient and product add one
                 * half each. Where e^x overflows the result is below 1e-36 and may be 0. */
                double relative = FLT_EPSILON * (4 + 2 * sensitivity);
                CHECK_NEAR(alone[i], want, relative * fabs(want) + 1e-36, "%s act %d of %.9g",
                           level, act, (double)gate[i]);
                CHECK_NEAR(y[i], want * up[i], relative * fabs(want * up[i]) + 2e-36,
                           "%s act_mul %d of %.9g", level, act, (double)gate[i]);
            }
            kern->act_mul(act, gate, up, n, gate);
            CHECK_MSG(!memcmp(gate, y, n * sizeof *y), "%s act_mul %d in place", level, act);
            guarded_free_all();
        }
        float x[2] = { NAN, 1 }, y[2];
        kern->act_mul(act, x, NULL, 2, y);
        CHECK_MSG(isnan(y[0]) && !isnan(y[1]), "%s act %d hides a NaN", level, act);
    }
}

static void check_rope(const struct kern *kern, const char *level)
{
    for (int neox = 0; neox < 2; neox++) {
        for (size_t n = 1; n <= 70; n++) {
            float *x = random_floats(2 * n, 5), *table = guarded_floats(2 * n);
            float *before = guarded_floats(2 * n);
            for (size_t i = 0; i < n; i++) {
                double angle = 1000 * random_float();
                table[2 * i] = (float)cos(angle);
                table[2 * i + 1] = (float)sin(angle);
            }
            memcpy(before, x, 2 * n * sizeof *x);
            kern->rope(x, table, n, neox);
            for (size_t i = 0; i < n; i++) {
                size_t ia = neox ? i : 2 * i, ib = neox ? i + n : 2 * i + 1;
                double a = before[ia], b = before[ib], co = table[2 * i], si = table[2 * i + 1];
                CHECK_NEAR(x[ia], a * co - b * si, FLT_EPSILON * (fabs(a * co) + fabs(b * si)),
                           "%s rope neox=%d n=%zu", level, neox, n);
                CHECK_NEAR(x[ib], a * si + b * co, FLT_EPSILON * (fabs(a * si) + fabs(b * co)),
                           "%s rope neox=%d n=%zu", level, neox, n);
            }
            guarded_free_all();
        }
    }
}

static void check_f16(const struct kern *kern, const char *level)
{
    for (size_t n = 1; n <= 20000; n = n < 70 ? n + 1 : n * 5) {
        float *x = guarded_floats(n);
        uint16_t *y = guarded(n * sizeof *y);
        for (size_t i = 0; i < n; i++) {
            uint32_t bits = random_u32();
            memcpy(&x[i], &bits, sizeof bits);
            if (i % 2)
                x[i] = quant_f16_to_f32((uint16_t)bits) * (i % 3 ? 1 : 1 + 0x1p-11f); /* ties too */
        }
        kern->f32_to_f16(x, n, y);
        for (size_t i = 0; i < n; i++) {
            bool nan = (y[i] & 0x7FFF) > 0x7C00;
            CHECK_MSG(isnan(x[i]) ? nan : y[i] == quant_f32_to_f16(x[i]),
                      "%s f32_to_f16(%a) is %04x", level, (double)x[i], y[i]);
        }
        guarded_free_all();
    }
}

/* ---- attention ---- */

struct attend_case {
    size_t n_q, n_pos, d_k, d_v;
    float scale, softcap, size;
    bool half;
};

static void run_attend(const struct kern *kern, const struct kern_attend *a, bool half)
{
    (half ? kern->attend_f16 : kern->attend_f32)(a);
}

static void reset(const struct kern_attend *a)
{
    for (size_t j = 0; j < a->n_q; j++) {
        a->m[j] = -INFINITY;
        a->s[j] = 0;
    }
    memset(a->o, 0, a->n_q * a->d_v * sizeof *a->o);
}

static void check_attend_truth(const struct attend_case *c, const struct kern_attend *a,
                               const float *k, const float *v, const char *level)
{
    double *score = calloc(c->n_pos, sizeof *score);
    for (size_t j = 0; j < c->n_q; j++) {
        double top = -INFINITY, sum = 0, score_error = 0;
        for (size_t t = 0; t < c->n_pos; t++) {
            double magnitude = 0;
            score[t] = 0;
            for (size_t i = 0; i < c->d_k; i++) {
                double term = (double)a->q[j * a->q_stride + i] * k[t * c->d_k + i];
                score[t] += term;
                magnitude += fabs(term);
            }
            score[t] *= c->scale;
            double error = magnitude * fabs(c->scale) * FLT_EPSILON * ((double)c->d_k / 16 + 8);
            if (c->softcap > 0) {
                score[t] = c->softcap * tanh(score[t] / c->softcap);
                error += 4 * FLT_EPSILON * fabs(score[t]);
            }
            /* The difference from the maximum is rounded once more. */
            score_error = fmax(score_error, error + FLT_EPSILON * fabs(score[t]));
            top = fmax(top, score[t]);
        }
        for (size_t t = 0; t < c->n_pos; t++)
            sum += exp(score[t] - top);
        double n_roundings = (double)c->n_pos + (double)c->n_pos / 64 * 4 + 16;
        CHECK_NEAR(a->m[j], top, score_error, "%s attend m", level);
        for (size_t i = 0; i < c->d_v; i++) {
            double want = 0, magnitude = 0;
            for (size_t t = 0; t < c->n_pos; t++) {
                want += exp(score[t] - top) / sum * v[t * c->d_v + i];
                magnitude += exp(score[t] - top) / sum * fabs(v[t * c->d_v + i]);
            }
            double off = magnitude * (4 * score_error + FLT_EPSILON * n_roundings);
            CHECK_NEAR(a->o[j * c->d_v + i] / a->s[j], want, off,
                       "%s attend f%d n_q=%zu n_pos=%zu d=%zu,%zu cap=%g", level, c->half ? 16 : 32,
                       c->n_q, c->n_pos, c->d_k, c->d_v, (double)c->softcap);
        }
    }
    free(score);
}

static void check_attend_case(const struct kern *kern, const char *level,
                              const struct attend_case *c)
{
    size_t q_stride = c->d_k + 3, size = c->half ? 2 : 4;
    enum quant_type type = c->half ? QUANT_F16 : QUANT_F32;
    float *q = random_floats((c->n_q - 1) * q_stride + c->d_k, c->size);
    float *k = random_floats(c->n_pos * c->d_k, 1), *v = random_floats(c->n_pos * c->d_v, 1);
    uint8_t *k_cache = guarded(c->n_pos * c->d_k * size);
    uint8_t *v_cache = guarded(c->n_pos * c->d_v * size);
    struct kern_attend a = { .q = q,
                             .q_stride = q_stride,
                             .n_q = c->n_q,
                             .k = k_cache,
                             .v = v_cache,
                             .n_pos = c->n_pos,
                             .d_k = c->d_k,
                             .d_v = c->d_v,
                             .scale = c->scale,
                             .softcap = c->softcap,
                             .m = guarded_floats(c->n_q),
                             .s = guarded_floats(c->n_q),
                             .o = guarded_floats(c->n_q * c->d_v),
                             .scratch = guarded(kern_attend_scratch(c->n_q, c->d_k, c->d_v)) };

    for (size_t i = 0; i < c->n_pos * c->d_k; i++)
        put_float(type, k_cache, i, k[i]);
    for (size_t i = 0; i < c->n_pos * c->d_v; i++)
        put_float(type, v_cache, i, v[i]);
    quant_decoder(type)(k_cache, c->n_pos * c->d_k, k);
    quant_decoder(type)(v_cache, c->n_pos * c->d_v, v);
    reset(&a);
    run_attend(kern, &a, c->half);
    check_attend_truth(c, &a, k, v, level);

    /* The same bits for each query row alone, and in two stretches cut at a tile's end. */
    float m, s, *o = guarded_floats(c->d_v);
    for (size_t j = 0; j < c->n_q; j++) {
        struct kern_attend one = a;
        one.q = q + j * q_stride;
        one.n_q = 1;
        one.m = &m;
        one.s = &s;
        one.o = o;
        reset(&one);
        size_t cut = c->n_pos > 64 ? 64 : 0;
        if (cut) {
            one.n_pos = cut;
            run_attend(kern, &one, c->half);
        }
        one.k = k_cache + cut * c->d_k * size;
        one.v = v_cache + cut * c->d_v * size;
        one.n_pos = c->n_pos - cut;
        run_attend(kern, &one, c->half);
        bool same = same_bits(m, a.m[j]) && same_bits(s, a.s[j]) &&
                    !memcmp(o, a.o + j * c->d_v, c->d_v * sizeof *o);
        CHECK_MSG(same, "%s attend n_q=%zu n_pos=%zu d=%zu,%zu: other bits alone", level, c->n_q,
                  c->n_pos, c->d_k, c->d_v);
    }
    guarded_free_all();
}

static void check_attend(const struct kern *kern, const char *level)
{
    static const size_t sizes[] = { 1, 3, 8, 15, 16, 17, 31, 32, 33, 48, 64, 80, 96, 128, 256 };
    static const size_t lengths[] = { 1, 2, 3, 4, 5, 63, 64, 65, 66, 128, 200 };
    enum {
        N_SIZES = sizeof sizes / sizeof sizes[0],
        N_LENGTHS = sizeof lengths / sizeof lengths[0]
    };

    for (int half = 0; half < 2; half++) {
        for (size_t i = 0; i < N_SIZES; i++) {
            struct attend_case c = { .n_q = 1 + i % 9, .n_pos = 70, .d_k = sizes[i], .half = half };
            c.scale = 1 / sqrtf((float)c.d_k);
            c.size = 3;
            c.d_v = sizes[(i * 7 + 3) % N_SIZES];
            check_attend_case(kern, level, &c);
            c.d_v = c.d_k;
            c.n_q = 4;
            check_attend_case(kern, level, &c);
        }
        for (size_t i = 0; i < N_LENGTHS; i++) {
            struct attend_case c = { .n_q = 3,
                                     .n_pos = lengths[i],
                                     .d_k = 64,
                                     .d_v = 64,
                                     .scale = 0.125f,
                                     .size = 8,
                                     .half = half };
            check_attend_case(kern, level, &c);
            c.softcap = i % 2 ? 50 : 2;
            check_attend_case(kern, level, &c);
        }
        for (size_t n_q = 1; n_q <= 9; n_q++) {
            struct attend_case c = {
                .n_q = n_q, .n_pos = 100, .d_k = 40, .d_v = 72, .scale = 1, .size = 20, .half = half
            };
            check_attend_case(kern, level, &c);
        }
    }
}

/* One query, one key of one element: m is the capped score itself. */
static void check_softcap(const struct kern *kern, const char *level)
{
    for (int i = 0; i < 4000; i++) {
        float q = (i % 2 ? 1 : 30) * random_float() * (i % 5 ? 1 : 1e-4f), k = 1, v = 1, m, s, o;
        float scratch[128];
        struct kern_attend a = { .q = &q,
                                 .q_stride = 1,
                                 .n_q = 1,
                                 .k = &k,
                                 .v = &v,
                                 .n_pos = 1,
                                 .d_k = 1,
                                 .d_v = 1,
                                 .scale = 1,
                                 .softcap = 3,
                                 .m = &m,
                                 .s = &s,
                                 .o = &o,
                                 .scratch = scratch };
        reset(&a);
        kern->attend_f32(&a);
        double want = 3 * tanh((double)q / 3);
        CHECK_NEAR(m, want, 4 * FLT_EPSILON * fabs(want), "%s softcap of %.9g", level, (double)q);
        CHECK_MSG(s == 1 && o == 1, "%s softcap: weight of the only position", level);
    }
}

/* ---- ceilings ---- */

static void check_ceilings(const struct kern *ref, const struct kern *kern, const char *level)
{
    for (size_t n = 0; n <= 64 * 20; n += 64) {
        uint8_t *data = guarded(n ? n : 1);
        for (size_t i = 0; i < n; i++)
            data[i] = (uint8_t)random_u32();
        CHECK_MSG(kern->read_loop(data, n) == ref->read_loop(data, n),
                  "%s read_loop of %zu bytes differs from C", level, n);
        guarded_free_all();
    }
    CHECK_MSG(kern->int8_loop(1000) >= 2000, "%s int8_loop does too little", level);
}

static void check_level(const struct kern *ref, const struct kern *kern, const char *level)
{
    check_gemv(kern, level);
    check_norms(kern, level);
    check_add_scaled(kern, level);
    check_act_mul(kern, level);
    check_rope(kern, level);
    check_f16(kern, level);
    check_attend(kern, level);
    check_softcap(kern, level);
    check_ceilings(ref, kern, level);
}

int main(void)
{
    for_each_level(check_level);
    return test_end();
}
