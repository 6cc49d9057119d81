/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a GGUF file: opened or refused with a sentence, and all that was opened is readable.
 */
#include "fuzz.h"

#include <ember/gguf.h>

#include "gguf/gguf.h"

static uint64_t sum; /* what was read, so that no read is thrown away */

static void read_text(struct ember_text text)
{
    for (size_t i = 0; i < text.size; i++)
        sum += (unsigned char)text.data[i];
}

static void read_key(const struct ember_gguf *gguf, uint64_t index)
{
    struct ember_text name = ember_gguf_key_name(gguf, index), text;
    uint64_t length = ember_gguf_key_length(gguf, index);
    uint64_t u;
    int64_t i;
    double f;
    bool b;

    read_text(name);
    read_text((struct ember_text){ ember_gguf_type_name(ember_gguf_key_type(gguf, index)), 1 });
    /* The whole array is in the file, so its length is bounded by the input; the last element and
     * the one past the end are the interesting ones. */
    for (uint64_t at = 0; at <= length; at++) {
        bool any = false;
        any |= ember_gguf_u64(gguf, (int64_t)index, at, &u);
        any |= ember_gguf_i64(gguf, (int64_t)index, at, &i);
        any |= ember_gguf_f64(gguf, (int64_t)index, at, &f);
        any |= ember_gguf_bool(gguf, (int64_t)index, at, &b);
        if (ember_gguf_text(gguf, (int64_t)index, at, &text)) {
            any = true;
            read_text(text);
        }
        FUZZ_CHECK(!any || at < length);
    }
}

/* The first and last byte of a tensor, which a whole file must hold. */
static void read_data(const struct ember_gguf *gguf, const struct ember_gguf_tensor *tensor,
                      bool header_only)
{
    const uint8_t *data = gguf_tensor_data(gguf, tensor);

    FUZZ_CHECK(data || header_only);
    if (data && tensor->n_bytes)
        sum += data[0] + data[tensor->n_bytes - 1];
}

static void read_all(struct ember_gguf *gguf, size_t size, bool header_only)
{
    const struct ember_gguf_info *info = ember_gguf_info(gguf);

    FUZZ_CHECK(info->file_size == size);
    for (uint64_t k = 0; k < info->n_keys; k++)
        read_key(gguf, k);
    read_text(ember_gguf_key_name(gguf, info->n_keys)); /* past the end: empty */
    for (uint64_t t = 0; t < info->n_tensors; t++) {
        const struct ember_gguf_tensor *tensor = ember_gguf_tensor(gguf, t);
        uint64_t n = 1;
        FUZZ_CHECK(tensor != NULL);
        read_text(tensor->name);
        for (int d = 0; d < EMBER_MAX_DIMS; d++)
            n *= tensor->ne[d];
        FUZZ_CHECK(n == tensor->n_elements);
        read_data(gguf, tensor, header_only);
    }
    FUZZ_CHECK(ember_gguf_tensor(gguf, info->n_tensors) == NULL);
    sum += ember_gguf_get_u64(gguf, "general.alignment", 32);
    sum += ember_gguf_get_text(gguf, "general.architecture").size;
    sum += ember_gguf_find_tensor(gguf, "token_embd.weight") != NULL;
}

/* An override: the input itself, and a few that must be accepted or refused whatever the file. */
static void set_keys(struct ember_gguf *gguf, const uint8_t *data, size_t size)
{
    char assignment[256] = "k=";
    size_t n = size < 200 ? size : 200;
    struct ember_error error = { 0 };

    memcpy(assignment + 2, data + size - n, n);
    ember_gguf_set(gguf, assignment, &error);
    ember_gguf_set(gguf, assignment + 2, &error);
    FUZZ_CHECK(ember_gguf_set(gguf, "general.alignment=u32:64", &error) == EMBER_INVALID);
    FUZZ_CHECK(ember_gguf_set(gguf, "k.u32=i16:-3", &error) == EMBER_OK);
    FUZZ_CHECK(ember_gguf_get_f64(gguf, "k.u32", 0) == -3);
    read_key(gguf, ember_gguf_info(gguf)->n_keys - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int header_only = 0; header_only < 2; header_only++) {
        struct ember_error error = { 0 };
        struct ember_gguf *gguf = NULL;
        enum ember_status status =
            ember_gguf_open_memory(&gguf, data, size, "input", header_only, &error);
        if (status != EMBER_OK) {
            FUZZ_CHECK(gguf == NULL && error.status == status && error.message[0]);
            continue;
        }
        read_all(gguf, size, header_only);
        set_keys(gguf, data, size);
        ember_gguf_close(gguf);
    }
    return 0;
}
