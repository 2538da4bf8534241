/* Decides which ports are published. */
#include "runtime/polrun/published.h"

int published_start(const struct sandbox_run *run, const struct polrun_options *opt, FILE *notes,
		    struct publish *ret, struct rt_err *err)
{
	const struct publish_want want = { .given = opt->publish, .ngiven = opt->npublish,
					   .quiet = opt->quiet };

	if (run->host_network) {
		if (opt->npublish)
			fprintf(notes, "polrun: network full: the run has this machine's ports itself, and -P "
				"publishes nothing\n");
		return 0;
	}
	return publish_start(ret, &want, err);
}

void published_arm(const struct sandbox_run *run, const struct polrun_options *opt, struct unpublished *u)
{
	(void)run;
	for (size_t i = 0; i < opt->npublish; i++)
		ports_add(&u->quiet, opt->publish[i].inside);
}

void published_preview(FILE *out, const struct sandbox_run *run, const struct polrun_options *opt)
{
	for (size_t i = 0; i < opt->npublish && !run->host_network; i++)
		fprintf(out, "publish   127.0.0.1:%u and [::1]:%u lead to port %u of the run\n",
			opt->publish[i].host, opt->publish[i].host, opt->publish[i].inside);
}
