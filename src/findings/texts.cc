#include "findings/texts.h"

#include "findings/rule.h"

namespace sonde {

std::string_view catalogue_text(std::string_view id) {
  for (const Rule* rule : rules()) {
    if (const std::string_view text = text_in(rule->texts, id); !text.empty()) return text;
  }
  return text_in(check_texts(), id);
}

}  // namespace sonde
