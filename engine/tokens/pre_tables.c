/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How each pre-tokenizer cuts a text into words, and which names of tokenizer.ggml.pre mean it.
 *
 * The patterns are PCRE2's, matched stage by stage: a stage's matches and the gaps between them are
 * the next one's pieces. None may backtrack more than linearly: text comes from anywhere. */
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "tokens/pretokenize.h"

/* White space as Unicode has it, without and with line breaks; PCRE2's \s is another set. */
#define BLANK_CHARS                                                                                \
    "\\t\\x0b\\f \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}"   \
    "\\x{3000}"
#define SPACE_CHARS "\\n\\r" BLANK_CHARS
#define SPACE "[" SPACE_CHARS "]"
#define NOT_SPACE "[^" SPACE_CHARS "]"
#define ASCII_PUNCTUATION "!-/:-@\\[-`{-~"
#define CONTRACTION "'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL])"

/* A run of white space: up to its last line break; without one, all but the last character, which
 * may begin the next word; else all. */
#define LINES SPACE "*[\\r\\n]+"
#define SPACES SPACE "+(?!" NOT_SPACE ")|" SPACE "+"
#define BLANK LINES "|" SPACES

/* What may stand before the letters of a word and go with them. */
#define LEAD "[^\\r\\n\\p{L}\\p{N}]?"
#define WORD LEAD "\\p{L}+"
#define MARKED_WORD LEAD "[\\p{L}\\p{M}]+"
#define OTHERS " ?[^" SPACE_CHARS "\\p{L}\\p{N}]+"

/* Letters by case as the reference sees them: outside ASCII every letter is both. The second pair
 * adds the marks, by leaving out every other category. */
#define UPPER "[^\\P{L}a-z]"
#define LOWER "[^\\P{L}A-Z]"
#define UPPER_MARKS "[^\\p{C}\\p{Z}\\p{N}\\p{P}\\p{S}a-z]"
#define LOWER_MARKS "[^\\p{C}\\p{Z}\\p{N}\\p{P}\\p{S}A-Z]"
#define CASED_WORD(upper, lower, tail)                                                             \
    LEAD upper "*" lower "+" tail "|" LEAD upper "+" lower "*" tail

#define GPT2 "'(?:[stmd]|re|ve|ll)| ?\\p{L}+| ?\\p{N}+|" OTHERS "|" SPACES
#define LLAMA3 CONTRACTION "|" WORD "|\\p{N}{1,3}|" OTHERS "[\\r\\n]*|" BLANK
#define QWEN2 CONTRACTION "|" WORD "|\\p{N}|" OTHERS "[\\r\\n]*|" BLANK
#define DEEPSEEK3                                                                                  \
    "[" ASCII_PUNCTUATION "][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|"                \
    " ?[\\p{P}\\p{S}]+[\\r\\n]*|" BLANK
#define BLOOM                                                                                      \
    " ?[^(" SPACE_CHARS "|.,!?\\x{2026}\\x{3002}\\x{ff0c}\\x{3001}\\x{964}\\x{6d4}\\x{60c})]+"
#define HAN_HANGUL "[\\x{800}-\\x{9fa5}\\x{ac00}-\\x{d7ff}]+"
#define HAN_KANA "[\\x{4e00}-\\x{9fa5}\\x{3040}-\\x{309f}\\x{30a0}-\\x{30ff}]+"
#define HAN                                                                                        \
    "[\\x{3400}-\\x{4dbf}\\x{4e00}-\\x{9fff}\\x{f900}-\\x{faff}\\x{20000}-\\x{2a6df}"              \
    "\\x{2a700}-\\x{2ebef}\\x{2f800}-\\x{2fa1f}]+"

/* Letters of alphabets with case, as of the Unicode version that one vocabulary was made with. */
#define ALPHABETS                                                                                  \
    "A-Za-z\\x{b5}\\x{c0}-\\x{d6}\\x{d8}-\\x{f6}\\x{f8}-\\x{1ba}\\x{1bc}-\\x{1bf}"                 \
    "\\x{1c4}-\\x{293}\\x{295}-\\x{2af}\\x{370}-\\x{373}\\x{376}\\x{377}\\x{37b}-\\x{37d}"         \
    "\\x{37f}\\x{386}\\x{388}-\\x{38a}\\x{38c}\\x{38e}-\\x{3a1}\\x{3a3}-\\x{3f5}"                  \
    "\\x{3f7}-\\x{481}\\x{48a}-\\x{52f}\\x{531}-\\x{556}\\x{10a0}-\\x{10c5}"                       \
    "\\x{13a0}-\\x{13f5}\\x{13f8}-\\x{13fd}\\x{1c90}-\\x{1cba}\\x{1cbd}-\\x{1cbf}"                 \
    "\\x{1d00}-\\x{1d2b}\\x{1d6b}-\\x{1d77}\\x{1d79}-\\x{1d9a}\\x{1e00}-\\x{1f15}"                 \
    "\\x{1f18}-\\x{1f1d}\\x{1f20}-\\x{1f45}\\x{1f48}-\\x{1f4d}\\x{1f50}-\\x{1f57}"                 \
    "\\x{1f59}\\x{1f5b}\\x{1f5d}\\x{1f5f}-\\x{1f7d}\\x{1f80}-\\x{1fb4}\\x{1fb6}-\\x{1fbc}"         \
    "\\x{1fbe}\\x{1fc2}-\\x{1fc4}\\x{1fc6}-\\x{1fcc}\\x{1fd0}-\\x{1fd3}\\x{1fd6}-\\x{1fdb}"        \
    "\\x{1fe0}-\\x{1fec}\\x{1ff2}-\\x{1ff4}\\x{1ff6}-\\x{1ffc}\\x{2102}\\x{2107}"                  \
    "\\x{210a}-\\x{2113}\\x{2115}\\x{2119}-\\x{211d}\\x{2124}\\x{2126}\\x{2128}"                   \
    "\\x{212a}-\\x{212d}\\x{212f}-\\x{2134}\\x{2139}\\x{213c}-\\x{213f}"                           \
    "\\x{2145}-\\x{2149}\\x{214e}\\x{2183}\\x{2184}\\x{2c00}-\\x{2c7b}\\x{2c7e}-\\x{2ce4}"         \
    "\\x{2ceb}-\\x{2cee}\\x{2cf2}\\x{2cf3}\\x{a640}-\\x{a66d}\\x{a680}-\\x{a69b}"                  \
    "\\x{a722}-\\x{a76f}\\x{a771}-\\x{a787}\\x{a78b}-\\x{a78e}\\x{ab70}-\\x{abbf}"                 \
    "\\x{fb00}-\\x{fb06}\\x{fb13}-\\x{fb17}\\x{ff21}-\\x{ff3a}\\x{ff41}-\\x{ff5a}"                 \
    "\\x{10400}-\\x{1044f}\\x{104b0}-\\x{104d3}\\x{104d8}-\\x{104fb}\\x{10c80}-\\x{10cb2}"         \
    "\\x{10cc0}-\\x{10cf2}\\x{118a0}-\\x{118df}\\x{1e900}-\\x{1e943}"

static const struct tok_family gpt2 = {
    .name = "gpt-2",
    .stages = { { TOK_STAGE_PATTERN, GPT2 } },
};

static const struct tok_family llama3 = {
    .name = "llama-bpe",
    .stages = { { TOK_STAGE_PATTERN, LLAMA3 } },
};

static const struct tok_family jais2 = {
    .name = "jais-2",
    /* White space in powers of two. The look-behind is there for speed alone: inside a run that has
     * been begun there is no line break left. */
    .stages = { { TOK_STAGE_PATTERN,
                  CONTRACTION "|" WORD "|\\p{N}{1,3}|" OTHERS "[\\r\\n]*|(?<![" BLANK_CHARS
                              "])" LINES "|(?:" SPACE "{512}|" SPACE "{256}|" SPACE "{128}|" SPACE
                              "{64}|" SPACE "{32}|" SPACE "{16}|" SPACE "{8}|" SPACE "{4}|" SPACE
                              "{1,2})(?!" NOT_SPACE ")|" SPACE } },
};

static const struct tok_family qwen2 = {
    .name = "qwen2",
    .stages = { { TOK_STAGE_PATTERN, QWEN2 } },
};

static const struct tok_family qwen35 = {
    .name = "qwen35",
    .stages = { { TOK_STAGE_PATTERN, CONTRACTION "|" MARKED_WORD "|\\p{N}| ?[^" SPACE_CHARS
                                                 "\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|" BLANK } },
};

static const struct tok_family gpt4o = {
    .name = "gpt-4o",
    .stages = { { TOK_STAGE_PATTERN,
                  CASED_WORD(UPPER, LOWER, "(?:" CONTRACTION ")?") "|\\p{N}{1,3}|" OTHERS
                                                                   "[\\r\\n/]*|" BLANK } },
};

static const struct tok_family granite_embed = {
    .name = "granite-embed-multi-97m",
    .stages = { { TOK_STAGE_PATTERN,
                  CASED_WORD(UPPER_MARKS, LOWER_MARKS,
                             "(?:" CONTRACTION ")?") "|\\p{N}{1,3}|" OTHERS "[\\r\\n/]*|" BLANK } },
};

static const struct tok_family tekken = {
    .name = "tekken",
    .stages = { { TOK_STAGE_PATTERN,
                  CASED_WORD(UPPER, LOWER, "") "|\\p{N}|" OTHERS "[\\r\\n/]*|" BLANK } },
};

static const struct tok_family deepseek3 = {
    .name = "deepseek-v3",
    .stages = { { TOK_STAGE_PATTERN, "\\p{N}{1,3}" },
                { TOK_STAGE_PATTERN, HAN_KANA },
                { TOK_STAGE_PATTERN, DEEPSEEK3 } },
};

static const struct tok_family deepseek_llm = {
    .name = "deepseek-llm",
    .stages = { { TOK_STAGE_PATTERN, "[\\r\\n]" },
                { TOK_STAGE_PATTERN, SPACE "?[" ALPHABETS "]+" },
                { TOK_STAGE_PATTERN, SPACE "?[!-/:-~\\x{ff01}-\\x{ff0f}\\x{ff1a}-\\x{ff5e}"
                                           "\\x{2018}-\\x{201f}\\x{3000}-\\x{3002}]+" },
                /* Looks back so that a run not at the end is tried once, not at each character. */
                { TOK_STAGE_PATTERN, "(?<!" SPACE ")" SPACE "++\\z" },
                { TOK_STAGE_PATTERN, HAN_HANGUL },
                { TOK_STAGE_PATTERN, "\\p{N}+" } },
};

static const struct tok_family deepseek_coder = {
    .name = "deepseek-coder",
    .stages = { { TOK_STAGE_PATTERN, "[\\r\\n]" },
                { TOK_STAGE_PATTERN, SPACE "?\\p{L}+" },
                { TOK_STAGE_PATTERN, SPACE "?\\p{P}+" },
                { TOK_STAGE_PATTERN, HAN_HANGUL },
                { TOK_STAGE_PATTERN, "\\p{N}" } },
};

static const struct tok_family smollm = {
    .name = "smollm",
    .stages = { { TOK_STAGE_PATTERN, "\\p{N}" }, { TOK_STAGE_PATTERN, GPT2 } },
};

static const struct tok_family falcon = {
    .name = "falcon",
    .stages = { { TOK_STAGE_PATTERN, "[\\p{P}$+<=>\\^~|`]+" },
                { TOK_STAGE_PATTERN, GPT2 },
                { TOK_STAGE_PATTERN, "[0-9][0-9][0-9]" } },
};

static const struct tok_family oldest = {
    .name = "default",
    .stages = { { TOK_STAGE_PATTERN, "[\\p{P}$+<=>\\^~|]+" },
                { TOK_STAGE_PATTERN, GPT2 },
                { TOK_STAGE_PATTERN, "\\p{N}+" },
                { TOK_STAGE_PATTERN, "[0-9][0-9][0-9]" } },
};

static const struct tok_family kimi = {
    .name = "kimi-k2",
    .stages = { { TOK_STAGE_PATTERN, HAN },
                { TOK_STAGE_PATTERN,
                  WORD "(?:" CONTRACTION ")?|\\p{N}{1,3}|" OTHERS "[\\r\\n]*|" BLANK } },
};

static const struct tok_family bloom = {
    .name = "bloom",
    .stages = { { TOK_STAGE_PATTERN, BLOOM } },
};

static const struct tok_family viking = {
    .name = "viking",
    .stages = { { TOK_STAGE_PATTERN, BLOOM }, { TOK_STAGE_PATTERN, "\\p{N}" } },
};

static const struct tok_family seed = {
    .name = "seed-coder",
    .stages = { { TOK_STAGE_PATTERN, CONTRACTION "|" WORD "|\\p{N}|" OTHERS "|" BLANK } },
};

static const struct tok_family bailing = {
    .name = "bailingmoe",
    .stages = { { TOK_STAGE_PATTERN,
                  CONTRACTION "|" WORD "|\\p{N}|" OTHERS "[\\r\\n]*|" SPACE "*[\\r\\n]|" SPACES } },
};

static const struct tok_family exaone_moe = {
    .name = "exaone-moe",
    /* Words with single spaces between them; possessive, since a letter has one place only. */
    .stages = { { TOK_STAGE_PATTERN,
                  CONTRACTION "|" LEAD "(?:\\p{L}\\p{M}*+(?: \\p{L}\\p{M}*+)*+)++|\\p{N}|" OTHERS
                              "[\\r\\n/]?|" SPACE "*[\\r\\n]|" SPACES } },
};

static const struct tok_family afmoe = {
    .name = "afmoe",
    .stages = { { TOK_STAGE_DIGITS_RIGHT, NULL },
                { TOK_STAGE_PATTERN,
                  "[\\x{4e00}-\\x{9fff}\\x{3400}-\\x{4dbf}\\x{f900}-\\x{faff}\\x{3040}-\\x{309f}"
                  "\\x{30a0}-\\x{30ff}\\x{ff65}-\\x{ff9f}\\x{2f00}-\\x{2fdf}\\x{e40}-\\x{e7f}"
                  "\\x{e80}-\\x{eff}\\x{1780}-\\x{17ff}\\x{1000}-\\x{109f}\\x{aa60}-\\x{aa7f}"
                  "\\x{a9e0}-\\x{a9ff}\\x{ac00}-\\x{d7af}\\x{1100}-\\x{11ff}]+" },
                { TOK_STAGE_PATTERN, DEEPSEEK3 } },
};

static const struct tok_family superbpe = {
    .name = "superbpe",
    .stages = { { TOK_STAGE_PATTERN, "\\p{N}+" }, { TOK_STAGE_ASCII_RIGHT, NULL } },
};

static const struct tok_family laguna = {
    .name = "laguna",
    .stages = { { TOK_STAGE_PATTERN, "\\n+" }, { TOK_STAGE_PATTERN, QWEN2 } },
};

static const struct tok_family minicpm5 = {
    .name = "minicpm5",
    .stages = { { TOK_STAGE_PATTERN, "\\p{N}{1,3}" },
                { TOK_STAGE_PATTERN, CONTRACTION "|" WORD "|\\p{N}+|" OTHERS "[\\r\\n]*|" BLANK } },
};

static const struct tok_family aya = {
    .name = "tiny_aya",
    .stages = { { TOK_STAGE_DIGITS_RIGHT, NULL },
                { TOK_STAGE_PATTERN,
                  MARKED_WORD "(?:" CONTRACTION ")?|\\p{N}{1,3}|" OTHERS "[\\r\\n/]*|" BLANK } },
};

static const struct tok_family youtu = {
    .name = "youtu",
    .stages = { { TOK_STAGE_PATTERN,
                  "[\\x{ac00}-\\x{d7a3}\\x{3131}-\\x{318e}]+|"
                  "[\\x{ff01}\\x{2026}\\x{201c}\\x{201d}\\x{2018}\\x{2019}\\x{2014}\\x{ff1a}"
                  "\\x{ff1b}\\x{ff0c}\\x{3001}-\\x{303f}\\x{fe30}-\\x{fe4f}]+|"
                  "[\\x{3105}-\\x{312f}]+|" HAN_KANA },
                { TOK_STAGE_PATTERN,
                  MARKED_WORD "(?:" CONTRACTION ")?|\\p{N}|" OTHERS "[\\r\\n/]*|" BLANK } },
};

static const struct tok_family chameleon = {
    .name = "chameleon",
    .stages = { { TOK_STAGE_PATTERN, "<sentinel:[0-9]+>" },
                { TOK_STAGE_PATTERN, "IMGIMG[A-I]{1,4}Z" },
                { TOK_STAGE_PATTERN, "[\\t\\n]|    |  " },
                { TOK_STAGE_PATTERN, "\\p{N}" },
                { TOK_STAGE_PATTERN, "[\\p{P}" ASCII_PUNCTUATION "]" },
                { TOK_STAGE_PATTERN, GPT2 } },
};

static const struct tok_family gemma4 = {
    .name = "gemma4",
    .plain_text = true,
    .stages = { { TOK_STAGE_PATTERN, "\\n+" } },
};

const struct tok_pre_name tok_pre_names[] = {
    { .name = "default", .family = &oldest },
    { .name = "gpt-2", .family = &gpt2 },
    { .name = "phi-2", .family = &gpt2 },
    { .name = "mpt", .family = &gpt2 },
    { .name = "olmo", .family = &gpt2 },
    { .name = "jais", .family = &gpt2 },
    { .name = "gigachat", .family = &gpt2 },
    { .name = "exaone4", .family = &gpt2 },
    { .name = "modern-bert", .family = &gpt2 },
    { .name = "mellum", .family = &gpt2 },
    { .name = "jina-de", .family = &gpt2 },
    { .name = "jina-es", .family = &gpt2 },
    { .name = "jina-v1-en", .family = &gpt2 },
    { .name = "jina-v2-code", .family = &gpt2 },
    { .name = "jina-v2-de", .family = &gpt2 },
    { .name = "jina-v2-es", .family = &gpt2 },
    { .name = "roberta-bpe", .family = &gpt2 },
    { .name = "a.x-4.0", .family = &gpt2 },
    { .name = "trillion", .family = &gpt2 },
    { .name = "granite-docling", .family = &gpt2 },
    { .name = "llama-bpe", .family = &llama3, .ignore_merges = true, .add_bos = true },
    { .name = "llama3", .family = &llama3, .ignore_merges = true, .add_bos = true },
    { .name = "llama-v3", .family = &llama3, .ignore_merges = true, .add_bos = true },
    { .name = "falcon3", .family = &llama3, .ignore_merges = true, .add_bos = true },
    { .name = "falcon-h1", .family = &llama3, .ignore_merges = true, .add_bos = true },
    { .name = "pixtral", .family = &llama3, .ignore_merges = true, .add_bos = true },
    { .name = "midm-2.0", .family = &llama3, .ignore_merges = true, .add_bos = true },
    { .name = "lfm2", .family = &llama3, .ignore_merges = true, .add_bos = true },
    { .name = "jina-v5-nano", .family = &llama3, .ignore_merges = true, .add_bos = true },
    { .name = "dbrx", .family = &llama3 },
    { .name = "smaug-bpe", .family = &llama3 },
    { .name = "glm4", .family = &llama3, .no_bos = true },
    { .name = "chatglm-bpe", .family = &llama3, .no_bos = true },
    { .name = "jais-2", .family = &jais2 },
    { .name = "qwen2", .family = &qwen2 },
    { .name = "deepseek-r1-qwen", .family = &qwen2 },
    { .name = "kormo", .family = &qwen2 },
    { .name = "f2llmv2", .family = &qwen2 },
    { .name = "megrez", .family = &qwen2 },
    { .name = "hunyuan", .family = &qwen2 },
    { .name = "solar-open", .family = &qwen2 },
    { .name = "grok-2", .family = &qwen2 },
    { .name = "stablelm2", .family = &qwen2 },
    { .name = "qwen35", .family = &qwen35 },
    { .name = "tekken", .family = &tekken, .ignore_merges = true, .add_bos = true },
    { .name = "gpt-4o", .family = &gpt4o },
    { .name = "llama4", .family = &gpt4o },
    { .name = "kanana2", .family = &gpt4o },
    { .name = "talkie", .family = &gpt4o },
    { .name = "minimax-m2", .family = &gpt4o },
    { .name = "granite-embed-multi-97m", .family = &granite_embed },
    { .name = "deepseek-v3", .family = &deepseek3 },
    { .name = "hunyuan-dense", .family = &deepseek3 },
    { .name = "joyai-llm", .family = &deepseek3 },
    { .name = "deepseek-llm", .family = &deepseek_llm },
    { .name = "deepseek-coder", .family = &deepseek_coder },
    { .name = "starcoder", .family = &smollm },
    { .name = "refact", .family = &smollm },
    { .name = "command-r", .family = &smollm },
    { .name = "smollm", .family = &smollm },
    { .name = "codeshell", .family = &smollm },
    { .name = "exaone", .family = &smollm },
    { .name = "minerva-7b", .family = &smollm },
    { .name = "mellum2", .family = &smollm },
    { .name = "falcon", .family = &falcon },
    { .name = "kimi-k2", .family = &kimi, .merges_optional = true },
    { .name = "bloom", .family = &bloom },
    { .name = "gpt3-finnish", .family = &bloom },
    { .name = "poro-chat", .family = &bloom },
    { .name = "viking", .family = &viking },
    { .name = "seed-coder", .family = &seed },
    { .name = "bailingmoe", .family = &bailing },
    { .name = "bailingmoe2", .family = &bailing },
    { .name = "llada-moe", .family = &bailing },
    { .name = "exaone-moe", .family = &exaone_moe },
    { .name = "afmoe", .family = &afmoe },
    { .name = "superbpe", .family = &superbpe },
    { .name = "laguna", .family = &laguna },
    { .name = "minicpm5", .family = &minicpm5, .ignore_merges = true },
    { .name = "tiny_aya", .family = &aya },
    { .name = "cohere2moe", .family = &aya },
    { .name = "youtu", .family = &youtu, .ignore_merges = true },
    { .name = "chameleon", .family = &chameleon, .add_bos = true },
    { .name = "gemma4", .family = &gemma4, .add_bos = true, .whole_newlines = true },
    { .name = "granite-embed-multi-311m", .family = &gemma4 },
    { .name = "sarvam-moe", .family = &gemma4 },
};
const size_t tok_n_pre_names = sizeof tok_pre_names / sizeof tok_pre_names[0];

const struct tok_pre_name *tok_pre_find(struct ember_text name)
{
    for (size_t i = 0; i < tok_n_pre_names; i++) {
        const char *known = tok_pre_names[i].name;
        if (strlen(known) == name.size && memcmp(known, name.data, name.size) == 0)
            return &tok_pre_names[i];
    }
    return NULL;
}

/* All names do not fit into a sentence: it has each family's best known one. */
enum ember_status tok_pre_unknown(const char *path, struct ember_text name, struct ember_error *err)
{
    struct text_buffer list = { 0 };
    enum ember_status st;
    size_t n_families = 0;

    for (size_t i = 0; i < tok_n_pre_names; i++) {
        const char *known = tok_pre_names[i].name;
        if (strcmp(known, tok_pre_names[i].family->name) == 0) {
            text_printf(&list, "%s%s", list.size ? ", " : "", known);
            n_families++;
        }
    }
    st = ember_fail(err, EMBER_UNSUPPORTED,
                    "%s: tokenizer.ggml.pre \"%.*s\" is unknown; known are %s, and %zu names for "
                    "the same",
                    path, name.size < 40 ? (int)name.size : 40, name.data,
                    list.failed ? "" : list.data, tok_n_pre_names - n_families);
    text_finish(&list);
    return st;
}
