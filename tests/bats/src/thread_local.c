/* A library that needs room in the static TLS block. */
static __thread char room[64] __attribute__((tls_model("initial-exec")));

char *its_room(void);
char *its_room(void)
{
	return room;
}
