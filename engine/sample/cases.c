/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs cases written as JSON: [{"name", "vocab", "logits", "history", "chain"}…], where chain is a
 * list of {"sampler": NAME, parameters…} in any order and number, and answers
 * [{"name", "result": [[id, p]…]}…]. A case that makes no sense gets "error" and a sentence. */
#include <ember/sampler.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ember/json.h>

#include "base/checked.h"
#include "base/fail.h"
#include "sample/sample.h"

static bool is_string(const struct ember_json *value, const char *text)
{
    return value->kind == EMBER_JSON_STRING && value->text.size == strlen(text) &&
           memcmp(value->text.data, text, value->text.size) == 0;
}

static bool is_array(const struct ember_json *value)
{
    return value && value->kind == EMBER_JSON_ARRAY;
}

/* A number, or one of the three that JSON has no digits for. */
static bool read_float(const struct ember_json *value, float *out)
{
    if (value->kind == EMBER_JSON_INT || value->kind == EMBER_JSON_FLOAT)
        *out = (float)ember_json_number(value, 0);
    else if (is_string(value, "-inf"))
        *out = -INFINITY;
    else if (is_string(value, "inf"))
        *out = INFINITY;
    else if (is_string(value, "nan"))
        *out = NAN;
    else
        return false;
    return true;
}

static bool read_id(const struct ember_json *value, int32_t *out)
{
    if (value->kind != EMBER_JSON_INT || value->integer < 0 || value->integer > INT32_MAX)
        return false;
    *out = (int32_t)value->integer;
    return true;
}

/* One step's parameters; the first failure is kept. */
struct reader {
    const struct ember_json *object;
    struct ember_error *err;
    enum ember_status status;
};

static float number(struct reader *r, const char *name, float fallback)
{
    const struct ember_json *value = ember_json_member(r->object, name);
    float x = fallback;
    if (value && r->status == EMBER_OK && (!read_float(value, &x) || !isfinite(x)))
        r->status = ember_fail(r->err, EMBER_FORMAT, "\"%s\" is no finite number", name);
    return x;
}

static int32_t integer(struct reader *r, const char *name, int32_t fallback)
{
    const struct ember_json *value = ember_json_member(r->object, name);
    if (!value || r->status != EMBER_OK)
        return fallback;
    if (value->kind == EMBER_JSON_INT && value->integer >= INT32_MIN && value->integer <= INT32_MAX)
        return (int32_t)value->integer;
    r->status = ember_fail(r->err, EMBER_FORMAT, "\"%s\" is no 32-bit integer", name);
    return fallback;
}

static int32_t natural(struct reader *r, const char *name, int32_t fallback)
{
    int32_t value = integer(r, name, fallback);
    if (value >= 0 || r->status != EMBER_OK)
        return value;
    r->status =
        ember_fail(r->err, EMBER_FORMAT, "\"%s\" is %d, expected 0 or more", name, (int)value);
    return fallback;
}

static struct sample_cut cut(struct reader *r, float off)
{
    return (struct sample_cut){ number(r, "p", off), (size_t)natural(r, "min_keep", 0) };
}

static void read_biases(struct reader *r, struct sample_bias *bias)
{
    const struct ember_json *list = ember_json_member(r->object, "biases");
    if (!is_array(list)) {
        r->status = ember_fail(r->err, EMBER_FORMAT, "\"biases\" is no array");
        return;
    }
    bias->items = calloc(list->list.count ? list->list.count : 1, sizeof *bias->items);
    if (!bias->items) {
        r->status = ember_fail(r->err, EMBER_NO_MEMORY, "out of memory");
        return;
    }
    for (; bias->n < list->list.count; bias->n++) {
        const struct ember_json *pair = &list->list.items[bias->n];
        struct ember_logit_bias *item = &bias->items[bias->n];
        if (is_array(pair) && pair->list.count == 2 && read_id(&pair->list.items[0], &item->id) &&
            read_float(&pair->list.items[1], &item->bias))
            continue;
        r->status = ember_fail(r->err, EMBER_FORMAT, "a bias is no [id, number]");
        return;
    }
}

static void read_breakers(struct reader *r, struct sample_breakers **out)
{
    const struct ember_json *list = ember_json_member(r->object, "breakers");
    if (!list || r->status != EMBER_OK)
        return;
    if (!is_array(list)) {
        r->status = ember_fail(r->err, EMBER_FORMAT, "\"breakers\" is no array");
        return;
    }
    r->status = sample_breakers_new(out, r->err);
    for (size_t i = 0; i < list->list.count && r->status == EMBER_OK; i++) {
        const struct ember_json *sequence = &list->list.items[i];
        size_t n = is_array(sequence) ? sequence->list.count : 0;
        int32_t *ids = n ? calloc(n, sizeof *ids) : NULL;
        bool ok = ids != NULL;
        for (size_t j = 0; j < n && ok; j++)
            ok = read_id(&sequence->list.items[j], &ids[j]);
        if (ok)
            r->status = sample_breakers_add(*out, ids, n, r->err);
        else
            r->status = ember_fail(r->err, EMBER_FORMAT, "a breaker is no list of token ids");
        free(ids);
    }
}

static enum ember_status read_step(const struct ember_json *object, struct sample_step *step,
                                   struct ember_error *err)
{
    struct reader r = { .object = object, .err = err };
    const struct ember_json *name = ember_json_member(object, "sampler");

    if (!name || name->kind != EMBER_JSON_STRING)
        return ember_fail(err, EMBER_FORMAT, "a step without a \"sampler\"");
    if (is_string(name, "logit_bias")) {
        step->kind = SAMPLE_BIAS;
        read_biases(&r, &step->bias);
    } else if (is_string(name, "penalties")) {
        step->kind = SAMPLE_PENALTIES;
        step->penalties.last_n = integer(&r, "last_n", 64);
        step->penalties.repeat = number(&r, "repeat", 1);
        step->penalties.frequency = number(&r, "freq", 0);
        step->penalties.presence = number(&r, "present", 0);
        if (r.status == EMBER_OK && !(step->penalties.repeat > 0))
            r.status = ember_fail(err, EMBER_INVALID, "\"repeat\" is not above 0");
    } else if (is_string(name, "dry")) {
        step->kind = SAMPLE_DRY;
        step->dry.multiplier = number(&r, "multiplier", 0);
        step->dry.base = number(&r, "base", 1.75f);
        step->dry.allowed_length = natural(&r, "allowed_length", 2);
        step->dry.last_n = integer(&r, "last_n", 64);
        read_breakers(&r, &step->dry.breakers);
    } else if (is_string(name, "top_n_sigma")) {
        step->kind = SAMPLE_TOP_N_SIGMA;
        step->n_sigma = number(&r, "n", -1);
    } else if (is_string(name, "top_k")) {
        step->kind = SAMPLE_TOP_K;
        step->top_k = integer(&r, "k", 40);
    } else if (is_string(name, "typ_p")) {
        step->kind = SAMPLE_TYPICAL;
        step->cut = cut(&r, 1);
    } else if (is_string(name, "top_p")) {
        step->kind = SAMPLE_TOP_P;
        step->cut = cut(&r, 1);
    } else if (is_string(name, "min_p")) {
        step->kind = SAMPLE_MIN_P;
        step->cut = cut(&r, 0);
        if (r.status == EMBER_OK && step->cut.p > 1)
            r.status = ember_fail(err, EMBER_INVALID, "\"p\" of min_p is above 1");
    } else if (is_string(name, "xtc")) {
        step->kind = SAMPLE_XTC;
        step->xtc.probability = number(&r, "probability", 0);
        step->xtc.threshold = number(&r, "threshold", 0.1f);
        step->xtc.min_keep = (size_t)natural(&r, "min_keep", 0);
    } else if (is_string(name, "temperature")) {
        step->kind = SAMPLE_TEMPERATURE;
        step->temperature.t = number(&r, "t", 0.8f);
        step->temperature.range = number(&r, "range", 0);
        step->temperature.exponent = number(&r, "exponent", 1);
    } else {
        return ember_fail(err, EMBER_UNSUPPORTED, "unknown sampler \"%.*s\"",
                          (int)(name->text.size < 64 ? name->text.size : 64), name->text.data);
    }
    return r.status;
}

static enum ember_status build(struct sample_chain *chain, const struct ember_json *steps,
                               struct ember_error *err)
{
    for (size_t i = 0; i < steps->list.count; i++) {
        struct sample_step step;
        memset(&step, 0, sizeof step);
        enum ember_status status = read_step(&steps->list.items[i], &step, err);
        if (status != EMBER_OK) {
            sample_step_finish(&step);
            return status;
        }
        if ((status = sample_chain_add(chain, &step, err)) != EMBER_OK)
            return status;
    }
    return EMBER_OK;
}

/* On success the chain has run and *out holds what is left, to be freed by the caller. */
static enum ember_status run_case(const struct ember_json *item, struct sample_chain *chain,
                                  struct ember_candidate **out, size_t *n, struct ember_error *err)
{
    const struct ember_json *logits = ember_json_member(item, "logits");
    const struct ember_json *history = ember_json_member(item, "history");
    const struct ember_json *steps = ember_json_member(item, "chain");
    const struct ember_json *vocab = ember_json_member(item, "vocab");
    struct ember_candidate *result = NULL;
    float *row = NULL;
    enum ember_status status;

    if (!is_array(logits) || logits->list.count == 0)
        return ember_fail(err, EMBER_FORMAT, "\"logits\" is no array with something in it");
    if (!is_array(steps))
        return ember_fail(err, EMBER_FORMAT, "\"chain\" is no array");
    size_t n_vocab = logits->list.count, n_history = is_array(history) ? history->list.count : 0;
    if (vocab && ember_json_number(vocab, -1) != (double)n_vocab)
        return ember_fail(err, EMBER_FORMAT, "%zu logits, but \"vocab\" is something else",
                          n_vocab);
    if ((status = build(chain, steps, err)) != EMBER_OK ||
        (status = sample_chain_prepare(chain, n_vocab, n_history, err)) != EMBER_OK)
        return status;

    row = calloc(n_vocab, sizeof *row);
    result = calloc(n_vocab, sizeof *result);
    if (!row || !result) {
        status = ember_fail(err, EMBER_NO_MEMORY, "out of memory");
        goto fail;
    }
    for (size_t i = 0; i < n_vocab; i++) {
        if (!read_float(&logits->list.items[i], &row[i])) {
            status = ember_fail(err, EMBER_FORMAT, "logit %zu is no number", i);
            goto fail;
        }
    }
    sample_chain_seed(chain, 0);
    for (size_t i = 0; i < n_history; i++) {
        int32_t id;
        if (!read_id(&history->list.items[i], &id)) {
            status = ember_fail(err, EMBER_FORMAT, "token %zu of \"history\" is no id", i);
            goto fail;
        }
        sample_chain_accept(chain, id);
    }
    sample_chain_run(chain, row);
    *n = sample_chain_survivors(chain, result, n_vocab);
    *out = result;
    result = NULL;
fail:
    free(row);
    free(result);
    return status;
}

static enum ember_status answer(const struct ember_json *item, struct ember_json_writer *writer,
                                struct sample_chain *chain)
{
    const struct ember_json *name = ember_json_member(item, "name");
    struct ember_candidate *result = NULL;
    struct ember_error err;
    size_t n = 0;

    enum ember_status status = run_case(item, chain, &result, &n, &err);
    sample_chain_finish(chain);
    if (status == EMBER_NO_MEMORY)
        return status;
    ember_json_begin_object(writer);
    ember_json_name(writer, "name");
    if (name && name->kind == EMBER_JSON_STRING)
        ember_json_write_text(writer, name->text);
    else
        ember_json_write_null(writer);
    if (status != EMBER_OK) {
        ember_json_name(writer, "error");
        ember_json_write_string(writer, err.message);
    } else {
        ember_json_name(writer, "result");
        ember_json_begin_array(writer);
        for (size_t i = 0; i < n; i++) {
            ember_json_begin_array(writer);
            ember_json_write_i64(writer, result[i].id);
            ember_json_write_f64(writer, (double)result[i].p, true);
            ember_json_end_array(writer);
        }
        ember_json_end_array(writer);
    }
    ember_json_end_object(writer);
    free(result);
    return EMBER_OK;
}

enum ember_status ember_sampler_run_cases(const struct ember_json *cases,
                                          struct ember_json_writer *writer, struct ember_error *err)
{
    if (!is_array(cases))
        return ember_fail(err, EMBER_FORMAT, "sampler cases: expected an array");
    /* on the heap: a chain is too big for the stack of a small thread */
    struct sample_chain *chain = calloc(1, sizeof *chain);
    if (!chain)
        return ember_fail(err, EMBER_NO_MEMORY, "sampler cases: out of memory");
    ember_json_begin_array(writer);
    for (size_t i = 0; i < cases->list.count; i++) {
        if (answer(&cases->list.items[i], writer, chain) != EMBER_OK) {
            free(chain);
            return ember_fail(err, EMBER_NO_MEMORY, "sampler cases: out of memory");
        }
    }
    ember_json_end_array(writer);
    free(chain);
    return EMBER_OK;
}
