// A search with a model in the loop, on the table of ../03_strategies. In each turn the model is
// told something, as text, and proposes eight configurations. They are judged before they cost
// anything: some are illegal or were tried. Eight compilers would run side by side, so a slot for
// which no proposal is left gets a configuration by chance.
#pragma once

#include <set>
#include <string>

#include "../02_gemm_tiles/space_cuda.h"
#include "../03_strategies/strategies.h"
#include "../llm/proposals.h"
#include "../llm/stand_in.h"

struct Proposers : Strategies {
  static constexpr wb::Case bench[] = {{{"searches", 40}}, {{"searches", 100}}};
};
// A trial takes 20 us, so that a question and its answer take less than the trials of a turn.
template <Search search> void searches(const Strategies::Args& p) { each<search, 20>(p); }

constexpr std::size_t kSlots = 8;  // of a turn

// The space of the table, with the reasons for which a configuration is illegal.
inline const tune::Setting& setting() {
  static const tune::Limits h200 = {.multiprocessors = 132,
                                    .shared_bytes = 232448,
                                    .shared_bytes_all = 233472,
                                    .registers = 65536,
                                    .threads = 2048,
                                    .compute = 90,
                                    .l2_bytes = 60 << 20,
                                    .flops = 750e12,
                                    .bandwidth = 4.2e12};
  static const tune::Space space =
      tiles::space_cuda({{"m", 3072}, {"n", 3072}, {"k", 3072}, {"dtype", "bf16"}}, h200);
  static const tune::Subject subject = {"ch5_autotune/02_gemm_tiles", "cuda", "NVIDIA H200", "", "",
                                        "m=3072,n=3072,k=3072,bf16",  ""};
  static const tune::Setting setting = {.space = &space, .briefing = tune::briefing(subject, h200)};
  return setting;
}

// What was tried, and what the model is asked and answers.
class Conversation {
 public:
  explicit Conversation(std::size_t refusals) : most_(refusals) {}
  const tune::History& history() const { return history_; }

  // Asks for kSlots configurations and returns those that may be tried. `told`: the trials of which
  // the model hears.
  std::vector<Configuration> ask(const tune::History& told, std::mt19937_64& random) {
    const std::string question = tune::question(setting(), told, kSlots, refused_);
    std::vector<Configuration> slots;
    std::set<Configuration> asked;
    for (const tune::Proposal& p :
         tune::read_proposals(tune::stand_in(question, random()), *setting().space, tried_, asked))
      if (p.verdict == tune::Verdict::accepted)
        slots.push_back(p.configuration);
      else
        refused_.push_back(p.reason);
    if (refused_.size() > most_)
      refused_.erase(refused_.begin(), refused_.end() - static_cast<long>(most_));
    return slots;
  }

  // Tries these until one is good enough. Those from place `asked` on were not the model's idea.
  void attempt(const std::vector<Configuration>& slots, std::size_t asked, Trials& trials) {
    const int turn = history_.empty() ? 1 : history_.back().generation + 1;
    for (std::size_t i = 0; i < slots.size() && !trials.over(); ++i) {
      const double seconds = trials.time(slots[i]);
      tried_.insert(slots[i]);
      history_.push_back({.configuration = slots[i],
                          .seconds = seconds,
                          .generation = turn,
                          .reason = i < asked ? "" : "by chance"});
    }
  }

 private:
  const std::size_t most_;  // refusals that it is told, the latest
  tune::History history_;
  std::set<Configuration> tried_;
  std::vector<std::string> refused_;
};

// A search. `tell` makes of the trials so far what the model hears of them.
template <class Tell>
tune::History converse(Trials& trials, std::mt19937_64& random, std::size_t refusals, Tell tell) {
  Conversation model(refusals);
  while (!trials.over()) {
    std::vector<Configuration> slots = model.ask(tell(model.history()), random);
    const std::size_t asked = slots.size();
    for (int tries = 0; tries < 64 && slots.size() < kSlots; ++tries)
      if (const Configuration c = any(trials, random);
          std::find(slots.begin(), slots.end(), c) == slots.end())
        slots.push_back(c);
    model.attempt(slots, asked, trials);
  }
  return model.history();
}
