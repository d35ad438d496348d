#include "engines/proof/executor.hpp"

#include <cstdio>
#include <cstdlib>

namespace backoff::engines::proof {

namespace {

// Whether a path can be taken is no matter of truth: one that cannot is proved all the same.
constexpr unsigned feasibility_limit = 100'000;

path* current = nullptr;

[[noreturn]] void unsupported(char const* what) {
  std::fprintf(stderr, "executor: %s\n", what);
  std::abort();
}

z3::expr identity_free(z3::expr const& e) {  // polynomials multiplied out: an identity becomes `true`
  z3::params p(terms());
  p.set("som", true);
  if (e.is_eq() && e.arg(0).is_int()) {
    auto const difference = (e.arg(0) - e.arg(1)).simplify(p);
    if (difference.is_numeral()) return terms().bool_val(z3::eq(difference, terms().int_val(0)));
  }
  return e.simplify(p);
}

}  // namespace

z3::context& terms() {
  static z3::context c;
  return c;
}

z3::expr number(std::uint64_t value) { return terms().int_val(value); }

z3::expr power_of_two(unsigned exponent) {
  z3::expr all = number(1U);
  for (; exponent > 32U; exponent -= 32U) all = all * number(std::uint64_t{1} << 32U);
  return (all * number(std::uint64_t{1} << exponent)).simplify();
}

z3::expr smaller(z3::expr const& a, z3::expr const& b) { return z3::ite(a < b, a, b); }

class executor {
 public:
  executor(wraps permitted, products known, unsigned limit)
      : permits(permitted), products_are(known), limit_of_a_question(limit) {
    z3::params p(terms());
    p.set("random_seed", 0U);
    solver.set(p);
  }

  bool decide(z3::expr const& e) {
    auto const simple = e.simplify();
    if (simple.is_true()) return true;
    if (simple.is_false()) return false;
    if (next_ == decisions_.size()) {
      bool const can_hold = possible(simple);
      decisions_.push_back({can_hold, can_hold && possible(!simple)});
      if (decisions_.back().both) ++forks;
    }
    bool const holds = decisions_[next_++].holds;
    if (next_ == decisions_.size()) fresh_ = true;
    if (fresh_) {
      solver.push();
      solver.add(holds ? simple : !simple);
    }
    return holds;
  }

  // The solver still has the facts that a path begins with as the one before it did.
  void add(z3::expr const& fact) {
    if (fresh_) solver.add(fact);
  }

  // Most obligations hold where they arise: then they do on all paths that go through there, and are asked about once.
  bool holds_here(z3::expr const& fact) {
    if (recorded_ == records_.size()) {
      solver.push();
      solver.add(!fact);
      records_.push_back({next_, asked(feasibility_limit) == z3::unsat});
      solver.pop();
    }
    return records_[recorded_++].holds;
  }

  outcome run(std::function<void(path&)> const& body) {
    std::size_t paths = 0;
    for (;;) {
      path now;
      now.by_ = this;
      current = &now;
      next_ = 0;
      recorded_ = 0;
      body(now);
      ++paths;
      solver.push();
      auto result = settled(now);
      solver.pop();
      current = nullptr;
      if (result.verdict != verdict::proved || !advance()) {
        result.paths = paths;
        result.forks = forks;
        return result;
      }
    }
  }

  z3::solver solver{terms()};
  wraps permits;
  products products_are;
  unsigned limit_of_a_question;
  std::size_t forks = 0;

 private:
  struct decision {
    bool holds;
    bool both;
  };

  struct record {
    std::size_t after;  // so many decisions
    bool holds;
  };

  // Whether some input goes that way; where Z3 does not know it is tried.
  bool possible(z3::expr const& e) {
    solver.push();
    solver.add(e);
    bool const is = asked(feasibility_limit) != z3::unsat;
    solver.pop();
    return is;
  }

  z3::check_result asked(unsigned limit) {
    if (limit != limit_) {
      z3::params p(terms());
      p.set("rlimit", limit);
      solver.set(p);
      limit_ = limit;
    }
    return solver.check();
  }

  bool advance() {
    auto const levels = static_cast<unsigned>(decisions_.size());
    while (!decisions_.empty() && !decisions_.back().both) decisions_.pop_back();
    if (decisions_.empty()) return false;
    solver.pop(levels + 1U - static_cast<unsigned>(decisions_.size()));
    fresh_ = false;
    decisions_.back() = {!decisions_.back().holds, false};
    while (!records_.empty() && records_.back().after >= decisions_.size()) records_.pop_back();
    return true;
  }

  outcome settled(path const& p) {
    outcome result{verdict::proved, "", {}, 0, 0};
    auto const all = [&](char const* what, z3::expr const& fact) {
      if (result.verdict == verdict::proved) settle(p, what, fact, result);
    };
    for (auto const& fact : p.lemmas_) all("lemma", fact);
    for (auto const& [what, fact] : p.obligations_) all(what, fact);
    for (auto const& fact : p.claims_) all("claim", fact);
    return result;
  }

  void settle(path const& p, char const* what, z3::expr const& fact, outcome& result) {
    if (identity_free(fact).is_true()) return;
    solver.push();
    solver.add(!fact);
    auto answer = asked(limit_of_a_question);
    if (answer == z3::sat) counterexample(p, solver.get_model(), result);
    auto const facts = solver.assertions();
    solver.pop();
    if (answer == z3::unknown) {  // not step by step, but as one question, which Z3 answers by other means
      z3::solver fresh(terms(), "QF_NIA");
      z3::params limit(terms());
      limit.set("rlimit", limit_of_a_question);
      fresh.set(limit);
      for (unsigned i = 0; i < facts.size(); ++i) fresh.add(facts[static_cast<int>(i)]);
      answer = fresh.check();
      if (answer == z3::sat) counterexample(p, fresh.get_model(), result);
    }
    if (answer == z3::unsat) {
      solver.add(fact);
      return;
    }
    result.verdict = answer == z3::sat ? verdict::refuted : verdict::unknown;
    result.where = std::string(what) + ": " + fact.to_string().substr(0, 300);
  }

  static void counterexample(path const& p, z3::model const& m, outcome& result) {
    for (auto const& [name, e] : p.inputs_) result.inputs.emplace(name, m.eval(e, true).to_string());
  }

  std::vector<decision> decisions_;
  std::vector<record> records_;
  bool fresh_ = true;
  std::size_t next_ = 0;
  std::size_t recorded_ = 0;
  unsigned limit_ = 0;
};

outcome prove(std::function<void(path&)> const& body, wraps permitted, products known, unsigned limit) {
  return executor(permitted, known, limit).run(body);
}

operand path::term(z3::expr const& e) {
  terms_.push_back(e.simplify());
  return {0U, static_cast<int>(terms_.size()) - 1};
}

operand path::input(std::string_view name, unsigned bits, bool is_signed) {
  auto const e = natural(name);
  if (!is_signed) {
    assume(e < power_of_two(bits));
    return term(e);
  }
  auto const shifted = (e - power_of_two(bits - 1U));  // the name stands for the number above the least one
  assume(e < power_of_two(bits));
  return term(shifted);
}

z3::expr path::natural(std::string_view name) {
  std::string const text(name);
  auto const e = terms().int_const(text.c_str());
  assume(e >= 0);
  inputs_.emplace(text, e);
  return e;
}

void path::oblige(char const* what, z3::expr const& fact) {
  auto const simple = fact.simplify();
  if (!simple.is_true() && !by_->holds_here(simple)) obligations_.emplace_back(what, simple);
}

void path::assume(z3::expr const& fact) { by_->add(fact); }

z3::expr path::quotient(z3::expr const& of, z3::expr const& by) {
  auto const a = of.simplify();
  auto const b = by.simplify();
  for (auto const& known : divisions_) {
    if (z3::eq(known.a, a) && z3::eq(known.b, b)) return known.q;
  }
  auto const q = terms().int_const(("q!" + std::to_string(divisions_.size())).c_str());
  divisions_.push_back({a, b, q});
  auto const rest = a - q * b;
  auto contract = rest >= 0 && rest < b;
  // Of what is not negative the quotient is not either: said, because Z3 must not look for it.
  assume(z3::implies(b > 0, contract) && z3::implies(a >= 0 && b > 0, q >= 0 && q <= a));
  return q;
}

z3::expr path::divided(z3::expr const& of, z3::expr const& by) {
  auto const a = of.simplify();
  auto const b = by.simplify();
  for (auto const& known : divisions_) {
    if (z3::eq(known.a, a) && z3::eq(known.b, b)) return known.q;
  }
  auto const named = names_ ? names_(a, b) : std::nullopt;
  if (!named) return quotient(a, b);
  divisions_.push_back({a, b, *named});
  auto const rest = a - *named * b;
  oblige("quotient by another name", rest >= 0 && rest < b);
  return *named;
}

z3::expr path::product(z3::expr const& of, z3::expr const& by) {
  auto const a = of.simplify();
  auto const b = by.simplify();
  if (by_->products_are == products::exact || a.is_numeral() || b.is_numeral()) return a * b;
  for (auto const& known : products_) {
    if (z3::eq(known.a, a) && z3::eq(known.b, b)) return known.q;
  }
  auto const all = terms().int_const(("p!" + std::to_string(products_.size())).c_str());
  products_.push_back({a, b, all});
  for (unsigned const bits : {16U, 32U}) {
    auto const most = power_of_two(bits) - 1;
    assume(z3::implies(a >= 0 && a <= most && b >= 0 && b <= most, all >= 0 && all <= a * most && all <= b * most));
  }
  return all;
}

z3::expr path::modulo(z3::expr const& e, unsigned bits) {
  auto const top = power_of_two(bits);
  return e - divided(e, top) * top;
}

operand path::within(z3::expr const& e, width w, bool cut, char const* what, bool once) {
  auto const low = w.is_signed ? -power_of_two(w.bits - 1U) : number(std::uint64_t{0});
  auto const above = power_of_two(w.is_signed ? w.bits - 1U : w.bits);
  auto const holds = (e >= low && e < above).simplify();
  if (holds.is_true()) return term(e);
  if (!cut) {
    oblige(what, holds);
    return term(e);
  }
  if (once) {  // never by more than one turn: a fork is simpler than a quotient
    if (by_->decide(holds)) return term(e);
    return term(by_->decide(e < low) ? e + power_of_two(w.bits) : e - power_of_two(w.bits));
  }
  auto const rest = modulo(e, w.bits);
  return term(w.is_signed ? z3::ite(rest >= above, rest - power_of_two(w.bits), rest) : rest);
}

// The number of low bits of e that are known to be 0.
unsigned path::zeros_below(z3::expr const& e) const {
  for (auto const& [multiple, k] : multiples_) {
    if (z3::eq(multiple, e)) return k;
  }
  return 0U;
}

z3::expr number(operand o) {
  if (o.term >= 0) return current->terms_[static_cast<std::size_t>(o.term)];
  return terms().int_val(o.value);
}

namespace {

z3::expr number(operand o, width w) {
  if (o.term < 0 && w.is_signed) return terms().int_val(static_cast<std::int64_t>(o.value));
  return proof::number(o);
}

}  // namespace

operand computed(arithmetic what, operand a, operand b, width w) {
  auto& p = *current;
  bool const may_wrap = p.by_->permits == wraps::everywhere && !w.is_signed;
  bool const may_sum = may_wrap || (p.by_->permits == wraps::sums && !w.is_signed);
  bool const may_cut = may_wrap || (p.by_->permits == wraps::casts && !w.is_signed);
  auto const x = number(a, w);
  if (what == arithmetic::left || what == arithmetic::right) {
    unsigned amount = 0;
    if (b.term < 0) {
      amount = static_cast<unsigned>(b.value);
    } else {
      p.oblige("shift by the width or more", proof::number(b) < static_cast<int>(w.bits));
      while (amount + 1U < w.bits && !p.by_->decide(proof::number(b) == static_cast<int>(amount))) ++amount;
    }
    if (amount >= w.bits) {
      p.oblige("shift by the width or more", terms().bool_val(false));
      return a;
    }
    if (what == arithmetic::right) return p.term(p.divided(x, power_of_two(amount)));
    auto const moved = p.within(x * power_of_two(amount), w, may_cut, "left shift loses bits");
    p.multiples_.emplace_back(number(moved, w), amount);
    return moved;
  }
  auto const y = number(b, w);
  switch (what) {
    case arithmetic::sum:
      return p.within(x + y, w, may_sum, "sum wraps", true);
    case arithmetic::difference:
      return p.within(x - y, w, may_wrap, "difference wraps", true);
    case arithmetic::product:
      return p.within(p.product(x, y), w, may_wrap, "product wraps");
    case arithmetic::quotient:
    case arithmetic::remainder: {
      if (w.is_signed) p.oblige("division of negative numbers", x >= 0 && y >= 0);
      p.oblige("division by zero", y != 0);
      auto const q = p.divided(x, y);
      return p.term(what == arithmetic::quotient ? q : x - q * y);
    }
    case arithmetic::both: {
      if (b.term >= 0 || (b.value & (b.value + 1U)) != 0U || b.value + 1U == 0U) unsupported("a mask of another form");
      return p.term(x - p.divided(x, number(b.value + 1U)) * number(b.value + 1U));
    }
    default: {
      // Where no bit can be common to both it is the sum; anything else is known only to be between the two bounds.
      for (auto const& [high, low] : {std::pair{x, y}, std::pair{y, x}}) {
        unsigned const zeros = p.zeros_below(high);
        if (zeros == 0U) continue;
        p.oblige("halves of a word overlap", low < power_of_two(zeros));
        return p.term(high + low);
      }
      auto const any = terms().int_const(("or!" + std::to_string(p.terms_.size())).c_str());
      p.assume(any >= x && any >= y && any <= x + y);
      return p.term(any);
    }
  }
}

operand converted(operand a, width from, width to) {
  auto& p = *current;
  auto const x = number(a, from);
  bool const fits =
      to.bits > from.bits ? to.is_signed || !from.is_signed : to.bits == from.bits && to.is_signed == from.is_signed;
  if (fits) return a;
  return p.within(x, to, p.by_->permits >= wraps::casts, "cast cuts", from.bits == to.bits);
}

bool compared(comparison what, operand a, operand b, width w) {
  auto const x = number(a, w);
  auto const y = number(b, w);
  return current->by_->decide(what == comparison::less ? x < y : x == y);
}

}  // namespace backoff::engines::proof
