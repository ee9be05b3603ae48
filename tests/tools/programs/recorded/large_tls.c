/* A library with variables of each thread that must be there when the program starts, as many as a leak sanitizer has. */
static __thread char room[57344] __attribute__((tls_model("initial-exec")));

char* large_tls(void) { return room; }
