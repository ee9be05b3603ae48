#include "config/rule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/byte_size.h"

namespace sonde::config {
namespace {

std::string range_text(const Rule& rule) {
  if (rule.min_is_refused) return fmt::format("above {}, at most {}", rule.min, rule.max);
  return fmt::format("from {} to {}", rule.min, rule.max);
}

std::string size_range_text(const Rule& rule) {
  return fmt::format("from {} to {}", byte_size_text(static_cast<int64_t>(rule.min)),
                     byte_size_text(static_cast<int64_t>(rule.max)));
}

}  // namespace

std::string allowed_text(const Rule& rule) {
  switch (rule.kind) {
    case Kind::flag: return "true or false";
    case Kind::whole: return fmt::format("a whole number {}", range_text(rule));
    case Kind::number: return fmt::format("a number {}", range_text(rule));
    case Kind::capability: return "a compute capability MAJOR.MINOR such as 7.0";
    case Kind::one_of: return fmt::format("{}", fmt::join(rule.names, ", "));
    case Kind::some_of: return fmt::format("a list of one or more of {}, each once", fmt::join(rule.names, ", "));
    case Kind::text: return std::string(rule.form->allowed);
    case Kind::texts: return fmt::format("a list, each item {}", rule.form->allowed);
    case Kind::gpu_by_type: return fmt::format("task types, each with {}", rule.form->allowed);
    case Kind::levels: return fmt::format("one or more names, each with a whole number {}", range_text(rule));
    case Kind::labels: return std::string(rule.form->allowed);
    case Kind::size: return fmt::format("a size such as 500MiB, 16GiB or 8GB, or bytes, {}", size_range_text(rule));
    case Kind::words: return "a list of strings: a program and its arguments";
    case Kind::variables: return fmt::format("{}, each with a string", rule.form->allowed);
    case Kind::url_by_gpu: return fmt::format("GPUs (gpu_N or a UUID), each with {}", rule.form->allowed);
    case Kind::task_types: return "task types, each with its own keys";
  }
  return {};
}

}  // namespace sonde::config
