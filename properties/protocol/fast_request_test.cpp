// Requests of random histories are read back, and the short way reads what the long way reads or leaves it.
#include "protocol/fast_request.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "protocol/messages_test.hpp"

namespace {

using namespace backoff::protocol;
namespace spec = backoff::spec;

TEST(requests, of_random_histories_are_read_back) {
  for (auto const* s : shapes()) {
    for (auto const& draws : sources) {
      auto takes = documented_domain(*s, draws);
      takes.features = s->features;
      auto const all = generated(*s, takes, 400);
      std::uint64_t id = 0;
      for (std::size_t from = 0; from < all.size(); from += 8, ++id) {
        auto const cases = std::span(all).subspan(from, 8);
        auto const line = run_request(*s, draws, id, cases);
        for (auto const& read : {parse_request(line, s), parse_any_request(line, s)}) {
          EXPECT_EQ(read.kind, request_kind::run);
          EXPECT_EQ(read.id, id);
          EXPECT_TRUE(std::ranges::equal(read.cases, cases));
        }
        bool const usual = draws.kind != spec::draw_kind::unit || !s->has_draws() || line.find("\"num\"") == line.npos;
        EXPECT_EQ(read_usual_request(*s, line).has_value(), usual) << line;
      }
    }
  }
}

TEST(requests, short_way_leaves_what_is_unusual) {
  auto const whole = [](std::string const& of) { return R"({"cmd":"run","id":1,"cases":[)" + of + "]}"; };
  std::string const params = R"({"params":{"base_ms":"2","max_ms":"5","max_attempts":"3"},)";
  std::string const one = params + R"("steps":[{"op":"next","draw":"7"}]})";
  EXPECT_TRUE(read_usual_request(algorithm(), whole(one + "," + one)));
  EXPECT_TRUE(read_usual_request(algorithm(), whole(params + R"("steps":[{"op":"next","on":"2","draw":"7"}]})")));
  auto const repeated =
      read_usual_request(algorithm(), whole(params + R"("steps":[{"op":"next","on":"2","draw":"7"}, )" +
                                            R"({"op":"next","on":"2","draw":"7"},{"op":"reset"}]})"));
  ASSERT_TRUE(repeated);
  EXPECT_EQ(repeated->cases[0].steps[1], repeated->cases[0].steps[0]);
  EXPECT_EQ(repeated->cases[0].steps[2].op, *algorithm().find_operation("reset"));
  for (auto const& line :
       {whole(one) + "}",
        whole(one + ","),
        whole("{}"),
        whole(R"({"steps":[]})"),
        whole(R"({"params":{"base_ms":"2"},"steps":[]})"),
        whole(R"({"params":{"base_ms":2,"max_ms":"5","max_attempts":"3"},"steps":[]})"),
        whole(R"({"params":{"base_ms":"2","base_ms":"2","max_ms":"5","max_attempts":"3"},"steps":[]})"),
        whole(R"({"params":{"base_ms":"2","max_ms":"5","max_attempts":"3","more":"1"},"steps":[]})"),
        whole(R"({"params":{"base_ms":"-2","max_ms":"5","max_attempts":"3"},"steps":[]})"),
        whole(params + R"("steps":[{"draw":"7","op":"next"}]})"),
        whole(params + R"("steps":[{"op":"frob"}]})"),
        whole(params + R"("steps":[{}]})"),
        whole(params + R"("steps":[{"op":"next","on":"3","draw":"7"}]})"),
        whole(params + R"("steps":[{"op":"next","on":"1","on":"1","draw":"7"}]})"),
        whole(params + R"("steps":[{"op":"next","draw":"4294967296"}]})"),
        whole(params + R"("steps":[{"op":"next","draw":7}]})"),
        whole(params + R"("steps":[{"op":"next","draw":{"num":"7","den":"4294967296","value":"0"}}]})"),
        whole(params + R"("steps":[],"steps":[]})"),
        whole(params + R"("steps":[]},7)"),
        whole(params + R"("steps":[{"op":"next","draw":"7"}{"op":"next","draw":"7"}]})"),
        whole(params + R"("steps":[{"op":"next","draw":"\u0037"}]})"),
        std::string(R"({"cmd":"run","id":-1,"cases":[]})"),
        std::string(R"({"cmd":"run","id":01,"cases":[]})"),
        std::string(R"({"cmd":"run","id":9007199254740993,"cases":[]})"),
        std::string(R"({"cmd":"run","id":1})"),
        std::string(R"({"cmd":"run","cases":[]})"),
        std::string(R"({"id":1,"cases":[]})"),
        std::string(R"({"cmd":"run","cmd":"run","id":1,"cases":[]})"),
        std::string(R"({"cmd":"run","id":1,"cases":[],"more":1})"),
        std::string(R"({"cmd":"stop","id":1,"cases":[]})"),
        std::string("[]"),
        std::string()})
    EXPECT_FALSE(read_usual_request(algorithm(), line)) << line;
  auto const& retry_control = *find_shape("azure_c_retry_control");
  std::string const created = R"({"params":{},"steps":[{"op":"create","policy":"NONE","max_retry_time_s":"0")";
  EXPECT_TRUE(read_usual_request(retry_control, whole(created + "}]}")));
  for (auto const* odd : {R"(,"fail":[]}]})", R"(,"fail":["malloc"],"fail":["malloc"]}]})", R"(,"fail":"malloc"}]})",
                          R"(,"fail":["frob"]}]})", R"(},{"op":"should_retry","clock":"7"}]})",
                          R"(},{"op":"should_retry","clock":["1","2","3","4"]}]})",
                          R"(},{"op":"create","policy":"NONE","max_retry_time_s":"0"}]})"})
    EXPECT_FALSE(read_usual_request(retry_control, whole(created + odd))) << odd;
}

}  // namespace
