// A language model gets the facts that a person would get, and the results so far, and proposes the
// next generation. Each proposal is judged before anything is compiled, and refusals are sent back
// with their reasons. Without an endpoint, or if it fails, the evolutionary strategy is used. The
// endpoint "stand-in" is no model: rules answer, in this process (../../llm/stand_in.h). What was
// asked and answered can be recorded, and the answers replayed (../../llm/chat.h).
#include <fmt/format.h>

#include <map>

#include "../../llm/chat.h"
#include "../../llm/proposals.h"
#include "../../llm/stand_in.h"
#include "base/failure.h"
#include "base/journal.h"
#include "base/json.h"
#include "strategies.h"

namespace tune {
namespace {

constexpr std::size_t kMembers = 8, kRefused = 12;  // of a generation; told back at most
constexpr int kAsked = 2, kGivesUp = 3;  // times per generation; failures of the endpoint in a row

constexpr const char* kTask =
    "You tune a program by choosing values of its parameters. Answer with JSON alone, of the form "
    "{\"configurations\": [{\"NAME\": VALUE, ...}, ...]}: each parameter once, an integer of its "
    "list. What is malformed, illegal, tried before or there twice is refused.";

class Llm {
 public:
  explicit Llm(const Setting& setting)
      : setting_(setting),
        generation_(setting),
        otherwise_(make_proposer("evolutionary", setting)),
        endpoint_(endpoint_of_environment()) {
    if (!endpoint_) return;
    if (endpoint_->url.starts_with(kRecorded))
      recorded_ = recorded_answers(endpoint_->url.substr(std::string_view(kRecorded).size()));
    if (const char* path = std::getenv("WB_LLM_RECORD")) {
      record_ = std::make_unique<wb::Journal>(path);
      record_->begin({{"answers of", endpoint_->model.empty() ? "a model" : endpoint_->model}});
    }
  }

  std::vector<Configuration> next(const History& history) {
    generation_.begin(history);
    std::set<Configuration> tried, asked;
    for (const Record& r : history) tried.insert(r.configuration);
    for (int i = 0; i < kAsked && endpoint_ && failures_ < kGivesUp && generation_.size() == 0; ++i)
      try {
        const std::string text = question(setting_, history, kMembers, refused_);
        const std::string answer = answer_to(text, history.size() + i);
        record(text, answer);
        failures_ = 0;
        for (const Proposal& p : read_proposals(answer, *setting_.space, tried, asked)) {
          if (p.verdict == Verdict::accepted && generation_.size() == kMembers) break;
          ++counts_[p.verdict];
          if (p.verdict == Verdict::accepted)
            generation_.add(p.configuration);
          else
            refused_.push_back(p.reason);
        }
        if (refused_.size() > kRefused) refused_.erase(refused_.begin(), refused_.end() - kRefused);
      } catch (const wb::Failure&) {
        throw;  // Ctrl-C
      } catch (const std::exception& e) {
        ++failures_;
        trouble_ = e.what();
      }
    if (generation_.size() > 0) return generation_.members();
    ++served_;
    return otherwise_.next(history);
  }

  std::string note() const {
    if (!endpoint_) return "WB_LLM_URL is not set, so the strategy evolutionary was used.";
    std::string text = endpoint_->url == kStandIn
                           ? "The proposals of the stand-in (rules, not a model):"
                           : "The model's proposals:";
    for (const Verdict v : {Verdict::accepted, Verdict::malformed, Verdict::illegal,
                            Verdict::repeated, Verdict::tried})
      text += fmt::format(" {} {},", counts_.contains(v) ? counts_.at(v) : 0, name(v));
    text.back() = '.';
    if (served_) text += fmt::format(" The strategy evolutionary was used {} times.", served_);
    if (!trouble_.empty()) text += " The last trouble with the endpoint: " + trouble_ + ".";
    return text;
  }

 private:
  std::string answer_to(const std::string& text, std::size_t number) {
    if (endpoint_->url == kStandIn) return stand_in(text, chance(setting_, number)());
    if (!endpoint_->url.starts_with(kRecorded)) return ask(*endpoint_, kTask, text);
    if (replayed_ == recorded_.size()) throw std::runtime_error("no more answers are recorded");
    return recorded_[replayed_++];
  }

  void record(const std::string& question, const std::string& answer) {
    if (!record_) return;
    try {
      record_->add({{"question", question}, {"answer", answer}});
    } catch (const std::exception& e) {
      throw wb::Failure(5, std::string(e.what()) + " (WB_LLM_RECORD)");
    }
  }

  const Setting setting_;
  Generation generation_;
  const Proposer otherwise_;
  const std::optional<Endpoint> endpoint_;
  std::map<Verdict, int> counts_;
  std::unique_ptr<wb::Journal> record_;
  std::vector<std::string> recorded_;  // answers, of which so many were given
  std::size_t replayed_ = 0;
  std::vector<std::string> refused_;  // the latest
  std::string trouble_;
  int failures_ = 0, served_ = 0;
};

}  // namespace

Proposer make_llm(const Setting& setting) {
  const auto llm = std::make_shared<Llm>(setting);
  return {[=](const History& history) { return llm->next(history); }, [=] { return llm->note(); }};
}

}  // namespace tune
