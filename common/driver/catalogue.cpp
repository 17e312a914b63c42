#include "driver/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/build_info.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/output.h"
#include "base/process.h"

namespace wb::driver {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> parts;
  for (const fs::path& part : fs::path(path).lexically_normal())
    if (!part.empty() && part != "." && part != "/") parts.push_back(part.string());
  return parts;
}

// ch1_x: also ch1 and x; 02_gemm: also 02 and gemm.
std::vector<std::string> aliases(const std::string& folder) {
  const std::size_t bar = folder.find('_');
  if (bar == std::string::npos) return {folder};
  return {folder, folder.substr(bar + 1), folder.substr(0, bar)};
}

// Whether the parts of `name` follow each other somewhere in the lesson's path.
bool matches(const Lesson& lesson, const std::vector<std::string>& name) {
  if (name.empty()) return false;
  if (name.size() == 1 && name[0] == lesson.program) return true;
  const std::vector<std::string> path = split(lesson.path);
  return std::search(path.begin(), path.end(), name.begin(), name.end(),
                     [](auto& folder, auto& part) {
                       const std::vector<std::string> names = aliases(folder);
                       return std::find(names.begin(), names.end(), part) != names.end();
                     }) != path.end();
}

// All that can be meant, but for parts in the middle of a path.
std::vector<std::string> known_names(const Catalogue& catalogue) {
  std::vector<std::string> known;
  for (const Lesson& lesson : catalogue.lessons) {
    known.insert(known.end(), {lesson.path, lesson.program});
    // Whole tails of the path, numbers or not: x/gemm, 02_gemm/optimized.
    std::vector<std::string> tails;
    for (const std::string& folder : split(lesson.path)) {
      const std::vector<std::string> names = aliases(folder), before = std::exchange(tails, names);
      known.insert(known.end(), names.begin(), names.end());
      for (const std::string& tail : before)
        for (const std::string& name : names) tails.push_back(tail + "/" + name);
    }
    for (const std::string& tail : tails) {
      known.push_back(tail);
      for (const auto& [variant, backend] : lesson.variants) known.push_back(tail + "/" + variant);
    }
  }
  return known;
}

// A name as it stands below the top; a path of the file system may lead there.
std::vector<std::string> parts_of(const Catalogue& catalogue, const std::string& name) {
  std::error_code none;
  if (!fs::path(name).is_absolute()) return split(name);
  const fs::path below = fs::weakly_canonical(name, none)
                             .lexically_relative(fs::weakly_canonical(catalogue.source, none));
  return split(below.empty() || *below.begin() == ".." ? name : below.string());
}

// Whether it is a bug hunt's, or a file's in one, of which this build has nothing.
bool is_hunt(const Catalogue& catalogue, const std::string& name) {
  std::vector<std::string> parts = parts_of(catalogue, name);
  if (!parts.empty() && role_of(fs::path(parts.back()).stem().string()) != VariantRole::other)
    parts.pop_back();
  std::error_code none;
  for (const fs::directory_entry& chapter : fs::directory_iterator(catalogue.source, none))
    for (const fs::directory_entry& hunt : fs::directory_iterator(chapter.path() / "hunts", none)) {
      const fs::path path = hunt.path().lexically_relative(catalogue.source);
      if (hunt.is_directory(none) && matches({path.string(), "", {}}, parts)) return true;
    }
  return false;
}

// Which --backend has what this build has nothing of, and why; "" where there is no such file.
std::string elsewhere(const Catalogue& catalogue, const std::string& name) {
  const bool hunt = is_hunt(catalogue, name);
  std::string flags;
  std::vector<std::string> parts = parts_of(catalogue, name);
  const std::string variant = parts.empty() ? "" : fs::path(parts.back()).stem().string();
  if (!parts.empty()) parts.pop_back();
  const auto has_file = [&](const Lesson& lesson, const KnownBackend& b) {
    const fs::path folder = catalogue.source / lesson.path, file = variant + b.extension;
    return matches(lesson, parts) &&
           (fs::exists(folder / file) || fs::exists(folder / variant / file));
  };
  for (const KnownBackend& b : known_backends())
    if (!catalogue.backend(b.name) &&
        (hunt ? b.traits.untimed
              : std::ranges::any_of(catalogue.lessons, [&](auto& l) { return has_file(l, b); })))
      flags += (flags.empty() ? "--backend=" : " or --backend=") + b.name;
    else if (hunt && b.traits.accelerator && !flags.empty())
      flags += " (asm: --backend=" + b.name + ")";  // which comes last
  if (flags.empty()) return "";
  return fmt::format("'{}' is {}: add {}", name,
                     hunt ? "a bug hunt, and an emulated GPU judges it"
                          : "a file that this build does not compile",
                     flags);
}

Catalogue read_catalogue(const fs::path& build, const std::string& file) {
  const nlohmann::json root = parse_json(read_file(file));
  Catalogue catalogue{root.at("source").get<std::string>(), build, build / "bin", {}, {}};
  for (const auto& b : root.at("backends"))
    catalogue.backends.push_back({b.at("name"), b.at("extension"), b.at("device"),
                                  b.at("accelerator"), b.at("sanitizer"), b.value("untimed", false),
                                  b.value("disassembler", "")});
  for (const auto& entry : root.at("lessons")) {
    Lesson lesson{entry.at("lesson"), entry.at("program"), {}};
    for (const auto& v : entry.at("variants"))
      lesson.variants.emplace_back(v.at("variant"), v.at("backend"));
    for (const auto& v : entry.value("left_out", nlohmann::json::array()))
      lesson.left_out.emplace_back(v.at("variant"), v.at("needs"));
    catalogue.lessons.push_back(std::move(lesson));
  }
  return catalogue;
}

}  // namespace

bool Lesson::has(const std::string& variant, const std::string& backend) const {
  return std::any_of(variants.begin(), variants.end(), [&](const auto& v) {
    return (variant.empty() || v.first == variant) && (backend.empty() || v.second == backend);
  });
}

const BuiltBackend* Catalogue::backend(const std::string& name) const {
  const auto found = std::find_if(backends.begin(), backends.end(),
                                  [&](const BuiltBackend& b) { return b.name == name; });
  return found == backends.end() ? nullptr : &*found;
}

void Catalogue::need_backend(const std::string& name, const std::string& command) const {
  if (name != "auto" && !backend(name))
    throw Failure(3, fmt::format("this build has no {0} variants: ./workbook {1} --backend={0} "
                                 "builds them, where their compiler is installed",
                                 name, command));
}

Catalogue load_catalogue() {
  return load_catalogue(fs::read_symlink("/proc/self/exe").parent_path().parent_path());
}

Catalogue load_catalogue(const fs::path& build) {
  Catalogue catalogue;
  read_of_build(build, "lessons.json",
                [&](const std::string& file) { catalogue = read_catalogue(build, file); });
  return catalogue;
}

void read_of_build(const fs::path& build, const std::string& name,
                   const std::function<void(const std::string& file)>& read) {
  const std::string file = (build / name).string();
  try {
    return read(file);
  } catch (const std::exception&) {
    run_process({"cmake", build.string()}, 300);  // writes it anew
  }
  try {
    read(file);
  } catch (const std::exception& e) {
    throw Failure(5, fmt::format("{} is unusable ({}): remove {}, then start ./workbook again",
                                 file, one_line(e), build.string()));
  }
}

std::vector<Selection> select(const Catalogue& catalogue, const std::vector<std::string>& names) {
  std::map<const Lesson*, std::vector<std::string>> chosen;
  if (names.empty())
    for (const Lesson& lesson : catalogue.lessons) chosen[&lesson];
  std::map<const Lesson*, std::set<std::string>> added;  // which a lesson's name does not stand for
  for (const std::string& name : names) {
    bool found = false;
    std::vector<std::string> parts = parts_of(catalogue, name);
    for (const Lesson& lesson : catalogue.lessons)
      if (matches(lesson, parts)) found = true, chosen[&lesson].clear();
    if (found) continue;
    const std::string variant = parts.empty() ? "" : fs::path(parts.back()).stem().string();
    if (!parts.empty()) parts.pop_back();
    for (const Lesson& lesson : catalogue.lessons) {
      if (!matches(lesson, parts) || !lesson.has(variant)) continue;
      found = true;
      if (is_extra(variant)) added[&lesson].insert(variant);
      const auto [at, is_new] = chosen.try_emplace(&lesson);
      if (is_new || !at->second.empty()) at->second.push_back(variant);
    }
    if (found) continue;

    if (const std::string flags = elsewhere(catalogue, name); !flags.empty())
      throw Failure(2, flags);
    const std::string near = nearest(name, known_names(catalogue));
    throw Failure(2, fmt::format("unknown lesson '{}'{}; ./workbook list shows all", name,
                                 near.empty() ? "" : " (did you mean " + near + "?)"));
  }
  for (auto& [lesson, each] : added)  // next to a whole lesson: its variants by name
    if (std::vector<std::string>& variants = chosen[lesson]; variants.empty()) {
      for (const auto& [variant, backend] : lesson->variants)
        if (!is_extra(variant)) each.insert(variant);
      variants.assign(each.begin(), each.end());
    }
  std::vector<Selection> selections;
  for (const Lesson& lesson : catalogue.lessons)
    if (const auto at = chosen.find(&lesson); at != chosen.end())
      selections.push_back({&lesson, at->second});
  return selections;
}

}  // namespace wb::driver
