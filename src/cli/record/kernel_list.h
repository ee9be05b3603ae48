#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "record/kernels/request.h"

/// The file of --kernels-from: a line for each kernel, its bare name, and behind it the push/pop ranges around it,
/// outermost first, with a tab before each; "(outside)" where there are none. A name alone means anywhere. Lines that
/// begin with '#' are for people.
namespace sonde::record_cli {

[[nodiscard]] Result<std::vector<record::ListedKernel>> read_kernel_list(const std::string& path);

/// A line of it, with its end.
[[nodiscard]] std::string kernel_list_line(const record::ListedKernel& kernel);

}  // namespace sonde::record_cli
