#include "analyses/kernels/kernel_class.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "base/text/lower_case.h"
#include "trace/columns.h"

namespace sonde {
namespace {

struct KnownPart {
  std::string_view part;
  KernelClass kind;
};

constexpr auto kKnownParts = std::to_array<KnownPart>({
#define SONDE_KERNEL_CLASS(part, kind) {part, KernelClass::kind},
#include "analyses/kernels/kernel_classes.inc"
#undef SONDE_KERNEL_CLASS
});

}  // namespace

KernelClass kernel_class(std::string_view name) {
  const std::string small = lower_case(name);
  const auto* const found =
      std::ranges::find_if(kKnownParts, [&](const KnownPart& p) { return small.contains(p.part); });
  return found == kKnownParts.end() ? KernelClass::other : found->kind;
}

std::vector<KernelClass> kernel_classes(const Trace& trace) {
  const Kernels& k = trace.kernels;
  std::map<NameId, KernelClass> known;
  std::vector<KernelClass> classes(row_count(k));
  for (Row row = 0; row < row_count(k); ++row) {
    const auto [of_name, fresh] = known.try_emplace(k.name[row], KernelClass::other);
    if (fresh) of_name->second = kernel_class(trace.name(k.name[row]));
    classes[row] = of_name->second;
  }
  return classes;
}

bool is_dense_math(KernelClass kind) {
  return kind == KernelClass::matrix || kind == KernelClass::matrix_tensor || kind == KernelClass::matrix_float32 ||
         kind == KernelClass::attention;
}

}  // namespace sonde
