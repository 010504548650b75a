#include <fmt/format.h>

#include "workflow/sweep/show.hpp"

namespace macaw::sweep {
namespace {

constexpr std::string_view kSlurm = R"(#!/bin/sh
# Submits the study as a job array, and the merge when all of it has ended.
set -e
array=$(sbatch --parsable --array=0-{last} --wrap 'macaw sweep run {study} -o {folder} --shard env --resume || test $? = 1')
sbatch --dependency=afterany:$array --wrap 'macaw sweep merge {study} -o {folder}'
)";

// The merge is a rule without output: Snakemake removes that of a rule that fails, and a run that failed is a row.
constexpr std::string_view kSnakemake = R"(rule all:
    input: expand("{folder}/shards/{{k}}", k=range({shards}))
    shell: "macaw sweep merge {study} -o {folder}"

rule shard:
    output: touch("{folder}/shards/{{k}}")
    shell: "macaw sweep run {study} -o {folder} --shard {{wildcards.k}}/{shards} --resume || test $? = 1"
)";

constexpr std::string_view kParallel =
    "seq 0 {last} | parallel 'macaw sweep run {study} -o {folder} --shard {{}}/{shards} --resume'; "
    "macaw sweep merge {study} -o {folder}\n";

constexpr std::string_view kMpi =
    "mpirun -n {shards} sh -c 'macaw sweep run {study} -o {folder} --shard env --resume || test $? = 1' && "
    "macaw sweep merge {study} -o {folder}\n";

}  // namespace

Result<std::string> engine_text(const std::string& engine, const std::string& study, const std::string& folder,
                                std::size_t shards) {
  const auto text = engine == "slurm"       ? kSlurm
                    : engine == "snakemake" ? kSnakemake
                    : engine == "parallel"  ? kParallel
                    : engine == "mpi"       ? kMpi
                                            : std::string_view{};
  // They go through a shell inside a quoted word, and Snakemake's own braces.
  constexpr auto kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-,=@:%";
  for (const auto& name : {study, folder})
    if (name.find_first_not_of(kPlain) != name.npos)
      return fail(ErrorCode::kUsage,
                  fmt::format("'{}' must have letters, digits and _./+-,=@:% alone, since it goes into "
                              "scripts of others",
                              name));
  if (text.empty())
    return fail(ErrorCode::kUsage, fmt::format("unknown engine '{}': slurm, snakemake, parallel or mpi", engine));
  return fmt::format(fmt::runtime(text), fmt::arg("study", study), fmt::arg("folder", folder),
                     fmt::arg("shards", shards), fmt::arg("last", shards - 1));
}

}  // namespace macaw::sweep
