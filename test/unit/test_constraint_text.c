/* The text of constraints (RFC 35): its meaning, and texts that are refused. */
#include "constraints.h"

/* Here ` stands for ', and ' for ". */
static const struct good texts[] = {
    {"a", "{'properties':['a']}", "0-3"},
    {"a,b", "{'properties':['a','b']}", "2-3"},
    {"a b", "{'properties':['a','b']}", "2-3"},
    {"a & b", "{'properties':['a','b']}", "2-3"},
    {"a&&b", "{'properties':['a','b']}", "2-3"},
    {"a and b", "{'properties':['a','b']}", "2-3"},
    {"a or b", "{'or':[{'properties':['a']},{'properties':['b']}]}", "0-5"},
    {"a|b", "{'or':[{'properties':['a']},{'properties':['b']}]}", "0-5"},
    {"a||b", "{'or':[{'properties':['a']},{'properties':['b']}]}", "0-5"},
    {"a or b and k", "{'or':[{'properties':['a']},{'properties':['b','k']}]}",
     "0-5"},
    {"b and k or a", "{'or':[{'properties':['b','k']},{'properties':['a']}]}",
     "0-5"},
    {"(a|k) b",
     "{'and':[{'or':[{'properties':['a']},{'properties':['k']}]},"
     "{'properties':['b']}]}",
     "2-5"},
    {"a|(b k)", "{'or':[{'properties':['a']},{'properties':['b','k']}]}",
     "0-5"},
    {"-a b", "{'and':[{'not':[{'properties':['a']}]},{'properties':['b']}]}",
     "4-5"},
    {"not a b", "{'and':[{'not':[{'properties':['a']}]},{'properties':['b']}]}",
     "4-5"},
    {"not a and b",
     "{'and':[{'not':[{'properties':['a']}]},{'properties':['b']}]}", "4-5"},
    {"not a or b",
     "{'or':[{'not':[{'properties':['a']}]},{'properties':['b']}]}", "2-7"},
    {"^a,b", "{'properties':['^a','b']}", "4-5"},
    {"-a,b", "{'not':[{'properties':['a','b']}]}", "0-1,4-7"},
    {"-^a", "{'not':[{'properties':['^a']}]}", "0-3"},
    {"-host:n[3-4]", "{'not':[{'hostlist':['n[3-4]']}]}", "0-2,5-7"},
    {"rank:0-3 b", "{'and':[{'ranks':['0-3']},{'properties':['b']}]}", "2-3"},
    {"host:`n1 n2`", "{'hostlist':['n1 n2']}", "1-2"},
    {"host:'n1 n2'", "{'hostlist':['n1 n2']}", "1-2"},
    {"host: 'n1 n2'", "{'hostlist':['n1 n2']}", "1-2"},
    /* operators */
    {"host:n1,n[2,3]", "{'hostlist':['n1,n[2,3]']}", "1-3"},
    {"hosts:n1", "{'hostlist':['n1']}", "1"},
    {"hostlist:n1", "{'hostlist':['n1']}", "1"},
    {"rank:0,7", "{'ranks':['0,7']}", "0,7"},
    {"ranks:0", "{'ranks':['0']}", "0"},
    {"properties:a,^b", "{'properties':['a','^b']}", "0-1"},
    {"host:n1|n2", "{'or':[{'hostlist':['n1']},{'properties':['n2']}]}", "1"},
    {"host:n1|n7", "{'or':[{'hostlist':['n1']},{'properties':['n7']}]}", "0-1"},
    {"host:-n1", "{'hostlist':['-n1']}", ""},
    {"host:and", "{'hostlist':['and']}", ""},
    {"host:a:b", "{'hostlist':['a:b']}", ""},
    /* names */
    {"amd@gpu", "{'properties':['amd@gpu']}", "7"},
    {"k=v", "{'properties':['k=v']}", "4-5"},
    {"'a b'", "{'properties':['a b']}", "1"},
    {"`a b`", "{'properties':['a b']}", "1"},
    {"'a b,a'", "{'properties':['a b','a']}", "1"},
    {"'x:y'", "{'properties':['x:y']}", "2"},
    {"'or'", "{'properties':['or']}", "3"},
    {"'^or'", "{'properties':['^or']}", "0-2,4-7"},
    {"properties:or", "{'properties':['or']}", "3"},
    {"'or.y'", "{'properties':['or.y']}", ""},
    {"'-a'", "{'properties':['-a']}", ""},
    {"a-b", "{'properties':['a-b']}", ""},
    {"AND", "{'properties':['AND']}", ""},
    {"order android nothing not_a or1",
     "{'properties':['order','android','nothing','not_a','or1']}", ""},
    {"and\xc3\xa9", "{'properties':['and\xc3\xa9']}", ""},
    {"a AND b", "{'properties':['a','AND','b']}", ""},
    {"a\\b \\", "{'properties':['a\\\\b','\\\\']}", ""},
    /* signs, blanks, parentheses */
    {" \ta\n", "{'properties':['a']}", "0-3"},
    {"(a)", "{'properties':['a']}", "0-3"},
    {"((a)(b))", "{'properties':['a','b']}", "2-3"},
    {"(a)b", "{'properties':['a','b']}", "2-3"},
    {"not(a)", "{'not':[{'properties':['a']}]}", "4-7"},
    {"not'a b'", "{'not':[{'properties':['a b']}]}", "0,2-7"},
    {"not (a b)", "{'not':[{'properties':['a','b']}]}", "0-1,4-7"},
    {"a and(b)or(k)", "{'or':[{'properties':['a','b']},{'properties':['k']}]}",
     "2-6"},
    {"a and not b",
     "{'and':[{'properties':['a']},{'not':[{'properties':['b']}]}]}", "0-1"},
    {"a -b", "{'and':[{'properties':['a']},{'not':[{'properties':['b']}]}]}",
     "0-1"},
    {"a - b", "{'and':[{'properties':['a']},{'not':[{'properties':['b']}]}]}",
     "0-1"},
    {"not not a", "{'not':[{'not':[{'properties':['a']}]}]}", "0-3"},
    {"not -a", "{'not':[{'not':[{'properties':['a']}]}]}", "0-3"},
    {"not-a", "{'not':[{'not':[{'properties':['a']}]}]}", "0-3"},
    {"a|b|k",
     "{'or':[{'properties':['a']},{'properties':['b']},"
     "{'properties':['k']}]}",
     "0-6"},
    {"a|(b|k)",
     "{'or':[{'properties':['a']},{'properties':['b']},"
     "{'properties':['k']}]}",
     "0-6"},
    {"a host:n1 b", "{'and':[{'properties':['a','b']},{'hostlist':['n1']}]}",
     ""},
};

static const struct bad bad_texts[] = {
    {"", "offset 0: the text ends where a term is expected"},
    {"  ", "offset 2: the text ends where a term is expected"},
    /* operators without an operand */
    {"a or", "offset 4: the text ends where a term is expected"},
    {"a |", "offset 3: the text ends where a term is expected"},
    {"a and", "offset 5: the text ends where a term is expected"},
    {"not", "offset 3: the text ends where a term is expected"},
    {"a -", "offset 3: the text ends where a term is expected"},
    {"or a", "offset 0: \"or\": a term is expected here"},
    {"& a", "offset 0: \"&\": a term is expected here"},
    {"a &&& b", "offset 4: \"&\": a term is expected here"},
    {"a ||| b", "offset 4: \"|\": a term is expected here"},
    {"a or and b", "offset 5: \"and\": a term is expected here"},
    {"not or", "offset 4: \"or\": a term is expected here"},
    {"(a or)", "offset 5: \")\": a term is expected here"},
    /* parentheses */
    {"()", "offset 1: \")\": a term is expected here"},
    {"b (a", "offset 2: \"(a\": parenthesis is not closed"},
    {"(a|(b)", "offset 0: \"(a|(b)\": parenthesis is not closed"},
    {"a)", "offset 1: \")\": no parenthesis is open"},
    {"b -(a)", "offset 2: \"-(\": \"-\" takes one term: use \"not (\""},
    {"- (a)", "offset 0: \"- (\": \"-\" takes one term: use \"not (\""},
    {"--a", "offset 1: \"-\": a term is expected here"},
    {"-not a", "offset 1: \"not\": a term is expected here"},
    /* readers disagree */
    {"a|b c", "offset 4: \"c\": a blank beside an \"or\" means different "
              "things to different readers: use parentheses"},
    {"a or b c", "offset 7: \"c\": a blank beside an \"or\" means different "
                 "things to different readers: use parentheses"},
    {"a b or c", "offset 2: \"b\": a blank beside an \"or\" means different "
                 "things to different readers: use parentheses"},
    {"x (a|not b -c)", "offset 11: \"-\": a blank beside an \"or\" means "
                       "different things to different readers: use "
                       "parentheses"},
    /* keywords */
    {"a or.y",
     "offset 2: \"or.y\": a name that begins with a keyword needs quotes"},
    {"and-x",
     "offset 0: \"and-x\": a name that begins with a keyword needs quotes"},
    {"and:x",
     "offset 0: \"and:x\": a name that begins with a keyword needs quotes"},
    {"not,x|y",
     "offset 0: \"not,x\": a name that begins with a keyword needs quotes"},
    /* quotes */
    {"a 'b", "offset 2: \"\"b\": quote is not closed"},
    {"host:`b", "offset 5: \"'b\": quote is not closed"},
    {"a'b'", "offset 0: \"a\"\": quotes must enclose a whole operand"},
    {"'a'b c", "offset 0: \"\"a\"b\": quotes must enclose a whole operand"},
    {"'a'`b`", "offset 0: \"\"a\"'b\": quotes must enclose a whole operand"},
    {"'a','b'", "offset 0: \"\"a\",\": quotes must enclose a whole operand"},
    {"host:a'b'",
     "offset 0: \"host:a\"\": quotes must enclose a whole operand"},
    {"''", "offset 0: \"\"\"\": the operand is empty"},
    {"rank:''", "offset 5: \"\"\"\": the operand is empty"},
    /* operators */
    {"a foo:b", "offset 2: \"foo\": unknown operator (host, hosts, hostlist, "
                "rank, ranks, properties are known; a name with \":\" needs "
                "quotes)"},
    {"Host:b", "offset 0: \"Host\": unknown operator (host, hosts, hostlist, "
               "rank, ranks, properties are known; a name with \":\" needs "
               "quotes)"},
    {":b", "offset 0: \":\": no operator: a name with \":\" needs quotes"},
    {"k=v:w",
     "offset 0: \"k=v:\": no operator: a name with \":\" needs quotes"},
    {"a host:", "offset 2: \"host:\": the operand is expected directly after "
                "the operator"},
    {"host: n1", "offset 0: \"host:\": the operand is expected directly after "
                 "the operator"},
    {"rank:(1)", "offset 0: \"rank:\": the operand is expected directly after "
                 "the operator"},
    /* operands */
    {"a,,b", "offset 0: \"a,,b\": a name is missing beside a comma"},
    {"x a,", "offset 2: \"a,\": a name is missing beside a comma"},
    {",a", "offset 0: \",a\": a name is missing beside a comma"},
    {"^", "offset 0: \"^\": a property must have a name"},
    {"a,^", "offset 2: \"^\": a property must have a name"},
    {"a,^^b", "offset 2: \"^^b\": '^' is not allowed in a property"},
    {"a !b", "offset 2: \"!b\": '!' is not allowed in a property"},
    {"'a|b'", "offset 1: \"a|b\": '|' is not allowed in a property"},
    {"a \xff", "offset 2: \"\\xff\": not valid UTF-8"},
    {"rank:x", "offset 5: \"x\": unexpected \"x\""},
    {"b rank:4-4", "offset 7: \"4-4\": range 4-4 does not ascend"},
    {"host:n[3-1]", "offset 5: \"n[3-1]\": \"3-1\" descends"},
    {"host:'n1 n['", "offset 6: \"n[\": bracket is not closed"},
};

static void test_text(const struct good *t)
{
    struct diag d = {0};
    char *text = unquote(t->text);

    check(constraint_from_requires(text, &d), &d, text, t->canonical, t->ranks);
    free(text);
}

static void test_bad_text(const struct bad *t)
{
    struct diag d = {0};
    char *text = unquote(t->text);

    refused(constraint_from_requires(text, &d), &d, text, t->error);
    free(text);
}

int main(void)
{
    EACH(texts, test_text);
    EACH(bad_texts, test_bad_text);
    return done_testing();
}
