/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/fail.h"
#include "tokens/pretokenize.h"
#include "tokens/work.h"

struct tok_pretokenizer {
    const struct tok_family *family;
    pcre2_code *codes[TOK_MAX_STAGES]; /* of a digit stage: a run of digits */
};

/* ---- patterns ---- */

static enum ember_status compile(pcre2_code **out, const char *pattern, const char *name,
                                 struct ember_error *err)
{
    int code;
    PCRE2_SIZE at;

    *out = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &code, &at, NULL);
    if (!*out) {
        char why[128] = "";
        pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof why);
        return ember_fail(err, code == PCRE2_ERROR_NOMEMORY ? EMBER_NO_MEMORY : EMBER_UNSUPPORTED,
                          "the pattern of pre-tokenizer %s: %s at byte %zu", name, why, at);
    }
    /* Where code may not be generated the interpreter does the same more slowly. */
    pcre2_jit_compile(*out, PCRE2_JIT_COMPLETE);
    return EMBER_OK;
}

enum ember_status tok_pretokenizer_new(struct tok_pretokenizer **out,
                                       const struct tok_family *family, struct ember_error *err)
{
    enum ember_status st = EMBER_OK;
    struct tok_pretokenizer *pre = calloc(1, sizeof *pre);

    if (!pre)
        return ember_fail(err, EMBER_NO_MEMORY, "no memory for a pre-tokenizer");
    pre->family = family;
    for (unsigned i = 0; st == EMBER_OK && i < TOK_MAX_STAGES; i++) {
        const struct tok_stage *stage = &family->stages[i];
        if (stage->pattern)
            st = compile(&pre->codes[i], stage->pattern, family->name, err);
        else if (stage->kind == TOK_STAGE_DIGITS_RIGHT)
            st = compile(&pre->codes[i], "\\p{N}+", family->name, err);
        else if (stage->kind == TOK_STAGE_ASCII_RIGHT)
            st = compile(&pre->codes[i], "[0-9]+", family->name, err);
    }
    if (st != EMBER_OK) {
        tok_pretokenizer_free(pre);
        return st;
    }
    *out = pre;
    return EMBER_OK;
}

void tok_pretokenizer_free(struct tok_pretokenizer *pre)
{
    if (!pre)
        return;
    for (unsigned i = 0; i < TOK_MAX_STAGES; i++)
        pcre2_code_free(pre->codes[i]);
    free(pre);
}

/* ---- matching ---- */

/* The next match in piece[at..size): 1 and its bounds, 0 for none, or a negative PCRE2 error. */
static int next_match(const pcre2_code *code, struct tok_work *work, const char *piece,
                      uint32_t size, uint32_t at, uint32_t *from, uint32_t *to)
{
    uint32_t options = PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY;
    int rc =
        pcre2_match(code, (PCRE2_SPTR)piece, size, at, options, work->match, work->match_context);

    /* The interpreter keeps its state on the heap and so goes on where generated code cannot. */
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
        rc = pcre2_match(code, (PCRE2_SPTR)piece, size, at, options | PCRE2_NO_JIT, work->match,
                         work->match_context);
    if (rc == PCRE2_ERROR_NOMATCH)
        return 0;
    if (rc < 0)
        return rc;
    const PCRE2_SIZE *bounds = pcre2_get_ovector_pointer(work->match);
    *from = (uint32_t)bounds[0];
    *to = (uint32_t)bounds[1];
    return 1;
}

/* Number of characters in text[0..size), which is valid UTF-8. */
static uint32_t count_chars(const char *text, uint32_t size)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < size; i++)
        n += ((uint8_t)text[i] & 0xC0) != 0x80;
    return n;
}

/* Cuts a run of numbers so that each group but the first has three characters. */
static bool cut_threes(const char *run, uint32_t at, uint32_t size, struct tok_cuts *out)
{
    uint32_t left = count_chars(run, size);
    for (uint32_t i = 1; i < size; i++) {
        if (((uint8_t)run[i] & 0xC0) == 0x80)
            continue;
        left--;
        if (left % 3 == 0 && !tok_cuts_add(out, at + i))
            return false;
    }
    return true;
}

/* Cuts one piece, text[at..end), by one stage; adds the ends of what it becomes. */
static int cut_piece(const struct tok_stage *stage, const pcre2_code *code, struct tok_work *work,
                     const char *text, uint32_t at, uint32_t end, struct tok_cuts *out)
{
    const char *piece = text + at;
    uint32_t size = end - at, done = 0, from, to;
    int rc;

    while (done < size && (rc = next_match(code, work, piece, size, done, &from, &to)) != 0) {
        if (rc < 0)
            return rc;
        bool groups = stage->kind != TOK_STAGE_PATTERN;
        uint32_t n = groups ? count_chars(piece + from, to - from) : 0;
        /* ASCII groups come from a look-ahead at three, six, … digits: a number of one or two has
         * no border before it. */
        bool border = stage->kind != TOK_STAGE_ASCII_RIGHT || n % 3 == 0;
        if (from > done && border && !tok_cuts_add(out, at + from))
            return PCRE2_ERROR_NOMEMORY;
        if (groups && !cut_threes(piece + from, at + from, to - from, out))
            return PCRE2_ERROR_NOMEMORY;
        done = to;
        /* …nor after its last group. */
        if (stage->kind != TOK_STAGE_ASCII_RIGHT && done < size && !tok_cuts_add(out, at + done))
            return PCRE2_ERROR_NOMEMORY;
    }
    return tok_cuts_add(out, end) ? 0 : PCRE2_ERROR_NOMEMORY;
}

/* The text as valid UTF-8 of the same length: a byte that is none becomes a control character,
 * which no pattern knows. */
static const char *cleaned(const char *text, uint32_t size, struct text_buffer *clean)
{
    if (utf8_valid(text, size))
        return text;
    clean->size = 0;
    text_append(clean, text, size);
    if (clean->failed)
        return NULL;
    for (uint32_t at = 0; at < size;) {
        uint32_t codepoint;
        uint32_t step = (uint32_t)utf8_decode(text + at, size - at, &codepoint);
        if (codepoint == UTF8_BAD)
            clean->data[at] = 0x1A;
        at += step;
    }
    return clean->data;
}

static enum ember_status prepare(struct tok_work *work, uint32_t size)
{
    if (!work->match)
        work->match = pcre2_match_data_create(1, NULL);
    if (!work->match_context)
        work->match_context = pcre2_match_context_create(NULL);
    if (!work->match || !work->match_context)
        return EMBER_NO_MEMORY;
    /* The patterns backtrack at most once per character of a run. */
    uint64_t limit = 10000000 + (uint64_t)size * 16;
    pcre2_set_match_limit(work->match_context, limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX);
    return EMBER_OK;
}

enum ember_status tok_pretokenize(const struct tok_pretokenizer *pre, const char *text,
                                  uint32_t size, struct tok_work *work, struct ember_error *err)
{
    const char *clean = cleaned(text, size, &work->clean);

    work->cuts.n = 0;
    if (!clean || prepare(work, size) != EMBER_OK || (size && !tok_cuts_add(&work->cuts, size)))
        return ember_fail(err, EMBER_NO_MEMORY, "no memory to tokenise %u bytes", size);
    for (unsigned stage = 0; stage < TOK_MAX_STAGES && pre->codes[stage]; stage++) {
        struct tok_cuts pieces = work->cuts;
        uint32_t at = 0;
        work->cuts = work->spare;
        work->spare = pieces;
        work->cuts.n = 0;
        for (size_t i = 0; i < pieces.n; i++) {
            int rc = cut_piece(&pre->family->stages[stage], pre->codes[stage], work, clean, at,
                               pieces.ends[i], &work->cuts);
            if (rc == PCRE2_ERROR_NOMEMORY)
                return ember_fail(err, EMBER_NO_MEMORY, "no memory to tokenise %u bytes", size);
            if (rc < 0)
                return ember_fail(
                    err, EMBER_UNSUPPORTED,
                    "the text cannot be cut into words (pre-tokenizer %s, PCRE2 error "
                    "%d)",
                    pre->family->name, rc);
            at = pieces.ends[i];
        }
    }
    return EMBER_OK;
}

void tok_work_finish(struct tok_work *work)
{
    free(work->parts);
    free(work->nodes);
    free(work->heap.keys);
    free(work->cuts.ends);
    free(work->spare.ends);
    text_finish(&work->text);
    text_finish(&work->clean);
    pcre2_match_data_free(work->match);
    pcre2_match_context_free(work->match_context);
}
