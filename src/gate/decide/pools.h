#pragma once

#include <map>
#include <string>
#include <vector>

#include "gate/decide/figures.h"

/// Which kernels (or modules) are judged by themselves, and which together.
namespace sonde::gate {

/// Time by name, of a mean run.
using Times = std::map<std::string, double, std::less<>>;

struct Pools {
  Names single;     ///< by themselves
  Names small;      ///< together: each has less than kSmallShare on both sides; never one alone
  Names base_only;  ///< together with changed_only: none of them on the other side
  Names changed_only;
};

/// `whole`: the time that shares are of. What is on one side only and small as a whole counts with the small ones.
[[nodiscard]] Pools pools_of(const Times& base, const Times& changed, double whole);

}  // namespace sonde::gate
