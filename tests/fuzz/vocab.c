/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vocab.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ember/gguf.h>
#include <ember/tokenizer.h>

enum { MAX_BYTES = 1 << 16, MAX_TOKENS = 512 };

struct writer {
    uint8_t *data;
    size_t n;
};

struct token {
    char text[24];
    float score;
    int32_t kind;
};

static const char *const merges[] = { "h e",
                                      "l l",
                                      "he ll",
                                      "hell o",
                                      "\xc4\xa0 t",
                                      "i n",
                                      "e r",
                                      "t h",
                                      "\xc4\xa0t h",
                                      "1 2",
                                      "12 3",
                                      "\xc4\xa0 \xc4\xa0",
                                      "\xc3\x83 \xc2\xb6",
                                      "w o",
                                      "r l" };
static const char *const pieces[] = { "\xe2\x96\x81", "\xe2\x96\x81t",
                                      "he",           "ll",
                                      "hell",         "hello",
                                      "th",           "in",
                                      "er",           "wo",
                                      "rl",           "12",
                                      "123",          "\xe2\x96\x81\xe2\x96\x81",
                                      "\xc3\xb6" };
static const char *const specials[] = { "<s>", "</s>", "<|im_start|>", "<|im_end|>" };

static void put(struct writer *w, const void *data, size_t n)
{
    if (n > MAX_BYTES - w->n)
        abort(); /* the tables above have grown: so must MAX_BYTES */
    memcpy(w->data + w->n, data, n);
    w->n += n;
}

static void put_u32(struct writer *w, uint32_t v)
{
    uint8_t bytes[4] = { v & 255, v >> 8 & 255, v >> 16 & 255, v >> 24 };
    put(w, bytes, 4);
}

static void put_u64(struct writer *w, uint64_t v)
{
    put_u32(w, (uint32_t)v);
    put_u32(w, (uint32_t)(v >> 32));
}

static void put_text(struct writer *w, const char *text)
{
    put_u64(w, strlen(text));
    put(w, text, strlen(text));
}

static void put_key(struct writer *w, const char *key, enum ember_gguf_type type)
{
    put_text(w, key);
    put_u32(w, type);
}

static void put_array(struct writer *w, const char *key, enum ember_gguf_type type, uint64_t count)
{
    put_key(w, key, EMBER_GGUF_ARRAY);
    put_u32(w, type);
    put_u64(w, count);
}

static void add(struct token *tokens, size_t *n, const char *text, float score, int32_t kind)
{
    if (*n == MAX_TOKENS)
        abort();
    snprintf(tokens[*n].text, sizeof tokens[*n].text, "%s", text);
    tokens[*n].score = score;
    tokens[(*n)++].kind = kind;
}

/* The printable stand-in of a byte in byte-level BPE, in UTF-8. */
static void byte_text(char out[4], unsigned byte)
{
    unsigned code = byte;
    bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
    if (!printable) {
        code = 256;
        for (unsigned b = 0; b < byte; b++)
            code += !((b >= 33 && b <= 126) || (b >= 161 && b != 173));
    }
    if (code < 128)
        snprintf(out, 4, "%c", (char)code);
    else
        snprintf(out, 4, "%c%c", (char)(0xc0 | code >> 6), (char)(0x80 | (code & 63)));
}

static size_t fill(struct token *tokens, bool spm)
{
    size_t n = 0;

    if (spm)
        add(tokens, &n, "<unk>", 0, EMBER_TOKEN_UNKNOWN);
    for (unsigned byte = 0; byte < 256; byte++) {
        char text[8];
        if (spm)
            snprintf(text, sizeof text, "<0x%02X>", byte);
        else
            byte_text(text, byte);
        add(tokens, &n, text, 0, spm ? EMBER_TOKEN_BYTE : EMBER_TOKEN_NORMAL);
    }
    for (size_t i = 0; spm && i < sizeof pieces / sizeof *pieces; i++)
        add(tokens, &n, pieces[i], -(float)i, EMBER_TOKEN_NORMAL);
    for (char c = 'a'; spm && c <= 'z'; c++)
        add(tokens, &n, (char[]){ c, 0 }, -100, EMBER_TOKEN_NORMAL);
    for (size_t i = 0; !spm && i < sizeof merges / sizeof *merges; i++) {
        const char *gap = strchr(merges[i], ' ');
        char text[24];
        snprintf(text, sizeof text, "%.*s%s", (int)(gap - merges[i]), merges[i], gap + 1);
        add(tokens, &n, text, 0, EMBER_TOKEN_NORMAL);
    }
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        add(tokens, &n, specials[i], 0, EMBER_TOKEN_CONTROL);
    return n;
}

void *vocab_file(enum vocab_kind kind, size_t *size)
{
    struct token *tokens = calloc(MAX_TOKENS, sizeof *tokens);
    struct writer w = { malloc(MAX_BYTES), 0 };
    bool spm = kind == VOCAB_SPM;
    size_t n;

    if (!tokens || !w.data) {
        free(tokens);
        free(w.data);
        return NULL;
    }
    n = fill(tokens, spm);
    put(&w, "GGUF", 4);
    put_u32(&w, 3);
    put_u64(&w, 0); /* tensors */
    put_u64(&w, 6); /* keys */
    put_key(&w, "general.architecture", EMBER_GGUF_STRING);
    put_text(&w, "llama");
    put_key(&w, "tokenizer.ggml.model", EMBER_GGUF_STRING);
    put_text(&w, spm ? "llama" : "gpt2");
    put_array(&w, "tokenizer.ggml.tokens", EMBER_GGUF_STRING, n);
    for (size_t i = 0; i < n; i++)
        put_text(&w, tokens[i].text);
    put_array(&w, "tokenizer.ggml.token_type", EMBER_GGUF_I32, n);
    for (size_t i = 0; i < n; i++)
        put_u32(&w, (uint32_t)tokens[i].kind);
    if (spm) {
        put_array(&w, "tokenizer.ggml.scores", EMBER_GGUF_F32, n);
        for (size_t i = 0; i < n; i++)
            put(&w, &tokens[i].score, sizeof tokens[i].score);
        put_key(&w, "tokenizer.ggml.add_space_prefix", EMBER_GGUF_BOOL);
        put(&w, "\1", 1);
    } else {
        put_array(&w, "tokenizer.ggml.merges", EMBER_GGUF_STRING, sizeof merges / sizeof *merges);
        for (size_t i = 0; i < sizeof merges / sizeof *merges; i++)
            put_text(&w, merges[i]);
        put_key(&w, "tokenizer.ggml.pre", EMBER_GGUF_STRING);
        put_text(&w, kind == VOCAB_BPE ? "smollm" : "llama-bpe");
    }
    free(tokens);
    *size = w.n;
    return w.data;
}
