/* SPDX-License-Identifier: GPL-3.0-or-later */
/* image.h - a GGUF file written piece by piece into memory, as wrong as a test wants it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct image {
    uint8_t *data;
    size_t size, capacity;
    unsigned count, length, dim; /* widths of header counts, lengths and dimensions */
    bool big_endian;
};

static inline void image_bytes(struct image *im, const void *data, size_t size)
{
    if (im->size + size > im->capacity) {
        im->capacity = (im->size + size) * 2;
        im->data = realloc(im->data, im->capacity);
        if (!im->data)
            abort();
    }
    if (size)
        memcpy(im->data + im->size, data, size);
    im->size += size;
}

static inline void image_uint(struct image *im, unsigned n_bytes, uint64_t x)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < n_bytes; i++)
        bytes[i] = (uint8_t)(x >> 8 * (im->big_endian ? n_bytes - 1 - i : i));
    image_bytes(im, bytes, n_bytes);
}

static inline void image_f32(struct image *im, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    image_uint(im, 4, bits);
}

static inline void image_f64(struct image *im, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    image_uint(im, 8, bits);
}

static inline void image_string(struct image *im, const char *s)
{
    image_uint(im, im->length, strlen(s));
    image_bytes(im, s, strlen(s));
}

static inline void image_zeros(struct image *im, size_t n)
{
    while (n--)
        image_bytes(im, "", 1);
}

/* Magic, version, counts. */
static inline void image_begin(struct image *im, uint32_t version, uint64_t n_tensors,
                               uint64_t n_keys)
{
    im->size = 0;
    im->count = im->length = im->dim = version == 1 ? 4 : 8;
    image_bytes(im, "GGUF", 4);
    image_uint(im, 4, version);
    image_uint(im, im->count, n_tensors);
    image_uint(im, im->count, n_keys);
}

/* The key's name and type; its value follows. */
static inline void image_key(struct image *im, const char *name, uint32_t type)
{
    image_string(im, name);
    image_uint(im, 4, type);
}

static inline void image_array(struct image *im, uint32_t element_type, uint64_t length)
{
    image_uint(im, 4, element_type);
    image_uint(im, im->length, length);
}

static inline void image_key_string(struct image *im, const char *name, const char *value)
{
    image_key(im, name, 8);
    image_string(im, value);
}

static inline void image_key_u32(struct image *im, const char *name, uint32_t value)
{
    image_key(im, name, 4);
    image_uint(im, 4, value);
}

static inline void image_tensor(struct image *im, const char *name, uint32_t n_dims,
                                const uint64_t *dims, uint32_t type, uint64_t offset)
{
    image_string(im, name);
    image_uint(im, 4, n_dims);
    for (uint32_t i = 0; i < n_dims; i++)
        image_uint(im, im->dim, dims[i]);
    image_uint(im, 4, type);
    image_uint(im, 8, offset);
}

static inline void image_tensor_2d(struct image *im, const char *name, uint64_t ne0, uint64_t ne1,
                                   uint32_t type, uint64_t offset)
{
    image_tensor(im, name, 2, (const uint64_t[]){ ne0, ne1 }, type, offset);
}

/* Zeros up to a multiple of `align`; returns the size then. */
static inline size_t image_pad(struct image *im, size_t align)
{
    while (im->size % align)
        image_zeros(im, 1);
    return im->size;
}

/* A file with a key of every type, arrays, and three tensors with data 0, 1, 2, … Returns where the
 * data begins. Versions 1 to 3; version 1 has no 64-bit types. */
static inline size_t image_rich(struct image *im, uint32_t version)
{
    bool wide = version > 1;

    image_begin(im, version, 3, wide ? 17 : 14);
    image_key_string(im, "general.architecture", "llama");
    image_key(im, "k.u8", 0);
    image_uint(im, 1, 200);
    image_key(im, "k.i8", 1);
    image_uint(im, 1, 0x80);
    image_key(im, "k.u16", 2);
    image_uint(im, 2, 60000);
    image_key(im, "k.i16", 3);
    image_uint(im, 2, 0xFFFE);
    image_key_u32(im, "k.u32", 4000000000u);
    image_key(im, "k.i32", 5);
    image_uint(im, 4, 0x80000000u);
    image_key(im, "k.f32", 6);
    image_f32(im, 0.1f);
    image_key(im, "k.bool", 7);
    image_uint(im, 1, 1);
    image_key(im, "k.str", 8);
    image_uint(im, im->length, 5);
    image_bytes(im, "a\0b\xFF\n", 5);
    if (wide) {
        image_key(im, "k.u64", 10);
        image_uint(im, 8, UINT64_MAX);
        image_key(im, "k.i64", 11);
        image_uint(im, 8, (uint64_t)INT64_MIN);
        image_key(im, "k.f64", 12);
        image_f64(im, -0.3);
    }
    image_key(im, "a.i16", 9);
    image_array(im, 3, 3);
    image_uint(im, 2, 7);
    image_uint(im, 2, 0xFFFF);
    image_uint(im, 2, 9);
    image_key(im, "a.str", 9);
    image_array(im, 8, 4);
    image_string(im, "zero");
    image_string(im, "");
    image_string(im, "two \xE2\x82\xAC");
    image_string(im, "three");
    image_key(im, "a.none", 9);
    image_array(im, 8, 0);
    image_key(im, "a.nest", 9);
    image_array(im, 9, 2);
    image_array(im, 4, 2);
    image_uint(im, 8, 5);
    image_array(im, 8, 1);
    image_string(im, "deep");

    /* Not in the order of their data, and with a gap of 32 bytes after the first. */
    image_tensor_2d(im, "blk.0.w", 32, 3, 8, 96);
    image_tensor(im, "norm", 1, (const uint64_t[]){ 16 }, 0, 0);
    image_tensor(im, "scalar", 0, NULL, 1, 224);
    size_t data = image_pad(im, 32);
    for (size_t i = 0; i < 226; i++)
        image_bytes(im, &(uint8_t){ (uint8_t)i }, 1);
    return data;
}
