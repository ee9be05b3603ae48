#include "analyses/calls/api_kind.h"

#include <algorithm>
#include <array>

namespace sonde {
namespace {

struct Prefix {
  std::string_view text;
  ApiKind kind;
};

constexpr auto kPrefixes = std::to_array<Prefix>({
#define SONDE_API_KIND(prefix, kind) {prefix, ApiKind::kind},
#include "analyses/calls/api_kinds.inc"
#undef SONDE_API_KIND
});

}  // namespace

bool releases_after_device(std::string_view name) {
  constexpr std::string_view kReleases[] = {"cudaFree",       "cudaHostUnregister", "cuMemFree", "cuMemHostUnregister",
                                            "cuModuleUnload", "cuLibraryUnload"};
  const bool releases =
      std::ranges::any_of(kReleases, [&](std::string_view prefix) { return name.starts_with(prefix); });
  return releases && !name.contains("Async");
}

ApiKind api_kind(std::string_view name) {
  const Prefix* longest = nullptr;
  for (const Prefix& prefix : kPrefixes) {
    if (!name.starts_with(prefix.text)) continue;
    if (longest == nullptr || prefix.text.size() > longest->text.size()) longest = &prefix;
  }
  if (longest == nullptr) return ApiKind::other;
  const bool returns_at_once = name.contains("Async");
  return longest->kind == ApiKind::copy_blocking && returns_at_once ? ApiKind::copy_async : longest->kind;
}

std::vector<ApiKind> api_kinds(const Trace& trace) {
  constexpr auto kNotAsked = static_cast<ApiKind>(255);
  std::vector<ApiKind> of_name(trace.names.size(), kNotAsked);
  std::vector<ApiKind> kinds;
  kinds.reserve(trace.api.name.size());
  for (const NameId name : trace.api.name) {
    if (of_name[name] == kNotAsked) of_name[name] = api_kind(trace.name(name));
    kinds.push_back(of_name[name]);
  }
  return kinds;
}

}  // namespace sonde
