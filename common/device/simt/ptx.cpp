// The instructions of PTX that lessons write by hand, by their text. Sources: PTX ISA, "Matrix
// Fragments for mma.m16n8k16", "ldmatrix".
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>

#include "device/simt/include/cuda_bf16.h"

namespace simt {
namespace {

struct Call {
  std::string_view text;
  const Operand* out;
  const Input* in;
  const void* pc;
  bool is(std::string_view part) const { return text.find(part) != std::string_view::npos; }
  template <class T> void set(int i, T value) const {
    std::memcpy(out[i].data, &value, sizeof value);
  }
  template <class T> T get(int i) const {  // of what is read and written
    T value;
    std::memcpy(&value, out[i].data, sizeof value);
    return value;
  }
};

template <class T> T word_of(const Value& v, int i) {
  T value;
  std::memcpy(&value, v.bytes + i * sizeof(T), sizeof value);
  return value;
}

float number(std::uint16_t bits, bool is_bf16) {
  return is_bf16 ? static_cast<float>(std::bit_cast<__nv_bfloat16>(bits))
                 : static_cast<float>(std::bit_cast<__half>(bits));
}

// cp.async.cg.shared.global [to], [from], bytes, valid;
void copy(const Call& c) {
  const auto* from = c.in[1].as<const char*>();
  const int bytes = c.is("], 16") ? 16 : c.is("], 8") ? 8 : 4;
  const int valid = std::clamp(c.in[2].as<int>(), 0, bytes);
  copy_later(shared_pointer(c.in[0].as<std::uint32_t>()), from, static_cast<std::size_t>(valid),
             static_cast<std::size_t>(bytes - valid), c.pc);
}

// Four pieces of 8 x 8 numbers: lane l names row l % 8 of piece l / 8, and gets word l % 4 of row
// l / 4 of each piece; transposed, the numbers 2 (l % 4) and the next one of column l / 4.
void load_matrices(const Call& c) {
  const std::uint32_t own = c.in[0].as<std::uint32_t>();
  const Value* rows = meet(0xFFFFFFFFu, &own, sizeof own, "ldmatrix", c.pc);
  reads(shared_pointer(own), 16, c.pc);
  const int lane = lane_index();
  for (int piece = 0; piece < 4; ++piece) {
    const auto row = [&](int r) {
      return static_cast<const std::uint16_t*>(
          shared_pointer(word_of<std::uint32_t>(rows[piece * 8 + r], 0)));
    };
    std::uint32_t two = 0;
    for (int i = 0; i < 2; ++i) {
      const std::uint16_t* from =
          c.is(".trans") ? row(2 * (lane % 4) + i) + lane / 4 : row(lane / 4) + 2 * (lane % 4) + i;
      two |= std::uint32_t{*from} << (16 * i);
    }
    c.set(piece, two);
  }
}

// Lane l has, with g = l / 4 and t = l % 4, of A rows g and g + 8 at depths 2 t, 2 t + 1 and these
// + 8, of B column g at the same depths, and of the sum rows g and g + 8 in columns 2 t and 2 t
// + 1.
void multiply(const Call& c) {
  std::uint32_t a[4], b[2];
  for (int i = 0; i < 4; ++i) a[i] = c.in[i].as<std::uint32_t>();
  for (int i = 0; i < 2; ++i) b[i] = c.in[4 + i].as<std::uint32_t>();
  const Value* all_a = meet(0xFFFFFFFFu, a, sizeof a, "mma.sync", c.pc);
  const Value* all_b = meet(0xFFFFFFFFu, b, sizeof b, "mma.sync", c.pc);
  const bool is_bf16 = c.is("bf16");
  const int g = lane_index() / 4, t = lane_index() % 4;
  for (int i = 0; i < 4; ++i) {
    const int row = g + i / 2 * 8, column = 2 * t + i % 2;
    float sum = c.get<float>(i);
    for (int k = 0; k < 16; ++k) {
      const int lane = k % 8 / 2, upper = k / 8;
      const float x = number(
          word_of<std::uint16_t>(all_a[row % 8 * 4 + lane], (row / 8 + 2 * upper) * 2 + k % 2),
          is_bf16);
      const float y =
          number(word_of<std::uint16_t>(all_b[column * 4 + lane], upper * 2 + k % 2), is_bf16);
      sum += x * y;
    }
    c.set(i, sum);
  }
}

template <class T> void pack(const Call& c) {
  const T low(c.in[1].as<float>()), high(c.in[0].as<float>());
  c.set(0, std::uint32_t{high.bits} << 16 | low.bits);
}

template <float (*f)(float)> void of_one(const Call& c) { c.set(0, f(c.in[0].as<float>())); }

// The first whose words are in the text.
using Meaning = void (*)(const Call&);
constexpr struct {
  std::string_view words;
  Meaning run;
} kInstructions[] = {
    {"ld.global.nc.u16",
     [](const Call& c) {
       const auto* from = c.in[0].as<const std::uint16_t*>();
       reads(from, sizeof *from, c.pc);
       const std::uint32_t word = *from;
       std::memcpy(c.out[0].data, &word, c.out[0].bytes);
     }},
    {"ex2.approx", of_one<[](float x) { return std::exp2(x); }>},
    {"lg2.approx", of_one<[](float x) { return std::log2(x); }>},
    {"rcp.approx", of_one<[](float x) { return 1.0f / x; }>},
    {"rsqrt.approx", of_one<[](float x) { return 1.0f / std::sqrt(x); }>},
    {"tanh.approx", of_one<[](float x) { return std::tanh(x); }>},
    {"div.full", [](const Call& c) { c.set(0, c.in[0].as<float>() / c.in[1].as<float>()); }},
    {"div.approx", [](const Call& c) { c.set(0, c.in[0].as<float>() / c.in[1].as<float>()); }},
    {"cp.async.commit_group", [](const Call&) { commit_copies(); }},
    {"cp.async.wait_group", [](const Call& c) { wait_for_copies(c.in[0].as<int>()); }},
    {"cp.async.wait_all", [](const Call&) { commit_copies(), wait_for_copies(0); }},
    {"cp.async.c", copy},  // .ca, .cg
    {"ldmatrix.sync.aligned.m8n8.x4", load_matrices},
    {"mma.sync.aligned.m16n8k16.row.col.f32.", multiply},
    {"cvt.rn.f16x2.f32", pack<__half>},
    {"cvt.rn.bf16x2.f32", pack<__nv_bfloat16>}};

// It is looked up once for each text.
Meaning meaning_of(const char* text) {
  static std::unordered_map<const char*, Meaning> known;
  const auto [found, is_new] = known.try_emplace(text, nullptr);
  if (is_new)
    for (const auto& [words, run] : kInstructions)
      if (!found->second && std::string_view(text).find(words) != std::string_view::npos)
        found->second = run;
  return found->second;
}

}  // namespace

void ptx(const char* text, std::initializer_list<Operand> outputs,
         std::initializer_list<Input> inputs) {
  const Call c{text, outputs.begin(), inputs.begin(), __builtin_return_address(0)};
  if (const Meaning run = meaning_of(text))
    run(c);
  else
    unknown_instruction(text, c.pc);
}

}  // namespace simt
