/* SPDX-License-Identifier: GPL-3.0-or-later */
/* output.h - what the tool writes and reads: sentences on standard error, text and JSON on standard
 * output, whole files in. One thread; nothing here exits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <ember/ember.h>

/* Prints "ember: " and one sentence to standard error; control characters are escaped. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with the library's sentence. Returns STATUS_FAILED. */
int fail_with(const struct ember_error *err);
/* The same where the command line's own values were used: STATUS_USAGE for EMBER_INVALID. */
int fail_with_values(const struct ember_error *err);

/* Ends standard output: STATUS_FINE, or STATUS_FAILED after a sentence when something could not be
 * written (a full disk, a closed pipe). Every command that prints returns through here. */
int output_end(void);
/* Prints the finished JSON and a newline, frees the writer, and ends the output. */
int output_json(struct ember_json_writer *writer);
/* A writer, or NULL after a sentence. */
struct ember_json_writer *output_json_new(void);

/* How bytes of unknown origin are printed. Control characters and bytes that are not UTF-8 come out
 * as \n, \t, \xNN, so that no file can command a terminal. */
enum text_style {
    TEXT_PLAIN,  /* one line; invisible formatting characters are escaped, too */
    TEXT_QUOTED, /* the same between quotes, with quotes and backslashes escaped */
    TEXT_ANSWER  /* running text: line ends, tabs and formatting characters stay */
};
/* Prints at most `columns` characters (0: all), the last being "…" if there is more. Returns how
 * many were printed. */
size_t text_print(FILE *file, struct ember_text text, enum text_style style, size_t columns);
/* Terminated text as a struct ember_text. */
struct ember_text text_of(const char *string);

/* "763.2 MiB", "512 bytes": for people. */
struct number_text {
    char text[32];
};
struct number_text bytes_text(uint64_t n_bytes);
/* "49,152" */
struct number_text count_text(uint64_t count);

/* Growing bytes; zero-initialised is empty. */
struct bytes {
    char *data; /* owned; freed by bytes_finish() */
    size_t size;
    size_t capacity;
};
/* False when memory is refused; what was there stays. */
bool bytes_append(struct bytes *bytes, const void *data, size_t size);
void bytes_finish(struct bytes *bytes);
/* Appends the text with bytes that are not UTF-8, and NUL, as U+FFFD. */
bool bytes_append_utf8(struct bytes *bytes, struct ember_text text);

/* Reads a whole file, or standard input for path NULL; one longer than FILE_READ_MAX (or without an
 * end, as /dev/zero) is refused before it fills the memory. False after a sentence. */
enum { FILE_READ_MAX = 256 << 20 };
bool file_read(const char *path, struct bytes *out);
