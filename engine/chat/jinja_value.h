/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jinja_value.h - the values a template computes with, and text that knows where it came from.
 *
 * Everything lives in the arena of one rendering (or, for constants, of the template) and is never
 * freed alone. A text is a window into a store; the store says for every byte whether it came from
 * outside ("untrusted"). Slicing moves the window, appending copies the marks, so no operation can
 * lose them: text is built by struct builder alone, which asks for the mark of what it appends.
 * Scalars and containers carry the mark as a flag, for the text that is made of them later. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct render; /* jinja_run.h */
struct node;
struct scope;

enum value_kind {
    VALUE_MISSING, /* no value at all: an unset variable, an argument that was not given */
    VALUE_UNDEFINED,
    VALUE_NONE,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_FLOAT,
    VALUE_STRING,
    VALUE_LIST,
    VALUE_TUPLE,
    VALUE_DICT,
    VALUE_VIEW, /* what keys(), values() and items() of a dict return */
    VALUE_RANGE,
    VALUE_GENERATOR, /* can be walked once */
    VALUE_NAMESPACE,
    VALUE_MACRO,
    VALUE_FUNCTION,
    VALUE_METHOD,
    VALUE_LOOP,
    VALUE_CYCLER,
    VALUE_JOINER,
    VALUE_KIND_COUNT
};

enum value_flag {
    VALUE_UNTRUSTED = 1, /* text made of this value is untrusted (strings have marks instead) */
    VALUE_MARKUP = 2,    /* a string that counts as HTML already: + and % escape what joins it */
    VALUE_GROUP = 4      /* a pair from groupby, with .grouper and .list */
};

/* Why a value is undefined; the sentence is made only when somebody stumbles over it. */
enum undefined_reason {
    UNDEFINED_NAME,      /* .text: the variable's name */
    UNDEFINED_ATTRIBUTE, /* .text: the attribute; `of`: the kind of the object */
    UNDEFINED_ELEMENT,   /* .integer; `of` */
    UNDEFINED_UNSAFE,    /* .text: a method that would change its object; `of` */
    UNDEFINED_PARAMETER, /* .text */
    UNDEFINED_NO_ELSE,   /* an inline if without else */
    UNDEFINED_EMPTY,     /* first, last, min or max of nothing */
    UNDEFINED_LOOP_END   /* loop.previtem of the first item, loop.nextitem of the last */
};

struct text_store {
    char *data;
    uint32_t size, capacity; /* capacity 0: not ours to append to */
    uint32_t *flips;         /* positions where trust changes, rising */
    uint32_t n_flips, flips_capacity;
    bool untrusted; /* at position 0 */
    bool ascii;     /* every byte < 0x80, so that positions are characters */
};

struct str {
    struct text_store *store; /* may be NULL when size is 0 */
    uint32_t offset, size;
};

struct list {
    struct value *items;
    uint32_t n, capacity;
};

struct dict {
    struct dict_entry *entries; /* in the order of insertion */
    uint32_t n, capacity;
    uint32_t *index; /* open addressing, entry + 1; NULL while small */
    uint32_t index_size;
};

struct range {
    int64_t start, stop, step;
    int64_t n;
};

enum view_kind { VIEW_KEYS, VIEW_VALUES, VIEW_ITEMS };

struct value {
    uint8_t kind;  /* enum value_kind */
    uint8_t flags; /* enum value_flag */
    uint8_t reason, of;
    union {
        bool boolean;
        int64_t integer;
        double number;
        struct str text;
        struct list *list; /* list and tuple */
        struct dict *dict; /* dict and namespace */
        struct {
            struct dict *dict;
            enum view_kind kind;
        } view;
        struct range *range;
        struct generator *generator;
        struct macro *macro;
        const struct function *function;
        struct bound_method *method;
        struct loop *loop;
        struct cycler *cycler;
        struct joiner *joiner;
    };
};

struct dict_entry {
    struct value key, value;
    uint32_t hash;
};

/* Arguments of a call. */
struct named_value {
    struct str name;
    struct value value;
};
struct arguments {
    const struct value *at;
    uint32_t n;
    const struct named_value *named;
    uint32_t n_named;
};

/* A filter whose work waits until somebody walks its result, as in the reference. */
struct generator {
    bool (*produce)(struct render *r, const struct value *input, const struct arguments *args,
                    struct list *items); /* NULL once `items` is there */
    struct value input;
    struct arguments args;
    struct list items;
    uint32_t next;
};

/* Names of kinds as error sentences give them: "str", "NoneType" … */
const char *jinja_kind_name(const struct value *v);

/* ---- plain values ---- */

static inline struct value value_none(void)
{
    return (struct value){ .kind = VALUE_NONE };
}

static inline struct value value_bool(bool b)
{
    return (struct value){ .kind = VALUE_BOOL, .boolean = b };
}

static inline struct value value_int(int64_t i)
{
    return (struct value){ .kind = VALUE_INT, .integer = i };
}

static inline struct value value_float(double d)
{
    return (struct value){ .kind = VALUE_FLOAT, .number = d };
}

static inline struct value value_str(struct str s)
{
    return (struct value){ .kind = VALUE_STRING, .text = s };
}

static inline struct value value_undefined(enum undefined_reason reason)
{
    return (struct value){ .kind = VALUE_UNDEFINED, .reason = (uint8_t)reason };
}

static inline bool value_is_string(const struct value *v)
{
    return v->kind == VALUE_STRING;
}

/* Integers and booleans, which count as integers. */
static inline bool value_is_integral(const struct value *v)
{
    return v->kind == VALUE_INT || v->kind == VALUE_BOOL;
}

static inline int64_t value_integral(const struct value *v)
{
    return v->kind == VALUE_BOOL ? v->boolean : v->integer;
}

static inline bool value_is_number(const struct value *v)
{
    return value_is_integral(v) || v->kind == VALUE_FLOAT;
}

static inline double value_number(const struct value *v)
{
    return v->kind == VALUE_FLOAT ? v->number : (double)value_integral(v);
}

/* ---- text (jinja_text.c) ---- */

static inline const char *str_data(struct str s)
{
    return s.store ? s.store->data + s.offset : "";
}

static inline struct str str_part(struct str s, uint32_t from, uint32_t size)
{
    return (struct str){ .store = s.store, .offset = s.offset + from, .size = size };
}

static inline bool str_ascii(struct str s)
{
    return !s.store || s.store->ascii;
}

bool str_is(struct str s, const char *text);
bool str_equal(struct str a, struct str b);
int str_compare(struct str a, struct str b);
/* The next run of equal trust from *at: its length, 0 at the end. */
uint32_t str_run(struct str s, uint32_t at, bool *untrusted);
bool str_untrusted_at(struct str s, uint32_t at);
bool str_any_untrusted(struct str s);
/* Characters. A broken byte counts as one. */
uint32_t str_length(struct render *r, struct str s);
/* Decodes the character at byte `at`; returns its length in bytes. */
uint32_t str_char(struct str s, uint32_t at, uint32_t *codepoint);
/* Length in bytes of the character that ends at byte `end` (> 0). */
uint32_t str_char_before(struct str s, uint32_t end, uint32_t *codepoint);
/* Byte position of the character with this number (≤ its length). */
uint32_t str_byte_of(struct render *r, struct str s, uint32_t character);
/* First (last) place of `needle` in s[from, end), or UINT32_MAX. */
uint32_t str_find(struct render *r, struct str s, struct str needle, uint32_t from, uint32_t end);
uint32_t str_rfind(struct render *r, struct str s, struct str needle, uint32_t from, uint32_t end);
/* Points at `text`, which must outlive the rendering. Failure leaves r failed. */
struct str str_constant(struct render *r, const char *text, size_t size, bool untrusted);
struct str str_literal(struct render *r, const char *text);

/* Builds a text. Failures are remembered in the rendering (r->status). */
struct builder {
    struct render *r;
    struct text_store *store;
    uint32_t from; /* where the text begins in the store */
};

void builder_init(struct builder *b, struct render *r);
void builder_bytes(struct builder *b, const char *data, size_t size, bool untrusted);
void builder_string(struct builder *b, const char *text, bool untrusted);
void builder_char(struct builder *b, uint32_t codepoint, bool untrusted);
void builder_repeat(struct builder *b, uint32_t codepoint, int64_t times, bool untrusted);
void builder_str(struct builder *b, struct str s);
uint32_t builder_size(const struct builder *b);
bool builder_end(struct builder *b, struct value *out);
bool str_concat(struct render *r, struct str a, struct str b, struct str *out);

/* ---- containers (jinja_value.c) ---- */

struct list *list_new(struct render *r, uint32_t capacity);
bool list_push(struct render *r, struct list *list, const struct value *item);
struct value value_list(struct list *list);
struct value value_tuple(struct list *list);
bool value_pair(struct render *r, const struct value *a, const struct value *b, struct value *out);

struct dict *dict_new(struct render *r);
struct value value_dict(struct dict *dict);
/* The key must be hashable: jinja_hash() says so. NULL when absent (r->status unchanged) or when
 * the key is not hashable (r failed). */
struct value *dict_get(struct render *r, const struct dict *dict, const struct value *key);
struct value *dict_get_str(struct render *r, const struct dict *dict, struct str key);
bool dict_set(struct render *r, struct dict *dict, const struct value *key,
              const struct value *value);
bool dict_remove(struct render *r, struct dict *dict, const struct value *key, struct value *out);
bool jinja_hashable(const struct value *v);

/* ---- meaning (jinja_value.c) ---- */

bool jinja_truth(const struct value *v);
/* Each returns false when the rendering failed. */
bool jinja_equal(struct render *r, const struct value *a, const struct value *b, bool *out);
/* -1, 0, 1; fails for kinds that have no order. `sign` words the sentence: "<", ">=" … */
bool jinja_compare(struct render *r, const struct value *a, const struct value *b, const char *sign,
                   int *out);
bool jinja_contains(struct render *r, const struct value *item, const struct value *in, bool *out);
bool jinja_length(struct render *r, const struct value *v, int64_t *out);
/* -1 when the value has no length. */
int64_t jinja_try_length(struct render *r, const struct value *v);
bool jinja_iterable(const struct value *v);

/* Walks a value. jinja_next() returns false at the end and when the rendering failed. */
struct walk {
    struct render *r;
    struct value over;
    uint32_t at;
};
bool jinja_walk(struct render *r, const struct value *over, struct walk *walk);
bool jinja_next(struct walk *walk, struct value *item);
/* All items as a new list; for a generator this uses it up. */
bool jinja_list_of(struct render *r, const struct value *v, struct list **out);

/* ---- printing (jinja_print.c) ---- */

enum { FLOAT_TEXT_MAX = 40 };
/* The shortest digits that read back as the same number, as Python's repr() writes them. */
unsigned jinja_float_text(double d, char out[FLOAT_TEXT_MAX]);
/* printf's %e, %f or %g with a point whatever the locale; false when it does not fit. */
bool jinja_number_text(double d, char style, int precision, bool alternative, char *out,
                       size_t size);
/* A number from text such as "12", "-1.5e3", "inf"; false when it is none. */
bool jinja_parse_float(const char *text, size_t size, double *out);

void jinja_put_str(struct builder *b, const struct value *v);  /* str(v) */
void jinja_put_repr(struct builder *b, const struct value *v); /* repr(v) */
bool jinja_to_str(struct render *r, const struct value *v, struct value *out);

/* Stable, by `key`; fails where keys have no order. */
struct sort_entry {
    struct value key, item;
};
bool jinja_sort(struct render *r, struct sort_entry *entries, uint32_t n, bool reverse);

struct json_style {
    struct str indent; /* per level */
    bool indented;
    struct str item, colon; /* separators */
    bool ascii, sort;
};
bool jinja_put_json(struct builder *b, const struct value *v, const struct json_style *style);
