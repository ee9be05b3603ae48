#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "trace/trace.h"

namespace sonde {

struct ExportOptions {
  bool overwrite = false;           ///< replace a file that is there already
  std::vector<std::string> inputs;  ///< what the trace was read from: never written over, whatever `overwrite` says
  Progress* progress = &no_progress();
};

/// A file format that Sonde writes. One row of list.inc each.
struct Exporter {
  std::string_view name;
  std::string_view description;               ///< one line, for help and the docs
  std::span<const std::string_view> endings;  ///< of file names that ask for it, most usual first
  Fields (*fields)();                         ///< what it can hold: no more need be read
  /// Writes the whole trace. The file appears only when it is complete.
  Status (*write)(const Trace& trace, const std::string& path, const ExportOptions& options);
};

[[nodiscard]] std::span<const Exporter> exporters();

/// The exporter that the ending of a file name asks for. The error lists the endings that there are.
[[nodiscard]] Result<const Exporter*> exporter_for(std::string_view path);

/// The schema of Nsight Systems' own SQLite exports (3.25), so that scripts written for those read it.
[[nodiscard]] Status write_nsys_sqlite(const Trace& trace, const std::string& path, const ExportOptions& options);

/// The JSON of torch.profiler (Kineto), gzipped when the name ends in .gz.
[[nodiscard]] Status write_pytorch_trace(const Trace& trace, const std::string& path, const ExportOptions& options);

}  // namespace sonde
