#pragma once

#include <regex.h>

#include <memory>
#include <string>

#include "base/error.h"

namespace sonde::record_cli {

/// An extended regular expression of POSIX, as options take them.
class Expression {
 public:
  /// The error has the text and what is wrong with it, and no option's name.
  [[nodiscard]] static Result<Expression> compile(const std::string& text);

  Expression(Expression&& other) noexcept = default;
  Expression& operator=(Expression&&) = delete;
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
  ~Expression();

  /// Whether it matches anywhere in the name.
  [[nodiscard]] bool finds(const std::string& name) const;

 private:
  explicit Expression(std::unique_ptr<regex_t> compiled) : compiled_(std::move(compiled)) {}
  std::unique_ptr<regex_t> compiled_;
};

}  // namespace sonde::record_cli
