#include "trace/device_code.h"

#include <algorithm>

#include "base/files/file.h"
#include "base/files/line_table.h"

namespace sonde {
namespace {

/// The lines of a function whose code is `symbol`, sorted by offset.
std::vector<DeviceFunction::Line> lines_of(const ElfFile::Symbol& symbol, const LineTable& table,
                                           const std::vector<NameId>& files) {
  std::vector<DeviceFunction::Line> lines;
  for (const CodeLine& line : table.lines) {
    if (line.section != symbol.section || line.begin < symbol.value) continue;
    const uint64_t offset = line.begin - symbol.value;
    if (symbol.size == 0 || offset < symbol.size) lines.push_back({offset, files[line.file], line.line});
  }
  std::ranges::stable_sort(lines, {}, &DeviceFunction::Line::offset);
  return lines;
}

}  // namespace

std::optional<DeviceCode> read_device_code(std::string_view cubin, bool wants_lines, const Intern& intern) {
  constexpr uint8_t kFunction = 2;
  const auto elf = ElfFile::open(cubin);
  if (!elf) return std::nullopt;
  const LineTable table = wants_lines ? read_line_table(*elf) : LineTable();
  std::vector<NameId> files;
  for (const std::string& file : table.files) files.push_back(intern(short_path(file)));
  DeviceCode code{.functions = {}, .unread_units = table.unread_units};
  for (const ElfFile::Symbol& symbol : elf->symbols()) {
    if (symbol.type != kFunction) continue;
    code.functions.push_back({.mangled_name = intern(symbol.name),
                              .address = 0,
                              .code_bytes = symbol.size,
                              .lines = lines_of(symbol, table, files)});
  }
  return code;
}

}  // namespace sonde
