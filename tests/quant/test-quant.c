/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The type table and the decoders of every level, bit for bit against the stored vectors. */
#include <math.h>
#include <string.h>

#include <ember/gguf.h>

#include "quant/blocks.h"
#include "quant/fast.h"
#include "test.h"

/* The format's own list: id, name, elements and bytes per block; zero where the id was removed. */
static const struct {
    uint32_t type;
    const char *name;
    unsigned length, bytes;
    bool decodes; /* all but the removed ones */
} known[] = {
    { 0, "f32", 1, 4, true },          { 1, "f16", 1, 2, true },
    { 2, "q4_0", 32, 18, true },       { 3, "q4_1", 32, 20, true },
    { 4, "q4_2", 0, 0, false },        { 5, "q4_3", 0, 0, false },
    { 6, "q5_0", 32, 22, true },       { 7, "q5_1", 32, 24, true },
    { 8, "q8_0", 32, 34, true },       { 9, "q8_1", 32, 36, true },
    { 10, "q2_K", 256, 84, true },     { 11, "q3_K", 256, 110, true },
    { 12, "q4_K", 256, 144, true },    { 13, "q5_K", 256, 176, true },
    { 14, "q6_K", 256, 210, true },    { 15, "q8_K", 256, 292, true },
    { 16, "iq2_xxs", 256, 66, true },  { 17, "iq2_xs", 256, 74, true },
    { 18, "iq3_xxs", 256, 98, true },  { 19, "iq1_s", 256, 50, true },
    { 20, "iq4_nl", 32, 18, true },    { 21, "iq3_s", 256, 110, true },
    { 22, "iq2_s", 256, 82, true },    { 23, "iq4_xs", 256, 136, true },
    { 24, "i8", 1, 1, true },          { 25, "i16", 1, 2, true },
    { 26, "i32", 1, 4, true },         { 27, "i64", 1, 8, true },
    { 28, "f64", 1, 8, true },         { 29, "iq1_m", 256, 56, true },
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
static void check_vector(enum quant_level level, uint32_t type)
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
            quant_decoder_at(level, type)(moved + shift, n, got);
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
        quant_decoder_at(level, type)(raw + k * info->block_bytes, info->block_length, block);
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
        /* No vectors are stored for the plain types and q8_1. */
        uint32_t type = known[i].type;
        if (known[i].decodes && type != QUANT_F32 && type != QUANT_Q8_1 && type != QUANT_F64 &&
            (type < QUANT_I8 || type > QUANT_I64))
            for (enum quant_level level = 0; level < QUANT_LEVEL_COUNT; level++)
                if (quant_level_runs(level))
                    check_vector(level, type);
    }
    const uint8_t two[8] = { 0, 0, 0x80, 0x3F, 0, 0, 0x20, 0xC0 };
    float got[2];
    quant_decoder(QUANT_F32)(two, 2, got);
    CHECK(got[0] == 1.0f && got[1] == -2.5f);
}

/* The types without stored vectors, from the formula. */
static void test_plain(void)
{
    uint8_t q8_1[36] = { 0x00, 0x40, 0xFF, 0xFF, 5, 0xFB }; /* d = 2; the sum does not matter */
    const int64_t values[] = { 0,         1,          -1,
                               127,       -128,       32767,
                               -32768,    2147483647, -2147483647 - 1,
                               INT64_MAX, INT64_MIN,  16777217 };
    float got[32];

    quant_decoder(QUANT_Q8_1)(q8_1, 32, got);
    CHECK(got[0] == 10.0f && got[1] == -10.0f && got[2] == 0.0f);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        uint8_t bytes[9];
        double x = (double)values[i] / 3;
        uint64_t bits = (uint64_t)values[i], f64;
        memcpy(&f64, &x, sizeof f64);
        for (unsigned k = 0; k < 8; k++)
            bytes[k + 1] = (uint8_t)(bits >> 8 * k);
        quant_decoder(QUANT_I64)(bytes + 1, 1, got);
        CHECK(got[0] == (float)values[i]);
        quant_decoder(QUANT_I8)(bytes + 1, 1, got);
        CHECK(got[0] == (float)(int8_t)bits);
        quant_decoder(QUANT_I16)(bytes + 1, 1, got);
        CHECK(got[0] == (float)(int16_t)bits);
        quant_decoder(QUANT_I32)(bytes + 1, 1, got);
        CHECK(got[0] == (float)(int32_t)bits);
        for (unsigned k = 0; k < 8; k++)
            bytes[k + 1] = (uint8_t)(f64 >> 8 * k);
        quant_decoder(QUANT_F64)(bytes + 1, 1, got);
        CHECK(got[0] == (float)x);
    }
}

/* Each type's blocks with every 16-bit number set to NaN in turn: found where it is a scale. */
static void test_validate(void)
{
    /* Bytes at which a block of the type has a scale or value that must be finite. */
    static const struct {
        uint32_t type;
        unsigned at[3], n;
    } scales[] = {
        { QUANT_Q4_0, { 0 }, 1 },    { QUANT_Q4_1, { 0, 2 }, 2 }, { QUANT_Q5_0, { 0 }, 1 },
        { QUANT_Q5_1, { 0, 2 }, 2 }, { QUANT_Q8_0, { 0 }, 1 },    { QUANT_Q2_K, { 80, 82 }, 2 },
        { QUANT_Q3_K, { 108 }, 1 },  { QUANT_Q4_K, { 0, 2 }, 2 }, { QUANT_Q5_K, { 0, 2 }, 2 },
        { QUANT_Q6_K, { 208 }, 1 },  { QUANT_IQ2_XXS, { 0 }, 1 }, { QUANT_IQ2_XS, { 0 }, 1 },
        { QUANT_IQ2_S, { 0 }, 1 },   { QUANT_IQ3_XXS, { 0 }, 1 }, { QUANT_IQ3_S, { 0 }, 1 },
        { QUANT_IQ1_S, { 0 }, 1 },   { QUANT_IQ4_NL, { 0 }, 1 },  { QUANT_IQ4_XS, { 0 }, 1 },
        { QUANT_TQ1_0, { 52 }, 1 },  { QUANT_TQ2_0, { 64 }, 1 },  { QUANT_Q1_0, { 0 }, 1 },
        { QUANT_Q2_0, { 0 }, 1 },    { QUANT_F16, { 0 }, 1 },     { QUANT_BF16, { 0 }, 1 },
        { QUANT_F32, { 2 }, 1 },     { QUANT_F64, { 6 }, 1 },     { QUANT_Q8_K, { 2 }, 1 },
        { QUANT_NVFP4, { 0 }, 0 },   { QUANT_I8, { 0 }, 0 },      { QUANT_I16, { 0 }, 0 },
        { QUANT_I32, { 0 }, 0 },     { QUANT_I64, { 0 }, 0 },
    };
    uint8_t blocks[3 * 292];
    size_t first;

    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        const struct quant_info *info = quant_info(scales[i].type);
        size_t size = info->block_bytes;
        memset(blocks, 0, sizeof blocks);
        CHECK_MSG(quant_validate(scales[i].type, blocks, 3 * size, &first), "%s", info->name);
        for (unsigned at = 0; at + 2 <= size; at++) {
            bool expected = true;
            for (unsigned k = 0; k < scales[i].n; k++)
                expected &= scales[i].at[k] != at;
            memset(blocks, 0, sizeof blocks);
            blocks[size + at] = 0xF1; /* with its neighbour: NaN, and no infinity one byte on */
            blocks[size + at + 1] = 0x7F;
            bool got = quant_validate(scales[i].type, blocks, 3 * size, &first);
            /* One byte off it may still spoil a scale's upper byte. */
            bool beside = false;
            for (unsigned k = 0; k < scales[i].n; k++)
                beside |= scales[i].at[k] + 1 == at + 2 || scales[i].at[k] + 1 == at;
            if (!beside)
                CHECK_MSG(got == expected && (got || first == 1), "%s: byte %u", info->name, at);
        }
        if (size > 1)
            CHECK(!quant_validate(scales[i].type, blocks, 3 * size - 1, &first));
    }
    memset(blocks, 0, sizeof blocks);
    blocks[17] = 255;
    CHECK(!quant_validate(QUANT_MXFP4, blocks, 51, &first) && first == 1);
    blocks[17] = 254;
    CHECK(quant_validate(QUANT_MXFP4, blocks, 51, &first));
    /* The scale of IQ1_M is in the top nibbles of its last four numbers: 0x7C00 and 0x7BFF. */
    blocks[48 + 5] = 0xC0;
    blocks[48 + 7] = 0x70;
    CHECK(!quant_validate(QUANT_IQ1_M, blocks, 56, &first));
    blocks[48 + 5] = 0xB0;
    CHECK(quant_validate(QUANT_IQ1_M, blocks, 56, &first));
    CHECK(!quant_validate(QUANT_Q8_1, blocks, 36, &first));
    CHECK(!quant_validate(31, blocks, 18, &first) && !quant_validate(77, blocks, 18, &first));
}

/* Swapped twice is the same; swapped once, numbers are turned and codes stay. */
static void test_swap(void)
{
    uint8_t data[2 * 292], twice[sizeof data];

    for (uint32_t type = 0; type < QUANT_TYPE_COUNT; type++) {
        const struct quant_info *info = quant_info(type);
        size_t size = 2 * (size_t)info->block_bytes;
        for (size_t i = 0; i < sizeof data; i++)
            data[i] = (uint8_t)(i * 7 + 1);
        memcpy(twice, data, sizeof data);
        quant_swap_bytes(type, twice, size);
        quant_swap_bytes(type, twice, size);
        CHECK_MEM(twice, data, sizeof data);
    }
    uint8_t q4_1[20] = { 1, 2, 3, 4, 5, 6 }, q6[210] = { 1, 2 },
            f64[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    quant_swap_bytes(QUANT_Q4_1, q4_1, sizeof q4_1);
    CHECK_MEM(q4_1, ((const uint8_t[]){ 2, 1, 4, 3, 5, 6 }), 6);
    q6[208] = 9;
    quant_swap_bytes(QUANT_Q6_K, q6, sizeof q6);
    CHECK(q6[0] == 1 && q6[208] == 0 && q6[209] == 9);
    quant_swap_bytes(QUANT_F64, f64, sizeof f64);
    CHECK_MEM(f64, ((const uint8_t[]){ 8, 7, 6, 5, 4, 3, 2, 1 }), 8);
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
    test_plain();
    test_validate();
    test_swap();
    test_f16();
    test_bf16();
    return test_end();
}
