/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doctor.h - what is wrong with a model file, in sentences.
 *
 * Errors keep a careful reader from the content; warnings are what makes a model worse or other
 * programs refuse it; infos are worth knowing. The file is read in windows and never mapped, so its
 * size does not matter. A report owns all its texts. One call uses one thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>
#include <ember/gguf.h>

enum ember_severity { EMBER_SEVERITY_INFO, EMBER_SEVERITY_WARNING, EMBER_SEVERITY_ERROR };

/* What a problem is about. */
enum ember_place {
    EMBER_PLACE_FILE,    /* the file as a whole */
    EMBER_PLACE_HEADER,  /* its first bytes, or between two of its parts */
    EMBER_PLACE_KEYS,    /* all of them, or one that has no name yet */
    EMBER_PLACE_KEY,     /* the one that `item` names */
    EMBER_PLACE_TENSORS, /* the tensor table */
    EMBER_PLACE_TENSOR,  /* the one that `item` names */
    EMBER_PLACE_DATA,    /* the data of all tensors */
    EMBER_PLACE_PARTS    /* the other files of a split model */
};

/* UTF-8, terminated. */
struct ember_problem {
    enum ember_severity severity;
    const char *code;       /* "tensor-overlap": stable, for programs */
    const char *where;      /* `key "general.name"`, "the file" */
    enum ember_place place; /* the same for programs */
    const char *item;       /* the name in `where`, ending in "…" where it was cut; else NULL */
    uint64_t n_more;     /* not 0: says only how many more there are of this code than are listed */
    const char *message; /* a whole sentence with the place in it, at most 300 bytes */
    const char *advice;  /* what the user can do; a sentence, may be empty */
};

/* What the header says. */
struct ember_doctor_file {
    bool is_gguf; /* false: only `size` is set */
    bool is_read; /* keys and tensor table were read to their end, so all rules have run */
    uint64_t n_keys, n_tensors;
    struct ember_gguf_info info;
    const char *architecture; /* NULL when the file names none */
    const char *type;         /* general.type, "model" when absent */
    uint64_t size;
};

struct ember_doctor_params {
    bool deep; /* read all tensor data */
    /* KEY=TYPE:VALUE as for ember_gguf_set(): the file as if it said so. */
    const char *const *overrides;
    size_t n_overrides;
    /* Called now and then, on the caller's thread, with the part that is done; false stops. */
    bool (*progress)(double done, void *user_data);
    void *user_data;
};

struct ember_doctor_report;

/* Examines a file, which need not be GGUF or exist: that is a report, too. Fails only with
 * EMBER_NO_MEMORY, EMBER_CANCELLED, or EMBER_INVALID for an override that cannot be. `params` may
 * be NULL. Free with ember_doctor_free(). A header whose change in place was cut off is put back
 * first, as by ember_gguf_open(). */
EMBER_API enum ember_status ember_doctor_examine(struct ember_doctor_report **out, const char *path,
                                                 const struct ember_doctor_params *params,
                                                 struct ember_error *err);
EMBER_API void ember_doctor_free(struct ember_doctor_report *report);

/* True when nothing is worse than a warning. */
EMBER_API bool ember_doctor_ok(const struct ember_doctor_report *report);
EMBER_API const struct ember_doctor_file *
ember_doctor_file(const struct ember_doctor_report *report);
/* Problems in the order they were found; NULL past the end. */
EMBER_API size_t ember_doctor_n_problems(const struct ember_doctor_report *report);
EMBER_API const struct ember_problem *ember_doctor_problem(const struct ember_doctor_report *report,
                                                           size_t index);
/* "info", "warning", "error" */
EMBER_API const char *ember_severity_name(enum ember_severity severity);
