/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sampler chains given as JSON: a few worked out by hand, mistakes, and the reference cases. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ember/json.h>
#include <ember/sampler.h>

#include "test.h"

#define TOLERANCE 1e-5

static struct ember_json_document *parse(const char *text, size_t size)
{
    struct ember_json_document *document = NULL;
    struct ember_error err;
    enum ember_status status = ember_json_parse(&document, text, size, &err);
    CHECK_MSG(status == EMBER_OK, "%s", err.message);
    return document;
}

/* The answers to `cases`, read back from what was written. */
static struct ember_json_document *answers(const struct ember_json *cases)
{
    struct ember_json_writer *writer = ember_json_writer_new(0);
    struct ember_json_document *document = NULL;
    struct ember_error err;
    size_t size;
    if (CHECK(ember_sampler_run_cases(cases, writer, &err) == EMBER_OK)) {
        const char *text = ember_json_writer_finish(writer, &size);
        if (CHECK(text != NULL))
            document = parse(text, size);
    }
    ember_json_writer_free(writer);
    return document;
}

static double logit_of(const struct ember_json *item, int64_t id)
{
    return ember_json_number(&ember_json_member(item, "logits")->list.items[id], -INFINITY);
}

/* Whether something but its logit tells this token apart: the history, a bias or a breaker. */
static bool is_marked(const struct ember_json *item, int64_t id)
{
    const struct ember_json *history = ember_json_member(item, "history");
    const struct ember_json *chain = ember_json_member(item, "chain");
    for (size_t i = 0; history && i < history->list.count; i++) {
        if (history->list.items[i].integer == id)
            return true;
    }
    for (size_t i = 0; i < chain->list.count; i++) {
        const struct ember_json *biases = ember_json_member(&chain->list.items[i], "biases");
        for (size_t j = 0; biases && j < biases->list.count; j++) {
            if (biases->list.items[j].list.items[0].integer == id)
                return true;
        }
    }
    return false;
}

/* Same ids and probabilities. Where a cut goes through equal logits either token may stay, so an id
 * that is missing may be replaced by one with the same logit. */
static bool same_result(const struct ember_json *item, const struct ember_json *got)
{
    const struct ember_json *want = ember_json_member(item, "result");
    const struct ember_json *exact = ember_json_member(item, "exact_ids");
    if (!got || got->list.count != want->list.count)
        return false;
    bool *used = calloc(got->list.count ? got->list.count : 1, sizeof *used);
    bool ok = used != NULL;
    for (int pass = 0; pass < 2 && ok; pass++) {
        for (size_t i = 0; i < want->list.count && ok; i++) {
            int64_t id = want->list.items[i].list.items[0].integer;
            double p = ember_json_number(&want->list.items[i].list.items[1], NAN);
            bool have = false, found = false;
            for (size_t j = 0; j < got->list.count; j++)
                have = have || got->list.items[j].list.items[0].integer == id;
            if (have != (pass == 0))
                continue;
            for (size_t j = 0; j < got->list.count && !found; j++) {
                int64_t other = got->list.items[j].list.items[0].integer;
                bool alike = pass == 0
                                 ? other == id
                                 : !exact && !is_marked(item, id) && !is_marked(item, other) &&
                                       logit_of(item, other) == logit_of(item, id);
                double q = ember_json_number(&got->list.items[j].list.items[1], NAN);
                if (used[j] || !alike || !(fabs(p - q) <= TOLERANCE))
                    continue;
                used[j] = found = true;
            }
            ok = found;
        }
    }
    free(used);
    return ok;
}

static void check_cases(const struct ember_json *cases)
{
    struct ember_json_document *document = answers(cases);
    if (!document)
        return;
    const struct ember_json *root = ember_json_root(document);
    if (CHECK_UINT(root->list.count, cases->list.count)) {
        for (size_t i = 0; i < cases->list.count; i++) {
            const struct ember_json *item = &cases->list.items[i], *got = &root->list.items[i];
            const struct ember_json *error = ember_json_member(got, "error");
            CHECK_STR(ember_json_member(got, "name")->text.data,
                      ember_json_member(item, "name")->text.data);
            CHECK_MSG(same_result(item, ember_json_member(got, "result")), "case %s: %s",
                      ember_json_member(item, "name")->text.data,
                      error ? error->text.data : "another result");
        }
    }
    ember_json_free(document);
}

/* Logits are logarithms, so that p can be read off: ln 8 … ln 1 of 15. */
#define LOGS "[2.0794415, 1.3862944, 0.6931472, 0.0]"
static const char by_hand[] =
    "["
    "{\"name\": \"nothing\", \"vocab\": 4, \"logits\": " LOGS ", \"history\": [], \"chain\": [],"
    " \"result\": [[0, 0.533333], [1, 0.266667], [2, 0.133333], [3, 0.066667]]},"
    "{\"name\": \"temperature 1/2 squares\", \"vocab\": 4, \"logits\": " LOGS ", \"history\": [],"
    " \"chain\": [{\"sampler\": \"temperature\", \"t\": 0.5, \"range\": 0, \"exponent\": 1}],"
    " \"result\": [[0, 0.752941], [1, 0.188235], [2, 0.047059], [3, 0.011765]]},"
    "{\"name\": \"top_p stops at 12/15\", \"vocab\": 4, \"logits\": " LOGS ", \"history\": [],"
    " \"chain\": [{\"sampler\": \"top_p\", \"p\": 0.79, \"min_keep\": 0}],"
    " \"result\": [[0, 0.666667], [1, 0.333333]]},"
    "{\"name\": \"min_p of 1/8\", \"vocab\": 4, \"logits\": " LOGS ", \"history\": [],"
    " \"chain\": [{\"sampler\": \"min_p\", \"p\": 0.2, \"min_keep\": 0}],"
    " \"result\": [[0, 0.571429], [1, 0.285714], [2, 0.142857]]},"
    "{\"name\": \"xtc leaves the least of three\", \"vocab\": 4, \"logits\": " LOGS ","
    " \"history\": [], \"chain\": [{\"sampler\": \"xtc\", \"probability\": 1,"
    " \"threshold\": 0.1, \"min_keep\": 0}], \"result\": [[2, 0.666667], [3, 0.333333]]},"
    "{\"name\": \"presence ln 2 halves\", \"vocab\": 4, \"logits\": " LOGS ","
    " \"history\": [0, 0, 9], \"chain\": [{\"sampler\": \"penalties\", \"last_n\": 64,"
    " \"repeat\": 1, \"freq\": 0, \"present\": 0.6931472}],"
    " \"result\": [[0, 0.363636], [1, 0.363636], [2, 0.181818], [3, 0.090909]]},"
    "{\"name\": \"dry ln 2 for the third a b\", \"vocab\": 4, \"logits\": " LOGS ","
    " \"history\": [1, 2, 0, 1, 2], \"chain\": [{\"sampler\": \"dry\","
    " \"multiplier\": 0.6931472, \"base\": 1, \"allowed_length\": 2, \"last_n\": 64}],"
    " \"result\": [[0, 0.363636], [1, 0.363636], [2, 0.181818], [3, 0.090909]]},"
    "{\"name\": \"a bias, a ban, unknown ids\", \"vocab\": 4, \"logits\": " LOGS ","
    " \"history\": [], \"chain\": [{\"sampler\": \"logit_bias\","
    " \"biases\": [[1, 0.6931472], [0, \"-inf\"], [99, 5]]}],"
    " \"result\": [[1, 0.727273], [2, 0.181818], [3, 0.090909]]},"
    "{\"name\": \"NaN is no candidate\", \"vocab\": 3, \"logits\": [\"nan\", 1, 1],"
    " \"history\": [], \"chain\": [{\"sampler\": \"typ_p\", \"p\": 0.9},"
    " {\"sampler\": \"top_n_sigma\", \"n\": 1}], \"result\": [[1, 0.5], [2, 0.5]]},"
    "{\"name\": \"nothing above -inf\", \"vocab\": 2, \"logits\": [\"-inf\", \"nan\"],"
    " \"history\": [1], \"chain\": [{\"sampler\": \"penalties\", \"freq\": 1},"
    " {\"sampler\": \"top_n_sigma\", \"n\": 1}, {\"sampler\": \"typ_p\", \"p\": 0.5},"
    " {\"sampler\": \"top_p\", \"p\": 0.5}, {\"sampler\": \"min_p\", \"p\": 0.5},"
    " {\"sampler\": \"xtc\", \"probability\": 1, \"threshold\": 0},"
    " {\"sampler\": \"temperature\", \"t\": 0.5, \"range\": 0.2}], \"result\": []},"
    "{\"name\": \"the best one after xtc\", \"vocab\": 4, \"logits\": " LOGS ", \"history\": [],"
    " \"chain\": [{\"sampler\": \"xtc\", \"probability\": 1, \"threshold\": 0.1},"
    " {\"sampler\": \"top_k\", \"k\": 3}, {\"sampler\": \"temperature\", \"t\": 0}],"
    " \"result\": [[2, 1]]},"
    "{\"name\": \"the lowest id of a tie made by a penalty\", \"vocab\": 3, \"logits\": [0, 2, 3],"
    " \"history\": [2], \"chain\": [{\"sampler\": \"top_k\", \"k\": 2},"
    " {\"sampler\": \"penalties\", \"present\": 1}, {\"sampler\": \"temperature\", \"t\": -1}],"
    " \"result\": [[1, 1]]},"
    "{\"name\": \"dry finds the breaker of two\", \"vocab\": 4, \"logits\": [0, 0, 0, 0],"
    " \"history\": [1, 2, 3, 0, 1, 2, 3], \"chain\": [{\"sampler\": \"dry\", \"multiplier\": 9,"
    " \"base\": 1, \"allowed_length\": 2, \"last_n\": 64, \"breakers\": [[3, 2], [1, 2]]}],"
    " \"result\": [[0, 0.25], [1, 0.25], [2, 0.25], [3, 0.25]]}"
    "]";

static void check_by_hand(void)
{
    struct ember_json_document *document = parse(by_hand, sizeof by_hand - 1);
    if (document)
        check_cases(ember_json_root(document));
    ember_json_free(document);
}

#define CASE(steps) "{\"name\": \"x\", \"logits\": [1, 2], \"chain\": [" steps "]}"
static const struct {
    const char *item, *word; /* what the sentence must name */
} mistakes[] = {
    { CASE("{\"sampler\": \"mirostat\"}"), "mirostat" },
    { CASE("{\"sampler\": \"top_k\", \"k\": 1}, {\"sampler\": \"\\u0000\"}"), "unknown" },
    { CASE("{\"sampler\": 3}"), "sampler" },
    { CASE("{}"), "sampler" },
    { CASE("7"), "sampler" },
    { CASE("{\"sampler\": \"top_k\", \"k\": 1.5}"), "\"k\"" },
    { CASE("{\"sampler\": \"top_k\", \"k\": 99999999999}"), "\"k\"" },
    { CASE("{\"sampler\": \"top_p\", \"p\": \"a\"}"), "\"p\"" },
    { CASE("{\"sampler\": \"top_p\", \"p\": \"nan\"}"), "\"p\"" },
    { CASE("{\"sampler\": \"top_p\", \"p\": 0.5, \"min_keep\": -1}"), "\"min_keep\"" },
    { CASE("{\"sampler\": \"penalties\", \"repeat\": 0}"), "\"repeat\"" },
    { CASE("{\"sampler\": \"logit_bias\"}"), "\"biases\"" },
    { CASE("{\"sampler\": \"logit_bias\", \"biases\": [[1]]}"), "bias" },
    { CASE("{\"sampler\": \"logit_bias\", \"biases\": [[-1, 2]]}"), "bias" },
    { CASE("{\"sampler\": \"dry\", \"multiplier\": 1, \"breakers\": [[]]}"), "breaker" },
    { CASE("{\"sampler\": \"dry\", \"multiplier\": 1, \"breakers\": [[1], 2]}"), "breaker" },
    { CASE("{\"sampler\": \"dry\", \"multiplier\": 0, \"breakers\": 2}"), "breakers" },
    { "{\"name\": \"x\", \"logits\": [], \"chain\": []}", "logits" },
    { "{\"name\": \"x\", \"chain\": []}", "logits" },
    { "{\"name\": \"x\", \"logits\": [1, null], \"chain\": []}", "logit 1" },
    { "{\"name\": \"x\", \"logits\": [1]}", "chain" },
    { "{\"name\": \"x\", \"logits\": [1], \"vocab\": 2, \"chain\": []}", "vocab" },
    { "{\"name\": \"x\", \"logits\": [1], \"history\": [-1], \"chain\": []}", "history" },
};

static void check_mistakes(void)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char text[512];
        /* the case after a wrong one is still answered */
        snprintf(text, sizeof text, "[%s, %s]", mistakes[i].item, CASE(""));
        struct ember_json_document *cases = parse(text, strlen(text));
        struct ember_json_document *got = cases ? answers(ember_json_root(cases)) : NULL;
        if (got && CHECK_UINT(ember_json_root(got)->list.count, 2)) {
            const struct ember_json *first = &ember_json_root(got)->list.items[0];
            const struct ember_json *error = ember_json_member(first, "error");
            CHECK_MSG(error && strstr(error->text.data, mistakes[i].word), "%s: %s",
                      mistakes[i].item, error ? error->text.data : "no error");
            CHECK(!ember_json_member(first, "result"));
            CHECK(ember_json_member(&ember_json_root(got)->list.items[1], "result"));
        }
        ember_json_free(got);
        ember_json_free(cases);
    }
    struct ember_json_document *object = parse("{}", 2);
    struct ember_json_writer *writer = ember_json_writer_new(0);
    struct ember_error err;
    CHECK_INT(ember_sampler_run_cases(ember_json_root(object), writer, &err), EMBER_FORMAT);
    ember_json_writer_free(writer);
    ember_json_free(object);
}

static void check_reference(void)
{
    char path[4096];
    if (!test_corpus(path, "samplers/cases.json")) {
        test_missing("samplers/cases.json", "no reference data");
        return;
    }
    FILE *file = fopen(path, "rb");
    size_t capacity = 1 << 23;
    char *text = malloc(capacity);
    if (CHECK(file && text)) {
        size_t size = fread(text, 1, capacity, file);
        struct ember_json_document *document = parse(text, size);
        if (document) {
            CHECK(ember_json_root(document)->list.count > 0);
            check_cases(ember_json_root(document));
        }
        ember_json_free(document);
    }
    if (file)
        fclose(file);
    free(text);
}

int main(void)
{
    check_by_hand();
    check_mistakes();
    check_reference();
    return test_end();
}
