#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/system/system_reason.h"
#include "dispatch/executor/process_executor.h"

namespace sonde::dispatch {

Result<std::unique_ptr<Executor>> Executor::open(const std::string& folder, std::function<void(EndReport)> ended) {
  auto files = AttemptFiles::open(folder);
  if (!files) return std::unexpected(files.error());
  auto program = KeeperProgram::find();
  if (!program) return std::unexpected(program.error());
  Descriptor live_folder(::open(files->live_folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!live_folder) return fail("cannot open '{}': {}", files->live_folder(), system_reason(errno));
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return fail("cannot run tasks: {}", system_reason(errno));
  return std::make_unique<ProcessExecutor>(std::move(*files), std::move(live_folder),
                                           std::array{Descriptor(ends[0]), Descriptor(ends[1])}, std::move(*program),
                                           std::move(ended));
}

}  // namespace sonde::dispatch
