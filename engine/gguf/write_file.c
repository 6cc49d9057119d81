/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the lists to bytes, and to a file that is either the old or the new one. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/fail.h"
#include "gguf/write.h"

enum { WINDOW = 1 << 20 };

static uint64_t pad_of(uint64_t size, uint32_t alignment)
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
        return ember_fail(err, EMBER_INVALID, "More keys or tensors than 2^32 cannot be written.");
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
            !add_u64(offset, pad_of(offset, w->alignment), &offset) || offset > INT64_MAX)
            return ember_fail(err, EMBER_INVALID, "Tensors of such sizes fit no file.");
    }
    if (unpadded)
        *unpadded = out->size;
    static const char zeros[256];
    uint64_t pad = w->n_tensors || w->pad_empty ? pad_of(out->size, w->alignment) : 0;
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
        for (uint64_t pad = pad_of(t->n_bytes, w->alignment); pad && !st;) {
            size_t size = pad < 4096 ? (size_t)pad : 4096;
            st = put(sink, window, size, err);
            pad -= size;
        }
    }
    free(window);
    return st;
}

/* ---- files ---- */

static int write_all(void *user_data, const void *data, size_t size)
{
    const char *p = data;
    int fd = *(int *)user_data;

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

static enum ember_status fail_file(const char *path, const char *what, struct ember_error *err)
{
    int error = errno;
    return ember_fail(err, EMBER_IO, "\"%s\" cannot be %s: %s.", path, what, strerror(error));
}

/* So that the new name survives a cut, too; a file system that cannot is no failure. */
static void sync_folder(const char *path)
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

/* FOLDER/.NAME.MORE */
static bool beside_in(char *out, size_t capacity, const char *path, const char *more)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    int n = snprintf(out, capacity, "%.*s.%.200s%s", (int)(base - path), path, base, more);
    return n > 0 && (size_t)n < capacity;
}

static char *beside(const char *path, const char *more)
{
    size_t size = strlen(path) + strlen(more) + 3;
    char *out = malloc(size);

    if (out)
        beside_in(out, size, path, more);
    return out;
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
    return rename(temporary, path) ? fail_file(path, "replaced", err) : EMBER_OK;
}

enum ember_status ember_writer_save(const struct ember_writer *w, const char *path,
                                    enum ember_save_mode mode,
                                    const struct ember_progress *progress, struct ember_error *err)
{
    enum ember_status st;
    struct stat sb;
    int fd = -1;
    /* A link stays a link: what it points to is replaced. */
    char *real = realpath(path, NULL);
    char *temporary = NULL;

    if (!real)
        real = strdup(path);
    if (mode == EMBER_SAVE_NEW && access(path, F_OK) == 0) {
        free(real);
        return ember_fail(err, EMBER_INVALID, "\"%s\" is there already.", path);
    }
    temporary = real ? beside(real, ".XXXXXX") : NULL;
    if (!temporary) {
        free(real);
        return write_no_memory(err);
    }
    bool old = stat(real, &sb) == 0;
    if (old && !S_ISREG(sb.st_mode)) {
        st = ember_fail(err, EMBER_INVALID, "\"%s\" is no ordinary file.", path);
        goto out;
    }
    fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        st = fail_file(path, "written", err);
        goto out;
    }
    st = ember_writer_write(w, &(struct ember_sink){ write_all, &fd }, progress, err);
    if (!st) {
        mode_t mask = umask(0);
        umask(mask);
        if (old && fchown(fd, sb.st_uid, sb.st_gid) && errno != EPERM)
            st = fail_file(path, "written", err);
        if (!st && fchmod(fd, old ? sb.st_mode & 07777 : 0666 & ~mask))
            st = fail_file(path, "written", err);
    }
    if (!st && fsync(fd))
        st = fail_file(path, "written", err);
    if (close(fd) && !st)
        st = fail_file(path, "written", err);
    if (!st)
        st = put_in_place(temporary, real, mode, err);
    if (st)
        unlink(temporary);
    else
        sync_folder(real);
out:
    free(temporary);
    free(real);
    return st;
}

/* ---- in place ---- */

/* The journal: a magic, the size of a header, a checksum of what follows, the old header, the new
 * one of the same size. It is complete before the file is touched; an incomplete one means that the
 * file was not. Every byte of a cut header is the old or the new one: a file of which that is not
 * true is another one by the same name, and stays as it is. */
static const char journal_magic[8] = "EMBERJ2\n";
static const char journal_name[] = ".ember-journal";

static uint64_t checksum(const void *data, size_t size)
{
    static const struct hash_key key = { { 0x4A52554F4E414C31, 0 } };
    return hash_bytes(&key, data, size);
}

/* On success *out is the journal, locked: as long as it is, nobody takes it for one of a cut. */
static enum ember_status write_journal(int *out, const char *journal, const char *path,
                                       const char *header, uint64_t size, struct ember_error *err)
{
    enum ember_status st = EMBER_OK;
    uint64_t numbers[2] = { size };
    char *both = size <= SIZE_MAX / 2 ? malloc(2 * (size_t)size) : NULL;
    int from = open(path, O_RDONLY | O_CLOEXEC), fd = -1;

    if (!both)
        st = write_no_memory(err);
    else if (from < 0 || pread(from, both, (size_t)size, 0) != (ssize_t)size)
        st = fail_file(path, "read", err);
    if (!st) {
        memcpy(both + size, header, (size_t)size);
        numbers[1] = checksum(both, 2 * (size_t)size);
        fd = open(journal, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB))
            st = fail_file(journal, "written", err);
    }
    if (!st && (write_all(&fd, journal_magic, sizeof journal_magic) ||
                write_all(&fd, numbers, sizeof numbers) || write_all(&fd, both, 2 * (size_t)size) ||
                fsync(fd))) {
        st = fail_file(journal, "written", err);
        unlink(journal);
    }
    if (st && fd >= 0)
        close(fd);
    if (from >= 0)
        close(from);
    free(both);
    if (st)
        return st;
    *out = fd;
    sync_folder(journal);
    return EMBER_OK;
}

static bool put_header(int fd, const char *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = pwrite(fd, data + at, size - at, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += (size_t)n;
    }
    return fsync(fd) == 0;
}

/* False while somebody is at work. *both, the old header and the new one, stays NULL when the
 * journal was not finished. *size is that of one. */
static bool read_journal(const char *journal, char **both, size_t *size)
{
    struct stat sb;
    uint64_t numbers[2];
    char magic[sizeof journal_magic];
    int fd = open(journal, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const size_t head = sizeof magic + sizeof numbers;

    *both = NULL;
    if (fd < 0)
        return false;
    if (flock(fd, LOCK_EX | LOCK_NB)) {
        close(fd);
        return false;
    }
    if (!fstat(fd, &sb) && sb.st_size >= (off_t)head &&
        pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
        pread(fd, numbers, sizeof numbers, sizeof magic) == (ssize_t)sizeof numbers &&
        !memcmp(magic, journal_magic, sizeof magic) && numbers[0] <= SIZE_MAX / 4 &&
        2 * numbers[0] == (uint64_t)sb.st_size - head &&
        (*both = malloc(2 * (size_t)numbers[0] + 1))) {
        *size = (size_t)numbers[0];
        if (pread(fd, *both, 2 * *size, (off_t)head) != (ssize_t)(2 * *size) ||
            checksum(*both, 2 * *size) != numbers[1]) {
            free(*both);
            *both = NULL;
        }
    }
    close(fd);
    return true;
}

/* Whether the file begins with a mixture of the two headers. */
static bool is_mixture(int fd, const char *old, const char *new, size_t size)
{
    char piece[4096];

    for (size_t at = 0; at < size;) {
        size_t most = size - at < sizeof piece ? size - at : sizeof piece;
        ssize_t n = pread(fd, piece, most, (off_t)at);
        if (n <= 0)
            return false;
        for (ssize_t i = 0; i < n; i++, at++)
            if (piece[i] != old[at] && piece[i] != new[at])
                return false;
    }
    return true;
}

enum ember_status ember_writer_recover(const char *path, struct ember_error *err)
{
    enum ember_status st = EMBER_OK;
    /* Every opening comes through here, nearly always for nothing: no allocation. */
    char real[PATH_MAX], journal[PATH_MAX + 256], *both = NULL;
    size_t size = 0;

    if (!realpath(path, real) || !beside_in(journal, sizeof journal, real, journal_name))
        return EMBER_OK; /* opening will say what is wrong with the path */
    if (access(journal, F_OK) == 0 && read_journal(journal, &both, &size)) {
        int fd = both ? open(real, O_RDWR | O_CLOEXEC) : -1;
        if (both &&
            (fd < 0 || (is_mixture(fd, both, both + size, size) && !put_header(fd, both, size))))
            st = fail_file(path, "mended after a change that was cut off", err);
        if (fd >= 0)
            close(fd);
        if (!st)
            unlink(journal);
    }
    free(both);
    return st;
}

/* Whether the file's tensors lie exactly as the writer would lay them, in the same order. */
static bool same_tensors(const struct ember_writer *w, const struct ember_gguf *g)
{
    uint64_t offset = 0;

    if (w->n_tensors != g->info.n_tensors || w->alignment != g->info.alignment ||
        g->info.big_endian || g->n_parts)
        return false;
    for (size_t i = 0; i < w->n_tensors; i++) {
        const struct write_tensor *t = &w->tensors[i];
        const struct ember_gguf_tensor *old = &g->tensors[i];
        if (t->from != g || t->tensor != old || old->offset != offset)
            return false;
        offset += t->n_bytes + pad_of(t->n_bytes, w->alignment);
    }
    return true;
}

enum ember_status ember_writer_patch(const struct ember_writer *w, const char *path,
                                     struct ember_error *err)
{
    const struct ember_gguf *g = w->n_tensors ? w->tensors[0].from : NULL;
    struct text_buffer header = { 0 };
    char *real = realpath(path, NULL), *journal = real ? beside(real, journal_name) : NULL;
    enum ember_status st;
    int fd = -1, lock = -1;

    if (!journal) {
        st = real ? write_no_memory(err) : fail_file(path, "found", err);
        goto out;
    }
    st = write_header(w, &header, NULL, err);
    if (st)
        goto out;
    if (!g || !same_tensors(w, g) || header.size != g->info.data_offset) {
        st = ember_fail(err, EMBER_UNSUPPORTED,
                        "\"%s\": the new header does not fit in the place of the old one.", path);
        goto out;
    }
    fd = open(real, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        st = fail_file(path, "changed", err);
        goto out;
    }
    st = write_journal(&lock, journal, real, header.data, header.size, err);
    if (st)
        goto out;
    if (!put_header(fd, header.data, header.size)) {
        st = fail_file(path, "changed", err);
        close(lock);
        lock = -1;
        ember_writer_recover(path, NULL);
        goto out;
    }
    unlink(journal);
    sync_folder(real);
out:
    if (lock >= 0)
        close(lock);
    if (fd >= 0)
        close(fd);
    text_finish(&header);
    free(journal);
    free(real);
    return st;
}
