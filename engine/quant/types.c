/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "quant/types.h"

#include "base/checked.h"
#include "quant/blocks.h"

/* Ids 4, 5, 31–33 and 36–38 were removed from the format: a name for the sentence, no size. */
static const struct quant_info infos[QUANT_TYPE_COUNT] = {
    [QUANT_F32] = { "f32", 1, 4 },
    [QUANT_F16] = { "f16", 1, 2 },
    [QUANT_Q4_0] = { "q4_0", 32, sizeof(struct block_q4_0) },
    [QUANT_Q4_1] = { "q4_1", 32, sizeof(struct block_q4_1) },
    [4] = { "q4_2", 0, 0 },
    [5] = { "q4_3", 0, 0 },
    [QUANT_Q5_0] = { "q5_0", 32, sizeof(struct block_q5_0) },
    [QUANT_Q5_1] = { "q5_1", 32, sizeof(struct block_q5_1) },
    [QUANT_Q8_0] = { "q8_0", 32, sizeof(struct block_q8_0) },
    [QUANT_Q8_1] = { "q8_1", 32, sizeof(struct block_q8_1) },
    [QUANT_Q2_K] = { "q2_K", 256, sizeof(struct block_q2_k) },
    [QUANT_Q3_K] = { "q3_K", 256, sizeof(struct block_q3_k) },
    [QUANT_Q4_K] = { "q4_K", 256, sizeof(struct block_q4_k) },
    [QUANT_Q5_K] = { "q5_K", 256, sizeof(struct block_q5_k) },
    [QUANT_Q6_K] = { "q6_K", 256, sizeof(struct block_q6_k) },
    [QUANT_Q8_K] = { "q8_K", 256, sizeof(struct block_q8_k) },
    [QUANT_IQ2_XXS] = { "iq2_xxs", 256, sizeof(struct block_iq2_xxs) },
    [QUANT_IQ2_XS] = { "iq2_xs", 256, sizeof(struct block_iq2_xs) },
    [QUANT_IQ3_XXS] = { "iq3_xxs", 256, sizeof(struct block_iq3_xxs) },
    [QUANT_IQ1_S] = { "iq1_s", 256, sizeof(struct block_iq1_s) },
    [QUANT_IQ4_NL] = { "iq4_nl", 32, sizeof(struct block_iq4_nl) },
    [QUANT_IQ3_S] = { "iq3_s", 256, sizeof(struct block_iq3_s) },
    [QUANT_IQ2_S] = { "iq2_s", 256, sizeof(struct block_iq2_s) },
    [QUANT_IQ4_XS] = { "iq4_xs", 256, sizeof(struct block_iq4_xs) },
    [QUANT_I8] = { "i8", 1, 1 },
    [QUANT_I16] = { "i16", 1, 2 },
    [QUANT_I32] = { "i32", 1, 4 },
    [QUANT_I64] = { "i64", 1, 8 },
    [QUANT_F64] = { "f64", 1, 8 },
    [QUANT_IQ1_M] = { "iq1_m", 256, sizeof(struct block_iq1_m) },
    [QUANT_BF16] = { "bf16", 1, 2 },
    [31] = { "q4_0_4_4", 0, 0 },
    [32] = { "q4_0_4_8", 0, 0 },
    [33] = { "q4_0_8_8", 0, 0 },
    [QUANT_TQ1_0] = { "tq1_0", 256, sizeof(struct block_tq1_0) },
    [QUANT_TQ2_0] = { "tq2_0", 256, sizeof(struct block_tq2_0) },
    [36] = { "iq4_nl_4_4", 0, 0 },
    [37] = { "iq4_nl_4_8", 0, 0 },
    [38] = { "iq4_nl_8_8", 0, 0 },
    [QUANT_MXFP4] = { "mxfp4", 32, sizeof(struct block_mxfp4) },
    [QUANT_NVFP4] = { "nvfp4", 64, sizeof(struct block_nvfp4) },
    [QUANT_Q1_0] = { "q1_0", 128, sizeof(struct block_q1_0) },
    [QUANT_Q2_0] = { "q2_0", 64, sizeof(struct block_q2_0) },
};

const struct quant_info *quant_info(uint32_t type)
{
    return type < QUANT_TYPE_COUNT ? &infos[type] : NULL;
}

const char *quant_foreign_name(uint32_t type)
{
    static const struct {
        uint16_t type;
        const char *name;
    } forks[] = {
        { 36, "i2_s" },    { 133, "q6_0" },   { 134, "iq1_bn" }, { 135, "iq2_bn" },
        { 137, "iq2_k" },  { 138, "iq3_k" },  { 139, "iq4_k" },  { 140, "iq5_k" },
        { 141, "iq6_k" },  { 144, "iq4_ks" }, { 145, "iq2_ks" }, { 146, "iq4_kss" },
        { 151, "q8_kv" },  { 152, "iq5_ks" }, { 153, "iq2_kt" }, { 154, "iq3_kt" },
        { 155, "iq4_kt" }, { 156, "iq3_ks" }, { 157, "iq2_kl" }, { 158, "iq1_kt" },
    };
    for (size_t i = 0; i < sizeof forks / sizeof *forks; i++) {
        if (forks[i].type == type)
            return forks[i].name;
    }
    if ((type >= 97 && type <= 99) || type == 136 || (type >= 147 && type <= 150))
        return "a type of activations";
    bool interleaved = (type >= 202 && type <= 230) || type == 233 ||
                       (type >= 335 && type <= 353) || (type >= 397 && type <= 399);
    return interleaved ? "a row-interleaved type" : NULL;
}

bool quant_row_bytes(uint32_t type, uint64_t n, uint64_t *out)
{
    const struct quant_info *info = quant_info(type);

    if (!info || !info->block_length || n % info->block_length)
        return false;
    return mul_u64(n / info->block_length, info->block_bytes, out);
}
