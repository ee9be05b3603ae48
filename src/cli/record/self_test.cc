#include "cli/record/self_test.h"

#include <filesystem>

#include "record/self_test/self_test.h"

namespace sonde::record_cli {
namespace {

/// sonde-self-test as it is installed beside this program or its library.
std::string find_program(const std::string& library) {
  std::error_code error;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const auto& folder : {here, std::filesystem::path(library).parent_path()}) {
    if (std::filesystem::exists(folder / "sonde-self-test", error)) return folder / "sonde-self-test";
  }
  return {};
}

}  // namespace

Status try_cuda(record::RecordOptions& options) {
  if (!options.wanted.cuda) return {};
  const std::string program = find_program(options.library);
  if (program.empty()) {
    options.remarks.push_back({true, "self-test skipped: sonde-self-test is missing next to sonde; install it there"});
    return {};
  }
  const auto runner = system_subprocess_runner();
  const auto test = record::self_test(*runner, program, options.library);
  if (!test) return std::unexpected(test.error());
  if (const auto remark = remark_of(*test)) options.remarks.push_back(*remark);
  return {};
}

}  // namespace sonde::record_cli
