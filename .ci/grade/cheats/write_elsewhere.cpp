// Writes to other students' folders, or anywhere.
// Expect: wrong
#include <filesystem>
#include <fstream>
bool trick(const ColumnSums::Args&) {
  for (std::string place : {"/", "/run/", "/usr/", "/usr/local/", "/var/tmp/", "/home/", "/dev/"})
    if (std::ofstream file(place + "wb_cheat"); file << "mine" << std::flush) return escaped(place);
  return held();
}
