#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/ranges.h>

#include "dispatch/rule.h"
#include "monitor/detector.h"

/// Shared by rules: their texts (rules/shared_texts_en.inc) and the format of values.
namespace sonde::dispatch {

enum class Lasts { a_while, for_good };

/// The refusal whose texts are "<id>.reason" and "<id>.unblocked", with {named} arguments. Its rule's name is filled in
/// by refusals_of().
[[nodiscard]] Refusal make_refusal(std::string_view id, std::initializer_list<monitor::Argument> arguments = {},
                                   Lasts lasts = Lasts::a_while);

/// Why the GPU does not get the task: a reason a rule, in the order of the list.
[[nodiscard]] std::vector<Refusal> refusals_of(const Candidate& candidate);

[[nodiscard]] std::string shown_gib(int64_t bytes);       ///< "16.0 GiB"
[[nodiscard]] std::string shown_share(double share);      ///< 0.125 -> "12.5 %"
[[nodiscard]] std::string shown_celsius(double value);    ///< "85 °C"
[[nodiscard]] std::string shown_version(int64_t number);  ///< 750 -> "7.5"

/// Memory that other programs hold. Where the driver does not say whose memory is whose: what is in use beyond what is
/// kept for tasks.
[[nodiscard]] int64_t foreign_bytes(const GpuState& gpu, const GpuLoad& load);

}  // namespace sonde::dispatch
