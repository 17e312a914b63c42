#include "model/ceilings.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "base/files.h"
#include "base/json.h"

namespace wb {

std::string ceilings_path(const DeviceId& device) {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const std::string cache =
      xdg && *xdg ? xdg : std::string(home && *home ? home : "/tmp") + "/.cache";
  std::string key;
  for (const char c : device.id)
    if (std::isalnum(static_cast<unsigned char>(c)))
      key += c;
    else if (!key.empty() && key.back() != '-')
      key += '-';
  return cache + "/gpu-workbook/peaks-" + device.backend + "-" + key + ".json";
}

std::optional<Ceilings> load_ceilings(const DeviceId& device) {
  const std::string path = ceilings_path(device);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  try {
    const auto json = parse_json(read_file(path));
    Ceilings c;
    c.device = device;
    c.date = json.at("date");
    for (const auto& [key, value] : json.at("values").items()) c.values[key] = value;
    if (json.at("id") == device.id && json.at("driver") == device.driver && !c.values.empty())
      return c;
    std::fprintf(stderr, "ceilings in %s are of another device or driver: measuring again\n",
                 path.c_str());
  } catch (const std::exception&) {
    std::fprintf(stderr, "ceilings in %s are unreadable: measuring again\n", path.c_str());
  }
  return std::nullopt;
}

void save_ceilings(const Ceilings& ceilings) {
  const std::string path = ceilings_path(ceilings.device);
  std::error_code ignored;  // the write below says what is wrong with the folder
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  const nlohmann::json json = {{"id", ceilings.device.id},
                               {"name", ceilings.device.name},
                               {"driver", ceilings.device.driver},
                               {"date", ceilings.date},
                               {"values", ceilings.values}};
  write_atomically(path, dump_json(json) + "\n");
}

}  // namespace wb
