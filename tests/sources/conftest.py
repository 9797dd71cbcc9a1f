import pytest

from sources.tables import FORMS


@pytest.fixture(params=FORMS, ids=lambda form: form.__name__.strip("_"))
def form(request, tmp_path):
    """Turns the pandas frame into one of the things a table can be."""
    return lambda frame: request.param(frame, tmp_path)
