/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first byte chooses: text for one of three small vocabularies, whose ids must give the text
 * back; or a whole GGUF file whose vocabulary is built and used, or refused with a sentence. */
#include "fuzz.h"

#include <ember/gguf.h>
#include <ember/tokenizer.h>

#include "vocab.h"

struct kind {
    struct ember_gguf *gguf;
    struct ember_tokenizer *tokenizer;
};

static const struct kind *vocabulary(enum vocab_kind which)
{
    static struct kind kinds[VOCAB_COUNT];
    struct kind *kind = &kinds[which];

    if (!kind->tokenizer) {
        struct ember_error error = { 0 };
        size_t size;
        /* Kept for as long as the process: the gguf object points into it. */
        const void *file = vocab_file(which, &size);
        FUZZ_CHECK(file);
        if (ember_gguf_open_memory(&kind->gguf, file, size, "vocabulary", true, &error) ||
            ember_tokenizer_new(&kind->tokenizer, kind->gguf, &error)) {
            fprintf(stderr, "%s\n", error.message);
            abort();
        }
    }
    return kind;
}

static bool valid_utf8(const uint8_t *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        uint8_t c = text[i];
        size_t n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : 4;
        if ((n == 4 && (c < 0xf0 || c > 0xf4)) || n > size - i)
            return false;
        for (size_t k = 1; k < n; k++) {
            if ((text[i + k] & 0xc0) != 0x80)
                return false;
        }
        if ((c == 0xe0 && text[i + 1] < 0xa0) || (c == 0xed && text[i + 1] > 0x9f) ||
            (c == 0xf0 && text[i + 1] < 0x90) || (c == 0xf4 && text[i + 1] > 0x8f))
            return false;
        i += n;
    }
    return true;
}

/* Every id is of the vocabulary, no control token comes from plain text, and the pieces joined are
 * the text again: byte-level BPE for any bytes, SPM (whose spaces are escaped) for valid UTF-8. */
static void check_text(const struct kind *kind, enum vocab_kind which, const uint8_t *data,
                       size_t size, bool special)
{
    struct ember_span span = { { (const char *)data, size }, special };
    struct ember_tokens tokens = { 0 };
    struct ember_error error = { 0 };
    enum ember_status status = ember_tokenize(kind->tokenizer, &span, 1, false, &tokens, &error);
    char *back;
    size_t n = 0, room = 64;

    FUZZ_CHECK(status == EMBER_OK);
    for (size_t i = 0; i < tokens.n; i++) {
        int32_t id = tokens.ids[i];
        FUZZ_CHECK(id >= 0 && (uint32_t)id < ember_tokenizer_n_tokens(kind->tokenizer));
        FUZZ_CHECK(special || ember_tokenizer_kind(kind->tokenizer, id) != EMBER_TOKEN_CONTROL);
        room += ember_detokenize_one(kind->tokenizer, id, true, NULL, 0);
    }
    back = malloc(room);
    FUZZ_CHECK(back);
    for (size_t i = 0; i < tokens.n; i++)
        n += ember_detokenize_one(kind->tokenizer, tokens.ids[i], true, back + n, room - n);
    FUZZ_CHECK(n <= room);
    if (which != VOCAB_SPM && (valid_utf8(data, size) || which == VOCAB_BPE))
        FUZZ_CHECK(!valid_utf8(data, size) || (n == size && memcmp(back, data, n) == 0));
    free(back);
    ember_tokens_finish(&tokens);
}

/* The stream gives whole characters only, whatever the order of ids. */
static void check_stream(const struct kind *kind, const uint8_t *data, size_t size)
{
    struct ember_stream *stream = NULL;
    struct ember_error error = { 0 };
    struct ember_text text;

    if (ember_stream_new(&stream, kind->tokenizer, false, &error))
        return;
    for (size_t i = 0; i < size; i++) {
        text = ember_stream_push(stream, data[i]);
        FUZZ_CHECK(valid_utf8((const uint8_t *)text.data, text.size));
    }
    text = ember_stream_flush(stream);
    FUZZ_CHECK(valid_utf8((const uint8_t *)text.data, text.size));
    ember_stream_free(stream);
}

static void check_file(const uint8_t *data, size_t size)
{
    static const char text[] = "Hello  w\xc3\xb6rld 123\n<s>\xff";
    struct ember_span span = { { text, sizeof text - 1 }, true };
    struct ember_tokens tokens = { 0 };
    struct ember_tokenizer *tokenizer = NULL;
    struct ember_gguf *gguf = NULL;
    struct ember_error error = { 0 };
    enum ember_status status = ember_gguf_open_memory(&gguf, data, size, "input", true, &error);

    if (status == EMBER_OK)
        status = ember_tokenizer_new(&tokenizer, gguf, &error);
    if (status == EMBER_OK)
        status = ember_tokenize(tokenizer, &span, 1, true, &tokens, &error);
    if (status == EMBER_OK) {
        char piece[256];
        for (size_t i = 0; i < tokens.n; i++) {
            FUZZ_CHECK((uint32_t)tokens.ids[i] < ember_tokenizer_n_tokens(tokenizer));
            ember_detokenize_one(tokenizer, tokens.ids[i], true, piece, sizeof piece);
        }
    }
    FUZZ_CHECK(status == EMBER_OK || (error.status == status && error.message[0]));
    ember_tokens_finish(&tokens);
    ember_tokenizer_free(tokenizer);
    ember_gguf_close(gguf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned choice;

    if (!size)
        return 0;
    choice = data[0] % (2 * VOCAB_COUNT + 1);
    data++;
    size--;
    if (choice == 2 * VOCAB_COUNT) {
        check_file(data, size);
    } else {
        enum vocab_kind which = choice / 2;
        const struct kind *kind = vocabulary(which);
        check_text(kind, which, data, size, choice % 2);
        check_stream(kind, data, size);
    }
    return 0;
}
