#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace sonde::record {

/// Which counters are measured of which launches.
struct MeasureRequest {
  std::vector<std::string> metrics;  ///< at least one, or samples
  size_t named = 0;    ///< the first so many were asked for by name; the others belong to several generations of GPUs
  std::string kernel;  ///< an extended regular expression of POSIX for the function's name; empty: all
  int64_t skip = 0;    ///< launches of such kernels before the first that is measured, in each process
  std::optional<int64_t> count = {};   ///< of measured launches, in each process
  std::optional<int64_t> each = {};    ///< of those of one function, grid, block and place in the ranges
  std::string domain;                  ///< of `range`; empty: NVTX's default domain
  std::string range;                   ///< a push/pop range around the launches; empty: anywhere
  bool samples = false;                ///< of the program counter, too
  std::optional<int64_t> period = {};  ///< a sample each 2^period cycles
};

/// The request where recorded programs find it: a file of this process's that lies in no folder.
class RequestFile {
 public:
  [[nodiscard]] static Result<RequestFile> create(const MeasureRequest& request);
  RequestFile(RequestFile&& other) noexcept;
  RequestFile& operator=(RequestFile&&) = delete;
  RequestFile(const RequestFile&) = delete;
  RequestFile& operator=(const RequestFile&) = delete;
  ~RequestFile();

  /// The value of wire::kMeasureVariable.
  [[nodiscard]] std::string place() const;

 private:
  explicit RequestFile(int file) : file_(file) {}
  int file_;
};

}  // namespace sonde::record
