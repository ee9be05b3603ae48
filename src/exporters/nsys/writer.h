#pragma once

#include <memory>
#include <string>

#include "exporters/exporter.h"

namespace sonde {

/// Writes a file with the schema of Nsight Systems' exports part by part: for traces that are too large to be in memory
/// at once. The file appears when finish() has succeeded; without that nothing is left.
class NsysWriter {
 public:
  [[nodiscard]] static Result<NsysWriter> open(const std::string& path, const ExportOptions& options);
  NsysWriter(NsysWriter&& other) noexcept;
  NsysWriter& operator=(NsysWriter&&) = delete;
  NsysWriter(const NsysWriter&) = delete;
  NsysWriter& operator=(const NsysWriter&) = delete;
  ~NsysWriter();

  /// The rows of all event tables of a part. What they point at (names, processes, threads, streams, domains, counters,
  /// call chains) has the ids of earlier parts, and may have grown. Between parts the names hold the empty text.
  [[nodiscard]] Status add(const Trace& part);
  /// What is in the file once: the names, processes, devices, ... of the last state of the trace.
  [[nodiscard]] Status finish(const Trace& trace);

 private:
  struct State;
  explicit NsysWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sonde
