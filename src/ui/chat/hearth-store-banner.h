/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-store-banner.h - says when chats are not saved as they should be, and what was done about
 * it. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-conversation-store.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_STORE_BANNER (hearth_store_banner_get_type ())
G_DECLARE_FINAL_TYPE (HearthStoreBanner, hearth_store_banner, HEARTH, STORE_BANNER, GtkWidget)

/* Returns: (transfer floating) */
GtkWidget *hearth_store_banner_new (HearthConversationStore *store);

G_END_DECLS
