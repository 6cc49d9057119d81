/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filters on sequences, mappings and values in general, and how filters are found and called. */
#include <string.h>

#include "chat/jinja_run.h"

/* ---- sorting ---- */

/* Whether b must come before a. */
static bool precedes(struct render *r, const struct value *b, const struct value *a, bool reverse,
                     bool *out)
{
    int order;
    if (!jinja_spend(r, 1) || !jinja_compare(r, b, a, "<", &order))
        return false;
    *out = reverse ? order == 1 : order == -1;
    return true;
}

/* Merges of growing runs: stable, and nothing worse than n log n comparisons. */
bool jinja_sort(struct render *r, struct sort_entry *entries, uint32_t n, bool reverse)
{
    struct sort_entry *other = jinja_alloc(r, n ? n : 1, sizeof *other);
    struct sort_entry *from = entries, *to = other;
    if (!other)
        return false;
    for (uint64_t width = 1; width < n; width *= 2) {
        for (uint64_t start = 0; start < n; start += 2 * width) {
            uint64_t middle = start + width < n ? start + width : n;
            uint64_t end = start + 2 * width < n ? start + 2 * width : n;
            uint64_t a = start, b = middle;
            for (uint64_t at = start; at < end; at++) {
                bool take = a == middle;
                if (a < middle && b < end &&
                    !precedes(r, &from[b].key, &from[a].key, reverse, &take))
                    return false;
                to[at] = take ? from[b++] : from[a++];
            }
        }
        struct sort_entry *swap = from;
        from = to;
        to = swap;
    }
    if (from != entries)
        memcpy(entries, from, n * sizeof *entries);
    return true;
}

static bool ignore_case(struct render *r, struct value *v)
{
    struct value lower;
    if (v->kind != VALUE_STRING)
        return true;
    if (!jinja_lower(r, v->text, &lower))
        return false;
    *v = lower;
    return true;
}

static bool truth_or(const struct value *arg, bool fallback)
{
    return arg->kind == VALUE_MISSING ? fallback : jinja_truth(arg);
}

/* The key of one item: a path, by default without regard to case. */
static bool item_key(struct render *r, const struct value *item, const struct value *path,
                     const struct value *fallback, bool case_sensitive, struct value *out)
{
    if (!jinja_path(r, item, path, out))
        return false;
    if (out->kind == VALUE_UNDEFINED && fallback && fallback->kind != VALUE_MISSING &&
        fallback->kind != VALUE_NONE)
        *out = *fallback;
    return case_sensitive || ignore_case(r, out);
}

/* The key of sort: a list, since the attribute may name several paths ("age,name"). */
static bool sort_key(struct render *r, const struct value *item, const struct value *paths,
                     bool case_sensitive, struct value *out)
{
    struct list *keys = list_new(r, 1);
    struct value key;
    if (!keys)
        return false;
    *out = value_list(keys);
    if (paths->kind != VALUE_STRING)
        return item_key(r, item, paths, NULL, case_sensitive, &key) && list_push(r, keys, &key);
    struct str s = paths->text;
    for (uint32_t at = 0; at <= s.size;) {
        uint32_t end = at;
        while (end < s.size && str_data(s)[end] != ',')
            end++;
        struct value path = value_str(str_part(s, at, end - at));
        if (!item_key(r, item, &path, NULL, case_sensitive, &key) || !list_push(r, keys, &key))
            return false;
        at = end + 1;
    }
    return true;
}

static bool entries_of(struct render *r, const struct value *in, struct sort_entry **entries,
                       uint32_t *n)
{
    struct list *list;
    if (!jinja_list_of(r, in, &list))
        return false;
    *n = list->n;
    *entries = jinja_alloc(r, list->n ? list->n : 1, sizeof **entries);
    for (uint32_t i = 0; *entries && i < list->n; i++)
        (*entries)[i].item = list->items[i];
    return *entries;
}

static bool list_of_entries(struct render *r, const struct sort_entry *entries, uint32_t n,
                            struct value *out)
{
    struct list *list = list_new(r, n);
    if (!list)
        return false;
    for (uint32_t i = 0; i < n; i++)
        list->items[list->n++] = entries[i].item;
    *out = value_list(list);
    return true;
}

static bool filter_sort(struct render *r, const struct value *in, const struct value *arg,
                        struct value *out)
{
    struct sort_entry *entries;
    uint32_t n;
    bool case_sensitive = truth_or(&arg[1], false);
    if (!entries_of(r, in, &entries, &n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (!sort_key(r, &entries[i].item, &arg[2], case_sensitive, &entries[i].key))
            return false;
    }
    return jinja_sort(r, entries, n, truth_or(&arg[0], false)) &&
           list_of_entries(r, entries, n, out);
}

static bool filter_dictsort(struct render *r, const struct value *in, const struct value *arg,
                            struct value *out)
{
    struct sort_entry *entries;
    uint32_t n;
    bool case_sensitive = truth_or(&arg[0], false), by_value = false;
    if (in->kind == VALUE_UNDEFINED)
        return jinja_fail_undefined(r, in);
    if (in->kind != VALUE_DICT)
        return jinja_fail(r, "dictsort needs a dict, not %s", jinja_kind_name(in));
    if (arg[1].kind == VALUE_STRING)
        by_value = str_is(arg[1].text, "value");
    if (arg[1].kind != VALUE_MISSING &&
        (arg[1].kind != VALUE_STRING || (!by_value && !str_is(arg[1].text, "key"))))
        return jinja_fail(r, "dictsort sorts by 'key' or 'value'");
    struct value view = { .kind = VALUE_VIEW };
    view.view.dict = in->dict;
    view.view.kind = VIEW_ITEMS;
    if (!entries_of(r, &view, &entries, &n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        entries[i].key = entries[i].item.list->items[by_value];
        if (!case_sensitive && !ignore_case(r, &entries[i].key))
            return false;
    }
    return jinja_sort(r, entries, n, truth_or(&arg[2], false)) &&
           list_of_entries(r, entries, n, out);
}

static bool filter_groupby(struct render *r, const struct value *in, const struct value *arg,
                           struct value *out)
{
    struct sort_entry *entries;
    struct list *groups = list_new(r, 0), *members = NULL;
    uint32_t n;
    bool case_sensitive = truth_or(&arg[2], false);
    if (!groups || !entries_of(r, in, &entries, &n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (!item_key(r, &entries[i].item, &arg[0], &arg[1], case_sensitive, &entries[i].key))
            return false;
    }
    if (!jinja_sort(r, entries, n, false))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        bool same = false;
        if (i && !jinja_equal(r, &entries[i - 1].key, &entries[i].key, &same))
            return false;
        if (!same) {
            struct value key, list, pair;
            members = list_new(r, 0);
            if (!members)
                return false;
            list = value_list(members);
            /* The group is named as its first member spells it. */
            if (!item_key(r, &entries[i].item, &arg[0], &arg[1], true, &key) ||
                !value_pair(r, &key, &list, &pair))
                return false;
            pair.flags |= VALUE_GROUP;
            if (!list_push(r, groups, &pair))
                return false;
        }
        if (!list_push(r, members, &entries[i].item))
            return false;
    }
    *out = value_list(groups);
    return true;
}

static bool extreme(struct render *r, const struct value *in, const struct value *arg, bool largest,
                    struct value *out)
{
    struct walk walk;
    struct value item, key, best = { .kind = VALUE_MISSING };
    bool case_sensitive = truth_or(&arg[0], false), better;
    *out = value_undefined(UNDEFINED_EMPTY);
    if (!jinja_walk(r, in, &walk))
        return false;
    while (jinja_next(&walk, &item)) {
        if (!item_key(r, &item, &arg[1], NULL, case_sensitive, &key))
            return false;
        better = best.kind == VALUE_MISSING;
        if (!better && !precedes(r, &key, &best, largest, &better))
            return false;
        if (better) {
            best = key;
            *out = item;
        }
    }
    return r->status == EMBER_OK;
}

static bool filter_min(struct render *r, const struct value *in, const struct value *arg,
                       struct value *out)
{
    return extreme(r, in, arg, false, out);
}

static bool filter_max(struct render *r, const struct value *in, const struct value *arg,
                       struct value *out)
{
    return extreme(r, in, arg, true, out);
}

/* ---- one value of many ---- */

static bool filter_length(struct render *r, const struct value *in, const struct value *arg,
                          struct value *out)
{
    int64_t n;
    (void)arg;
    if (!jinja_length(r, in, &n))
        return false;
    *out = value_int(n);
    return true;
}

static bool filter_first(struct render *r, const struct value *in, const struct value *arg,
                         struct value *out)
{
    struct walk walk;
    (void)arg;
    *out = value_undefined(UNDEFINED_EMPTY);
    if (!jinja_walk(r, in, &walk))
        return false;
    jinja_next(&walk, out);
    return r->status == EMBER_OK;
}

static bool filter_last(struct render *r, const struct value *in, const struct value *arg,
                        struct value *out)
{
    struct list *list;
    struct value at = value_int(-1);
    (void)arg;
    if (in->kind == VALUE_GENERATOR)
        return jinja_fail(r, "last needs a sequence, not %s", jinja_kind_name(in));
    *out = value_undefined(UNDEFINED_EMPTY);
    if (in->kind == VALUE_STRING)
        return in->text.size ? jinja_item(r, in, &at, out) : true;
    if (in->kind == VALUE_LIST || in->kind == VALUE_TUPLE)
        list = in->list;
    else if (!jinja_list_of(r, in, &list))
        return false;
    if (list->n)
        *out = list->items[list->n - 1];
    return true;
}

static bool filter_sum(struct render *r, const struct value *in, const struct value *arg,
                       struct value *out)
{
    struct walk walk;
    struct value item, addend, total = arg[1].kind == VALUE_MISSING ? value_int(0) : arg[1];
    if (total.kind == VALUE_STRING)
        return jinja_fail(r, "sum cannot add strings; use join");
    if (!jinja_walk(r, in, &walk))
        return false;
    while (jinja_next(&walk, &item)) {
        struct value before = total;
        if (!jinja_path(r, &item, &arg[0], &addend) ||
            !jinja_binary(r, OP_ADD, &before, &addend, &total))
            return false;
    }
    *out = total;
    return r->status == EMBER_OK;
}

static bool filter_join(struct render *r, const struct value *in, const struct value *arg,
                        struct value *out)
{
    struct value separator = value_str((struct str){ 0 }), item, part;
    struct builder b;
    struct walk walk;
    bool first = true;
    if (arg[0].kind != VALUE_MISSING && !jinja_to_str(r, &arg[0], &separator))
        return false;
    if (!jinja_walk(r, in, &walk))
        return false;
    builder_init(&b, r);
    while (jinja_next(&walk, &item)) {
        if (!jinja_path(r, &item, &arg[1], &part))
            return false;
        if (!first)
            builder_str(&b, separator.text);
        jinja_put_str(&b, &part);
        first = false;
    }
    return builder_end(&b, out);
}

static bool filter_default(struct render *r, const struct value *in, const struct value *arg,
                           struct value *out)
{
    (void)r;
    *out = *in;
    if (in->kind == VALUE_UNDEFINED || (truth_or(&arg[1], false) && !jinja_truth(in)))
        *out = arg[0].kind == VALUE_MISSING ? value_str((struct str){ 0 }) : arg[0];
    return true;
}

static bool filter_attr(struct render *r, const struct value *in, const struct value *arg,
                        struct value *out)
{
    struct str name;
    if (!jinja_want_str(r, "attr", &arg[0], &name))
        return false;
    if (in->kind == VALUE_UNDEFINED)
        return jinja_fail_undefined(r, in);
    if (!jinja_own_attribute(r, in, name, out))
        return false;
    if (out->kind == VALUE_MISSING) {
        *out = value_undefined(UNDEFINED_ATTRIBUTE);
        out->of = in->kind;
        out->text = name;
    }
    return true;
}

/* ---- many of many ---- */

static bool filter_list(struct render *r, const struct value *in, const struct value *arg,
                        struct value *out)
{
    struct list *list;
    (void)arg;
    if (!jinja_list_of(r, in, &list))
        return false;
    *out = value_list(list);
    out->flags = in->flags & VALUE_UNTRUSTED;
    return true;
}

static bool make_generator(struct render *r, const struct value *in, const struct arguments *args,
                           bool (*produce)(struct render *, const struct value *,
                                           const struct arguments *, struct list *),
                           struct value *out)
{
    struct generator *generator = jinja_alloc(r, 1, sizeof *generator);
    if (!generator)
        return false;
    generator->produce = produce;
    generator->input = *in;
    generator->args = *args;
    *out = (struct value){ .kind = VALUE_GENERATOR, .generator = generator };
    return true;
}

static bool filter_reverse(struct render *r, const struct value *in, const struct value *arg,
                           struct value *out)
{
    struct list *list;
    struct arguments none = { 0 };
    struct value missing = value_none(), back = value_int(-1);
    (void)arg;
    if (in->kind == VALUE_STRING)
        return jinja_slice(r, in, &missing, &missing, &back, out);
    if (!jinja_list_of(r, in, &list))
        return false;
    for (uint32_t i = 0; i < list->n / 2; i++) {
        struct value v = list->items[i];
        list->items[i] = list->items[list->n - 1 - i];
        list->items[list->n - 1 - i] = v;
    }
    if (in->kind == VALUE_GENERATOR) {
        *out = value_list(list);
        return true;
    }
    if (!make_generator(r, in, &none, NULL, out))
        return false;
    out->generator->items = *list;
    return true;
}

static bool produce_items(struct render *r, const struct value *in, const struct arguments *args,
                          struct list *items)
{
    (void)args;
    if (in->kind == VALUE_UNDEFINED)
        return true;
    if (in->kind != VALUE_DICT)
        return jinja_fail(r, "items needs a dict, not %s", jinja_kind_name(in));
    struct value view = { .kind = VALUE_VIEW, .flags = in->flags };
    struct list *list;
    view.view.dict = in->dict;
    view.view.kind = VIEW_ITEMS;
    if (!jinja_list_of(r, &view, &list))
        return false;
    *items = *list;
    return true;
}

static bool produce_unique(struct render *r, const struct value *in, const struct arguments *args,
                           struct list *items)
{
    struct value arg[MAX_PARAMETERS], item, key, none = value_none();
    struct dict *seen = dict_new(r);
    struct walk walk;
    if (!seen || !jinja_bind(r, "unique", args, "case_sensitive attribute", 0, true, arg) ||
        !jinja_walk(r, in, &walk))
        return false;
    while (jinja_next(&walk, &item)) {
        if (!item_key(r, &item, &arg[1], NULL, truth_or(&arg[0], false), &key))
            return false;
        if (dict_get(r, seen, &key))
            continue;
        if (!dict_set(r, seen, &key, &none) || !list_push(r, items, &item))
            return false;
    }
    return r->status == EMBER_OK;
}

static bool produce_batch(struct render *r, const struct value *in, const struct arguments *args,
                          struct list *items)
{
    struct value arg[MAX_PARAMETERS], item;
    struct list *line = list_new(r, 0);
    struct walk walk;
    int64_t size;
    if (!line || !jinja_bind(r, "batch", args, "linecount fill_with", 1, true, arg) ||
        !jinja_want_int(r, "batch", &arg[0], &size) || !jinja_walk(r, in, &walk))
        return false;
    struct value v = value_list(line);
    while (jinja_next(&walk, &item)) {
        if ((int64_t)line->n == size) {
            if (!list_push(r, items, &v))
                return false;
            line = list_new(r, 0);
            v = value_list(line);
        }
        if (!line || !list_push(r, line, &item))
            return false;
    }
    bool fill = arg[1].kind != VALUE_MISSING && arg[1].kind != VALUE_NONE;
    while (fill && line->n && (int64_t)line->n < size) {
        if (!list_push(r, line, &arg[1]))
            return false;
    }
    return r->status == EMBER_OK && (!line->n || list_push(r, items, &v));
}

static bool produce_slices(struct render *r, const struct value *in, const struct arguments *args,
                           struct list *items)
{
    struct value arg[MAX_PARAMETERS];
    struct list *all;
    int64_t slices;
    if (!jinja_bind(r, "slice", args, "slices fill_with", 1, true, arg) ||
        !jinja_want_int(r, "slice", &arg[0], &slices) || !jinja_list_of(r, in, &all))
        return false;
    if (slices == 0)
        return jinja_fail(r, "division by zero");
    bool fill = arg[1].kind != VALUE_MISSING && arg[1].kind != VALUE_NONE;
    uint32_t at = 0;
    for (int64_t i = 0; i < slices; i++) {
        int64_t n = all->n / slices + (i < all->n % slices);
        struct list *slice = list_new(r, (uint32_t)n);
        struct value v = value_list(slice);
        if (!slice || !list_push(r, items, &v))
            return false;
        while (n-- > 0)
            slice->items[slice->n++] = all->items[at++];
        if (fill && i >= all->n % slices && !list_push(r, slice, &arg[1]))
            return false;
    }
    return true;
}

/* map(attribute=…) or map('filter', arguments…) */
static bool produce_map(struct render *r, const struct value *in, const struct arguments *args,
                        struct list *items)
{
    struct value item, mapped, arg[MAX_PARAMETERS];
    const struct filter *filter = NULL;
    struct arguments rest = *args;
    struct walk walk;
    struct str name;
    if (!jinja_truth(in)) /* none counts as nothing to map, and no argument is looked at */
        return true;
    if (args->n) {
        if (!jinja_want_str(r, "map", &args->at[0], &name))
            return false;
        filter = jinja_find_filter(name);
        if (!filter)
            return jinja_fail(r, "no filter is called '%.*s'", (int)name.size, str_data(name));
        rest.at++;
        rest.n--;
    } else if (!jinja_bind(r, "map", args, "attribute default", 1, true, arg)) {
        return false;
    }
    if (!jinja_walk(r, in, &walk))
        return false;
    while (jinja_next(&walk, &item)) {
        if (filter ? !jinja_apply_filter(r, filter, &item, &rest, &mapped)
                   : !item_key(r, &item, &arg[0], &arg[1], true, &mapped))
            return false;
        if (!list_push(r, items, &mapped))
            return false;
    }
    return r->status == EMBER_OK;
}

/* select, reject and their attr forms: ([path,] [test, arguments…]). */
static bool produce_selected(struct render *r, const struct value *in, const struct arguments *args,
                             struct list *items, bool by_attribute, bool wanted)
{
    struct value item, subject, none = value_none();
    const struct value *path = &none;
    const struct test *test = NULL;
    struct arguments rest = *args;
    struct walk walk;
    struct str name;
    if (!jinja_truth(in)) /* as for map */
        return true;
    if (by_attribute) {
        if (!rest.n)
            return jinja_fail(r, "selectattr and rejectattr need the name of an attribute");
        path = rest.at++;
        rest.n--;
    }
    if (rest.n) {
        if (!jinja_want_str(r, "select", &rest.at[0], &name))
            return false;
        test = jinja_find_test(name);
        if (!test)
            return jinja_fail(r, "no test is called '%.*s'", (int)name.size, str_data(name));
        rest.at++;
        rest.n--;
    }
    if (!jinja_walk(r, in, &walk))
        return false;
    while (jinja_next(&walk, &item)) {
        bool holds;
        if (!jinja_path(r, &item, path, &subject))
            return false;
        if (!test)
            holds = jinja_truth(&subject);
        else if (!jinja_apply_test(r, test, &subject, &rest, &holds))
            return false;
        if (holds == wanted && !list_push(r, items, &item))
            return false;
    }
    return r->status == EMBER_OK;
}

static bool produce_select(struct render *r, const struct value *in, const struct arguments *args,
                           struct list *items)
{
    return produce_selected(r, in, args, items, false, true);
}

static bool produce_reject(struct render *r, const struct value *in, const struct arguments *args,
                           struct list *items)
{
    return produce_selected(r, in, args, items, false, false);
}

static bool produce_selectattr(struct render *r, const struct value *in,
                               const struct arguments *args, struct list *items)
{
    return produce_selected(r, in, args, items, true, true);
}

static bool produce_rejectattr(struct render *r, const struct value *in,
                               const struct arguments *args, struct list *items)
{
    return produce_selected(r, in, args, items, true, false);
}

#define GENERATOR_FILTER(name)                                                                     \
    static bool filter_##name(struct render *r, const struct value *in,                            \
                              const struct arguments *args, struct value *out)                     \
    {                                                                                              \
        return make_generator(r, in, args, produce_##name, out);                                   \
    }
GENERATOR_FILTER(batch)
GENERATOR_FILTER(items)
GENERATOR_FILTER(map)
GENERATOR_FILTER(reject)
GENERATOR_FILTER(rejectattr)
GENERATOR_FILTER(select)
GENERATOR_FILTER(selectattr)
GENERATOR_FILTER(slices)
GENERATOR_FILTER(unique)

/* Known to the reference, without a place in a prompt: chance, line breaking, links. They are known
 * here too, so that a template that merely names them in a branch it never takes is not refused. */
static bool filter_unsupported(struct render *r, const struct value *in,
                               const struct arguments *args, struct value *out)
{
    (void)in, (void)args, (void)out;
    return jinja_fail(r, "the filters pprint, random, striptags, urlize and wordwrap are not "
                         "supported");
}

const struct filter jinja_list_filters[] = {
    { "attr", "name", 1, filter_attr, NULL },
    { "batch", NULL, 0, NULL, filter_batch },
    { "count", "", 0, filter_length, NULL },
    { "d", "default_value boolean", 0, filter_default, NULL },
    { "default", "default_value boolean", 0, filter_default, NULL },
    { "dictsort", "case_sensitive by reverse", 0, filter_dictsort, NULL },
    { "first", "", 0, filter_first, NULL },
    { "groupby", "attribute default case_sensitive", 1, filter_groupby, NULL },
    { "items", NULL, 0, NULL, filter_items },
    { "join", "d attribute", 0, filter_join, NULL },
    { "last", "", 0, filter_last, NULL },
    { "length", "", 0, filter_length, NULL },
    { "list", "", 0, filter_list, NULL },
    { "map", NULL, 0, NULL, filter_map },
    { "max", "case_sensitive attribute", 0, filter_max, NULL },
    { "min", "case_sensitive attribute", 0, filter_min, NULL },
    { "pprint", NULL, 0, NULL, filter_unsupported },
    { "random", NULL, 0, NULL, filter_unsupported },
    { "reject", NULL, 0, NULL, filter_reject },
    { "rejectattr", NULL, 0, NULL, filter_rejectattr },
    { "reverse", "", 0, filter_reverse, NULL },
    { "select", NULL, 0, NULL, filter_select },
    { "selectattr", NULL, 0, NULL, filter_selectattr },
    { "slice", NULL, 0, NULL, filter_slices },
    { "sort", "reverse case_sensitive attribute", 0, filter_sort, NULL },
    { "striptags", NULL, 0, NULL, filter_unsupported },
    { "sum", "attribute start", 0, filter_sum, NULL },
    { "unique", NULL, 0, NULL, filter_unique },
    { "urlize", NULL, 0, NULL, filter_unsupported },
    { "wordwrap", NULL, 0, NULL, filter_unsupported },
    { 0 },
};

const struct filter *jinja_find_filter(struct str name)
{
    const struct filter *const tables[] = { jinja_text_filters, jinja_list_filters };
    for (size_t i = 0; i < 2; i++) {
        for (const struct filter *filter = tables[i]; filter->name; filter++) {
            if (str_is(name, filter->name))
                return filter;
        }
    }
    return NULL;
}

bool jinja_apply_filter(struct render *r, const struct filter *filter, const struct value *in,
                        const struct arguments *args, struct value *out)
{
    struct value arg[MAX_PARAMETERS];
    if (!jinja_spend(r, 1) || !jinja_enter(r))
        return false;
    bool ok = filter->raw ? filter->raw(r, in, args, out)
                          : jinja_bind(r, filter->name, args, filter->parameters, filter->required,
                                       true, arg) &&
                                filter->run(r, in, arg, out);
    jinja_leave(r);
    return ok && r->status == EMBER_OK;
}
