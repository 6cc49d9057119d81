/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions. Precedence, weakest first: if-else, or, and, not, comparison, + -, ~, * / // %, **,
 * sign, then calls, attributes, filters and tests behind a value. */
#include <string.h>

#include "chat/jinja_parse.h"
#include "chat/jinja_run.h"

static struct node *parse_unary(struct parser *p, bool with_filter);

static bool is_constant_name(const struct token *token)
{
    return parse_is_name(token, "true") || parse_is_name(token, "True") ||
           parse_is_name(token, "false") || parse_is_name(token, "False") ||
           parse_is_name(token, "none") || parse_is_name(token, "None");
}

/* Appends to a list of nodes that grows at its end. */
struct node_chain {
    struct node *first, **end;
    uint32_t n;
};

static void chain_init(struct node_chain *chain)
{
    *chain = (struct node_chain){ .end = &chain->first };
}

static void chain_add(struct node_chain *chain, struct node *node)
{
    *chain->end = node;
    chain->end = &node->next;
    chain->n++;
}

static void note_special_name(struct parser *p, const struct token *token)
{
    for (struct open_macro *open = p->macros; open; open = open->outer) {
        open->macro->uses_caller |= parse_is_name(token, "caller");
        open->macro->uses_varargs |= parse_is_name(token, "varargs");
        open->macro->uses_kwargs |= parse_is_name(token, "kwargs");
    }
}

static struct node *parse_name(struct parser *p)
{
    const struct token *token = parse_advance(p);
    struct node *node;
    if (is_constant_name(token)) {
        node = parse_node(p, NODE_CONSTANT, token);
        if (!node)
            return NULL;
        char first = token->text[0];
        node->constant =
            first == 'n' || first == 'N' ? value_none() : value_bool(first == 't' || first == 'T');
        return node;
    }
    node = parse_node(p, NODE_NAME, token);
    if (!node || !parse_intern(p, token, &node->atom))
        return NULL;
    note_special_name(p, token);
    return node;
}

/* Neighbouring string literals are one string. */
static struct node *parse_string(struct parser *p)
{
    const struct token *token = parse_token(p);
    struct node *node = parse_node(p, NODE_CONSTANT, token);
    size_t first = p->at, size = 0;
    if (!node)
        return NULL;
    while (parse_kind(p) == TOKEN_STRING)
        size += parse_advance(p)->size;
    char *text = (char *)token->text;
    if (p->at > first + 1) {
        text = parse_alloc(p, size + 1, 1);
        if (!text)
            return NULL;
        for (size_t i = first, at = 0; i < p->at; at += p->tokens[i].size, i++)
            memcpy(text + at, p->tokens[i].text, p->tokens[i].size);
    }
    struct str s;
    if (!parse_constant_text(p, text, (uint32_t)size, &s))
        return NULL;
    node->constant = value_str(s);
    return node;
}

static struct node *parse_sequence(struct parser *p, enum node_kind kind, enum token_kind end)
{
    const struct token *token = parse_advance(p);
    struct node *node = parse_node(p, kind, token);
    struct node_chain chain;
    chain_init(&chain);
    while (node && parse_kind(p) != end) {
        if (chain.n && !parse_expect(p, TOKEN_COMMA))
            return NULL;
        if (parse_kind(p) == end)
            break;
        struct node *item = parse_expression(p);
        if (!item)
            return NULL;
        chain_add(&chain, item);
        if (kind != NODE_DICT)
            continue;
        struct node *value = parse_expect(p, TOKEN_COLON) ? parse_expression(p) : NULL;
        if (!value)
            return NULL;
        chain_add(&chain, value);
    }
    if (!node || !parse_expect(p, end))
        return NULL;
    node->list.first = chain.first;
    node->list.n = chain.n;
    return node;
}

static struct node *parse_primary(struct parser *p)
{
    const struct token *token = parse_token(p);
    struct node *node;
    char what[64];
    switch (token->kind) {
    case TOKEN_NAME:
        return parse_name(p);
    case TOKEN_STRING:
        return parse_string(p);
    case TOKEN_INTEGER:
    case TOKEN_FLOAT:
        parse_advance(p);
        node = parse_node(p, NODE_CONSTANT, token);
        if (node)
            node->constant = token->kind == TOKEN_INTEGER ? value_int(token->integer)
                                                          : value_float(token->number);
        return node;
    case TOKEN_LEFT_PAREN:
        parse_advance(p);
        node = parse_tuple(p, true, NULL, true);
        return node && parse_expect(p, TOKEN_RIGHT_PAREN) ? node : NULL;
    case TOKEN_LEFT_BRACKET:
        return parse_sequence(p, NODE_LIST, TOKEN_RIGHT_BRACKET);
    case TOKEN_LEFT_BRACE:
        return parse_sequence(p, NODE_DICT, TOKEN_RIGHT_BRACE);
    default:
        return parse_fail(p, token, "expected a value, found %s", parse_describe(token, what));
    }
}

/* ---- behind a value ---- */

/* One part of a subscript: an index, or a slice as a NODE_SLICE without its object. */
static struct node *parse_subscript_part(struct parser *p)
{
    const struct token *token = parse_token(p);
    struct node *parts[3] = { NULL, NULL, NULL };
    if (parse_kind(p) != TOKEN_COLON) {
        parts[0] = parse_expression(p);
        if (!parts[0] || parse_kind(p) != TOKEN_COLON)
            return parts[0];
    }
    for (int i = 1; i < 3 && parse_skip(p, TOKEN_COLON); i++) {
        enum token_kind kind = parse_kind(p);
        if (kind == TOKEN_COLON || kind == TOKEN_RIGHT_BRACKET || kind == TOKEN_COMMA)
            continue;
        parts[i] = parse_expression(p);
        if (!parts[i])
            return NULL;
    }
    struct node *node = parse_node(p, NODE_SLICE, token);
    if (node) {
        node->slice.start = parts[0];
        node->slice.stop = parts[1];
        node->slice.step = parts[2];
    }
    return node;
}

static struct node *parse_subscript(struct parser *p, struct node *object)
{
    const struct token *token = parse_advance(p);
    struct node_chain chain;
    bool any_slice = false;
    chain_init(&chain);
    while (parse_kind(p) != TOKEN_RIGHT_BRACKET) {
        if (chain.n && !parse_expect(p, TOKEN_COMMA))
            return NULL;
        struct node *part = parse_subscript_part(p);
        if (!part)
            return NULL;
        any_slice |= part->kind == NODE_SLICE && !part->slice.object;
        chain_add(&chain, part);
    }
    parse_advance(p);
    if (chain.n == 1 && any_slice) {
        chain.first->slice.object = object;
        return chain.first;
    }
    if (any_slice)
        return parse_fail(p, token, "a slice among several indices is not supported");
    struct node *index = chain.first;
    if (chain.n != 1) {
        index = parse_node(p, NODE_TUPLE, token);
        if (!index)
            return NULL;
        index->list.first = chain.first;
        index->list.n = chain.n;
    }
    struct node *node = parse_node(p, NODE_ITEM, token);
    if (node) {
        node->access.object = object;
        node->access.index = index;
    }
    return node;
}

static struct node *parse_attribute(struct parser *p, struct node *object)
{
    const struct token *dot = parse_advance(p), *name = parse_advance(p);
    struct node *node;
    if (name->kind == TOKEN_NAME) {
        node = parse_node(p, NODE_ATTRIBUTE, dot);
        if (!node || !parse_constant_text(p, name->text, name->size, &node->access.name))
            return NULL;
        node->access.object = object;
        return node;
    }
    if (name->kind != TOKEN_INTEGER)
        return parse_fail(p, name, "expected a name or a number after '.'");
    struct node *index = parse_node(p, NODE_CONSTANT, name);
    node = parse_node(p, NODE_ITEM, dot);
    if (!index || !node)
        return NULL;
    index->constant = value_int(name->integer);
    node->access.object = object;
    node->access.index = index;
    return node;
}

static bool parse_keyword(struct parser *p, struct keyword_node ***end)
{
    struct keyword_node *keyword = parse_alloc(p, 1, sizeof *keyword);
    const struct token *name = parse_advance(p);
    parse_advance(p);
    if (!keyword || !parse_constant_text(p, name->text, name->size, &keyword->name))
        return false;
    keyword->value = parse_expression(p);
    **end = keyword;
    *end = &keyword->next;
    return keyword->value;
}

static struct argument_nodes *parse_arguments(struct parser *p)
{
    const struct token *open = parse_expect(p, TOKEN_LEFT_PAREN);
    struct argument_nodes *args = parse_alloc(p, 1, sizeof *args);
    struct node_chain chain;
    bool first = true;
    if (!open || !args)
        return NULL;
    struct keyword_node **end = &args->keywords;
    chain_init(&chain);
    while (parse_kind(p) != TOKEN_RIGHT_PAREN) {
        if (!first && !parse_expect(p, TOKEN_COMMA))
            return NULL;
        if (!first && parse_kind(p) == TOKEN_RIGHT_PAREN)
            break;
        first = false;
        if (parse_kind(p) == TOKEN_MUL) {
            if (args->star || args->star_star)
                goto order;
            parse_advance(p);
            args->star = parse_expression(p);
            if (!args->star)
                return NULL;
        } else if (parse_kind(p) == TOKEN_POW) {
            if (args->star_star)
                goto order;
            parse_advance(p);
            args->star_star = parse_expression(p);
            if (!args->star_star)
                return NULL;
        } else if (parse_kind(p) == TOKEN_NAME && p->tokens[p->at + 1].kind == TOKEN_ASSIGN) {
            if (args->star_star)
                goto order;
            if (!parse_keyword(p, &end))
                return NULL;
            args->n_keywords++;
        } else {
            if (args->star || args->star_star || args->n_keywords)
                goto order;
            struct node *value = parse_expression(p);
            if (!value)
                return NULL;
            chain_add(&chain, value);
        }
    }
    parse_advance(p);
    args->positional = chain.first;
    args->n = chain.n;
    return args;
order:
    return parse_fail(p, open, "the arguments of this call are in an order that is not allowed");
}

static struct node *parse_call(struct parser *p, struct node *callee)
{
    const struct token *token = parse_token(p);
    struct argument_nodes *args = parse_arguments(p);
    struct node *node = args ? parse_node(p, NODE_CALL, token) : NULL;
    if (node) {
        node->call.callee = callee;
        node->call.args = args;
    }
    return node;
}

/* A chain of postfixes builds a tree as deep as it is long, which the evaluator walks by recursion;
 * it bounds its own depth. */
static struct node *parse_postfix(struct parser *p, struct node *node)
{
    while (node) {
        if (parse_kind(p) == TOKEN_DOT)
            node = parse_attribute(p, node);
        else if (parse_kind(p) == TOKEN_LEFT_BRACKET)
            node = parse_subscript(p, node);
        else if (parse_kind(p) == TOKEN_LEFT_PAREN)
            node = parse_call(p, node);
        else
            break;
    }
    return node;
}

/* The dotted name of a filter or test; `name` is the piece of source it covers. */
static const struct token *parse_dotted(struct parser *p, struct str *name)
{
    const struct token *first = parse_expect(p, TOKEN_NAME), *last = first;
    while (last && parse_skip(p, TOKEN_DOT))
        last = parse_expect(p, TOKEN_NAME);
    if (!last)
        return NULL;
    size_t size = (size_t)(last->text + last->size - first->text);
    return parse_constant_text(p, first->text, (uint32_t)size, name) ? first : NULL;
}

static void note_unknown(struct parser *p, const struct token *token, bool is_test)
{
    if (!p->soft && !p->unknown) {
        p->unknown = token;
        p->unknown_is_test = is_test;
    }
}

struct node *parse_filters(struct parser *p, struct node *input, bool inline_start)
{
    while (inline_start || parse_kind(p) == TOKEN_PIPE) {
        struct str name;
        if (!inline_start)
            parse_advance(p);
        inline_start = false;
        const struct token *token = parse_dotted(p, &name);
        struct node *node = token ? parse_node(p, NODE_FILTER, token) : NULL;
        if (!node)
            return NULL;
        node->apply.input = input;
        node->apply.name = name;
        node->apply.filter = jinja_find_filter(name);
        if (!node->apply.filter)
            note_unknown(p, token, false);
        if (parse_kind(p) == TOKEN_LEFT_PAREN) {
            node->apply.args = parse_arguments(p);
            if (!node->apply.args)
                return NULL;
        }
        input = node;
    }
    return input;
}

/* `is name`, `is not name`, with arguments in brackets or one value right behind. */
static struct node *parse_test(struct parser *p, struct node *input)
{
    const struct token *is = parse_advance(p);
    bool negated = parse_skip_name(p, "not");
    struct str name;
    const struct token *token = parse_dotted(p, &name);
    struct node *node = token ? parse_node(p, NODE_TEST, is) : NULL;
    if (!node)
        return NULL;
    node->apply.input = input;
    node->apply.name = name;
    node->apply.test = jinja_find_test(name);
    if (!node->apply.test)
        note_unknown(p, token, true);

    const struct token *next = parse_token(p);
    if (next->kind == TOKEN_LEFT_PAREN) {
        node->apply.args = parse_arguments(p);
        if (!node->apply.args)
            return NULL;
    } else if ((next->kind == TOKEN_NAME && !parse_is_name(next, "else") &&
                !parse_is_name(next, "or") && !parse_is_name(next, "and")) ||
               next->kind == TOKEN_STRING || next->kind == TOKEN_INTEGER ||
               next->kind == TOKEN_FLOAT || next->kind == TOKEN_LEFT_BRACKET ||
               next->kind == TOKEN_LEFT_BRACE) {
        if (parse_is_name(next, "is"))
            return parse_fail(p, next, "tests cannot be chained with 'is'");
        struct argument_nodes *args = parse_alloc(p, 1, sizeof *args);
        struct node *value = args ? parse_postfix(p, parse_primary(p)) : NULL;
        if (!value)
            return NULL;
        args->positional = value;
        args->n = 1;
        node->apply.args = args;
    }
    if (!negated)
        return node;
    struct node *not = parse_node(p, NODE_NOT, is);
    if (not)
        not->binary.left = node;
    return not;
}

static struct node *parse_filters_and_tests(struct parser *p, struct node *node)
{
    while (node) {
        if (parse_kind(p) == TOKEN_PIPE)
            node = parse_filters(p, node, false);
        else if (parse_is_name(parse_token(p), "is"))
            node = parse_test(p, node);
        else if (parse_kind(p) == TOKEN_LEFT_PAREN)
            node = parse_call(p, node);
        else
            break;
    }
    return node;
}

/* ---- operators ---- */

static struct node *parse_unary(struct parser *p, bool with_filter)
{
    const struct token *token = parse_token(p);
    struct node *node;
    if (!parse_enter(p))
        return NULL;
    if (token->kind == TOKEN_SUB || token->kind == TOKEN_ADD) {
        parse_advance(p);
        struct node *operand = parse_unary(p, false);
        node = operand ? parse_node(p, token->kind == TOKEN_SUB ? NODE_NEGATE : NODE_PLUS, token)
                       : NULL;
        if (node)
            node->binary.left = operand;
    } else {
        node = parse_primary(p);
    }
    node = parse_postfix(p, node);
    if (with_filter)
        node = parse_filters_and_tests(p, node);
    parse_leave(p);
    return node;
}

static struct node *binary(struct parser *p, enum node_kind kind, const struct token *at,
                           enum operation operation, struct node *left, struct node *right)
{
    struct node *node = left && right ? parse_node(p, kind, at) : NULL;
    if (node) {
        node->binary.left = left;
        node->binary.right = right;
        node->binary.operation = operation;
    }
    return node;
}

static struct node *parse_power(struct parser *p)
{
    struct node *left = parse_unary(p, true);
    while (left && parse_kind(p) == TOKEN_POW) {
        const struct token *token = parse_advance(p);
        left = binary(p, NODE_BINARY, token, OP_POW, left, parse_unary(p, true));
    }
    return left;
}

static struct node *parse_product(struct parser *p)
{
    struct node *left = parse_power(p);
    while (left) {
        enum token_kind kind = parse_kind(p);
        if (kind != TOKEN_MUL && kind != TOKEN_DIV && kind != TOKEN_FLOOR_DIV && kind != TOKEN_MOD)
            break;
        const struct token *token = parse_advance(p);
        enum operation operation = kind == TOKEN_MUL         ? OP_MUL
                                   : kind == TOKEN_DIV       ? OP_DIV
                                   : kind == TOKEN_FLOOR_DIV ? OP_FLOOR_DIV
                                                             : OP_MOD;
        left = binary(p, NODE_BINARY, token, operation, left, parse_power(p));
    }
    return left;
}

static struct node *parse_concat(struct parser *p)
{
    struct node *first = parse_product(p);
    if (!first || parse_kind(p) != TOKEN_TILDE)
        return first;
    struct node *node = parse_node(p, NODE_CONCAT, parse_token(p));
    struct node_chain chain;
    chain_init(&chain);
    chain_add(&chain, first);
    while (node && parse_skip(p, TOKEN_TILDE)) {
        struct node *part = parse_product(p);
        if (!part)
            return NULL;
        chain_add(&chain, part);
    }
    if (node) {
        node->list.first = chain.first;
        node->list.n = chain.n;
    }
    return node;
}

static struct node *parse_sum(struct parser *p)
{
    struct node *left = parse_concat(p);
    while (left && (parse_kind(p) == TOKEN_ADD || parse_kind(p) == TOKEN_SUB)) {
        const struct token *token = parse_advance(p);
        left = binary(p, NODE_BINARY, token, token->kind == TOKEN_ADD ? OP_ADD : OP_SUB, left,
                      parse_concat(p));
    }
    return left;
}

static bool comparison(struct parser *p, enum operation *operation)
{
    switch (parse_kind(p)) {
    case TOKEN_EQ:
        *operation = OP_EQ;
        break;
    case TOKEN_NE:
        *operation = OP_NE;
        break;
    case TOKEN_LT:
        *operation = OP_LT;
        break;
    case TOKEN_LE:
        *operation = OP_LE;
        break;
    case TOKEN_GT:
        *operation = OP_GT;
        break;
    case TOKEN_GE:
        *operation = OP_GE;
        break;
    default:
        *operation = OP_IN;
        if (parse_skip_name(p, "in"))
            return true;
        if (!parse_is_name(parse_token(p), "not") || !parse_is_name(parse_token(p) + 1, "in"))
            return false;
        parse_advance(p);
        *operation = OP_NOT_IN;
    }
    parse_advance(p);
    return true;
}

static struct node *parse_comparison(struct parser *p)
{
    const struct token *token = parse_token(p);
    struct node *left = parse_sum(p);
    struct node_chain chain;
    enum operation operation;
    chain_init(&chain);
    while (left && comparison(p, &operation)) {
        struct node *right = parse_sum(p);
        struct node *operand = right ? parse_node(p, NODE_BINARY, token) : NULL;
        if (!operand)
            return NULL;
        operand->binary.operation = operation;
        operand->binary.right = right;
        chain_add(&chain, operand);
    }
    if (!left || !chain.n)
        return left;
    struct node *node = parse_node(p, NODE_COMPARE, token);
    if (node) {
        node->compare.left = left;
        node->compare.operands = chain.first;
    }
    return node;
}

static struct node *parse_not(struct parser *p)
{
    const struct token *token = parse_token(p);
    if (!parse_skip_name(p, "not"))
        return parse_comparison(p);
    if (!parse_enter(p))
        return NULL;
    struct node *operand = parse_not(p);
    struct node *node = operand ? parse_node(p, NODE_NOT, token) : NULL;
    if (node)
        node->binary.left = operand;
    parse_leave(p);
    return node;
}

static struct node *parse_and(struct parser *p)
{
    struct node *left = parse_not(p);
    const struct token *token = parse_token(p);
    while (left && parse_skip_name(p, "and"))
        left = binary(p, NODE_AND, token, OP_ADD, left, parse_not(p));
    return left;
}

static struct node *parse_or(struct parser *p)
{
    struct node *left = parse_and(p);
    const struct token *token = parse_token(p);
    while (left && parse_skip_name(p, "or"))
        left = binary(p, NODE_OR, token, OP_ADD, left, parse_and(p));
    return left;
}

struct node *parse_expression(struct parser *p)
{
    if (!parse_enter(p))
        return NULL;
    const struct token *first = parse_token(p), *unknown = p->unknown;
    struct node *left = parse_or(p);
    while (left && parse_skip_name(p, "if")) {
        struct node *test = parse_or(p), *otherwise = NULL;
        if (!test)
            return NULL;
        if (parse_skip_name(p, "else")) {
            otherwise = parse_expression(p);
            if (!otherwise)
                return NULL;
        }
        struct node *node = parse_node(p, NODE_CONDITION, first);
        if (!node)
            return NULL;
        node->condition.test = test;
        node->condition.yes = left;
        node->condition.no = otherwise;
        left = node;
        p->unknown = unknown; /* all parts of an inline if may name what does not exist */
    }
    parse_leave(p);
    return left;
}

static bool ends_tuple(const struct parser *p, const char *end)
{
    enum token_kind kind = parse_kind(p);
    return kind == TOKEN_VARIABLE_END || kind == TOKEN_BLOCK_END || kind == TOKEN_RIGHT_PAREN ||
           (end && parse_is_name(parse_token(p), end));
}

/* The common part of tuples of expressions and of targets. */
static struct node *parse_items(struct parser *p, struct node *(*parse)(struct parser *),
                                const char *end, bool parenthesised)
{
    const struct token *token = parse_token(p);
    struct node_chain chain;
    bool is_tuple = false;
    chain_init(&chain);
    for (;;) {
        if (chain.n && !parse_expect(p, TOKEN_COMMA))
            return NULL;
        if (ends_tuple(p, end))
            break;
        struct node *item = parse(p);
        if (!item)
            return NULL;
        chain_add(&chain, item);
        if (parse_kind(p) != TOKEN_COMMA)
            break;
        is_tuple = true;
    }
    if (!is_tuple && chain.n)
        return chain.first;
    if (!is_tuple && !parenthesised) {
        char what[64];
        return parse_fail(p, token, "expected an expression, found %s",
                          parse_describe(parse_token(p), what));
    }
    struct node *node = parse_node(p, NODE_TUPLE, token);
    if (node) {
        node->list.first = chain.first;
        node->list.n = chain.n;
    }
    return node;
}

struct node *parse_tuple(struct parser *p, bool with_condition, const char *end, bool parenthesised)
{
    return parse_items(p, with_condition ? parse_expression : parse_or, end, parenthesised);
}

/* ---- targets ---- */

static struct node *parse_target_item(struct parser *p, bool with_namespace);

static struct node *parse_plain_target(struct parser *p)
{
    return parse_target_item(p, false);
}

static struct node *parse_namespace_target(struct parser *p)
{
    return parse_target_item(p, true);
}

static struct node *parse_target_item(struct parser *p, bool with_namespace)
{
    const struct token *token = parse_token(p);
    char what[64];
    if (token->kind == TOKEN_LEFT_PAREN) {
        if (!parse_enter(p))
            return NULL;
        parse_advance(p);
        struct node *node = parse_items(
            p, with_namespace ? parse_namespace_target : parse_plain_target, NULL, true);
        parse_leave(p);
        return node && parse_expect(p, TOKEN_RIGHT_PAREN) ? node : NULL;
    }
    if (token->kind != TOKEN_NAME || is_constant_name(token))
        return parse_fail(p, token, "cannot assign to %s", parse_describe(token, what));
    parse_advance(p);
    if (with_namespace && parse_skip(p, TOKEN_DOT)) {
        const struct token *name = parse_expect(p, TOKEN_NAME);
        struct node *node = name ? parse_node(p, NODE_NAMESPACE_ATTRIBUTE, token) : NULL;
        if (!node || !parse_intern(p, token, &node->attribute_target.atom) ||
            !parse_constant_text(p, name->text, name->size, &node->attribute_target.name))
            return NULL;
        return node;
    }
    if (p->n_loops && parse_is_name(token, "loop"))
        return parse_fail(p, token, "cannot assign to 'loop' inside a for loop");
    struct node *node = parse_node(p, NODE_NAME, token);
    return node && parse_intern(p, token, &node->atom) ? node : NULL;
}

struct node *parse_target(struct parser *p, const char *end, bool with_namespace)
{
    return parse_items(p, with_namespace ? parse_namespace_target : parse_plain_target, end, false);
}
