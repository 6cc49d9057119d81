/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times every kernel at each level this processor has: bench-kernels [--threads N] [--json FILE].
 *
 * Weights are read from the second-level cache ("near": what unpacking and multiplying cost) and
 * from memory ("far": how close to the plain read loop over the same pages). On a machine with
 * other work a long stretch is never undisturbed, so everything is cut into short pieces, and the
 * best one counts. Memory of a virtual machine may be half as fast a second later: there each piece
 * is read by the best level's loop first, and the share is the median of both speeds' ratios. Other
 * shares are of each level's own int8 multiply-adds in registers. */
#include <time.h>

#include <ember/json.h>

#include "base/pool.h"
#include "quant-fill.h"

/* Memory is walked in windows, each timed alone. All of it is far larger than any cache. */
enum { MEMORY = 512 << 20, WINDOW = 16 << 20, CHUNK = 256 << 10 };
enum { K = 2048, NEAR = 256 << 10, COLS = 480 };

static struct {
    struct pool *pool;
    uint32_t n_threads;
    uint8_t *memory;
    double read;                    /* bytes per second of the level at hand */
    double int8;                    /* operations per second likewise */
    const char *level;              /* being timed */
    struct ember_json_writer *json; /* NULL: not wanted */
} bench;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Large pages: as for a mapped model on a recent system. */
static void *memory_new(size_t n)
{
    uint8_t *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        printf("no memory for %zu bytes\n", n);
        exit(1);
    }
    madvise(p, n, MADV_HUGEPAGE);
    return p;
}

static void *lines_new(size_t n)
{
    void *p = aligned_alloc(64, (n + 63) / 64 * 64);
    if (!p) {
        printf("no memory for %zu bytes\n", n);
        exit(1);
    }
    return p;
}

/* Best of `n` runs of `job` by all threads, in seconds. */
static double best_time(void (*job)(struct pool_team *, void *), void *data, int n)
{
    double best = 1e30;
    for (int i = 0; i < n; i++) {
        double start = seconds();
        pool_run(bench.pool, job, data);
        best = fmin(best, seconds() - start);
    }
    return best;
}

/* One figure for the JSON; `share` of `of`, or 0. */
static void line(const char *name, double value, const char *unit, double share, const char *of)
{
    char full[96];

    if (!bench.json)
        return;
    snprintf(full, sizeof full, "%s %s", bench.level, name);
    ember_json_begin_object(bench.json);
    ember_json_name(bench.json, "name");
    ember_json_write_string(bench.json, full);
    ember_json_name(bench.json, "value");
    ember_json_write_f64(bench.json, value, false);
    ember_json_name(bench.json, "unit");
    ember_json_write_string(bench.json, unit);
    if (of) {
        ember_json_name(bench.json, "share");
        ember_json_write_f64(bench.json, share, false);
        ember_json_name(bench.json, "of");
        ember_json_write_string(bench.json, of);
    }
    ember_json_end_object(bench.json);
}

/* ---- ceilings ---- */

struct read_job {
    const struct kern *kern;
    const uint8_t *data;
};

static void read_windows(struct pool_team *team, void *data)
{
    const struct read_job *r = data;
    size_t end;
    uint64_t all = 0;
    for (size_t at = SIZE_MAX; pool_next(team, WINDOW, CHUNK, &at, &end);)
        all ^= r->kern->read_loop(r->data + at, end - at);
    __asm__ volatile("" : : "r"(all)); /* so that nothing is optimised away */
}

enum { INT8_LOOP = 1 << 18 };

static void int8_loop(struct pool_team *team, void *data)
{
    (void)team;
    ((const struct kern *)data)->int8_loop(INT8_LOOP);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Calls `job` for each window of the memory, *at pointing to its start; bytes per second.
 * `n_bytes` of a window are used. *share becomes its part of the read loop's speed. */
static double windows(void (*job)(struct pool_team *, void *), void *data, const uint8_t **at,
                      size_t n_bytes, double *share)
{
    enum { PASSES = 3, N = MEMORY / WINDOW };
    static double ratios[PASSES * N];
    struct kern kern;
    kern_init(&kern, cpu_features());
    struct read_job r = { .kern = &kern };
    double best = 1e30, best_read = 1e30;

    for (size_t i = 0; i < PASSES * N; i++) {
        *at = bench.memory + i % N * WINDOW;
        r.data = bench.memory + (i + N / 2) % N * WINDOW; /* far from it: a cache may be large */
        double reading = best_time(read_windows, &r, 1), time = best_time(job, data, 1);
        best = fmin(best, time);
        best_read = fmin(best_read, reading);
        ratios[i] = (double)n_bytes / time / (WINDOW / reading);
    }
    qsort(ratios, PASSES * N, sizeof ratios[0], ascending);
    *share = ratios[PASSES * N / 2];
    bench.read = fmax(bench.read, WINDOW / best_read);
    return (double)n_bytes / best;
}

static void ceilings(const struct kern *kern)
{
    struct kern best;
    kern_init(&best, cpu_features());
    struct read_job r = { &best, NULL };
    double same;
    bench.read = 0;
    windows(read_windows, &r, &r.data, WINDOW, &same);
    bench.int8 = (double)kern->int8_loop(INT8_LOOP) * bench.n_threads /
                 best_time(int8_loop, (void *)(uintptr_t)kern, 200);
    line("read loop", bench.read / 1e9, "GB/s", 0, NULL);
    line("int8 loop", bench.int8 / 1e9, "Gop/s", 0, NULL);
    printf("%s, %u thread%s: read loop %.1f GB/s, int8 loop %.0f Gop/s\n", bench.level,
           (unsigned)bench.n_threads, bench.n_threads == 1 ? "" : "s", bench.read / 1e9,
           bench.int8 / 1e9);
}

/* ---- rows of block types ---- */

struct rows_job {
    const struct kern *kern;
    enum quant_type type;
    const uint8_t *w;
    size_t row_bytes, n_rows, n_cols, n_repeats;
    const struct kern_act *x;
    float *y;
};

/* As the backend does it: each thread walks through a stretch of the rows. */
static void run_rows(struct pool_team *team, void *data)
{
    const struct rows_job *j = data;
    size_t share = j->n_rows / team->n_threads, most = CHUNK / j->row_bytes;
    size_t chunk = ((share < most ? share : most) + 15) / 16 * 16;
    struct pool_walk p = { 0 };

    while (pool_walk(team, j->n_rows, chunk, &p)) {
        const struct kern_rows rows = { j->w + p.at * j->row_bytes, j->row_bytes, p.end - p.at,
                                        p.next < j->n_rows ? j->w + p.next * j->row_bytes : NULL };
        for (size_t i = 0; i < j->n_repeats; i++)
            j->kern->gemv_q[j->type](&rows, K, j->x, j->n_cols, j->y + p.at, j->n_rows);
    }
}

/* Near and far with one column, near with four. */
static void time_rows(const struct kern *kern, unsigned t, size_t row_bytes,
                      const struct kern_act *x)
{
    const char *name = quant_info(types[t].type)->name;
    struct rows_job j = { .kern = kern,
                          .type = types[t].type,
                          .w = bench.memory,
                          .row_bytes = row_bytes,
                          .n_cols = 1,
                          .x = x };
    char label[64];

    j.n_rows = NEAR / row_bytes / 16 * 16 * bench.n_threads;
    size_t most_rows = j.n_rows > WINDOW / row_bytes ? j.n_rows : WINDOW / row_bytes;
    j.y = lines_new(most_rows * sizeof *j.y * 4);
    j.n_repeats = 4;
    double bytes = (double)(j.n_rows * row_bytes * j.n_repeats);
    double near = bytes / best_time(run_rows, &j, 150);
    j.n_cols = 4;
    double four = 8.0 * (double)(j.n_rows * K * j.n_repeats) / best_time(run_rows, &j, 60);
    j.n_cols = j.n_repeats = 1;
    j.n_rows = WINDOW / row_bytes;
    double share, far = windows(run_rows, &j, &j.w, j.n_rows * row_bytes, &share);
    free(j.y);

    printf("  %-8s %8.1f %8.1f %4.0f%% %5.0f%%", name, near / 1e9, far / 1e9, 100 * share,
           100 * four / bench.int8);
    snprintf(label, sizeof label, "%s near", name);
    line(label, near / 1e9, "GB/s", 0, NULL);
    snprintf(label, sizeof label, "%s far", name);
    line(label, far / 1e9, "GB/s", share, "read");
    snprintf(label, sizeof label, "%s 4 columns", name);
    line(label, four / 1e9, "Gop/s", four / bench.int8, "int8");
}

/* ---- panels ---- */

enum { PANELS = 4 };

struct panel_job {
    const struct kern *kern;
    enum quant_type type;
    size_t row_bytes, n_cols, width, n_times;
    const uint8_t *w;
    bool repack_only;
    uint8_t *packed; /* all columns, in groups of `width` */
    uint8_t *panels; /* one per thread */
};

/* Every thread multiplies panels of its own with all columns. */
static void run_panels(struct pool_team *team, void *data)
{
    const struct panel_job *b = data;
    float y[KERN_PANEL_MAX_COLS * 16];
    struct kern_panel panel =
        kern_panel_at(b->panels + team->index * kern_panel_bytes(b->type, K), b->type, K);
    const uint8_t *w = b->w + team->index * PANELS * 16 * b->row_bytes;

    for (size_t i = 0; i < PANELS * b->n_times; i++) {
        b->kern->repack[b->type](w + i % PANELS * 16 * b->row_bytes, b->row_bytes, 16, &panel);
        for (size_t c = 0; c + b->width <= b->n_cols && !b->repack_only; c += b->width) {
            struct kern_cols cols = kern_cols_at(b->packed + c * kern_cols_bytes(K), b->width, K);
            b->kern->panel_gemm(&panel, 16, &cols, y, 16);
        }
    }
}

static void time_panels(const struct kern *kern, unsigned t, size_t row_bytes,
                        const struct kern_act *x)
{
    static const size_t counts[] = { 8, 16, COLS };
    const char *name = quant_info(types[t].type)->name;
    struct panel_job b = { .kern = kern,
                           .type = types[t].type,
                           .row_bytes = row_bytes,
                           .w = bench.memory,
                           .packed = lines_new(COLS * kern_cols_bytes(K)),
                           .panels =
                               lines_new(bench.n_threads * kern_panel_bytes(types[t].type, K)) };
    double weights = (double)PANELS * 16 * K;
    char label[64];

    b.repack_only = true;
    b.n_times = 4;
    double repack = best_time(run_panels, &b, 60) / (weights * 4) * 1e9;
    printf(" %8.4f", repack);
    snprintf(label, sizeof label, "%s repack", name);
    line(label, repack, "ns", 0, NULL);
    b.repack_only = false;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        b.n_cols = counts[i];
        b.width = kern->panel_cols < b.n_cols ? kern->panel_cols : b.n_cols;
        b.n_times = b.n_cols == COLS ? 1 : 4;
        for (size_t c = 0; c < b.n_cols; c++) {
            struct kern_cols cols =
                kern_cols_at(b.packed + c / b.width * b.width * kern_cols_bytes(K), b.width, K);
            kern_cols_pack(&cols, c % b.width, &x[c % 8], K);
        }
        double ops = 2 * weights * (double)(b.n_cols * b.n_times) * bench.n_threads /
                     best_time(run_panels, &b, b.n_cols == COLS ? 15 : 40);
        printf(" %5.0f%%", 100 * ops / bench.int8);
        snprintf(label, sizeof label, "%s %zu columns", name, b.n_cols);
        line(label, ops / 1e9, "Gop/s", ops / bench.int8, "int8");
    }
    printf("\n");
    fflush(stdout);
    free(b.packed);
    free(b.panels);
}

static void time_blocks(const struct kern *kern)
{
    struct kern_act x[8];

    for (size_t c = 0; c < 8; c++) {
        x[c] = kern_act_at(lines_new(kern_act_bytes(K)), K);
        fill_act(&x[c], K, FILL_RANDOM);
        if (kern->arrange_act)
            kern->arrange_act(K, &x[c]);
    }
    printf("  %-8s %8s %8s %5s %6s %8s %6s %6s %6s  (GB/s; ns per weight; of int8)\n", "type",
           "near", "far", "read", "4 col", "repack", "8 col", "16 col", "480");
    for (unsigned t = 0; t < N_TYPES; t++) {
        uint64_t row_bytes;
        if (!kern->gemv_q[types[t].type] || !quant_row_bytes(types[t].type, K, &row_bytes))
            continue;
        time_rows(kern, t, row_bytes, x);
        time_panels(kern, t, row_bytes, x);
    }
    for (size_t c = 0; c < 8; c++)
        free(x[c].q);
}

/* ---- floats, attention, elements ---- */

struct float_job {
    const struct kern *kern;
    enum quant_type type;
    const uint8_t *memory;
    size_t n_q, d;
    float *x, *y;
};

static void run_floats(struct pool_team *team, void *data)
{
    const struct float_job *j = data;
    size_t row_bytes = K * quant_info(j->type)->block_bytes, n_rows = WINDOW / row_bytes, end;

    for (size_t at = SIZE_MAX; pool_next(team, n_rows, CHUNK / row_bytes, &at, &end);)
        j->kern->gemv_f[j->type](j->memory + at * row_bytes, row_bytes, end - at, K, j->x, K, 1,
                                 j->y + at, 1);
}

/* Stretches of 512 positions of one head, keys then values. */
static void run_attend(struct pool_team *team, void *data)
{
    enum { STRETCH = 512, MAX_Q = 8, MAX_D = 256 };
    const struct float_job *j = data;
    size_t bytes = STRETCH * j->d * 2, end;
    float m[MAX_Q], s[MAX_Q], o[MAX_Q * MAX_D];
    float *scratch = lines_new(kern_attend_scratch(j->n_q, j->d, j->d));

    for (size_t at = SIZE_MAX; pool_next(team, WINDOW / (2 * bytes), 1, &at, &end);) {
        const uint8_t *k = j->memory + at * 2 * bytes;
        struct kern_attend a = { .q = j->x,
                                 .q_stride = j->d,
                                 .n_q = j->n_q,
                                 .k = k,
                                 .v = k + bytes,
                                 .n_pos = STRETCH,
                                 .d_k = j->d,
                                 .d_v = j->d,
                                 .scale = 0.1f,
                                 .m = m,
                                 .s = s,
                                 .o = o,
                                 .scratch = scratch };
        for (size_t q = 0; q < j->n_q; q++) {
            m[q] = -INFINITY;
            s[q] = 0;
        }
        memset(o, 0, sizeof o);
        j->kern->attend_f16(&a);
        j->y[at] = o[0];
    }
    free(scratch);
}

/* 64 query rows over 2,048 positions. */
static void run_tile(struct pool_team *team, void *data)
{
    enum { N_POS = 2048, PART = WINDOW / 16, N_PARTS = MEMORY / PART };
    const struct float_job *j = data;
    uint32_t from[KERN_TILE_QUERIES] = { 0 }, to[KERN_TILE_QUERIES];
    float m[KERN_TILE_QUERIES], s[KERN_TILE_QUERIES] = { 0 };
    float *o = calloc(KERN_TILE_QUERIES * kern_tile_stride(j->d), sizeof *o);
    float *scratch = lines_new(kern_attend_tile_scratch(j->d, j->d));
    const uint8_t *k = j->memory + (size_t)(team->index % N_PARTS) * PART;

    for (size_t i = 0; i < KERN_TILE_QUERIES; i++) {
        to[i] = N_POS;
        m[i] = -INFINITY;
    }
    struct kern_attend_tile a = {
        j->x, KERN_TILE_QUERIES, k, k, N_POS, from, to, j->d, j->d, 0.0f, m, s, o, scratch
    };
    j->kern->attend_tile_f16(&a);
    free(o);
    free(scratch);
}

static void time_floats(const struct kern *kern)
{
    static const enum quant_type floats[] = { QUANT_F32, QUANT_F16, QUANT_BF16 };
    static const size_t shapes[][2] = { { 1, 64 },  { 3, 64 },  { 8, 64 },
                                        { 4, 128 }, { 4, 256 }, { 8, 128 } };
    static float x[KERN_TILE_QUERIES * 256], y[WINDOW / 1024];
    char label[64];

    for (size_t i = 0; i < sizeof x / sizeof x[0]; i++)
        x[i] = random_float() / 8;
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++) {
        struct float_job j = { kern, floats[i], bench.memory, 0, 0, x, y };
        double share, far = windows(run_floats, &j, &j.memory, WINDOW, &share);
        const char *name = quant_info(j.type)->name;
        printf("  %-8s %8s %8.1f %4.0f%%\n", name, "", far / 1e9, 100 * share);
        snprintf(label, sizeof label, "%s far", name);
        line(label, far / 1e9, "GB/s", share, "read");
    }
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct float_job j = { kern, QUANT_F16, bench.memory, shapes[i][0], shapes[i][1], x, y };
        double share, far = windows(run_attend, &j, &j.memory, WINDOW, &share);
        printf("  attention f16, %zu heads of %3zu on one: %5.1f GB/s %4.0f%%\n", j.n_q, j.d,
               far / 1e9, 100 * share);
        snprintf(label, sizeof label, "attention %zu heads of %zu", j.n_q, j.d);
        line(label, far / 1e9, "GB/s", share, "read");
    }
    for (size_t d = 64; d <= 256; d *= 2) {
        struct float_job j = { kern, QUANT_F16, bench.memory, 0, d, x, y };
        double flops = 4.0 * KERN_TILE_QUERIES * 2048 * (double)d * bench.n_threads /
                       best_time(run_tile, &j, 30);
        printf("  attention f16, tiles of %3zu: %6.1f Gflop/s\n", d, flops / 1e9);
        snprintf(label, sizeof label, "attention tile of %zu", d);
        line(label, flops / 1e9, "Gflop/s", 0, NULL);
    }
}

/* By one thread, from the first-level cache. */
static void time_elements(const struct kern *kern)
{
    enum { N = 2048, TIMES = 200, KINDS = 5 };
    static const char *const names[KINDS] = { "rms_norm", "quant_act", "silu", "gelu", "to f16" };
    static float x[N], y[N];
    double best[KINDS] = { 1, 1, 1, 1, 1 };
    struct kern_act act = kern_act_at(lines_new(kern_act_bytes(N)), N);

    for (size_t i = 0; i < N; i++)
        x[i] = 3 * random_float();
    for (int i = 0; i < 50; i++) {
        for (int kind = 0; kind < KINDS; kind++) {
            double start = seconds();
            for (int j = 0; j < TIMES; j++) {
                if (kind == 0)
                    kern->rms_norm(x, x, N, 1e-5f, y);
                else if (kind == 1)
                    kern->quant_act(x, N, &act);
                else if (kind < 4)
                    kern->act_mul(kind == 2 ? KERN_SILU : KERN_GELU, x, x, N, y);
                else
                    kern->f32_to_f16(x, N, (uint16_t *)(void *)y);
            }
            best[kind] = fmin(best[kind], (seconds() - start) / TIMES / N * 1e9);
        }
    }
    printf("  ns per element:");
    for (int kind = 0; kind < KINDS; kind++) {
        printf("%s %s %.3f", kind ? "," : "", names[kind], best[kind]);
        line(names[kind], best[kind], "ns", 0, NULL);
    }
    printf("\n");
    free(act.q);
}

/* ---- the whole ---- */

static void time_level(const struct kern *ref, const struct kern *kern, const char *level)
{
    if (kern->quant_act == ref->quant_act)
        return; /* the reference is not written to be fast */
    bench.level = level;
    ceilings(kern);
    time_blocks(kern);
    time_floats(kern);
    time_elements(kern);
    fflush(stdout);
}

static bool json_end(const char *path)
{
    ember_json_end_array(bench.json);
    ember_json_end_object(bench.json);
    size_t size;
    const char *text = ember_json_writer_finish(bench.json, &size);
    FILE *file = text ? fopen(path, "w") : NULL;
    bool fine = file && fwrite(text, 1, size, file) == size && fputc('\n', file) != EOF;
    if (file && fclose(file) != 0)
        fine = false;
    if (!fine)
        printf("%s cannot be written\n", path);
    ember_json_writer_free(bench.json);
    return fine;
}

int main(int argc, char **argv)
{
    struct ember_error err;
    const char *path = NULL;
    int n_threads = 1;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--threads") && i + 1 < argc)
            n_threads = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--json") && i + 1 < argc)
            path = argv[++i];
        else
            n_threads = 0;
    }
    if (n_threads < 1 || n_threads > 1024) {
        printf("usage: bench-kernels [--threads N] [--json FILE]\n");
        return 2;
    }
    if (pool_new(&bench.pool, (uint32_t)n_threads, &err) != EMBER_OK) {
        printf("%s\n", err.message);
        return 1;
    }
    bench.n_threads = (uint32_t)n_threads;
    bench.memory = memory_new(MEMORY);
    for (size_t i = 0; i < MEMORY; i += 4) {
        uint32_t r = random_u32() & 0x3FFF3FFF; /* no type's scale becomes a NaN */
        memcpy(bench.memory + i, &r, 4);
    }
    bench.json = path ? ember_json_writer_new(1) : NULL;
    if (bench.json) {
        ember_json_begin_object(bench.json);
        ember_json_name(bench.json, "threads");
        ember_json_write_u64(bench.json, bench.n_threads);
        ember_json_name(bench.json, "lines");
        ember_json_begin_array(bench.json);
    }
    for_each_level(time_level);
    pool_free(bench.pool);
    return bench.json && !json_end(path);
}
