"""Each picture of a run lesson has a form that paper can show."""

import json

import build_site
import lesson
import pytest


@pytest.mark.parametrize("path", lesson.all_lessons(), ids=lambda path: path.stem)
def test_every_figure_has_a_picture_for_paper(path):
    with build_site.run_so_far() as cache:
        _, run = cache.merge_match_into_notebook(lesson.read(path))
    bundles = [out.data for cell in run.cells for out in cell.get("outputs", []) if "data" in out]
    alive = [data for data in bundles if "application/vnd.jupyter.widget-view+json" in data]
    drawn = [data for data in bundles if data.get("text/plain", "").startswith("<Figure size")]
    assert alive
    assert [json.dumps(d)[:80] for d in alive if not {"image/png", "text/markdown"} & set(d)] == []
    assert [json.dumps(d)[:80] for d in drawn if "image/svg+xml" not in d] == []
