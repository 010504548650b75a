#pragma once
#include <macaw/error.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <sqlite3.h>

namespace macaw::sweep {

/// A connection to an SQLite database. Errors: kIo where it cannot be opened or written, kInvalidFile where it cannot
/// be read.
class Sqlite {
 public:
  [[nodiscard]] static Result<Sqlite> create(const std::filesystem::path& file);
  /// To read. What a file can have computed for a row (views, generated columns, triggers) ends with an error: a query
  /// takes steps in proportion to the size of the file.
  [[nodiscard]] static Result<Sqlite> open(const std::filesystem::path& file);

  [[nodiscard]] Result<void> execute(const std::string& statements);
  /// Calls `bind` for a prepared statement until it returns false, and runs the statement after each other call.
  [[nodiscard]] Result<void> insert(const std::string& statement, const std::function<bool(sqlite3_stmt*)>& bind);
  /// Calls `row` for each row of a query.
  [[nodiscard]] Result<void> query(const std::string& statement, const std::function<void(sqlite3_stmt*)>& row);

 private:
  struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close(connection); }
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  [[nodiscard]] static Result<Sqlite> connect(const std::filesystem::path& file, int flags, ErrorCode code);
  [[nodiscard]] tl::unexpected<Error> error() const;
  [[nodiscard]] Result<Statement> prepare(const std::string& text);

  std::string file_;
  ErrorCode code_ = ErrorCode::kIo;
  std::unique_ptr<std::int64_t> steps_left_;  ///< of the virtual machine, while it reads
  std::unique_ptr<sqlite3, Close> connection_;
};

}  // namespace macaw::sweep
