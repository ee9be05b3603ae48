// dump_decision FOLDER: writes decisions made by hand, without profiles, in every format to FOLDER/CASE.FORMAT.

#include <fstream>

#include <fmt/format.h>

#include "report/decision/decision_format.h"
#include "sample_decision.h"

namespace {

using namespace sonde;

void dump(const std::string& folder, std::string_view name, const gate::Decision& decision,
          const std::string& budget_file) {
  const DecisionContext context{.budget_file = budget_file, .title = budget_file};
  for (const DecisionFormat* format : decision_formats()) {
    std::ofstream file(fmt::format("{}/{}.{}", folder, name, format->name), std::ios::binary);
    format->write(decision, context, [&](std::string_view text) { file << text; });
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: dump_decision FOLDER\n");
    return 2;
  }
  const std::string folder = argv[1];
  dump(folder, "usual", sample_decisions::sample_decision()->decision, "budgets/my budget.yaml");
  dump(folder, "passing", sample_decisions::passing_decision()->decision, "budget.yaml");
  dump(folder, "hostile", sample_decisions::sample_decision(sample_decisions::hostile_name())->decision,
       sample_decisions::hostile_name());
  dump(folder, "large", sample_decisions::many_kernels(2000)->decision, "/srv/budget.yaml");
  dump(folder, "empty", gate::Decision(), "");
  return 0;
}
