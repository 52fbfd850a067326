// The measured peak of this machine, with which times of kernels are compared: multiply-adds of f32, and moving bytes.
#pragma once
#include <cstddef>
#include <vector>

namespace norn::kernels {

struct MachinePeak {
  double flop_per_second = 0;  // of f32; a multiply-add is two
  // Bytes that a copy reads and writes in a second, by the bytes it reads and writes. In ascending order: small ones
  // stay in a cache.
  struct Copying {
    std::size_t bytes;
    double bytes_per_second;
  };
  std::vector<Copying> copying;

  // The time in seconds that a copy of so many bytes takes.
  double copy_seconds(double bytes) const noexcept;
};

// Takes about a third of a second, on as many threads as base::parallel_width() says.
MachinePeak measure_peak();

// Vectors of f32 are multiplied and added `rounds` times in registers; returns the number of operations.
double multiply_and_add(long rounds) noexcept;

}  // namespace norn::kernels
