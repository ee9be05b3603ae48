#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/log.h"
#include "dispatch/dispatcher.h"
#include "monitor/event_log.h"

namespace sonde::dispatch {

/// What became of a batch, for those who follow.
struct BatchNews {
  std::string change;  ///< "submitted", "split", "ended"
  Batch batch;
  std::map<TaskState, int64_t> states;  ///< how many of its tasks are over by now, and how
};

/// Writes events and log lines from a thread of its own, in the order of the calls, so no task waits for
/// them. Where it cannot keep up, the oldest events of tasks are left out, as the event log would drop them.
class EventWriter {
 public:
  EventWriter(monitor::EventLog& events, Log& log);
  ~EventWriter() { stop(); }
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  void write(const TaskNews& news, const Task& task);
  void write(Decision decision, int64_t batch);
  void write(BatchNews news);
  void write_queue(const EngineCounts& counts, std::string trouble);
  /// Anything else that can wait: removing files.
  void later(std::function<void()> chore);
  /// Writes all queued items, then ends the thread.
  void stop();

 private:
  struct Item {
    std::function<void()> write;
    bool can_be_left_out = false;
  };
  void add(Item item);
  void run();

  monitor::EventLog* events_;
  Log* log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  int64_t left_out_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace sonde::dispatch
