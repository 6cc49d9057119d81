/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jinja_run.h - one rendering: its state and limits, and what evaluates the tree.
 *
 * Errors: a function that can fail returns false after jinja_fail(); r->status then stays set and
 * everything unwinds. Builders and walks ignore calls on a failed rendering, so one look at
 * r->status after a run of them suffices. */
#pragma once

#include <ember/chat.h>

#include "chat/jinja_ast.h"

struct template_limits {
    uint64_t steps;  /* nodes evaluated, items walked, and 2 … 64 bytes of text looked through */
    uint32_t depth;  /* evaluations inside evaluations */
    uint32_t text;   /* bytes of any one text, the output included; < 2^31 */
    uint64_t memory; /* bytes of everything made while rendering */
};
extern const struct template_limits template_default_limits;

struct render {
    const struct ember_template *tmpl;
    struct arena arena;
    struct template_limits limits;
    uint64_t steps, memory; /* used so far */
    uint32_t depth;
    uint32_t line; /* of what is being evaluated, for sentences */
    struct ember_time now;
    struct value block_text; /* what a filter or set block has captured, for its filters */
    bool may_change_lists;   /* append() and its like work (the reference's sandbox refuses them) */
    struct value *variables; /* by atom: context, functions, and what the top level sets */
    struct ember_error *err;
    enum ember_status status;
};

/* "NAME, line N: …" with EMBER_FORMAT; the first failure counts. Always false. */
bool jinja_fail(struct render *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Zeroed memory, or NULL with the rendering failed. */
void *jinja_alloc(struct render *r, size_t count, size_t size);
/* Counts work; false when there was too much. */
bool jinja_spend(struct render *r, uint64_t steps);
bool jinja_enter(struct render *r);
static inline void jinja_leave(struct render *r)
{
    r->depth--;
}

/* ---- scopes ---- */

struct scope {
    struct scope *parent; /* NULL: below it are the variables of the rendering */
    struct binding {
        uint32_t atom;
        struct value value;
    } *bindings;
    uint32_t n, capacity;
    bool kept; /* a macro was made here: the scope outlives its block */
};

bool jinja_scope_set(struct render *r, struct scope *scope, uint32_t atom,
                     const struct value *value);

/* ---- evaluation ---- */

enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE };

struct macro {
    const struct macro_definition *definition;
    struct scope *scope;
};

/* The variable `loop`. A loop with a condition asks for its items one by one, since the body may
 * change what the condition looks at; the others know all their items. */
struct loop {
    struct list *items; /* known so far */
    uint32_t at;        /* index of the present item */
    uint32_t depth;
    bool complete;
    struct walk walk; /* where more items come from until `complete` */
    const struct node *node;
    struct scope *scope;       /* around the loop */
    struct value last_changed; /* of loop.changed() */
};
/* Makes items[at + 1] known if there is one. */
bool jinja_loop_more(struct render *r, struct loop *loop);

struct cycler {
    struct list *items;
    uint32_t at;
};
struct joiner {
    struct value separator;
    bool used;
};

bool jinja_eval(struct render *r, struct scope *scope, const struct node *node, struct value *out);
bool jinja_run_body(struct render *r, struct scope *scope, const struct node *body,
                    struct builder *out, enum flow *flow);
/* `outer` is the loop around: what break and continue in the else part mean. */
bool jinja_run_loop(struct render *r, struct scope *scope, const struct node *node,
                    const struct value *over, uint32_t depth, struct builder *out,
                    enum flow *outer);
bool jinja_assign(struct render *r, struct scope *scope, const struct node *target,
                  const struct value *value);
bool jinja_binary(struct render *r, enum operation operation, const struct value *a,
                  const struct value *b, struct value *out);
bool jinja_collect_arguments(struct render *r, struct scope *scope,
                             const struct argument_nodes *nodes, struct arguments *args);

/* a.name: methods and attributes first, then items; a[key]: the other way round. Undefined when
 * there is neither; an error on an undefined object. */
bool jinja_attribute(struct render *r, const struct value *object, struct str name,
                     struct value *out);
bool jinja_item(struct render *r, const struct value *object, const struct value *key,
                struct value *out);
/* Attributes and methods alone; VALUE_MISSING when there is none. */
bool jinja_own_attribute(struct render *r, const struct value *object, struct str name,
                         struct value *out);
bool jinja_slice(struct render *r, const struct value *object, const struct value *start,
                 const struct value *stop, const struct value *step, struct value *out);
/* Calls anything that can be called. */
bool jinja_call(struct render *r, const struct value *callee, const struct arguments *args,
                struct value *out);
bool jinja_call_macro(struct render *r, const struct macro *macro, const struct arguments *args,
                      struct value *out);
/* "'x' is undefined" and its like. */
bool jinja_fail_undefined(struct render *r, const struct value *v);

/* ---- functions, filters, tests, methods ---- */

/* Sorts arguments into places by the names in `parameters` ("sep maxsplit"); what is not given
 * becomes VALUE_MISSING. `what` words the sentences. */
enum { MAX_PARAMETERS = 8 };
bool jinja_bind(struct render *r, const char *what, const struct arguments *args,
                const char *parameters, unsigned required, bool keywords,
                struct value out[MAX_PARAMETERS]);
bool jinja_want_int(struct render *r, const char *what, const struct value *v, int64_t *out);
bool jinja_want_str(struct render *r, const char *what, const struct value *v, struct str *out);

struct filter {
    const char *name;
    const char *parameters; /* NULL: `raw` takes the arguments as they are */
    unsigned required;
    bool (*run)(struct render *r, const struct value *in, const struct value *arg,
                struct value *out);
    bool (*raw)(struct render *r, const struct value *in, const struct arguments *args,
                struct value *out);
};
const struct filter *jinja_find_filter(struct str name);
bool jinja_apply_filter(struct render *r, const struct filter *filter, const struct value *in,
                        const struct arguments *args, struct value *out);
extern const struct filter jinja_text_filters[], jinja_list_filters[]; /* end at a NULL name */

struct test {
    const char *name;
    unsigned n_args;
    bool (*run)(struct render *r, const struct value *in, const struct value *arg, bool *out);
};
const struct test *jinja_find_test(struct str name);
bool jinja_apply_test(struct render *r, const struct test *test, const struct value *in,
                      const struct arguments *args, bool *out);

struct method {
    const char *name;
    const char *parameters; /* NULL: `raw` */
    unsigned required;
    bool keywords; /* arguments may be given by name */
    bool changes;  /* changes its object */
    bool (*run)(struct render *r, const struct value *self, const struct value *arg,
                struct value *out);
    bool (*raw)(struct render *r, const struct value *self, const struct arguments *args,
                struct value *out);
};
struct bound_method {
    struct value self;
    const struct method *method;
};
const struct method *jinja_find_method(const struct value *object, struct str name);
bool jinja_call_method(struct render *r, const struct value *self, const struct method *method,
                       const struct arguments *args, struct value *out);
extern const struct method jinja_str_methods[], jinja_str_test_methods[]; /* end at a NULL name */

struct function {
    const char *name;
    bool (*run)(struct render *r, const struct arguments *args, struct value *out);
};
/* The functions every template sees; ends at a NULL name. */
extern const struct function jinja_functions[];

/* Operations on text that several of the above share (jinja_str.c). */
bool jinja_upper(struct render *r, struct str s, struct value *out);
bool jinja_lower(struct render *r, struct str s, struct value *out);
bool jinja_capitalize(struct render *r, struct str s, struct value *out);
/* `chars` NULL: white space. Sides: 1 left, 2 right, 3 both. */
bool jinja_strip(struct render *r, struct str s, const struct str *chars, int sides,
                 struct str *out);
bool jinja_replace(struct render *r, struct str s, struct str old, struct str new, int64_t count,
                   struct value *out);
bool jinja_center(struct render *r, struct str s, int64_t width, uint32_t fill, int side,
                  struct value *out);
bool jinja_split_lines(struct render *r, struct str s, bool keep_ends, struct list *out);
bool jinja_escape(struct render *r, const struct value *v, struct value *out);
/* printf-style: format % values. */
bool jinja_format_percent(struct render *r, struct str format, bool markup,
                          const struct value *values, struct value *out);
/* str.format() */
bool jinja_format_braces(struct render *r, struct str format, const struct arguments *args,
                         struct value *out);
/* One field of either: a value by a format specification such as ">10.2f". */
bool jinja_format_field(struct builder *b, const struct value *v, struct str spec);
/* The value a path like "a.b.0" leads to, by items. */
bool jinja_path(struct render *r, const struct value *item, const struct value *path,
                struct value *out);
/* Reads JSON text into values. */
bool jinja_from_json(struct render *r, struct str text, struct value *out);
bool jinja_json_value(struct render *r, const struct ember_json *json, bool untrusted,
                      struct value *out);
/* strftime() in the C locale. */
bool jinja_put_time(struct builder *b, struct str format, const struct ember_time *t);

/* ---- rendering (template.c) ---- */

bool jinja_render_init(struct render *r, const struct ember_template *tmpl,
                       const struct template_limits *limits, struct ember_time now,
                       struct ember_error *err);
void jinja_render_finish(struct render *r);
/* Sets a variable from outside, unless the template never names it. */
bool jinja_render_set(struct render *r, const char *name, const struct value *value);
enum ember_status jinja_render_run(struct render *r, struct ember_prompt *out);
/* Whether a message's role is one of the usual words, which are trusted. */
bool template_known_role(struct ember_text role);
/* ember_template_render() with other limits. */
enum ember_status template_render_limited(const struct ember_template *tmpl,
                                          const struct ember_json *context, struct ember_text bos,
                                          struct ember_text eos, struct ember_time now,
                                          const struct template_limits *limits,
                                          bool may_change_lists, struct ember_prompt *out,
                                          struct ember_error *err);
