/* SPDX-License-Identifier: GPL-3.0-or-later */
/* op_attention.c - keys and values into the cache, and attention over it.
 *
 * All query heads of one key-value head share each row that is read. For few tokens, positions are
 * cut at multiples of CPU_SPLIT; each part starts afresh and the parts are merged in order, both
 * when one thread does them all and when several share them (decode over a long context): the bits
 * are the same. For many tokens, neighbouring ones share the rows too, as many as make a tile of
 * queries, and no position outside of their windows is read. */
#include <string.h>

#include "cpu/run.h"

static uint64_t element_bytes(const struct graph *g)
{
    return g->kv_f32 ? 4 : 2;
}

static void store_row(const struct cpu_run *r, uint64_t offset, const float *x, size_t n)
{
    uint8_t *to = (uint8_t *)r->run->cache->host + offset;
    if (r->graph->kv_f32)
        memcpy(to, x, n * sizeof *x);
    else
        r->kern->f32_to_f16(x, n, (uint16_t *)(void *)to);
}

/* Heads of a row are the q heads, then k, then v; each is finished by itself. */
void cpu_store_head(const struct cpu_run *r, const struct graph_store_kv *op, size_t t, size_t head)
{
    const struct graph *g = r->graph;
    const struct graph_cache *c = &g->caches[op->cache];
    const size_t n_q = op->n_heads, n_k = c->n_heads, d_k = c->d_k, d_v = c->d_v;
    const uint64_t slot = (r->run->position + t) % c->n_slots, size = element_bytes(g);
    float *row = cpu_value(r, op->qkv, t), *x = row + head * d_k;

    if (head >= n_q + n_k) {
        size_t kv = head - n_q - n_k;
        uint64_t at = (kv * c->n_slots + slot) * d_v * size;
        store_row(r, c->v_offset + at, row + (n_q + n_k) * d_k + kv * d_v, d_v);
        return;
    }
    cpu_norm(r, head < n_q ? &op->q_norm : &op->k_norm, x, d_k, x);
    if (op->rope_kind != GRAPH_ROPE_NONE) {
        const struct graph_rope *rope = &g->ropes[op->rope];
        r->kern->rope(x, cpu_value(r, rope->table, t), rope->n_rot / 2,
                      op->rope_kind == GRAPH_ROPE_NEOX);
    }
    if (head >= n_q) {
        store_row(r, c->k_offset + ((head - n_q) * c->n_slots + slot) * d_k * size, x, d_k);
        return;
    }
    for (size_t i = 0; op->q_scale != 1.0f && i < d_k; i++)
        x[i] *= op->q_scale;
}

void cpu_op_store_kv(const struct cpu_run *r, struct pool_team *team,
                     const struct graph_store_kv *op)
{
    size_t n_heads = op->n_heads + 2 * (size_t)r->graph->caches[op->cache].n_heads;
    size_t at = SIZE_MAX, end;

    while (pool_next(team, r->run->n_tokens * n_heads, 8, &at, &end))
        for (size_t item = at; item < end; item++)
            cpu_store_head(r, op, item / n_heads, item % n_heads);
}

/* Running maximum, sum and unnormalised output of one head group. */
struct state {
    float *m, *s, *o;
};

static struct state state_at(float *memory, size_t group)
{
    return (struct state){ memory, memory + group, memory + 2 * group };
}

static size_t state_floats(size_t group, size_t d_v)
{
    return group * (d_v + 2);
}

static void state_reset(struct state s, size_t group, size_t d_v)
{
    for (size_t i = 0; i < group; i++) {
        s.m[i] = -INFINITY;
        s.s[i] = 0.0f;
    }
    memset(s.o, 0, group * d_v * sizeof *s.o);
}

/* a := a and b, in this order. */
static void state_merge(struct state a, struct state b, size_t group, size_t d_v)
{
    for (size_t i = 0; i < group; i++) {
        if (b.m[i] == -INFINITY)
            continue;
        float m = a.m[i] > b.m[i] ? a.m[i] : b.m[i];
        float fa = expf(a.m[i] - m), fb = expf(b.m[i] - m);
        a.m[i] = m;
        a.s[i] = a.s[i] * fa + b.s[i] * fb;
        float *oa = a.o + i * d_v;
        const float *ob = b.o + i * d_v;
        for (size_t d = 0; d < d_v; d++)
            oa[d] = oa[d] * fa + ob[d] * fb;
    }
}

struct attention {
    const struct cpu_run *r;
    const struct graph_attend *op;
    const struct graph_cache *cache;
    size_t group;   /* query heads per key-value head */
    float *scratch; /* this thread's */
};

/* Positions [first, end) of one key-value head for one token's query group, into a fresh state. The
 * slots of a window wrap around once at most. */
static void attend_part(const struct attention *a, size_t t, size_t kv, uint64_t first,
                        uint64_t end, struct state state)
{
    const struct graph_cache *c = a->cache;
    const uint8_t *base = a->r->run->cache->host;
    uint64_t size = element_bytes(a->r->graph);
    struct kern_attend k = {
        .q = cpu_value(a->r, a->op->qkv, t) + kv * a->group * c->d_k,
        .q_stride = c->d_k,
        .n_q = a->group,
        .d_k = c->d_k,
        .d_v = c->d_v,
        .scale = a->op->scale,
        .softcap = a->op->softcap,
        .m = state.m,
        .s = state.s,
        .o = state.o,
        .scratch = a->scratch,
    };

    state_reset(state, a->group, c->d_v);
    while (first < end) {
        uint64_t slot = first % c->n_slots, n = end - first;
        if (n > c->n_slots - slot)
            n = c->n_slots - slot;
        uint64_t index = kv * c->n_slots + slot;
        k.k = base + c->k_offset + index * c->d_k * size;
        k.v = base + c->v_offset + index * c->d_v * size;
        k.n_pos = n;
        if (a->r->graph->kv_f32)
            a->r->kern->attend_f32(&k);
        else
            a->r->kern->attend_f16(&k);
        first += n;
    }
}

static void finish(const struct attention *a, size_t t, size_t kv, struct state s)
{
    size_t d_v = a->cache->d_v;
    float *out = cpu_value(a->r, a->op->out, t) + kv * a->group * d_v;
    for (size_t i = 0; i < a->group; i++)
        for (size_t d = 0; d < d_v; d++)
            out[i * d_v + d] = s.o[i * d_v + d] / s.s[i];
}

static uint64_t first_seen(const struct graph_cache *c, uint64_t position)
{
    return c->window && position + 1 > c->window ? position + 1 - c->window : 0;
}

/* Finished splits of each key-value head, of one token; zeroes between two ops. */
static atomic_uint *splits_done(const struct cpu_run *r)
{
    return (atomic_uint *)(void *)(r->scratch + r->plan->splits_done);
}

/* One token over a long context: threads share its splits, and who does the last one of a head
 * merges them all, always in their order. */
static void attend_splits(const struct attention *a, struct pool_team *team, uint64_t first,
                          uint64_t end)
{
    const struct graph_cache *c = a->cache;
    uint64_t base = first / CPU_SPLIT, n_splits = (end - 1) / CPU_SPLIT - base + 1;
    size_t floats = state_floats(a->group, c->d_v), at = SIZE_MAX, last;
    float *partials = (float *)(a->r->scratch + a->r->plan->partials);

    while (pool_next(team, c->n_heads * n_splits, 1, &at, &last)) {
        if (cpu_cancelled(a->r))
            continue;
        size_t kv = at / n_splits, first_split = kv * n_splits;
        uint64_t split = base + at % n_splits;
        uint64_t from = split * CPU_SPLIT, to = from + CPU_SPLIT;
        attend_part(a, 0, kv, from > first ? from : first, to < end ? to : end,
                    state_at(partials + at * floats, a->group));
        if (atomic_fetch_add(&splits_done(a->r)[kv], 1) + 1 < n_splits)
            continue;
        atomic_store_explicit(&splits_done(a->r)[kv], 0, memory_order_relaxed);
        struct state s = state_at(partials + first_split * floats, a->group);
        for (uint64_t i = 1; i < n_splits; i++)
            state_merge(s, state_at(partials + (first_split + i) * floats, a->group), a->group,
                        c->d_v);
        finish(a, 0, kv, s);
    }
}

/* ---- tiles of queries ---- */

/* A thread's memory for one tile. */
struct tile {
    float *scratch; /* the kernel's */
    float *q, *m, *s, *o;
    uint32_t *from, *to;
};

static size_t take(size_t *at, size_t n_bytes)
{
    size_t where = *at;
    *at += (n_bytes + 63) / 64 * 64;
    return where;
}

/* Lays a tile out in `memory`; returns its size. */
static size_t tile_at(uint8_t *memory, size_t d_k, size_t d_v, struct tile *t)
{
    const size_t n = KERN_TILE_QUERIES * sizeof(float);
    size_t at = 0, scratch = take(&at, kern_attend_tile_scratch(d_k, d_v));
    size_t q = take(&at, n * d_k), o = take(&at, n * kern_tile_stride(d_v));
    size_t m = take(&at, n), s = take(&at, n), from = take(&at, n), to = take(&at, n);

    if (memory)
        *t = (struct tile){
            .scratch = (float *)(void *)(memory + scratch),
            .q = (float *)(void *)(memory + q),
            .m = (float *)(void *)(memory + m),
            .s = (float *)(void *)(memory + s),
            .o = (float *)(void *)(memory + o),
            .from = (uint32_t *)(void *)(memory + from),
            .to = (uint32_t *)(void *)(memory + to),
        };
    return at;
}

size_t cpu_attend_tile_bytes(size_t group, size_t d_k, size_t d_v)
{
    return group > KERN_TILE_QUERIES ? 0 : tile_at(NULL, d_k, d_v, NULL);
}

static uint32_t within(uint64_t position, uint64_t first, uint64_t n)
{
    return (uint32_t)(position <= first ? 0 : position - first < n ? position - first : n);
}

/* Tokens [t, t + n) of one key-value head's group. */
static void attend_tile(const struct attention *a, const struct tile *tile, size_t kv, size_t t,
                        size_t n)
{
    const struct graph_cache *c = a->cache;
    const uint8_t *base = a->r->run->cache->host;
    const uint64_t size = element_bytes(a->r->graph), p = a->r->run->position;
    const size_t stride = kern_tile_stride(c->d_v);
    struct kern_attend_tile k = {
        .q = tile->q,
        .n_q = n * a->group,
        .from = tile->from,
        .to = tile->to,
        .d_k = c->d_k,
        .d_v = c->d_v,
        .softcap = a->op->softcap,
        .m = tile->m,
        .s = tile->s,
        .o = tile->o,
        .scratch = tile->scratch,
    };

    state_reset((struct state){ tile->m, tile->s, tile->o }, k.n_q, stride);
    for (size_t i = 0; i < n; i++) {
        const float *q = cpu_value(a->r, a->op->qkv, t + i) + kv * a->group * c->d_k;
        float *to = tile->q + i * a->group * c->d_k;
        for (size_t d = 0; d < a->group * c->d_k; d++)
            to[d] = q[d] * a->op->scale;
    }
    /* The kernel cuts at the same slots whatever this tile sees, so that its bits do not depend on
     * which tokens are together. */
    uint64_t first = first_seen(c, p + t), end = p + t + n;
    first -= first % c->n_slots % KERN_TILE_QUERIES;
    while (first < end) {
        uint64_t slot = first % c->n_slots, count = end - first;
        if (count > c->n_slots - slot)
            count = c->n_slots - slot;
        for (size_t i = 0; i < k.n_q; i++) {
            uint64_t position = p + t + i / a->group;
            tile->from[i] = within(first_seen(c, position), first, count);
            tile->to[i] = within(position + 1, first, count);
        }
        uint64_t index = kv * c->n_slots + slot;
        k.k = base + c->k_offset + index * c->d_k * size;
        k.v = base + c->v_offset + index * c->d_v * size;
        k.n_pos = count;
        if (a->r->graph->kv_f32)
            a->r->kern->attend_tile_f32(&k);
        else
            a->r->kern->attend_tile_f16(&k);
        first += count;
    }
    for (size_t i = 0; i < k.n_q; i++) {
        float *out = cpu_value(a->r, a->op->out, t + i / a->group);
        out += (kv * a->group + i % a->group) * c->d_v;
        for (size_t d = 0; d < c->d_v; d++)
            out[d] = tile->o[i * stride + d] / tile->s[i];
    }
}

static void attend_tiles(const struct attention *a, struct pool_team *team)
{
    const size_t n_tokens = a->r->run->n_tokens, width = KERN_TILE_QUERIES / a->group;
    const size_t n_tiles = (n_tokens + width - 1) / width;
    struct tile tile = { 0 };
    size_t at = SIZE_MAX, end;

    tile_at((uint8_t *)a->scratch, a->cache->d_k, a->cache->d_v, &tile);
    while (pool_next(team, n_tiles * a->cache->n_heads, 1, &at, &end)) {
        if (cpu_cancelled(a->r))
            continue;
        /* Late tokens see most: they come first, so that no long piece is left for the end. */
        size_t t = (n_tiles - 1 - at / a->cache->n_heads) * width;
        attend_tile(a, &tile, at % a->cache->n_heads, t,
                    n_tokens - t < width ? n_tokens - t : width);
    }
}

void cpu_op_attend(const struct cpu_run *r, struct pool_team *team, const struct graph_attend *op)
{
    const struct graph_cache *c = &r->graph->caches[op->cache];
    struct attention a = {
        .r = r,
        .op = op,
        .cache = c,
        .group = op->n_heads / c->n_heads,
        .scratch = cpu_thread_part(r, team, r->plan->t_attend),
    };
    uint64_t p = r->run->position, from = first_seen(c, p);

    if (r->run->n_tokens == 1 && from / CPU_SPLIT != p / CPU_SPLIT) {
        attend_splits(&a, team, from, p + 1);
        return;
    }

    if (r->run->n_tokens >= CPU_TILES_FROM && a.group <= KERN_TILE_QUERIES) {
        attend_tiles(&a, team);
        return;
    }

    float *memory = cpu_thread_part(r, team, r->plan->t_state);
    struct state whole = state_at(memory, a.group);
    struct state part = state_at(memory + state_floats(a.group, c->d_v), a.group);
    size_t at = SIZE_MAX, end;
    while (pool_next(team, (size_t)r->run->n_tokens * c->n_heads, 1, &at, &end)) {
        if (cpu_cancelled(r))
            continue;
        /* Neighbouring items are neighbouring tokens of one head: they read the same keys. */
        size_t kv = at / r->run->n_tokens, t = at % r->run->n_tokens;
        uint64_t position = p + t, first = first_seen(c, position), stop = position + 1;
        bool begun = false;
        while (first < stop) {
            uint64_t border = (first / CPU_SPLIT + 1) * CPU_SPLIT;
            attend_part(&a, t, kv, first, border < stop ? border : stop, begun ? part : whole);
            if (begun)
                state_merge(whole, part, a.group, c->d_v);
            begun = true;
            first = border;
        }
        finish(&a, t, kv, whole);
    }
}
