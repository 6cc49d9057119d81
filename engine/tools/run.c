/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run.h"

#include <time.h>

#include "output.h"

static const struct option run_table[] = {
    { .name = "--threads",
      .kind = OPTION_U32,
      .at = offsetof(struct run_options, n_threads),
      .value = "N",
      .help = "threads, at most as many as can run (default: one per core)",
      .min = 1,
      .max = 1024 },
    { .name = "--kv",
      .kind = OPTION_CHOICE,
      .at = offsetof(struct run_options, kv_type),
      .value = "f16|f32",
      .help = "type of the KV cache (default f16)",
      .choices = "f16|f32" },
    { .name = "--ctx",
      .kind = OPTION_U32,
      .at = offsetof(struct run_options, n_ctx),
      .value = "N",
      .help = "context length in tokens",
      .min = 1,
      .max = INT32_MAX },
    { .name = "--batch",
      .kind = OPTION_U32,
      .at = offsetof(struct run_options, n_batch),
      .value = "N",
      .help = "prompt tokens per step (default 512)",
      .min = 1,
      .max = 65536 },
};

struct option_group run_option_group(struct run_options *run)
{
    return (struct option_group){ .title = "Running",
                                  .options = run_table,
                                  .n = sizeof run_table / sizeof run_table[0],
                                  .base = run };
}

struct ember_fit_params run_fit_params(const struct run_options *run)
{
    return (struct ember_fit_params){ .n_ctx = run->n_ctx,
                                      .n_batch = run->n_batch,
                                      .n_threads = run->n_threads,
                                      .kv_type = (enum ember_kv_type)run->kv_type };
}

int run_open_header(struct ember_gguf **out, const struct options *options)
{
    return run_open_header_of(out, options->file, options);
}

int run_open_header_of(struct ember_gguf **out, const char *path, const struct options *options)
{
    struct ember_error err = { 0 };
    if (ember_gguf_open(out, path, true, &err) != EMBER_OK)
        return fail_with(&err);
    for (size_t i = 0; i < options->set.n; i++) {
        if (ember_gguf_set(*out, options->set.items[i], &err) != EMBER_OK) {
            ember_gguf_close(*out);
            *out = NULL;
            return fail_with_values(&err);
        }
    }
    return STATUS_FINE;
}

int run_open_model(struct ember_model **out, const struct options *options)
{
    struct ember_error err = { 0 };
    struct ember_model_params params = { .overrides = options->set.items,
                                         .n_overrides = options->set.n };
    ember_gguf_guard(); /* a file that is cut short is a failure with a sentence */
    if (ember_model_open(out, options->file, &params, &err) != EMBER_OK)
        return fail_with_values(&err);
    return STATUS_FINE;
}

double run_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
