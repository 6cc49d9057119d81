/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions: the tree is walked as it is. Also the limits and the scopes of a rendering. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "chat/jinja_run.h"

/* ---- limits ---- */

bool jinja_fail(struct render *r, const char *format, ...)
{
    if (r->status != EMBER_OK)
        return false;
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    r->status = fail_at_line(r->err, EMBER_FORMAT, r->tmpl->name, r->line, what);
    return false;
}

void *jinja_alloc(struct render *r, size_t count, size_t size)
{
    if (r->status != EMBER_OK)
        return NULL;
    uint64_t bytes = (uint64_t)count * size + 16;
    if (count > UINT32_MAX || bytes > r->limits.memory - r->memory) {
        jinja_fail(r, "the template needs more than %llu MiB of memory",
                   (unsigned long long)(r->limits.memory >> 20));
        return NULL;
    }
    void *memory = arena_alloc(&r->arena, count, size);
    if (!memory)
        r->status = ember_fail(r->err, EMBER_NO_MEMORY, "%s: out of memory", r->tmpl->name);
    r->memory += bytes;
    return memory;
}

bool jinja_spend(struct render *r, uint64_t steps)
{
    r->steps += steps;
    if (r->steps <= r->limits.steps)
        return true;
    return jinja_fail(r, "the template does not end within %llu steps",
                      (unsigned long long)r->limits.steps);
}

bool jinja_enter(struct render *r)
{
    if (++r->depth <= r->limits.depth)
        return r->status == EMBER_OK;
    return jinja_fail(r, "nested more than %u deep", r->limits.depth);
}

/* ---- scopes ---- */

bool jinja_scope_set(struct render *r, struct scope *scope, uint32_t atom,
                     const struct value *value)
{
    if (!scope) {
        r->variables[atom] = *value;
        return true;
    }
    for (uint32_t i = 0; i < scope->n; i++) {
        if (scope->bindings[i].atom == atom) {
            scope->bindings[i].value = *value;
            return true;
        }
    }
    if (scope->n == scope->capacity) {
        uint32_t capacity = scope->capacity ? scope->capacity * 2 : 4;
        struct binding *grown = jinja_alloc(r, capacity, sizeof *grown);
        if (!grown)
            return false;
        if (scope->n)
            memcpy(grown, scope->bindings, scope->n * sizeof *grown);
        scope->bindings = grown;
        scope->capacity = capacity;
    }
    scope->bindings[scope->n++] = (struct binding){ .atom = atom, .value = *value };
    return true;
}

static void look_up(struct render *r, const struct scope *scope, uint32_t atom, struct value *out)
{
    for (; scope; scope = scope->parent) {
        for (uint32_t i = 0; i < scope->n; i++) {
            if (scope->bindings[i].atom == atom) {
                *out = scope->bindings[i].value;
                return;
            }
        }
    }
    *out = r->variables[atom];
    if (out->kind == VALUE_MISSING) {
        *out = value_undefined(UNDEFINED_NAME);
        out->text = r->tmpl->atoms[atom];
    }
}

/* ---- arguments ---- */

static bool add_named(struct render *r, struct named_value *named, uint32_t *n, struct str name,
                      const struct value *value)
{
    for (uint32_t i = 0; i < *n; i++) {
        if (str_equal(named[i].name, name))
            return jinja_fail(r, "the argument '%.*s' is given twice", (int)name.size,
                              str_data(name));
    }
    named[(*n)++] = (struct named_value){ .name = name, .value = *value };
    return true;
}

bool jinja_collect_arguments(struct render *r, struct scope *scope,
                             const struct argument_nodes *nodes, struct arguments *args)
{
    struct value star = { 0 }, star_star = { 0 };
    struct list *more = NULL;
    *args = (struct arguments){ 0 };
    if (!nodes)
        return true;

    struct list *list = list_new(r, nodes->n);
    struct value item;
    if (!list)
        return false;
    for (const struct node *node = nodes->positional; node; node = node->next) {
        if (!jinja_eval(r, scope, node, &item) || !list_push(r, list, &item))
            return false;
    }
    struct named_value *named = NULL;
    uint32_t n_named = 0;
    if (nodes->n_keywords) {
        named = jinja_alloc(r, nodes->n_keywords, sizeof *named);
        if (!named)
            return false;
        for (const struct keyword_node *keyword = nodes->keywords; keyword;
             keyword = keyword->next) {
            if (!jinja_eval(r, scope, keyword->value, &item) ||
                !add_named(r, named, &n_named, keyword->name, &item))
                return false;
        }
    }
    if (nodes->star) {
        if (!jinja_eval(r, scope, nodes->star, &star) || !jinja_list_of(r, &star, &more))
            return false;
        for (uint32_t i = 0; i < more->n; i++) {
            if (!list_push(r, list, &more->items[i]))
                return false;
        }
    }
    if (nodes->star_star) {
        if (!jinja_eval(r, scope, nodes->star_star, &star_star))
            return false;
        if (star_star.kind != VALUE_DICT)
            return jinja_fail(r, "the argument after ** must be a dict, not %s",
                              jinja_kind_name(&star_star));
        const struct dict *dict = star_star.dict;
        struct named_value *all = jinja_alloc(r, (size_t)n_named + dict->n, sizeof *all);
        if (!all || !jinja_spend(r, (uint64_t)dict->n * (dict->n + n_named)))
            return false;
        if (n_named)
            memcpy(all, named, n_named * sizeof *all);
        named = all;
        for (uint32_t i = 0; i < dict->n; i++) {
            if (dict->entries[i].key.kind != VALUE_STRING)
                return jinja_fail(r, "the keys of the dict after ** must be strings");
            if (!add_named(r, named, &n_named, dict->entries[i].key.text, &dict->entries[i].value))
                return false;
        }
    }
    *args =
        (struct arguments){ .at = list->items, .n = list->n, .named = named, .n_named = n_named };
    return true;
}

/* ---- expressions ---- */

static bool eval_list(struct render *r, struct scope *scope, const struct node *node,
                      struct value *out)
{
    struct list *list = list_new(r, node->list.n);
    if (!list)
        return false;
    for (const struct node *item = node->list.first; item; item = item->next) {
        struct value v;
        if (!jinja_eval(r, scope, item, &v) || !list_push(r, list, &v))
            return false;
    }
    *out = node->kind == NODE_LIST ? value_list(list) : value_tuple(list);
    return true;
}

static bool eval_dict(struct render *r, struct scope *scope, const struct node *node,
                      struct value *out)
{
    struct dict *dict = dict_new(r);
    if (!dict)
        return false;
    for (const struct node *item = node->list.first; item; item = item->next->next) {
        struct value key, value;
        if (!jinja_eval(r, scope, item, &key) || !jinja_eval(r, scope, item->next, &value) ||
            !dict_set(r, dict, &key, &value))
            return false;
    }
    *out = value_dict(dict);
    return true;
}

static bool eval_concat(struct render *r, struct scope *scope, const struct node *node,
                        struct value *out)
{
    struct str text = { 0 };
    for (const struct node *part = node->list.first; part; part = part->next) {
        struct value v, s;
        if (!jinja_eval(r, scope, part, &v) || !jinja_to_str(r, &v, &s) ||
            !str_concat(r, text, s.text, &text))
            return false;
    }
    *out = value_str(text);
    return true;
}

static bool compare_once(struct render *r, enum operation operation, const struct value *a,
                         const struct value *b, bool *out)
{
    static const char *const signs[] = {
        [OP_LT] = "<", [OP_LE] = "<=", [OP_GT] = ">", [OP_GE] = ">="
    };
    int order;
    switch (operation) {
    case OP_EQ:
        return jinja_equal(r, a, b, out);
    case OP_NE:
        if (!jinja_equal(r, a, b, out))
            return false;
        *out = !*out;
        return true;
    case OP_IN:
        return jinja_contains(r, a, b, out);
    case OP_NOT_IN:
        if (!jinja_contains(r, a, b, out))
            return false;
        *out = !*out;
        return true;
    default:
        if (!jinja_compare(r, a, b, signs[operation], &order))
            return false;
        *out = operation == OP_LT   ? order == -1
               : operation == OP_LE ? order == -1 || order == 0
               : operation == OP_GT ? order == 1
                                    : order == 1 || order == 0;
        return true;
    }
}

/* a < b < c asks a < b and b < c, each operand evaluated once. */
static bool eval_compare(struct render *r, struct scope *scope, const struct node *node,
                         struct value *out)
{
    struct value left, right;
    bool holds = true;
    if (!jinja_eval(r, scope, node->compare.left, &left))
        return false;
    for (const struct node *op = node->compare.operands; op && holds; op = op->next) {
        if (!jinja_eval(r, scope, op->binary.right, &right))
            return false;
        r->line = node->line;
        if (!compare_once(r, op->binary.operation, &left, &right, &holds))
            return false;
        left = right;
    }
    *out = value_bool(holds);
    return true;
}

static bool eval_sign(struct render *r, struct scope *scope, const struct node *node,
                      struct value *out)
{
    struct value v;
    if (!jinja_eval(r, scope, node->binary.left, &v))
        return false;
    r->line = node->line;
    bool negate = node->kind == NODE_NEGATE;
    if (v.kind == VALUE_FLOAT) {
        *out = value_float(negate ? -v.number : v.number);
    } else if (value_is_integral(&v)) {
        int64_t i = value_integral(&v);
        if (negate && __builtin_sub_overflow((int64_t)0, i, &i))
            return jinja_fail(r, "an integer leaves the range of 64 bits");
        *out = value_int(i);
    } else if (v.kind == VALUE_UNDEFINED) {
        return jinja_fail_undefined(r, &v);
    } else {
        return jinja_fail(r, "type %s has no sign", jinja_kind_name(&v));
    }
    out->flags |= v.flags & VALUE_UNTRUSTED;
    return true;
}

static bool eval_slice(struct render *r, struct scope *scope, const struct node *node,
                       struct value *out)
{
    const struct node *parts[3] = { node->slice.start, node->slice.stop, node->slice.step };
    struct value object, bounds[3];
    if (!jinja_eval(r, scope, node->slice.object, &object))
        return false;
    for (int i = 0; i < 3; i++) {
        bounds[i] = value_none();
        if (parts[i] && !jinja_eval(r, scope, parts[i], &bounds[i]))
            return false;
    }
    r->line = node->line;
    return jinja_slice(r, &object, &bounds[0], &bounds[1], &bounds[2], out);
}

static bool eval_call(struct render *r, struct scope *scope, const struct node *node,
                      struct value *out)
{
    const struct node *callee = node->call.callee;
    struct value object, function;
    struct arguments args;
    /* object.method(…) is called without making a bound method first. */
    if (callee->kind == NODE_ATTRIBUTE) {
        if (!jinja_eval(r, scope, callee->access.object, &object))
            return false;
        const struct method *method = jinja_find_method(&object, callee->access.name);
        if (method && (!method->changes || r->may_change_lists)) {
            if (!jinja_collect_arguments(r, scope, node->call.args, &args))
                return false;
            r->line = node->line;
            return jinja_call_method(r, &object, method, &args, out);
        }
        r->line = callee->line;
        if (!jinja_attribute(r, &object, callee->access.name, &function))
            return false;
    } else if (!jinja_eval(r, scope, callee, &function)) {
        return false;
    }
    if (!jinja_collect_arguments(r, scope, node->call.args, &args))
        return false;
    r->line = node->line;
    return jinja_call(r, &function, &args, out);
}

static bool eval_filter(struct render *r, struct scope *scope, const struct node *node,
                        struct value *out)
{
    struct value input;
    struct arguments args;
    if (!node->apply.input)
        input = r->block_text;
    else if (!jinja_eval(r, scope, node->apply.input, &input))
        return false;
    if (!jinja_collect_arguments(r, scope, node->apply.args, &args))
        return false;
    r->line = node->line;
    if (!node->apply.filter)
        return jinja_fail(r, "no filter is called '%.*s'", (int)node->apply.name.size,
                          str_data(node->apply.name));
    return jinja_apply_filter(r, node->apply.filter, &input, &args, out);
}

static bool eval_test(struct render *r, struct scope *scope, const struct node *node,
                      struct value *out)
{
    struct value input;
    struct arguments args;
    bool holds;
    if (!jinja_eval(r, scope, node->apply.input, &input) ||
        !jinja_collect_arguments(r, scope, node->apply.args, &args))
        return false;
    r->line = node->line;
    if (!node->apply.test)
        return jinja_fail(r, "no test is called '%.*s'", (int)node->apply.name.size,
                          str_data(node->apply.name));
    if (!jinja_apply_test(r, node->apply.test, &input, &args, &holds))
        return false;
    *out = value_bool(holds);
    return true;
}

static bool eval_node(struct render *r, struct scope *scope, const struct node *node,
                      struct value *out)
{
    struct value a, b;
    switch (node->kind) {
    case NODE_CONSTANT:
        *out = node->constant;
        return true;
    case NODE_NAME:
        look_up(r, scope, node->atom, out);
        return true;
    case NODE_LIST:
    case NODE_TUPLE:
        return eval_list(r, scope, node, out);
    case NODE_DICT:
        return eval_dict(r, scope, node, out);
    case NODE_CONCAT:
        return eval_concat(r, scope, node, out);
    case NODE_BINARY:
        if (!jinja_eval(r, scope, node->binary.left, &a) ||
            !jinja_eval(r, scope, node->binary.right, &b))
            return false;
        r->line = node->line;
        return jinja_binary(r, node->binary.operation, &a, &b, out);
    case NODE_AND:
    case NODE_OR:
        if (!jinja_eval(r, scope, node->binary.left, out))
            return false;
        if (jinja_truth(out) == (node->kind == NODE_OR))
            return true;
        return jinja_eval(r, scope, node->binary.right, out);
    case NODE_NOT:
        if (!jinja_eval(r, scope, node->binary.left, &a))
            return false;
        *out = value_bool(!jinja_truth(&a));
        return true;
    case NODE_NEGATE:
    case NODE_PLUS:
        return eval_sign(r, scope, node, out);
    case NODE_COMPARE:
        return eval_compare(r, scope, node, out);
    case NODE_CONDITION:
        if (!jinja_eval(r, scope, node->condition.test, &a))
            return false;
        if (jinja_truth(&a))
            return jinja_eval(r, scope, node->condition.yes, out);
        if (node->condition.no)
            return jinja_eval(r, scope, node->condition.no, out);
        *out = value_undefined(UNDEFINED_NO_ELSE);
        return true;
    case NODE_ATTRIBUTE:
        if (!jinja_eval(r, scope, node->access.object, &a))
            return false;
        r->line = node->line;
        return jinja_attribute(r, &a, node->access.name, out);
    case NODE_ITEM:
        if (!jinja_eval(r, scope, node->access.object, &a) ||
            !jinja_eval(r, scope, node->access.index, &b))
            return false;
        r->line = node->line;
        return jinja_item(r, &a, &b, out);
    case NODE_SLICE:
        return eval_slice(r, scope, node, out);
    case NODE_CALL:
        return eval_call(r, scope, node, out);
    case NODE_FILTER:
        return eval_filter(r, scope, node, out);
    case NODE_TEST:
        return eval_test(r, scope, node, out);
    default:
        return jinja_fail(r, "a statement stands where a value belongs");
    }
}

bool jinja_eval(struct render *r, struct scope *scope, const struct node *node, struct value *out)
{
    if (!jinja_spend(r, 1) || !jinja_enter(r))
        return false;
    r->line = node->line;
    bool ok = eval_node(r, scope, node, out);
    jinja_leave(r);
    return ok && r->status == EMBER_OK;
}
