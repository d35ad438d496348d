// Proves every theorem of theorems.hpp about the shipped headers, and refutes the fault of each, whose counterexample
// is run natively: the shipped code agrees with the closed form there, the fault does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "engines/proof/native.hpp"
#include "engines/proof/theorem.hpp"
#include "engines/proof/theorem_registry.hpp"
#include "engines/proof/theorems.hpp"

namespace backoff::engines::proof {
namespace {

char const* name_of(verdict v) {
  return v == verdict::proved ? "proved" : v == verdict::refuted ? "refuted" : "unknown";
}

std::string text_of(outcome const& o) {
  std::string text = std::string(name_of(o.verdict)) + " " + o.where;
  for (auto const& [name, value] : o.inputs) text += "\n  " + name + " = " + value;
  return text;
}

class proving : public testing::Test {
 public:
  explicit proving(theorem t) : of(std::move(t)) {}
  void TestBody() override {
    auto const proof = of.prove();
    RecordProperty("paths", static_cast<int>(proof.paths));
    RecordProperty("forks", static_cast<int>(proof.forks));
    EXPECT_EQ(proof.verdict, verdict::proved) << text_of(proof);
  }
  theorem of;
};

class refuting : public testing::Test {
 public:
  explicit refuting(theorem t) : of(std::move(t)) {}
  void TestBody() override {
    auto const fault = of.refute();
    ASSERT_EQ(fault.verdict, verdict::refuted) << text_of(fault);
    auto const run = of.natively({fault.inputs});
    EXPECT_EQ(run.shipped, run.closed_form) << text_of(fault);
    EXPECT_NE(run.faulty, run.closed_form) << text_of(fault);
  }
  theorem of;
};

std::vector<theorem> every_theorem() {
  auto all = kernel_theorems();
  auto const add = [&](std::vector<theorem> more) { std::ranges::move(more, std::back_inserter(all)); };
#define BACKOFF_SYSTEM(stem) add(systems::stem##_theorems());
#include "systems.def"
#undef BACKOFF_SYSTEM
  return all;
}

TEST(listed_theorems, are_those_that_are_proved) {
  std::vector<std::string> listed, proved;
  for (auto const& text : theorems) listed.emplace_back(text.name);
  for (auto const& t : every_theorem()) proved.emplace_back(t.name);
  std::ranges::sort(listed);
  std::ranges::sort(proved);
  EXPECT_EQ(listed, proved);
  EXPECT_EQ(std::ranges::adjacent_find(listed), listed.end());
}

}  // namespace
}  // namespace backoff::engines::proof

int main(int argc, char** argv) {
  using namespace backoff::engines::proof;
  testing::InitGoogleTest(&argc, argv);
  for (auto const& t : every_theorem()) {
    std::string const name(t.name);
    testing::RegisterTest("theorem", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [t]() -> testing::Test* { return new proving(t); });
    testing::RegisterTest("fault", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [t]() -> testing::Test* { return new refuting(t); });
  }
  return RUN_ALL_TESTS();
}
