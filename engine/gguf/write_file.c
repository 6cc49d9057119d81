/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the lists to bytes, and to a file that is either the old or the new one. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/fail.h"
#include "gguf/write.h"

enum { WINDOW = 1 << 20 };

uint64_t write_pad(uint64_t size, uint32_t alignment)
{
    uint64_t over = size % alignment;
    return over ? alignment - over : 0;
}

static enum ember_status check_names(const struct ember_writer *w, struct ember_error *err)
{
    struct name_list list = { w->tensors, sizeof *w->tensors, (uint32_t)w->n_tensors };
    struct hash_key key = hash_key_new();
    struct name_table table = { 0 };
    bool twice = false;

    if (w->n_tensors >= UINT32_MAX || w->n_keys >= UINT32_MAX)
        return ember_fail(err, EMBER_INVALID,
                          "%zu keys and %zu tensors cannot be written; 2^32 - 2 are the most.",
                          w->n_keys, w->n_tensors);
    if (!names_build(&table, &key, &list, &twice))
        return write_no_memory(err);
    for (uint32_t i = 0; twice && i < list.count; i++) {
        struct ember_text name = w->tensors[i].name;
        if (names_find(&table, &key, &list, name.data, name.size) == i)
            continue;
        names_finish(&table);
        return ember_fail(err, EMBER_INVALID, "There are two tensors \"%.*s\".",
                          name.size < 100 ? (int)name.size : 100, name.data);
    }
    names_finish(&table);
    return EMBER_OK;
}

enum ember_status write_header(const struct ember_writer *w, struct text_buffer *out,
                               size_t *unpadded, struct ember_error *err)
{
    enum ember_status st = check_names(w, err);
    uint64_t offset = 0;

    if (st)
        return st;
    text_append(out, "GGUF", 4);
    write_uint(out, 3, 4);
    write_uint(out, w->n_tensors, 8);
    write_uint(out, w->n_keys, 8);
    for (size_t i = 0; i < w->n_keys; i++) {
        const struct write_key *key = &w->keys[i];
        write_uint(out, key->name.size, 8);
        text_append(out, key->name.data, key->name.size);
        write_uint(out, key->type, 4);
        text_append(out, key->value, key->size);
    }
    for (size_t i = 0; i < w->n_tensors; i++) {
        const struct write_tensor *t = &w->tensors[i];
        write_uint(out, t->name.size, 8);
        text_append(out, t->name.data, t->name.size);
        write_uint(out, t->n_dims, 4);
        for (unsigned k = 0; k < t->n_dims; k++)
            write_uint(out, t->ne[k], 8);
        write_uint(out, t->type, 4);
        write_uint(out, offset, 8);
        if (!add_u64(offset, t->n_bytes, &offset) ||
            !add_u64(offset, write_pad(offset, w->alignment), &offset) || offset > INT64_MAX)
            return ember_fail(err, EMBER_INVALID, "Tensors of such sizes fit no file.");
    }
    if (unpadded)
        *unpadded = out->size;
    static const char zeros[256];
    uint64_t pad = w->n_tensors || w->pad_empty ? write_pad(out->size, w->alignment) : 0;
    for (; pad && !out->failed; pad -= pad < sizeof zeros ? pad : sizeof zeros)
        text_append(out, zeros, pad < sizeof zeros ? (size_t)pad : sizeof zeros);
    return out->failed ? write_no_memory(err) : EMBER_OK;
}

enum ember_status ember_writer_header_size(const struct ember_writer *w, uint64_t *out,
                                           struct ember_error *err)
{
    struct text_buffer header = { 0 };
    enum ember_status st = write_header(w, &header, NULL, err);

    if (!st)
        *out = header.size;
    text_finish(&header);
    return st;
}

static enum ember_status put(const struct ember_sink *sink, const void *data, size_t size,
                             struct ember_error *err)
{
    int error = size ? sink->write(sink->user_data, data, size) : 0;
    return error ? ember_fail(err, EMBER_IO, "The file cannot be written: %s.", strerror(error))
                 : EMBER_OK;
}

enum ember_status ember_writer_write_header(const struct ember_writer *w,
                                            const struct ember_sink *sink, struct ember_error *err)
{
    struct text_buffer header = { 0 };
    enum ember_status st = write_header(w, &header, NULL, err);

    if (!st)
        st = put(sink, header.data, header.size, err);
    text_finish(&header);
    return st;
}

/* Where the bytes of a tensor come from, window by window. */
static enum ember_status fetch(const struct write_tensor *t, uint64_t at, void *window, size_t size,
                               struct ember_error *err)
{
    if (t->from)
        return ember_tensor_read(t->from, t->tensor, at, window, size, err);
    if (t->data)
        memcpy(window, (const char *)t->data + at, size);
    else
        memset(window, 0, size);
    return EMBER_OK;
}

enum ember_status ember_writer_write(const struct ember_writer *w, const struct ember_sink *sink,
                                     const struct ember_progress *progress, struct ember_error *err)
{
    uint64_t all = 0, done = 0;
    enum ember_status st = ember_writer_write_header(w, sink, err);
    char *window = st ? NULL : malloc(WINDOW);

    if (st)
        return st;
    if (!window)
        return write_no_memory(err);
    for (size_t i = 0; i < w->n_tensors; i++)
        all += w->tensors[i].n_bytes;
    for (size_t i = 0; i < w->n_tensors && !st; i++) {
        const struct write_tensor *t = &w->tensors[i];
        uint32_t length, n_bytes = 1;
        ember_tensor_block(t->type, &length, &n_bytes);
        size_t most = WINDOW / n_bytes * n_bytes;
        for (uint64_t at = 0; at < t->n_bytes && !st;) {
            size_t size = t->n_bytes - at < most ? (size_t)(t->n_bytes - at) : most;
            st = fetch(t, at, window, size, err);
            if (!st)
                st = put(sink, window, size, err);
            at += size;
            done += size;
            if (!st && progress && progress->report &&
                !progress->report((double)done / (double)all, progress->user_data))
                st = ember_fail(err, EMBER_CANCELLED, "Writing was stopped.");
        }
        memset(window, 0, 4096);
        for (uint64_t pad = write_pad(t->n_bytes, w->alignment); pad && !st;) {
            size_t size = pad < 4096 ? (size_t)pad : 4096;
            st = put(sink, window, size, err);
            pad -= size;
        }
    }
    free(window);
    return st;
}

/* ---- files ---- */

int write_all(int fd, const void *data, size_t size)
{
    const char *p = data;

    while (size) {
        ssize_t n = write(fd, p, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? errno : ENOSPC;
        p += n;
        size -= (size_t)n;
    }
    return 0;
}

static int to_file(void *user_data, const void *data, size_t size)
{
    return write_all(*(int *)user_data, data, size);
}

enum ember_status write_fail(const char *path, const char *what, struct ember_error *err)
{
    int error = errno;
    return ember_fail(err, EMBER_IO, "\"%s\" cannot be %s: %s.", path, what, strerror(error));
}

void write_sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

bool write_beside(char *out, size_t capacity, const char *path, const char *more)
{
    static const struct hash_key key = { { 0x4265736964653A31, 0 } };
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t size = strlen(base);
    char mark[20] = "";

    if (size > 200)
        snprintf(mark, sizeof mark, ".%016" PRIx64, hash_bytes(&key, base, size));
    int n = snprintf(out, capacity, "%.*s.%.200s%s%s", (int)(base - path), path, base, mark, more);
    return n > 0 && (size_t)n < capacity;
}

/* A new file beside the path, with a name that nobody has; -1 with errno. With the permissions of
 * any new file, unless it is to get those of an old one. */
static int create_beside(char *out, size_t capacity, const char *path, bool old)
{
    int fd = -1;

    for (int tries = 0; fd < 0 && tries < 100; tries++) {
        char more[24];
        uint64_t number = hash_key_new().k[0];
        snprintf(more, sizeof more, ".%08" PRIx32, (uint32_t)(number ^ number >> 32));
        if (!write_beside(out, capacity, path, more)) {
            errno = ENAMETOOLONG;
            return -1;
        }
        fd = open(out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old ? 0600 : 0666);
        if (fd < 0 && errno != EEXIST)
            return -1;
    }
    return fd;
}

/* Puts the finished temporary file in place. */
static enum ember_status put_in_place(const char *temporary, const char *path,
                                      enum ember_save_mode mode, struct ember_error *err)
{
    if (mode == EMBER_SAVE_NEW) {
        /* link() fails when something is there, where rename() would replace it. */
        if (!link(temporary, path)) {
            unlink(temporary);
            return EMBER_OK;
        }
        if (errno == EEXIST)
            return ember_fail(err, EMBER_INVALID, "\"%s\" is there already.", path);
        if (access(path, F_OK) == 0)
            return ember_fail(err, EMBER_INVALID, "\"%s\" is there already.", path);
        /* A file system without links. */
    }
    return rename(temporary, path) ? write_fail(path, "replaced", err) : EMBER_OK;
}

enum ember_status ember_writer_save(const struct ember_writer *w, const char *path,
                                    enum ember_save_mode mode,
                                    const struct ember_progress *progress, struct ember_error *err)
{
    struct stat sb;
    /* A link stays a link: what it points to is replaced. */
    char *real = realpath(path, NULL), *temporary = NULL;
    size_t capacity = strlen(real ? real : path) + 64;
    enum ember_status st = EMBER_OK;

    if (mode == EMBER_SAVE_NEW && (real || access(path, F_OK) == 0)) {
        free(real);
        return ember_fail(err, EMBER_INVALID, "\"%s\" is there already.", path);
    }
    if (!real)
        real = strdup(path);
    temporary = malloc(capacity);
    if (!real || !temporary) {
        st = write_no_memory(err);
        goto out;
    }
    bool old = stat(real, &sb) == 0;
    if (old && !S_ISREG(sb.st_mode)) {
        st = ember_fail(err, EMBER_INVALID, "\"%s\" is no ordinary file.", path);
        goto out;
    }
    int fd = create_beside(temporary, capacity, real, old);
    if (fd < 0) {
        st = write_fail(path, "written", err);
        goto out;
    }
    st = ember_writer_write(w, &(struct ember_sink){ to_file, &fd }, progress, err);
    if (!st && old && fchown(fd, sb.st_uid, sb.st_gid) && errno != EPERM)
        st = write_fail(path, "written", err);
    if (!st && old && fchmod(fd, sb.st_mode & 07777))
        st = write_fail(path, "written", err);
    if (!st && fsync(fd))
        st = write_fail(path, "written", err);
    if (close(fd) && !st)
        st = write_fail(path, "written", err);
    if (!st)
        st = put_in_place(temporary, real, mode, err);
    if (st)
        unlink(temporary);
    else
        write_sync_folder(real);
out:
    free(temporary);
    free(real);
    return st;
}
