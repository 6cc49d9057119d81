/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements, and the tools both halves of the parser use. */
#include "chat/jinja_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static struct node *parse_statement(struct parser *p);

/* ---- tools ---- */

bool parse_is_name(const struct token *token, const char *name)
{
    return token->kind == TOKEN_NAME && token->size == strlen(name) &&
           memcmp(token->text, name, token->size) == 0;
}

bool parse_skip_name(struct parser *p, const char *name)
{
    if (!parse_is_name(parse_token(p), name))
        return false;
    p->at++;
    return true;
}

bool parse_skip(struct parser *p, enum token_kind kind)
{
    if (parse_kind(p) != kind)
        return false;
    parse_advance(p);
    return true;
}

void *parse_fail(struct parser *p, const struct token *at, const char *format, ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (p->status == EMBER_OK)
        p->status = fail_at_line(p->err, EMBER_FORMAT, p->tmpl->name, at->line, what);
    return NULL;
}

static const char *kind_text(enum token_kind kind)
{
    switch (kind) {
    case TOKEN_VARIABLE_END:
        return "'}}'";
    case TOKEN_BLOCK_END:
        return "'%}'";
    case TOKEN_NAME:
        return "a name";
    case TOKEN_COLON:
        return "':'";
    case TOKEN_COMMA:
        return "','";
    case TOKEN_ASSIGN:
        return "'='";
    case TOKEN_LEFT_PAREN:
        return "'('";
    case TOKEN_RIGHT_PAREN:
        return "')'";
    case TOKEN_RIGHT_BRACKET:
        return "']'";
    case TOKEN_RIGHT_BRACE:
        return "'}'";
    default:
        return "something else";
    }
}

const char *parse_describe(const struct token *token, char out[64])
{
    if (token->kind == TOKEN_END)
        return "the end of the template";
    if (token->kind == TOKEN_DATA)
        return "text";
    if (token->kind == TOKEN_STRING)
        return "a string";
    snprintf(out, 64, "'%.*s'", token->size > 50 ? 50 : (int)token->size, token->text);
    return out;
}

const struct token *parse_expect(struct parser *p, enum token_kind kind)
{
    char what[64];
    if (parse_kind(p) == kind)
        return parse_advance(p);
    return parse_fail(p, parse_token(p), "expected %s, found %s", kind_text(kind),
                      parse_describe(parse_token(p), what));
}

void *parse_alloc(struct parser *p, size_t count, size_t size)
{
    void *memory = arena_alloc(&p->tmpl->arena, count, size);
    if (!memory && p->status == EMBER_OK)
        p->status = ember_fail(p->err, EMBER_NO_MEMORY, "%s: out of memory", p->tmpl->name);
    return memory;
}

struct node *parse_node(struct parser *p, enum node_kind kind, const struct token *at)
{
    struct node *node = parse_alloc(p, 1, sizeof *node);
    if (node) {
        node->kind = kind;
        node->line = at->line;
    }
    return node;
}

bool parse_constant_text(struct parser *p, const char *text, uint32_t size, struct str *out)
{
    struct text_store *store = parse_alloc(p, 1, sizeof *store);
    if (!store)
        return false;
    store->data = (char *)text; /* never written: capacity 0 */
    store->size = size;
    store->ascii = true;
    for (uint32_t i = 0; i < size && store->ascii; i++)
        store->ascii = (unsigned char)text[i] < 0x80;
    *out = (struct str){ .store = store, .size = size };
    return true;
}

bool parse_intern(struct parser *p, const struct token *name, uint32_t *atom)
{
    *atom = jinja_intern(p->tmpl, name->text, name->size);
    if (*atom != UINT32_MAX)
        return true;
    p->status = ember_fail(p->err, EMBER_NO_MEMORY, "%s: out of memory", p->tmpl->name);
    return false;
}

bool parse_enter(struct parser *p)
{
    if (++p->depth <= PARSE_MAX_DEPTH)
        return true;
    parse_fail(p, parse_token(p), "nested more than %d deep", PARSE_MAX_DEPTH);
    return false;
}

void parse_leave(struct parser *p)
{
    p->depth--;
}

/* ---- bodies ---- */

struct body_end {
    const char *names[4]; /* end tags, NULL after the last; none: the end of the template */
};

static bool at_body_end(const struct parser *p, const struct body_end *end)
{
    for (size_t i = 0; i < 4 && end->names[i]; i++) {
        if (parse_is_name(parse_token(p), end->names[i]))
            return true;
    }
    return false;
}

static struct node *parse_output(struct parser *p)
{
    const struct token *token = parse_token(p);
    struct node *node = parse_node(p, NODE_OUTPUT, token);
    if (!node)
        return NULL;
    if (token->kind == TOKEN_DATA) {
        struct str s;
        node->output = parse_node(p, NODE_CONSTANT, token);
        if (!node->output || !parse_constant_text(p, token->text, token->size, &s))
            return NULL;
        node->output->constant = value_str(s);
        parse_advance(p);
        return node;
    }
    parse_advance(p);
    node->output = parse_tuple(p, true, NULL, false);
    return node->output && parse_expect(p, TOKEN_VARIABLE_END) ? node : NULL;
}

/* Statements up to one of the end tags, whose name is then the present token. */
static bool parse_until(struct parser *p, const struct body_end *end, struct node **body)
{
    struct node **last = body;
    /* The last token of the opening tag, if there is one. */
    const struct token *begin = &p->tokens[p->at ? p->at - 1 : 0];
    *body = NULL;
    while (parse_kind(p) != TOKEN_END) {
        struct node *node = NULL;
        if (parse_kind(p) == TOKEN_BLOCK_BEGIN) {
            parse_advance(p);
            if (at_body_end(p, end))
                return true;
            node = parse_statement(p);
            if (!node || !parse_expect(p, TOKEN_BLOCK_END))
                return false;
        } else {
            node = parse_output(p);
            if (!node)
                return false;
        }
        *last = node;
        while (*last)
            last = &(*last)->next;
    }
    if (!end->names[0])
        return true;
    const char *wanted = end->names[1] ? end->names[1] : end->names[0];
    for (size_t i = 0; i < 4 && end->names[i]; i++) {
        if (strncmp(end->names[i], "end", 3) == 0)
            wanted = end->names[i];
    }
    parse_fail(p, begin, "the block that begins here is never closed (no {%% %s %%})", wanted);
    return false;
}

/* The rest of an opening tag and the body behind it. */
static bool parse_body(struct parser *p, const struct body_end *end, struct node **body)
{
    parse_skip(p, TOKEN_COLON);
    return parse_expect(p, TOKEN_BLOCK_END) && parse_until(p, end, body);
}

/* The same for a single end tag, which is passed. `soft` says whether unknown filters inside are
 * errors only when reached. */
static bool parse_closed_body(struct parser *p, const char *end, bool soft, struct node **body)
{
    bool outer = p->soft;
    p->soft = soft;
    bool ok = parse_body(p, &(struct body_end){ { end } }, body);
    p->soft = outer;
    if (ok)
        parse_advance(p);
    return ok;
}

/* ---- statements ---- */

static struct node *parse_if(struct parser *p, const struct token *tag)
{
    static const struct body_end end = { { "elif", "else", "endif" } };
    struct node *first = NULL, **to = &first;
    bool outer = p->soft;
    p->soft = true;
    for (;;) {
        struct node *node = parse_node(p, NODE_IF, tag);
        if (!node)
            return NULL;
        *to = node;
        to = &node->condition.no;
        node->condition.test = parse_tuple(p, false, NULL, false);
        if (!node->condition.test || !parse_body(p, &end, &node->condition.yes))
            return NULL;
        tag = parse_advance(p);
        if (parse_is_name(tag, "elif"))
            continue;
        if (parse_is_name(tag, "else") && !parse_closed_body(p, "endif", true, to))
            return NULL;
        break;
    }
    p->soft = outer;
    return first;
}

static struct node *parse_for(struct parser *p, const struct token *tag)
{
    static const struct body_end end = { { "else", "endfor" } };
    struct node *node = parse_node(p, NODE_FOR, tag);
    bool soft = p->soft, in_loop = p->in_loop;
    if (!node)
        return NULL;
    p->n_loops++;
    node->loop.target = parse_target(p, "in", false);
    if (!node->loop.target)
        return NULL;
    if (!parse_skip_name(p, "in")) {
        char what[64];
        return parse_fail(p, parse_token(p), "expected 'in', found %s",
                          parse_describe(parse_token(p), what));
    }
    node->loop.over = parse_tuple(p, false, "recursive", false);
    if (!node->loop.over)
        return NULL;
    p->soft = false;
    if (parse_skip_name(p, "if")) {
        node->loop.test = parse_expression(p);
        if (!node->loop.test)
            return NULL;
    }
    node->loop.recursive = parse_skip_name(p, "recursive");
    p->in_loop = true;
    if (!parse_body(p, &end, &node->loop.body))
        return NULL;
    p->in_loop = in_loop;
    if (parse_is_name(parse_advance(p), "else") &&
        !parse_closed_body(p, "endfor", false, &node->loop.otherwise))
        return NULL;
    p->soft = soft;
    p->n_loops--;
    return node;
}

static struct node *parse_set(struct parser *p, const struct token *tag)
{
    struct node *target = parse_target(p, NULL, true);
    struct node *node = target ? parse_node(p, NODE_SET, tag) : NULL;
    if (!node)
        return NULL;
    node->set.target = target;
    if (parse_skip(p, TOKEN_ASSIGN)) {
        node->set.value = parse_tuple(p, true, NULL, false);
        return node->set.value ? node : NULL;
    }
    node->kind = NODE_SET_BLOCK;
    bool soft = p->soft;
    p->soft = false;
    node->set.value = parse_filters(p, NULL, false);
    p->soft = soft;
    if (p->status != EMBER_OK || !parse_closed_body(p, "endset", false, &node->set.body))
        return NULL;
    return node;
}

static bool parse_parameters(struct parser *p, struct macro_definition *macro)
{
    struct parameter **end = &macro->parameters;
    bool fallbacks = false;
    if (!parse_expect(p, TOKEN_LEFT_PAREN))
        return false;
    while (parse_kind(p) != TOKEN_RIGHT_PAREN) {
        if (macro->n_parameters && !parse_expect(p, TOKEN_COMMA))
            return false;
        const struct token *token = parse_expect(p, TOKEN_NAME);
        struct parameter *parameter = token ? parse_alloc(p, 1, sizeof *parameter) : NULL;
        if (!parameter || !parse_intern(p, token, &parameter->atom) ||
            !parse_constant_text(p, token->text, token->size, &parameter->name))
            return false;
        macro->has_caller_parameter |= parse_is_name(token, "caller");
        if (parse_skip(p, TOKEN_ASSIGN)) {
            parameter->fallback = parse_expression(p);
            if (!parameter->fallback)
                return false;
            fallbacks = true;
        } else if (fallbacks) {
            parse_fail(p, token, "a parameter without a default follows one with a default");
            return false;
        }
        *end = parameter;
        end = &parameter->next;
        macro->n_parameters++;
    }
    parse_advance(p);
    return true;
}

/* Parameters (when `with_parameters`) have been read by the caller or not at all. */
static bool parse_macro_body(struct parser *p, struct macro_definition *macro, const char *end)
{
    struct open_macro open = { .macro = macro, .outer = p->macros };
    bool in_loop = p->in_loop;
    p->macros = &open;
    p->in_loop = false;
    bool ok = parse_closed_body(p, end, false, &macro->body);
    p->macros = open.outer;
    p->in_loop = in_loop;
    return ok;
}

static struct node *parse_macro(struct parser *p, const struct token *tag)
{
    struct node *node = parse_node(p, NODE_MACRO, tag);
    struct macro_definition *macro = node ? parse_alloc(p, 1, sizeof *macro) : NULL;
    const struct token *name = macro ? parse_expect(p, TOKEN_NAME) : NULL;
    if (!name || !parse_intern(p, name, &macro->atom) ||
        !parse_constant_text(p, name->text, name->size, &macro->name))
        return NULL;
    node->macro = macro;
    bool soft = p->soft;
    p->soft = false;
    if (!parse_parameters(p, macro) || !parse_macro_body(p, macro, "endmacro"))
        return NULL;
    p->soft = soft;
    return node;
}

static struct node *parse_call_block(struct parser *p, const struct token *tag)
{
    struct node *node = parse_node(p, NODE_CALL_BLOCK, tag);
    struct macro_definition *macro = node ? parse_alloc(p, 1, sizeof *macro) : NULL;
    if (!macro || !parse_constant_text(p, "caller", 6, &macro->name))
        return NULL;
    node->call_block.caller = macro;
    if (parse_kind(p) == TOKEN_LEFT_PAREN && !parse_parameters(p, macro))
        return NULL;
    node->call_block.call = parse_expression(p);
    if (!node->call_block.call)
        return NULL;
    if (node->call_block.call->kind != NODE_CALL)
        return parse_fail(p, tag, "a call block needs a call");
    return parse_macro_body(p, macro, "endcall") ? node : NULL;
}

static struct node *parse_filter_block(struct parser *p, const struct token *tag)
{
    struct node *node = parse_node(p, NODE_FILTER_BLOCK, tag);
    if (!node)
        return NULL;
    bool soft = p->soft;
    p->soft = false;
    node->set.value = parse_filters(p, NULL, true);
    p->soft = soft;
    if (!node->set.value || !parse_closed_body(p, "endfilter", false, &node->set.body))
        return NULL;
    return node;
}

static struct node *parse_with(struct parser *p, const struct token *tag)
{
    struct node *node = parse_node(p, NODE_WITH, tag);
    if (!node)
        return NULL;
    struct node **targets = &node->with.targets, **values = &node->with.values;
    while (parse_kind(p) != TOKEN_BLOCK_END) {
        if (node->with.targets && !parse_expect(p, TOKEN_COMMA))
            return NULL;
        *targets = parse_target(p, NULL, false);
        if (!*targets || !parse_expect(p, TOKEN_ASSIGN))
            return NULL;
        *values = parse_expression(p);
        if (!*values)
            return NULL;
        targets = &(*targets)->next;
        values = &(*values)->next;
    }
    return parse_closed_body(p, "endwith", false, &node->with.body) ? node : NULL;
}

static struct node *parse_print(struct parser *p, const struct token *tag)
{
    struct node *first = NULL, **end = &first;
    while (parse_kind(p) != TOKEN_BLOCK_END) {
        if (first && !parse_expect(p, TOKEN_COMMA))
            return NULL;
        struct node *node = parse_node(p, NODE_OUTPUT, tag);
        if (!node)
            return NULL;
        node->output = parse_expression(p);
        if (!node->output)
            return NULL;
        *end = node;
        end = &node->next;
    }
    return first ? first : parse_node(p, NODE_BODY, tag);
}

static struct node *parse_block(struct parser *p, const struct token *tag)
{
    const struct token *name = parse_expect(p, TOKEN_NAME);
    struct node *node = name ? parse_node(p, NODE_SCOPE, tag) : NULL;
    bool in_loop = p->in_loop;
    if (!node)
        return NULL;
    parse_skip_name(p, "scoped");
    parse_skip_name(p, "required");
    p->in_loop = false;
    if (!parse_closed_body(p, "endblock", false, &node->body))
        return NULL;
    p->in_loop = in_loop;
    if (parse_kind(p) == TOKEN_NAME && parse_token(p)->size == name->size &&
        memcmp(parse_token(p)->text, name->text, name->size) == 0)
        parse_advance(p);
    return node;
}

static struct node *parse_autoescape(struct parser *p, const struct token *tag)
{
    struct node *value = parse_expression(p);
    if (!value)
        return NULL;
    if (value->kind != NODE_CONSTANT || jinja_truth(&value->constant))
        return parse_fail(p, tag, "autoescape other than false is not supported");
    struct node *node = parse_node(p, NODE_SCOPE, tag);
    return node && parse_closed_body(p, "endautoescape", false, &node->body) ? node : NULL;
}

/* Marks what the assistant said; for a prompt the body is all that counts. */
static struct node *parse_generation(struct parser *p, const struct token *tag)
{
    struct node *node = parse_node(p, NODE_BODY, tag);
    return node && parse_closed_body(p, "endgeneration", p->soft, &node->body) ? node : NULL;
}

static struct node *parse_jump(struct parser *p, const struct token *tag)
{
    bool is_break = parse_is_name(tag, "break");
    if (!p->in_loop)
        return parse_fail(p, tag, "'%s' outside of a loop", is_break ? "break" : "continue");
    return parse_node(p, is_break ? NODE_BREAK : NODE_CONTINUE, tag);
}

static const struct {
    const char *name;
    struct node *(*parse)(struct parser *p, const struct token *tag);
} statements[] = {
    { "if", parse_if },
    { "for", parse_for },
    { "set", parse_set },
    { "macro", parse_macro },
    { "call", parse_call_block },
    { "filter", parse_filter_block },
    { "with", parse_with },
    { "print", parse_print },
    { "block", parse_block },
    { "autoescape", parse_autoescape },
    { "generation", parse_generation },
    { "break", parse_jump },
    { "continue", parse_jump },
};

static struct node *parse_statement(struct parser *p)
{
    const struct token *tag = parse_token(p);
    struct node *node = NULL;
    char what[64];
    if (tag->kind != TOKEN_NAME)
        return parse_fail(p, tag, "expected the name of a tag, found %s",
                          parse_describe(tag, what));
    if (!parse_enter(p))
        return NULL;
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        if (!parse_is_name(tag, statements[i].name))
            continue;
        parse_advance(p);
        node = statements[i].parse(p, tag);
        parse_leave(p);
        return node;
    }
    if (parse_is_name(tag, "include") || parse_is_name(tag, "import") ||
        parse_is_name(tag, "from") || parse_is_name(tag, "extends"))
        return parse_fail(p, tag, "{%% %.*s %%} is not allowed: a chat template stands alone",
                          (int)tag->size, tag->text);
    return parse_fail(p, tag, "unknown or misplaced tag %s", parse_describe(tag, what));
}

/* ---- the template ---- */

static struct str atom_text(const struct ember_template *tmpl, uint32_t atom)
{
    return tmpl->atoms[atom];
}

static uint32_t *atom_slot(const struct ember_template *tmpl, const char *name, uint32_t size)
{
    uint32_t mask = tmpl->atom_index_size - 1;
    uint32_t at = (uint32_t)hash_bytes(&tmpl->hash, name, size) & mask;
    for (;; at = (at + 1) & mask) {
        uint32_t *slot = &tmpl->atom_index[at];
        if (!*slot)
            return slot;
        struct str known = atom_text(tmpl, *slot - 1);
        if (known.size == size && memcmp(str_data(known), name, size) == 0)
            return slot;
    }
}

uint32_t jinja_atom(const struct ember_template *tmpl, const char *name, uint32_t size)
{
    if (!tmpl->atom_index_size)
        return UINT32_MAX;
    return *atom_slot(tmpl, name, size) - 1; /* an empty slot gives UINT32_MAX */
}

static bool grow_atoms(struct ember_template *tmpl)
{
    uint32_t capacity = tmpl->atoms_capacity ? tmpl->atoms_capacity * 2 : 64;
    struct str *atoms = arena_alloc(&tmpl->arena, capacity, sizeof *atoms);
    uint32_t *index = arena_alloc(&tmpl->arena, (size_t)capacity * 2, sizeof *index);
    if (!atoms || !index)
        return false;
    if (tmpl->n_atoms)
        memcpy(atoms, tmpl->atoms, tmpl->n_atoms * sizeof *atoms);
    tmpl->atoms = atoms;
    tmpl->atoms_capacity = capacity;
    tmpl->atom_index = index;
    tmpl->atom_index_size = capacity * 2;
    for (uint32_t i = 0; i < tmpl->n_atoms; i++)
        *atom_slot(tmpl, str_data(atoms[i]), atoms[i].size) = i + 1;
    return true;
}

uint32_t jinja_intern(struct ember_template *tmpl, const char *name, uint32_t size)
{
    uint32_t known = jinja_atom(tmpl, name, size);
    if (known != UINT32_MAX)
        return known;
    if (tmpl->n_atoms == tmpl->atoms_capacity && !grow_atoms(tmpl))
        return UINT32_MAX;
    struct text_store *store = arena_alloc(&tmpl->arena, 1, sizeof *store);
    if (!store)
        return UINT32_MAX;
    store->data = (char *)name; /* a piece of the source, or static */
    store->size = size;
    store->ascii = false; /* names are printed, never measured */
    *atom_slot(tmpl, name, size) = tmpl->n_atoms + 1;
    tmpl->atoms[tmpl->n_atoms] = (struct str){ .store = store, .size = size };
    return tmpl->n_atoms++;
}

enum ember_status jinja_parse(struct ember_template *tmpl, struct ember_error *err)
{
    struct token_list tokens = { 0 };
    enum ember_status st = jinja_lex(tmpl, &tmpl->arena, &tokens, err);
    if (st == EMBER_OK) {
        static const struct body_end none = { { NULL } };
        struct parser p = { .tmpl = tmpl, .err = err, .tokens = tokens.at };
        if (parse_until(&p, &none, &tmpl->body) && p.unknown) {
            char what[64];
            parse_fail(&p, p.unknown, "no %s is called %s", p.unknown_is_test ? "test" : "filter",
                       parse_describe(p.unknown, what));
        }
        st = p.status;
    }
    free(tokens.at);
    return st;
}
