#pragma once

#include <stdexcept>

namespace knuckleboom::endpoint {

// A clear message: an invalid address, a port in use, a missing interface.
class EndpointError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace knuckleboom::endpoint
