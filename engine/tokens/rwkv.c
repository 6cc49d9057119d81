/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RWKV's "world" vocabulary: always the longest token that fits. Its texts are written with
 * escapes, as in a program's source. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "tokens/work.h"

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Undoes the escapes of text[0..size) into out, which is as large; returns the bytes written. */
static uint32_t unescape(const char *text, uint32_t size, char *out)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < size; i++) {
        if (text[i] != '\\' || i + 1 == size) {
            out[n++] = text[i];
            continue;
        }
        char c = text[++i];
        if (c == 'x' && i + 2 < size && hex(text[i + 1]) >= 0 && hex(text[i + 2]) >= 0) {
            out[n++] = (char)(hex(text[i + 1]) << 4 | hex(text[i + 2]));
            i += 2;
        } else {
            out[n++] = c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
        }
    }
    return n;
}

enum ember_status tok_rwkv_load(struct ember_tokenizer *t, struct ember_error *err)
{
    int32_t *ids = malloc(t->n_tokens * sizeof *ids);
    size_t total = 1;
    uint32_t n = 0;

    for (uint32_t id = 0; id < t->n_tokens; id++)
        total += t->pieces[id].size;
    char *bytes = arena_alloc(&t->arena, total, 1);
    t->raw = arena_alloc(&t->arena, t->n_tokens, sizeof *t->raw);
    bool fine = ids && bytes && t->raw;
    for (uint32_t id = 0; fine && id < t->n_tokens; id++) {
        const struct tok_piece *piece = &t->pieces[id];
        t->raw[id] = *piece;
        t->raw[id].data = bytes;
        t->raw[id].size = unescape(piece->data, piece->size, bytes);
        bytes += t->raw[id].size;
        if (tok_is_plain(t, (int32_t)id))
            ids[n++] = (int32_t)id;
    }
    fine = fine && tok_index_init(&t->matcher, &t->arena, t->raw, ids, n);
    free(ids);
    return fine ? EMBER_OK
                : ember_fail(err, EMBER_NO_MEMORY, "%s: no memory for the vocabulary",
                             ember_gguf_path(t->gguf));
}

enum ember_status tok_rwkv(const struct ember_tokenizer *t, const char *text, uint32_t size,
                           struct tok_work *work, struct ember_tokens *out, struct ember_error *err)
{
    bool fine = true;

    for (uint32_t at = 0; fine && at < size;) {
        struct tok_walk walk = tok_walk_begin(&t->matcher);
        int32_t id = t->unk;
        uint32_t step = 1;
        while (walk.low < walk.high && at + walk.depth < size) {
            int32_t place = tok_walk_step(&t->matcher, &walk, (uint8_t)text[at + walk.depth]);
            if (place >= 0) {
                id = t->matcher.ids[place];
                step = walk.depth;
            }
        }
        if (id >= 0)
            fine = tok_emit(out, id);
        at += step;
        fine = fine && tok_go_on(work, at);
    }
    return fine ? EMBER_OK
                : ember_fail(err, EMBER_NO_MEMORY, "no memory to tokenise %u bytes", size);
}
