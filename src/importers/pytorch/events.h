#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "importers/pytorch/args.h"
#include "importers/pytorch/rows.h"

namespace sonde::pytorch {

/// One trace event as raw JSON tokens that point into the file's text. Strings keep their quotes.
struct Event {
  std::string_view phase;
  std::string_view category;
  std::string_view name;
  std::string_view pid;
  std::string_view tid;
  std::string_view time;
  std::string_view duration;
  std::string_view id;
  Args args;
  std::vector<std::pair<std::string_view, std::string_view>> series;  ///< a counter's args, whatever their keys are

  void clear();
};

/// Turns events into the rows of a piece. An event that cannot be read is counted there.
class EventKeeper {
 public:
  EventKeeper(const Wanted& wanted, Piece& piece) : wanted_(wanted), piece_(piece) {}
  void keep(const Event& event);

 private:
  struct Span {
    int64_t start;
    int64_t end;
  };

  void keep_timed(const Event& event, char phase, int64_t time);
  void metadata(const Event& event);
  void complete(const Event& event, Category category, int64_t start);
  void on_gpu(const Event& event, Category category, Span span);
  void on_host(const Event& event, Category category, Span span);
  void instant(const Event& event, Category category, int64_t time);
  void counter(const Event& event, int64_t time);
  void flow(const Event& event, bool end, int64_t time);

  void kernel(const Event& event, Span span);
  void copy(const Event& event, Span span);
  void set(const Event& event, Span span);
  void call(const Event& event, Category category, Span span);
  void range(const Event& event, Category category, Span span);
  void allocation(const Event& event, int64_t time);
  uint32_t collective(const Args& args);
  uint32_t operator_inputs(const Args& args, std::string_view name);

  Category count(const Event& event, char phase);
  void leave_out(std::string_view name);
  Number number(std::string_view token);
  uint32_t thread(const Event& event);
  uint32_t name(const Event& event);
  GpuRow gpu_row(const Event& event, Span span);

  const Wanted& wanted_;
  Piece& piece_;
  std::vector<Category> kinds_;  ///< of piece_.holds
  size_t last_kind_ = 0;
  std::string_view last_pid_;  ///< tokens of the thread asked for last: mostly the next event's, too
  std::string_view last_tid_;
  uint32_t last_thread_ = kNone;
};

}  // namespace sonde::pytorch
