#pragma once

#include <cstdint>

/// The rows of rank_variables.inc.
namespace sonde::wire {

struct RankVariables {
  const char* launcher;
  const char* needed;
  const char* rank;
  const char* ranks;  ///< empty: the launcher does not say
  const char* local_rank;
};

inline constexpr RankVariables kRankVariables[] = {
#define SONDE_RANK_VARIABLES(launcher, needed, rank, ranks, local_rank) {launcher, needed, rank, ranks, local_rank},
#include "wire/rank_variables.inc"
#undef SONDE_RANK_VARIABLES
};

inline constexpr uint32_t kRankRows = sizeof kRankVariables / sizeof *kRankVariables;

}  // namespace sonde::wire
