/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stored files: those of all architectures, the real models, and the malformed ones with what
 * is expected of each. */
#include <ctype.h>
#include <dirent.h>

#include <ember/gguf.h>
#include <ember/json.h>

#include "gguf/gguf.h"
#include "test.h"

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && !strcmp(name + n - m, end);
}

/* Opens a file that must be fine, both ways, and looks at each tensor. */
static void check_good(const char *path)
{
    for (int header_only = 0; header_only < 2; header_only++) {
        struct ember_gguf *g = NULL;
        struct ember_error err = { 0 };
        if (!CHECK_MSG(!ember_gguf_open(&g, path, header_only, &err), "%s: %s", path, err.message))
            continue;
        const struct ember_gguf_info *info = ember_gguf_info(g);
        bool found = true;
        for (uint64_t i = 0; i < info->n_tensors; i++) {
            const struct ember_gguf_tensor *t = ember_gguf_tensor(g, i);
            char name[80];
            snprintf(name, sizeof name, "%.*s", (int)t->name.size, t->name.data);
            found &= ember_gguf_find_tensor(g, name) == t;
            found &= header_only || gguf_tensor_data(g, t);
        }
        CHECK_MSG(found, "%s: a tensor is not found or has no data", path);
        CHECK(ember_gguf_get_text(g, "general.architecture").data);
        ember_gguf_close(g);
    }
}

static void check_folder(const char *folder)
{
    char path[4096];
    const char *found = test_corpus(path, folder);
    DIR *dir = found ? opendir(found) : NULL;
    unsigned n = 0;

    if (!dir) {
        test_missing(folder, "the corpus is not there");
        return;
    }
    for (struct dirent *entry; (entry = readdir(dir));) {
        char file[4400];
        if (!ends_with(entry->d_name, ".gguf"))
            continue;
        snprintf(file, sizeof file, "%s/%s", found, entry->d_name);
        check_good(file);
        n++;
    }
    closedir(dir);
    CHECK_MSG(n, "%s holds no file", folder);
}

/* Whether `word` begins a word of `text`, whatever the case. */
static bool mentions(const char *text, struct ember_text word)
{
    for (const char *at = text; *at; at++) {
        size_t i = 0;
        if (at > text && isalnum((unsigned char)at[-1]))
            continue;
        while (i < word.size && at[i] &&
               tolower((unsigned char)at[i]) == tolower((unsigned char)word.data[i]))
            i++;
        if (i == word.size)
            return true;
    }
    return false;
}

static bool is(const struct ember_json *value, const char *text)
{
    return value && value->kind == EMBER_JSON_STRING && value->text.size == strlen(text) &&
           !memcmp(value->text.data, text, value->text.size);
}

static void check_facts(const struct ember_gguf *g, const struct ember_json *facts,
                        const char *name)
{
    const struct ember_gguf_info *info = ember_gguf_info(g);
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        { "version", info->version },
        { "n_tensors", info->n_tensors },
        { "n_kv", info->n_keys },
        { "alignment", info->alignment },
        { "data_offset", info->data_offset },
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double want = ember_json_number(ember_json_member(facts, numbers[i].name), -1);
        CHECK_MSG(want == (double)numbers[i].value, "%s: %s is %g", name, numbers[i].name, want);
    }
    CHECK(is(ember_json_member(facts, "endian"), info->big_endian ? "big" : "little"));
    struct ember_text arch = ember_gguf_get_text(g, "general.architecture");
    const struct ember_json *want = ember_json_member(facts, "architecture");
    CHECK(want && want->text.size == arch.size && !memcmp(want->text.data, arch.data, arch.size));
}

static void check_case(const char *folder, const struct ember_json *c)
{
    const struct ember_json *file = ember_json_member(c, "file");
    const struct ember_json *kind = ember_json_member(c, "kind");
    const struct ember_json *words = ember_json_member(c, "must_mention");
    const struct ember_json *facts = ember_json_member(c, "facts");
    struct ember_gguf *g = NULL;
    struct ember_error err = { 0 };
    char path[4400];

    if (!CHECK(file && file->kind == EMBER_JSON_STRING && kind && words))
        return;
    snprintf(path, sizeof path, "%s/%.*s", folder, (int)file->text.size, file->text.data);
    enum ember_status st = ember_gguf_open(&g, path, true, &err);
    if (is(kind, "reject"))
        CHECK_MSG(st, "%s is accepted", path);
    else if (!is(kind, "warn_or_reject"))
        CHECK_MSG(!st, "%s: %s", path, err.message); /* the contents are others' business */
    if (st) {
        /* The file's name, which the sentence begins with, does not count. */
        const char *sentence = strchr(err.message + 1, '"');
        bool any = false;
        for (size_t i = 0; i < words->list.count; i++)
            any |= mentions(sentence ? sentence : "", words->list.items[i].text);
        CHECK_MSG(any, "%s: \"%s\" names nothing of what is wrong", path, err.message);
    } else if (facts) {
        check_facts(g, facts, path);
    }
    ember_gguf_close(g);
}

static void test_malformed(void)
{
    char path[4096], folder[4096];
    const char *found = test_corpus(path, "badgguf/cases.json");
    FILE *file = found ? fopen(found, "rb") : NULL;
    struct ember_json_document *doc = NULL;
    struct ember_error err = { 0 };

    if (!file) {
        test_missing("badgguf", "the corpus is not there");
        return;
    }
    char *text = malloc(1 << 20);
    size_t size = fread(text, 1, 1 << 20, file);
    fclose(file);
    if (CHECK_MSG(!ember_json_parse(&doc, text, size, &err), "%s", err.message)) {
        const struct ember_json *cases = ember_json_root(doc);
        CHECK(cases->kind == EMBER_JSON_ARRAY && cases->list.count > 0);
        test_corpus(folder, "badgguf");
        for (size_t i = 0; cases->kind == EMBER_JSON_ARRAY && i < cases->list.count; i++)
            check_case(folder, &cases->list.items[i]);
    }
    ember_json_free(doc);
    free(text);
}

static void test_real(const char *name)
{
    char path[4096];
    const char *found = test_model(path, name);
    if (found)
        check_good(found);
    else
        test_missing(name, "the model was not fetched");
}

int main(void)
{
    check_folder("archs");
    check_folder("tokenizers");
    test_malformed();
    test_real("smollm2.gguf");
    test_real("gemma3.gguf");
    return test_end();
}
