#include "tracer/cupti/nvtx_registry.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace gradwire {
namespace {

EventBytes bytes(const std::string& text) { return {text.data(), text.size()}; }

std::string text_of(const RegisteredText& text) { return {text.characters(), text.size}; }

TEST(NvtxRegistry, NumbersDomainsFromOneAndKnowsThemByName) {
  const auto registry = std::make_unique<NvtxRegistry>();
  EXPECT_EQ(registry->domain(bytes("a")).number, 1U);
  EXPECT_EQ(registry->domain(bytes("b")).number, 2U);
  EXPECT_EQ(registry->domain(bytes("a")).number, 1U);
  EXPECT_EQ(registry->domain({}).number, 3U);  // no name is a name too
  EXPECT_EQ(text_of(*registry->domain(bytes("b")).name), "b");
}

TEST(NvtxRegistry, TooManyDomainsShareOneThatSaysSo) {
  const auto registry = std::make_unique<NvtxRegistry>();
  for (std::size_t i = 0; i < NvtxRegistry::kMaxDomains; ++i) {
    ASSERT_EQ(registry->domain(bytes(std::to_string(i))).number, i + 1);
  }
  NvtxDomain& last = registry->domain(bytes("one more"));
  EXPECT_EQ(last.number, NvtxRegistry::kMaxDomains + 1);
  EXPECT_EQ(text_of(*last.name), "(more names than the tracer keeps)");
  EXPECT_FALSE(last.recorded);
  EXPECT_EQ(&registry->domain(bytes("and another")), &last);
  EXPECT_EQ(registry->domain(bytes("7")).number, 8U) << "those that are known stay";
}

TEST(NvtxRegistry, DomainsWithoutRoomForTheirNamesShareTheSame) {
  const auto registry = std::make_unique<NvtxRegistry>();
  const std::string long_name(kMaxEventBytes, 'x');
  const auto crowded = std::make_unique<NvtxRegistry>();
  for (std::size_t i = 0; i < 2 * NvtxRegistry::kTextBytes / kMaxEventBytes; ++i) {
    crowded->text(bytes(std::to_string(i) + long_name));
  }
  std::size_t beside_strings = 0;
  while (crowded->domain(bytes(std::to_string(beside_strings) + long_name)).number ==
         beside_strings + 1) {
    ++beside_strings;
  }
  EXPECT_GT(beside_strings, NvtxRegistry::kDomainBytes / 1100);
  EXPECT_LT(beside_strings, NvtxRegistry::kMaxDomains);
}

TEST(NvtxRegistry, AStringsHandleIsKnownAndOtherPointersAreNot) {
  const auto registry = std::make_unique<NvtxRegistry>();
  const RegisteredText& text = registry->text(bytes("some text"));
  EXPECT_EQ(registry->find_text(&text), &text);
  EXPECT_EQ(text_of(text), "some text");
  EXPECT_EQ(&registry->text(bytes("some text")), &text);
  EXPECT_NE(&registry->text(bytes("some texts")), &text);
  EXPECT_EQ(registry->find_text(nullptr), nullptr);
  EXPECT_EQ(registry->find_text(registry.get()), nullptr);
  EXPECT_EQ(registry->find_text(text.characters()), nullptr);  // 4 bytes off
}

TEST(NvtxRegistry, WhenTheRoomIsFullStringsSaySoAndOldOnesStay) {
  const auto registry = std::make_unique<NvtxRegistry>();
  const std::string long_text(kMaxEventBytes + 100, 'x');
  const RegisteredText& cut = registry->text(bytes(long_text));
  EXPECT_EQ(cut.size, kMaxEventBytes);
  const RegisteredText* last = nullptr;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < 2 * NvtxRegistry::kTextBytes / kMaxEventBytes; ++i) {
    last = &registry->text(bytes(std::to_string(i) + long_text));
    if (text_of(*last).front() != '(') ++kept;
  }
  EXPECT_EQ(text_of(*last), "(more names than the tracer keeps)");
  EXPECT_EQ(registry->find_text(last), last);
  // 1 MiB of texts of 1024 bytes with 4 bytes before each, in steps of 8, less the first.
  EXPECT_EQ(kept, (1U << 20U) / 1032 - 1);
  EXPECT_EQ(&registry->text(bytes(long_text)), &cut);
  NvtxDomain& late = registry->domain(bytes("NCCL"));
  EXPECT_EQ(late.number, 1U) << "strings leave room for domains";
  EXPECT_TRUE(late.recorded);
}

}  // namespace
}  // namespace gradwire
