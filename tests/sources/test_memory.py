"""Files are never loaded whole: memory does not grow with the row groups."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

READ = """
import re, sys
import pyarrow.parquet
from tamis.sources import as_source
def peak(): return 1024 * int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
source = as_source(sys.argv[1])
before, rows = peak(), 0
for block in source.blocks():
    rows += len(block)
print(rows, peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_one_giant_row_group_is_read_in_bounded_memory(tmp_path):
    n, p = 150_000, 128
    X = np.random.default_rng(0).normal(size=(p, n))  # 154 MB, which do not compress
    path = tmp_path / "giant.parquet"
    table = pa.table({f"x{j}": X[j] for j in range(p)})
    pq.write_table(table, path, row_group_size=n, use_dictionary=False, compression="none", data_page_size=1 << 16)
    assert pq.ParquetFile(path).num_row_groups == 1
    done = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True)
    rows, grown = map(int, done.stdout.split())
    assert rows == n
    # Two blocks of 8 MB, the batch under each, 16 MB of stream buffers, a page per column: about 60 MB, far from 154.
    assert 0 < grown < 100e6
