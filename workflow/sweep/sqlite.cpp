#include "workflow/sweep/sqlite.hpp"

namespace macaw::sweep {

Result<Sqlite> Sqlite::connect(const std::filesystem::path& file, int flags, ErrorCode code) {
  Sqlite database;
  database.file_ = file.string();
  database.code_ = code;
  sqlite3* connection = nullptr;
  const int status = sqlite3_open_v2(file.c_str(), &connection, flags, nullptr);
  database.connection_.reset(connection);
  if (status != SQLITE_OK) return database.error();
  return database;
}

Result<Sqlite> Sqlite::create(const std::filesystem::path& file) {
  return connect(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, ErrorCode::kIo);
}

Result<Sqlite> Sqlite::open(const std::filesystem::path& file) {
  MACAW_ASSIGN(auto database, connect(file, SQLITE_OPEN_READONLY, ErrorCode::kInvalidFile));
  std::error_code problem;
  const auto bytes = std::filesystem::file_size(file, problem);
  if (problem) return fail(ErrorCode::kIo, problem.message(), {.file = file.string()});
  auto* connection = database.connection_.get();
  // A row takes a few bytes of the file at least, and to read it a few steps.
  constexpr int kStepsAtOnce = 1000;
  constexpr std::int64_t kStepsPerByte = 4, kMoreSteps = 1'000'000;
  database.steps_left_ = std::make_unique<std::int64_t>(kMoreSteps + kStepsPerByte * static_cast<std::int64_t>(bytes));
  sqlite3_progress_handler(
      connection, kStepsAtOnce,
      [](void* left) { return (*static_cast<std::int64_t*>(left) -= kStepsAtOnce) < 0 ? 1 : 0; },
      database.steps_left_.get());
  constexpr int kMostBytesOfValue = 1 << 20;
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, kMostBytesOfValue);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  return database;
}

tl::unexpected<Error> Sqlite::error() const {
  if (steps_left_ && *steps_left_ < 0)
    return fail(code_, "reading it takes more steps than a database of its size needs", {.file = file_});
  return fail(code_, connection_ ? sqlite3_errmsg(connection_.get()) : "no memory for a database", {.file = file_});
}

Result<Sqlite::Statement> Sqlite::prepare(const std::string& text) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(connection_.get(), text.c_str(), -1, &statement, nullptr) != SQLITE_OK) return error();
  return Statement(statement);
}

Result<void> Sqlite::execute(const std::string& statements) {
  if (sqlite3_exec(connection_.get(), statements.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return error();
  return {};
}

Result<void> Sqlite::insert(const std::string& text, const std::function<bool(sqlite3_stmt*)>& bind) {
  MACAW_ASSIGN(const auto statement, prepare(text));
  while (bind(statement.get())) {
    if (sqlite3_step(statement.get()) != SQLITE_DONE) return error();
    sqlite3_reset(statement.get());
    sqlite3_clear_bindings(statement.get());
  }
  return {};
}

Result<void> Sqlite::query(const std::string& text, const std::function<void(sqlite3_stmt*)>& row) {
  MACAW_ASSIGN(const auto statement, prepare(text));
  int status = 0;
  while ((status = sqlite3_step(statement.get())) == SQLITE_ROW) row(statement.get());
  if (status != SQLITE_DONE) return error();
  return {};
}

}  // namespace macaw::sweep
