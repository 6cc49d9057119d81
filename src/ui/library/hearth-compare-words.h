/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-compare-words.h - what differs between two model files, in words. Main thread. */
#pragma once

#include "hearth-comparison.h"

G_BEGIN_DECLS

/* "Changed"; "" for what is the same. */
const char *hearth_compare_words_for_change (HearthChange change);
/* "7.12 %" Returns: (transfer full) */
char *hearth_compare_words_for_error (const HearthValueError *error);
/* All of it, one figure a line. Returns: (transfer full) */
char *hearth_compare_words_for_all_of_error (const HearthValueError *error);
/* How the two files stand to each other. Returns: (transfer full) */
char *hearth_compare_words_for_verdict (HearthComparison *comparison);
/* The name of a file as it may be shown. Returns: (transfer full) */
char *hearth_compare_words_for_file (const HearthComparisonSide *side);
/* What differs, as text for the clipboard. Returns: (transfer full) */
char *hearth_compare_words_for_report (HearthComparison *comparison);

G_END_DECLS
