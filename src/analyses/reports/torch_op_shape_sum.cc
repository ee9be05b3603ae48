#include <algorithm>
#include <numeric>

#include <nlohmann/json.hpp>

#include "analyses/operators/operator_inputs.h"
#include "analyses/operators/operator_sums.h"
#include "analyses/tables/report_table.h"
#include "trace/recorded_inputs.h"

namespace sonde {

extern const StatsReport torch_op_shape_sum_report;

namespace torch_op_shape_sum {
namespace {

Fields fields(const ReportArguments&) { return kOperatorFields; }

/// The parts of a list that say something, as "a; b".
template <typename Says>
std::string joined(std::string_view list, Says says) {
  std::string text;
  for (const auto& part : recorded_list(list)) {
    if (!says(part)) continue;
    text += text.empty() ? "" : "; ";
    text += part.is_string() ? part.get<std::string>() : part.dump();
  }
  return text;
}

bool is_filled(const nlohmann::json& part) { return !part.empty() && part != ""; }

bool is_tensor_type(const nlohmann::json& part) {
  return is_filled(part) && part != "Scalar" && part != "ScalarList" && part != "GenericList";
}

void add_texts(const Trace& trace, const OperatorCalls& operators, Table& table) {
  const auto add = [&](std::string name, auto value) {
    auto& column = table.texts(std::move(name));
    for (const OperatorShape& shape : operators.shapes) column.push_back(value(shape));
  };
  const auto or_absent = [&](std::string text) {
    return text.empty() ? std::string_view() : table.keep(std::move(text));
  };
  add("Precision", [](const OperatorShape& s) { return precision_name(s.precision); });
  add("Kind", [](const OperatorShape& s) { return kind_name(s.work.kind); });
  add("Name", [&](const OperatorShape& s) { return trace.name(s.name); });
  add("Input Shapes", [&](const OperatorShape& s) {
    return or_absent(joined(line_of(trace.name(s.inputs), InputLine::shapes), is_filled));
  });
  add("Input Types", [&](const OperatorShape& s) {
    return or_absent(joined(line_of(trace.name(s.inputs), InputLine::types), is_tensor_type));
  });
  add("Other Inputs", [&](const OperatorShape& s) {
    return or_absent(joined(line_of(trace.name(s.inputs), InputLine::values), is_filled));
  });
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  const OperatorCalls operators = operator_calls(trace);
  std::vector<OperatorSums> sums;
  for (const OperatorShape& shape : operators.shapes) {
    sums.emplace_back().add(shape, shape.calls, shape.kernels, shape.kernel_ns);
  }
  Table table = table_of(torch_op_shape_sum_report);
  add_operator_columns(table, sums, kernel_time(trace));
  add_texts(trace, operators, table);
  std::vector<Row> order(sums.size());
  std::iota(order.begin(), order.end(), Row{0});
  std::ranges::stable_sort(
      order, {}, [&](Row row) { return std::tuple(-sums[row].kernel_ns, trace.name(operators.shapes[row].name)); });
  table.select_rows(order);
  return table;
}

}  // namespace
}  // namespace torch_op_shape_sum

const StatsReport torch_op_shape_sum_report{
    .name = "torch_op_shape_sum",
    .usage = "torch_op_shape_sum",
    .title = "PyTorch Operator and Shape Summary",
    .description =
        R"(PyTorch operators by the shapes, types and values of their inputs: time of their kernels, work, rates, and share of
what the GPU can do. Needs a trace with record_shapes=True.

)" SONDE_OPERATOR_COLUMNS R"(Precision         how the kernels multiply
Kind              what the operator computes, if its work is known
Name, Input Shapes, Input Types, Other Inputs  the operator, its tensors, and its other inputs

A kernel belongs to the innermost operator around its launch that has shapes. Roofline exceeds 100 % if data come from
the L2 cache, or if the algorithm needs fewer operations (Winograd, FFT). docs/profiles/operators.md defines all
figures. This report is specific to Sonde.)",
    .data = "PyTorch operator shape",
    .in_default_set = false,
    .fields = torch_op_shape_sum::fields,
    .run = torch_op_shape_sum::run,
};

}  // namespace sonde
