#include "base/text/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text/utf8.h"

namespace sonde {
namespace {

constexpr std::string_view kHidden = "***";

/// Last parts of names whose values are secret. "tokens" is not among them: --max-new-tokens is a number.
constexpr std::array<std::string_view, 13> kSecretNames = {
    "key",         "token", "secret",        "password", "passwd", "pass",  "pwd",
    "credentials", "auth",  "authorization", "cookie",   "dsn",    "bearer"};
/// Anywhere in a name, its dashes and underscores left out.
constexpr std::array<std::string_view, 6> kSecretParts = {"password", "passphrase", "secret",
                                                          "apikey",   "accesskey",  "privatekey"};
/// Keys of services begin so: Hugging Face, OpenAI and those who copy it, GitHub, GitLab, Slack, AWS, NVIDIA, JWT.
constexpr std::array<std::string_view, 13> kSecretBeginnings = {"hf_",         "sk-",      "ghp_",  "gho_",  "ghs_",
                                                                "github_pat_", "glpat-",   "xoxb-", "xoxp-", "AKIA",
                                                                "nvapi-",      "eyJhbGci", "r8_"};
constexpr size_t kShortestKey = 16;  // the shortest of these (AWS: 20) is longer; `sk-learn` is not

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// Where the part of a name behind its last '-', '_' or '.' begins.
std::string_view last_part(std::string_view name) {
  const size_t cut = name.find_last_of("-_.");
  return cut == std::string_view::npos ? name : name.substr(cut + 1);
}

bool is_secret_name(std::string_view shown) {
  std::string name(shown);
  std::ranges::transform(name, name.begin(), lower);
  if (std::ranges::find(kSecretNames, last_part(name)) != kSecretNames.end()) return name != "pwd";  // $PWD is a path
  std::erase_if(name, [](char c) { return c == '-' || c == '_'; });
  return std::ranges::any_of(kSecretParts, [&](std::string_view part) { return name.contains(part); });
}

bool is_key(std::string_view word) {
  return word.size() >= kShortestKey &&
         std::ranges::any_of(kSecretBeginnings, [&](std::string_view begin) { return word.starts_with(begin); });
}

/// "--name" or "-name"; the name alone, empty where it is no option.
std::string_view option_name(std::string_view word) {
  const size_t begin = word.find_first_not_of('-');
  return begin == 0 || begin == std::string_view::npos ? std::string_view() : word.substr(begin);
}

/// "scheme://user:password@host" without the password.
std::string without_url_password(std::string word) {
  const size_t scheme = word.find("://");
  if (scheme == std::string::npos) return word;
  const size_t begin = scheme + 3;
  const size_t end = std::min(word.find_first_of("/?#", begin), word.size());
  const size_t at = word.rfind('@', end);
  if (at == std::string::npos || at < begin) return word;
  const size_t colon = word.find(':', begin);
  const size_t from = colon < at ? colon + 1 : begin;
  return word.replace(from, at - from, kHidden);
}

std::vector<std::string> parts_of(std::string_view word) {
  std::vector<std::string> parts(1);
  for (const char c : word) {
    if (c == ' ') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// A word that is a line itself (`bash -c "KEY=1 python x.py"`, a title that a process gave itself).
std::string without_secrets_in_line(std::string_view line) {
  std::string shown;
  for (const std::string& part : without_secrets(parts_of(line))) shown += (shown.empty() ? "" : " ") + part;
  return shown;
}

/// One word; says whether the next one is the secret that this one names.
std::string shown_word(const std::string& word, bool& next_is_secret) {
  if (word.contains(' ')) return without_secrets_in_line(word);
  if (is_key(word)) return std::string(kHidden);
  const size_t equals = word.find('=');
  if (equals != std::string::npos) {
    const size_t name = std::min(word.find_first_not_of('-'), equals);
    const std::string_view value = std::string_view(word).substr(equals + 1);
    if (is_secret_name(std::string_view(word).substr(name, equals - name)) || is_key(value)) {
      return word.substr(0, equals + 1).append(kHidden);
    }
    return without_url_password(word);
  }
  const bool header = word.ends_with(':') && is_secret_name(std::string_view(word).substr(0, word.size() - 1));
  next_is_secret = header || word == "Bearer" || is_secret_name(option_name(word));
  return without_url_password(word);
}

}  // namespace

std::vector<std::string> without_secrets(const std::vector<std::string>& words) {
  std::vector<std::string> shown;
  shown.reserve(words.size());
  bool is_secret = false;
  for (const std::string& word : words) {
    bool next_is_secret = false;
    std::string other = shown_word(word, next_is_secret);
    // An option that follows says that the one before had no value; "Authorization: Bearer X" hides X too.
    const bool hide = is_secret && !word.starts_with("--");
    shown.push_back(hide && word != "Bearer" ? std::string(kHidden) : std::move(other));
    is_secret = next_is_secret;
  }
  return shown;
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const bool control = length == 1 && (static_cast<unsigned char>(text[0]) < 0x20 || text[0] == 0x7F);
    const bool c1 = length == 2 && text[0] == '\xC2' && static_cast<unsigned char>(text[1]) < 0xA0;
    if (length == 0) {
      shown += '?';
    } else if (control || c1) {
      shown += ' ';
    } else {
      shown += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return shown;
}

}  // namespace sonde
