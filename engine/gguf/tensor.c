/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tensor data in windows: bytes, values, checksums. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ember/tensor.h>

#include "base/fail.h"
#include "gguf/gguf.h"
#include "gguf/map.h"
#include "gguf/private.h"
#include "gguf/sha256.h"
#include "quant/fast.h"

enum { WINDOW = 1 << 20 };

bool ember_tensor_block(uint32_t type, uint32_t *n_elements, uint32_t *n_bytes)
{
    const struct quant_info *info = quant_info(type);

    if (!info || !info->block_length)
        return false;
    *n_elements = info->block_length;
    *n_bytes = info->block_bytes;
    return true;
}

enum ember_status ember_tensor_read(const struct ember_gguf *g,
                                    const struct ember_gguf_tensor *tensor, uint64_t offset,
                                    void *dst, size_t size, struct ember_error *err)
{
    uint32_t length, n_bytes;
    bool swap = g->info.big_endian;

    if (!ember_tensor_block(tensor->type, &length, &n_bytes) ||
        (swap && (offset % n_bytes || size % n_bytes)))
        return ember_fail(err, EMBER_INVALID, "\"%s\": a read of a part of a block.", g->label);
    enum ember_status st = gguf_tensor_read(g, tensor, offset, dst, size, err);
    if (!st && swap)
        quant_swap_bytes(tensor->type, dst, size);
    return st;
}

enum ember_status ember_tensor_values(const struct ember_gguf *g,
                                      const struct ember_gguf_tensor *tensor, uint64_t first,
                                      size_t n, float *out, struct ember_error *err)
{
    uint32_t length, n_bytes;
    enum ember_status st = EMBER_OK;

    if (!ember_tensor_block(tensor->type, &length, &n_bytes) || first % length || n % length ||
        first > tensor->n_elements || n > tensor->n_elements - first)
        return ember_fail(err, EMBER_INVALID, "\"%s\": a read of a part of a block.", g->label);
    quant_decode_fn decode = quant_decoder_at(quant_level(), tensor->type);
    size_t most = WINDOW / n_bytes * n_bytes;
    size_t left = n / length * n_bytes;
    uint8_t *window = malloc(left < most ? (left ? left : 1) : most);
    if (!window)
        return ember_fail(err, EMBER_NO_MEMORY, "\"%s\": no memory left to read tensor data.",
                          g->label);
    uint64_t at = first / length * n_bytes;
    while (left && !st) {
        size_t size = left < most ? left : most;
        st = ember_tensor_read(g, tensor, at, window, size, err);
        if (!st)
            decode(window, size / n_bytes * length, out);
        out += size / n_bytes * length;
        at += size;
        left -= size;
    }
    free(window);
    return st;
}

static bool go_on(const struct ember_progress *progress, double done)
{
    return !progress || !progress->report || progress->report(done, progress->user_data);
}

static enum ember_status stopped(struct ember_error *err)
{
    return ember_fail(err, EMBER_CANCELLED, "The checksum was stopped.");
}

enum ember_status ember_tensor_hash(const struct ember_gguf *g,
                                    const struct ember_gguf_tensor *tensor,
                                    struct ember_hash_text *out,
                                    const struct ember_progress *progress, struct ember_error *err)
{
    uint32_t length, n_bytes;
    enum ember_status st = EMBER_OK;
    struct sha256 hash;

    if (!ember_tensor_block(tensor->type, &length, &n_bytes))
        return ember_fail(err, EMBER_INVALID, "\"%s\": a tensor of an unknown type.", g->label);
    uint8_t *window = malloc(WINDOW);
    if (!window)
        return ember_fail(err, EMBER_NO_MEMORY, "\"%s\": no memory left to read tensor data.",
                          g->label);
    sha256_init(&hash);
    for (uint64_t at = 0, most = WINDOW / n_bytes * n_bytes; at < tensor->n_bytes && !st;) {
        size_t size = (size_t)(tensor->n_bytes - at < most ? tensor->n_bytes - at : most);
        if (!go_on(progress, (double)at / (double)tensor->n_bytes))
            st = stopped(err);
        else
            st = ember_tensor_read(g, tensor, at, window, size, err);
        if (!st)
            sha256_add(&hash, window, size);
        at += size;
    }
    free(window);
    if (!st)
        sha256_hex(&hash, out->hex);
    return st;
}

enum ember_status ember_file_hash(const char *path, struct ember_hash_text *out,
                                  const struct ember_progress *progress, struct ember_error *err)
{
    struct file_map map = { .fd = -1 };
    uint8_t *window = malloc(WINDOW);
    struct sha256 hash;

    if (!window)
        return ember_fail(err, EMBER_NO_MEMORY, "\"%s\": no memory left for a checksum.", path);
    enum ember_status st = map_open(&map, path, err);
    uint64_t at = 0;
    sha256_init(&hash);
    while (!st) {
        int error = 0;
        size_t got = map_read(&map, at, window, WINDOW, &error);
        if (error)
            st = ember_fail(err, EMBER_IO, "\"%s\" cannot be read: %s.", path, strerror(error));
        else if (at + got > map.size || (!got && at < map.size))
            st = ember_fail(err, EMBER_IO,
                            "\"%s\" changed while it was read: it had %" PRIu64
                            " bytes, and ends at "
                            "%" PRIu64 " now.",
                            path, map.size, at + got);
        else if (!got)
            break;
        else if (!go_on(progress, (double)at / (double)map.size))
            st = stopped(err);
        if (!st)
            sha256_add(&hash, window, got);
        at += got;
    }
    map_close(&map);
    free(window);
    if (!st)
        sha256_hex(&hash, out->hex);
    return st;
}
