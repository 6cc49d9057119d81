/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chat.h - a model file's chat template (Jinja2) and the prompt it makes.
 *
 * A template is read-only after parsing and may be used from any thread. Rendering is bounded in
 * steps, depth and output, touches neither files nor the network, and reads the clock only through
 * the `now` parameter.
 *
 * Trust: strings of messages are *untrusted*. Every character of the result is marked with where it
 * came from, through all string operations of the template, and the result is handed out as spans:
 * text of the template (special tokens are parsed in it) and text of the user (they are not). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>
#include <ember/gguf.h>
#include <ember/json.h>
#include <ember/tokenizer.h>

struct ember_template;

/* Parses template source. `name` is used in sentences, which give the line. The source is copied.
 */
EMBER_API enum ember_status ember_template_new(struct ember_template **out, const char *source,
                                               size_t size, const char *name,
                                               struct ember_error *err);
EMBER_API void ember_template_free(struct ember_template *tmpl);

/* Local wall-clock time for strftime_now. */
struct ember_time {
    int year;  /* e.g. 2026 */
    int month; /* 1 … 12 */
    int day;   /* 1 … 31 */
    int hour, minute, second;
};
/* The computer's local time now. */
EMBER_API struct ember_time ember_time_now(void);

/* A rendered prompt: `text` is the whole, `spans` its parts in order. Owned; release with
 * ember_prompt_finish(). */
struct ember_prompt {
    char *text;
    size_t size;
    struct ember_span *spans; /* point into text; adjacent ones differ in trust */
    size_t n_spans;
};
EMBER_API void ember_prompt_finish(struct ember_prompt *prompt);

/* Renders with a JSON object as the template's variables (messages, tools, add_generation_prompt,
 * bos_token, eos_token and whatever else). `bos` and `eos` (may be {NULL, 0}) stand in where the
 * context has none. All strings from `context` under "messages", "tools" and "documents" are
 * untrusted, others trusted; so is a message's role if it is one of the usual words ("user", "tool"
 * …), since templates build special tokens from it. EMBER_FORMAT: the template raised or failed;
 * the sentence has the line and the message. */
EMBER_API enum ember_status ember_template_render(const struct ember_template *tmpl,
                                                  const struct ember_json *context,
                                                  struct ember_text bos, struct ember_text eos,
                                                  struct ember_time now, struct ember_prompt *out,
                                                  struct ember_error *err);

/* What a template knows, found by rendering small conversations with it. */
struct ember_template_features {
    bool system;            /* the text of a system message comes out */
    bool refuses_system;    /* such a conversation is an error */
    bool tools;             /* so does the name of a tool */
    bool generation_prompt; /* add_generation_prompt makes a difference */
    bool typed_content;     /* text must be given as [{"type": "text", "text": …}] */
    const char *thinking;   /* the variable that switches thinking; NULL: none. Never freed */
};
/* Never fails: what cannot be rendered is not known. Takes a few milliseconds; a template that
 * needs much more is left alone. */
EMBER_API void ember_template_probe(const struct ember_template *tmpl, struct ember_text bos,
                                    struct ember_text eos, struct ember_template_features *out);

/* One message of a conversation; UTF-8. */
struct ember_message {
    const char *role; /* "system", "user", "assistant" */
    const char *content;
};

/* The chat format of a model file: its template, or the plain form when it has none. Keeps pointers
 * to `gguf` and `tokenizer`, which must outlive it. Any thread. */
struct ember_chat;

/* A file without a template is no error: ember_chat_is_plain() is then true, and the prompt is the
 * text of the messages alone, separated by empty lines (what a base model continues). Neither is a
 * template that cannot be read, since the file may serve without it: ember_chat_prompt() then fails
 * with the sentence. */
EMBER_API enum ember_status ember_chat_new(struct ember_chat **out, const struct ember_gguf *gguf,
                                           const struct ember_tokenizer *tokenizer,
                                           struct ember_error *err);
EMBER_API void ember_chat_free(struct ember_chat *chat);
EMBER_API bool ember_chat_is_plain(const struct ember_chat *chat);

/* The prompt for these messages. `add_generation_prompt` opens the assistant's turn; without it a
 * last assistant message is left open to be continued where the template allows.
 * A template that refuses a system message gets it folded into the first user message. A beginning
 * or ending token that the tokenizer adds by itself is left out: tokenise with `add_special`. */
EMBER_API enum ember_status ember_chat_prompt(const struct ember_chat *chat,
                                              const struct ember_message *messages, size_t n,
                                              bool add_generation_prompt, struct ember_time now,
                                              struct ember_prompt *out, struct ember_error *err);

/* More to choose. Zeroes but for `now`: no turn of the assistant is opened, and a model that can
 * think does. */
struct ember_chat_params {
    bool add_generation_prompt;
    bool no_thinking; /* for templates that know "enable_thinking" */
    struct ember_time now;
};
/* As ember_chat_prompt(). */
EMBER_API enum ember_status ember_chat_render(const struct ember_chat *chat,
                                              const struct ember_message *messages, size_t n,
                                              const struct ember_chat_params *params,
                                              struct ember_prompt *out, struct ember_error *err);

/* Whether a template's source knows "enable_thinking": no_thinking makes a difference then. */
EMBER_API bool ember_chat_can_think(const struct ember_gguf *gguf);

/* Of a conversation that is too long, how much to leave out: the fewest whole turns (a question
 * with its answer), the oldest first, so that the prompt has at most `n_max` tokens. System
 * messages in front stay, and so does the last question. *first is the message where the gap begins
 * and *n_out how many messages it takes away; 0 when all fit. EMBER_CONTEXT_FULL when even the last
 * question alone is too long; *n_out is then all before it. */
EMBER_API enum ember_status ember_chat_leave_out(const struct ember_chat *chat,
                                                 const struct ember_tokenizer *tokenizer,
                                                 const struct ember_message *messages, size_t n,
                                                 const struct ember_chat_params *params,
                                                 size_t n_max, size_t *first, size_t *n_out,
                                                 struct ember_error *err);

/* Finds stop strings in a stream of text: holds back what may become one, and cuts at the first.
 * Belongs to one thread. */
struct ember_stop;
EMBER_API enum ember_status ember_stop_new(struct ember_stop **out, const char *const *strings,
                                           size_t n, struct ember_error *err);
EMBER_API void ember_stop_free(struct ember_stop *stop);
EMBER_API void ember_stop_reset(struct ember_stop *stop);
/* Returns the text that may be shown now (valid until the next call); *stopped says that a stop
 * string was met, after which nothing more comes. */
EMBER_API struct ember_text ember_stop_push(struct ember_stop *stop, struct ember_text piece,
                                            bool *stopped);
/* What was held back, at the end of generation. */
EMBER_API struct ember_text ember_stop_flush(struct ember_stop *stop);
