#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "config/text_form.h"

namespace sonde::config {

/// What a value of a key looks like in the file.
enum class Kind {
  flag,         ///< true or false
  whole,        ///< whole number
  number,       ///< whole or not
  capability,   ///< MAJOR.MINOR
  one_of,       ///< one of several names
  text,         ///< of a form
  some_of,      ///< list of such names, each once, at least one
  texts,        ///< list of texts of a form
  gpu_by_type,  ///< task type: gpu_N or UUID
  levels,       ///< name: number, at least one
  labels,       ///< name: text
  size,         ///< bytes, or a number with a unit: 16GiB
  words,        ///< list of texts of a form, which may repeat
  variables,    ///< name of an environment variable: text
  url_by_gpu,   ///< gpu_N or UUID: URL
  task_types    ///< name: keys of task_type_keys.inc
};

/// What is allowed for a key.
struct Rule {
  Kind kind = Kind::flag;
  double min = 0;
  double max = 0;
  bool min_is_refused = false;  ///< values have to be above `min`
  std::span<const std::string_view> names = {};
  const TextForm* form = nullptr;
};

consteval Rule flag() { return {.kind = Kind::flag}; }
consteval Rule whole(double min, double max) { return {.kind = Kind::whole, .min = min, .max = max}; }
consteval Rule number(double min, double max) { return {.kind = Kind::number, .min = min, .max = max}; }
consteval Rule number_above(double min, double max) {
  return {.kind = Kind::number, .min = min, .max = max, .min_is_refused = true};
}
consteval Rule capability() { return {.kind = Kind::capability}; }
consteval Rule one_of(std::span<const std::string_view> names) { return {.kind = Kind::one_of, .names = names}; }
consteval Rule some_of(std::span<const std::string_view> names) { return {.kind = Kind::some_of, .names = names}; }
consteval Rule text(const TextForm& form) { return {.kind = Kind::text, .form = &form}; }
consteval Rule texts(const TextForm& form) { return {.kind = Kind::texts, .form = &form}; }
consteval Rule gpu_by_type() { return {.kind = Kind::gpu_by_type, .form = &kGpuName}; }
consteval Rule levels(double min, double max) { return {.kind = Kind::levels, .min = min, .max = max}; }
consteval Rule size(double min, double max) { return {.kind = Kind::size, .min = min, .max = max}; }
consteval Rule words() { return {.kind = Kind::words, .form = &kWord}; }
consteval Rule variables() { return {.kind = Kind::variables, .form = &kVariable}; }
consteval Rule url_by_gpu() { return {.kind = Kind::url_by_gpu, .form = &kUrl}; }
consteval Rule task_types() { return {.kind = Kind::task_types, .form = &kName}; }
consteval Rule labels() { return {.kind = Kind::labels, .form = &kLabelName}; }

/// "a number from 0 to 1".
[[nodiscard]] std::string allowed_text(const Rule& rule);

}  // namespace sonde::config
