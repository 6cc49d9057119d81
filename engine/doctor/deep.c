/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All tensor data, window by window: values that are no numbers, scales that cannot be, rows of
 * zeros; and a checksum over all of it. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ember/tensor.h>

#include "base/fail.h"
#include "doctor/doctor.h"
#include "gguf/sha256.h"
#include "quant/survey.h"

enum { WINDOW = 1 << 20, VALUES = 4096 };

struct deep {
    struct doctor *d;
    const struct quant_survey *survey;
    uint8_t *window;
    float values[VALUES]; /* whole blocks of any type fit */
    struct sha256 hash;
    uint64_t done, all; /* bytes */
};

/* What was found in one tensor. */
struct findings {
    uint64_t bad_values, first_value;
    uint64_t bad_blocks, first_block;
    uint64_t zero_rows, at; /* elements that were looked at */
    bool row_has_value;
};

/* Values of a tensor in their order, cut where its rows end. */
static void look_at_values(struct deep *deep, struct findings *f, const struct ember_gguf_tensor *t,
                           size_t n)
{
    for (size_t i = 0; i < n;) {
        uint64_t left = t->ne[0] - f->at % t->ne[0];
        size_t count = n - i < left ? n - i : (size_t)left;
        const float *x = deep->values + i;
        bool any;

        size_t bad = deep->survey->count_bad(x, count, &any);
        if (bad && !f->bad_values) {
            size_t first = 0;
            while (isfinite(x[first]))
                first++;
            f->first_value = f->at + first;
        }
        f->bad_values += bad;
        f->row_has_value |= any;
        f->at += count;
        i += count;
        if (f->at % t->ne[0] == 0) {
            f->zero_rows += !f->row_has_value;
            f->row_has_value = false;
        }
    }
}

/* Vocabularies hold tokens that no text ever had, and padding; fresh adapters start with zeros. */
static bool zeros_are_usual(const struct doctor *d, const struct ember_gguf_tensor *t)
{
    return d->kind != DOCTOR_MODEL ||
           (ember_gguf_find(d->gguf, "tokenizer.ggml.tokens") >= 0 &&
            (doctor_is(t->name, "token_embd.weight") || doctor_is(t->name, "output.weight") ||
             doctor_begins_with(t->name, "per_layer_token_embd")));
}

static void report(struct deep *deep, const struct findings *f, const struct ember_gguf_tensor *t)
{
    const struct quant_info *info = quant_info(t->type);
    struct doctor_place place = doctor_place("tensor", t->name);
    struct doctor_name name = doctor_name(t->name);
    uint64_t rows = t->ne[0] ? t->n_elements / t->ne[0] : 0;
    static const char advice[] =
        "The model may answer nonsense; get the file again or from another "
        "source.";

    if (info->block_length > 1 && f->bad_blocks)
        doctor_say(deep->d, EMBER_SEVERITY_WARNING, "data-scale", place.text, advice,
                   "Tensor \"%s\" has %s with an invalid scale (NaN, infinite or reserved), the "
                   "first is block %" PRIu64 "; finite scales are expected.",
                   name.text, doctor_amount(f->bad_blocks, "block").text, f->first_block);
    else if (f->bad_values)
        doctor_say(deep->d, EMBER_SEVERITY_WARNING, "data-nan", place.text, advice,
                   "Tensor \"%s\" holds NaN or an infinity in %s, the first is element %" PRIu64
                   "; finite numbers are expected.",
                   name.text, doctor_amount(f->bad_values, "value").text, f->first_value);
    if (rows > 1 && f->zero_rows == rows)
        doctor_say(deep->d, EMBER_SEVERITY_WARNING, "data-zero", place.text, advice,
                   "All %" PRIu64 " rows of tensor \"%s\" are zero.", rows, name.text);
    else if (rows > 1 && f->zero_rows)
        doctor_say(deep->d,
                   zeros_are_usual(deep->d, t) ? EMBER_SEVERITY_INFO : EMBER_SEVERITY_WARNING,
                   "data-zero", place.text, "Usual only for tokens that were never trained.",
                   "Tensor \"%s\" has %s of nothing but zeros among its %" PRIu64 " rows.",
                   name.text, doctor_amount(f->zero_rows, "row").text, rows);
}

static enum ember_status look_at(struct deep *deep, const struct ember_gguf_tensor *t,
                                 struct ember_error *err)
{
    const struct quant_info *info = quant_info(t->type);
    quant_decode_fn decode = quant_decoder_at(quant_level(), t->type);
    struct findings f = { 0 };
    size_t most = WINDOW / info->block_bytes * info->block_bytes;
    size_t step = VALUES / info->block_length;

    for (uint64_t at = 0; at < t->n_bytes;) {
        size_t size = (size_t)(t->n_bytes - at < most ? t->n_bytes - at : most), bad;
        if (!doctor_progress(deep->d, (double)deep->done / (double)deep->all))
            return ember_fail(err, EMBER_CANCELLED, "The examination was stopped.");
        if (ember_tensor_read(deep->d->gguf, t, at, deep->window, size, NULL))
            return EMBER_OK; /* that data is missing is said elsewhere */
        sha256_add(&deep->hash, deep->window, size);
        for (size_t from = 0; from < size; from += info->block_bytes * (bad + 1)) {
            if (t->type == QUANT_Q8_1 ||
                quant_validate(t->type, deep->window + from, size - from, &bad))
                break;
            if (!f.bad_blocks++)
                f.first_block = (at + from) / info->block_bytes + bad;
        }
        for (size_t b = 0; b < size / info->block_bytes; b += step) {
            size_t n = size / info->block_bytes - b < step ? size / info->block_bytes - b : step;
            decode(deep->window + b * info->block_bytes, n * info->block_length, deep->values);
            look_at_values(deep, &f, t, n * info->block_length);
        }
        at += size;
        deep->done += size;
    }
    report(deep, &f, t);
    return EMBER_OK;
}

enum ember_status doctor_check_data(struct doctor *d, struct ember_error *err)
{
    struct deep *deep = malloc(sizeof *deep);
    enum ember_status st = EMBER_OK;
    char hex[65];

    if (!deep)
        return ember_fail(err, EMBER_NO_MEMORY, "No memory left to examine tensor data.");
    *deep =
        (struct deep){ .d = d, .survey = quant_survey(quant_level()), .window = malloc(WINDOW) };
    if (!deep->window) {
        free(deep);
        return ember_fail(err, EMBER_NO_MEMORY, "No memory left to examine tensor data.");
    }
    sha256_init(&deep->hash);
    for (uint64_t i = 0; i < d->info->n_tensors; i++)
        deep->all += ember_gguf_tensor(d->gguf, i)->n_bytes;
    for (uint64_t i = 0; !st && i < d->info->n_tensors; i++) {
        const struct ember_gguf_tensor *t = ember_gguf_tensor(d->gguf, i);
        if (t->n_bytes)
            st = look_at(deep, t, err);
    }
    sha256_hex(&deep->hash, hex);
    if (!st && !d->incomplete && deep->done == deep->all && deep->all)
        doctor_say(d, EMBER_SEVERITY_INFO, "checksum", "the tensor data",
                   "Two files with the same weights have the same checksum, whatever their keys.",
                   "The SHA-256 of all tensor data is %s.", hex);
    if (!st)
        doctor_progress(d, 1);
    free(deep->window);
    free(deep);
    return st;
}
