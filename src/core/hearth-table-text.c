/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-table-text.h"

#include <math.h>
#include <string.h>

struct _HearthTableText
{
  HearthTableFormat format;
  const char *const *names;
  guint n_columns;
  guint column; /* of the next cell */
  gboolean any; /* whether there is a row */
  GString *out;
};

static void
append_csv (GString *out, const char *text)
{
  /* A field that a spreadsheet would take for a formula stays text. */
  gboolean formula = strchr ("=+-@\t\r", text[0]) != NULL && text[0] != '\0';

  if (!formula && strpbrk (text, ",\"\r\n") == NULL)
    {
      g_string_append (out, text);
      return;
    }
  g_string_append_c (out, '"');
  if (formula)
    g_string_append_c (out, '\'');
  for (; *text != '\0'; text++)
    {
      if (*text == '"')
        g_string_append_c (out, '"');
      g_string_append_c (out, *text);
    }
  g_string_append_c (out, '"');
}

static void
append_json (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (; *text != '\0'; text++)
    {
      if (*text == '"' || *text == '\\')
        g_string_append_printf (out, "\\%c", *text);
      else if ((guchar) *text < 0x20 || *text == 0x7F)
        g_string_append_printf (out, "\\u%04x", (guint) (guchar) *text);
      else
        g_string_append_c (out, *text);
    }
  g_string_append_c (out, '"');
}

HearthTableText *
hearth_table_text_new (HearthTableFormat format, const char *const *names)
{
  HearthTableText *self = g_new0 (HearthTableText, 1);

  self->format = format;
  self->names = names;
  self->n_columns = g_strv_length ((char **) names);
  self->out = g_string_new (NULL);
  if (format == HEARTH_TABLE_JSON)
    {
      g_string_append (self->out, "[");
      return self;
    }
  for (guint i = 0; i < self->n_columns; i++)
    {
      if (i > 0)
        g_string_append_c (self->out, ',');
      append_csv (self->out, names[i]);
    }
  g_string_append_c (self->out, '\n');
  return self;
}

static void
begin_cell (HearthTableText *self)
{
  if (self->format == HEARTH_TABLE_CSV)
    {
      if (self->column > 0)
        g_string_append_c (self->out, ',');
      return;
    }
  if (self->column > 0)
    g_string_append (self->out, ", ");
  else
    g_string_append (self->out, self->any ? ",\n  {" : "\n  {");
  append_json (self->out, self->names[self->column]);
  g_string_append (self->out, ": ");
}

static void
end_cell (HearthTableText *self)
{
  if (++self->column < self->n_columns)
    return;
  self->column = 0;
  self->any = TRUE;
  g_string_append_c (self->out, self->format == HEARTH_TABLE_CSV ? '\n' : '}');
}

void
hearth_table_text_add (HearthTableText *self, const char *text)
{
  begin_cell (self);
  if (self->format == HEARTH_TABLE_CSV)
    append_csv (self->out, text);
  else
    append_json (self->out, text);
  end_cell (self);
}

void
hearth_table_text_add_number (HearthTableText *self, guint64 number)
{
  begin_cell (self);
  g_string_append_printf (self->out, "%" G_GUINT64_FORMAT, number);
  end_cell (self);
}

void
hearth_table_text_add_real (HearthTableText *self, double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  begin_cell (self);
  if (isfinite (number))
    g_string_append (self->out, g_ascii_formatd (text, sizeof text, "%.9g", number));
  else
    g_string_append (self->out, self->format == HEARTH_TABLE_JSON ? "null" : "");
  end_cell (self);
}

GBytes *
hearth_table_text_end (HearthTableText *self)
{
  GBytes *bytes;

  if (self->format == HEARTH_TABLE_JSON)
    g_string_append (self->out, self->any ? "\n]\n" : "]\n");
  /* A text ends with a NUL that is not counted. */
  bytes = g_string_free_to_bytes (self->out);
  g_free (self);
  return bytes;
}
