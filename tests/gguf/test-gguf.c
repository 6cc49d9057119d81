/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are fine: every value type, version and byte order, look-up, overrides, files on disk.
 */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ember/gguf.h>

#include "gguf/gguf.h"
#include "gguf/reader.h"
#include "image.h"
#include "test.h"

static bool text_is(struct ember_text text, const char *want, size_t size)
{
    return text.data && text.size == size && !memcmp(text.data, want, size);
}

static int64_t find(const struct ember_gguf *g, const char *key)
{
    int64_t index = ember_gguf_find(g, key);
    CHECK_MSG(index >= 0, "key %s is not found", key);
    return index;
}

/* What image_rich() wrote, read back. */
static void check_rich(const struct ember_gguf *g, uint32_t version, bool big_endian, size_t data,
                       bool header_only)
{
    const struct ember_gguf_info *info = ember_gguf_info(g);
    struct ember_text text;
    uint64_t u = 1;
    int64_t i = 1;
    double f = 1;
    bool b = false, wide = version > 1;

    CHECK_UINT(info->version, version);
    CHECK_UINT(info->big_endian, big_endian);
    CHECK_UINT(info->alignment, 32);
    CHECK_UINT(info->n_tensors, 3);
    CHECK_UINT(info->n_keys, wide ? 17 : 14);
    CHECK_UINT(info->data_offset, data);

    CHECK(text_is(ember_gguf_key_name(g, 0), "general.architecture", 20));
    CHECK_UINT(ember_gguf_key_type(g, 0), EMBER_GGUF_STRING);
    CHECK(text_is(ember_gguf_get_text(g, "general.architecture"), "llama", 5));
    CHECK_UINT(ember_gguf_get_u64(g, "k.u8", 0), 200);
    CHECK(ember_gguf_i64(g, find(g, "k.i8"), 0, &i) && i == -128);
    CHECK(!ember_gguf_u64(g, find(g, "k.i8"), 0, &u) && u == 1);
    CHECK_UINT(ember_gguf_get_u64(g, "k.u16", 0), 60000);
    CHECK(ember_gguf_i64(g, find(g, "k.i16"), 0, &i) && i == -2);
    CHECK(ember_gguf_i64(g, find(g, "k.u32"), 0, &i) && i == 4000000000);
    CHECK(ember_gguf_i64(g, find(g, "k.i32"), 0, &i) && i == INT32_MIN);
    CHECK(ember_gguf_f64(g, find(g, "k.i32"), 0, &f) && f == INT32_MIN);
    CHECK(ember_gguf_get_f64(g, "k.f32", 0) == (double)0.1f);
    CHECK(!ember_gguf_u64(g, find(g, "k.f32"), 0, &u) && u == 1);
    CHECK(ember_gguf_bool(g, find(g, "k.bool"), 0, &b) && b);
    CHECK(ember_gguf_u64(g, find(g, "k.bool"), 0, &u) && u == 1);
    f = 5;
    CHECK(!ember_gguf_f64(g, find(g, "k.bool"), 0, &f) && f == 5);
    CHECK(!ember_gguf_bool(g, find(g, "k.u8"), 0, &b));
    CHECK(text_is(ember_gguf_get_text(g, "k.str"), "a\0b\xFF\n", 5));
    CHECK(!ember_gguf_u64(g, find(g, "k.str"), 0, &u));
    if (wide) {
        CHECK(ember_gguf_u64(g, find(g, "k.u64"), 0, &u) && u == UINT64_MAX);
        i = 3;
        CHECK(!ember_gguf_i64(g, find(g, "k.u64"), 0, &i) && i == 3);
        CHECK(ember_gguf_i64(g, find(g, "k.i64"), 0, &i) && i == INT64_MIN);
        CHECK(ember_gguf_get_f64(g, "k.f64", 0) == -0.3);
    }

    int64_t array = find(g, "a.i16");
    CHECK_UINT(ember_gguf_key_type(g, (uint64_t)array), EMBER_GGUF_ARRAY);
    CHECK_UINT(ember_gguf_key_element_type(g, (uint64_t)array), EMBER_GGUF_I16);
    CHECK_UINT(ember_gguf_key_length(g, (uint64_t)array), 3);
    CHECK(ember_gguf_u64(g, array, 0, &u) && u == 7);
    CHECK(!ember_gguf_u64(g, array, 1, &u));
    CHECK(ember_gguf_i64(g, array, 1, &i) && i == -1);
    CHECK(ember_gguf_u64(g, array, 2, &u) && u == 9);
    CHECK(!ember_gguf_u64(g, array, 3, &u) && !ember_gguf_u64(g, array, UINT64_MAX, &u));
    CHECK_UINT(ember_gguf_get_u64(g, "a.i16", 77), 77); /* no scalar */

    array = find(g, "a.str");
    CHECK(ember_gguf_text(g, array, 3, &text) && text_is(text, "three", 5));
    CHECK(ember_gguf_text(g, array, 0, &text) && text_is(text, "zero", 4));
    CHECK(ember_gguf_text(g, array, 1, &text) && text_is(text, "", 0));
    CHECK(ember_gguf_text(g, array, 2, &text) && text_is(text, "two \xE2\x82\xAC", 7));
    CHECK(!ember_gguf_text(g, array, 4, &text));
    CHECK(!ember_gguf_get_text(g, "a.str").data);
    CHECK_UINT(ember_gguf_key_length(g, (uint64_t)find(g, "a.none")), 0);
    CHECK(!ember_gguf_text(g, find(g, "a.none"), 0, &text));
    array = find(g, "a.nest");
    CHECK_UINT(ember_gguf_key_element_type(g, (uint64_t)array), EMBER_GGUF_ARRAY);
    CHECK_UINT(ember_gguf_key_length(g, (uint64_t)array), 2);
    CHECK(!ember_gguf_u64(g, array, 0, &u) && !ember_gguf_text(g, array, 1, &text));

    CHECK_INT(ember_gguf_find(g, "k.u"), -1);
    CHECK_INT(ember_gguf_find(g, ""), -1);
    CHECK(!ember_gguf_u64(g, -1, 0, &u) && !ember_gguf_text(g, -1, 0, &text));
    CHECK(!ember_gguf_u64(g, (int64_t)info->n_keys, 0, &u));
    CHECK(!ember_gguf_key_name(g, info->n_keys).data);
    CHECK(!ember_gguf_type_name(ember_gguf_key_type(g, info->n_keys)));
    CHECK(ember_gguf_get_bool(g, "absent", true) && !ember_gguf_get_bool(g, "absent", false));

    uint64_t layer = 0;
    CHECK(gguf_layer_u64(g, "a.i16", 2, &layer) && layer == 9);
    CHECK(gguf_layer_u64(g, "k.u8", 2, &layer) && layer == 200);
    CHECK(!gguf_layer_u64(g, "a.i16", 3, &layer) && !gguf_layer_u64(g, "absent", 0, &layer));
    CHECK(gguf_layer_f64(g, "k.f32", 40, &f) && f == (double)0.1f);
    CHECK(gguf_layer_bool(g, "k.bool", 40, &b) && b && !gguf_layer_bool(g, "k.u8", 0, &b));
    CHECK(gguf_is_array(g, "a.str") && !gguf_is_array(g, "k.str") && !gguf_is_array(g, "absent"));

    const struct ember_gguf_tensor *t = ember_gguf_tensor(g, 0);
    if (!CHECK(t && t == ember_gguf_find_tensor(g, "blk.0.w")))
        return;
    CHECK(text_is(t->name, "blk.0.w", 7));
    CHECK(t->type == 8 && t->n_dims == 2 && t->ne[0] == 32 && t->ne[1] == 3 && t->ne[2] == 1);
    CHECK_UINT(t->n_elements, 96);
    CHECK_UINT(t->n_bytes, 102);
    CHECK_UINT(t->offset, 96);
    CHECK_UINT(t->file_offset, data + 96);
    const uint8_t *bytes = gguf_tensor_data(g, t);
    CHECK(bytes && bytes[0] == 96 && bytes[101] == 197);
    t = ember_gguf_find_tensor(g, "scalar");
    CHECK(t && t->n_dims == 0 && t->ne[0] == 1 && t->ne[3] == 1 && t->n_bytes == 2);
    CHECK(t == ember_gguf_tensor(g, 2) && !ember_gguf_tensor(g, 3));
    CHECK(!ember_gguf_find_tensor(g, "scala") && !ember_gguf_find_tensor(g, ""));
    CHECK(header_only || gguf_tensor_data(g, t));
}

static void test_versions(void)
{
    struct image im = { 0 };

    for (uint32_t version = 1; version <= 3; version++) {
        for (int header_only = 0; header_only < 2; header_only++) {
            struct ember_gguf *g = NULL;
            struct ember_error err = { 0 };
            im.big_endian = false;
            size_t data = image_rich(&im, version);
            if (CHECK_MSG(!ember_gguf_open_memory(&g, im.data, im.size, "rich", header_only, &err),
                          "version %u: %s", (unsigned)version, err.message))
                check_rich(g, version, false, data, header_only);
            CHECK_INT(gguf_fd(g), -1);
            ember_gguf_close(g);
        }
    }
    /* Big-endian: the header reads the same, running it is refused. */
    struct ember_gguf *g = NULL;
    struct ember_error err = { 0 };
    im.big_endian = true;
    size_t data = image_rich(&im, 3);
    if (CHECK_MSG(!ember_gguf_open_memory(&g, im.data, im.size, "big", true, &err), "%s",
                  err.message))
        check_rich(g, 3, true, data, true);
    CHECK(!ember_gguf_set(g, "k.str=str:new", &err));
    CHECK(!ember_gguf_set(g, "k.i16=i16:-300", &err));
    CHECK(text_is(ember_gguf_get_text(g, "k.str"), "new", 3));
    CHECK(ember_gguf_get_f64(g, "k.i16", 0) == -300);
    ember_gguf_close(g);
    CHECK_INT(ember_gguf_open_memory(&g, im.data, im.size, "big", false, &err), EMBER_UNSUPPORTED);
    CHECK(strstr(err.message, "big-endian"));
    free(im.data);
}

static void test_small(void)
{
    struct image im = { 0 };
    struct ember_gguf *g = NULL;
    struct ember_error err = { 0 };

    image_begin(&im, 3, 0, 0);
    CHECK(!ember_gguf_open_memory(&g, im.data, im.size, "folder/empty.gguf", false, &err));
    CHECK_UINT(ember_gguf_info(g)->data_offset, 24);
    CHECK_STR(ember_gguf_path(g), "folder/empty.gguf");
    CHECK_STR(gguf_label(g), "empty.gguf");
    CHECK_INT(ember_gguf_find(g, "a"), -1);
    ember_gguf_close(g);
    ember_gguf_close(NULL);

    /* The smallest and a large alignment; a zero dimension; a tensor that overlaps another. */
    static const uint32_t alignments[] = { 1, 2, 8, 64, 4096 };
    for (size_t i = 0; i < sizeof alignments / sizeof *alignments; i++) {
        image_begin(&im, 3, 3, 1);
        image_key_u32(&im, "general.alignment", alignments[i]);
        image_tensor_2d(&im, "none", 0, 5, 0, 0);
        image_tensor_2d(&im, "a", 4, 1, 24, 0);
        image_tensor_2d(&im, "b", 2, 2, 24, 0);
        size_t data = image_pad(&im, alignments[i]);
        image_zeros(&im, 4);
        if (CHECK_MSG(!ember_gguf_open_memory(&g, im.data, im.size, "x", false, &err), "%s",
                      err.message)) {
            CHECK_UINT(ember_gguf_info(g)->alignment, alignments[i]);
            CHECK_UINT(ember_gguf_info(g)->data_offset, data);
            CHECK_UINT(ember_gguf_tensor(g, 0)->n_bytes, 0);
            CHECK(gguf_tensor_data(g, ember_gguf_tensor(g, 2)) == im.data + data);
            ember_gguf_close(g);
        }
    }
    free(im.data);
}

static void test_names(void)
{
    enum { N = 20000 };
    struct image im = { 0 };
    struct ember_gguf *g = NULL;
    struct ember_error err = { 0 };
    char name[32];
    bool right = true;

    image_begin(&im, 3, N, N);
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "key.%d", i);
        image_key_u32(&im, name, (uint32_t)i * 3);
    }
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "tensor.%d", i);
        image_tensor_2d(&im, name, 1, 1, 24, 0);
    }
    image_pad(&im, 32);
    image_zeros(&im, 1);
    if (CHECK_MSG(!ember_gguf_open_memory(&g, im.data, im.size, "x", false, &err), "%s",
                  err.message)) {
        for (int i = 0; i < N; i++) {
            snprintf(name, sizeof name, "key.%d", i);
            right &= ember_gguf_find(g, name) == i;
            right &= ember_gguf_get_u64(g, name, 1) == (uint64_t)i * 3;
            snprintf(name, sizeof name, "tensor.%d", i);
            right &= ember_gguf_find_tensor(g, name) == ember_gguf_tensor(g, (uint64_t)i);
            snprintf(name, sizeof name, "other.%d", i);
            right &= ember_gguf_find(g, name) == -1 && !ember_gguf_find_tensor(g, name);
        }
        CHECK_MSG(right, "a name is not found, or found in the wrong place");
        ember_gguf_close(g);
    }
    free(im.data);
}

static void test_set(void)
{
    static const char *const bad[] = {
        "",
        "key",
        "key=u32",
        "=u32:1",
        "key=u33:1",
        "key=arr:1",
        "key=:1",
        "key=u8:256",
        "key=u8:-1",
        "key=u8:",
        "key=u8:1x",
        "key=u8: 1",
        "key=i8:128",
        "key=i8:-129",
        "key=i8:-",
        "key=i8:+1",
        "key=bool:2",
        "key=bool:yes",
        "key=f32:",
        "key=f32:1,5",
        "key=f32:1e39",
        "key=f64:1e400",
        "key=f32:x",
        "key=f64:1 ",
        "key=u64:18446744073709551616",
        "key=i64:9223372036854775808",
        "general.alignment=u32:32",
    };
    struct image im = { 0 };
    struct ember_gguf *g = NULL;
    struct ember_error err = { 0 };
    int64_t i = 0;
    uint64_t u = 0;
    bool b = true;
    char assignment[64];

    image_rich(&im, 3);
    if (!CHECK(!ember_gguf_open_memory(&g, im.data, im.size, "rich", false, &err)))
        return;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        err.message[0] = '\0';
        CHECK_MSG(ember_gguf_set(g, bad[k], &err) == EMBER_INVALID && err.message[0],
                  "\"%s\" is accepted", bad[k]);
    }
    CHECK_UINT(ember_gguf_info(g)->n_keys, 17);

    /* In place: another value, another type, an array's place. */
    CHECK(!ember_gguf_set(g, "general.architecture=str:qwen2=x:y", &err));
    CHECK(text_is(ember_gguf_get_text(g, "general.architecture"), "qwen2=x:y", 9));
    CHECK(!ember_gguf_set(g, "a.str=i64:-9223372036854775808", &err));
    CHECK(ember_gguf_i64(g, find(g, "a.str"), 0, &i) && i == INT64_MIN);
    CHECK_UINT(ember_gguf_key_type(g, (uint64_t)find(g, "a.str")), EMBER_GGUF_I64);
    CHECK_UINT(ember_gguf_key_length(g, (uint64_t)find(g, "a.str")), 1);
    CHECK(!ember_gguf_set(g, "a.none=str:one", &err));
    CHECK(text_is(ember_gguf_get_text(g, "a.none"), "one", 3));
    CHECK(!ember_gguf_set(g, "k.u8=bool:false", &err));
    CHECK(ember_gguf_bool(g, find(g, "k.u8"), 0, &b) && !b);
    CHECK(!ember_gguf_set(g, "k.f32=f64:1.5e3", &err));
    CHECK(ember_gguf_get_f64(g, "k.f32", 0) == 1500);
    CHECK(!ember_gguf_set(g, "k.f32=f32:-0.1", &err));
    CHECK(ember_gguf_get_f64(g, "k.f32", 0) == (double)-0.1f);
    /* An array's table of strings must not outlive it. */
    CHECK(!ember_gguf_set(g, "a.str=str:now one", &err));
    CHECK(text_is(ember_gguf_get_text(g, "a.str"), "now one", 7));
    CHECK(!ember_gguf_set(g, "k.f32=f32:inf", &err));
    CHECK(ember_gguf_get_f64(g, "k.f32", 0) == (double)INFINITY);
    CHECK_UINT(ember_gguf_info(g)->n_keys, 17);

    /* New keys follow the file's own, and later ones do not disturb earlier ones. */
    for (int k = 0; k < 100; k++) {
        snprintf(assignment, sizeof assignment, "new.%d=u16:%d", k, 65535 - k);
        CHECK(!ember_gguf_set(g, assignment, &err));
        snprintf(assignment, sizeof assignment, "new.%d", k);
        CHECK_INT(ember_gguf_find(g, assignment), 17 + k);
    }
    CHECK_UINT(ember_gguf_info(g)->n_keys, 117);
    CHECK(ember_gguf_u64(g, find(g, "new.7"), 0, &u) && u == 65528);
    CHECK(text_is(ember_gguf_key_name(g, 17), "new.0", 5));
    CHECK(!ember_gguf_set(g, "new.7=str:", &err));
    CHECK(text_is(ember_gguf_get_text(g, "new.7"), "", 0));
    CHECK_UINT(ember_gguf_get_u64(g, "k.u16", 0), 60000);
    ember_gguf_close(g);

    /* Version 1 has shorter length fields; an override must be read with the same width. */
    image_rich(&im, 1);
    CHECK(!ember_gguf_open_memory(&g, im.data, im.size, "one", false, &err));
    CHECK(!ember_gguf_set(g, "k.str=str:longer than before", &err));
    CHECK(text_is(ember_gguf_get_text(g, "k.str"), "longer than before", 18));
    ember_gguf_close(g);
    free(im.data);
}

static bool write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool ok = file && fwrite(data, 1, size, file) == size;
    return file && !fclose(file) && ok;
}

static void test_disk(void)
{
    struct image im = { 0 };
    struct ember_gguf *g = NULL;
    struct ember_error err = { 0 };
    char folder[] = "/tmp/test-gguf-XXXXXX", path[64], missing[80];

    if (!CHECK(mkdtemp(folder)))
        return;
    snprintf(path, sizeof path, "%s/rich.gguf", folder);
    snprintf(missing, sizeof missing, "%s/missing.gguf", folder);
    size_t data = image_rich(&im, 3);
    CHECK(write_file(path, im.data, im.size));
    for (int header_only = 0; header_only < 2; header_only++) {
        if (CHECK_MSG(!ember_gguf_open(&g, path, header_only, &err), "%s", err.message)) {
            check_rich(g, 3, false, data, header_only);
            CHECK_STR(gguf_label(g), "rich.gguf");
            CHECK(gguf_fd(g) >= 0);
            struct ember_gguf_tensor t = *ember_gguf_tensor(g, 0);
            gguf_will_need(g, &t);
            t.n_bytes = UINT64_MAX;
            gguf_will_need(g, &t);
            t.file_offset = UINT64_MAX;
            gguf_will_need(g, &t);
            ember_gguf_close(g);
        }
    }

    /* The file shrinks while it is open: what was read stays readable. */
    if (CHECK(!ember_gguf_open(&g, path, true, &err))) {
        CHECK(!truncate(path, 10));
        struct ember_text text;
        CHECK(text_is(ember_gguf_get_text(g, "general.architecture"), "llama", 5));
        CHECK(ember_gguf_text(g, find(g, "a.str"), 3, &text) && text_is(text, "three", 5));
        CHECK(ember_gguf_find_tensor(g, "scalar"));
        ember_gguf_close(g);
    }

    /* A vocabulary larger than any single read. */
    enum { N = 50000 };
    char piece[32];
    image_begin(&im, 3, 0, 2);
    image_key(&im, "tokens", 9);
    image_array(&im, 8, N);
    for (int i = 0; i < N; i++) {
        snprintf(piece, sizeof piece, "piece %d", i);
        image_string(&im, piece);
    }
    image_key_u32(&im, "after", 77);
    CHECK(write_file(path, im.data, im.size));
    if (CHECK_MSG(!ember_gguf_open(&g, path, false, &err), "%s", err.message)) {
        bool right = true;
        int64_t tokens = find(g, "tokens");
        for (uint64_t i = 0; i < N; i++) {
            struct ember_text text;
            uint64_t at = i * 7919 % N;
            snprintf(piece, sizeof piece, "piece %d", (int)at);
            right &= ember_gguf_text(g, tokens, at, &text) && text_is(text, piece, strlen(piece));
        }
        CHECK_MSG(right, "an element of a long array is wrong");
        CHECK_UINT(ember_gguf_get_u64(g, "after", 0), 77);
        ember_gguf_close(g);
    }

    g = NULL;
    CHECK_INT(ember_gguf_open(&g, missing, false, &err), EMBER_IO);
    CHECK(strstr(err.message, "missing.gguf\" cannot be opened"));
    CHECK_INT(ember_gguf_open(&g, folder, false, &err), EMBER_IO);
    CHECK(strstr(err.message, "is a folder"));
    CHECK(!mkfifo(missing, 0600));
    CHECK_INT(ember_gguf_open(&g, missing, false, &err), EMBER_IO); /* and does not wait */
    CHECK(strstr(err.message, "pipe"));
    CHECK(write_file(path, "", 0));
    CHECK_INT(ember_gguf_open(&g, path, false, &err), EMBER_FORMAT);
    CHECK(strstr(err.message, "is empty"));
    CHECK(!g);
    unlink(missing);
    unlink(path);
    rmdir(folder);
    free(im.data);
}

/* A source that hands out few bytes at a time, as a network would. */
struct drip {
    const struct image *im;
    size_t most, ends_at;
    int error;
};

static size_t drip_read(void *user_data, uint64_t offset, void *dst, size_t size, int *error)
{
    const struct drip *d = user_data;
    if (offset >= d->ends_at) {
        *error = d->error;
        return 0;
    }
    size_t n = d->ends_at - (size_t)offset;
    n = n < size ? n : size;
    n = n < d->most ? n : d->most;
    memcpy(dst, d->im->data + offset, n);
    return n;
}

static void test_reader(void)
{
    struct image im = { 0 };
    struct drip drip = { .im = &im };

    for (int i = 0; i < 70000; i++)
        image_uint(&im, 4, (uint32_t)i);
    for (drip.most = 1; drip.most < 200000; drip.most = drip.most * 7 + 2) {
        struct reader r;
        bool right = true;
        drip.ends_at = im.size;
        reader_init(&r, &(struct source){ .size = im.size, .read = drip_read, .user_data = &drip });
        for (uint32_t i = 0; i < 70000; i++)
            right &= reader_u32(&r) == i;
        CHECK_MSG(right && !r.failure, "reading %zu bytes at a time", drip.most);
        CHECK(r.at == im.size && reader_u32(&r) == 0 && r.failure == READER_TRUNCATED);
        reader_finish(&r);
    }

    struct reader r;
    drip.most = 3;
    drip.ends_at = 30;
    reader_init(&r, &(struct source){ .size = im.size, .read = drip_read, .user_data = &drip });
    CHECK_UINT(reader_skip(&r, 20), 0);
    CHECK_UINT(reader_skip(&r, 11), 20);
    CHECK(r.failure == READER_TRUNCATED && r.at == 20);
    CHECK(reader_uint(&r, 1) == 0 && r.at == 20); /* sticky, though byte 20 had arrived */
    reader_finish(&r);

    drip.error = EIO;
    reader_init(&r, &(struct source){ .size = im.size, .read = drip_read, .user_data = &drip });
    reader_skip(&r, 31);
    CHECK(r.failure == READER_IO && r.io_error == EIO);
    reader_finish(&r);

    /* Positions must fit 32 bits. */
    reader_init(&r, &(struct source){ .size = UINT64_MAX, .read = drip_read, .user_data = &drip });
    reader_skip(&r, READER_MAX_BYTES + 1);
    CHECK(r.failure == READER_TOO_LARGE && !r.buffer);
    reader_finish(&r);
    free(im.data);
}

int main(void)
{
    /* A user's decimal comma must not change what an override means. */
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        setlocale(LC_ALL, "");
    test_versions();
    test_small();
    test_names();
    test_set();
    test_disk();
    test_reader();
    return test_end();
}
