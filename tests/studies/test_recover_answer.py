"""`tamis recover`: what it says, and that it ends in time whenever the time is over."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tamis import InputError
from tamis.report.recover_summary import _sentences
from tamis.solvers import Status
from tamis.studies.recover import RecoverQuestion, recover


def answered(decibels, direct, status=Status.CONVERGED):
    return SimpleNamespace(
        y=np.zeros((4, 3)),
        signal=SimpleNamespace(values=np.zeros((4, 4, 3)), kind="image"),
        decibels=decibels,
        direct_decibels=direct,
        recovery=SimpleNamespace(status=status),
        question=SimpleNamespace(time_limit=2.5),
    )


def test_sentences_hold():
    assert "12 measurements of 48 numbers (25 %)" in _sentences(answered(30.0, 20.0), "PSNR")[0]
    assert "not sparse enough" in _sentences(answered(20.0, 30.0), "PSNR")[1]
    failed = _sentences(answered(20.0, 30.0, Status.STALLED), "PSNR")
    assert "not sparse enough" not in failed[1]
    assert "stalled" in failed[2]
    late = _sentences(answered(30.0, 20.0, Status.TIME_LIMIT), "PSNR")
    assert late[2] == "The recovery was ended after 2.5 s, before it converged: --time-limit gives it more."
    for perfect in (317.0, np.inf):
        first, second = _sentences(answered(perfect, perfect), "PSNR")
        assert "comes back without any error" in first
        assert second == "The measurements determine it without sparsity."


@pytest.mark.parametrize("seconds", [1e-6, 1e-3, 5e-3])
def test_it_ends_whenever_the_time_is_over(tmp_path: Path, seconds):
    table = tmp_path / "table.csv"
    table.write_text("x\n" + "\n".join(map(str, np.sin(np.arange(200) / 7).tolist())))
    answer = recover(RecoverQuestion(file=table, time_limit=seconds))
    assert answer.recovery.status in (Status.TIME_LIMIT, Status.CONVERGED)


def test_missing_values_are_counted(tmp_path: Path):
    table = tmp_path / "table.csv"
    table.write_text("x,y\n1,2\n3,\n5,6\n7,\n")
    with pytest.raises(InputError, match=r"column 'y' has 2 missing or infinite values, the first in row 2"):
        recover(RecoverQuestion(file=table, column="y"))
