/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators, attributes, items and slices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chat/jinja_run.h"

/* ---- undefined ---- */

bool jinja_fail_undefined(struct render *r, const struct value *v)
{
    const struct value of = { .kind = v->of };
    int size = (int)(v->text.size < 100 ? v->text.size : 100);
    const char *name = v->reason == UNDEFINED_ELEMENT ? "" : str_data(v->text);
    switch ((enum undefined_reason)v->reason) {
    case UNDEFINED_NAME:
        return jinja_fail(r, "'%.*s' is undefined", size, name);
    case UNDEFINED_ATTRIBUTE:
        return jinja_fail(r, "type %s has no attribute '%.*s'", jinja_kind_name(&of), size, name);
    case UNDEFINED_ELEMENT:
        return jinja_fail(r, "type %s has no element %lld", jinja_kind_name(&of),
                          (long long)v->integer);
    case UNDEFINED_UNSAFE:
        return jinja_fail(r, "'%.*s' would change a %s, which a template must not do", size, name,
                          jinja_kind_name(&of));
    case UNDEFINED_PARAMETER:
        return jinja_fail(r, "the parameter '%.*s' was not given", size, name);
    case UNDEFINED_NO_ELSE:
        return jinja_fail(r, "the condition of an inline if without else is false");
    case UNDEFINED_EMPTY:
        return jinja_fail(r, "there is no item in an empty sequence");
    case UNDEFINED_LOOP_END:
        return jinja_fail(r, "there is no such item in the loop");
    }
    return jinja_fail(r, "a value is undefined");
}

/* ---- arithmetic ---- */

static const char *const operation_signs[] = {
    [OP_ADD] = "+",        [OP_SUB] = "-", [OP_MUL] = "*",  [OP_DIV] = "/",
    [OP_FLOOR_DIV] = "//", [OP_MOD] = "%", [OP_POW] = "**",
};

static bool out_of_range(struct render *r)
{
    return jinja_fail(r, "an integer leaves the range of 64 bits");
}

static bool integer_power(struct render *r, int64_t base, int64_t exponent, int64_t *out)
{
    int64_t result = 1;
    while (exponent > 0) {
        if ((exponent & 1) && __builtin_mul_overflow(result, base, &result))
            return out_of_range(r);
        exponent >>= 1;
        /* The last square is not needed and may be too large. */
        if (exponent && __builtin_mul_overflow(base, base, &base))
            return out_of_range(r);
    }
    *out = result;
    return true;
}

static bool integer_operation(struct render *r, enum operation operation, int64_t a, int64_t b,
                              struct value *out)
{
    int64_t i = 0;
    switch (operation) {
    case OP_ADD:
        if (__builtin_add_overflow(a, b, &i))
            return out_of_range(r);
        break;
    case OP_SUB:
        if (__builtin_sub_overflow(a, b, &i))
            return out_of_range(r);
        break;
    case OP_MUL:
        if (__builtin_mul_overflow(a, b, &i))
            return out_of_range(r);
        break;
    case OP_FLOOR_DIV:
    case OP_MOD:
        if (b == 0)
            return jinja_fail(r, "division by zero");
        if (b == -1) { /* the one quotient that can overflow, and would trap */
            if (operation == OP_FLOOR_DIV && __builtin_sub_overflow((int64_t)0, a, &i))
                return out_of_range(r);
            break;
        }
        i = operation == OP_MOD ? a % b : a / b;
        /* C rounds to zero, Python down. */
        if (a % b != 0 && (a % b < 0) != (b < 0))
            i += operation == OP_MOD ? b : -1;
        break;
    default: /* OP_POW with b >= 0 */
        if (!integer_power(r, a, b, &i))
            return false;
    }
    *out = value_int(i);
    return true;
}

static bool float_operation(struct render *r, enum operation operation, double a, double b,
                            struct value *out)
{
    double d = 0;
    switch (operation) {
    case OP_ADD:
        d = a + b;
        break;
    case OP_SUB:
        d = a - b;
        break;
    case OP_MUL:
        d = a * b;
        break;
    case OP_DIV:
        if (b == 0)
            return jinja_fail(r, "division by zero");
        d = a / b;
        break;
    case OP_FLOOR_DIV:
    case OP_MOD: {
        if (b == 0)
            return jinja_fail(r, "division by zero");
        double rest = fmod(a, b), quotient = (a - rest) / b;
        if (rest != 0 && (b < 0) != (rest < 0)) {
            rest += b;
            quotient -= 1;
        } else if (rest == 0) {
            rest = copysign(0, b);
        }
        if (quotient != 0) {
            d = floor(quotient);
            if (quotient - d > 0.5)
                d += 1;
        } else {
            d = copysign(0, a / b);
        }
        if (operation == OP_MOD)
            d = rest;
        break;
    }
    default:
        if (a == 0 && b < 0)
            return jinja_fail(r, "zero cannot be raised to a negative power");
        if (a < 0 && isfinite(b) && b != floor(b))
            return jinja_fail(r, "a negative number cannot be raised to a fraction");
        d = pow(a, b);
        if (isinf(d) && isfinite(a) && isfinite(b))
            return jinja_fail(r, "a power is too large");
    }
    *out = value_float(d);
    return true;
}

static bool repeat(struct render *r, const struct value *v, int64_t times, struct value *out)
{
    if (times < 0)
        times = 0;
    if (v->kind == VALUE_STRING) {
        struct builder b;
        builder_init(&b, r);
        for (int64_t i = 0; i < times && v->text.size && r->status == EMBER_OK; i++) {
            builder_str(&b, v->text);
            jinja_spend(r, 1);
        }
        if (!builder_end(&b, out))
            return false;
        out->flags = v->flags;
        return true;
    }
    struct list *list = list_new(r, 0);
    if (!list)
        return false;
    for (int64_t k = 0; k < times && v->list->n; k++) {
        for (uint32_t i = 0; i < v->list->n; i++) {
            if (!list_push(r, list, &v->list->items[i]))
                return false;
        }
    }
    *out = v->kind == VALUE_LIST ? value_list(list) : value_tuple(list);
    return true;
}

static bool add_strings(struct render *r, const struct value *a, const struct value *b,
                        struct value *out)
{
    uint8_t markup = (a->flags | b->flags) & VALUE_MARKUP;
    struct value left = *a, right = *b;
    if (markup && !(a->flags & VALUE_MARKUP) && !jinja_escape(r, a, &left))
        return false;
    if (markup && !(b->flags & VALUE_MARKUP) && !jinja_escape(r, b, &right))
        return false;
    *out = value_str((struct str){ 0 });
    out->flags = markup;
    return str_concat(r, left.text, right.text, &out->text);
}

static bool add_lists(struct render *r, const struct value *a, const struct value *b,
                      struct value *out)
{
    struct list *list = list_new(r, a->list->n + b->list->n);
    if (!list || !jinja_spend(r, (uint64_t)a->list->n + b->list->n))
        return false;
    if (a->list->n)
        memcpy(list->items, a->list->items, a->list->n * sizeof *list->items);
    if (b->list->n)
        memcpy(list->items + a->list->n, b->list->items, b->list->n * sizeof *list->items);
    list->n = a->list->n + b->list->n;
    *out = a->kind == VALUE_LIST ? value_list(list) : value_tuple(list);
    out->flags = a->flags & b->flags & VALUE_UNTRUSTED;
    return true;
}

static bool repeatable(const struct value *v)
{
    return v->kind == VALUE_STRING || v->kind == VALUE_LIST || v->kind == VALUE_TUPLE;
}

bool jinja_binary(struct render *r, enum operation operation, const struct value *a,
                  const struct value *b, struct value *out)
{
    uint8_t untrusted = (a->flags | b->flags) & VALUE_UNTRUSTED;
    if (value_is_number(a) && value_is_number(b)) {
        bool whole = value_is_integral(a) && value_is_integral(b) && operation != OP_DIV &&
                     !(operation == OP_POW && value_integral(b) < 0);
        bool ok = whole ? integer_operation(r, operation, value_integral(a), value_integral(b), out)
                        : float_operation(r, operation, value_number(a), value_number(b), out);
        out->flags |= untrusted;
        return ok;
    }
    if (operation == OP_MOD && a->kind == VALUE_STRING)
        return jinja_format_percent(r, a->text, a->flags & VALUE_MARKUP, b, out);
    if (a->kind == VALUE_UNDEFINED)
        return jinja_fail_undefined(r, a);
    if (b->kind == VALUE_UNDEFINED)
        return jinja_fail_undefined(r, b);
    if (operation == OP_ADD && a->kind == VALUE_STRING && b->kind == VALUE_STRING)
        return add_strings(r, a, b, out);
    if (operation == OP_ADD && a->kind == b->kind &&
        (a->kind == VALUE_LIST || a->kind == VALUE_TUPLE))
        return add_lists(r, a, b, out);
    if (operation == OP_MUL && repeatable(a) && value_is_integral(b))
        return repeat(r, a, value_integral(b), out);
    if (operation == OP_MUL && repeatable(b) && value_is_integral(a))
        return repeat(r, b, value_integral(a), out);
    return jinja_fail(r, "'%s' is not possible between %s and %s", operation_signs[operation],
                      jinja_kind_name(a), jinja_kind_name(b));
}

/* ---- attributes ---- */

static bool loop_item(struct loop *loop, uint32_t at, struct value *out)
{
    *out = value_undefined(UNDEFINED_LOOP_END);
    if (at < loop->items->n)
        *out = loop->items->items[at];
    return true;
}

static bool loop_attribute(struct render *r, struct loop *loop, struct str name, struct value *out)
{
    struct value self = { .kind = VALUE_LOOP, .loop = loop };
    int64_t at = loop->at, length;
    if (str_is(name, "index"))
        *out = value_int(at + 1);
    else if (str_is(name, "index0"))
        *out = value_int(at);
    else if (str_is(name, "first"))
        *out = value_bool(at == 0);
    else if (str_is(name, "depth"))
        *out = value_int((int64_t)loop->depth + 1);
    else if (str_is(name, "depth0"))
        *out = value_int(loop->depth);
    else if (str_is(name, "previtem"))
        return loop_item(loop, loop->at ? loop->at - 1 : UINT32_MAX, out);
    else if (str_is(name, "last") || str_is(name, "nextitem")) {
        if (loop->at + 1 >= loop->items->n && !jinja_loop_more(r, loop))
            return false;
        if (str_is(name, "nextitem"))
            return loop_item(loop, loop->at + 1, out);
        *out = value_bool(loop->at + 1 >= loop->items->n);
    } else if (str_is(name, "length") || str_is(name, "revindex") || str_is(name, "revindex0")) {
        if (!jinja_length(r, &self, &length))
            return false;
        *out = value_int(str_is(name, "length")     ? length
                         : str_is(name, "revindex") ? length - at
                                                    : length - at - 1);
    } else {
        out->kind = VALUE_MISSING;
    }
    return true;
}

static bool macro_attribute(struct render *r, const struct macro *macro, struct str name,
                            struct value *out)
{
    const struct macro_definition *definition = macro->definition;
    if (str_is(name, "name")) {
        *out = value_str(definition->name);
    } else if (str_is(name, "arguments")) {
        struct list *list = list_new(r, definition->n_parameters);
        for (const struct parameter *p = definition->parameters; list && p; p = p->next) {
            struct value text = value_str(p->name);
            if (!list_push(r, list, &text))
                return false;
        }
        if (!list)
            return false;
        *out = value_tuple(list);
    } else if (str_is(name, "catch_kwargs")) {
        *out = value_bool(definition->uses_kwargs);
    } else if (str_is(name, "catch_varargs")) {
        *out = value_bool(definition->uses_varargs);
    } else if (str_is(name, "caller")) {
        *out = value_bool(definition->uses_caller);
    }
    return true;
}

static bool plain_attribute(struct render *r, const struct value *object, struct str name,
                            struct value *out)
{
    const struct value *found;
    out->kind = VALUE_MISSING;
    switch (object->kind) {
    case VALUE_NAMESPACE:
        found = dict_get_str(r, object->dict, name);
        if (found)
            *out = *found;
        return r->status == EMBER_OK;
    case VALUE_LOOP:
        return loop_attribute(r, object->loop, name, out);
    case VALUE_MACRO:
        return macro_attribute(r, object->macro, name, out);
    case VALUE_CYCLER:
        if (str_is(name, "current"))
            *out = object->cycler->items->items[object->cycler->at];
        return true;
    case VALUE_RANGE:
        if (str_is(name, "start"))
            *out = value_int(object->range->start);
        else if (str_is(name, "stop"))
            *out = value_int(object->range->stop);
        else if (str_is(name, "step"))
            *out = value_int(object->range->step);
        return true;
    case VALUE_TUPLE:
        if ((object->flags & VALUE_GROUP) && str_is(name, "grouper"))
            *out = object->list->items[0];
        else if ((object->flags & VALUE_GROUP) && str_is(name, "list"))
            *out = object->list->items[1];
        return true;
    default:
        return true;
    }
}

bool jinja_own_attribute(struct render *r, const struct value *object, struct str name,
                         struct value *out)
{
    const struct method *method = jinja_find_method(object, name);
    if (!method)
        return plain_attribute(r, object, name, out);
    if (method->changes && !r->may_change_lists) {
        *out = value_undefined(UNDEFINED_UNSAFE);
        out->of = object->kind;
        out->text = name;
        return true;
    }
    struct bound_method *bound = jinja_alloc(r, 1, sizeof *bound);
    if (!bound)
        return false;
    bound->self = *object;
    bound->method = method;
    *out = (struct value){ .kind = VALUE_METHOD, .method = bound };
    return true;
}

static void undefined_attribute(const struct value *object, struct str name, struct value *out)
{
    *out = value_undefined(UNDEFINED_ATTRIBUTE);
    out->of = object->kind;
    out->text = name;
}

bool jinja_attribute(struct render *r, const struct value *object, struct str name,
                     struct value *out)
{
    if (object->kind == VALUE_UNDEFINED)
        return jinja_fail_undefined(r, object);
    if (!jinja_own_attribute(r, object, name, out))
        return false;
    if (out->kind != VALUE_MISSING)
        return true;
    const struct value *item =
        object->kind == VALUE_DICT ? dict_get_str(r, object->dict, name) : NULL;
    if (item)
        *out = *item;
    else
        undefined_attribute(object, name, out);
    return r->status == EMBER_OK;
}

/* ---- items ---- */

/* The element with this number, counted from the end if negative; false when there is none. */
static bool element(struct render *r, const struct value *object, int64_t i, struct value *out)
{
    uint32_t c;
    int64_t n = jinja_try_length(r, object);
    if (i < 0)
        i += n;
    if (i < 0 || i >= n || r->status != EMBER_OK)
        return false;
    if (object->kind == VALUE_STRING) {
        uint32_t at = str_byte_of(r, object->text, (uint32_t)i);
        *out = value_str(str_part(object->text, at, str_char(object->text, at, &c)));
        out->flags = object->flags & VALUE_MARKUP;
    } else if (object->kind == VALUE_RANGE) {
        *out = value_int(object->range->start + i * object->range->step);
        out->flags = object->flags & VALUE_UNTRUSTED;
    } else {
        *out = object->list->items[i];
    }
    return true;
}

bool jinja_item(struct render *r, const struct value *object, const struct value *key,
                struct value *out)
{
    bool sequence = object->kind == VALUE_STRING || object->kind == VALUE_LIST ||
                    object->kind == VALUE_TUPLE || object->kind == VALUE_RANGE;
    if (object->kind == VALUE_UNDEFINED)
        return jinja_fail_undefined(r, object);
    if (sequence && value_is_integral(key)) {
        if (!element(r, object, value_integral(key), out)) {
            *out = value_undefined(UNDEFINED_ELEMENT);
            out->of = object->kind;
            out->integer = value_integral(key);
        }
        return r->status == EMBER_OK;
    }
    if (object->kind == VALUE_DICT && jinja_hashable(key)) {
        const struct value *item = dict_get(r, object->dict, key);
        if (item) {
            *out = *item;
            return true;
        }
    }
    if (key->kind == VALUE_STRING) {
        if (!jinja_own_attribute(r, object, key->text, out))
            return false;
        if (out->kind == VALUE_MISSING)
            undefined_attribute(object, key->text, out);
        return r->status == EMBER_OK;
    }
    if (value_is_integral(key)) {
        *out = value_undefined(UNDEFINED_ELEMENT);
        out->integer = value_integral(key);
        out->of = object->kind;
    } else {
        undefined_attribute(object, str_literal(r, jinja_kind_name(key)), out);
    }
    return r->status == EMBER_OK;
}

bool jinja_path(struct render *r, const struct value *item, const struct value *path,
                struct value *out)
{
    *out = *item;
    if (path->kind == VALUE_NONE || path->kind == VALUE_MISSING)
        return true;
    if (path->kind != VALUE_STRING)
        return jinja_item(r, item, path, out);
    struct str s = path->text;
    if (!jinja_spend(r, s.size >> 6))
        return false;
    for (uint32_t at = 0;;) {
        uint32_t end = at;
        bool digits = true;
        int64_t number = 0;
        for (; end < s.size && str_data(s)[end] != '.'; end++) {
            char c = str_data(s)[end];
            digits &= c >= '0' && c <= '9' && number < INT64_MAX / 10 - 1;
            number = digits ? number * 10 + (c - '0') : 0;
        }
        struct value from = *out, key = value_str(str_part(s, at, end - at));
        if (digits && end > at)
            key = value_int(number);
        if (!jinja_item(r, &from, &key, out))
            return false;
        if (end >= s.size)
            return true;
        at = end + 1;
    }
}

/* ---- slices ---- */

static bool slice_bound(struct render *r, const struct value *v, int64_t n, int64_t step,
                        int64_t fallback, int64_t *out)
{
    *out = fallback;
    if (v->kind == VALUE_NONE)
        return true;
    if (!value_is_integral(v))
        return v->kind == VALUE_UNDEFINED
                   ? jinja_fail_undefined(r, v)
                   : jinja_fail(r, "a slice needs integers, not %s", jinja_kind_name(v));
    int64_t i = value_integral(v), low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n;
    if (i < 0)
        i += n;
    *out = i < low ? low : i > high ? high : i;
    return true;
}

static bool slice_string(struct render *r, const struct value *object, int64_t from, int64_t count,
                         int64_t step, struct value *out)
{
    struct str s = object->text;
    struct builder b;
    uint32_t c;
    if (count <= 0) {
        *out = value_str((struct str){ 0 });
        return true;
    }
    if (step == 1) {
        uint32_t at = str_byte_of(r, s, (uint32_t)from);
        struct str rest = str_part(s, at, s.size - at);
        *out = value_str(str_part(rest, 0, str_byte_of(r, rest, (uint32_t)count)));
        return true;
    }
    /* One walk in the direction of the step. */
    jinja_spend(r, s.size >> 5);
    builder_init(&b, r);
    uint32_t at = str_byte_of(r, s, (uint32_t)from);
    for (int64_t i = 0; i < count && jinja_spend(r, 1); i++) {
        builder_str(&b, str_part(s, at, str_char(s, at, &c)));
        for (int64_t k = 0; k < llabs(step) && i + 1 < count; k++)
            at = step > 0 ? at + str_char(s, at, &c) : at - str_char_before(s, at, &c);
    }
    return builder_end(&b, out);
}

bool jinja_slice(struct render *r, const struct value *object, const struct value *start,
                 const struct value *stop, const struct value *step, struct value *out)
{
    int64_t n, by = 1, from, to;
    if (object->kind == VALUE_UNDEFINED)
        return jinja_fail_undefined(r, object);
    if (object->kind != VALUE_STRING && object->kind != VALUE_LIST && object->kind != VALUE_TUPLE &&
        object->kind != VALUE_RANGE)
        return jinja_fail(r, "type %s has no slices", jinja_kind_name(object));
    if (!jinja_length(r, object, &n) ||
        (step->kind != VALUE_NONE && !slice_bound(r, step, 0, 1, 1, &by)))
        return false;
    if (step->kind != VALUE_NONE)
        by = value_integral(step);
    if (by == 0)
        return jinja_fail(r, "the step of a slice is zero");
    if (by < -n - 1)
        by = -n - 1; /* so that nothing below overflows */
    if (by > n + 1)
        by = n + 1;
    if (!slice_bound(r, start, n, by, by > 0 ? 0 : n - 1, &from) ||
        !slice_bound(r, stop, n, by, by > 0 ? n : -1, &to))
        return false;
    int64_t count = by > 0 ? (to - from + by - 1) / by : (from - to - by - 1) / -by;
    if ((by > 0 && to <= from) || (by < 0 && to >= from))
        count = 0;

    if (object->kind == VALUE_STRING) {
        bool ok = slice_string(r, object, from, count, by, out);
        out->flags = object->flags & VALUE_MARKUP;
        return ok;
    }
    if (object->kind == VALUE_RANGE) {
        const struct range *whole = object->range;
        struct range *range = jinja_alloc(r, 1, sizeof *range);
        if (!range)
            return false;
        /* The step of one item is of no meaning and might overflow. */
        range->n = count;
        range->start = count ? whole->start + from * whole->step : 0;
        range->step = count > 1 ? whole->step * by : 1;
        range->stop = count > 1 ? whole->start + to * whole->step : range->start + count;
        *out = (struct value){ .kind = VALUE_RANGE, .range = range };
        return true;
    }
    struct list *list = list_new(r, (uint32_t)count);
    if (!list || !jinja_spend(r, (uint64_t)count))
        return false;
    for (int64_t i = 0; i < count; i++)
        list->items[list->n++] = object->list->items[from + i * by];
    *out = object->kind == VALUE_LIST ? value_list(list) : value_tuple(list);
    out->flags = object->flags & VALUE_UNTRUSTED;
    return true;
}
