#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace sonde::record_cli {

/// The file that -o means: with .sqlite where it has no such ending and in place of those of nsys and ncu, and nsys' macros: %n the first number from 1 on
/// whose file is not there, %h this host's name, %q{NAME} a variable of the environment, %% a percent sign.
[[nodiscard]] Result<std::string> output_name(std::string_view pattern);

/// What to tell of a name that ends as profiles of nsys and ncu do, and means `name`; empty where it does not.
[[nodiscard]] std::string word_of_ending(std::string_view pattern, std::string_view name);

/// Of the profile that is made of a file NAME.recording-..: NAME, unless -o says otherwise.
[[nodiscard]] Result<std::string> recovered_name(const std::string& recording,
                                                 const std::optional<std::string>& output);

}  // namespace sonde::record_cli
