/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doctor.h - one examination: the file, what it is, and the report that the rules write.
 *
 * Each file of this folder holds the rules of one subject. A rule looks at the header through
 * <ember/gguf.h>, takes nothing for granted, and says what it found with doctor_say(). */
#pragma once

#include <ember/doctor.h>

#include "base/arena.h"
#include "gguf/gguf.h"

/* What is in the file; decides which rules apply. */
enum doctor_kind {
    DOCTOR_MODEL,
    DOCTOR_VOCABULARY, /* no tensors, but a vocabulary */
    DOCTOR_PART,       /* a part of a split model that is not the first */
    DOCTOR_ADAPTER,
    DOCTOR_IMATRIX,
    DOCTOR_CONTROL_VECTOR,
    DOCTOR_PROJECTOR,
    DOCTOR_OTHER, /* neither architecture nor tensors that look like a model */
};

struct code_count {
    const char *code;
    enum ember_severity severity;
    uint64_t n;
};

struct ember_doctor_report {
    struct ember_problem *problems;
    size_t n_problems, capacity;
    struct code_count counts[128]; /* how often each code was said */
    size_t n_counts;
    bool failed; /* memory was refused */
    bool has_error;
    struct ember_doctor_file file;
    struct arena arena;
};

struct doctor {
    struct ember_doctor_report *report;
    const struct ember_doctor_params *params;
    struct ember_gguf *gguf;
    const struct ember_gguf_info *info;
    const char *path;
    enum doctor_kind kind;
    struct ember_text architecture; /* {NULL, 0} when not named */
    bool known;                     /* a known architecture */
    bool incomplete;                /* data is missing at the end of the file */
    bool odd_shape;                 /* a key that the model's shape is made of was found wrong */
    uint64_t n_parts;               /* 1 for a whole model */
    struct ember_gguf *whole;       /* all parts as one; NULL for a whole model, or if they are not
                                     * all there */
};

/* A name from the file, short and printable, for use in a sentence. */
struct doctor_name {
    char text[84];
};
struct doctor_name doctor_name(struct ember_text text);
struct doctor_name doctor_key_name(const struct doctor *d, uint64_t index);

/* "1 tensor", "5 tensors". */
struct doctor_amount {
    char text[64];
};
struct doctor_amount doctor_amount(uint64_t n, const char *one);

/* Adds a problem. `where` is such as `key "a"`; the message is made from `format`, cleaned of
 * control characters and cut to 300 bytes. After some of one code only the number counts on. */
void doctor_say(struct doctor *d, enum ember_severity severity, const char *code, const char *where,
                const char *advice, const char *format, ...) __attribute__((format(printf, 6, 7)));
/* `key "name"` or `tensor "name"` as a place. */
struct doctor_place {
    char text[100];
};
struct doctor_place doctor_place(const char *item, struct ember_text name);
/* Adds how many problems of each code were left out. */
void doctor_say_rest(struct doctor *d);

/* A sentence of another part of the library without the path that it begins with. */
struct doctor_sentence {
    char text[480];
};
struct doctor_sentence doctor_sentence(const struct doctor *d, const char *message);

/* True for the terminated name. */
bool doctor_is(struct ember_text text, const char *name);
bool doctor_ends_with(struct ember_text text, const char *end);
bool doctor_begins_with(struct ember_text text, const char *start);
/* The key A.suffix, or -1. */
int64_t doctor_find(const struct doctor *d, const char *suffix);
/* A scalar number of the architecture; false when absent or of another kind. */
bool doctor_u64(const struct doctor *d, const char *suffix, uint64_t *out);
bool doctor_f64(const struct doctor *d, const char *suffix, double *out);
/* False when the caller wants to stop. */
bool doctor_progress(const struct doctor *d, double done);

/* Opens all parts of the model as one, which d->whole then is. `*code` says what is wrong with
 * them, NULL if the file itself cannot be opened. */
enum ember_status doctor_open_whole(struct doctor *d, const char **code, struct ember_error *err);

/* The model with all its tensors. */
static inline struct ember_gguf *doctor_whole(const struct doctor *d)
{
    return d->whole ? d->whole : d->gguf;
}

/* known_tables.c */
bool doctor_known_architecture(struct ember_text name);
bool doctor_known_vocabulary(struct ember_text name);
bool doctor_known_pre(struct ember_text name);
struct doctor_recipe {
    const char *name;  /* NULL: no such number, or removed */
    uint32_t types[8]; /* tensor types that make it up, UINT32_MAX ends */
};
const struct doctor_recipe *doctor_recipe(uint64_t file_type);

/* The rules, in the order they run. */
void doctor_check_layout(struct doctor *d);
void doctor_check_keys(struct doctor *d);
void doctor_check_parts(struct doctor *d);
void doctor_check_model(struct doctor *d);
void doctor_check_companions(struct doctor *d);
void doctor_check_vocabulary(struct doctor *d);
void doctor_check_templates(struct doctor *d);
/* EMBER_CANCELLED, EMBER_NO_MEMORY or EMBER_OK; reads all tensor data. */
enum ember_status doctor_check_data(struct doctor *d, struct ember_error *err);
