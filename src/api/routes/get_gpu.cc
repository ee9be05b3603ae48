#include <array>

#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "monitor/json.h"

namespace sonde::api {
namespace get_gpu {
namespace {

Response answer(const Call& call) {
  const auto host = call.services.monitor->snapshot();
  const auto gpu = find_gpu(*host, call.path_values.front());
  return gpu ? json_response(monitor::gpu_json(**gpu, *host)) : gpu.error();
}

constexpr std::array<std::string_view, 1> kProblems = {"unknown_gpu"};

}  // namespace
}  // namespace get_gpu

extern const Route get_gpu_route;
constinit const Route get_gpu_route{.name = "get_gpu",
                                    .path = "/api/v1/gpus/{gpu}",
                                    .summary = "Latest sample of a GPU",
                                    .description = "`gpu` is a UUID, `gpu_N` or N in the order of nvidia-smi.",
                                    .parameters = {},
                                    .body = {},
                                    .response = R"({"$ref": "#/components/schemas/Gpu"})",
                                    .example = {},
                                    .problems = get_gpu::kProblems,
                                    .answer = get_gpu::answer};

}  // namespace sonde::api
