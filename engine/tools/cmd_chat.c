/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_chat.c - talks to a model with the file's own template: one answer with -p, otherwise a
 * conversation, one line of standard input per message. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ember/ember.h>

#include "answer.h"
#include "commands.h"

struct chat_options {
    const char *system;
};

static const struct option chat_table[] = {
    { .name = "--system",
      .kind = OPTION_TEXT,
      .at = offsetof(struct chat_options, system),
      .value = "TEXT",
      .help = "a system message in front" },
};

/* The messages so far; contents are owned and valid UTF-8. */
struct conversation {
    struct ember_message *messages;
    size_t n;
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
}

/* Answers the last message. */
static int conversation_answer(const struct conversation *conversation, struct answerer *answerer,
                               struct answer *out, bool *lost)
{
    struct ember_prompt prompt = { 0 };
    struct ember_error err = { 0 };
    int status;

    if (ember_chat_prompt(ember_model_chat(answerer->model), conversation->messages,
                          conversation->n, true, ember_time_now(), &prompt, &err) != EMBER_OK)
        return fail_with(&err);
    status = answer_make(answerer, prompt.spans, prompt.n_spans, out, lost);
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

/* Reads a line without its end. False at the end of the input, or when Ctrl-C was pressed twice
 * with no message in between (the first may have stopped an answer). */
static bool line_read(char **line, size_t *capacity, size_t *size, bool terminal)
{
    for (;;) {
        if (terminal)
            fputs("> ", stderr);
        errno = 0;
        ssize_t n = getline(line, capacity, stdin);
        if (n >= 0) {
            *size = (size_t)n - (n > 0 && (*line)[n - 1] == '\n');
            interrupts_forget();
            return true;
        }
        if (errno != EINTR || interrupts() > 1)
            return false;
        clearerr(stdin);
        fputs("\nPress Ctrl-C again, or Ctrl-D, to leave.\n", stderr);
    }
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
    if (*status != STATUS_FINE) {
        /* As if it had not been asked; a shorter question may fit. */
        conversation_drop_last(conversation);
        fine = !lost;
    } else {
        fine = conversation_add(conversation, "assistant",
                                (struct ember_text){ answer.text.data, answer.text.size });
        fflush(stdout);
    }
    answer_finish(&answer);
    return fine;
}

static int talk(struct conversation *conversation, struct answerer *answerer)
{
    bool terminal = isatty(STDIN_FILENO);
    char *line = NULL;
    size_t capacity = 0, size;
    int status = STATUS_FINE;

    while (line_read(&line, &capacity, &size, terminal)) {
        if (!size)
            continue;
        if (!turn_take(conversation, answerer, (struct ember_text){ line, size }, &status))
            break;
    }
    if (terminal)
        putc('\n', stderr);
    free(line);
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
        .notes = "Ctrl-C stops the answer; at the prompt, twice or Ctrl-D leaves.",
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
