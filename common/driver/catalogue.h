// What this build holds: the lessons, their programs and variants, as CMake wrote them down.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/row.h"

namespace wb::driver {

struct Lesson {
  std::string path;     // folder below the top, e.g. ch1_x/02_gemm
  std::string program;  // in Catalogue::bin
  std::vector<std::pair<std::string, std::string>> variants;  // variant, backend
  // Variants that a backend of this build cannot have, and what they need.
  std::vector<std::pair<std::string, std::string>> left_out = {};
  bool has(const std::string& variant, const std::string& backend = "") const;
  std::filesystem::path chapter() const { return *std::filesystem::path(path).begin(); }
  // chapter/hunts/NAME: a kernel whose fault a device hides. Nothing of it is measured.
  bool hunt() const { return path.find("/hunts/") != std::string::npos; }
};

struct BuiltBackend {
  std::string name, extension;  // cuda, .cu: of the files it is compiled from
  std::string device;           // as pages call it: GPU
  bool accelerator = false;     // see base/build_info.h
  bool sanitizer = false;       // compute-sanitizer looks into it
  bool untimed = false;         // its answers count and its times do not
  std::string disassembler{};   // lists its machine code; empty where nothing does
};

struct Catalogue {
  std::filesystem::path source, build, bin;
  std::vector<BuiltBackend> backends;  // the one that `auto` likes best comes last
  std::vector<Lesson> lessons;
  const BuiltBackend* backend(const std::string& name) const;  // null without it
  // Throws Failure (3), naming what builds it, unless this build has it; "auto" it always has.
  void need_backend(const std::string& name, const std::string& command) const;
};

// Reads lessons.json of the build tree whose bin/ holds the running driver; has CMake write it anew
// when it is missing or corrupt. Throws Failure (base/failure.h) when that does not help.
Catalogue load_catalogue();
Catalogue load_catalogue(const std::filesystem::path& build);  // of another build tree

// Has `read` read a file that CMake wrote into a build tree, which it writes anew where that
// throws. Throws Failure (5) when that does not help.
void read_of_build(const std::filesystem::path& build, const std::string& name,
                   const std::function<void(const std::string& file)>& read);

struct Selection {
  const Lesson* lesson;
  std::vector<std::string> variants;  // empty: all but exercise and solution
  bool has(VariantRole role) const {
    return std::find(variants.begin(), variants.end(), name(role)) != variants.end();
  }
  bool exercise() const { return has(VariantRole::exercise); }  // runs beside the lesson's program
  // The lesson's program, or the one that has the solution, too.
  std::string program() const {
    return (has(VariantRole::solution) ? "solution_" : "") + lesson->program;
  }
};

// The lessons that `names` mean, in the catalogue's order and each once. A name is a path (also
// from the root of the file system) or a part of one, with or without numbers (ch1, 02_gemm,
// x/gemm, gemm), a program's name, or one of these followed by a variant
// (gemm/optimized, gemm/optimized.cu). A lesson stands for all its variants but exercise and
// solution: "gemm gemm/solution" adds one of these. No names: all lessons. Throws Failure with code
// 2 for a name that means nothing, with "did you mean".
std::vector<Selection> select(const Catalogue& catalogue, const std::vector<std::string>& names);

}  // namespace wb::driver
