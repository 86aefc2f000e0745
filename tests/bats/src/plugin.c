/* A plugin that needs another library, which only its own RUNPATH, by $ORIGIN, can find. */
int needed(int port);
int reach(int port);
int reach(int port)
{
	return needed(port);
}
