/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options.h - one command line parser for all commands, driven by tables.
 *
 * A command describes its options in static tables; each entry says which field of a struct it
 * fills. The same tables are the text of --help. Options and operands (files) come in any order,
 * values as `--name value` or `--name=value`, and `--` ends the options. Texts point into argv. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,   /* bool; takes no value */
    OPTION_TEXT,   /* const char * */
    OPTION_LIST,   /* struct option_list; may be given again and again */
    OPTION_CHOICE, /* int: index into `choices` */
    OPTION_U32,    /* uint32_t */
    OPTION_I32,    /* int32_t */
    OPTION_F32     /* float */
};

struct option_list {
    const char **items; /* owned by the options; the texts are argv's */
    size_t n;
};

struct option {
    const char *name; /* with its dashes */
    enum option_kind kind;
    size_t at;           /* offset of the field in the group's struct */
    const char *value;   /* what the help calls the value; NULL for a flag */
    const char *help;    /* one line */
    double min, max;     /* inclusive bounds of numbers; both 0: whatever the type holds */
    const char *choices; /* "f16|f32" */
};

enum { OPTION_GROUP_MAX = 64 };

/* A table and the struct it fills. `given` has bit i set when option i was on the command line. */
struct option_group {
    const char *title; /* heading in the help */
    const struct option *options;
    size_t n; /* at most OPTION_GROUP_MAX */
    void *base;
    uint64_t given;
};

struct options {
    const char *command;
    const char *operand; /* what the help calls the one file, or NULL when there is none */
    const char *second;  /* the same for a second file */
    const char *summary; /* what the command does, a sentence */
    const char *notes;   /* more lines for the help, or NULL */
    struct option_group *groups;
    size_t n_groups;
    const char *file;       /* out: the operand */
    const char *other;      /* out: the second one */
    bool json;              /* out: every command has --json */
    struct option_list set; /* out: every command has --set */
};

/* Exit statuses of the program. */
enum { STATUS_FINE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

/* Reads the words after the command. True when the command shall go on, and then calls
 * options_finish() at its end. Otherwise *status is its exit status: help was printed, or a
 * sentence said what is wrong with the command line. */
bool options_read(struct options *options, int argc, char **argv, int *status);
/* Frees the lists. */
void options_finish(struct options *options);

/* Whether the field at this offset of the group's struct was set on the command line. */
bool options_given(const struct option_group *group, size_t at);
/* Copies the fields that were given to another struct of the same type. */
void options_copy_given(const struct option_group *group, void *to);

/* Says that the command line is wrong, with a hint where to read more; returns STATUS_USAGE. */
int options_complain(const struct options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A whole decimal number (for floats also inf) within bounds; false when `text` is anything else.
 */
bool number_read(const char *text, double min, double max, double *out);
bool integer_read(const char *text, int64_t min, int64_t max, int64_t *out);
