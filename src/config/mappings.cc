#include "config/mappings.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/decimal.h"

namespace sonde::config {
namespace {

constexpr std::string_view kIndexPrefix = "gpu_";

std::string same_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

bool is_among(const std::string& uuid, std::span<const std::string> uuids) {
  return std::ranges::any_of(uuids, [&](const std::string& known) { return same_case(known) == same_case(uuid); });
}

bool exists(const std::string& gpu, std::span<const std::string> uuids, std::span<const std::string> mig_uuids) {
  if (!gpu.starts_with(kIndexPrefix)) return is_among(gpu, uuids) || is_among(gpu, mig_uuids);
  const auto index = integer_of<size_t>(std::string_view(gpu).substr(kIndexPrefix.size()));
  return index && *index < uuids.size();
}

/// "gpu_0 to gpu_7".
std::string numbers_of(size_t count) {
  if (count == 0) return "none, because this host has no GPU";
  return count == 1 ? "gpu_0" : fmt::format("gpu_0 to gpu_{}", count - 1);
}

}  // namespace

Status check_mappings(const Config& config, std::span<const std::string> uuids,
                      std::span<const std::string> mig_uuids) {
  std::vector<std::string> wrong;
  const auto check = [&](const std::string& key, const std::string& gpu) {
    if (exists(gpu, uuids, mig_uuids)) return;
    wrong.push_back(fmt::format("{}: this host has no GPU '{}'; allowed: {}, or a UUID as `sonde gpus -L` prints it",
                                key, gpu, numbers_of(uuids.size())));
  };
  for (const auto& [type, gpu] : config.gpu.multi_gpu.task_specific_mappings) {
    check(fmt::format("gpu.multi_gpu.task_specific_mappings.{}", type), gpu);
  }
  for (const auto& [name, type] : config.sonde.tasks.types) {
    for (const auto& [gpu, url] : type.workers) check(fmt::format("sonde.tasks.types.{}.workers.{}", name, gpu), gpu);
  }
  if (wrong.empty()) return {};
  return std::unexpected(Error{fmt::format("{}", fmt::join(wrong, "\n"))});
}

}  // namespace sonde::config
