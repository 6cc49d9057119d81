/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ember/tokenizer.h>

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "tokens/work.h"

/* Escaping makes three bytes of one; positions stay below 2^31 with that. */
enum { MAX_TEXT = INT32_MAX / 4 };

void ember_tokens_finish(struct ember_tokens *tokens)
{
    if (!tokens)
        return;
    free(tokens->ids);
    *tokens = (struct ember_tokens){ 0 };
}

/* Makes one text of the spans. input->trusted and, of several spans, *joined are malloc'ed. */
static enum ember_status join(const struct ember_span *spans, size_t n_spans,
                              struct tok_input *input, char **joined, struct ember_error *err)
{
    uint64_t size = 0;

    for (size_t i = 0; i < n_spans; i++) {
        if (spans[i].text.size > MAX_TEXT || size + spans[i].text.size > MAX_TEXT)
            return ember_fail(err, EMBER_INVALID, "the text is longer than %d bytes", MAX_TEXT);
        size += spans[i].text.size;
    }
    input->size = (uint32_t)size;
    input->trusted = malloc((n_spans + 1) * sizeof *input->trusted);
    if (n_spans != 1)
        *joined = malloc(size + 1);
    if (!input->trusted || (n_spans != 1 && !*joined))
        return ember_fail(err, EMBER_NO_MEMORY, "no memory to tokenise %u bytes", input->size);
    input->text = n_spans == 1 ? spans[0].text.data : *joined;

    uint32_t at = 0;
    for (size_t i = 0; i < n_spans; i++) {
        uint32_t length = (uint32_t)spans[i].text.size;
        if (!length)
            continue;
        if (*joined)
            memcpy(*joined + at, spans[i].text.data, length);
        if (spans[i].parse_special) {
            /* A token may reach from one trusted span into the next. */
            if (input->n_trusted && input->trusted[input->n_trusted - 1].to == at)
                input->trusted[input->n_trusted - 1].to = at + length;
            else
                input->trusted[input->n_trusted++] = (struct tok_range){ at, at + length };
        }
        at += length;
    }
    return EMBER_OK;
}

static enum ember_status encode_plain(const struct ember_tokenizer *t, const char *text,
                                      uint32_t size, bool first, struct tok_work *work,
                                      struct ember_tokens *out, struct ember_error *err)
{
    switch (t->model) {
    case TOK_SPM:
        return tok_spm(t, text, size, first, work, out, err);
    case TOK_BPE:
        return tok_bpe(t, text, size, work, out, err);
    case TOK_WPM:
        return tok_wpm(t, text, size, work, out, err);
    case TOK_UGM:
        return tok_ugm(t, text, size, work, out, err);
    case TOK_RWKV:
        return tok_rwkv(t, text, size, work, out, err);
    }
    return ember_fail(err, EMBER_UNSUPPORTED, "an unknown kind of vocabulary");
}

static enum ember_status encode(const struct ember_tokenizer *t, const struct tok_input *input,
                                bool add_special, struct tok_work *work, struct ember_tokens *out,
                                struct ember_error *err)
{
    const struct tok_part *parts = work->parts;
    size_t n = work->n_parts;
    enum ember_status st = EMBER_OK;
    bool fine = true;

    if (add_special && ember_tokenizer_adds_bos(t) && !(n && parts[0].id == t->bos))
        fine = tok_emit(out, t->bos);
    for (size_t i = 0; fine && st == EMBER_OK && i < n; i++) {
        if (parts[i].id >= 0)
            fine = tok_emit(out, parts[i].id);
        else
            st = encode_plain(t, input->text + parts[i].at, parts[i].size,
                              i == 0 || parts[i - 1].id >= 0, work, out, err);
        work->n_done = parts[i].at + parts[i].size;
        if (!tok_go_on(work, 0))
            break;
    }
    if (fine && st == EMBER_OK && add_special && ember_tokenizer_adds_eos(t) &&
        !(n && parts[n - 1].id == t->eos))
        fine = tok_emit(out, t->eos);
    return fine ? st
                : ember_fail(err, EMBER_NO_MEMORY, "no memory to tokenise %u bytes", input->size);
}

enum ember_status ember_tokenize_watched(const struct ember_tokenizer *t,
                                         const struct ember_span *spans, size_t n_spans,
                                         const struct ember_tokenize_params *params,
                                         struct ember_tokens *out, struct ember_error *err)
{
    struct tok_input input = { 0 };
    struct tok_work work = { .params = params };
    char *joined = NULL;
    size_t n_before = out->n;
    enum ember_status st = join(spans, n_spans, &input, &joined, err);

    work.n_all = input.size;
    if (st == EMBER_OK)
        st = tok_partition(t, &input, &work, err);
    if (st == EMBER_OK)
        st = encode(t, &input, params->add_special, &work, out, err);
    if (work.cancelled)
        st = ember_fail(err, EMBER_CANCELLED, "tokenising %u bytes was cancelled", input.size);
    if (st != EMBER_OK)
        out->n = n_before;
    free(joined);
    free(input.trusted);
    tok_work_finish(&work);
    return st;
}

enum ember_status ember_tokenize(const struct ember_tokenizer *t, const struct ember_span *spans,
                                 size_t n_spans, bool add_special, struct ember_tokens *out,
                                 struct ember_error *err)
{
    const struct ember_tokenize_params params = { .add_special = add_special };
    return ember_tokenize_watched(t, spans, n_spans, &params, out, err);
}
