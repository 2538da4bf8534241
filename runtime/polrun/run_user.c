/* Decides which user the run is for, and becomes the user that --user names. */
#include "runtime/polrun/run_user.h"

#include <errno.h>
#include <grp.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/polrun/features.h"

static int look_up(struct run_user *ret, const char *name, uid_t uid, struct rt_err *err)
{
	int r = passwd_lookup(name, uid, &ret->pw);

	ret->known = r > 0;
	return r < 0 ? rt_fail_errno(err, -r, "/etc/passwd") : 0;
}

/* For --user: becomes that user for good, before it looks at anything of that user. */
static int become(struct run_user *ret, const char *u, bool root, struct rt_err *err)
{
	uid_t uid = 0;
	gid_t gid;
	char shown[80];
	bool number = passwd_number(u, strlen(u), &uid);

	io_escape(shown, sizeof(shown), u, strlen(u));
	if (look_up(ret, number ? NULL : u, uid, err) < 0)
		return -err->err;
	if (!ret->known && !number)
		return rt_fail(err, ENOENT, "--user: '%s' is not in /etc/passwd", shown);
	if (!root) {
		uid = number ? uid : ret->pw.uid;
		if (uid == getuid())
			return 0;
		return rt_fail(err, EPERM, "--user '%s': only root can choose the user",
			       shown);
	}
	gid = ret->known ? ret->pw.gid : (gid_t)uid;
	uid = ret->known ? ret->pw.uid : uid;
	if (uid == 0)
		return rt_fail(err, EPERM,
			       "--user '%s' is root: leave it out, and the command gets "
			       "a uid that owns nothing", shown);
	if (setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0 ||
	    setresuid(uid, uid, uid) != 0)
		return rt_fail_errno(err, errno, "--user '%s'", shown);
	/* The child's maps are written through its /proc directory, which belongs to
	   root while the process is not dumpable. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0)
		return rt_fail_errno(err, errno, "--user '%s'", shown);
	return 0;
}

int run_user_find(const char *name, struct run_user *ret, struct rt_err *err)
{
	int root = features_is_root(), r;

	if (root < 0)
		return rt_fail_errno(err, -root, "polrun's own capabilities");
	r = name ? become(ret, name, root, err) : look_up(ret, NULL, getuid(), err);
	if (r < 0)
		return r;
	if (getuid() != geteuid() || getgid() != getegid())
		return rt_fail(err, EPERM, "polrun is set-user-id: it must not be");
	if (features_is_host_uid0() && !root)
		return rt_fail(err, EPERM,
			       "root without CAP_SYS_ADMIN and CAP_SETUID: its uid would "
			       "be the command's; start polrun as an ordinary user, or "
			       "give it both");
	ret->root_run = !name && root;
	return 0;
}
