#pragma once

#include <string>

namespace sonde {

/// Which version of a program was measured; empty texts where nothing tells.
struct Version {
  std::string commit;
  std::string branch;
};

/// Of the git work tree around the working folder, else what a CI service says in its variables: GitHub Actions,
/// Jenkins, GitLab CI. A branch that git does not know (a detached head) is taken from there too.
[[nodiscard]] Version version_here();

}  // namespace sonde
