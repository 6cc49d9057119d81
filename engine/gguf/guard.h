/* SPDX-License-Identifier: GPL-3.0-or-later */
/* guard.h - mapped files that can no longer be read.
 *
 * A file that becomes shorter while it is mapped, or whose disk fails, faults where it is read
 * (SIGBUS). With the handler of ember_gguf_guard() in place the whole map then turns into zeros and
 * is marked as lost: whoever computes on it goes on to the end of its step and asks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Watches a map; returns a slot, or 0 when there is none left (then it is not watched). */
unsigned guard_add(const void *data, uint64_t size);
/* Before the map is undone. 0 is fine. */
void guard_remove(unsigned slot);
/* Whether reading it has failed. Any thread. */
bool guard_is_lost(unsigned slot);
