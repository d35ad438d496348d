#include "oracle/resumed_results.hpp"

#include <algorithm>
#include <iterator>

#include "histories/printable.hpp"
#include "transport/port_session.hpp"

namespace backoff::oracle {

namespace {

constexpr std::string_view gave_no_answer = "the port gave no answer within";  // as port_process says it

// What a run said of histories that broke its port; `from` is the number of the first.
void add_breakdowns(std::vector<breakdown>& all, std::span<result const> results, std::span<history const> histories,
                    std::uint64_t from) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto const& r = results[i];
    if (r.kind == result_kind::broke)
      all.push_back({printable(r.why), from + i, histories[i], r.why.starts_with(gave_no_answer), ""});
  }
}

}  // namespace

std::optional<resumed_results::answered> resumed_results::probes(std::span<history const> asked) const {
  answered known{file_.probes(*shape_), {}};
  if (known.results.empty() && file_.histories() == 0) return {};
  if (known.results.size() != asked.size()) file_.refuse("its probes are not those of its run");
  add_breakdowns(known.breakdowns, known.results, asked, 0);
  return known;
}

void resumed_results::demand_all_given() const {
  if (plan_.text() != file_.plan() || count_ != file_.histories())
    file_.refuse("its histories are not those that this build of the oracle generates");
}

resumed_results::answered resumed_results::next(std::span<history const> asked, std::uint64_t from) {
  if (is_over_) return {};
  answered known;
  while (!is_over_ && known.results.size() < asked.size()) {
    if (read_.empty()) read_ = file_.next(*shape_);
    if (read_.empty()) {
      demand_all_given();
      is_over_ = true;
      break;
    }
    auto const first = known.results.size();
    auto const now = asked.subspan(first, std::min(asked.size() - first, read_.size()));
    auto const end = read_.begin() + static_cast<std::ptrdiff_t>(now.size());
    add_breakdowns(known.breakdowns, std::span(read_).first(now.size()), now, from + first);
    plan_.add(now);
    count_ += now.size();
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (read_[i].answers.size() > now[i].steps.size()) file_.refuse("more answers than calls");
    }
    std::move(read_.begin(), end, std::back_inserter(known.results));
    read_.erase(read_.begin(), end);
  }
  if (!is_over_) return known;
  for (auto const& b : file_.broke()) {
    auto const same = std::ranges::find(known.breakdowns, b.what.what, &breakdown::what);
    if (same != known.breakdowns.end()) same->stderr_tail = b.what.stderr_tail;
    if (b.what.what.ends_with(port_session::each_alone)) known.breakdowns.push_back(b.what);
  }
  return known;
}

}  // namespace backoff::oracle
