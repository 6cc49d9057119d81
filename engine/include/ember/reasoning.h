/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reasoning.h - how a chat template tells what a model thinks from what it answers. Any thread. */
#pragma once

#include <stdbool.h>

#include <ember/error.h>
#include <ember/gguf.h>

/* What stands before and after the thoughts in the model's text. Constants, never freed. */
struct ember_reasoning {
    const char *begin, *end;
};

/* Finds the marks that the source of a chat template speaks of; false when it has none that are
 * known, and then leaves *out untouched. */
EMBER_API bool ember_reasoning_find(struct ember_text source, struct ember_reasoning *out);

/* Whether this prompt ends inside the thoughts: the template has begun them, and the model's text
 * goes on with them without a mark of its own. */
EMBER_API bool ember_reasoning_is_open(const struct ember_reasoning *reasoning,
                                       struct ember_text prompt);
