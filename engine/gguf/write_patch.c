/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A header changed in place, with a journal that keeps the old one until the new one is there.
 *
 * The journal: a magic, the size of a header, a checksum of what follows, the old header, the new
 * one of the same size. It is complete before the file is touched; an incomplete one means that the
 * file was not. Every byte of a cut header is the old or the new one: a file of which that is not
 * true is another one by the same name, and stays as it is.
 *
 * Who holds the lock of the journal that is found by its name, and nobody else, may change the
 * file, and may remove the journal. A lock ends with its process, so one that can be had belongs to
 * nobody, and the change was cut off. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "gguf/write.h"

static const char journal_magic[8] = "EMBERJ2\n";
static const char journal_name[] = ".ember-journal";

enum { TRIES = 100, PAUSE_MS = 10 }; /* a second for somebody else's change of a header */

static uint64_t checksum(const void *data, size_t size)
{
    static const struct hash_key key = { { 0x4A52554F4E414C31, 0 } };
    return hash_bytes(&key, data, size);
}

static void pause_a_little(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = PAUSE_MS * 1000000L }, NULL);
}

/* Whether the open file still is what the name stands for. */
static bool is_at(int fd, const char *path)
{
    struct stat a, b;
    return !fstat(fd, &a) && !lstat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* A new journal, locked; -1 with errno, which is EEXIST when somebody else is at work. */
static int claim_journal(const char *journal)
{
    for (int tries = 0; tries < TRIES; tries++) {
        int fd = open(journal, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0)
            return -1;
        /* Before it was locked somebody may have taken it for one that was cut off. */
        if (!flock(fd, LOCK_EX) && is_at(fd, journal))
            return fd;
        close(fd);
    }
    errno = EEXIST;
    return -1;
}

enum journal_state {
    JOURNAL_NONE,   /* there is none, or one that is not believed */
    JOURNAL_BUSY,   /* somebody is at work */
    JOURNAL_LOST,   /* it cannot be opened: errno */
    JOURNAL_LOCKED, /* *fd is one that was left, and locked */
};

/* A journal is believed if whoever owns the file or runs this wrote it: in a folder like /tmp
 * others can put one beside a file that they may not change. */
static bool is_ours(const char *journal, const char *path)
{
    struct stat a, b;
    return !lstat(journal, &a) && !stat(path, &b) && S_ISREG(a.st_mode) &&
           (a.st_uid == b.st_uid || a.st_uid == geteuid()) && !(a.st_mode & (S_IWGRP | S_IWOTH));
}

static enum journal_state take_journal(const char *journal, const char *path, int *out)
{
    for (int tries = 0; tries < TRIES; tries++) {
        int fd = open(journal, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        int error = errno;
        if (fd < 0 && (error == ENOENT || !is_ours(journal, path)))
            return JOURNAL_NONE;
        if (fd < 0) {
            errno = error;
            return JOURNAL_LOST;
        }
        /* That it is the one by this name is seen under the lock. */
        bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0, ours = is_ours(journal, path);
        if (locked && ours && is_at(fd, journal)) {
            *out = fd;
            return JOURNAL_LOCKED;
        }
        close(fd);
        if (!ours)
            return JOURNAL_NONE;
        if (!locked)
            pause_a_little();
    }
    return JOURNAL_BUSY;
}

/* Bytes from a place of a file: as many as there are up to `size`; -1 with errno. */
static ssize_t read_at(int fd, void *dst, size_t size, size_t offset)
{
    const struct source file = { .read = map_read, .user_data = &(struct file_map){ .fd = fd } };
    int error;
    size_t n = source_read(&file, offset, dst, size, &error);

    errno = error;
    return error ? -1 : (ssize_t)n;
}

/* The whole journal on the disk, or nothing of it. */
static enum ember_status write_journal(int fd, const char *journal, int from, const char *path,
                                       const char *header, size_t size, struct ember_error *err)
{
    uint64_t numbers[2] = { size };
    char *both = size <= SIZE_MAX / 2 ? malloc(2 * size) : NULL;
    enum ember_status st = EMBER_OK;

    if (!both)
        return write_no_memory(err);
    ssize_t n = read_at(from, both, size, 0);
    if (n < 0)
        st = write_fail(path, "read", err);
    else if ((size_t)n < size)
        st = ember_fail(err, EMBER_FORMAT, "\"%s\" has become shorter than its header.", path);
    if (!st) {
        memcpy(both + size, header, size);
        numbers[1] = checksum(both, 2 * size);
        int error = write_all(fd, journal_magic, sizeof journal_magic);
        if (!error)
            error = write_all(fd, numbers, sizeof numbers);
        if (!error)
            error = write_all(fd, both, 2 * size);
        if (!error && fsync(fd))
            error = errno;
        errno = error;
        if (error)
            st = write_fail(journal, "written", err);
    }
    free(both);
    return st;
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

/* The old header and the new one, to be freed; NULL when the journal was not finished, or (*st)
 * when it cannot be read (EMBER_IO, errno) or there is no memory for it. *size is that of one. */
static char *read_journal(int fd, size_t *size, enum ember_status *st)
{
    struct stat sb;
    uint64_t numbers[2];
    char head[sizeof journal_magic + sizeof numbers], *both;
    ssize_t n = fstat(fd, &sb) ? -1 : read_at(fd, head, sizeof head, 0);

    if (n < 0)
        *st = EMBER_IO;
    if (n < (ssize_t)sizeof head)
        return NULL;
    memcpy(numbers, head + sizeof journal_magic, sizeof numbers);
    if (memcmp(head, journal_magic, sizeof journal_magic) != 0 || numbers[0] > SIZE_MAX / 4 ||
        2 * numbers[0] != (uint64_t)sb.st_size - sizeof head)
        return NULL;
    *size = (size_t)numbers[0];
    both = malloc(2 * *size + 1);
    if (!both) {
        *st = EMBER_NO_MEMORY;
        return NULL;
    }
    n = read_at(fd, both, 2 * *size, sizeof head);
    if (n < 0)
        *st = EMBER_IO;
    else if ((size_t)n == 2 * *size && checksum(both, 2 * *size) == numbers[1])
        return both;
    free(both);
    return NULL;
}

/* 1 if the file begins with a mixture of the two headers, and not with the old one alone; else 0,
 * or -1 with errno when it cannot be read. */
static int is_cut(int fd, const char *old, const char *new, size_t size)
{
    char piece[4096];
    int cut = 0;

    for (size_t at = 0; at < size;) {
        size_t most = size - at < sizeof piece ? size - at : sizeof piece;
        ssize_t n = read_at(fd, piece, most, at);
        if (n <= 0)
            return (int)n;
        for (ssize_t i = 0; i < n; i++, at++)
            if (piece[i] != old[at]) {
                if (piece[i] != new[at])
                    return 0;
                cut = 1;
            }
    }
    return cut;
}

enum ember_status ember_writer_recover(const char *path, struct ember_error *err)
{
    static const char what[] = "mended after a change that was cut off";
    enum ember_status st = EMBER_OK;
    /* Every opening comes through here, nearly always for nothing: no allocation. */
    char real[PATH_MAX], journal[PATH_MAX + 64];
    size_t size = 0;
    int lock = -1;

    if (!realpath(path, real) || !write_beside(journal, sizeof journal, real, journal_name))
        return EMBER_OK; /* opening will say what is wrong with the path */
    switch (take_journal(journal, real, &lock)) {
    case JOURNAL_NONE:
    case JOURNAL_BUSY:
        return EMBER_OK;
    case JOURNAL_LOST:
        return write_fail(path, what, err);
    case JOURNAL_LOCKED:
        break;
    }
    char *both = read_journal(lock, &size, &st);
    if (st == EMBER_IO) {
        st = write_fail(journal, "read", err);
    } else if (st) {
        st = ember_fail(err, st, "\"%s\": no memory left to read its journal.", path);
    } else if (both) {
        int fd = open(real, O_RDONLY | O_CLOEXEC);
        int cut = fd < 0 ? -1 : is_cut(fd, both, both + size, size);
        if (cut < 0) /* the journal stays: it may be needed */
            st = write_fail(path, what, err);
        if (fd >= 0)
            close(fd);
        fd = cut > 0 ? open(real, O_RDWR | O_CLOEXEC) : -1;
        if (cut > 0 && (fd < 0 || !put_header(fd, both, size)))
            st = write_fail(path, what, err);
        if (fd >= 0)
            close(fd);
    }
    if (!st)
        unlink(journal);
    close(lock);
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
        offset += t->n_bytes + write_pad(t->n_bytes, w->alignment);
    }
    return true;
}

/* Whether a file is the one that the object was opened from, as long as it was then. */
static bool is_same_file(int fd, const struct ember_gguf *g)
{
    struct stat a, b;
    return !fstat(fd, &a) && !fstat(g->map.fd, &b) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino && (uint64_t)a.st_size == g->map.size;
}

/* The change itself, with the journal locked. */
static enum ember_status patch(int lock, const char *journal, const char *real, const char *path,
                               const struct ember_gguf *g, const struct text_buffer *header,
                               struct ember_error *err)
{
    int fd = open(real, O_RDWR | O_CLOEXEC);
    enum ember_status st = EMBER_OK;

    if (fd < 0)
        st = write_fail(path, "changed", err);
    else if (!is_same_file(fd, g))
        st = ember_fail(err, EMBER_IO, "\"%s\" was replaced by another file meanwhile.", path);
    if (!st)
        st = write_journal(lock, journal, fd, path, header->data, header->size, err);
    if (!st) {
        write_sync_folder(journal);
        if (!put_header(fd, header->data, header->size)) {
            st = write_fail(path, "changed", err);
            /* What was written goes away again; if that fails, too, the journal stays. */
            size_t size;
            char *both = read_journal(lock, &size, &(enum ember_status){ EMBER_OK });
            bool undone = both && put_header(fd, both, size);
            free(both);
            if (!undone)
                goto out;
        }
    }
    unlink(journal);
    write_sync_folder(real);
out:
    if (fd >= 0)
        close(fd);
    return st;
}

enum ember_status ember_writer_patch(const struct ember_writer *w, const char *path,
                                     struct ember_error *err)
{
    const struct ember_gguf *g = w->n_tensors ? w->tensors[0].from : NULL;
    struct text_buffer header = { 0 };
    char real[PATH_MAX], journal[PATH_MAX + 64];
    enum ember_status st = ember_writer_recover(path, err);

    if (!st && !realpath(path, real))
        st = write_fail(path, "found", err);
    if (!st)
        st = write_header(w, &header, NULL, err);
    if (!st && (!g || g->map.fd < 0 || !same_tensors(w, g) || header.size != g->info.data_offset ||
                !write_beside(journal, sizeof journal, real, journal_name)))
        st = ember_fail(err, EMBER_UNSUPPORTED,
                        "\"%s\": the new header does not fit in the place of the old one.", path);
    if (!st) {
        int lock = claim_journal(journal);
        if (lock < 0 && errno == EEXIST)
            st = ember_fail(err, EMBER_IO, "\"%s\" is being changed by another program.", path);
        else if (lock < 0)
            st = write_fail(journal, "written", err);
        else
            st = patch(lock, journal, real, path, g, &header, err);
        if (lock >= 0)
            close(lock);
    }
    text_finish(&header);
    return st;
}
