#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files/descriptor.h"
#include "base/system/environment.h"

namespace sonde::record {

/// A program as a shell would run it in the foreground: this process's terminal, input, output and process group.
struct ProgramOptions {
  std::vector<std::string> words;                ///< looked up in PATH, and its arguments; at least one
  std::vector<EnvironmentVariable> environment;  ///< in place of this process's own
  bool show_output = true;
  /// Called here with the process's number while it waits to become the program; null: it does not wait. An error is
  /// that of start(): the program does not run.
  std::function<Status(pid_t)> before_exec = {};
};

/// Whether the word names a program that may be executed, here or in PATH; what is wrong with its content is seen when
/// it starts. The error is that of Program::start().
[[nodiscard]] Status find_program(const std::string& word);

/// What this process did with signals before it ran a program, and the program does.
struct SignalState {
  sigset_t mask;
  struct sigaction of_children;

  void put_back() const;
};

/// Runs one program, or follows one that runs already. While it lives, SIGINT, SIGTERM, SIGHUP and SIGQUIT do not end
/// this process: those that another process sent are to go on to the program (take_signal()); those of the terminal
/// have reached it already. From one thread only.
class Program {
 public:
  [[nodiscard]] static Result<Program> start(const ProgramOptions& options);
  /// One that this process did not start: signals that come here do not reach it, and how it ends stays unknown.
  [[nodiscard]] static Result<Program> follow(pid_t process);
  Program(Program&& other) noexcept;
  Program& operator=(Program&&) = delete;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  [[nodiscard]] pid_t number() const { return process_; }
  /// Waits until it ends or a signal comes, but no longer than this.
  void wait(int64_t most_ns);
  void send(int signal);
  /// Whether this process started it.
  [[nodiscard]] bool is_own() const { return !running_; }
  /// A signal that came here and was not sent on yet; 0: none.
  [[nodiscard]] int take_signal();
  [[nodiscard]] bool ended() const { return ended_; }
  /// Whether a signal came that would have gone on to it, or ended this process, after it had ended.
  [[nodiscard]] bool asked_to_end() const { return asked_to_end_; }
  /// Its exit status; 128 and the signal's number where one ended it, as shells have it.
  [[nodiscard]] int exit_code() const;
  /// 0 where none ended it.
  [[nodiscard]] int signal() const;
  /// The signal that ended it, where neither this process sent it nor somebody sent it to both of them (Ctrl-C); else
  /// 0.
  [[nodiscard]] int crash() const;

 private:
  Program(pid_t process, const SignalState& before, Descriptor running = Descriptor())
      : process_(process), before_(before), running_(std::move(running)) {
    sigemptyset(&known_);
  }
  [[nodiscard]] bool has_ended();
  void reap();
  void note(int signal) { sigaddset(&known_, signal); }
  /// Ends what is still no program, and gives why.
  [[nodiscard]] std::unexpected<Error> give_up(Error why);

  pid_t process_;
  SignalState before_;
  Descriptor running_;  ///< a pidfd of one that this process did not start
  sigset_t known_{};    ///< signals that came here, or were sent from here
  std::deque<int> pending_;
  int status_ = 0;
  bool ended_ = false;
  bool asked_to_end_ = false;
};

}  // namespace sonde::record
