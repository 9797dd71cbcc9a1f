"""The judges of Relief: a slow Relief by hand is accepted, what is nearly right is refused."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import questions
from benchmarks.competitor import OURS, RIVAL
from benchmarks.judging.relief import Sample, others_first, planted, scaled
from benchmarks.objective import Row, Table
from benchmarks.questions import relief_growth, relief_tall
from benchmarks.questions.relief import FAST_SELECT, REBATE
from benchmarks.questions.relief_genotypes import mismatches
from benchmarks.questions.relief_growth import PARTS, Part, exponent


def load_question(name, which=0):
    """A question's judge, its tiny data and the reference."""
    judge, data = questions.objective(name), questions.datasets(name, quick=True)[which].make()
    return judge, data, judge.reference(data)


def accepted(judge, data, reference, result):
    return judge.accepts(judge.judge(data, reference, result))


def relieff(differ, y, k):
    """(n, p) what each row says; ``differ`` (n, n, p)."""
    sums = np.zeros(differ.shape[1:])
    for i, apart in enumerate(differ):
        near = sorted((apart[j].sum(), j) for j in range(len(y)) if j != i)
        for own, sign in ((True, -1), (False, 1)):
            rows = [j for _, j in near if (y[j] == y[i]) == own][:k]
            sums[i] += sign * np.mean([apart[j] for j in rows], axis=0)
    return sums


def multisurf(differ, y):
    sums = np.zeros(differ.shape[1:])
    for i, apart in enumerate(differ):
        d = np.delete(apart.sum(axis=1), i)
        near = [j for j in range(len(y)) if j != i and apart[j].sum() < d.mean() - d.std() / 2]
        for own, sign in ((True, -1), (False, 1)):
            rows = [j for j in near if (y[j] == y[i]) == own]
            if rows:
                sums[i] += sign * np.mean([apart[j] for j in rows], axis=0)
    return sums


def differences(X):
    return np.abs(X[:, None] - X)


WEIGHED_BY_HAND = [lambda differ, data: relieff(differ, data.y, data.k), lambda differ, data: multisurf(differ, data.y)]


@pytest.mark.parametrize("which, weigh", list(enumerate(WEIGHED_BY_HAND)), ids=["ReliefF", "MultiSURF"])
def test_continuous_weights_are_judged_by_every_column(which, weigh):
    judge, data, reference = load_question("relief", which)
    right = weigh(differences(scaled(data.X)), data).mean(axis=0)
    assert np.allclose(reference, right, rtol=0, atol=1e-14)
    tenth, eleventh = np.argsort(-right)[9:11]
    swapped = right.copy()
    swapped[[tenth, eleventh]] = right[[eleventh, tenth]]
    assert accepted(judge, data, reference, right.astype(np.float32))
    for wrong in (swapped, right * 1.01, right[:-1], np.full_like(right, np.nan)):
        assert not accepted(judge, data, reference, wrong)


def test_genotypes_are_apart_or_not():
    judge, data, reference = load_question("relief_genotypes")
    differ = (data.X[:, None] != data.X).astype(float)
    assert np.array_equal(mismatches(data.X), differ.sum(axis=2))
    right = relieff(differ, data.y, data.k).mean(axis=0)
    assert accepted(judge, data, reference, right)
    assert set(np.argsort(-right)[:2]) == set(data.pair)
    one_row_off = right.copy()
    one_row_off[0] += 1 / (len(data.y) * data.k)
    by_copies = relieff(np.abs(data.X[:, None].astype(float) - data.X) / 2, data.y, data.k).mean(axis=0)
    for wrong in (one_row_off, by_copies, right[::-1]):
        assert not accepted(judge, data, reference, wrong)


def test_a_sample_of_rows_tells_weights_from_nearly_right_ones():
    X, y = planted(400, 12, np.array([1.0, 2.0]))
    contributions = relieff(differences(scaled(X)), y, 10)
    right, sample = contributions.mean(axis=0), Sample.of(X, y, 10, 200)
    rows = np.random.default_rng(7).choice(400, 100, replace=False)
    assert sample.deviation(right) < 4
    assert sample.deviation(contributions[rows].mean(axis=0), 100) < 5
    assert sample.deviation(right + 7 * contributions.std(axis=0) / np.sqrt(400)) > 6
    assert sample.deviation(right[:-1]) == np.inf
    every = Sample.of(X, y, 10, 400)
    assert every.deviation(right) < 1e-6
    assert every.deviation(right + 1e-6) > 6


def test_many_rows_are_judged_by_the_relevant_columns():
    judge, data, reference = load_question("relief_tall")
    right = reference.mean
    assert accepted(judge, data, reference, relief_tall.Answer(right))
    assert not accepted(judge, data, reference, relief_tall.Answer(right[::-1]))
    assert judge.judge(data, reference, relief_tall.Answer(right, 300))["asked"] == 300
    assert others_first(np.array([3.0, 1.0, 2.0]), np.array([0, 1])) == 1


def test_parts_are_judged_by_their_own_rows_and_columns():
    judge, data, reference = load_question("relief_growth")
    part = Part(rows=1 / 2)
    half = data.part(1 / 2, 1)
    right = relieff(differences(scaled(half.X)), half.y, half.k).mean(axis=0)
    assert accepted(judge, data, reference, relief_growth.Answer(right, None, part))
    assert not accepted(judge, data, reference, relief_growth.Answer(right, None, Part()))


@pytest.mark.parametrize("power", [1.0, 2.0, 3.0])
def test_exponents_are_slopes(power):
    rows = [
        Row(name, OURS, seconds=5 * (part.rows * part.columns) ** power * (part.asked * 2) ** power, accepted=True)
        for part, name in PARTS.items()
    ]
    table = Table("", rows)
    assert [exponent(table, what) for what in Part._fields] == pytest.approx([power] * 3)
    held = [b["held"] for b in questions.objective("relief_growth").bars(table)]
    assert held == [power <= 2, power <= 1, power <= 1]
    assert exponent(Table("", rows[:2]), "rows") is None


def test_the_bars_name_whom_they_are_about():
    ours = Row("tamis", OURS, seconds=1.0, judged={"error": 1e-15}, accepted=True)
    fast = Row(FAST_SELECT, RIVAL, seconds=3.0, judged={"error": 1e-6}, accepted=True)
    slow = Row(REBATE, RIVAL, least=300.0)
    bars = questions.objective("relief").bars(Table("", [ours, fast, slow]))
    assert [b["held"] for b in bars] == [True, True, True, None]
    fast.seconds, slow.least = 1.5, 50.0
    bars = questions.objective("relief").bars(Table("", [ours, fast, slow]))
    assert [b["held"] for b in bars] == [False, None, True, None]
