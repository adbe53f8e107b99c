/*
 * --watch: an answer is given anew whenever what it is made of changes.
 *
 * Each time a child process gives it, as the program does without --watch: so
 * nothing of the last one is left in the next, and what is in the way of one
 * (half a document, say) is not in the way of others. The parent shows it: on
 * a terminal in the place of the last one, until a signal ends it; elsewhere
 * one below the other.
 */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

/*
 * Returns in each child, in order to answer on standard output. It does so when
 * a file is another or has changed (FILE-wal, the log of a store, counts, too),
 * when the terminal has another size, and at times, for what is so now may not
 * be later. What can't be answered the first time ends the program.
 */
void watch_file(const char *file);

#endif /* CLI_WATCH_H */
