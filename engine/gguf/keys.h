/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keys.h - the table of standard keys (keys_tables.c) and its look-up (keys.c). */
#pragma once

#include <stddef.h>

#include <ember/gguf.h>

extern const struct ember_gguf_standard_key gguf_standard_keys[];
extern const size_t gguf_n_standard_keys;
