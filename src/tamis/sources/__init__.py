"""Where rows come from: arrays, sparse matrices, data frames, CSV and Parquet files."""
