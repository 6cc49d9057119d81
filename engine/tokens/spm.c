/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SentencePiece's way of merging: any two neighbours that make a token, the best score first. */
#include <string.h>

#include "base/fail.h"
#include "tokens/work.h"

/* A number that is smaller for a better score. Floats order like their bits, but for the sign. */
static uint32_t priority_of(float score)
{
    uint32_t bits;

    if (score != score)
        return TOK_NO_PAIR - 1; /* not a number: last */
    score += 0.0f;              /* makes the two zeros one */
    memcpy(&bits, &score, sizeof bits);
    bits = bits >> 31 ? bits : ~bits & 0x7FFFFFFFu;
    return bits < TOK_NO_PAIR - 1 ? bits : TOK_NO_PAIR - 1;
}

bool tok_spm_pair(const struct ember_tokenizer *t, const char *text, const struct tok_node *a,
                  const struct tok_node *b, uint32_t *priority, int32_t *merged)
{
    if (a->size + b->size > t->max_piece)
        return false;
    *merged = tok_find_plain(t, text + a->at, a->size + b->size);
    if (*merged < 0)
        return false;
    *priority = priority_of(t->scores ? t->scores[*merged] : 0);
    return true;
}

bool tok_escape_spaces(const char *text, uint32_t size, bool prefix, struct text_buffer *out)
{
    out->size = 0;
    if (prefix)
        text_append(out, "▁", 3);
    for (uint32_t at = 0; at < size;) {
        const char *space = memchr(text + at, ' ', size - at);
        uint32_t run = space ? (uint32_t)(space - text) - at : size - at;
        text_append(out, text + at, run);
        if (space)
            text_append(out, "▁", 3);
        at += run + (space != NULL);
    }
    return !out->failed;
}

/* A character that is no token, byte by byte; without byte tokens it is unknown as a whole. */
static bool emit_bytes(const struct ember_tokenizer *t, const char *bytes, uint32_t size,
                       struct ember_tokens *out)
{
    bool unknown = false;
    for (uint32_t i = 0; i < size; i++) {
        int32_t id = t->byte_token[(uint8_t)bytes[i]];
        if (id < 0)
            unknown = true;
        else if (!tok_emit(out, id))
            return false;
    }
    return !unknown || t->unk < 0 || tok_emit(out, t->unk);
}

enum ember_status tok_spm(const struct ember_tokenizer *t, const char *text, uint32_t size,
                          bool first, struct tok_work *work, struct ember_tokens *out,
                          struct ember_error *err)
{
    uint32_t codepoint;
    bool fine = tok_escape_spaces(text, size, first && t->space_prefix, &work->text);

    text = work->text.data;
    size = (uint32_t)work->text.size;
    work->n_nodes = 0;
    for (uint32_t at = 0; fine && at < size;) {
        uint32_t step = (uint32_t)utf8_decode(text + at, size - at, &codepoint);
        fine = tok_node_add(work, at, step, TOK_NONE);
        at += step;
    }
    if (fine)
        fine = tok_merge_all(t, work, text);
    for (uint32_t i = 0; fine && size && i != TOK_END_OF_LIST; i = work->nodes[i].next) {
        const struct tok_node *node = &work->nodes[i];
        /* What merging made is a token; a lone character may be one. */
        int32_t id =
            node->symbol >= 0 ? node->symbol : tok_find_plain(t, text + node->at, node->size);
        fine = id >= 0 ? tok_emit(out, id) : emit_bytes(t, text + node->at, node->size, out);
    }
    if (!fine)
        return ember_fail(err, EMBER_NO_MEMORY, "no memory to tokenise %u bytes", size);
    return EMBER_OK;
}
