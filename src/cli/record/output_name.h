#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace sonde::record_cli {

/// The file that -o means for a recording that is still to begin: with .sqlite where it has no such ending and in place
/// of those of nsys and ncu, and nsys' macros: %n the first number from 1 on whose file is not there, %h this host's
/// name, %q{NAME} a variable of the environment, %% a percent sign. %p stays, for the number of the program's process.
[[nodiscard]] Result<std::string> recording_name(std::string_view pattern);

/// The pattern of which recording_name() makes that very name.
[[nodiscard]] std::string pattern_of(std::string_view name);

/// What to tell of a name that ends as files of nsys and ncu do, while the profile is `output`; empty: nothing.
/// `option` gave the name.
[[nodiscard]] std::string word_of_ending(std::string_view option, std::string_view name, std::string_view output);

/// Of the profile that is made of a file NAME.recording-..: NAME, unless -o says otherwise.
[[nodiscard]] Result<std::string> recovered_name(const std::string& recording,
                                                 const std::optional<std::string>& output);

}  // namespace sonde::record_cli
