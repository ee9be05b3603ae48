#include "inject/metrics/range_pattern.h"

#include <cstring>

namespace sonde::inject::metrics {
namespace {

bool is(const char* key, const char* name) noexcept { return strcmp(key, name) == 0; }

bool set_style(Pattern& pattern, const char* style) noexcept {
  pattern.push_pop = strncmp(style, "push", 4) == 0;
  if (!pattern.push_pop) return is(style, "start");
  pattern.bottom = strchr(style, '[') != nullptr;
  pattern.top = strchr(style, ']') != nullptr;
  return true;
}

/// False for a key that is no element's, or an expression that is none.
bool set_element(Element& element, const char* key, const char* value) noexcept {
  using Kind = Element::Kind;
  element.text = value;
  element.kind = is(key, "name")    ? Kind::name
                 : is(key, "regex") ? Kind::regex
                 : is(key, "one")   ? Kind::one
                                    : Kind::any_number;
  if (element.kind == Kind::any_number) return is(key, "any");
  return element.kind != Kind::regex || regcomp(&element.regex, value, REG_EXTENDED | REG_NOSUB) == 0;
}

/// The old one is left as it is.
void renew_expression(Element& element) noexcept {
  if (element.kind != Element::Kind::regex) return;
  element.regex = regex_t{};
  if (regcomp(&element.regex, element.text, REG_EXTENDED | REG_NOSUB) != 0) element.kind = Element::Kind::name;
}

/// Depths, as bits: where what is left of a pattern may begin. Bit n: above the n outermost ranges of its domain.
using Depths = uint64_t;

Depths up_to(uint32_t depth) noexcept { return (Depths{2} << depth) - 1; }

bool matches_stack(const Patterns& patterns, uint32_t which, const OpenRanges& open) noexcept {
  const Pattern& pattern = patterns.all[which];
  if (pattern.top && open.has_more) return false;
  uint32_t elements[32];  // of the ranges of its domain
  uint32_t depth = 0;
  for (uint32_t i = 0; i < open.depth; ++i) {
    if ((open.stack[i].patterns >> which & 1U) != 0) elements[depth++] = open.stack[i].elements;
  }
  Depths at = pattern.bottom ? 1 : up_to(depth);
  for (uint32_t e = pattern.first; e < pattern.first + pattern.count; ++e) {
    if (patterns.elements[e].kind == Element::Kind::any_number) {
      at = up_to(depth) & ~((at & (~at + 1)) - 1);  // the lowest and all above
      continue;
    }
    Depths matching = 0;
    for (uint32_t i = 0; i < depth; ++i) matching |= Depths{elements[i] >> e & 1U} << i;
    at = (at & matching) << 1U;
    if (at == 0) return false;
  }
  return pattern.top ? (at >> depth & 1U) != 0 : at != 0;
}

bool matches(const Patterns& patterns, uint32_t which, const OpenRanges& open) noexcept {
  const Pattern& pattern = patterns.all[which];
  if (pattern.push_pop) return matches_stack(patterns, which, open);
  const auto wanted = static_cast<uint32_t>(((uint64_t{1} << pattern.count) - 1) << pattern.first);
  return (open.started & wanted) == wanted;
}

}  // namespace

bool Element::matches(const char* data, size_t bytes) const noexcept {
  if (kind == Kind::name) return strlen(text) == bytes && memcmp(text, data, bytes) == 0;
  if (kind != Kind::regex) return true;
  regmatch_t extent{0, static_cast<regoff_t>(bytes)};  // the text does not end in a zero
  return regexec(&regex, data, 1, &extent, REG_STARTEND) == 0;
}

bool Patterns::take(const char* key, const char* value) noexcept {
  if (is(key, "include") || is(key, "exclude")) {
    if (count == kMaxPatterns) return false;
    Pattern& pattern = all[count++];
    pattern.exclude = is(key, "exclude");
    pattern.first = element_count;
    return set_style(pattern, value);
  }
  if (count == 0) return false;
  Pattern& pattern = all[count - 1];
  if (is(key, "domain")) return set_element(pattern.domain, "name", value);
  if (is(key, "domain_regex")) return set_element(pattern.domain, "regex", value);
  if (element_count == kMaxElements || !set_element(elements[element_count], key, value)) return false;
  ++element_count;
  ++pattern.count;
  return true;
}

void Patterns::renew() noexcept {
  for (uint32_t i = 0; i < count; ++i) renew_expression(all[i].domain);
  for (uint32_t i = 0; i < element_count; ++i) renew_expression(elements[i]);
}

bool Patterns::has_expressions() const noexcept {
  for (uint32_t i = 0; i < count; ++i) {
    if (all[i].domain.kind == Element::Kind::regex) return true;
  }
  for (uint32_t i = 0; i < element_count; ++i) {
    if (elements[i].kind == Element::Kind::regex) return true;
  }
  return false;
}

RangeBits bits_of(const Patterns& patterns, bool push_pop, const char* domain, size_t domain_bytes, const char* name,
                  size_t name_bytes) noexcept {
  RangeBits bits;
  for (uint32_t which = 0; which < patterns.count; ++which) {
    const Pattern& pattern = patterns.all[which];
    if (pattern.push_pop != push_pop || !pattern.domain.matches(domain, domain_bytes)) continue;
    bits.patterns = static_cast<uint16_t>(bits.patterns | 1U << which);
    for (uint32_t e = pattern.first; e < pattern.first + pattern.count; ++e) {
      if (patterns.elements[e].matches(name, name_bytes)) bits.elements |= 1U << e;
    }
  }
  return bits;
}

bool lets_pass(const Patterns& patterns, const OpenRanges& open) noexcept {
  bool is_included = true;
  for (uint32_t which = 0; which < patterns.count; ++which) {
    if (!patterns.all[which].exclude) is_included = false;
  }
  for (uint32_t which = 0; which < patterns.count; ++which) {
    const bool exclude = patterns.all[which].exclude;
    if ((!exclude && is_included) || !matches(patterns, which, open)) continue;
    if (exclude) return false;
    is_included = true;
  }
  return is_included;
}

}  // namespace sonde::inject::metrics
