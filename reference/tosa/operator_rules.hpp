#pragma once
#include <string>
#include <vector>

#include "reference/tosa/op/def.hpp"

namespace macaw::tosa {

/// Operands of an operator in the form that checks read. For 0.80's RESCALE, and its constants, an unsigned type is
/// treated as the signed type of the same width: in 1.x "unsigned" is an attribute, which the importer sets.
[[nodiscard]] Operand make_operand(const Operator& op, DType dtype, const Shape* shape, const Tensor* value);

/// Applies the rules of one operator to the known properties of its operands and appends broken rules: number of
/// operands, attributes, types, ranks, shapes, then the definition's checks. Returns the type row, or null after an
/// ERROR.
const TypeRow* check_operator(const Definition& definition, const View& view, const Version& version,
                              const std::string& place, std::vector<BrokenRule>& findings);

/// Whether the rules of an operator hold in every run if they hold in one: they read only the graph.
[[nodiscard]] bool rules_read_graph_alone(const Definition& definition, const Block& block, const Operator& op);

/// Output shapes from the inputs, or none if too little is known, or if the definition does not compute them.
[[nodiscard]] Result<std::optional<std::vector<Shape>>> infer_shapes(const Definition& definition, const View& view);

/// Adds the ERROR that an error of infer_shapes stands for: attributes that leave the output no shape. False if the
/// error is not the graph's fault.
bool note_wrong_shape(const Operator& op, const std::string& place, const Error& error,
                      std::vector<BrokenRule>& findings);

/// Adds an ERROR if the file declares an output with extents that the inferred shape does not have.
bool note_contradiction(const Block& block, const Operator& op, const std::string& place,
                        const std::vector<Shape>& inferred, std::vector<BrokenRule>& findings);

}  // namespace macaw::tosa
