#pragma once

#include <cstdint>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "trace/trace.h"

namespace sonde::record {

/// The rows of processes and threads in a trace, by Linux's numbers; those that are missing are added.
class TaskRows {
 public:
  explicit TaskRows(Trace& trace);

  [[nodiscard]] ThreadId thread(uint32_t process, uint32_t thread);
  /// What a thread calls itself. The last name counts.
  void name(uint32_t process, uint32_t thread, std::string_view text);
  /// Gives the names to those rows that have none.
  void put_names();

 private:
  [[nodiscard]] ProcessId process(uint32_t number);

  Trace& trace_;
  boost::unordered_flat_map<uint32_t, ProcessId> processes_;
  boost::unordered_flat_map<uint64_t, ThreadId> threads_;
  boost::unordered_flat_map<uint64_t, NameId> names_;
};

}  // namespace sonde::record
