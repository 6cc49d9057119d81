/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cores.h - how many threads this process can run at once. Any thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>

struct cores {
    uint32_t n_cores;   /* physical cores; at least 1 */
    uint32_t n_threads; /* hardware threads; at least n_cores */
};

/* Of the processors with allowed[i] != 0: those, and the physical cores that they stand on, as far
 * as a control group's quota leaves them time. Reads below the folder `root` ("" for the system's
 * own root); a processor whose core is unknown counts as one. */
void cores_count(struct cores *out, const uint8_t *allowed, size_t n, const char *root);

/* The same for this process's affinity mask. EMBER_CORES=N in the environment puts N in the place
 * of both figures: for a limit that cannot be seen here. EMBER_INVALID when it is no number from 1
 * to 1024; *out is filled even then. */
enum ember_status cores_read(struct cores *out, struct ember_error *err);
