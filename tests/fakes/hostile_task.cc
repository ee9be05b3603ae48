// A task that does what a hostile task can do. All its processes end after five minutes, so none outlives a failed
// test. Usage: hostile_task WHAT [ARGUMENT...]

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <vector>

namespace {

void end_some_day() { alarm(300); }

void wait_for_ever() {
  for (;;) pause();
}

/// Lines of 16 bytes: the offset of the line. So every piece of it tells where it stood.
void print_offsets(long long bytes, int stream) {
  std::string chunk;
  for (long long at = 0; bytes < 0 || at < bytes;) {
    chunk.clear();
    for (; chunk.size() < 65536 && (bytes < 0 || at < bytes); at += 16) {
      std::array<char, 32> line{};
      snprintf(line.data(), line.size(), "%015lld\n", at);
      chunk.append(line.data(), 16);
    }
    for (size_t done = 0; done < chunk.size();) {
      const ssize_t count = write(stream, chunk.data() + done, chunk.size() - done);
      if (count < 0) _exit(errno);
      done += static_cast<size_t>(count);
    }
  }
}

/// WIDTH children, each with as many, DEPTH times; all wait for ever.
void grow_tree(int depth, int width) {
  for (int i = 0; depth > 0 && i < width; ++i) {
    if (fork() != 0) continue;
    end_some_day();
    grow_tree(depth - 1, width);
    wait_for_ever();
  }
}

/// A process in a session of its own whose parent is gone.
void escape(bool ignores_signals) {
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    end_some_day();
    if (ignores_signals) signal(SIGTERM, SIG_IGN);
    if (ignores_signals) signal(SIGHUP, SIG_IGN);
    printf("%d\n", getpid());
    fflush(stdout);
    wait_for_ever();
  }
  wait(nullptr);
}

/// COUNT births, one after another, while others are killed: of parent and child one goes on, and of every second pair
/// the other one ends.
void breed(int count) {
  for (int i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child < 0) usleep(1000);
    if (child > 0 && i % 2 == 0) _exit(0);
    if (child == 0) end_some_day();
    if (child == 0 && i % 2 != 0) wait_for_ever();
    usleep(200);
  }
  wait_for_ever();
}

void fill(const char* path) {
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  const std::vector<char> block(1 << 16, 'x');
  while (write(file, block.data(), block.size()) > 0) {
  }
  printf("full: %s\n", strerror(errno));
}

void append_line(const char* path, const char* line) {
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  const std::string text = std::string(line) + "\n";
  if (write(file, text.data(), text.size()) < 0) _exit(errno);
}

void wait_for_file(const char* path) {
  struct stat found{};
  while (stat(path, &found) != 0) usleep(2000);
}

void say_goodbye(int) {
  constexpr std::array<char, 5> kBye{'b', 'y', 'e', '\n', 0};
  if (write(STDOUT_FILENO, kBye.data(), 4) != 4) _exit(1);
  _exit(0);
}

void print_signals() {
  std::array<char, 256> line{};
  FILE* const status = fopen("/proc/self/status", "r");
  while (fgets(line.data(), line.size(), status) != nullptr) {
    if (strncmp(line.data(), "SigBlk", 6) == 0 || strncmp(line.data(), "SigIgn", 6) == 0) fputs(line.data(), stdout);
  }
  fclose(status);
}

int run(const std::string& what, const std::vector<const char*>& words) {
  const auto number = [&](size_t i) { return i < words.size() ? atoll(words[i]) : -1; };
  if (what == "flood") print_offsets(number(0), words.size() > 1 ? STDERR_FILENO : STDOUT_FILENO);
  if (what == "tree") grow_tree(static_cast<int>(number(0)), static_cast<int>(number(1)));
  if (what == "breed") breed(static_cast<int>(number(0)));
  if (what == "escape") escape(false);
  if (what == "escape_deaf") escape(true);
  if (what == "signal") {
    const auto sent = static_cast<int>(number(0));
    signal(sent, SIG_DFL);  // a sanitizer's own handler would end this with an exit status
    raise(sent);
  }
  if (what == "fill") fill(words.at(0));
  if (what == "line") append_line(words.at(0), words.at(1));
  if (what == "wait_for") wait_for_file(words.at(0));
  if (what == "line_when") {
    wait_for_file(words.at(2));
    append_line(words.at(0), words.at(1));
  }
  if (what == "signals") print_signals();
  if (what == "binary") {
    for (int i = 0; i < 256; ++i) putchar(i);
  }
  if (what == "goodbye") signal(SIGTERM, say_goodbye);
  if (what == "deaf") signal(SIGTERM, SIG_IGN);
  if (what == "silent") {
    for (int file = 0; file < 3; ++file) close(file);
  }
  if (what == "stopped") raise(SIGSTOP);
  if (what == "goodbye" || what == "deaf") {
    puts("ready");
    fflush(stdout);
  }
  const bool waits = what == "goodbye" || what == "deaf" || what == "silent" || what == "stopped" || what == "wait" ||
                     (what == "tree" && words.size() < 3);
  if (waits) wait_for_ever();
  return what == "exit" ? static_cast<int>(number(0)) : 0;
}

}  // namespace

int main(int count, char** words) {
  end_some_day();
  const std::vector<const char*> arguments(words + (count > 1 ? 2 : 1), words + count);
  return run(count > 1 ? words[1] : "nothing", arguments);
}
