#include "record/library_remark.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "record/library_calls.h"

namespace sonde::record {
namespace {

constexpr const char* kReasons = wire::kHasLibraryStubs ? "the program made none, or did not call it through a shared "
                                                          "library; recording library calls needs glibc 2.35 or "
                                                          "later on x86-64"
                                                        : "recording library calls works on x86-64 only";

}  // namespace

void add_library_remark(std::vector<Remark>& remarks, const Tally& tally, const RecordOptions& options) {
  std::vector<std::string_view> without;
  for (uint16_t i = 0; i < wire::kLibraries; ++i) {
    const std::string_view name = wire::kLibraryRows[i].trace;
    const bool asked_for = std::ranges::find(options.wanted.libraries, name) != options.wanted.libraries.end();
    if (asked_for && !tally.libraries[i]) without.push_back(name);
  }
  if (without.empty()) return;
  remarks.push_back({false, fmt::format("no call of {} was recorded: {}", fmt::join(without, ", "), kReasons)});
}

}  // namespace sonde::record
