/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-token-list.h - the tokens of a vocabulary as a list model that makes its items when they
 * are looked at. Searching and sorting happen on another thread; the list changes when they are
 * done. Main thread. */
#pragma once

#include "hearth-table-text.h"
#include "hearth-tokenizer.h"

G_BEGIN_DECLS

/* One token. */
#define HEARTH_TYPE_TOKEN (hearth_token_get_type ())
G_DECLARE_FINAL_TYPE (HearthToken, hearth_token, HEARTH, TOKEN, GObject)

int hearth_token_get_id (HearthToken *self);
/* Returns: (transfer none) */
HearthTokenizer *hearth_token_get_tokenizer (HearthToken *self);

typedef enum
{
  HEARTH_TOKEN_ORDER_ID,
  HEARTH_TOKEN_ORDER_PIECE,
  HEARTH_TOKEN_ORDER_KIND,
  HEARTH_TOKEN_ORDER_SCORE,
} HearthTokenOrder;

typedef struct
{
  const char *text; /* what the token stands for, its stored text, or its id; NULL: any. Capital
                     * letters count if there are any */
  int kind;         /* HearthTokenKind; -1: any */
  HearthTokenOrder order;
  gboolean descending;
} HearthTokenQuery;

#define HEARTH_TYPE_TOKEN_LIST (hearth_token_list_get_type ())
G_DECLARE_FINAL_TYPE (HearthTokenList, hearth_token_list, HEARTH, TOKEN_LIST, GObject)

/* Property: busy. */

/* Returns: (transfer full) */
HearthTokenList *hearth_token_list_new (void);
/* Shows all of them, by id; NULL: none. */
void hearth_token_list_set_tokenizer (HearthTokenList *self, HearthTokenizer *tokenizer);
/* Returns: (transfer none) (nullable) */
HearthTokenizer *hearth_token_list_get_tokenizer (HearthTokenList *self);
void hearth_token_list_query (HearthTokenList *self, const HearthTokenQuery *query);
gboolean hearth_token_list_get_busy (HearthTokenList *self);
/* How many tokens of each type the vocabulary has: HEARTH_TOKEN_N_KINDS of them, once for each
 * set_tokenizer(). Returns: (transfer none) */
const guint *hearth_token_list_get_counts (HearthTokenList *self);

/* The tokens listed now, in their order, as a table for other programs, made on another thread. */
void hearth_token_list_export_async (HearthTokenList *self, HearthTableFormat format,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data);
/* Returns: (transfer full) (nullable) */
GBytes *hearth_token_list_export_finish (GAsyncResult *result, GError **error);

G_END_DECLS
