/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever can be read is written, read again, and is the same: values, tensors, and once more the
 * same bytes. */
#include "fuzz.h"

#include <ember/diff.h>
#include <ember/json.h>
#include <ember/writer.h>

#include "base/text.h"
#include "gguf/gguf.h"

struct bytes {
    uint8_t *data;
    size_t size, capacity;
};

static int append(void *user_data, const void *data, size_t size)
{
    struct bytes *b = user_data;

    if (b->size + size > b->capacity) {
        b->capacity = (b->size + size) * 2;
        b->data = realloc(b->data, b->capacity);
        FUZZ_CHECK(b->data);
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return 0;
}

static void write_all(struct bytes *out, const struct ember_writer *writer, bool *written)
{
    struct ember_error err = { 0 };
    enum ember_status st =
        ember_writer_write(writer, &(struct ember_sink){ append, out }, NULL, &err);
    *written = st == EMBER_OK;
    FUZZ_CHECK(*written || err.message[0]);
}

/* The keys through JSON and back. JSON has no names that are not UTF-8, and none twice. */
static void through_json(const struct ember_gguf *gguf, struct ember_writer *writer)
{
    for (uint64_t i = 0; i < ember_gguf_info(gguf)->n_keys; i++) {
        struct ember_text name = ember_gguf_key_name(gguf, i);
        if (!utf8_valid(name.data, name.size) ||
            gguf_find_key(gguf, name.data, name.size) != (int64_t)i)
            return;
    }

    struct ember_json_writer *json = ember_json_writer_new(0);
    struct ember_json_document *doc = NULL;
    size_t size = 0;

    FUZZ_CHECK(json);
    ember_writer_metadata_json(gguf, json);
    const char *text = ember_json_writer_finish(json, &size);
    FUZZ_CHECK(text && ember_json_parse(&doc, text, size, NULL) == EMBER_OK);
    const struct ember_json *root = ember_json_root(doc);
    for (size_t i = 0; i < root->list.count; i++)
        ember_writer_set_json(writer, root->list.names[i], &root->list.items[i], NULL);
    ember_json_free(doc);
    ember_json_writer_free(json);
}

static void check_same(const struct ember_gguf *a, const struct ember_gguf *b)
{
    struct ember_diff_params params = { .values = true };
    struct ember_diff *diff = NULL;

    FUZZ_CHECK(ember_diff_new(&diff, a, b, &params, NULL) == EMBER_OK);
    FUZZ_CHECK(ember_diff_equal(diff));
    ember_diff_free(diff);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ember_gguf *first = NULL, *second = NULL;
    struct ember_writer *writer = NULL, *again = NULL;
    struct bytes one = { 0 }, two = { 0 };
    bool written;

    /* With all data, or it could not be written; a big-endian file has to be opened by its header.
     */
    if (ember_gguf_open_memory(&first, data, size, "input", false, NULL) &&
        ember_gguf_open_memory(&first, data, size, "input", true, NULL))
        return 0;
    uint64_t end = 0;
    for (uint64_t i = 0; i < ember_gguf_info(first)->n_tensors; i++) {
        const struct ember_gguf_tensor *t = ember_gguf_tensor(first, i);
        end = t->file_offset + t->n_bytes > end ? t->file_offset + t->n_bytes : end;
    }
    /* An alignment of gigabytes is legal, and would be that much padding. */
    if (end <= size && ember_gguf_info(first)->alignment <= 4096 &&
        ember_writer_from(&writer, first, NULL) == EMBER_OK) {
        write_all(&one, writer, &written);
        if (written) {
            FUZZ_CHECK(!ember_gguf_open_memory(&second, one.data, one.size, "output", false, NULL));
            check_same(first, second);
            FUZZ_CHECK(!ember_writer_from(&again, second, NULL));
            through_json(second, again);
            write_all(&two, again, &written);
            FUZZ_CHECK(written && two.size == one.size && !memcmp(one.data, two.data, one.size));
        }
    }
    ember_writer_free(again);
    ember_writer_free(writer);
    ember_gguf_close(second);
    ember_gguf_close(first);
    free(one.data);
    free(two.data);
    return 0;
}
