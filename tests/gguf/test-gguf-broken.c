/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are wrong, one per way to be wrong: each must be refused with the right status and a
 * sentence that says what it is. Then every prefix of a good file, and thousands of random changes:
 * whatever they yield, nothing is read outside the file. */
#include <sys/mman.h>
#include <unistd.h>

#include <ember/gguf.h>

#include "gguf/gguf.h"
#include "image.h"
#include "test.h"

static void one_key(struct image *im, const char *name, uint32_t type)
{
    image_begin(im, 3, 0, 1);
    image_key(im, name, type);
}

/* One i8 tensor with these dimensions, and 64 bytes of data. */
static void one_tensor(struct image *im, uint32_t n_dims, const uint64_t *dims, uint32_t type,
                       uint64_t offset)
{
    image_begin(im, 3, 1, 0);
    image_tensor(im, "the.tensor", n_dims, dims, type, offset);
    image_pad(im, 32);
    image_zeros(im, 64);
}

static void alignment_of(struct image *im, uint32_t value)
{
    one_key(im, "general.alignment", 4);
    image_uint(im, 4, value);
}

static void b_magic(struct image *im)
{
    image_begin(im, 3, 0, 0);
    memcpy(im->data, "gguf", 4);
}
static void b_magic_short(struct image *im)
{
    image_bytes(im, "GGU", 3);
}
static void b_reversed(struct image *im)
{
    image_begin(im, 3, 0, 0);
    memcpy(im->data, "FUGG", 4);
}
static void b_only_magic(struct image *im)
{
    image_bytes(im, "GGUF", 4);
}
static void b_version_0(struct image *im)
{
    image_begin(im, 0, 0, 0);
}
static void b_version_4(struct image *im)
{
    image_begin(im, 4, 0, 0);
}
static void b_version_swapped_low(struct image *im)
{
    image_begin(im, 0x00030000, 0, 0); /* low 16 bits zero, and yet not big-endian version 3 */
}
static void b_counts_missing(struct image *im)
{
    image_begin(im, 3, 0, 0);
    im->size = 20;
}
static void b_tensor_count(struct image *im)
{
    image_begin(im, 3, UINT64_MAX, 0);
}
static void b_key_count(struct image *im)
{
    image_begin(im, 3, 0, UINT64_MAX);
}
static void b_key_count_v1(struct image *im)
{
    image_begin(im, 1, 0, UINT32_MAX);
    image_zeros(im, 100);
}
static void b_key_length(struct image *im)
{
    image_begin(im, 3, 0, 1);
    image_uint(im, 8, UINT64_MAX);
    image_zeros(im, 100);
}
static void b_key_too_long(struct image *im)
{
    image_begin(im, 3, 0, 1);
    image_uint(im, 8, 65536);
    image_zeros(im, 65536);
    image_uint(im, 4, 0);
    image_uint(im, 1, 7);
}
static void b_key_empty(struct image *im)
{
    one_key(im, "", 0);
    image_zeros(im, 8);
}
static void b_key_twice(struct image *im)
{
    image_begin(im, 3, 0, 3);
    image_key_u32(im, "same.key", 1);
    image_key_u32(im, "other", 1);
    image_key_string(im, "same.key", "x");
}
static void b_value_type(struct image *im)
{
    one_key(im, "the.key", 13);
    image_zeros(im, 8);
}
static void b_value_type_v1(struct image *im)
{
    image_begin(im, 1, 0, 1);
    image_key(im, "the.key", 10);
    image_zeros(im, 8);
}
static void b_value_missing(struct image *im)
{
    one_key(im, "the.key", 10);
    image_zeros(im, 7);
}
static void b_string_length(struct image *im)
{
    one_key(im, "the.key", 8);
    image_uint(im, 8, (uint64_t)1 << 63);
    image_zeros(im, 8);
}
static void b_array_type(struct image *im)
{
    one_key(im, "the.key", 9);
    image_array(im, 13, 1);
    image_zeros(im, 8);
}
static void b_array_wraps(struct image *im)
{
    one_key(im, "the.key", 9);
    image_array(im, 2, ((uint64_t)1 << 63) + 2); /* times two is four */
    image_zeros(im, 8);
}
static void b_array_strings(struct image *im)
{
    one_key(im, "the.key", 9);
    image_array(im, 8, 1000);
    image_zeros(im, 100);
}
static void b_array_string_inside(struct image *im)
{
    one_key(im, "the.key", 9);
    image_array(im, 8, 2);
    image_string(im, "fine");
    image_uint(im, 8, 1000);
    image_zeros(im, 10);
}
static void b_array_cut(struct image *im)
{
    one_key(im, "the.key", 9);
    image_uint(im, 4, 8);
    image_zeros(im, 7);
}
static void b_array_deep(struct image *im)
{
    one_key(im, "the.key", 9);
    for (int i = 0; i < 100000; i++)
        image_array(im, 9, 1);
    image_array(im, 0, 0);
}
static void b_alignment_13(struct image *im)
{
    alignment_of(im, 13);
}
static void b_alignment_0(struct image *im)
{
    alignment_of(im, 0);
}
static void b_alignment_20(struct image *im)
{
    alignment_of(im, 20);
}
static void b_alignment_i32(struct image *im)
{
    one_key(im, "general.alignment", 5);
    image_uint(im, 4, 32);
}
static void b_alignment_array(struct image *im)
{
    one_key(im, "general.alignment", 9);
    image_array(im, 4, 1);
    image_uint(im, 4, 32);
}
static void b_alignment_other(struct image *im)
{
    image_begin(im, 3, 2, 1);
    image_key_u32(im, "general.alignment", 64);
    image_tensor_2d(im, "first", 8, 1, 24, 0);
    image_tensor_2d(im, "the.tensor", 8, 1, 24, 32);
    image_pad(im, 64);
    image_zeros(im, 64);
}
static void b_name_long(struct image *im)
{
    char name[66];
    memset(name, 'n', 65);
    name[65] = '\0';
    image_begin(im, 3, 1, 0);
    image_tensor_2d(im, name, 1, 1, 24, 0);
    image_pad(im, 32);
    image_zeros(im, 64);
}
static void b_name_twice(struct image *im)
{
    image_begin(im, 3, 3, 0);
    image_tensor_2d(im, "same.tensor", 1, 1, 24, 0);
    image_tensor_2d(im, "other", 1, 1, 24, 32);
    image_tensor_2d(im, "same.tensor", 1, 1, 24, 64);
    image_pad(im, 32);
    image_zeros(im, 96);
}
static void b_dims_5(struct image *im)
{
    one_tensor(im, 5, (const uint64_t[]){ 1, 1, 1, 1, 1 }, 24, 0);
}
static void b_dims_many(struct image *im)
{
    image_begin(im, 3, 1, 0);
    image_string(im, "the.tensor");
    image_uint(im, 4, UINT32_MAX);
    image_zeros(im, 100);
}
static void b_dim_negative(struct image *im)
{
    one_tensor(im, 2, (const uint64_t[]){ 1, UINT64_MAX }, 24, 0);
}
static void b_dims_wrap_0(struct image *im)
{
    one_tensor(im, 2, (const uint64_t[]){ (uint64_t)1 << 40, (uint64_t)1 << 40 }, 24, 0);
}
static void b_dims_wrap_negative(struct image *im)
{
    one_tensor(im, 2, (const uint64_t[]){ (uint64_t)1 << 32, (uint64_t)1 << 31 }, 24, 0);
}
static void b_dims_wrap_3(struct image *im)
{
    one_tensor(im, 2, (const uint64_t[]){ 3, (uint64_t)1 << 62 }, 24, 0);
}
static void b_dims_wrap_4(struct image *im)
{
    const uint64_t side = (uint64_t)1 << 16;
    one_tensor(im, 4, (const uint64_t[]){ side, side, side, side }, 24, 0);
}
static void b_dims_zero_hides(struct image *im)
{
    const uint64_t side = (uint64_t)1 << 40;
    one_tensor(im, 4, (const uint64_t[]){ 1, side, side, 0 }, 24, 0);
}
static void b_bytes_overflow(struct image *im)
{
    one_tensor(im, 1, (const uint64_t[]){ (uint64_t)1 << 62 }, 28, 0);
}
static void b_type_43(struct image *im)
{
    one_tensor(im, 1, (const uint64_t[]){ 32 }, 43, 0);
}
static void b_type_max(struct image *im)
{
    one_tensor(im, 1, (const uint64_t[]){ 32 }, UINT32_MAX, 0);
}
static void b_type_removed(struct image *im)
{
    one_tensor(im, 1, (const uint64_t[]){ 32 }, 31, 0);
}
static void b_type_fork(struct image *im)
{
    one_tensor(im, 1, (const uint64_t[]){ 256 }, 139, 0);
}
static void b_row_q4(struct image *im)
{
    one_tensor(im, 1, (const uint64_t[]){ 33 }, 2, 0);
}
static void b_scalar_q8(struct image *im)
{
    one_tensor(im, 0, NULL, 8, 0);
}
static void b_offset_max(struct image *im)
{
    one_tensor(im, 1, (const uint64_t[]){ 8 }, 24, UINT64_MAX - 31);
}
static void b_offset_odd(struct image *im)
{
    one_tensor(im, 1, (const uint64_t[]){ 8 }, 24, 16);
}
static void b_offset_2_63(struct image *im)
{
    one_tensor(im, 1, (const uint64_t[]){ 8 }, 24, (uint64_t)1 << 63);
}
static void b_two_huge(struct image *im)
{
    const uint64_t huge = ((uint64_t)1 << 63) - 64;
    image_begin(im, 3, 2, 0);
    image_tensor(im, "the.tensor", 1, &huge, 24, 0);
    image_tensor(im, "second", 1, &huge, 24, huge);
    image_pad(im, 32);
    image_zeros(im, 64);
}
static void b_tensor_cut(struct image *im)
{
    image_begin(im, 3, 1, 1);
    image_key_string(im, "general.name", "this string makes the file long enough");
    image_string(im, "the.tensor");
    image_uint(im, 4, 2);
    image_uint(im, 8, 32);
}
static void b_data_short(struct image *im)
{
    one_tensor(im, 1, (const uint64_t[]){ 65 }, 24, 0);
}
static void b_data_at_end(struct image *im)
{
    one_tensor(im, 1, (const uint64_t[]){ 1 }, 24, 64);
}
static void b_data_none(struct image *im)
{
    image_begin(im, 3, 1, 0);
    image_tensor_2d(im, "the.tensor", 8, 1, 24, 0);
    image_zeros(im, 1);
}
static void b_data_gigabytes(struct image *im)
{
    one_tensor(im, 1, (const uint64_t[]){ 2500000000u }, 24, 0);
}

static void b_foreign(struct image *im, const char *head, size_t size)
{
    image_bytes(im, head, size);
    for (int i = 0; i < 100; i++)
        image_bytes(im, "\xF0\1\2\3", 4);
}
static void b_ggml(struct image *im)
{
    b_foreign(im, "lmgg", 4);
}
static void b_ggmf(struct image *im)
{
    b_foreign(im, "fmgg\1\0\0\0", 8);
}
static void b_ggjt(struct image *im)
{
    b_foreign(im, "tjgg\3\0\0\0", 8);
}
static void b_ggla(struct image *im)
{
    b_foreign(im, "algg\1\0\0\0", 8);
}
static void b_ggsn(struct image *im)
{
    b_foreign(im, "nsgg", 4);
}
static void b_ggsq(struct image *im)
{
    b_foreign(im, "qsgg", 4);
}
static void b_zip(struct image *im)
{
    b_foreign(im, "PK\3\4", 4);
}
static void b_pickle(struct image *im)
{
    b_foreign(im, "\x80\2", 2);
}
static void b_safetensors(struct image *im)
{
    b_foreign(im, "\x10\1\0\0\0\0\0\0{\"a\":", 13);
}
static void b_lfs(struct image *im)
{
    image_bytes(im, "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", 56);
}
static void b_json(struct image *im)
{
    image_bytes(im, "\n  {\"architectures\": []}", 24);
}
static void b_html(struct image *im)
{
    image_bytes(im, "<!DOCTYPE html><html>", 21);
}
static void b_prose(struct image *im)
{
    image_bytes(im, "just some words\n", 16);
}
static void b_zeros(struct image *im)
{
    image_zeros(im, 4096);
}
static void b_noise(struct image *im)
{
    image_bytes(im, "\xE1\x02\x99\x88\x77\x66", 6);
}

enum { ALWAYS, ONLY_WITH_DATA /* the header alone is fine */ };

static const struct broken {
    const char *what;
    void (*build)(struct image *im);
    enum ember_status status;
    int when;
    const char *words[3]; /* all must be in the sentence */
} cases[] = {
    { "magic in lower case", b_magic, EMBER_FORMAT, ALWAYS, { "lower case" } },
    { "three bytes of magic", b_magic_short, EMBER_FORMAT, ALWAYS, { "not a GGUF model" } },
    { "reversed magic", b_reversed, EMBER_FORMAT, ALWAYS, { "reversed" } },
    { "nothing after the magic", b_only_magic, EMBER_FORMAT, ALWAYS, { "incomplete" } },
    { "version 0", b_version_0, EMBER_UNSUPPORTED, ALWAYS, { "version 0" } },
    { "version 4", b_version_4, EMBER_UNSUPPORTED, ALWAYS, { "version 4" } },
    { "version 0x00030000", b_version_swapped_low, EMBER_UNSUPPORTED, ALWAYS, { "196608" } },
    { "counts missing", b_counts_missing, EMBER_FORMAT, ALWAYS, { "incomplete", "header" } },
    { "tensor count 2^64-1", b_tensor_count, EMBER_FORMAT, ALWAYS, { "number of tensors" } },
    { "key count 2^64-1", b_key_count, EMBER_FORMAT, ALWAYS, { "number of keys" } },
    { "key count 2^32-1, version 1", b_key_count_v1, EMBER_FORMAT, ALWAYS, { "number of keys" } },
    { "key length 2^64-1", b_key_length, EMBER_FORMAT, ALWAYS, { "key 1", "name length" } },
    { "value type 13", b_value_type, EMBER_FORMAT, ALWAYS, { "\"the.key\"", "value type 13" } },
    { "value cut", b_value_missing, EMBER_FORMAT, ALWAYS, { "incomplete", "\"the.key\"" } },
    { "string length 2^63", b_string_length, EMBER_FORMAT, ALWAYS, { "\"the.key\"", "string" } },
    { "array type 13", b_array_type, EMBER_FORMAT, ALWAYS, { "\"the.key\"", "array type 13" } },
    { "array size wraps", b_array_wraps, EMBER_FORMAT, ALWAYS, { "\"the.key\"", "array length" } },
    { "too many strings", b_array_strings, EMBER_FORMAT, ALWAYS, { "array length", "1000" } },
    { "string of an array", b_array_string_inside, EMBER_FORMAT, ALWAYS, { "string length" } },
    { "array header cut", b_array_cut, EMBER_FORMAT, ALWAYS, { "incomplete", "\"the.key\"" } },
    { "deep nesting", b_array_deep, EMBER_FORMAT, ALWAYS, { "\"the.key\"", "nested" } },
    { "alignment 13",
      b_alignment_13,
      EMBER_FORMAT,
      ALWAYS,
      { "general.alignment", "13", "power" } },
    { "alignment 0",
      b_alignment_0,
      EMBER_FORMAT,
      ALWAYS,
      { "general.alignment", "is 0", "power" } },
    { "alignment 20", b_alignment_20, EMBER_FORMAT, ALWAYS, { "general.alignment", "20" } },
    { "alignment i32", b_alignment_i32, EMBER_FORMAT, ALWAYS, { "general.alignment", "i32" } },
    { "alignment array", b_alignment_array, EMBER_FORMAT, ALWAYS, { "general.alignment", "arr" } },
    { "laid out with 32, key says 64",
      b_alignment_other,
      EMBER_FORMAT,
      ALWAYS,
      { "\"the.tensor\"", "alignment 64" } },
    { "duplicate tensor", b_name_twice, EMBER_FORMAT, ALWAYS, { "\"same.tensor\"", "duplicate" } },
    { "5 dimensions", b_dims_5, EMBER_FORMAT, ALWAYS, { "\"the.tensor\"", "5 dimensions" } },
    { "2^32-1 dimensions", b_dims_many, EMBER_FORMAT, ALWAYS, { "4294967295 dimensions" } },
    { "negative dimension", b_dim_negative, EMBER_FORMAT, ALWAYS, { "dimension 1" } },
    { "product wraps to 0", b_dims_wrap_0, EMBER_FORMAT, ALWAYS, { "overflow" } },
    { "product wraps negative", b_dims_wrap_negative, EMBER_FORMAT, ALWAYS, { "any file" } },
    { "product 3 * 2^62", b_dims_wrap_3, EMBER_FORMAT, ALWAYS, { "any file" } },
    { "four dimensions wrap", b_dims_wrap_4, EMBER_FORMAT, ALWAYS, { "overflow" } },
    { "overflow before a zero", b_dims_zero_hides, EMBER_FORMAT, ALWAYS, { "overflow" } },
    { "bytes overflow", b_bytes_overflow, EMBER_FORMAT, ALWAYS, { "size overflows" } },
    { "type 43", b_type_43, EMBER_UNSUPPORTED, ALWAYS, { "\"the.tensor\"", "type 43" } },
    { "type 2^32-1", b_type_max, EMBER_UNSUPPORTED, ALWAYS, { "type 4294967295" } },
    { "removed type", b_type_removed, EMBER_UNSUPPORTED, ALWAYS, { "q4_0_4_4", "removed" } },
    { "a fork's type", b_type_fork, EMBER_UNSUPPORTED, ALWAYS, { "iq4_k", "fork" } },
    { "row of 33 in q4_0", b_row_q4, EMBER_FORMAT, ALWAYS, { "q4_0", "multiple of 32" } },
    { "scalar of blocks", b_scalar_q8, EMBER_FORMAT, ALWAYS, { "q8_0", "multiple of 32" } },
    { "offset 2^64-32", b_offset_max, EMBER_FORMAT, ALWAYS, { "\"the.tensor\"", "any file" } },
    { "offset 16", b_offset_odd, EMBER_FORMAT, ALWAYS, { "\"the.tensor\"", "offset 16" } },
    { "offset 2^63", b_offset_2_63, EMBER_FORMAT, ALWAYS, { "\"the.tensor\"", "any file" } },
    { "two tensors of 2^63-64", b_two_huge, EMBER_FORMAT, ALWAYS, { "any file" } },
    { "tensor table cut", b_tensor_cut, EMBER_FORMAT, ALWAYS, { "incomplete", "\"the.tensor\"" } },
    { "one byte short",
      b_data_short,
      EMBER_FORMAT,
      ONLY_WITH_DATA,
      { "incomplete", "160 bytes of 161 bytes", "\"the.tensor\"" } },
    { "data at the end", b_data_at_end, EMBER_FORMAT, ONLY_WITH_DATA, { "incomplete" } },
    { "no data at all", b_data_none, EMBER_FORMAT, ONLY_WITH_DATA, { "incomplete" } },
    { "gigabytes missing",
      b_data_gigabytes,
      EMBER_FORMAT,
      ONLY_WITH_DATA,
      { "incomplete", "160 bytes of 2.5 GB" } },
    { "ggml", b_ggml, EMBER_FORMAT, ALWAYS, { "GGML file" } },
    { "ggmf", b_ggmf, EMBER_FORMAT, ALWAYS, { "ggmf" } },
    { "ggjt", b_ggjt, EMBER_FORMAT, ALWAYS, { "ggjt" } },
    { "ggla", b_ggla, EMBER_FORMAT, ALWAYS, { "LoRA adapter" } },
    { "ggsn", b_ggsn, EMBER_FORMAT, ALWAYS, { "session" } },
    { "ggsq", b_ggsq, EMBER_FORMAT, ALWAYS, { "sequence" } },
    { "zip", b_zip, EMBER_FORMAT, ALWAYS, { "is a ZIP archive" } },
    { "pickle", b_pickle, EMBER_FORMAT, ALWAYS, { "pickle" } },
    { "safetensors", b_safetensors, EMBER_FORMAT, ALWAYS, { "safetensors" } },
    { "git lfs", b_lfs, EMBER_FORMAT, ALWAYS, { "Git LFS pointer" } },
    { "json", b_json, EMBER_FORMAT, ALWAYS, { "JSON" } },
    { "html", b_html, EMBER_FORMAT, ALWAYS, { "web page" } },
    { "text", b_prose, EMBER_FORMAT, ALWAYS, { "text file" } },
    { "zeros", b_zeros, EMBER_FORMAT, ALWAYS, { "zero bytes" } },
    { "noise", b_noise, EMBER_FORMAT, ALWAYS, { "magic" } },
};

static void test_cases(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct broken *c = &cases[i];
        for (int header_only = 0; header_only < 2; header_only++) {
            struct image im = { 0 };
            struct ember_gguf *g = NULL;
            struct ember_error err = { 0 };
            bool good = header_only && c->when == ONLY_WITH_DATA;

            c->build(&im);
            uint8_t *exact = malloc(im.size); /* a sanitizer sees the first byte past it */
            memcpy(exact, im.data, im.size);
            enum ember_status st =
                ember_gguf_open_memory(&g, exact, im.size, "some/broken.gguf", header_only, &err);
            if (good) {
                CHECK_MSG(st == EMBER_OK, "%s: the header is refused: %s", c->what, err.message);
                CHECK(!g || !gguf_tensor_data(g, ember_gguf_tensor(g, 0)));
            } else {
                CHECK_MSG(st == c->status && err.status == st && !g, "%s: status is %s, \"%s\"",
                          c->what, ember_status_name(st), err.message);
                CHECK_MSG(!strncmp(err.message, "\"broken.gguf\"", 13), "%s: \"%s\"", c->what,
                          err.message);
                size_t size = strlen(err.message);
                CHECK_MSG(size && err.message[size - 1] == '.', "%s: \"%s\"", c->what, err.message);
                for (int w = 0; w < 3 && c->words[w]; w++)
                    CHECK_MSG(strstr(err.message, c->words[w]), "%s: \"%s\" lacks \"%s\"", c->what,
                              err.message, c->words[w]);
            }
            ember_gguf_close(g);
            free(exact);
            free(im.data);
        }
    }
}

/* Memory whose last byte is followed by a page that faults, and whose first may be anywhere. */
struct guarded {
    uint8_t *pages;
    size_t size; /* readable bytes */
};

static struct guarded guarded_new(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct guarded g = { .size = (size + page - 1) / page * page };
    g.pages = mmap(NULL, g.size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.pages == MAP_FAILED || mprotect(g.pages + g.size, page, PROT_NONE))
        abort();
    return g;
}

static volatile uint64_t sink;

/* Touches everything an open file offers. */
static bool walk(const struct ember_gguf *g, size_t size, bool header_only)
{
    const struct ember_gguf_info *info = ember_gguf_info(g);
    bool ok = true;

    for (uint64_t k = 0; k < info->n_keys; k++) {
        struct ember_text text = ember_gguf_key_name(g, k);
        for (size_t i = 0; i < text.size; i++)
            sink += (unsigned char)text.data[i];
        for (uint64_t at = 0; at < ember_gguf_key_length(g, k); at++) {
            uint64_t u = 0;
            double f = 0;
            ember_gguf_u64(g, (int64_t)k, at, &u);
            ember_gguf_f64(g, (int64_t)k, at, &f);
            sink += u;
            if (ember_gguf_text(g, (int64_t)k, at, &text)) {
                for (size_t i = 0; i < text.size; i++)
                    sink += (unsigned char)text.data[i];
            }
        }
    }
    for (uint64_t t = 0; t < info->n_tensors; t++) {
        const struct ember_gguf_tensor *tensor = ember_gguf_tensor(g, t);
        const uint8_t *data = gguf_tensor_data(g, tensor);
        ok &= header_only || data;
        ok &= tensor->file_offset >= info->data_offset;
        ok &=
            !data || (tensor->file_offset <= size && tensor->n_bytes <= size - tensor->file_offset);
        for (uint64_t i = 0; data && i < tensor->n_bytes; i++)
            sink += data[i];
    }
    return ok;
}

/* Opens `size` bytes that lie right before the dead page. True when it opened. */
static bool try_bytes(const struct guarded *g, const uint8_t *data, size_t size, bool header_only)
{
    struct ember_gguf *gguf = NULL;
    struct ember_error err = { 0 };
    uint8_t *at = g->pages + g->size - size;

    memcpy(at, data, size);
    enum ember_status st = ember_gguf_open_memory(&gguf, at, size, "x", header_only, &err);
    if (st) {
        CHECK_MSG(!gguf && err.status == st && err.message[0], "refused without a sentence");
        return false;
    }
    CHECK_MSG(walk(gguf, size, header_only), "a tensor lies outside of the file");
    ember_gguf_close(gguf);
    return true;
}

static void test_prefixes(void)
{
    for (uint32_t version = 1; version <= 3; version++) {
        struct image im = { 0 };
        size_t data = image_rich(&im, version);
        struct guarded g = guarded_new(im.size);
        /* The padding before the data is not looked at, so the header is whole before it. */
        size_t whole = data;
        while (whole && !im.data[whole - 1])
            whole--;
        for (size_t size = 0; size <= im.size; size++) {
            bool header = try_bytes(&g, im.data, size, true);
            bool full = try_bytes(&g, im.data, size, false);
            CHECK_MSG(full == (size == im.size), "version %u: %zu of %zu bytes", (unsigned)version,
                      size, im.size);
            if (size < whole || size >= data)
                CHECK_MSG(header == (size >= data), "version %u: header of %zu bytes",
                          (unsigned)version, size);
        }
        munmap(g.pages, g.size);
        free(im.data);
    }
}

static uint32_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void test_mutations(void)
{
    static const uint64_t extremes[] = { 0,          1,          2,          0x7F,
                                         0xFF,       0xFFFF,     0x7FFFFFFF, 0xFFFFFFFF,
                                         1ull << 32, 1ull << 62, 1ull << 63, UINT64_MAX };
    enum { ROUNDS = 30000 };
    struct image im = { 0 };
    uint64_t state = 20260801;
    unsigned opened = 0;

    image_rich(&im, 3);
    struct guarded g = guarded_new(im.size + 64);
    uint8_t *copy = malloc(im.size);
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 10000 == 0) {
            im.big_endian = i == 10000;
            image_rich(&im, i == 20000 ? 1 : 3);
        }
        size_t size = im.size;
        memcpy(copy, im.data, size);
        for (uint32_t n = 1 + next(&state) % 3; n--;) {
            size_t at = next(&state) % size;
            uint64_t extreme = extremes[next(&state) % 12];
            switch (next(&state) % 4) {
            case 0:
                copy[at] = (uint8_t)next(&state);
                break;
            case 1:
                copy[at] ^= (uint8_t)(1 << next(&state) % 8);
                break;
            case 2:
                for (size_t k = 0; k < 8 && at + k < size; k++)
                    copy[at + k] = (uint8_t)(extreme >> 8 * k);
                break;
            default:
                if (next(&state) % 8 == 0)
                    size = at + 1;
                break;
            }
        }
        opened += try_bytes(&g, copy, size, true);
        try_bytes(&g, copy, size, false);
    }
    /* Neither all nor none: otherwise the loop would prove nothing. */
    CHECK_MSG(opened > ROUNDS / 20 && opened < ROUNDS * 19 / 20, "%u of %d opened", opened, ROUNDS);
    free(copy);
    munmap(g.pages, g.size);
    free(im.data);
}

/* Odd, but nothing is hidden: read, and the doctor says so. */
static void test_odd(void)
{
    static const struct {
        const char *what;
        void (*make)(struct image *im);
        uint64_t n_keys, n_tensors;
    } odd[] = {
        { "key of 65536 bytes", b_key_too_long, 1, 0 },
        { "empty key", b_key_empty, 1, 0 },
        { "duplicate key", b_key_twice, 3, 0 },
        { "u64 in version 1", b_value_type_v1, 1, 0 },
        { "tensor name of 65 bytes", b_name_long, 0, 1 },
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct image im = { 0 };
        struct ember_gguf *g = NULL;
        struct ember_error err = { 0 };
        odd[i].make(&im);
        if (CHECK_MSG(!ember_gguf_open_memory(&g, im.data, im.size, "odd.gguf", false, &err),
                      "%s: %s", odd[i].what, err.message)) {
            CHECK_UINT(ember_gguf_info(g)->n_keys, odd[i].n_keys);
            CHECK_UINT(ember_gguf_info(g)->n_tensors, odd[i].n_tensors);
            if (odd[i].make == b_key_twice) /* the first one counts */
                CHECK_UINT(ember_gguf_get_u64(g, "same.key", 0), 1);
            if (odd[i].make == b_key_empty)
                CHECK(ember_gguf_find(g, "") == 0);
        }
        ember_gguf_close(g);
        free(im.data);
    }
}

int main(void)
{
    test_cases();
    test_odd();
    test_prefixes();
    test_mutations();
    return test_end();
}
