/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-visible.h"

/* Characters without a shape, and those that turn the direction of all that follows. */
static gboolean
is_hidden (gunichar c)
{
  switch (g_unichar_type (c))
    {
    case G_UNICODE_FORMAT: /* joiners, directions, the byte order mark */
      /* A joiner holds an emoji together; alone it is as hidden as the others. */
      return c != 0x200D && c != 0x00AD;
    case G_UNICODE_CONTROL:
      return c >= 0x80;
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
    case G_UNICODE_UNASSIGNED:
    case G_UNICODE_PRIVATE_USE:
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
hearth_visible_append (GString *out, const char *bytes, gsize n_bytes)
{
  gboolean escaped = FALSE;
  const char *end = bytes + n_bytes;

  for (const char *at = bytes; at < end;)
    {
      gunichar c = g_utf8_get_char_validated (at, end - at);
      gsize size;

      if (c == (gunichar) -1 || c == (gunichar) -2)
        {
          g_string_append_printf (out, "\\x%02X", (guint) (guchar) *at++);
          escaped = TRUE;
          continue;
        }
      size = (gsize) (g_utf8_next_char (at) - at);
      if (is_hidden (c))
        {
          g_string_append_printf (out, c > 0xFFFF ? "\\U%06X" : "\\u%04X", c);
          escaped = TRUE;
        }
      else
        g_string_append_len (out, at, (gssize) size);
      at += size;
    }
  return escaped;
}

gunichar
hearth_visible_mark (gunichar c)
{
  if (c == ' ')
    return 0x00B7; /* · */
  if (c == '\n')
    return 0x23CE; /* ⏎ */
  if (c == '\t')
    return 0x21E5; /* ⇥ */
  if (c < 0x20)
    return 0x2400 + c;
  if (c == 0x7F)
    return 0x2421;
  if (c == 0xA0 || c == 0x3000 || (c >= 0x2000 && c <= 0x200A))
    return 0x2423; /* ␣: other spaces */
  return 0;
}

char *
hearth_visible_dup (const char *bytes, gsize n_bytes)
{
  g_autoptr (GString) text = g_string_sized_new (n_bytes + 8);
  GString *out = g_string_sized_new (n_bytes + 8);

  hearth_visible_append (text, bytes, n_bytes);
  /* A NUL is a character like others here. */
  for (const char *at = text->str; at < text->str + text->len; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);
      gunichar mark = hearth_visible_mark (c);

      g_string_append_unichar (out, mark != 0 ? mark : c);
    }
  return g_string_free_and_steal (out);
}
