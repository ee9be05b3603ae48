#include "cli/record/kernel_list.h"

#include <string_view>

#include "base/files/file.h"

namespace sonde::record_cli {
namespace {

std::string escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '\\') {
      text += "\\\\";
    } else if (c == '\t') {
      text += "\\t";
    } else if (c == '\n') {
      text += "\\n";
    } else {
      text += c;
    }
  }
  return text;
}

std::string unescaped(std::string_view text) {
  std::string name;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      const char c = text[++i];
      name += c == 't' ? '\t' : c == 'n' ? '\n' : c;
    } else {
      name += text[i];
    }
  }
  return name;
}

/// What stands before the delimiter; takes both away.
std::string_view take_until(std::string_view& text, char delimiter) {
  const size_t at = text.find(delimiter);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

constexpr std::string_view kOutside = "(outside)";

record::ListedKernel kernel_of(std::string_view line) {
  record::ListedKernel kernel{.function = unescaped(take_until(line, '\t')), .in_place = !line.empty()};
  if (line == kOutside) return kernel;
  while (!line.empty()) kernel.ranges.push_back(unescaped(take_until(line, '\t')));
  return kernel;
}

}  // namespace

Result<std::vector<record::ListedKernel>> read_kernel_list(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  std::vector<record::ListedKernel> kernels;
  for (std::string_view text = file->bytes(); !text.empty();) {
    const std::string_view line = take_until(text, '\n');
    if (!line.empty() && !line.starts_with('#')) kernels.push_back(kernel_of(line));
  }
  if (kernels.empty()) {
    return fail(
        "--kernels-from {}: the file contains no kernel; a line is a kernel's name and the ranges around it, separated "
        "by tabs",
        path);
  }
  return kernels;
}

std::string kernel_list_line(const record::ListedKernel& kernel) {
  std::string line = escaped(kernel.function);
  if (kernel.in_place && kernel.ranges.empty()) line += fmt::format("\t{}", kOutside);
  for (const std::string& range : kernel.ranges) line += "\t" + escaped(range);
  return line + "\n";
}

}  // namespace sonde::record_cli
