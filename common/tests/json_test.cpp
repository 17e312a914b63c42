// What is written can be read again, and what is no result is refused with one line.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/files.h"
#include "base/output.h"
#include "has.h"
#include "model/results.h"
#include "report_rows.h"
#include "wb/variant.h"

namespace wb {
namespace {

namespace fs = std::filesystem;

std::string refusal(const std::string& text) {
  try {
    from_json(text, "file.json");
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "accepted";
}

void expect_refused(const std::string& text, const std::string& because) {
  const std::string why = refusal(text);
  EXPECT_TRUE(why.starts_with("file.json: ")) << why;
  EXPECT_TRUE(has(why, because));
  EXPECT_FALSE(has(why, "\n"));
  EXPECT_LT(why.size(), 400u);
}

class Folder : public ::testing::Test {
 protected:
  Folder() { fs::create_directories(path_); }
  ~Folder() override { fs::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::size_t count() const {
    return std::distance(fs::directory_iterator(path_), fs::directory_iterator());
  }
  fs::path path_ = fs::temp_directory_path() / ("wb_json_test_" + std::to_string(::getpid()));
};

TEST(Json, NamesTheDeviceButNoSerialNumber) {
  Results results = make_results();
  results.ceilings[0].device.id = "GPU-1234";
  const std::string text = to_json(results);
  EXPECT_TRUE(has(text, "Test GPU"));
  EXPECT_FALSE(has(text, "GPU-1234"));
}

// As `compare --jobs` reads them: the words of axes are kept for all threads together.
TEST(Json, IsReadInSeveralThreads) {
  Results results = make_results();
  results.rows.resize(1);
  constexpr int kThreads = 8, kWords = 2000;
  std::vector<std::vector<std::string>> read(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      Row row = results.rows[0];
      for (int i = 0; i < kWords; ++i) {
        const std::string word = fmt::format("word{}", t % 2 ? i : kWords - i);
        read_benchmark_name("ch1_x/01_sum/baseline/cpu/kind=" + word + ",n=" + word, row);
        read[t].push_back(row.axes.word("kind"));
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < kThreads; ++t)
    for (int i = 0; i < kWords; ++i)
      ASSERT_EQ(read[t][i], fmt::format("word{}", t % 2 ? i : kWords - i));
}

TEST(Roles, AreWhatNamesSay) {
  for (const auto& [variant, role] : {std::pair{"baseline", VariantRole::baseline},
                                      {"step1_tile", VariantRole::step},
                                      {"library_openblas", VariantRole::library},
                                      {"exercise", VariantRole::exercise},
                                      {"solution", VariantRole::solution},
                                      {"tuned", VariantRole::tuned},
                                      {"program", VariantRole::program},
                                      {"exercises", VariantRole::other},
                                      {"baseline2", VariantRole::other},
                                      {"", VariantRole::other}})
    EXPECT_EQ(role_of(variant), role) << variant;
  for (const char* variant : {"baseline", "all_shapes", "exercise", "program"})
    EXPECT_EQ(name(role_of(variant)), std::string(variant));
  EXPECT_TRUE(is_extra("exercise") && is_extra("solution") && !is_extra("tuned"));
  EXPECT_TRUE(lesson_order("solution", "fp16") && lesson_order("fp16", "tuned"));
}

TEST(Json, RoundTrip) {
  Results results = make_results();
  results.rows[1].samples = {1.25e-4, 1e-4, 9.87654321e-5};
  results.rows[2].status = Status::skipped;
  results.rows[2].reason = "needs Hopper";
  results.rows[2].samples.clear();
  results.rows[1].axes = {{"size", "large"}, {"order", "0,2"}, {"n", i64{1} << 40}, {"late", 0}};
  results.rows[1].bound = 3e-6;
  results.rows[1].error = WorstError{.absolute = 1e-6, .relative = 2e-6, .of_allowed = 0.5};
  results.rows[1].cache = "hot";
  results.rows[1].show = Show::item;
  results.rows[1].items = 3, results.rows[1].item = "kernel", results.rows[1].rate = true;
  results.failure = 3;
  results.failure_reason = "no GPU";
  results.rows[1].note = "throttled";
  results.rows[1].memory = 4.5e10;
  results.rows[1].cost = {
      .flops = 1, .read = 2, .write = 3, .to_device = 4, .to_host = 5, .math = Math::bf16_tensor};
  const std::string text = to_json(results);
  const Results back = from_json(text, "file.json");
  EXPECT_EQ(to_json(back), text);
  ASSERT_EQ(back.rows.size(), 4u);
  EXPECT_NEAR(back.rows[1].samples[2], 9.87654321e-5, 1e-10);
  EXPECT_EQ(back.rows[1].cost.to_host, 5);
  EXPECT_EQ(back.rows[1].memory, 4.5e10);
  EXPECT_EQ(back.rows[1].cost.math, Math::bf16_tensor);
  EXPECT_EQ(back.rows[1].axes, results.rows[1].axes);
  EXPECT_EQ(back.rows[1].error->of_allowed, 0.5);
  EXPECT_EQ(back.rows[1].bound, 3e-6);
  EXPECT_EQ(back.rows[1].show, Show::item);
  EXPECT_TRUE(back.rows[1].rate);
  EXPECT_EQ(back.rows[2].status, Status::skipped);
  EXPECT_EQ(back.rows[2].reason, "needs Hopper");
  EXPECT_EQ(back.rows[3].status, Status::wrong);
  EXPECT_EQ(back.rows[3].reason, results.rows[3].reason);
  EXPECT_TRUE(back.ceilings[0].device.accelerator);
  EXPECT_EQ(back.failure_reason, "no GPU");
  EXPECT_EQ(back.rows[0].split->copies, 0.25);
  EXPECT_EQ(back.ceilings[0].values, results.ceilings[0].values);
  EXPECT_EQ(back.rows[2].date, "2026-01-02");
}

TEST(Json, HasWhatGoogleBenchmarksReadersNeed) {
  const auto root = nlohmann::json::parse(to_json(make_results()));
  ASSERT_EQ(root["benchmarks"].size(), 4u);
  const auto& entry = root["benchmarks"][1];
  EXPECT_EQ(entry["name"], "ch1_x/01_sum/optimized/cuda/n=1");
  EXPECT_EQ(entry["run_type"], "iteration");
  EXPECT_EQ(entry["time_unit"], "ns");
  EXPECT_DOUBLE_EQ(entry["real_time"], 1e5);  // the median
  EXPECT_DOUBLE_EQ(entry["cpu_time"], 1e5);
  EXPECT_EQ(entry["workbook"]["samples"].size(), 9u);
  EXPECT_EQ(root["benchmarks"][3]["error_occurred"], true);
}

TEST(Json, BytesThatAreNoTextAreReplaced) {
  Results results = make_results();
  results.rows[3].reason = "bad \xff byte";
  EXPECT_TRUE(has(from_json(to_json(results), "x").rows[3].reason, "bad"));
}

// A terminal would obey them, and gnuplot take a line for a command.
TEST(Json, ControlCharactersOfAFileBecomeBlanks) {
  Results results = make_results();
  const std::string bad = "a\033]0;x\007b\nEOD\r\x7f\xc2\x9b\t.";
  const std::string good = "a ]0;x b EOD     .";
  results.machine = results.ceilings[0].device.name = results.ceilings[0].device.driver = bad;
  for (Row& row : results.rows) row.lesson = "ch1_" + bad;
  results.rows[1].note = results.rows[1].no_goodput = results.rows[1].date = bad;
  results.rows[1].axes = {{"word", keep(bad)}};
  results.rows[3].reason = results.failure_reason = bad;
  results.failure = 1;
  const Results back = from_json(to_json(results), "x");
  EXPECT_EQ(back.machine, good);
  EXPECT_EQ(back.ceilings[0].device.name, good);
  EXPECT_EQ(back.ceilings[0].device.driver, good);
  EXPECT_EQ(back.rows[1].lesson, "ch1_" + good);
  EXPECT_EQ(back.rows[1].note + back.rows[1].no_goodput + back.rows[1].date, good + good + good);
  EXPECT_STREQ(back.rows[1].axes.word("word"), good.c_str());
  EXPECT_EQ(back.rows[3].reason + back.failure_reason, good + good);
  results = make_results();
  results.ceilings[0].values["read\033"] = 1;
  expect_refused(to_json(results), "a control character in the name of a field");
  EXPECT_EQ(clean("\x9b"
                  "1m \xc3\xa9\xe2\x82\x80"),
            " 1m \xc3\xa9\xe2\x82\x80");
}

TEST(Json, RefusesEveryTruncation) {
  const std::string text = to_json(make_results());
  for (std::size_t size = 0; size + 3 < text.size(); size += 97)
    EXPECT_NE(refusal(text.substr(0, size)), "accepted") << size;
  expect_refused("", "was cut short");
  for (const std::size_t size : {text.size() / 2, text.size() / 3, text.size() / 5})
    expect_refused(text.substr(0, size), "it ends in the middle: the file was cut short");
}

TEST(Json, RefusesWhatIsNoResult) {
  expect_refused("no json", "it is no JSON from byte 2 on");
  expect_refused(std::string("\0\xff\xfe", 3), "it is no JSON from byte 1 on");
  for (const auto& [other, kind] : {std::pair{"[]", "a list"},
                                    {"null", "nothing"},
                                    {"5", "a number"},
                                    {"true", "true or false"},
                                    {R"({"context": []})", "a list"},
                                    {R"({"context": "x"})", "a text"}})
    expect_refused(other, std::string("it has another form: ") + kind +
                              " where named fields or a list must be");
  expect_refused("{}", "not a result of this workbook: it has no 'context'");
  expect_refused(R"({"context": {}, "benchmarks": []})", "it has no 'workbook'");
  expect_refused(std::string(100'000, '['), "deeper");
  expect_refused("{\"context\":" + std::string(40, '[') + std::string(40, ']') + "}", "deeper");
  expect_refused(std::string((64u << 20) + 1, ' '), "64 MiB");
  std::string many = "[";
  while (many.size() < 16u << 20) many += "{},{},{},{},{},{},{},{},";
  expect_refused(many + "{}]", "ten million values");
  many.resize(4'000'001);
  expect_refused(many + "{}]", "");  // at once, though each object in a list is looked at
  expect_refused("{\"" + std::string(1 << 20, 'x'), "was cut short");
}

TEST(Json, RefusesWrongFields) {
  const auto good = nlohmann::json::parse(to_json(make_results()));
  const auto broken = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json copy = good;
    copy[nlohmann::json::json_pointer(pointer)] = value;
    return copy.dump();
  };
  expect_refused(broken("/benchmarks/0/workbook/samples/0", "fast"), "a sample must be a number");
  expect_refused(broken("/benchmarks/0/workbook/samples/0", 0), "above 0");
  expect_refused(broken("/benchmarks/0/workbook/samples/0", -1), "not negative");
  expect_refused(broken("/benchmarks/0/workbook/samples", 1), "samples must be a list");
  expect_refused(broken("/benchmarks/0/workbook/samples", nlohmann::json::array()),
                 "no samples of");
  expect_refused(broken("/benchmarks/3/workbook/status", "slow"), "status");
  expect_refused(broken("/benchmarks/0/workbook/show", "colour"), "show");
  expect_refused(broken("/benchmarks/0/name", 7), "name must be a text");
  for (const char* name : {"", "baseline/cuda/n=1", "a/baseline/cuda/1", "a/baseline/cuda/=1"})
    expect_refused(broken("/benchmarks/0/name", name), "=VALUE");
  expect_refused(broken("/benchmarks/0/name", "a/b/c/1=,2=,3=,4=,5=,6=,7=,8=,9="),
                 "8 axes at most");
  expect_refused(broken("/benchmarks/0/workbook/math", "fp4"), "math");
  expect_refused(broken("/benchmarks/0/workbook/goodput/copies", nullptr), "copies");
  expect_refused(broken("/benchmarks/0/workbook", 1), "it has another form: a number where ");
  expect_refused(broken("/benchmarks", "none"), "workbook fields");
  expect_refused(broken("/benchmarks/1/workbook/worst_error", {1}),
                 "one of its lists is too short");
  expect_refused(broken("/context/workbook/ceilings/0/values/read", "x"), "read");
  std::string huge = good.dump();
  huge.replace(huge.find("[1000000,"), 9, "[1e999,");
  expect_refused(huge, "one of its numbers is too large");
  nlohmann::json no_fields = good;
  no_fields["benchmarks"][0].erase("workbook");
  expect_refused(no_fields.dump(), "workbook fields");
  nlohmann::json more = good;  // a newer version may write more
  more["benchmarks"][0]["workbook"]["colour"] = "green";
  EXPECT_EQ(refusal(more.dump()), "accepted");
}

TEST_F(Folder, CeilingsThatCannotBeAreMeasuredAgain) {
  ::setenv("XDG_CACHE_HOME", path_.c_str(), 1);
  const Ceilings ceilings = make_ceilings();
  save_ceilings(ceilings);
  const std::string cache = ceilings_path(ceilings.device), good = read_file(cache);
  ASSERT_TRUE(load_ceilings(ceilings.device));
  EXPECT_EQ(load_ceilings(ceilings.device)->values, ceilings.values);
  const std::string figure = "\"fp32\":40000000000000";
  ASSERT_TRUE(has(good, figure));
  for (const char* bad : {"-5", "nan", "NaN", "null", "0", "-0.0", "1e999", "\"fast\"", "[]"}) {
    std::string text = good;
    text.replace(text.find(figure), figure.size(), std::string("\"fp32\":") + bad);
    write_atomically(cache, text);
    EXPECT_FALSE(load_ceilings(ceilings.device)) << bad;
  }
}

TEST(Ceilings, AreRaisedToWhatIsBetter) {
  Ceilings ceilings = make_ceilings();
  Ceilings other = ceilings;
  EXPECT_TRUE(ceilings.raise(other).empty());
  other.values = {{"fp32", 80e12}, {"read", 1e12}, {"launch", 2e-6}, {"copy_nt", 1e12}};
  EXPECT_EQ(ceilings.raise(other), (std::vector<std::string>{"fp32", "launch"}));
  EXPECT_EQ(ceilings.get("fp32"), 80e12);
  EXPECT_EQ(ceilings.get("read"), 4e12);
  EXPECT_EQ(ceilings.get("copy_nt"), 1e12);
}

TEST_F(Folder, WritesAllOrNothing) {
  const std::string path = file("a.json");
  write_atomically(path, "old");
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(count(), 1u);

  // A disk that is full: the first byte past the limit fails as ENOSPC would.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small{1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(write_atomically(path, std::string(5000, 'x')), std::runtime_error);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(count(), 1u) << "a temporary file was left behind";
}

TEST_F(Folder, KeepsThePermissionsOfWhatItReplaces) {
  write_atomically(file("a"), "old");
  const auto usual = fs::status(file("a")).permissions();
  for (const int mode : {0600, 0664}) {
    ::chmod(file("a").c_str(), mode);
    write_atomically(file("a"), "new");
    EXPECT_EQ(fs::status(file("a")).permissions(), fs::perms(mode));
  }
  ::chmod(file("a").c_str(), 0444);
  EXPECT_THROW(check_writable(file("a")), std::runtime_error);
  EXPECT_THROW(write_atomically(file("a"), "newer"), std::runtime_error);
  EXPECT_EQ(read_file(file("a")), "new");
  write_atomically(file("b"), "new");
  EXPECT_EQ(fs::status(file("b")).permissions(), usual);
  EXPECT_EQ(count(), 2u);
}

TEST_F(Folder, SaysWhyItCannotWrite) {
  EXPECT_THROW(check_writable(file("none/a.json")), std::runtime_error);
  EXPECT_THROW(check_writable(path_.string()), std::runtime_error);
  EXPECT_THROW(write_atomically("/dev/full", "x"), std::runtime_error);
  fs::create_symlink("nowhere/at/all", file("link"));
  EXPECT_THROW(check_writable(file("link")), std::runtime_error);
  check_writable("");
  check_writable(file("b.json"));
  EXPECT_FALSE(fs::exists(file("b.json")));
  EXPECT_EQ(count(), 1u);
}

TEST_F(Folder, KeepsALinkAndWritesWhatItNames) {
  write_atomically(file("real"), "1");
  fs::create_symlink("real", file("link"));
  write_atomically(file("link"), "2");
  EXPECT_TRUE(fs::is_symlink(file("link")));
  EXPECT_EQ(read_file(file("real")), "2");
}

TEST_F(Folder, WritesThroughALinkToAPipe) {  // as /dev/stdout may be
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", file("link"));
  const int reader = ::open(file("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  write_atomically(file("link"), "through");
  char got[16] = {};
  EXPECT_EQ(::read(reader, got, sizeof got), 7);
  EXPECT_STREQ(got, "through");
  ::close(reader);
}

TEST_F(Folder, ReadsFilesOnly) {
  EXPECT_THROW(read_file(path_.string()), std::runtime_error);
  EXPECT_THROW(read_file(file("none")), std::runtime_error);
  EXPECT_THROW(read_file("/dev/zero"), std::runtime_error);  // without end
}

// A row of a device that counts has no samples.
TEST(Counts, ArePartOfTheFile) {
  Results results;
  results.machine = "emulated GPU", results.version = "1";
  Row& row = results.rows.emplace_back();
  row.lesson = "ch1_x/02_gemm", row.variant = "baseline", row.backend = "cpu";
  row.axes = {{"rows", 4}};
  row.lines = {{"baseline.cu:7", {}}, {"baseline.cu:9", {}}};
  row.lines[1].counts[Count::loads] = 4;
  row.lines[1].counts[Count::load_sectors] = 128;
  row.lines[0].counts[Count::one_address] = 3;
  row.counters = counters_of(total(row.lines));
  Results read = from_json(to_json(results), "a test");
  ASSERT_EQ(read.rows.size(), 1u);
  EXPECT_TRUE(only_counts(read.rows[0]));
  EXPECT_FALSE(has_speed(read.rows[0]));
  EXPECT_EQ(read.rows[0].counters[Counter::sectors], 32);
  EXPECT_EQ(read.rows[0].counters[Counter::one_address], 3);
  ASSERT_EQ(read.rows[0].lines.size(), 2u);
  EXPECT_EQ(read.rows[0].lines[1].line, "baseline.cu:9");
  EXPECT_EQ(read.rows[0].lines[1].counts, row.lines[1].counts);

  // One that runs no kernel asks the runtime for copies, and has no lines.
  row.lines.clear();
  EXPECT_FALSE(only_counts(row));
  row.counters[Counter::calls] = 3;
  read = from_json(to_json(results), "a test");
  EXPECT_TRUE(only_counts(read.rows[0]));
}

}  // namespace
}  // namespace wb
