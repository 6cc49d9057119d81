/* SPDX-License-Identifier: GPL-3.0-or-later */
/* windows.c - going back in time with sliding windows.
 *
 * A windowed layer keeps window + batch slots. To go on after the first n tokens it needs positions
 * [n − window + 1, n); a long answer has overwritten them. So the windows are copied aside at the
 * end of every prompt, which is where regenerating and the next turn go back to. */
#include <string.h>

#include "session/session.h"

static bool slides(const struct ember_session *s, const struct graph_cache *c)
{
    return c->window && c->n_slots < s->plan.graph.n_ctx;
}

void session_windows_reset(struct ember_session *s)
{
    for (uint32_t i = 0; i < s->plan.graph.n_caches; i++)
        s->lowest[i] = 0;
    s->checkpoint.valid = false;
}

void session_windows_advance(struct ember_session *s, uint32_t n)
{
    uint64_t end = s->n_tokens + n;
    for (uint32_t i = 0; i < s->plan.graph.n_caches; i++) {
        const struct graph_cache *c = &s->plan.graph.caches[i];
        if (slides(s, c) && end > c->n_slots && end - c->n_slots > s->lowest[i])
            s->lowest[i] = (uint32_t)(end - c->n_slots);
    }
}

/* Copies positions [end − window, end) of one cache to or from `memory`; returns what it takes. */
static uint64_t copy_window(struct ember_session *s, const struct graph_cache *c, uint32_t end,
                            uint8_t *memory, bool save)
{
    const uint64_t size = s->plan.graph.kv_f32 ? 4 : 2;
    uint8_t *cache = s->cache.host, *at = memory;

    for (int part = 0; part < 2; part++) {
        uint64_t row = (part ? c->d_v : c->d_k) * size;
        uint8_t *base = cache + (part ? c->v_offset : c->k_offset);
        for (uint32_t head = 0; head < c->n_heads; head++)
            for (uint32_t i = 0; i < c->window; i++, at += row) {
                if (end + i < c->window)
                    continue; /* before the first position */
                uint64_t slot = (end + i - c->window) % c->n_slots;
                uint8_t *there = base + ((uint64_t)head * c->n_slots + slot) * row;
                memcpy(save ? at : there, save ? there : at, row);
            }
    }
    return (uint64_t)(at - memory);
}

static void copy_windows(struct ember_session *s, bool save)
{
    uint8_t *at = s->checkpoint.memory.host;
    for (uint32_t i = 0; i < s->plan.graph.n_caches; i++) {
        const struct graph_cache *c = &s->plan.graph.caches[i];
        if (!slides(s, c))
            continue;
        at += copy_window(s, c, s->checkpoint.position, at, save);
        if (!save)
            s->lowest[i] =
                s->checkpoint.position > c->window ? s->checkpoint.position - c->window : 0;
    }
}

void session_checkpoint_save(struct ember_session *s)
{
    if (!s->checkpoint.memory.host)
        return;
    s->checkpoint.position = (uint32_t)s->n_tokens;
    s->checkpoint.valid = true;
    copy_windows(s, true);
}

size_t session_windows_keep(struct ember_session *s, size_t n)
{
    struct session_checkpoint *k = &s->checkpoint;
    bool reaches = true;

    for (uint32_t i = 0; i < s->plan.graph.n_caches && reaches; i++) {
        const struct graph_cache *c = &s->plan.graph.caches[i];
        uint64_t first = n + 1 > c->window ? n + 1 - c->window : 0;
        reaches = !slides(s, c) || first >= s->lowest[i];
    }
    if (!reaches) {
        /* The copy holds one position more than going on at its own place needs. */
        if (k->valid && k->position <= n + 1) {
            copy_windows(s, false);
            n = k->position < n ? k->position : n;
        } else {
            n = 0;
        }
    }
    if (k->valid && n < k->position)
        k->valid = false; /* what follows will be another text */
    if (n == 0)
        session_windows_reset(s);
    return n;
}
