#include "dispatch/executor/out_of_memory.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text/lower_case.h"

namespace sonde::dispatch {
namespace {

// In lower case, as CUDA's runtime and driver, PyTorch, TensorFlow, JAX, cuBLAS and CuPy print them.
constexpr std::array<std::string_view, 10> kAnywhere = {
    "cuda out of memory",       "outofmemoryerror",          "cudaerrormemoryallocation",
    "cuda_error_out_of_memory", "cuda error: out of memory", "cublas_status_alloc_failed",
    "oom when allocating",      "hip out of memory",         "resource_exhausted: out of memory",
    "cudnn_status_alloc_failed"};
/// Could be of anything, so that it counts only where it is among a program's last words.
constexpr std::string_view kAtTheEnd = "out of memory";
constexpr int kLastLines = 10;

/// Where the host's memory ran out, a larger GPU helps nobody.
constexpr std::array<std::string_view, 3> kOfTheHost = {"defaultcpuallocator", "out of memory: killed process",
                                                        "cannot allocate memory"};

std::string_view last_lines(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  size_t at = text.size();
  for (int i = 0; i < kLastLines && at != std::string_view::npos && at > 0; ++i) at = text.rfind('\n', at - 1);
  return at == std::string_view::npos ? text : text.substr(at);
}

}  // namespace

bool reports_gpu_out_of_memory(std::string_view end_of_output) {
  const std::string text = lower_case(end_of_output);
  const auto in = [](std::string_view where) {
    return [where](std::string_view words) { return where.find(words) != std::string_view::npos; };
  };
  if (std::ranges::any_of(kAnywhere, in(text))) return true;
  const std::string_view end = last_lines(text);
  return in(end)(kAtTheEnd) && std::ranges::none_of(kOfTheHost, in(end));
}

}  // namespace sonde::dispatch
