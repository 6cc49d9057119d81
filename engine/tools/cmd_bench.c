/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_bench.c - speed and memory of a model on this machine. Needs no vocabulary. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ember/ember.h>

#include "bench.h"
#include "commands.h"
#include "options.h"
#include "output.h"
#include "run.h"

struct bench_options {
    uint32_t n_prompt;
    uint32_t n_gen;
    uint32_t n_depth;
    uint32_t n_repeat;
    bool ceilings, cold, table;
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
    { .name = "--cold",
      .kind = OPTION_FLAG,
      .at = offsetof(struct bench_options, cold),
      .help = "also the first pass from the disk, and from the page cache" },
    { .name = "--table",
      .kind = OPTION_FLAG,
      .at = offsetof(struct bench_options, table),
      .help = "all of it: prompts, depths, batches, cold start, limits" },
};

/* What --table measures. The figures that stand for the model are those of a prompt of 512 tokens
 * and of decoding from an empty context, as without it. */
static const struct bench_point table_points[] = {
    { BENCH_PREFILL, .n = 64 },
    { BENCH_PREFILL, .n = 512 },
    { BENCH_PREFILL, .n = 2048 },
    { BENCH_BATCH, .n = 32, .step = 1 },
    { BENCH_BATCH, .n = 32, .step = 2 },
    { BENCH_BATCH, .n = 32, .step = 4 },
    { BENCH_BATCH, .n = 64, .step = 8 },
    { BENCH_BATCH, .n = 64, .step = 16 },
    { BENCH_DECODE, .n = 64 },
    { BENCH_DECODE, .n = 64, .depth = 2048 },
    { BENCH_DECODE, .n = 64, .depth = 8192 },
};

static void points_add(struct bench *bench, enum bench_kind kind, uint32_t n, uint32_t depth)
{
    if (n)
        bench->points[bench->n_points++] =
            (struct bench_point){ .kind = kind, .n = n, .depth = depth };
}

/* ---- results ---- */

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

static void member_text(struct ember_json_writer *json, const char *name, const char *value)
{
    ember_json_name(json, name);
    ember_json_write_string(json, value);
}

static void lines_write(struct ember_json_writer *json, const struct bench *bench)
{
    ember_json_name(json, "lines");
    ember_json_begin_array(json);
    for (size_t i = 0; i < bench->n_lines; i++) {
        const struct bench_line *line = &bench->lines[i];
        ember_json_begin_object(json);
        member_text(json, "name", line->name);
        member_f64(json, "value", line->value);
        member_text(json, "unit", line->unit);
        if (line->share > 0) {
            member_f64(json, "share", line->share);
            member_text(json, "of", line->share_of);
        }
        ember_json_end_object(json);
    }
    ember_json_end_array(json);
}

static int json_write(const struct bench *bench, const struct bench_options *options,
                      const struct ember_hardware *hardware)
{
    const struct ember_fit *plan = ember_session_plan(bench->session);
    struct ember_session_memory memory;
    struct ember_json_writer *json = output_json_new();
    if (!json)
        return STATUS_FAILED;

    ember_session_memory(bench->session, &memory);
    ember_json_begin_object(json);
    member_f64(json, "prefill_tps", bench->prefill_tps);
    member_f64(json, "decode_tps", bench->decode_tps);
    member_f64(json, "load_ms", 1e3 * bench->load_s);
    member_f64(json, "first_token_ms", 1e3 * bench->first_token_s);
    member_text(json, "cpu", hardware->cpu_level);
    member_text(json, "cpu_name", hardware->cpu_name);
    member_u64(json, "threads", plan->n_threads);
    member_u64(json, "weights_bytes", memory.weights);
    member_u64(json, "kv_bytes", memory.kv);
    member_u64(json, "checkpoint_bytes", memory.checkpoint);
    member_u64(json, "compute_bytes", memory.compute);
    member_u64(json, "peak_anonymous_bytes", bench->peak_anonymous);
    member_u64(json, "prompt", options->n_prompt);
    member_u64(json, "gen", options->n_gen);
    member_u64(json, "depth", options->n_depth);
    member_u64(json, "repeat", options->n_repeat);
    member_u64(json, "context", plan->n_ctx);
    member_u64(json, "batch", plan->n_batch);
    member_text(json, "kv_type", options->running.kv_type == EMBER_KV_F32 ? "f32" : "f16");
    if (bench->ceilings) {
        member_f64(json, "read_gbps", bench->read_gbps);
        member_f64(json, "int8_gops", bench->int8_gops);
    }
    lines_write(json, bench);
    ember_json_end_object(json);
    return output_json(json);
}

static void bytes_line(const char *name, uint64_t n_bytes, const char *when)
{
    printf("%-18s %12s%s\n", name, bytes_text(n_bytes).text, when);
}

static int text_write(const struct bench *bench, const struct ember_hardware *hardware)
{
    const struct ember_fit *plan = ember_session_plan(bench->session);
    struct ember_session_memory memory;

    ember_session_memory(bench->session, &memory);
    printf("%s, %s, %u thread%s, context %s, batch %u\n",
           *hardware->cpu_name ? hardware->cpu_name : "processor", hardware->cpu_level,
           plan->n_threads, plan->n_threads == 1 ? "" : "s", count_text(plan->n_ctx).text,
           plan->n_batch);
    for (size_t i = 0; i < bench->n_lines; i++) {
        const struct bench_line *line = &bench->lines[i];
        printf("%-18s %12.1f %-8s", line->name, line->value, line->unit);
        if (line->share > 0)
            printf(" %3.0f %% of %s", 100 * line->share, line->share_of);
        putchar('\n');
    }
    bytes_line("weights", memory.weights, "");
    bytes_line("KV cache", memory.kv, "");
    if (memory.checkpoint)
        bytes_line("checkpoint", memory.checkpoint, "");
    bytes_line("compute", memory.compute, "");
    bytes_line("anonymous", bench->peak_anonymous, " at the peak");
    return output_end();
}

/* ---- the command ---- */

static int run(const struct options *options, const struct bench_options *wishes)
{
    struct bench bench = { .options = options,
                           .params = run_fit_params(&wishes->running),
                           .n_repeat = wishes->n_repeat,
                           .cold = wishes->cold || wishes->table,
                           .ceilings = wishes->ceilings || wishes->table };
    struct ember_hardware hardware;
    struct ember_error err = { 0 };

    if (wishes->table) {
        memcpy(bench.points, table_points, sizeof table_points);
        bench.n_points = sizeof table_points / sizeof table_points[0];
        bench.params.n_logits = 16;
    } else {
        points_add(&bench, BENCH_PREFILL, wishes->n_prompt, wishes->n_depth);
        points_add(&bench, BENCH_DECODE, wishes->n_gen, wishes->n_depth);
    }
    uint32_t n_needed = bench_n_tokens(&bench);
    if (!bench.n_points)
        return options_complain(options, "--prompt 0 and --gen 0 leave nothing to measure");
    if (bench.params.n_ctx && bench.params.n_ctx < n_needed)
        return options_complain(options, "--ctx %u is less than the %u tokens asked for",
                                bench.params.n_ctx, n_needed);
    if (!bench.params.n_ctx)
        bench.params.n_ctx = n_needed;
    if (ember_hardware_read(&hardware, &err) != EMBER_OK)
        return fail_with(&err);

    int status = bench_run(&bench);
    if (status == STATUS_FINE)
        status =
            options->json ? json_write(&bench, wishes, &hardware) : text_write(&bench, &hardware);
    bench_finish(&bench);
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
