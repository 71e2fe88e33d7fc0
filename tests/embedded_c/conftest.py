"""What tests of embedded C share."""

import pytest

import assay


@pytest.fixture
def verified(tmp_path):
    """Verifies a model that is given as text."""

    def verify(text, **options):
        path = tmp_path / "model.pml"
        path.write_text(text)
        return assay.verify(path, **options)

    return verify
