/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The writer as a library: three ways to the same bytes, tensors added, removed and retyped, values
 * that do not fit, every allocation refused, a sink that fails. */
#include <errno.h>

#include <ember/gguf.h>
#include <ember/writer.h>

#include "gguf/gguf.h"
#include "test.h"

static long calls, fail_at = -1, live;

static bool refused(void)
{
    return calls++ == fail_at;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);

void *__wrap_malloc(size_t size)
{
    void *p = refused() ? NULL : __real_malloc(size);
    live += p != NULL;
    return p;
}

void *__wrap_calloc(size_t n, size_t size)
{
    void *p = refused() ? NULL : __real_calloc(n, size);
    live += p != NULL;
    return p;
}

void *__wrap_realloc(void *old, size_t size)
{
    void *p = refused() ? NULL : __real_realloc(old, size);
    live += p && !old;
    return p;
}

void __wrap_free(void *p)
{
    live -= p != NULL;
    __real_free(p);
}

enum { CAPACITY = 1 << 16 };

struct image {
    uint8_t data[CAPACITY];
    size_t size;
    long writes, fail_at; /* the write that fails; -1 = none */
};

static int append(void *user_data, const void *data, size_t size)
{
    struct image *im = user_data;

    if (im->writes++ == im->fail_at || im->size + size > CAPACITY)
        return ENOSPC;
    memcpy(im->data + im->size, data, size);
    im->size += size;
    return 0;
}

#define TEXT(s) ((struct ember_text){ s, sizeof(s) - 1 })
#define MUST(call) CHECK_MSG((call) == EMBER_OK, "%s: %s", #call, err.message)

static const float first[6] = { 1, 2, 3, 4, 5, 6 };
static uint8_t second[2 * 34];

/* Keys of several types and two tensors; the first failure, or EMBER_OK. */
static enum ember_status fill(struct ember_writer *w, struct ember_error *err)
{
    static const uint16_t numbers[] = { 1, 2, 65535 };
    const struct ember_text texts[] = { TEXT("a"), TEXT(""), TEXT("long text here") };
    const struct ember_writer_tensor tensors[] = {
        { TEXT("first"), 0, 2, { 3, 2 }, first },
        { TEXT("second"), 8, 1, { 64 }, second },
    };
    enum ember_status st;

    if ((st = ember_writer_set_text(w, TEXT("general.name"), TEXT("x"), err)) ||
        (st = ember_writer_set_u64(w, TEXT("k.u8"), EMBER_GGUF_U8, 255, err)) ||
        (st = ember_writer_set_i64(w, TEXT("k.i16"), EMBER_GGUF_I16, -32768, err)) ||
        (st = ember_writer_set_f64(w, TEXT("k.f32"), EMBER_GGUF_F32, 0.5, err)) ||
        (st = ember_writer_set(w, "k.list=arr[i32]:[1, -2]", err)) ||
        (st = ember_writer_set_array(w, TEXT("k.u16s"), EMBER_GGUF_U16, numbers, 3, err)) ||
        (st = ember_writer_set_texts(w, TEXT("k.texts"), texts, 3, err)) ||
        (st = ember_writer_add_tensor(w, &tensors[0], err)) ||
        (st = ember_writer_add_tensor(w, &tensors[1], err)))
        return st;
    return EMBER_OK;
}

static void test_three_ways(void)
{
    static struct image whole, apart, late;
    struct ember_error err = { 0 };
    struct ember_writer *w = NULL;
    uint64_t size = 0;

    whole.fail_at = apart.fail_at = late.fail_at = -1;
    MUST(ember_writer_new(&w, &err));
    MUST(fill(w, &err));
    MUST(ember_writer_write(w, &(struct ember_sink){ append, &whole }, NULL, &err));

    /* Header, then data. */
    MUST(ember_writer_write_header(w, &(struct ember_sink){ append, &apart }, &err));
    append(&apart, first, sizeof first);
    append(&apart, (uint8_t[8]){ 0 }, 8);
    append(&apart, second, sizeof second);
    append(&apart, (uint8_t[28]){ 0 }, 28);
    CHECK_UINT(apart.size, whole.size);
    CHECK_MEM(apart.data, whole.data, whole.size);

    /* Data, then header. */
    MUST(ember_writer_header_size(w, &size, &err));
    CHECK_UINT(size % 32, 0);
    late.size = (size_t)size;
    append(&late, apart.data + size, apart.size - (size_t)size);
    size_t end = late.size;
    late.size = 0;
    MUST(ember_writer_write_header(w, &(struct ember_sink){ append, &late }, &err));
    CHECK_UINT(late.size, size);
    CHECK_MEM(late.data, whole.data, end);

    struct ember_gguf *g = NULL;
    MUST(ember_gguf_open_memory(&g, whole.data, whole.size, "w", false, &err));
    if (g) {
        CHECK_UINT(ember_gguf_info(g)->n_keys, 7);
        CHECK_UINT(ember_gguf_info(g)->data_offset, size);
        CHECK_UINT(ember_gguf_get_u64(g, "k.u8", 0), 255);
        CHECK_MEM(gguf_tensor_data(g, ember_gguf_find_tensor(g, "first")), (const uint8_t *)first,
                  sizeof first);
    }
    ember_gguf_close(g);
    ember_writer_free(w);
}

static void test_tensors(void)
{
    static struct image im;
    static const float more[4] = { 9, 8, 7, 6 };
    struct ember_error err = { 0 };
    struct ember_writer *w = NULL;
    struct ember_gguf *g = NULL;
    uint16_t half[6] = { 0x3C00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600 };

    im = (struct image){ .fail_at = -1 };
    MUST(ember_writer_new(&w, &err));
    MUST(fill(w, &err));
    struct ember_writer_tensor third = { TEXT("third"), 0, 1, { 4 }, more };
    MUST(ember_writer_add_tensor(w, &third, &err));
    MUST(ember_writer_retype(w, TEXT("first"), 1, half, &err));
    MUST(ember_writer_remove_tensor(w, TEXT("second"), &err));
    MUST(ember_writer_set_u64(w, TEXT("general.alignment"), EMBER_GGUF_U32, 64, &err));
    CHECK(ember_writer_remove_tensor(w, TEXT("second"), &err) == EMBER_NOT_FOUND);
    CHECK(ember_writer_retype(w, TEXT("nobody"), 1, half, &err) == EMBER_NOT_FOUND);
    CHECK(ember_writer_retype(w, TEXT("first"), 8, half, &err) == EMBER_INVALID);  /* rows of 3 */
    CHECK(ember_writer_retype(w, TEXT("first"), 31, half, &err) == EMBER_INVALID); /* removed */
    MUST(ember_writer_write(w, &(struct ember_sink){ append, &im }, NULL, &err));
    MUST(ember_gguf_open_memory(&g, im.data, im.size, "w", false, &err));
    if (g) {
        const struct ember_gguf_tensor *t = ember_gguf_tensor(g, 0), *u = ember_gguf_tensor(g, 1);
        CHECK_UINT(ember_gguf_info(g)->n_tensors, 2);
        CHECK_UINT(ember_gguf_info(g)->alignment, 64);
        CHECK(t->type == 1 && t->n_bytes == 12 && t->offset == 0 && u->offset == 64);
        CHECK_MEM(gguf_tensor_data(g, t), (const uint8_t *)half, sizeof half);
        CHECK_MEM(gguf_tensor_data(g, u), (const uint8_t *)more, sizeof more);
    }
    ember_gguf_close(g);

    /* Two of one name are found when writing. */
    MUST(ember_writer_add_tensor(w, &third, &err));
    CHECK(ember_writer_write(w, &(struct ember_sink){ append, &im }, NULL, &err) == EMBER_INVALID);
    CHECK(strstr(err.message, "third"));

    const struct ember_writer_tensor wrong[] = {
        { TEXT(""), 0, 1, { 4 }, more },
        { TEXT("12345678901234567890123456789012345678901234567890123456789012345"),
          0,
          0,
          { 0 },
          more },
        { TEXT("x"), 0, 5, { 1 }, more },
        { TEXT("x"), 43, 1, { 4 }, more },
        { TEXT("x"), 2, 1, { 33 }, more },
        { TEXT("x"), 0, 4, { 1u << 30, 1u << 30, 1u << 30, 1u << 30 }, more },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_MSG(ember_writer_add_tensor(w, &wrong[i], &err) == EMBER_INVALID, "tensor %zu", i);
    ember_writer_free(w);
}

static void test_values(void)
{
    struct ember_error err = { 0 };
    struct ember_writer *w = NULL;
    const struct ember_text k = TEXT("k");

    MUST(ember_writer_new(&w, &err));
    CHECK(ember_writer_set_u64(w, k, EMBER_GGUF_U8, 256, &err) == EMBER_INVALID);
    CHECK(ember_writer_set_u64(w, k, EMBER_GGUF_I8, 128, &err) == EMBER_INVALID);
    CHECK(ember_writer_set_u64(w, k, EMBER_GGUF_I64, (uint64_t)INT64_MAX + 1, &err) ==
          EMBER_INVALID);
    CHECK(ember_writer_set_u64(w, k, EMBER_GGUF_BOOL, 2, &err) == EMBER_INVALID);
    CHECK(ember_writer_set_u64(w, k, EMBER_GGUF_F32, 1, &err) == EMBER_INVALID);
    CHECK(ember_writer_set_u64(w, k, EMBER_GGUF_STRING, 1, &err) == EMBER_INVALID);
    CHECK(ember_writer_set_i64(w, k, EMBER_GGUF_U32, -1, &err) == EMBER_INVALID);
    CHECK(ember_writer_set_i64(w, k, EMBER_GGUF_I8, -129, &err) == EMBER_INVALID);
    CHECK(ember_writer_set_f64(w, k, EMBER_GGUF_U32, 1, &err) == EMBER_INVALID);
    CHECK(ember_writer_set_array(w, k, EMBER_GGUF_STRING, "", 0, &err) == EMBER_INVALID);
    CHECK(ember_writer_set_text(w, TEXT(""), k, &err) == EMBER_INVALID);
    CHECK_UINT(ember_writer_n_keys(w), 0);
    MUST(ember_writer_set_u64(w, k, EMBER_GGUF_U64, UINT64_MAX, &err));
    MUST(ember_writer_set_i64(w, k, EMBER_GGUF_I64, INT64_MIN, &err));
    MUST(ember_writer_set_i64(w, k, EMBER_GGUF_I8, -128, &err));
    CHECK_UINT(ember_writer_n_keys(w), 1);
    MUST(ember_writer_set_u64(w, TEXT("m"), EMBER_GGUF_BOOL, 1, &err));
    CHECK(ember_writer_rename(w, k, TEXT("m"), &err) == EMBER_INVALID);
    CHECK(ember_writer_rename(w, TEXT("none"), TEXT("n"), &err) == EMBER_NOT_FOUND);
    MUST(ember_writer_rename(w, k, k, &err));
    MUST(ember_writer_remove(w, k, &err));
    CHECK(ember_writer_remove(w, k, &err) == EMBER_NOT_FOUND);
    ember_writer_free(w);
}

/* Every allocation refused in turn, and every write. */
static void test_refusals(void)
{
    static struct image im;
    struct ember_error err = { 0 };
    long n_refused = 0, n_writes = 0;

    for (bool again = true; again;) {
        struct ember_writer *w = NULL;
        im = (struct image){ .fail_at = -1 };
        calls = 0;
        fail_at = n_refused;
        live = 0;
        enum ember_status st = ember_writer_new(&w, &err);
        if (!st)
            st = fill(w, &err);
        if (!st)
            st = ember_writer_write(w, &(struct ember_sink){ append, &im }, NULL, &err);
        again = calls > fail_at;
        fail_at = -1;
        CHECK_MSG(!again || st == EMBER_NO_MEMORY, "allocation %ld: %s", n_refused, err.message);
        ember_writer_free(w);
        CHECK_MSG(!live, "allocation %ld: %ld are not freed", n_refused, live);
        n_refused += again;
    }
    CHECK(n_refused > 10);

    struct ember_writer *w = NULL;
    MUST(ember_writer_new(&w, &err));
    MUST(fill(w, &err));
    for (;; n_writes++) {
        im = (struct image){ .fail_at = n_writes };
        enum ember_status st =
            ember_writer_write(w, &(struct ember_sink){ append, &im }, NULL, &err);
        if (!st)
            break;
        CHECK(st == EMBER_IO && strstr(err.message, strerror(ENOSPC)));
    }
    CHECK(n_writes >= 4);
    ember_writer_free(w);
}

int main(void)
{
    for (size_t i = 0; i < sizeof second; i++)
        second[i] = (uint8_t)(i + 1);
    test_three_ways();
    test_tensors();
    test_values();
    test_refusals();
    return test_end();
}
