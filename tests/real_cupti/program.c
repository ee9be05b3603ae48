// A program that uses the CUDA driver where there is one, for the probe and for recordings. Its words:
//   probe LIBRARY    calls LIBRARY's probe() before cuInit() and after it
//   exit, _exit, abort, kill, thread, fork, twice, stay, runtime, profiler: how it ends, or what it does besides
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int initialize(void) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == NULL) {
    printf("no driver\n");
    return -1;
  }
  const int result = ((int (*)(unsigned))dlsym(driver, "cuInit"))(0);
  int count = -1;
  const int counted = ((int (*)(int*))dlsym(driver, "cuDeviceGetCount"))(&count);
  printf("cuInit %d, cuDeviceGetCount %d, %d\n", result, counted, count);
  fflush(stdout);
  return result;
}

/// Of CUDA 13, which may want a newer driver.
static void use_runtime(void) {
  void* runtime = dlopen("libcudart.so.13", RTLD_NOW);
  if (runtime == NULL) {
    printf("no runtime library\n");
    return;
  }
  int count = -1;
  const int counted = ((int (*)(int*))dlsym(runtime, "cudaGetDeviceCount"))(&count);
  printf("cudaGetDeviceCount %d, %d\n", counted, count);
}

static void* in_thread(void* unused) {
  initialize();
  return unused;
}

static void probe(const char* path, const char* place) {
  void* library = dlopen(path, RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(3);
  }
  ((void (*)(const char*))dlsym(library, "probe"))(place);
}

static void at_exit(void) { printf("at exit\n"); }

int main(int count, char** words) {
  const char* way = count > 1 ? words[1] : "";
  atexit(at_exit);
  if (strcmp(way, "probe") == 0) {
    probe(words[2], "alone");
    if (count > 3) initialize();
    probe(words[2], "after");
    return 0;
  }
  if (strcmp(way, "thread") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    return 5;
  }
  if (strcmp(way, "runtime") == 0) {
    use_runtime();
    return 9;
  }
  initialize();
  if (strcmp(way, "twice") == 0) initialize();
  if (strcmp(way, "profiler") == 0) {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    const char* names[] = {"cuProfilerStart", "cuProfilerStop"};
    for (int i = 0; i < 2; ++i) printf("%s %d\n", names[i], ((int (*)(void))dlsym(driver, names[i]))());
  }
  if (strcmp(way, "stay") == 0) usleep(1500000);
  if (strcmp(way, "_exit") == 0) _exit(6);
  if (strcmp(way, "abort") == 0) abort();
  if (strcmp(way, "kill") == 0) raise(SIGKILL);
  if (strcmp(way, "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) {
      initialize();
      return 8;
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("child %d\n", status);
  }
  return strcmp(way, "exit") == 0 ? 7 : 0;
}
