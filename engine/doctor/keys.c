/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys one by one: how they are spelled, whether the standard ones have their type, and whether
 * their texts and booleans are what they should be. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "doctor/doctor.h"

enum { LONGEST_KEY = 65535 };

static const char tolerant[] = "Ember reads it; other programs insist on the type and refuse it.";

/* Lower-case segments between dots; a dash is allowed, since architecture names have it. */
static bool well_spelled(struct ember_text name)
{
    bool fresh = true; /* a segment begins */

    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        if (c == '.') {
            if (fresh)
                return false;
            fresh = true;
        } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-') {
            fresh = false;
        } else {
            return false;
        }
    }
    return !fresh;
}

/* Where the first NUL or other control character is that is not one of `fine`; the size if there is
 * none. */
static size_t first_control(struct ember_text text, const char *fine)
{
    size_t i = 0;
    for (; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if ((c < 0x20 || c == 0x7F) && (!c || !strchr(fine, c)))
            break;
    }
    return i;
}

static void check_name(struct doctor *d, struct ember_text name)
{
    struct doctor_place place = doctor_place("key", name);
    struct doctor_name copy = doctor_name(name);
    const char *shown = copy.text;

    if (!name.size)
        return; /* said while reading */
    if (name.size > LONGEST_KEY)
        doctor_say(d, EMBER_SEVERITY_WARNING, "key-long", place.text,
                   "Remove the key; other programs refuse the file.",
                   "Key \"%s\" has a name of %zu bytes; it may be %d bytes long at most.", shown,
                   name.size, LONGEST_KEY);
    /* The names of further templates are free. */
    if (!utf8_valid(name.data, name.size))
        doctor_say(d, EMBER_SEVERITY_WARNING, "key-utf8", place.text,
                   "Rename the key with \"ember edit --rename\".",
                   "The name of key \"%s\" is not valid UTF-8; lower-case letters, digits and "
                   "underscores between dots are expected.",
                   shown);
    else if (first_control(name, "") < name.size)
        doctor_say(d, EMBER_SEVERITY_WARNING, "key-syntax", place.text,
                   "Rename the key with \"ember edit --rename\".",
                   "The name of key \"%s\" holds a NUL or another control character; the syntax of "
                   "keys is lower-case letters, digits and underscores between dots.",
                   shown);
    else if (!doctor_begins_with(name, "tokenizer.chat_template.") && !well_spelled(name))
        doctor_say(d, EMBER_SEVERITY_WARNING, "key-syntax", place.text,
                   "Rename the key with \"ember edit --rename\".",
                   "Key \"%s\" does not have the syntax of keys: lower-case letters, digits and "
                   "underscores, in segments between dots.",
                   shown);
}

static const char *class_of(enum ember_gguf_type type)
{
    switch (type) {
    case EMBER_GGUF_F32:
    case EMBER_GGUF_F64:
        return "a float";
    case EMBER_GGUF_BOOL:
        return "a boolean";
    case EMBER_GGUF_STRING:
        return "a string";
    case EMBER_GGUF_ARRAY:
        return "an array";
    default:
        return "an integer";
    }
}

static bool is_integer(enum ember_gguf_type type)
{
    return type != EMBER_GGUF_F32 && type != EMBER_GGUF_F64 && type != EMBER_GGUF_BOOL &&
           type != EMBER_GGUF_STRING && type != EMBER_GGUF_ARRAY;
}

static bool is_float(enum ember_gguf_type type)
{
    return type == EMBER_GGUF_F32 || type == EMBER_GGUF_F64;
}

/* Whether an element of type `got` can be read as `want`. */
static bool compatible(enum ember_gguf_type want, enum ember_gguf_type got)
{
    if (is_integer(want))
        return is_integer(got);
    if (is_float(want))
        return is_float(got);
    return want == got;
}

/* A key of the architecture; others say nothing of the model's shape. */
static bool is_of_shape(const struct ember_gguf_standard_key *standard)
{
    return standard && standard->name[0] == 'A';
}

static void wrong_type(struct doctor *d, struct ember_text name,
                       const struct ember_gguf_standard_key *standard, const char *found)
{
    const char *type = ember_gguf_type_name(standard->type);
    char wanted[80];

    if (standard->form == EMBER_KEY_ARRAY)
        snprintf(wanted, sizeof wanted, "an array of %s", type);
    else
        snprintf(wanted, sizeof wanted, "%s (%s)%s", class_of(standard->type), type,
                 standard->form == EMBER_KEY_LAYERS    ? " or an array with one per layer"
                 : standard->form == EMBER_KEY_PATTERN ? " or an array of booleans"
                                                       : "");
    d->odd_shape |= is_of_shape(standard);
    doctor_say(d, EMBER_SEVERITY_WARNING, "key-type", doctor_place("key", name).text,
               "Convert the model again, or set the key with \"ember edit\".",
               "Key \"%s\" has the wrong type: it is %s, but %s is expected.",
               doctor_name(name).text, found, wanted);
}

static void check_standard(struct doctor *d, uint64_t index, struct ember_text name,
                           const struct ember_gguf_standard_key *standard)
{
    char found[40];
    enum ember_gguf_type type = ember_gguf_key_type(d->gguf, index);
    enum ember_gguf_type element = ember_gguf_key_element_type(d->gguf, index);
    bool array = type == EMBER_GGUF_ARRAY;
    struct doctor_place place = doctor_place("key", name);
    struct doctor_name shown = doctor_name(name);

    if (array)
        snprintf(found, sizeof found, "an array of %s", ember_gguf_type_name(element));
    else
        snprintf(found, sizeof found, "%s (%s)", class_of(type), ember_gguf_type_name(type));
    if ((array && standard->form == EMBER_KEY_ONE) ||
        (!array && standard->form == EMBER_KEY_ARRAY)) {
        wrong_type(d, name, standard, found);
        return;
    }
    /* An empty array says nothing of its elements. A pattern may hold booleans. */
    if ((array && !ember_gguf_key_length(d->gguf, index)) ||
        (array && standard->form == EMBER_KEY_PATTERN && element == EMBER_GGUF_BOOL) ||
        compatible(standard->type, element))
        ;
    else if (standard->type == EMBER_GGUF_F32 && is_integer(element) && array)
        doctor_say(d, EMBER_SEVERITY_INFO, "key-integer", place.text, tolerant,
                   "Key \"%s\" holds whole numbers (%s); floats (f32) are usual.", shown.text,
                   ember_gguf_type_name(element));
    else
        wrong_type(d, name, standard, found);
    if (!array && element != standard->type && compatible(standard->type, element))
        doctor_say(d, EMBER_SEVERITY_INFO, "key-width", place.text, tolerant,
                   "Key \"%s\" has the type %s; %s is usual.", shown.text,
                   ember_gguf_type_name(element), ember_gguf_type_name(standard->type));

    uint64_t n_layers, length = ember_gguf_key_length(d->gguf, index);
    if (array && (standard->form == EMBER_KEY_LAYERS || standard->form == EMBER_KEY_PATTERN) &&
        doctor_u64(d, "block_count", &n_layers) && length != n_layers)
        doctor_say(
            d, EMBER_SEVERITY_WARNING, "key-layers", place.text, "Convert the model again.",
            "Key \"%s\" has the wrong length: it has %s, but the model has %s (block_count).",
            shown.text, doctor_amount(length, "entry").text, doctor_amount(n_layers, "layer").text);
}

/* Control characters in what is a text for people; tokens may well have them, but NUL ends a text
 * in many a program. */
static void check_control(struct doctor *d, uint64_t index, struct ember_text name)
{
    bool array = ember_gguf_key_type(d->gguf, index) == EMBER_GGUF_ARRAY;
    bool tokens = doctor_is(name, "tokenizer.ggml.tokens") ||
                  doctor_is(name, "tokenizer.ggml.merges") ||
                  doctor_is(name, "tokenizer.ggml.added_tokens");
    uint64_t length = ember_gguf_key_length(d->gguf, index);
    struct ember_text text;
    char which[40] = "The string";

    for (uint64_t i = 0; i < length && ember_gguf_text(d->gguf, (int64_t)index, i, &text); i++) {
        size_t at = tokens ? strnlen(text.data, text.size) : first_control(text, "\t\n\r");
        if (at == text.size)
            continue;
        if (array)
            snprintf(which, sizeof which, "String number %" PRIu64, i);
        doctor_say(d, EMBER_SEVERITY_WARNING, "text-control", doctor_place("key", name).text,
                   "It is escaped when shown; set the key anew with \"ember edit\".",
                   "%s in key \"%s\" holds %s (code %u) at byte %zu; %s.", which,
                   doctor_name(name).text, text.data[at] ? "a control character" : "a NUL",
                   (unsigned)(unsigned char)text.data[at], at,
                   tokens ? "other programs cut the text there"
                          : "text without control characters is expected");
        return;
    }
}

static void check_utf8(struct doctor *d, uint64_t index, struct ember_text name)
{
    uint64_t length = ember_gguf_key_length(d->gguf, index), bad = 0, first = 0;
    struct doctor_place place = doctor_place("key", name);
    struct doctor_name shown = doctor_name(name);
    struct ember_text text;

    for (uint64_t i = 0; i < length && ember_gguf_text(d->gguf, (int64_t)index, i, &text); i++) {
        if (!utf8_valid(text.data, text.size) && !bad++)
            first = i;
    }
    if (bad && ember_gguf_key_type(d->gguf, index) == EMBER_GGUF_ARRAY)
        doctor_say(d, EMBER_SEVERITY_WARNING, "text-utf8", place.text,
                   "Bad bytes are shown as U+FFFD; convert the model again.",
                   "Key \"%s\" holds %s that %s not valid UTF-8, the first at index %" PRIu64
                   ": the encoding is broken.",
                   shown.text, doctor_amount(bad, "string").text, bad == 1 ? "is" : "are", first);
    else if (bad)
        doctor_say(d, EMBER_SEVERITY_WARNING, "text-utf8", place.text,
                   "Bad bytes are shown as U+FFFD; set the key anew with \"ember edit\".",
                   "The string in key \"%s\" is not valid UTF-8; its encoding is broken.",
                   shown.text);
}

struct at_index {
    char text[40];
};

/* " at index 5" of an array; nothing for a single value. */
static struct at_index at_index(const struct doctor *d, uint64_t index, uint64_t i)
{
    struct at_index at = { "" };
    if (ember_gguf_key_type(d->gguf, index) == EMBER_GGUF_ARRAY)
        snprintf(at.text, sizeof at.text, " at index %" PRIu64, i);
    return at;
}

static void check_numbers(struct doctor *d, uint64_t index, struct ember_text name,
                          const struct ember_gguf_standard_key *standard)
{
    uint64_t length = ember_gguf_key_length(d->gguf, index), bad = 0, first = 0;
    double value, found = 0;

    for (uint64_t i = 0; i < length && ember_gguf_f64(d->gguf, (int64_t)index, i, &value); i++) {
        if (!isfinite(value) && !bad++) {
            first = i;
            found = value;
        }
    }
    if (!bad)
        return;
    d->odd_shape |= is_of_shape(standard);
    doctor_say(d, EMBER_SEVERITY_WARNING, "key-nan", doctor_place("key", name).text,
               "Convert the model again.", "Key \"%s\" holds %s%s; a finite number is expected.",
               doctor_name(name).text, isnan(found) ? "NaN" : "an infinity",
               at_index(d, index, first).text);
}

/* Standard keys are counts, or numbers from 0 on; what is wrong with tokens is said elsewhere. */
static void check_negative(struct doctor *d, uint64_t index, struct ember_text name,
                           const struct ember_gguf_standard_key *standard)
{
    uint64_t length = ember_gguf_key_length(d->gguf, index), unused;
    int64_t value;

    for (uint64_t i = 0; i < length; i++) {
        if (ember_gguf_u64(d->gguf, (int64_t)index, i, &unused) ||
            !ember_gguf_i64(d->gguf, (int64_t)index, i, &value))
            continue;
        d->odd_shape |= is_of_shape(standard);
        doctor_say(d, EMBER_SEVERITY_WARNING, "range", doctor_place("key", name).text,
                   "Convert the model again with a current converter.",
                   "Key \"%s\" is %" PRId64 "%s; a number that is not negative is expected.",
                   doctor_name(name).text, value, at_index(d, index, i).text);
        return;
    }
}

static void check_bool(struct doctor *d, uint64_t index, struct ember_text name)
{
    uint64_t at;
    uint8_t byte;

    if (!gguf_odd_bool(d->gguf, index, &at, &byte))
        return;
    doctor_say(d, EMBER_SEVERITY_WARNING, "bool", doctor_place("key", name).text,
               "It counts as true; set the key anew with \"ember edit\".",
               "Key \"%s\" is a boolean (bool) and stored as %u%s; 0 or 1 is expected.",
               doctor_name(name).text, (unsigned)byte, at_index(d, index, at).text);
}

void doctor_check_keys(struct doctor *d)
{
    for (uint64_t i = 0; i < d->info->n_keys; i++) {
        struct ember_text name = ember_gguf_key_name(d->gguf, i);
        enum ember_gguf_type type = ember_gguf_key_type(d->gguf, i);
        enum ember_gguf_type element = ember_gguf_key_element_type(d->gguf, i);
        const struct ember_gguf_standard_key *standard =
            ember_gguf_standard_key(name, d->architecture);

        check_name(d, name);
        if (d->info->version == 1 && (type > EMBER_GGUF_ARRAY || element > EMBER_GGUF_ARRAY))
            doctor_say(
                d, EMBER_SEVERITY_WARNING, "type-newer", doctor_place("key", name).text,
                "Ember reads it; other programs refuse such a file.",
                "Key \"%s\" has the value type %s, which is newer than version 1 of the file.",
                doctor_name(name).text,
                ember_gguf_type_name(type > EMBER_GGUF_ARRAY ? type : element));
        if (standard && !doctor_is(name, "general.alignment"))
            check_standard(d, i, name, standard);
        if (element == EMBER_GGUF_STRING) {
            check_utf8(d, i, name);
            check_control(d, i, name);
        } else if (element == EMBER_GGUF_BOOL) {
            check_bool(d, i, name);
        }
        if (standard && standard->type == EMBER_GGUF_U32 && is_integer(element) &&
            !doctor_begins_with(name, "tokenizer."))
            check_negative(d, i, name, standard);
        if (is_float(element))
            check_numbers(d, i, name, standard);
        else if (element == EMBER_GGUF_ARRAY)
            doctor_say(d, EMBER_SEVERITY_INFO, "nested", doctor_place("key", name).text,
                       "Ember reads it; other programs refuse such a file.",
                       "Key \"%s\" is an array of arrays.", doctor_name(name).text);
    }
}
