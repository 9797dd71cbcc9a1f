"""Whatever cannot be used, the complaint names the option it came by."""

from __future__ import annotations

import pytest

from cli.tables import plants
from cli.test_bad_tables import assert_one_line, run

SELECT = {
    "-t bloon": "--target",
    "-t bloom --task regression": "--task",
    "-t bloom --task guess": "--task",
    "-t bloom -k 0": "--n-features",
    "-t bloom -k 9": "--n-features",
    "-t bloom -k 0-2": "--n-features",
    "-t bloom -k 3-2": "--n-features 3-2",
    "-t bloom -k few": "--n-features",
    "-t bloom -k 1 --keep height --keep noise": "--n-features 1",
    "-t bloom --method tree -k 1 --keep height --keep noise": "--n-features 1",
    "-t bloom --method tree -k 9": "--n-features",
    "-t bloom --method relief -k 9": "--n-features",
    "-t bloom --method relief -k 2-3": "--n-features 2-3",
    "-t bloom --method relief -k 2 --set relief.fdr=0.1": "--n-features 2",
    "-t bloom --method lasvegas -k 9": "--n-features",
    "-t bloom --search branch-and-bound": "--n-features",
    "-t bloom --search exhaustive --set exhaustive.max_subsets=2": "--n-features",
    "-t bloom --method guess": "--method",
    "-t bloom --search backwards": "--search",
    "-t bloom --search branch-and-bound --evaluation gain-ratio -k 2": "--search branch-and-bound",
    "-t bloom --search floating --evaluation cmim": "--search floating",
    "-t bloom --search recursive": "--search recursive",
    "-t bloom --method relief --search beam": "--search",
    "-t bloom --evaluation backwards": "--evaluation",
    "-t colour --evaluation linear-fit": "--evaluation linear-fit",
    "-t bloom --estimator knn": "--estimator",
    "-t bloom --method lasvegas --estimator linear": "--estimator linear",
    "-t bloom --method tree --estimator knn": "--estimator knn",
    "-t bloom --method tree --set tree.max_depth=-1": "--estimator",
    "-t bloom --patience 5": "--patience",
    "-t bloom --patience 100": "--patience",  # its default
    "-t bloom --method lasvegas --patience 0": "--patience",
    "-t bloom --method lasvegas --patience 5 --trials 5": "--patience 5 and --trials 5",
    "-t bloom --method lasvegas --trials 0": "--trials",
    "-t bloom --set beam.width=5": "--set beam.width=5",
    "-t bloom --set width=5": "--set width=5",
    "-t bloom --search beam --set beam.widht=5": "--set beam.widht=5",
    "-t bloom --search beam --set beam.width=0": "--set beam.width=0",
    "-t bloom --search las-vegas --set las-vegas.patience=0": "--set las-vegas.patience=0",
    "-t bloom --set information-gain.bins=x": "--set information-gain.bins=x",
    "-t bloom --evaluation mrmr --set mrmr.scheme=x": "--set mrmr.scheme=x",
    "-t bloom --evaluation linear-fit --set linear-fit.cv=1": "--set linear-fit.cv=1",
    "-t bloom --evaluation linear-fit --set linear-fit.cv=1000": "--set linear-fit.cv=1000",
    "-t bloom --evaluation linear-fit --set linear-fit.scoring=x": "--set linear-fit.scoring=x",
    "-t bloom --method lasvegas --set lasvegas.cv=1": "--set lasvegas.cv=1",
    "-t bloom --method lasvegas --set lasvegas.cv=1000": "--set lasvegas.cv=1000",
    "-t bloom --method lasvegas --set lasvegas.scoring=x": "--set lasvegas.scoring=x",
    "-t bloom --method relief --set relief.n_neighbors=0": "--set relief.n_neighbors=0",
    "-t bloom --method relief --set relief.removal=0.5": "--set relief.removal=0.5",
    "-t bloom --keep heigth": "--keep",
    "-t bloom --keep seven": "--keep",
    "-t bloom --method relief --keep height": "--keep",
    "-t bloom --feature-groups ,": "--feature-groups",
    "-t bloom --feature-groups height,nose": "--feature-groups",
    "-t bloom --feature-groups height,noise --feature-groups noise": "--feature-groups",
    "-t bloom --method relief --feature-groups height,noise": "--feature-groups",
    "-t bloom --time-limit -1": "--time",
    "-t bloom --time-limit 1e-9": "--time",
    "-t bloom --time-limit soon": "--time",
    "-t bloom --method relief --time-limit 9": "--time",
    "-t bloom --resume gone/run.sqlite": "--resume",
    "-t bloom --resume plants.csv": "--resume",
    "-t bloom --resume notes.txt": "--resume 'notes.txt'",
    "-t bloom --resume .": "--resume",
    "-t bloom --resume r --out r": "--out and --resume",
    "-t bloom --method tree --resume run.sqlite": "--resume",
    "-t bloom --drop heigth": "--drop",
    "-t bloom --drop bloom": "--drop",
    "-t bloom --drop height --drop noise --drop colour --drop seven --drop seen --drop note": "--drop",
    "-t bloom --out gone/r.html": "--out",
    "-t bloom --out plants.csv": "--out",
}
FIT = {
    "-t bloon": "--target",
    "": "--target",
    "-t bloom --task regression": "--task",
    "-t bloom --penalty l3": "--penalty",
    "-t bloom --rule best": "--rule",
    "-t bloom --l1-ratio 0.5": "--l1-ratio",  # its default
    "-t bloom --penalty elastic --l1-ratio 2": "--l1-ratio",
    "-t bloom --penalty elastic --l1-ratio nan": "--l1-ratio",
    "-t bloom --cv 1": "--cv",
    "-t bloom --cv 5 --rule bic": "--cv",  # its default
    "-t bloom --cv 5000": "--cv",
    "-t bloom --cv 100": "--cv",
    "-t bloom --groups height,noise": "--groups",
    "-t bloom --penalty group --groups heigth": "--groups",
    "-t bloom --penalty group --groups ,": "--groups",
    "-t bloom --penalty group --groups height,noise --groups noise": "--groups",
    "-t bloom --drop heigth": "--drop",
    "-t bloom --drop bloom": "--drop",
    "-t bloom --keep height": "--keep",
    "-t bloom --keep nope": "--keep",
    "-t bloom --out gone/m.skops": "--out",
    "-t bloom --out plants.csv": "--out",
    "-t bloom --model m.skops": "--model",
    "-t bloom --predict gone.csv": "gone.csv",
}
SAVED = {
    "--model gone.skops": "--model",
    "--model plants.csv": "--model",
    "--model m.skops --penalty l1": "--penalty",  # its default
    "--model m.skops --out p.csv": "--out",
}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plants(tmp_path / "plants.csv")
    (tmp_path / "notes.txt").write_text("not a database, and long enough to be sure of it " * 20)


@pytest.mark.parametrize("arguments", SELECT)
def test_select_names_the_option(arguments, capfd):
    assert_one_line(*run(capfd, "select", "plants.csv", *arguments.split()), SELECT[arguments])


@pytest.mark.parametrize("arguments", FIT)
def test_fit_names_the_option(arguments, capfd):
    assert_one_line(*run(capfd, "fit", "plants.csv", *arguments.split()), FIT[arguments])


@pytest.mark.parametrize("arguments", SAVED)
def test_saved_models_name_the_option(arguments, capfd):
    assert_one_line(*run(capfd, "fit", *arguments.split()), SAVED[arguments])


def test_an_option_of_the_other_verb_is_unknown(capfd):
    assert_one_line(*run(capfd, "fit", "plants.csv", "-t", "bloom", "--search", "beam"), "--search")
