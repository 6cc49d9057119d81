/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_fit.c - what running a file takes, from its header alone, against the memory there is. */
#include <stdio.h>

#include <ember/ember.h>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "run.h"

static void row_print(const char *what, uint64_t n_bytes)
{
    printf("  %-28s%12s\n", what, bytes_text(n_bytes).text);
}

static int text_write(const struct ember_fit *fit, const struct options *options, int kv_type)
{
    text_print(stdout, text_of(options->file), TEXT_PLAIN, 0);
    printf("\nContext %s tokens", count_text(fit->n_ctx).text);
    if (fit->n_ctx_trained)
        printf(" (trained for %s)", count_text(fit->n_ctx_trained).text);
    printf(", batch %u, %u thread%s\n\nWeights\n", fit->n_batch, fit->n_threads,
           fit->n_threads == 1 ? "" : "s");
    for (uint32_t i = 0; i < fit->n_types; i++) {
        const struct ember_fit_type_bytes *type = &fit->types[i];
        const char *name = ember_tensor_type_name(type->type);
        printf("  %-8s%8s tensor%-5s%12s\n", name ? name : "?", count_text(type->n_tensors).text,
               type->n_tensors == 1 ? "" : "s", bytes_text(type->n_bytes).text);
    }
    printf("Memory\n");
    row_print("weights", fit->weights);
    printf("  KV cache (%s)%*s%12s\n", kv_type == EMBER_KV_F32 ? "f32" : "f16", 28 - 14, "",
           bytes_text(fit->kv).text);
    if (fit->kv_window) {
        row_print("  layers with whole context", fit->kv_full);
        row_print("  layers with a window", fit->kv_window);
    }
    if (fit->checkpoint)
        row_print("checkpoint of the windows", fit->checkpoint);
    row_print("compute", fit->compute);
    row_print("total", fit->weights + fit->kv + fit->checkpoint + fit->compute);
    row_print("available", fit->budget);
    putchar('\n');
    text_print(stdout, text_of(fit->reason), TEXT_PLAIN, 0);
    putchar('\n');
    return output_end();
}

static void member_u64(struct ember_json_writer *json, const char *name, uint64_t value)
{
    ember_json_name(json, name);
    ember_json_write_u64(json, value);
}

static int json_write(const struct ember_fit *fit, int kv_type)
{
    struct ember_json_writer *json = output_json_new();
    if (!json)
        return STATUS_FAILED;
    ember_json_begin_object(json);
    ember_json_name(json, "verdict");
    ember_json_write_string(json, fit->verdict == EMBER_FITS_CPU ? "cpu" : "no");
    ember_json_name(json, "reason");
    ember_json_write_string(json, fit->reason);
    member_u64(json, "context", fit->n_ctx);
    member_u64(json, "context_trained", fit->n_ctx_trained);
    member_u64(json, "batch", fit->n_batch);
    member_u64(json, "threads", fit->n_threads);
    ember_json_name(json, "kv_type");
    ember_json_write_string(json, kv_type == EMBER_KV_F32 ? "f32" : "f16");
    ember_json_name(json, "devices");
    ember_json_begin_array(json);
    ember_json_begin_object(json);
    ember_json_name(json, "name");
    ember_json_write_string(json, "CPU");
    member_u64(json, "budget", fit->budget);
    member_u64(json, "weights", fit->weights);
    member_u64(json, "kv", fit->kv);
    member_u64(json, "kv_full", fit->kv_full);
    member_u64(json, "kv_window", fit->kv_window);
    member_u64(json, "checkpoint", fit->checkpoint);
    member_u64(json, "compute", fit->compute);
    member_u64(json, "free", fit->free);
    ember_json_end_object(json);
    ember_json_end_array(json);
    ember_json_name(json, "weights_by_type");
    ember_json_begin_array(json);
    for (uint32_t i = 0; i < fit->n_types; i++) {
        const char *name = ember_tensor_type_name(fit->types[i].type);
        ember_json_begin_object(json);
        ember_json_name(json, "type");
        ember_json_write_string(json, name ? name : "?");
        member_u64(json, "tensors", fit->types[i].n_tensors);
        member_u64(json, "bytes", fit->types[i].n_bytes);
        ember_json_end_object(json);
    }
    ember_json_end_array(json);
    ember_json_end_object(json);
    return output_json(json);
}

static int run(const struct options *options, const struct run_options *running)
{
    struct ember_fit_params params = run_fit_params(running);
    struct ember_gguf *gguf = NULL;
    struct ember_fit fit;
    struct ember_error err = { 0 };
    int status = run_open_header(&gguf, options);
    if (status != STATUS_FINE)
        return status;
    if (ember_fit_plan(&fit, gguf, &params, &err) != EMBER_OK)
        status = fail_with(&err);
    else
        status = options->json ? json_write(&fit, running->kv_type)
                               : text_write(&fit, options, running->kv_type);
    ember_gguf_close(gguf);
    return status;
}

int cmd_fit(int argc, char **argv)
{
    struct run_options running = { 0 };
    struct option_group groups[] = { run_option_group(&running) };
    struct options options = {
        .command = "fit",
        .operand = "FILE.gguf",
        .summary = "Prints what running the file takes and whether this machine has it.",
        .notes = "Default context: the smaller of the trained length, 8,192 and what fits.",
        .groups = groups,
        .n_groups = 1,
    };
    int status;

    if (!options_read(&options, argc, argv, &status))
        return status;
    status = run(&options, &running);
    options_finish(&options);
    return status;
}
