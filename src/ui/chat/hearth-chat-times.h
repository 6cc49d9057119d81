/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-chat-times.h - when a chat was used, for people: the sections of the list and the time in
 * a row. Times are microseconds since 1970. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Sections in their order; months follow, each its own. */
#define HEARTH_CHAT_SECTION_PINNED 0
#define HEARTH_CHAT_SECTION_TODAY 1
#define HEARTH_CHAT_SECTION_YESTERDAY 2
#define HEARTH_CHAT_SECTION_WEEK 3

/* Smaller ones come first. */
gint64 hearth_chat_times_get_section (gboolean pinned, gint64 updated, GDateTime *now);
/* Returns: (transfer full) */
char *hearth_chat_times_dup_section_title (gboolean pinned, gint64 updated, GDateTime *now);
/* "14:05", "Monday", "3 November". Returns: (transfer full) */
char *hearth_chat_times_dup_time (gint64 updated, GDateTime *now);
/* Until the sections are others, which is midnight. */
guint hearth_chat_times_get_seconds_left (GDateTime *now);

G_END_DECLS
