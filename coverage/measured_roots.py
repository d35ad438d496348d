"""What a coverage gate measures: directories and files, named by patterns below the source directory."""
import os
import pathlib
from collections.abc import Iterable


def of(source: pathlib.Path, patterns: list[str]) -> dict[str, list[pathlib.Path]]:
    """{pattern: the paths that it matches, below the source}; an empty list where there is nothing."""
    return {pattern: [path.relative_to(source) for path in sorted(source.glob(os.path.normpath(pattern)))] for pattern in patterns}


def holds(roots: Iterable[pathlib.PurePath], path: pathlib.PurePath) -> bool:
    """Whether the path, which is below the source, is one of these or in one of them."""
    return any(path.is_relative_to(root) for root in roots)
