/* ThreadSanitizer knows no lock by these names of glibc 2.30, and all of the other ones: the same by those. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static struct timespec realtime_of(clockid_t clock, const struct timespec* until) {
  struct timespec now;
  struct timespec real;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  const long second = 1000000000;
  const long long left = (until->tv_sec - now.tv_sec) * (long long)second + until->tv_nsec - now.tv_nsec;
  const long long ns = real.tv_nsec + (left > 0 ? left : 0);
  real.tv_sec += ns / second;
  real.tv_nsec = ns % second;
  return real;
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const struct timespec* until) {
  const struct timespec real = realtime_of(clock, until);
  return pthread_rwlock_timedrdlock(lock, &real);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const struct timespec* until) {
  const struct timespec real = realtime_of(clock, until);
  return pthread_rwlock_timedwrlock(lock, &real);
}
