/* SPDX-License-Identifier: GPL-3.0-or-later */
/* save.h - what the commands that write model files share: where to write, progress, the answer. */
#pragma once

#include <ember/ember.h>

#include "options.h"

/* -o, --in-place */
struct save_options {
    const char *out;
    bool in_place;
};

struct option_group save_option_group(struct save_options *save);
/* STATUS_FINE when exactly one of the two was given. */
int save_check(const struct options *options, const struct save_options *save);

/* Opens what a command changes: with --in-place the first part alone, else the whole model. The
 * file is opened without the --set overrides. */
int save_open(struct ember_gguf **out, const struct options *options,
              const struct save_options *save);
/* Writes the changed model where it belongs, and says so. */
int save_write(const struct options *options, const struct save_options *save,
               const struct ember_gguf *gguf, const struct ember_writer *writer);

/* The keys that say which part of a model a file is. */
enum { SPLIT_KEYS = 3 };
extern const char *const split_keys[SPLIT_KEYS];

/* For long work: a line on standard error if that is a terminal, else NULL. */
const struct ember_progress *save_progress(const struct options *options);
