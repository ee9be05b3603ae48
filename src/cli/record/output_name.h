#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace sonde::record_cli {

/// The file that -o means: with .sqlite where it has no such ending and in place of those of nsys and ncu, and nsys'
/// macros: %n the first number from 1 on whose file is not there, %h this host's name, %q{NAME} a variable of the
/// environment, %% a percent sign.
[[nodiscard]] Result<std::string> output_name(std::string_view pattern);

/// The same of a recording that is still to begin: %p stays, for the number of the program's process.
[[nodiscard]] Result<std::string> recording_name(std::string_view pattern);

/// With which a name ends as files of nsys and ncu do (".nsys-rep"); empty where it does not.
[[nodiscard]] std::string_view other_ending(std::string_view name);

/// Of the profile that is made of a file NAME.recording-..: NAME, unless -o says otherwise.
[[nodiscard]] Result<std::string> recovered_name(const std::string& recording,
                                                 const std::optional<std::string>& output);

}  // namespace sonde::record_cli
