/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gguf-file.h - the pieces of a GGUF file, for tests that write one. */
#pragma once

#include <string.h>

#include <glib.h>

static inline void
put_u32 (GByteArray *out, guint32 value)
{
  value = GUINT32_TO_LE (value);
  g_byte_array_append (out, (const guint8 *) &value, sizeof value);
}

static inline void
put_u64 (GByteArray *out, guint64 value)
{
  value = GUINT64_TO_LE (value);
  g_byte_array_append (out, (const guint8 *) &value, sizeof value);
}

static inline void
put_string (GByteArray *out, const char *text)
{
  put_u64 (out, strlen (text));
  g_byte_array_append (out, (const guint8 *) text, (guint) strlen (text));
}

static inline void
put_text_key (GByteArray *out, const char *key, const char *value)
{
  put_string (out, key);
  put_u32 (out, 8);
  put_string (out, value);
}

static inline void
put_u32_key (GByteArray *out, const char *key, guint32 value)
{
  put_string (out, key);
  put_u32 (out, 4);
  put_u32 (out, value);
}

static inline void
put_tensor (GByteArray *out, const char *name, guint64 n, guint32 type, guint64 offset)
{
  put_string (out, name);
  put_u32 (out, 1);
  put_u64 (out, n);
  put_u32 (out, type);
  put_u64 (out, offset);
}

static inline void
put_header (GByteArray *out, guint64 n_tensors, guint64 n_keys)
{
  g_byte_array_append (out, (const guint8 *) "GGUF", 4);
  put_u32 (out, 3);
  put_u64 (out, n_tensors);
  put_u64 (out, n_keys);
}

/* What follows are `n` elements of the type. */
static inline void
put_array_key (GByteArray *out, const char *key, guint32 type, guint64 n)
{
  put_string (out, key);
  put_u32 (out, 9);
  put_u32 (out, type);
  put_u64 (out, n);
}
