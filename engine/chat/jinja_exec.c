/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements, loops and macros. */
#include <string.h>

#include "chat/jinja_run.h"

/* ---- assignment ---- */

static bool unpack(struct render *r, struct scope *scope, const struct node *target,
                   const struct value *value)
{
    struct list *items;
    if (value->kind == VALUE_UNDEFINED)
        return jinja_fail_undefined(r, value);
    if (!jinja_list_of(r, value, &items))
        return false;
    if (items->n != target->list.n)
        return jinja_fail(r, "%u values cannot be unpacked into %u names", items->n,
                          target->list.n);
    uint32_t i = 0;
    for (const struct node *name = target->list.first; name; name = name->next) {
        if (!jinja_assign(r, scope, name, &items->items[i++]))
            return false;
    }
    return true;
}

bool jinja_assign(struct render *r, struct scope *scope, const struct node *target,
                  const struct value *value)
{
    struct value object, name;
    switch (target->kind) {
    case NODE_NAME:
        return jinja_scope_set(r, scope, target->atom, value);
    case NODE_TUPLE:
        return unpack(r, scope, target, value);
    default: {
        const struct node variable = { .kind = NODE_NAME,
                                       .line = target->line,
                                       .atom = target->attribute_target.atom };
        if (!jinja_eval(r, scope, &variable, &object))
            return false;
        if (object.kind != VALUE_NAMESPACE)
            return jinja_fail(r, "attributes can be set on a namespace only, not on %s",
                              jinja_kind_name(&object));
        name = value_str(target->attribute_target.name);
        return dict_set(r, object.dict, &name, value);
    }
    }
}

/* ---- loops ---- */

static bool passes(struct render *r, struct loop *loop, const struct value *item, bool *out)
{
    struct scope scope = { .parent = loop->scope };
    struct value holds;
    if (!jinja_assign(r, &scope, loop->node->loop.target, item) ||
        !jinja_eval(r, &scope, loop->node->loop.test, &holds))
        return false;
    *out = jinja_truth(&holds);
    return true;
}

bool jinja_loop_more(struct render *r, struct loop *loop)
{
    struct value item;
    uint32_t known = loop->items->n;
    while (!loop->complete && loop->items->n == known) {
        bool wanted;
        if (!jinja_next(&loop->walk, &item)) {
            loop->complete = true;
            return r->status == EMBER_OK;
        }
        if (!passes(r, loop, &item, &wanted) || (wanted && !list_push(r, loop->items, &item)))
            return false;
    }
    return true;
}

static bool open_loop(struct render *r, struct loop *loop, const struct value *over)
{
    if (loop->node->loop.test) {
        loop->items = list_new(r, 0);
        return loop->items && jinja_walk(r, over, &loop->walk);
    }
    loop->complete = true;
    if (over->kind == VALUE_LIST || over->kind == VALUE_TUPLE) {
        loop->items = over->list;
        return true;
    }
    return jinja_list_of(r, over, &loop->items);
}

bool jinja_run_loop(struct render *r, struct scope *scope, const struct node *node,
                    const struct value *over, uint32_t depth, struct builder *out, enum flow *outer)
{
    struct loop *loop = jinja_alloc(r, 1, sizeof *loop);
    uint32_t loop_atom = jinja_atom(r->tmpl, "loop", 4);
    if (!loop)
        return false;
    loop->node = node;
    loop->scope = scope;
    loop->depth = depth;
    if (!open_loop(r, loop, over))
        return false;

    struct scope *inner = NULL;
    struct value self = { .kind = VALUE_LOOP, .loop = loop };
    enum flow flow = FLOW_NEXT;
    bool finished = false; /* whether the body has reached its end, ever */
    for (;; loop->at++) {
        if (!loop->complete && loop->at == loop->items->n && !jinja_loop_more(r, loop))
            return false;
        if (loop->at >= loop->items->n)
            break;
        if (!inner || inner->kept) {
            inner = jinja_alloc(r, 1, sizeof *inner);
            if (!inner)
                return false;
            inner->parent = scope;
        }
        inner->n = 0;
        r->line = node->line;
        struct value item = loop->items->items[loop->at];
        if (!jinja_spend(r, 1) || !jinja_assign(r, inner, node->loop.target, &item))
            return false;
        if (loop_atom != UINT32_MAX && !jinja_scope_set(r, inner, loop_atom, &self))
            return false;
        if (!jinja_run_body(r, inner, node->loop.body, out, &flow))
            return false;
        finished |= flow == FLOW_NEXT;
        if (flow == FLOW_BREAK)
            break;
        flow = FLOW_NEXT;
    }
    /* As in the reference: also when break or continue left every round early. */
    if (!finished && node->loop.otherwise) {
        struct scope *otherwise = jinja_alloc(r, 1, sizeof *otherwise);
        if (!otherwise)
            return false;
        otherwise->parent = scope;
        return jinja_run_body(r, otherwise, node->loop.otherwise, out, outer);
    }
    return true;
}

/* ---- macros ---- */

static bool bind_parameters(struct render *r, const struct macro *macro,
                            const struct arguments *args, struct scope *scope, bool *used)
{
    const struct macro_definition *definition = macro->definition;
    uint32_t i = 0;
    for (const struct parameter *p = definition->parameters; p; p = p->next, i++) {
        struct value value = { .kind = VALUE_MISSING };
        if (i < args->n) {
            value = args->at[i];
        } else {
            for (uint32_t k = 0; k < args->n_named; k++) {
                if (str_equal(args->named[k].name, p->name)) {
                    value = args->named[k].value;
                    used[k] = true;
                }
            }
        }
        if (value.kind == VALUE_MISSING && p->fallback) {
            if (!jinja_eval(r, scope, p->fallback, &value))
                return false;
        } else if (value.kind == VALUE_MISSING) {
            value = value_undefined(UNDEFINED_PARAMETER);
            value.text = p->name;
        }
        if (!jinja_scope_set(r, scope, p->atom, &value))
            return false;
    }
    return true;
}

static bool set_special(struct render *r, struct scope *scope, const char *name,
                        const struct value *value)
{
    uint32_t atom = jinja_atom(r->tmpl, name, (uint32_t)strlen(name));
    return atom == UINT32_MAX || jinja_scope_set(r, scope, atom, value);
}

/* `caller`, `kwargs` and `varargs`: what the parameters did not take, where the body asks for it.
 */
static bool bind_rest(struct render *r, const struct macro *macro, const struct arguments *args,
                      struct scope *scope, bool *used)
{
    const struct macro_definition *definition = macro->definition;
    struct str name = definition->name;
    struct value value;
    if (definition->uses_caller && !definition->has_caller_parameter) {
        value = value_undefined(UNDEFINED_NAME);
        value.text = str_literal(r, "caller");
        for (uint32_t k = 0; k < args->n_named; k++) {
            if (str_is(args->named[k].name, "caller")) {
                value = args->named[k].value;
                used[k] = true;
            }
        }
        if (!set_special(r, scope, "caller", &value))
            return false;
    }
    struct dict *rest = definition->uses_kwargs ? dict_new(r) : NULL;
    for (uint32_t k = 0; k < args->n_named; k++) {
        struct value key = value_str(args->named[k].name);
        if (used[k])
            continue;
        if (!definition->uses_kwargs)
            return jinja_fail(r, "the macro '%.*s' takes no argument named '%.*s'", (int)name.size,
                              str_data(name), (int)key.text.size, str_data(key.text));
        if (!rest || !dict_set(r, rest, &key, &args->named[k].value))
            return false;
    }
    value = value_dict(rest);
    if (definition->uses_kwargs && (!rest || !set_special(r, scope, "kwargs", &value)))
        return false;
    uint32_t more = args->n > definition->n_parameters ? args->n - definition->n_parameters : 0;
    if (definition->uses_varargs) {
        struct list *list = list_new(r, more);
        if (!list)
            return false;
        for (uint32_t i = 0; i < more; i++)
            list->items[list->n++] = args->at[definition->n_parameters + i];
        value = value_tuple(list);
        return set_special(r, scope, "varargs", &value);
    }
    if (more)
        return jinja_fail(r, "the macro '%.*s' takes %u arguments at most, not %u", (int)name.size,
                          str_data(name), definition->n_parameters, args->n);
    return true;
}

bool jinja_call_macro(struct render *r, const struct macro *macro, const struct arguments *args,
                      struct value *out)
{
    struct scope *scope = jinja_alloc(r, 1, sizeof *scope);
    bool *used = jinja_alloc(r, args->n_named ? args->n_named : 1, sizeof *used);
    struct builder text;
    enum flow flow = FLOW_NEXT;
    if (!scope || !used || !jinja_enter(r))
        return false;
    scope->parent = macro->scope;
    builder_init(&text, r);
    bool ok = bind_parameters(r, macro, args, scope, used) &&
              bind_rest(r, macro, args, scope, used) &&
              jinja_run_body(r, scope, macro->definition->body, &text, &flow);
    jinja_leave(r);
    return ok && builder_end(&text, out);
}

static bool make_macro(struct render *r, struct scope *scope,
                       const struct macro_definition *definition, struct value *out)
{
    struct macro *macro = jinja_alloc(r, 1, sizeof *macro);
    if (!macro)
        return false;
    macro->definition = definition;
    macro->scope = scope;
    for (struct scope *s = scope; s; s = s->parent)
        s->kept = true;
    *out = (struct value){ .kind = VALUE_MACRO, .macro = macro };
    return true;
}

static bool run_call_block(struct render *r, struct scope *scope, const struct node *node,
                           struct builder *out)
{
    const struct node *call = node->call_block.call;
    struct value function, caller, result;
    struct arguments args;
    if (!jinja_eval(r, scope, call->call.callee, &function) ||
        !jinja_collect_arguments(r, scope, call->call.args, &args) ||
        !make_macro(r, scope, node->call_block.caller, &caller))
        return false;
    struct named_value *named = jinja_alloc(r, (size_t)args.n_named + 1, sizeof *named);
    if (!named)
        return false;
    if (args.n_named)
        memcpy(named, args.named, args.n_named * sizeof *named);
    named[args.n_named++] =
        (struct named_value){ .name = str_literal(r, "caller"), .value = caller };
    args.named = named;
    r->line = node->line;
    if (!jinja_call(r, &function, &args, &result))
        return false;
    jinja_put_str(out, &result);
    return r->status == EMBER_OK;
}

/* ---- statements ---- */

/* Runs a body into a text of its own. */
static bool capture(struct render *r, struct scope *parent, const struct node *body,
                    struct value *out, enum flow *flow)
{
    struct scope *scope = jinja_alloc(r, 1, sizeof *scope);
    struct builder text;
    if (!scope)
        return false;
    scope->parent = parent;
    builder_init(&text, r);
    return jinja_run_body(r, scope, body, &text, flow) && builder_end(&text, out);
}

/* The body of a filter or set block, through the filters behind its tag. */
static bool run_captured(struct render *r, struct scope *scope, const struct node *node,
                         struct value *out, enum flow *flow)
{
    if (!capture(r, scope, node->set.body, out, flow) || *flow != FLOW_NEXT || !node->set.value)
        return r->status == EMBER_OK;
    struct value outer = r->block_text, text = *out;
    r->block_text = text;
    bool ok = jinja_eval(r, scope, node->set.value, out);
    r->block_text = outer;
    return ok;
}

static bool run_with(struct render *r, struct scope *parent, const struct node *node,
                     struct builder *out, enum flow *flow)
{
    struct scope *scope = jinja_alloc(r, 1, sizeof *scope);
    const struct node *value = node->with.values;
    struct value v;
    if (!scope)
        return false;
    scope->parent = parent;
    for (const struct node *target = node->with.targets; target;
         target = target->next, value = value->next) {
        if (!jinja_eval(r, parent, value, &v) || !jinja_assign(r, scope, target, &v))
            return false;
    }
    return jinja_run_body(r, scope, node->with.body, out, flow);
}

/* An elif is an if alone in the other branch: taken here one after the other, not inside another.
 */
static bool run_if(struct render *r, struct scope *scope, const struct node *node,
                   struct builder *out, enum flow *flow)
{
    for (;;) {
        struct value holds;
        if (!jinja_eval(r, scope, node->condition.test, &holds))
            return false;
        if (jinja_truth(&holds))
            return jinja_run_body(r, scope, node->condition.yes, out, flow);
        const struct node *no = node->condition.no;
        if (!no || no->kind != NODE_IF || no->next)
            return jinja_run_body(r, scope, no, out, flow);
        node = no;
    }
}

static bool run_statement(struct render *r, struct scope *scope, const struct node *node,
                          struct builder *out, enum flow *flow)
{
    struct value v;
    struct scope *inner;
    switch (node->kind) {
    case NODE_OUTPUT:
        if (!jinja_eval(r, scope, node->output, &v))
            return false;
        jinja_put_str(out, &v);
        return r->status == EMBER_OK;
    case NODE_IF:
        return run_if(r, scope, node, out, flow);
    case NODE_FOR:
        if (!jinja_eval(r, scope, node->loop.over, &v))
            return false;
        r->line = node->line;
        return jinja_run_loop(r, scope, node, &v, 0, out, flow);
    case NODE_SET:
        if (!jinja_eval(r, scope, node->set.value, &v))
            return false;
        r->line = node->line;
        return jinja_assign(r, scope, node->set.target, &v);
    case NODE_SET_BLOCK:
        return run_captured(r, scope, node, &v, flow) &&
               (*flow != FLOW_NEXT || jinja_assign(r, scope, node->set.target, &v));
    case NODE_FILTER_BLOCK:
        if (!run_captured(r, scope, node, &v, flow))
            return false;
        if (*flow == FLOW_NEXT && v.kind != VALUE_STRING)
            return jinja_fail(r, "the filters of a block must make text, not %s",
                              jinja_kind_name(&v));
        if (*flow == FLOW_NEXT)
            jinja_put_str(out, &v);
        return r->status == EMBER_OK;
    case NODE_MACRO:
        return make_macro(r, scope, node->macro, &v) &&
               jinja_scope_set(r, scope, node->macro->atom, &v);
    case NODE_CALL_BLOCK:
        return run_call_block(r, scope, node, out);
    case NODE_WITH:
        return run_with(r, scope, node, out, flow);
    case NODE_SCOPE:
        inner = jinja_alloc(r, 1, sizeof *inner);
        if (!inner)
            return false;
        inner->parent = scope;
        return jinja_run_body(r, inner, node->body, out, flow);
    case NODE_BODY:
        return jinja_run_body(r, scope, node->body, out, flow);
    case NODE_BREAK:
        *flow = FLOW_BREAK;
        return true;
    case NODE_CONTINUE:
        *flow = FLOW_CONTINUE;
        return true;
    default:
        return jinja_fail(r, "a value stands where a statement belongs");
    }
}

bool jinja_run_body(struct render *r, struct scope *scope, const struct node *body,
                    struct builder *out, enum flow *flow)
{
    if (!jinja_enter(r))
        return false;
    for (; body && *flow == FLOW_NEXT; body = body->next) {
        r->line = body->line;
        if (!jinja_spend(r, 1) || !run_statement(r, scope, body, out, flow))
            return false;
    }
    jinja_leave(r);
    return true;
}
