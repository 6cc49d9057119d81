/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-markdown-parse.h - Markdown source to blocks, at once. hearth-markdown.h is for text that
 * grows. Any thread. */
#pragma once

#include "hearth-markdown-block.h"

G_BEGIN_DECLS

/* Appends the blocks of `source` (valid UTF-8) to `blocks`. CommonMark with tables, strikethrough,
 * task lists and bare links; a single line break stays one; raw HTML is text; an image is a link
 * with its description. However hostile the source, blocks nest 12 deep at most, a paragraph of
 * more than about 4 KiB is several, and nothing of the text is lost. */
void hearth_markdown_parse (const char *source, gsize size, GPtrArray *blocks);

G_END_DECLS
