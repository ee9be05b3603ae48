#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the service tells a keeper: a text that it gets as an open file. The keeper is a program of its own, which
/// includes nothing but src/dispatch/keeper, so that it starts in a millisecond and takes little memory.
namespace sonde::dispatch::keeper {

struct KeeperLaunch {
  std::vector<std::string> command;
  std::vector<std::string> environment;  ///< NAME=VALUE, all of it
  std::string folder;                    ///< to run in
  std::string output;                    ///< path of the output files without ".stdout" and ".stderr"
  int64_t time_limit_ns = 0;             ///< 0: none
  int64_t grace_ns = 0;                  ///< between SIGTERM and SIGKILL
  int64_t output_limit_bytes = 0;        ///< of each stream
  int64_t task = 0;
  int64_t attempt = 0;
};

/// "sonde-launch 1", then "NAME LENGTH", a line end, so many bytes and a line end for each value. A reader skips names
/// that it does not know; another number is refused.
[[nodiscard]] std::string launch_text(const KeeperLaunch& launch);
[[nodiscard]] std::optional<KeeperLaunch> parse_launch(std::string_view text);

}  // namespace sonde::dispatch::keeper
