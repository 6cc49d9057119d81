/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ember/tokenizer.h>

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "tokens/tokens.h"

/* Escaping makes three bytes of one; positions stay below 2^31 with that. */
enum { MAX_TEXT = INT32_MAX / 4 };

void ember_tokens_finish(struct ember_tokens *tokens)
{
    if (!tokens)
        return;
    free(tokens->ids);
    *tokens = (struct ember_tokens){ 0 };
}

/* The spans as one text, and where it may hold control tokens. Both are malloc'ed. */
struct joined {
    char *owned;
    const char *text;
    uint32_t size;
    struct tok_range *trusted;
    size_t n_trusted;
};

static enum ember_status join(struct joined *j, const struct ember_span *spans, size_t n_spans,
                              struct ember_error *err)
{
    uint64_t size = 0;

    for (size_t i = 0; i < n_spans; i++) {
        if (spans[i].text.size > MAX_TEXT || size + spans[i].text.size > MAX_TEXT)
            return ember_fail(err, EMBER_INVALID, "the text is longer than %d bytes", MAX_TEXT);
        size += spans[i].text.size;
    }
    j->size = (uint32_t)size;
    j->trusted = malloc((n_spans + 1) * sizeof *j->trusted);
    if (n_spans != 1)
        j->owned = malloc(j->size + 1);
    if (!j->trusted || (n_spans != 1 && !j->owned))
        return ember_fail(err, EMBER_NO_MEMORY, "no memory to tokenise %u bytes", j->size);
    j->text = n_spans == 1 ? spans[0].text.data : j->owned;

    uint32_t at = 0;
    for (size_t i = 0; i < n_spans; i++) {
        uint32_t length = (uint32_t)spans[i].text.size;
        if (j->owned && length)
            memcpy(j->owned + at, spans[i].text.data, length);
        if (spans[i].parse_special && length) {
            /* A token may reach from one trusted span into the next. */
            if (j->n_trusted && j->trusted[j->n_trusted - 1].to == at)
                j->trusted[j->n_trusted - 1].to = at + length;
            else
                j->trusted[j->n_trusted++] = (struct tok_range){ at, at + length };
        }
        at += length;
    }
    return EMBER_OK;
}

static enum ember_status encode(const struct ember_tokenizer *t, const struct joined *j,
                                const struct tok_part *parts, size_t n_parts, bool add_special,
                                struct tok_work *work, struct ember_tokens *out,
                                struct ember_error *err)
{
    enum ember_status st = EMBER_OK;
    bool fine = true;

    if (add_special && ember_tokenizer_adds_bos(t) && !(n_parts && parts[0].id == t->bos))
        fine = tok_emit(out, t->bos);
    for (size_t i = 0; fine && st == EMBER_OK && i < n_parts; i++) {
        const struct tok_part *part = &parts[i];
        if (part->id >= 0)
            fine = tok_emit(out, part->id);
        else if (t->model == TOK_SPM)
            st = tok_spm(t, j->text + part->at, part->size, i == 0 || parts[i - 1].id >= 0, work,
                         out, err);
        else if (t->model == TOK_WPM)
            st = tok_wpm(t, j->text + part->at, part->size, work, out, err);
        else
            st = tok_bpe(t, j->text + part->at, part->size, work, out, err);
    }
    if (fine && st == EMBER_OK && add_special && ember_tokenizer_adds_eos(t) &&
        !(n_parts && parts[n_parts - 1].id == t->eos))
        fine = tok_emit(out, t->eos);
    return fine ? st : ember_fail(err, EMBER_NO_MEMORY, "no memory to tokenise %u bytes", j->size);
}

enum ember_status ember_tokenize(const struct ember_tokenizer *t, const struct ember_span *spans,
                                 size_t n_spans, bool add_special, struct ember_tokens *out,
                                 struct ember_error *err)
{
    struct joined j = { 0 };
    struct tok_work work = { 0 };
    struct tok_part *parts = NULL;
    size_t n_parts = 0, n_before = out->n;
    enum ember_status st = join(&j, spans, n_spans, err);

    if (st == EMBER_OK)
        st = tok_partition(t, j.text, j.size, j.trusted, j.n_trusted, &parts, &n_parts, &work.heap,
                           err);
    if (st == EMBER_OK)
        st = encode(t, &j, parts, n_parts, add_special, &work, out, err);
    if (st != EMBER_OK)
        out->n = n_before;
    free(parts);
    free(j.owned);
    free(j.trusted);
    tok_work_finish(&work);
    return st;
}
