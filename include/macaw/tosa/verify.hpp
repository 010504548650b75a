#pragma once
#include <macaw/error.hpp>
#include <macaw/tensor.hpp>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

/// Whether a result complies with the TOSA specification ("Compliance" and the precision requirements of the operators,
/// 1.1 draft), in the terms of the test descriptions of Arm's TOSA reference model. A result is judged against a
/// reference: for floating point the same graph computed in FP64, for integers a tensor of the result's own type. Some
/// modes need a second tensor, the bounds: what it holds depends on the mode.
namespace macaw::tosa {

/// How far a result may be from its reference. Members are named after those of desc.json's "<mode>_info".
namespace mode {

/// Equal; FP32, FP16 and BF16 may flush subnormals to zero.
struct Exact {};

/// Units in the last place of the reference, below and above it.
struct Ulp {
  double ulp = 0, ulp_lower = 0;
};

/// A relative error of 2^-mantissa bits times the bounds tensor (and base_bound).
struct AbsError {
  double base_bound = 0;            ///< added to the bounds
  double lower_bound = 0;           ///< if positive, the error allowed is at least this times 2^-mantissa bits
  double normal_divisor = 1;        ///< the mantissa bits are divided by this
  bool bound_as_magnitude = false;  ///< the bounds tensor holds what the error is relative to (SIN and COS: the input)
  double max_compare = 0;           ///< if positive, the error allowed is at least this
};

/// The larger of max * scale and ulp_bound units in the last place.
struct Relative {
  double max = 0, scale = 0, ulp_bound = 0;
};

/// One rounding for each of n factors.
struct ReduceProduct {
  std::int64_t n = 1;
};

/// Zeros, NaNs, infinities and signs only. Bounds: the same operator on absolute values with extra multiplies by zero.
struct FpSpecial {};

/// Bounds on every element and on the errors of the whole tensor, in units of half an ULP of the bounds tensor (the
/// same operator on absolute values).
struct DotProduct {
  std::int64_t s = 0;               ///< test data set; the sum of errors is bounded in sets 3 to 5
  std::int64_t ksb = 1;             ///< roundings per element
  double abs_bound = 2;             ///< largest error of one element
  double variance_error_bound = 2;  ///< largest mean square error
};

/// Integers from the reference up to the bounds tensor, both included.
struct RescaleInexact {
  bool unsigned_data = false;  ///< the bytes are unsigned although the type says signed
};

/// Not of desc.json, whose makers have no mode for it: tosa_reference_check_from_block of the specification, for casts
/// from blocks. Bounds: the scale of each element's block.
struct FromBlock {};

/// Not of desc.json either: tosa_reference_check_scale, for values and scales that a result has in blocks, which are
/// judged together.
struct ToBlock {
  /// The output that holds the scales of this one's values (CAST_TO_BLOCK_SCALED): join_blocks() makes one tensor of
  /// them. Empty for a result of a block-scaled type.
  std::string scale_tensor;
};

/// Not of the specification: a share of the reference's magnitude plus the same share of the tensor's root mean square.
/// For graphs of several operators, whose sequence the specification bounds only operator by operator.
struct Tolerance {
  double share = 0;
};

}  // namespace mode

using Mode = std::variant<mode::Exact, mode::Ulp, mode::AbsError, mode::Relative, mode::ReduceProduct, mode::FpSpecial,
                          mode::DotProduct, mode::RescaleInexact, mode::FromBlock, mode::ToBlock, mode::Tolerance>;

/// "EXACT", "ULP", ... as in desc.json; "FROM_BLOCK", "BLOCK_SCALE" and "TOLERANCE" for those that are not there.
[[nodiscard]] std::string_view to_string(const Mode& mode);

/// Compliance requirements of a result.
struct Compliance {
  Mode mode;
  DType dtype = DType::kINT8;       ///< of the result
  std::optional<Shape> shape = {};  ///< of the result; unset: that of the reference
};

/// Reads the entry of one tensor from the "meta.compliance" object of a desc.json. kInvalidFile if the text is not such
/// an object, lacks the tensor or a member that its mode needs, or holds a value that makes no sense; kUnsupported for
/// a mode or type that is not known.
[[nodiscard]] Result<Compliance> parse_compliance(std::string_view json, const std::string& tensor);

/// The tolerance for results of a floating point type: 1e-3 for FP32, 2e-2 for FP16 and BF16, 1.3e-1 for FP8.
/// kUnsupported for other types.
[[nodiscard]] Result<mode::Tolerance> default_tolerance(DType dtype);

struct Judgement {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  bool compliant = true;
  std::string text;                        ///< a sentence: what was judged, and if not compliant where and by how much
  std::int64_t outside = 0;                ///< elements that are not compliant; 0 if the tensor fails as a whole
  std::optional<std::int64_t> index = {};  ///< the first of them, row-major
  /// The values compared for that element, or for the tensor's sum of errors or of squared errors (DOT_PRODUCT). NaN
  /// where it does not apply.
  double value = kNone, reference = kNone, lowest = kNone, highest = kNone;
};

/// The reference's type for results of a type: FP64 for floating point and MXINT8, BS32_FP64_FP64 for block-scaled
/// types, else the same.
[[nodiscard]] DType reference_dtype(DType result);

/// Whether the mode needs a bounds tensor.
[[nodiscard]] bool needs_bounds(const Mode& mode);

/// Values and their scales, or FP64 references of both, as one tensor of a block-scaled type. kMismatch if there is no
/// type of these two or the shape of the scales is not that of the values with a last extent of 1/32.
[[nodiscard]] Result<Tensor> join_blocks(const Tensor& values, const Tensor& scales);

/// Reads a result, reference or bounds file. Where read_tensor() takes any array of elements as wide as the type, this
/// one is kMismatch if the file says another type.
[[nodiscard]] Result<Tensor> read_judged(const std::filesystem::path& file, DType dtype);

/// Judges `result`; one of another type or shape than it must have is not compliant. An Error says that there can be no
/// judgement: the reference or the bounds have the wrong type or shape (kMismatch), the bounds are null and the mode
/// needs them (kUsage), or the mode does not apply to the type (kUnsupported).
[[nodiscard]] Result<Judgement> judge(const Tensor& result, const Tensor& reference, const Tensor* bounds,
                                      const Compliance& compliance);

}  // namespace macaw::tosa
