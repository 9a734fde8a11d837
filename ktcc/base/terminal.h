/* A pseudo-terminal where a pipe would do, for programs that ask whether they write to a terminal (colours). */
#ifndef KT_BASE_TERMINAL_H
#define KT_BASE_TERMINAL_H

/*
 * As pipe2(ends, O_CLOEXEC): what is written to ends[1] is read from ends[0],
 * byte for byte. ends[1] is a terminal of the size of the terminal `like` that
 * controls no session. Reading ends with EIO once every writer is gone. 0, or
 * −1 with errno and nothing open.
 */
int kt_terminal_pipe(int ends[2], int like);

#endif
