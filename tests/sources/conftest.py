import pytest

from sources.tables import DOORS


@pytest.fixture(params=DOORS, ids=lambda door: door.__name__.strip("_"))
def door(request, tmp_path):
    """Turns the pandas frame into one of the things a table can be."""
    return lambda frame: request.param(frame, tmp_path)
