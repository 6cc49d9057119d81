/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vocab.h - small vocabularies written as GGUF files in memory, for the tokenizer's fuzz target. */
#pragma once

#include <stddef.h>

enum vocab_kind {
    VOCAB_BPE,    /* byte-level BPE with a few merges, pre-tokenizer smollm */
    VOCAB_BPE_L3, /* the same with llama-bpe, whose merges may be ignored */
    VOCAB_SPM,    /* SentencePiece with byte tokens */
    VOCAB_COUNT
};

/* The bytes of the file, allocated for the caller; NULL when out of memory. */
void *vocab_file(enum vocab_kind kind, size_t *size);
