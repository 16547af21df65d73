"""Settings for all tests, the lessons among them."""

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """Leave SVG pictures out when nbval compares outputs, as it does with PNG and JPEG."""
    collected = yield
    for lesson in collected:
        if file_path.suffix == ".ipynb":
            lesson.skip_compare += ("image/svg+xml",)
    return collected
