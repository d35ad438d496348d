#include "oracle/report_files.hpp"

#include "report/certificate.hpp"
#include "report/print_report.hpp"

namespace backoff::oracle {

using namespace conformance;

report_files::report_files(report_options const& options, judged_system const& system)
    : junit(begun_file(options.junit, before_junit)), certificate(begun_certificate(options.certificate, system)) {}

void report_files::write(report const& r, std::vector<counterexample> const& shown, result_feed const& from) {
  end_junit(junit, to_junit(r));
  end_certificate(certificate, r, shown, from);
}

}  // namespace backoff::oracle
