// What comes from outside (results, traces, README pages, command lines), mutated many times over.
// Each is read, or refused with one line; what is read can be written, read again and shown.
//
// WB_FUZZ_INPUTS says how many of each kind, WB_FUZZ_SEED begins elsewhere. Clang's libFuzzer finds
// LLVMFuzzerTestOneInput() in this file (first byte: the kind) when it is compiled with
// -DWB_LIBFUZZER -fsanitize=fuzzer together with the sources of base, model, report and driver.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "base/failure.h"
#include "model/results.h"
#include "model/trace_file.h"
#include "pages/pages.h"
#include "programs/options.h"
#include "report/measured.h"
#include "report/timeline.h"
#include "report_rows.h"

#define main driver_main             // whose command line is in a class of that file alone
#include "programs/driver_main.cpp"  // NOLINT(bugprone-suspicious-include)
#undef main

namespace wb {
namespace {

int from_environment(const char* name, int usual) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : usual;
}

void require(bool so, const char* what, const std::string& input) {
  if (so) return;
  std::fprintf(stderr, "%s: %s\n", what, input.c_str());
  std::abort();
}

void require_text(const std::string& text, const std::string& input) {
  for (const char c : text)
    require(c == '\n' || (c & 0xe0), "a control character comes through", input);
}

void require_line(const std::exception& e, const std::string& input) {
  const std::string why = one_line(e, 800);
  require_text(why, input);
  require(!why.empty() && why.find('\n') == std::string::npos && why.size() < 900, "no line",
          input);
}

void try_results(const std::string& input) {
  Results results;
  try {
    results = from_json(input, "file");
  } catch (const std::runtime_error& e) {
    require_line(e, input);
    require(std::string(e.what()).starts_with("file: "), "a line that names no file", input);
    return;
  }
  results = from_json(to_json(results), "written");  // with figures rounded
  const std::string text = to_json(results);
  require(to_json(from_json(text, "written")) == text, "is written otherwise than read", input);
  static int accepted = 0;
  if (accepted++ % 8 || results.rows.size() > 4) return;  // what follows takes longer
  require_text(report::as_csv(report::raw_table(results)), input);
  require_text(in_text(report::summary_table(results, report::Called::by_path_and_title)), input);
  for (const std::size_t width : {80, 20})
    require_text(report::as_text(report::measured(results, {.screen = true}),
                                 {.width = width, .table = width}),
                 input);
  require_text(report::as_markdown(report::measured(results, {.command = "test"})), input);
  require_text(report::as_markdown(pages::results_page(results, "ch1_x", "gpu")), input);
  Results twice = results;
  try {
    merge(twice, results);
    require(to_json(twice) == text, "merged with itself it differs", input);
  } catch (const Failure&) {  // of two machines
  }
}

void try_trace(const std::string& input) {
  std::vector<TracedRow> rows;
  try {
    rows = read_chrome_trace(input);
  } catch (const std::runtime_error& e) {
    return require_line(e, input);
  }
  require(read_chrome_trace(chrome_trace(rows)).size() == rows.size(), "rows are lost", input);
  require_text(report::timeline_svg(rows), input);
  for (const TracedRow& row : rows) require_text(report::draw_timeline(row, 80, false), input);
}

void try_page(const std::string& input) {
  static const std::map<std::string, Results> machines = {{"gpu", make_results()}};
  try {
    const std::string page = pages::with_tables(input, "README.md", machines);
    require(pages::with_tables(page, "README.md", machines) == page, "written twice it differs",
            input);
  } catch (const Failure& e) {
    require(e.code == 5, "another exit code", input);
  }
}

// A line is a word. Help is left out: it is printed, and the program ends.
void try_words(const std::string& input) {
  std::vector<std::string> words = {"program"};
  std::istringstream lines(input);
  for (std::string word; std::getline(lines, word);) {
    word = word.substr(0, word.find('\0'));
    if (word.starts_with("-") && word.find('h') != std::string::npos) word = "x";
    words.push_back(word);
  }
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  const int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  const auto attempt = [&](const auto& parse) {
    try {
      parse();
    } catch (const Failure& e) {
      require(e.code == 2, "another exit code", input);
      require_line(e, input);
    }
  };
  attempt([&] {
    std::vector<std::string> rest;
    const Options options = parse_options(count, pointers.data(), rest);
    require(options.samples() > 0 && options.settings().budget > 0, "no samples", input);
    require(std::isfinite(options.settings().budget), "no end", input);
  });
  attempt([&] {
    CommandLine line;
    if (!line.parse(count, pointers.data(), /*quiet=*/true))
      require(std::isfinite(line.options().time_limit) && line.options().time_limit > 0, "no end",
              input);
  });
  attempt([&] { split_words(input); });
}

constexpr void (*kKinds[])(const std::string&) = {try_results, try_trace, try_page, try_words};

// Changes a text as accidents and malice do: bytes, pieces of it and of others, words that matter.
class Mutations {
 public:
  Mutations(std::vector<std::string> seeds, std::vector<std::string> words)
      : seeds_(std::move(seeds)), words_(std::move(words)) {}

  std::string next() {
    std::string text = one_of(seeds_);
    for (std::size_t i = 0, times = 1 + below(4); i < times; ++i) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return end ? random_() % end : 0; }
  const std::string& one_of(const std::vector<std::string>& all) { return all[below(all.size())]; }
  void change(std::string& text) {
    const std::size_t at = below(text.size() + 1), length = below(below(40) + 1);
    switch (below(6)) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, one_of(words_)); break;
      case 2: text.insert(at, text.substr(below(text.size()), length)); break;
      case 3: text.resize(at); break;
      case 4:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 5: {  // a word in the place of a value or word
        const std::size_t begin = text.find_first_of(":,[= \n", at);
        if (begin == std::string::npos) break;
        const std::size_t end = text.find_first_of(",]}= \n", begin + 1);
        text.replace(begin + 1, end - begin - 1, one_of(words_));
      }
    }
  }
  std::vector<std::string> seeds_, words_;
  std::mt19937_64 random_{static_cast<std::uint64_t>(from_environment("WB_FUZZ_SEED", 20260301))};
};

std::vector<Mutations> mutations() {
  Results results = make_results(), small = results, none;
  results.rows[1].peer = "JAX";
  for (Row& row : results.rows) row.samples.resize(std::min<std::size_t>(row.samples.size(), 3));
  small.rows = {results.rows[1]};
  small.rows[0].sweep = "n";
  small.rows[0].items = 3, small.rows[0].item = "kernel", small.rows[0].show = Show::item;
  small.rows[0].error = WorstError{1e-6, 1e-6, 0.5};
  none.failure = 3, none.failure_reason = "no GPU";
  Trace trace{.wall = 1, .iterations = 3, .intervals = {}, .missing = "", .device_seconds = {}};
  for (std::size_t a = 0; a < std::size(kActivities); ++a)
    trace.intervals.push_back({0.1, 0.4, static_cast<Activity>(a), "name", 1});
  const std::vector<std::string> values = {"0",
                                           "-1",
                                           "1e308",
                                           "1e-320",
                                           "1e999",
                                           "9223372036854775808",
                                           "null",
                                           "true",
                                           "{}",
                                           "[]",
                                           "\"\"",
                                           "\"a/b/c/n=1\"",
                                           "[1,2,3,4",
                                           "\"\\u001b[2J\"",
                                           "\"\xc2\x9b\"",
                                           "\"ok\"",
                                           "\"\\ud800\"",
                                           "nan",
                                           "1e30",
                                           "\"a\\nEOD\\n\"",
                                           std::string(20, '['),
                                           "-0.0",
                                           "4294967296"};
  return {
      {{to_json(results), to_json(small), to_json(none)}, values},
      {{chrome_trace({{"title", trace}}), chrome_trace({{"a", trace}, {"b", {}}})}, values},
      {{"# T\n<!-- results ch1_x/01_sum gpu -->\nold\n<!-- end results -->\nend\n",
        "<!-- results ch1_x gpu -->\n<!-- end results -->\n```\n<!-- results a b -->\n```\n",
        "<!-- results ch1_x/01_sum gpu n=1 columns=time,roof -->\n<!-- end results -->\n"},
       {"<!-- end results -->\n", "<!-- results ch1_x gpu -->\n", "<!-- sweep ch1_x n gpu -->\n",
        "```\n", "\n", "-->", "gpu", "all", "ch1_x", "|", "\r\n", std::string(1, '\0')}},
      {{"run\nwalk\n--fast\n--json=x\n--time-limit\n5", "compare\n--axis\nn=7\n--seed=3\n--op=add",
        "--benchmark_out=x\n--benchmark_min_time=0.1s\n--benchmark_filter=a.*b\n--variant=a,b",
        "timeline\nx\n--launcher\nenv \"A=b c\" 'd'", "report\n--check"},
       {"\n--fast",
        "\n--backend=cpu",
        "nan",
        "inf",
        "1e999",
        "-1",
        "\n--seed",
        "\n--time-limit=",
        "\n--benchmark_repetitions=",
        "\n--",
        "\n-",
        "=",
        "''",
        "\"",
        "\\",
        "(",
        "[",
        "*",
        "{}",
        "\n--sweep=n",
        "\n--peer=pytorch",
        "\n--cache=hot",
        "\ncompare",
        "\n@x",
        ",",
        "%s"}}};
}

}  // namespace
}  // namespace wb

#ifdef WB_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0)
    wb::kKinds[data[0] % 4](std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  return 0;
}
#else
namespace wb {
namespace {

void read_mutations(std::size_t kind, int usual) {
  static bool done;  // a program that says its help and ends has not passed
  done = false;
  std::atexit([] {
    if (!done) std::abort();
  });
  Mutations mutations = wb::mutations()[kind];
  for (int i = 0, inputs = from_environment("WB_FUZZ_INPUTS", usual); i < inputs; ++i)
    kKinds[kind](mutations.next());
  done = true;
}

TEST(Fuzz, Results) { read_mutations(0, 10000); }
TEST(Fuzz, Traces) { read_mutations(1, 5000); }
TEST(Fuzz, Pages) { read_mutations(2, 2000); }
TEST(Fuzz, CommandLines) { read_mutations(3, 500); }

}  // namespace
}  // namespace wb
#endif
