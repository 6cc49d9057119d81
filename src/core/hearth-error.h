/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-error.h - what can go wrong, as the application's own GError domain.
 *
 * The message of such an error is the engine's English sentence, meant for "Details"; the sentence
 * people read first is written by the user interface from the code. A cancelled call is
 * G_IO_ERROR_CANCELLED, as everywhere in GIO. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define HEARTH_ERROR (hearth_error_quark ())

/* Kept with chats as numbers: new ones are added at the end. */
typedef enum
{
  HEARTH_ERROR_FAILED,       /* none of the others */
  HEARTH_ERROR_NOT_A_MODEL,  /* another kind of file */
  HEARTH_ERROR_DAMAGED,      /* a model file that contradicts itself */
  HEARTH_ERROR_INCOMPLETE,   /* a model file whose end is missing */
  HEARTH_ERROR_UNSUPPORTED,  /* a sound file that asks for what Ember cannot do */
  HEARTH_ERROR_ARCHITECTURE, /* a sound file of a kind of model that Ember does not know */
  HEARTH_ERROR_NOT_FOUND,    /* the file is gone */
  HEARTH_ERROR_NO_CHAT,      /* the model has no vocabulary to talk with */
  HEARTH_ERROR_NO_MEMORY,    /* memory was refused */
  HEARTH_ERROR_IO,           /* the file cannot be read */
  HEARTH_ERROR_CONTEXT_FULL, /* the conversation is longer than the model can read */
  HEARTH_ERROR_FILE_LOST,    /* the file became shorter while in use, or its disk failed */
  HEARTH_ERROR_NOT_LOADED,   /* asked of a model that is not in memory */
  HEARTH_ERROR_EMPTY,        /* there is nothing in the file */
} HearthError;

struct ember_error;

GQuark hearth_error_quark (void);

/* The one place where an engine's error becomes a GError. Returns: (transfer full) */
GError *hearth_error_from_ember (const struct ember_error *error);

G_END_DECLS
