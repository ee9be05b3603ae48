#include "cli/gpus/view.h"

namespace sonde::gpus {
namespace {

/// "NVIDIA A100-SXM4-40GB MIG 3g.20gb" is a "3g.20gb".
std::string_view profile_of(const device::MigDevice& mig) {
  constexpr std::string_view kBefore = "MIG ";
  const std::string_view name = mig.name;
  const size_t at = name.rfind(kBefore);
  return at == std::string_view::npos ? name : name.substr(at + kBefore.size());
}

}  // namespace

std::string names_text(const View& view) {
  std::string text;
  for (const device::GpuState& state : view.states) {
    const device::GpuReading& reading = state.reading;
    if (state.failure) {
      text += fmt::format("GPU {}: {}\n", reading.index.value_or(0), state.failure->message);
      continue;
    }
    text += fmt::format("GPU {}: {} (UUID: {})\n", reading.index.value_or(0), reading.name.value_or("[N/A]"),
                        reading.uuid.value_or("[N/A]"));
    if (!reading.mig_devices) continue;
    for (size_t i = 0; i < reading.mig_devices->size(); ++i) {
      const device::MigDevice& mig = (*reading.mig_devices)[i];
      text += fmt::format("  MIG {:<12}Device {:>2}: (UUID: {})\n", profile_of(mig), i, mig.uuid);
    }
  }
  return text;
}

}  // namespace sonde::gpus
