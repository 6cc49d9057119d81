/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parts.h - one object from the parts of a split model. */
#pragma once

#include <ember/gguf.h>

/* One file, without looking for its siblings. */
enum ember_status gguf_open_one(struct ember_gguf **out, const char *path, bool header_only,
                                struct ember_error *err);

/* If *gguf, opened by gguf_open_one(), is a part of a set, finds the others and replaces *gguf by
 * the object of the first one, which then owns all and has all tensors. After a failure *gguf is
 * as it was, and *code (may be NULL) is a short name of what is wrong, such as "part-missing". */
enum ember_status gguf_join_parts(struct ember_gguf **gguf, bool header_only, const char **code,
                                  struct ember_error *err);
