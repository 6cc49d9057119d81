/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attention of tiles of query rows, at every level this processor has, against double precision. */
#include "kernels-test.h"

/* Rows and a stretch of positions that end at unreadable pages. */
struct problem {
    bool f16;
    size_t n_q, n_pos, d_k, d_v;
    float softcap;
    float *q, *k, *v; /* as floats, exactly what is stored */
    void *stored_k, *stored_v;
    uint32_t *from, *to;
};

static void *store(const float *x, size_t n, bool f16)
{
    if (!f16)
        return memcpy(guarded(n * sizeof *x), x, n * sizeof *x);
    uint16_t *to = guarded(n * sizeof *to);
    for (size_t i = 0; i < n; i++)
        to[i] = quant_f32_to_f16(x[i]);
    return to;
}

static float *fill(size_t n, float size, bool f16)
{
    float *x = guarded(n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        x[i] = size * random_float();
        if (f16)
            x[i] = quant_f16_to_f32(quant_f32_to_f16(x[i]));
    }
    return x;
}

/* Ranges: causal ends, starts anywhere, some of them empty. */
static struct problem make_problem(bool f16, size_t n_q, size_t n_pos, size_t d_k, size_t d_v,
                                   float softcap)
{
    struct problem p = { f16, n_q, n_pos, d_k, d_v, .softcap = softcap };

    p.q = fill(n_q * d_k, 3 / sqrtf((float)d_k), false);
    p.k = fill(n_pos * d_k, 2, f16);
    p.v = fill(n_pos * d_v, 1, f16);
    p.stored_k = store(p.k, n_pos * d_k, f16);
    p.stored_v = store(p.v, n_pos * d_v, f16);
    p.from = guarded(n_q * sizeof *p.from);
    p.to = guarded(n_q * sizeof *p.to);
    for (size_t i = 0; i < n_q; i++) {
        p.to[i] = (uint32_t)(i % 5 == 4 ? random_u32() % (n_pos + 1) : n_pos - i % n_pos);
        p.from[i] = i % 3 == 2 ? random_u32() % (p.to[i] + 1) : 0;
    }
    return p;
}

struct result {
    float m[KERN_TILE_QUERIES], s[KERN_TILE_QUERIES], *o;
};

/* Rows [row, row + n) over positions [first, end), onto what the result holds. */
static void attend(const struct kern *kern, const struct problem *p, size_t row, size_t n,
                   size_t first, size_t end, struct result *out)
{
    const size_t size = p->f16 ? 2 : 4, stride = kern_tile_stride(p->d_v);
    uint32_t from[KERN_TILE_QUERIES], to[KERN_TILE_QUERIES];
    float *scratch = aligned_alloc(64, (kern_attend_tile_scratch(p->d_k, p->d_v) + 63) / 64 * 64);

    memset(scratch, 0xFF, kern_attend_tile_scratch(p->d_k, p->d_v)); /* NaN */
    for (size_t i = 0; i < n; i++) {
        uint32_t a = p->from[row + i], b = p->to[row + i];
        from[i] = (uint32_t)(a <= first ? 0 : a < end ? a - first : end - first);
        to[i] = (uint32_t)(b <= first ? 0 : b < end ? b - first : end - first);
    }
    struct kern_attend_tile a = {
        .q = p->q + row * p->d_k,
        .n_q = n,
        .k = (const uint8_t *)p->stored_k + first * p->d_k * size,
        .v = (const uint8_t *)p->stored_v + first * p->d_v * size,
        .n_pos = end - first,
        .from = from,
        .to = to,
        .d_k = p->d_k,
        .d_v = p->d_v,
        .softcap = p->softcap,
        .m = out->m + row,
        .s = out->s + row,
        .o = out->o + row * stride,
        .scratch = scratch,
    };
    (p->f16 ? kern->attend_tile_f16 : kern->attend_tile_f32)(&a);
    free(scratch);
}

static void start(const struct problem *p, struct result *r)
{
    size_t n = p->n_q * kern_tile_stride(p->d_v);
    r->o = guarded(n * sizeof *r->o);
    memset(r->o, 0, n * sizeof *r->o);
    for (size_t i = 0; i < p->n_q; i++) {
        r->m[i] = -INFINITY;
        r->s[i] = 0;
    }
}

/* One row's output in double; false if it sees nothing. */
static bool truth(const struct problem *p, size_t row, double *o)
{
    double *score = malloc((p->n_pos + 1) * sizeof *score), top = -INFINITY, sum = 0;

    for (size_t t = p->from[row]; t < p->to[row]; t++) {
        score[t] = 0;
        for (size_t i = 0; i < p->d_k; i++)
            score[t] += (double)p->q[row * p->d_k + i] * p->k[t * p->d_k + i];
        if (p->softcap > 0)
            score[t] = p->softcap * tanh(score[t] / p->softcap);
        top = score[t] > top ? score[t] : top;
    }
    memset(o, 0, p->d_v * sizeof *o);
    for (size_t t = p->from[row]; t < p->to[row]; t++) {
        double weight = exp(score[t] - top);
        sum += weight;
        for (size_t i = 0; i < p->d_v; i++)
            o[i] += weight * p->v[t * p->d_v + i];
    }
    for (size_t i = 0; i < p->d_v; i++)
        o[i] /= sum;
    free(score);
    return p->from[row] < p->to[row];
}

static void check_shape(const struct kern *kern, const char *level, bool f16, size_t n_q,
                        size_t n_pos, size_t d_k, size_t d_v, float softcap)
{
    const size_t stride = kern_tile_stride(d_v);
    struct problem p = make_problem(f16, n_q, n_pos, d_k, d_v, softcap);
    struct result all, parts, alone;
    double *want = malloc(d_v * sizeof *want);

    start(&p, &all);
    start(&p, &parts);
    start(&p, &alone);
    attend(kern, &p, 0, n_q, 0, n_pos, &all);
    for (size_t t = 0; t < n_pos; t += 50)
        attend(kern, &p, 0, n_q, t, n_pos - t < 50 ? n_pos : t + 50, &parts);
    for (size_t row = 0; row < n_q; row++) {
        attend(kern, &p, row, 1, 0, n_pos, &alone);
        CHECK_MSG(same_bits(all.m[row], alone.m[row]) && same_bits(all.s[row], alone.s[row]) &&
                      !memcmp(all.o + row * stride, alone.o + row * stride, d_v * sizeof(float)),
                  "%s n_q=%zu n_pos=%zu d=%zu,%zu: row %zu differs from itself alone", level, n_q,
                  n_pos, d_k, d_v, row);
        bool seen = truth(&p, row, want);
        if (!seen) {
            CHECK_MSG(all.s[row] == 0 && all.m[row] == -INFINITY, "%s: row %zu sees nothing", level,
                      row);
            continue;
        }
        /* Scores of up to 6 · √d_k are summed in single precision, and their errors grow by e^x. */
        double bound = 4e-6 * (1 + sqrt((double)d_k) / 8);
        for (size_t i = 0; i < d_v; i++) {
            CHECK_NEAR(all.o[row * stride + i] / all.s[row], want[i], bound,
                       "%s f16=%d n_q=%zu n_pos=%zu d=%zu,%zu cap=%g [%zu][%zu]", level, f16, n_q,
                       n_pos, d_k, d_v, (double)softcap, row, i);
            CHECK_NEAR(parts.o[row * stride + i] / parts.s[row], want[i], bound,
                       "%s in parts, f16=%d n_q=%zu n_pos=%zu d=%zu,%zu", level, f16, n_q, n_pos,
                       d_k, d_v);
        }
    }
    free(want);
    guarded_free_all();
}

/* Positions that a row does not see may hold anything. */
static void check_unseen(const struct kern *kern, const char *level, bool f16)
{
    enum { N_Q = 20, N_POS = 100, D = 24 };
    struct problem p = make_problem(f16, N_Q, N_POS, D, D, 0);
    struct result clean, dirty;

    for (size_t i = 0; i < N_Q; i++) {
        p.from[i] = i < 2 ? 31 : 0;
        p.to[i] = (uint32_t)(60 + 2 * i);
    }
    start(&p, &clean);
    start(&p, &dirty);
    attend(kern, &p, 0, N_Q, 0, N_POS, &clean);
    for (size_t at = 0; at < 2; at++) {
        for (size_t i = 0; i < D; i++) {
            size_t element = (at ? 75 : 30) * D + i;
            if (f16) {
                ((uint16_t *)p.stored_k)[element] = 0x7E00;
                ((uint16_t *)p.stored_v)[element] = 0x7C00;
            } else {
                ((float *)p.stored_k)[element] = NAN;
                ((float *)p.stored_v)[element] = INFINITY;
            }
        }
    }
    attend(kern, &p, 0, N_Q, 0, N_POS, &dirty);
    for (size_t i = 0; i < N_Q; i++) {
        bool sees = p.from[i] <= 30 || p.to[i] > 75;
        const float *a = clean.o + i * kern_tile_stride(D), *b = dirty.o + i * kern_tile_stride(D);
        if (sees)
            CHECK_MSG(isnan(dirty.s[i]), "%s: row %zu hides a NaN that it sees", level, i);
        else
            CHECK_MSG(!memcmp(a, b, D * sizeof *a) && same_bits(clean.s[i], dirty.s[i]),
                      "%s: row %zu changes by what it does not see", level, i);
    }
    guarded_free_all();
}

static void check_level(const struct kern *ref, const struct kern *kern, const char *level)
{
    static const size_t shapes[][4] = {
        { 1, 1, 1, 1 },      { 2, 3, 7, 5 },        { 5, 63, 8, 8 },     { 6, 64, 16, 16 },
        { 7, 65, 24, 40 },   { 12, 128, 64, 64 },   { 13, 130, 80, 72 }, { 64, 200, 64, 64 },
        { 63, 77, 128, 96 }, { 17, 100, 192, 128 }, { 30, 70, 33, 31 },  { 9, 66, 256, 256 },
    };
    (void)ref;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int f16 = 0; f16 < 2; f16++)
            for (int cap = 0; cap < 2; cap++)
                check_shape(kern, level, f16, shapes[i][0], shapes[i][1], shapes[i][2],
                            shapes[i][3], cap ? 5 : 0);
    check_unseen(kern, level, false);
    check_unseen(kern, level, true);
}

int main(void)
{
    for_each_level(check_level);
    return test_end();
}
