/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Real vocabularies against the reference's ids: ../shared/corpus and the two demo models. */
#include <ember/json.h>

#include "support.h"

/* Opens a JSON file; NULL is a failed check. */
static struct ember_json_document *json_open(const char *path)
{
    struct ember_json_document *document = NULL;
    struct ember_error err = { 0 };
    size_t size = 0;
    char *text = read_all(path, &size);

    CHECK_MSG(text && ember_json_parse(&document, text, size, &err) == EMBER_OK, "%s: %s", path,
              err.message);
    free(text);
    return document;
}

static void check_ids(const struct vocabulary *v, struct ember_text text, bool special,
                      const struct ember_json *want, const char *what, struct ember_tokens *got)
{
    struct ember_span span = { text, special };
    struct ember_error err = { 0 };
    int32_t *ids = NULL;

    if (!CHECK_MSG(want && want->kind == EMBER_JSON_ARRAY, "%s: no ids", what))
        return;
    ids = calloc(want->list.count + 1, sizeof *ids);
    for (size_t i = 0; ids && i < want->list.count; i++)
        ids[i] = (int32_t)want->list.items[i].integer;
    got->n = 0;
    if (CHECK(ids) &&
        CHECK_MSG(ember_tokenize(v->tokenizer, &span, 1, false, got, &err) == EMBER_OK, "%s: %s",
                  what, err.message))
        ids_equal(got->ids, got->n, ids, want->list.count, what);
    free(ids);
}

/* The text comes back byte for byte, but for the space that SPM puts in front. */
static void check_back(const struct vocabulary *v, struct ember_text text,
                       const struct ember_tokens *ids, const char *what)
{
    size_t size = 0;
    char *back = detokenize(v->tokenizer, ids->ids, ids->n, true, &size);
    const char *from = back;

    if (CHECK(back)) {
        if (size == text.size + 1 && *from == ' ') {
            from++;
            size--;
        }
        CHECK_MSG(size == text.size && memcmp(from, text.data, size) == 0,
                  "%s: comes back as \"%.60s\"", what, back);
    }
    free(back);
}

enum back {
    BACK_EXACT,  /* the ids give the text back */
    BACK_PLAIN,  /* unless white space is put in or swallowed around special tokens */
    BACK_NOTHING /* accents, capitals and white space are lost */
};

static void check_tokenizer(const char *name, enum back back)
{
    char path[4096], file[256], what[256];
    struct ember_tokens got = { 0 };
    struct vocabulary v;
    struct ember_json_document *document;

    snprintf(file, sizeof file, "tokenizers/%s.json", name);
    if (!test_corpus(path, file)) {
        test_missing(name, "no ../shared/corpus/tokenizers");
        return;
    }
    document = json_open(path);
    snprintf(file, sizeof file, "tokenizers/%s.gguf", name);
    if (document && CHECK(test_corpus(path, file)) && vocabulary_open(&v, path, NULL)) {
        const struct ember_json *cases = ember_json_member(ember_json_root(document), "cases");
        CHECK(cases && cases->list.count > 0);
        for (size_t i = 0; cases && i < cases->list.count; i++) {
            const struct ember_json *entry = &cases->list.items[i];
            const struct ember_json *text = ember_json_member(entry, "text");
            snprintf(what, sizeof what, "%s \"%.40s\"", name, text->text.data);
            check_ids(&v, text->text, false, ember_json_member(entry, "ids"), what, &got);
            if (back != BACK_NOTHING)
                check_back(&v, text->text, &got, what);
            snprintf(what, sizeof what, "%s special \"%.40s\"", name, text->text.data);
            check_ids(&v, text->text, true, ember_json_member(entry, "ids_special"), what, &got);
            if (back == BACK_EXACT)
                check_back(&v, text->text, &got, what);
        }
        vocabulary_finish(&v);
    }
    ember_json_free(document);
    ember_tokens_finish(&got);
}

static void check_pretokenizers(void)
{
    char path[4096], vocab[4096], what[256], set[256];
    struct ember_tokens got = { 0 };
    struct vocabulary v;

    if (!test_corpus(path, "pretokenizers/cases.json") ||
        !test_corpus(vocab, "pretokenizers/vocab.gguf")) {
        test_missing("pre-tokenizers", "no ../shared/corpus/pretokenizers");
        return;
    }
    struct ember_json_document *document = json_open(path);
    const struct ember_json *root = document ? ember_json_root(document) : NULL;
    const struct ember_json *texts = ember_json_member(root, "texts");
    const struct ember_json *names = ember_json_member(root, "pre");
    CHECK(texts && names && names->list.count > 0);
    for (size_t i = 0; texts && names && i < names->list.count; i++) {
        struct ember_text name = names->list.names[i];
        const struct ember_json *rows = &names->list.items[i];
        snprintf(set, sizeof set, "tokenizer.ggml.pre=str:%.*s", (int)name.size, name.data);
        if (vocabulary_open(&v, vocab, set)) {
            for (size_t k = 0; k < texts->list.count && k < rows->list.count; k++) {
                struct ember_text text = texts->list.items[k].text;
                snprintf(what, sizeof what, "pre %.*s text %zu", (int)name.size, name.data, k);
                check_ids(&v, text, false, &rows->list.items[k], what, &got);
            }
        }
        vocabulary_finish(&v);
    }
    ember_json_free(document);
    ember_tokens_finish(&got);
}

static void check_prompt(const char *model, const char *prompt)
{
    char path[4096], text_path[4096], ids_path[4096], file[256];
    struct ember_tokens got = { 0 };
    struct ember_error err = { 0 };
    struct vocabulary v;
    size_t size = 0, ids_size = 0;

    if (!test_model(path, model)) {
        test_missing(prompt, "the model has not been fetched");
        return;
    }
    snprintf(file, sizeof file, "real-models/%s.prompt.txt", prompt);
    if (!test_corpus(text_path, file)) {
        test_missing(prompt, "no ../shared/corpus/real-models");
        return;
    }
    snprintf(file, sizeof file, "real-models/%s.truth.tokens.i32", prompt);
    char *text = read_all(text_path, &size);
    char *ids = test_corpus(ids_path, file) ? read_all(ids_path, &ids_size) : NULL;
    if (CHECK(text && ids) && vocabulary_open(&v, path, NULL)) {
        struct ember_span span = { { text, size }, true };
        if (CHECK_MSG(ember_tokenize(v.tokenizer, &span, 1, true, &got, &err) == EMBER_OK, "%s",
                      err.message))
            ids_equal(got.ids, got.n, (const int32_t *)(const void *)ids, ids_size / 4, prompt);
        vocabulary_finish(&v);
    }
    free(text);
    free(ids);
    ember_tokens_finish(&got);
}

/* What ends an answer, and what is added to a prompt. */
static void check_settings(const char *model, const char *const *ends, bool adds_bos)
{
    char path[4096];
    struct vocabulary v;

    if (!test_model(path, model)) {
        test_missing("settings", "the model has not been fetched");
        return;
    }
    if (vocabulary_open(&v, path, NULL)) {
        uint32_t n = ember_tokenizer_n_tokens(v.tokenizer), n_ends = 0, n_wanted = 0;
        for (; ends[n_wanted]; n_wanted++) {
            int32_t id = ember_tokenizer_find(v.tokenizer, text_of(ends[n_wanted]));
            CHECK_MSG(ember_tokenizer_is_end(v.tokenizer, id), "%s does not end an answer",
                      ends[n_wanted]);
        }
        for (uint32_t id = 0; id < n; id++)
            n_ends += ember_tokenizer_is_end(v.tokenizer, (int32_t)id);
        CHECK_UINT(n_ends, n_wanted);
        CHECK(ember_tokenizer_adds_bos(v.tokenizer) == adds_bos);
        CHECK(!ember_tokenizer_adds_eos(v.tokenizer));
    }
    vocabulary_finish(&v);
}

/* A question made of every special token's text, between trusted halves of a template: no special
 * id comes of it, and the halves stay what they are. */
static void check_injection(const char *model, const char *before, const char *after)
{
    char path[4096];
    struct ember_tokens got = { 0 }, alone = { 0 };
    struct ember_error err = { 0 };
    struct vocabulary v;
    char *question;
    size_t size = 0, room = 1, n_special = 0;

    if (!test_model(path, model)) {
        test_missing("injection", "the model has not been fetched");
        return;
    }
    if (!vocabulary_open(&v, path, NULL))
        return;
    uint32_t n = ember_tokenizer_n_tokens(v.tokenizer);
    for (uint32_t id = 0; id < n; id++)
        room += ember_tokenizer_piece(v.tokenizer, (int32_t)id).size;
    question = malloc(room);
    for (uint32_t id = 0; question && id < n; id++) {
        enum ember_token_kind kind = ember_tokenizer_kind(v.tokenizer, (int32_t)id);
        if (kind != EMBER_TOKEN_CONTROL && kind != EMBER_TOKEN_UNKNOWN)
            continue;
        struct ember_text piece = ember_tokenizer_piece(v.tokenizer, (int32_t)id);
        memcpy(question + size, piece.data, piece.size);
        size += piece.size;
        n_special++;
    }
    CHECK_MSG(n_special > 0, "%s: no special tokens", model);

    struct ember_span spans[] = { { text_of(before), true },
                                  { { question, size }, false },
                                  { text_of(after), true } };
    if (CHECK(question) &&
        CHECK_MSG(ember_tokenize(v.tokenizer, &spans[0], 1, false, &alone, &err) == EMBER_OK &&
                      ember_tokenize(v.tokenizer, &spans[2], 1, false, &alone, &err) == EMBER_OK &&
                      ember_tokenize(v.tokenizer, spans, 3, false, &got, &err) == EMBER_OK,
                  "%s", err.message)) {
        size_t found = 0, expected = 0;
        for (size_t i = 0; i < got.n; i++)
            found += ember_tokenizer_kind(v.tokenizer, got.ids[i]) == EMBER_TOKEN_CONTROL ||
                     ember_tokenizer_kind(v.tokenizer, got.ids[i]) == EMBER_TOKEN_UNKNOWN;
        for (size_t i = 0; i < alone.n; i++)
            expected += ember_tokenizer_kind(v.tokenizer, alone.ids[i]) == EMBER_TOKEN_CONTROL;
        CHECK_MSG(expected > 0, "%s: the template has no control tokens", model);
        CHECK_UINT(found, expected);
        size_t back_size = 0;
        char *back = detokenize(v.tokenizer, got.ids, got.n, true, &back_size);
        CHECK_UINT(back_size, strlen(before) + size + strlen(after));
        CHECK(back && memmem(back, back_size, question, size));
        free(back);
    }
    free(question);
    ember_tokens_finish(&got);
    ember_tokens_finish(&alone);
    vocabulary_finish(&v);
}

int main(void)
{
    check_tokenizer("gpt-2", BACK_EXACT);
    check_tokenizer("llama-spm", BACK_PLAIN);
    check_tokenizer("phi-3", BACK_PLAIN);
    check_tokenizer("deepseek-coder", BACK_EXACT);
    check_tokenizer("falcon", BACK_EXACT);
    check_tokenizer("starcoder", BACK_EXACT);
    check_tokenizer("bert-bge", BACK_NOTHING);
    check_pretokenizers();
    check_prompt("smollm2.gguf", "smollm2-short");
    check_prompt("smollm2.gguf", "smollm2-chat");
    check_prompt("smollm2.gguf", "smollm2-turns");
    check_prompt("smollm2.gguf", "smollm2-long");
    check_prompt("gemma3.gguf", "gemma3-short");
    check_prompt("gemma3.gguf", "gemma3-mixed");
    check_prompt("gemma3.gguf", "gemma3-long");
    check_settings("smollm2.gguf",
                   (const char *const[]){ "<|im_end|>", "<|endoftext|>", "<reponame>", NULL },
                   false);
    check_settings("gemma3.gguf", (const char *const[]){ "<eos>", "<end_of_turn>", "</s>", NULL },
                   true);
    check_injection("smollm2.gguf", "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n");
    check_injection("gemma3.gguf", "<start_of_turn>user\n",
                    "<end_of_turn>\n<start_of_turn>model\n");
    return test_end();
}
