#include "cli/options.h"

#include <algorithm>
#include <concepts>
#include <limits>
#include <ranges>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace sonde {

/// What CLI11 does not keep of an option.
struct CommandOption::Facts {
  /// Bounds of whole numbers are whole, so that large ones are exact.
  using Bound = std::variant<std::monostate, int64_t, double>;
  CLI::Option* option = nullptr;
  Bound least = {};
  Bound most = {};
  bool above_zero = false;
  std::string unit = {};
  std::vector<std::string> choices = {};
};

struct CommandLine::Parser {
  std::unique_ptr<CLI::App> program = {};
  std::deque<CommandOption::Facts> facts = {};
  std::vector<const CLI::App*> with_work = {};
  int exit_code = 0;
};

namespace {

using OptionFacts = CommandOption::Facts;

/// What a user typed may be long.
std::string shortened(const std::string& text) {
  constexpr size_t kMaxShown = 40;
  return text.size() <= kMaxShown ? text : text.substr(0, kMaxShown) + "...";
}

std::string bound_text(const OptionFacts::Bound& bound) {
  if (const auto* whole = std::get_if<int64_t>(&bound)) return fmt::format("{}", *whole);
  return fmt::format("{}", std::get<double>(bound));
}

/// " from 1 to 1000", " above 0"; empty where any number will do.
std::string range_text(const OptionFacts& facts, bool is_unsigned) {
  const bool has_least = facts.least.index() != 0;
  const bool has_most = facts.most.index() != 0;
  if (facts.above_zero) return has_most ? fmt::format(" above 0 and at most {}", bound_text(facts.most)) : " above 0";
  if (has_least && has_most) {
    return fmt::format(" from {} to {}", bound_text(facts.least), bound_text(facts.most));
  }
  return has_least || is_unsigned ? " of 0 or more" : "";
}

template <typename Number>
bool is_below(Number number, const OptionFacts::Bound& bound) {
  if (const auto* whole = std::get_if<int64_t>(&bound)) {
    if constexpr (std::integral<Number>) return std::cmp_less(number, *whole);
    return static_cast<double>(number) < static_cast<double>(*whole);
  }
  const auto* real = std::get_if<double>(&bound);
  return real != nullptr && !(static_cast<double>(number) >= *real);  // not a number is below
}

template <typename Number>
bool is_above(Number number, const OptionFacts::Bound& bound) {
  if (const auto* whole = std::get_if<int64_t>(&bound)) {
    if constexpr (std::integral<Number>) return std::cmp_greater(number, *whole);
    return static_cast<double>(number) > static_cast<double>(*whole);
  }
  const auto* real = std::get_if<double>(&bound);
  return real != nullptr && !(static_cast<double>(number) <= *real);
}

template <typename Number>
std::string wrong_number(const OptionFacts& facts, const std::string& text) {
  Number number{};
  const bool is_number = CLI::detail::lexical_cast(text, number);
  const bool fits = is_number && !is_below(number, facts.least) && !is_above(number, facts.most) &&
                    (!facts.above_zero || number > Number{0});
  if (fits) return {};
  const std::string range = range_text(facts, std::unsigned_integral<Number>);
  if (!facts.unit.empty()) return fmt::format("'{}' is not a number of {}{}", shortened(text), facts.unit, range);
  return fmt::format("'{}' is not a {}number{}", shortened(text), std::integral<Number> ? "whole " : "", range);
}

template <typename T>
struct ValueOf {
  using Value = T;
};
template <typename T>
struct ValueOf<std::optional<T>> {
  using Value = T;
};

template <typename T>
constexpr bool is_number = (std::integral<T> || std::floating_point<T>) && !std::same_as<T, bool>;

/// The help with the value names that were declared, and without "..." for a list that takes one value at a time.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() {
    label("SUBCOMMAND", "COMMAND");
    label("SUBCOMMANDS", "COMMANDS");
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    if (option->get_type_size() != 0) {
      if (!option->get_type_name().empty()) text += " " + option->get_type_name();
      if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
      const bool is_open = option->get_expected_max() == CLI::detail::expected_max_vector_size;
      if (is_open && option->get_allow_extra_args()) text += " ...";
      if (option->get_required()) text += " REQUIRED";
    }
    if (!option->get_excludes().empty()) text += " Excludes:";
    for (const CLI::Option* other : option->get_excludes()) text += " " + other->get_name();
    return text;
  }
};

/// The option that CLI11's message is about: the longest name that it begins with, or has in it.
const CLI::Option* named_option(const CLI::App& command, std::string_view message) {
  const CLI::Option* found = nullptr;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const bool named = message.starts_with(name + ":") || message.contains(" " + name + " =");
    if (named && (found == nullptr || found->get_name().size() < name.size())) found = option;
  }
  return found;
}

std::string wrong_count(const CLI::Option& option) {
  const auto& given = option.results();
  if (option.get_expected_max() > 0 && given.size() > static_cast<size_t>(option.get_expected_max())) {
    return fmt::format("{} is given {} times ({}); give it once", option.get_name(), given.size(),
                       fmt::join(given, ", "));
  }
  return fmt::format("{} needs a value: {}", option.get_name(), option.get_description());
}

std::string wrong_flag(const CLI::Option& option) {
  const std::string value = option.results().empty() ? "" : shortened(option.results().back());
  return fmt::format("{}: '{}' is neither true nor false", option.get_name(), value);
}

std::string message_of(const CLI::App& command, const CLI::ParseError& error) {
  const std::string kind = error.get_name();
  const CLI::Option* const option = named_option(command, error.what());
  if (option != nullptr && kind == "ArgumentMismatch") return wrong_count(*option);
  if (option != nullptr && kind == "ConversionError") return wrong_flag(*option);
  return error.what();
}

/// The innermost command of a command line that was parsed, maybe not to its end.
const CLI::App& innermost(const CLI::App& program) {
  const CLI::App* command = &program;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

std::vector<std::string> unknown_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
    std::ranges::move(app->remaining(), std::back_inserter(words));
  }
  std::erase(words, "--");
  return words;
}

Misuse misuse_of(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = innermost(program);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    return {.kind = Misuse::Kind::unknown_words, .message = {}, .words = unknown_words(command)};
  }
  if (error.get_name() == "RequiredError" && std::string_view(error.what()).contains("subcommand")) {
    return {.kind = Misuse::Kind::missing_command, .message = {}, .words = {}};
  }
  return {.kind = Misuse::Kind::other, .message = message_of(command, error), .words = {}};
}

std::vector<std::string> names_of(const CLI::Option& option) {
  if (option.get_positional()) return {option.get_name(true, false)};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace

CommandOption& CommandOption::required() {
  facts_->option->required();
  return *this;
}

CommandOption& CommandOption::repeatable() {
  facts_->option->allow_extra_args(false);
  return *this;
}

CommandOption& CommandOption::list() {
  facts_->option->delimiter(',');
  return repeatable();
}

CommandOption& CommandOption::values(int least, int most) {
  facts_->option->expected(least, most);
  return *this;
}

CommandOption& CommandOption::last_counts() {
  facts_->option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  return *this;
}

CommandOption& CommandOption::above_zero() {
  facts_->above_zero = true;
  return *this;
}

CommandOption& CommandOption::not_negative() {
  facts_->least = int64_t{0};
  return *this;
}

CommandOption& CommandOption::within(int64_t least, int64_t most, std::string_view unit) {
  facts_->least = least;
  facts_->most = most;
  facts_->unit = unit;
  return *this;
}

CommandOption& CommandOption::between(double least, double most, std::string_view unit) {
  facts_->least = least;
  facts_->most = most;
  facts_->unit = unit;
  return *this;
}

CommandOption& CommandOption::one_of(std::vector<std::string> choices) {
  facts_->choices = std::move(choices);
  return check([facts = facts_](const std::string& value) {
    if (std::ranges::find(facts->choices, value) != facts->choices.end()) return std::string();
    return fmt::format("'{}' is not one of {}", shortened(value), fmt::join(facts->choices, ", "));
  });
}

CommandOption& CommandOption::check(ValueCheck check) {
  facts_->option->check(std::move(check));
  return *this;
}

CommandOption& CommandOption::converted(std::function<std::string(std::string)> convert) {
  facts_->option->transform(convert);
  return *this;
}

CommandOption& CommandOption::excludes(const CommandOption& other) {
  facts_->option->excludes(other.facts_->option);
  return *this;
}

CommandOption& CommandOption::shows_default() {
  facts_->option->capture_default_str();
  return *this;
}

CommandOption& CommandOption::shows_default(std::string_view text) {
  facts_->option->default_str(std::string(text));
  return *this;
}

CommandOption& CommandOption::group(std::string_view heading) {
  facts_->option->group(std::string(heading));
  return *this;
}

CommandOption& CommandOption::hidden() { return group(""); }

bool CommandOption::is_given() const { return facts_->option->count() > 0; }

CommandLine::CommandLine(std::string_view name, std::string_view description)
    : owned_(std::make_shared<Parser>()),
      parser_(owned_.get()),
      app_((parser_->program = std::make_unique<CLI::App>(std::string(description), std::string(name))).get()) {
  app_->formatter(std::make_shared<HelpFormatter>());
}

CommandOption CommandLine::declared(CLI::Option& option, std::string_view value) {
  option.type_name(std::string(value));
  return CommandOption(parser_->facts.emplace_back(OptionFacts{.option = &option}));
}

CommandOption CommandLine::flag(const std::string& names, bool& into, const std::string& description) {
  return CommandOption(parser_->facts.emplace_back(OptionFacts{.option = app_->add_flag(names, into, description)}));
}

CommandOption CommandLine::flag(const std::string& names, std::string& into, const std::string& description) {
  return CommandOption(parser_->facts.emplace_back(OptionFacts{.option = app_->add_flag(names, into, description)}));
}

CommandOption CommandLine::flag_taking(const std::string& names, TakeValue take, const std::string& description) {
  CLI::Option* const option = app_->add_flag(names, description)->each(std::move(take));
  return CommandOption(parser_->facts.emplace_back(OptionFacts{.option = option}));
}

template <typename T>
CommandOption CommandLine::option(const std::string& names, T& into, std::string_view value,
                                  const std::string& description) {
  CommandOption made = declared(*app_->add_option(names, into, description), value);
  using Value = typename ValueOf<T>::Value;
  if constexpr (is_number<Value>) {
    const OptionFacts& facts = parser_->facts.back();
    made.check([&facts](const std::string& text) { return wrong_number<Value>(facts, text); });
  }
  return made;
}

#define SONDE_OPTION_OF(...)                                                                           \
  template CommandOption CommandLine::option(const std::string&, __VA_ARGS__&, std::string_view value, \
                                             const std::string&)
SONDE_OPTION_OF(bool);
SONDE_OPTION_OF(int);
SONDE_OPTION_OF(int64_t);
SONDE_OPTION_OF(uint32_t);
SONDE_OPTION_OF(uint64_t);
SONDE_OPTION_OF(double);
SONDE_OPTION_OF(std::string);
SONDE_OPTION_OF(std::vector<std::string>);
SONDE_OPTION_OF(std::optional<int>);
SONDE_OPTION_OF(std::optional<int64_t>);
SONDE_OPTION_OF(std::optional<uint64_t>);
SONDE_OPTION_OF(std::optional<std::string>);
#undef SONDE_OPTION_OF

CommandOption CommandLine::option_taking(const std::string& names, TakeValue take, std::string_view value,
                                         const std::string& description) {
  return declared(*app_->add_option_function<std::string>(names, take, description), value);
}

CommandOption CommandLine::positional(const std::string& name, std::string& into, const std::string& description) {
  return declared(*app_->add_option(name, into, description), "");
}

CommandOption CommandLine::positional(const std::string& name, std::vector<std::string>& into,
                                      const std::string& description) {
  return declared(*app_->add_option(name, into, description), "");
}

CommandLine CommandLine::command(std::string_view name, std::string_view description) {
  app_->require_subcommand(0, 1);
  CLI::App* const made = app_->add_subcommand(std::string(name), std::string(description));
  made->group("Commands");
  return {*parser_, *made};
}

void CommandLine::needs_command() { app_->require_subcommand(1); }

void CommandLine::passes_options_up() { app_->fallthrough(); }

void CommandLine::runs(std::function<int()> work) {
  parser_->with_work.push_back(app_);
  app_->callback([work = std::move(work), app = app_, parser = parser_] {
    if (app->get_subcommands().empty()) parser->exit_code = work();
  });
}

void CommandLine::footer(std::string_view text) { app_->footer(std::string(text)); }

std::expected<bool, Misuse> CommandLine::parse(const std::vector<std::string>& words) {
  CLI::App& program = *parser_->program;
  try {
    program.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // it takes the last word first
  } catch (const CLI::CallForHelp&) {
    return true;
  } catch (const CLI::ParseError& error) {
    return std::unexpected(misuse_of(program, error));
  }
  return false;
}

int CommandLine::exit_code() const { return parser_->exit_code; }

std::string CommandLine::help() const { return parser_->program->help(); }

bool CommandLine::has_separator() const {
  const std::vector<std::string> left = app_->remaining();
  return std::ranges::find(left, "--") != left.end();
}

std::string CommandLine::description() const { return app_->get_description(); }

std::vector<std::string> CommandLine::command_names() const {
  std::vector<std::string> names;
  for (const CLI::App* command : app_->get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::optional<CommandLine> CommandLine::find_command(std::string_view name) const {
  for (CLI::App* command : app_->get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) return CommandLine(*parser_, *command);
  }
  return std::nullopt;
}

bool CommandLine::has_work() const { return std::ranges::find(parser_->with_work, app_) != parser_->with_work.end(); }

OptionInfo CommandLine::info_of(const CLI::Option& option) const {
  const auto facts = std::ranges::find(parser_->facts, &option, &OptionFacts::option);
  return {.names = names_of(option),
          .value = option.get_expected_max() == 0 ? "" : option.get_type_name(),
          .description = option.get_description(),
          .choices = facts == parser_->facts.end() ? std::vector<std::string>() : facts->choices,
          .is_flag = option.get_expected_max() == 0,
          .is_positional = option.get_positional(),
          .is_hidden = option.get_group().empty()};
}

std::vector<OptionInfo> CommandLine::options() const {
  std::vector<OptionInfo> infos;
  for (const CLI::Option* option : std::as_const(*app_).get_options()) infos.push_back(info_of(*option));
  return infos;
}

bool CommandLine::has_option(const std::string& name) const {
  return std::as_const(*app_).get_option_no_throw(name) != nullptr;
}

std::optional<OptionInfo> CommandLine::find_option(const std::string& name) const {
  const CLI::Option* const option = std::as_const(*app_).get_option_no_throw(name);
  return option == nullptr ? std::nullopt : std::optional(info_of(*option));
}

}  // namespace sonde
