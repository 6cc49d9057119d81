/* SPDX-License-Identifier: GPL-3.0-or-later */
/* answer.h - what `complete` and `chat` share: a model made ready to answer, answers that stream to
 * standard output or end up in JSON, and Ctrl-C, which stops the answer and not the program. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <ember/ember.h>

#include "options.h"
#include "output.h"
#include "run.h"
#include "sampling.h"

/* All options of both commands. */
struct answer_options {
    const char *text;        /* -p, or NULL */
    uint32_t n_tokens;       /* -n; 0: until the end */
    struct option_list stop; /* --stop */
    struct run_options running;
    struct sampling_options sampling;
};

enum { ANSWER_GROUPS = 3 };
/* Fills groups[0…ANSWER_GROUPS). */
void answer_option_groups(struct answer_options *answering, struct option_group *groups);

struct answerer {
    const struct options *options;
    const struct answer_options *answering;
    struct ember_model *model;
    struct ember_session *session;
    struct ember_sampler *sampler;
    bool stream; /* print the text as it comes */
};

/* Opens model, session and sampler; a file without a vocabulary is refused. `groups` are those that
 * answer_option_groups() filled and options_read() read. Returns an exit status; call
 * answerer_finish() on every outcome. From then on Ctrl-C is watched. */
int answerer_init(struct answerer *answerer, const struct options *options,
                  const struct answer_options *answering, const struct option_group *groups);
void answerer_finish(struct answerer *answerer);

struct answer {
    struct bytes text;
    struct bytes ids; /* of int32_t */
    struct ember_generate_result result;
};
void answer_finish(struct answer *answer);

/* Tokenizes the spans, adds what the file's settings add, and answers. STATUS_FINE also when Ctrl-C
 * stopped it. A refusal that leaves the session usable (the prompt is too long) is STATUS_FAILED
 * after its sentence; *lost says that standard output is gone and no more answers are of use. */
int answer_make(struct answerer *answerer, const struct ember_span *spans, size_t n_spans,
                struct answer *out, bool *lost);
/* Prints the answer as JSON and ends the output. */
int answer_print_json(const struct answer *answer);

/* How often Ctrl-C was pressed since the count was last set to 0. */
int interrupts(void);
void interrupts_forget(void);
/* A descriptor that can be read when Ctrl-C was pressed since it was last emptied; valid after
 * answerer_init() succeeded. Emptying says whether there was something. */
int interrupts_descriptor(void);
bool interrupts_empty(void);
