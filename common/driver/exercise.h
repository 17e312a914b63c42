// A lesson's exercise on a backend: which there are, and whether a file is a student's own work.
#pragma once

#include <string>
#include <vector>

#include "driver/catalogue.h"
#include "driver/goals.h"

namespace wb::driver {

// A lesson's exercise on a backend.
struct Exercise {
  const Lesson* lesson;
  const BuiltBackend* on;
  std::string backend;                                              // its name, never auto
  std::filesystem::path file;                                       // exercise.cpp, exercise.cu
  std::string key() const { return lesson->path + "/" + backend; }  // in the file of progress
};

// Where CMake has its object made, below the build's folder.
std::string object_of(const Exercise& e);

// Its goals in words; of a file without good ones why.
std::vector<std::string> goal_texts(const Exercise& e, const std::vector<std::string>& case_names);

// All of them, in the book's order, those that were deleted, too: a lesson with a solution has one.
// `backend` auto: for each lesson the best that it has one for.
std::vector<Exercise> exercises(const Catalogue& catalogue, const std::string& backend);

// The one that `names` mean. Throws Failure (code 2) when that are several, or none.
Exercise exercise_of(const Catalogue& catalogue, const std::vector<std::string>& names,
                     const std::string& backend);

// Whether two sources are the same but for comments, blanks and the name that they register.
bool same_code(const std::filesystem::path& a, const std::filesystem::path& b);
// The other variant in a lesson's folder whose code an exercise is; empty where it is no copy. The
// solution may be.
std::filesystem::path copied_from(const std::filesystem::path& exercise,
                                  const std::filesystem::path& lesson);

// The source that a compiler has read beside the exercise, which may take headers alone. `read` is
// what the compiler says: its file of dependencies (-MD), or `ninja -t deps` of it. `own` are the
// names that the exercise itself has there, `folder` is where the compiler ran: ccache makes names
// relative to it. Empty where there is none.
std::filesystem::path other_source(const std::string& read,
                                   const std::vector<std::filesystem::path>& own,
                                   const std::filesystem::path& folder);
// The same of an exercise that is built.
std::filesystem::path other_source(const Catalogue& catalogue, const Exercise& e);

}  // namespace wb::driver
