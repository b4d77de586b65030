"""Every module is small, documented, and says truly what it exports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

LONGEST = 300


def test_files_stay_under_300_lines(root: Path, sources: tuple[Path, ...]) -> None:
    """A file that passes 300 lines is asked to be two."""
    counts = [(len(file.read_text(encoding="utf-8").splitlines()), str(file.relative_to(root))) for file in sources]
    assert [(lines, name) for lines, name in counts if lines > LONGEST] == []
    assert len((root / "start.py").read_text(encoding="utf-8").splitlines()) <= LONGEST


def test_every_module_says_what_it_is_for(root: Path, sources: tuple[Path, ...]) -> None:
    """Each module begins with a docstring of its own, no two the same."""
    seen: dict[str, str] = {}
    wrong = []
    for file in sources:
        words = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
        name = str(file.relative_to(root))
        if not words or words in seen:
            wrong.append(f"{name}: {'same as ' + seen[words] if words else 'none'}")
        else:
            seen[words] = name
    assert wrong == []


def _defined(tree: ast.Module) -> Iterator[str]:
    """Every name that a module binds at its top, looking into if and try."""
    waiting = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.If | ast.Try):
            waiting += node.body + node.orelse


def _exported(tree: ast.Module) -> list[str] | None:
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            value = ast.literal_eval(node.value)
            assert isinstance(value, list | tuple)
            return [str(name) for name in value]
    return None


def test_what_is_exported_is_there_and_what_is_public_is_exported(root: Path, sources: tuple[Path, ...]) -> None:
    """``__all__`` has no name twice and none that is not defined, and every public function and class is in it."""
    wrong = []
    for file in sources:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        public = {
            node.name
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_")
        }
        exported = _exported(tree)
        name = str(file.relative_to(root))
        if exported is None:
            if public:
                wrong.append(f"{name}: public names and no __all__")
            continue
        if len(exported) != len(set(exported)):
            wrong.append(f"{name}: a name twice")
        wrong += [f"{name}: {missing} is not defined" for missing in sorted(set(exported) - set(_defined(tree)))]
        wrong += [f"{name}: {missing} is public and not exported" for missing in sorted(public - set(exported))]
    assert wrong == []
