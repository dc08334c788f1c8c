#pragma once

#include <cstdint>
#include <vector>

#include "simulator/collectives/schedule.hpp"

namespace gradwire::test {

/// What each rank's copy of the collective's vector holds. Numbers are added modulo 2^64.
using RankVectors = std::vector<std::vector<std::uint64_t>>;

/// One number for every rank and position, no two alike and no sums either, for all practical
/// purposes (splitmix64 by Steele, Lea and Flood, OOPSLA 2014).
inline std::uint64_t number_of(int rank, std::size_t position) {
  std::uint64_t x = static_cast<std::uint64_t>(rank) * 1'000'003 + position + 1;
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Every rank's own numbers in `elements` positions.
inline RankVectors own_numbers(int ranks, std::size_t elements) {
  RankVectors vectors(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    for (std::size_t i = 0; i < elements; ++i) {
      vectors[static_cast<std::size_t>(rank)].push_back(number_of(rank, i));
    }
  }
  return vectors;
}

/// Applies `messages`, all of one round: what is sent is what was there before the round.
inline void play_round(const std::vector<Message>& messages, RankVectors& vectors) {
  std::vector<std::vector<std::uint64_t>> sent;
  const auto position = [&](const Message& message, std::int64_t i) {
    const auto size = static_cast<std::int64_t>(vectors.front().size());
    return static_cast<std::size_t>((message.first.count() + i) % size);
  };
  for (const Message& message : messages) {
    std::vector<std::uint64_t>& numbers = sent.emplace_back();
    for (std::int64_t i = 0; i < message.elements.count(); ++i) {
      numbers.push_back(vectors[static_cast<std::size_t>(message.from)][position(message, i)]);
    }
  }
  for (std::size_t m = 0; m < messages.size(); ++m) {
    std::vector<std::uint64_t>& target = vectors[static_cast<std::size_t>(messages[m].to)];
    for (std::size_t i = 0; i < sent[m].size(); ++i) {
      std::uint64_t& number = target[position(messages[m], static_cast<std::int64_t>(i))];
      number = messages[m].adds ? number + sent[m][i] : sent[m][i];
    }
  }
}

inline std::vector<Message> messages_of(const Schedule& schedule, int round) {
  std::vector<Message> messages;
  schedule.append_messages(round, messages);
  return messages;
}

/// Plays all messages of `schedule`.
inline void play_data(const Schedule& schedule, RankVectors& vectors) {
  for (int round = 0; round < schedule.rounds(); ++round) {
    play_round(messages_of(schedule, round), vectors);
  }
}

}  // namespace gradwire::test
