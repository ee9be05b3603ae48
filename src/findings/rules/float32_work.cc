#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "findings/evidence/faster_kernels.h"
#include "findings/evidence/float32_kernels.h"
#include "findings/evidence/most_of.h"
#include "trace/columns.h"

/// Work in float32 and TF32 on a GPU whose tensor cores compute 16-bit numbers at a multiple of that rate. The ceiling
/// is a bound: each kernel takes the least time that it can with such numbers.
namespace sonde {
namespace float32_work_finding {
namespace {

/// Work that 16-bit numbers would speed up.
struct Found {
  FasterKernels faster;
  std::map<Float32Kind, int64_t> time;  ///< as shares of the GPU's
  bool unknown_gpu = false;
};

Found float32_work(const Facts& facts) {
  Found found;
  Float32Kernels float32(facts);
  const Kernels& k = facts.trace.kernels;
  for (Row row = 0; row < row_count(k); ++row) {
    if (!facts.judged(k.start[row]) || facts.communication[row] != CommunicationKind::none) continue;
    const Float32Kind kind = float32.kind(row);
    if (kind == Float32Kind::none) continue;
    const auto least = float32.least_ns(row);
    found.unknown_gpu |= !least;
    if (!least || *least >= k.end[row] - k.start[row]) continue;
    found.faster.add(facts, row, *least);
    found.time[kind] += facts.shares.kernels[row];
  }
  return found;
}

/// Of the judged time. A GPU that is as busy as this with a host that is never ahead paces the host: it waits where the
/// recording shows no call that waits, and a replay would keep it as slow.
constexpr double kPacesHostPercent = 95;

/// In mixed precision, too, some kernels keep float32: norms, losses, an optimizer's. Alone they are no finding.
bool has_math(const Facts& facts, std::map<Float32Kind, int64_t>& time) {
  const int64_t math = time[Float32Kind::product] + time[Float32Kind::tf32_product] + time[Float32Kind::attention];
  return facts.percent_of_wall(facts.per_gpu(math)) >= kWorthPercent;
}

/// Whether the tensor cores of each GPU compute bfloat16 and TF32, which those before compute capability 8 do not.
bool has_new_types(const Facts& facts) {
  return std::ranges::none_of(facts.gpus.gpus, [&](const Gpu& gpu) {
    return gpu.device != kNone && facts.trace.devices[gpu.device].compute_major.value_or(8) < 8;
  });
}

/// What to use in place of float32.
std::string_view types_for(const Facts& facts, bool mostly_products) {
  if (!has_new_types(facts))
    return "float16 (torch.autocast): the tensor cores of this GPU know no bfloat16 and no TF32";
  if (!mostly_products) return "bfloat16 or float16 (torch.autocast; for inference also model.to(torch.bfloat16))";
  return "bfloat16 or float16 (torch.autocast), or TF32 for the products alone "
         "(torch.set_float32_matmul_precision(\"high\"), torch.backends.cudnn.allow_tf32, "
         "CUBLAS_COMPUTE_32F_FAST_TF32)";
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  Found found = float32_work(facts);
  if (found.unknown_gpu) diagnosis.abstentions.push_back({"float32_work", "float32_work.unknown_gpu", {}});
  if (!has_math(facts, found.time)) return;
  std::map<std::string, int64_t> kinds;
  for (const auto& [kind, time] : found.time) {
    if (time > 0) kinds[std::string(kind_name(kind))] = time;
  }
  const bool mostly_products = 2 * found.time[Float32Kind::product] >= found.faster.now_ns;
  const size_t before = diagnosis.findings.size();
  const std::string_view id = mostly_products ? "float32_matmul" : "float32_work";
  const std::vector<Argument> more = {text_argument("kinds", most_of(kinds)),
                                      text_argument("types", std::string(types_for(facts, mostly_products)))};
  add_faster_kernels(facts, id, found.faster, more, diagnosis);
  const bool paces_host = facts.percent_of_wall(facts.per_gpu(facts.judged_busy_ns())) >= kPacesHostPercent;
  if (diagnosis.findings.size() == before && paces_host) add_slow_kernels(facts, id, found.faster, more, diagnosis);
  if (diagnosis.findings.size() == before) return;
  for (const Change::Resized& kernel : found.faster.kernels) diagnosis.claims.float32.push_back(kernel.row);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"float32_matmul.says",
     "Work in float32 takes {time}, most of it in products that leave the tensor cores idle ({kinds}): {most}."},
    {"float32_matmul.do", "Use {types}, and check the accuracy."},
    {"float32_work.says", "Work in float32 and TF32 takes {time} ({kinds}): {most}."},
    {"float32_work.do",
     "Use {types}, and check the accuracy. Tensor cores multiply 16-bit numbers at a multiple of the rate of float32, "
     "and "
     "tensors have half of the bytes."},
    {"float32_work.unknown_gpu.says",
     "products run in float32, but the profile does not contain the GPU's compute capability, so the gain from tensor "
     "cores is unknown"},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"float32_matmul", "float32_work"},
      .reports =
          "Matrix products, convolutions and attention run in float32 or TF32. Then all kernels on float32 "
          "tensors count, also norms, elementwise kernels and copies. `float32_matmul`: at least half of their "
          "time is in products without tensor cores. `{types}` is bfloat16 or float16 (torch.autocast), for products "
          "also TF32 (torch.set_float32_matmul_precision), and float16 alone before compute capability 8.",
      .when =
          fmt::format("The products and attention kernels take at least {} % of the judged time. Types are those of "
                      "the operators' inputs, else those in the kernels' names.",
                      kWorthPercent),
      .not_when = "Kernels of optimizers, which keep float32 in mixed precision, and communication. GPUs without "
                  "tensor cores. No conclusion is drawn on products without tensor cores if the file does not describe "
                  "the GPU.",
      .ceiling = fmt::format(
          "Replay with each kernel in its most optimistic 16-bit form. Where the operator's work is known, that is the "
          "longer of its FLOP at the peak of 16-bit products and half of its bytes at the peak of the memory "
          "([definitions](operators.md)), and at most half of its time. Otherwise it is the time divided by the ratio "
          "of the peaks: 2 for TF32 and kernels that memory limits, 6 for attention with three products in TF32, and "
          "the GPU's own ratio for float32. If the replay saves nothing and the GPU is busy for {} % of the time, the "
          "time that the kernels then take less.",
          kPacesHostPercent),
      .evidence = "The kernels that lose the most time."}};
}

}  // namespace
}  // namespace float32_work_finding

extern const Rule float32_work_rule;
const Rule float32_work_rule{.name = "float32_work",
                             .description = "work in float32 and TF32 that 16-bit numbers would speed up",
                             .fields = kFasterKernelsFields | kFloat32Fields,
                             .checks = kFasterKernelsChecks,
                             .judge = &float32_work_finding::judge,
                             .texts = float32_work_finding::kTexts,
                             .docs = &float32_work_finding::docs,
                             .saves = Saves::gpu_work,
                             .fix = FixKind::precision,
                             .claims = ClaimUse::adds};

}  // namespace sonde
