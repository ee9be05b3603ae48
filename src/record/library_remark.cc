#include "record/library_remark.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "record/library_calls.h"

namespace sonde::record {
namespace {

bool has_calls(const Trace& trace, wire::Library library) {
  const auto call_class = library == wire::Library::cublas ? CallClass::cublas : CallClass::cudnn;
  const std::string_view domain = domain_of(library);
  if (domain.empty()) {
    return std::ranges::count(trace.library_calls.call_class, static_cast<uint8_t>(call_class)) > 0;
  }
  return std::ranges::any_of(trace.ranges.domain,
                             [&](DomainId id) { return trace.name(trace.domains[id].name) == domain; });
}

}  // namespace

void add_library_remark(std::vector<Remark>& remarks, const Trace& trace, const RecordOptions& options) {
  std::vector<std::string_view> without;
  for (uint16_t i = 0; i < wire::kLibraries; ++i) {
    const std::string_view name = wire::kLibraryRows[i].trace;
    const bool asked_for = std::ranges::find(options.wanted.libraries, name) != options.wanted.libraries.end();
    if (asked_for && !has_calls(trace, static_cast<wire::Library>(i))) without.push_back(name);
  }
  if (without.empty()) return;
  remarks.push_back({false, fmt::format("no call of {} was recorded: none was made, or not by way of a shared library; "
                                        "that takes glibc 2.35 or later on x86-64",
                                        fmt::join(without, ", "))});
}

}  // namespace sonde::record
