#include "app/range_option.hpp"

namespace macaw::app {

void add_range_option(Command& command, std::vector<std::string>& ranges) {
  command
      .add_option("--range", ranges,
                  "range of random values of an input (default: the rows that it picks, where it is an index); "
                  "repeatable")
      .one_value();
}

}  // namespace macaw::app
