#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace sonde::record {

/// A name in a range filter, or what stands for names.
struct RangeElement {
  enum class Kind : uint8_t { name, regex, one, any_number };
  Kind kind = Kind::name;
  std::string text = {};  ///< of a name or an extended regular expression of POSIX
  bool operator==(const RangeElement&) const = default;
};

/// Ranges that launches must lie in, or must not. What it matches: inject/metrics/range_pattern.h.
struct RangeFilter {
  bool exclude = false;
  bool push_pop = false;  ///< they lie directly in one another; else start/end ranges, all of which must be open
  bool bottom = false;    ///< the first is the outermost of its domain
  bool top = false;       ///< the last is the innermost
  RangeElement domain;    ///< the empty name: NVTX's default domain
  std::vector<RangeElement> ranges;
  std::string text;  ///< as it was asked for
};

/// No more than the injected library keeps in mind.
inline constexpr size_t kMostRangeFilters = 16;
inline constexpr size_t kMostRangeElements = 32;

/// A function in a place.
struct ListedKernel {
  std::string function;   ///< its bare name
  bool in_place = false;  ///< false: anywhere
  /// The push/pop ranges of all domains around it, outermost first; digits in their names do not count.
  std::vector<std::string> ranges = {};
  auto operator<=>(const ListedKernel&) const = default;
};

/// Which counters are measured of which launches.
struct MeasureRequest {
  std::vector<std::string> metrics;  ///< at least one, or samples or instructions
  size_t named = 0;    ///< the first so many were asked for by name; the others belong to several generations of GPUs
  std::string kernel;  ///< an extended regular expression of POSIX for the function's name; empty: all
  int64_t skip = 0;    ///< launches of such kernels before the first that is measured, in each process
  std::optional<int64_t> count = {};  ///< of measured launches, in each process
  std::optional<int64_t> each = {};   ///< of those of one function, grid, block and place in the ranges
  std::vector<RangeFilter> filters = {};
  std::optional<std::vector<ListedKernel>> listed = {};  ///< no launches but these
  bool samples = false;                                  ///< of the program counter, too
  std::optional<int64_t> period = {};                    ///< a sample each 2^period cycles
  bool instructions = false;                             ///< how often each ran, too
};

/// The request as the injected library reads it (wire/kernel_record.h).
[[nodiscard]] std::string text_of(const MeasureRequest& request);

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
