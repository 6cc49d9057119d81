/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The vocabulary: what its kind needs, arrays that belong together, ids, merges, and the ways in
 * which converters got it wrong. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"
#include "gguf/names.h"

enum { MOST_TOKENS = 1 << 24 }; /* more are not compared with each other */

static const char convert[] = "Convert the model again with a current converter.";

/* An array of the vocabulary; index -1 when absent. */
struct list {
    const char *key;
    int64_t index;
    uint64_t length;
    bool array;
};

static struct list list_of(const struct doctor *d, const char *key)
{
    struct list list = { .key = key, .index = ember_gguf_find(d->gguf, key) };
    if (list.index >= 0) {
        list.array = ember_gguf_key_type(d->gguf, (uint64_t)list.index) == EMBER_GGUF_ARRAY;
        list.length = list.array ? ember_gguf_key_length(d->gguf, (uint64_t)list.index) : 0;
    }
    return list;
}

static void say(struct doctor *d, const char *code, const char *key, const char *advice,
                const char *message)
{
    char place[120];
    snprintf(place, sizeof place, "key \"%s\"", key);
    doctor_say(d, EMBER_SEVERITY_WARNING, code, place, advice, "%s", message);
}

static void missing(struct doctor *d, const char *key, const char *what)
{
    char message[320];
    snprintf(message, sizeof message, "The key %s is missing; %s.", key, what);
    say(d, "vocabulary-missing", key, convert, message);
}

static void check_parallel(struct doctor *d, const struct list *tokens, const struct list *list,
                           const char *what)
{
    char message[320];

    if (list->index < 0 || !list->array || list->length == tokens->length)
        return;
    snprintf(message, sizeof message, "The list %s has %s, but there are %s: the lengths disagree.",
             list->key, doctor_amount(list->length, what).text,
             doctor_amount(tokens->length, "token").text);
    say(d, "vocabulary-length", list->key, convert, message);
}

/* The texts of all tokens, to be found by text. */
struct vocabulary {
    struct ember_text *texts;
    struct name_list list;
    struct name_table table;
    struct hash_key key;
};

static void check_duplicates(struct doctor *d, const struct list *tokens, struct vocabulary *v)
{
    uint32_t n = v->list.count, first = 0, second = 0;
    uint64_t more = 0;
    char message[300];

    for (uint32_t i = 0; i < n; i++) {
        uint32_t found =
            names_find(&v->table, &v->key, &v->list, v->texts[i].data, v->texts[i].size);
        if (found == i || !v->texts[i].size) /* empty texts are told apart by their number */
            continue;
        if (!more++) {
            first = found;
            second = i;
        }
    }
    if (!more)
        return;
    snprintf(message, sizeof message,
             "The list %s has %s: %u and %u are both \"%s\"; each text is expected once.",
             tokens->key, doctor_amount(more, "duplicate token").text, (unsigned)first,
             (unsigned)second, doctor_name(v->texts[first]).text);
    say(d, "token-duplicate", tokens->key, convert, message);
}

/* Two tokens make a third one. */
static void check_merged(struct doctor *d, const struct list *merges, const struct vocabulary *v)
{
    uint64_t bad = 0, first = 0;
    struct ember_text text;
    char message[300];

    for (uint64_t i = 0; i < merges->length; i++) {
        char joined[512];
        if (!ember_gguf_text(d->gguf, merges->index, i, &text))
            return;
        const char *space = text.size > 1 ? memchr(text.data + 1, ' ', text.size - 1) : NULL;
        if (!space || text.size > sizeof joined)
            continue;
        size_t left = (size_t)(space - text.data), right = text.size - left - 1;
        memcpy(joined, text.data, left);
        memcpy(joined + left, space + 1, right);
        if (names_find(&v->table, &v->key, &v->list, joined, left + right) == NAMES_NONE && !bad++)
            first = i;
    }
    if (!bad)
        return;
    ember_gguf_text(d->gguf, merges->index, first, &text);
    snprintf(message, sizeof message,
             "The list %s has %s to a text that is no token: number %" PRIu64
             " is \"%s\"; both parts together are expected to be one.",
             merges->key, doctor_amount(bad, "merge").text, first, doctor_name(text).text);
    say(d, "merge-token", merges->key, convert, message);
}

/* What needs tokens by their text. */
static void check_names(struct doctor *d, const struct list *tokens, const struct list *merges)
{
    uint32_t n = (uint32_t)tokens->length;
    struct vocabulary v = { .texts = calloc(n ? n : 1, sizeof *v.texts), .key = hash_key_new() };
    bool twice = false;

    v.list = (struct name_list){ v.texts, sizeof *v.texts, n };
    for (uint32_t i = 0; v.texts && i < n; i++)
        ember_gguf_text(d->gguf, tokens->index, i, &v.texts[i]);
    if (v.texts && names_build(&v.table, &v.key, &v.list, &twice)) {
        if (twice)
            check_duplicates(d, tokens, &v);
        check_merged(d, merges, &v);
    } else {
        d->report->failed = true;
    }
    names_finish(&v.table);
    free(v.texts);
}

static void check_types(struct doctor *d, const struct list *types)
{
    uint64_t bad = 0, first = 0;
    int64_t value, wrong = 0;
    char message[320];

    for (uint64_t i = 0; i < types->length; i++) {
        if (!ember_gguf_i64(d->gguf, types->index, i, &value))
            return;
        if ((value < 0 || value > 6) && !bad++) {
            first = i;
            wrong = value;
        }
    }
    if (!bad)
        return;
    snprintf(message, sizeof message,
             "The list %s has %s out of range: token %" PRIu64 " has type %" PRId64
             "; 0 to 6 exist.",
             types->key, doctor_amount(bad, "token type").text, first, wrong);
    say(d, "token-type", types->key, convert, message);
}

static void check_merges(struct doctor *d, const struct list *merges)
{
    uint64_t bad = 0, first = 0;
    struct ember_text text;
    char message[320];

    for (uint64_t i = 0; i < merges->length; i++) {
        if (!ember_gguf_text(d->gguf, merges->index, i, &text))
            return;
        /* The left part may begin with a space, and neither may be empty. */
        const char *space = text.size > 1 ? memchr(text.data + 1, ' ', text.size - 1) : NULL;
        if ((!space || space == text.data + text.size - 1) && !bad++)
            first = i;
    }
    if (!bad)
        return;
    ember_gguf_text(d->gguf, merges->index, first, &text);
    snprintf(message, sizeof message,
             "The list %s has %s: number %" PRIu64
             " is \"%s\", but two parts with a space between are expected.",
             merges->key, doctor_amount(bad, "malformed merge").text, first,
             doctor_name(text).text);
    say(d, "merge", merges->key, convert, message);
}

static void check_ids(struct doctor *d, const struct list *tokens)
{
    static const char *const names[] = { "bos",     "eos",     "eot",     "eom",       "unknown",
                                         "padding", "mask",    "cls",     "seperator", "separator",
                                         "fim_pre", "fim_suf", "fim_mid", "fim_pad",   "fim_rep",
                                         "fim_sep", "prefix",  "suffix",  "middle" };
    char key[80], message[320], found[32];
    int64_t id;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(key, sizeof key, "tokenizer.ggml.%s_token_id", names[i]);
        int64_t index = ember_gguf_find(d->gguf, key);
        uint64_t big = 0;
        if (index < 0 || ember_gguf_key_type(d->gguf, (uint64_t)index) == EMBER_GGUF_ARRAY)
            continue;
        if (ember_gguf_u64(d->gguf, index, 0, &big)) {
            if (big < tokens->length)
                continue;
            snprintf(found, sizeof found, "%" PRIu64, big);
        } else if (ember_gguf_i64(d->gguf, index, 0, &id)) {
            snprintf(found, sizeof found, "%" PRId64, id);
        } else {
            continue;
        }
        snprintf(message, sizeof message,
                 "The key %s is %s, which is out of range: there are %s, numbered from 0.", key,
                 found, doctor_amount(tokens->length, "token").text);
        say(d, "token-id", key, "It is ignored; set it with \"ember edit\".", message);
    }
    struct list suppress = list_of(d, "tokenizer.ggml.suppress_tokens");
    for (uint64_t i = 0; i < suppress.length; i++) {
        if (ember_gguf_i64(d->gguf, suppress.index, i, &id) &&
            (id < 0 || (uint64_t)id >= tokens->length)) {
            snprintf(message, sizeof message,
                     "The list %s holds the id %" PRId64 ", which is out of range: there are %s.",
                     suppress.key, id, doctor_amount(tokens->length, "token").text);
            say(d, "token-id", suppress.key, "It is ignored.", message);
            break;
        }
    }
}

static void check_charsmap(struct doctor *d)
{
    struct list map = list_of(d, "tokenizer.ggml.precompiled_charsmap");
    uint64_t size = 0, byte;
    char message[320];

    if (map.index < 0 || !map.array || !map.length)
        return;
    for (uint64_t i = 0; i < 4 && i < map.length; i++) {
        int64_t value;
        if (ember_gguf_i64(d->gguf, map.index, i, &value))
            byte = (uint64_t)value & 255;
        else
            return;
        size |= byte << 8 * i;
    }
    if (map.length >= 4 && size % 4 == 0 && size <= map.length - 4)
        return;
    snprintf(message, sizeof message,
             "The charsmap in %s is damaged: a table of %s is expected in it, but it has a size of "
             "%s in all.",
             map.key, doctor_amount(size, "byte").text, doctor_amount(map.length, "byte").text);
    say(d, "charsmap", map.key, convert, message);
}

static void check_rows(struct doctor *d, const struct list *tokens)
{
    const struct ember_gguf_tensor *embedding =
        ember_gguf_find_tensor(doctor_whole(d), "token_embd.weight");
    uint64_t vocab_size;
    char message[320];

    if (embedding && embedding->n_dims >= 2 && embedding->ne[1] < tokens->length) {
        snprintf(message, sizeof message,
                 "There are %s, but the tensor token_embd.weight has an embedding (a row) for only "
                 "%" PRIu64 ".",
                 doctor_amount(tokens->length, "token").text, embedding->ne[1]);
        say(d, "token-rows", tokens->key, convert, message);
    } else if (embedding && embedding->n_dims >= 2 && embedding->ne[1] > tokens->length) {
        doctor_say(d, EMBER_SEVERITY_INFO, "token-padding", "tensor \"token_embd.weight\"",
                   "Rows without a token are never chosen.",
                   "The vocabulary is padded: there are %s, and token_embd.weight has %s.",
                   doctor_amount(tokens->length, "token").text,
                   doctor_amount(embedding->ne[1], "row").text);
    }
    if (doctor_u64(d, "vocab_size", &vocab_size) && vocab_size < tokens->length && vocab_size) {
        snprintf(message, sizeof message, "There are %s, but the key vocab_size says %" PRIu64 ".",
                 doctor_amount(tokens->length, "token").text, vocab_size);
        say(d, "token-count", tokens->key, convert, message);
    }
}

static void check_pre(struct doctor *d)
{
    struct ember_text pre = ember_gguf_get_text(d->gguf, "tokenizer.ggml.pre");
    static const struct {
        const char *architecture, *pre;
    } wrong[] = {
        /* Converters of early 2024 wrote these; the words are then cut in the wrong places. */
        { "qwen2", "gpt-2" },     { "qwen2", "llama-bpe" }, { "qwen3", "gpt-2" },
        { "qwen3", "llama-bpe" }, { "llama", "gpt-2" },
    };
    int64_t index = ember_gguf_find(d->gguf, "tokenizer.ggml.pre");

    if (index >= 0 && !pre.data)
        return; /* of another type */
    if (!pre.data || doctor_is(pre, "default") || !pre.size) {
        say(d, "pre-default", "tokenizer.ggml.pre",
            "Find out the right name and set it with \"ember edit\", or convert the model again.",
            pre.data
                ? "The pre-tokenizer in tokenizer.ggml.pre is \"default\": the converter did "
                  "not know the right one, and text is cut in the wrong places."
                : "The pre-tokenizer (tokenizer.ggml.pre) is missing: text is cut in the wrong "
                  "places.");
        return;
    }
    if (!doctor_known_pre(pre)) {
        char message[320];
        snprintf(
            message, sizeof message,
            "The pre-tokenizer \"%s\" in tokenizer.ggml.pre is unknown; the name of a known one "
            "is expected.",
            doctor_name(pre).text);
        say(d, "pre-unknown", "tokenizer.ggml.pre",
            "A newer version may know it; else convert the model again.", message);
        return;
    }
    /* With few tokens it is a vocabulary of somebody's own. */
    struct list tokens = list_of(d, "tokenizer.ggml.tokens");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char message[320];
        if (tokens.length < 65536 || !doctor_is(d->architecture, wrong[i].architecture) ||
            !doctor_is(pre, wrong[i].pre))
            continue;
        snprintf(message, sizeof message,
                 "The pre-tokenizer \"%s\" in tokenizer.ggml.pre is a known mistake for models of "
                 "the architecture %s.",
                 wrong[i].pre, wrong[i].architecture);
        say(d, "pre-wrong", "tokenizer.ggml.pre", convert, message);
    }
}

/* The number of a token, or -1. */
static int64_t find_token(const struct doctor *d, const struct list *tokens, const char *text)
{
    struct ember_text token;
    for (uint64_t i = 0; i < tokens->length; i++) {
        if (ember_gguf_text(d->gguf, tokens->index, i, &token) && doctor_is(token, text))
            return (int64_t)i;
    }
    return -1;
}

static bool has_token(const struct doctor *d, const struct list *tokens, const char *text)
{
    return find_token(d, tokens, text) >= 0;
}

static bool template_has(struct ember_text source, const char *text)
{
    return source.size && memmem(source.data, source.size, text, strlen(text));
}

#define DEEPSEEK_END                                                                               \
    "<\xEF\xBD\x9C"                                                                                \
    "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>"

/* A template closes turns with a text that must be one token, or nobody notices the end. */
static void check_end_of_turn(struct doctor *d, const struct list *tokens, const struct list *types)
{
    static const char *const ends[] = { "<|eot_id|>",    "<|im_end|>",      "<|end|>",
                                        "<end_of_turn>", "<|end_of_text|>", "<|return|>",
                                        "<turn|>",       "<|endoftext|>",   "<end_of_utterance>",
                                        (DEEPSEEK_END) };
    struct ember_text source = ember_gguf_get_text(d->gguf, "tokenizer.chat_template");
    char message[320];

    if (!source.size)
        return;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        int64_t id, type;
        if (!template_has(source, ends[i]))
            continue;
        id = find_token(d, tokens, ends[i]);
        if (id < 0)
            snprintf(message, sizeof message,
                     "The chat template ends turns with \"%s\", but the vocabulary has no such "
                     "token, so an answer may not end.",
                     ends[i]);
        else if (types->array && ember_gguf_i64(d->gguf, types->index, (uint64_t)id, &type) &&
                 type == 1)
            snprintf(message, sizeof message,
                     "The chat template ends turns with \"%s\", but token %" PRId64
                     " has the type 1 (normal), so an answer may not end; 3 (control) is expected.",
                     ends[i], id);
        else
            continue;
        say(d, "end-of-turn", "tokenizer.chat_template", convert, message);
    }
    if (ember_gguf_find(d->gguf, "tokenizer.ggml.eos_token_id") >= 0 ||
        ember_gguf_find(d->gguf, "tokenizer.ggml.eot_token_id") >= 0)
        return;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (has_token(d, tokens, ends[i]))
            return;
    }
    if (!has_token(d, tokens, "</s>") && !has_token(d, tokens, "<eos>"))
        say(d, "end-of-turn", "tokenizer.ggml.eos_token_id", convert,
            "There is a chat template, but no end-of-turn token: neither eos_token_id nor "
            "eot_token_id is set, and no token is known to end a turn.");
}

void doctor_check_vocabulary(struct doctor *d)
{
    struct list tokens = list_of(d, "tokenizer.ggml.tokens");
    struct list scores = list_of(d, "tokenizer.ggml.scores");
    struct list types = list_of(d, "tokenizer.ggml.token_type");
    struct list merges = list_of(d, "tokenizer.ggml.merges");
    int64_t at = ember_gguf_find(d->gguf, "tokenizer.ggml.model");
    struct ember_text model = ember_gguf_get_text(d->gguf, "tokenizer.ggml.model");
    bool bpe = doctor_is(model, "gpt2") || doctor_is(model, "gemma4");
    bool scored = doctor_is(model, "llama") || doctor_is(model, "t5");
    char message[320];

    if (at < 0 && tokens.index < 0) {
        if (d->kind == DOCTOR_MODEL && d->info->n_keys && d->known)
            doctor_say(d, EMBER_SEVERITY_INFO, "no-vocabulary", "the keys",
                       "Text cannot be turned into tokens.", "The model has no vocabulary.");
        return;
    }
    if (at < 0)
        missing(d, "tokenizer.ggml.model", "it says of what kind the vocabulary is");
    else if (model.data && !doctor_known_vocabulary(model)) {
        snprintf(
            message, sizeof message,
            "The tokenizer in tokenizer.ggml.model is of the unknown kind \"%s\"; gpt2, llama, "
            "bert and t5 are common ones.",
            doctor_name(model).text);
        say(d, "tokenizer-unknown", "tokenizer.ggml.model",
            "A newer version may know it; check the spelling if you made the file.", message);
    }
    if (doctor_is(model, "no_vocab") || doctor_is(model, "none"))
        return;
    if (bpe && doctor_is(model, "gpt2"))
        check_pre(d);
    if (tokens.index < 0) {
        missing(d, "tokenizer.ggml.tokens", "there is a tokenizer but no list of tokens");
        return;
    }
    if (!tokens.array)
        return;
    if (!tokens.length)
        say(d, "vocabulary-missing", tokens.key, convert,
            "The vocabulary in tokenizer.ggml.tokens is empty: there are no tokens.");
    struct ember_text pre = ember_gguf_get_text(d->gguf, "tokenizer.ggml.pre");
    /* One family of vocabularies merges by the numbers of its tokens. */
    if (bpe && merges.index < 0 && !doctor_is(pre, "kimi-k2"))
        missing(d, "tokenizer.ggml.merges", "this kind of vocabulary needs merges");
    if (scored && scores.index < 0)
        missing(d, "tokenizer.ggml.scores", "this kind of vocabulary needs a score for each token");
    if (types.index < 0 && scored)
        missing(d, "tokenizer.ggml.token_type", "special tokens cannot be told from text");
    check_parallel(d, &tokens, &scores, "score");
    check_parallel(d, &tokens, &types, "token type");
    if (tokens.length <= MOST_TOKENS)
        check_names(d, &tokens, &merges);
    check_types(d, &types);
    check_merges(d, &merges);
    check_ids(d, &tokens);
    check_charsmap(d);
    check_rows(d, &tokens);
    check_end_of_turn(d, &tokens, &types);
}
