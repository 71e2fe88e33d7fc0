"""What the tests of the reductions share: search a small model with and without them."""

from __future__ import annotations

import pytest

from tests.agreement.reductions import REDUCTIONS, violations


class Searcher:
    def __init__(self, directory):
        self.directory = directory

    def states(self, text, *reductions, invariant=None):
        return self.search(text, reductions, invariant)[1]

    def reports(self, text, *reductions, invariant=None):
        """Kinds and lines of everything found."""
        facts, _ = self.search(text, reductions, invariant)
        return sorted((kind, line) for kind, _, line in facts)

    def loses(self, text, *reductions, invariant=None):
        """Whether the reductions change what is found."""
        whole, _ = self.search(text, (), invariant)
        return any(
            self.search(text, chosen, invariant)[0] != whole for chosen in (reductions, tuple(REDUCTIONS))
        )

    def search(self, text, reductions, invariant):
        model = self.directory / "model.pml"
        model.write_text(text)
        return violations(model, frozenset(reductions), (invariant,) if invariant else ())


@pytest.fixture
def searcher(tmp_path, tmp_path_factory, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "models"))
    return Searcher(tmp_path)
