/* SPDX-License-Identifier: GPL-3.0-or-later */
/* known_tables.c - names that files use, known whether they can be run or not, and the tensor types
 * behind each number of general.file_type. */
#include "doctor/doctor.h"
#include "quant/types.h"

static const char *const architectures[] = {
    "afmoe",
    "apertus",
    "arcee",
    "arctic",
    "arwkv7",
    "baichuan",
    "bailingmoe",
    "bailingmoe2",
    "bert",
    "bitnet",
    "bloom",
    "chameleon",
    "chatglm",
    "clip",
    "codeshell",
    "cogvlm",
    "cohere2",
    "command-r",
    "controlvector",
    "dbrx",
    "deci",
    "deepseek",
    "deepseek2",
    "deepseek32",
    "deepseek4",
    "dots1",
    "dream",
    "ernie4_5",
    "ernie4_5-moe",
    "eurobert",
    "exaone",
    "exaone-moe",
    "exaone4",
    "falcon",
    "falcon-h1",
    "gemma",
    "gemma-embedding",
    "gemma2",
    "gemma3",
    "gemma3n",
    "gemma4",
    "glm-dsa",
    "glm4",
    "glm4moe",
    "gpt-oss",
    "gpt2",
    "gptj",
    "gptneox",
    "granite",
    "granitehybrid",
    "granitemoe",
    "grok",
    "grovemoe",
    "hunyuan-dense",
    "hunyuan-moe",
    "hunyuan-vl",
    "internlm2",
    "jais",
    "jais2",
    "jamba",
    "jina-bert-v2",
    "jina-bert-v3",
    "kimi-k3",
    "kimi-linear",
    "lfm2",
    "lfm2moe",
    "llada",
    "llada-moe",
    "llama",
    "llama4",
    "maincoder",
    "mamba",
    "mamba2",
    "megrez-moe",
    "mimo2",
    "minicpm",
    "minicpm3",
    "minimax-m2",
    "minimax-m3",
    "mistral3",
    "mistral4",
    "modern-bert",
    "mpt",
    "nemotron",
    "nemotron_h",
    "nemotron_h_moe",
    "neo-bert",
    "nomic-bert",
    "nomic-bert-moe",
    "olmo",
    "olmo2",
    "olmoe",
    "openelm",
    "orion",
    "paddleocr",
    "pangu-embedded",
    "phi2",
    "phi3",
    "phimoe",
    "plamo",
    "plamo2",
    "plm",
    "qwen2",
    "qwen2moe",
    "qwen2vl",
    "qwen3",
    "qwen35",
    "qwen35moe",
    "qwen3moe",
    "qwen3next",
    "qwen3vl",
    "qwen3vlmoe",
    "refact",
    "rnd1",
    "rwkv6",
    "rwkv6qwen2",
    "rwkv7",
    "seed_oss",
    "smallthinker",
    "smollm3",
    "stablelm",
    "starcoder",
    "starcoder2",
    "step35",
    "t5",
    "t5encoder",
    "talkie",
    "wavtokenizer-dec",
    "xverse",
};

static const char *const vocabularies[] = {
    "llama",  "gpt2",      "bert",       "t5",       "rwkv", "plamo2",
    "gemma4", "hybriddna", "whitespace", "no_vocab", "none", "replit",
};

static bool listed(const char *const *names, size_t n, struct ember_text name)
{
    for (size_t i = 0; i < n; i++) {
        if (doctor_is(name, names[i]))
            return true;
    }
    return false;
}

bool doctor_known_architecture(struct ember_text name)
{
    return listed(architectures, sizeof architectures / sizeof *architectures, name);
}

bool doctor_known_vocabulary(struct ember_text name)
{
    return listed(vocabularies, sizeof vocabularies / sizeof *vocabularies, name);
}

/* The default type of each recipe, then what rows of other lengths fall back to. */
#define END UINT32_MAX
static const struct doctor_recipe recipes[] = {
    [0] = { "all F32", { QUANT_F32, END } },
    [1] = { "F16", { QUANT_F16, END } },
    [2] = { "Q4_0", { QUANT_Q4_0, END } },
    [3] = { "Q4_1", { QUANT_Q4_1, END } },
    [4] = { "Q4_1 with some F16", { QUANT_Q4_1, END } },
    [7] = { "Q8_0", { QUANT_Q8_0, END } },
    [8] = { "Q5_0", { QUANT_Q5_0, END } },
    [9] = { "Q5_1", { QUANT_Q5_1, END } },
    [10] = { "Q2_K", { QUANT_Q2_K, QUANT_Q4_0, QUANT_F16, END } },
    [11] = { "Q3_K_S", { QUANT_Q3_K, QUANT_Q4_0, QUANT_F16, END } },
    [12] = { "Q3_K_M", { QUANT_Q3_K, QUANT_Q4_0, QUANT_F16, END } },
    [13] = { "Q3_K_L", { QUANT_Q3_K, QUANT_Q4_0, QUANT_F16, END } },
    [14] = { "Q4_K_S", { QUANT_Q4_K, QUANT_Q5_0, QUANT_F16, END } },
    [15] = { "Q4_K_M", { QUANT_Q4_K, QUANT_Q5_0, QUANT_F16, END } },
    [16] = { "Q5_K_S", { QUANT_Q5_K, QUANT_Q5_1, QUANT_F16, END } },
    [17] = { "Q5_K_M", { QUANT_Q5_K, QUANT_Q5_1, QUANT_F16, END } },
    [18] = { "Q6_K", { QUANT_Q6_K, QUANT_Q8_0, QUANT_F16, END } },
    [19] = { "IQ2_XXS", { QUANT_IQ2_XXS, QUANT_IQ4_NL, QUANT_F16, END } },
    [20] = { "IQ2_XS", { QUANT_IQ2_XS, QUANT_IQ4_NL, QUANT_F16, END } },
    [21] = { "Q2_K_S", { QUANT_Q2_K, QUANT_Q4_0, QUANT_F16, END } },
    [22] = { "IQ3_XS", { QUANT_IQ3_S, QUANT_IQ3_XXS, QUANT_IQ4_NL, QUANT_F16, END } },
    [23] = { "IQ3_XXS", { QUANT_IQ3_XXS, QUANT_IQ4_NL, QUANT_F16, END } },
    [24] = { "IQ1_S", { QUANT_IQ1_S, QUANT_IQ4_NL, QUANT_F16, END } },
    [25] = { "IQ4_NL", { QUANT_IQ4_NL, QUANT_F16, END } },
    [26] = { "IQ3_S", { QUANT_IQ3_S, QUANT_IQ4_NL, QUANT_F16, END } },
    [27] = { "IQ3_M", { QUANT_IQ3_S, QUANT_IQ4_NL, QUANT_F16, END } },
    [28] = { "IQ2_S", { QUANT_IQ2_XS, QUANT_IQ2_S, QUANT_IQ4_NL, QUANT_F16, END } },
    [29] = { "IQ2_M", { QUANT_IQ2_S, QUANT_IQ4_NL, QUANT_F16, END } },
    [30] = { "IQ4_XS", { QUANT_IQ4_XS, QUANT_IQ4_NL, QUANT_F16, END } },
    [31] = { "IQ1_M", { QUANT_IQ1_M, QUANT_IQ4_NL, QUANT_F16, END } },
    [32] = { "BF16", { QUANT_BF16, END } },
    [36] = { "TQ1_0", { QUANT_TQ1_0, QUANT_Q4_0, QUANT_F16, END } },
    [37] = { "TQ2_0", { QUANT_TQ2_0, QUANT_Q4_0, QUANT_F16, END } },
    [38] = { "MXFP4", { QUANT_MXFP4, QUANT_Q8_0, END } },
    [39] = { "NVFP4", { QUANT_NVFP4, END } },
    [40] = { "Q1_0", { QUANT_Q1_0, END } },
    [41] = { "Q2_0", { QUANT_Q2_0, QUANT_Q4_0, END } },
};

const struct doctor_recipe *doctor_recipe(uint64_t file_type)
{
    if (file_type >= sizeof recipes / sizeof *recipes || !recipes[file_type].name)
        return NULL;
    return &recipes[file_type];
}
