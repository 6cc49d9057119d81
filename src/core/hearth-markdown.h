/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-markdown.h - formatted text that grows at its end. One thread.
 *
 * The source is cut where a block surely ends: what lies before is parsed for the last time, and
 * its blocks keep their place and their identity. Only what comes after the last cut is parsed
 * again when text is appended. A list is cut at each of its items. What must stay open (code
 * without an end, a table, one endless line) is cut at a limit all the same, so that no append
 * costs more than a bounded parse. */
#pragma once

#include "hearth-markdown-block.h"

G_BEGIN_DECLS

typedef struct _HearthMarkdown HearthMarkdown;

/* Returns: (transfer full) */
HearthMarkdown *hearth_markdown_new (void);
void hearth_markdown_free (HearthMarkdown *self);

/* Takes `text`, valid UTF-8. Returns the position of the first block that may be another one than
 * before; all before it are the same objects as ever. */
guint hearth_markdown_append (HearthMarkdown *self, const char *text);
/* Nothing is appended any more: marks that were waited for stay as they are written. Returns as
 * hearth_markdown_append() does. */
guint hearth_markdown_finish (HearthMarkdown *self);

guint hearth_markdown_get_n_blocks (HearthMarkdown *self);
/* How many of them will never change. */
guint hearth_markdown_get_n_finished (HearthMarkdown *self);
/* Returns: (transfer none) */
HearthMarkdownBlock *hearth_markdown_get_block (HearthMarkdown *self, guint position);
/* How many bytes were parsed since the beginning, again or for the first time; for tests. */
guint64 hearth_markdown_get_n_parsed (HearthMarkdown *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthMarkdown, hearth_markdown_free)

G_END_DECLS
