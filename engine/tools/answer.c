/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static const struct option answer_table[] = {
    { .name = "-p",
      .kind = OPTION_TEXT,
      .at = offsetof(struct answer_options, text),
      .value = "TEXT",
      .help = "the text" },
    { .name = "-n",
      .kind = OPTION_U32,
      .at = offsetof(struct answer_options, n_tokens),
      .value = "N",
      .help = "at most N tokens (default: until the model ends)",
      .min = 1,
      .max = INT32_MAX },
    { .name = "--stop",
      .kind = OPTION_LIST,
      .at = offsetof(struct answer_options, stop),
      .value = "S",
      .help = "end the answer before this text; again for more" },
};

void answer_option_groups(struct answer_options *answering, struct option_group *groups)
{
    groups[0] = (struct option_group){ .title = "Answering",
                                       .options = answer_table,
                                       .n = sizeof answer_table / sizeof answer_table[0],
                                       .base = answering };
    groups[1] = run_option_group(&answering->running);
    groups[2] = sampling_option_group(&answering->sampling);
}

/* ---- Ctrl-C ---- */

/* A signal handler has nothing but globals. The session is there only while it generates; whoever
 * comes before that is seen by the progress callback. The pipe wakes a prompt: the signal may be
 * delivered to any thread and at any moment, so no interrupted read can be relied on. */
static volatile sig_atomic_t interrupt_count;
static _Atomic(struct ember_session *) generating;
static int interrupt_pipe[2] = { -1, -1 };

static void interrupt_handle(int number)
{
    int saved_errno = errno;
    struct ember_session *session = atomic_load(&generating);
    (void)number;
    interrupt_count++;
    if (session)
        ember_session_cancel(session);
    /* A full pipe wakes just as well. */
    if (write(interrupt_pipe[1], "", 1) < 0)
        errno = 0;
    errno = saved_errno;
}

static int interrupts_watch(void)
{
    struct sigaction action = { .sa_handler = interrupt_handle, .sa_flags = SA_RESTART };
    if (pipe2(interrupt_pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
        complain("cannot make a pipe: %s", strerror(errno));
        return STATUS_FAILED;
    }
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    return STATUS_FINE;
}

int interrupts(void)
{
    return interrupt_count;
}

void interrupts_forget(void)
{
    interrupt_count = 0;
}

int interrupts_descriptor(void)
{
    return interrupt_pipe[0];
}

bool interrupts_empty(void)
{
    char part[64];
    bool found = false;
    while (read(interrupt_pipe[0], part, sizeof part) > 0)
        found = true;
    return found;
}

/* ---- the model ---- */

int answerer_init(struct answerer *answerer, const struct options *options,
                  const struct answer_options *answering, const struct option_group *groups)
{
    struct ember_fit_params params = run_fit_params(&answering->running);
    struct ember_error err = { 0 };
    int status;

    *answerer =
        (struct answerer){ .options = options, .answering = answering, .stream = !options->json };
    status = run_open_model(&answerer->model, options);
    if (status != STATUS_FINE)
        return status;
    if (!ember_model_tokenizer(answerer->model)) {
        complain("%.400s: the file has no vocabulary, so there is no text to read or write",
                 options->file);
        return STATUS_FAILED;
    }
    status = sampling_new(&answerer->sampler, &answering->sampling, &groups[2], options,
                          answerer->model);
    if (status != STATUS_FINE)
        return status;
    if (ember_session_new(&answerer->session, answerer->model, &params, &err) != EMBER_OK)
        return fail_with(&err);
    return interrupts_watch();
}

void answerer_finish(struct answerer *answerer)
{
    ember_sampler_free(answerer->sampler);
    ember_session_free(answerer->session);
    ember_model_unref(answerer->model);
}

/* ---- one answer ---- */

struct stream {
    struct answer *answer;
    bool print;
    bool terminal;
    int write_error; /* errno, or -1 */
    bool no_memory;
};

static bool on_progress(size_t n_done, size_t n_total, void *user_data)
{
    (void)n_done;
    (void)n_total;
    (void)user_data;
    return !interrupt_count;
}

static bool on_token(int32_t id, struct ember_text text, void *user_data)
{
    struct stream *stream = user_data;
    if (!bytes_append(&stream->answer->text, text.data, text.size) ||
        (id >= 0 && !bytes_append(&stream->answer->ids, &id, sizeof id))) {
        stream->no_memory = true;
        return false;
    }
    if (stream->print && text.size) {
        errno = 0;
        /* A file or pipe gets the answer as it is; a terminal must not be commanded by it. */
        if (stream->terminal)
            text_print(stdout, text, TEXT_ANSWER, 0);
        else
            fwrite(text.data, 1, text.size, stdout);
        if (fflush(stdout) != 0 || ferror(stdout)) {
            stream->write_error = errno ? errno : -1;
            return false;
        }
    }
    return !interrupt_count;
}

/* STATUS_FINE, or a sentence about what came between. */
static int stream_status(const struct stream *stream, bool *lost)
{
    if (stream->no_memory) {
        complain("out of memory");
        return STATUS_FAILED;
    }
    if (stream->write_error) {
        *lost = true;
        complain("cannot write standard output: %s",
                 stream->write_error > 0 ? strerror(stream->write_error) : "it was refused");
        return STATUS_FAILED;
    }
    return STATUS_FINE;
}

int answer_make(struct answerer *answerer, const struct ember_span *spans, size_t n_spans,
                struct answer *out, bool *lost)
{
    const struct answer_options *answering = answerer->answering;
    const struct ember_tokenizer *tokenizer = ember_model_tokenizer(answerer->model);
    struct stream stream = { .answer = out,
                             .print = answerer->stream,
                             .terminal = isatty(STDOUT_FILENO) };
    struct ember_generate_params params = {
        .sampler = answerer->sampler,
        .max_tokens = answering->n_tokens,
        .stop = answering->stop.items,
        .n_stop = answering->stop.n,
        .ignore_end = answering->sampling.ignore_eos,
        .events = { .progress = on_progress, .token = on_token, .user_data = &stream },
    };
    struct ember_tokens prompt = { 0 };
    struct ember_error err = { 0 };
    int status = STATUS_FAILED;

    if (ember_tokenize(tokenizer, spans, n_spans, true, &prompt, &err) != EMBER_OK) {
        fail_with(&err);
        goto done;
    }
    if (!prompt.n) {
        complain("the text is empty, and the file's settings add no token to begin with");
        goto done;
    }
    params.prompt = prompt.ids;
    params.n_prompt = prompt.n;

    atomic_store(&generating, answerer->session);
    enum ember_status st = ember_session_generate(answerer->session, &params, &out->result, &err);
    atomic_store(&generating, NULL);

    status = stream_status(&stream, lost);
    if (status == STATUS_FINE && st != EMBER_OK)
        status = fail_with(&err);
    if (stream.print && !*lost && out->text.size && out->text.data[out->text.size - 1] != '\n')
        putchar('\n');
done:
    ember_tokens_finish(&prompt);
    return status;
}

void answer_finish(struct answer *answer)
{
    bytes_finish(&answer->text);
    bytes_finish(&answer->ids);
}

static const char *stop_name(enum ember_stop_reason stop)
{
    static const char *const names[] = {
        [EMBER_STOP_END] = "end",       [EMBER_STOP_LENGTH] = "length",
        [EMBER_STOP_STRING] = "stop",   [EMBER_STOP_CONTEXT] = "context",
        [EMBER_STOP_CANCEL] = "cancel",
    };
    return names[stop];
}

static double rate(size_t n, double seconds)
{
    return seconds > 0 ? (double)n / seconds : 0;
}

int answer_print_json(const struct answer *answer)
{
    const struct ember_generate_result *result = &answer->result;
    struct ember_json_writer *json = output_json_new();
    if (!json)
        return STATUS_FAILED;
    ember_json_begin_object(json);
    ember_json_name(json, "text");
    ember_json_write_text(
        json, (struct ember_text){ answer->text.data ? answer->text.data : "", answer->text.size });
    ember_json_name(json, "ids");
    ember_json_begin_array(json);
    for (size_t at = 0; at < answer->ids.size; at += sizeof(int32_t)) {
        int32_t id;
        memcpy(&id, answer->ids.data + at, sizeof id);
        ember_json_write_i64(json, id);
    }
    ember_json_end_array(json);
    ember_json_name(json, "stop");
    ember_json_write_string(json, stop_name(result->stop));
    ember_json_name(json, "prompt_tokens");
    ember_json_write_u64(json, result->n_prompt);
    ember_json_name(json, "reused_tokens");
    ember_json_write_u64(json, result->n_reused);
    ember_json_name(json, "prefill_tps");
    /* Stopped in the middle of the prompt: how much of it was read is not known. */
    ember_json_write_f64(
        json,
        result->n_generated ? rate(result->n_prompt - result->n_reused, result->prefill_s) : 0,
        false);
    ember_json_name(json, "decode_tps");
    ember_json_write_f64(
        json, result->n_generated ? rate(result->n_generated - 1, result->decode_s) : 0, false);
    ember_json_end_object(json);
    return output_json(json);
}
