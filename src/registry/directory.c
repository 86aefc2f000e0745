/* The runtime directory: ours alone, or not used. */
#include "registry/segment_priv.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>

#define OTHERS_BITS 077U

static int check(int dir, uint32_t owner, const char **ret_wrong)
{
	struct stat stat;
	int error = il_sys_fstat(dir, &stat);

	if (error < 0)
		*ret_wrong = "cannot look at the directory";
	else if (stat.st_uid != owner)
		*ret_wrong = "the directory belongs to another user";
	else if (stat.st_mode & OTHERS_BITS)
		*ret_wrong = "the directory is open to others (chmod 700 mends it)";
	else
		return 0;
	return error < 0 ? error : -EPERM;
}

int il_directory_existing(const char *path, uint32_t owner, const char **ret_wrong)
{
	int dir = il_sys_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);

	if (dir < 0) {
		*ret_wrong = dir == -ENOTDIR || dir == -ELOOP ? "the directory is none"
							      : "cannot open the directory";
		return dir;
	}
	int error = check(dir, owner, ret_wrong);

	if (error == 0)
		return dir;
	il_sys_close(dir);
	return error;
}

int il_directory_open(struct il_opening *opening)
{
	const char *path = opening->options->dir;
	const char *wrong = NULL;
	int dir = il_directory_existing(path, opening->identity.owner, &wrong);

	if (dir == -ENOENT) {
		int error = il_sys_mkdir(path, 0700);

		if (error < 0 && error != -EEXIST)
			return il_opening_fails(opening, "cannot make the directory", error);
		dir = il_directory_existing(path, opening->identity.owner, &wrong);
	}
	return dir < 0 ? il_opening_fails(opening, wrong, dir) : dir;
}
