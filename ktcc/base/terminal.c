#include "base/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* No byte is changed, held back or taken for a signal. */
static int set_raw(int terminal, int like)
{
	struct termios settings;
	struct winsize size;

	if (tcgetattr(terminal, &settings) != 0)
		return -1;
	cfmakeraw(&settings);
	if (ioctl(like, TIOCGWINSZ, &size) == 0)
		(void)ioctl(terminal, TIOCSWINSZ, &size);
	return tcsetattr(terminal, TCSANOW, &settings);
}

int kt_terminal_pipe(int ends[2], int like)
{
	char name[128];
	int reading = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), writing = -1, reason;

	if (reading >= 0 && grantpt(reading) == 0 && unlockpt(reading) == 0 &&
	    ptsname_r(reading, name, sizeof name) == 0 &&
	    (writing = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)) >= 0 && set_raw(writing, like) == 0) {
		ends[0] = reading;
		ends[1] = writing;
		return 0;
	}
	reason = errno;
	if (reading >= 0)
		close(reading);
	if (writing >= 0)
		close(writing);
	errno = reason;
	return -1;
}
