/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process that ends at any step of a save or of a change in place: whoever opens the file next
 * finds the old one or the new one, whole. The linker sends what touches the disk through here. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ember/gguf.h>
#include <ember/writer.h>

#include "test.h"

enum moment { BEFORE, HALF, AFTER, FAILING, MOMENTS };

static long steps, die_at = -1;
static enum moment moment;

/* Which read is to fail from now on; -1: none. */
static long reads, read_fails = -1;

/* Counts a step; true when it is the one. */
static bool is_it(void)
{
    return steps++ == die_at;
}

ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size);
ssize_t __real_pread(int fd, void *data, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *data, size_t size, off_t at);
ssize_t __wrap_pread64(int fd, void *data, size_t size, off_t at);
ssize_t __real_pwrite(int fd, const void *data, size_t size, off_t at);
ssize_t __wrap_pwrite(int fd, const void *data, size_t size, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *data, size_t size, off_t at);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __real_link(const char *from, const char *to);
int __wrap_link(const char *from, const char *to);
int __real_unlink(const char *path);
int __wrap_unlink(const char *path);

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
    if (!is_it())
        return __real_write(fd, data, size);
    if (moment == FAILING) {
        errno = ENOSPC;
        return -1;
    }
    if (moment != BEFORE)
        (void)!__real_write(fd, data, moment == HALF ? size / 2 : size);
    _exit(9);
}

ssize_t __wrap_pread(int fd, void *data, size_t size, off_t at)
{
    if (reads++ != read_fails)
        return __real_pread(fd, data, size, at);
    errno = EIO;
    return -1;
}

ssize_t __wrap_pread64(int fd, void *data, size_t size, off_t at)
{
    return __wrap_pread(fd, data, size, at);
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t size, off_t at)
{
    if (!is_it())
        return __real_pwrite(fd, data, size, at);
    if (moment == FAILING) {
        (void)!__real_pwrite(fd, data, size / 2, at);
        errno = EIO;
        return -1;
    }
    if (moment != BEFORE)
        (void)!__real_pwrite(fd, data, moment == HALF ? size / 2 : size, at);
    _exit(9);
}

/* The same under the name that it has with 64-bit offsets on every system. */
ssize_t __wrap_pwrite64(int fd, const void *data, size_t size, off_t at)
{
    return __wrap_pwrite(fd, data, size, at);
}

/* A step that is done or not. */
#define STEP(call)                                                                                 \
    if (is_it()) {                                                                                 \
        if (moment == FAILING) {                                                                   \
            errno = EIO;                                                                           \
            return -1;                                                                             \
        }                                                                                          \
        if (moment == AFTER)                                                                       \
            (void)!(call);                                                                         \
        _exit(9);                                                                                  \
    }                                                                                              \
    return call

int __wrap_fsync(int fd)
{
    STEP(__real_fsync(fd));
}

int __wrap_rename(const char *from, const char *to)
{
    STEP(__real_rename(from, to));
}

int __wrap_link(const char *from, const char *to)
{
    STEP(__real_link(from, to));
}

int __wrap_unlink(const char *path)
{
    STEP(__real_unlink(path));
}

static char folder[] = "/tmp/test-crash-XXXXXX", path[80], journal[120];

#define TEXT(s) ((struct ember_text){ s, sizeof(s) - 1 })
enum { LONG = 20000 };

/* The file in its old or new form: a long text of one letter, and data. */
static struct ember_writer *form(const struct ember_gguf *from, char letter)
{
    static float data[64] = { 1, 2, 3 };
    static char text[LONG];
    struct ember_writer *w = NULL;
    struct ember_writer_tensor t = { TEXT("t"), 0, 1, { 64 }, data };

    memset(text, letter, sizeof text);
    if (from)
        CHECK(!ember_writer_from(&w, from, NULL));
    else
        CHECK(!ember_writer_new(&w, NULL) && !ember_writer_add_tensor(w, &t, NULL));
    CHECK(!ember_writer_set_text(w, TEXT("k"), (struct ember_text){ text, sizeof text }, NULL));
    return w;
}

static void make_old(void)
{
    struct ember_writer *w = form(NULL, 'o');
    CHECK(!ember_writer_save(w, path, EMBER_SAVE_REPLACE, NULL, NULL));
    ember_writer_free(w);
}

/* 'o' or 'n' when the file is whole, else '?'. */
static char look(void)
{
    struct ember_gguf *g = NULL;
    struct ember_error err = { 0 };
    char found = '?';

    if (!CHECK_MSG(!ember_gguf_open(&g, path, false, &err), "%s", err.message))
        return found;
    struct ember_text text = ember_gguf_get_text(g, "k");
    if (text.size == LONG && ember_gguf_info(g)->n_tensors == 1) {
        found = text.data[0];
        for (size_t i = 0; i < text.size; i++)
            found = text.data[i] == found ? found : '?';
    }
    ember_gguf_close(g);
    return found;
}

/* What the child does. */
static enum ember_status change(bool in_place)
{
    struct ember_gguf *g = NULL;
    enum ember_status st = ember_gguf_open(&g, path, true, NULL);

    if (st)
        return st;
    struct ember_writer *w = form(g, 'n');
    st = in_place ? ember_writer_patch(w, path, NULL)
                  : ember_writer_save(w, path, EMBER_SAVE_REPLACE, NULL, NULL);
    ember_writer_free(w);
    ember_gguf_close(g);
    return st;
}

/* Ends at every step in turn, or lets it fail. */
static void test_every_step(bool in_place, enum moment when)
{
    long n_died = 0, n_new = 0;

    for (long at = 0;; at++) {
        int status = 0;
        make_old();
        pid_t child = fork();
        if (child == 0) {
            steps = 0;
            die_at = at;
            moment = when;
            enum ember_status st = change(in_place);
            _exit(steps > at ? (st ? 1 : 0) : st ? 3 : 2);
        }
        if (!CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)))
            return;
        int code = WEXITSTATUS(status);
        char found = look();
        CHECK_MSG(found == 'o' || found == 'n', "%s, step %ld, moment %d: neither old nor new",
                  in_place ? "in place" : "save", at, (int)when);
        if (code == 1 && in_place) /* said to have failed: then nothing has changed */
            CHECK_MSG(found == 'o', "step %ld failed, but the file is new", at);
        CHECK_MSG(access(journal, F_OK) != 0, "step %ld leaves a journal", at);
        if (code == 2 || code == 3) { /* there is no such step */
            CHECK(code == 2 && found == 'n');
            break;
        }
        n_died++;
        n_new += found == 'n';
    }
    CHECK_MSG(n_died >= 4, "only %ld steps", n_died);
    CHECK(when == FAILING || n_new < n_died);
}

/* A disk that refuses any one read while a cut is mended: the journal stays until it was used. */
static void test_unreadable(void)
{
    long n_kept = 0;

    for (long at = 0;; at++) {
        struct ember_error err = { 0 };
        int status = 0;
        make_old();
        pid_t child = fork();
        if (child == 0) {
            steps = 0;
            die_at = at;
            moment = HALF;
            change(true);
            _exit(0);
        }
        if (!CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)))
            return;
        for (long k = 0; !access(journal, F_OK); k++, n_kept++) {
            reads = 0;
            read_fails = k;
            enum ember_status st = ember_writer_recover(path, &err);
            read_fails = -1;
            if (reads <= k) {
                CHECK_MSG(!st, "%s", err.message);
                break;
            }
            if (!CHECK_MSG(st == EMBER_IO && err.message[0] && !access(journal, F_OK),
                           "step %ld, read %ld: status %d", at, k, (int)st))
                break;
        }
        char found = look();
        CHECK_MSG(found == 'o' || found == 'n', "step %ld: neither old nor new", at);
        if (!WEXITSTATUS(status))
            break;
    }
    CHECK_MSG(n_kept >= 10, "only %ld refused reads", n_kept);
}

/* Two journals: one that somebody holds, one that is another user's to write. */
static void test_others(void)
{
    struct ember_gguf *g = NULL;
    struct ember_error err = { 0 };

    make_old();
    CHECK(!ember_gguf_open(&g, path, true, NULL));
    struct ember_writer *w = form(g, 'n');
    int fd = open(journal, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB));
    CHECK(ember_writer_patch(w, path, &err) == EMBER_IO);
    CHECK_MSG(strstr(err.message, "another program"), "%s", err.message);
    CHECK(!access(journal, F_OK));
    CHECK(look() == 'o');
    /* Whoever made it ended: an empty journal goes away by itself. */
    close(fd);
    CHECK(look() == 'o' && access(journal, F_OK));

    fd = open(journal, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && !fchmod(fd, 0666));
    close(fd);
    CHECK(look() == 'o' && !access(journal, F_OK)); /* not believed, not touched */
    CHECK(!unlink(journal));

    /* A link by that name is not followed. */
    CHECK(!symlink("/dev/null", journal));
    CHECK(look() == 'o' && !access(journal, F_OK));
    CHECK(ember_writer_patch(w, path, &err) == EMBER_IO);
    CHECK(!unlink(journal));

    /* The file was replaced after it was read. */
    make_old();
    CHECK(ember_writer_patch(w, path, &err) == EMBER_IO);
    CHECK_MSG(strstr(err.message, "replaced"), "%s", err.message);
    CHECK(look() == 'o' && access(journal, F_OK));
    ember_writer_free(w);
    ember_gguf_close(g);
}

int main(void)
{
    if (!CHECK(mkdtemp(folder)))
        return test_end();
    snprintf(path, sizeof path, "%s/m.gguf", folder);
    snprintf(journal, sizeof journal, "%s/.m.gguf.ember-journal", folder);
    for (enum moment when = BEFORE; when < MOMENTS; when++) {
        test_every_step(true, when);
        test_every_step(false, when);
    }
    test_unreadable();
    test_others();

    /* Temporary files of processes that ended are all that is left. */
    char command[120];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(system(command) == 0);
    return test_end();
}
