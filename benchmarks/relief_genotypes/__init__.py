"""ReliefF on genotypes: few rows, hundreds of thousands of columns of a byte each."""
