#include "sim/artifact/executorch_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/flatbuffer_values.hpp"

namespace macaw::npu {
namespace {

constexpr std::size_t kMaxList = 65536;  // elements of one list of arguments

/// Kernels with several outputs: number of arguments that are inputs, and of the outputs that follow them. 0 outputs:
/// the next argument is a list of tensors.
struct SeveralOutputs {
  std::string_view name;
  std::size_t inputs, outputs;
};
constexpr SeveralOutputs kSeveralOutputs[] = {
    {"aten::native_layer_norm", 5, 3},  {"aten::native_group_norm", 8, 3},     {"aten::max.dim_max", 3, 2},
    {"aten::min.dim_min", 3, 2},        {"aten::split_with_sizes_copy", 3, 0}, {"aten::split_copy.Tensor_out", 3, 0},
    {"aten::unbind_copy.int_out", 2, 0}};

/// Operators that compute one output element from one element of each operand, so that the order of dimensions does not
/// matter if all tensors have the same.
constexpr std::string_view kElementwise[] = {
    "aten::add",     "aten::sub",   "aten::mul",      "aten::div",   "aten::sigmoid", "aten::tanh",  "aten::gelu",
    "aten::relu",    "aten::rsqrt", "aten::exp",      "aten::clone", "aten::copy",    "aten::copy_", "aten::minimum",
    "aten::maximum", "aten::neg",   "aten::hardtanh", "aten::clamp", "aten::abs"};

/// Elementwise operators of Cortex-M: a kernel iterates over the bytes of its tensors, which must have the same order.
constexpr std::string_view kBytewise[] = {"cortex_m::quantized_add", "cortex_m::quantized_mul"};

/// Operators of Cortex-M that move a window over their first operand; this operand and the output are activations.
constexpr std::string_view kWindows[] = {"cortex_m::quantized_conv2d", "cortex_m::quantized_depthwise_conv2d",
                                         "cortex_m::quantized_avg_pool2d"};

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

bool is_contiguous(const pte::Tensor& tensor) {
  for (std::size_t d = 0; d < count(tensor.dim_order()); ++d)
    if (tensor.dim_order()->Get(unsigned(d)) != d) return false;
  return true;
}

class KernelOperands {
 public:
  KernelOperands(ProgramTensors& tensors, HostOperator& op) : tensors_(tensors), op_(op) {}

  /// Adds an argument as an operand; a list of tensors becomes several operands.
  Result<void> add(std::int64_t index) {
    const auto* v = tensors_.value(index);
    if (!v) return tensors_.invalid(fmt::format("{}: value {} does not exist", op_.name, index));
    if (v->value_type() == pte::Kernel::Tensor) return add_tensor(index, op_.inputs);
    if (const auto* list = v->value_as_TensorList()) return add_tensors(list->items(), false);
    if (const auto* optional = v->value_as_OptionalTensorList()) return add_tensors(optional->items(), true);
    if (v->value_type() == pte::Kernel::Null) {
      op_.inputs.emplace_back();
      return {};
    }
    if (const auto* made = tensors_.find_argument(index, Form::kArgument)) {
      op_.inputs.push_back(*made);
      return {};
    }
    if (const auto* integer = v->value_as_Int())
      return add_list<std::int64_t>(index, DType::kINT64, {1}, {integer->value()});
    if (const auto* flag = v->value_as_Bool())
      return add_list<std::uint8_t>(index, DType::kBOOL, {1}, {std::uint8_t(flag->value())});
    if (const auto* real = v->value_as_Double()) return add_list<double>(index, DType::kFP64, {1}, {real->value()});
    if (const auto* integers = v->value_as_IntList()) return add_integers(index, integers->items());
    if (const auto* reals = v->value_as_DoubleList())
      return add_values(index, DType::kFP64, io::values_of(reals->items()));
    if (const auto* flags = v->value_as_BoolList())
      return add_values(index, DType::kBOOL, io::values_of(flags->items()));
    if (const auto* text = v->value_as_String()) {
      const std::string_view view = text->value() ? text->value()->string_view() : std::string_view();
      return add_values(index, DType::kUINT8, std::vector<std::uint8_t>(view.begin(), view.end()));
    }
    return tensors_.unsupported(
        fmt::format("{}: an argument that is a {}", op_.name, pte::EnumNameKernel(v->value_type())));
  }

  Result<void> add_tensor(std::int64_t index, std::vector<TensorBinding>& to) {
    const auto* t = tensors_.tensor(index);
    MACAW_ASSIGN(auto operand, tensors_.binding(index));
    const bool is_window = is_one_of(kWindows, op_.name) && (&to == &op_.outputs || op_.inputs.empty());
    if (!t || (is_contiguous(*t) && !is_window && !channels_last_)) {
      to.push_back(std::move(operand));
      return {};
    }
    if (op_.name.starts_with("cortex_m::")) {
      MACAW_ASSIGN(operand.shape, channels_last(*t, index));
    } else if (is_one_of(kElementwise, op_.name)) {
      orders_.push_back(index);
    } else if (!op_.name.starts_with("dim_order_ops::")) {
      return tensors_.unsupported(
          fmt::format("{}: value {} is not stored in the order of its dimensions", op_.name, index));
    }
    to.push_back(std::move(operand));
    return {};
  }

  /// Determines whether all tensors of a Cortex-M call have the shape NHWC.
  void choose_form(const std::vector<std::int64_t>& arguments) {
    std::vector<const pte::Tensor*> tensors;
    for (const auto index : arguments)
      if (const auto* t = tensors_.tensor(index)) tensors.push_back(t);
    if (is_one_of(kBytewise, op_.name)) channels_last_ = lie_channels_last(tensors);
    if (op_.name == "cortex_m::pad" && !tensors.empty()) channels_last_ = pads_channels_last(*tensors.front());
  }

  /// Elementwise operators require the same order for all their tensors.
  Result<void> check_orders(const std::vector<std::int64_t>& arguments) const {
    if (orders_.empty()) return {};
    const auto* order = tensors_.tensor(orders_.front())->dim_order();
    for (const auto index : arguments) {
      const auto* t = tensors_.tensor(index);
      if (t && io::values_of(t->dim_order()) != io::values_of(order))
        return tensors_.unsupported(fmt::format(
            "{}: value {} is not stored in the order of its dimensions, as other operands are", op_.name, index));
    }
    return {};
  }

  Result<void> add_order(std::int64_t index) {
    if (const auto* made = tensors_.find_argument(index, Form::kOrder)) {
      op_.inputs.push_back(*made);
      return {};
    }
    const auto* t = tensors_.tensor(index);
    std::vector<std::int64_t> order;
    for (std::size_t d = 0; t && d < count(t->sizes()); ++d)
      order.push_back(count(t->dim_order()) == count(t->sizes()) ? t->dim_order()->Get(unsigned(d)) : std::int64_t(d));
    return add_values(index, DType::kINT64, order, Form::kOrder);
  }

 private:
  using Form = ProgramTensors::Form;

  /// Tensors of different sizes are broadcast along their channels, which are then the last dimension.
  static bool lie_channels_last(const std::vector<const pte::Tensor*>& tensors) {
    const auto repeats = [&](const pte::Tensor* t) {
      const auto *own = t->sizes(), *first = tensors.front()->sizes();
      return count(own) == 4 && (count(first) != 4 || io::values_of(own) != io::values_of(first));
    };
    return std::ranges::any_of(tensors, [&](const auto* t) { return !is_contiguous(*t) || repeats(t); });
  }

  /// A padding has the order of the input's dimensions in memory; for an input with one channel or one pixel, compiler
  /// and kernel use the order NHWC, whatever the tensor states (backends/cortex_m passes/passes_utils.py,
  /// is_channels_last(); ops/cortex_m_ops_common.h, is_channels_last_tensor()).
  static bool pads_channels_last(const pte::Tensor& t) {
    if (count(t.sizes()) != 4) return false;
    const auto sizes = io::values_of(t.sizes());
    return !is_contiguous(t) || sizes[1] == 1 || (sizes[2] == 1 && sizes[3] == 1);
  }

  /// Returns the shape NHWC of a tensor whose sizes are NCHW, if that is its order in memory.
  Result<Shape> channels_last(const pte::Tensor& t, std::int64_t index) const {
    constexpr std::array<unsigned, 4> kOrder = {0, 2, 3, 1};
    Shape shape;
    std::vector<unsigned> given, expected;
    if (count(t.sizes()) == kOrder.size() && count(t.dim_order()) == kOrder.size())
      for (unsigned d = 0; d < kOrder.size(); ++d) {
        shape.push_back(t.sizes()->Get(kOrder[d]));
        // The position of a dimension of extent 1 does not matter.
        if (t.sizes()->Get(kOrder[d]) != 1) expected.push_back(kOrder[d]);
        if (t.dim_order()->Get(d) < kOrder.size() && t.sizes()->Get(t.dim_order()->Get(d)) != 1)
          given.push_back(t.dim_order()->Get(d));
      }
    if (shape.empty() || given != expected)
      return tensors_.unsupported(fmt::format("{}: value {} does not have its channels last", op_.name, index));
    return shape;
  }

  Result<void> add_tensors(const flatbuffers::Vector<std::int32_t>* items, bool may_be_absent) {
    if (count(items) > kMaxList) return too_long(count(items));
    MACAW_CHECK(tensors_.account_operands(count(items)));
    for (std::size_t i = 0; i < count(items); ++i) {
      const auto index = items->Get(unsigned(i));
      const auto* v = tensors_.value(index);
      if (may_be_absent && (index < 0 || (v && v->value_type() == pte::Kernel::Null))) op_.inputs.emplace_back();
      else MACAW_CHECK(add_tensor(index, op_.inputs));
    }
    return {};
  }

  /// The items are separate values (runtime/executor/method.cpp).
  Result<void> add_integers(std::int64_t index, const flatbuffers::Vector<std::int64_t>* items) {
    if (count(items) > kMaxList) return too_long(count(items));
    std::vector<std::int64_t> list;
    for (std::size_t i = 0; i < count(items); ++i) {
      const auto* item = tensors_.value(io::value_at(*items, i));
      if (!item || !item->value_as_Int())
        return tensors_.invalid(fmt::format("{}: a list of values that are not numbers", op_.name));
      list.push_back(item->value_as_Int()->value());
    }
    return add_values(index, DType::kINT64, list);
  }

  [[nodiscard]] tl::unexpected<Error> too_long(std::size_t size) const {
    return tensors_.unsupported(fmt::format("{}: a list of {} arguments, at most {}", op_.name, size, kMaxList));
  }

  template <class T>
  Result<void> add_values(std::int64_t index, DType dtype, const std::vector<T>& list, Form form = Form::kArgument) {
    return add_list(index, dtype, {std::int64_t(list.size())}, list, form);
  }

  /// Adds numbers of one type as a constant operand for a value.
  template <class T>
  Result<void> add_list(std::int64_t index, DType dtype, Shape shape, const std::vector<T>& list,
                        Form form = Form::kArgument) {
    if (list.size() > kMaxList) return too_long(list.size());
    TensorBinding out{.name = "argument", .shape = std::move(shape), .element_size = sizeof(T), .dtype = dtype};
    MACAW_ASSIGN(out, tensors_.add_argument(index, form, std::move(out), std::as_bytes(std::span(list))));
    op_.inputs.push_back(std::move(out));
    return {};
  }

  ProgramTensors& tensors_;
  HostOperator& op_;
  std::vector<std::int64_t> orders_;  // tensors whose memory order differs from that of their dimensions
  bool channels_last_ = false;        // all tensors of the call have the shape NHWC
};

/// Arguments of quantize_per_tensor and dequantize_per_tensor by position: the tensor, scale, zero point, lowest and
/// highest value, the ScalarType of the integers, for dequantize_per_tensor that of the output or None, and the output.
class Conversion {
 public:
  Conversion(ProgramTensors& tensors, HostOperator& op) : tensors_(tensors), op_(op) {}

  Result<void> add(std::vector<std::int64_t> args) {
    // The output is the last argument, repeated as the result.
    if (args.size() >= 2 && args.back() == args[args.size() - 2]) args.pop_back();
    if (args.size() < kOperands + 1 || args.size() > kOperands + 3)
      return tensors_.invalid(
          fmt::format("{}: {} arguments, expected {} to {}", op_.name, args.size(), kOperands + 1, kOperands + 3));
    const auto output = args.back();
    args.pop_back();
    MACAW_CHECK(add_tensor(args[0], op_.inputs));
    MACAW_CHECK(add_scale(args[1]));
    for (std::size_t i = 2; i < kOperands; ++i) MACAW_CHECK(add_word(args[i]));
    MACAW_CHECK(add_tensor(output, op_.outputs));
    const bool is_inverse = op_.name.ends_with("dequantize_per_tensor");
    if (args.size() > kOperands) MACAW_CHECK(check_type(args[kOperands], is_inverse ? args[0] : output));
    if (args.size() > kOperands + 1) MACAW_CHECK(check_type(args[kOperands + 1], output));
    return {};
  }

 private:
  using Form = ProgramTensors::Form;
  static constexpr std::size_t kOperands = 5;

  Result<void> add_tensor(std::int64_t index, std::vector<TensorBinding>& to) {
    MACAW_ASSIGN(auto operand, tensors_.binding(index));
    to.push_back(std::move(operand));
    return {};
  }

  Result<void> add_scale(std::int64_t index) {
    const auto* v = tensors_.value(index);
    if (v && v->value_type() == pte::Kernel::Tensor) return add_tensor(index, op_.inputs);
    if (!v || !v->value_as_Double()) return misfit(index, "a real number");
    const auto scale = float(v->value_as_Double()->value());
    return add_number(index, "scale", DType::kFP32, &scale);
  }

  Result<void> add_word(std::int64_t index) {
    const auto* v = tensors_.value(index);
    if (v && v->value_type() == pte::Kernel::Tensor) return add_tensor(index, op_.inputs);
    if (!v || !v->value_as_Int()) return misfit(index, "an integer");
    const auto number = std::int32_t(std::clamp<std::int64_t>(v->value_as_Int()->value(), INT32_MIN, INT32_MAX));
    return add_number(index, "argument", DType::kINT32, &number);
  }

  Result<void> check_type(std::int64_t index, std::int64_t tensor) {
    const auto* v = tensors_.value(index);
    if (v && v->value_type() == pte::Kernel::Null) return {};
    if (!v || !v->value_as_Int()) return misfit(index, "a ScalarType");
    const auto stated = v->value_as_Int()->value();
    const auto own = std::int64_t(tensors_.tensor(tensor)->scalar_type());
    if (stated == own) return {};
    return tensors_.invalid(
        fmt::format("{}: value {} has ScalarType {}, the operator states {}", op_.name, tensor, own, stated));
  }

  [[nodiscard]] tl::unexpected<Error> misfit(std::int64_t index, const char* expected) const {
    const auto* v = tensors_.value(index);
    return tensors_.invalid(fmt::format("{}: value {} is {}, expected {}", op_.name, index,
                                        v ? pte::EnumNameKernel(v->value_type()) : "missing", expected));
  }

  /// Adds a number among the arguments as a constant operand of four bytes.
  Result<void> add_number(std::int64_t index, const char* name, DType dtype, const void* bytes) {
    if (const auto* made = tensors_.find_argument(index, Form::kWord)) {
      op_.inputs.push_back(*made);
      return {};
    }
    TensorBinding out{.name = name, .shape = {1}, .element_size = 4, .dtype = dtype};
    MACAW_ASSIGN(out,
                 tensors_.add_argument(index, Form::kWord, std::move(out), {static_cast<const std::byte*>(bytes), 4}));
    op_.inputs.push_back(std::move(out));
    return {};
  }

  ProgramTensors& tensors_;
  HostOperator& op_;
};

Result<void> add_several_outputs(ProgramTensors& tensors, const SeveralOutputs& row, HostOperator& op,
                                 const std::vector<std::int64_t>& args) {
  KernelOperands operands(tensors, op);
  if (args.size() < row.inputs + std::max<std::size_t>(row.outputs, 1))
    return tensors.invalid(
        fmt::format("{}: {} arguments, expected {} inputs and their outputs", op.name, args.size(), row.inputs));
  for (std::size_t i = 0; i < row.inputs; ++i) MACAW_CHECK(operands.add(args[i]));
  if (row.outputs > 0) {
    for (std::size_t i = 0; i < row.outputs; ++i) MACAW_CHECK(operands.add_tensor(args[row.inputs + i], op.outputs));
    return {};
  }
  const auto* value = tensors.value(args[row.inputs]);
  const auto* list = value ? value->value_as_TensorList() : nullptr;
  if (!list) return tensors.invalid(fmt::format("{}: the output is not a list of tensors", op.name));
  if (count(list->items()) > kMaxList) return tensors.unsupported(fmt::format("{}: too many outputs", op.name));
  MACAW_CHECK(tensors.account_operands(count(list->items())));
  for (std::size_t i = 0; i < count(list->items()); ++i)
    MACAW_CHECK(operands.add_tensor(list->items()->Get(unsigned(i)), op.outputs));
  return {};
}

/// The last argument is the result: the output, which also precedes it, or the first argument if the operator changes
/// it in place.
Result<void> add_placed(ProgramTensors& tensors, HostOperator& op, std::vector<std::int64_t> args) {
  if (args.size() < 2) return tensors.invalid(fmt::format("{}: {} arguments", op.name, args.size()));
  const auto output = args.back();
  const bool is_named_twice = args[args.size() - 2] == output;
  const bool is_in_place = op.name.ends_with("_") && args.front() == output;
  if (!is_named_twice && !is_in_place) return tensors.unsupported(fmt::format("{}: more than one output", op.name));
  KernelOperands operands(tensors, op);
  operands.choose_form(args);
  args.resize(args.size() - (is_in_place ? 1 : 2));
  for (const auto arg : args) MACAW_CHECK(operands.add(arg));
  MACAW_CHECK(operands.add_tensor(output, op.outputs));
  args.push_back(output);
  if (!op.name.starts_with("dim_order_ops::")) return operands.check_orders(args);
  MACAW_CHECK(operands.add_order(args.front()));
  return operands.add_order(output);
}

}  // namespace

Result<HostOperator> kernel_operator(ProgramTensors& tensors, const pte::KernelCall& call, std::size_t index) {
  const auto& plan = tensors.plan();
  if (call.op() < 0 || std::size_t(call.op()) >= count(plan.operators()))
    return tensors.invalid(fmt::format("operator {} does not exist", call.op()));
  const auto* entry = plan.operators()->Get(unsigned(call.op()));
  HostOperator op{.index = index, .name = entry->name() ? entry->name()->str() : "", .inputs = {}, .outputs = {}};
  MACAW_CHECK(tensors.account_operands(1 + count(call.args())));
  std::vector<std::int64_t> args;
  for (std::size_t i = 0; i < count(call.args()); ++i) args.push_back(call.args()->Get(unsigned(i)));
  if (op.name.ends_with("quantize_per_tensor")) {
    MACAW_CHECK(Conversion(tensors, op).add(std::move(args)));
    return op;
  }
  const std::string overload = entry->overload() ? entry->overload()->str() : "";
  if (!overload.empty() && overload != "out") op.name += "." + overload;
  const auto* row = std::ranges::find(kSeveralOutputs, op.name, &SeveralOutputs::name);
  if (row != std::end(kSeveralOutputs)) MACAW_CHECK(add_several_outputs(tensors, *row, op, args));
  else MACAW_CHECK(add_placed(tensors, op, std::move(args)));
  return op;
}

}  // namespace macaw::npu
