/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-reply-stream.h - carries an answer from the engine's thread to its message.
 *
 * The worker pushes whatever it has, hundreds of times a second; at most one flush waits in the
 * main loop, at idle priority, so that it yields to drawing. References may be taken on any thread;
 * the last one must be dropped on the main thread, since it holds the message. */
#pragma once

#include "hearth-message.h"

G_BEGIN_DECLS

typedef struct _HearthReplyStream HearthReplyStream;

/* Main thread. Returns: (transfer full) */
HearthReplyStream *hearth_reply_stream_new (HearthMessage *message);
HearthReplyStream *hearth_reply_stream_ref (HearthReplyStream *self);
void hearth_reply_stream_unref (HearthReplyStream *self);

/* Worker thread, before the first text: what the model thinks stands between these marks and is
 * kept apart from the answer. `open`: the text begins inside them. */
void hearth_reply_stream_expect_thinking (HearthReplyStream *self, const char *begin,
                                          const char *end, gboolean open);
/* Worker thread, after that: the message has thoughts already, and the text goes on with them. */
void hearth_reply_stream_go_on_thinking (HearthReplyStream *self);
/* Worker thread. `text` is whole UTF-8. */
void hearth_reply_stream_push_text (HearthReplyStream *self, const char *text, gsize size);
/* Worker thread: no more text comes, neither now nor when the answer is gone on with. */
void hearth_reply_stream_end (HearthReplyStream *self);
/* Worker thread. Share of the prompt that has been read. */
void hearth_reply_stream_push_progress (HearthReplyStream *self, double progress);

/* Main thread: hands over what is pending now, before the message is finished. */
void hearth_reply_stream_flush (HearthReplyStream *self);
/* Main thread: nothing reaches the message any more; what comes late is dropped. */
void hearth_reply_stream_close (HearthReplyStream *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthReplyStream, hearth_reply_stream_unref)

G_END_DECLS
