/* What a command line is called. */
#include "cli/script.h"

#include "check_run.h"

#include <string.h>

/* The registry of a command whose words are parted by '|'. */
static const char *registry(const char *command)
{
	static char name[CLI_REGISTRY_BYTES];
	static char words[512];
	const char *argv[32];
	int argc = 0;

	ck_assert_uint_lt(strlen(command), sizeof(words));
	strcpy(words, command);
	for (char *rest = words, *word; (word = strsep(&rest, "|"));)
		argv[argc++] = word;
	argv[argc] = NULL;
	memset(name, 'X', sizeof(name));
	cli_registry_of(argv, name);
	return name;
}

START_TEST(a_program_is_called_by_its_base_name)
{
	ck_assert_str_eq(registry("curl|-s|http://x/"), "curl");
	ck_assert_str_eq(registry("/usr/sbin/nginx"), "nginx");
	ck_assert_str_eq(registry("./billing.pl|--now"), "billing.pl");
}
END_TEST

START_TEST(a_script_gives_its_name_and_not_its_interpreters)
{
	ck_assert_str_eq(registry("bash|/srv/nightly.sh|x"), "nightly.sh");
	ck_assert_str_eq(registry("/bin/sh|nightly.sh"), "nightly.sh");
	ck_assert_str_eq(registry("bash|-eu|-o|pipefail|nightly.sh"), "nightly.sh");
	ck_assert_str_eq(registry("bash|-euo|pipefail|nightly.sh"), "nightly.sh");
	ck_assert_str_eq(registry("bash|--norc|--rcfile|x|--|nightly.sh"), "nightly.sh");
	ck_assert_str_eq(registry("bash|+x|nightly.sh"), "nightly.sh");
	ck_assert_str_eq(registry("python3|-u|-W|ignore|pool.py|a"), "pool.py");
	ck_assert_str_eq(registry("/usr/bin/python3.11|-Wignore|-X|dev|pool.py"), "pool.py");
	ck_assert_str_eq(registry("perl|-w|-I|lib|-Ilib|billing.pl"), "billing.pl");
	ck_assert_str_eq(registry("php8.2|-d|memory_limit=1G|-d|a=b|cron.php"), "cron.php");
	ck_assert_str_eq(registry("php|-f|cron.php|--|x"), "cron.php");
	ck_assert_str_eq(registry("ruby|-rjson|-I|lib|job.rb"), "job.rb");
	ck_assert_str_eq(registry("node|--require|./x.js|--max-old-space-size=9|app.js"), "app.js");
	ck_assert_str_eq(registry("java|-Xmx1g|-cp|a:b|-jar|/srv/app.jar|x"), "app.jar");
	ck_assert_str_eq(registry("java|-cp|a:b|com.example.Main"), "com.example.Main");
}
END_TEST

START_TEST(a_module_gives_its_name)
{
	ck_assert_str_eq(registry("python3|-m|http.server|80"), "http.server");
	ck_assert_str_eq(registry("python3|-Bm|http.server"), "http.server");
	ck_assert_str_eq(registry("python3|-mtool"), "tool");
	ck_assert_str_eq(registry("java|--module=app/com.x.Main"), "com.x.Main");
}
END_TEST

START_TEST(code_without_a_name_is_called_after_its_interpreter)
{
	ck_assert_str_eq(registry("python3|-c|import x|pool.py"), "python3");
	ck_assert_str_eq(registry("python3|-uc|import x"), "python3");
	ck_assert_str_eq(registry("perl|-ne|print|file"), "perl");
	ck_assert_str_eq(registry("perl|-Mstrict|-e|1|file"), "perl");
	ck_assert_str_eq(registry("node|-e|1|x"), "node");
	ck_assert_str_eq(registry("php|-r|1;|x"), "php");
	ck_assert_str_eq(registry("bash|-s|x"), "bash");
	ck_assert_str_eq(registry("bash"), "bash");
	ck_assert_str_eq(registry("python3|-"), "python3");
	ck_assert_str_eq(registry("python3|-m"), "python3");
	ck_assert_str_eq(registry("bash|-c"), "bash");
	ck_assert_str_eq(registry("bash|--"), "bash");
}
END_TEST

START_TEST(a_line_for_the_shell_is_called_after_its_first_command)
{
	ck_assert_str_eq(registry("sh|-c|curl -s http://x/ > /dev/null"), "curl");
	ck_assert_str_eq(registry("bash|-xec|/usr/bin/wget x; curl y"), "wget");
	ck_assert_str_eq(registry("bash|-c|-e|exec /srv/app.sh --now"), "app.sh");
	ck_assert_str_eq(registry("sh|-c|  A=1 B='2' curl x"), "sh");
	ck_assert_str_eq(registry("sh|-c|  A=1 B=2 exec curl x"), "curl");
	ck_assert_str_eq(registry("sh|-c|curl;x"), "curl");
}
END_TEST

START_TEST(a_line_that_begins_with_something_else_is_called_after_the_shell)
{
	ck_assert_str_eq(registry("sh|-c|cd /srv && ./app"), "sh");
	ck_assert_str_eq(registry("sh|-c|\"$APP\" x"), "sh");
	ck_assert_str_eq(registry("sh|-c|for i in 1 2; do curl x; done"), "sh");
	ck_assert_str_eq(registry("bash|-c|(curl x)"), "bash");
	ck_assert_str_eq(registry("bash|-c|"), "bash");
	ck_assert_str_eq(registry("bash|-c|A=1"), "bash");
}
END_TEST

START_TEST(wrappers_give_the_name_of_what_they_start)
{
	ck_assert_str_eq(registry("timeout|-k|1|5|curl|x"), "curl");
	ck_assert_str_eq(registry("timeout|--signal=KILL|5|curl|x"), "curl");
	ck_assert_str_eq(registry("nice|-n|10|python3|pool.py"), "pool.py");
	ck_assert_str_eq(registry("env|-u|X|A=1|B=2|bash|x.sh"), "x.sh");
	ck_assert_str_eq(registry("nohup|nice|timeout|5|sh|-c|curl x"), "curl");
	ck_assert_str_eq(registry("timeout|5"), "timeout");
	ck_assert_str_eq(registry("env"), "env");
}
END_TEST

START_TEST(a_name_is_reduced_to_what_a_registry_may_be_called)
{
	ck_assert_str_eq(registry("./my app (new)"), "my_app__new_");
	ck_assert_str_eq(registry("b\xc3\xbc"
				  "cher"),
			 "b__cher");
	ck_assert_str_eq(registry(""), "program");
	ck_assert_str_eq(registry("."), "program");
	ck_assert_str_eq(registry("x/.."), "program");
	ck_assert_str_eq(registry("..."), "...");
	ck_assert_uint_eq(strlen(registry("12345678901234567890123456789012345678901234567890"
					  "123456789012345678901234567890")),
			  64);
}
END_TEST

START_TEST(a_name_that_only_begins_like_an_interpreters_is_a_program)
{
	ck_assert_str_eq(registry("shred|x"), "shred");
	ck_assert_str_eq(registry("phpunit|x.php"), "phpunit");
	ck_assert_str_eq(registry("python3-config|x"), "python3-config");
	ck_assert_str_eq(registry("javac|Main.java"), "javac");
}
END_TEST

RUN_TESTS("cli_script", a_program_is_called_by_its_base_name,
	  a_script_gives_its_name_and_not_its_interpreters, a_module_gives_its_name,
	  code_without_a_name_is_called_after_its_interpreter,
	  a_line_for_the_shell_is_called_after_its_first_command,
	  a_line_that_begins_with_something_else_is_called_after_the_shell,
	  wrappers_give_the_name_of_what_they_start,
	  a_name_is_reduced_to_what_a_registry_may_be_called,
	  a_name_that_only_begins_like_an_interpreters_is_a_program)
