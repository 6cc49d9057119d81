/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jinja_parse.h - what the two halves of the parser (statements, expressions) share.
 *
 * Functions return NULL (false) once parsing has failed; p->status and the sentence are set then.
 */
#pragma once

#include "chat/jinja_ast.h"

enum { PARSE_MAX_DEPTH = 120 };

struct parser {
    struct ember_template *tmpl;
    struct ember_error *err;
    enum ember_status status;
    const struct token *tokens;
    size_t at;
    unsigned depth;
    bool soft;    /* below an if: unknown filters and tests are errors only when reached */
    bool in_loop; /* break and continue make sense */
    unsigned n_loops;
    /* Macros being parsed, innermost first: they note whether their body names `caller` etc. */
    struct open_macro {
        struct macro_definition *macro;
        struct open_macro *outer;
    } *macros;
    /* The first unknown filter or test that is not below an if. */
    const struct token *unknown;
    bool unknown_is_test;
};

static inline const struct token *parse_token(const struct parser *p)
{
    return &p->tokens[p->at];
}

static inline enum token_kind parse_kind(const struct parser *p)
{
    return p->tokens[p->at].kind;
}

/* The last token is TOKEN_END, which is never passed. */
static inline const struct token *parse_advance(struct parser *p)
{
    const struct token *token = &p->tokens[p->at];
    if (token->kind != TOKEN_END)
        p->at++;
    return token;
}

bool parse_is_name(const struct token *token, const char *name);
bool parse_skip_name(struct parser *p, const char *name);
bool parse_skip(struct parser *p, enum token_kind kind);
/* Passes the token and returns it, or fails. */
const struct token *parse_expect(struct parser *p, enum token_kind kind);
/* "line N: …"; always returns NULL. */
void *parse_fail(struct parser *p, const struct token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "'foo'", "end of statement block" … for sentences; fills `out`. */
const char *parse_describe(const struct token *token, char out[64]);
void *parse_alloc(struct parser *p, size_t count, size_t size);
struct node *parse_node(struct parser *p, enum node_kind kind, const struct token *at);
bool parse_constant_text(struct parser *p, const char *text, uint32_t size, struct str *out);
bool parse_intern(struct parser *p, const struct token *name, uint32_t *atom);
bool parse_enter(struct parser *p);
void parse_leave(struct parser *p);

/* ---- expressions (jinja_parse_expr.c) ---- */

struct node *parse_expression(struct parser *p);
/* a, b, c … as a tuple; `end` is a name that ends it besides the closing tokens, or NULL. */
struct node *parse_tuple(struct parser *p, bool with_condition, const char *end,
                         bool parenthesised);
/* What may stand left of `=` or between `for` and `in`. */
struct node *parse_target(struct parser *p, const char *end, bool with_namespace);
/* A chain of filters on `input`. `inline_start`: the first one has no '|' before it. */
struct node *parse_filters(struct parser *p, struct node *input, bool inline_start);
