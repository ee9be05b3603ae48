#include "cli/record/expression.h"

#include <array>
#include <string_view>

namespace sonde::record_cli {
namespace {

std::unexpected<Error> no_expression(const std::string& text, std::string_view reason) {
  return fail("'{}' is not a valid extended regular expression: {}", text, reason);
}

}  // namespace

Result<Expression> Expression::compile(const std::string& text) {
  if (text.contains('\n')) return no_expression(text, "a name cannot contain a line break");
  auto compiled = std::make_unique<regex_t>();
  const int error = regcomp(compiled.get(), text.c_str(), REG_EXTENDED | REG_NOSUB);
  if (error == 0) return Expression(std::move(compiled));
  std::array<char, 256> reason{};
  regerror(error, compiled.get(), reason.data(), reason.size());
  return no_expression(text, reason.data());
}

Expression::~Expression() {
  if (compiled_) regfree(compiled_.get());
}

bool Expression::finds(const std::string& name) const {
  return regexec(compiled_.get(), name.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace sonde::record_cli
