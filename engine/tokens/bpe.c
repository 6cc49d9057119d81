/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Byte-pair encoding: a list of merges, the earlier the sooner. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "tokens/work.h"

/* ---- loading ---- */

static uint32_t pair_slot(const struct ember_tokenizer *t, int32_t left, int32_t right)
{
    uint64_t pair = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
    pair = (pair ^ t->key.k[0]) * 0x9E3779B97F4A7C15u;
    pair = (pair ^ pair >> 32) * (t->key.k[1] | 1);
    return (uint32_t)(pair >> 32) & t->merge_mask;
}

static const struct tok_merge *find_merge(const struct ember_tokenizer *t, int32_t left,
                                          int32_t right)
{
    uint32_t i = pair_slot(t, left, right);
    while (t->merges[i].left >= 0) {
        if (t->merges[i].left == left && t->merges[i].right == right)
            return &t->merges[i];
        i = (i + 1) & t->merge_mask;
    }
    return NULL;
}

static void add_merge(struct ember_tokenizer *t, const struct tok_merge *merge)
{
    uint32_t i = pair_slot(t, merge->left, merge->right);
    while (t->merges[i].left >= 0) {
        if (t->merges[i].left == merge->left && t->merges[i].right == merge->right)
            return; /* the first of two equal merges counts */
        i = (i + 1) & t->merge_mask;
    }
    t->merges[i] = *merge;
}

/* The symbol of a text; a text that is no token becomes an extra symbol, copied if `copy`. */
static int32_t symbol_of(struct ember_tokenizer *t, const char *data, size_t size, bool copy)
{
    int32_t known = tok_find_symbol(t, data, size);
    if (known >= 0)
        return known;
    if (t->n_extra == t->extra_capacity) {
        uint32_t capacity = t->extra_capacity ? t->extra_capacity * 2 : 64;
        struct tok_piece *extra = realloc(t->extra, (size_t)capacity * sizeof *extra);
        if (!extra)
            return TOK_NONE;
        t->extra = extra;
        t->extra_capacity = capacity;
    }
    if (copy && !(data = arena_copy(&t->arena, data, size)))
        return TOK_NONE;
    int32_t symbol = (int32_t)(t->n_tokens + t->n_extra);
    t->extra[t->n_extra++] = (struct tok_piece){ .data = data, .size = (uint32_t)size };
    return tok_texts_add(t, symbol, &known) ? symbol : TOK_NONE;
}

/* One line of the list. A merge into a guarded token is left out: no plain text becomes one. */
static bool load_merge(struct ember_tokenizer *t, struct ember_text line, uint32_t rank,
                       struct text_buffer *joined)
{
    /* The left part may begin with a space. */
    const char *space = line.size > 1 ? memchr(line.data + 1, ' ', line.size - 1) : NULL;
    if (!space)
        return true;
    size_t left_size = (size_t)(space - line.data), right_size = line.size - left_size - 1;
    if (right_size == 0)
        return true;

    joined->size = 0;
    text_append(joined, line.data, left_size);
    text_append(joined, space + 1, right_size);
    if (joined->failed)
        return false;
    struct tok_merge merge = {
        .left = symbol_of(t, line.data, left_size, false),
        .right = symbol_of(t, space + 1, right_size, false),
        .rank = rank,
        .result = symbol_of(t, joined->data, joined->size, true),
    };
    if (merge.left < 0 || merge.right < 0 || merge.result < 0)
        return false;
    if ((uint32_t)merge.result >= t->n_tokens || tok_is_plain(t, merge.result))
        add_merge(t, &merge);
    return true;
}

enum ember_status tok_merges_load(struct ember_tokenizer *t, bool optional, struct ember_error *err)
{
    const char *path = ember_gguf_path(t->gguf);
    int64_t index = ember_gguf_find(t->gguf, "tokenizer.ggml.merges");
    struct text_buffer joined = { 0 };
    uint32_t capacity = 16;
    uint64_t n = index < 0 ? 0 : ember_gguf_key_length(t->gguf, (uint64_t)index);

    if (index < 0 && !optional)
        return ember_fail(err, EMBER_FORMAT, "%s: tokenizer.ggml.merges is missing", path);
    if (index >= 0 && (ember_gguf_key_type(t->gguf, (uint64_t)index) != EMBER_GGUF_ARRAY ||
                       ember_gguf_key_element_type(t->gguf, (uint64_t)index) != EMBER_GGUF_STRING))
        return ember_fail(err, EMBER_FORMAT, "%s: tokenizer.ggml.merges is not a list of texts",
                          path);
    if (n > INT32_MAX / 8)
        return ember_fail(err, EMBER_FORMAT, "%s: %llu merges, more than %d", path,
                          (unsigned long long)n, INT32_MAX / 8);
    t->has_merges = index >= 0;

    while (capacity < n + n / 2)
        capacity *= 2;
    t->merges = malloc(capacity * sizeof *t->merges);
    if (!t->merges)
        return ember_fail(err, EMBER_NO_MEMORY, "%s: no memory for %llu merges", path,
                          (unsigned long long)n);
    memset(t->merges, 0xFF, capacity * sizeof *t->merges); /* left = -1: empty */
    t->merge_mask = capacity - 1;

    for (uint32_t rank = 0; rank < n; rank++) {
        struct ember_text line;
        if (!ember_gguf_text(t->gguf, index, rank, &line) || line.size > INT32_MAX) {
            text_finish(&joined);
            return ember_fail(err, EMBER_FORMAT, "%s: merge %u cannot be read", path, rank);
        }
        if (!load_merge(t, line, rank, &joined)) {
            text_finish(&joined);
            return ember_fail(err, EMBER_NO_MEMORY, "%s: no memory for %llu merges", path,
                              (unsigned long long)n);
        }
    }
    text_finish(&joined);
    return EMBER_OK;
}

/* ---- encoding ---- */

bool tok_bpe_pair(const struct ember_tokenizer *t, const struct tok_node *a,
                  const struct tok_node *b, uint32_t *priority, int32_t *merged)
{
    if (a->symbol < 0 || b->symbol < 0)
        return false;
    if (t->has_merges) {
        const struct tok_merge *merge = find_merge(t, a->symbol, b->symbol);
        if (!merge)
            return false;
        *priority = merge->rank;
        *merged = merge->result;
        return true;
    }
    /* Without a list a token's number is its rank, as in the vocabularies such files come from. */
    const struct tok_piece *left = tok_symbol(t, a->symbol), *right = tok_symbol(t, b->symbol);
    char joined[256];
    if (left->size + right->size > sizeof joined)
        return false;
    memcpy(joined, left->data, left->size);
    memcpy(joined + left->size, right->data, right->size);
    *merged = tok_find_plain(t, joined, left->size + right->size);
    *priority = (uint32_t)*merged;
    return *merged >= 0;
}

/* Drawn bytes, or the text itself. */
static bool encode(const struct ember_tokenizer *t, const char *word, uint32_t size,
                   struct text_buffer *out)
{
    out->size = 0;
    if (!t->byte_level)
        text_append(out, word, size);
    for (uint32_t i = 0; t->byte_level && i < size; i++) {
        char drawn[2];
        text_append(out, drawn, tok_byte_to_text((uint8_t)word[i], drawn));
    }
    return !out->failed;
}

static bool is_newlines(const char *word, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        if (word[i] != '\n')
            return false;
    }
    return size > 0;
}

/* A symbol that is no token: its characters that are one-byte tokens, else byte tokens; what has
 * neither is dropped, as the reference does. */
static bool emit_rest(const struct ember_tokenizer *t, const char *word,
                      const struct tok_node *node, struct ember_tokens *out)
{
    char drawn[2];
    for (uint32_t i = 0; i < node->size; i++) {
        uint8_t byte = (uint8_t)word[node->at + i];
        int32_t id = t->byte_level ? TOK_NONE : t->byte_token[byte];
        if (t->byte_level && tok_byte_to_text(byte, drawn) == 1)
            id = tok_find_plain(t, drawn, 1);
        if (id >= 0 && !tok_emit(out, id))
            return false;
    }
    return true;
}

static bool add_nodes(const struct ember_tokenizer *t, const char *word, uint32_t size,
                      struct tok_work *work)
{
    work->n_nodes = 0;
    for (uint32_t at = 0; at < size;) {
        uint32_t codepoint, step = 1;
        int32_t symbol;
        if (t->byte_level) {
            symbol = t->byte_symbol[(uint8_t)word[at]];
        } else {
            step = (uint32_t)utf8_decode(word + at, size - at, &codepoint);
            symbol = tok_find_symbol(t, word + at, step);
        }
        if (!tok_node_add(work, at, step, symbol))
            return false;
        at += step;
    }
    return true;
}

static bool encode_word(const struct ember_tokenizer *t, const char *word, uint32_t size,
                        struct tok_work *work, struct ember_tokens *out)
{
    if (t->ignore_merges || (t->whole_newlines && is_newlines(word, size))) {
        if (!encode(t, word, size, &work->text))
            return false;
        int32_t id = tok_find_plain(t, work->text.data, work->text.size);
        if (id >= 0)
            return tok_emit(out, id);
    }
    if (!add_nodes(t, word, size, work) || !tok_merge_all(t, work, word))
        return false;
    for (uint32_t i = 0; i != TOK_END_OF_LIST; i = work->nodes[i].next) {
        const struct tok_node *node = &work->nodes[i];
        if (tok_is_plain(t, node->symbol) ? !tok_emit(out, node->symbol)
                                          : !emit_rest(t, word, node, out))
            return false;
    }
    return true;
}

enum ember_status tok_bpe(const struct ember_tokenizer *t, const char *text, uint32_t size,
                          struct tok_work *work, struct ember_tokens *out, struct ember_error *err)
{
    struct text_buffer escaped = { 0 };
    enum ember_status st;

    if (!t->byte_level) {
        if (!tok_escape_spaces(text, size, false, &escaped)) {
            text_finish(&escaped);
            return ember_fail(err, EMBER_NO_MEMORY, "no memory to tokenise %u bytes", size);
        }
        text = escaped.data;
        size = (uint32_t)escaped.size;
    }
    st = tok_pretokenize(t->pre, text, size, work, err);
    for (size_t i = 0; st == EMBER_OK && i < work->cuts.n; i++) {
        uint32_t from = i ? work->cuts.ends[i - 1] : 0;
        if (!encode_word(t, text + from, work->cuts.ends[i] - from, work, out) ||
            !tok_go_on(work, work->cuts.ends[i]))
            st = ember_fail(err, EMBER_NO_MEMORY, "no memory to tokenise %u bytes", size);
    }
    text_finish(&escaped);
    return st;
}
