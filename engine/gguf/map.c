/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gguf/map.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "gguf/guard.h"

enum ember_status map_open(struct file_map *map, const char *path, struct ember_error *err)
{
    enum ember_status st;
    struct stat sb;

    *map = (struct file_map){ .fd = -1 };
    /* Non-blocking, or opening a pipe without a writer would wait forever. */
    map->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (map->fd < 0)
        return ember_fail(err, EMBER_IO, "\"%s\" cannot be opened: %s.", path, strerror(errno));
    if (fstat(map->fd, &sb) < 0) {
        st = ember_fail(err, EMBER_IO, "\"%s\" cannot be read: %s.", path, strerror(errno));
        goto fail;
    }
    if (!S_ISREG(sb.st_mode)) {
        st = ember_fail(err, EMBER_IO, "\"%s\" is a %s, not a model file.", path,
                        S_ISDIR(sb.st_mode) ? "folder" : "device or pipe");
        goto fail;
    }
    map->size = (uint64_t)sb.st_size;
    return EMBER_OK;
fail:
    map_close(map);
    return st;
}

enum ember_status map_all(struct file_map *map, const char *path, struct ember_error *err)
{
    if (!map->size)
        return EMBER_OK;
    if (map->size > SIZE_MAX / 2)
        return ember_fail(err, EMBER_UNSUPPORTED, "\"%s\" is too large for a 32-bit system.", path);
    void *data = mmap(NULL, (size_t)map->size, PROT_READ, MAP_SHARED, map->fd, 0);
    if (data == MAP_FAILED)
        return ember_fail(err, errno == ENOMEM ? EMBER_NO_MEMORY : EMBER_IO,
                          "\"%s\" cannot be mapped: %s.", path, strerror(errno));
    map->data = data;
    map->guard = guard_add(data, map->size);
#ifdef MADV_HUGEPAGE
    /* Advice only. Read in pieces of 2 MiB, weights need far fewer page table entries. To have them
     * read ahead by MADV_WILLNEED as well makes small pages of them again, which costs a cold first
     * pass as much as the disk does, and every later pass a tenth. */
    madvise(data, (size_t)map->size, MADV_HUGEPAGE);
#endif
    return EMBER_OK;
}

void map_close(struct file_map *map)
{
    if (!map)
        return;
    guard_remove(map->guard);
    if (map->data)
        munmap((void *)(uintptr_t)map->data, (size_t)map->size);
    if (map->fd >= 0)
        close(map->fd);
    *map = (struct file_map){ .fd = -1 };
}

size_t map_read(void *user_data, uint64_t offset, void *dst, size_t size, int *error)
{
    const struct file_map *map = user_data;
    ssize_t got;

    do
        got = pread(map->fd, dst, size, (off_t)offset);
    while (got < 0 && errno == EINTR);
    if (got >= 0)
        return (size_t)got;
    *error = errno;
    return 0;
}
