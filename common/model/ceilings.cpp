#include "model/ceilings.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "base/output.h"
#include "model/results.h"

namespace wb {

std::string words(Math math, bool accelerator) {
  const std::string text = name(math), type = text.substr(0, text.find('_'));
  return accelerator && type != text ? type + " tensor" : type;
}

double Ceilings::peak(Math math, bool burst) const {
  const double sustained = get(name(math)), best = get(std::string(name(math)) + "_burst");
  if (sustained > 0) return burst ? std::max(sustained, best) : sustained;
  if (math == Math::fp16_tensor) return peak(Math::bf16_tensor, burst);
  return get("fp32");
}

double Ceilings::fastest_mix() const {
  double most = 0;
  for (const char* mix : {"read", "copy", "copy_nt", "triad", "triad_nt"})
    if (!device.accelerator) most = std::max(most, get(mix));
  return most;
}

std::vector<std::string> Ceilings::raise(const Ceilings& other) {
  std::vector<std::string> raised;
  for (const auto& [key, value] : other.values) {
    const auto [known, is_new] = values.try_emplace(key, value);
    const bool seconds = key == "launch" || key.ends_with("_floor");
    if (is_new || (seconds ? value >= known->second : value <= known->second)) continue;
    known->second = value;
    raised.push_back(key);
  }
  return raised;
}

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
  const char* why = "unreadable";
  try {
    Ceilings known = load_results(path).ceilings.at(0);
    const bool same = known.device.name == device.name && known.device.driver == device.driver;
    known.device = device;
    const bool zero = std::ranges::any_of(known.values, [](auto& v) { return v.second == 0; });
    if (same && !zero && !known.values.empty()) return known;
    why = same ? "no figures" : "of another device or driver";
  } catch (const std::exception&) {
  }
  tell("ceilings in {} are {}: measuring again", path, why);
  return std::nullopt;
}

void save_ceilings(const Ceilings& ceilings) {
  const std::string path = ceilings_path(ceilings.device);
  std::error_code ignored;  // the write below says what is wrong with the folder
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  Results alone;
  alone.ceilings = {ceilings};
  write_atomically(path, to_json(alone));
}

}  // namespace wb
