/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pretokenize.h - cutting a text into words before byte-pair merging.
 *
 * The tables and a struct tok_pretokenizer are read-only and serve any number of threads. */
#pragma once

#include "tokens/tokens.h"

enum { TOK_MAX_STAGES = 6 };

enum tok_stage_kind {
    TOK_STAGE_PATTERN,      /* matches of a regular expression and the gaps between them */
    TOK_STAGE_DIGITS_RIGHT, /* numbers cut in threes from the right */
    TOK_STAGE_ASCII_RIGHT,  /* the same for ASCII digits alone */
};

struct tok_stage {
    enum tok_stage_kind kind;
    const char *pattern;
};

/* What a family of pre-tokenizers does to a text. */
struct tok_family {
    const char *name; /* its best known member */
    bool plain_text;  /* merges run on the text with U+2581 for spaces, not on bytes */
    struct tok_stage stages[TOK_MAX_STAGES];
};

/* One value of tokenizer.ggml.pre. */
struct tok_pre_name {
    const char *name;
    const struct tok_family *family;
    bool ignore_merges;
    bool add_bos;
    bool no_bos; /* the kind's default id is none of this family's */
    bool merges_optional;
    bool whole_newlines;
};

extern const struct tok_pre_name tok_pre_names[];
extern const size_t tok_n_pre_names;
/* NULL for an unknown name. */
const struct tok_pre_name *tok_pre_find(struct ember_text name);
/* Fails with EMBER_UNSUPPORTED and the names there are. */
enum ember_status tok_pre_unknown(const char *path, struct ember_text name,
                                  struct ember_error *err);

enum ember_status tok_pretokenizer_new(struct tok_pretokenizer **out,
                                       const struct tok_family *family, struct ember_error *err);
void tok_pretokenizer_free(struct tok_pretokenizer *pre);
