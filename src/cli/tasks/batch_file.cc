#include "cli/tasks/batch_file.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <iterator>
#include <optional>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "base/files/small_file.h"
#include "base/files/yaml_documents.h"
#include "base/files/yaml_keys.h"
#include "base/text/command_words.h"
#include "base/text/decimal.h"
#include "cli/tasks/amounts.h"
#include "report/text/plain_text.h"

namespace sonde::tasks {
namespace {

constexpr size_t kMaxBatchBytes = 64UZ << 20;
/// References in YAML can make a short file endless.
constexpr size_t kMaxBatchNodes = 2'000'000;

/// A mistake, thrown and caught in this file only, as yaml-cpp does with its own.
struct Mistake {
  YAML::Mark mark;
  std::string what;
};

/// Reads a node of the file as what its key takes.
class NodeReader {
 public:
  Json text(const YAML::Node& node) {
    count(node);
    if (!node.IsScalar()) throw Mistake{node.Mark(), "expected a string"};
    return node.Scalar();
  }

  Json texts(const YAML::Node& node) {
    count(node);
    if (!node.IsSequence()) throw Mistake{node.Mark(), "expected a list of strings, such as [python, train.py]"};
    Json list = Json::array();
    for (const YAML::Node& part : node) list.push_back(text(part));
    return list;
  }

  /// A list, or one text that is taken apart as a shell does.
  Json command(const YAML::Node& node) {
    if (!node.IsScalar()) return texts(node);
    count(node);
    const auto words = command_words(node.Scalar());
    if (!words) throw Mistake{node.Mark(), words.error().message};
    return *words;
  }

  Json text_map(const YAML::Node& node) {
    count(node);
    if (!node.IsMap()) throw Mistake{node.Mark(), "expected names with values, such as {SEED: 1}"};
    Json map = Json::object();
    for (const auto& entry : node) map[text(entry.first).get<std::string>()] = text(entry.second);
    return map;
  }

  Json whole(const YAML::Node& node) {
    count(node);
    const auto number = node.IsScalar() ? integer_of<int64_t>(node.Scalar()) : std::nullopt;
    if (!number) throw Mistake{node.Mark(), "expected an integer"};
    return *number;
  }

  Json wholes(const YAML::Node& node) {
    if (!node.IsSequence()) return Json::array({whole(node)});
    count(node);
    Json list = Json::array();
    for (const YAML::Node& part : node) list.push_back(whole(part));
    return list;
  }

  Json flag(const YAML::Node& node) {
    count(node);
    if (node.IsScalar() && (node.Scalar() == "true" || node.Scalar() == "false")) return node.Scalar() == "true";
    throw Mistake{node.Mark(), "expected true or false"};
  }

  Json seconds(const YAML::Node& node) {
    count(node);
    const auto time = node.IsScalar() ? parse_seconds(node.Scalar()) : fail("expected a time, such as 90s, 30m or 2h");
    if (!time) throw Mistake{node.Mark(), time.error().message};
    return *time;
  }

  /// A document of any shape, by YAML's own rules of what is a number.
  Json any(const YAML::Node& node) {
    count(node);
    if (node.IsSequence()) {
      Json list = Json::array();
      for (const YAML::Node& part : node) list.push_back(any(part));
      return list;
    }
    if (node.IsMap()) {
      Json map = Json::object();
      for (const auto& entry : node) map[text(entry.first).get<std::string>()] = any(entry.second);
      return map;
    }
    return node.IsScalar() ? scalar(node) : Json(nullptr);
  }

 private:
  void count(const YAML::Node& node) {
    if (++nodes_ > kMaxBatchNodes)
      throw Mistake{node.Mark(), "the file is too large after its references are expanded"};
  }

  static Json scalar(const YAML::Node& node) {
    const std::string& text = node.Scalar();
    const bool quoted = node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str";
    if (quoted) return text;
    if (text == "true" || text == "false") return text == "true";
    if (const auto whole = integer_of<int64_t>(text)) return *whole;
    if (const auto real = real_of(text)) return *real;
    return text;
  }

  size_t nodes_ = 0;
};

using Read = Json (NodeReader::*)(const YAML::Node&);

struct Key {
  std::string_view name;
  Read read;
  std::string_view sent_as = {};  ///< in the body; empty: by its name
};

/// What a task of a batch may say: as the body of POST /api/v1/tasks, and `time_limit` with a unit.
constexpr auto kTaskKeys = std::to_array<Key>({{"name", &NodeReader::text},
                                               {"type", &NodeReader::text},
                                               {"command", &NodeReader::command},
                                               {"arguments", &NodeReader::command},
                                               {"environment", &NodeReader::text_map},
                                               {"working_directory", &NodeReader::text},
                                               {"request", &NodeReader::any},
                                               {"model", &NodeReader::text},
                                               {"priority", &NodeReader::text},
                                               {"gpus", &NodeReader::whole},
                                               {"memory_bytes", &NodeReader::whole},
                                               {"memory", &NodeReader::text},
                                               {"time_limit_seconds", &NodeReader::seconds},
                                               {"time_limit", &NodeReader::seconds, "time_limit_seconds"},
                                               {"strategy", &NodeReader::text},
                                               {"after", &NodeReader::wholes},
                                               {"retries", &NodeReader::whole},
                                               {"profile", &NodeReader::flag}});
constexpr auto kBatchKeys = std::to_array<std::string_view>({"name", "tasks", "count", "task"});

void check_keys(const YAML::Node& map, std::span<const std::string_view> known) {
  check_yaml_keys(map, known, [](const YAML::Mark& mark, std::string what) { throw Mistake{mark, std::move(what)}; });
}

Json task_of(const YAML::Node& node, NodeReader& reader) {
  if (!node.IsMap()) throw Mistake{node.Mark(), "expected a task with keys such as type, command, arguments"};
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const Key& key : kTaskKeys) all.push_back(key.name);
    return all;
  }();
  check_keys(node, names);
  if (node["time_limit"] && node["time_limit_seconds"]) {
    throw Mistake{node["time_limit"].Mark(), "time_limit and time_limit_seconds have the same meaning; give one"};
  }
  Json task = Json::object();
  for (const auto& entry : node) {
    const auto* const key = std::ranges::find(kTaskKeys, entry.first.Scalar(), &Key::name);
    task[std::string(key->sent_as.empty() ? key->name : key->sent_as)] = (reader.*key->read)(entry.second);
  }
  return task;
}

Json batch_of(const YAML::Node& root) {
  NodeReader reader;
  if (!root.IsMap()) throw Mistake{root.Mark(), "expected a batch with the keys name, and tasks or count with task"};
  check_keys(root, kBatchKeys);
  Json batch = Json::object();
  if (root["name"]) batch["name"] = reader.text(root["name"]);
  const YAML::Node tasks = root["tasks"];
  const bool counted = root["count"] || root["task"];
  if (static_cast<bool>(tasks) == counted || (counted && (!root["count"] || !root["task"]))) {
    throw Mistake{root.Mark(), "a batch has either tasks (a list), or count and task (a task to repeat)"};
  }
  if (counted) {
    batch["count"] = reader.whole(root["count"]);
    batch["task"] = task_of(root["task"], reader);
    return batch;
  }
  if (!tasks.IsSequence()) throw Mistake{tasks.Mark(), "expected a list of tasks"};
  batch["tasks"] = Json::array();
  for (const YAML::Node& task : tasks) batch["tasks"].push_back(task_of(task, reader));
  return batch;
}

std::unexpected<Error> at(std::string_view file, const YAML::Mark& mark, const std::string& what) {
  if (mark.is_null()) return fail("{}: {}", one_line(file), one_line(what));
  return fail("{}:{}:{}: {}", one_line(file), mark.line + 1, mark.column + 1, one_line(what));
}

}  // namespace

Result<Json> batch_from_text(const std::string& text, std::string_view file) {
  try {
    if (const auto second = second_yaml_document(text))
      return at(file, *second, "a second document starts here; a file contains one batch");
    return batch_of(YAML::Load(text));
  } catch (const YAML::Exception& error) {
    return at(file, error.mark, error.msg);
  } catch (const Mistake& mistake) {
    return at(file, mistake.mark, mistake.what);
  }
}

Result<Json> batch_from_file(const std::string& file) {
  if (file == "-") return batch_from_text(std::string(std::istreambuf_iterator<char>(std::cin), {}), "standard input");
  const auto text = read_small_file(file, kMaxBatchBytes);
  return text ? batch_from_text(*text, file) : std::unexpected(text.error());
}

}  // namespace sonde::tasks
