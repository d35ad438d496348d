#include "policies/declare.hpp"

#include <algorithm>
#include <memory>

#include "histories/generate.hpp"
#include "histories/present.hpp"
#include "histories/systems.hpp"
#include "judge/drawn.hpp"
#include "judge/explorer.hpp"
#include "policies/claims.hpp"
#include "policies/histories.hpp"
#include "policies/variations.hpp"

namespace backoff::policies {
namespace {

// All that one system is made of.
struct parts {
  explicit parts(policy of) : source(std::move(of)), of_it(source) {}

  policy source;
  model of_it;
  words_of_shape words;
  requirement_ids ids;
  histories::shape shape;
  policy_claims claims;
};

struct binding {
  using state = policies::state;
  using facts = policies::facts;

  parts const* system = nullptr;

  [[nodiscard]] histories::shape const& shape() const noexcept { return system->shape; }
  // NOLINTNEXTLINE(bugprone-exception-escape): a model that is made has its table
  [[nodiscard]] spec::reading_table const& readings() const noexcept { return system->of_it.readings(); }
  [[nodiscard]] std::vector<spec::cube> assignments(spec::draw_kind draws) const {
    return system->of_it.assignments(draws);
  }
  [[nodiscard]] claim_list<facts> claims() const noexcept { return system->claims.list(); }

  [[nodiscard]] state start(history const& h) const { return system->of_it.start(h); }
  [[nodiscard]] outcome step(history const& h, std::size_t i, state& at, draw_source const& draws,
                             spec::chooser& readings) const {
    auto const& call = h.steps[i];
    if (call.op == call_reset) return system->of_it.reset(at);
    return system->of_it.next(at, call, judge::drawn(call.args[system->source.draw_place()], draws), readings);
  }
  [[nodiscard]] std::optional<drawn_part> draw_told(history const& h, std::size_t i, state const& after,
                                                    outcome const& o, answer const& port, spec::chooser&) const {
    bool const is_told = o.facts.is_random && o.facts.is_sure && port[field_delay].kind == observed_kind::number;
    if (!is_told) return {};
    auto const made_of = system->of_it.made_by(after, h.steps[i], o.facts);
    if (!made_of || !made_of->tells_draw) return {};
    auto part = made_of->delay.part_of(spec::to_rational(port[field_delay].value));
    if (part) part->attempt = attempt_after(o.facts.retries);
    return part;
  }
};

// Where the answers say something of what comes after them, as does the time that passes.
struct learning_binding : binding {
  void observe(state& at, answer const& port) const { system->of_it.observe(at, port); }
  void let_pass(state& at, spec::decimal const& time) const { system->of_it.let_pass(at, time); }
};

std::vector<variant> variants_of(parts const& system);

// A document either draws or does not, which its binding shows; of a policy its formulas say it, and they may turn out
// to have no value somewhere.
template <class Binding>
class declared_system : public judge::explorer<Binding> {
 public:
  explicit declared_system(parts const& of) : judge::explorer<Binding>(bound_to(of)), of_(&of) {}
  [[nodiscard]] bool shows_draws() const override { return of_->source.draws(); }
  [[nodiscard]] std::string own_fault() const override { return of_->of_it.own_fault(); }
  [[nodiscard]] std::vector<variant> variants() const override { return variants_of(*of_); }

 private:
  static Binding bound_to(parts const& of) noexcept {
    Binding b;
    b.system = &of;
    return b;
  }
  parts const* of_;
};

// One whose states know the time.
class timed_system final : public declared_system<learning_binding> {
 public:
  using declared_system::declared_system;
  [[nodiscard]] std::unique_ptr<judge::model_runner> runner() const override {
    return std::make_unique<in_time>(this->binding_);
  }

 private:
  class in_time final : public telling {
   public:
    using telling::telling;
    void let_pass(judge::place const& at, spec::decimal const& time) override {
      binding_->let_pass(present(before().front()[at.tried.steps[at.step].on]), time);
    }
  };
};

std::unique_ptr<judged_system> system_of(parts const& all) {
  if (all.of_it.learns()) return std::make_unique<timed_system>(all);
  return std::make_unique<declared_system<binding>>(all);
}

// Of no claims: it is only played.
struct varied_system {
  varied_system(policy of, histories::shape const& spoken) : made_of(std::move(of)) { made_of.shape = spoken; }

  parts made_of;
  std::unique_ptr<judged_system> system = system_of(made_of);
};

std::vector<variant> variants_of(parts const& system) {
  std::vector<variant> all;
  for (auto& v : variations_of(system.source)) {
    auto const owner = std::make_shared<varied_system>(std::move(v.of), system.shape);
    all.push_back({std::move(v.name), std::move(v.sentence), {owner, owner->system.get()}});
  }
  return all;
}

// One way to read the policy, and which delays were seen: below the bound and at it, each of first retries and of later
// ones.
struct reading_tried {
  spec::cube where;
  bool is_hazard = false;
  std::array<bool, 2> below{};
  std::array<bool, 2> capped{};

  void saw(facts const& f) noexcept { (f.where == region::capped ? capped : below)[f.retries == 0 ? 0 : 1] = true; }
};

// The canonical one, and each alternative of a formula by itself, beside canonical ones.
std::vector<reading_tried> readings_to_try(spec::reading_table const& table) {
  auto const canonical = table.admitting(spec::standing::canonical);
  std::vector<reading_tried> all{{canonical}};
  for (unsigned r = 0; r < table.readings().size(); ++r) {
    auto const& reading = table.readings()[r];
    bool const is_formula = reading.name != "ends" && reading.name != "draw-mapping";
    for (unsigned a = 1; is_formula && a < reading.alternatives.size(); ++a) {
      bool const is_hazard = reading.alternatives[a].standing == spec::standing::hazard;
      all.push_back({table.with(canonical, r, a), is_hazard});
    }
  }
  return all;
}

// Histories of every kind that a run tries, followed without a port: which regions occur, and where a formula has no
// value.
void try_out(parts& system, thoroughness how) {
  std::uint64_t const histories = how == thoroughness::full ? 100 : 4;
  auto& m = system.of_it;
  auto const& s = system.shape;
  auto const takes = documented_domain(s, {});
  random_bits random(1);
  auto const defaults = of_defaults(system.source);
  if (auto const* condition = m.ruled_out(defaults))
    throw policy_error(located(system.source.file, condition->at, "the defaults do not meet it: " + condition->name));
  std::vector<history> tried;
  if (how == thoroughness::full) tried = s.corners(takes, random);
  tried.push_back(defaults);
  tried.back().steps.resize(64);
  for (std::uint64_t i = 0; i < histories; ++i) {
    random_bits bits(1, i);
    tried.push_back(generate(s, takes, bits));
  }
  auto read = readings_to_try(m.readings());
  for (auto const& h : tried) {
    for (auto& r : read) {
      auto at = m.start(h);
      for (auto const& call : h.steps) {
        std::vector<spec::cube> elsewhere;
        spec::chooser choose(m.readings(), r.where, elsewhere);
        if (call.op == call_reset) {
          static_cast<void>(m.reset(at));
          continue;
        }
        auto const o = m.next(at, call, {spec::draw_kind::hidden, 0, 1}, choose);
        bool const judged = o.answer[field_delay].kind() != spec::admissible_kind::unjudged;
        if (o.facts.grants && judged) r.saw(o.facts);
        if (!judged && !o.facts.is_lost) break;
      }
    }
    if (auto const fault = m.own_fault(); !fault.empty()) throw policy_error(fault);
  }
  // A region that one reading knows and another does not would leave a port that follows the other unjudged there.
  auto const always = [&](auto const& is_seen) {
    return std::ranges::all_of(read, [&](reading_tried const& r) { return r.is_hazard || is_seen(r); });
  };
  bool const has_capped = always([](auto const& r) { return r.capped[0] || r.capped[1]; });
  bool const has_first = always([&](auto const& r) { return r.below[0] || (!has_capped && r.capped[0]); });
  bool const has_later = always([&](auto const& r) { return r.below[1] || (!has_capped && r.capped[1]); });
  if (!has_capped) m.leave_out(region::capped);
  if (!has_first) m.leave_out(region::first);
  if (!has_later) m.leave_out(region::later);
  bool const none = !has_capped && !has_first && !has_later;
  auto const& p = system.source;
  if (none && !p.going_on.empty())
    throw policy_error(located(p.file, p.going_on.front().at,
                               "no retry is ever granted: expected a condition that holds at some call"));
  if (none && p.attempts.empty())
    throw policy_error(located(p.file, p.delay.front().at, "no delay is below 10^18: expected smaller ones"));
  if (none)
    throw policy_error(
        located(p.file, p.attempts.front().at, "no retry is ever granted: expected a limit of 1 or more"));
}

// Of the claims that follow from the policy, which has a value for parameters in their ranges.
struct checked_system {
  checked_system(policy of, thoroughness how) : made_of(std::move(of)) {
    made_of.shape = shape_of(made_of.source, made_of.of_it, made_of.words);
    try_out(made_of, how);
    if (made_of.source.draws()) {
      random_bits random(1);
      auto const takes = documented_domain(made_of.shape, {});
      if (made_of.shape.mapping_probes(takes, random).empty()) made_of.of_it.demand_listed_mapping();
    }
    made_of.claims = claims_of(made_of.source, made_of.of_it, made_of.ids);
    system = system_of(made_of);
  }

  parts made_of;
  std::unique_ptr<judged_system> system;
};

std::vector<std::unique_ptr<checked_system const>>& all_declared() {
  static std::vector<std::unique_ptr<checked_system const>> all;
  return all;
}

}  // namespace

judged_system const& declare(policy p, std::string const& version) {
  if (find_known_shape(p.name) != nullptr)
    throw policy_error(located(p.file, {}, "the name '" + p.name + "' is that of a system: expected another one"));
  auto const& d = *all_declared().emplace_back(std::make_unique<checked_system>(std::move(p), thoroughness::full));
  add_shape(d.made_of.shape);
  add_judged_system(*d.system);
  add_catalogue(d.made_of.source.name, catalogue_of(d.made_of.source, d.made_of.of_it, d.made_of.ids, version));
  return *d.system;
}

std::shared_ptr<judged_system const> followed_exactly(judged_system const& declared) {
  auto const is_it = [&](auto const& each) { return each->system.get() == &declared; };
  auto const found = std::ranges::find_if(all_declared(), is_it);
  if (found == all_declared().end()) return nullptr;
  auto const owner = std::make_shared<varied_system>((*found)->made_of.source, (*found)->made_of.shape);
  owner->made_of.of_it.compute_exactly();
  return {owner, owner->system.get()};
}

std::shared_ptr<judged_system const> undeclared(policy p, thoroughness how) {
  auto const owner = std::make_shared<checked_system>(std::move(p), how);
  return {owner, owner->system.get()};
}

}  // namespace backoff::policies
