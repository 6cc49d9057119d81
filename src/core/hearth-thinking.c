/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-thinking.h"

#include <string.h>

void
hearth_thinking_init (HearthThinking *self, const char *begin, const char *end, gboolean open)
{
  *self = (HearthThinking) { .begin = g_strdup (begin), .end = g_strdup (end) };
  self->held = g_string_new (NULL);
  if (end == NULL)
    self->stage = HEARTH_THINKING_OVER;
  else if (open)
    self->stage = HEARTH_THINKING_INSIDE;
}

void
hearth_thinking_go_on (HearthThinking *self)
{
  if (self->end == NULL)
    return;
  self->stage = HEARTH_THINKING_INSIDE;
  self->begun = TRUE;
}

void
hearth_thinking_finish (HearthThinking *self)
{
  g_clear_pointer (&self->begin, g_free);
  g_clear_pointer (&self->end, g_free);
  if (self->held != NULL)
    g_string_free (g_steal_pointer (&self->held), TRUE);
}

/* How many bytes at the end of `text` may be the beginning of `mark`. */
static gsize
half_a_mark (const GString *text, const char *mark)
{
  gsize most = MIN (strlen (mark) - 1, text->len);

  for (gsize n = most; n > 0; n--)
    {
      if (memcmp (text->str + text->len - n, mark, n) == 0)
        return n;
    }
  return 0;
}

static gsize
leading_space (const GString *text)
{
  return strspn (text->str, " \t\r\n");
}

/* Each step takes something from `held`, or says that it must wait for more. */
static gboolean
step (HearthThinking *self, GString *thoughts, GString *answer)
{
  GString *held = self->held;
  gsize spaces = leading_space (held);
  const char *found;
  gsize keep;

  switch (self->stage)
    {
    case HEARTH_THINKING_BEFORE:
      if (g_str_has_prefix (held->str + spaces, self->begin))
        {
          g_string_erase (held, 0, (gssize) (spaces + strlen (self->begin)));
          self->stage = HEARTH_THINKING_INSIDE;
          return TRUE;
        }
      if (g_str_has_prefix (self->begin, held->str + spaces))
        return FALSE;
      self->stage = HEARTH_THINKING_OVER;
      return TRUE;
    case HEARTH_THINKING_INSIDE:
      if (!self->begun)
        g_string_erase (held, 0, (gssize) spaces);
      self->begun |= held->len > 0;
      found = strstr (held->str, self->end);
      if (found != NULL)
        {
          gsize at = (gsize) (found - held->str);

          g_string_append_len (thoughts, held->str, (gssize) at);
          g_string_erase (held, 0, (gssize) (at + strlen (self->end)));
          self->stage = HEARTH_THINKING_BEHIND;
          return TRUE;
        }
      keep = half_a_mark (held, self->end);
      g_string_append_len (thoughts, held->str, (gssize) (held->len - keep));
      g_string_erase (held, 0, (gssize) (held->len - keep));
      return FALSE;
    case HEARTH_THINKING_BEHIND:
      g_string_erase (held, 0, (gssize) spaces);
      if (held->len == 0)
        return FALSE;
      self->stage = HEARTH_THINKING_OVER;
      return TRUE;
    case HEARTH_THINKING_OVER:
    default:
      g_string_append_len (answer, held->str, (gssize) held->len);
      g_string_truncate (held, 0);
      return FALSE;
    }
}

void
hearth_thinking_push (HearthThinking *self, const char *text, gsize size, GString *thoughts,
                      GString *answer)
{
  if (self->stage == HEARTH_THINKING_OVER && self->held->len == 0)
    {
      g_string_append_len (answer, text, (gssize) size);
      return;
    }
  g_string_append_len (self->held, text, (gssize) size);
  while (step (self, thoughts, answer))
    ;
}

void
hearth_thinking_end (HearthThinking *self, GString *thoughts, GString *answer)
{
  g_string_append_len (self->stage == HEARTH_THINKING_INSIDE ? thoughts : answer, self->held->str,
                       (gssize) self->held->len);
  g_string_truncate (self->held, 0);
}
