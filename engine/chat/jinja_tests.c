/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests: what may stand after `is`. */
#include "chat/jinja_run.h"

#define KIND_TEST(name, condition)                                                                 \
    static bool test_##name(struct render *r, const struct value *in, const struct value *arg,     \
                            bool *out)                                                             \
    {                                                                                              \
        (void)r, (void)arg;                                                                        \
        *out = (condition);                                                                        \
        return true;                                                                               \
    }
KIND_TEST(defined, in->kind != VALUE_UNDEFINED)
KIND_TEST(undefined, in->kind == VALUE_UNDEFINED)
KIND_TEST(none, in->kind == VALUE_NONE)
KIND_TEST(boolean, in->kind == VALUE_BOOL)
KIND_TEST(false, in->kind == VALUE_BOOL && !in->boolean)
KIND_TEST(true, in->kind == VALUE_BOOL && in->boolean)
KIND_TEST(integer, in->kind == VALUE_INT)
KIND_TEST(float, in->kind == VALUE_FLOAT)
KIND_TEST(number, value_is_number(in))
KIND_TEST(string, in->kind == VALUE_STRING)
KIND_TEST(mapping, in->kind == VALUE_DICT)
KIND_TEST(sequence, in->kind == VALUE_STRING || in->kind == VALUE_LIST || in->kind == VALUE_TUPLE ||
                        in->kind == VALUE_DICT || in->kind == VALUE_RANGE ||
                        in->kind == VALUE_UNDEFINED)
KIND_TEST(iterable, jinja_iterable(in))
KIND_TEST(escaped, in->kind == VALUE_STRING && (in->flags & VALUE_MARKUP))
KIND_TEST(callable, in->kind == VALUE_MACRO || in->kind == VALUE_FUNCTION ||
                        in->kind == VALUE_METHOD || in->kind == VALUE_JOINER ||
                        in->kind == VALUE_LOOP || in->kind == VALUE_UNDEFINED)
KIND_TEST(filter, in->kind == VALUE_STRING && jinja_find_filter(in->text))
KIND_TEST(test, in->kind == VALUE_STRING && jinja_find_test(in->text))

static bool remainder_is(struct render *r, const struct value *in, const struct value *divisor,
                         int64_t wanted, bool *out)
{
    struct value rest, want = value_int(wanted);
    return jinja_binary(r, OP_MOD, in, divisor, &rest) && jinja_equal(r, &rest, &want, out);
}

static bool test_odd(struct render *r, const struct value *in, const struct value *arg, bool *out)
{
    struct value two = value_int(2);
    (void)arg;
    return remainder_is(r, in, &two, 1, out);
}

static bool test_even(struct render *r, const struct value *in, const struct value *arg, bool *out)
{
    struct value two = value_int(2);
    (void)arg;
    return remainder_is(r, in, &two, 0, out);
}

static bool test_divisibleby(struct render *r, const struct value *in, const struct value *arg,
                             bool *out)
{
    return remainder_is(r, in, arg, 0, out);
}

static bool has_case(struct render *r, const struct value *in, const char *method, bool *out)
{
    struct value text, holds;
    struct arguments none = { 0 };
    if (!jinja_to_str(r, in, &text))
        return false;
    const struct method *found = jinja_find_method(&text, str_literal(r, method));
    if (!found || !jinja_call_method(r, &text, found, &none, &holds))
        return false;
    *out = holds.boolean;
    return true;
}

static bool test_lower(struct render *r, const struct value *in, const struct value *arg, bool *out)
{
    (void)arg;
    return has_case(r, in, "islower", out);
}

static bool test_upper(struct render *r, const struct value *in, const struct value *arg, bool *out)
{
    (void)arg;
    return has_case(r, in, "isupper", out);
}

/* The same object. Equal numbers and texts count as the same: which of them are one object is an
 * accident of the reference. */
static bool test_sameas(struct render *r, const struct value *in, const struct value *arg,
                        bool *out)
{
    *out = false;
    if (in->kind != arg->kind)
        return true;
    if (in->kind == VALUE_LIST || in->kind == VALUE_TUPLE || in->kind == VALUE_DICT) {
        *out = in->list == arg->list;
        return true;
    }
    return jinja_equal(r, in, arg, out);
}

static bool test_in(struct render *r, const struct value *in, const struct value *arg, bool *out)
{
    return jinja_contains(r, in, arg, out);
}

static bool test_eq(struct render *r, const struct value *in, const struct value *arg, bool *out)
{
    return jinja_equal(r, in, arg, out);
}

static bool test_ne(struct render *r, const struct value *in, const struct value *arg, bool *out)
{
    bool ok = jinja_equal(r, in, arg, out);
    *out = !*out;
    return ok;
}

#define ORDER_TEST(name, sign, condition)                                                          \
    static bool test_##name(struct render *r, const struct value *in, const struct value *arg,     \
                            bool *out)                                                             \
    {                                                                                              \
        int order;                                                                                 \
        if (!jinja_compare(r, in, arg, sign, &order))                                              \
            return false;                                                                          \
        *out = (condition);                                                                        \
        return true;                                                                               \
    }
ORDER_TEST(lt, "<", order == -1)
ORDER_TEST(le, "<=", order == -1 || order == 0)
ORDER_TEST(gt, ">", order == 1)
ORDER_TEST(ge, ">=", order == 1 || order == 0)

static const struct test tests[] = {
    { "defined", 0, test_defined },
    { "string", 0, test_string },
    { "none", 0, test_none },
    { "mapping", 0, test_mapping },
    { "iterable", 0, test_iterable },
    { "sequence", 0, test_sequence },
    { "undefined", 0, test_undefined },
    { "true", 0, test_true },
    { "false", 0, test_false },
    { "boolean", 0, test_boolean },
    { "number", 0, test_number },
    { "integer", 0, test_integer },
    { "float", 0, test_float },
    { "callable", 0, test_callable },
    { "escaped", 0, test_escaped },
    { "filter", 0, test_filter },
    { "test", 0, test_test },
    { "odd", 0, test_odd },
    { "even", 0, test_even },
    { "lower", 0, test_lower },
    { "upper", 0, test_upper },
    { "divisibleby", 1, test_divisibleby },
    { "sameas", 1, test_sameas },
    { "in", 1, test_in },
    { "eq", 1, test_eq },
    { "==", 1, test_eq },
    { "equalto", 1, test_eq },
    { "ne", 1, test_ne },
    { "!=", 1, test_ne },
    { "lt", 1, test_lt },
    { "<", 1, test_lt },
    { "lessthan", 1, test_lt },
    { "le", 1, test_le },
    { "<=", 1, test_le },
    { "gt", 1, test_gt },
    { ">", 1, test_gt },
    { "greaterthan", 1, test_gt },
    { "ge", 1, test_ge },
    { ">=", 1, test_ge },
};

const struct test *jinja_find_test(struct str name)
{
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        if (str_is(name, tests[i].name))
            return &tests[i];
    }
    return NULL;
}

bool jinja_apply_test(struct render *r, const struct test *test, const struct value *in,
                      const struct arguments *args, bool *out)
{
    if (args->n != test->n_args || args->n_named)
        return jinja_fail(r, "the test '%s' takes %u argument%s", test->name, test->n_args,
                          test->n_args == 1 ? "" : "s");
    return jinja_spend(r, 1) && test->run(r, in, args->at, out);
}
