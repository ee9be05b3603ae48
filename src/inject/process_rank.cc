#include "inject/process_rank.h"

#include <climits>
#include <cstdlib>

#include "wire/rank_variables.h"

namespace sonde::inject {
namespace {

constexpr int32_t kNotKnown = -1;

constinit bool known = false;
constinit wire::ProcessRankBody found{};

const char* variable(const char* name) noexcept {
  return *name == '\0' ? nullptr : getenv(name);  // NOLINT(concurrency-mt-unsafe): the program has not begun.
}

/// kNotKnown where it is no number, or none that a rank can be.
int32_t number_in(const char* name) noexcept {
  const char* const text = variable(name);
  if (text == nullptr || *text < '0' || *text > '9') return kNotKnown;
  char* end = nullptr;
  const long value = strtol(text, &end, 10);
  return *end == '\0' && value <= INT_MAX ? static_cast<int32_t>(value) : kNotKnown;
}

}  // namespace

void read_process_rank() noexcept {
  for (uint32_t row = 0; row < wire::kRankRows && !known; ++row) {
    const wire::RankVariables& names = wire::kRankVariables[row];
    const int32_t rank = variable(names.needed) == nullptr ? kNotKnown : number_in(names.rank);
    if (rank == kNotKnown) continue;
    found = {row, rank, number_in(names.ranks), number_in(names.local_rank)};
    known = true;
  }
}

bool process_rank(wire::ProcessRankBody& body) noexcept {
  body = found;
  return known;
}

}  // namespace sonde::inject
