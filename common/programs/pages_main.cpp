// What a maintainer writes from stored results, behind ./workbook report.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>

#include "base/failure.h"
#include "base/files.h"
#include "base/output.h"
#include "base/process.h"
#include "driver/catalogue.h"
#include "pages/pages.h"
#include "programs/flags.h"
#include "report/measured.h"

namespace {

namespace fs = std::filesystem;
using namespace wb;

struct Wishes {
  bool markdown = false, check = false, pictures = false;
};

// Returns whether a page was another than it should be.
bool write_pages(const Wishes& wishes, const fs::path& source,
                 const std::map<std::string, std::string>& made) {
  bool stale = false;
  for (const auto& [name, text] : made) {
    const std::string file = (source / name).string();
    if (fs::exists(file) && read_file(file) == text) continue;
    stale = true;
    if (wishes.markdown) write_atomically(file, text);
    print("{}: {}\n", name,
          wishes.markdown    ? "written"
          : fs::exists(file) ? "differs from what it is made of"
                             : "is missing");
  }
  return stale;
}

void write_pictures(const fs::path& source, const std::string& machine, const Results& results) {
  for (const report::Figure& figure : report::figures(results, machine)) {
    const std::string drawn = figure.draw(report::Picture::svg, 100);
    if (drawn.empty()) continue;
    const std::string name = "common/results/" + figure.file;
    write_atomically((source / name).string(), drawn);
    print("{}: written\n", name);
  }
}

int run(int argc, char** argv) {
  CLI::App app("What a maintainer uses: report.");
  app.name("./workbook");
  app.require_subcommand(1);
  CLI::App* report = app.add_subcommand(
      "report", "write README tables, results pages and pictures from stored results");
  Wishes wishes;
  report->add_flag("--markdown", wishes.markdown,
                   "write the tables between their markers, and the results pages");
  report->add_flag("--check", wishes.check,
                   "exit 1 when a table or results page differs, or is missing");
  report->add_flag("--pictures", wishes.pictures,
                   "write common/results/MACHINE_roofline.svg and a picture of each sweep");
  if (!parse(app, argc, argv, "./workbook report --help")) return 0;
  if (!(wishes.markdown || wishes.check || wishes.pictures))
    throw Failure(2, "say what to write: --markdown, --check or --pictures");
  const fs::path source = driver::load_catalogue().source;
  catch_interrupts();
  std::map<std::string, Results> machines;
  std::map<std::string, std::string> made;
  {
    const EndsAtOnce nothing_is_written_yet;
    machines = pages::stored_results(source);
    if (wishes.markdown || wishes.check) made = pages::all_pages(source, machines);
  }
  const bool stale = write_pages(wishes, source, made);
  if (wishes.pictures)
    for (const auto& [machine, results] : machines) write_pictures(source, machine, results);
  if (!wishes.check || wishes.markdown) return 0;
  if (stale)
    throw Failure(
        1, "these differ from what they are made of: ./workbook report --markdown writes them");
  print("tables and results pages match the stored results\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return run_main([&] { return run(argc, argv); });
}
