/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load.c - opening a model: everything that can be refused is refused before a weight is touched.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "fit/plan.h"
#include "gguf/gguf.h"
#include "model/model.h"

/* Bytes read between two looks at the callback: some milliseconds from a slow disk. */
#define PRELOAD_STEP (2u << 20)

/* Reads a range that is mapped into the page cache and maps its pages. */
static void touch(const uint8_t *from, const uint8_t *to, size_t page)
{
#ifdef MADV_POPULATE_READ
    uintptr_t start = (uintptr_t)from / page * page;
    if (madvise((void *)start, (size_t)((uintptr_t)to - start), MADV_POPULATE_READ) == 0)
        return;
#endif
    volatile uint8_t sink = 0;
    for (const uint8_t *p = from; p < to; p += page)
        sink ^= *p;
    (void)sink;
}

static enum ember_status preload(const struct ember_model *model,
                                 const struct ember_model_params *params, struct ember_error *err)
{
    const struct ember_gguf *gguf = model->gguf;
    uint64_t n_tensors = ember_gguf_info(gguf)->n_tensors, done = 0, all = 0;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    for (uint64_t i = 0; i < n_tensors; i++)
        all += ember_gguf_tensor(gguf, i)->n_bytes;
    for (uint64_t i = 0; i < n_tensors; i++) {
        const struct ember_gguf_tensor *t = ember_gguf_tensor(gguf, i);
        const uint8_t *data = gguf_tensor_data(gguf, t);
        gguf_will_need(gguf, t);
        for (uint64_t at = 0; data && at < t->n_bytes; at += PRELOAD_STEP) {
            uint64_t end = t->n_bytes - at < PRELOAD_STEP ? t->n_bytes : at + PRELOAD_STEP;
            if (params->progress &&
                !params->progress(all ? (double)done / (double)all : 1.0, params->user_data))
                return ember_fail(err, EMBER_CANCELLED, "Loading was stopped.");
            touch(data + at, data + end, page);
            done += end - at;
        }
    }
    if (params->progress && !params->progress(1.0, params->user_data))
        return ember_fail(err, EMBER_CANCELLED, "Loading was stopped.");
    if (gguf_is_lost(gguf))
        return ember_fail(err, EMBER_IO,
                          "%s can no longer be read: it became shorter while it was loaded, or its "
                          "disk failed.",
                          ember_gguf_path(gguf));
    return EMBER_OK;
}

/* Builds the pass once for the shortest context: missing tensors, wrong shapes and types that
 * cannot be run show here. */
static enum ember_status check(struct ember_model *model, struct ember_error *err)
{
    struct ember_fit_params params = { .n_ctx = 1, .n_batch = 1, .n_threads = 1 };
    struct fit_plan plan;
    enum ember_status st = fit_plan_make(&plan, &model->shape, model->gguf, &params, err);

    if (st != EMBER_OK)
        return st;
    model->weights_bytes = plan.fit.weights;
    fit_plan_finish(&plan);
    return EMBER_OK;
}

static enum ember_status load_text(struct ember_model *model, struct ember_error *err)
{
    enum ember_status st = ember_tokenizer_new(&model->tokenizer, model->gguf, err);

    if (st == EMBER_NOT_FOUND)
        return EMBER_OK; /* weights alone can still be evaluated */
    if (st != EMBER_OK)
        return st;
    return ember_chat_new(&model->chat, model->gguf, model->tokenizer, err);
}

enum ember_status ember_model_open(struct ember_model **out, const char *path,
                                   const struct ember_model_params *params, struct ember_error *err)
{
    static const struct ember_model_params none = { 0 };
    struct ember_model *model = calloc(1, sizeof *model);
    enum ember_status st;

    if (!model)
        return ember_fail(err, EMBER_NO_MEMORY, "%s: out of memory.", path);
    params = params ? params : &none;
    atomic_init(&model->references, 1);
    if (params->progress && !params->progress(0.0, params->user_data)) {
        st = ember_fail(err, EMBER_CANCELLED, "Loading was stopped.");
        goto fail;
    }
    if ((st = ember_gguf_open(&model->gguf, path, false, err)) != EMBER_OK)
        goto fail;
    for (size_t i = 0; i < params->n_overrides; i++)
        if ((st = ember_gguf_set(model->gguf, params->overrides[i], err)) != EMBER_OK)
            goto fail;
    if ((st = arch_shape_read(&model->shape, model->gguf, err)) != EMBER_OK ||
        (st = check(model, err)) != EMBER_OK || (st = load_text(model, err)) != EMBER_OK)
        goto fail;
    if (params->preload && (st = preload(model, params, err)) != EMBER_OK)
        goto fail;
    *out = model;
    return EMBER_OK;
fail:
    ember_model_unref(model);
    return st;
}

struct ember_model *ember_model_ref(struct ember_model *model)
{
    atomic_fetch_add_explicit(&model->references, 1, memory_order_relaxed);
    return model;
}

void ember_model_unref(struct ember_model *model)
{
    if (!model || atomic_fetch_sub_explicit(&model->references, 1, memory_order_acq_rel) != 1)
        return;
    ember_chat_free(model->chat);
    ember_tokenizer_free(model->tokenizer);
    arch_shape_finish(&model->shape);
    ember_gguf_close(model->gguf);
    free(model);
}

const struct ember_gguf *ember_model_gguf(const struct ember_model *model)
{
    return model->gguf;
}

const struct ember_tokenizer *ember_model_tokenizer(const struct ember_model *model)
{
    return model->tokenizer;
}

const struct ember_chat *ember_model_chat(const struct ember_model *model)
{
    return model->chat;
}

uint32_t ember_model_n_vocab(const struct ember_model *model)
{
    return model->shape.n_vocab;
}

uint32_t ember_model_n_ctx_trained(const struct ember_model *model)
{
    return model->shape.n_ctx_trained;
}

uint64_t ember_model_weights_bytes(const struct ember_model *model)
{
    return model->weights_bytes;
}
