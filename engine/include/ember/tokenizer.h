/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tokenizer.h - text to token ids and back, with the vocabulary stored in a GGUF file.
 *
 * A tokenizer is read-only after ember_tokenizer_new() and may be used from any thread. It keeps
 * pointers into the gguf object, which must outlive it. Text is bytes with a length. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>
#include <ember/gguf.h>

enum ember_token_kind {
    EMBER_TOKEN_UNDEFINED = 0,
    EMBER_TOKEN_NORMAL = 1,
    EMBER_TOKEN_UNKNOWN = 2,
    EMBER_TOKEN_CONTROL = 3,
    EMBER_TOKEN_USER_DEFINED = 4,
    EMBER_TOKEN_UNUSED = 5,
    EMBER_TOKEN_BYTE = 6
};

struct ember_tokenizer;

/* Builds the tables. EMBER_NOT_FOUND: the file has no vocabulary (model `no_vocab`, `none`, or the
 * keys are missing). EMBER_UNSUPPORTED: unknown kind or pre-tokenizer name; the sentence lists the
 * known ones. EMBER_FORMAT: arrays that do not fit together. */
EMBER_API enum ember_status ember_tokenizer_new(struct ember_tokenizer **out,
                                                const struct ember_gguf *gguf,
                                                struct ember_error *err);
EMBER_API void ember_tokenizer_free(struct ember_tokenizer *tokenizer);

EMBER_API uint32_t ember_tokenizer_n_tokens(const struct ember_tokenizer *tokenizer);
/* The text of a token as stored in the vocabulary; {NULL, 0} for an id out of range. */
EMBER_API struct ember_text ember_tokenizer_piece(const struct ember_tokenizer *tokenizer,
                                                  int32_t id);
EMBER_API enum ember_token_kind ember_tokenizer_kind(const struct ember_tokenizer *tokenizer,
                                                     int32_t id);
/* What the vocabulary says about how likely a token is; false when it has no scores or no such
 * token, and then leaves *out untouched. */
EMBER_API bool ember_tokenizer_score(const struct ember_tokenizer *tokenizer, int32_t id,
                                     float *out);
/* Id of the token whose stored text is exactly this, or -1. */
EMBER_API int32_t ember_tokenizer_find(const struct ember_tokenizer *tokenizer,
                                       struct ember_text piece);
/* -1 when the vocabulary has none. */
EMBER_API int32_t ember_tokenizer_bos(const struct ember_tokenizer *tokenizer);
EMBER_API int32_t ember_tokenizer_eos(const struct ember_tokenizer *tokenizer);
/* Whether the file's settings (with the kind's defaults) put BOS first / EOS last. */
EMBER_API bool ember_tokenizer_adds_bos(const struct ember_tokenizer *tokenizer);
EMBER_API bool ember_tokenizer_adds_eos(const struct ember_tokenizer *tokenizer);
/* Whether generation ends at this token. */
EMBER_API bool ember_tokenizer_is_end(const struct ember_tokenizer *tokenizer, int32_t id);
/* Token ids that must never be sampled (tokenizer.ggml.suppress_tokens); *n may be 0. */
EMBER_API const int32_t *ember_tokenizer_suppressed(const struct ember_tokenizer *tokenizer,
                                                    size_t *n);

/* A span of text and whether special tokens are looked for inside it. */
struct ember_span {
    struct ember_text text;
    bool parse_special; /* false: control and unknown tokens are never made from it */
};

struct ember_tokens {
    int32_t *ids; /* owned; freed by ember_tokens_finish() */
    size_t n;
    size_t capacity;
};
EMBER_API void ember_tokens_finish(struct ember_tokens *tokens);

/* Appends the ids of one text made of `n_spans` spans. Neighbouring plain text is tokenised as one
 * text whatever span it comes from, so that ids equal those of the joined text when no untrusted
 * span holds a special token's text. `add_special` adds what the file's settings add (BOS, EOS),
 * unless the text already begins (ends) with it. EMBER_NO_MEMORY leaves `out` as it was. */
EMBER_API enum ember_status ember_tokenize(const struct ember_tokenizer *tokenizer,
                                           const struct ember_span *spans, size_t n_spans,
                                           bool add_special, struct ember_tokens *out,
                                           struct ember_error *err);

/* More to choose. */
struct ember_tokenize_params {
    bool add_special;
    /* Called on this thread every some thousand tokens, with the share of the text that is done, 0
     * … 1; false ends the call with EMBER_CANCELLED. May be NULL. */
    bool (*progress)(double fraction, void *user_data);
    void *user_data;
};
/* As ember_tokenize(), for long texts. */
EMBER_API enum ember_status ember_tokenize_watched(const struct ember_tokenizer *tokenizer,
                                                   const struct ember_span *spans, size_t n_spans,
                                                   const struct ember_tokenize_params *params,
                                                   struct ember_tokens *out,
                                                   struct ember_error *err);

/* The bytes of one token as they appear in text (no held-back UTF-8): writes at most `capacity`
 * bytes and returns the whole length. Control and unknown tokens give nothing unless `special`. */
EMBER_API size_t ember_detokenize_one(const struct ember_tokenizer *tokenizer, int32_t id,
                                      bool special, char *out, size_t capacity);

/* Turns a stream of ids into whole UTF-8 pieces: an unfinished character is held back until its
 * rest arrives or ember_stream_flush() (then U+FFFD). Belongs to one thread. */
struct ember_stream;
EMBER_API enum ember_status ember_stream_new(struct ember_stream **out,
                                             const struct ember_tokenizer *tokenizer, bool special,
                                             struct ember_error *err);
EMBER_API void ember_stream_free(struct ember_stream *stream);
EMBER_API void ember_stream_reset(struct ember_stream *stream);
/* The text that this token completes; valid until the next call; may be empty. */
EMBER_API struct ember_text ember_stream_push(struct ember_stream *stream, int32_t id);
EMBER_API struct ember_text ember_stream_flush(struct ember_stream *stream);
