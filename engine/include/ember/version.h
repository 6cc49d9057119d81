/* SPDX-License-Identifier: GPL-3.0-or-later */
/* version.h - which release of the library this is. */
#pragma once

#include <ember/error.h>

/* "0.1.0": the library's version. Static storage. Any thread. */
EMBER_API const char *ember_version(void);
