"""Where a program finds its packages: the folders that its Python would look for them in.

Nothing there is run: an environment is known by its folders, and of `.pth` files the lines that name folders
count, in which editable installations are.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from assay.transition_system.interface import SourceProblem

VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
PACKAGES = ("site-packages", "dist-packages")
CONFIGURATION = "pyvenv.cfg"
LONGEST_LINE = 4096


def package_folders(named: str, first: Iterable[str] = ()) -> tuple[Path, ...]:
    """The folders of an environment, in the order of the search; without a name, of the running one. `first`
    are others, which come before them."""
    if named:
        homes = list(_folders_of(Path(named)))
    else:
        homes = [Path(entry) for entry in sys.path if Path(entry).name in PACKAGES]
    found: dict[Path, None] = dict.fromkeys(Path(folder) for folder in first if Path(folder).is_dir())
    for home in homes:
        if home.is_dir():
            found[home] = None
            found |= dict.fromkeys(_named_in_path_files(home))
    return tuple(found)


def _folders_of(named: Path) -> Iterator[Path]:
    if not named.exists():
        raise SourceProblem(
            f"no environment '{named}'", hint="give a virtual environment, or the python in its bin"
        )
    if named.is_file():  # an interpreter; the links of a virtual environment lead out of it
        prefix = named.absolute().parent.parent
        if not (prefix / CONFIGURATION).is_file():
            prefix = named.resolve().parent.parent
    else:
        prefix = named
    settings = _settings(prefix / CONFIGURATION)
    others = sorted(
        path.name for path in (prefix / "lib").glob("python3.*") if path.name != f"python{VERSION}"
    )
    home = prefix / "lib" / f"python{VERSION}"
    if not home.is_dir() and others:
        raise SourceProblem(
            f"'{named}' is for {others[0]}, and programs are verified as Python {VERSION} runs them",
            hint=f"make an environment with Python {VERSION}",
        )
    if not home.is_dir():
        if named.is_file() or settings:
            raise SourceProblem(
                f"there are no packages in '{named}'",
                hint="give a virtual environment, or a folder of packages",
            )
        yield named  # a folder of packages, as `pip install --target` makes it
        return
    yield from (home / name for name in PACKAGES)
    if not settings:
        yield prefix / "local" / "lib" / f"python{VERSION}" / PACKAGES[1]
        yield prefix / "lib" / "python3" / PACKAGES[1]
    if settings.get("include-system-site-packages", "").lower() == "true" and "home" in settings:
        yield from _folders_of(Path(settings["home"]).parent)


def _settings(file: Path) -> dict[str, str]:
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    pairs = (line.partition("=") for line in lines if "=" in line)
    return {key.strip().lower(): value.strip() for key, _, value in pairs}


def _named_in_path_files(home: Path) -> Iterator[Path]:
    for file in sorted(home.glob("*.pth")):
        try:
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        for line in lines:
            if not line.strip() or line.startswith(("#", "import ", "import\t")) or len(line) > LONGEST_LINE:
                continue
            folder = home / line.strip()
            if folder.is_dir():
                yield folder
