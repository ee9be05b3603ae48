#include "findings/evidence/memory_holders.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "findings/evidence/most_of.h"

namespace sonde {
namespace {

/// Less than this part of the peak is not worth a word.
constexpr double kMinSavingPart = 0.05;

struct RoleText {
  MemoryRole role;
  std::string_view many;    ///< in a list of what is held
  std::string_view saving;  ///< what makes it less; empty where nothing is known
};

constexpr std::array kRoleTexts = {
    RoleText{MemoryRole::activation, "activations", "activation checkpointing"},
    RoleText{MemoryRole::gradient, "gradients", "gradients sharded over GPUs (FSDP)"},
    RoleText{MemoryRole::optimizer_state, "optimizer state", "8-bit or sharded optimizer state"},
    RoleText{MemoryRole::temporary, "temporary memory", "a smaller batch"},
    RoleText{MemoryRole::earlier, "memory from before the recording", ""},
    RoleText{MemoryRole::unknown, "memory of unknown use", ""},
};

/// Of gradients that an earlier step left: a peak in the forward pass does not need them.
constexpr std::string_view kGradientsOfBefore = "zero_grad(set_to_none=True) before the forward pass";

double percent_of_peak(const MemoryAtPeak& peak, int64_t bytes) {
  return peak.bytes > 0 ? 100 * static_cast<double>(bytes) / static_cast<double>(peak.bytes) : 0;
}

/// The place that holds the most memory of unknown use: what could be deleted there, if it is not needed.
MemorySaving deletion(const MemoryAtPeak& peak) {
  std::map<std::string, int64_t> bytes;
  for (const HeldMemory& held : peak.held) {
    if (held.role == MemoryRole::unknown && !held.place.empty()) bytes[held.place] += held.bytes;
  }
  const auto most = std::ranges::max_element(bytes, {}, [](const auto& entry) { return entry.second; });
  if (most == bytes.end()) return {};
  constexpr size_t kMaxPlace = 60;
  const std::string_view place = std::string_view(most->first).substr(0, kMaxPlace);
  return {fmt::format("del of unneeded tensors from {}{}", place, most->first.size() > kMaxPlace ? "..." : ""),
          most->second};
}

}  // namespace

std::string size_text(int64_t bytes) {
  constexpr double kGiga = 1e9;
  constexpr double kMega = 1e6;
  const auto number = static_cast<double>(bytes);
  return number < kGiga ? fmt::format("{:.0f} MB", number / kMega) : fmt::format("{:.1f} GB", number / kGiga);
}

std::vector<MemorySaving> memory_savings(const MemoryAtPeak& peak) {
  std::vector<MemorySaving> savings;
  for (const RoleText& role : kRoleTexts) {
    if (role.saving.empty()) continue;
    const bool left_over = role.role == MemoryRole::gradient && peak.phase == MemoryPhase::forward;
    savings.push_back({std::string(left_over ? kGradientsOfBefore : role.saving), bytes_of_role(peak, role.role)});
  }
  savings.push_back(deletion(peak));
  savings.push_back({"PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True", std::max<int64_t>(peak.unused_bytes(), 0)});
  std::erase_if(savings, [&](const MemorySaving& s) { return percent_of_peak(peak, s.bytes) < 100 * kMinSavingPart; });
  std::ranges::stable_sort(savings, std::greater(), &MemorySaving::bytes);
  return savings;
}

std::string savings_text(const MemoryAtPeak& peak) {
  constexpr size_t kMaxSavings = 3;
  std::vector<std::string> texts;
  for (const MemorySaving& saving : memory_savings(peak)) {
    if (texts.size() < kMaxSavings)
      texts.push_back(fmt::format("{}, at most {}", saving.what, size_text(saving.bytes)));
  }
  return texts.empty() ? "a smaller batch, or the model sharded over GPUs" : fmt::format("{}", fmt::join(texts, "; "));
}

std::string holders_text(const MemoryAtPeak& peak) {
  std::map<std::string, int64_t> roles;
  for (const RoleText& role : kRoleTexts) roles[std::string(role.many)] = bytes_of_role(peak, role.role);
  std::map<std::string, int64_t> places;
  for (const HeldMemory& held : peak.held) {
    if (!held.place.empty()) places[held.place] += held.bytes;
  }
  const std::string most = most_of(places, peak.bytes);
  return fmt::format("{}{}{}", most_of(roles, peak.bytes), most.empty() ? "" : "; most of it from ", most);
}

std::vector<Argument> peak_arguments(const MemoryAtPeak& peak) {
  const auto of_role = [&](std::string name, MemoryRole role) {
    return bytes_argument(std::move(name), bytes_of_role(peak, role));
  };
  std::vector<Argument> arguments = {text_argument("gpu", peak.gpu),
                                     bytes_argument("peak", peak.bytes),
                                     text_argument("held", holders_text(peak)),
                                     text_argument("free", savings_text(peak)),
                                     of_role("activations", MemoryRole::activation),
                                     of_role("gradients", MemoryRole::gradient),
                                     of_role("optimizer_state", MemoryRole::optimizer_state),
                                     of_role("earlier", MemoryRole::earlier)};
  if (peak.reserved_bytes != kUnknown) {
    arguments.push_back(bytes_argument("reserved", peak.reserved_bytes));
    arguments.push_back(bytes_argument("unused", peak.unused_bytes()));
  }
  if (peak.capacity_bytes != kUnknown) arguments.push_back(bytes_argument("total", peak.capacity_bytes));
  return arguments;
}

}  // namespace sonde
