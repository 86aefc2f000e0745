/* hiredis HOST PORT SECONDS: PING. */
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;

	struct timeval limit = { .tv_sec = atoi(argv[3]) };
	redisContext *store = redisConnectWithTimeout(argv[1], atoi(argv[2]), limit);
	redisReply *reply = NULL;

	if (store && !store->err) {
		redisSetTimeout(store, limit);
		reply = redisCommand(store, "PING");
	}
	puts(reply ? reply->str : store->errstr);
	if (reply)
		freeReplyObject(reply);
	redisFree(store);
	return !reply;
}
