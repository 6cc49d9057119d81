/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench.c - the measuring of `ember bench`.
 *
 * Everything is timed by one clock over what any caller of a session would do; nothing knows more
 * than public headers. A share is what a point took at least (ember_session_work) over its time,
 * as part of what this machine can do at all: measured before and after each round, on the same
 * pages with the same threads. Memory of a virtual machine may be half as fast a second later, so a
 * round is compared with its neighbours alone. */
#include "bench.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"
#include "run.h"

/* ---- what a run keeps ---- */

struct work {
    struct bench *bench;
    int32_t *ids;                    /* owned: as many as the deepest point reads */
    double *seconds, *first;         /* a value per round */
    double *read_share, *int8_share; /* likewise */
    double *read, *int8;             /* GB/s and Gop/s around the rounds of all points */
    size_t n_measured;               /* of these */
};

static struct bench_line *line_add(struct bench *bench, const char *unit, double value,
                                   const char *format, ...) __attribute__((format(printf, 4, 5)));

static struct bench_line *line_add(struct bench *bench, const char *unit, double value,
                                   const char *format, ...)
{
    struct bench_line *line = &bench->lines[bench->n_lines];
    va_list args;

    if (bench->n_lines < BENCH_LINES - 1)
        bench->n_lines++;
    *line = (struct bench_line){ .value = value, .unit = unit };
    va_start(args, format);
    vsnprintf(line->name, sizeof line->name, format, args);
    va_end(args);
    return line;
}

/* Memory of the process that no file stands behind. */
static void peak_note(struct bench *bench)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    uint64_t kib, total = 0;
    if (!file)
        return;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "RssAnon: %" SCNu64, &kib) == 1 ||
            sscanf(line, "RssShmem: %" SCNu64, &kib) == 1)
            total += 1024 * kib;
    }
    fclose(file);
    if (total > bench->peak_anonymous)
        bench->peak_anonymous = total;
}

/* The same ids in each run: speed may depend on them where tokens choose experts. */
static void ids_fill(int32_t *ids, size_t n, uint32_t n_vocab)
{
    uint64_t state = UINT64_C(0x9E3779B97F4A7C15);
    for (size_t i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ids[i] = (int32_t)(state % n_vocab);
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, ascending);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* ---- reading ---- */

/* The best token of the last row, as a greedy sampler would choose it, and when its logits came. */
struct best {
    uint32_t n_vocab;
    int32_t id;
    double logits_at; /* of run_clock() */
};

static bool on_logits(size_t row, size_t n_rows, const float *logits, void *user_data)
{
    struct best *best = user_data;
    const float *last = logits + (n_rows - 1) * (size_t)best->n_vocab;
    (void)row;
    best->logits_at = run_clock();
    best->id = 0;
    for (uint32_t i = 1; i < best->n_vocab; i++) {
        if (last[i] > last[best->id])
            best->id = (int32_t)i;
    }
    return true;
}

static enum ember_status read_ids(struct work *work, size_t from, size_t n, size_t n_rows,
                                  struct best *best, struct ember_error *err)
{
    *best = (struct best){ .n_vocab = ember_model_n_vocab(work->bench->model) };
    return ember_session_read(work->bench->session, work->ids + from, n, n_rows, on_logits, best,
                              err);
}

/* Brings the timeline back to the first `depth` ids; a sliding window may not reach back so far. */
static enum ember_status rewind_to(struct work *work, size_t depth, struct ember_error *err)
{
    struct ember_session *session = work->bench->session;
    size_t kept = ember_session_keep(session, depth);
    if (kept == depth)
        return EMBER_OK;
    return ember_session_read(session, work->ids + kept, depth - kept, 0, NULL, NULL, err);
}

/* Tokens that are read at once. */
static size_t step_of(const struct bench_point *point)
{
    return point->kind == BENCH_PREFILL ? point->n : point->kind == BENCH_DECODE ? 1 : point->step;
}

static enum ember_status round_run(struct work *work, const struct bench_point *point, size_t round,
                                   struct ember_error *err)
{
    size_t step = step_of(point), n_rows = point->kind == BENCH_BATCH ? step : 1;
    struct best best = { 0 };
    enum ember_status st = rewind_to(work, point->depth, err);

    double start = run_clock();
    for (size_t at = 0; at < point->n && st == EMBER_OK; at += step)
        st = read_ids(work, point->depth + at, step, n_rows, &best, err);
    work->first[round] = run_clock() - start;
    /* A prompt is read when its logits are there; choosing a token is the first token's time. */
    work->seconds[round] = (point->kind == BENCH_PREFILL ? best.logits_at : run_clock()) - start;
    peak_note(work->bench);
    return st;
}

/* Reads and multiply-adds that a round of this point makes. */
static struct ember_work work_of(const struct bench *bench, const struct bench_point *point)
{
    size_t step = step_of(point), n_rows = point->kind == BENCH_BATCH ? step : 1;
    struct ember_work all = { 0 };

    for (size_t at = 0; at < point->n; at += step) {
        struct ember_work one;
        ember_session_work(bench->session, point->depth + at, step, n_rows, &one);
        all.weight_bytes += one.weight_bytes;
        all.kv_bytes += one.kv_bytes;
        all.multiply_adds += one.multiply_adds;
    }
    return all;
}

/* Medians of a point's rounds: tokens per second, and parts of the two limits. */
struct rates {
    double tps, read_share, int8_share;
};

/* ---- limits ---- */

static enum ember_status limits_measure(struct work *work, struct ember_error *err)
{
    size_t i = work->n_measured++;
    return ember_session_ceilings(work->bench->session, &work->read[i], &work->int8[i], err);
}

/* After a round: its shares of what was measured before and is measured now. */
static enum ember_status limits_compare(struct work *work, const struct ember_work *did,
                                        size_t round, struct ember_error *err)
{
    enum ember_status st = limits_measure(work, err);
    if (st != EMBER_OK)
        return st;
    const double *read = &work->read[work->n_measured - 2];
    const double *int8 = &work->int8[work->n_measured - 2];
    double per_second = 1e-9 / work->seconds[round];
    work->read_share[round] =
        (double)(did->weight_bytes + did->kv_bytes) * per_second / ((read[0] + read[1]) / 2);
    work->int8_share[round] =
        2 * (double)did->multiply_adds * per_second / ((int8[0] + int8[1]) / 2);
    return EMBER_OK;
}

static enum ember_status point_run(struct work *work, const struct bench_point *point,
                                   struct rates *rates, struct ember_error *err)
{
    struct bench *bench = work->bench;
    size_t n = bench->n_repeat;
    struct ember_work did = work_of(bench, point);

    /* The first round is not counted: pages come from the disk, threads and caches warm up. */
    enum ember_status st = round_run(work, point, 0, err);
    if (st == EMBER_OK && bench->ceilings)
        st = limits_measure(work, err);
    for (size_t round = 0; round < n && st == EMBER_OK; round++) {
        st = round_run(work, point, round, err);
        if (st == EMBER_OK && bench->ceilings)
            st = limits_compare(work, &did, round, err);
    }
    if (st != EMBER_OK)
        return st;
    double seconds = median(work->seconds, n);
    *rates = (struct rates){ .tps = point->n / seconds };
    if (bench->ceilings) {
        rates->read_share = median(work->read_share, n);
        rates->int8_share = median(work->int8_share, n);
    }
    if (point->kind == BENCH_PREFILL && (!bench->prefill_tps || point->n == 512)) {
        bench->prefill_tps = rates->tps;
        bench->first_token_s = median(work->first, n);
    }
    if (point->kind == BENCH_DECODE && !bench->decode_tps)
        bench->decode_tps = rates->tps;
    return EMBER_OK;
}

/* ---- all points ---- */

static void point_line(struct bench *bench, const struct bench_point *point,
                       const struct rates *rates)
{
    static const char *const names[] = { "prefill", "decode", "batch" };
    char at[24] = "";
    uint32_t n = point->kind == BENCH_BATCH ? point->step : point->n;

    if (point->depth || point->kind == BENCH_DECODE)
        snprintf(at, sizeof at, " at %" PRIu32, point->depth);
    struct bench_line *line =
        line_add(bench, "tokens/s", rates->tps, "%s %" PRIu32 "%s", names[point->kind], n, at);
    if (!bench->ceilings)
        return;
    /* Which limit is the nearer one depends on how often a weight is used. */
    bool reads = point->kind == BENCH_DECODE ||
                 (point->kind == BENCH_BATCH && rates->read_share > rates->int8_share);
    line->share = reads ? rates->read_share : rates->int8_share;
    line->share_of = reads ? "read" : "int8";
}

static enum ember_status points_run(struct work *work, struct ember_error *err)
{
    struct bench *bench = work->bench;
    struct rates rates[BENCH_POINTS];

    for (size_t i = 0; i < bench->n_points; i++) {
        enum ember_status st = point_run(work, &bench->points[i], &rates[i], err);
        if (st != EMBER_OK)
            return st;
    }
    if (bench->first_token_s > 0)
        line_add(bench, "ms", 1e3 * bench->first_token_s, "first token");
    for (size_t i = 0; i < bench->n_points; i++)
        point_line(bench, &bench->points[i], &rates[i]);
    if (bench->ceilings) {
        bench->read_gbps = median(work->read, work->n_measured); /* in order from here on */
        bench->int8_gops = median(work->int8, work->n_measured);
        line_add(bench, "GB/s", bench->read_gbps, "read ceiling");
        line_add(bench, "GB/s", work->read[0], "read ceiling, lowest");
        line_add(bench, "GB/s", work->read[work->n_measured - 1], "read ceiling, highest");
        line_add(bench, "Gop/s", bench->int8_gops, "int8 ceiling");
    }
    return EMBER_OK;
}

/* ---- opening ---- */

static int open_all(struct bench *bench)
{
    struct ember_error err = { 0 };
    double start = run_clock();
    int status = run_open_model(&bench->model, bench->options);

    if (status != STATUS_FINE)
        return status;
    if (ember_session_new(&bench->session, bench->model, &bench->params, &err) != EMBER_OK)
        return fail_with(&err);
    bench->load_s = run_clock() - start;
    peak_note(bench);
    return STATUS_FINE;
}

static void close_all(struct bench *bench)
{
    ember_session_free(bench->session);
    ember_model_unref(bench->model);
    bench->session = NULL;
    bench->model = NULL;
}

/* Opens, and reads one token: load and first pass, in lines that say how the cache was. */
static int first_pass(struct bench *bench, const char *how)
{
    int32_t id = 0;
    struct work work = { .bench = bench, .ids = &id };
    struct ember_error err = { 0 };
    struct best best;
    int status = open_all(bench);

    if (status != STATUS_FINE)
        return status;
    double start = run_clock();
    if (read_ids(&work, 0, 1, 1, &best, &err) != EMBER_OK)
        return fail_with(&err);
    line_add(bench, "ms", 1e3 * bench->load_s, "load, %s", how);
    line_add(bench, "ms", 1e3 * (run_clock() - start), "first pass, %s", how);
    return STATUS_FINE;
}

/* ---- the page cache ---- */

/* Bytes of an open file that are in the page cache. */
static uint64_t cached_bytes(int fd, uint64_t size)
{
    enum { WINDOW = 1 << 28 }; /* looked at at once */
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    unsigned char *there = malloc(WINDOW / page);
    uint64_t n = 0;

    for (uint64_t at = 0; there && at < size; at += WINDOW) {
        size_t part = size - at < WINDOW ? (size_t)(size - at) : WINDOW;
        void *map = mmap(NULL, part, PROT_READ, MAP_SHARED, fd, (off_t)at);
        if (map == MAP_FAILED)
            break;
        if (mincore(map, part, there) == 0)
            for (size_t i = 0; i < (part + page - 1) / page; i++)
                n += there[i] & 1 ? page : 0;
        munmap(map, part);
    }
    free(there);
    return n;
}

/* Puts a file out of the page cache; false when much of it stays, because somebody else uses it. */
static bool file_forget(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat sb;
    bool gone = false;

    if (fd < 0)
        return false;
    if (fstat(fd, &sb) == 0) {
        uint64_t size = (uint64_t)sb.st_size;
        fdatasync(fd); /* pages not yet written cannot go */
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        gone = cached_bytes(fd, size) <= size / 50;
    }
    close(fd);
    return gone;
}

/* All files of the model. */
static int model_forget(const struct options *options, bool *gone)
{
    struct ember_gguf *gguf;
    int status = run_open_header(&gguf, options);

    if (status != STATUS_FINE)
        return status;
    uint32_t n = ember_gguf_n_parts(gguf);
    char **paths = calloc(n, sizeof *paths);
    *gone = paths;
    for (uint32_t i = 0; paths && i < n; i++)
        paths[i] = strdup(n > 1 ? ember_gguf_part_file(gguf, i) : options->file);
    ember_gguf_close(gguf); /* its mapping would hold pages */
    for (uint32_t i = 0; paths && i < n; i++) {
        *gone = paths[i] && file_forget(paths[i]) && *gone;
        free(paths[i]);
    }
    free(paths);
    return STATUS_FINE;
}

/* The first pass from the disk, then from the page cache, each after opening anew. */
static int cold_run(struct bench *bench)
{
    bool gone;
    int status = model_forget(bench->options, &gone);

    if (status != STATUS_FINE)
        return status;
    if (gone) {
        status = first_pass(bench, "cold");
        close_all(bench);
    } else {
        complain("the file stays in the page cache; a cold start is not measured");
    }
    if (status == STATUS_FINE)
        status = first_pass(bench, "warm");
    return status;
}

/* ---- the whole ---- */

uint32_t bench_n_tokens(const struct bench *bench)
{
    uint32_t most = 0;
    for (size_t i = 0; i < bench->n_points; i++) {
        uint32_t n = bench->points[i].depth + bench->points[i].n;
        most = n > most ? n : most;
    }
    return most;
}

int bench_run(struct bench *bench)
{
    struct work work = { .bench = bench };
    struct ember_error err = { 0 };
    size_t n_ids = bench_n_tokens(bench);
    int status;

    if (bench->cold) {
        status = cold_run(bench);
    } else {
        status = open_all(bench);
        line_add(bench, "ms", 1e3 * bench->load_s, "load");
    }
    if (status != STATUS_FINE)
        return status;

    size_t n = bench->n_repeat, n_measured = bench->n_points * (n + 1);
    double *values = calloc(4 * n + 2 * n_measured, sizeof *values);
    work.ids = calloc(n_ids, sizeof *work.ids);
    if (!work.ids || !values) {
        complain("out of memory");
        status = STATUS_FAILED;
    } else {
        work.seconds = values;
        work.first = work.seconds + n;
        work.read_share = work.first + n;
        work.int8_share = work.read_share + n;
        work.read = work.int8_share + n;
        work.int8 = work.read + n_measured;
        ids_fill(work.ids, n_ids, ember_model_n_vocab(bench->model));
        if (points_run(&work, &err) != EMBER_OK)
            status = fail_with(&err);
    }
    free(work.ids);
    free(values);
    return status;
}

void bench_finish(struct bench *bench)
{
    close_all(bench);
}
