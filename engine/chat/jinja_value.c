/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Containers, and what values mean: truth, equality, order, membership, length, iteration. All as
 * Python has them, since templates are written for it. */
#include <math.h>
#include <string.h>

#include "chat/jinja_run.h"

enum { DICT_SMALL = 8 };

static const char *const kind_names[VALUE_KIND_COUNT] = {
    [VALUE_MISSING] = "missing",
    [VALUE_UNDEFINED] = "Undefined",
    [VALUE_NONE] = "NoneType",
    [VALUE_BOOL] = "bool",
    [VALUE_INT] = "int",
    [VALUE_FLOAT] = "float",
    [VALUE_STRING] = "str",
    [VALUE_LIST] = "list",
    [VALUE_TUPLE] = "tuple",
    [VALUE_DICT] = "dict",
    [VALUE_VIEW] = "dict view",
    [VALUE_RANGE] = "range",
    [VALUE_GENERATOR] = "generator",
    [VALUE_NAMESPACE] = "Namespace",
    [VALUE_MACRO] = "Macro",
    [VALUE_FUNCTION] = "function",
    [VALUE_METHOD] = "method",
    [VALUE_LOOP] = "LoopContext",
    [VALUE_CYCLER] = "Cycler",
    [VALUE_JOINER] = "Joiner",
};

const char *jinja_kind_name(const struct value *v)
{
    return kind_names[v->kind];
}

/* ---- lists ---- */

struct list *list_new(struct render *r, uint32_t capacity)
{
    struct list *list = jinja_alloc(r, 1, sizeof *list);
    if (!list || !capacity)
        return list;
    list->items = jinja_alloc(r, capacity, sizeof *list->items);
    if (!list->items)
        return NULL;
    list->capacity = capacity;
    return list;
}

bool list_push(struct render *r, struct list *list, const struct value *item)
{
    struct value copy = *item; /* it may be an item of the list that moves now */
    if (list->n == list->capacity) {
        if (list->capacity > UINT32_MAX / 2)
            return jinja_fail(r, "a list grows too long");
        uint32_t capacity = list->capacity ? list->capacity * 2 : 4;
        struct value *items = jinja_alloc(r, capacity, sizeof *items);
        if (!items)
            return false;
        if (list->n)
            memcpy(items, list->items, list->n * sizeof *items);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->n++] = copy;
    return jinja_spend(r, 1);
}

struct value value_list(struct list *list)
{
    return (struct value){ .kind = VALUE_LIST, .list = list };
}

struct value value_tuple(struct list *list)
{
    return (struct value){ .kind = VALUE_TUPLE, .list = list };
}

bool value_pair(struct render *r, const struct value *a, const struct value *b, struct value *out)
{
    struct list *list = list_new(r, 2);
    if (!list)
        return false;
    list->items[0] = *a;
    list->items[1] = *b;
    list->n = 2;
    *out = value_tuple(list);
    return true;
}

/* ---- dicts ---- */

struct dict *dict_new(struct render *r)
{
    return jinja_alloc(r, 1, sizeof(struct dict));
}

struct value value_dict(struct dict *dict)
{
    return (struct value){ .kind = VALUE_DICT, .dict = dict };
}

/* Tuples in tuples, as keys: deeper ones count as not hashable, so that recursion has an end. */
enum { HASH_DEPTH = 16 };

static bool hashable(const struct value *v, unsigned depth)
{
    switch (v->kind) {
    case VALUE_LIST:
    case VALUE_DICT:
    case VALUE_VIEW:
    case VALUE_NAMESPACE:
        return false;
    case VALUE_TUPLE:
        for (uint32_t i = 0; i < v->list->n; i++) {
            if (depth == HASH_DEPTH || !hashable(&v->list->items[i], depth + 1))
                return false;
        }
        return true;
    default:
        return true;
    }
}

bool jinja_hashable(const struct value *v)
{
    return hashable(v, 0);
}

static uint32_t hash(struct render *r, const struct value *v)
{
    const struct hash_key *key = &r->tmpl->hash;
    uint32_t h = 0;
    int64_t whole;
    switch (v->kind) {
    case VALUE_STRING:
        jinja_spend(r, v->text.size >> 6);
        return (uint32_t)hash_bytes(key, str_data(v->text), v->text.size);
    case VALUE_BOOL:
    case VALUE_INT:
        whole = value_integral(v);
        return (uint32_t)hash_bytes(key, &whole, sizeof whole);
    case VALUE_FLOAT:
        /* Equal numbers have equal hashes, whatever their kind. */
        if (v->number >= -9e18 && v->number <= 9e18 && v->number == floor(v->number)) {
            whole = (int64_t)v->number;
            return (uint32_t)hash_bytes(key, &whole, sizeof whole);
        }
        return (uint32_t)hash_bytes(key, &v->number, sizeof v->number);
    case VALUE_TUPLE:
        for (uint32_t i = 0; i < v->list->n; i++)
            h = h * 31 + hash(r, &v->list->items[i]);
        return h;
    default:
        return v->kind;
    }
}

/* Index of the entry or, where it could go, n. Keys of different kinds compare without failing. */
static uint32_t find_entry(struct render *r, const struct dict *dict, const struct value *key,
                           uint32_t h)
{
    bool same;
    if (!dict->index) {
        for (uint32_t i = 0; i < dict->n; i++) {
            const struct dict_entry *entry = &dict->entries[i];
            if (entry->hash == h && jinja_equal(r, &entry->key, key, &same) && same)
                return i;
        }
        return dict->n;
    }
    uint32_t mask = dict->index_size - 1;
    for (uint32_t at = h & mask; dict->index[at]; at = (at + 1) & mask) {
        const struct dict_entry *entry = &dict->entries[dict->index[at] - 1];
        if (entry->hash == h && jinja_equal(r, &entry->key, key, &same) && same)
            return dict->index[at] - 1;
    }
    return dict->n;
}

static void index_entry(struct dict *dict, uint32_t i)
{
    uint32_t mask = dict->index_size - 1, at = dict->entries[i].hash & mask;
    while (dict->index[at])
        at = (at + 1) & mask;
    dict->index[at] = i + 1;
}

static bool rebuild_index(struct render *r, struct dict *dict)
{
    dict->index = NULL;
    if (dict->capacity <= DICT_SMALL)
        return true;
    dict->index_size = dict->capacity * 2;
    dict->index = jinja_alloc(r, dict->index_size, sizeof *dict->index);
    if (!dict->index)
        return false;
    for (uint32_t i = 0; i < dict->n; i++)
        index_entry(dict, i);
    return true;
}

static bool check_key(struct render *r, const struct value *key)
{
    return jinja_hashable(key) ||
           jinja_fail(r, "type %s cannot be the key of a dict", jinja_kind_name(key));
}

struct value *dict_get(struct render *r, const struct dict *dict, const struct value *key)
{
    if (!check_key(r, key))
        return NULL;
    uint32_t i = find_entry(r, dict, key, hash(r, key));
    return i < dict->n ? &dict->entries[i].value : NULL;
}

struct value *dict_get_str(struct render *r, const struct dict *dict, struct str key)
{
    struct value text = value_str(key);
    return dict_get(r, dict, &text);
}

bool dict_set(struct render *r, struct dict *dict, const struct value *key,
              const struct value *value)
{
    if (!check_key(r, key))
        return false;
    uint32_t h = hash(r, key), i = find_entry(r, dict, key, h);
    if (r->status != EMBER_OK)
        return false;
    if (i < dict->n) {
        dict->entries[i].value = *value;
        return true;
    }
    if (dict->n == dict->capacity) {
        if (dict->capacity > UINT32_MAX / 4)
            return jinja_fail(r, "a dict grows too large");
        uint32_t capacity = dict->capacity ? dict->capacity * 2 : 4;
        struct dict_entry *entries = jinja_alloc(r, capacity, sizeof *entries);
        if (!entries)
            return false;
        if (dict->n)
            memcpy(entries, dict->entries, dict->n * sizeof *entries);
        dict->entries = entries;
        dict->capacity = capacity;
        if (!rebuild_index(r, dict))
            return false;
    }
    dict->entries[dict->n] = (struct dict_entry){ .key = *key, .value = *value, .hash = h };
    if (dict->index)
        index_entry(dict, dict->n);
    dict->n++;
    return jinja_spend(r, 1);
}

bool dict_remove(struct render *r, struct dict *dict, const struct value *key, struct value *out)
{
    out->kind = VALUE_MISSING;
    if (!check_key(r, key))
        return false;
    uint32_t i = find_entry(r, dict, key, hash(r, key));
    if (i == dict->n)
        return r->status == EMBER_OK;
    *out = dict->entries[i].value;
    memmove(&dict->entries[i], &dict->entries[i + 1], (dict->n - i - 1) * sizeof *dict->entries);
    dict->n--;
    return rebuild_index(r, dict) && jinja_spend(r, dict->n);
}

/* ---- truth, equality, order ---- */

bool jinja_truth(const struct value *v)
{
    switch (v->kind) {
    case VALUE_MISSING:
    case VALUE_UNDEFINED:
    case VALUE_NONE:
        return false;
    case VALUE_BOOL:
        return v->boolean;
    case VALUE_INT:
        return v->integer != 0;
    case VALUE_FLOAT:
        return v->number != 0;
    case VALUE_STRING:
        return v->text.size > 0;
    case VALUE_LIST:
    case VALUE_TUPLE:
        return v->list->n > 0;
    case VALUE_DICT:
        return v->dict->n > 0;
    case VALUE_VIEW:
        return v->view.dict->n > 0;
    case VALUE_RANGE:
        return v->range->n > 0;
    default:
        return true; /* generators too, however empty */
    }
}

static bool same_entries(struct render *r, const struct dict *a, const struct dict *b, bool *out)
{
    *out = a->n == b->n;
    if (*out && !jinja_spend(r, a->n))
        return false;
    for (uint32_t i = 0; i < a->n && *out; i++) {
        const struct value *other = dict_get(r, b, &a->entries[i].key);
        if (!other)
            *out = false;
        else if (!jinja_equal(r, &a->entries[i].value, other, out))
            return false;
    }
    return r->status == EMBER_OK;
}

static bool same_items(struct render *r, const struct list *a, const struct list *b, bool *out)
{
    *out = a->n == b->n;
    if (*out && !jinja_spend(r, a->n))
        return false;
    for (uint32_t i = 0; i < a->n && *out; i++) {
        if (!jinja_equal(r, &a->items[i], &b->items[i], out))
            return false;
    }
    return true;
}

static bool equal_numbers(const struct value *a, const struct value *b)
{
    if (value_is_integral(a) && value_is_integral(b))
        return value_integral(a) == value_integral(b);
    return value_number(a) == value_number(b);
}

bool jinja_equal(struct render *r, const struct value *a, const struct value *b, bool *out)
{
    *out = false;
    if (value_is_number(a) && value_is_number(b)) {
        *out = equal_numbers(a, b);
        return true;
    }
    if (a->kind != b->kind)
        return true;
    bool ok = true;
    switch (a->kind) {
    case VALUE_STRING:
        *out = str_equal(a->text, b->text);
        return a->text.size != b->text.size || jinja_spend(r, a->text.size >> 6);
    case VALUE_MISSING:
    case VALUE_UNDEFINED:
    case VALUE_NONE:
        *out = true;
        return true;
    case VALUE_LIST:
    case VALUE_TUPLE:
    case VALUE_DICT:
        if (!jinja_enter(r))
            return false;
        ok = a->kind == VALUE_DICT ? same_entries(r, a->dict, b->dict, out)
                                   : same_items(r, a->list, b->list, out);
        jinja_leave(r);
        return ok;
    case VALUE_RANGE:
        *out = a->range->n == b->range->n &&
               (a->range->n == 0 || (a->range->start == b->range->start &&
                                     (a->range->n == 1 || a->range->step == b->range->step)));
        return true;
    case VALUE_VIEW:
        *out = a->view.dict == b->view.dict && a->view.kind == b->view.kind;
        return true;
    case VALUE_METHOD:
        return a->method->method != b->method->method ||
               jinja_equal(r, &a->method->self, &b->method->self, out);
    default:
        *out = a->list == b->list; /* the same object */
        return true;
    }
}

bool jinja_compare(struct render *r, const struct value *a, const struct value *b, const char *sign,
                   int *out)
{
    if (value_is_number(a) && value_is_number(b)) {
        if (value_is_integral(a) && value_is_integral(b)) {
            int64_t x = value_integral(a), y = value_integral(b);
            *out = x < y ? -1 : x > y;
        } else {
            double x = value_number(a), y = value_number(b);
            *out = x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
        }
        return true;
    }
    if (a->kind == VALUE_STRING && b->kind == VALUE_STRING) {
        *out = str_compare(a->text, b->text);
        return jinja_spend(r, (a->text.size < b->text.size ? a->text.size : b->text.size) >> 6);
    }
    if (a->kind == b->kind && (a->kind == VALUE_LIST || a->kind == VALUE_TUPLE)) {
        const struct list *x = a->list, *y = b->list;
        uint32_t n = x->n < y->n ? x->n : y->n;
        if (!jinja_enter(r))
            return false;
        *out = x->n < y->n ? -1 : x->n > y->n;
        bool ok = true;
        for (uint32_t i = 0; i < n && ok; i++) {
            bool same;
            ok = jinja_spend(r, 1) && jinja_equal(r, &x->items[i], &y->items[i], &same);
            if (ok && !same) {
                ok = jinja_compare(r, &x->items[i], &y->items[i], sign, out);
                break;
            }
        }
        jinja_leave(r);
        return ok;
    }
    if (a->kind == VALUE_UNDEFINED)
        return jinja_fail_undefined(r, a);
    if (b->kind == VALUE_UNDEFINED)
        return jinja_fail_undefined(r, b);
    return jinja_fail(r, "'%s' is not possible between %s and %s", sign, jinja_kind_name(a),
                      jinja_kind_name(b));
}

static bool range_contains(const struct range *range, const struct value *item)
{
    if (!value_is_number(item))
        return false;
    double d = value_number(item);
    if (!(d >= -9e18 && d <= 9e18) || d != floor(d))
        return false;
    int64_t i = value_is_integral(item) ? value_integral(item) : (int64_t)d;
    int64_t low = range->step > 0 ? range->start : range->stop + 1;
    int64_t high = range->step > 0 ? range->stop - 1 : range->start;
    return range->n > 0 && i >= low && i <= high && (i - range->start) % range->step == 0;
}

bool jinja_contains(struct render *r, const struct value *item, const struct value *in, bool *out)
{
    struct walk walk;
    struct value other;
    *out = false;
    switch (in->kind) {
    case VALUE_STRING:
        if (item->kind != VALUE_STRING)
            return jinja_fail(r, "'in' a string needs a string on its left, not %s",
                              jinja_kind_name(item));
        *out = str_find(r, in->text, item->text, 0, in->text.size) != UINT32_MAX;
        return r->status == EMBER_OK;
    case VALUE_DICT:
        *out = dict_get(r, in->dict, item) != NULL;
        return r->status == EMBER_OK;
    case VALUE_RANGE:
        *out = range_contains(in->range, item);
        return true;
    default:
        if (!jinja_walk(r, in, &walk))
            return false;
        while (!*out && jinja_next(&walk, &other)) {
            if (!jinja_equal(r, &other, item, out))
                return false;
        }
        return r->status == EMBER_OK;
    }
}

int64_t jinja_try_length(struct render *r, const struct value *v)
{
    switch (v->kind) {
    case VALUE_UNDEFINED:
        return 0;
    case VALUE_STRING:
        return str_length(r, v->text);
    case VALUE_LIST:
    case VALUE_TUPLE:
        return v->list->n;
    case VALUE_DICT:
        return v->dict->n;
    case VALUE_VIEW:
        return v->view.dict->n;
    case VALUE_RANGE:
        return v->range->n;
    case VALUE_LOOP:
        while (!v->loop->complete) {
            if (!jinja_loop_more(r, v->loop))
                return 0;
        }
        return v->loop->items->n;
    default:
        return -1;
    }
}

bool jinja_length(struct render *r, const struct value *v, int64_t *out)
{
    *out = jinja_try_length(r, v);
    if (*out < 0)
        return jinja_fail(r, "type %s has no length", jinja_kind_name(v));
    return r->status == EMBER_OK;
}

/* ---- iteration ---- */

bool jinja_iterable(const struct value *v)
{
    switch (v->kind) {
    case VALUE_UNDEFINED:
    case VALUE_STRING:
    case VALUE_LIST:
    case VALUE_TUPLE:
    case VALUE_DICT:
    case VALUE_VIEW:
    case VALUE_RANGE:
    case VALUE_GENERATOR:
        return true;
    default:
        return false;
    }
}

bool jinja_walk(struct render *r, const struct value *over, struct walk *walk)
{
    *walk = (struct walk){ .r = r, .over = *over };
    if (!jinja_iterable(over))
        return jinja_fail(r, "type %s cannot be walked through", jinja_kind_name(over));
    if (over->kind == VALUE_GENERATOR && over->generator->produce) {
        struct generator *generator = over->generator;
        bool (*produce)(struct render *, const struct value *, const struct arguments *,
                        struct list *) = generator->produce;
        generator->produce = NULL; /* also when it fails, or walks itself */
        /* Generators may wait for generators, as many as a template likes. */
        if (!jinja_enter(r))
            return false;
        bool ok = produce(r, &generator->input, &generator->args, &generator->items);
        jinja_leave(r);
        return ok;
    }
    return true;
}

static bool next_entry(struct walk *walk, const struct dict *dict, enum view_kind kind,
                       struct value *item)
{
    if (walk->at >= dict->n)
        return false;
    const struct dict_entry *entry = &dict->entries[walk->at++];
    if (kind == VIEW_ITEMS) {
        bool ok = value_pair(walk->r, &entry->key, &entry->value, item);
        item->flags |= walk->over.flags & VALUE_UNTRUSTED;
        return ok;
    }
    *item = kind == VIEW_KEYS ? entry->key : entry->value;
    return true;
}

bool jinja_next(struct walk *walk, struct value *item)
{
    struct value *over = &walk->over;
    uint32_t c, n;
    if (walk->r->status != EMBER_OK || !jinja_spend(walk->r, 1))
        return false;
    switch (over->kind) {
    case VALUE_STRING:
        if (walk->at >= over->text.size)
            return false;
        n = str_char(over->text, walk->at, &c);
        *item = value_str(str_part(over->text, walk->at, n));
        walk->at += n;
        return true;
    case VALUE_LIST:
    case VALUE_TUPLE:
        if (walk->at >= over->list->n)
            return false;
        *item = over->list->items[walk->at++];
        return true;
    case VALUE_DICT:
        return next_entry(walk, over->dict, VIEW_KEYS, item);
    case VALUE_VIEW:
        return next_entry(walk, over->view.dict, over->view.kind, item);
    case VALUE_RANGE:
        if (walk->at >= over->range->n)
            return false;
        *item = value_int(over->range->start + over->range->step * (int64_t)walk->at++);
        item->flags = over->flags & VALUE_UNTRUSTED;
        return true;
    case VALUE_GENERATOR:
        if (over->generator->next >= over->generator->items.n)
            return false;
        *item = over->generator->items.items[over->generator->next++];
        return true;
    default:
        return false;
    }
}

bool jinja_list_of(struct render *r, const struct value *v, struct list **out)
{
    struct walk walk;
    struct value item;
    int64_t n = v->kind == VALUE_STRING ? 0 : jinja_try_length(r, v);
    if (!jinja_walk(r, v, &walk))
        return false;
    *out = list_new(r, n > 0 ? (uint32_t)n : 0);
    if (!*out)
        return false;
    while (jinja_next(&walk, &item)) {
        if (!list_push(r, *out, &item))
            return false;
    }
    return r->status == EMBER_OK;
}
