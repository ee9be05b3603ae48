// What programs of the CPU do that a recorder could disturb: cpu_program WORD, each printing what came of it.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kClients = 50, kChildren = 40, kThreads = 8 };

extern char** environ;

static int status_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// ---- A server with a thread for each client

static void* answer(void* raw) {
  const int client = (int)(intptr_t)raw;
  int number = 0;
  if (read(client, &number, sizeof number) == sizeof number) number *= 2;
  if (write(client, &number, sizeof number) < 0) abort();
  close(client);
  return NULL;
}

static void* serve(void* raw) {
  const int server = (int)(intptr_t)raw;
  pthread_t threads[kClients];
  for (int i = 0; i < kClients; ++i) {
    const int client = accept(server, NULL, NULL);
    pthread_create(&threads[i], NULL, answer, (void*)(intptr_t)client);
  }
  for (int i = 0; i < kClients; ++i) pthread_join(threads[i], NULL);
  return NULL;
}

static int run_server(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t bytes = sizeof address;
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(server, (struct sockaddr*)&address, bytes) != 0 || listen(server, kClients) != 0) return 1;
  getsockname(server, (struct sockaddr*)&address, &bytes);
  pthread_t thread;
  pthread_create(&thread, NULL, serve, (void*)(intptr_t)server);
  int sum = 0;
  for (int i = 0; i < kClients; ++i) {
    const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(client, (struct sockaddr*)&address, sizeof address) != 0) return 2;
    int number = i;
    if (write(client, &number, sizeof number) < 0 || read(client, &number, sizeof number) < 0) return 3;
    sum += number;
    close(client);
  }
  pthread_join(thread, NULL);
  printf("sum %d\n", sum);
  return 0;
}

// ---- Children in all the ways that there are

static int run_pool(char** words) {
  int sum = 0;
  for (int i = 0; i < kChildren; ++i) {
    const pid_t child = fork();
    char number[16];
    snprintf(number, sizeof number, "%d", i);
    if (child == 0) execl("/proc/self/exe", words[0], "status", number, NULL);
    sum += status_of(child);
  }
  printf("sum %d\n", sum);
  return 0;
}

static int spawn(char** words) {
  char* spawned[] = {words[0], "status", "11", NULL};
  pid_t child = 0;
  const int error = posix_spawn(&child, "/proc/self/exe", NULL, NULL, spawned, environ);
  printf("posix_spawn %d, %d\n", error, error == 0 ? status_of(child) : 0);
  child = vfork();
  if (child == 0) _exit(12);
  printf("vfork %d\n", status_of(child));
  struct clone_args arguments = {.exit_signal = SIGCHLD};
  fflush(stdout);
  child = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
  if (child == 0) _exit(13);
  if (child < 0) {
    printf("clone3 error %d\n", errno);
  } else {
    printf("clone3 %d\n", status_of(child));
  }
  return 0;
}

// ---- io_uring, without its library

static int ring(void) {
  struct io_uring_params parameters = {0};
  const int file = (int)syscall(SYS_io_uring_setup, 4, &parameters);
  if (file < 0) {
    printf("io_uring error %d\n", errno);
    return 0;
  }
  const size_t bytes = parameters.sq_off.array + parameters.sq_entries * sizeof(uint32_t);
  const size_t done_bytes = parameters.cq_off.cqes + parameters.cq_entries * sizeof(struct io_uring_cqe);
  const int protection = PROT_READ | PROT_WRITE;
  char* asked = mmap(NULL, bytes, protection, MAP_SHARED | MAP_POPULATE, file, IORING_OFF_SQ_RING);
  char* done = mmap(NULL, done_bytes, protection, MAP_SHARED | MAP_POPULATE, file, IORING_OFF_CQ_RING);
  struct io_uring_sqe* entries =
      mmap(NULL, parameters.sq_entries * sizeof *entries, protection, MAP_SHARED | MAP_POPULATE, file, IORING_OFF_SQES);
  if (asked == MAP_FAILED || done == MAP_FAILED || entries == MAP_FAILED) return 1;
  memset(entries, 0, sizeof *entries);
  entries->opcode = IORING_OP_NOP;
  entries->user_data = 42;
  *(uint32_t*)(asked + parameters.sq_off.array) = 0;
  __atomic_store_n((uint32_t*)(asked + parameters.sq_off.tail), 1, __ATOMIC_RELEASE);
  const long taken = syscall(SYS_io_uring_enter, file, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0);
  const struct io_uring_cqe* first = (const struct io_uring_cqe*)(done + parameters.cq_off.cqes);
  printf("io_uring %ld, %llu\n", taken, (unsigned long long)first->user_data);
  return 0;
}

// ---- Work

static int counted = 0;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

static void* count(void* unused) {
  for (int i = 0; i < 10000; ++i) {
    pthread_mutex_lock(&counting);
    ++counted;
    pthread_mutex_unlock(&counting);
  }
  return unused;
}

static int work(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, count, NULL);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  printf("counted %d\n", counted);
  return 0;
}

static int overflow(void) {
  char* volatile bytes = malloc(8);
  bytes[8] = 1;
  printf("%d\n", bytes[8]);
  free(bytes);
  return 0;
}

int main(int argument_count, char** words) {
  const char* word = argument_count > 1 ? words[1] : "";
  if (strcmp(word, "status") == 0) return atoi(words[2]);
  if (strcmp(word, "server") == 0) return run_server();
  if (strcmp(word, "pool") == 0) return run_pool(words);
  if (strcmp(word, "spawn") == 0) return spawn(words);
  if (strcmp(word, "ring") == 0) return ring();
  if (strcmp(word, "work") == 0) return work();
  if (strcmp(word, "overflow") == 0) return overflow();
  if (strcmp(word, "kill") == 0) {
    printf("to be killed\n");
    fflush(stdout);
    raise(SIGKILL);
  }
  fprintf(stderr, "unknown word: %s\n", word);
  return 2;
}
