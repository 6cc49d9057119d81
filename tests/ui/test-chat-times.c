/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-chat-times.c - the sections of the list of chats, by the calendar. */
#include "hearth-chat-times.h"

static gint64
section (const char *then, const char *now)
{
  g_autoptr (GTimeZone) zone = g_time_zone_new_identifier ("Europe/Berlin");
  g_autoptr (GDateTime) then_time = g_date_time_new_from_iso8601 (then, zone);
  g_autoptr (GDateTime) now_time = g_date_time_new_from_iso8601 (now, zone);

  return hearth_chat_times_get_section (FALSE, g_date_time_to_unix_usec (then_time), now_time);
}

static char *
title (const char *then, const char *now)
{
  g_autoptr (GTimeZone) zone = g_time_zone_new_identifier ("Europe/Berlin");
  g_autoptr (GDateTime) then_time = g_date_time_new_from_iso8601 (then, zone);
  g_autoptr (GDateTime) now_time = g_date_time_new_from_iso8601 (now, zone);

  return hearth_chat_times_dup_section_title (FALSE, g_date_time_to_unix_usec (then_time),
                                              now_time);
}

static void
test_sections (void)
{
  const char *now = "2026-03-29T12:00:00";
  g_autoptr (GDateTime) utc = g_date_time_new_now_utc ();

  g_assert_cmpint (section ("2026-03-29T00:00:00", now), ==, HEARTH_CHAT_SECTION_TODAY);
  g_assert_cmpint (section ("2026-04-02T00:00:00", now), ==, HEARTH_CHAT_SECTION_TODAY);
  g_assert_cmpint (section ("2026-03-28T23:59:59", now), ==, HEARTH_CHAT_SECTION_YESTERDAY);
  /* A night of 23 hours. */
  g_assert_cmpint (section ("2026-03-28T00:00:00", "2026-03-29T23:59:59"), ==,
                   HEARTH_CHAT_SECTION_YESTERDAY);
  g_assert_cmpint (section ("2026-03-27T12:00:00", now), ==, HEARTH_CHAT_SECTION_WEEK);
  g_assert_cmpint (section ("2026-03-22T00:00:00", now), ==, HEARTH_CHAT_SECTION_WEEK);
  g_assert_cmpint (section ("2026-03-21T23:00:00", now), >, HEARTH_CHAT_SECTION_WEEK);
  g_assert_cmpint (section ("2026-03-01T00:00:00", now), <, section ("2026-02-28T23:00:00", now));
  g_assert_cmpint (section ("2026-01-31T00:00:00", now), <, section ("2025-12-31T23:00:00", now));
  g_assert_cmpint (hearth_chat_times_get_section (TRUE, G_MAXINT64, utc), ==,
                   HEARTH_CHAT_SECTION_PINNED);
}

static void
test_titles (void)
{
  const char *now = "2026-03-29T12:00:00";
  g_autofree char *today = title ("2026-03-29T08:00:00", now);
  g_autofree char *month = title ("2026-02-03T08:00:00", now);
  g_autofree char *year = title ("2025-11-03T08:00:00", now);

  g_assert_cmpstr (today, ==, "Today");
  g_assert_cmpstr (month, ==, "February");
  g_assert_cmpstr (year, ==, "November 2025");
}

static void
test_midnight (void)
{
  g_autoptr (GDateTime) late = g_date_time_new_utc (2026, 3, 1, 23, 59, 30);
  g_autoptr (GDateTime) early = g_date_time_new_utc (2026, 3, 1, 0, 0, 0);

  g_assert_cmpuint (hearth_chat_times_get_seconds_left (late), ==, 30);
  g_assert_cmpuint (hearth_chat_times_get_seconds_left (early), ==, 86400);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/chat-times/sections", test_sections);
  g_test_add_func ("/chat-times/titles", test_titles);
  g_test_add_func ("/chat-times/midnight", test_midnight);
  return g_test_run ();
}
