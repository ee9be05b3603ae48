#include <array>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/place.h"

namespace sonde::gate {
namespace code_loading {
namespace {

void claim_code_loading(CauseLedger& ledger) {
  constexpr std::array<std::string_view, 1> kCauses = {"load"};
  const std::vector<Leaf*> leaves = ledger.open_idle(kCauses);
  std::vector<Argument> arguments = {named_text("module", place_of(leaves))};
  const CauseCase facts = add_time_arguments(leaves, arguments);
  ledger.claim("code_loading", leaves, std::move(arguments), facts);
}

}  // namespace
}  // namespace code_loading

extern const CauseRule code_loading_cause;
const CauseRule code_loading_cause{"code_loading", code_loading::claim_code_loading};

}  // namespace sonde::gate
