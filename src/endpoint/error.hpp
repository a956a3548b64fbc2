#pragma once

#include <stdexcept>

namespace knuckleboom::endpoint {

// One clear sentence: an address that is none, a port in use, an interface that is not there.
class EndpointError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace knuckleboom::endpoint
