/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unigram vocabularies, as in T5: of all ways to cut the normalised text into tokens the one with
 * the best sum of scores. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "tokens/work.h"

/* Normalisation rules: a double array of 32-bit units, then the replacements. */
struct tok_charsmap {
    const uint8_t *units;
    uint32_t n_units;
    const char *texts; /* each ends with NUL */
    uint32_t texts_size;
};

/* ---- loading ---- */

static enum ember_status load_charsmap(struct ember_tokenizer *t, struct ember_error *err)
{
    static const char key[] = "tokenizer.ggml.precompiled_charsmap";
    const char *path = ember_gguf_path(t->gguf);
    int64_t index = ember_gguf_find(t->gguf, key);

    if (index < 0)
        return EMBER_OK;
    uint64_t size = ember_gguf_key_length(t->gguf, (uint64_t)index);
    uint8_t *data = size < INT32_MAX ? arena_alloc(&t->arena, size + 1, 1) : NULL;
    t->charsmap = arena_alloc(&t->arena, 1, sizeof *t->charsmap);
    if (!data || !t->charsmap)
        return ember_fail(err, EMBER_NO_MEMORY, "%s: no memory for %s", path, key);
    for (uint64_t i = 0; i < size; i++) {
        int64_t byte; /* some files hold them as signed numbers */
        if (!ember_gguf_i64(t->gguf, index, i, &byte) || byte < -128 || byte > 255)
            return ember_fail(err, EMBER_FORMAT, "%s: %s is not a list of bytes", path, key);
        data[i] = (uint8_t)byte;
    }
    uint32_t units = size < 4 ? 0
                              : (uint32_t)data[0] | (uint32_t)data[1] << 8 |
                                    (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
    if (size == 0)
        return EMBER_OK;
    if (size < 4 || units > size - 4)
        return ember_fail(err, EMBER_FORMAT, "%s: %s is cut off", path, key);
    *t->charsmap = (struct tok_charsmap){ .units = data + 4,
                                          .n_units = units / 4,
                                          .texts = (const char *)data + 4 + units,
                                          .texts_size = (uint32_t)size - 4 - units };
    return EMBER_OK;
}

enum ember_status tok_ugm_load(struct ember_tokenizer *t, struct ember_error *err)
{
    int32_t *ids = malloc(t->n_tokens * sizeof *ids);
    uint32_t n = 0, n_user = 0;
    bool fine = ids != NULL;

    t->min_score = 0;
    for (uint32_t id = 0; fine && id < t->n_tokens; id++) {
        uint8_t kind = t->pieces[id].kind;
        float score = t->scores ? t->scores[id] : 0;
        if (t->pieces[id].flags & TOK_GUARDED)
            continue;
        if (kind == EMBER_TOKEN_NORMAL && score < t->min_score)
            t->min_score = score;
        if (kind == EMBER_TOKEN_NORMAL || kind == EMBER_TOKEN_USER_DEFINED ||
            kind == EMBER_TOKEN_UNUSED)
            ids[n++] = (int32_t)id;
    }
    fine = fine && tok_index_init(&t->matcher, &t->arena, t->pieces, ids, n);
    for (uint32_t id = 0; fine && id < t->n_tokens; id++) {
        if (t->pieces[id].kind == EMBER_TOKEN_USER_DEFINED)
            ids[n_user++] = (int32_t)id;
    }
    fine = fine && tok_index_init(&t->verbatim, &t->arena, t->pieces, ids, n_user);
    free(ids);
    if (!fine)
        return ember_fail(err, EMBER_NO_MEMORY, "%s: no memory for the vocabulary",
                          ember_gguf_path(t->gguf));
    return load_charsmap(t, err);
}

/* ---- normalising ---- */

static uint32_t unit(const struct tok_charsmap *map, uint32_t i)
{
    const uint8_t *p = map->units + (size_t)i * 4;
    return i < map->n_units
               ? (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24
               : 0;
}

static uint32_t base_of(uint32_t unit)
{
    return (unit >> 10) << ((unit & 0x200) >> 6);
}

/* The longest rule at the start of text: its length in bytes (0 = none) and what it makes. */
static uint32_t find_rule(const struct tok_charsmap *map, const char *text, uint32_t size,
                          struct ember_text *replacement)
{
    uint32_t longest = 0, at = base_of(unit(map, 0));

    for (uint32_t i = 0; i < size && text[i]; i++) {
        at ^= (uint8_t)text[i];
        uint32_t here = unit(map, at);
        if ((here & 0x800000FF) != (uint8_t)text[i])
            break;
        at ^= base_of(here);
        if (here >> 8 & 1) {
            uint32_t from = unit(map, at) & 0x7FFFFFFF;
            if (from >= map->texts_size)
                break;
            const char *end = memchr(map->texts + from, 0, map->texts_size - from);
            if (!end)
                break;
            *replacement =
                (struct ember_text){ map->texts + from, (size_t)(end - map->texts) - from };
            longest = i + 1;
        }
    }
    return longest;
}

/* What stands at the start of text becomes *out; returns how many bytes that was. */
static uint32_t normalize_one(const struct ember_tokenizer *t, const char *text, uint32_t size,
                              struct ember_text *out)
{
    struct tok_walk walk = tok_walk_begin(&t->verbatim);
    uint32_t longest = 0, codepoint;

    while (walk.low < walk.high && walk.depth < size) {
        if (tok_walk_step(&t->verbatim, &walk, (uint8_t)text[walk.depth]) >= 0)
            longest = walk.depth;
    }
    if (longest) {
        *out = (struct ember_text){ text, longest };
        return longest;
    }
    if (t->charsmap && (longest = find_rule(t->charsmap, text, size, out)) > 0)
        return longest;
    longest = (uint32_t)utf8_decode(text, size, &codepoint);
    *out = codepoint == UTF8_BAD ? (struct ember_text){ "\xEF\xBF\xBD", 3 }
                                 : (struct ember_text){ text, longest };
    return longest;
}

/* Spaces become U+2581; if the file wants it one stands first and no two stand together. */
static bool normalize(const struct ember_tokenizer *t, const char *text, uint32_t size,
                      struct text_buffer *out)
{
    bool in_word = false, begun = false;

    out->size = 0;
    for (uint32_t at = 0; at < size;) {
        struct ember_text piece;
        at += normalize_one(t, text + at, size - at, &piece);
        for (size_t i = 0; i < piece.size; i++) {
            if (piece.data[i] == ' ') {
                in_word = false;
                if (!t->squeeze_spaces)
                    text_append(out, "▁", 3);
                continue;
            }
            if (!in_word && ((t->space_prefix && !begun) || t->squeeze_spaces)) {
                text_append(out, "▁", 3);
                begun = true;
            }
            in_word = true;
            text_append_char(out, piece.data[i]);
        }
    }
    return !out->failed;
}

/* ---- the best way ---- */

/* The best way to reach a place: the last token and where it begins. */
struct step {
    double score;
    uint32_t from;
    int32_t id;
};

static void improve(struct step *steps, uint32_t from, uint32_t to, double score, int32_t id)
{
    if (steps[from].score + score > steps[to].score)
        steps[to] = (struct step){ steps[from].score + score, from, id };
}

static bool find_steps(const struct ember_tokenizer *t, const char *text, uint32_t size,
                       struct step *steps, struct tok_work *work)
{
    const double unknown = (double)t->min_score - 10;

    for (uint32_t at = 0; at < size;) {
        uint32_t codepoint, step = (uint32_t)utf8_decode(text + at, size - at, &codepoint);
        struct tok_walk walk = tok_walk_begin(&t->matcher);
        bool known = false;
        while (walk.low < walk.high && at + walk.depth < size) {
            int32_t place = tok_walk_step(&t->matcher, &walk, (uint8_t)text[at + walk.depth]);
            if (place < 0)
                continue;
            int32_t id = t->matcher.ids[place];
            bool user = t->pieces[id].kind == EMBER_TOKEN_USER_DEFINED;
            improve(steps, at, at + walk.depth, user || !t->scores ? 0 : t->scores[id], id);
            known = known || walk.depth == step;
        }
        if (!known)
            improve(steps, at, at + step, unknown, t->unk);
        at += step;
        if (!tok_go_on(work, at))
            return false;
    }
    return true;
}

enum ember_status tok_ugm(const struct ember_tokenizer *t, const char *text, uint32_t size,
                          struct tok_work *work, struct ember_tokens *out, struct ember_error *err)
{
    bool fine = normalize(t, text, size, &work->text);
    uint32_t length = fine && work->text.size < INT32_MAX ? (uint32_t)work->text.size : 0;
    struct step *steps = malloc(((size_t)length + 1) * sizeof *steps);
    size_t before = out->n;

    fine = fine && steps && work->text.size == length;
    if (fine) {
        for (uint32_t i = 0; i <= length; i++)
            steps[i] = (struct step){ .score = i ? -DBL_MAX : 0 };
        fine = find_steps(t, work->text.data, length, steps, work);
    }
    bool unknown = false;
    for (uint32_t at = length; fine && at > 0; at = steps[at].from) {
        /* Neighbouring unknown characters are one unknown token. */
        bool again = unknown && steps[at].id == t->unk;
        unknown = steps[at].id == t->unk;
        if (!again && steps[at].id >= 0)
            fine = tok_emit(out, steps[at].id);
    }
    for (size_t a = before, b = out->n; fine && a + 1 < b; a++, b--) {
        int32_t id = out->ids[a];
        out->ids[a] = out->ids[b - 1];
        out->ids[b - 1] = id;
    }
    free(steps);
    return fine ? EMBER_OK
                : ember_fail(err, EMBER_NO_MEMORY, "no memory to tokenise %u bytes", size);
}
