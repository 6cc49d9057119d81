/* SPDX-License-Identifier: GPL-3.0-or-later */
/* WordPiece, as in BERT: words in plain small letters, each cut from the left into the longest
 * pieces there are. A word that cannot be cut all through is one unknown token. */
#include <string.h>

#include "base/fail.h"
#include "tokens/unicode.h"
#include "tokens/work.h"

static bool is_ideograph(uint32_t c)
{
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
           (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

/* Ids of one word, which begins with U+2581. */
static bool encode_word(const struct ember_tokenizer *t, const char *word, size_t size,
                        struct ember_tokens *out)
{
    size_t before = out->n;
    int32_t id = TOK_NONE;

    for (size_t at = 0; at < size;) {
        size_t n = size - at < t->max_piece ? size - at : t->max_piece;
        for (; n > 0; n--) {
            id = tok_find_plain(t, word + at, n);
            if (id >= 0)
                break;
        }
        if (n == 0) {
            out->n = before;
            return t->unk < 0 || tok_emit(out, t->unk);
        }
        if (!tok_emit(out, id))
            return false;
        at += n;
    }
    return true;
}

/* Ends the word in work->text, if there is one. */
static bool end_word(const struct ember_tokenizer *t, struct tok_work *work,
                     struct ember_tokens *out)
{
    bool fine = !work->text.failed &&
                (!work->text.size || encode_word(t, work->text.data, work->text.size, out));
    work->text.size = 0;
    return fine;
}

static void add_char(struct text_buffer *word, uint32_t codepoint)
{
    if (!word->size)
        text_append(word, "▁", 3);
    text_append_codepoint(word, codepoint);
}

enum ember_status tok_wpm(const struct ember_tokenizer *t, const char *text, uint32_t size,
                          struct tok_work *work, struct ember_tokens *out, struct ember_error *err)
{
    bool fine = true;

    work->text.size = 0;
    for (uint32_t at = 0; fine && at < size;) {
        uint32_t c;
        if (!tok_go_on(work, at))
            return EMBER_CANCELLED;
        at += (uint32_t)utf8_decode(text + at, size - at, &c);
        if (c == UTF8_BAD)
            c = 0xFFFD;
        if (t->strip_accents)
            c = tok_base(c);
        enum tok_class class = tok_class_of(c);
        if (class == TOK_SPACE) {
            fine = end_word(t, work, out);
            continue;
        }
        if (class == TOK_HIDDEN || (class == TOK_MARK && t->strip_accents))
            continue;
        bool alone = class == TOK_PUNCTUATION || is_ideograph(c);
        if (alone)
            fine = end_word(t, work, out);
        add_char(&work->text, t->lowercase ? tok_lower(c) : c);
        if (alone && fine)
            fine = end_word(t, work, out);
    }
    if (fine)
        fine = end_word(t, work, out);
    return fine ? EMBER_OK
                : ember_fail(err, EMBER_NO_MEMORY, "no memory to tokenise %u bytes", size);
}
