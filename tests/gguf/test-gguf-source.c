/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files through a callback: in pieces, short, failing at any moment, and of another size than said;
 * tensor data through it; names of parts. */
#include <errno.h>

#include <ember/gguf.h>
#include <ember/tensor.h>

#include "gguf/gguf.h"
#include "image.h"
#include "test.h"

/* A file that is asked for in ranges. */
struct remote {
    const struct image *im;
    size_t most;         /* bytes given at once; 0 = what is asked for */
    long calls, fail_at; /* the call that fails; -1 = none */
    size_t largest;      /* most bytes asked for */
    uint64_t end;        /* how far anybody read */
};

static size_t deliver(void *user_data, uint64_t offset, void *dst, size_t size, int *error)
{
    struct remote *r = user_data;

    if (r->calls++ == r->fail_at) {
        *error = ETIMEDOUT;
        return 0;
    }
    if (size > r->largest)
        r->largest = size;
    if (offset >= r->im->size)
        return 0;
    if (size > r->im->size - offset)
        size = (size_t)(r->im->size - offset);
    if (r->most && size > r->most)
        size = r->most;
    memcpy(dst, r->im->data + offset, size);
    if (offset + size > r->end)
        r->end = offset + size;
    return size;
}

static enum ember_status open_remote(struct ember_gguf **out, struct remote *r, uint64_t size,
                                     size_t max_chunk, struct ember_error *err)
{
    const struct ember_gguf_source source = {
        .size = size, .max_chunk = max_chunk, .read = deliver, .user_data = r
    };
    *out = NULL;
    return ember_gguf_open_source(out, &source, "remote.gguf", err);
}

static void test_pieces(const struct image *im)
{
    static const size_t chunks[] = { 0, 1, 3, 64, 1000000 }, pieces[] = { 0, 1, 7 };

    for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
        for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
            struct remote r = { .im = im, .most = pieces[p], .fail_at = -1 };
            struct ember_error err = { 0 };
            struct ember_gguf *g;
            if (!CHECK_MSG(!open_remote(&g, &r, im->size, chunks[c], &err), "%s", err.message))
                continue;
            CHECK_UINT(ember_gguf_info(g)->n_tensors, 3);
            CHECK_UINT(ember_gguf_get_u64(g, "k.u32", 0), 4000000000u);
            CHECK(!chunks[c] || r.largest <= chunks[c]);
            CHECK_STR(ember_gguf_path(g), "remote.gguf");
            /* Data comes the same way, and nothing is mapped. */
            const struct ember_gguf_tensor *t = ember_gguf_find_tensor(g, "norm");
            uint8_t data[64];
            CHECK(!gguf_tensor_data(g, t));
            CHECK(!ember_tensor_read(g, t, 0, data, sizeof data, &err));
            CHECK_MEM(data, im->data + t->file_offset, sizeof data);
            CHECK(ember_tensor_read(g, t, 1, data, sizeof data, &err) == EMBER_INVALID);
            ember_gguf_close(g);
        }
    }
}

/* A small bound keeps away from the tensor data: at most one piece behind the header is asked for.
 */
static void test_header_only(struct image *im)
{
    struct remote r = { .im = im, .fail_at = -1 };
    struct ember_gguf *g;

    if (!CHECK(!open_remote(&g, &r, (uint64_t)30 << 30, 32, NULL)))
        return;
    CHECK_MSG(r.end <= gguf_header_end(g) + 32, "read up to %" PRIu64, r.end);
    CHECK_UINT(ember_gguf_info(g)->file_size, (uint64_t)30 << 30);
    ember_gguf_close(g);
}

static void test_failures(const struct image *im)
{
    struct ember_error err = { 0 };
    struct ember_gguf *g = NULL;
    long n_failed = 0;

    for (long at = 0;; at++) {
        struct remote r = { .im = im, .fail_at = at };
        enum ember_status st = open_remote(&g, &r, im->size, 16, &err);
        if (!st)
            break;
        n_failed++;
        CHECK_MSG(st == EMBER_IO && !g && err.message[0], "call %ld: %s", at, err.message);
    }
    ember_gguf_close(g);
    CHECK(n_failed > 20);

    /* The file ends before the size that was promised. */
    struct image cut = *im;
    for (cut.size = 0; cut.size < im->size; cut.size += 13) {
        struct remote r = { .im = &cut, .fail_at = -1 };
        enum ember_status st = open_remote(&g, &r, im->size, 8, &err);
        CHECK_MSG(st == EMBER_OK || (st == EMBER_FORMAT && !g && err.message[0]), "%zu bytes: %s",
                  cut.size, err.message);
        if (st)
            continue;
        float value;
        const struct ember_gguf_tensor *t = ember_gguf_find_tensor(g, "scalar");
        CHECK(ember_tensor_values(g, t, 0, 1, &value, &err) == EMBER_FORMAT);
        ember_gguf_close(g);
        g = NULL;
    }
    /* And the other way: a size that is too small. */
    for (uint64_t size = 0; size < 200; size += 9) {
        struct remote r = { .im = im, .fail_at = -1 };
        CHECK(open_remote(&g, &r, size, 0, &err) == EMBER_FORMAT && !g);
    }
}

/* Values and checksums through a callback, in pieces and over many windows. */
static void test_values(void)
{
    enum { ROWS = 40, COLUMNS = 32768, N = ROWS * COLUMNS }; /* 1.3 MiB of q8_0, 5 MiB of floats */
    struct image im = { 0 };
    struct remote r = { .im = &im, .most = 100000, .fail_at = -1 };
    struct ember_error err = { 0 };
    struct ember_gguf *g = NULL, *whole = NULL;
    struct ember_hash_text a, b;
    float *got = malloc(N * sizeof *got), one[96];

    image_begin(&im, 3, 2, 0);
    image_tensor_2d(&im, "t", COLUMNS, ROWS, 8, 0);
    image_tensor_2d(&im, "empty", 0, ROWS, 0, N / 32 * 34);
    image_pad(&im, 32);
    for (size_t i = 0; i < N / 32; i++) {
        image_uint(&im, 2, i % 2 ? 0x3C00 : 0xB800); /* 1, -0.5 */
        for (unsigned k = 0; k < 32; k++)
            image_uint(&im, 1, (i * 7 + k) & 127);
    }
    if (!CHECK(got) || !CHECK(!open_remote(&g, &r, im.size, 4096, &err)) ||
        !CHECK(!ember_gguf_open_memory(&whole, im.data, im.size, "memory", false, &err)))
        goto out;
    const struct ember_gguf_tensor *t = ember_gguf_find_tensor(g, "t");
    const struct ember_gguf_tensor *empty = ember_gguf_find_tensor(g, "empty");
    CHECK_MSG(!ember_tensor_values(g, t, 0, N, got, &err), "%s", err.message);
    CHECK(r.largest <= 4096);
    size_t wrong = 0;
    for (size_t i = 0; i < N; i++) {
        size_t block = i / 32;
        float want = (float)((block * 7 + i % 32) & 127) * (block % 2 ? 1.0f : -0.5f);
        wrong += got[i] != want;
    }
    CHECK_UINT(wrong, 0);
    /* Some blocks from the middle; nothing; all that cannot be. */
    CHECK(!ember_tensor_values(g, t, N - 96, 96, one, &err) && !memcmp(one, got + N - 96, 384));
    CHECK(!ember_tensor_values(g, t, N, 0, one, &err));
    CHECK(!ember_tensor_values(g, empty, 0, 0, one, &err));
    CHECK(ember_tensor_values(g, t, 1, 32, one, &err) == EMBER_INVALID);
    CHECK(ember_tensor_values(g, t, 0, 33, one, &err) == EMBER_INVALID && err.message[0]);
    CHECK(ember_tensor_values(g, t, N - 32, 64, one, &err) == EMBER_INVALID);
    CHECK(ember_tensor_values(g, t, UINT64_MAX - 31, 32, one, &err) == EMBER_INVALID);
    CHECK(ember_tensor_values(g, empty, 0, 1, one, &err) == EMBER_INVALID);

    CHECK(!ember_tensor_hash(g, t, &a, NULL, &err));
    CHECK(!ember_tensor_hash(whole, ember_gguf_find_tensor(whole, "t"), &b, NULL, &err));
    CHECK_STR(a.hex, b.hex);
    CHECK(!ember_tensor_hash(g, empty, &a, NULL, &err));
    CHECK_STR(a.hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");

    /* A callback that fails at any moment, and one whose file has become shorter. */
    long n_calls = r.calls, n_failed = 0;
    CHECK(!ember_tensor_values(g, t, 0, N, got, &err));
    n_calls = r.calls - n_calls;
    for (long at = 0; at < n_calls; at += 1 + n_calls / 50, n_failed++) {
        r.fail_at = r.calls + at;
        CHECK(ember_tensor_values(g, t, 0, N, got, &err) == EMBER_IO);
        CHECK_MSG(strstr(err.message, "remote.gguf"), "%s", err.message);
        r.fail_at = r.calls + at;
        CHECK(ember_tensor_hash(g, t, &a, NULL, &err) == EMBER_IO);
    }
    CHECK(n_failed > 20);
    r.fail_at = -1;
    im.size -= 17;
    CHECK(ember_tensor_values(g, t, 0, N, got, &err) == EMBER_FORMAT);
    CHECK_MSG(strstr(err.message, "ends at byte"), "%s", err.message);
    CHECK(ember_tensor_hash(g, t, &a, NULL, &err) == EMBER_FORMAT);
    im.size += 17;
out:
    ember_gguf_close(whole);
    ember_gguf_close(g);
    free(got);
    free(im.data);
}

/* A callback that says it gave more than it was asked for is not believed. */
static size_t overrun(void *user_data, uint64_t offset, void *dst, size_t size, int *error)
{
    (void)error;
    return deliver(user_data, offset, dst, size, &(int){ 0 }) + 1;
}

static void test_liars(struct image *im)
{
    struct remote r = { .im = im, .fail_at = -1 };
    const struct ember_gguf_source source = { .size = im->size, .read = overrun, .user_data = &r };
    struct ember_error err = { 0 };
    struct ember_gguf *g = NULL;

    CHECK(ember_gguf_open_source(&g, &source, "liar", &err) == EMBER_FORMAT && !g);
    /* A size beyond all that can be: nothing is taken in advance for it. */
    CHECK(!open_remote(&g, &r, UINT64_MAX, 1 << 16, &err));
    CHECK(g && ember_gguf_info(g)->file_size == UINT64_MAX);
    ember_gguf_close(g);
    CHECK(open_remote(&g, &r, 0, 0, &err) == EMBER_FORMAT && strstr(err.message, "empty"));
}

struct watcher {
    const char *path;
    unsigned calls, stop_at, cut_at, grow_at;
    double last;
};

static bool watch(double done, void *user_data)
{
    struct watcher *w = user_data;

    CHECK(done >= w->last && done <= 1);
    w->last = done;
    w->calls++;
    if (w->calls == w->cut_at)
        CHECK(!truncate(w->path, 100));
    if (w->calls == w->grow_at)
        CHECK(!truncate(w->path, 9 << 20));
    return w->calls != w->stop_at;
}

static void test_file_hash(void)
{
    char path[] = "/tmp/test-gguf-source-XXXXXX";
    int fd = mkstemp(path);
    struct ember_hash_text hash;
    struct ember_error err = { 0 };
    struct watcher w = { .path = path };
    struct ember_progress progress = { watch, &w };

    if (!CHECK(fd >= 0 && !ftruncate(fd, 5 << 20)))
        return;
    CHECK(!ember_file_hash(path, &hash, &progress, &err));
    CHECK_STR(hash.hex, "c036cbb7553a909f8b8877d4461924307f27ecb66cff928eeeafd569c3887e29");
    CHECK(w.calls >= 5);
    w = (struct watcher){ .path = path, .stop_at = 3 };
    CHECK(ember_file_hash(path, &hash, &progress, &err) == EMBER_CANCELLED && w.calls == 3);
    w = (struct watcher){ .path = path, .grow_at = 2 };
    CHECK(ember_file_hash(path, &hash, &progress, &err) == EMBER_IO);
    CHECK_MSG(strstr(err.message, "changed"), "%s", err.message);
    w = (struct watcher){ .path = path, .cut_at = 2 };
    CHECK(ember_file_hash(path, &hash, &progress, &err) == EMBER_IO);
    CHECK(!ftruncate(fd, 0) && !ember_file_hash(path, &hash, NULL, NULL));
    CHECK_STR(hash.hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    close(fd);
    unlink(path);
    CHECK(ember_file_hash(path, &hash, NULL, &err) == EMBER_IO && strstr(err.message, path));
    CHECK(ember_file_hash("/tmp", &hash, NULL, &err) == EMBER_IO);
}

/* What a big-endian file holds equals what the little-endian one holds. */
static void test_big_endian(void)
{
    struct image le = { 0 }, be = { .big_endian = true };
    struct ember_gguf *a = NULL, *b = NULL;
    uint8_t x[64], y[64];

    for (int i = 0; i < 2; i++) {
        struct image *im = i ? &be : &le;
        image_begin(im, 3, 3, 1);
        image_key_string(im, "general.architecture", "x");
        image_tensor_2d(im, "f32", 4, 1, 0, 0);
        image_tensor_2d(im, "q4_0", 32, 1, 2, 32);
        image_tensor_2d(im, "i16", 2, 1, 25, 64);
        image_pad(im, 32);
        for (int k = 0; k < 4; k++)
            image_f32(im, (float)k - 1.5f);
        image_zeros(im, 16);
        image_uint(im, 2, 0x3C00); /* the scale 1 */
        for (int k = 0; k < 16; k++)
            image_uint(im, 1, (uint64_t)k * 16 + 3);
        image_zeros(im, 14);
        image_uint(im, 2, 0x1234);
        image_uint(im, 2, 0xFFFE);
    }
    CHECK(!ember_gguf_open_memory(&a, le.data, le.size, "le", true, NULL));
    CHECK(!ember_gguf_open_memory(&b, be.data, be.size, "be", true, NULL));
    for (uint64_t i = 0; a && b && i < 3; i++) {
        const struct ember_gguf_tensor *t = ember_gguf_tensor(a, i), *u = ember_gguf_tensor(b, i);
        float p[32], q[32];
        CHECK(!ember_tensor_read(a, t, 0, x, (size_t)t->n_bytes, NULL));
        CHECK(!ember_tensor_read(b, u, 0, y, (size_t)u->n_bytes, NULL));
        CHECK_MEM(y, x, (size_t)t->n_bytes);
        CHECK(!ember_tensor_values(a, t, 0, (size_t)t->n_elements, p, NULL));
        CHECK(!ember_tensor_values(b, u, 0, (size_t)u->n_elements, q, NULL));
        CHECK_MEM((const uint8_t *)q, (const uint8_t *)p, (size_t)t->n_elements * sizeof *p);
        if (i == 1)
            CHECK(p[0] == -5.0f && p[16] == -8.0f && p[31] == 7.0f);
    }
    if (b) /* half a block cannot be turned */
        CHECK(ember_tensor_read(b, ember_gguf_tensor(b, 1), 0, y, 9, NULL) == EMBER_INVALID);
    ember_gguf_close(a);
    ember_gguf_close(b);
    free(le.data);
    free(be.data);
}

/* All elements at once equal one at a time, in either byte order. */
static void test_numbers(void)
{
    static const enum ember_gguf_type types[] = { EMBER_GGUF_U8,  EMBER_GGUF_I8,   EMBER_GGUF_U16,
                                                  EMBER_GGUF_I16, EMBER_GGUF_U32,  EMBER_GGUF_I32,
                                                  EMBER_GGUF_F32, EMBER_GGUF_BOOL, EMBER_GGUF_U64,
                                                  EMBER_GGUF_I64, EMBER_GGUF_F64 };
    static const unsigned sizes[] = { 1, 1, 2, 2, 4, 4, 4, 1, 8, 8, 8 };
    enum { N = sizeof types / sizeof *types, LENGTH = 5 };

    for (int big = 0; big < 2; big++) {
        struct image im = { .big_endian = big };
        struct ember_gguf *g = NULL;
        uint64_t out[LENGTH + 1];
        char name[16];

        image_begin(&im, 3, 0, N + 2);
        for (unsigned t = 0; t < N; t++) {
            snprintf(name, sizeof name, "k%u", t);
            image_key(&im, name, 9);
            image_array(&im, types[t], LENGTH);
            for (unsigned i = 0; i < LENGTH; i++)
                image_uint(&im, sizes[t], 0x3FF0A1B2C3D4E5F6u * (i + 1) >> i);
        }
        image_key_u32(&im, "one", 4711);
        image_key_string(&im, "text", "x");
        if (!CHECK(!ember_gguf_open_memory(&g, im.data, im.size, "numbers", true, NULL)))
            return;
        for (unsigned t = 0; t < N; t++) {
            CHECK(ember_gguf_numbers(g, t, 1, LENGTH - 1, out));
            for (unsigned i = 1; i < LENGTH; i++) {
                const uint8_t *p = (const uint8_t *)out + (i - 1) * sizes[t];
                uint64_t u = 0, want_u;
                int64_t want_i;
                double want_f;
                memcpy(&u, p, sizes[t]); /* this machine is little-endian, as all that run this */
                if (types[t] == EMBER_GGUF_F32 || types[t] == EMBER_GGUF_F64) {
                    float f;
                    double d = 0;
                    memcpy(&f, p, 4);
                    memcpy(&d, p, sizes[t] == 8 ? 8 : 4);
                    d = sizes[t] == 8 ? d : (double)f;
                    CHECK(ember_gguf_f64(g, t, i, &want_f) && !memcmp(&d, &want_f, sizeof d));
                } else if (ember_gguf_u64(g, t, i, &want_u)) {
                    CHECK_UINT(u, want_u);
                } else {
                    CHECK(ember_gguf_i64(g, t, i, &want_i));
                    CHECK_UINT(u, (uint64_t)want_i & (UINT64_MAX >> (64 - 8 * sizes[t])));
                }
            }
            CHECK(ember_gguf_numbers(g, t, LENGTH, 0, out) && ember_gguf_numbers(g, t, 0, 0, out));
            CHECK(!ember_gguf_numbers(g, t, 1, LENGTH, out));
            CHECK(!ember_gguf_numbers(g, t, UINT64_MAX, 2, out));
        }
        CHECK(ember_gguf_numbers(g, N, 0, 1, out) && !memcmp(out, &(uint32_t){ 4711 }, 4));
        CHECK(!ember_gguf_numbers(g, N + 1, 0, 1, out) && !ember_gguf_numbers(g, -1, 0, 1, out) &&
              !ember_gguf_numbers(g, N + 2, 0, 0, out));
        ember_gguf_close(g);
        free(im.data);
    }
}

static void test_part_names(void)
{
    static const struct {
        const char *path;
        bool is_part;
        size_t prefix;
        uint32_t no, count;
    } names[] = {
        { "m-00001-of-00003.gguf", true, 1, 0, 3 },
        { "/a/b-00002-of-00002.gguf", true, 4, 1, 2 },
        { "x.gguf-00001-of-00009.gguf", true, 6, 0, 9 },
        { "M-1-OF-2.GGUF", true, 1, 0, 2 },
        { "m-00003-of-00002.gguf", false, 0, 0, 0 },
        { "m-00000-of-00002.gguf", false, 0, 0, 0 },
        { "m-of-00002.gguf", false, 0, 0, 0 },
        { "m-00001of00002.gguf", false, 0, 0, 0 },
        { "m-00001-of-00002.bin", false, 0, 0, 0 },
        { ".gguf", false, 0, 0, 0 },
        { "", false, 0, 0, 0 },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t prefix = 0;
        uint32_t no = 0, count = 0;
        bool is_part = ember_gguf_part_parse(names[i].path, &prefix, &no, &count);
        CHECK_MSG(is_part == names[i].is_part, "%s", names[i].path);
        if (is_part)
            CHECK_MSG(prefix == names[i].prefix && no == names[i].no && count == names[i].count,
                      "%s", names[i].path);
    }
    char *path = ember_gguf_part_path("dir/name", 8, 4, 12);
    CHECK_STR(path, "dir/name-00005-of-00012.gguf");
    free(path);
}

static void test_standard_keys(void)
{
    const struct ember_text arch = { "qwen2", 5 };
    const struct ember_gguf_standard_key *key;
#define KEY(text) ember_gguf_standard_key((struct ember_text){ text, sizeof(text) - 1 }, arch)
    key = KEY("qwen2.context_length");
    CHECK(key && key->type == EMBER_GGUF_U32 && key->form == EMBER_KEY_ONE);
    CHECK(key && !strcmp(key->unit, "tokens"));
    key = KEY("qwen2.attention.head_count_kv");
    CHECK(key && key->form == EMBER_KEY_LAYERS);
    key = KEY("general.base_model.12.name");
    CHECK(key && key->type == EMBER_GGUF_STRING);
    key = KEY("tokenizer.ggml.tokens");
    CHECK(key && key->form == EMBER_KEY_ARRAY);
    CHECK(KEY("split.tensors.count") && KEY("adapter.lora.alpha") &&
          KEY("clip.has_vision_encoder"));
    CHECK(!KEY("qwen2") && !KEY("qwen2.") && !KEY("qwen3.context_length") && !KEY("my.key"));
    CHECK(!KEY("") && !KEY("A.context_lengt") && !KEY("general.name\0"));
#undef KEY
}

int main(void)
{
    struct image im = { 0 };

    image_rich(&im, 3);
    test_pieces(&im);
    test_header_only(&im);
    test_failures(&im);
    test_liars(&im);
    test_values();
    test_file_hash();
    test_big_endian();
    test_numbers();
    test_part_names();
    test_standard_keys();
    free(im.data);
    return test_end();
}
