#pragma once

#include <string>

#include "base/error.h"
#include "exporters/exporter.h"

namespace sonde {

/// Whether the target may be written, as far as that is known before it is tried: to be asked before long work.
[[nodiscard]] Status check_target(const std::string& target, const ExportOptions& options);

/// A file in the making: it has a temporary name beside its target until commit() gives it its own.
/// Destroyed without commit(), it leaves nothing behind.
class OutputFile {
 public:
  /// Fails when the target is there and may not be replaced, is one of the inputs, or its folder cannot be written to.
  [[nodiscard]] static Result<OutputFile> open(const std::string& target, const ExportOptions& options);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Where to write until then: an empty file.
  [[nodiscard]] const std::string& path() const { return temporary_; }
  /// Fails where another has taken the name meanwhile, and it may not be replaced.
  [[nodiscard]] Status commit();

 private:
  OutputFile(std::string target, std::string temporary, bool overwrite);
  std::string target_;
  std::string temporary_;
  bool overwrite_;
};

}  // namespace sonde
