#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "device/nvml/library.h"

namespace sonde::device::nvml {
namespace {

struct CodeText {
  Return code;
  FailureKind kind;
  std::string_view name;  ///< of the code
  std::string_view what;  ///< happened
  std::string_view advice;
};

constexpr auto kTexts = std::to_array<CodeText>({
#define SONDE_NVML_CODE(code, kind, name, what, advice) {Return::code, FailureKind::kind, name, what, advice},
#include "device/nvml/failures_en.inc"
});

const CodeText* text_of(Return code) {
  const auto* const found = std::ranges::find(kTexts, code, &CodeText::code);
  return found == kTexts.end() ? nullptr : found;
}

}  // namespace

std::string_view return_text(Return code) {
  const CodeText* const text = text_of(code);
  return text == nullptr ? "unknown code" : text->name;
}

GpuFailure failure_of(Return code, int64_t gpu, std::string_view done) {
  const std::string who = gpu < 0 ? "the NVIDIA driver" : fmt::format("GPU {}", gpu);
  const CodeText* const text = text_of(code);
  if (text == nullptr) {
    return {.message =
                fmt::format("{} cannot be {}: NVML returned the unknown code {}", who, done, static_cast<int>(code))};
  }
  return {
      .kind = text->kind,
      .message = fmt::format("{} cannot be {}: {} (NVML: {}); {}", who, done, text->what, text->name, text->advice)};
}

bool ends_reading(Return code) {
  const CodeText* const text = text_of(code);
  return text != nullptr && (text->kind == FailureKind::lost || text->kind == FailureKind::library_gone);
}

}  // namespace sonde::device::nvml
