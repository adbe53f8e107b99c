/* The terminal, if there is one (terminal.h). */
#include "cli/terminal.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/digits.h"

/* Return a number from the environment; 0 if there is none. */
static int from_environment(const char *name)
{
    const char *text = getenv(name);
    uint64_t n;

    return text && text_is_number(text, &n) && n <= INT_MAX ? (int)n : 0;
}

static int shown_on = -1;

void cli_shown_on(int fd)
{
    shown_on = fd;
}

static int end_of(FILE *fp)
{
    return fp == stdout && shown_on >= 0 ? shown_on : fileno(fp);
}

int cli_width(FILE *fp, bool cut_in_pipe)
{
    struct winsize size = {0};
    int preset = from_environment("COLUMNS");

    if (!isatty(end_of(fp)) && !cut_in_pipe)
        return 0;
    if (!preset)
        ioctl(end_of(fp), TIOCGWINSZ, &size);
    return preset ? preset : size.ws_col ? size.ws_col : 80;
}

int cli_height(FILE *fp)
{
    struct winsize size = {0};
    int preset = from_environment("LINES");

    if (!isatty(end_of(fp)))
        return 0;
    if (!preset)
        ioctl(end_of(fp), TIOCGWINSZ, &size);
    return preset ? preset : size.ws_row ? size.ws_row : 24;
}

/* Terminals by the beginning of TERM; others may have no colours. */
static const struct {
    const char *term;
    int colours;
} terms[] = {{"alacritty", 256}, {"contour", 256},     {"foot", 256},
             {"ghostty", 256},   {"iterm", 256},       {"kitty", 256},
             {"konsole", 256},   {"mintty", 256},      {"vte", 256},
             {"wezterm", 256},   {"xterm-kitty", 256}, {"xterm-ghostty", 256},
             {"ansi", 8},        {"cygwin", 8},        {"linux", 8},
             {"putty", 8},       {"rxvt", 8},          {"screen", 8},
             {"tmux", 8},        {"xterm", 8}};

int cli_colours(FILE *fp)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM"),
               *more = getenv("COLORTERM");

    if (!isatty(end_of(fp)) || (no && *no) || !term || !strcmp(term, "dumb"))
        return 0;
    if ((more && *more) || strstr(term, "256color") || strstr(term, "truecolor")
        || strstr(term, "-direct"))
        return 256;
    for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++)
        if (!strncmp(term, terms[i].term, strlen(terms[i].term)))
            return terms[i].colours;
    return 0;
}

bool cli_utf8(FILE *fp)
{
    locale_t here;
    bool utf8;

    if (!isatty(end_of(fp)))
        return false;
    here = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (!here)
        return false;
    utf8 = !strcmp(nl_langinfo_l(CODESET, here), "UTF-8");
    freelocale(here);
    return utf8;
}
