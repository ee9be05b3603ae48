/* What is rare and went wrong once: edge_program MODE [COUNT]
 *   latin1           a range whose name is no UTF-8
 *   fork_locked      forks while other threads register names; each child registers one and makes a range
 *   names            many threads register COUNT names each
 *   names_in_handler one thread registers COUNT names, interrupted by signals whose handler registers one
 *   fork_in_handler  signals come while ranges are written, and their handler forks
 *   no_keys          every pthread key is in use before the recorder's library is loaded by NVTX; threads make ranges */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "small_nvtx.h"

static atomic_int stop;

static void range(const char* name) {
  nvtx_push(name);
  nvtx_pop();
}

static void* registers(void* unused) {
  char name[32];
  for (int i = 0; !atomic_load(&stop) && i < 100000; ++i) {
    snprintf(name, sizeof name, "name %d", i);
    nvtx_register(NULL, name);
  }
  return unused;
}

/* Gives whether the name was taken. */
static int range_of_registered(const char* name) {
  nvtx_attributes a;
  memset(&a, 0, sizeof a);
  a.version = 3;
  a.size = sizeof a;
  a.message_type = 3;
  a.message.registered = nvtx_register(NULL, name);
  nvtx_push_with(NULL, &a);
  nvtx_pop();
  return a.message.registered != NULL;
}

static void child_of_locked(void) { _exit(range_of_registered("of a child") ? 0 : 1); }

static atomic_int refused;
static void registers_one(const char* name) {
  if (nvtx_register(NULL, name) == NULL) atomic_fetch_add(&refused, 1);
}

static int names_of_each;
static void* makes_names(void* thread) {
  char name[64];
  for (int i = 0; i < names_of_each; ++i) {
    snprintf(name, sizeof name, "thread %ld, name %d", (long)thread, i);
    registers_one(name);
  }
  range_of_registered("of a thread");
  return NULL;
}

static int names(int count) {
  enum { kThreads = 64 };
  pthread_t threads[kThreads];
  names_of_each = count;
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, makes_names, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  printf("refused: %d\n", atomic_load(&refused));
  return 0;
}

static int fork_locked(int count) {
  pthread_t threads[2];
  int good = 0;
  nvtx_register(NULL, "of the parent"); /* attaches: a child of a process that is doing so never has the library whole */
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, registers, NULL);
  for (int i = 0; i < count; ++i) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) child_of_locked();
    waitpid(child, &status, 0);
    good += status == 0;
  }
  atomic_store(&stop, 1);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("children that registered a name: %d\n", good);
  return 0;
}

static void registers_in_handler(int number) {
  (void)number;
  registers_one("of a handler");
}

static volatile sig_atomic_t forked;
static void forks(int number) {
  (void)number;
  const pid_t child = fork();
  if (child == 0) {
    range("in the child of a handler");
    _exit(0);
  }
  if (child > 0) waitpid(child, NULL, 0);
  ++forked;
}

static int fork_in_handler(int count) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = forks;
  sigaction(SIGALRM, &action, NULL);
  range("in the parent"); /* attaches, which no handler may interrupt */
  /* Each once: on a busy machine a handler takes longer than that, and the next one would follow at the same place. */
  const struct itimerval soon = {{0, 0}, {0, 2000}};
  sig_atomic_t seen = -1;
  while (forked < count) {
    if (seen != forked) {
      seen = forked;
      setitimer(ITIMER_REAL, &soon, NULL);
    }
    range("in the parent");
  }
  for (int i = 0; i < 1000; ++i) range("behind the handlers");
  puts("handled");
  return 0;
}

static int names_in_handler(int count) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = registers_in_handler;
  sigaction(SIGALRM, &action, NULL);
  range("in the parent"); /* attaches, which no handler may interrupt */
  const struct itimerval often = {{0, 200}, {0, 200}};
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, NULL);
  for (int i = 0; i < count; ++i) registers_one("of the thread");
  setitimer(ITIMER_REAL, &never, NULL);
  printf("refused: %d\n", atomic_load(&refused));
  return 0;
}

static void* makes_ranges(void* unused) {
  for (int i = 0; i < 100; ++i) range("without a key");
  return unused;
}

static int no_keys(int count) {
  pthread_key_t key;
  int keys = 0;
  while (pthread_key_create(&key, NULL) == 0) ++keys;
  for (int i = 0; i < count; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, makes_ranges, NULL);
    pthread_join(thread, NULL);
  }
  printf("keys taken: %s\n", keys > 0 ? "all" : "none");
  return 0;
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  const int count = argc > 2 ? atoi(argv[2]) : 1;
  if (strcmp(mode, "fork_locked") == 0) return fork_locked(count);
  if (strcmp(mode, "names") == 0) return names(count);
  if (strcmp(mode, "names_in_handler") == 0) return names_in_handler(count);
  if (strcmp(mode, "fork_in_handler") == 0) return fork_in_handler(count);
  if (strcmp(mode, "no_keys") == 0) return no_keys(count);
  if (strcmp(mode, "latin1") == 0) range("gr\xF6\xDF" "e");
  return 0;
}
