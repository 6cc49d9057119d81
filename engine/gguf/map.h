/* SPDX-License-Identifier: GPL-3.0-or-later */
/* map.h - a file mapped read-only.
 *
 * The map is for tensor data. When somebody truncates the file while it is mapped, reading the lost
 * part faults (SIGBUS); the header is therefore read with pread(), and a loader that wants to find
 * out without a fault reads through `fd` first. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>

struct file_map {
    int fd;              /* -1: not open */
    const uint8_t *data; /* NULL until map_all() */
    uint64_t size;       /* bytes when it was opened */
    unsigned guard;      /* slot of guard.h; 0: none */
};

/* Opens a regular file for reading; a folder, pipe or device is refused. */
enum ember_status map_open(struct file_map *map, const char *path, struct ember_error *err);
/* Maps the whole file. An empty file stays NULL and is fine. */
enum ember_status map_all(struct file_map *map, const char *path, struct ember_error *err);
void map_close(struct file_map *map);

/* For struct source; user_data is the struct file_map. */
size_t map_read(void *user_data, uint64_t offset, void *dst, size_t size, int *error);
