/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jinja_str.h - words of the text operations that methods and filters share. */
#pragma once

#include "chat/jinja_run.h"

enum case_map { CASE_UPPER, CASE_LOWER, CASE_FOLD, CASE_CAPITALIZE, CASE_SWAP, CASE_TITLE };
bool jinja_map_case(struct render *r, struct str s, enum case_map map, struct value *out);

/* Where jinja_center() puts the fill. */
enum { PAD_BOTH, PAD_RIGHT, PAD_LEFT };

/* Python's split() with white space (`sep` NULL) or a separator; `from_right` is rsplit(). */
bool jinja_split(struct render *r, struct str s, const struct str *sep, int64_t max,
                 bool from_right, struct list *out);
