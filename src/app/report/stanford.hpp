// StanForD 2010 messages of a simulated machine: docs/reference/stanford.md.
#pragma once

#include <string>

#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::app {

// Operational monitoring: how long the machine drove and how long it worked. session: made from the record.
// Throws UserError if nothing was done.
std::string monitoring_message(const io::SessionRecord& record, const training::Session& session);
// Forwarded production: the loads of logs in the load space. Throws UserError if there was none.
std::string forwarding_message(const io::SessionRecord& record, const training::Session& session);
// Harvested production: the stems that a head cut up, and their logs. Throws UserError if there was none.
std::string production_message(const io::SessionRecord& record, const training::Session& session);

}  // namespace knuckleboom::app
