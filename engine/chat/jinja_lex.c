/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source text to tokens, with the white-space rules of chat templates: trim_blocks (the newline
 * after a tag goes) and lstrip_blocks (blanks between the beginning of a line and a tag go). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "chat/jinja_ast.h"
#include "chat/unicode.h"

enum { MAX_BRACKETS = 256 };

struct lexer {
    const struct ember_template *tmpl;
    struct arena *arena;
    struct token_list *out;
    struct ember_error *err;
    enum ember_status status;
    const char *source;
    size_t size, at;
    uint32_t line;
    bool line_start; /* whether what was read last ended with a newline */
};

#define FAIL(lexer, ...) ((lexer)->status = lex_fail((lexer), __VA_ARGS__), false)

__attribute__((format(printf, 2, 3))) static enum ember_status lex_fail(struct lexer *lx,
                                                                        const char *format, ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return fail_at_line(lx->err, EMBER_FORMAT, lx->tmpl->name, lx->line, what);
}

static struct token *add_token(struct lexer *lx, enum token_kind kind, const char *text,
                               size_t size)
{
    struct token_list *list = lx->out;
    if (list->n == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 256;
        struct token *grown = realloc(list->at, capacity * sizeof *grown);
        if (!grown) {
            lx->status = ember_fail(lx->err, EMBER_NO_MEMORY, "%s: out of memory", lx->tmpl->name);
            return NULL;
        }
        list->at = grown;
        list->capacity = capacity;
    }
    struct token *token = &list->at[list->n++];
    *token = (struct token){ .kind = kind, .line = lx->line, .text = text, .size = (uint32_t)size };
    return token;
}

static char peek(const struct lexer *lx, size_t ahead)
{
    return lx->at + ahead < lx->size ? lx->source[lx->at + ahead] : '\0';
}

static bool starts(const struct lexer *lx, size_t at, const char *text)
{
    size_t n = strlen(text);
    return n <= lx->size - at && memcmp(lx->source + at, text, n) == 0;
}

static size_t space_at(const struct lexer *lx, size_t at)
{
    uint32_t c;
    if (at >= lx->size)
        return 0;
    size_t n = utf8_decode(lx->source + at, lx->size - at, &c);
    return c != UTF8_BAD && unicode_is_space(c) ? n : 0;
}

static size_t skip_space(const struct lexer *lx, size_t at)
{
    size_t n;
    while ((n = space_at(lx, at)) > 0)
        at += n;
    return at;
}

/* Moves on, counting lines. */
static void advance(struct lexer *lx, size_t to)
{
    if (to == lx->at)
        return;
    for (size_t i = lx->at; i < to; i++)
        lx->line += lx->source[i] == '\n';
    lx->line_start = lx->source[to - 1] == '\n';
    lx->at = to;
}

/* The end of text[from, end) without white space at its end. */
static size_t strip_end(const struct lexer *lx, size_t from, size_t end)
{
    size_t keep = from;
    for (size_t at = from; at < end;) {
        uint32_t c;
        size_t n = utf8_decode(lx->source + at, end - at, &c);
        at += n;
        if (c == UTF8_BAD || !unicode_is_space(c))
            keep = at;
    }
    return keep;
}

/* Where the data [from, tag) really ends, given the sign of the tag that follows. */
static size_t data_end(const struct lexer *lx, size_t from, size_t tag, char sign, bool is_variable)
{
    if (sign == '-')
        return strip_end(lx, from, tag);
    if (sign == '+' || is_variable)
        return tag;
    size_t line = tag;
    while (line > from && lx->source[line - 1] != '\n')
        line--;
    if (line == from && !lx->line_start)
        return tag;
    return strip_end(lx, line, tag) == line ? line : tag;
}

static bool add_data(struct lexer *lx, size_t from, size_t end)
{
    return end == from || add_token(lx, TOKEN_DATA, lx->source + from, end - from);
}

static char sign_at(const struct lexer *lx, size_t at)
{
    char c = at < lx->size ? lx->source[at] : '\0';
    return c == '-' || c == '+' ? c : '\0';
}

/* The end of a tag's closing mark at `at` ("%}", "-%}" …), or 0 when there is none. `plus` says
 * whether "+%}" counts, `trim` whether a newline after it goes. */
static size_t closing(const struct lexer *lx, size_t at, const char *mark, bool plus, bool trim)
{
    if (at < lx->size && lx->source[at] == '-' && starts(lx, at + 1, mark))
        return skip_space(lx, at + 3);
    if (plus && at < lx->size && lx->source[at] == '+' && starts(lx, at + 1, mark))
        return at + 3;
    if (starts(lx, at, mark))
        return at + 2 + (trim && at + 2 < lx->size && lx->source[at + 2] == '\n');
    return 0;
}

/* "{% raw %}" at `at`: the end of that tag, or 0. */
static size_t raw_begin(const struct lexer *lx, size_t at)
{
    at = skip_space(lx, at + 2 + (sign_at(lx, at + 2) != 0));
    if (!starts(lx, at, "raw"))
        return 0;
    return closing(lx, skip_space(lx, at + 3), "%}", false, false);
}

static bool lex_raw(struct lexer *lx)
{
    for (size_t at = lx->at; at + 2 <= lx->size; at++) {
        if (!starts(lx, at, "{%"))
            continue;
        char sign = sign_at(lx, at + 2);
        size_t word = skip_space(lx, at + 2 + (sign != 0));
        if (!starts(lx, word, "endraw"))
            continue;
        size_t end = closing(lx, skip_space(lx, word + 6), "%}", true, true);
        if (!end)
            continue;
        if (!add_data(lx, lx->at, data_end(lx, lx->at, at, sign, false)))
            return false;
        advance(lx, end);
        return true;
    }
    return FAIL(lx, "this raw block is never closed");
}

static bool lex_comment(struct lexer *lx)
{
    size_t from = lx->at + 2 + (sign_at(lx, lx->at + 2) != 0);
    for (size_t at = from; at + 2 <= lx->size; at++) {
        if (!starts(lx, at, "#}"))
            continue;
        size_t mark = at > from && sign_at(lx, at - 1) ? at - 1 : at;
        advance(lx, closing(lx, mark, "#}", true, true));
        return true;
    }
    return FAIL(lx, "this comment is never closed");
}

static size_t digits(const struct lexer *lx, size_t at)
{
    size_t end = at;
    while (at < lx->size && lx->source[at] >= '0' && lx->source[at] <= '9') {
        end = ++at;
        if (at < lx->size && lx->source[at] == '_')
            at++;
    }
    return end;
}

/* The end of a fraction or an exponent after the whole part that ends at `at`; `at` if neither. */
static size_t float_end(const struct lexer *lx, size_t at)
{
    size_t end = at;
    if (starts(lx, at, ".") && digits(lx, at + 1) > at + 1)
        end = digits(lx, at + 1);
    if (end < lx->size && (lx->source[end] == 'e' || lx->source[end] == 'E')) {
        size_t exponent = end + 1 + (sign_at(lx, end + 1) != 0);
        if (digits(lx, exponent) > exponent)
            end = digits(lx, exponent);
    }
    return end;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static bool lex_integer(struct lexer *lx, size_t from, size_t end, int base)
{
    int64_t value = 0;
    for (size_t i = from; i < end; i++) {
        if (lx->source[i] == '_')
            continue;
        if (__builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, digit_of(lx->source[i]), &value))
            return FAIL(lx, "an integer is too large (64 bits at most)");
    }
    struct token *token = add_token(lx, TOKEN_INTEGER, lx->source + lx->at, end - lx->at);
    if (!token)
        return false;
    token->integer = value;
    advance(lx, end);
    return true;
}

static bool lex_number(struct lexer *lx)
{
    size_t whole = digits(lx, lx->at), end = float_end(lx, whole);
    /* "a.1.2" is an index of an index, not a.1.2 as a float. */
    if (end > whole && !(lx->at > 0 && lx->source[lx->at - 1] == '.')) {
        char text[512];
        size_t n = 0;
        for (size_t i = lx->at; i < end && n < sizeof text; i++) {
            if (lx->source[i] != '_')
                text[n++] = lx->source[i];
        }
        double number;
        if (n == sizeof text || !jinja_parse_float(text, n, &number))
            return FAIL(lx, "a number cannot be read");
        struct token *token = add_token(lx, TOKEN_FLOAT, lx->source + lx->at, end - lx->at);
        if (!token)
            return false;
        token->number = number;
        advance(lx, end);
        return true;
    }
    int base = 10;
    if (peek(lx, 0) == '0') {
        char letter = (char)(peek(lx, 1) | 0x20);
        base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
        if (base != 10) {
            size_t from = lx->at + 2, at = from;
            end = from;
            while (at < lx->size) {
                at += lx->source[at] == '_';
                if (at >= lx->size || digit_of(lx->source[at]) >= base)
                    break;
                end = ++at;
            }
            if (end > from)
                return lex_integer(lx, from, end, base);
        }
        /* A number with a leading zero is zero, and the rest a number of its own: an error later.
         */
        end = lx->at + 1;
        while (end < lx->size && lx->source[end] == '0')
            end++;
        return lex_integer(lx, lx->at, end, 10);
    }
    return lex_integer(lx, lx->at, whole, 10);
}

static bool lex_name(struct lexer *lx)
{
    size_t end = lx->at;
    while (end < lx->size) {
        uint32_t c;
        size_t n = utf8_decode(lx->source + end, lx->size - end, &c);
        if (c == UTF8_BAD || !unicode_is_word(c) || (end == lx->at && !unicode_is_name_start(c)))
            break;
        end += n;
    }
    if (end == lx->at)
        return false;
    bool ok = add_token(lx, TOKEN_NAME, lx->source + lx->at, end - lx->at);
    advance(lx, end);
    return ok;
}

/* Reads n hexadecimal digits at source[*at]. */
static bool lex_hex(struct lexer *lx, size_t *at, size_t end, int n, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < n; i++, (*at)++) {
        if (*at >= end || digit_of(lx->source[*at]) > 15)
            return FAIL(lx, "a string has an escape with too few hexadecimal digits");
        *out = *out << 4 | (uint32_t)digit_of(lx->source[*at]);
    }
    return true;
}

/* One escape; *at is behind the backslash. Rules of Python's unicode-escape: an unknown one stays
 * as it is, backslash included. */
static bool lex_escape(struct lexer *lx, size_t *at, size_t end, struct text_buffer *text)
{
    static const char plain[] = "\\'\"abfnrtv", meaning[] = "\\'\"\a\b\f\n\r\t\v";
    char c = lx->source[*at];
    const char *known = c ? strchr(plain, c) : NULL;
    uint32_t code = 0;

    if (known) {
        (*at)++;
        text_append_char(text, meaning[known - plain]);
    } else if (c == '\n') {
        (*at)++;
    } else if (c >= '0' && c <= '7') {
        for (int i = 0; i < 3 && *at < end && lx->source[*at] >= '0' && lx->source[*at] <= '7'; i++)
            code = code * 8 + (uint32_t)(lx->source[(*at)++] - '0');
        text_append_codepoint(text, code);
    } else if (c == 'x' || c == 'u' || c == 'U') {
        (*at)++;
        if (!lex_hex(lx, at, end, c == 'x' ? 2 : c == 'u' ? 4 : 8, &code))
            return false;
        if (code > 0x10FFFF)
            return FAIL(lx, "a string has an escape beyond U+10FFFF");
        /* A pair of surrogates written as two escapes is one character. */
        if (code >= 0xD800 && code < 0xDC00 && end - *at >= 6 && starts(lx, *at, "\\u")) {
            size_t next = *at + 2;
            uint32_t low;
            if (!lex_hex(lx, &next, end, 4, &low))
                return false;
            if (low >= 0xDC00 && low < 0xE000) {
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                *at = next;
            }
        }
        text_append_codepoint(text, code);
    } else if (c == 'N') {
        return FAIL(lx, "a string names a character by \\N{…}, which is not supported");
    } else {
        uint32_t wide;
        size_t n = utf8_decode(lx->source + *at, end - *at, &wide);
        text_append_char(text, '\\');
        /* The reference escapes what is not ASCII first, so that the backslash eats the escape's.
         */
        if (wide < 0x80)
            text_append_char(text, c);
        else if (wide < 0x100)
            text_printf(text, "x%02x", wide);
        else if (wide != UTF8_BAD)
            text_printf(text, wide < 0x10000 ? "u%04x" : "U%08x", wide);
        *at += n;
    }
    return true;
}

static bool lex_string(struct lexer *lx)
{
    char quote = peek(lx, 0);
    size_t end = lx->at + 1;
    bool escapes = false;
    while (end < lx->size && lx->source[end] != quote) {
        escapes |= lx->source[end] == '\\';
        end += lx->source[end] == '\\' ? 2 : 1;
    }
    if (end >= lx->size)
        return FAIL(lx, "this string is never closed");
    if (!escapes) {
        if (!add_token(lx, TOKEN_STRING, lx->source + lx->at + 1, end - lx->at - 1))
            return false;
        advance(lx, end + 1);
        return true;
    }
    struct text_buffer text = { 0 };
    for (size_t at = lx->at + 1; at < end;) {
        size_t from = at;
        while (at < end && lx->source[at] != '\\')
            at++;
        text_append(&text, lx->source + from, at - from);
        if (at < end) {
            at++;
            if (!lex_escape(lx, &at, end, &text))
                goto fail;
        }
    }
    char *copy = text.failed ? NULL : arena_copy(lx->arena, text.data ? text.data : "", text.size);
    if (!copy) {
        lx->status = ember_fail(lx->err, EMBER_NO_MEMORY, "%s: out of memory", lx->tmpl->name);
        goto fail;
    }
    if (!add_token(lx, TOKEN_STRING, copy, text.size))
        goto fail;
    text_finish(&text);
    advance(lx, end + 1);
    return true;
fail:
    text_finish(&text);
    return false;
}

/* Longest first. */
static const struct {
    char text[3];
    uint8_t kind;
} operators[] = {
    { "**", TOKEN_POW },        { "//", TOKEN_FLOOR_DIV },   { "==", TOKEN_EQ },
    { "!=", TOKEN_NE },         { "<=", TOKEN_LE },          { ">=", TOKEN_GE },
    { "+", TOKEN_ADD },         { "-", TOKEN_SUB },          { "*", TOKEN_MUL },
    { "/", TOKEN_DIV },         { "%", TOKEN_MOD },          { "~", TOKEN_TILDE },
    { "<", TOKEN_LT },          { ">", TOKEN_GT },           { "=", TOKEN_ASSIGN },
    { ".", TOKEN_DOT },         { ":", TOKEN_COLON },        { "|", TOKEN_PIPE },
    { ",", TOKEN_COMMA },       { ";", TOKEN_SEMICOLON },    { "(", TOKEN_LEFT_PAREN },
    { ")", TOKEN_RIGHT_PAREN }, { "[", TOKEN_LEFT_BRACKET }, { "]", TOKEN_RIGHT_BRACKET },
    { "{", TOKEN_LEFT_BRACE },  { "}", TOKEN_RIGHT_BRACE },
};

static bool lex_operator(struct lexer *lx, char *brackets, size_t *n_brackets)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        const char *text = operators[i].text;
        if (!starts(lx, lx->at, text))
            continue;
        if (strchr("([{", text[0])) {
            if (*n_brackets == MAX_BRACKETS)
                return FAIL(lx, "brackets are nested more than %d deep", MAX_BRACKETS);
            brackets[(*n_brackets)++] = text[0] == '(' ? ')' : text[0] == '[' ? ']' : '}';
        } else if (strchr(")]}", text[0])) {
            if (*n_brackets == 0)
                return FAIL(lx, "unexpected '%s'", text);
            char wanted = brackets[--*n_brackets];
            if (wanted != text[0])
                return FAIL(lx, "found '%s' where '%c' was expected", text, wanted);
        }
        if (!add_token(lx, (enum token_kind)operators[i].kind, lx->source + lx->at, strlen(text)))
            return false;
        advance(lx, lx->at + strlen(text));
        return true;
    }
    uint32_t c;
    size_t n = utf8_decode(lx->source + lx->at, lx->size - lx->at, &c);
    return FAIL(lx, "unexpected character '%.*s'", (int)n, lx->source + lx->at);
}

/* Inside {{ … }} or {% … %}. */
static bool lex_tag(struct lexer *lx, bool is_variable)
{
    char brackets[MAX_BRACKETS];
    size_t n_brackets = 0;
    while (lx->at < lx->size) {
        if (n_brackets == 0) {
            size_t end = is_variable ? closing(lx, lx->at, "}}", false, false)
                                     : closing(lx, lx->at, "%}", true, true);
            if (end) {
                enum token_kind kind = is_variable ? TOKEN_VARIABLE_END : TOKEN_BLOCK_END;
                bool ok = add_token(lx, kind, lx->source + lx->at, 2);
                advance(lx, end);
                return ok;
            }
        }
        size_t space = skip_space(lx, lx->at);
        if (space > lx->at) {
            advance(lx, space);
            continue;
        }
        char c = peek(lx, 0);
        bool ok;
        if (c >= '0' && c <= '9') {
            ok = lex_number(lx);
        } else if (c == '\'' || c == '"') {
            ok = lex_string(lx);
        } else {
            ok = lex_name(lx);
            if (!ok && lx->status == EMBER_OK)
                ok = lex_operator(lx, brackets, &n_brackets);
        }
        if (!ok)
            return false;
    }
    return true; /* the parser says what is missing at the end */
}

static bool lex_all(struct lexer *lx)
{
    while (lx->at < lx->size) {
        size_t tag = lx->at;
        while (tag < lx->size && !(lx->source[tag] == '{' && tag + 1 < lx->size &&
                                   strchr("{%#", lx->source[tag + 1]) && lx->source[tag + 1]))
            tag++;
        if (tag == lx->size)
            return add_data(lx, lx->at, tag) && (advance(lx, tag), true);

        char what = lx->source[tag + 1], sign = sign_at(lx, tag + 2);
        if (!add_data(lx, lx->at, data_end(lx, lx->at, tag, sign, what == '{')))
            return false;
        advance(lx, tag);
        size_t raw = what == '%' ? raw_begin(lx, tag) : 0;
        bool ok;
        if (raw) {
            advance(lx, raw);
            ok = lex_raw(lx);
        } else if (what == '#') {
            ok = lex_comment(lx);
        } else {
            ok = add_token(lx, what == '{' ? TOKEN_VARIABLE_BEGIN : TOKEN_BLOCK_BEGIN,
                           lx->source + tag, 2);
            advance(lx, tag + 2 + (sign != 0));
            ok = ok && lex_tag(lx, what == '{');
        }
        if (!ok)
            return false;
    }
    return true;
}

enum ember_status jinja_lex(const struct ember_template *tmpl, struct arena *arena,
                            struct token_list *out, struct ember_error *err)
{
    struct lexer lx = { .tmpl = tmpl,
                        .arena = arena,
                        .out = out,
                        .err = err,
                        .source = tmpl->source,
                        .size = tmpl->size,
                        .line = 1,
                        .line_start = true };
    if (lex_all(&lx) && add_token(&lx, TOKEN_END, lx.source + lx.size, 0))
        return EMBER_OK;
    return lx.status;
}
