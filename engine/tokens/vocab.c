/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ember/tokenizer.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "tokens/pretokenize.h"

/* ---- texts to ids ---- */

const struct tok_piece *tok_symbol(const struct ember_tokenizer *t, int32_t symbol)
{
    uint32_t i = (uint32_t)symbol;
    return i < t->n_tokens ? &t->pieces[i] : &t->extra[i - t->n_tokens];
}

bool tok_is_plain(const struct ember_tokenizer *t, int32_t id)
{
    if (id < 0 || (uint32_t)id >= t->n_tokens)
        return false;
    const struct tok_piece *piece = &t->pieces[id];
    return !(piece->flags & TOK_GUARDED) && piece->kind != EMBER_TOKEN_BYTE;
}

static bool same(const struct tok_piece *piece, const char *data, size_t size)
{
    return piece->size == size && memcmp(piece->data, data, size) == 0;
}

int32_t tok_find_symbol(const struct ember_tokenizer *t, const char *data, size_t size)
{
    uint64_t hash = hash_bytes(&t->key, data, size);
    uint32_t tag = (uint32_t)(hash >> 32);

    for (uint32_t i = (uint32_t)hash & t->texts.mask;; i = (i + 1) & t->texts.mask) {
        const struct tok_slot *slot = &t->texts.slots[i];
        if (!slot->id1)
            return TOK_NONE;
        int32_t id = (int32_t)(slot->id1 - 1);
        if (slot->tag == tag && same(tok_symbol(t, id), data, size))
            return id;
    }
}

int32_t tok_find(const struct ember_tokenizer *t, const char *data, size_t size)
{
    int32_t id = tok_find_symbol(t, data, size);
    return id >= 0 && (uint32_t)id < t->n_tokens ? id : TOK_NONE;
}

int32_t tok_find_plain(const struct ember_tokenizer *t, const char *data, size_t size)
{
    int32_t id = tok_find_symbol(t, data, size);
    return tok_is_plain(t, id) ? id : TOK_NONE;
}

/* The tag holds only the upper half of a hash, so growing hashes the texts again. */
static bool texts_grow(struct ember_tokenizer *t, uint32_t capacity)
{
    struct tok_texts *texts = &t->texts;
    struct tok_slot *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t i = 0; texts->slots && i <= texts->mask; i++) {
        struct tok_slot slot = texts->slots[i];
        if (!slot.id1)
            continue;
        const struct tok_piece *piece = tok_symbol(t, (int32_t)(slot.id1 - 1));
        uint32_t at = (uint32_t)hash_bytes(&t->key, piece->data, piece->size) & (capacity - 1);
        while (slots[at].id1)
            at = (at + 1) & (capacity - 1);
        slots[at] = slot;
    }
    free(texts->slots);
    texts->slots = slots;
    texts->mask = capacity - 1;
    return true;
}

bool tok_texts_add(struct ember_tokenizer *t, int32_t id, int32_t *known)
{
    struct tok_texts *texts = &t->texts;
    const struct tok_piece *piece = tok_symbol(t, id);
    uint64_t hash = hash_bytes(&t->key, piece->data, piece->size);
    uint32_t tag = (uint32_t)(hash >> 32), at;

    if (texts->n >= texts->mask - texts->mask / 4) {
        if (texts->mask >= UINT32_MAX / 4 || !texts_grow(t, (texts->mask + 1) * 2))
            return false;
    }
    for (at = (uint32_t)hash & texts->mask; texts->slots[at].id1; at = (at + 1) & texts->mask) {
        int32_t other = (int32_t)(texts->slots[at].id1 - 1);
        if (texts->slots[at].tag == tag && same(tok_symbol(t, other), piece->data, piece->size)) {
            *known = other;
            return true;
        }
    }
    texts->slots[at] = (struct tok_slot){ .tag = tag, .id1 = (uint32_t)id + 1 };
    texts->n++;
    *known = TOK_NONE;
    return true;
}

/* ---- the arrays of the file ---- */

/* What a file with an empty text is read as; enough for the reference, which wants texts unique. */
static bool name_empty(struct ember_tokenizer *t, uint32_t id, struct ember_text *text)
{
    char name[32];
    int size = snprintf(name, sizeof name, "[EMPTY_%u]", id);
    text->data = arena_copy(&t->arena, name, (size_t)size);
    text->size = (size_t)size;
    return text->data != NULL;
}

static enum ember_status load_pieces(struct ember_tokenizer *t, struct ember_error *err)
{
    const struct ember_gguf *gguf = t->gguf;
    const char *path = ember_gguf_path(gguf);
    int64_t tokens = ember_gguf_find(gguf, "tokenizer.ggml.tokens");
    uint32_t capacity = 16;

    if (tokens < 0)
        return ember_fail(err, EMBER_NOT_FOUND, "%s: tokenizer.ggml.tokens is missing", path);
    uint64_t n = ember_gguf_key_length(gguf, (uint64_t)tokens);
    if (ember_gguf_key_type(gguf, (uint64_t)tokens) != EMBER_GGUF_ARRAY ||
        ember_gguf_key_element_type(gguf, (uint64_t)tokens) != EMBER_GGUF_STRING || n == 0)
        return ember_fail(err, EMBER_FORMAT, "%s: tokenizer.ggml.tokens is not a list of texts",
                          path);
    /* Merges add up to three symbols each; ids and sums of them must stay below 2^31. */
    if (n > INT32_MAX / 4)
        return ember_fail(err, EMBER_FORMAT, "%s: a vocabulary of %llu tokens, more than %d", path,
                          (unsigned long long)n, INT32_MAX / 4);

    t->pieces = arena_alloc(&t->arena, n, sizeof *t->pieces);
    while (capacity - capacity / 4 <= n)
        capacity *= 2;
    if (!t->pieces || !texts_grow(t, capacity))
        return ember_fail(err, EMBER_NO_MEMORY, "%s: no memory for a vocabulary of %llu tokens",
                          path, (unsigned long long)n);
    t->n_tokens = (uint32_t)n;

    for (uint32_t id = 0; id < t->n_tokens; id++) {
        struct ember_text text = { 0 };
        int32_t known;
        if (!ember_gguf_text(gguf, tokens, id, &text) || text.size > INT32_MAX)
            return ember_fail(err, EMBER_FORMAT, "%s: the text of token %u cannot be read", path,
                              id);
        if (text.size == 0 && !name_empty(t, id, &text))
            return ember_fail(err, EMBER_NO_MEMORY, "%s: no memory for the vocabulary", path);
        t->pieces[id] = (struct tok_piece){ .data = text.data,
                                            .size = (uint32_t)text.size,
                                            .kind = EMBER_TOKEN_NORMAL };
        if (t->max_piece < text.size)
            t->max_piece = (uint32_t)text.size;
        if (!tok_texts_add(t, (int32_t)id, &known))
            return ember_fail(err, EMBER_NO_MEMORY, "%s: no memory for the vocabulary", path);
        if (known >= 0)
            return ember_fail(err, EMBER_FORMAT,
                              "%s: tokens %d and %u have the same text (\"%.*s\")", path, known, id,
                              text.size < 40 ? (int)text.size : 40, text.data);
    }
    return EMBER_OK;
}

/* An array that goes with the tokens: its index, -1 when absent, or a failure when it does not fit.
 */
static enum ember_status find_parallel(const struct ember_tokenizer *t, const char *key,
                                       int64_t *index, struct ember_error *err)
{
    *index = ember_gguf_find(t->gguf, key);
    if (*index < 0)
        return EMBER_OK;
    uint64_t n = ember_gguf_key_length(t->gguf, (uint64_t)*index);
    if (ember_gguf_key_type(t->gguf, (uint64_t)*index) != EMBER_GGUF_ARRAY || n != t->n_tokens)
        return ember_fail(err, EMBER_FORMAT, "%s: %s has %llu values, the vocabulary %u tokens",
                          ember_gguf_path(t->gguf), key, (unsigned long long)n, t->n_tokens);
    return EMBER_OK;
}

static enum ember_status load_kinds(struct ember_tokenizer *t, struct ember_error *err)
{
    int64_t index;
    enum ember_status st = find_parallel(t, "tokenizer.ggml.token_type", &index, err);

    for (uint32_t id = 0; st == EMBER_OK && index >= 0 && id < t->n_tokens; id++) {
        int64_t kind;
        if (!ember_gguf_i64(t->gguf, index, id, &kind))
            return ember_fail(err, EMBER_FORMAT,
                              "%s: tokenizer.ggml.token_type is not a list of "
                              "whole numbers",
                              ember_gguf_path(t->gguf));
        t->pieces[id].kind = kind >= EMBER_TOKEN_NORMAL && kind <= EMBER_TOKEN_BYTE
                                 ? (uint8_t)kind
                                 : EMBER_TOKEN_UNDEFINED;
    }
    return st;
}

static enum ember_status load_scores(struct ember_tokenizer *t, struct ember_error *err)
{
    int64_t index;
    enum ember_status st = find_parallel(t, "tokenizer.ggml.scores", &index, err);

    if (st != EMBER_OK || index < 0)
        return st;
    t->scores = arena_alloc(&t->arena, t->n_tokens, sizeof *t->scores);
    if (!t->scores)
        return ember_fail(err, EMBER_NO_MEMORY, "%s: no memory for the vocabulary's scores",
                          ember_gguf_path(t->gguf));
    for (uint32_t id = 0; id < t->n_tokens; id++) {
        double score;
        if (!ember_gguf_f64(t->gguf, index, id, &score))
            return ember_fail(err, EMBER_FORMAT,
                              "%s: tokenizer.ggml.scores is not a list of "
                              "numbers",
                              ember_gguf_path(t->gguf));
        t->scores[id] = (float)score;
    }
    return EMBER_OK;
}

/* What stands for bytes that no longer piece covers. */
static void load_bytes(struct ember_tokenizer *t)
{
    for (unsigned b = 0; b < 256; b++) {
        char name[8], drawn[2];
        char raw = (char)b;
        snprintf(name, sizeof name, "<0x%02X>", b);
        int32_t id = tok_find(t, name, 6);
        if (id < 0 && t->model == TOK_SPM)
            id = tok_find(t, &raw, 1);
        if (id >= 0 && t->pieces[id].flags & TOK_GUARDED)
            id = TOK_NONE;
        t->byte_token[b] = id;
        t->byte_symbol[b] = t->byte_level
                                ? tok_find_symbol(t, drawn, tok_byte_to_text((uint8_t)b, drawn))
                                : TOK_NONE;
    }
}

static enum ember_status load_suppressed(struct ember_tokenizer *t, struct ember_error *err)
{
    int64_t index = ember_gguf_find(t->gguf, "tokenizer.ggml.suppress_tokens");
    int64_t id;

    if (index < 0)
        return EMBER_OK;
    uint64_t n = ember_gguf_key_length(t->gguf, (uint64_t)index);
    if (n > t->n_tokens)
        return ember_fail(err, EMBER_FORMAT,
                          "%s: tokenizer.ggml.suppress_tokens has %llu values, the vocabulary %u "
                          "tokens",
                          ember_gguf_path(t->gguf), (unsigned long long)n, t->n_tokens);
    t->suppressed = arena_alloc(&t->arena, n ? n : 1, sizeof *t->suppressed);
    if (!t->suppressed)
        return ember_fail(err, EMBER_NO_MEMORY, "%s: no memory for the vocabulary",
                          ember_gguf_path(t->gguf));
    for (uint64_t i = 0; i < n; i++) {
        if (ember_gguf_i64(t->gguf, index, i, &id) && id >= 0 && id < (int64_t)t->n_tokens)
            t->suppressed[t->n_suppressed++] = (int32_t)id;
    }
    return EMBER_OK;
}

/* ---- kinds of vocabulary ---- */

static bool text_is(struct ember_text text, const char *name)
{
    return text.size == strlen(name) && memcmp(text.data, name, text.size) == 0;
}

/* Sets the model and, for BPE, the pre-tokenizer named `*pre`. */
static enum ember_status choose_model(struct ember_tokenizer *t, struct ember_text *pre,
                                      const struct tok_pre_name **name, struct ember_error *err)
{
    const char *path = ember_gguf_path(t->gguf);
    struct ember_text model = ember_gguf_get_text(t->gguf, "tokenizer.ggml.model");

    *pre = ember_gguf_get_text(t->gguf, "tokenizer.ggml.pre");
    *name = NULL;
    if (!model.data)
        return ember_fail(err, EMBER_NOT_FOUND,
                          "%s: no vocabulary (tokenizer.ggml.model is missing)", path);
    if (text_is(model, "no_vocab") || text_is(model, "none"))
        return ember_fail(err, EMBER_NOT_FOUND, "%s: no vocabulary (tokenizer.ggml.model is %.*s)",
                          path, (int)model.size, model.data);
    if (text_is(model, "llama")) {
        t->model = TOK_SPM;
        return EMBER_OK;
    }
    if (text_is(model, "bert")) {
        t->model = TOK_WPM;
        return EMBER_OK;
    }
    if (text_is(model, "t5")) {
        t->model = TOK_UGM;
        return EMBER_OK;
    }
    if (text_is(model, "rwkv")) {
        t->model = TOK_RWKV;
        return EMBER_OK;
    }
    if (!text_is(model, "gpt2") && !text_is(model, "gemma4"))
        return ember_fail(
            err, EMBER_UNSUPPORTED,
            "%s: tokenizer.ggml.model is \"%.*s\"; known are llama, gpt2, gemma4, bert, t5 and "
            "rwkv",
            path, model.size < 64 ? (int)model.size : 64, model.data);

    t->model = TOK_BPE;
    t->keys_only = text_is(model, "gemma4");
    if (t->keys_only)
        *pre = (struct ember_text){ "gemma4", strlen("gemma4") };
    else if (!pre->data || pre->size == 0)
        *pre = (struct ember_text){ "default", strlen("default") };
    *name = tok_pre_find(*pre);
    if (!*name)
        return tok_pre_unknown(path, *pre, err);
    t->byte_level = !(*name)->family->plain_text;
    t->ignore_merges = (*name)->ignore_merges;
    t->whole_newlines = (*name)->whole_newlines;
    return tok_pretokenizer_new(&t->pre, (*name)->family, err);
}

static void load_switches(struct ember_tokenizer *t)
{
    if (t->model == TOK_SPM || t->model == TOK_UGM)
        t->space_prefix =
            ember_gguf_get_bool(t->gguf, "tokenizer.ggml.add_space_prefix", t->model == TOK_SPM);
    if (t->model == TOK_UGM)
        t->squeeze_spaces =
            ember_gguf_get_bool(t->gguf, "tokenizer.ggml.remove_extra_whitespaces", false);
    if (t->model == TOK_WPM) {
        t->lowercase = ember_gguf_get_bool(t->gguf, "tokenizer.ggml.normalizer.lowercase", true);
        t->strip_accents =
            ember_gguf_get_bool(t->gguf, "tokenizer.ggml.normalizer.strip_accents", t->lowercase);
    }
}

enum ember_status ember_tokenizer_new(struct ember_tokenizer **out, const struct ember_gguf *gguf,
                                      struct ember_error *err)
{
    const struct tok_pre_name *name = NULL;
    struct ember_text pre = { 0 };
    enum ember_status st;
    struct ember_tokenizer *t = calloc(1, sizeof *t);

    if (!t)
        return ember_fail(err, EMBER_NO_MEMORY, "%s: no memory for a tokenizer",
                          ember_gguf_path(gguf));
    t->gguf = gguf;
    t->key = hash_key_new();

    st = choose_model(t, &pre, &name, err);
    if (st == EMBER_OK)
        st = load_pieces(t, err);
    if (st == EMBER_OK)
        st = load_kinds(t, err);
    if (st == EMBER_OK && (t->model == TOK_SPM || t->model == TOK_UGM))
        st = load_scores(t, err);
    if (st != EMBER_OK)
        goto fail;
    load_switches(t);
    tok_special_load(t, name);
    st = tok_partition_load(t, err);
    if (st == EMBER_OK && t->model == TOK_BPE)
        st = tok_merges_load(t, name && name->merges_optional, err);
    if (st == EMBER_OK && t->model == TOK_UGM)
        st = tok_ugm_load(t, err);
    if (st == EMBER_OK && t->model == TOK_RWKV)
        st = tok_rwkv_load(t, err);
    if (st == EMBER_OK)
        st = load_suppressed(t, err);
    if (st != EMBER_OK)
        goto fail;
    load_bytes(t);
    *out = t;
    return EMBER_OK;
fail:
    ember_tokenizer_free(t);
    return st;
}

void ember_tokenizer_free(struct ember_tokenizer *t)
{
    if (!t)
        return;
    tok_pretokenizer_free(t->pre);
    free(t->texts.slots);
    free(t->extra);
    free(t->merges);
    arena_finish(&t->arena);
    free(t);
}

/* ---- what callers ask ---- */

static bool in_range(const struct ember_tokenizer *t, int32_t id)
{
    return id >= 0 && (uint32_t)id < t->n_tokens;
}

uint32_t ember_tokenizer_n_tokens(const struct ember_tokenizer *t)
{
    return t->n_tokens;
}

struct ember_text ember_tokenizer_piece(const struct ember_tokenizer *t, int32_t id)
{
    if (!in_range(t, id))
        return (struct ember_text){ 0 };
    return (struct ember_text){ t->pieces[id].data, t->pieces[id].size };
}

enum ember_token_kind ember_tokenizer_kind(const struct ember_tokenizer *t, int32_t id)
{
    return in_range(t, id) ? (enum ember_token_kind)t->pieces[id].kind : EMBER_TOKEN_UNDEFINED;
}

bool ember_tokenizer_score(const struct ember_tokenizer *t, int32_t id, float *out)
{
    if (!t->scores || !in_range(t, id))
        return false;
    *out = t->scores[id];
    return true;
}

int32_t ember_tokenizer_find(const struct ember_tokenizer *t, struct ember_text piece)
{
    return tok_find(t, piece.data, piece.size);
}

int32_t ember_tokenizer_bos(const struct ember_tokenizer *t)
{
    return t->bos;
}

int32_t ember_tokenizer_eos(const struct ember_tokenizer *t)
{
    return t->eos;
}

bool ember_tokenizer_adds_bos(const struct ember_tokenizer *t)
{
    return t->add_bos && t->bos >= 0;
}

bool ember_tokenizer_adds_eos(const struct ember_tokenizer *t)
{
    return t->add_eos && t->eos >= 0;
}

bool ember_tokenizer_is_end(const struct ember_tokenizer *t, int32_t id)
{
    return in_range(t, id) && t->pieces[id].flags & TOK_END;
}

const int32_t *ember_tokenizer_suppressed(const struct ember_tokenizer *t, size_t *n)
{
    *n = t->n_suppressed;
    return t->suppressed;
}
