/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gguf/guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include <ember/gguf.h>

/* A signal handler can use neither locks nor memory that moves: a table of fixed size, each entry
 * valid while `begin` is not 0. Slot 0 is not used. */
enum { N_SLOTS = 256 };

static struct guarded {
    _Atomic(uintptr_t) begin;
    _Atomic(uintptr_t) size;
    atomic_bool lost;
} guarded[N_SLOTS];

static struct sigaction before;

unsigned guard_add(const void *data, uint64_t size)
{
    for (unsigned i = 1; i < N_SLOTS; i++) {
        uintptr_t none = 0;
        /* 1 is no address of a map: the slot is taken, and no fault belongs to it yet. */
        if (!atomic_compare_exchange_strong(&guarded[i].begin, &none, 1))
            continue;
        atomic_store(&guarded[i].lost, false);
        atomic_store(&guarded[i].size, (uintptr_t)size);
        atomic_store(&guarded[i].begin, (uintptr_t)data);
        return i;
    }
    return 0;
}

void guard_remove(unsigned slot)
{
    if (!slot)
        return;
    atomic_store(&guarded[slot].size, 0);
    atomic_store(&guarded[slot].begin, 0);
}

bool guard_is_lost(unsigned slot)
{
    return slot && atomic_load_explicit(&guarded[slot].lost, memory_order_acquire);
}

/* Puts zeros where the file was. mmap() is not on the list of functions for signal handlers, but
 * here it is the bare system call, and the map cannot be going away: somebody reads it. */
static bool replace(struct guarded *g, uintptr_t begin, uintptr_t size)
{
    int saved_errno = errno;
    void *zeros = mmap((void *)begin, size, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    errno = saved_errno;
    if (zeros == MAP_FAILED)
        return false;
    atomic_store_explicit(&g->lost, true, memory_order_release);
    return true;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    uintptr_t at = (uintptr_t)info->si_addr;

    (void)context;
    for (unsigned i = 1; i < N_SLOTS; i++) {
        uintptr_t begin = atomic_load(&guarded[i].begin), size = atomic_load(&guarded[i].size);
        if (begin > 1 && at >= begin && at - begin < size) {
            if (replace(&guarded[i], begin, size))
                return; /* the read is done again, and succeeds */
            break;
        }
    }
    /* Somebody else's fault: it happens again under the handler that was there before. */
    sigaction(number, &before, NULL);
}

static void install(void)
{
    struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER };
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &before);
}

void ember_gguf_guard(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
}
