"""The commands on a real model: pinned by hand, and shown as it is asked."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_qwen import COMMIT, SPARE

from conformed.cli.entry import run_command_line

CARD = f"""\
model: small
source: {{kind: repository, repository: Qwen/Qwen3-0.6B, commit: {COMMIT}}}
licence: Apache-2.0
architecture: Qwen3ForCausalLM
stored: float32
spare_ids: {SPARE}
owner: Model risk
"""


@pytest.fixture
def ask(
    tmp_path: Path, copied: Callable[[], Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Types a command in a workspace in which the small model is pinned by the command."""
    folder = copied()
    (folder / "manifest.json").unlink()
    (tmp_path / "policies" / "models").mkdir(parents=True)
    (tmp_path / "policies" / "covenant.yaml").touch()
    (tmp_path / "policies" / "models" / "small.yaml").write_text(CARD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CONFORMED_WORKSPACE", raising=False)

    def typed(*words: str) -> tuple[int, str, str]:
        code = run_command_line(["models", *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    assert typed("pin", "small", "./small")[0] == 0
    return typed


def inspected(ask: Callable[..., tuple[int, str, str]], *words: str) -> dict[str, Any]:
    """What the command says, as JSON."""
    code, out, err = ask("inspect-template", "./small", "--json", *words)
    assert (code, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found


def test_a_prompt_is_shown_as_the_model_reads_it(ask: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    """Token count, first and last 12 ids, the text and the template's hash; the modes differ, the hash does not."""
    off = inspected(ask, "--message", "What is the level?")
    assert off["text"] == "<|im_start|>user\nWhat is the level?<|im_end|><|im_start|>assistant<think>\n\n</think>\n\n"
    assert (len(off["first"]), len(off["last"]), off["tokens"] > 12) == (12, 12, True)
    (tmp_path / "prompt.txt").write_text("What is the level?")
    on = inspected(ask, "--file", "prompt.txt", "--thinking", "on", "--system", "Answer.")
    assert on["text"].startswith("<|im_start|>system\nAnswer.<|im_end|>")
    assert on["text"].endswith("<|im_start|>assistant")
    assert on["template_sha256"] == off["template_sha256"]
    assert off["first"] == inspected(ask, "--message", "What is the level of debt?")["first"]


def test_the_terminal_obeys_nothing_of_a_prompt(
    ask: Callable[..., tuple[int, str, str]], caplog: pytest.LogCaptureFixture
) -> None:
    """Control characters of a prompt are shown as blanks, each line behind a bar; no log has a word of it."""
    with caplog.at_level(logging.DEBUG):
        code, out, err = ask("inspect-template", "./small", "--message", "Fenwick\x1b[31m\nsecond")
    assert (code, err) == (0, "")
    assert "| Fenwick [31m" in out
    assert "| second<|im_end|>" in out
    assert "\x1b" not in out
    assert "Fenwick" not in caplog.text


def test_an_altered_model_is_not_shown(ask: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    """The template of a folder that is not as pinned is not looked at."""
    with (tmp_path / "small" / "chat_template.jinja").open("a") as stream:
        stream.write(" ")
    code, out, err = ask("inspect-template", "./small", "--message", "x")
    assert (code, out) == (1, "")
    assert "chat_template.jinja: altered" in err
