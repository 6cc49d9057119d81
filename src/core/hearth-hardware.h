/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-hardware.h - what this computer has, for diagnostics. Any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Processor, the engine's level on it, and memory; one per line. Reads system files.
 * Returns: (transfer full) */
char *hearth_hardware_dup_report (void);

/* Processor cores that may be used. */
guint hearth_hardware_get_n_cores (void);

/* Bytes of memory in all; 0 when the system does not say. Reads a system file. */
guint64 hearth_hardware_get_memory (void);

/* The engine's version, "0.1.0". */
const char *hearth_hardware_get_engine_version (void);

G_END_DECLS
