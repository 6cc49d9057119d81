/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tokens mean: begin, end, fill-in-the-middle. Files say it by id, by kind, or not at all, and
 * then well-known texts decide. */
#include <string.h>
#include <strings.h>

#include "tokens/pretokenize.h"

/* Ends of a turn, looked for when the file names no eot token. */
static const char *const turn_ends[] = {
    "<|eot_id|>",         "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>",
    "<|end_of_text|>",    "<EOT>",      "_<EOT>",  "[EOT]",         "<｜end▁of▁sentence｜>",
    "<end_of_utterance>",
};

/* Every token that ends generation by its text. */
static const char *const ends[] = {
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<｜end▁of▁sentence｜>",
    "[e~[",
};

/* Part of a message's head: control tokens that are shown. */
static const char *const shown[] = { "<|channel|>", "<|message|>", "<|start|>", "<|constrain|>" };

/* Fill-in-the-middle tokens: the key, its old name, and texts that stand in for it. */
struct fim {
    const char *key, *old_key;
    bool ends; /* generation stops there */
    const char *texts[9];
};

static const struct fim fims[] = {
    { "tokenizer.ggml.fim_pre_token_id",
      "tokenizer.ggml.prefix_token_id",
      false,
      { "<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>",
        "<|code_prefix|>", "<|prefix|>" } },
    { "tokenizer.ggml.fim_suf_token_id",
      "tokenizer.ggml.suffix_token_id",
      false,
      { "<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>", "<SUF>", "▁<SUF>",
        "<|code_suffix|>", "<|suffix|>" } },
    { "tokenizer.ggml.fim_mid_token_id",
      "tokenizer.ggml.middle_token_id",
      false,
      { "<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>",
        "<|code_middle|>", "<|middle|>" } },
    { "tokenizer.ggml.fim_pad_token_id",
      NULL,
      true,
      { "<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]" } },
    { "tokenizer.ggml.fim_rep_token_id",
      NULL,
      true,
      { "<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>" } },
    { "tokenizer.ggml.fim_sep_token_id", NULL, true, { "<|file_sep|>" } },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int32_t find(const struct ember_tokenizer *t, const char *text)
{
    return tok_find(t, text, strlen(text));
}

/* The id of a key; `fallback` when the key is absent or names no token, TOK_NONE if that is none
 * either. */
static int32_t id_of(const struct ember_tokenizer *t, const char *key, int32_t fallback)
{
    uint64_t id = ember_gguf_get_u64(t->gguf, key, UINT64_MAX);
    if (id < t->n_tokens)
        return (int32_t)id;
    return fallback >= 0 && (uint32_t)fallback < t->n_tokens ? fallback : TOK_NONE;
}

static void set_end(struct ember_tokenizer *t, int32_t id)
{
    if (id >= 0)
        t->pieces[id].flags |= TOK_END;
}

static bool is_end(const struct ember_tokenizer *t, int32_t id)
{
    return id >= 0 && t->pieces[id].flags & TOK_END;
}

static void set_control(struct ember_tokenizer *t, int32_t id)
{
    if (id >= 0)
        t->pieces[id].kind = EMBER_TOKEN_CONTROL;
}

/* The first text of a list that is a token; it becomes a control token. */
static int32_t find_control(struct ember_tokenizer *t, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n && texts[i]; i++) {
        int32_t id = find(t, texts[i]);
        if (id >= 0) {
            set_control(t, id);
            return id;
        }
    }
    return TOK_NONE;
}

static void load_ends(struct ember_tokenizer *t)
{
    int32_t eot = id_of(t, "tokenizer.ggml.eot_token_id", TOK_NONE);
    int32_t eom = id_of(t, "tokenizer.ggml.eom_token_id", TOK_NONE);
    static const char *const eom_text[] = { "<|eom_id|>" };

    if (eot < 0)
        eot = find_control(t, turn_ends, COUNT(turn_ends));
    if (eom < 0)
        eom = find_control(t, eom_text, COUNT(eom_text));
    for (size_t i = 0; i < COUNT(fims); i++) {
        int32_t id = id_of(t, fims[i].key, TOK_NONE);
        if (id < 0 && fims[i].old_key)
            id = id_of(t, fims[i].old_key, TOK_NONE);
        if (id < 0)
            id = find_control(t, fims[i].texts, COUNT(fims[i].texts));
        if (fims[i].ends)
            set_end(t, id);
    }
    for (size_t i = 0; i < COUNT(ends); i++) {
        int32_t id = find(t, ends[i]);
        set_control(t, id);
        set_end(t, id);
    }
    set_end(t, t->eos);
    set_end(t, eot);
    set_end(t, eom);
}

/* Makes a token one that is printed; it keeps its guard, since it still shapes a message. */
static void unset_end(struct ember_tokenizer *t, const char *text, enum ember_token_kind kind)
{
    int32_t id = find(t, text);
    if (id < 0)
        return;
    t->pieces[id].flags &= (uint8_t)~TOK_END;
    t->pieces[id].kind = (uint8_t)kind;
}

/* Formats where a would-be end is only the end of a part. */
static void load_exceptions(struct ember_tokenizer *t)
{
    bool end = is_end(t, find(t, "<|end|>"));
    bool harmony = is_end(t, find(t, "<|return|>")) && is_end(t, find(t, "<|call|>"));
    bool solar = is_end(t, find(t, "<|calls|>")) && is_end(t, find(t, "<|flush|>"));

    if (end && (harmony || solar))
        unset_end(t, "<|end|>", EMBER_TOKEN_USER_DEFINED);
    if (is_end(t, find(t, "<|tool_response>"))) {
        int32_t id = find(t, "</s>");
        unset_end(t, "</s>", EMBER_TOKEN_NORMAL);
        if (id >= 0)
            t->pieces[id].flags &= (uint8_t)~TOK_GUARDED; /* ordinary text there */
    }
    for (size_t i = 0; i < COUNT(shown); i++) {
        int32_t id = find(t, shown[i]);
        if (id >= 0)
            t->pieces[id].kind = EMBER_TOKEN_USER_DEFINED;
    }
}

/* ---- white space around tokens ---- */

static bool contains(struct ember_text text, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= text.size; i++) {
        if (strncasecmp(text.data + i, word, size) == 0)
            return true;
    }
    return false;
}

static void set_flag(struct ember_tokenizer *t, const char *text, uint8_t flag, bool on)
{
    int32_t id = find(t, text);
    if (id < 0)
        return;
    if (on)
        t->pieces[id].flags |= flag;
    else
        t->pieces[id].flags &= (uint8_t)~flag;
}

/* Which tokens swallow white space stands in no key; these models are known to have such tokens. */
static void load_strips(struct ember_tokenizer *t, const char *pre)
{
    struct ember_text name = ember_gguf_get_text(t->gguf, "general.name");
    struct ember_text arch = ember_gguf_get_text(t->gguf, "general.architecture");

    if (strncmp(pre, "jina-v2-", 8) == 0 || contains(arch, "nomic-bert-moe") ||
        contains(arch, "jina-bert-v3"))
        set_flag(t, "<mask>", TOK_STRIP_LEFT, true);
    if (strcmp(pre, "modern-bert") == 0)
        set_flag(t, "[MASK]", TOK_STRIP_LEFT, true);
    if (!contains(name, "phi-3") && !contains(name, "phi3"))
        return;
    for (uint32_t id = 0; id < t->n_tokens; id++) {
        uint8_t kind = t->pieces[id].kind;
        if (kind == EMBER_TOKEN_CONTROL || kind == EMBER_TOKEN_UNKNOWN ||
            kind == EMBER_TOKEN_USER_DEFINED)
            t->pieces[id].flags |= TOK_STRIP_RIGHT;
    }
    set_flag(t, "<unk>", TOK_STRIP_RIGHT, false);
    set_flag(t, "<s>", TOK_STRIP_RIGHT, false);
    set_flag(t, "<|endoftext|>", TOK_STRIP_RIGHT, false);
}

/* What holds without keys, by kind of vocabulary. */
struct defaults {
    int32_t bos, eos, unk;
    bool add_bos, add_eos;
};

static const struct defaults defaults[] = {
    [TOK_SPM] = { .bos = 1, .eos = 2, .unk = 0, .add_bos = true },
    [TOK_BPE] = { .bos = 11, .eos = 11, .unk = TOK_NONE },
    /* What frames a text has names of its own there: [CLS] and [SEP]. */
    [TOK_WPM] = { .bos = 101, .eos = 102, .unk = 100, .add_bos = true, .add_eos = true },
    [TOK_UGM] = { .bos = TOK_NONE, .eos = 1, .unk = 2, .add_eos = true },
    [TOK_RWKV] = { .bos = TOK_NONE, .eos = TOK_NONE, .unk = TOK_NONE },
};

void tok_special_load(struct ember_tokenizer *t, const struct tok_pre_name *pre)
{
    struct defaults d = defaults[t->model];

    if (t->keys_only)
        d.bos = d.eos = TOK_NONE;
    if (pre && pre->no_bos)
        d.bos = TOK_NONE;
    if (pre)
        d.add_bos = pre->add_bos;
    t->bos = id_of(t, "tokenizer.ggml.bos_token_id", d.bos);
    t->eos = id_of(t, "tokenizer.ggml.eos_token_id", d.eos);
    t->unk = id_of(t, "tokenizer.ggml.unknown_token_id", d.unk);
    if (t->model == TOK_WPM) {
        t->bos = id_of(t, "tokenizer.ggml.cls_token_id", t->bos);
        t->eos = id_of(t, "tokenizer.ggml.seperator_token_id", t->eos);
    }
    t->add_bos =
        t->keys_only || ember_gguf_get_bool(t->gguf, "tokenizer.ggml.add_bos_token", d.add_bos);
    t->add_eos = ember_gguf_get_bool(t->gguf, "tokenizer.ggml.add_eos_token", d.add_eos);

    load_ends(t);
    /* What is control or unknown at any time is guarded for good: the exceptions below change
     * what is printed, not whom a text may come from. */
    for (uint32_t id = 0; id < t->n_tokens; id++) {
        if (t->pieces[id].kind == EMBER_TOKEN_CONTROL || t->pieces[id].kind == EMBER_TOKEN_UNKNOWN)
            t->pieces[id].flags |= TOK_GUARDED;
    }
    load_exceptions(t);
    load_strips(t, pre ? pre->name : "");
}
