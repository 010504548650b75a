#pragma once
#include <macaw/tensor.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace macaw {

/// An array as an .npy file holds it: raw little-endian, C-order bytes and numpy's own descriptor.
struct NpyArray {
  std::string descr;  ///< "<i4", "|i1", "<V1", "|S1024", ...
  Shape shape;        ///< [] for a 0-d array
  std::vector<std::byte> bytes;
};

/// Parses format 1.0 to 3.0. Object arrays (pickles), structured types and big-endian data are kUnsupported errors;
/// Fortran order is transposed to C order. `name` is used in messages.
[[nodiscard]] Result<NpyArray> parse_npy(std::span<const std::byte> bytes, const std::string& name);
/// Reuses the memory of the file's bytes.
[[nodiscard]] Result<NpyArray> parse_npy(std::vector<std::byte>&& bytes, const std::string& name);
[[nodiscard]] Result<NpyArray> read_npy(const std::filesystem::path& file);
[[nodiscard]] std::vector<std::byte> format_npy(const NpyArray& array);

/// Reads a tensor. Without `dtype` it follows from the descriptor ("<i8" gives INT64, "|u1" UINT8, "<V1" FP8E4M3,
/// "<V2" BF16); with it, the element size must fit. An array of a block-scaled type has each row of the last dimension
/// followed by the row's scales: C + ceil(C / 32) elements for C values.
[[nodiscard]] Result<Tensor> read_tensor(const std::filesystem::path& file, std::optional<DType> dtype = {});
[[nodiscard]] Result<Tensor> to_tensor(const NpyArray& array, std::optional<DType> dtype, const std::string& name);
[[nodiscard]] NpyArray to_npy(const Tensor& tensor);
[[nodiscard]] Result<void> write_tensor(const std::filesystem::path& file, const Tensor& tensor);

/// Members of an .npz by name, ".npy" removed. Object arrays (pickled) are skipped and listed in `skipped`.
struct Npz {
  std::map<std::string, NpyArray> arrays;
  std::vector<std::string> skipped;
};
[[nodiscard]] Result<Npz> read_npz(const std::filesystem::path& file);
[[nodiscard]] Result<Npz> parse_npz(std::span<const std::byte> bytes, const std::string& name);

/// Written without compression and with a fixed time stamp, so that equal arrays give equal files.
[[nodiscard]] Result<void> write_npz(const std::filesystem::path& file, const std::map<std::string, NpyArray>& arrays);

}  // namespace macaw
