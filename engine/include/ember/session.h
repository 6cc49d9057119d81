/* SPDX-License-Identifier: GPL-3.0-or-later */
/* session.h - one running conversation with a loaded model.
 *
 * A model is read-only and may serve many sessions at once. A session is one timeline of tokens
 * with their KV cache, and belongs to one thread at a time; only ember_session_cancel() may be
 * called from another. A failed or cancelled call leaves the session usable: its timeline is then
 * some beginning of what was asked. Nothing is allocated in the token loop. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>
#include <ember/fit.h>
#include <ember/model.h>
#include <ember/sampler.h>

struct ember_session;

/* Starts a session; allocates exactly what ember_fit_plan() says for the same params. On success
 * *out owns it: free with ember_session_free(). The session keeps its own reference to `model`;
 * `params` (NULL = defaults) is read only during the call. EMBER_NO_MEMORY when memory is refused,
 * EMBER_INVALID for parameters that make no sense; both leave *out untouched. */
EMBER_API enum ember_status ember_session_new(struct ember_session **out, struct ember_model *model,
                                              const struct ember_fit_params *params,
                                              struct ember_error *err);
EMBER_API void ember_session_free(struct ember_session *session);

EMBER_API struct ember_model *ember_session_model(const struct ember_session *session);
/* The plan this session executes. Lives as long as the session. */
EMBER_API const struct ember_fit *ember_session_plan(const struct ember_session *session);
/* Bytes as allocated, to be compared with the plan. */
struct ember_session_memory {
    uint64_t weights, kv, checkpoint, compute;
};
EMBER_API void ember_session_memory(const struct ember_session *session,
                                    struct ember_session_memory *out);

/* The timeline: tokens whose KV is in the cache. Valid until the next call that changes it. */
EMBER_API const int32_t *ember_session_tokens(const struct ember_session *session, size_t *n);

/* Asks the running call, if any, to stop; seen within 100 ms. A request made while nothing runs is
 * dropped by the next call. Any thread. */
EMBER_API void ember_session_cancel(struct ember_session *session);

/* Keeps at most the first `n` tokens of the timeline. Returns how many are kept: fewer than asked
 * when a sliding window no longer reaches back (then as many as a checkpoint allows). */
EMBER_API size_t ember_session_keep(struct ember_session *session, size_t n);

/* Called on the session's thread with rows of logits: `row` is the position within this call's
 * tokens of the first row, `logits` holds n_rows × n_vocab floats and lives for the call only.
 * Return false to stop. */
typedef bool (*ember_logits_cb)(size_t row, size_t n_rows, const float *logits, void *user_data);

/* Reads `n` tokens after the present timeline. Of the last `n_rows` of them the logits go to `cb`
 * (NULL: none). EMBER_CONTEXT_FULL when they do not fit (nothing is read then), EMBER_INVALID for
 * an id outside the vocabulary, EMBER_CANCELLED. */
EMBER_API enum ember_status ember_session_read(struct ember_session *session, const int32_t *ids,
                                               size_t n, size_t n_rows, ember_logits_cb cb,
                                               void *user_data, struct ember_error *err);

enum ember_phase { EMBER_PHASE_IDLE, EMBER_PHASE_PREFILL, EMBER_PHASE_DECODE };
enum ember_stop_reason {
    EMBER_STOP_END,     /* the model ended its answer */
    EMBER_STOP_LENGTH,  /* max_tokens were generated */
    EMBER_STOP_STRING,  /* a stop string was met */
    EMBER_STOP_CONTEXT, /* the context is full */
    EMBER_STOP_CANCEL   /* cancelled, or a callback said so */
};

/* Called on the session's thread. */
struct ember_generate_events {
    /* Prompt tokens read so far (reused ones included) of all. Return false to stop. */
    bool (*progress)(size_t n_done, size_t n_total, void *user_data);
    /* One generated token and the whole UTF-8 text that it completes (may be empty). Text that was
     * held back (an unfinished character, the beginning of a stop string) comes at the end with the
     * id −1. Return false to stop. `text` lives for the call only. */
    bool (*token)(int32_t id, struct ember_text text, void *user_data);
    void *user_data;
};

struct ember_generate_params {
    const int32_t *prompt; /* the whole prompt; what equals the timeline's beginning is reused */
    size_t n_prompt;
    struct ember_sampler *sampler; /* reset, fed the prompt, then used */
    size_t max_tokens;             /* 0: until the end or the context is full */
    const char *const *stop;       /* stop strings */
    size_t n_stop;
    bool ignore_end; /* do not end at end tokens */
    struct ember_generate_events events;
};

struct ember_generate_result {
    enum ember_stop_reason stop;
    size_t n_prompt;      /* prompt tokens */
    size_t n_reused;      /* of those, found in the cache */
    size_t n_generated;   /* tokens generated, the ending token included */
    double prefill_s;     /* seconds spent reading the rest of the prompt */
    double decode_s;      /* seconds from the first generated token to the last */
    double first_token_s; /* seconds from the call to the first token */
};

/* Reads the prompt and generates. State machine: idle → prefill → decode → idle. `out` is filled on
 * every outcome. EMBER_OK for every stop reason, a cancel included; EMBER_CONTEXT_FULL when the
 * prompt itself does not fit (the sentence has both figures); EMBER_FORMAT when the weights make
 * logits that are not numbers; EMBER_NO_MEMORY; EMBER_INVALID for an empty prompt, an id outside
 * the vocabulary, or a sampler made for more tokens than the model has logits. */
EMBER_API enum ember_status ember_session_generate(struct ember_session *session,
                                                   const struct ember_generate_params *params,
                                                   struct ember_generate_result *out,
                                                   struct ember_error *err);

/* What the session is doing; for state displays. Its own thread. */
EMBER_API enum ember_phase ember_session_phase(const struct ember_session *session);

/* What reading tokens takes at least, by the shapes of the pass: for benchmarks. */
struct ember_work {
    uint64_t weight_bytes;  /* matrices, once for each step; the output matrix for each that wants
                               logits. A row of the embedding table is not counted */
    uint64_t kv_bytes;      /* keys and values that the tokens of a step may see, once per step */
    uint64_t multiply_adds; /* of matrices, and of attention to what each token may see */
};
/* Of `n` tokens behind `position` others, in steps as ember_session_read() makes them, with the
 * logits of the last n_rows. */
EMBER_API void ember_session_work(const struct ember_session *session, size_t position, size_t n,
                                  size_t n_rows, struct ember_work *out);

/* This machine's limits, measured now with the session's threads over the model's mapped weights
 * (at least 512 MiB are read, repeating them if the model is smaller): read bandwidth in GB/s
 * (10^9 bytes) and int8 multiply-add operations in Gop/s (2 per multiply-add) at the best vector
 * level. One measurement of some hundredths of a second: a limit may change while a program runs,
 * so compare with what was measured just before and after. */
EMBER_API enum ember_status ember_session_ceilings(struct ember_session *session, double *read_gbps,
                                                   double *int8_gops, struct ember_error *err);
