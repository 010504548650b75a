#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>

#include <macaw/npy.hpp>

#include "base/file.hpp"

namespace macaw {
namespace {

// An archive whose members claim more in total is refused before it is unpacked: compiled networks are far smaller.
constexpr zip_uint64_t kMaxUnpacked = zip_uint64_t{1} << 31;

struct ZipCloser {
  void operator()(zip_t* zip) const { zip_discard(zip); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using ZipFile = std::unique_ptr<zip_file_t, ZipCloser>;
using Zip = std::unique_ptr<zip_t, ZipCloser>;

class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ~ZipError() { zip_error_fini(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  operator zip_error_t*() { return &error_; }
  [[nodiscard]] std::string text() {
    // zip_open() itself says no more of two members of one name.
    if (zip_error_code_zip(&error_) == ZIP_ER_EXISTS) return "two members have one name";
    return zip_error_strerror(&error_);
  }

 private:
  zip_error_t error_;
};

tl::unexpected<Error> zip_failure(ErrorCode code, const std::string& file, std::string message) {
  return fail(code, std::move(message), {.file = file});
}

Result<std::vector<std::byte>> read_member(zip_t* zip, zip_uint64_t index, const zip_stat_t& stat,
                                           std::size_t archive_size, const std::string& name) {
  const ZipFile file(zip_fopen_index(zip, index, 0));
  if (!file) return zip_failure(ErrorCode::kInvalidFile, name, fmt::format("cannot unpack: {}", zip_strerror(zip)));
  // Grown as data arrives, so that a false size costs nothing; what is stored as it is cannot outgrow the archive.
  std::vector<std::byte> bytes;
  if (stat.comp_method == ZIP_CM_STORE)
    bytes.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(stat.size, archive_size)) + 1);
  constexpr std::uint64_t kStep = std::uint64_t{1} << 20;
  while (true) {
    const auto old = bytes.size();
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(kStep, stat.size - old + 1));
    bytes.resize(old + step);
    const auto got = zip_fread(file.get(), bytes.data() + old, step);
    if (got < 0)
      return zip_failure(ErrorCode::kInvalidFile, name,
                         fmt::format("cannot unpack: {}", zip_file_strerror(file.get())));
    bytes.resize(old + static_cast<std::size_t>(got));
    if (bytes.size() > stat.size)
      return zip_failure(ErrorCode::kInvalidFile, name, "a zip member is longer than its stated size");
    if (got == 0) return bytes;
  }
}

Result<void> check_sizes(zip_t* zip, const std::string& name) {
  zip_uint64_t total = 0;
  const auto entries = static_cast<zip_uint64_t>(zip_get_num_entries(zip, 0));
  for (zip_uint64_t i = 0; i < entries; ++i) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    const bool known = zip_stat_index(zip, i, 0, &stat) == 0 && (stat.valid & ZIP_STAT_SIZE) != 0;
    if (!known || stat.size > kMaxUnpacked - total)
      return zip_failure(ErrorCode::kInvalidFile, name,
                         known ? fmt::format("zip members of more than {} bytes in total", kMaxUnpacked)
                               : fmt::format("zip entry {} does not say its size", i));
    total += stat.size;
  }
  return {};
}

}  // namespace

Result<Npz> parse_npz(std::span<const std::byte> bytes, const std::string& name) {
  // libzip takes no bytes at all for an empty archive.
  if (bytes.empty()) return zip_failure(ErrorCode::kInvalidFile, name, "not an npz file: it is empty");
  ZipError error;
  errno = 0;
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, error);
  if (!source) return zip_failure(ErrorCode::kInvalidFile, name, error.text());
  const Zip zip(zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, error));
  if (!zip) {
    // libzip takes an archive for none where it gets no memory to look at it.
    const bool no_memory = errno == ENOMEM;
    zip_source_free(source);
    if (no_memory) throw std::bad_alloc();
    return zip_failure(ErrorCode::kInvalidFile, name, fmt::format("not an npz file: {}", error.text()));
  }
  MACAW_CHECK(check_sizes(zip.get(), name));
  Npz npz;
  const auto entries = zip_get_num_entries(zip.get(), 0);
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(entries); ++i) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    if (zip_stat_index(zip.get(), i, 0, &stat) != 0 || !(stat.valid & ZIP_STAT_NAME))
      return zip_failure(ErrorCode::kInvalidFile, name, fmt::format("zip entry {} has no name", i));
    std::string member = stat.name;
    const auto label = name + ":" + member;
    MACAW_ASSIGN(auto data, read_member(zip.get(), i, stat, bytes.size(), label));
    if (member.ends_with(".npy")) member.resize(member.size() - 4);
    auto array = parse_npy(std::move(data), label);
    if (!array && array.error().code == ErrorCode::kUnsupported) {
      npz.skipped.push_back(member);
      continue;
    }
    if (!array) return tl::unexpected<Error>(array.error());
    if (!npz.arrays.emplace(member, std::move(*array)).second)
      return zip_failure(ErrorCode::kInvalidFile, name, fmt::format("two members are called '{}'", member));
  }
  return npz;
}

Result<Npz> read_npz(const std::filesystem::path& file) {
  MACAW_ASSIGN(const auto bytes, io::read_file(file));
  return parse_npz(bytes, file.string());
}

Result<void> write_npz(const std::filesystem::path& file, const std::map<std::string, NpyArray>& arrays) {
  ZipError error;
  zip_source_t* source = zip_source_buffer_create(nullptr, 0, 0, error);
  if (!source) return zip_failure(ErrorCode::kIo, file.string(), error.text());
  zip_source_keep(source);
  const std::unique_ptr<zip_source_t, decltype(&zip_source_free)> keep(source, zip_source_free);
  Zip zip(zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, error));
  if (!zip) {
    zip_source_free(source);
    return zip_failure(ErrorCode::kIo, file.string(), error.text());
  }
  const auto failed = [&] {
    return zip_failure(ErrorCode::kIo, file.string(), fmt::format("cannot write: {}", zip_strerror(zip.get())));
  };
  std::vector<std::vector<std::byte>> members;
  members.reserve(arrays.size());
  for (const auto& [name, array] : arrays) {
    members.push_back(format_npy(array));
    zip_source_t* data = zip_source_buffer(zip.get(), members.back().data(), members.back().size(), 0);
    if (!data) return failed();
    const auto index = zip_file_add(zip.get(), (name + ".npy").c_str(), data, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(data);
      return failed();
    }
    const auto entry = static_cast<zip_uint64_t>(index);
    // 1980-01-01 00:00, the earliest time of the format.
    if (zip_set_file_compression(zip.get(), entry, ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(zip.get(), entry, 0, 0x21, 0) != 0)
      return failed();
  }
  if (zip_close(zip.get()) != 0) return failed();
  (void)zip.release();
  if (zip_source_open(source) != 0) return zip_failure(ErrorCode::kIo, file.string(), "cannot read back the archive");
  zip_stat_t stat;
  zip_stat_init(&stat);
  zip_source_stat(source, &stat);
  std::vector<std::byte> bytes(stat.size);
  const auto got = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  if (got != static_cast<zip_int64_t>(bytes.size()))
    return zip_failure(ErrorCode::kIo, file.string(), "cannot read back the archive");
  return io::write_file(file, bytes);
}

}  // namespace macaw
