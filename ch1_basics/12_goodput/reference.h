// The epoch in double precision, in plain loops, on all cores.
#pragma once

#include <stdexcept>
#include <vector>

#include "goodput.h"
#include "shuffle_buffer.h"

namespace reference {

using Matrix = std::vector<double>;  // row-major

// .cu files are compiled without OpenMP, and warn of its pragmas.
#ifdef _OPENMP
#define WB_PARALLEL_IF_LARGE _Pragma("omp parallel for collapse(2) schedule(static) if (large)")
#else
#define WB_PARALLEL_IF_LARGE
#endif

// A block of a product. With sizes that the compiler knows, its sums stay in registers.
template <class Rows, class Columns>
void add_products(Rows rows, Columns columns, wb::i64 depth, const double* a, wb::i64 row_step,
                  wb::i64 depth_step, const double* b, wb::i64 b_step, double* sums) {
  for (wb::i64 l = 0; l < depth; ++l)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        sums[i * 32 + j] += a[i * row_step + l * depth_step] * b[l * b_step + j];
}

// C = keep * C + scale * A * B, of which A may be given transposed.
inline void multiply(wb::i64 rows, wb::i64 columns, wb::i64 depth, double scale, const Matrix& a,
                     bool transposed, const Matrix& b, double keep, Matrix& c) {
  const wb::i64 row_step = transposed ? 1 : depth, depth_step = transposed ? rows : 1;
  [[maybe_unused]] const bool large = rows * columns * depth > 1 << 22;
  WB_PARALLEL_IF_LARGE
  for (wb::i64 i = 0; i < rows; i += 4)
    for (wb::i64 j = 0; j < columns; j += 32) {
      const int high = std::min<wb::i64>(4, rows - i), wide = std::min<wb::i64>(32, columns - j);
      double sums[4 * 32] = {};
      const double *from_a = &a[i * row_step], *from_b = &b[j];
      if (high == 4 && wide == 32)
        add_products(std::integral_constant<int, 4>(), std::integral_constant<int, 32>(), depth,
                     from_a, row_step, depth_step, from_b, columns, sums);
      else
        add_products(high, wide, depth, from_a, row_step, depth_step, from_b, columns, sums);
      for (int r = 0; r < high; ++r)
        for (int q = 0; q < wide; ++q) {
          double& to = c[(i + r) * columns + j + q];
          to = keep * to + scale * sums[r * 32 + q];
        }
    }
}

inline void transpose(const Matrix& from, wb::i64 rows, wb::i64 columns, Matrix& to) {
  [[maybe_unused]] const bool large = rows * columns > 1 << 14;
  WB_PARALLEL_IF_LARGE
  for (wb::i64 j = 0; j < columns; ++j)
    for (wb::i64 i = 0; i < rows; ++i) to[j * rows + i] = from[i * columns + j];
}

// Trains in batches of `batch`. Gives the loss of each visit.
inline std::vector<double> train(const Goodput::Args& p, wb::i64 batch) {
  const wb::i64 h = p.hidden, most = std::min(batch, p.samples) * std::max<wb::i64>(h, kInputs);
  Matrix x(most), hidden1(most), hidden2(most), scores(most), gradient1(most), gradient2(most),
      wide1(most), wide2(most);
  const auto layer = [&](wb::i64 first, wb::i64 outputs, wb::i64 inputs) {  // inputs x outputs
    const Matrix given(p.initial_weights + first, p.initial_weights + first + outputs * inputs);
    Matrix weights(given.size());
    transpose(given, outputs, inputs, weights);
    return weights;
  };
  Matrix weights1 = layer(0, h, kInputs), weights2 = layer(h * kInputs, h, h),
         weights3 = layer(h * (kInputs + h), kClasses, h);
  const auto relu = [](Matrix& values) {
    for (double& v : values) v = std::max(v, 0.0);
  };
  // gradient = (output_gradient * transposed weights), where the activation is not cut off
  const auto back = [&](const Matrix& weights, wb::i64 outputs, const Matrix& output_gradient,
                        wb::i64 size, const Matrix& activations, Matrix& gradient) {
    transpose(output_gradient, size, outputs, wide1);
    multiply(h, size, outputs, 1, weights, false, wide1, 0, wide2);
    transpose(wide2, h, size, gradient);
    for (wb::i64 i = 0; i < size * h; ++i) gradient[i] = activations[i] > 0 ? gradient[i] : 0;
  };

  ShuffleBuffer order(p.samples);
  std::vector<double> losses;
  std::vector<int> labels(batch);
  for (wb::i64 first = 0; first < p.samples; first += batch) {
    const wb::i64 size = std::min(batch, p.samples - first);
    for (wb::i64 r = 0; r < size; ++r) {
      const wb::i64 sample = order.draw();
      std::copy_n(p.features + sample * kInputs, kInputs, &x[r * kInputs]);
      labels[r] = p.labels[sample];
    }
    multiply(size, h, kInputs, 1, x, false, weights1, 0, hidden1);
    relu(hidden1);
    multiply(size, h, h, 1, hidden1, false, weights2, 0, hidden2);
    relu(hidden2);
    multiply(size, kClasses, h, 1, hidden2, false, weights3, 0, scores);
    for (wb::i64 r = 0; r < size; ++r) {  // scores become their gradients
      double* score = &scores[r * kClasses];
      double sum = 0;
      for (int c = 0; c < kClasses; ++c) sum += std::exp(score[c]);
      losses.push_back(std::log(sum) - score[labels[r]]);
      for (int c = 0; c < kClasses; ++c) score[c] = std::exp(score[c]) / sum - (c == labels[r]);
    }
    back(weights3, kClasses, scores, size, hidden2, gradient2);
    back(weights2, h, gradient2, size, hidden1, gradient1);
    multiply(h, kClasses, size, -p.rate(), hidden2, true, scores, 1, weights3);
    multiply(h, h, size, -p.rate(), hidden1, true, gradient2, 1, weights2);
    multiply(kInputs, h, size, -p.rate(), x, true, gradient1, 1, weights1);
  }
  return losses;
}

inline double mean(const std::vector<double>& losses, wb::i64 first, wb::i64 count) {
  double sum = 0;
  for (wb::i64 i = first; i < first + count; ++i) sum += losses[i];
  return count > 0 ? sum / count : 0;
}

// What `p` is to write: the losses of its own batches, and where the usual batch arrives. Gives the
// loss of each visit.
inline std::vector<double> write(const Goodput::Args& p) {
  const std::vector<double> own = train(p, p.batch),
                            usual = p.batch == p.usual_batch ? own : train(p, p.usual_batch);
  for (wb::i64 step = 0; step < p.steps(); ++step)
    p.losses[step] = mean(own, step * p.batch, p.size(step));
  const wb::i64 last = p.last_visits();
  *p.final_loss = mean(usual, p.samples - last, last);
  // No lesson without learning: where there is enough of everything, the loss has to fall clearly.
  if (p.samples >= 4096 && p.hidden >= 32 && p.usual_batch <= 32 &&
      !(*p.final_loss < mean(usual, 0, last) * 0.6))
    throw std::logic_error("the network of the reference does not learn");
  return own;
}

}  // namespace reference

inline void Goodput::reference(const Args& p) { reference::write(p); }
inline void LargerBatch::reference(const Args& p) { reference::write(p); }
inline void Logged::reference(const Args& p) {
  const std::vector<double> losses = reference::write(p);
  std::copy(losses.begin(), losses.end(), p.log);
}
