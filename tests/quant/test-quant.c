/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The type table and the scalar decoders, bit for bit against the stored vectors. */
#include <math.h>
#include <string.h>

#include <ember/gguf.h>

#include "quant/blocks.h"
#include "quant/types.h"
#include "test.h"

/* The format's own list: id, name, elements and bytes per block; zero where the id was removed. */
static const struct {
    uint32_t type;
    const char *name;
    unsigned length, bytes;
    bool decodes; /* has a scalar decoder in this version */
} known[] = {
    { 0, "f32", 1, 4, true },          { 1, "f16", 1, 2, true },
    { 2, "q4_0", 32, 18, true },       { 3, "q4_1", 32, 20, true },
    { 4, "q4_2", 0, 0, false },        { 5, "q4_3", 0, 0, false },
    { 6, "q5_0", 32, 22, true },       { 7, "q5_1", 32, 24, true },
    { 8, "q8_0", 32, 34, true },       { 9, "q8_1", 32, 36, false },
    { 10, "q2_K", 256, 84, true },     { 11, "q3_K", 256, 110, true },
    { 12, "q4_K", 256, 144, true },    { 13, "q5_K", 256, 176, true },
    { 14, "q6_K", 256, 210, true },    { 15, "q8_K", 256, 292, true },
    { 16, "iq2_xxs", 256, 66, false }, { 17, "iq2_xs", 256, 74, false },
    { 18, "iq3_xxs", 256, 98, false }, { 19, "iq1_s", 256, 50, false },
    { 20, "iq4_nl", 32, 18, true },    { 21, "iq3_s", 256, 110, false },
    { 22, "iq2_s", 256, 82, false },   { 23, "iq4_xs", 256, 136, true },
    { 24, "i8", 1, 1, false },         { 25, "i16", 1, 2, false },
    { 26, "i32", 1, 4, false },        { 27, "i64", 1, 8, false },
    { 28, "f64", 1, 8, false },        { 29, "iq1_m", 256, 56, false },
    { 30, "bf16", 1, 2, true },        { 31, "q4_0_4_4", 0, 0, false },
    { 32, "q4_0_4_8", 0, 0, false },   { 33, "q4_0_8_8", 0, 0, false },
    { 34, "tq1_0", 256, 54, true },    { 35, "tq2_0", 256, 66, true },
    { 36, "iq4_nl_4_4", 0, 0, false }, { 37, "iq4_nl_4_8", 0, 0, false },
    { 38, "iq4_nl_8_8", 0, 0, false }, { 39, "mxfp4", 32, 17, true },
    { 40, "nvfp4", 64, 36, true },     { 41, "q1_0", 128, 18, true },
    { 42, "q2_0", 64, 18, true },
};

static void test_table(void)
{
    uint64_t bytes;

    CHECK_UINT(sizeof known / sizeof *known, QUANT_TYPE_COUNT);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct quant_info *info = quant_info(known[i].type);
        if (!CHECK_MSG(info, "type %u is missing", (unsigned)known[i].type))
            continue;
        CHECK_STR(info->name, known[i].name);
        CHECK_STR(ember_tensor_type_name(known[i].type), known[i].name);
        CHECK_MSG(info->block_length == known[i].length, "%s: block length", info->name);
        CHECK_MSG(info->block_bytes == known[i].bytes, "%s: block bytes", info->name);
        CHECK_MSG(!!quant_decoder(known[i].type) == known[i].decodes, "%s: decoder", info->name);
        if (!known[i].length) {
            CHECK(!quant_row_bytes(known[i].type, 256, &bytes));
            continue;
        }
        CHECK(quant_row_bytes(known[i].type, 768, &bytes));
        CHECK_UINT(bytes, 768 / known[i].length * known[i].bytes);
        CHECK(quant_row_bytes(known[i].type, 0, &bytes) && !bytes);
        if (known[i].length > 1)
            CHECK(!quant_row_bytes(known[i].type, known[i].length + 1, &bytes));
        else
            CHECK(known[i].bytes == 1 || !quant_row_bytes(known[i].type, UINT64_MAX, &bytes));
    }
    for (uint32_t type = QUANT_TYPE_COUNT; type < 400; type++)
        CHECK(!quant_info(type) && !quant_decoder(type) && !quant_row_bytes(type, 0, &bytes));
    CHECK(!quant_info(UINT32_MAX) && !ember_tensor_type_name(UINT32_MAX));
    CHECK_STR(quant_foreign_name(144), "iq4_ks");
    CHECK(quant_foreign_name(210) && !quant_foreign_name(12) && !quant_foreign_name(60));
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;

    if (!file)
        return NULL;
    if (!fseek(file, 0, SEEK_END)) {
        long end = ftell(file);
        rewind(file);
        data = end > 0 ? malloc((size_t)end) : NULL;
        if (data && fread(data, 1, (size_t)end, file) != (size_t)end) {
            free(data);
            data = NULL;
        }
        *size = (size_t)end;
    }
    fclose(file);
    return data;
}

static void upper(char *out, const char *name)
{
    while ((*out++ = *name >= 'a' && *name <= 'z' ? (char)(*name - 32) : *name))
        name++;
}

/* One stored vector, decoded from every alignment and in every number of blocks. */
static void check_vector(uint32_t type)
{
    const struct quant_info *info = quant_info(type);
    char name[32], file[64], path[4096];
    size_t n_raw = 0, n_want = 0;

    upper(name, info->name);
    snprintf(file, sizeof file, "vectors/%s.bin", name);
    const char *found = test_facts(path, file);
    if (!found) {
        test_missing(file, "reference vectors are not there");
        return;
    }
    uint8_t *raw = read_file(found, &n_raw);
    snprintf(file, sizeof file, "vectors/%s.f32.bin", name);
    found = test_facts(path, file);
    uint8_t *want = found ? read_file(found, &n_want) : NULL;
    size_t n_blocks = n_raw / info->block_bytes, n = n_blocks * info->block_length;
    if (!CHECK_MSG(raw && want && n_raw == n_blocks * info->block_bytes && n_want == 4 * n,
                   "%s: the stored vector is damaged", name))
        goto out;

    for (size_t shift = 0; shift < 4; shift++) {
        /* Exactly as large as the data, so that a sanitizer sees a byte too many. */
        uint8_t *moved = malloc(shift + n_raw);
        float *got = malloc(n * sizeof *got);
        if (CHECK(moved && got)) {
            memcpy(moved + shift, raw, n_raw);
            quant_decoder(type)(moved + shift, n, got);
            size_t wrong = 0, first = 0;
            for (size_t i = n; i-- > 0;) {
                /* The file is little-endian. */
                uint32_t bits, expected = block_u32(want + 4 * i);
                memcpy(&bits, &got[i], sizeof bits);
                if (bits != expected) {
                    wrong++;
                    first = i;
                }
            }
            CHECK_MSG(!wrong, "%s, shift %zu: %zu of %zu values differ, first at %zu", name, shift,
                      wrong, n, first);
        }
        free(got);
        free(moved);
    }
    for (size_t k = 0; k < n_blocks; k++) {
        float block[256];
        quant_decoder(type)(raw + k * info->block_bytes, info->block_length, block);
        CHECK_MEM((const uint8_t *)block, want + 4 * k * info->block_length,
                  4 * (size_t)info->block_length);
    }
out:
    free(raw);
    free(want);
}

static void test_vectors(void)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].decodes && known[i].type != QUANT_F32)
            check_vector(known[i].type);
    }
    const uint8_t two[8] = { 0, 0, 0x80, 0x3F, 0, 0, 0x20, 0xC0 };
    float got[2];
    quant_decoder(QUANT_F32)(two, 2, got);
    CHECK(got[0] == 1.0f && got[1] == -2.5f);
}

static double power(int e)
{
    return ldexp(1.0, e);
}

/* Every f16 by its definition in double, there and back. */
static void test_f16(void)
{
    bool there = true, back = true, order = true;

    for (uint32_t h = 0; h <= 0xFFFF; h++) {
        int e = (int)(h >> 10 & 31), m = (int)(h & 1023);
        float f = quant_f16_to_f32((uint16_t)h);
        if (e == 31 && m) {
            there &= isnan(f) && !!signbit(f) == h >> 15;
            back &= quant_f32_to_f16(f) == (0x7E00 | (h & 0x8000));
            continue;
        }
        double want = e == 31 ? INFINITY : e ? (1024 + m) * power(e - 25) : m * power(-24);
        there &= (double)f == (h >> 15 ? -want : want) && !!signbit(f) == h >> 15;
        back &= quant_f32_to_f16(f) == h;
        /* Between two neighbours the nearer one wins; in the middle the even one. */
        if (h < 0x7BFF) {
            float next = quant_f16_to_f32((uint16_t)(h + 1)), middle = (f + next) / 2;
            uint32_t even = h & 1 ? h + 1 : h;
            order &= quant_f32_to_f16(middle) == even;
            order &= quant_f32_to_f16(nextafterf(middle, 0)) == h;
            order &= quant_f32_to_f16(nextafterf(middle, INFINITY)) == h + 1;
            order &= quant_f32_to_f16(-middle) == (even | 0x8000);
        }
    }
    CHECK_MSG(there, "an f16 does not become the right float");
    CHECK_MSG(back, "an f16 does not survive float");
    CHECK_MSG(order, "rounding to f16 is not to nearest even");
    CHECK_UINT(quant_f32_to_f16(65519.996f), 0x7BFF);
    CHECK_UINT(quant_f32_to_f16(65520.0f), 0x7C00);
    CHECK_UINT(quant_f32_to_f16(-INFINITY), 0xFC00);
    CHECK_UINT(quant_f32_to_f16(0x1p-25f), 0);
    CHECK_UINT(quant_f32_to_f16(nextafterf(0x1p-25f, 1)), 1);
    CHECK_UINT(quant_f32_to_f16(0x1p-149f), 0);
}

static void test_bf16(void)
{
    bool ok = true;

    for (uint32_t h = 0; h <= 0xFFFF; h++) {
        float f = quant_bf16_to_f32((uint16_t)h);
        bool nan = (h & 0x7FFF) > 0x7F80;
        ok &= quant_f32_to_bf16(f) == (nan ? h | 64 : h);
        if (!nan && (h & 0x7FFF) < 0x7F7F) {
            uint32_t bits = h << 16 | 0x8000; /* the middle */
            float middle;
            memcpy(&middle, &bits, sizeof middle);
            ok &= quant_f32_to_bf16(middle) == h + (h & 1);
            bits++;
            memcpy(&middle, &bits, sizeof middle);
            ok &= quant_f32_to_bf16(middle) == h + 1;
        }
    }
    CHECK_MSG(ok, "bf16 conversion");
}

int main(void)
{
    test_table();
    test_vectors();
    test_f16();
    test_bf16();
    return test_end();
}
