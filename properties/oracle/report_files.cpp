#include "oracle/report_files.hpp"

#include "reports/certificate.hpp"
#include "reports/junit.hpp"
#include "reports/print_report.hpp"

namespace backoff::oracle {

report_files::report_files(report_options const& options)
    : junit(begun_file(options.junit, before_junit)),
      certificate(begun_file(options.certificate, before_certificate)) {}

void report_files::write(report const& r, std::vector<counterexample> const& shown, result_feed const& from) {
  end_junit(junit, to_junit(r));
  end_certificate(certificate, r, shown, from);
}

}  // namespace backoff::oracle
