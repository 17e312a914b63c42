// A search for the fastest configuration, on a table in which each was measured once. The lesson
// times the search. A trial takes 10 us here, instead of the second that compiling and measuring
// take, so the time of a row is the number of trials that a strategy needs.
#pragma once

#include "trials.h"
#include "wb/cpu.h"

struct Strategies {
  static constexpr wb::Case bench[] = {{{"searches", 64}}, {{"searches", 128}}};
  static constexpr wb::Case test[] = {{{"searches", 1}}, {{"searches", 7}}};

  struct Args {
    wb::i64 n;
    const std::uint32_t* seed;
    double* seconds;  // of the best configuration that each search found
  };
  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 n = c["searches"];
    return {n, io.in<std::uint32_t>("seed", n), io.out<double>("seconds", n)};
  }
  static wb::Cost cost(const Args& p) {
    return {.read = 4.0 * static_cast<double>(p.n), .write = 8.0 * static_cast<double>(p.n)};
  }
  static wb::Items items(const Args& p) { return {static_cast<double>(p.n), "search"}; }
  static wb::Tolerance tolerance(const Args&) { return {.rel = 1.0001 * (1 / tune::kGood - 1)}; }
  static void reference(const Args& p) {
    for (wb::i64 i = 0; i < p.n; ++i) p.seconds[i] = Trials::optimum();
  }
};

using Search = void(Trials& trials, std::mt19937_64& random);

// Runs a strategy from each seed, with trials that take so long.
template <Search search, int microseconds = 10> void each(const Strategies::Args& p) {
  for (wb::i64 i = 0; i < p.n; ++i) {
    Trials trials{std::chrono::microseconds(microseconds)};
    std::mt19937_64 random(p.seed[i]);
    search(trials, random);
    p.seconds[i] = trials.best();
  }
}
