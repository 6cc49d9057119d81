/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_chat.c - talks to a model with the file's own template: one answer with -p, otherwise a
 * conversation, one line of standard input per message. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ember/ember.h>

#include "answer.h"
#include "commands.h"

struct chat_options {
    const char *system;
    bool leave_out;
};

/* What may be typed when a conversation has outgrown the context, and only then. */
static const char leave_out_line[] = "/leave-out", enlarge_line[] = "/enlarge";

/* Tokens that an answer should have room for when turns are left out for it. */
enum { ROOM_FOR_ANSWER = 256 };

static const struct option chat_table[] = {
    { .name = "--system",
      .kind = OPTION_TEXT,
      .at = offsetof(struct chat_options, system),
      .value = "TEXT",
      .help = "a system message in front" },
    { .name = "--leave-out",
      .kind = OPTION_FLAG,
      .at = offsetof(struct chat_options, leave_out),
      .help = "leave out the oldest turns when the context is full" },
};

/* The messages so far; contents are owned and valid UTF-8. */
struct conversation {
    struct ember_message *messages;
    size_t n;
    bool leave_out; /* the oldest turns, when they do not all fit */
    bool full;      /* the last question did not fit, or its answer was cut off */
    char *refused;  /* that question; NULL: it was answered */
};

static bool conversation_add(struct conversation *conversation, const char *role,
                             struct ember_text content)
{
    struct bytes text = { 0 };
    struct ember_message *messages =
        realloc(conversation->messages, (conversation->n + 1) * sizeof *messages);
    if (messages)
        conversation->messages = messages;
    if (!messages || !bytes_append_utf8(&text, content) || !bytes_append(&text, "", 1)) {
        bytes_finish(&text);
        complain("out of memory");
        return false;
    }
    messages[conversation->n++] = (struct ember_message){ .role = role, .content = text.data };
    return true;
}

static void conversation_drop_last(struct conversation *conversation)
{
    free((char *)conversation->messages[--conversation->n].content);
}

static void conversation_finish(struct conversation *conversation)
{
    while (conversation->n)
        conversation_drop_last(conversation);
    free(conversation->messages);
    free(conversation->refused);
}

/* Takes the oldest turns out of `messages` as far as needed; *n is how many are left. */
static bool messages_shorten(const struct answerer *answerer, struct ember_message *messages,
                             size_t *n, const struct ember_chat_params *params,
                             struct ember_error *err)
{
    size_t n_ctx = ember_session_plan(answerer->session)->n_ctx, first, n_out;
    size_t room = n_ctx / 4 < ROOM_FOR_ANSWER ? n_ctx / 4 : ROOM_FOR_ANSWER;
    enum ember_status st = ember_chat_leave_out(ember_model_chat(answerer->model),
                                                ember_model_tokenizer(answerer->model), messages,
                                                *n, params, n_ctx - room, &first, &n_out, err);

    /* The last question alone may still fit, if with less room than is good. */
    if (st != EMBER_OK && st != EMBER_CONTEXT_FULL)
        return false;
    memmove(messages + first, messages + first + n_out, (*n - first - n_out) * sizeof *messages);
    *n -= n_out;
    return true;
}

/* The prompt for the last message; with leave_out it is made to fit. */
static bool conversation_prompt(const struct conversation *conversation,
                                const struct answerer *answerer, struct ember_prompt *out,
                                struct ember_error *err)
{
    const struct ember_chat_params params = { .add_generation_prompt = true,
                                              .now = ember_time_now() };
    size_t n = conversation->n;
    struct ember_message *messages = malloc((n ? n : 1) * sizeof *messages);
    bool fine;

    if (!messages) {
        *err = (struct ember_error){ .status = EMBER_NO_MEMORY, .message = "out of memory" };
        return false;
    }
    memcpy(messages, conversation->messages, n * sizeof *messages);
    fine = (!conversation->leave_out || messages_shorten(answerer, messages, &n, &params, err)) &&
           ember_chat_render(ember_model_chat(answerer->model), messages, n, &params, out, err) ==
               EMBER_OK;
    free(messages);
    return fine;
}

/* Answers the last message. */
static int conversation_answer(struct conversation *conversation, struct answerer *answerer,
                               struct answer *out, bool *lost)
{
    struct ember_prompt prompt = { 0 };
    struct ember_error err = { 0 };
    int status;

    if (!conversation_prompt(conversation, answerer, &prompt, &err))
        return fail_with(&err);
    status = answer_make(answerer, prompt.spans, prompt.n_spans, out, lost);
    conversation->full = out->result.n_prompt > ember_session_plan(answerer->session)->n_ctx ||
                         (status == STATUS_FINE && out->result.stop == EMBER_STOP_CONTEXT);
    ember_prompt_finish(&prompt);
    return status;
}

static int ask_once(struct conversation *conversation, struct answerer *answerer)
{
    struct answer answer = { 0 };
    bool lost = false;
    int status = STATUS_FAILED;

    if (conversation_add(conversation, "user", text_of(answerer->answering->text)))
        status = conversation_answer(conversation, answerer, &answer, &lost);
    if (status == STATUS_FINE)
        status = answerer->stream ? output_end() : answer_print_json(&answer);
    answer_finish(&answer);
    return status;
}

/* ---- lines of standard input ---- */

struct input {
    struct bytes bytes; /* read and not yet taken */
    size_t taken;       /* of these */
    bool ended;
    bool failed; /* ended by something else than its end, after a sentence */
    bool terminal;
};

enum wait_result { WAIT_INPUT, WAIT_INTERRUPT, WAIT_FAILED };

static enum wait_result input_wait(void)
{
    struct pollfd waiting[] = { { .fd = interrupts_descriptor(), .events = POLLIN },
                                { .fd = STDIN_FILENO, .events = POLLIN } };
    while (poll(waiting, 2, -1) < 0) {
        if (errno != EINTR)
            return WAIT_FAILED;
    }
    if (waiting[0].revents && interrupts_empty())
        return WAIT_INTERRUPT;
    return WAIT_INPUT;
}

/* Reads what is there; at the end of the input sets `ended`. */
static void input_fill(struct input *input)
{
    char part[4096];
    ssize_t n = read(STDIN_FILENO, part, sizeof part);
    if (n < 0 && errno == EINTR)
        return;
    if (n < 0)
        complain("standard input: %s", strerror(errno));
    else if (n > 0 && bytes_append(&input->bytes, part, (size_t)n))
        return;
    else if (n > 0)
        complain("out of memory");
    input->ended = true;
    input->failed = n != 0;
}

/* Takes a line without its end, if a whole one is there or the input has ended. The text lives
 * until the next call. */
static bool input_take(struct input *input, struct ember_text *line)
{
    const char *start = input->bytes.data ? input->bytes.data + input->taken : "";
    size_t size = input->bytes.size - input->taken;
    const char *end = size ? memchr(start, '\n', size) : NULL;
    if (!end && !(input->ended && size))
        return false;
    *line = (struct ember_text){ start, end ? (size_t)(end - start) : size };
    input->taken += line->size + (end != NULL);
    return true;
}

/* The next line that is not empty. False at the end of the input, or when Ctrl-C was pressed twice
 * with no line in between; all that stopped the last answer count as the first. */
static bool line_read(struct input *input, struct ember_text *line)
{
    bool pressed = interrupts() > 0;
    interrupts_empty();
    if (input->taken) {
        input->bytes.size -= input->taken;
        memmove(input->bytes.data, input->bytes.data + input->taken, input->bytes.size);
        input->taken = 0;
    }
    for (;;) {
        while (input_take(input, line)) {
            if (line->size) {
                interrupts_forget();
                return true;
            }
        }
        if (input->ended)
            return false;
        if (input->terminal)
            fputs("> ", stderr);
        switch (input_wait()) {
        case WAIT_INPUT:
            input_fill(input);
            break;
        case WAIT_INTERRUPT:
            if (pressed)
                return false;
            pressed = true;
            fputs("\nPress Ctrl-C again, or Ctrl-D, to leave.\n", stderr);
            break;
        case WAIT_FAILED:
            complain("standard input: %s", strerror(errno));
            input->failed = true;
            return false;
        }
    }
}

/* ---- a full context ---- */

/* The longest context that is worth offering: twice the present one, as far as the model was
 * trained for it; 0 when there is no more. */
static uint32_t larger_context(const struct answerer *answerer)
{
    uint32_t now = ember_session_plan(answerer->session)->n_ctx;
    uint32_t trained = ember_model_n_ctx_trained(answerer->model);
    uint32_t larger = now > UINT32_MAX / 2 ? now : 2 * now;
    if (trained && larger > trained)
        larger = trained;
    return larger > now ? larger : 0;
}

static void say_ways_out(const struct conversation *conversation, const struct answerer *answerer)
{
    uint32_t larger = larger_context(answerer);

    fprintf(stderr, "The conversation is longer than this model can read at once (%u tokens).\n",
            ember_session_plan(answerer->session)->n_ctx);
    if (!conversation->leave_out)
        fprintf(stderr, "Type %s to go on without the oldest turns.\n", leave_out_line);
    if (larger)
        fprintf(stderr, "Type %s for a context of %u tokens.\n", enlarge_line, larger);
}

/* Another session in the place of the present one, which stays when there is no memory for it. */
static bool enlarge(struct answerer *answerer)
{
    struct ember_fit_params params = run_fit_params(&answerer->answering->running);
    struct ember_session *session = NULL;
    struct ember_error err = { 0 };

    params.n_ctx = larger_context(answerer);
    if (!params.n_ctx)
        return false;
    if (ember_session_new(&session, answerer->model, &params, &err) != EMBER_OK) {
        fail_with(&err);
        return false;
    }
    ember_session_free(answerer->session);
    answerer->session = session;
    return true;
}

static bool is_line(struct ember_text line, const char *text)
{
    return line.size == strlen(text) && memcmp(line.data, text, line.size) == 0;
}

/* Whether the line is one of the two, after they were offered. *again: the refused question is to
 * be asked again. */
static bool way_out_taken(struct conversation *conversation, struct answerer *answerer,
                          struct ember_text line, bool *again)
{
    bool leave = is_line(line, leave_out_line), larger = is_line(line, enlarge_line);

    *again = false;
    if (!conversation->full || (!leave && !larger))
        return false;
    if (leave)
        conversation->leave_out = true;
    *again = (leave || enlarge(answerer)) && conversation->refused;
    return true;
}

/* One turn: the line's answer is printed and both are kept. False when the program shall end. */
static bool turn_take(struct conversation *conversation, struct answerer *answerer,
                      struct ember_text line, int *status)
{
    struct answer answer = { 0 };
    bool lost = false, fine = false;

    *status = STATUS_FAILED;
    if (!conversation_add(conversation, "user", line))
        return false;
    *status = conversation_answer(conversation, answerer, &answer, &lost);
    bool unanswered = answer.result.stop == EMBER_STOP_CANCEL && !answer.text.size;
    if (*status != STATUS_FINE || unanswered) {
        /* As if it had not been asked: a shorter question may fit, and an answer that was stopped
         * before it began would teach the model to say nothing. */
        if (conversation->full) {
            free(conversation->refused);
            conversation->refused = strdup(conversation->messages[conversation->n - 1].content);
        }
        conversation_drop_last(conversation);
        fine = !lost;
    } else {
        /* Only the last question may be asked again, and this one was answered. */
        free(conversation->refused);
        conversation->refused = NULL;
        fine = conversation_add(conversation, "assistant",
                                (struct ember_text){ answer.text.data, answer.text.size });
        fflush(stdout);
    }
    answer_finish(&answer);
    return fine;
}

/* One line: a question, or a way out of a full context. */
static bool line_take(struct conversation *conversation, struct answerer *answerer,
                      struct ember_text line, int *status)
{
    char *refused = NULL;
    bool again, fine;

    if (way_out_taken(conversation, answerer, line, &again)) {
        if (!again)
            return true;
        refused = conversation->refused;
        conversation->refused = NULL;
        line = text_of(refused);
    }
    fine = turn_take(conversation, answerer, line, status);
    free(refused);
    if (fine && conversation->full)
        say_ways_out(conversation, answerer);
    return fine;
}

static int talk(struct conversation *conversation, struct answerer *answerer)
{
    struct input input = { .terminal = isatty(STDIN_FILENO) };
    struct ember_text line;
    int status = STATUS_FINE;

    while (line_read(&input, &line)) {
        if (!line_take(conversation, answerer, line, &status))
            break;
    }
    if (input.terminal)
        putc('\n', stderr);
    bytes_finish(&input.bytes);
    if (input.failed)
        status = STATUS_FAILED;
    /* For a person at the terminal each refusal was said; a script wants to know of the last. */
    int ended = output_end();
    return status != STATUS_FINE ? status : ended;
}

int cmd_chat(int argc, char **argv)
{
    struct chat_options chat = { 0 };
    struct answer_options answering = { 0 };
    struct option_group groups[ANSWER_GROUPS + 1];
    struct options options = {
        .command = "chat",
        .operand = "FILE.gguf",
        .summary = "Talks to a model with its own template: one answer with -p TEXT, otherwise a\n"
                   "conversation, one line of standard input per message.",
        .notes = "Ctrl-C stops the answer; at the prompt, twice or Ctrl-D leaves. When the\n"
                 "conversation has outgrown the context, /leave-out and /enlarge go on.",
        .groups = groups,
        .n_groups = ANSWER_GROUPS + 1,
    };
    struct conversation conversation = { 0 };
    struct answerer answerer;
    int status;

    answer_option_groups(&answering, groups);
    groups[ANSWER_GROUPS] = (struct option_group){ .title = "Talking",
                                                   .options = chat_table,
                                                   .n = sizeof chat_table / sizeof chat_table[0],
                                                   .base = &chat };
    if (!options_read(&options, argc, argv, &status))
        return status;
    if (options.json && !answering.text) {
        status =
            options_complain(&options, "--json needs -p TEXT: a conversation is no JSON value");
        options_finish(&options);
        return status;
    }
    conversation.leave_out = chat.leave_out;
    status = answerer_init(&answerer, &options, &answering, groups);
    if (status == STATUS_FINE && chat.system &&
        !conversation_add(&conversation, "system", text_of(chat.system)))
        status = STATUS_FAILED;
    if (status == STATUS_FINE)
        status =
            answering.text ? ask_once(&conversation, &answerer) : talk(&conversation, &answerer);
    conversation_finish(&conversation);
    answerer_finish(&answerer);
    options_finish(&options);
    return status;
}
