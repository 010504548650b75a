#include "reference/tosa/op/custom/registry.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include <macaw/shared_library.hpp>

namespace macaw::tosa {
namespace {

using Key = std::pair<std::string, std::string>;

struct Registry {
  std::mutex mutex;
  std::map<Key, const macaw_custom_op*> ops;
};

Registry& registry() {
  static Registry instance;
  return instance;
}

tl::unexpected<Error> refused(const std::string& origin, std::string message) {
  return fail(ErrorCode::kInvalidFile, std::move(message), Place{origin, "", {}, {}});
}

}  // namespace

const macaw_custom_op* find_custom_op(const std::string& domain, const std::string& name) {
  auto& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.ops.find({domain, name});
  return found == all.ops.end() ? nullptr : found->second;
}

Result<void> add_custom_ops(const macaw_custom_library& library, const std::string& origin) {
  if (library.abi != MACAW_CUSTOM_OP_ABI)
    return refused(origin, fmt::format("custom operators for version {} of the interface; this Macaw has version {}",
                                       library.abi, MACAW_CUSTOM_OP_ABI));
  if (library.op_count > 0 && !library.ops) return refused(origin, "a library of custom operators without a list");
  auto& all = registry();
  const std::lock_guard lock(all.mutex);
  auto merged = all.ops;
  for (std::size_t i = 0; i < library.op_count; ++i) {
    const auto& op = library.ops[i];
    if (!op.domain_name || !op.operator_name || !op.eval)
      return refused(origin, fmt::format("custom operator {} lacks its domain, its name or eval", i));
    const auto [at, is_new] = merged.emplace(Key{op.domain_name, op.operator_name}, &op);
    if (!is_new && at->second != &op)
      return refused(origin, fmt::format("custom operator {}/{} is there already", op.domain_name, op.operator_name));
  }
  all.ops = std::move(merged);
  return {};
}

Result<void> load_custom_ops(const std::filesystem::path& library) {
  // A bare name would be looked for in the system's folders.
  std::error_code ignored;
  const auto path = std::filesystem::absolute(library, ignored);
  // Never closed: graphs hold on to the operators for as long as the process runs.
  std::string reason;
  void* handle = open_library(path, reason);
  if (!handle) return refused(library.string(), reason);
  using Entry = decltype(&macaw_custom_op_library);
  const auto entry = reinterpret_cast<Entry>(find_function(handle, "macaw_custom_op_library", reason));
  const auto* list = entry ? entry() : nullptr;
  if (!list) {
    close_library(handle);
    return refused(library.string(), "not a library of custom operators: it has no macaw_custom_op_library()");
  }
  return add_custom_ops(*list, library.string());
}

}  // namespace macaw::tosa
