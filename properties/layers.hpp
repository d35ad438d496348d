// Which folder may know which: its namespace has its name, and uses the namespaces of those. Its files include headers
// of those folders, of its own and of the models. coverage/structure_test.py reads this list, and refuses an include of
// another folder and another namespace. Tests may look at anything.
#pragma once

namespace backoff::histories {}

namespace backoff::claims {
using namespace histories;
}  // namespace backoff::claims

// Generated from spec/STEM/system.yaml: what each document names.
namespace backoff::pages {
using namespace histories;
using namespace claims;
}  // namespace backoff::pages

namespace backoff::judge {
using namespace histories;
using namespace claims;
}  // namespace backoff::judge

// Not the model: a wrong port is to check it.
namespace backoff::faults {}

namespace backoff::explain {
using namespace histories;
using namespace claims;
using namespace judge;
using namespace faults;
}  // namespace backoff::explain

namespace backoff::policies {
using namespace histories;
using namespace claims;
using namespace judge;
}  // namespace backoff::policies

namespace backoff::protocol {
using namespace histories;
using namespace claims;
using namespace judge;
}  // namespace backoff::protocol

namespace backoff::ports {
using namespace histories;
using namespace claims;
using namespace judge;
using namespace faults;
using namespace protocol;
}  // namespace backoff::ports

namespace backoff::host {
using namespace histories;
using namespace claims;
using namespace judge;
using namespace protocol;
}  // namespace backoff::host

namespace backoff::session {
using namespace histories;
using namespace claims;
using namespace judge;
using namespace explain;
}  // namespace backoff::session

namespace backoff::transport {
using namespace histories;
using namespace claims;
using namespace judge;
using namespace protocol;
using namespace host;
using namespace session;
}  // namespace backoff::transport

// Programs as they run; what their waits mean is not known here.
namespace backoff::watch {
using namespace transport;
}  // namespace backoff::watch

namespace backoff::files {
using namespace histories;
using namespace claims;
using namespace judge;
using namespace explain;
using namespace policies;
using namespace protocol;
using namespace session;
using namespace transport;
}  // namespace backoff::files

namespace backoff::reports {
using namespace histories;
using namespace claims;
using namespace judge;
using namespace explain;
using namespace protocol;
using namespace session;
using namespace files;
}  // namespace backoff::reports

// Programs that were watched, held against a document.
namespace backoff::waits {
using namespace histories;
using namespace claims;
using namespace judge;
using namespace explain;
using namespace session;
using namespace watch;
using namespace files;
using namespace reports;
}  // namespace backoff::waits

// What a formula does to one client and to many, before anything runs.
namespace backoff::plans {
using namespace histories;
using namespace judge;
using namespace explain;
using namespace reports;
}  // namespace backoff::plans

namespace backoff::conformance {
using namespace histories;
using namespace claims;
using namespace judge;
using namespace protocol;
using namespace session;
using namespace reports;
}  // namespace backoff::conformance

namespace backoff::engines {
using namespace histories;
using namespace claims;
using namespace judge;
}  // namespace backoff::engines

namespace backoff::engines::proof {}

namespace backoff::oracle {
using namespace histories;
using namespace claims;
using namespace judge;
using namespace explain;
using namespace policies;
using namespace protocol;
using namespace host;
using namespace session;
using namespace transport;
using namespace watch;
using namespace files;
using namespace reports;
using namespace waits;
using namespace plans;
using namespace engines::proof;
}  // namespace backoff::oracle

// Each file of it may know less: coverage/structure_test.py lists that.
namespace backoff::systems {
using namespace histories;
using namespace claims;
using namespace judge;
using namespace explain;
using namespace faults;
using namespace ports;
using namespace host;
using namespace engines::proof;
}  // namespace backoff::systems

namespace backoff::bench {
using namespace histories;
using namespace judge;
using namespace ports;
using namespace transport;
}  // namespace backoff::bench
