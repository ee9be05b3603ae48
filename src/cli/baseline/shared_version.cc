#include "cli/baseline/shared_version.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace sonde {
namespace {

/// The first line that a command prints; empty where it cannot be run or fails.
std::string first_line(const char* command) {
  std::FILE* const pipe = popen(command, "re");
  if (pipe == nullptr) return {};
  constexpr size_t kLongestLine = 512;
  std::array<char, kLongestLine> buffer{};
  const bool any = std::fgets(buffer.data(), buffer.size(), pipe) != nullptr;
  std::string line = any ? buffer.data() : "";
  if (pclose(pipe) != 0) return {};
  line.erase(std::min(line.find('\n'), line.size()));
  return line;
}

template <size_t N>
std::string first_variable(const std::array<const char*, N>& names) {
  for (const char* name : names) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in this program changes its environment.
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

constexpr std::array kCommitVariables = {"GITHUB_SHA", "GIT_COMMIT", "CI_COMMIT_SHA"};
constexpr std::array kBranchVariables = {"GITHUB_HEAD_REF", "GITHUB_REF_NAME", "GIT_BRANCH", "BRANCH_NAME",
                                         "CI_COMMIT_REF_NAME"};

}  // namespace

Version version_here() {
  Version version{.commit = first_line("git rev-parse --verify --quiet HEAD 2>/dev/null"),
                  .branch = first_line("git symbolic-ref --short --quiet HEAD 2>/dev/null")};
  if (version.commit.empty()) version.commit = first_variable(kCommitVariables);
  if (version.branch.empty()) version.branch = first_variable(kBranchVariables);
  return version;
}

}  // namespace sonde
