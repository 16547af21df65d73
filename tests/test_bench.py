"""The benchmark's own arithmetic, on small sizes: never a time, always the errors."""

import math

import numpy as np
import pytest

from posenc import bench

WORKS = list(bench.works(shrink=64, peers=False))


def test_all_six_works_are_there():
    assert [work.name for work in WORKS] == [
        "sinusoidal 128 x 1024",
        "cos and sin 2048 x 128",
        "rotate (1, 32, 64, 128) half",
        "rotate (1, 32, 64, 128) interleaved",
        "ALiBi 32 x 64 x 64",
        "T5 bias 32 x 64 x 64",
    ]


# Half a unit in the last place: of entries below 1 for tables, three roundings of rotated normal
# numbers, biases up to 63 and the table's own numbers.
@pytest.mark.parametrize(
    ("work", "bound"),
    list(zip(WORKS, [3e-8, 3e-8, 1e-6, 1e-6, 2e-6, 0], strict=True)),
    ids=lambda value: value.name if isinstance(value, bench.Work) else "",
)
def test_posenc_agrees_with_50_digits(work, bound):
    (row,) = bench.measure(work, repeats=1)
    assert (row.name, row.bar) == ("posenc", pytest.approx(1.3 * work.seen))
    assert row.error <= bound


def test_a_wrong_contender_shows_its_error():
    def cast_positions():
        # A float16 phase, as reported of several libraries.
        p = np.arange(128, dtype=np.float16)[:, None]
        w = (10000.0 ** (-np.arange(512) / 512)).astype(np.float16)
        return np.stack([np.sin(p * w), np.cos(p * w)], axis=-1).reshape(128, 1024)

    work = WORKS[0]
    wrong = bench.Contender("half precision", cast_positions, work.ours.sample)
    rows = bench.measure(
        bench.Work(work.name, work.seen, work.ours, work.reference, [wrong]), repeats=1
    )
    assert [row.name for row in rows] == ["posenc", "half precision"]
    assert rows[1].error > 0.01
    assert rows[1].bar is None
    assert not math.isnan(rows[1].ratio)


def test_a_peer_that_is_missing_is_left_out():
    assert bench._peer("posenc_has_no_such_peer") is None


def test_the_table_has_a_line_for_every_work(monkeypatch, capsys):
    monkeypatch.setattr(bench, "works", lambda: iter(WORKS[:1]))
    bench.main()
    head, line = capsys.readouterr().out.splitlines()
    assert head.split()[:2] == ["work", "who"]
    assert line.startswith("sinusoidal 128 x 1024")
    assert "4.5882" in line
