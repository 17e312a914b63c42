// Frames of an infrared camera become images, in three stages. The first undoes the sensor's curve
// and the gain of each column. The second measures the level of each row, its mean. The third takes
// this level off the row, which removes the stripes that such sensors show. The levels are kept in
// a log on the host.
#pragma once

#include "wb/problem.h"

// The light that gives such a voltage, of degree 15, from the highest power to the constant.
template <class T> constexpr T light(T volts) {
  constexpr float fit[] = {0.0021f, -0.0034f, 0.0047f, -0.0059f, 0.0073f, -0.0088f,
                           0.0102f, -0.0117f, 0.0131f, -0.0154f, 0.0189f, -0.0243f,
                           0.0331f, -0.0512f, 0.2104f, 0.0625f};
  T value = 0;
  for (float c : fit) value = value * volts + T(c);
  return value;  // in (-0.5, 0.5) for volts in (-1, 1)
}

struct Profiling {
  static constexpr wb::Clock clock = wb::Clock::wall;
  static constexpr const char* case_names[] = {"{frames} frames of {rows} x {columns}"};
  static constexpr wb::Case bench[] = {{{"frames", 8}, {"rows", 2048}, {"columns", 2048}}};
  static constexpr wb::Case bench_cpu[] = {{{"frames", 4}, {"rows", 1024}, {"columns", 1280}}};
  static constexpr wb::Case test[] = {{{"frames", 0}, {"rows", 5}, {"columns", 7}},
                                      {{"frames", 3}, {"rows", 0}, {"columns", 7}},
                                      {{"frames", 1}, {"rows", 1}, {"columns", 1}},
                                      {{"frames", 2}, {"rows", 31}, {"columns", 33}},
                                      {{"frames", 3}, {"rows", 127}, {"columns", 129}},
                                      {{"frames", 2}, {"rows", 257}, {"columns", 31}},
                                      {{"frames", 1}, {"rows", 3}, {"columns", 4099}},
                                      {{"frames", 5}, {"rows", 64}, {"columns", 256}}};

  struct Args {
    wb::i64 frames, rows, columns;
    const float* raw;   // frames x rows x columns, on the device
    const float* gain;  // columns, in ordinary (pageable) host memory
    float* image;       // frames x rows x columns, on the device
    float* levels;      // frames x rows, the log, in ordinary host memory

    constexpr wb::i64 pixels() const { return rows * columns; }  // of a frame
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 frames = c["frames"], rows = c["rows"], columns = c["columns"];
    if (columns < 1) throw wb::Unsupported("a row has a pixel at least: it has a mean");
    const wb::i64 all = frames * rows;
    return {frames,
            rows,
            columns,
            io.in<float>("raw", all * columns),
            io.in<float>("gain", columns, {}, wb::Space::pageable),
            io.out<float>("image", {{"frame", frames}, {"row", rows}, {"column", columns}}),
            io.out<float>("levels", all, wb::Space::pageable)};
  }

  // A multiply-add for each power, gain, sum and difference for each pixel.
  static wb::Cost cost(const Args& p) {
    const double pixels = static_cast<double>(p.frames) * p.pixels();
    return {.flops = 35 * pixels,
            .read = 4 * pixels,
            .write = 4 * pixels,
            .to_device = 4.0 * p.columns,
            .to_host = 4.0 * p.frames * p.rows};
  }

  // |light| is below 1/2. Its 16 steps and the gain round by less than 2^-20 in all, and each
  // addition to a row's sum by 2^-24 of the sum so far.
  static wb::Tolerance tolerance(const Args& p) { return {.abs = 0x1p-20 + 0x1p-25 * p.columns}; }

  static void reference(const Args& p) {
    reference(p, [](double v) { return v; });
  }

 protected:
  // finish: what is done to a pixel last.
  template <class F> static void reference(const Args& p, F finish) {
    std::vector<double> row(p.columns);
    for (wb::i64 r = 0; r < p.frames * p.rows; ++r) {
      double sum = 0;
      for (wb::i64 c = 0; c < p.columns; ++c)
        sum += row[c] = p.gain[c] * light<double>(p.raw[r * p.columns + c]);
      const double level = sum / static_cast<double>(p.columns);
      p.levels[r] = static_cast<float>(level);
      for (wb::i64 c = 0; c < p.columns; ++c)
        p.image[r * p.columns + c] = static_cast<float>(finish(row[c] - level));
    }
  }
};
