/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The templates of real models with the contexts and results of the corpus. */
#include <dirent.h>

#include "support.h"

static struct ember_time read_time(struct ember_text text)
{
    struct ember_time t = { 0 };
    char copy[40];
    snprintf(copy, sizeof copy, "%.*s", (int)text.size, text.data);
    if (sscanf(copy, "%d-%d-%dT%d:%d:%d", &t.year, &t.month, &t.day, &t.hour, &t.minute,
               &t.second) != 6)
        CHECK_MSG(false, "no time: %s", copy);
    return t;
}

static void run_case(const struct ember_template *tmpl, const char *file, struct ember_time now,
                     const struct ember_json *one)
{
    const struct ember_json *expected = ember_json_member(one, "expected");
    struct ember_text name = ember_json_member(one, "name")->text;
    struct ember_prompt prompt = { 0 };
    struct ember_error err = { 0 };
    enum ember_status st = ember_template_render(tmpl, ember_json_member(one, "context"), no_text,
                                                 no_text, now, &prompt, &err);
    if (!expected) {
        CHECK_MSG(st == EMBER_FORMAT, "%s: %.*s: rendered where the reference refuses", file,
                  (int)name.size, name.data);
    } else if (CHECK_MSG(st == EMBER_OK, "%s: %.*s: %s", file, (int)name.size, name.data,
                         err.message)) {
        size_t n = 0;
        while (n < prompt.size && n < expected->text.size &&
               prompt.text[n] == expected->text.data[n])
            n++;
        CHECK_MSG(n == prompt.size && n == expected->text.size,
                  "%s: %.*s: differs at %zu: \"%.30s\"", file, (int)name.size, name.data, n,
                  prompt.text + n);
        CHECK_MSG(spans_fit(&prompt), "%s: spans that do not fit", file);
    }
    ember_prompt_finish(&prompt);
}

static void run_file(const char *folder, const char *file)
{
    struct ember_json_document *document = NULL;
    struct ember_template *tmpl = NULL;
    struct ember_error err = { 0 };
    size_t json_size = 0, source_size = 0;
    char path[4096 + 300];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    char *json = read_file(path, &json_size);
    snprintf(path + strlen(path) - 5, 7, ".jinja");
    char *source = read_file(path, &source_size);
    if (CHECK_MSG(json && source, "%s cannot be read", path) &&
        CHECK_MSG(ember_json_parse(&document, json, json_size, &err) == EMBER_OK, "%s: %s", file,
                  err.message) &&
        CHECK_MSG(ember_template_new(&tmpl, source, source_size, file, &err) == EMBER_OK, "%s",
                  err.message)) {
        const struct ember_json *root = ember_json_root(document);
        const struct ember_json *cases = ember_json_member(root, "cases");
        struct ember_time now = read_time(ember_json_member(root, "now")->text);
        for (size_t i = 0; i < cases->list.count; i++)
            run_case(tmpl, file, now, &cases->list.items[i]);
    }
    ember_template_free(tmpl);
    ember_json_free(document);
    free(source);
    free(json);
}

int main(void)
{
    char folder[4096];
    if (!test_corpus(folder, "templates")) {
        test_missing("templates", "the corpus is not there");
        return test_end();
    }
    DIR *dir = opendir(folder);
    int n = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        size_t size = strlen(entry->d_name);
        if (size > 5 && size < 256 && strcmp(entry->d_name + size - 5, ".json") == 0) {
            run_file(folder, entry->d_name);
            n++;
        }
    }
    if (dir)
        closedir(dir);
    CHECK_MSG(n >= 10, "only %d templates", n);
    return test_end();
}
