/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-gguf.h"

#include <string.h>

#include <ember/gguf.h>
#include <gio/gio.h>

#include "hearth-error.h"

struct _HearthGguf
{
  struct ember_gguf *gguf;
};

/* The engine says that a file is damaged; whether it was a model at all decides what to tell. */
static HearthError
refine_code (const char *path, int code)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInputStream) stream = NULL;
  guint8 magic[4];
  gsize n_read = 0;

  /* The file is there: a part of its model is not. */
  if (code == HEARTH_ERROR_NOT_FOUND && g_file_test (path, G_FILE_TEST_EXISTS))
    return HEARTH_ERROR_INCOMPLETE;
  if (code == HEARTH_ERROR_IO && !g_file_test (path, G_FILE_TEST_EXISTS))
    return HEARTH_ERROR_NOT_FOUND;
  if (code != HEARTH_ERROR_DAMAGED)
    return (HearthError) code;
  stream = g_file_read (file, NULL, NULL);
  if (stream == NULL ||
      !g_input_stream_read_all (G_INPUT_STREAM (stream), magic, sizeof magic, &n_read, NULL, NULL))
    return HEARTH_ERROR_DAMAGED;
  if (n_read == sizeof magic && memcmp (magic, "GGUF", sizeof magic) == 0)
    return HEARTH_ERROR_DAMAGED;
  return n_read == 0 ? HEARTH_ERROR_EMPTY : HEARTH_ERROR_NOT_A_MODEL;
}

typedef enum ember_status (*Open) (struct ember_gguf **out, const char *path, bool header_only,
                                   struct ember_error *err);

static HearthGguf *
open_by (Open open, const char *path, GError **error)
{
  struct ember_error failure = { 0 };
  struct ember_gguf *gguf = NULL;
  HearthGguf *self;

  if (open (&gguf, path, true, &failure) != EMBER_OK)
    {
      GError *converted = hearth_error_from_ember (&failure);

      if (converted->domain == HEARTH_ERROR)
        converted->code = (int) refine_code (path, converted->code);
      g_propagate_error (error, converted);
      return NULL;
    }
  self = g_atomic_rc_box_new (HearthGguf);
  self->gguf = gguf;
  return self;
}

HearthGguf *
hearth_gguf_open (const char *path, GError **error)
{
  return open_by (ember_gguf_open, path, error);
}

HearthGguf *
hearth_gguf_open_part (const char *path, GError **error)
{
  return open_by (ember_gguf_open_part, path, error);
}

HearthGguf *
hearth_gguf_ref (HearthGguf *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
close_gguf (gpointer data)
{
  ember_gguf_close (((HearthGguf *) data)->gguf);
}

void
hearth_gguf_unref (HearthGguf *self)
{
  g_atomic_rc_box_release_full (self, close_gguf);
}

const struct ember_gguf *
hearth_gguf_get (HearthGguf *self)
{
  return self->gguf;
}

char *
hearth_gguf_dup_line (const struct ember_text *text, gsize max_bytes)
{
  gsize n = MIN (text->size, max_bytes);
  g_autofree char *line = NULL;
  GString *out;

  if (n == 0)
    return g_strdup ("");
  /* A cut inside a character would leave a mark of something broken that is not in the file. */
  while (n < text->size && n > 0 && ((guchar) text->data[n] & 0xC0) == 0x80)
    n--;
  line = g_utf8_make_valid (text->data, (gssize) n);
  out = g_string_sized_new (strlen (line) + 4);
  for (const char *at = line; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);

      /* Control characters, and those that turn the direction of what follows, stay where they
       * are meant: in the file. */
      if (c == '\n')
        g_string_append (out, "⏎");
      else if (g_unichar_iscntrl (c) || (c >= 0x202A && c <= 0x202E) ||
               (c >= 0x2066 && c <= 0x2069))
        g_string_append_c (out, ' ');
      else
        g_string_append_unichar (out, c);
    }
  if (n < text->size)
    g_string_append (out, "…");
  return g_string_free_and_steal (out);
}

char *
hearth_gguf_dup_exact (const struct ember_text *text)
{
  return text->size > 0 ? g_utf8_make_valid (text->data, (gssize) text->size) : g_strdup ("");
}
