#include "sim/sc/late/timed_model.hpp"

using namespace macaw::npu;

const sc::TimedModel macaw_timed_model = {macaw_build, run_timed, sc::DeviceSimulation::create};
