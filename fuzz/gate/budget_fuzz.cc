// Reads any bytes as a budget. Each problem has a place in the text and a sentence. Without problems there is a rule.

#include <cstdint>
#include <cstdlib>

#include "gate/budget.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sonde::gate;
  const BudgetReading reading = read_budget({reinterpret_cast<const char*>(data), size});
  for (const BudgetProblem& problem : reading.problems) {
    if (problem.message.empty() || problem_text("budget.yaml", problem).empty()) std::abort();
  }
  for (const BudgetRule& rule : reading.budget.rules) {
    if (rule.metric == nullptr || rule.name.empty()) std::abort();
  }
  if (reading.problems.empty() && reading.budget.rules.empty()) std::abort();
  return 0;
}
