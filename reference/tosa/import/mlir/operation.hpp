#pragma once
#include <string>
#include <vector>

#include "reference/tosa/import/mlir/attribute.hpp"

namespace macaw::tosa::mlir {

struct Operation;

/// A value where it is defined.
struct Definition {
  std::string name;  ///< with "#n" if it is one of several results
  Type type;
  std::string label;  ///< of loc("..."), or empty
};

struct Region {
  std::vector<Definition> arguments;
  std::vector<Operation> operations;
};

/// An operation of any dialect, in the generic form or TOSA's and func's own.
struct Operation {
  std::string name;  ///< "tosa.add"
  std::vector<Definition> results;
  std::vector<std::string> operands;
  Attributes attributes;
  std::vector<Type> operand_types;
  std::vector<Region> regions;
  std::size_t at = 0;  ///< in the text
};

/// The operations of a file, those of a module unwrapped.
[[nodiscard]] Result<std::vector<Operation>> read_file(Cursor in);

}  // namespace macaw::tosa::mlir
