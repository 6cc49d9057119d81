/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of model files, both ways. */
#include <ember/naming.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "gguf/gguf.h"

enum { MOST_WORDS = 64 };

/* The numbers of general.file_type. */
static const char *const recipes[] = {
    [0] = "F32",      [1] = "F16",      [2] = "Q4_0",    [3] = "Q4_1",    [7] = "Q8_0",
    [8] = "Q5_0",     [9] = "Q5_1",     [10] = "Q2_K",   [11] = "Q3_K_S", [12] = "Q3_K_M",
    [13] = "Q3_K_L",  [14] = "Q4_K_S",  [15] = "Q4_K_M", [16] = "Q5_K_S", [17] = "Q5_K_M",
    [18] = "Q6_K",    [19] = "IQ2_XXS", [20] = "IQ2_XS", [21] = "Q2_K_S", [22] = "IQ3_XS",
    [23] = "IQ3_XXS", [24] = "IQ1_S",   [25] = "IQ4_NL", [26] = "IQ3_S",  [27] = "IQ3_M",
    [28] = "IQ2_S",   [29] = "IQ2_M",   [30] = "IQ4_XS", [31] = "IQ1_M",  [32] = "BF16",
    [36] = "TQ1_0",   [37] = "TQ2_0",   [38] = "MXFP4",  [39] = "NVFP4",  [40] = "Q1_0",
    [41] = "Q2_0",
};

/* What files are called that no number of the list stands for. */
static const char *const others[] = {
    "FP16",    "FP32",   "Q3_K",     "Q4_K",     "Q5_K",     "Q2_K_L",    "Q2_K_XL",
    "Q3_K_XL", "Q4_K_L", "Q4_K_XL",  "Q5_K_L",   "Q5_K_XL",  "Q6_K_L",    "Q6_K_XL",
    "Q8_K_XL", "Q8_0_L", "Q4_0_4_4", "Q4_0_4_8", "Q4_0_8_8", "MXFP4_MOE", "IQ1_KT",
    "IQ2_KT",  "IQ3_KT", "IQ4_KT",   "IQ2_K",    "IQ3_K",    "IQ4_K",     "IQ5_K",
    "IQ6_K",   "IQ4_KS", "IQ5_KS",   "IQ2_KS",   "IQ3_KS",
};

static bool equals(struct ember_text word, const char *name)
{
    return word.size == strlen(name) && !strncasecmp(word.data, name, word.size);
}

bool ember_is_encoding(struct ember_text word)
{
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        if (recipes[i] && equals(word, recipes[i]))
            return true;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (equals(word, others[i]))
            return true;
    }
    return false;
}

static bool digits(const char *s, size_t *at, size_t size)
{
    size_t start = *at;
    while (*at < size && isdigit((unsigned char)s[*at]))
        ++*at;
    return *at > start;
}

/* "7B", "1.5B", "8x7B", "270M". */
static bool is_size(struct ember_text word)
{
    const char *s = word.data;
    size_t at = 0;

    if (!digits(s, &at, word.size))
        return false;
    if (at < word.size && s[at] == 'x') {
        at++;
        if (!digits(s, &at, word.size))
            return false;
    }
    if (at < word.size && s[at] == '.') {
        at++;
        if (!digits(s, &at, word.size))
            return false;
    }
    return at + 1 == word.size && strchr("KMBTQkmbtq", s[at]);
}

/* "v1", "v1.0" */
static bool is_version(struct ember_text word)
{
    size_t at = 1;

    if (word.size < 2 || word.data[0] != 'v')
        return false;
    do {
        if (!digits(word.data, &at, word.size))
            return false;
    } while (at < word.size && word.data[at++] == '.');
    return at == word.size && word.data[at - 1] != '.';
}

static struct ember_text joined(const struct ember_text *words, size_t from, size_t to)
{
    if (from >= to)
        return (struct ember_text){ 0 };
    return (struct ember_text){ words[from].data, (size_t)(words[to - 1].data + words[to - 1].size -
                                                           words[from].data) };
}

/* Letters, digits and blanks, and whatever else `also` holds. */
static bool spelled(struct ember_text word, const char *also)
{
    for (size_t i = 0; i < word.size; i++) {
        unsigned char c = (unsigned char)word.data[i];
        if (!(c < 0x80 && isalnum(c)) && c != ' ' && (!c || !strchr(also, c)))
            return false;
    }
    return true;
}

/* Splits at dashes; the encoding may also stand behind a dot, as in "name.Q4_K_M". */
static size_t split(struct ember_text name, struct ember_text words[MOST_WORDS], bool *dotted)
{
    size_t n = 0, start = 0;

    *dotted = false;
    for (size_t i = 0; i <= name.size && n < MOST_WORDS; i++) {
        bool dot = i < name.size && name.data[i] == '.';
        if (dot) {
            size_t end = i + 1;
            while (end < name.size && name.data[end] != '-' && name.data[end] != '.')
                end++;
            struct ember_text next = { name.data + i + 1, end - i - 1 };
            dot = ember_is_encoding(next) || equals(next, "i1") || equals(next, "mmproj");
            *dotted |= dot;
        }
        if (i < name.size && name.data[i] != '-' && !dot)
            continue;
        words[n++] = (struct ember_text){ name.data + start, i - start };
        start = i + 1;
    }
    return n;
}

bool ember_file_name_parse(const char *path, struct ember_file_name *out)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t size = strlen(base), prefix;
    struct ember_text words[MOST_WORDS];
    bool dotted;

    *out = (struct ember_file_name){ 0 };
    if (size < 5 || strcasecmp(base + size - 5, ".gguf"))
        return false;
    size -= 5;
    if (ember_gguf_part_parse(base, &prefix, &out->part, &out->n_parts)) {
        size = prefix;
        /* "X.gguf-00001-of-00009.gguf" */
        if (size > 5 && !strncasecmp(base + size - 5, ".gguf", 5))
            size -= 5;
    }
    size_t n = split((struct ember_text){ base, size }, words, &dotted), from = 0, to = n;
    bool order = !dotted && n > 1 && size > 0;

    /* "mmproj-7B-v1" would have no base left. */
    if (n > 1 && (equals(words[0], "mmproj") || equals(words[0], "mtp")) && !is_size(words[1]))
        out->sidecar = words[from++];
    if (to > from && (equals(words[to - 1], "LoRA") || equals(words[to - 1], "vocab")))
        out->type = words[--to];
    if (to > from && ember_is_encoding(words[to - 1])) {
        out->encoding = words[--to];
        if (to > from && (equals(words[to - 1], "UD") || equals(words[to - 1], "i1"))) {
            out->mark = words[--to];
            order = false;
        }
    }
    if (to > from && is_version(words[to - 1]))
        out->version = words[--to];
    size_t at = from;
    while (at < to && !is_size(words[at]))
        at++;
    if (at < to && at > from) {
        out->size = words[at];
        out->tune = joined(words, at + 1, to);
        to = at;
    }
    out->base = joined(words, from, to);
    out->valid = order && out->base.data && out->size.data && out->version.data &&
                 spelled(out->base, "-") && (!out->tune.data || spelled(out->tune, "-"));
    return true;
}

/* Appends "-" and the text with blanks as dashes. */
static bool append(char *out, size_t capacity, size_t *size, struct ember_text text)
{
    if (!text.size)
        return true;
    if (text.size > capacity || *size + text.size + 2 > capacity)
        return false;
    if (*size)
        out[(*size)++] = '-';
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        out[(*size)++] = c == ' ' || c == '/' || !c ? '-' : c;
    }
    return true;
}

size_t ember_file_name_build(const struct ember_gguf *gguf, char *out, size_t capacity)
{
    static const char *const keys[] = { "general.basename", "general.size_label",
                                        "general.finetune", "general.version" };
    struct ember_text type = ember_gguf_get_text(gguf, "general.type");
    uint64_t file_type = ember_gguf_get_u64(gguf, "general.file_type", UINT64_MAX);
    size_t size = 0;
    bool fits = true;

    if (equals(type, "mmproj"))
        fits &= append(out, capacity, &size, type);
    struct ember_text base = ember_gguf_get_text(gguf, keys[0]);
    if (!base.size)
        base = ember_gguf_get_text(gguf, "general.name");
    if (!base.size)
        return 0;
    fits &= append(out, capacity, &size, base);
    for (size_t i = 1; i < sizeof keys / sizeof *keys; i++)
        fits &= append(out, capacity, &size, ember_gguf_get_text(gguf, keys[i]));
    if (file_type < sizeof recipes / sizeof *recipes && recipes[file_type])
        fits &= append(out, capacity, &size,
                       (struct ember_text){ recipes[file_type], strlen(recipes[file_type]) });
    if (equals(type, "adapter"))
        fits &= append(out, capacity, &size, (struct ember_text){ "LoRA", 4 });
    else if (!ember_gguf_info(gguf)->n_tensors)
        fits &= append(out, capacity, &size, (struct ember_text){ "vocab", 5 });
    if (!fits || size + sizeof ".gguf" > capacity)
        return 0;
    memcpy(out + size, ".gguf", sizeof ".gguf");
    return size + strlen(".gguf");
}
