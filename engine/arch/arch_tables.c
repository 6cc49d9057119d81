/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arch_tables.c - one row per architecture: the only file that knows their names. */
#include <string.h>

#include "arch/arch.h"

static const struct arch table[] = {
    {
        .name = "llama",
        .rope = ARCH_ROPE_NORM,
        .whole_head_rope = true,
        .ffn_scales = true,
    },
    {
        .name = "qwen2",
        .rope = ARCH_ROPE_NEOX,
    },
    {
        .name = "qwen3",
        .rope = ARCH_ROPE_NEOX,
        .qk_norm = true,
        .ffn_scales = true,
    },
    {
        .name = "gemma3",
        .place = ARCH_SANDWICH,
        .rope = ARCH_ROPE_NEOX,
        .act = ARCH_GELU,
        .qk_norm = true,
        .embed_sqrt = true,
        .window = true,
        .window_period = 6,
        .base_swa = 10000.0,
        .swa_unscaled = true,
        .wide_scale_layers = 62,
    },
};

const struct arch *arch_find(struct ember_text name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (name.size == strlen(table[i].name) && !memcmp(name.data, table[i].name, name.size))
            return &table[i];
    return NULL;
}
