// Kinetic energy of n particles: energy[i] = mass / 2 * (vx^2 + vy^2 + vz^2).
// A particle has 16 floats, of which this needs 4. The same values are there twice: as an array of
// structs, and as a struct of arrays (of which only the four that are read get bound). Which one a
// variant reads is its choice; the least work is 4 floats read and 1 written for each particle.
#pragma once

#include <cmath>

#include "wb/problem.h"

struct Particle {  // 64 bytes: two sectors of a GPU, one cache line of a CPU
  float x, y, z;
  float vx, vy, vz;
  float ax, ay, az;
  float temperature, pressure, density;
  float mass, charge, radius, age;
};
static_assert(sizeof(Particle) == 64);

struct DataLayout {
  static constexpr wb::Case bench[] = {{{"particles", 1 << 24}}};
  static constexpr wb::Case bench_cpu[] = {{{"particles", 1 << 21}}};
  static constexpr wb::Case test[] = {
      {{"particles", 0}},   {{"particles", 1}},   {{"particles", 31}},   {{"particles", 33}},
      {{"particles", 127}}, {{"particles", 129}}, {{"particles", 4099}}, {{"particles", 500'003}}};

  struct Args {
    wb::i64 n;
    const Particle* particles;         // n
    const float *vx, *vy, *vz, *mass;  // n each
    float* energy;                     // n
  };

  // Value of one field of one particle, wherever it is stored.
  static double value(std::uint64_t seed, wb::i64 particle, int field) {
    return wb::uniform(seed, 16 * particle + field);
  }

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const auto structs = [](wb::i64 i, std::uint64_t seed) { return value(seed, i / 16, i % 16); };
    const auto array = [](int field) {
      return [field](wb::i64 i, std::uint64_t seed) { return value(seed, i, field); };
    };
    const wb::i64 n = c["particles"];
    return {n,
            reinterpret_cast<const Particle*>(io.in<float>("particles", 16 * n, structs)),
            io.in<float>("vx", n, array(offsetof(Particle, vx) / sizeof(float))),
            io.in<float>("vy", n, array(offsetof(Particle, vy) / sizeof(float))),
            io.in<float>("vz", n, array(offsetof(Particle, vz) / sizeof(float))),
            io.in<float>("mass", n, array(offsetof(Particle, mass) / sizeof(float))),
            io.out<float>("energy", n)};
  }
  static wb::Cost cost(const Args& p) {
    return {.flops = 7.0 * p.n, .read = 16.0 * p.n, .write = 4.0 * p.n};
  }
  // Seven roundings at most, none of them of a sum with unlike signs.
  static wb::Tolerance tolerance(const Args&) { return {.rel = 8 * 0x1p-24}; }

  static void reference(const Args& p) {
    for (wb::i64 i = 0; i < p.n; ++i) {
      const double vx = p.vx[i], vy = p.vy[i], vz = p.vz[i], mass = p.mass[i];
      p.energy[i] = static_cast<float>(0.5 * mass * (vx * vx + vy * vy + vz * vz));
    }
  }
};

// Both backends and every variant compute with this.
#ifdef __CUDACC__
__host__ __device__
#endif
    inline float
    kinetic_energy(float vx, float vy, float vz, float mass) {
  return 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}
