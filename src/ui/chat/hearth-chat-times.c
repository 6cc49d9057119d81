/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-chat-times.h"

#include <glib/gi18n.h>

/* Whole days from the day of `then` to the day of `now`, by the calendar, not by hours: a night
 * with a change of clocks is a night. */
static int
days_between (GDateTime *then, GDateTime *now)
{
  GDate then_date, now_date;

  g_date_clear (&then_date, 1);
  g_date_clear (&now_date, 1);
  g_date_set_dmy (&then_date, (GDateDay) g_date_time_get_day_of_month (then),
                  (GDateMonth) g_date_time_get_month (then),
                  (GDateYear) g_date_time_get_year (then));
  g_date_set_dmy (&now_date, (GDateDay) g_date_time_get_day_of_month (now),
                  (GDateMonth) g_date_time_get_month (now), (GDateYear) g_date_time_get_year (now));
  return g_date_days_between (&then_date, &now_date);
}

/* In the time zone of `now`. What is out of every calendar is the beginning of it. */
static GDateTime *
local_time (gint64 updated, GDateTime *now)
{
  g_autoptr (GDateTime) utc = g_date_time_new_from_unix_utc_usec (updated);

  if (utc == NULL)
    utc = g_date_time_new_from_unix_utc (0);
  return g_date_time_to_timezone (utc, g_date_time_get_timezone (now));
}

gint64
hearth_chat_times_get_section (gboolean pinned, gint64 updated, GDateTime *now)
{
  g_autoptr (GDateTime) then = local_time (updated, now);
  int days = days_between (then, now);

  if (pinned)
    return HEARTH_CHAT_SECTION_PINNED;
  if (days <= 0)
    return HEARTH_CHAT_SECTION_TODAY; /* also what a wrong clock put into the future */
  if (days == 1)
    return HEARTH_CHAT_SECTION_YESTERDAY;
  if (days <= 7)
    return HEARTH_CHAT_SECTION_WEEK;
  return 1000000 - (g_date_time_get_year (then) * 12 + g_date_time_get_month (then));
}

char *
hearth_chat_times_dup_section_title (gboolean pinned, gint64 updated, GDateTime *now)
{
  gint64 section = hearth_chat_times_get_section (pinned, updated, now);
  g_autoptr (GDateTime) then = NULL;

  switch (section)
    {
    case HEARTH_CHAT_SECTION_PINNED:
      return g_strdup (_ ("Pinned"));
    case HEARTH_CHAT_SECTION_TODAY:
      return g_strdup (_ ("Today"));
    case HEARTH_CHAT_SECTION_YESTERDAY:
      return g_strdup (_ ("Yesterday"));
    case HEARTH_CHAT_SECTION_WEEK:
      return g_strdup (_ ("Previous 7 Days"));
    default:
      then = local_time (updated, now);
      if (g_date_time_get_year (then) == g_date_time_get_year (now))
        return g_date_time_format (then, "%OB");
      /* Translators: month and year, for strftime() */
      return g_date_time_format (then, _ ("%OB %Y"));
    }
}

char *
hearth_chat_times_dup_time (gint64 updated, GDateTime *now)
{
  g_autoptr (GDateTime) then = local_time (updated, now);
  int days = days_between (then, now);

  if (days <= 1)
    /* Translators: the time of day, for strftime() */
    return g_date_time_format (then, _ ("%H:%M"));
  if (days < 7)
    return g_date_time_format (then, "%A");
  /* Translators: day and month, for strftime() */
  return g_date_time_format (then, _ ("%-d %B"));
}

guint
hearth_chat_times_get_seconds_left (GDateTime *now)
{
  int gone = g_date_time_get_hour (now) * 3600 + g_date_time_get_minute (now) * 60 +
             g_date_time_get_second (now);

  return (guint) MAX (24 * 3600 - gone, 1);
}
