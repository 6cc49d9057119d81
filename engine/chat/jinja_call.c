/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls: arguments into places, methods of containers, and the functions every template sees. */
#include <string.h>

#include "chat/jinja_run.h"

enum { MAX_RANGE = 100000 };               /* the sandbox of the reference */
#define MAX_RANGE_BOUND ((int64_t)1 << 53) /* so that no item or step can overflow */

/* ---- arguments ---- */

/* Index of a name in "a b c", or -1; *n is the number of names. */
static int parameter_index(const char *parameters, struct str name, unsigned *n)
{
    int found = -1;
    *n = 0;
    for (const char *at = parameters; *at;) {
        size_t size = strcspn(at, " ");
        if (size == name.size && memcmp(at, str_data(name), size) == 0)
            found = (int)*n;
        ++*n;
        at += size;
        at += *at == ' ';
    }
    return found;
}

bool jinja_bind(struct render *r, const char *what, const struct arguments *args,
                const char *parameters, unsigned required, bool keywords,
                struct value out[MAX_PARAMETERS])
{
    unsigned n;
    parameter_index(parameters, (struct str){ 0 }, &n);
    memset(out, 0, MAX_PARAMETERS * sizeof *out); /* VALUE_MISSING */
    if (args->n > n)
        return jinja_fail(r, "%s takes %u arguments at most, not %u", what, n, args->n);
    for (uint32_t i = 0; i < args->n; i++)
        out[i] = args->at[i];
    for (uint32_t i = 0; i < args->n_named; i++) {
        struct str name = args->named[i].name;
        int at = keywords ? parameter_index(parameters, name, &n) : -1;
        if (at < 0)
            return jinja_fail(r, "%s takes no argument named '%.*s'", what, (int)name.size,
                              str_data(name));
        if (out[at].kind != VALUE_MISSING)
            return jinja_fail(r, "%s: the argument '%.*s' is given twice", what, (int)name.size,
                              str_data(name));
        out[at] = args->named[i].value;
    }
    for (unsigned i = 0; i < required; i++) {
        if (out[i].kind == VALUE_MISSING)
            return jinja_fail(r, "%s needs %u argument%s at least", what, required,
                              required == 1 ? "" : "s");
    }
    return true;
}

bool jinja_want_int(struct render *r, const char *what, const struct value *v, int64_t *out)
{
    if (v->kind == VALUE_UNDEFINED)
        return jinja_fail_undefined(r, v);
    if (!value_is_integral(v))
        return jinja_fail(r, "%s needs an integer, not %s", what, jinja_kind_name(v));
    *out = value_integral(v);
    return true;
}

bool jinja_want_str(struct render *r, const char *what, const struct value *v, struct str *out)
{
    if (v->kind == VALUE_UNDEFINED)
        return jinja_fail_undefined(r, v);
    if (v->kind != VALUE_STRING)
        return jinja_fail(r, "%s needs a string, not %s", what, jinja_kind_name(v));
    *out = v->text;
    return true;
}

/* ---- methods of containers ---- */

static bool list_count(struct render *r, const struct value *self, const struct value *arg,
                       struct value *out)
{
    struct walk walk;
    struct value item;
    int64_t n = 0;
    bool same;
    if (!jinja_walk(r, self, &walk))
        return false;
    while (jinja_next(&walk, &item)) {
        if (!jinja_equal(r, &item, &arg[0], &same))
            return false;
        n += same;
    }
    *out = value_int(n);
    return r->status == EMBER_OK;
}

static bool list_index(struct render *r, const struct value *self, const struct value *arg,
                       struct value *out)
{
    struct walk walk;
    struct value item;
    int64_t n = jinja_try_length(r, self), from = 0, to = n, i = 0;
    bool same;
    if ((arg[1].kind != VALUE_MISSING && !jinja_want_int(r, "index()", &arg[1], &from)) ||
        (arg[2].kind != VALUE_MISSING && !jinja_want_int(r, "index()", &arg[2], &to)) ||
        !jinja_walk(r, self, &walk))
        return false;
    from += from < 0 ? n : 0;
    to += to < 0 ? n : 0;
    for (; jinja_next(&walk, &item); i++) {
        if (i < from || i >= to)
            continue;
        if (!jinja_equal(r, &item, &arg[0], &same))
            return false;
        if (same) {
            *out = value_int(i);
            return true;
        }
    }
    return jinja_fail(r, "index(): the value is not in the list");
}

static bool list_copy(struct render *r, const struct value *self, const struct value *arg,
                      struct value *out)
{
    struct list *list;
    (void)arg;
    if (!jinja_list_of(r, self, &list))
        return false;
    *out = value_list(list);
    out->flags = self->flags;
    return true;
}

static bool list_append(struct render *r, const struct value *self, const struct value *arg,
                        struct value *out)
{
    *out = value_none();
    return list_push(r, self->list, &arg[0]);
}

static bool list_extend(struct render *r, const struct value *self, const struct value *arg,
                        struct value *out)
{
    struct list *more;
    if (!jinja_list_of(r, &arg[0], &more))
        return false;
    for (uint32_t i = 0; i < more->n; i++) {
        if (!list_push(r, self->list, &more->items[i]))
            return false;
    }
    *out = value_none();
    return true;
}

static bool list_insert(struct render *r, const struct value *self, const struct value *arg,
                        struct value *out)
{
    struct list *list = self->list;
    int64_t at = 0, n = list->n;
    if (!jinja_want_int(r, "insert()", &arg[0], &at) || !list_push(r, list, &arg[1]) ||
        !jinja_spend(r, (uint64_t)n))
        return false;
    at += at < 0 ? n : 0;
    at = at < 0 ? 0 : at > n ? n : at;
    memmove(&list->items[at + 1], &list->items[at], (size_t)(n - at) * sizeof *list->items);
    list->items[at] = arg[1];
    *out = value_none();
    return true;
}

static bool list_pop(struct render *r, const struct value *self, const struct value *arg,
                     struct value *out)
{
    struct list *list = self->list;
    int64_t at = -1, n = list->n;
    if (arg[0].kind != VALUE_MISSING && !jinja_want_int(r, "pop()", &arg[0], &at))
        return false;
    at += at < 0 ? n : 0;
    if (at < 0 || at >= n)
        return jinja_fail(r, n ? "pop(): there is no such element" : "pop() from an empty list");
    *out = list->items[at];
    list->n--;
    memmove(&list->items[at], &list->items[at + 1], (size_t)(n - at - 1) * sizeof *list->items);
    return jinja_spend(r, (uint64_t)(n - at));
}

static bool list_clear(struct render *r, const struct value *self, const struct value *arg,
                       struct value *out)
{
    (void)r, (void)arg;
    self->list->n = 0;
    *out = value_none();
    return true;
}

static bool list_reverse(struct render *r, const struct value *self, const struct value *arg,
                         struct value *out)
{
    struct list *list = self->list;
    (void)arg;
    for (uint32_t i = 0; i < list->n / 2; i++) {
        struct value v = list->items[i];
        list->items[i] = list->items[list->n - 1 - i];
        list->items[list->n - 1 - i] = v;
    }
    *out = value_none();
    return jinja_spend(r, list->n);
}

static const struct method list_methods[] = {
    { "append", "object", 1, false, true, list_append, NULL },
    { "clear", "", 0, false, true, list_clear, NULL },
    { "copy", "", 0, false, false, list_copy, NULL },
    { "count", "value", 1, false, false, list_count, NULL },
    { "extend", "iterable", 1, false, true, list_extend, NULL },
    { "index", "value start stop", 1, false, false, list_index, NULL },
    { "insert", "index object", 2, false, true, list_insert, NULL },
    { "pop", "index", 0, false, true, list_pop, NULL },
    { "remove", NULL, 0, false, true, NULL, NULL },
    { "reverse", "", 0, false, true, list_reverse, NULL },
    { "sort", NULL, 0, false, true, NULL, NULL },
    { 0 },
};

static const struct method tuple_methods[] = {
    { "count", "value", 1, false, false, list_count, NULL },
    { "index", "value start stop", 1, false, false, list_index, NULL },
    { 0 },
};

static bool make_view(const struct value *self, enum view_kind kind, struct value *out)
{
    *out = (struct value){ .kind = VALUE_VIEW, .flags = self->flags & VALUE_UNTRUSTED };
    out->view.dict = self->dict;
    out->view.kind = kind;
    return true;
}

static bool dict_keys(struct render *r, const struct value *self, const struct value *arg,
                      struct value *out)
{
    (void)r, (void)arg;
    return make_view(self, VIEW_KEYS, out);
}

static bool dict_values(struct render *r, const struct value *self, const struct value *arg,
                        struct value *out)
{
    (void)r, (void)arg;
    return make_view(self, VIEW_VALUES, out);
}

static bool dict_items(struct render *r, const struct value *self, const struct value *arg,
                       struct value *out)
{
    (void)r, (void)arg;
    return make_view(self, VIEW_ITEMS, out);
}

static bool dict_method_get(struct render *r, const struct value *self, const struct value *arg,
                            struct value *out)
{
    const struct value *item = dict_get(r, self->dict, &arg[0]);
    *out = item ? *item : arg[1].kind == VALUE_MISSING ? value_none() : arg[1];
    return r->status == EMBER_OK;
}

static bool dict_copy_into(struct render *r, struct dict *to, const struct dict *from)
{
    for (uint32_t i = 0; i < from->n; i++) {
        if (!dict_set(r, to, &from->entries[i].key, &from->entries[i].value))
            return false;
    }
    return true;
}

static bool dict_copy(struct render *r, const struct value *self, const struct value *arg,
                      struct value *out)
{
    struct dict *dict = dict_new(r);
    (void)arg;
    if (!dict || !dict_copy_into(r, dict, self->dict))
        return false;
    *out = value_dict(dict);
    out->flags = self->flags;
    return true;
}

static bool dict_clear(struct render *r, const struct value *self, const struct value *arg,
                       struct value *out)
{
    (void)r, (void)arg;
    *self->dict = (struct dict){ 0 };
    *out = value_none();
    return true;
}

static bool dict_pop(struct render *r, const struct value *self, const struct value *arg,
                     struct value *out)
{
    if (!dict_remove(r, self->dict, &arg[0], out))
        return false;
    if (out->kind == VALUE_MISSING && arg[1].kind == VALUE_MISSING)
        return jinja_fail(r, "pop(): the dict has no such key");
    if (out->kind == VALUE_MISSING)
        *out = arg[1];
    return true;
}

static bool dict_set_default(struct render *r, const struct value *self, const struct value *arg,
                             struct value *out)
{
    const struct value *item = dict_get(r, self->dict, &arg[0]);
    *out = item ? *item : arg[1].kind == VALUE_MISSING ? value_none() : arg[1];
    return r->status == EMBER_OK && (item || dict_set(r, self->dict, &arg[0], out));
}

/* Fills a dict from another one, from pairs, and from named arguments: dict() and update(). */
static bool dict_fill(struct render *r, const char *what, struct dict *dict,
                      const struct arguments *args)
{
    if (args->n > 1)
        return jinja_fail(r, "%s takes 1 argument at most, not %u", what, args->n);
    if (args->n && args->at[0].kind == VALUE_DICT) {
        if (!dict_copy_into(r, dict, args->at[0].dict))
            return false;
    } else if (args->n) {
        struct walk walk;
        struct value item;
        if (!jinja_walk(r, &args->at[0], &walk))
            return false;
        while (jinja_next(&walk, &item)) {
            struct list *pair;
            if (!jinja_list_of(r, &item, &pair))
                return false;
            if (pair->n != 2)
                return jinja_fail(r, "%s needs pairs, not %u values", what, pair->n);
            if (!dict_set(r, dict, &pair->items[0], &pair->items[1]))
                return false;
        }
    }
    for (uint32_t i = 0; i < args->n_named; i++) {
        struct value key = value_str(args->named[i].name);
        if (!dict_set(r, dict, &key, &args->named[i].value))
            return false;
    }
    return r->status == EMBER_OK;
}

static bool dict_update(struct render *r, const struct value *self, const struct arguments *args,
                        struct value *out)
{
    *out = value_none();
    return dict_fill(r, "update()", self->dict, args);
}

static const struct method dict_methods[] = {
    { "clear", "", 0, false, true, dict_clear, NULL },
    { "copy", "", 0, false, false, dict_copy, NULL },
    { "fromkeys", NULL, 0, false, false, NULL, NULL },
    { "get", "key default", 1, false, false, dict_method_get, NULL },
    { "items", "", 0, false, false, dict_items, NULL },
    { "keys", "", 0, false, false, dict_keys, NULL },
    { "pop", "key default", 1, false, true, dict_pop, NULL },
    { "popitem", NULL, 0, false, true, NULL, NULL },
    { "setdefault", "key default", 1, false, true, dict_set_default, NULL },
    { "update", NULL, 0, false, true, NULL, dict_update },
    { "values", "", 0, false, false, dict_values, NULL },
    { 0 },
};

static bool cycler_next(struct render *r, const struct value *self, const struct value *arg,
                        struct value *out)
{
    struct cycler *cycler = self->cycler;
    (void)r, (void)arg;
    *out = cycler->items->items[cycler->at];
    cycler->at = (cycler->at + 1) % cycler->items->n;
    return true;
}

static bool cycler_reset(struct render *r, const struct value *self, const struct value *arg,
                         struct value *out)
{
    (void)r, (void)arg;
    self->cycler->at = 0;
    *out = value_none();
    return true;
}

static const struct method cycler_methods[] = {
    { "next", "", 0, false, false, cycler_next, NULL },
    { "reset", "", 0, false, false, cycler_reset, NULL },
    { 0 },
};

static bool loop_cycle(struct render *r, const struct value *self, const struct arguments *args,
                       struct value *out)
{
    if (!args->n)
        return jinja_fail(r, "loop.cycle() needs something to cycle through");
    *out = args->at[self->loop->at % args->n];
    return true;
}

static bool loop_changed(struct render *r, const struct value *self, const struct arguments *args,
                         struct value *out)
{
    struct loop *loop = self->loop;
    struct list *list = list_new(r, args->n);
    bool same = false;
    if (!list)
        return false;
    for (uint32_t i = 0; i < args->n; i++)
        list->items[list->n++] = args->at[i];
    struct value now = value_tuple(list);
    if (loop->last_changed.kind != VALUE_MISSING &&
        !jinja_equal(r, &loop->last_changed, &now, &same))
        return false;
    loop->last_changed = now;
    *out = value_bool(!same);
    return true;
}

static const struct method loop_methods[] = {
    { "cycle", NULL, 0, false, false, NULL, loop_cycle },
    { "changed", NULL, 0, false, false, NULL, loop_changed },
    { 0 },
};

static const struct method *find_in(const struct method *methods, struct str name)
{
    const char first = str_data(name)[0];
    for (; methods->name; methods++) {
        if (methods->name[0] == first && str_is(name, methods->name))
            return methods;
    }
    return NULL;
}

const struct method *jinja_find_method(const struct value *object, struct str name)
{
    const struct method *found;
    if (!name.size)
        return NULL;
    switch (object->kind) {
    case VALUE_STRING:
        found = find_in(jinja_str_methods, name);
        return found ? found : find_in(jinja_str_test_methods, name);
    case VALUE_LIST:
        return find_in(list_methods, name);
    case VALUE_TUPLE:
    case VALUE_RANGE:
        return find_in(tuple_methods, name);
    case VALUE_DICT:
        return find_in(dict_methods, name);
    case VALUE_CYCLER:
        return find_in(cycler_methods, name);
    case VALUE_LOOP:
        return find_in(loop_methods, name);
    default:
        return NULL;
    }
}

bool jinja_call_method(struct render *r, const struct value *self, const struct method *method,
                       const struct arguments *args, struct value *out)
{
    char what[40] = "";
    struct value arg[MAX_PARAMETERS];
    strncat(what, method->name, sizeof what - 3);
    strcat(what, "()");
    if (method->raw)
        return method->raw(r, self, args, out);
    if (!method->run)
        return jinja_fail(r, "%s of a %s is not supported", what, jinja_kind_name(self));
    return jinja_bind(r, what, args, method->parameters, method->required, method->keywords, arg) &&
           method->run(r, self, arg, out);
}

bool jinja_call(struct render *r, const struct value *callee, const struct arguments *args,
                struct value *out)
{
    struct value arg[MAX_PARAMETERS];
    struct builder text;
    enum flow flow = FLOW_NEXT;
    switch (callee->kind) {
    case VALUE_UNDEFINED:
        return jinja_fail_undefined(r, callee);
    case VALUE_MACRO:
        return jinja_call_macro(r, callee->macro, args, out);
    case VALUE_FUNCTION:
        return callee->function->run(r, args, out);
    case VALUE_METHOD:
        return jinja_call_method(r, &callee->method->self, callee->method->method, args, out);
    case VALUE_JOINER:
        if (!jinja_bind(r, "a joiner", args, "", 0, false, arg))
            return false;
        *out = callee->joiner->used ? callee->joiner->separator : value_str((struct str){ 0 });
        callee->joiner->used = true;
        return true;
    case VALUE_LOOP:
        if (!callee->loop->node->loop.recursive)
            return jinja_fail(r, "loop() can be called in a loop marked 'recursive' only");
        if (!jinja_bind(r, "loop()", args, "iterable", 1, false, arg) || !jinja_enter(r))
            return false;
        builder_init(&text, r);
        if (!jinja_run_loop(r, callee->loop->scope, callee->loop->node, &arg[0],
                            callee->loop->depth + 1, &text, &flow))
            return false;
        jinja_leave(r);
        return builder_end(&text, out);
    default:
        return jinja_fail(r, "type %s cannot be called", jinja_kind_name(callee));
    }
}

/* ---- functions ---- */

static bool function_range(struct render *r, const struct arguments *args, struct value *out)
{
    struct value arg[MAX_PARAMETERS];
    int64_t bounds[3] = { 0, 0, 1 };
    uint8_t untrusted = 0;
    if (!jinja_bind(r, "range()", args, "start stop step", 1, false, arg))
        return false;
    for (uint32_t i = 0; i < args->n; i++) {
        if (!jinja_want_int(r, "range()", &arg[i], &bounds[i]))
            return false;
        untrusted |= arg[i].flags & VALUE_UNTRUSTED;
        if (bounds[i] > MAX_RANGE_BOUND || bounds[i] < -MAX_RANGE_BOUND)
            return jinja_fail(r, "range(): a bound is too large");
    }
    if (args->n == 1) {
        bounds[1] = bounds[0];
        bounds[0] = 0;
    }
    if (bounds[2] == 0)
        return jinja_fail(r, "range(): the step is zero");
    struct range *range = jinja_alloc(r, 1, sizeof *range);
    if (!range)
        return false;
    *range = (struct range){ .start = bounds[0], .stop = bounds[1], .step = bounds[2] };
    if (range->step > 0 && range->stop > range->start)
        range->n = (range->stop - range->start - 1) / range->step + 1;
    if (range->step < 0 && range->stop < range->start)
        range->n = (range->start - range->stop - 1) / -range->step + 1;
    if (range->n > MAX_RANGE)
        return jinja_fail(r, "range(): more than %d items", MAX_RANGE);
    *out = (struct value){ .kind = VALUE_RANGE, .flags = untrusted, .range = range };
    return true;
}

static bool function_dict(struct render *r, const struct arguments *args, struct value *out)
{
    struct dict *dict = dict_new(r);
    if (!dict || !dict_fill(r, "dict()", dict, args))
        return false;
    *out = value_dict(dict);
    return true;
}

static bool function_namespace(struct render *r, const struct arguments *args, struct value *out)
{
    struct dict *dict = dict_new(r);
    if (!dict || !dict_fill(r, "namespace()", dict, args))
        return false;
    *out = (struct value){ .kind = VALUE_NAMESPACE, .dict = dict };
    return true;
}

static bool function_cycler(struct render *r, const struct arguments *args, struct value *out)
{
    struct cycler *cycler = jinja_alloc(r, 1, sizeof *cycler);
    struct list *list = list_new(r, args->n);
    if (!cycler || !list)
        return false;
    if (!args->n || args->n_named)
        return jinja_fail(r, "cycler() needs at least one item and no named ones");
    for (uint32_t i = 0; i < args->n; i++)
        list->items[list->n++] = args->at[i];
    cycler->items = list;
    *out = (struct value){ .kind = VALUE_CYCLER, .cycler = cycler };
    return true;
}

static bool function_joiner(struct render *r, const struct arguments *args, struct value *out)
{
    struct value arg[MAX_PARAMETERS];
    struct joiner *joiner = jinja_alloc(r, 1, sizeof *joiner);
    if (!joiner || !jinja_bind(r, "joiner()", args, "sep", 0, true, arg))
        return false;
    joiner->separator = arg[0];
    if (arg[0].kind == VALUE_MISSING)
        joiner->separator = value_str(str_literal(r, ", "));
    *out = (struct value){ .kind = VALUE_JOINER, .joiner = joiner };
    return r->status == EMBER_OK;
}

static bool function_raise(struct render *r, const struct arguments *args, struct value *out)
{
    struct value arg[MAX_PARAMETERS], text;
    (void)out;
    if (!jinja_bind(r, "raise_exception()", args, "message", 1, true, arg) ||
        !jinja_to_str(r, &arg[0], &text))
        return false;
    return jinja_fail(r, "%.*s", (int)text.text.size, str_data(text.text));
}

static bool function_time(struct render *r, const struct arguments *args, struct value *out)
{
    struct value arg[MAX_PARAMETERS];
    struct str format;
    struct builder b;
    if (!jinja_bind(r, "strftime_now()", args, "format", 1, true, arg) ||
        !jinja_want_str(r, "strftime_now()", &arg[0], &format))
        return false;
    builder_init(&b, r);
    return jinja_put_time(&b, format, &r->now) && builder_end(&b, out);
}

static bool function_lipsum(struct render *r, const struct arguments *args, struct value *out)
{
    (void)args, (void)out;
    return jinja_fail(r, "lipsum() is not supported");
}

const struct function jinja_functions[] = {
    { "range", function_range },
    { "dict", function_dict },
    { "namespace", function_namespace },
    { "cycler", function_cycler },
    { "joiner", function_joiner },
    { "raise_exception", function_raise },
    { "lipsum", function_lipsum },
    { "strftime_now", function_time },
    { NULL, NULL },
};
