#pragma once

#include <optional>
#include <string>

namespace sonde {

/// The value, or JSON's null for what is not known. `Json` is one of nlohmann's types.
template <typename Json, typename T>
[[nodiscard]] Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// The same for a text that is empty where it is not known.
template <typename Json>
[[nodiscard]] Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

}  // namespace sonde
