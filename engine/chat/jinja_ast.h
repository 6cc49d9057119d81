/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jinja_ast.h - from template source to a tree: tokens, nodes, and the parsed template.
 *
 * The tree is read-only once parsed and lives in the template's arena. */
#pragma once

#include <ember/error.h>

#include "base/arena.h"
#include "base/hash.h"
#include "chat/jinja_value.h"

enum token_kind {
    TOKEN_DATA, /* text between tags */
    TOKEN_VARIABLE_BEGIN,
    TOKEN_VARIABLE_END,
    TOKEN_BLOCK_BEGIN,
    TOKEN_BLOCK_END,
    TOKEN_NAME,
    TOKEN_STRING, /* unescaped */
    TOKEN_INTEGER,
    TOKEN_FLOAT,
    TOKEN_ADD,
    TOKEN_SUB,
    TOKEN_MUL,
    TOKEN_DIV,
    TOKEN_FLOOR_DIV,
    TOKEN_MOD,
    TOKEN_POW,
    TOKEN_TILDE,
    TOKEN_EQ,
    TOKEN_NE,
    TOKEN_LT,
    TOKEN_LE,
    TOKEN_GT,
    TOKEN_GE,
    TOKEN_ASSIGN,
    TOKEN_DOT,
    TOKEN_COLON,
    TOKEN_PIPE,
    TOKEN_COMMA,
    TOKEN_SEMICOLON,
    TOKEN_LEFT_PAREN,
    TOKEN_RIGHT_PAREN,
    TOKEN_LEFT_BRACKET,
    TOKEN_RIGHT_BRACKET,
    TOKEN_LEFT_BRACE,
    TOKEN_RIGHT_BRACE,
    TOKEN_END /* of the template */
};

struct token {
    enum token_kind kind;
    uint32_t line;
    const char *text; /* data, names, unescaped strings, and numbers as written */
    uint32_t size;
    union {
        int64_t integer;
        double number;
    };
};

struct token_list {
    struct token *at; /* owned; the last one is TOKEN_END */
    size_t n, capacity;
};

enum node_kind {
    /* expressions */
    NODE_CONSTANT,
    NODE_NAME,
    NODE_LIST,
    NODE_TUPLE,
    NODE_DICT, /* keys and values in turn */
    NODE_CONCAT,
    NODE_BINARY,
    NODE_AND,
    NODE_OR,
    NODE_NOT,
    NODE_NEGATE,
    NODE_PLUS,
    NODE_COMPARE,
    NODE_CONDITION, /* a if b else c */
    NODE_ATTRIBUTE, /* a.b */
    NODE_ITEM,      /* a[b] */
    NODE_SLICE,     /* a[b:c:d] */
    NODE_CALL,
    NODE_FILTER,
    NODE_TEST,
    NODE_NAMESPACE_ATTRIBUTE, /* a target of set */
    /* statements */
    NODE_OUTPUT,
    NODE_IF,
    NODE_FOR,
    NODE_SET,
    NODE_SET_BLOCK,
    NODE_MACRO,
    NODE_CALL_BLOCK,
    NODE_FILTER_BLOCK,
    NODE_WITH,
    NODE_SCOPE, /* a block: variables set inside stay inside */
    NODE_BODY,  /* a generation block: nothing but its body */
    NODE_BREAK,
    NODE_CONTINUE
};

enum operation {
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_FLOOR_DIV,
    OP_MOD,
    OP_POW,
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_IN,
    OP_NOT_IN
};

struct argument_nodes {
    struct node *positional; /* linked by next */
    uint32_t n;
    struct keyword_node *keywords;
    uint32_t n_keywords;
    struct node *star, *star_star; /* f(*a, **b) */
};

struct keyword_node {
    struct str name;
    struct node *value;
    struct keyword_node *next;
};

struct parameter {
    uint32_t atom;
    struct str name;
    struct node *fallback;
    struct parameter *next;
};

struct macro_definition {
    struct str name;
    uint32_t atom;
    struct parameter *parameters;
    uint32_t n_parameters;
    struct node *body;
    bool uses_caller, uses_varargs, uses_kwargs;
    bool has_caller_parameter;
};

struct node {
    enum node_kind kind;
    uint32_t line;
    struct node *next; /* in a body or a list */
    union {
        struct value constant;
        uint32_t atom; /* a name */
        struct {
            struct node *first;
            uint32_t n;
        } list;
        struct {
            struct node *left, *right;
            enum operation operation;
        } binary; /* also and, or; unary ones use left */
        struct {
            struct node *left;
            struct node *operands; /* NODE_BINARY without left, linked */
        } compare;
        struct {
            struct node *test, *yes, *no; /* no: may be NULL; of if: bodies */
        } condition;
        struct {
            struct node *object, *index;
            struct str name;
        } access;
        struct {
            struct node *object, *start, *stop, *step; /* all but the object may be NULL */
        } slice;
        struct {
            struct node *callee;
            struct argument_nodes *args;
        } call;
        struct {
            struct node *input; /* NULL: the text of the block */
            struct str name;
            const struct filter *filter; /* NULL: unknown, an error when reached */
            const struct test *test;
            struct argument_nodes *args;
        } apply;
        struct {
            uint32_t atom;
            struct str name;
        } attribute_target;
        struct {
            struct node *target, *over, *test, *body, *otherwise;
            bool recursive;
        } loop;
        struct {
            struct node *target, *value, *body;
        } set; /* of a block: value is the chain of filters or NULL; also filter blocks */
        struct macro_definition *macro;
        struct {
            struct node *call;
            struct macro_definition *caller;
        } call_block;
        struct {
            struct node *targets, *values, *body;
        } with;
        struct node *body;
        struct node *output;
    };
};

struct ember_template {
    struct arena arena;
    char *name;
    char *source; /* newlines normalised */
    uint32_t size;
    struct node *body;
    struct str *atoms; /* names of variables */
    uint32_t n_atoms, atoms_capacity;
    uint32_t *atom_index; /* open addressing, atom + 1 */
    uint32_t atom_index_size;
    struct hash_key hash; /* of atoms and of the dicts of a rendering */
};

/* Sentences of both stages name the template and the line. */
enum ember_status jinja_lex(const struct ember_template *tmpl, struct arena *arena,
                            struct token_list *out, struct ember_error *err);
/* Fills in body and atoms. */
enum ember_status jinja_parse(struct ember_template *tmpl, struct ember_error *err);

/* The number of a variable's name; UINT32_MAX when memory was refused. */
uint32_t jinja_intern(struct ember_template *tmpl, const char *name, uint32_t size);
/* The same without adding it: UINT32_MAX when the template never names it. */
uint32_t jinja_atom(const struct ember_template *tmpl, const char *name, uint32_t size);
