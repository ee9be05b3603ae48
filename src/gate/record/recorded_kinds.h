#pragma once

#include <set>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace sonde::gate {

/// What a file's recorder was asked to record, in nsys' words: "cuda", "nvtx", "osrt". By its options where the file
/// holds them, so that a run in which nothing of a kind happened has the kind all the same; else by what the file
/// holds.
[[nodiscard]] std::set<std::string> recorded_kinds(const Rank& rank);

/// The value of one of a command line's options, "--trace=cuda", "--trace cuda" or "-t cuda"; empty where it is not
/// there. `short_name` is empty for an option that has none.
[[nodiscard]] std::string option_value(std::string_view command_line, std::string_view long_name,
                                       std::string_view short_name = {});

/// A rank's fact of that name; empty where it is not there or was taken out of the file.
[[nodiscard]] std::string_view capture_value(const Rank& rank, std::string_view name);

}  // namespace sonde::gate
