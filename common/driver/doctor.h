// ./workbook doctor: what was found on this machine, what is missing, and how to mend it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace wb::driver {

struct Catalogue;  // driver/catalogue.h

enum class Health { ok, missing, note };  // note: what is useful, or what moves times

struct Finding {
  Health health;
  std::string subject, found;
  std::string advice;  // what to do; empty when all is well
};

// Where the facts come from; tests put their own files and answers in the place of the machine's.
struct Machine {
  std::filesystem::path root = "/";  // proc/ and sys/ are looked up below it
  // What a command writes to its standard output; "" when it fails.
  std::function<std::string(const std::vector<std::string>& command)> run;
};

std::vector<Finding> examine(const Catalogue& catalogue, const Machine& machine);

// 3 when something is missing without which programs of this build cannot run here; else 0.
int doctor_code(const std::vector<Finding>& findings);

// Prints a line a finding, and below it what to do. Returns doctor_code().
int run_doctor(const Catalogue& catalogue);

}  // namespace wb::driver
