// What another backend takes, and another figure that a backend measures: .github/CONTRIBUTING.md
// lists the files. The backend of this test is its folder here (Fake), a line in the table of
// backends and a line of CMake; everything else asks these two.
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "device/backends.h"
#include "device/cpu/perf_events.h"
#include "driver/catalogue.h"
#include "has.h"
#include "judged/processes.h"
#include "measure/count.h"
#include "measure/rounds.h"
#include "model/results.h"
#include "queued_backend.h"
#include "report/table.h"

namespace wb {
namespace {

class Fake : public QueuedBackend {
 public:
  const char* name() const override { return "fake"; }
  DeviceId device() const override {
    return {"fake", "Fake 1", "serial", "made up", traits_of(*this).accelerator};
  }
  void* stream() override {  // a launch begins when what is queued is done
    synchronize_stream();
    return QueuedBackend::stream();
  }
  // Of its launches 7 threads gave their core away.
  void taken(Times& times) override {
    QueuedBackend::taken(times);
    times.counters[Counter::switches].assign(times.seconds.size(), 7);
  }
  // It has counters for half of what there is to count, so it takes two launches.
  HardwareCounts count(const Step& before, const Step& launch) override {
    if (refuses) return {.missing = "nobody but root may count"};
    for (int pass = 0; pass < 2; ++pass) before(), launch();
    return {.events = {{Hardware::dram_read, 3 << 20}}, .stalls = {{"barrier", 0.5}}};
  }
  static inline bool refuses = false;
};
std::unique_ptr<Backend> make_fake() { return std::make_unique<Fake>(); }

const bool in_table = [] {
  backends().push_back({"fake", make_fake, nullptr, {.accelerator = true}});
  return true;
}();

// The variants of the bank that are right, on this backend.
std::vector<Row> measure(const std::string& backend_name, const std::string& variant) {
  Registry registry = linked_variants();
  for (Variant& v : registry) v.backend = backend_name;
  Options options;
  options.backend = backend_name;
  options.variant = variant;
  options.repetitions = 2;
  options.sample_seconds = 0.005;
  const auto backend = open_backend(backend_name);
  std::vector<Group> groups = make_groups(registry, options, *backend, nullptr);
  Rounds rounds(*backend, options, [](const Entry&) {}, {});
  for (int i = 0; i < options.repetitions; ++i) rounds.take(groups.at(0));
  std::vector<TracedRow> traces;
  rounds.finish(groups.at(0), &traces);
  count(groups.at(0), *backend, options);
  std::vector<Row> rows;
  for (const Entry& e : groups[0].entries) rows.push_back(e.row);
  return rows;
}

TEST(Backend, AnotherOneIsOpenedByTheTable) {
  EXPECT_EQ(open_backend("fake")->name(), std::string("fake"));
  EXPECT_EQ(open_backend("auto")->name(), std::string("fake"));  // it comes last
  EXPECT_TRUE(traits_of(*open_backend("fake")).accelerator);
  EXPECT_FALSE(traits_of(*open_backend("cpu")).accelerator);
}

TEST(Backend, AnotherOneIsMeasuredAndCheckedAsAll) {
  const std::vector<Row> rows = measure("fake", "right,right_slow");
  ASSERT_EQ(rows.size(), 2u);
  for (const Row& row : rows) {
    EXPECT_EQ(row.status, Status::ok) << row.reason;
    EXPECT_EQ(row.backend + " " + row.timer, "fake events");  // as of any accelerator
    EXPECT_EQ(row.samples.size(), 2u);
  }
}

TEST(Backend, AnotherOneIsALineOfCMake) {
  const Scratch scratch;
  const std::filesystem::path folder = scratch.file("build");
  std::filesystem::create_directories(folder);
  write_atomically(scratch.file("table.cmake"),
                   "include(" WB_SOURCE_DIR
                   "/common/cmake/wb_backends.cmake)\n"
                   "wb_backend(fake EXTENSION .cpp DEVICE GPU ACCELERATOR)\n"
                   "file(WRITE " +
                       (folder / "lessons.json").string() +
                       " \"{\\\"source\\\":\\\"/\\\",\\\"lessons\\\":[],"
                       "\\\"backends\\\":[${wb_entry_cpu},${wb_entry_fake}]}\")\n"
                       "message(\"${wb_built} | ${wb_backend_table}\")\n");
  const Outcome cmake = run_process({"cmake", "-P", scratch.file("table.cmake")}, 60);
  ASSERT_TRUE(cmake.fine()) << cmake.errors;
  EXPECT_TRUE(has(cmake.errors, ";fake | "));
  EXPECT_FALSE(has(cmake.errors, "cuda;")) << "it takes nvcc";
  EXPECT_TRUE(has(cmake.errors, "{\"fake\", \".cpp\", {true, false, false, 0}},"));
  const driver::Catalogue catalogue = driver::load_catalogue(folder);
  ASSERT_TRUE(catalogue.backend("fake"));
  EXPECT_TRUE(catalogue.backend("fake")->accelerator);
  EXPECT_FALSE(catalogue.backend("cpu")->accelerator);
  EXPECT_EQ(catalogue.backend("fake")->device, "GPU");
}

TEST(Counters, GoFromTheBackendToFilesAndPages) {
  Results results;
  results.rows = measure("fake", "right");
  results.rows = from_json(to_json(results), "file").rows;
  ASSERT_EQ(results.rows.size(), 1u);
  EXPECT_EQ(results.rows[0].counters[Counter::switches], 7);
  EXPECT_EQ(results.rows[0].counters[Counter::enqueue], 0);
  const report::Document table = {report::case_table(report::side_by_side(results)[0], results)};
  EXPECT_TRUE(has(report::as_markdown(table), "switches"));
  results.rows[0].counters = {};
  const report::Document without = {report::case_table(report::side_by_side(results)[0], results)};
  EXPECT_FALSE(has(report::as_markdown(without), "switches"));
}

TEST(Hardware, IsCountedAfterTheTimesInLaunchesOfItsOwn) {
  const std::vector<Row> rows = measure("fake", "right,right_slow");
  ASSERT_EQ(rows.size(), 2u);
  for (const Row& row : rows) {
    EXPECT_EQ(row.hardware.get(Hardware::dram_read), 3 << 20);
    EXPECT_LT(row.hardware.get(Hardware::dram_written), 0);  // it has no such counter
    EXPECT_EQ(row.samples.size(), 2u);
    EXPECT_EQ(row.status, Status::ok) << row.reason;
  }
}

TEST(Hardware, WhoMayNotCountIsToldAndKeepsItsTimes) {
  Fake::refuses = true;
  const std::vector<Row> rows = measure("fake", "right");
  Fake::refuses = false;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].hardware.missing, "nobody but root may count");
  EXPECT_FALSE(rows[0].hardware.any());
  EXPECT_EQ(rows[0].status, Status::ok);
  EXPECT_EQ(rows[0].samples.size(), 2u);
}

TEST(Hardware, OfACpuIsCountedOrItSaysWhyNot) {
  const std::vector<Row> rows = measure("cpu", "right");
  ASSERT_EQ(rows.size(), 1u);
  const HardwareCounts& counts = rows[0].hardware;
  EXPECT_EQ(rows[0].status, Status::ok);
  EXPECT_NE(counts.any(), !counts.missing.empty()) << counts.missing;
  EXPECT_NE(counts.get(Hardware::instructions), 0);  // some, or not counted
}

TEST(Hardware, AKernelThatRefusesIsPutIntoWords) {
  EXPECT_TRUE(has(perf_refusal(EACCES), "kernel.perf_event_paranoid"));
  EXPECT_EQ(perf_refusal(EPERM), perf_refusal(EACCES));
  EXPECT_TRUE(has(perf_refusal(ENOENT), "virtual machine"));
  EXPECT_EQ(perf_refusal(ENOSYS), "perf_event_open: Function not implemented");
}

TEST(Counters, OfACpuAreWhatItsThreadsWaited) {
  std::vector<Row> rows = measure("cpu", "right_slow");
  EXPECT_GE(rows.at(0).counters[Counter::switches], 1);  // it sleeps once
}

}  // namespace
}  // namespace wb
