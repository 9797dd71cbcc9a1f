"""Which α is taken."""

import numpy as np
import pytest

from tamis.linear.alpha_choice import choose_alpha, criterion


def test_least_error_and_one_standard_error():
    errors = np.array([[4.0, 6.0], [2.4, 3.6], [2.0, 3.0], [1.0, 3.0], [3.0, 3.0]])  # means 5, 3, 2.5, 2, 3
    choice = choose_alpha(errors)
    assert (choice.least, choice.by("min")) == (3, 3)
    assert choice.by("1se") == 1  # the standard error at the least is √2/√2 = 1


def test_ties_go_to_the_larger_alpha():
    assert choose_alpha(np.array([[3.0, 3.0], [1.0, 1.0], [1.0, 1.0]])).least == 1


def test_one_fold_has_no_standard_error():
    assert choose_alpha(np.array([[3.0], [1.0], [2.0]])).by("1se") == 1


def test_criteria_of_a_known_case():
    value = {rule: criterion(rule, np.array([10.0]), np.array([2.0]), n=100, p=6)[0] for rule in ("aic", "bic", "ebic")}
    assert value["aic"] == 14
    assert value["bic"] == pytest.approx(10 + 2 * np.log(100))
    assert value["ebic"] == pytest.approx(value["bic"] + 2 * np.log(15))  # 6 choose 2 = 15
