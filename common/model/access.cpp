#include "model/access.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "base/json.h"

namespace wb {

using nlohmann::json;

namespace {
constexpr double kSizes[] = {1, 2, 4, 8, 16};  // bytes that a lane can ask for
}

json json_of(const std::vector<Access>& accesses) {
  json all = json::array();
  for (const Access& a : accesses) {
    json& fields =
        all.emplace_back(json{{"verb", kVerbs[a.verb]}, {"shared", a.shared}, {"bytes", a.bytes}});
    for (const long at : a.at) fields["at"].push_back(at == Access::kIdle ? json() : json(at));
  }
  return all;
}

std::vector<Access> accesses_from(const json& accesses) {
  std::vector<Access> all;
  for (const json& fields : accesses) {
    Access& a = all.emplace_back();
    const auto verb = std::ranges::find(kVerbs, text(fields.at("verb"), "verb"));
    const json& at = fields.at("at");
    const double bytes = number(fields.at("bytes"), "bytes");
    const bool has_lane = std::ranges::any_of(at, [](auto& place) { return !place.is_null(); });
    if (verb == std::end(kVerbs) || at.size() != a.at.size() || !has_lane ||
        std::ranges::find(kSizes, bytes) == std::end(kSizes))
      throw std::runtime_error("a request has 32 lanes, and a verb and a size of those that exist");
    a.verb = static_cast<Access::Verb>(verb - kVerbs);
    a.shared = fields.at("shared").get<bool>();
    a.bytes = static_cast<int>(bytes);
    for (std::size_t lane = 0; lane < a.at.size(); ++lane) {
      const double place = at[lane].is_null() ? Access::kIdle : number(at[lane], "at");
      if (place > 1e15) throw std::runtime_error("at is behind every array");
      a.at[lane] = static_cast<long>(place);
    }
  }
  return all;
}

}  // namespace wb
