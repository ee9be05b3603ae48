#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "api/api.h"
#include "api/problems.h"

/// What several routes do.
namespace sonde::api {

/// A 200 response of that body.
[[nodiscard]] Response json_response(const nlohmann::ordered_json& body);
[[nodiscard]] Response json_response(std::string text);  ///< which is JSON already
[[nodiscard]] Response text_response(int status, std::string text);

/// The GPU by UUID, gpu_N or N; the refusal names those that there are.
[[nodiscard]] Answered<const monitor::GpuView*> find_gpu(const monitor::HostSnapshot& host, const std::string& id);

/// A whole positive number; nothing for other text.
[[nodiscard]] std::optional<int64_t> incident_id(std::string_view text);
/// The incident as the monitor or the history has it, open or not.
[[nodiscard]] Answered<monitor::Incident> find_incident(const Services& services, const std::string& id);

/// The integer of the query, or `otherwise` if it is absent. Its schema was checked.
[[nodiscard]] int64_t query_integer(const Call& call, std::string_view name, int64_t otherwise);
/// The words of a parameter that is a list with commas; none where it is not given.
[[nodiscard]] std::vector<std::string> query_list(const Call& call, std::string_view name);

}  // namespace sonde::api
