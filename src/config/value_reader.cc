#include "config/value_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/byte_size.h"
#include "base/text/decimal.h"
#include "base/text/lower_case.h"
#include "base/text/suggest.h"

namespace sonde::config {
namespace {

constexpr std::string_view kYamlTag = "tag:yaml.org,2002:";

bool is_text(const YAML::Node& node) { return node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str"; }

/// As YAML 1.1 has them.
std::optional<bool> flag_of(std::string_view text) {
  constexpr auto kTrue = std::to_array<std::string_view>({"true", "yes", "on"});
  constexpr auto kFalse = std::to_array<std::string_view>({"false", "no", "off"});
  const std::string lower = lower_case(text);
  if (std::ranges::find(kTrue, lower) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, lower) != kFalse.end()) return false;
  return std::nullopt;
}

std::string_view without_sign(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return text;
}

bool is_not_finite(std::string_view text) {
  constexpr auto kNames = std::to_array<std::string_view>({".inf", "inf", "infinity", ".nan", "nan"});
  return std::ranges::find(kNames, lower_case(without_sign(text))) != kNames.end();
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Reads one value and reports its errors.
class ValueReader {
 public:
  ValueReader(const Rule& rule, std::string_view unit, const Complain& complain)
      : rule_(rule), unit_(unit), complain_(complain), allowed_(allowed_text(rule, unit)) {}

  void read(const YAML::Node& node, bool& to) {
    const auto text = plain(node, "");
    if (!text) return;
    const auto value = flag_of(*text);
    if (value) {
      to = *value;
    } else {
      wrong(node, "", fmt::format("{} is neither true nor false", in_quotes(*text)));
    }
  }

  void read(const YAML::Node& node, int64_t& to) {
    if (const auto value = read_integer(node)) to = *value;
  }

  void read(const YAML::Node& node, double& to) {
    if (const auto value = read_number(node, "")) to = *value;
  }

  void read(const YAML::Node& node, std::string& to) {
    if (auto value = read_text(node)) to = std::move(*value);
  }

  void read(const YAML::Node& node, std::vector<std::string>& to) {
    if (!node.IsSequence() && !is_left_empty(node, rule_.kind != Kind::some_of)) return;
    std::vector<std::string> list;
    std::set<std::string> seen;
    const size_t before = complaints_;
    for (const YAML::Node& item : node) {
      auto text = read_text(item);
      if (!text) continue;
      if (rule_.kind == Kind::words || seen.insert(*text).second) {
        list.push_back(std::move(*text));
      } else {
        wrong(item, "", fmt::format("duplicate {}", in_quotes(*text)));
      }
    }
    if (rule_.kind == Kind::some_of && node.size() == 0) wrong(node, "", "the list is empty");
    if (complaints_ == before) to = std::move(list);
  }

  void read(const YAML::Node& node, std::map<std::string, std::string>& to) {
    read_map(node, to, [this](const YAML::Node& value, const std::string& name) { return read_item(value, name); });
  }

  void read(const YAML::Node& node, std::map<std::string, int64_t>& to) {
    read_map(node, to, [this](const YAML::Node& value, const std::string& name) { return read_whole(value, name); });
  }

  void read(const YAML::Node& node, std::map<std::string, TaskType>& to) {
    read_map(node, to, [this](const YAML::Node& value, const std::string& name) { return read_type(value, name); });
  }

 private:
  void wrong(const YAML::Node& node, std::string_view below, std::string_view what) {
    wrong_at(node.Mark(), below, what);
  }
  void wrong_at(const YAML::Mark& mark, std::string_view below, std::string_view what) {
    ++complaints_;
    complain_(mark, below, fmt::format("{}; allowed: {}", what, allowed_));
  }

  /// Nothing behind the key is an empty list or map where those are allowed.
  bool is_left_empty(const YAML::Node& node, bool may_be_empty) {
    if (node.IsNull() && may_be_empty) return true;
    wrong(node, "", stands_here(node));
    return false;
  }

  std::optional<std::string> scalar(const YAML::Node& node, std::string_view below) {
    if (!node.IsScalar()) {
      wrong(node, below, stands_here(node));
    } else if (has_foreign_tag(node)) {
      wrong(node, below, fmt::format("unknown tag {}", in_quotes(node.Tag())));
    } else {
      return node.Scalar();
    }
    return std::nullopt;
  }

  /// A scalar that is no text, as numbers and flags are not.
  std::optional<std::string> plain(const YAML::Node& node, std::string_view below) {
    auto text = scalar(node, below);
    if (!text || !is_text(node)) return text;
    wrong(node, below, fmt::format("{} is a string; remove the quotation marks", in_quotes(*text)));
    return std::nullopt;
  }

  std::optional<double> read_number(const YAML::Node& node, std::string_view below) {
    const auto text = plain(node, below);
    if (!text) return std::nullopt;
    const std::string_view digits = without_sign(*text);
    const auto value = real_of(text->starts_with('+') ? digits : std::string_view(*text));
    if (is_not_finite(*text)) {
      wrong(node, below, fmt::format("{} is not a finite number", in_quotes(*text)));
    } else if (!value || !std::isfinite(*value) || text->starts_with("+-")) {
      wrong(node, below, fmt::format("{} is not a number", in_quotes(*text)));
    } else if (digits.size() > 1 && digits[0] == '0' && is_digits(digits)) {
      wrong(node, below, fmt::format("{} begins with 0, which some YAML parsers read as octal", in_quotes(*text)));
    } else if (is_out_of_range(*value)) {
      wrong(node, below, fmt::format("{} is out of range{}", in_quotes(*text), percent_hint(*value)));
    } else {
      return value;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool is_out_of_range(double value) const {
    return value < rule_.min || value > rule_.max || (rule_.min_is_refused && value == rule_.min);
  }

  [[nodiscard]] std::string percent_hint(double value) const {
    constexpr double kPercent = 100;
    constexpr double kMin = 10;  // nobody means a threshold of so few percent
    if (unit_ != "share" || value < kMin || value > kPercent) return {};
    return fmt::format(" ({} % are {})", value, value / kPercent);
  }

  std::optional<int64_t> read_whole(const YAML::Node& node, std::string_view below) {
    const auto value = read_number(node, below);
    if (!value) return std::nullopt;
    if (*value == std::floor(*value)) return static_cast<int64_t>(*value);
    wrong(node, below, fmt::format("{} is not a whole number", in_quotes(node.Scalar())));
    return std::nullopt;
  }

  std::optional<int64_t> read_integer(const YAML::Node& node) {
    if (rule_.kind == Kind::capability) return read_capability(node);
    return rule_.kind == Kind::size ? read_size(node) : read_whole(node, "");
  }

  /// "16GiB", or bytes as any number is read.
  std::optional<int64_t> read_size(const YAML::Node& node) {
    if (!node.IsScalar() || node.Scalar().find_first_of("BbGgKkMmTti") == std::string::npos)
      return read_whole(node, "");
    const auto text = scalar(node, "");
    if (!text) return std::nullopt;
    const auto bytes = bytes_of_text(*text);
    if (!bytes) {
      wrong(node, "", fmt::format("{} is not a valid size", in_quotes(*text)));
    } else if (is_out_of_range(static_cast<double>(*bytes))) {
      wrong(node, "", fmt::format("{} is out of range", in_quotes(*text)));
    } else {
      return bytes;
    }
    return std::nullopt;
  }

  /// The keys of one type of task.
  std::optional<TaskType> read_type(const YAML::Node& node, const std::string& name);

  /// 100 * major + minor, of the text: as a number 10.0 would be below 9.0 nowhere, but 7.10 would be 7.1.
  std::optional<int64_t> read_capability(const YAML::Node& node) {
    constexpr int64_t kPerMajor = 100;
    constexpr size_t kMaxDigits = 2;
    const auto text = scalar(node, "");
    if (!text) return std::nullopt;
    const std::string_view major = std::string_view(*text).substr(0, text->find('.'));
    const std::string_view minor =
        major.size() == text->size() ? std::string_view("0") : std::string_view(*text).substr(major.size() + 1);
    if (is_digits(major) && major[0] != '0' && major.size() <= kMaxDigits && is_digits(minor) && minor.size() == 1) {
      return kPerMajor * integer_of<int64_t>(major).value_or(0) + integer_of<int64_t>(minor).value_or(0);
    }
    wrong(node, "", fmt::format("{} is not a valid compute capability", in_quotes(*text)));
    return std::nullopt;
  }

  /// A text of the key's form, or one of its names.
  std::optional<std::string> read_text(const YAML::Node& node) {
    auto text = scalar(node, "");
    if (!text) return std::nullopt;
    if (rule_.form != nullptr) return checked_form(node, "", *text);
    if (std::ranges::find(rule_.names, *text) != rule_.names.end()) return text;
    wrong(node, "", fmt::format("{} is not known{}", in_quotes(*text), hint(*text)));
    return std::nullopt;
  }

  [[nodiscard]] std::string hint(std::string_view text) const {
    constexpr size_t kLongest = 64;  // the search takes the product of the lengths
    if (text.empty() || text.size() > kLongest) return {};
    const std::string lower = lower_case(text);  // WARN is meant for warning
    const auto longer = std::ranges::find_if(rule_.names, [&](auto name) { return name.starts_with(lower); });
    const auto best = longer == rule_.names.end() ? nearest(lower, rule_.names) : std::optional(*longer);
    return best ? fmt::format(" (did you mean '{}'?)", *best) : std::string();
  }

  std::optional<std::string> checked_form(const YAML::Node& node, std::string_view below, const std::string& text) {
    const TextForm& form = *rule_.form;
    if (text.empty() ? form.may_be_empty : form.holds(text)) return text;
    wrong(node, below, text.empty() ? "the string is empty" : fmt::format("{} is not valid", in_quotes(text)));
    return std::nullopt;
  }

  /// The text of a label, or the GPU of a type.
  std::optional<std::string> read_item(const YAML::Node& node, const std::string& name) {
    auto text = scalar(node, name);
    const bool has_form = rule_.kind == Kind::gpu_by_type || rule_.kind == Kind::url_by_gpu;
    if (!text || !has_form) return text;
    return checked_form(node, name, *text);
  }

  template <typename T, typename Read>
  void read_map(const YAML::Node& node, std::map<std::string, T>& to, Read read_one) {
    const bool may_be_empty = rule_.kind != Kind::levels;
    if (!node.IsMap() && !is_left_empty(node, may_be_empty)) return;
    std::map<std::string, T> map;
    std::set<std::string> seen;
    const size_t before = complaints_;
    for (const auto& entry : node) {
      const auto name = read_name(entry.first);
      if (!name) continue;
      if (!seen.insert(*name).second) {
        wrong(entry.first, *name, "duplicate key");
        continue;
      }
      // Where nothing stands behind the colon, the name has a place and the nothing may have none.
      if (entry.second.IsNull()) {
        wrong(entry.first, *name, stands_here(entry.second));
      } else if (const auto value = read_one(entry.second, *name)) {
        map.emplace(*name, *value);
      }
    }
    if (!may_be_empty && node.size() == 0) wrong(node, "", "it is empty");
    if (complaints_ == before) to = std::move(map);
  }

  [[nodiscard]] bool is_good_name(const std::string& name) const {
    switch (rule_.kind) {
      case Kind::labels: return is_label_name(name);
      case Kind::variables: return is_variable(name);
      case Kind::url_by_gpu: return is_gpu_name(name);
      default: return is_name(name);
    }
  }

  std::optional<std::string> read_name(const YAML::Node& node) {
    std::string name = node.IsScalar() ? node.Scalar() : "";
    if (is_good_name(name)) return name;
    wrong(node, "",
          node.IsScalar() ? fmt::format("{} is not a valid name", in_quotes(name)) : std::string(stands_here(node)));
    return std::nullopt;
  }

  const Rule& rule_;
  std::string_view unit_;
  const Complain& complain_;
  std::string allowed_;
  size_t complaints_ = 0;
};

/// Reads the entry of one type and reports its errors with the type's name.
class TypeReader {
 public:
  TypeReader(std::string type, const Complain& complain) : type_(std::move(type)), complain_(complain) {}

  std::optional<TaskType> read(const YAML::Node& node) {
    TaskType type;
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : "";
      const auto* const key = std::ranges::find(type_keys(), name, &TypeKey::name).base();
      if (key == type_keys().data() + type_keys().size()) {
        unknown(entry.first, name);
      } else if (!seen.insert(name).second) {
        report(entry.first.Mark(), name, "duplicate key; allowed: once");
      } else {
        read_member(entry.first.Mark(), entry.second, *key, type);
      }
    }
    return complaints_ == 0 ? std::optional(std::move(type)) : std::nullopt;
  }

 private:
  void read_member(const YAML::Mark& name, const YAML::Node& node, const TypeKey& key, TaskType& type) {
    const Complain complain = [&](const YAML::Mark& mark, std::string_view below, std::string says) {
      const bool has_place = !mark.is_null() && !node.IsNull();
      report(has_place ? mark : name, below.empty() ? std::string(key.name) : fmt::format("{}.{}", key.name, below),
             std::move(says));
    };
    ValueReader reader(key.rule, key.unit, complain);
    std::visit([&](auto* value) { reader.read(node, *value); }, key.slot(type));
  }

  void unknown(const YAML::Node& node, const std::string& name) {
    std::vector<std::string_view> names;
    std::ranges::transform(type_keys(), std::back_inserter(names), &TypeKey::name);
    constexpr size_t kLongest = 64;  // the search takes the product of the lengths
    const auto best = name.size() > kLongest ? std::nullopt : nearest(name, names);
    const std::string hint = best ? fmt::format(" (did you mean '{}'?)", *best) : "";
    const std::string what = node.IsScalar() ? "unknown key" + hint : "a key must be a plain name";
    report(node.Mark(), name, fmt::format("{}; allowed: {}", what, fmt::join(names, ", ")));
  }

  void report(const YAML::Mark& mark, const std::string& below, std::string says) {
    ++complaints_;
    complain_(mark, below.empty() ? type_ : fmt::format("{}.{}", type_, below), std::move(says));
  }

  std::string type_;
  const Complain& complain_;
  size_t complaints_ = 0;
};

std::optional<TaskType> ValueReader::read_type(const YAML::Node& node, const std::string& name) {
  if (!node.IsMap()) {
    wrong(node, name, stands_here(node));
    return std::nullopt;
  }
  auto type = TypeReader(name, complain_).read(node);
  if (!type) ++complaints_;
  return type;
}

}  // namespace

void read_value(const YAML::Node& node, const Key& key, Config& config, const Complain& complain) {
  ValueReader reader(key.rule, key.unit, complain);
  std::visit([&](auto* value) { reader.read(node, *value); }, key.slot(config));
}

std::string in_quotes(std::string_view text) {
  constexpr size_t kMaxBytes = 60;
  std::string shown = "'";
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool begins_character = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (i >= kMaxBytes && begins_character) return shown + "...'";
    const bool is_control = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    shown += is_control ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return shown + "'";
}

std::string_view stands_here(const YAML::Node& node) {
  if (node.IsMap()) return "found nested keys";
  if (node.IsSequence()) return "found a list";
  if (node.IsScalar()) return "found a single value";
  return "the value is missing";
}

bool has_foreign_tag(const YAML::Node& node) {
  const std::string& tag = node.Tag();
  return !tag.empty() && tag != "?" && tag != "!" && !tag.starts_with(kYamlTag);
}

}  // namespace sonde::config
