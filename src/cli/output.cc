#include "cli/output.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ranges>
#include <sstream>
#include <system_error>
#include <vector>

#include "base/system/system_reason.h"
#include "report/text/plain_text.h"

namespace sonde {
namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// In the child: reads from the pipe and becomes the command. Returns only by ending.
[[noreturn]] void become(const std::vector<std::string>& words, int read_end) {
  dup2(read_end, STDIN_FILENO);
  std::vector<char*> arguments;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): execvp does not change its arguments.
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments.front(), arguments.data());
  constexpr int kCannotRun = 127;  // what a shell says of a command that it cannot run
  _exit(kCannotRun);
}

}  // namespace

void Output::Close::operator()(std::FILE* file) const {
  if (file != stdout) std::fclose(file);
}

Output::Output() : Output(stdout, "standard output", 0) {}
Output::Output(std::FILE* file, std::string name, int child) : file_(file), name_(std::move(name)), child_(child) {}

Result<Output> Output::to_file(const std::string& path, bool overwrite) {
  if (!overwrite && access(path.c_str(), F_OK) == 0) {
    return fail("{} already exists; --force-overwrite replaces it", path);
  }
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return fail("cannot write {}: {}", path, system_reason(errno));
  return Output(file, path, 0);
}

Result<Output> Output::to_command(const std::string& command_line) {
  const auto words = words_of(command_line);
  if (words.empty()) return fail("no command after '@'");
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail("cannot run {}: {}", words.front(), system_reason(errno));
  const pid_t child = fork();
  if (child < 0) return fail("cannot run {}: {}", words.front(), system_reason(errno));
  if (child == 0) become(words, ends[0]);
  ::close(ends[0]);
  // A command that ends before it has read everything must show as a failed write, not end this program.
  std::signal(SIGPIPE, SIG_IGN);
  return Output(fdopen(ends[1], "w"), "the command " + words.front(), child);
}

void Output::write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), file_.get()); }

Status Output::close() {
  bool failed = std::fflush(file_.get()) != 0 || std::ferror(file_.get()) != 0;
  const int error = errno;
  if (file_.get() != stdout) failed = std::fclose(file_.release()) != 0 || failed;
  int ended = 0;
  if (child_ != 0) waitpid(child_, &ended, 0);
  if (failed) return fail("cannot write to {}: {}", name_, system_reason(error));
  if (ended != 0) return fail("{} failed (exit code {})", name_, WIFEXITED(ended) ? WEXITSTATUS(ended) : -1);
  return {};
}

RenderOptions terminal_options() {
  RenderOptions options;
  if (isatty(STDOUT_FILENO) == 0) return options;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) options.width = size.ws_col;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in this program changes its environment.
  options.colors = std::getenv("NO_COLOR") == nullptr;
  return options;
}

void note(std::string_view text) {
  static_cast<void>(std::fflush(stdout));
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

void complain(std::string_view text) {
  std::string lines = "sonde: ";
  std::string_view separator;
  for (const auto line : text | std::views::split('\n')) {
    lines.append(separator).append(one_line(std::string_view(line)));
    separator = "\n";
  }
  note(lines + "\n");
}

int report_error(const Error& error) {
  complain(error.message);
  return kCannot;
}

}  // namespace sonde
