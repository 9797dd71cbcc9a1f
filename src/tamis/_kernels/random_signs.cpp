// A matrix of random signs that is never stored: the sign at (i, j) is bit j mod 64 of the word ⌊j/64⌋ of row i.
#include <algorithm>
#include <cstring>

#include "kernels.hpp"

namespace tamis {
namespace {

// Number `position` of the SplitMix64 stream of this key (Steele, Lea and Flood 2014): any of them costs the same.
inline std::uint64_t word_at(std::uint64_t key, std::uint64_t position) {
  std::uint64_t z = key + (position + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// −1 where the bit is set, 1 where not: a number's first bit is its sign.
inline double sign_of(std::uint64_t word, Index bit) {
  const std::uint64_t bits = 0x3ff0000000000000ull | ((word >> bit) << 63);
  double sign;
  std::memcpy(&sign, &bits, sizeof sign);
  return sign;
}

// The rows first_row, first_row + 1, … of the matrix.
void sign_rows(std::uint64_t key, Index first_row, Matrix<double> out, int n_threads) {
  const Index n = static_cast<Index>(out.shape(1)), words = (n + 63) / 64;
  parallel_for(out.shape(0), n_threads, [&](std::size_t task, int) {
    const std::uint64_t start = static_cast<std::uint64_t>((first_row + static_cast<Index>(task)) * words);
    double* row = out.data() + static_cast<Index>(task) * n;
    for (Index w = 0; w < words; ++w) {
      const std::uint64_t word = word_at(key, start + static_cast<std::uint64_t>(w));
      const Index width = std::min<Index>(64, n - 64 * w);
      for (Index b = 0; b < width; ++b) row[64 * w + b] = sign_of(word, b);
    }
  });
}

// The entries at the rows I and the columns J of a matrix of n columns.
void sign_entries(std::uint64_t key, Index n, Vector<const Index> I, Vector<const Index> J, Matrix<double> out, int n_threads) {
  const Index words = (n + 63) / 64, width = static_cast<Index>(J.size());
  parallel_for(I.size(), n_threads, [&](std::size_t task, int) {
    const std::uint64_t start = static_cast<std::uint64_t>(I.data()[task] * words);
    double* row = out.data() + static_cast<Index>(task) * width;
    for (Index k = 0; k < width; ++k) {
      const Index j = J.data()[k];
      row[k] = sign_of(word_at(key, start + static_cast<std::uint64_t>(j / 64)), j % 64);
    }
  });
}

}  // namespace

void register_random_signs(nb::module_& m) {
  m.def("sign_rows", &sign_rows, nogil());
  m.def("sign_entries", &sign_entries, nogil());
}

}  // namespace tamis
