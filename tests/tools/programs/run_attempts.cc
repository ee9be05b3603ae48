// Runs numbered tasks, one attempt each, as a service does, and writes down what it did: "start N" before a start, "end
// N CAUSE STATUS" before an end is collected. Killed at any moment and started again with the same arguments, it goes
// on.
//
//   run_attempts FOLDER BOOK TASKS AT_ONCE COMMAND...     {task} in the command is the task's number
//
// Ends once every task has. "figures" on standard output: seconds since its start.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/executor.h"

namespace {

using sonde::dispatch::EndCause;
using sonde::dispatch::EndReport;
using sonde::dispatch::Executor;
using sonde::dispatch::Launch;

/// What a database is to a service. A line is there once it is written: what is killed is the program, not the host.
class Book {
 public:
  explicit Book(const std::string& path) {
    std::ifstream lines(path);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string what;
      int64_t task = 0;
      words >> what >> task;
      (what == "start" ? started : ended).insert(task);
    }
    file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;
  ~Book() { close(file_); }

  void write_line(const std::string& line) const {
    const std::string text = line + "\n";
    if (write(file_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) abort();
  }

  std::set<int64_t> started;
  std::set<int64_t> ended;

 private:
  int file_ = -1;
};

struct Inbox {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<EndReport> reports;

  void put(EndReport report) {
    const std::scoped_lock lock(mutex);
    reports.push_back(std::move(report));
    changed.notify_one();
  }
  EndReport take() {
    std::unique_lock lock(mutex);
    while (reports.empty()) changed.wait(lock);
    EndReport report = std::move(reports.front());
    reports.pop_front();
    return report;
  }
};

std::string filled(std::string word, int64_t task) {
  for (size_t at = word.find("{task}"); at != std::string::npos; at = word.find("{task}")) {
    word.replace(at, 6, std::to_string(task));
  }
  return word;
}

class Driver {
 public:
  Driver(std::unique_ptr<Executor> executor, Book& book, Inbox& inbox, std::vector<std::string> command)
      : executor_(std::move(executor)), book_(&book), inbox_(&inbox), command_(std::move(command)) {}

  void run(int64_t tasks, size_t at_once) {
    std::vector<std::pair<int64_t, int64_t>> running;
    for (const int64_t task : book_->started) {
      if (!book_->ended.contains(task)) running.emplace_back(task, 1);
    }
    executor_->adopt(running);
    int64_t next = book_->started.empty() ? 1 : *book_->started.rbegin() + 1;
    while (book_->ended.size() < static_cast<size_t>(tasks)) {
      for (; next <= tasks && book_->started.size() - book_->ended.size() < at_once; ++next) {
        book_->write_line(fmt::format("start {}", next));
        book_->started.insert(next);
        start(next);
      }
      take(inbox_->take());
    }
  }

 private:
  void start(int64_t task) {
    Launch launch;
    launch.task = task;
    for (const std::string& word : command_) launch.command.push_back(filled(word, task));
    executor_->start(launch);
  }

  void take(const EndReport& report) {
    if (report.cause == EndCause::not_started && report.message == "the service stopped before the task started") {
      start(report.task);
      return;
    }
    book_->write_line(
        fmt::format("end {} {} {}", report.task, cause_name(report.cause), report.exit_status.value_or(-1)));
    book_->ended.insert(report.task);
    executor_->collected(report.task, report.attempt);
  }

  std::unique_ptr<Executor> executor_;
  Book* book_;
  Inbox* inbox_;
  std::vector<std::string> command_;
};

}  // namespace

int main(int count, char** words) {
  if (count < 6) return 2;
  const auto begin = std::chrono::steady_clock::now();
  Book book(words[2]);
  Inbox inbox;
  auto executor = Executor::open(words[1], [&inbox](EndReport report) { inbox.put(std::move(report)); });
  if (!executor) {
    fmt::print(stderr, "{}\n", executor.error().message);
    return 1;
  }
  Driver driver(std::move(*executor), book, inbox, std::vector<std::string>(words + 5, words + count));
  driver.run(atoll(words[3]), static_cast<size_t>(atoll(words[4])));
  fmt::print("{:.3f}\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return 0;
}
