/* SPDX-License-Identifier: GPL-3.0-or-later */
/* session.h - a session inside the engine.
 *
 *             generate()            last prompt row             end, length, stop, full, cancel
 *   IDLE ───────────────▶ PREFILL ───────────────▶ DECODE ─────────────────────────────────▶ IDLE
 *     ▲                      │ cancel, error                                                   │
 *     └──────────────────────┴─────────────────────────────────────────────────────────────────┘
 *
 * In every state: the cache holds keys and values of tokens[0 … n_tokens); slots behind that may
 * hold anything. session_run() is the one function that adds tokens, ember_session_keep() the one
 * that drops them. */
#pragma once

#include <stdatomic.h>

#include <ember/session.h>

#include "fit/plan.h"
#include "graph/backend.h"
#include "model/model.h"

/* Copy of the sliding windows as they were when `position` tokens had been read. */
struct session_checkpoint {
    struct backend_buffer memory;
    uint32_t position;
    bool valid;
};

struct ember_session {
    struct ember_model *model;
    struct fit_plan plan;
    struct backend *backend;
    struct backend_buffer values, cache, scratch;

    int32_t *tokens; /* [n_ctx] */
    size_t n_tokens;

    /* Per cache: the lowest position whose slot still holds its own keys. */
    uint32_t *lowest;
    struct session_checkpoint checkpoint;

    float *row;          /* logits after the first row_position tokens of the timeline */
    size_t row_position; /* 0 = none */

    enum ember_phase phase;
    atomic_bool cancel;
};

/* Reads up to n_batch tokens that the context has room for and adds them to the timeline. */
enum ember_status session_run(struct ember_session *s, const int32_t *ids, uint32_t n,
                              struct ember_error *err);
/* Logits of rows [first, first + n) of the batch last run, n ≤ n_logits; valid until the next run.
 */
enum ember_status session_logits(struct ember_session *s, uint32_t first, uint32_t n,
                                 const float **out, struct ember_error *err);

/* windows.c */
void session_windows_reset(struct ember_session *s);
/* Slots are about to be overwritten by positions [n_tokens, n_tokens + n). */
void session_windows_advance(struct ember_session *s, uint32_t n);
void session_checkpoint_save(struct ember_session *s);
/* How many of the first n tokens can be kept; restores the checkpoint where that keeps more. */
size_t session_windows_keep(struct ember_session *s, size_t n);
