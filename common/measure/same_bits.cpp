#include "measure/same_bits.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

namespace wb {

std::string other_bits(const Variant& variant, const Case& c, std::uint64_t seed, Backend& backend,
                       Runners& where) {
  Data data(*variant.problem, c, backend, seed,
            {.reference = false, .new_inputs = where.new_inputs()});
  std::map<std::string, std::string> threads;  // that give these bits
  const int before = where.threads;
  for (const int n : {1, 3, 7}) {
    where.threads = n;
    const std::vector<std::byte> bits = Trial(variant, data, backend, where).outputs();
    threads[{reinterpret_cast<const char*>(bits.data()), bits.size()}] += fmt::format(" {}", n);
  }
  where.threads = before;
  if (threads.size() == 1) return "";
  std::string groups;
  for (const auto& [bits, numbers] : threads) groups += (groups.empty() ? "" : ",") + numbers;
  return "it gives other bits with other numbers of threads:" + groups;
}

}  // namespace wb
