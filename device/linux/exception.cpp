#include <macaw/ethosu_linux/ethosu.hpp>

namespace EthosU {

Exception::Exception(const char* message) : message_(message) {}

Exception::~Exception() = default;

const char* Exception::what() const noexcept { return message_.c_str(); }

}  // namespace EthosU
