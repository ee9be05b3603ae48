/* A C program whose ranges and blocking calls are known: c_program MODE [COUNT] */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "small_nvtx.h"

static void nested(int count) {
  for (int i = 0; i < count; ++i) {
    nvtx_push("outer");
    nvtx_push("inner");
    nvtx_pop();
    nvtx_pop();
  }
}

static void everything(void) {
  const nvtx_domain domain = nvtx_create_domain("library");
  const nvtx_string text = nvtx_register(domain, "registered text");
  nvtx_attributes a;
  memset(&a, 0, sizeof a);
  a.version = 3;
  a.size = sizeof a;
  a.category = 7;
  a.color_type = 1;
  a.color = 0xFF336699;
  a.payload_type = 3;
  a.payload.f64 = 2.5;
  a.message_type = 3;
  a.message.registered = text;
  nvtx_name_category(7, "seven");
  nvtx_name_thread((uint32_t)gettid(), "the main thread");
  nvtx_push_with(domain, &a);
  nvtx_push_wide(L"\u00fcnic\u00f6de \U0001F600");
  nvtx_pop();
  nvtx_pop_of(domain);
  a.message_type = 1;
  a.message.narrow = "marked";
  nvtx_mark_with(domain, &a);
  nvtx_mark("plain mark");
  const uint64_t first = nvtx_start("first");
  const uint64_t second = nvtx_start("second");
  nvtx_end(first);
  nvtx_end(second);
}

static void* thread_main(void* count) {
  nested(*(int*)count);
  return NULL;
}

static void in_threads(int count) {
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i) pthread_create(&threads[i], NULL, thread_main, &count);
  for (int i = 0; i < 8; ++i) pthread_join(threads[i], NULL);
}

static void in_children(int count) {
  const nvtx_string text = nvtx_register(NULL, "before the fork");
  nested(count);
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      nvtx_attributes a;
      memset(&a, 0, sizeof a);
      a.version = 3;
      a.size = sizeof a;
      a.message_type = 3;
      a.message.registered = text;
      nvtx_push_with(NULL, &a);
      nvtx_pop();
      nested(count);
      _exit(0);
    }
    waitpid(child, NULL, 0);
  }
}

/* Calls that block for at least 20 ms each. */
static void* writes_late(void* to) {
  usleep(20000);
  return (void*)(long)write(*(int*)to, "x", 1);
}

static void blocks(void) {
  int ends[2];
  char byte = 0;
  pthread_t writer;
  if (pipe(ends) != 0) exit(3);
  pthread_create(&writer, NULL, writes_late, &ends[1]);
  if (read(ends[0], &byte, 1) != 1) exit(3);
  pthread_join(writer, NULL);
  usleep(20000);
  const int nowhere = open("/nonexistent/file", O_RDONLY);
  printf("open gave %d\n", nowhere);
}

/* Waits to be killed, with a range open and others ended. */
static void waits(int count) {
  nested(count);
  nvtx_push("never ends");
  puts("ready");
  fflush(stdout);
  for (;;) pause();
}

static void* blocks_forever(void* semaphore) {
  nvtx_push("cancelled");
  sem_wait(semaphore);
  return NULL;
}

static void says(void* text) { puts(text); }

static void* blocks_with_handler(void* semaphore) {
  pthread_cleanup_push(says, "cleaned up");
  blocks_forever(semaphore);
  pthread_cleanup_pop(0);
  return NULL;
}

/* A thread that is cancelled while it waits unwinds as it does alone. */
static void cancels(void) {
  sem_t semaphore;
  pthread_t thread;
  void* result = NULL;
  sem_init(&semaphore, 0, 0);
  pthread_create(&thread, NULL, blocks_with_handler, &semaphore);
  usleep(10000);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  puts(result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
}

/* Nothing that is recorded changes errno, of calls that fail and of those that do not. */
static void keeps_errno(void) {
  char byte;
  errno = 4711;
  nvtx_push("errno");
  nvtx_pop();
  usleep(2000);
  printf("after calls that work: %d\n", errno);
  printf("read: %d", (int)read(-1, &byte, 1));
  printf(", errno %d\n", errno);
  sem_t semaphore;
  sem_init(&semaphore, 0, 1);
  errno = 4711;
  sem_wait(&semaphore);
  pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  const int first = pthread_mutex_lock(&mutex);
  const int second = pthread_mutex_lock(&mutex);
  printf("locks %d %d, errno %d\n", first, second, errno);
}

static volatile sig_atomic_t handled = 0;
static void handler(int number) {
  (void)number;
  nvtx_push("in the handler");
  nvtx_pop();
  ++handled;
}

/* Signals come while events are written, and their handlers write some. */
static void handles(void) {
  nested(1);  /* NVTX attaches under a lock at its first call, and a handler that came then would wait for ever */
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  sigaction(SIGALRM, &action, NULL);
  const struct itimerval often = {{0, 100}, {0, 100}};
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, NULL);
  while (handled < 200) nested(1);
  setitimer(ITIMER_REAL, &never, NULL);
  puts("handled");
}

static void long_texts(void) {
  static char text[10000];
  static wchar_t wide[10000];
  memset(text, 'x', sizeof text - 1);
  for (size_t i = 0; i + 1 < sizeof wide / sizeof wide[0]; ++i) wide[i] = L'\u00e4';
  nvtx_push(text);
  nvtx_push_wide(wide);
  nvtx_pop();
  nvtx_pop();
}

static void in_vfork(void) {
  const pid_t child = vfork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "echo from vfork", (char*)NULL);
    _exit(1);
  }
  waitpid(child, NULL, 0);
  nested(1);
  puts("parent");
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  int count = argc > 2 ? atoi(argv[2]) : 1;
  if (strcmp(mode, "nested") == 0) nested(count);
  if (strcmp(mode, "everything") == 0) everything();
  if (strcmp(mode, "threads") == 0) in_threads(count);
  if (strcmp(mode, "children") == 0) in_children(count);
  if (strcmp(mode, "blocks") == 0) blocks();
  if (strcmp(mode, "waits") == 0) waits(count);
  if (strcmp(mode, "cancel") == 0) cancels();
  if (strcmp(mode, "errno") == 0) keeps_errno();
  if (strcmp(mode, "handler") == 0) handles();
  if (strcmp(mode, "vfork") == 0) in_vfork();
  if (strcmp(mode, "long") == 0) long_texts();
  if (strcmp(mode, "kill") == 0) {
    nested(count);
    raise(SIGKILL);
  }
  if (strcmp(mode, "exec") == 0) {
    nvtx_register(NULL, "of the first program");
    nested(count);
    execl(argv[0], argv[0], "everything", (char*)NULL);
  }
  return strcmp(mode, "status") == 0 ? count : 0;
}
