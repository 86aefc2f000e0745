/* The server of a storm: one process, any number of connections, a mood that the board tells. */
#ifndef TESTS_STORMS_SERVER_H
#define TESTS_STORMS_SERVER_H

#include <stdint.h>

#define ANSWER_BYTES 43 /* of a whole answer */

int server_listen(uint32_t *ret_port);
_Noreturn void server_serve(int listener);

#endif
