#include "tests/system/engines/odd_engine.hpp"

macaw::sc::MemoryEngine* macaw_memory_engine(const macaw::sc::MemoryEngineRequest& request, std::string&) {
  return new OddEngine(request.name.c_str(), [](tlm::tlm_generic_payload& payload) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}
