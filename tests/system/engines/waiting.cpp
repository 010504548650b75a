#include "tests/system/engines/odd_engine.hpp"

macaw::sc::MemoryEngine* macaw_memory_engine(const macaw::sc::MemoryEngineRequest& request, std::string&) {
  return new OddEngine(request.name.c_str(), [](tlm::tlm_generic_payload& payload) {
    sc_core::wait(10, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  });
}
