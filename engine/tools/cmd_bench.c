/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_bench.c - speed and memory of a model on this machine. Needs no vocabulary. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ember/ember.h>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "run.h"

struct bench_options {
    uint32_t n_prompt;
    uint32_t n_gen;
    uint32_t n_depth;
    uint32_t n_repeat;
    bool ceilings;
    struct run_options running;
};

static const struct option bench_table[] = {
    { .name = "--prompt",
      .kind = OPTION_U32,
      .at = offsetof(struct bench_options, n_prompt),
      .value = "N",
      .help = "tokens read at once (default 512; 0: not measured)",
      .min = 0,
      .max = 1 << 24 },
    { .name = "--gen",
      .kind = OPTION_U32,
      .at = offsetof(struct bench_options, n_gen),
      .value = "N",
      .help = "tokens read one by one (default 64; 0: not measured)",
      .min = 0,
      .max = 1 << 24 },
    { .name = "--depth",
      .kind = OPTION_U32,
      .at = offsetof(struct bench_options, n_depth),
      .value = "N",
      .help = "tokens in the context before each of the two (default 0)",
      .min = 0,
      .max = 1 << 24 },
    { .name = "--repeat",
      .kind = OPTION_U32,
      .at = offsetof(struct bench_options, n_repeat),
      .value = "R",
      .help = "rounds, after one that is not counted; figures are medians (default 3)",
      .min = 1,
      .max = 1000 },
    { .name = "--ceilings",
      .kind = OPTION_FLAG,
      .at = offsetof(struct bench_options, ceilings),
      .help = "also this machine's limits: reading memory, int8 arithmetic" },
};

/* Medians of what was measured; a time of 0 was not. */
struct figures {
    double prefill_s;
    double decode_s;
    double first_token_s;
    double load_s;
    double read_gbps, int8_gops;
    uint64_t peak_anonymous; /* bytes */
};

struct bench {
    const struct bench_options *options;
    struct ember_model *model;
    struct ember_session *session;
    int32_t *ids; /* owned: depth, then what is measured */
    size_t n_ids;
    double *prefill_s, *decode_s, *first_token_s; /* owned; a value per round */
    struct figures figures;
};

/* Memory of the process that no file stands behind. */
static uint64_t anonymous_bytes(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    uint64_t kib, total = 0;
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "RssAnon: %" SCNu64, &kib) == 1 ||
            sscanf(line, "RssShmem: %" SCNu64, &kib) == 1)
            total += 1024 * kib;
    }
    fclose(file);
    return total;
}

static void peak_note(struct figures *figures)
{
    uint64_t now = anonymous_bytes();
    if (now > figures->peak_anonymous)
        figures->peak_anonymous = now;
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

static enum ember_status read_ids(struct bench *bench, size_t from, size_t n, struct best *best,
                                  struct ember_error *err)
{
    *best = (struct best){ .n_vocab = ember_model_n_vocab(bench->model) };
    return ember_session_read(bench->session, bench->ids + from, n, 1, on_logits, best, err);
}

/* Brings the timeline back to the first `depth` ids; a sliding window may not reach back so far. */
static enum ember_status rewind_to_depth(struct bench *bench, struct ember_error *err)
{
    size_t depth = bench->options->n_depth;
    size_t kept = ember_session_keep(bench->session, depth);
    if (kept == depth)
        return EMBER_OK;
    return ember_session_read(bench->session, bench->ids + kept, depth - kept, 0, NULL, NULL, err);
}

static enum ember_status round_run(struct bench *bench, size_t round, struct ember_error *err)
{
    const struct bench_options *options = bench->options;
    struct best best;
    enum ember_status st;

    if (options->n_prompt) {
        st = rewind_to_depth(bench, err);
        if (st != EMBER_OK)
            return st;
        double start = run_clock();
        st = read_ids(bench, options->n_depth, options->n_prompt, &best, err);
        if (st != EMBER_OK)
            return st;
        bench->first_token_s[round] = run_clock() - start;
        bench->prefill_s[round] = best.logits_at - start;
        peak_note(&bench->figures);
    }
    if (options->n_gen) {
        st = rewind_to_depth(bench, err);
        double start = run_clock();
        for (size_t i = 0; i < options->n_gen && st == EMBER_OK; i++)
            st = read_ids(bench, options->n_depth + i, 1, &best, err);
        if (st != EMBER_OK)
            return st;
        bench->decode_s[round] = run_clock() - start;
        peak_note(&bench->figures);
    }
    return EMBER_OK;
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

static bool measure(struct bench *bench, struct ember_error *err)
{
    size_t n = bench->options->n_repeat;
    /* The first round is not counted: pages come from the disk, threads and caches warm up. */
    for (size_t round = 0; round <= n; round++) {
        if (round_run(bench, round ? round - 1 : 0, err) != EMBER_OK)
            return false;
    }
    bench->figures.prefill_s = median(bench->prefill_s, n);
    bench->figures.decode_s = median(bench->decode_s, n);
    bench->figures.first_token_s = median(bench->first_token_s, n);
    if (bench->options->ceilings &&
        ember_session_ceilings(bench->session, &bench->figures.read_gbps, &bench->figures.int8_gops,
                               err) != EMBER_OK)
        return false;
    return true;
}

/* ---- results ---- */

static double rate(uint32_t n, double seconds)
{
    return seconds > 0 ? n / seconds : 0;
}

static void member_u64(struct ember_json_writer *json, const char *name, uint64_t value)
{
    ember_json_name(json, name);
    ember_json_write_u64(json, value);
}

/* null for what was not measured */
static void member_f64(struct ember_json_writer *json, const char *name, double value)
{
    ember_json_name(json, name);
    if (value > 0)
        ember_json_write_f64(json, value, false);
    else
        ember_json_write_null(json);
}

static int json_write(const struct bench *bench, const struct ember_hardware *hardware)
{
    const struct bench_options *options = bench->options;
    const struct figures *figures = &bench->figures;
    const struct ember_fit *plan = ember_session_plan(bench->session);
    struct ember_session_memory memory;
    struct ember_json_writer *json = output_json_new();
    if (!json)
        return STATUS_FAILED;

    ember_session_memory(bench->session, &memory);
    ember_json_begin_object(json);
    member_f64(json, "prefill_tps", rate(options->n_prompt, figures->prefill_s));
    member_f64(json, "decode_tps", rate(options->n_gen, figures->decode_s));
    member_f64(json, "load_ms", 1e3 * figures->load_s);
    member_f64(json, "first_token_ms", 1e3 * figures->first_token_s);
    ember_json_name(json, "cpu");
    ember_json_write_string(json, hardware->cpu_level);
    ember_json_name(json, "cpu_name");
    ember_json_write_string(json, hardware->cpu_name);
    member_u64(json, "threads", plan->n_threads);
    member_u64(json, "weights_bytes", memory.weights);
    member_u64(json, "kv_bytes", memory.kv);
    member_u64(json, "checkpoint_bytes", memory.checkpoint);
    member_u64(json, "compute_bytes", memory.compute);
    member_u64(json, "peak_anonymous_bytes", figures->peak_anonymous);
    member_u64(json, "prompt", options->n_prompt);
    member_u64(json, "gen", options->n_gen);
    member_u64(json, "depth", options->n_depth);
    member_u64(json, "repeat", options->n_repeat);
    member_u64(json, "context", plan->n_ctx);
    member_u64(json, "batch", plan->n_batch);
    ember_json_name(json, "kv_type");
    ember_json_write_string(json, options->running.kv_type == EMBER_KV_F32 ? "f32" : "f16");
    if (options->ceilings) {
        member_f64(json, "read_gbps", figures->read_gbps);
        member_f64(json, "int8_gops", figures->int8_gops);
    }
    ember_json_end_object(json);
    return output_json(json);
}

static int text_write(const struct bench *bench, const struct ember_hardware *hardware)
{
    const struct bench_options *options = bench->options;
    const struct figures *figures = &bench->figures;
    const struct ember_fit *plan = ember_session_plan(bench->session);
    struct ember_session_memory memory;

    ember_session_memory(bench->session, &memory);
    printf("%s, %s, %u thread%s, context %s, batch %u\n",
           *hardware->cpu_name ? hardware->cpu_name : "processor", hardware->cpu_level,
           plan->n_threads, plan->n_threads == 1 ? "" : "s", count_text(plan->n_ctx).text,
           plan->n_batch);
    printf("load         %10.1f ms\n", 1e3 * figures->load_s);
    if (options->n_prompt) {
        printf("prefill      %10.1f tokens/s  (%u tokens at depth %u)\n",
               rate(options->n_prompt, figures->prefill_s), options->n_prompt, options->n_depth);
        printf("first token  %10.1f ms\n", 1e3 * figures->first_token_s);
    }
    if (options->n_gen)
        printf("decode       %10.1f tokens/s  (%u tokens at depth %u)\n",
               rate(options->n_gen, figures->decode_s), options->n_gen, options->n_depth);
    printf("weights      %14s\n", bytes_text(memory.weights).text);
    printf("KV cache     %14s\n", bytes_text(memory.kv).text);
    if (memory.checkpoint)
        printf("checkpoint   %14s\n", bytes_text(memory.checkpoint).text);
    printf("compute      %14s\n", bytes_text(memory.compute).text);
    printf("anonymous    %14s at the peak\n", bytes_text(figures->peak_anonymous).text);
    if (options->ceilings)
        printf("this machine %10.1f GB/s read, %.0f Gop/s int8\n", figures->read_gbps,
               figures->int8_gops);
    return output_end();
}

/* ---- the command ---- */

static int run(const struct options *options, const struct bench_options *bench_options)
{
    struct ember_fit_params params = run_fit_params(&bench_options->running);
    uint32_t n_measured = bench_options->n_prompt > bench_options->n_gen ? bench_options->n_prompt
                                                                         : bench_options->n_gen;
    struct bench bench = { .options = bench_options };
    struct ember_hardware hardware;
    struct ember_error err = { 0 };
    int status;

    bench.n_ids = (size_t)bench_options->n_depth + n_measured;
    if (!n_measured)
        return options_complain(options, "--prompt 0 and --gen 0 leave nothing to measure");
    if (params.n_ctx && params.n_ctx < bench.n_ids)
        return options_complain(options, "--ctx %u is less than the %zu tokens asked for",
                                params.n_ctx, bench.n_ids);
    if (!params.n_ctx)
        params.n_ctx = (uint32_t)bench.n_ids;
    if (ember_hardware_read(&hardware, &err) != EMBER_OK)
        return fail_with(&err);

    double start = run_clock();
    status = run_open_model(&bench.model, options);
    if (status != STATUS_FINE)
        return status;
    status = STATUS_FAILED;
    if (ember_session_new(&bench.session, bench.model, &params, &err) != EMBER_OK) {
        fail_with(&err);
        goto done;
    }
    bench.figures.load_s = run_clock() - start;
    peak_note(&bench.figures);

    bench.ids = calloc(bench.n_ids, sizeof *bench.ids);
    bench.prefill_s = calloc(bench_options->n_repeat, sizeof(double));
    bench.decode_s = calloc(bench_options->n_repeat, sizeof(double));
    bench.first_token_s = calloc(bench_options->n_repeat, sizeof(double));
    if (!bench.ids || !bench.prefill_s || !bench.decode_s || !bench.first_token_s) {
        complain("out of memory");
        goto done;
    }
    ids_fill(bench.ids, bench.n_ids, ember_model_n_vocab(bench.model));
    if (!measure(&bench, &err))
        fail_with(&err);
    else
        status = options->json ? json_write(&bench, &hardware) : text_write(&bench, &hardware);
done:
    free(bench.ids);
    free(bench.prefill_s);
    free(bench.decode_s);
    free(bench.first_token_s);
    ember_session_free(bench.session);
    ember_model_unref(bench.model);
    return status;
}

int cmd_bench(int argc, char **argv)
{
    struct bench_options bench = { .n_prompt = 512, .n_gen = 64, .n_repeat = 3 };
    struct option_group groups[] = {
        { .title = "Measuring",
          .options = bench_table,
          .n = sizeof bench_table / sizeof bench_table[0],
          .base = &bench },
        run_option_group(&bench.running),
    };
    struct options options = {
        .command = "bench",
        .operand = "FILE.gguf",
        .summary = "Measures reading a prompt and decoding, each from the same depth.",
        .notes = "Needs no vocabulary. Default context: what the measuring needs.",
        .groups = groups,
        .n_groups = 2,
    };
    int status;

    if (!options_read(&options, argc, argv, &status))
        return status;
    status = run(&options, &bench);
    options_finish(&options);
    return status;
}
