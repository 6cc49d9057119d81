/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening with every allocation refused in turn: a status and a sentence, no leak, no crash. The
 * linker redirects the allocator's names to the ones here. */
#include <unistd.h>

#include <ember/gguf.h>

#define REFUSE_MAPPINGS
#include "image.h"
#include "refuse.h"
#include "test.h"

enum way { FROM_FILE, FROM_MEMORY };

static enum ember_status open_one(struct ember_gguf **out, enum way way, const char *path,
                                  const struct image *im, bool header_only, struct ember_error *err)
{
    return way == FROM_FILE
               ? ember_gguf_open(out, path, header_only, err)
               : ember_gguf_open_memory(out, im->data, im->size, "memory", header_only, err);
}

static void test_open(enum way way, const char *path, const struct image *im, bool header_only)
{
    long n_refused = 0;

    for (long i = 0; i < 1000; i++) {
        struct ember_gguf *g = NULL;
        struct ember_error err = { 0 };
        long before = live;
        calls = 0;
        fail_at = i;
        enum ember_status st = open_one(&g, way, path, im, header_only, &err);
        fail_at = -1;
        bool done = calls <= i; /* fewer calls than that: nothing was refused */
        if (st) {
            CHECK_MSG(st == EMBER_NO_MEMORY && !g && err.message[0] && !done,
                      "allocation %ld refused: %s, \"%s\"", i, ember_status_name(st), err.message);
            n_refused++;
        } else {
            CHECK_UINT(ember_gguf_get_u64(g, "last", 0), 4711);
            CHECK(ember_gguf_find_tensor(g, "tensor.99"));
        }
        ember_gguf_close(g);
        CHECK_MSG(live == before, "allocation %ld refused: %ld are not freed", i, live - before);
        if (done)
            break;
    }
    CHECK_MSG(n_refused >= 8, "only %ld allocations were refused", n_refused);
}

static void test_set(const struct image *im)
{
    long n_refused = 0;

    for (long i = 0; i < 1000; i++) {
        struct ember_gguf *g = NULL;
        struct ember_error err = { 0 };
        if (!CHECK(!ember_gguf_open_memory(&g, im->data, im->size, "memory", false, &err)))
            return;
        calls = 0;
        fail_at = i;
        enum ember_status old = ember_gguf_set(g, "last=str:changed", &err);
        enum ember_status new = ember_gguf_set(g, "added=u8:5", &err);
        fail_at = -1;
        bool done = calls <= i;
        CHECK(done == (!old && !new));
        CHECK(!old || old == EMBER_NO_MEMORY);
        CHECK(!new || new == EMBER_NO_MEMORY);
        /* A refused override changes nothing. */
        CHECK_UINT(ember_gguf_get_u64(g, "last", 1), old ? 4711 : 1);
        CHECK_UINT(ember_gguf_get_u64(g, "added", 0), new ? 0 : 5);
        CHECK_UINT(ember_gguf_info(g)->n_keys, new ? 42 : 43);
        CHECK(ember_gguf_find(g, "key.7") == 7);
        n_refused += old || new;
        CHECK(!ember_gguf_set(g, "added=u8:6", &err));
        CHECK_UINT(ember_gguf_get_u64(g, "added", 0), 6);
        ember_gguf_close(g);
        if (done)
            break;
    }
    CHECK(n_refused >= 2);
}

int main(void)
{
    char path[] = "/tmp/test-gguf-memory-XXXXXX", name[32];
    struct image im = { 0 };

    /* Enough of everything that each growing array grows. */
    image_begin(&im, 3, 100, 42);
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "key.%d", i);
        image_key_u32(&im, name, (uint32_t)i);
    }
    image_key(&im, "tokens", 9);
    image_array(&im, 8, 20000);
    for (int i = 0; i < 20000; i++)
        image_string(&im, "token");
    image_key_u32(&im, "last", 4711);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "tensor.%d", i);
        image_tensor_2d(&im, name, 32, 1, 24, 0);
    }
    image_pad(&im, 32);
    image_zeros(&im, 32);

    int fd = mkstemp(path);
    if (CHECK(fd >= 0 && write(fd, im.data, im.size) == (ssize_t)im.size && !close(fd))) {
        test_open(FROM_FILE, path, &im, false);
        test_open(FROM_FILE, path, &im, true);
        test_open(FROM_MEMORY, path, &im, false);
        test_set(&im);
        unlink(path);
    }
    free(im.data);
    return test_end();
}
