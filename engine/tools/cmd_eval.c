/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_eval.c - logits of given token ids: reads IDS.i32, writes OUT.f32. Needs no vocabulary. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ember/ember.h>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "run.h"

enum {
    /* Rows of logits that the session holds at once: enough to keep the head's kernels busy, and
     * with a vocabulary of 262,144 still only 16 MiB. */
    ROWS_AT_ONCE = 16,
    FLOATS_AT_ONCE = 16384
};

struct eval_options {
    const char *tokens;
    const char *logits;
    const char *rows;
    struct run_options running;
};

static const struct option eval_table[] = {
    { .name = "--tokens",
      .kind = OPTION_TEXT,
      .at = offsetof(struct eval_options, tokens),
      .value = "IDS.i32",
      .help = "token ids, little-endian int32, fed as they are (no BOS)" },
    { .name = "--logits",
      .kind = OPTION_TEXT,
      .at = offsetof(struct eval_options, logits),
      .value = "OUT.f32",
      .help = "where the logits go, little-endian float32" },
    { .name = "--rows",
      .kind = OPTION_TEXT,
      .at = offsetof(struct eval_options, rows),
      .value = "all|last:K",
      .help = "which tokens' logits (default all)" },
};

/* ---- ids in ---- */

struct ids {
    int32_t *items; /* owned */
    size_t n;
};

static bool ids_read(const char *path, struct ids *out)
{
    struct bytes file = { 0 };
    bool fine = false;
    if (!file_read(path, &file))
        return false;
    if (!file.size || file.size % 4) {
        complain("%.400s: %zu bytes are no list of 4-byte token ids", path, file.size);
        goto done;
    }
    out->n = file.size / 4;
    out->items = calloc(out->n, sizeof *out->items);
    if (!out->items) {
        complain("%.400s: out of memory", path);
        goto done;
    }
    for (size_t i = 0; i < out->n; i++) {
        const unsigned char *p = (const unsigned char *)file.data + 4 * i;
        uint32_t bits = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        memcpy(&out->items[i], &bits, sizeof bits);
    }
    fine = true;
done:
    bytes_finish(&file);
    return fine;
}

/* ---- logits out ---- */

struct sink {
    int fd;
    size_t n_columns;
    size_t n_rows; /* written so far */
    int error;     /* errno of a failed write */
    unsigned char part[4 * FLOATS_AT_ONCE];
};

static bool sink_write(struct sink *sink, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = write(sink->fd, sink->part + at, size - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            sink->error = errno;
            return false;
        }
        at += (size_t)n;
    }
    return true;
}

static bool on_logits(size_t row, size_t n_rows, const float *logits, void *user_data)
{
    struct sink *sink = user_data;
    size_t n = n_rows * sink->n_columns;
    (void)row;
    for (size_t at = 0; at < n;) {
        size_t part = n - at < FLOATS_AT_ONCE ? n - at : FLOATS_AT_ONCE;
        for (size_t i = 0; i < part; i++) {
            uint32_t bits;
            memcpy(&bits, &logits[at + i], sizeof bits);
            for (int b = 0; b < 4; b++)
                sink->part[4 * i + (size_t)b] = (unsigned char)(bits >> 8 * b);
        }
        if (!sink_write(sink, 4 * part))
            return false;
        at += part;
    }
    sink->n_rows += n_rows;
    return true;
}

/* Opens the output, which empties it. A model file is refused: it may be the one that is mapped
 * right now, and is hardly ever meant. */
static bool sink_open(struct sink *sink, const char *path)
{
    struct stat sb;
    char magic[4];

    if (stat(path, &sb) == 0 && S_ISREG(sb.st_mode)) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        bool model = fd >= 0 && read(fd, magic, 4) == 4 && memcmp(magic, "GGUF", 4) == 0;
        if (fd >= 0)
            close(fd);
        if (model) {
            complain("%.400s is a model file; logits do not go over one", path);
            return false;
        }
    }
    sink->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (sink->fd < 0)
        complain("%.400s: %s", path, strerror(errno));
    return sink->fd >= 0;
}

/* What is there of a result after a failure must not pass for a whole one. */
static void sink_discard(const struct sink *sink)
{
    struct stat sb;
    if (fstat(sink->fd, &sb) == 0 && S_ISREG(sb.st_mode) && ftruncate(sink->fd, 0) != 0)
        complain("could not empty the unfinished file: %s", strerror(errno));
}

/* ---- the command ---- */

static int summary_print(const struct options *options, const struct ids *ids,
                         const struct sink *sink, const char *path, double seconds)
{
    if (!options->json) {
        printf("%s tokens in %.2f s; ", count_text(ids->n).text, seconds);
        text_print(stdout, text_of(path), TEXT_PLAIN, 0);
        printf(" has %s rows", count_text(sink->n_rows).text);
        printf(" of %s logits\n", count_text(sink->n_columns).text);
        return output_end();
    }
    struct ember_json_writer *json = output_json_new();
    if (!json)
        return STATUS_FAILED;
    ember_json_begin_object(json);
    ember_json_name(json, "tokens");
    ember_json_write_u64(json, ids->n);
    ember_json_name(json, "rows");
    ember_json_write_u64(json, sink->n_rows);
    ember_json_name(json, "columns");
    ember_json_write_u64(json, sink->n_columns);
    ember_json_name(json, "prefill_tps");
    ember_json_write_f64(json, seconds > 0 ? (double)ids->n / seconds : 0, false);
    ember_json_end_object(json);
    return output_json(json);
}

static int evaluate(const struct options *options, const struct eval_options *eval,
                    const struct ids *ids, size_t n_rows)
{
    struct ember_fit_params params = run_fit_params(&eval->running);
    struct ember_model *model = NULL;
    struct ember_session *session = NULL;
    struct sink *sink = calloc(1, sizeof *sink);
    struct ember_error err = { 0 };
    int status;

    if (!sink) {
        complain("out of memory");
        return STATUS_FAILED;
    }
    sink->fd = -1;
    status = run_open_model(&model, options);
    if (status != STATUS_FINE)
        goto done;
    if (!params.n_ctx)
        params.n_ctx = (uint32_t)ids->n;
    params.n_logits = n_rows < ROWS_AT_ONCE ? (uint32_t)n_rows : ROWS_AT_ONCE;
    status = STATUS_FAILED;
    if (ember_session_new(&session, model, &params, &err) != EMBER_OK) {
        fail_with(&err);
        goto done;
    }
    sink->n_columns = ember_model_n_vocab(model);
    if (!sink_open(sink, eval->logits))
        goto done;
    double start = run_clock();
    enum ember_status st =
        ember_session_read(session, ids->items, ids->n, n_rows, on_logits, sink, &err);
    double seconds = run_clock() - start;
    if (sink->error)
        complain("%.400s: %s", eval->logits, strerror(sink->error));
    else if (st != EMBER_OK)
        fail_with(&err);
    else
        status = STATUS_FINE;
    if (status != STATUS_FINE)
        sink_discard(sink);
    /* A file system over a network may only now say that it is full. */
    if (close(sink->fd) != 0 && status == STATUS_FINE) {
        complain("%.400s: %s", eval->logits, strerror(errno));
        status = STATUS_FAILED;
    }
    if (status == STATUS_FINE)
        status = summary_print(options, ids, sink, eval->logits, seconds);
done:
    ember_session_free(session);
    ember_model_unref(model);
    free(sink);
    return status;
}

/* Reads "all" or "last:K" with 1 ≤ K ≤ n. */
static bool rows_read(const char *text, size_t n, size_t *out)
{
    int64_t k;
    *out = n;
    if (!text || strcmp(text, "all") == 0)
        return true;
    if (strncmp(text, "last:", 5) != 0 || !integer_read(text + 5, 1, INT32_MAX, &k) ||
        (uint64_t)k > n)
        return false;
    *out = (size_t)k;
    return true;
}

static int run(const struct options *options, const struct eval_options *eval)
{
    struct ids ids = { 0 };
    size_t n_rows;
    int status = STATUS_FAILED;

    if (!eval->tokens || !eval->logits)
        return options_complain(options, "%s is missing",
                                eval->tokens ? "--logits OUT.f32" : "--tokens IDS.i32");
    if (!rows_read(eval->rows, INT32_MAX, &n_rows))
        return options_complain(options, "--rows is all or last:K, not \"%.40s\"", eval->rows);
    if (!ids_read(eval->tokens, &ids))
        return STATUS_FAILED;
    if (ids.n > INT32_MAX)
        complain("%.400s: %zu token ids are more than any context", eval->tokens, ids.n);
    else if (!rows_read(eval->rows, ids.n, &n_rows))
        complain("--rows %s asks for more rows than the %zu tokens of %.300s", eval->rows, ids.n,
                 eval->tokens);
    else
        status = evaluate(options, eval, &ids, n_rows);
    free(ids.items);
    return status;
}

int cmd_eval(int argc, char **argv)
{
    struct eval_options eval = { 0 };
    struct option_group groups[] = {
        { .title = "Evaluating",
          .options = eval_table,
          .n = sizeof eval_table / sizeof eval_table[0],
          .base = &eval },
        run_option_group(&eval.running),
    };
    struct options options = {
        .command = "eval",
        .operand = "FILE.gguf",
        .summary = "Feeds token ids to a model and writes the logits after each.",
        .notes = "Needs no vocabulary. Default context: the number of ids.",
        .groups = groups,
        .n_groups = 2,
    };
    int status;

    if (!options_read(&options, argc, argv, &status))
        return status;
    status = run(&options, &eval);
    options_finish(&options);
    return status;
}
