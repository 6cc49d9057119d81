/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-error.h"

#include <ember/error.h>
#include <gio/gio.h>

G_DEFINE_QUARK (hearth - error - quark, hearth_error)

static const HearthError codes[EMBER_STATUS_COUNT] = {
  [EMBER_OK] = HEARTH_ERROR_FAILED,
  [EMBER_END] = HEARTH_ERROR_FAILED,
  [EMBER_INVALID] = HEARTH_ERROR_FAILED,
  [EMBER_FORMAT] = HEARTH_ERROR_DAMAGED,
  [EMBER_UNSUPPORTED] = HEARTH_ERROR_UNSUPPORTED,
  [EMBER_NOT_FOUND] = HEARTH_ERROR_NOT_FOUND,
  [EMBER_NO_MEMORY] = HEARTH_ERROR_NO_MEMORY,
  [EMBER_IO] = HEARTH_ERROR_IO,
  [EMBER_CONTEXT_FULL] = HEARTH_ERROR_CONTEXT_FULL,
};

GError *
hearth_error_from_ember (const struct ember_error *error)
{
  if (error->status == EMBER_CANCELLED)
    return g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, error->message);
  if ((unsigned int) error->status >= EMBER_STATUS_COUNT)
    return g_error_new_literal (HEARTH_ERROR, HEARTH_ERROR_FAILED, error->message);
  return g_error_new_literal (HEARTH_ERROR, (int) codes[error->status], error->message);
}
