#include <gtest/gtest.h>

#include <algorithm>

#include "compressors/reference/reference_registry.hpp"
#include "compressors/reference/simulated_collective.hpp"
#include "compressors/spec/registry.hpp"
#include "tests/compressors/reference/job.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

/// Fails unless one rank's messages, round after round, are the scheme's transfers. Alone, a rank
/// gets back from a collective what it sent.
void expect_the_schemes_bytes(std::string_view spelling, const std::vector<TensorShape>& shapes) {
  const std::vector<Transfer> transfers = parse_scheme(spelling)->transfers(shapes);
  if (transfers.empty()) return;
  const RankReference rank = make_reference(spelling, shapes, 1, 0);
  const auto elements = static_cast<std::size_t>(total_elements(shapes).count());
  const std::vector<float> gradient = test::integer_vector(elements, 3, elements);
  std::vector<float> averaged(elements);
  std::size_t sent = 0;
  for (int round = 0; round < rank.reference->rounds(); ++round) {
    const std::vector<WireMessage> messages = rank.reference->encode(round, gradient, 1);
    for (const WireMessage& message : messages) {
      ASSERT_LT(sent, transfers.size()) << spelling << ' ' << elements;
      ASSERT_EQ(static_cast<std::int64_t>(message.bytes.size()), transfers[sent].bytes().count())
          << spelling << ' ' << elements << ' ' << transfers[sent].what;
      ++sent;
    }
    rank.reference->decode(round, messages, 1, averaged);
  }
  EXPECT_EQ(sent, transfers.size()) << spelling << ' ' << elements;
}

TEST(Exchange, SendsTheBytesOfTheSchemeForEveryVectorUpTo4097) {
  for (const char* spelling : test::kSpellings) {
    for (std::size_t n = 0; n <= 4097; ++n) {
      expect_the_schemes_bytes(spelling, test::vector_shape(n));
    }
  }
}

TEST(Exchange, SendsTheBytesOfTheSchemeForMatricesOfEveryShape) {
  for (const char* spelling : test::kSpellings) {
    for (std::int64_t n = 0; n <= 4097; n += 3) {
      expect_the_schemes_bytes(spelling, {{{n % 64, n / 64}}, {{n % 5}}, {}, {{2, 3, n % 7}}});
    }
  }
}

TEST(Exchange, OfNothingChangesNothing) {
  for (const char* spelling : test::kSpellings) {
    for (const std::vector<TensorShape>& shapes :
         {std::vector<TensorShape>{}, {{{0}}}, {{{0, 4}}, {{3, 0}}}}) {
      std::vector<RankReference> job = test::make_job(spelling, shapes, 2);
      EXPECT_EQ(exchange_gradients(job, {{}, {}}), (std::vector<std::vector<float>>(2)))
          << spelling;
    }
  }
}

TEST(Exchange, GivesEveryRankTheSame) {
  const std::vector<TensorShape> shapes = {{{12, 9}}, {{7}}, {{4, 3, 2}}};
  for (const char* spelling : test::kSpellings) {
    std::vector<RankReference> job = test::make_job(spelling, shapes, 5);
    for (std::uint64_t iteration = 0; iteration < 3; ++iteration) {
      std::vector<std::vector<float>> gradients;
      for (std::uint64_t rank = 0; rank < 5; ++rank) {
        gradients.push_back(test::normal_vector(139, 10 * iteration + rank));
      }
      const std::vector<std::vector<float>> averaged = exchange_gradients(job, gradients);
      for (const std::vector<float>& other : averaged) {
        EXPECT_EQ(other, averaged.front()) << spelling;
      }
    }
  }
}

TEST(Exchange, IsRepeatedExactlyBySameSeedAndNotByAnother) {
  const std::vector<std::vector<float>> gradients = {test::normal_vector(500, 1),
                                                     test::normal_vector(500, 2)};
  for (const char* spelling : {"randomk:fraction=0.1", "randomk:fraction=0.1,shared_seed=false",
                               "qsgd", "mstopk:fraction=0.1,rounds=2"}) {
    const std::vector<float> first = test::exchange_once(spelling, gradients, 7);
    EXPECT_EQ(test::exchange_once(spelling, gradients, 7), first) << spelling;
    EXPECT_NE(test::exchange_once(spelling, gradients, 8), first) << spelling;
  }
}

// Ranks that drew the same would send the same of the same gradient: no element would be half of
// what one rank sends. QSGD at 2 bits sends the norm, 10, or nothing; MSTop-K ones.
TEST(Exchange, LetsEveryRankDrawItsOwnRandomNumbers) {
  const std::vector<std::vector<float>> gradients(2, std::vector<float>(100, 1.0F));
  for (const auto& [spelling, sent] :
       {std::pair{"qsgd:bits=2", 10.0F}, {"mstopk:fraction=0.1", 1.0F}}) {
    const std::vector<float> averaged = test::exchange_once(spelling, gradients);
    EXPECT_GT(std::count(averaged.begin(), averaged.end(), sent / 2.0F), 0) << spelling;
  }
}

/// Sends the messages that it is given, in as many rounds.
class Sender : public Reference {
 public:
  explicit Sender(std::vector<std::vector<WireMessage>> messages)
      : messages_(std::move(messages)) {}
  int rounds() const override { return static_cast<int>(messages_.size()); }
  std::vector<WireMessage> encode(int round, std::span<const float>, int) override {
    return messages_[static_cast<std::size_t>(round)];
  }
  void decode(int, const std::vector<WireMessage>&, int, std::span<float>) override {}

 private:
  std::vector<std::vector<WireMessage>> messages_;
};

TEST(Exchange, HoldsMessagesToTheTransfersOfTheScheme) {
  const std::vector<Transfer> transfers = {
      {"P", CollectiveKind::kAllReduce, Elements{2}, Bytes{4}},
      {"Q", CollectiveKind::kAllGather, Elements{1}, Bytes{8}}};
  const auto p = make_message(DType::kFloat32, std::vector<float>{1, 2});
  const auto q = make_message(DType::kInt64, std::vector<std::int64_t>{3});
  const auto exchange = [&](std::vector<std::vector<WireMessage>> messages) {
    std::vector<RankReference> job(1);
    job[0] = {std::make_unique<Sender>(std::move(messages)), transfers};
    exchange_gradients(job, {{0.0F}});
  };
  exchange({{p, q}});
  exchange({{p}, {q}});
  const auto refusal = [&](std::vector<std::vector<WireMessage>> messages) {
    return test::thrown_by<BugError>([&] { exchange(std::move(messages)); });
  };
  EXPECT_NE(refusal({{q, p}}).find("P: another element size"), std::string::npos);
  const auto half = make_message(DType::kFloat32, std::vector<float>{1});
  EXPECT_NE(refusal({{half, q}}).find("P: another length"), std::string::npos);
  EXPECT_NE(refusal({{p}}).find("was not sent"), std::string::npos);
  EXPECT_NE(refusal({{p, q}, {q}}).find("more messages"), std::string::npos);
}

TEST(References, ExistForEveryScheme) {
  for (const SchemeEntry& entry : schemes()) {
    EXPECT_NE(make_reference(entry.name, {{{8, 8}}}, 1, 0).reference, nullptr) << entry.name;
    const std::string name{entry.name};
    EXPECT_TRUE(std::any_of(test::kSpellings.begin(), test::kSpellings.end(),
                            [&](const std::string& spelling) {
                              return spelling == name || spelling.starts_with(name + ":");
                            }))
        << name << " is not among the tested spellings";
  }
  EXPECT_EQ(references().size(), schemes().size());
}

TEST(References, OfUnknownSchemesAndParametersAreRefused) {
  const auto refusal = [](std::string_view spelling) {
    return test::input_error_of([spelling] { make_reference(spelling, {}, 1, 0); });
  };
  EXPECT_NE(refusal("zip").find("zip"), std::string::npos);
  EXPECT_NE(refusal("topk:rank=4").find("rank"), std::string::npos);
}

TEST(SimulatedCollective, SumsInTheTypeOfTheWire) {
  // 2048 + 1 is no float16: it rounds to the even 2048, twice.
  const WireMessage large = make_message(DType::kFloat16, std::vector<std::uint16_t>{0x6800});
  const WireMessage one = make_message(DType::kFloat16, std::vector<std::uint16_t>{0x3c00});
  EXPECT_EQ(collective_result(CollectiveKind::kAllReduce, {large, one, one}), large);
  const auto of = [](float value) {
    return make_message(DType::kFloat32, std::vector<float>{value});
  };
  EXPECT_EQ(collective_result(CollectiveKind::kAllReduce, {of(2048), of(1), of(1)}), of(2050));
}

TEST(SimulatedCollective, GathersInTheOrderOfTheRanks) {
  const auto of = [](const std::vector<float>& values) {
    return make_message(DType::kFloat32, values);
  };
  EXPECT_EQ(collective_result(CollectiveKind::kAllGather, {of({3, 1}), of({2, 4})}),
            of({3, 1, 2, 4}));
}

TEST(SimulatedCollective, RefusesWhatCannotBeJoined) {
  const WireMessage two = make_message(DType::kFloat32, std::vector<float>{1, 2});
  const WireMessage one = make_message(DType::kFloat32, std::vector<float>{1});
  const WireMessage integer = make_message(DType::kInt32, std::vector<std::int32_t>{1});
  const auto refused = [](CollectiveKind kind, const std::vector<WireMessage>& messages) {
    return !test::thrown_by<BugError>([&] { collective_result(kind, messages); }).empty();
  };
  EXPECT_TRUE(refused(CollectiveKind::kAllReduce, {two, one}));
  EXPECT_TRUE(refused(CollectiveKind::kAllReduce, {one, integer}));
  EXPECT_TRUE(refused(CollectiveKind::kAllReduce, {integer, integer}));
  EXPECT_TRUE(refused(CollectiveKind::kBroadcast, {one}));
}

}  // namespace
}  // namespace gradwire
