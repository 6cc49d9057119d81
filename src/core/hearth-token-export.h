/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-token-export.h - a vocabulary as a file for other programs. For hearth-token-list.c. */
#pragma once

#include "hearth-token-list.h"

G_BEGIN_DECLS

/* `ids` (gint32, NULL: all) is not changed any more. Ends with a boolean. */
void hearth_token_export_async (HearthTokenizer *tokenizer, GArray *ids, GFile *file,
                                HearthTokenExport format, GCancellable *cancellable,
                                GAsyncReadyCallback callback, gpointer user_data);

G_END_DECLS
