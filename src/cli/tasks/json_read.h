#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

/// What answers of the service hold. They come over a network: a member that is missing or of another type is absent.
namespace sonde::tasks {

using Json = nlohmann::ordered_json;

/// null where there is none.
[[nodiscard]] const Json& member(const Json& object, std::string_view name);
/// An empty array where there is none.
[[nodiscard]] const Json& list_of(const Json& object, std::string_view name);
/// As it is sent; empty where there is none.
[[nodiscard]] std::string raw_text(const Json& object, std::string_view name);
/// For a terminal: on one line, without control characters.
[[nodiscard]] std::string text_of(const Json& object, std::string_view name);
[[nodiscard]] std::optional<int64_t> whole_of(const Json& object, std::string_view name);
[[nodiscard]] std::optional<double> number_of(const Json& object, std::string_view name);
[[nodiscard]] bool flag_of(const Json& object, std::string_view name);
/// Seconds since 1970 of an RFC 3339 moment in UTC ("2026-11-22T08:00:00.250Z").
[[nodiscard]] std::optional<double> moment_of(const Json& object, std::string_view name);
/// A document as `--json` prints it, with its line end. What is no UTF-8 is replaced.
[[nodiscard]] std::string json_text(const Json& document);

}  // namespace sonde::tasks
