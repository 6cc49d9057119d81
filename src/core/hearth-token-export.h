/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-token-export.h - a vocabulary as a table for other programs. For hearth-token-list.c. */
#pragma once

#include "hearth-token-list.h"

G_BEGIN_DECLS

/* `ids` (gint32, NULL: all) is not changed any more. Ends with a GBytes. */
void hearth_token_export_async (HearthTokenizer *tokenizer, GArray *ids, HearthTableFormat format,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data);

G_END_DECLS
