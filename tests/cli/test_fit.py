"""``tamis fit`` on good tables: what is told agrees with what the library finds, and saved models predict the same."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict, cross_val_score

from cli.tables import plants, write_csv
from tamis.cli import main
from tamis.cli.format_model import factor
from tamis.linear import BestSubset, SparseClassifierCV, SparseRegressorCV
from tamis.penalties import L1L2, Group
from tolerances import AGREE


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name, bunch):
    y = bunch.target_names[bunch.target] if "target_names" in bunch else bunch.target
    rows = [[*map(repr, map(float, x)), v] for x, v in zip(bunch.data, y.tolist(), strict=True)]
    return str(write_csv(name, [*bunch.feature_names, "y"], rows))


@pytest.fixture
def diabetes(here):
    return write(here / "diabetes.csv", load_diabetes(scaled=False))


@pytest.fixture(scope="module")
def iris(tmp_path_factory):
    return write(tmp_path_factory.mktemp("iris") / "iris.csv", load_iris())


@pytest.fixture(scope="module")
def iris_model(iris):
    """Fitted once: three classes take a second or more."""
    path = iris.replace("iris.csv", "m.skops")
    assert main(["fit", iris, "--target", "y", "--no-nested", "--out", path, "--report", path + ".html"]) == 0
    return path


def as_json(capfd, *arguments: object) -> dict:
    assert main(["fit", *map(str, arguments), "--json"]) == 0
    return json.loads(capfd.readouterr().out)


def as_rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_regression_agrees_with_the_library(diabetes, capfd):
    found = as_json(capfd, diabetes, "--target", "y", "--rule", "min")
    X, y = load_diabetes(return_X_y=True, scaled=False)
    model = SparseRegressorCV(cv=KFold(5, shuffle=True, random_state=0), standardize=True).fit(X, y)
    names = load_diabetes().feature_names
    by_name = {row["column"]: row for row in found["coefficients"]}
    assert [by_name[n]["coefficient"] for n in names] == pytest.approx(model.coef_, rel=AGREE, abs=AGREE)
    assert [by_name[n]["per_sd"] for n in names] == pytest.approx(model.coef_ * X.std(axis=0), rel=1e-6, abs=AGREE)
    assert found["intercept"] == pytest.approx([model.intercept_], rel=AGREE)
    assert found["alpha"]["chosen"] == pytest.approx(model.alpha_, rel=AGREE)
    assert found["error"]["chosen"] == pytest.approx(model.mse_path_.mean(axis=1).min(), rel=AGREE)
    assert found["certificate"]["gap"] <= 1e-7 * found["error"]["null"]


def test_where_columns_enter(diabetes, capfd):
    rows = as_json(capfd, diabetes, "--target", "y")["coefficients"]
    X, y = load_diabetes(return_X_y=True, scaled=False)
    c = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())) / X.std(axis=0)
    first = min(rows, key=lambda r: r["order"])
    assert first["column"] == load_diabetes().feature_names[int(np.argmax(c))]  # the most correlated enters first
    by_order = sorted(rows, key=lambda r: r["order"])
    assert [r["enters_at"] for r in by_order] == sorted((r["enters_at"] for r in rows), reverse=True)


def test_words_and_table(diabetes, capfd):
    assert main(["fit", diabetes, "--target", "y"]) == 0
    out, err = capfd.readouterr()
    assert out.splitlines()[0].split() == ["column", "coefficient", "per", "sd", "enters", "at", "α"]
    assert "The lasso of ‘y’ keeps 5 of 10 columns at α = 5.19" in out
    assert "one standard deviation more raises the predicted ‘y’ by" in out
    assert "mean squared error" in out
    assert "Proved: no coefficients have an objective lower by more than" in out
    assert err == "Report: tamis-report.html\n"


@pytest.mark.parametrize("effect, words", [(0.5, "1.65"), (9.0, "8,103"), (1e5, "more than a million"), (-1e5, "0")])
def test_factors_in_words(effect, words):
    assert factor(effect) == words


def test_two_classes(here, capfd):
    table = write(here / "cancer.csv", load_breast_cancer())
    found = as_json(capfd, table, "--target", "y", "--no-nested", "--out", "m.skops")
    assert found["classes"] == ["benign", "malignant"]
    assert main(["fit", "--model", "m.skops", "--predict", table]) == 0
    rows = as_rows(capfd.readouterr().out)
    X, target = load_breast_cancer(return_X_y=True)
    labels = load_breast_cancer().target_names[target]
    assert list(rows[0]) == ["prediction", "P(benign)", "P(malignant)"]
    assert np.mean([r["prediction"] == v for r, v in zip(rows, labels, strict=True)]) > 0.95
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    model = SparseClassifierCV(cv=cv, rule="1se", standardize=True).fit(X, labels)
    P = [[float(r["P(benign)"]), float(r["P(malignant)"])] for r in rows]
    np.testing.assert_allclose(P, model.predict_proba(X), atol=1e-6)  # logistic fits stop at the duality gap


def test_three_classes_have_coefficients_each(iris_model, capfd):
    assert main(["fit", "--model", iris_model]) == 0
    out = capfd.readouterr().out
    assert out.splitlines()[0].split()[:2] == ["class", "column"]
    assert "multiplies the weight of ‘" in out
    found = as_json(capfd, "--model", iris_model)
    assert {row["class"] for row in found["coefficients"]} == {"setosa", "versicolor", "virginica"}
    assert len(found["intercept"]) == 3


def test_labels_and_gaps(here, capfd):
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "blue", "white", ""], 300)
    x = rng.normal(size=300)
    y = 3.0 * (colour == "red") + x + 0.1 * rng.normal(size=300)
    text = ["" if rng.random() < 0.1 else f"{v:.5f}" for v in x]
    table = write_csv(here / "t.csv", ("x", "colour", "y"), zip(text, colour, y, strict=True))
    assert main(["fit", str(table), "--target", "y"]) == 0
    out, err = capfd.readouterr()
    assert "colour = red" in out
    assert "missing values became the mean of their column: 'x'" in err
    found = as_json(capfd, table, "--target", "y")
    red = next(row for row in found["coefficients"] if row["level"] == "red")
    assert red["column"] == "colour"
    assert red["coefficient"] == pytest.approx(3.0, abs=0.5)  # shrunk by the penalty


def test_columns_that_cannot_tell_are_noted(here, capfd):
    assert main(["fit", str(plants(here / "plants.csv")), "--target", "bloom"]) == 0
    err = capfd.readouterr().err
    for name in ("left out seven: constant", "left out note: identifier"):
        assert name in err


def test_elastic_net_and_its_ratio(diabetes, capfd):
    found = as_json(capfd, diabetes, "--target", "y", "--penalty", "elastic", "--l1-ratio", "0.9", "--cv", "4")
    X, y = load_diabetes(return_X_y=True, scaled=False)
    cv = KFold(4, shuffle=True, random_state=0)
    model = SparseRegressorCV(penalty=L1L2(0.9), cv=cv, rule="1se", standardize=True).fit(X, y)
    by_name = {row["column"]: row["coefficient"] for row in found["coefficients"]}
    np.testing.assert_allclose([by_name[n] for n in load_diabetes().feature_names], model.coef_, rtol=1e-6, atol=1e-9)


def test_labels_of_a_column_enter_together(here, capfd):
    found = as_json(capfd, plants(here / "plants.csv", n=400), "--target", "bloom", "--penalty", "group")
    colours = [row for row in found["coefficients"] if row["column"] == "colour"]
    assert len(colours) == 3
    assert len({row["enters_at"] for row in colours}) == 1


def test_named_groups(diabetes, capfd):
    arguments = (diabetes, "--target", "y", "--penalty", "group", "--groups", "bmi,bp", "--groups", "s1,s2,s3")
    found = as_json(capfd, *arguments)
    enters = {row["column"]: row["enters_at"] for row in found["coefficients"]}
    assert enters["bmi"] == enters["bp"]
    assert enters["s1"] == enters["s2"] == enters["s3"]
    X, y = load_diabetes(return_X_y=True, scaled=False)
    groups = [[2, 3], [4, 5, 6]]
    cv = KFold(5, shuffle=True, random_state=0)
    model = SparseRegressorCV(penalty=Group(groups), cv=cv, rule="1se", standardize=True).fit(X, y)
    by_name = {row["column"]: row["coefficient"] for row in found["coefficients"]}
    np.testing.assert_allclose([by_name[n] for n in load_diabetes().feature_names], model.coef_, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("rule", ["aic", "bic", "ebic"])
def test_information_criteria(rule, diabetes, capfd):
    assert main(["fit", diabetes, "--target", "y", "--rule", rule]) == 0
    out = capfd.readouterr().out
    assert rule.upper() in out
    assert "folds" not in out


def test_adaptive_is_the_librarys(diabetes, capfd):
    found = as_json(capfd, diabetes, "--target", "y", "--penalty", "adaptive")
    X, y = load_diabetes(return_X_y=True, scaled=False)
    cv = KFold(5, shuffle=True, random_state=0)
    model = SparseRegressorCV(penalty="adaptive", cv=cv, rule="1se", standardize=True).fit(X, y)
    by_name = {row["column"]: row["coefficient"] for row in found["coefficients"]}
    np.testing.assert_allclose([by_name[n] for n in load_diabetes().feature_names], model.coef_, rtol=1e-6, atol=1e-9)


def test_nothing_to_tell_is_said(here, capfd):
    rng = np.random.default_rng(0)
    table = write_csv(here / "t.csv", ("a", "b", "y"), rng.normal(size=(60, 3)).round(3).tolist())
    assert main(["fit", str(table), "--target", "y"]) == 0
    assert "keeps no column" in capfd.readouterr().out


def test_saved_model_predicts_as_the_fit_did(here, diabetes, capfd):
    assert main(["fit", diabetes, "--target", "y", "--out", "m.skops", "--predict", diabetes]) == 0
    out, err = capfd.readouterr()
    assert "Model: m.skops" in err
    assert "The lasso of ‘y’" in err  # words go to stderr where predictions go to stdout
    assert main(["fit", "--model", "m.skops", "--predict", diabetes, "--out", "p.csv"]) == 0
    assert (here / "p.csv").read_text() == out
    assert capfd.readouterr().out == ""
    X, y = load_diabetes(return_X_y=True, scaled=False)
    cv = KFold(5, shuffle=True, random_state=0)
    expected = SparseRegressorCV(cv=cv, rule="1se", standardize=True).fit(X, y).predict(X)
    assert [float(row["prediction"]) for row in as_rows(out)] == pytest.approx(expected, rel=AGREE)


def test_progress_bars_do_not_end_up_in_the_saved_model(diabetes, capfd, monkeypatch):
    with monkeypatch.context() as terminal:
        terminal.setenv("FORCE_COLOR", "1")  # rich takes the console for a terminal then, and bars are attached
        assert main(["fit", diabetes, "--target", "y", "--out", "m.skops"]) == 0
    assert "Model: " in capfd.readouterr().err
    assert main(["fit", "--model", "m.skops"]) == 0
    assert "The lasso of ‘y’" in capfd.readouterr().out


def test_saved_model_tells_what_it_is(diabetes, capfd):
    assert main(["fit", diabetes, "--target", "y", "--out", "m.skops"]) == 0
    printed = capfd.readouterr().out
    assert main(["fit", "--model", "m.skops"]) == 0
    assert capfd.readouterr().out == printed


@pytest.mark.parametrize("penalty", ["l1", "elastic", "group", "sparse-group", "adaptive"])
def test_every_penalty_can_be_saved_and_opened(penalty, here, capfd):
    table = plants(here / "plants.csv")
    arguments = ["--target", "bloom", "--penalty", penalty, "--no-nested"]
    arguments += ["--out", "m.skops", "--predict", str(table)]
    assert main(["fit", str(table), *arguments]) == 0
    first = capfd.readouterr().out
    assert main(["fit", "--model", "m.skops", "--predict", str(table)]) == 0
    assert capfd.readouterr().out == first


def test_new_table_may_differ_in_what_does_not_matter(here, capfd):
    table = plants(here / "plants.csv")
    arguments = ["--target", "bloom", "--no-nested", "--drop", "seen", "--out", "m.skops"]
    assert main(["fit", str(table), *arguments]) == 0
    capfd.readouterr()
    header = ("extra", "colour", "noise", "height")
    rows = [(1, "red", "0.5", "12"), (2, "green", "", "12"), (3, "", "0.5", "")]
    new = write_csv(here / "new.csv", header, rows)
    assert main(["fit", "--model", "m.skops", "--predict", str(new)]) == 0
    out, err = capfd.readouterr()
    assert len(as_rows(out)) == 3
    assert "'colour' holds 'green', unknown to the model: taken as missing" in err
    assert "'height' is missing in 1 row" in err


def test_labels_that_look_like_numbers_in_new_rows(here, capfd):
    rng = np.random.default_rng(0)
    kind = rng.choice(["1", "2", "2b"], 200)
    y = 2.0 * (kind == "2") + 0.1 * rng.normal(size=200)
    table = write_csv(here / "t.csv", ("kind", "x", "y"), zip(kind, rng.normal(size=200), y, strict=True))
    new = write_csv(here / "new.csv", ("kind", "x"), [("1", 0), ("2", 0)])
    assert main(["fit", str(table), "--target", "y", "--predict", str(new)]) == 0
    out, err = capfd.readouterr()
    low, high = (float(row["prediction"]) for row in as_rows(out))
    assert high - low > 1
    assert "unknown" not in err


def test_predictions_as_json(iris, iris_model, capfd):
    found = as_json(capfd, "--model", iris_model, "--predict", iris)
    assert len(found["prediction"]) == 150
    total = np.sum([found[f"P({c})"] for c in ("setosa", "versicolor", "virginica")], axis=0)
    np.testing.assert_allclose(total, 1.0, rtol=1e-12)


def test_parquet_says_the_same(here, diabetes, capfd):
    import pyarrow.csv as arrow_csv
    import pyarrow.parquet as parquet

    parquet.write_table(arrow_csv.read_csv(diabetes), here / "t.parquet")
    one, two = (as_json(capfd, table, "--target", "y")["coefficients"] for table in (diabetes, "t.parquet"))
    for row, same in zip(one, two, strict=True):
        for key, value in same.items():
            assert row[key] == (pytest.approx(value, rel=AGREE, abs=AGREE) if isinstance(value, float) else value)


def test_table_too_large_to_hold_is_passed_over(here, diabetes, capfd, monkeypatch):
    held = as_json(capfd, diabetes, "--target", "y")
    monkeypatch.setattr("tamis.studies.fit_answer.HELD", 0.0)
    passed = as_json(capfd, diabetes, "--target", "y")
    one, two = ([row["coefficient"] for row in found["coefficients"]] for found in (held, passed))
    assert one == pytest.approx(two, rel=AGREE, abs=AGREE)


def test_command_to_do_it_again(diabetes, capfd):
    arguments = ["--target", "y", "--penalty", "elastic", "--l1-ratio", "0.5", "--drop", "age", "--drop", "sex"]
    found = as_json(capfd, diabetes, *arguments)
    assert found["question"]["command"] == f"tamis fit {diabetes} {' '.join(arguments)}"
    assert {"age", "sex"}.isdisjoint(row["column"] for row in found["coefficients"])


def test_subprocess(here, diabetes):
    run = [sys.executable, "-m", "tamis", "fit", diabetes, "--target", "y", "--out", "m.skops"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "Model: m.skops\nReport: tamis-report.html\n")
    assert sorted(os.listdir(here)) == ["diabetes.csv", "m.skops", "tamis-report.html"]


def test_error_without_any_column_is_that_of_a_constant(diabetes, iris, capfd):
    cases = [
        (diabetes, load_diabetes(), DummyRegressor(), KFold, "neg_mean_squared_error"),
        (iris, load_iris(), DummyClassifier(), StratifiedKFold, "neg_log_loss"),
    ]
    for table, bunch, dummy, Folds, scoring in cases:
        cv = Folds(5, shuffle=True, random_state=0)
        expected = -cross_val_score(dummy, bunch.data, bunch.target, cv=cv, scoring=scoring).mean()
        for penalty in ("l1", "elastic") if table == diabetes else ("l1",):
            summary = as_json(capfd, table, "-t", "y", "--penalty", penalty, "--cv", 5, "--no-nested")
            assert summary["error"]["null"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "rule, why", [("min", "do not lower the cross-validated error"), ("1se", "one standard"), ("ebic", "not worth")]
)
def test_no_column_is_explained_by_the_rule(here, capfd, rule, why):
    rng = np.random.default_rng(1)
    table = write_csv(here / "noise.csv", ["a", "b", "y"], rng.normal(size=(60, 3)).tolist())
    assert main(["fit", str(table), "-t", "y", "--rule", rule]) == 0
    out = capfd.readouterr().out
    assert "keeps no column" in out
    assert why in out


def test_two_errors_without_columns_are_explained(here, capfd):
    """Models of the folds may keep columns at the α where the model of all rows keeps none."""
    explained = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        table = write_csv(here / "noise.csv", ["a", "b", "c", "y"], rng.normal(size=(40, 4)).tolist())
        found = as_json(capfd, table, "-t", "y")
        assert main(["fit", str(table), "-t", "y"]) == 0
        line = next(row for row in capfd.readouterr().out.splitlines() if "on rows left out" in row)
        measured, null = line.split("error ")[1].split(" ±")[0], line.split("any column ")[1].split()[0].rstrip(".;")
        differ = not found["kept"] and measured != null
        assert ("models of the folds keep columns" in line) == differ
        explained += differ
    assert explained > 0


@pytest.mark.parametrize("penalty", ["l0", "lq", "slope", "fused"])
def test_more_penalties_are_fitted_saved_and_opened_again(capfd, diabetes, penalty):
    summary = as_json(capfd, diabetes, "-t", "y", "--penalty", penalty, "--rule", "bic", "--out", "m.skops")
    assert 0 < len(summary["kept"]) < 10
    assert (summary["certificate"] is None) == (penalty in ("l0", "lq"))
    assert as_json(capfd, "--model", "m.skops") == summary
    predicted = as_json(capfd, "--model", "m.skops", "--predict", diabetes)["prediction"]
    y = load_diabetes().target
    assert np.corrcoef(predicted, y)[0, 1] > 0.6


@pytest.mark.parametrize("given, rule", [("2-8", None), ("2-8", "min"), ("3", None)])
def test_the_best_subset_is_told_with_its_proof(capfd, diabetes, given, rule):
    options = ["--best-subset", given, "--out", "m.skops", *(["--rule", rule] if rule else [])]
    assert main(["fit", diabetes, "-t", "y", *options]) == 0
    words = capfd.readouterr().out
    summary = as_json(capfd, "--model", "m.skops")
    model = BestSubset(
        range(2, 9) if given == "2-8" else 3, rule="cv" if rule else "bic", cv=KFold(5, shuffle=True, random_state=0),
        standardize=True,
    ).fit(*load_diabetes(scaled=False, return_X_y=True))  # fmt: skip
    names = np.array(load_diabetes().feature_names)
    assert set(summary["kept"]) == set(names[model.support_])
    assert summary["alpha"] is None
    assert summary["subset"]["n_nonzero"] == model.n_nonzero_
    assert summary["subset"]["relative_gap"] == 0.0
    assert f"Proved: no subset of {model.n_nonzero_} columns fits these rows better." in words
    found = as_json(capfd, "--model", "m.skops", "--predict", diabetes)["prediction"]
    np.testing.assert_allclose(found, model.predict(load_diabetes(scaled=False).data), rtol=1e-9)


def test_the_best_subset_of_classes_has_no_proof(capfd, here):
    table = write(here / "cancer.csv", load_breast_cancer())
    summary = as_json(capfd, table, "-t", "y", "--best-subset", "1-3", "--out", "m.skops")
    assert summary["certificate"] is None
    assert summary["subset"]["relative_gap"] is None
    assert 1 <= len(summary["kept"]) <= 3
    assert main(["fit", "--model", "m.skops"]) == 0
    assert "Not proved: for classes the subset is the best that exchanges" in capfd.readouterr().out
    assert set(as_json(capfd, "--model", "m.skops", "--predict", table)) == {"prediction", "P(benign)", "P(malignant)"}


@pytest.mark.parametrize(
    "options, words",
    [
        (["--best-subset", "2-8", "--penalty", "l1"], "--best-subset and --penalty are two ways to few columns"),
        (["--best-subset", "8-2"], "--best-subset 8-2 holds no number"),
        (["--best-subset", "two"], "'two' is neither a number nor a range such as 2-5"),
        (["--best-subset", "2-3", "--rule", "aic"], "--best-subset is chosen by --rule bic or min, not by aic"),
        (["--best-subset", "3", "--rule", "bic"], "--rule has no effect with one size"),
        (["--best-subset", "2", "--loss", "poisson"], "--best-subset is for --loss squared and logistic"),
        (["--best-subset", "2-3", "--cv", "4"], "--cv has no effect with --rule bic"),
        (
            ["--penalty", "l0", "--l1-ratio", "0.2"],
            "--l1-ratio belongs to --penalty elastic and sparse-group and fused",
        ),
    ],
)
def test_options_of_subsets_that_contradict_are_complaints(capfd, diabetes, options, words):
    assert main(["fit", diabetes, "-t", "y", *options]) == 2
    assert words in capfd.readouterr().err


def test_a_loss_that_does_not_suit_the_target_is_what_the_complaint_is_about(capfd, here):
    (here / "labels.csv").write_text("a,y\n1.5,no\n2.5,yes\n0.1,no\n0.7,yes\n")
    assert main(["fit", "labels.csv", "-t", "y", "--loss", "poisson"]) == 2
    words = "--loss poisson: the target 'y' holds labels, not numbers: use logistic or svm"
    assert words in capfd.readouterr().err


def test_classes_have_auc_and_accuracy_of_rows_that_took_no_part(capfd, here):
    """As scikit-learn computes them from a model fitted, and its α chosen, without each fifth of the rows."""
    data = load_breast_cancer()
    data.data = data.data[::3, [1, 7, 20, 26]]
    data.target, data.feature_names = data.target[::3], data.feature_names[[1, 7, 20, 26]]
    found = as_json(capfd, write(here / "t.csv", data), "-t", "y")["held_out"]
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    model = SparseClassifierCV(
        rule="1se", cv=StratifiedKFold(5, shuffle=True, random_state=0), standardize=True, tol=1e-4, alphas=40
    )
    y = data.target_names[data.target]
    predicted = cross_val_predict(model, data.data, y, cv=folds)
    assert found["accuracy"]["value"] == pytest.approx(np.mean(predicted == y), rel=AGREE)
    aucs = cross_val_score(model, data.data, y, cv=folds, scoring="roc_auc")
    assert found["auc"]["value"] == pytest.approx(np.mean(aucs), abs=2e-3)  # folds count by their pairs, not alike
    assert found["auc"]["low"] < found["auc"]["value"] < found["auc"]["high"]
    assert found["rows"] == len(y)


def test_noise_is_not_told_as_skill(capfd, here):
    rng = np.random.default_rng(0)
    rows = [[*map(repr, map(float, x)), v] for x, v in zip(rng.normal(size=(90, 12)), "ab" * 45, strict=False)]
    found = as_json(capfd, write_csv(here / "noise.csv", [*"abcdefghijkl", "y"], rows), "-t", "y", "--rule", "min")
    auc = found["held_out"]["auc"]
    assert auc["low"] <= 0.5 <= auc["high"] or auc["high"] < 0.5


def test_numbers_have_r2_and_error_on_rows_that_took_no_part(capfd, here, diabetes):
    found = as_json(capfd, diabetes, "-t", "y")["held_out"]
    data, folds = load_diabetes(scaled=False), KFold(5, shuffle=True, random_state=1)
    model = SparseRegressorCV(
        rule="1se", cv=KFold(5, shuffle=True, random_state=0), standardize=True, tol=1e-4, alphas=40
    )
    y, predicted = data.target, cross_val_predict(model, data.data, data.target, cv=folds)
    means = cross_val_predict(DummyRegressor(), data.data, y, cv=folds)
    assert found["mae"]["value"] == pytest.approx(np.mean(np.abs(y - predicted)), rel=AGREE)
    assert found["r2"]["value"] == pytest.approx(1 - np.sum((y - predicted) ** 2) / np.sum((y - means) ** 2), rel=AGREE)
    assert found["null_mae"] == pytest.approx(np.mean(np.abs(y - means)), rel=AGREE)
    assert found["r2"]["low"] < found["r2"]["value"] < found["r2"]["high"]
    assert found["mae"]["low"] < found["mae"]["value"] < found["mae"]["high"]
    assert found["rows"] == 442


def test_numbers_of_noise_are_not_told_as_skill(capfd, here):
    rng = np.random.default_rng(0)
    rows = [list(map(repr, map(float, x))) for x in rng.normal(size=(90, 13))]
    found = as_json(capfd, write_csv(here / "noise.csv", [*"abcdefghijkl", "y"], rows), "-t", "y", "--rule", "min")
    assert found["held_out"]["r2"]["low"] <= 0.0


def test_no_nested_says_so(capfd, here, diabetes):
    assert main(["fit", write(here / "t.csv", load_breast_cancer()), "-t", "y", "--no-nested"]) == 0
    out, err = capfd.readouterr()
    assert "AUC" not in out
    assert "--no-nested: AUC and accuracy on rows that took no part were not computed" in err
    assert main(["fit", diabetes, "-t", "y", "--no-nested"]) == 0
    assert (
        "--no-nested: R² and mean absolute error on rows that took no part were not computed" in capfd.readouterr().err
    )
