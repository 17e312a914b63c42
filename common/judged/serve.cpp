#include "judged/serve.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <new>
#include <stdexcept>

#include "base/clock.h"
#include "base/failure.h"
#include "base/json.h"
#include "device/backends.h"
#include "device/cpu/memory.h"
#include "measure/answers.h"
#include "measure/group.h"
#include "measure/runner.h"
#include "model/case_text.h"
#include "model/counts_json.h"
#include "model/trace_file.h"

namespace wb::judged {
namespace {

using nlohmann::json;

// What no honest mistake makes of an exercise.
struct Cheats : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A problem bound to arrays of the process that asks, and perhaps a variant of it.
struct Bound {
  std::vector<std::shared_ptr<void>> attached{};
  std::vector<Region> warm{}, outputs{};  // the begin of each array; those that it writes to
  std::shared_ptr<void> args{};
  Case axes{};
  std::string problem{};  // its type
  Clock clock = Clock::device;
  Launch launch{};  // it may know of the arrays, so it goes first
};

class Server {
 public:
  Server(const Registry& registry, Backend& backend, double hold)
      : registry_(registry), backend_(backend), hold_(hold) {}

  json hello() const {
    json variants = json::array();
    for (const Variant& v : registry_)
      variants.push_back({v.name, v.backend, v.problem->type, v.note});
    return {{"variants", variants}};
  }

  // `lines`: what follows the answer.
  json answer(const json& request, std::string& lines) {
    const std::string what = request.at("do");
    const int id = request.at("id");
    if (what == "bind") return bind(request, id);
    if (what == "drop") return json{{"dropped", bound_.erase(id)}};
    Bound& bound = bound_.at(id);
    if (what == "make") {
      backend_.offer_threads(request.at("threads").get<int>());
      backend_.limit_steps(request.at("steps").get<double>());
      bound.launch = set_up(find(bound.problem, request.at("variant").get<std::string>()),
                            bound.axes, bound.args.get(), backend_);
      backend_.synchronize();
      return json::object();
    }
    if (what == "launch") {
      launch_behind_a_wait(bound);
      return {{"left", backend_.left_running()}};
    }
    if (what == "disturb") {
      backend_.disturb(request.at("on").get<bool>());
      return json::object();
    }
    if (what == "trace") {
      const Trace trace = backend_.trace(bound.launch, {}, bound.clock, Cache::hot,
                                         request.at("iterations").get<int>());
      lines = chrome_trace({{"", trace}});
      return {{"lines", std::count(lines.begin(), lines.end(), '\n')}};
    }
    const Cache cache = request.at("cold") ? Cache::cold : Cache::hot;
    if (what == "time") {
      const bool gpu = traits_of(backend_).accelerator;
      if (!gpu && cache == Cache::cold) backend_.evict(bound.warm);  // no part of the launch
      const double before = worked_seconds(CLOCK_THREAD_CPUTIME_ID);
      if (gpu)
        backend_.time(bound.launch, bound.clock, cache, bound.warm);
      else
        backend_.time(bound.launch, bound.clock, Cache::hot, {});
      const double worked = worked_seconds(CLOCK_THREAD_CPUTIME_ID) - before;
      Times times;
      backend_.taken(times);
      json counters = json::array();
      for (const std::vector<double>& c : times.counters) counters.push_back(c.empty() ? -1 : c[0]);
      return {{"seconds", times.seconds.back()},
              {"worked", worked},
              {"counters", counters},
              {"lines", json_of(times.lines)}};
    }
    if (what == "hardware")
      return json_of(count(
          backend_, bound.launch, [] {}, cache, bound.warm));
    const Trace trace = backend_.trace(bound.launch, {}, bound.clock, cache, 1);
    if (trace.device_seconds.empty())
      throw Unsupported(trace.missing.empty() ? "no activity records" : trace.missing);
    return {{"seconds", trace.device_seconds[0]}};
  }

 private:
  const Variant& find(const std::string& problem, const std::string& name = "") const {
    for (const Variant& v : registry_)
      if (v.backend == backend_.name() && v.problem->type == problem &&
          (name.empty() || v.name == name))
        return v;
    if (registry_.empty())
      throw std::runtime_error("it registers no variant: the last line as shipped is missing");
    throw Cheats("it registers another problem than the exercise's");
  }

  // What it puts elsewhere is done before the outputs get back what they held, and so is missing.
  void launch_behind_a_wait(Bound& bound) {
    std::vector<std::shared_ptr<void>> held;
    for (const Region& r : bound.outputs) {
      held.push_back(owned(backend_, backend_.allocate(r.bytes + 1, r.space), r.space));
      backend_.copy(held.back().get(), r.data, r.bytes, r.space);
    }
    backend_.synchronize_stream();
    if (hold_ > 0) backend_.hold(hold_);
    for (std::size_t i = 0; i < held.size(); ++i)
      backend_.copy(bound.outputs[i].data, held[i].get(), bound.outputs[i].bytes,
                    bound.outputs[i].space);
    bound.launch(backend_.stream());
    backend_.synchronize_stream();
  }

  json bind(const json& request, int id) {
    const Problem& problem = *find(request.at("problem")).problem;
    const Case c = case_from(request.at("case"));
    Bound bound{.axes = c,
                .problem = problem.type,
                .clock = request.at("wall") ? Clock::wall : Clock::device};
    const json& places = request.at("arrays");
    json specs = json::array();
    bound.args = wb::bind(problem, c, [&](const ArraySpec& spec) -> std::byte* {
      const std::size_t i = specs.size();
      specs.push_back(describe(spec));
      if (i >= places.size() || places[i].at("is") != specs.back()) return nullptr;  // refused
      void* data = backend_.attach(places[i].at("place"), places[i].at("bytes"), spec.space);
      bound.attached.push_back(owned(backend_, data, spec.space));
      name_memory(data, spec.name);
      std::byte* const begin = static_cast<std::byte*>(data) + places[i].at("offset").get<i64>();
      const std::size_t size = spec.count * spec.element_size;
      backend_.outline(begin, size, spec.name);
      // Caches are evicted by who asks, and cold already. What evicts them again, here, has this
      // process as awake as one that had done all of it: its threads, and its view of the arrays.
      constexpr std::size_t kWarm = 512 << 10;
      bound.warm.push_back({begin, std::min(kWarm, size), spec.space});
      if (spec.role != Role::in) bound.outputs.push_back({begin, size, spec.space});
      return begin;
    });
    bound_.insert_or_assign(id, std::move(bound));
    return {{"arrays", specs}};
  }

  const Registry& registry_;
  Backend& backend_;
  const double hold_;
  std::map<int, Bound> bound_;
};

// Lines in both directions. The file that a variant finds as standard input is empty.
class Wire {
 public:
  Wire() {
    const int socket = ::fcntl(0, F_DUPFD_CLOEXEC, 4), nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, 0);
    ::close(nothing);
    in_ = ::fdopen(socket, "r"), out_ = ::fdopen(::fcntl(socket, F_DUPFD_CLOEXEC, 4), "w");
  }
  bool read(std::string& line) {
    char* text = nullptr;
    std::size_t room = 0;
    const ssize_t n = ::getline(&text, &room, in_);
    if (n > 0) line.assign(text, n - 1);
    std::free(text);
    return n > 0;
  }
  void write(const std::string& text) {  // where nobody listens, the next read() says so
    std::fwrite(text.data(), 1, text.size(), out_);
    std::fflush(out_);
  }

 private:
  std::FILE *in_, *out_;
};

}  // namespace

std::string describe(const ArraySpec& spec) {
  return fmt::format("{} {} {} {} {} {}", spec.name, static_cast<int>(spec.role),
                     static_cast<int>(spec.space), static_cast<int>(spec.type), spec.count,
                     spec.element_size);
}

int serve(const Registry& registry, const std::string& backend_name, double hold) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what it prints before it crashes is not lost
  Wire wire;
  std::unique_ptr<Backend> backend;
  std::string lines;
  const auto guarded = [&](auto give) {
    json answer;
    lines.clear();
    try {
      answer = give();
    } catch (const TooLong& e) {
      answer = {{"too long", e.done}};
    } catch (const Unsupported& e) {
      answer = {{"unsupported", e.what()}};
    } catch (const std::bad_alloc&) {
      answer = {{"unsupported", "it ran out of memory: it allocates more than is free"}};
    } catch (const Cheats& e) {
      answer = {{"failed", e.what()}, {"cheats", true}, {"lost", !backend}};
    } catch (const std::exception& e) {
      answer = {{"failed", e.what()}, {"cheats", false}, {"lost", !backend || backend->lost()}};
    }
    wire.write(dump_json(answer) + "\n" + lines);
  };
  std::optional<Server> server;
  guarded([&] {
    try {
      check_names(registry);
    } catch (const Failure& twice) {
      throw Cheats(twice.what());
    }
    backend = open_backend(backend_name);
    return server.emplace(registry, *backend, hold).hello();
  });
  for (std::string request; server && wire.read(request);)
    guarded([&] { return server->answer(parse_json(request), lines); });
  return 0;
}

}  // namespace wb::judged
