/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vocab.h - small vocabularies written as GGUF files in memory. */
#pragma once

#include "gguf/image.h"
#include "support.h"

struct entry {
    const char *text;
    int32_t kind; /* 0 = normal */
    float score;
};

/* What the file says; NULL and zero leave a key out. Lists end with a NULL text. */
struct recipe {
    const char *model, *pre, *name;
    bool bytes; /* first the 256 byte tokens: drawn for gpt2, "<0x00>"… for others */
    const struct entry *tokens;
    const char *const *merges;
    bool no_kinds;
    /* Whole assignments for ember_gguf_set(). */
    const char *set[6];
};

#define NORMAL EMBER_TOKEN_NORMAL
#define UNKNOWN EMBER_TOKEN_UNKNOWN
#define CONTROL EMBER_TOKEN_CONTROL
#define USER EMBER_TOKEN_USER_DEFINED
#define UNUSED EMBER_TOKEN_UNUSED
#define BYTE EMBER_TOKEN_BYTE

/* The character a byte is drawn as, by the table's definition: bytes that are visible in Latin-1
 * are themselves, the others count up from U+0100. */
static inline void draw_byte(char out[4], unsigned byte)
{
    unsigned code = 0x100;
    for (unsigned b = 0; b < byte; b++)
        code += !((b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xFF && b != 0xAD));
    if ((byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xFF && byte != 0xAD))
        code = byte;
    if (code < 0x80)
        snprintf(out, 4, "%c", (int)code);
    else
        snprintf(out, 4, "%c%c", (int)(0xC0 | code >> 6), (int)(0x80 | (code & 63)));
}

/* Writes the file; returns its bytes in `im`. */
static inline void vocab_write(struct image *im, const struct recipe *r)
{
    bool drawn = r->model && strcmp(r->model, "gpt2") == 0;
    uint64_t n = r->bytes ? 256 : 0, n_merges = 0, n_keys = 2;
    char text[8];

    for (const struct entry *e = r->tokens; e && e->text; e++)
        n++;
    for (const char *const *m = r->merges; m && *m; m++)
        n_merges++;
    n_keys += (r->model != NULL) + (r->pre != NULL) + (r->name != NULL) + (r->merges != NULL) +
              !r->no_kinds;
    image_begin(im, 3, 0, n_keys);
    if (r->model)
        image_key_string(im, "tokenizer.ggml.model", r->model);
    if (r->pre)
        image_key_string(im, "tokenizer.ggml.pre", r->pre);
    if (r->name)
        image_key_string(im, "general.name", r->name);

    image_key(im, "tokenizer.ggml.tokens", 9);
    image_array(im, 8, n);
    for (unsigned b = 0; r->bytes && b < 256; b++) {
        if (drawn)
            draw_byte(text, b);
        else
            snprintf(text, sizeof text, "<0x%02X>", b);
        image_string(im, text);
    }
    for (const struct entry *e = r->tokens; e && e->text; e++)
        image_string(im, e->text);

    image_key(im, "tokenizer.ggml.scores", 9);
    image_array(im, 6, n);
    for (unsigned b = 0; r->bytes && b < 256; b++)
        image_f32(im, 0);
    for (const struct entry *e = r->tokens; e && e->text; e++)
        image_f32(im, e->score);

    if (!r->no_kinds) {
        image_key(im, "tokenizer.ggml.token_type", 9);
        image_array(im, 5, n);
        for (unsigned b = 0; r->bytes && b < 256; b++)
            image_uint(im, 4, drawn ? NORMAL : BYTE);
        for (const struct entry *e = r->tokens; e && e->text; e++)
            image_uint(im, 4, e->kind ? (uint64_t)e->kind : NORMAL);
    }
    if (r->merges) {
        image_key(im, "tokenizer.ggml.merges", 9);
        image_array(im, 8, n_merges);
        for (const char *const *m = r->merges; *m; m++)
            image_string(im, *m);
    }
}

/* An open vocabulary and the file it lies in. */
struct built {
    struct image image;
    struct vocabulary v;
};

static inline void built_finish(struct built *b)
{
    vocabulary_finish(&b->v);
    free(b->image.data);
    *b = (struct built){ 0 };
}

/* Status of building; a message in *err. */
static inline enum ember_status build(struct built *b, const struct recipe *r,
                                      struct ember_error *err)
{
    *b = (struct built){ 0 };
    vocab_write(&b->image, r);
    enum ember_status st =
        ember_gguf_open_memory(&b->v.gguf, b->image.data, b->image.size, "memory", true, err);
    for (size_t i = 0; st == EMBER_OK && i < 6 && r->set[i]; i++)
        st = ember_gguf_set(b->v.gguf, r->set[i], err);
    return st == EMBER_OK ? ember_tokenizer_new(&b->v.tokenizer, b->v.gguf, err) : st;
}

static inline bool build_fine(struct built *b, const struct recipe *r)
{
    struct ember_error err = { 0 };
    return CHECK_MSG(build(b, r, &err) == EMBER_OK, "%s", err.message);
}

/* Tokenises spans and compares the pieces, joined by '|', with `want`. */
static inline void check_spans(const struct vocabulary *v, const struct ember_span *spans, size_t n,
                               bool add_special, const char *want, int line)
{
    struct ember_tokens ids = { 0 };
    struct ember_error err = { 0 };
    struct image got = { 0 };

    if (test_check(ember_tokenize(v->tokenizer, spans, n, add_special, &ids, &err) == EMBER_OK,
                   __FILE__, line, "%s", err.message)) {
        for (size_t i = 0; i < ids.n; i++) {
            struct ember_text piece = ember_tokenizer_piece(v->tokenizer, ids.ids[i]);
            if (i)
                image_bytes(&got, "|", 1);
            image_bytes(&got, piece.data, piece.size);
        }
        image_bytes(&got, "", 1);
        test_check(strcmp((char *)got.data, want) == 0, __FILE__, line,
                   "pieces are \"%s\", expected \"%s\"", (char *)got.data, want);
    }
    free(got.data);
    ember_tokens_finish(&ids);
}

static inline void check_text(const struct vocabulary *v, struct ember_text text, bool special,
                              const char *want, int line)
{
    struct ember_span span = { text, special };
    check_spans(v, &span, 1, false, want, line);
}

#define CHECK_PLAIN(v, text, want) check_text((v), text_of(text), false, (want), __LINE__)
#define CHECK_SPECIAL(v, text, want) check_text((v), text_of(text), true, (want), __LINE__)
#define CHECK_SPANS(v, spans, add, want)                                                           \
    check_spans((v), (spans), sizeof(spans) / sizeof((spans)[0]), (add), (want), __LINE__)
#define TRUSTED(text) { { (text), sizeof(text) - 1 }, true }
#define UNTRUSTED(text) { { (text), sizeof(text) - 1 }, false }
