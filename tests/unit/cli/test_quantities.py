import pytest

from assay.cli.quantities import parse_bytes, parse_seconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2GiB", 2 * 2**30),
        ("512MiB", 512 * 2**20),
        ("1.5k", 1536),
        ("1GB", 10**9),
        ("7", 7),
        ("3 mib", 3 * 2**20),
    ],
)
def test_memory(text, expected):
    assert parse_bytes(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("60s", 60), ("5m", 300), ("1h", 3600), ("500ms", 0.5), ("2", 2)]
)
def test_durations(text, expected):
    assert parse_seconds(text) == expected


@pytest.mark.parametrize("text", ["", "GiB", "-1s", "0", "1x", "1e400", "nan", "１２"])
def test_nonsense_is_refused(text):
    for parse in (parse_bytes, parse_seconds):
        with pytest.raises(ValueError, match="expected"):
            parse(text)
