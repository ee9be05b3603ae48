#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sonde {

/// The words of a command line with "***" in place of what looks like a secret: the value of an option or variable
/// whose name ends in key, token, secret, password and the like (`--hf-token X`, `WANDB_API_KEY=X`), a password in a
/// URL, and keys that are known by their beginning (`hf_`, `sk-`, `ghp_`). Too much is hidden rather than too little.
[[nodiscard]] std::vector<std::string> without_secrets(const std::vector<std::string>& words);

/// A text with one blank in place of each control character and '?' in place of each byte that is not UTF-8: safe for
/// terminals and JSON.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace sonde
