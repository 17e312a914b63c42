#include "driver/asm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"
#include "base/output.h"
#include "base/pattern.h"
#include "base/process.h"
#include "machine_code/view.h"

namespace wb::driver {

namespace fs = std::filesystem;

namespace {

constexpr double kToolSeconds = 300;  // seconds that a tool may take

struct Variant {
  const Lesson* lesson;
  const BuiltBackend* on;
  std::string name;
  std::string target() const { return fmt::format("{}_{}_{}", lesson->program, name, on->name); }
  std::string file() const { return lesson->path + "/" + name + on->extension; }
};

Variant variant_of(const Catalogue& catalogue, const std::string& name,
                   const std::string& backend) {
  const std::vector<Selection> found = select(catalogue, std::vector<std::string>{name});
  const Lesson& lesson = *found[0].lesson;
  if (found.size() > 1 || found[0].variants.size() != 1) {
    std::vector<std::string> known;
    for (const auto& [variant, on] : lesson.variants)
      if (std::ranges::find(known, variant) == known.end()) known.push_back(variant);
    throw Failure(2, fmt::format("asm takes one variant, as in {}/{}; {} has {}", lesson.program,
                                 known.front(), lesson.path, fmt::join(known, ", ")));
  }
  // Without --backend the best that has it; a file's extension says which are meant.
  const std::string extension = fs::path(name).extension().string();
  const BuiltBackend* best = nullptr;
  for (const BuiltBackend& on : catalogue.backends)
    if (lesson.has(found[0].variants[0], on.name) && !on.disassembler.empty() &&
        (backend == "auto" ? extension.empty() || extension == on.extension : backend == on.name))
      best = &on;
  if (!best)
    throw Failure(2, fmt::format("{} has no machine code here that asm reads: name another "
                                 "--backend; one for a GPU takes its compiler, and no GPU",
                                 name));
  return {&lesson, best, found[0].variants[0]};
}

std::vector<Variant> variants_of(const Catalogue& catalogue, const RunOptions& options,
                                 const AsmOptions& chosen) {
  if (options.names.size() != 1)
    throw Failure(2, "asm takes one variant, as in ./workbook asm LESSON/optimized");
  std::vector<Variant> all{variant_of(catalogue, options.names[0], options.choice.backend)};
  const Variant& first = all[0];
  if ((chosen.sass || chosen.ptx) && first.on->disassembler != "nvdisasm")
    throw Failure(2, fmt::format("--sass and --ptx are forms of a GPU's code, and {} is for a {}",
                                 first.file(), first.on->device));
  if (chosen.ptx && (chosen.sass || chosen.loop))
    throw Failure(2, "--ptx shows all of a function: neither --sass nor --loop goes with it");
  if (chosen.against.empty()) return all;
  const bool own = first.lesson->has(fs::path(chosen.against).stem().string(), first.on->name);
  const bool whole = chosen.against.find('/') != std::string::npos;
  if (!own && !whole)
    throw Failure(2, fmt::format("{} has no {} for a {}", first.lesson->path, chosen.against,
                                 first.on->device));
  all.push_back(variant_of(catalogue,
                           whole ? chosen.against : first.lesson->path + "/" + chosen.against,
                           first.on->name));
  return all;
}

// What a program prints; Failure where it fails.
std::string output_of(const std::vector<std::string>& command, const std::string& folder = "") {
  const Outcome outcome = run_process(command, kToolSeconds, {}, {}, folder);
  if (outcome.fine()) return outcome.output;
  const std::string why = outcome.errors.substr(0, outcome.errors.find('\n'));
  throw Failure(outcome.timed_out || outcome.signal ? 4 : 5,
                fs::path(command[0]).filename().string() + " failed" +
                    (outcome.timed_out ? ": it took too long"
                     : why.empty()     ? ""
                                       : ": " + why));
}

// The words that compile a variant, and the folder where.
std::pair<std::vector<std::string>, std::string> compile_command(const Catalogue& catalogue,
                                                                 const Variant& variant) {
  const std::string folder = "/" + variant.target() + ".dir/";
  std::pair<std::vector<std::string>, std::string> found;
  read_of_build(catalogue.build, "compile_commands.json", [&](const std::string& file) {
    for (const auto& entry : parse_json(read_file(file)))
      if (const std::string command = entry.at("command"); command.find(folder) != command.npos)
        found = {split_words(command), entry.at("directory")};
    if (found.first.empty()) throw std::runtime_error("it does not know " + variant.file());
  });
  return found;
}

// A tool in PATH, or next to the compiler; Failure where it is in neither.
std::string tool(const Catalogue& catalogue, const Variant& variant, const std::string& name) {
  if (in_path(name)) return name;
  const fs::path compiler = compile_command(catalogue, variant).first[0];
  if (const fs::path beside = compiler.parent_path() / name; fs::exists(beside))
    return beside.string();
  throw Failure(2,
                fmt::format("asm needs {}: install {}", name,
                            name == "objdump" ? "binutils"
                                              : "the whole CUDA Toolkit, or NVIDIA's packages "
                                                "cuda-cuobjdump and cuda-nvdisasm; without root: "
                                                ".github/MACHINES.md"));
}

fs::path object_of(const Catalogue& catalogue, const Variant& variant) {
  const fs::path folder =
      catalogue.build / variant.lesson->chapter() / "CMakeFiles" / (variant.target() + ".dir");
  std::error_code none;
  for (const fs::path& file : fs::recursive_directory_iterator(folder, none))
    if (file.extension() == ".o") return file;
  throw Failure(1, variant.file() + " does not compile: its compiler's message is above");
}

struct Listing {
  std::vector<machine_code::Function> functions{};
  machine_code::Form form = machine_code::Form::x86;
  std::string usage{}, made_for{};
};

// Of several architectures the newest.
Listing gpu_listing(const Catalogue& catalogue, const Variant& variant) {
  const std::string cuobjdump = tool(catalogue, variant, "cuobjdump");
  const std::string nvdisasm = tool(catalogue, variant, "nvdisasm");
  Scratch scratch;
  const fs::path folder = fs::path(scratch.file("x")).parent_path();
  const std::string object = object_of(catalogue, variant).string();
  run_process({cuobjdump, "-xelf", "all", object}, kToolSeconds, {}, {}, folder.string());
  fs::path newest;
  int best = 0;
  for (const fs::path& file : fs::directory_iterator(folder)) {
    const auto found = find_pattern(file.filename().string(), "sm_(\\d+)[a-z]*\\.cubin$");
    if (!found.empty() && std::stoi(found[1]) > best) best = std::stoi(found[1]), newest = file;
  }
  if (newest.empty()) return {.form = machine_code::Form::sass};
  Listing listing{.form = machine_code::Form::sass, .made_for = fmt::format("sm_{}", best)};
  const std::string text = output_of({nvdisasm, "-gi", "-c", newest.string()});
  if (text.find(".text.") == std::string::npos) return listing;
  listing.functions = machine_code::read_sass(text);
  listing.usage = output_of({cuobjdump, "-res-usage", newest.string()});
  return listing;
}

std::vector<machine_code::Function> ptx_of(const Catalogue& catalogue, const Variant& variant) {
  auto [command, folder] = compile_command(catalogue, variant);
  Scratch scratch;
  const std::string file = scratch.file("x.ptx");
  std::string architecture;  // the last one is the newest
  std::vector<std::string> words;
  for (const std::string& word : command) {
    const auto found = find_pattern(word, "arch=(compute_\\w+)");
    if (!found.empty())
      architecture = found[1];
    else
      words.push_back(!words.empty() && words.back() == "-o" ? file : word == "-c" ? "-ptx" : word);
  }
  if (!architecture.empty()) words.push_back("-arch=" + architecture);
  output_of(words, folder);
  return machine_code::read_ptx(read_file(file));
}

Listing listing_of(const Catalogue& catalogue, const Variant& variant) {
  try {
    if (variant.on->disassembler == "nvdisasm") return gpu_listing(catalogue, variant);
    const std::string objdump = tool(catalogue, variant, "objdump");
    return {machine_code::read_x86(
                output_of({objdump, "-d", "-r", "-l", "--inlines", "-M", "intel",
                           "--no-show-raw-insn", object_of(catalogue, variant).string()})),
            machine_code::Form::x86, "", ""};
  } catch (const Failure&) {
    throw;
  } catch (const std::exception& e) {
    throw Failure(5, variant.file() + ": " + one_line(e));
  }
}

// The path below the checkout where it is one of this chapter's; another checkout's object may have
// been taken over (ccache), so only the end of a path counts.
std::string own_path(const std::string& chapter, const std::string& file) {
  const std::size_t at = ("/" + file).rfind("/" + chapter + "/");
  return at == std::string::npos ? "" : file.substr(at);
}

// Whether an instruction comes from a source of the chapter, but for what the harness compares
// with, which is compiled along with the baseline. Of a GPU's code a library's functions for rare
// arguments have loops, so the first line has to be the chapter's.
bool is_own(const Variant& variant, machine_code::Form form,
            const machine_code::Instruction& instruction) {
  bool own = false;
  for (const machine_code::SourceLine& line : instruction.lines) {
    if (line.function.find("reference") != std::string::npos) return false;
    own = own || !own_path(variant.lesson->chapter().string(), line.file).empty();
    if (!own && form == machine_code::Form::sass) return false;
  }
  return own;
}

machine_code::Shown shown_of(const Variant& variant, Listing listing, const std::string& kernel) {
  machine_code::Shown shown{.variant = variant.name, .file = variant.file(), .form = listing.form};
  if (!listing.made_for.empty()) shown.file += " for " + listing.made_for;
  const auto own = [&](const machine_code::Instruction& i) {
    return is_own(variant, listing.form, i);
  };
  if (listing.form == machine_code::Form::x86)  // the harness's and the library's own
    std::erase_if(listing.functions, [&](const machine_code::Function& function) {
      return function.name.starts_with("wb::") || std::ranges::none_of(function.code, own);
    });
  const bool none = listing.functions.empty();
  std::vector<std::string> names;
  for (const machine_code::Function& function : listing.functions) {
    const std::string& name = function.name;  // some are a library's templates
    const bool plain =
        name.size() < 40 && !name.starts_with("std::") && !name.starts_with("_GLOBAL");
    if (plain && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  if (!kernel.empty()) {
    std::erase_if(listing.functions, [&](const machine_code::Function& function) {
      return function.name.find(kernel) == std::string::npos;
    });
    if (listing.functions.empty())
      throw Failure(2, none ? variant.file() + " has no function of its own"
                            : fmt::format("{} has no {}; it has {}", variant.file(), kernel,
                                          fmt::join(names, ", ")));
  }
  if (listing.functions.empty()) return shown;
  const machine_code::Hottest found = hottest(listing.form, listing.functions, own);
  shown.function = *found.function;
  shown.loop = found.loop;
  shown.usage = machine_code::read_usage(listing.usage, shown.function.symbol);
  for (const std::string& name : names)
    if (name != shown.function.name) shown.others.push_back(name);
  return shown;
}

}  // namespace

std::vector<std::string> asm_targets(const Catalogue& catalogue, const RunOptions& options,
                                     const AsmOptions& chosen) {
  std::vector<std::string> targets;
  for (const Variant& variant : variants_of(catalogue, options, chosen))
    targets.push_back(variant.target());
  return targets;
}

int run_asm(const Catalogue& catalogue, const RunOptions& options, const AsmOptions& chosen) {
  const std::vector<Variant> variants = variants_of(catalogue, options, chosen);
  check_writable(options.html);
  std::vector<machine_code::Shown> shown;
  std::string title = "Machine code:";
  for (const Variant& variant : variants) {
    shown.push_back(shown_of(variant, listing_of(catalogue, variant), chosen.kernel));
    if (chosen.ptx && !shown.back().function.code.empty())
      for (const machine_code::Function& function : ptx_of(catalogue, variant))
        if (function.name == shown.back().function.name) shown.back().ptx = function;
    title += " " + variant.file();
  }
  std::map<std::string, std::vector<std::string>> files;
  const auto own = [&](const std::string& file) {
    std::string path;
    for (const Variant& variant : variants)
      if (path.empty()) path = own_path(variant.lesson->chapter().string(), file);
    return path;
  };
  machine_code::View view;
  view.line = [&](const machine_code::Instruction& instruction) {
    for (const machine_code::SourceLine& line : instruction.lines)
      if (!own(line.file).empty()) return line;
    return instruction.lines.empty() ? machine_code::SourceLine{} : instruction.lines[0];
  };
  view.text = [&](const machine_code::SourceLine& line) -> std::string {
    const auto [at, is_new] = files.try_emplace(line.file);
    if (is_new) {
      const std::string path = own(line.file);
      std::ifstream file(path.empty() ? line.file : (catalogue.source / path).string());
      for (std::string text; std::getline(file, text);)
        at->second.push_back(clean(text.erase(0, text.find_first_not_of(" \t"))));
    }
    const std::size_t number = line.number - 1;
    return number < at->second.size() ? at->second[number] : "";
  };
  view.whole = (chosen.sass || chosen.ptx) && !chosen.loop;
  view.every = chosen.sass || chosen.ptx || chosen.loop;
  const report::Style style = report::Style::screen(false);
  put(report::as_text(
      machine_code::document(shown, view,
                             style.table == report::Style::kUnlimited ? 100 : style.table),
      style));
  if (!options.html.empty())
    write_atomically(
        options.html,
        report::as_html(machine_code::document(shown, view, report::Style::kUnlimited), title));
  return 0;
}

}  // namespace wb::driver
