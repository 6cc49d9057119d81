/* SPDX-License-Identifier: GPL-3.0-or-later */
/* leave_out.c - a conversation that is longer than the context: what to leave out of the prompt. */
#include <stdlib.h>
#include <string.h>

#include <ember/chat.h>

#include "base/fail.h"

struct conversation {
    const struct ember_chat *chat;
    const struct ember_tokenizer *tokenizer;
    const struct ember_message *messages;
    size_t n;
    const struct ember_chat_params *params;
    size_t first;                 /* behind the system messages */
    struct ember_message *behind; /* room for n */
};

/* Tokens of the prompt when the messages [first, next) are left out. */
static enum ember_status count_tokens(const struct conversation *c, size_t next, size_t *n_tokens,
                                      struct ember_error *err)
{
    struct ember_prompt prompt = { 0 };
    struct ember_tokens tokens = { 0 };

    memcpy(c->behind, c->messages, c->first * sizeof *c->behind);
    memcpy(c->behind + c->first, c->messages + next, (c->n - next) * sizeof *c->behind);
    enum ember_status st =
        ember_chat_render(c->chat, c->behind, c->first + c->n - next, c->params, &prompt, err);
    if (st == EMBER_OK)
        st = ember_tokenize(c->tokenizer, prompt.spans, prompt.n_spans, true, &tokens, err);
    *n_tokens = tokens.n;
    ember_tokens_finish(&tokens);
    ember_prompt_finish(&prompt);
    return st;
}

/* Where the turns begin, the first one at c->first; returns how many there are. */
static size_t find_turns(const struct conversation *c, size_t *starts)
{
    size_t n_turns = 0;
    for (size_t i = c->first; i < c->n; i++)
        if (i == c->first || strcmp(c->messages[i].role, "user") == 0)
            starts[n_turns++] = i;
    return n_turns;
}

/* The fewest turns to leave out, by halving: the longer the gap, the shorter the prompt. */
static enum ember_status search(const struct conversation *c, const size_t *starts, size_t n_turns,
                                size_t n_max, size_t *n_out, struct ember_error *err)
{
    size_t low = 0, high = n_turns - 1, n_tokens;
    enum ember_status st = count_tokens(c, starts[high], &n_tokens, err);

    *n_out = starts[high] - c->first;
    if (st != EMBER_OK)
        return st;
    if (n_tokens > n_max)
        return ember_fail(err, EMBER_CONTEXT_FULL,
                          "The last question alone has %zu tokens; there is room for %zu.",
                          n_tokens, n_max);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((st = count_tokens(c, starts[middle], &n_tokens, err)) != EMBER_OK)
            return st;
        if (n_tokens <= n_max)
            high = middle;
        else
            low = middle + 1;
    }
    *n_out = starts[high] - c->first;
    return EMBER_OK;
}

enum ember_status ember_chat_leave_out(const struct ember_chat *chat,
                                       const struct ember_tokenizer *tokenizer,
                                       const struct ember_message *messages, size_t n,
                                       const struct ember_chat_params *params, size_t n_max,
                                       size_t *first, size_t *n_out, struct ember_error *err)
{
    struct conversation c = { chat, tokenizer, messages, n, params, 0, NULL };
    enum ember_status st = EMBER_OK;

    while (c.first < n && strcmp(messages[c.first].role, "system") == 0)
        c.first++;
    *first = c.first;
    *n_out = 0;
    if (c.first == n)
        return EMBER_OK;
    c.behind = calloc(n, sizeof *c.behind);
    size_t *starts = calloc(n, sizeof *starts);
    if (c.behind && starts)
        st = search(&c, starts, find_turns(&c, starts), n_max, n_out, err);
    else
        st = ember_fail(err, EMBER_NO_MEMORY, "Out of memory for a conversation of %zu messages.",
                        n);
    free(starts);
    free(c.behind);
    return st;
}
