// A third place where a variant runs, in this one file: a thread that does nothing else. Whoever
// brings another place (a candidate of a tuner, a rank, an emulated GPU) writes as much.
#include <gtest/gtest.h>

#include <future>

#include "device/backends.h"
#include "judged/new_inputs.h"
#include "measure/rounds.h"

namespace wb {
namespace {

int made = 0, launched = 0;
bool does_nothing = false;  // in the thread

class InThread : public Runner {
 public:
  InThread(const Variant& variant, Data& data, Backend& backend)
      : data_(data), backend_(backend), clock_(variant.problem->clock) {
    ++made;
    launch_ = set_up(variant, data.axes, data.arrays.args(), backend);
  }
  void launch() override { in_thread(backend_.stream()); }
  std::string left_running() override { return backend_.left_running(); }
  Measured measure(const Request& r) override {
    const Launch there = [this](void* stream) { in_thread(stream); };
    if (r.what == Request::records) throw Unsupported("no records");
    if (r.what == Request::trace)
      return {.trace = backend_.trace(there, {}, clock_, Cache::hot, r.launches)};
    return {.times = sample(
                r.budget, r.launches,
                [&] {
                  data_.arrays.prepare();
                  backend_.time(there, clock_, r.cache, data_.arrays.regions());
                  if (r.look) data_.arrays.look();
                },
                [&](Times& times) { backend_.taken(times); })};
  }
  void disturb(bool on) override { backend_.disturb(on); }

 private:
  void in_thread(void* stream) {
    std::async(std::launch::async, [&] {
      ++launched;
      if (!does_nothing) launch_(stream);
    }).get();
  }

  Data& data_;
  Backend& backend_;
  const Clock clock_;
  Launch launch_;
};

struct Judged : InThread {
  using InThread::InThread;
  bool judged() const override { return true; }
};

template <class Kind> struct Threads : Runners {
  std::unique_ptr<Runner> make(const Variant& variant, Data& data, Backend& backend) override {
    return std::make_unique<Kind>(variant, data, backend);
  }
};

// The rows of the bank's right variants, measured there.
std::vector<Row> measure() {
  made = launched = 0;
  Options options;
  options.backend = "cpu";
  options.repetitions = 2;
  options.sample_seconds = 0.005;
  const auto backend = open_backend("cpu");
  Threads<InThread> threads;
  std::vector<Group> groups = make_groups(linked_variants(), options, *backend, nullptr);
  Rounds rounds(
      *backend, options, [](const Entry&) {}, {}, threads);
  std::vector<TracedRow> traces;
  for (int i = 0; i < options.repetitions; ++i) rounds.take(groups.at(0));
  rounds.finish(groups.at(0), &traces);
  std::vector<Row> rows;
  for (const Entry& e : groups[0].entries) rows.push_back(e.row);
  return rows;
}

TEST(Runner, AThirdPlaceIsOneClass) {
  does_nothing = false;
  const std::vector<Row> rows = measure();
  ASSERT_FALSE(rows.empty());
  for (const Row& row : rows) {
    EXPECT_EQ(row.status, Status::ok) << row.reason;
    EXPECT_EQ(row.samples.size(), 2u);
    EXPECT_TRUE(row.split) << row.no_goodput;
  }
  EXPECT_EQ(made, static_cast<int>(rows.size()));
  EXPECT_GT(launched, 10);
}

// Behind a pause of one that is judged nothing of the arrays is trusted: they are loaded again.
TEST(Runner, FindsItsInputsBehindAPause) {
  does_nothing = false;
  const auto backend = open_backend("cpu");
  Threads<Judged> threads;
  const Variant& variant = linked_variants().front();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Data data(*variant.problem, {{"n", 1000}}, *backend, seed,
              {.new_inputs = judged::draw_new_inputs});
    Trial trial(variant, data, *backend, threads);
    std::string error;
    trial.sample({.budget = 1e-3, .at_most = 5}, error, /*whole=*/true);
    EXPECT_EQ(error, "");
  }
}

TEST(Runner, IsJudgedThereAsEverywhere) {
  does_nothing = true;
  for (const Row& row : measure()) EXPECT_EQ(row.status, Status::wrong) << row.variant;
}

}  // namespace
}  // namespace wb
