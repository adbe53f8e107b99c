/*
 * --watch: repeat an answer whenever its source changes.
 *
 * A child process makes each answer as the program does without --watch. So
 * nothing of one answer is left in the next, and a problem of one (half a
 * document, say) doesn't affect others. The parent shows the answers: on a
 * terminal each in the place of the one before, until a signal; elsewhere one
 * below the other.
 */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

/*
 * Return in each child, which then answers on standard output. A new answer is
 * made when the file was replaced or has changed (also FILE-wal, the log of a
 * store), when the size of the terminal has changed, and now and then, because
 * an answer may depend on the time. Ends the program if the first answer fails.
 */
void watch_file(const char *file);

#endif /* CLI_WATCH_H */
