#include "api/schema/strict_json.h"

#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace sonde::api {
namespace {

/// Follows the parser and remembers the first thing that a lenient parser would have let pass.
class Watch {
 public:
  bool see(nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
    if (!trouble_.empty()) return false;
    switch (event) {
      case nlohmann::json::parse_event_t::object_start:
      case nlohmann::json::parse_event_t::array_start: open(); break;
      case nlohmann::json::parse_event_t::object_end:
      case nlohmann::json::parse_event_t::array_end: keys_.pop_back(); break;
      case nlohmann::json::parse_event_t::key: key(parsed.get_ref<const std::string&>()); break;
      default: break;  // a value
    }
    return trouble_.empty();
  }
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  void open() {
    keys_.emplace_back();
    if (keys_.size() > kMaxDepth) trouble_ = fmt::format("is nested more than {} levels deep", kMaxDepth);
  }
  void key(const std::string& name) {
    if (!keys_.back().insert(name).second) trouble_ = fmt::format("contains the duplicate key '{}'", name);
  }

  std::vector<std::set<std::string>> keys_;
  std::string trouble_;
};

/// The library's message without its own number: "parse error at line 1, column 3: ...".
std::string reason(const nlohmann::json::exception& error) {
  const std::string_view text = error.what();
  const size_t number = text.find("] ");
  return std::string(number == std::string_view::npos ? text : text.substr(number + 2));
}

}  // namespace

Result<nlohmann::json> parse_strictly(std::string_view text) {
  Watch watch;
  try {
    nlohmann::json json = nlohmann::json::parse(text, [&](int, nlohmann::json::parse_event_t event,
                                                          nlohmann::json& parsed) { return watch.see(event, parsed); });
    if (!watch.trouble().empty()) return fail("{}", watch.trouble());
    return json;
  } catch (const nlohmann::json::exception& error) {
    if (!watch.trouble().empty()) return fail("{}", watch.trouble());
    return fail("cannot be parsed: {}", reason(error));
  }
}

}  // namespace sonde::api
