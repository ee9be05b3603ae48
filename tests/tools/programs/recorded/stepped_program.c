/* Does what its standard input says, a line each, and prints "done" behind each:
 *   N NAME    N ranges NAME, each with one of a registered text in it, in the domain "library"
 *   s MS      sleeps
 *   m NAME    a range NAME by start and end, around one range "inner" */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "small_nvtx.h"

static nvtx_domain domain;
static nvtx_attributes registered;

static void ranges(int count, const char* name) {
  for (int i = 0; i < count; ++i) {
    nvtx_push(name);
    nvtx_push_with(domain, &registered);
    nvtx_pop_of(domain);
    nvtx_pop();
  }
}

static void start_end(const char* name) {
  const uint64_t range = nvtx_start(name);
  nvtx_push("inner");
  nvtx_pop();
  nvtx_end(range);
}

int main(void) {
  char line[256];
  domain = nvtx_create_domain("library");
  registered.version = 3;
  registered.size = sizeof registered;
  registered.message_type = 3;
  registered.message.registered = nvtx_register(domain, "told once");
  nvtx_name_thread((uint32_t)gettid(), "the stepping thread");
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    char* name = strchr(line, ' ');
    if (name == NULL) return 3;
    ++name;
    if (line[0] == 's') {
      usleep((useconds_t)atoi(name) * 1000);
    } else if (line[0] == 'm') {
      start_end(name);
    } else {
      ranges(atoi(line), name);
    }
    puts("done");
    fflush(stdout);
  }
  return 5;
}
