/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json.h - a small JSON reader (RFC 8259) and writer, for the tool and for template contexts.
 *
 * A document is one tree in one allocation arena, immutable after parsing, readable from any
 * thread. Object members keep their order; of equal names the last one wins on look-up.
 * Numbers keep whether they were written as integers. Strings are UTF-8 with a length. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>
#include <ember/gguf.h>

enum ember_json_kind {
    EMBER_JSON_NULL,
    EMBER_JSON_BOOL,
    EMBER_JSON_INT, /* fits int64_t and had neither fraction nor exponent */
    EMBER_JSON_FLOAT,
    EMBER_JSON_STRING,
    EMBER_JSON_ARRAY,
    EMBER_JSON_OBJECT
};

struct ember_json {
    enum ember_json_kind kind;
    union {
        bool boolean;
        int64_t integer;
        double number;
        struct ember_text text;
        struct {
            size_t count;
            const struct ember_json *items; /* values, of arrays and objects alike */
            const struct ember_text *names; /* objects only, parallel to items */
        } list;
    };
};

struct ember_json_document;

/* Parses the whole of `text`; trailing white space only. Depth is limited to 256.
 * EMBER_FORMAT names the line and what was expected; bytes that are not UTF-8 and numbers beyond a
 * double are such mistakes. Lone surrogates become U+FFFD. A byte order mark is passed over. */
EMBER_API enum ember_status ember_json_parse(struct ember_json_document **out, const char *text,
                                             size_t size, struct ember_error *err);
EMBER_API void ember_json_free(struct ember_json_document *document);
EMBER_API const struct ember_json *ember_json_root(const struct ember_json_document *document);

/* Member of an object by name, or NULL (also when `object` is NULL or no object). */
EMBER_API const struct ember_json *ember_json_member(const struct ember_json *object,
                                                     const char *name);
/* The number as a double, from either kind; `fallback` if it is none. */
EMBER_API double ember_json_number(const struct ember_json *value, double fallback);

/* Writer: appends to a growing text; separators, escapes and indentation are its own work. A failed
 * allocation is remembered and reported by ember_json_writer_finish(). */
struct ember_json_writer;

/* `indent` 0 writes everything on one line. Returns NULL when out of memory. */
EMBER_API struct ember_json_writer *ember_json_writer_new(unsigned indent);
EMBER_API void ember_json_writer_free(struct ember_json_writer *writer);
EMBER_API void ember_json_begin_object(struct ember_json_writer *writer);
EMBER_API void ember_json_end_object(struct ember_json_writer *writer);
EMBER_API void ember_json_begin_array(struct ember_json_writer *writer);
EMBER_API void ember_json_end_array(struct ember_json_writer *writer);
EMBER_API void ember_json_name(struct ember_json_writer *writer, const char *name);
EMBER_API void ember_json_name_text(struct ember_json_writer *writer, struct ember_text name);
EMBER_API void ember_json_write_null(struct ember_json_writer *writer);
EMBER_API void ember_json_write_bool(struct ember_json_writer *writer, bool value);
EMBER_API void ember_json_write_i64(struct ember_json_writer *writer, int64_t value);
EMBER_API void ember_json_write_u64(struct ember_json_writer *writer, uint64_t value);
/* Shortest digits that read back as the same float (`is_f32`) or double; NaN and infinities, which
 * JSON lacks, become the strings "nan", "inf", "-inf". */
EMBER_API void ember_json_write_f64(struct ember_json_writer *writer, double value, bool is_f32);
/* Invalid UTF-8 is written as U+FFFD, one per maximal bad sequence. */
EMBER_API void ember_json_write_text(struct ember_json_writer *writer, struct ember_text text);
EMBER_API void ember_json_write_string(struct ember_json_writer *writer, const char *text);
/* The finished text, owned by the writer, or NULL when memory ran out. */
EMBER_API const char *ember_json_writer_finish(struct ember_json_writer *writer, size_t *size);
