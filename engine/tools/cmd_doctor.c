/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_doctor.c - what is wrong with a model file. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include <ember/doctor.h>
#include <ember/ember.h>

#include "commands.h"
#include "options.h"
#include "output.h"

struct doctor_options {
    bool deep;
};

static const struct option doctor_table[] = {
    { .name = "--deep",
      .kind = OPTION_FLAG,
      .at = offsetof(struct doctor_options, deep),
      .help = "read all tensor data, too" },
};

static void member_text(struct ember_json_writer *json, const char *name, const char *text)
{
    ember_json_name(json, name);
    ember_json_write_string(json, text);
}

static void member_u64(struct ember_json_writer *json, const char *name, uint64_t value)
{
    ember_json_name(json, name);
    ember_json_write_u64(json, value);
}

static void file_write(struct ember_json_writer *json, const struct ember_doctor_file *file)
{
    ember_json_begin_object(json);
    if (file->is_gguf) {
        member_u64(json, "version", file->info.version);
        member_text(json, "endian", file->info.big_endian ? "big" : "little");
        member_u64(json, "n_kv", file->n_keys);
        member_u64(json, "n_tensors", file->n_tensors);
        ember_json_name(json, "architecture");
        if (file->architecture)
            ember_json_write_string(json, file->architecture);
        else
            ember_json_write_null(json);
        member_u64(json, "alignment", file->info.alignment);
        member_u64(json, "data_offset", file->info.data_offset);
    }
    member_u64(json, "size", file->size);
    if (file->is_gguf)
        member_text(json, "type", file->type);
    ember_json_end_object(json);
}

static int json_write(const struct ember_doctor_report *report)
{
    struct ember_json_writer *json = output_json_new();
    if (!json)
        return STATUS_FAILED;
    ember_json_begin_object(json);
    ember_json_name(json, "ok");
    ember_json_write_bool(json, ember_doctor_ok(report));
    ember_json_name(json, "file");
    file_write(json, ember_doctor_file(report));
    ember_json_name(json, "problems");
    ember_json_begin_array(json);
    for (size_t i = 0; i < ember_doctor_n_problems(report); i++) {
        const struct ember_problem *problem = ember_doctor_problem(report, i);
        ember_json_begin_object(json);
        member_text(json, "severity", ember_severity_name(problem->severity));
        member_text(json, "code", problem->code);
        member_text(json, "where", problem->where);
        member_text(json, "message", problem->message);
        member_text(json, "advice", problem->advice);
        ember_json_end_object(json);
    }
    ember_json_end_array(json);
    ember_json_end_object(json);
    return output_json(json);
}

/* Not even a report could be made; that is an object, too. */
static int json_fail(const struct ember_error *err)
{
    struct ember_json_writer *json = output_json_new();
    if (!json)
        return STATUS_FAILED;
    ember_json_begin_object(json);
    ember_json_name(json, "ok");
    ember_json_write_bool(json, false);
    ember_json_name(json, "file");
    ember_json_begin_object(json);
    ember_json_end_object(json);
    ember_json_name(json, "problems");
    ember_json_begin_array(json);
    ember_json_begin_object(json);
    member_text(json, "severity", "error");
    member_text(json, "code", "failed");
    member_text(json, "where", "the file");
    member_text(json, "message", err->message);
    member_text(json, "advice", "");
    ember_json_end_object(json);
    ember_json_end_array(json);
    ember_json_end_object(json);
    output_json(json);
    return STATUS_FAILED;
}

static int text_write(const struct ember_doctor_report *report)
{
    size_t counts[3] = { 0 };

    for (size_t i = 0; i < ember_doctor_n_problems(report); i++) {
        const struct ember_problem *problem = ember_doctor_problem(report, i);
        counts[problem->severity]++;
        printf("%-7s  ", ember_severity_name(problem->severity));
        text_print(stdout, text_of(problem->message), TEXT_PLAIN, 0);
        if (problem->advice[0]) {
            printf("\n         ");
            text_print(stdout, text_of(problem->advice), TEXT_PLAIN, 0);
        }
        putchar('\n');
    }
    printf("%s%zu error%s, %zu warning%s, %zu info%s\n",
           ember_doctor_ok(report) ? "The file can be used: " : "The file cannot be used: ",
           counts[EMBER_SEVERITY_ERROR], counts[EMBER_SEVERITY_ERROR] == 1 ? "" : "s",
           counts[EMBER_SEVERITY_WARNING], counts[EMBER_SEVERITY_WARNING] == 1 ? "" : "s",
           counts[EMBER_SEVERITY_INFO], counts[EMBER_SEVERITY_INFO] == 1 ? "" : "s");
    return output_end();
}

static bool on_progress(double done, void *user_data)
{
    (void)user_data;
    fprintf(stderr, "\r%3.0f %%", 100 * done);
    if (done >= 1)
        fprintf(stderr, "\r     \r");
    return true;
}

int cmd_doctor(int argc, char **argv)
{
    struct doctor_options doctor = { 0 };
    struct option_group groups[] = {
        { .title = "Examining",
          .options = doctor_table,
          .n = sizeof doctor_table / sizeof doctor_table[0],
          .base = &doctor },
    };
    struct options options = {
        .command = "doctor",
        .operand = "FILE",
        .summary = "Says what is wrong with a model file, and what to do about it. Exit status 0: "
                   "nothing worse than a warning.",
        .groups = groups,
        .n_groups = 1,
    };
    struct ember_doctor_report *report = NULL;
    struct ember_error err = { 0 };
    int status;

    if (!options_read(&options, argc, argv, &status))
        return status;
    struct ember_doctor_params params = {
        .deep = doctor.deep,
        .overrides = options.set.items,
        .n_overrides = options.set.n,
        .progress = doctor.deep && !options.json && isatty(STDERR_FILENO) ? on_progress : NULL,
    };
    enum ember_status st = ember_doctor_examine(&report, options.file, &params, &err);
    if (st == EMBER_INVALID) {
        status = fail_with_values(&err);
    } else if (st != EMBER_OK) {
        status = options.json ? json_fail(&err) : fail_with(&err);
    } else {
        status = options.json ? json_write(report) : text_write(report);
        if (status == STATUS_FINE && !ember_doctor_ok(report))
            status = STATUS_FAILED;
    }
    ember_doctor_free(report);
    options_finish(&options);
    return status;
}
