// The policies of the shelf, and others, as tests have them.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "policies/declare.hpp"

namespace backoff::policies {

inline constexpr char const* shelf_names[]{
    "aws_blog_full_jitter",    "aws_blog_equal_jitter",   "aws_blog_decorrelated_jitter",
    "grpc_connection_backoff", "google_cloud_truncated",  "kubernetes_crash_loop",
    "temporal_retry_policy",   "kafka_reconnect_backoff", "tcp_rto_backoff",
    "urllib3_retry",           "aws_sdk_standard_retry",  "opentelemetry_collector_exporter"};

inline std::string shelf_text(std::string const& name) {
  std::ifstream file(std::string(BACKOFF_SHELF "/") + name + ".yaml");
  return {std::istreambuf_iterator<char>(file), {}};
}

// Declared once, under its name.
inline judge::judged_system const& known(std::string const& name, std::string const& text) {
  auto const* system = judge::find_judged_system(name);
  return system != nullptr ? *system : declare(read_policy(name, text), "1");
}

inline judge::judged_system const& shelf(std::string const& name) { return known(name, shelf_text(name)); }

}  // namespace backoff::policies
