/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which decoders this processor can run. */
#include "quant/fast.h"

#include <stdlib.h>
#include <string.h>

#include "quant/fast_decode.h"
#include "quant/survey.h"

bool quant_level_runs(enum quant_level level)
{
#if defined(__x86_64__)
    /* The compiler's own look at the processor, taken once: asking each time would cost more than
     * some windows of values. It also asks the system about the registers. */
    if (level == QUANT_LEVEL_AVX2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
#endif
    return level == QUANT_LEVEL_SCALAR ||
           (level == QUANT_LEVEL_PLAIN && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

const char *quant_level_name(enum quant_level level)
{
    static const char *const names[] = { "scalar", "plain", "avx2" };
    return (unsigned)level < QUANT_LEVEL_COUNT ? names[level] : "unknown";
}

enum quant_level quant_level(void)
{
    const char *cap = getenv("EMBER_CPU");

    if (cap && !strcmp(cap, "scalar"))
        return QUANT_LEVEL_SCALAR;
    enum quant_level level = QUANT_LEVEL_COUNT - 1;
    while (!quant_level_runs(level))
        level--;
    return level;
}

quant_decode_fn quant_decoder_at(enum quant_level level, uint32_t type)
{
    quant_decode_fn decode = NULL;

    if (type >= QUANT_TYPE_COUNT)
        return NULL;
#if defined(__x86_64__)
    if (level == QUANT_LEVEL_AVX2)
        decode = quant_fast_avx2[type];
#endif
    if (level == QUANT_LEVEL_PLAIN)
        decode = quant_fast_plain[type];
    return decode ? decode : quant_decoder(type);
}

const struct quant_survey *quant_survey(enum quant_level level)
{
#if defined(__x86_64__)
    if (level == QUANT_LEVEL_AVX2)
        return &quant_survey_avx2;
#endif
    (void)level;
    return &quant_survey_plain;
}
