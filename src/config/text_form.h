#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sonde::config {

/// A form that texts have.
struct TextForm {
  bool (*holds)(std::string_view text);
  std::string_view allowed;  ///< "an http:// or https:// URL"
  std::string_view pattern;  ///< regular expression of the JSON schema: no stricter than `holds`
  bool may_be_empty = false;
  bool is_path = false;    ///< a relative path is resolved against the folder of the configuration file
  bool is_secret = false;  ///< the effective configuration shows it in part only
};

[[nodiscard]] bool is_path(std::string_view text);
[[nodiscard]] bool is_library(std::string_view text);
[[nodiscard]] bool is_address(std::string_view text);   ///< IPv4, IPv6 or localhost
[[nodiscard]] bool is_endpoint(std::string_view text);  ///< path of the service that is not taken
[[nodiscard]] bool is_url(std::string_view text);       ///< http or https
[[nodiscard]] bool is_currency(std::string_view text);
[[nodiscard]] bool is_gpu_name(std::string_view text);    ///< gpu_N, GPU-UUID, MIG-UUID
[[nodiscard]] bool is_name(std::string_view text);        ///< printable
[[nodiscard]] bool is_label_name(std::string_view text);  ///< of Prometheus
[[nodiscard]] bool is_text_line(std::string_view text);   ///< without control characters
[[nodiscard]] bool is_word(std::string_view text);        ///< of a command: anything but NUL
[[nodiscard]] bool is_variable(std::string_view text);    ///< name of an environment variable that may be set
[[nodiscard]] bool is_model(std::string_view text);       ///< a part of a path, as it stands
[[nodiscard]] bool is_profile_choice(std::string_view text);
/// N of "every N"; 0 of "never", 1 of "always", nothing of another text.
[[nodiscard]] std::optional<int64_t> profile_every(std::string_view text);
/// Whether only programs of this host reach an address that holds.
[[nodiscard]] bool is_loopback_address(std::string_view text);

inline constexpr TextForm kPath = {
    .holds = is_path, .allowed = "a path (~ is not expanded)", .pattern = "^[^~]", .is_path = true};
inline constexpr TextForm kOptionalPath = {.holds = is_path,
                                           .allowed = "a path (~ is not expanded), or \"\" for none",
                                           .pattern = "^([^~].*)?$",
                                           .may_be_empty = true,
                                           .is_path = true};
inline constexpr TextForm kLibrary = {.holds = is_library,
                                      .allowed = "a path or the name of a library, or \"\" to search for it",
                                      .pattern = "^([^~].*)?$",
                                      .may_be_empty = true,
                                      .is_path = true};
inline constexpr TextForm kAddress = {
    .holds = is_address, .allowed = "an IP address such as 127.0.0.1, 0.0.0.0 or \"::\", or localhost", .pattern = "."};
inline constexpr TextForm kEndpoint = {
    .holds = is_endpoint,
    .allowed = "a path that begins with / and is not /, nor under /api, /- or /assets, such as /metrics",
    .pattern = "^/[A-Za-z0-9._~/-]+$"};
inline constexpr TextForm kUrl = {.holds = is_url,
                                  .allowed = "a URL such as http://alertmanager:9093 or https://example.com/path",
                                  .pattern = "^https?://."};
inline constexpr TextForm kSecretUrl = {
    .holds = is_url, .allowed = kUrl.allowed, .pattern = kUrl.pattern, .is_secret = true};
inline constexpr TextForm kOptionalUrl = {.holds = is_url,
                                          .allowed = "a URL such as https://gpus.example.com, or \"\" for none",
                                          .pattern = "^(https?://.+)?$",
                                          .may_be_empty = true};
inline constexpr TextForm kCurrency = {
    .holds = is_currency, .allowed = "three capital letters such as EUR or USD", .pattern = "^[A-Z]{3}$"};
inline constexpr TextForm kGpuName = {
    .holds = is_gpu_name,
    .allowed = "gpu_N, counted from 0 as nvidia-smi does, or a UUID as `sonde gpus -L` prints it (GPU-..., MIG-...)",
    .pattern = "^(gpu_[0-9]+|(GPU|MIG)-.+)$"};
inline constexpr TextForm kName = {
    .holds = is_name, .allowed = "a name of up to 128 printable characters", .pattern = "^.{1,128}$"};
inline constexpr TextForm kLabelName = {.holds = is_label_name,
                                        .allowed =
                                            "names of letters, digits and _, that do not begin with a digit or __ and "
                                            "are not alertname, each with a string",
                                        .pattern = "^[A-Za-z_][A-Za-z0-9_]*$"};
inline constexpr TextForm kTextLine = {.holds = is_text_line,
                                       .allowed = "a string of one line, up to 1000 bytes",
                                       .pattern = "^.{0,1000}$",
                                       .may_be_empty = true};
inline constexpr TextForm kWord = {
    .holds = is_word, .allowed = "a string", .pattern = "^[^\\u0000]*$", .may_be_empty = true};
inline constexpr TextForm kVariable = {.holds = is_variable,
                                       .allowed =
                                           "names of environment variables (letters, digits and _) other than "
                                           "CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER, which the dispatcher sets",
                                       .pattern = "^[A-Za-z_][A-Za-z0-9_]*$"};
inline constexpr TextForm kModel = {.holds = is_model,
                                    .allowed = "a name of letters, digits, '.', '_', '-' and ':', or \"\" for none",
                                    .pattern = "^[A-Za-z0-9._:-]{0,128}$",
                                    .may_be_empty = true};
inline constexpr TextForm kOptionalName = {.holds = is_name,
                                           .allowed =
                                               "one of gpu.multi_gpu.queue_priority_levels, or \"\" for the "
                                               "default",
                                           .pattern = "^.{0,128}$",
                                           .may_be_empty = true};
inline constexpr TextForm kProfileChoice = {.holds = is_profile_choice,
                                            .allowed = "never, always, or every N such as every 100",
                                            .pattern = "^(never|always|every [1-9][0-9]*)$"};

}  // namespace sonde::config
