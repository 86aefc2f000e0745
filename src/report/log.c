#include "report/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

#define LINE_BYTES    512
#define QUIET_NS      1000000000
#define SYSLOG_DAEMON 24 /* facility 3, as RFC 3164 writes it */
#define BIT(signal)   ((uint64_t)1 << ((signal)-1))

void il_log_start(struct il_log *ret_log)
{
	struct stat stat;

	memset(ret_log, 0, sizeof(*ret_log));
	if (il_sys_fstat(STDERR_FILENO, &stat) < 0 || S_ISSOCK(stat.st_mode))
		return;
	ret_log->has_stderr = true;
	ret_log->stderr_device = stat.st_dev;
	ret_log->stderr_inode = stat.st_ino;
}

void il_log_set(struct il_log *log, const char *target, enum il_log_level level,
		enum il_log_format format)
{
	struct il_text path = il_text_in(log->path, sizeof(log->path));

	log->level = (uint8_t)level;
	log->format = (uint8_t)format;
	if (!target[0]) {
		log->target = IL_LOG_NOWHERE;
	} else if (strcmp(target, "stderr") == 0) {
		log->target = IL_LOG_STDERR;
	} else if (strcmp(target, "syslog") == 0) {
		log->target = IL_LOG_SYSLOG;
	} else {
		log->target = IL_LOG_FILE;
		il_text_add(&path, target);
	}
}

bool il_log_wants(const struct il_log *log, enum il_log_level level)
{
	return log->target != IL_LOG_NOWHERE && (unsigned)level <= log->level;
}

/* A write raises these for the thread that writes. Blocked meanwhile, and taken back if this write
 * raised one; one that was already pending is the program's and stays. */
static void write_quietly(int fd, const char *bytes, size_t count)
{
	uint64_t ours = BIT(SIGPIPE) | BIT(SIGXFSZ) | BIT(SIGTTOU), before, pending = 0, raised = 0;

	if (il_sys_sigmask(SIG_BLOCK, &ours, &before) < 0)
		return;
	il_sys_sigpending(&pending);

	ssize_t rc = il_sys_write(fd, bytes, count);

	if (rc == -EPIPE)
		raised = BIT(SIGPIPE);
	else if (rc == -EFBIG)
		raised = BIT(SIGXFSZ);
	if (raised & ~pending)
		il_sys_sigconsume(raised);
	il_sys_sigmask(SIG_SETMASK, &before, NULL);
}

static bool is_stderr_as_it_was(const struct il_log *log)
{
	struct stat stat;

	return log->has_stderr && il_sys_fstat(STDERR_FILENO, &stat) == 0 &&
	       stat.st_dev == log->stderr_device && stat.st_ino == log->stderr_inode &&
	       !S_ISSOCK(stat.st_mode);
}

static void write_stderr(const struct il_log *log, const char *bytes, size_t count)
{
	struct pollfd err = { .fd = STDERR_FILENO, .events = POLLOUT };

	/* A pipe that is writable has room for a whole line. */
	if (is_stderr_as_it_was(log) && il_sys_poll(&err, 1, 0) == 1 && err.revents == POLLOUT)
		write_quietly(STDERR_FILENO, bytes, count);
}

/* The path with %p replaced; anything else behind a per cent stays. */
static bool expand(const char *path, char *ret_path, size_t size)
{
	struct il_text text = il_text_in(ret_path, size);

	for (; *path; path++) {
		if (path[0] == '%' && path[1] == 'p') {
			il_text_unsigned(&text, (uint64_t)il_sys_getpid());
			path++;
		} else {
			il_text_char(&text, *path);
		}
	}
	return !text.cut;
}

/* Not through a link that somebody else laid. Apart, so that the path is off the stack again. */
__attribute__((noinline)) static int open_path(const char *pattern)
{
	char path[IL_LOG_PATH_MAX + 16];

	if (!expand(pattern, path, sizeof(path)))
		return -ENAMETOOLONG;
	return il_sys_open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
			   0640);
}

/* Not into a device or a pipe. */
__attribute__((noinline)) static bool is_regular(int fd)
{
	struct stat stat;

	return il_sys_fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode);
}

static void write_file(const struct il_log *log, const char *bytes, size_t count)
{
	int fd = open_path(log->path);

	if (fd < 0)
		return;
	if (is_regular(fd))
		write_quietly(fd, bytes, count);
	il_sys_close(fd);
}

/* A datagram of our own: libc's syslog allocates, locks and keeps a descriptor. */
static void send_syslog(const char *bytes, size_t count)
{
	static const struct sockaddr_un to = { .sun_family = AF_UNIX, .sun_path = "/dev/log" };
	int fd = il_sys_socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return;
	il_sys_sendto(fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT, (const struct sockaddr *)&to,
		      sizeof(to));
	il_sys_close(fd);
}

static struct il_text begin(const struct il_log *log, char *line, size_t size,
			    enum il_log_level level)
{
	static const uint8_t severities[] = { 3, 4, 6, 7 };
	struct il_text text = il_text_in(line, size - 1); /* the end of the line */

	if (log->target == IL_LOG_SYSLOG) {
		il_text_char(&text, '<');
		il_text_unsigned(&text, SYSLOG_DAEMON + severities[level]);
		il_text_add(&text, ">interlock: ");
	}
	return text;
}

static void finish(const struct il_log *log, struct il_text *text)
{
	if (log->target == IL_LOG_SYSLOG) {
		send_syslog(text->at, text->used);
		return;
	}
	text->at[text->used] = '\n'; /* in place of the final 0 */
	if (log->target == IL_LOG_STDERR)
		write_stderr(log, text->at, text->used + 1);
	else
		write_file(log, text->at, text->used + 1);
}

void il_log_event(const struct il_log *log, struct il_line *line)
{
	char buffer[LINE_BYTES];
	enum il_log_level level = il_line_level(&line->event);

	if (!il_log_wants(log, level))
		return;
	line->wall_ns = il_clock_wall_ns();
	line->pid = (uint32_t)il_sys_getpid();

	struct il_text text = begin(log, buffer, sizeof(buffer), level);

	il_line_event(&text, log->format, line);
	finish(log, &text);
}

void il_log_message(const struct il_log *log, enum il_log_level level, const char *message)
{
	char buffer[LINE_BYTES];

	if (!il_log_wants(log, level))
		return;

	struct il_text text = begin(log, buffer, sizeof(buffer), level);

	il_line_message(&text, log->format, il_clock_wall_ns(), (uint32_t)il_sys_getpid(), level,
			message);
	finish(log, &text);
}

void il_log_complain(const struct il_log *log, const char *line)
{
	char buffer[LINE_BYTES];
	struct il_text text = il_text_in(buffer, sizeof(buffer) - 1);

	il_text_add(&text, line);
	buffer[text.used] = '\n';
	write_stderr(log, buffer, text.used + 1);
}

uint64_t il_log_rejected(struct il_log_quiet *quiet, int64_t now_ns)
{
	int64_t until = __atomic_load_n(&quiet->until_ns, __ATOMIC_RELAXED);

	__atomic_add_fetch(&quiet->count, 1, __ATOMIC_RELAXED);
	if (until > now_ns && until - now_ns <= QUIET_NS) /* farther away it is damaged */
		return 0;
	if (!__atomic_compare_exchange_n(&quiet->until_ns, &until, now_ns + QUIET_NS, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return 0;
	return __atomic_exchange_n(&quiet->count, 0, __ATOMIC_RELAXED);
}
