#!/usr/bin/env python3
"""Sets Conformed up beside this file and runs it. Needs Python 3.11 or newer and nothing else.

python3 start.py             sets up .venv, runs the sample pack, writes its report and says where it is
python3 start.py test        sets up what the tests need (PyTorch included) and runs them; more words go to pytest
python3 start.py faults      breaks things under the log for five minutes, and says what came of it (docs/faults.md)
python3 start.py setup       sets up what the tests need, and runs nothing
python3 start.py -- WORDS    sets up .venv and passes the words to the command line: start.py -- run PACK

Exit codes: 0 done; 1 a run or a test failed; 2 wrong usage; 3 the machine lacks something, and one line says what to do.
With -- the exit code is the command's own.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import NoReturn

HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
LOG = VENV / "setup.log"
PINS = "constraints/test.txt"
SAMPLE = "kestrel-breach"
FINISHED = {0: "pass", 10: "breach", 11: "not tested", 12: "review"}
GIB = 1024**3
NEEDED = {"base": 1 * GIB, "test": 4 * GIB}

TROUBLE = (
    ("no space left", "The disk is full. Free some space and run this again."),
    ("permission denied", f"Not allowed to write under {VENV}. Use a folder of your own, or remove .venv and run this again."),
    ("externally-managed", "This Python refuses installations. Remove .venv and run this again with another python3."),
    (
        "requires a different python",
        "This Python is too old for a package. Install Python 3.11 or newer and run this again with it.",
    ),
    ("name resolution", "There is no network to install from. Connect, or set pip's index to your mirror, and run this again."),
    (
        "failed to establish",
        "There is no network to install from. Connect, or set pip's index to your mirror, and run this again.",
    ),
    ("timed out", "The package index did not answer. Check the network or pip's proxy setting and run this again."),
    ("certificate", "The package index's certificate is not trusted. Set pip's cert setting to your bank's and run this again."),
    ("no matching distribution", "The package index lacks a package. Check pip's index setting and run this again."),
)


def stop(sentence: str) -> NoReturn:
    """Ends with one line for the person: something that only they can mend."""
    print(f"start.py: {sentence}", file=sys.stderr)
    raise SystemExit(3)


def check_machine(what: str) -> None:
    """Looks for what an installation would fail on, before it begins."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this very file must answer an old Python with a sentence
        stop(f"Python {sys.version.split()[0]} is too old. Install Python 3.11 or newer and run this again with it.")
    if not PYTHON.exists() and importlib.util.find_spec("ensurepip") is None:
        stop("This Python has no ensurepip. Install it (Debian, Ubuntu: apt install python3-venv) and run this again.")
    free = shutil.disk_usage(HERE).free
    if free < NEEDED[what] and not stamped(what):
        stop(
            f"{free / GIB:.1f} GB are free on the disk and {NEEDED[what] / GIB:.0f} GB are needed. Free some and run this again."
        )


def fingerprint(what: str) -> str:
    """What an installation depends on: when it changes, it is done again."""
    parts = [what, sys.version, str(HERE), *((HERE / name).read_text(encoding="utf-8") for name in ("pyproject.toml", PINS))]
    return hashlib.sha256("\n".join(parts).encode("utf-8")).hexdigest()


def stamped(what: str) -> bool:
    """Whether the installation is there as the files ask for it."""
    stamp = VENV / f".conformed-{what}"
    return PYTHON.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == fingerprint(what)


def torch_pin() -> str:
    """The exact PyTorch that the tests are known to pass with."""
    lines = (HERE / PINS).read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith("torch=="))


def make_venv() -> None:
    """Makes .venv, or makes it again where its Python no longer runs."""
    if (
        PYTHON.exists()
        and subprocess.run([str(PYTHON), "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0
    ):
        return
    try:
        venv.EnvBuilder(with_pip=True, clear=VENV.exists(), symlinks=os.name != "nt").create(VENV)
    except subprocess.CalledProcessError:
        stop("pip could not be put into .venv. Install python3-venv (Debian: apt install python3-venv) and run this again.")
    except OSError as problem:
        stop(f".venv cannot be made: {problem.strerror or problem}. Use a folder of your own with free space and run this again.")


def pip(*words: str) -> None:
    """Installs with pip, so that a bank's index and proxy settings count. What it says goes to a log."""
    command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", *words]
    with LOG.open("a", encoding="utf-8") as log:
        log.write(f"\n$ {' '.join(command)}\n")
        log.flush()
        code = subprocess.run(command, cwd=HERE, stdout=log, stderr=subprocess.STDOUT, check=False).returncode
    if code == 0:
        return
    said = LOG.read_text(encoding="utf-8", errors="replace").rpartition("\n$ ")[2]
    for sign, sentence in TROUBLE:
        if sign in said.lower():
            stop(sentence)
    last = next((line for line in reversed(said.splitlines()) if "ERROR" in line), "pip failed.")
    stop(f"{last.strip()} All that pip said is in {LOG}")


def set_up(what: str) -> None:
    """Brings .venv to what is asked for; a second time this takes no time."""
    check_machine(what)
    if stamped(what):
        return
    print(f"Setting up {VENV} ({'about a minute, 0.3 GB' if what == 'base' else 'some minutes, 1.5 GB'}) ...", flush=True)
    make_venv()
    if what == "base":
        pip("-e", ".")
    else:
        there = subprocess.run([str(PYTHON), "-c", "import torch"], capture_output=True, check=False).returncode == 0
        if not there:
            print(f"Installing {torch_pin()}: 0.2 GB as a CPU build, 3 GB where the index has CUDA builds only ...", flush=True)
            pip(torch_pin())
        print("Installing the rest of what the tests need ...", flush=True)
        pip("-e", ".[test]", *(() if there else ("-c", PINS)))
        (VENV / ".conformed-base").write_text(fingerprint("base"), encoding="utf-8")
    (VENV / f".conformed-{what}").write_text(fingerprint(what), encoding="utf-8")


def conformed(*words: str) -> int:
    """Runs the command line in .venv, in the folder where the person stands."""
    return subprocess.run([str(PYTHON), "-m", "conformed.cli", *words], check=False).returncode


def sample_pack() -> Path:
    """The sample that is run first: a breach if there is one, since it shows the most."""
    packs = sorted(pack.parent for pack in (HERE / "casefiles").glob("*/pack.yaml"))
    if not packs:
        stop("casefiles/ holds no sample pack: the copy of the project is not whole. Clone it again.")
    return next((pack for pack in packs if pack.name == SAMPLE), packs[0])


def run_sample() -> int:
    """Runs the sample pack and says where its report is."""
    set_up("base")
    pack = sample_pack()
    report = HERE / ".conformed" / "reports" / f"{pack.name}.html"
    report.parent.mkdir(parents=True, exist_ok=True)
    os.chdir(HERE)
    code = conformed("run", str(pack.relative_to(HERE)), "--html", str(report))
    if code not in FINISHED:
        print("start.py: the sample run did not finish; the line above says why.", file=sys.stderr)
        return 1
    print(f"\nThe run finished: {FINISHED[code]}. A person concludes; the software never does.")
    print(f"  Report      {report}")
    print("  Other packs python3 start.py -- run casefiles/NAME")
    print("  Your own    python3 start.py -- run PATH --test-date YYYY-MM-DD")
    print("  All words   python3 start.py -- --help")
    return 0


def run_tests(words: list[str]) -> int:
    """Runs the whole test suite, a file at a time on each core, four at most; the words ``-n 0`` run it in one process."""
    set_up("test")
    if "-n" not in words:
        words = ["-n", str(min(4, os.cpu_count() or 1)), "--dist", "loadfile", *words]
    return 1 if subprocess.run([str(PYTHON), "-m", "pytest", *words], cwd=HERE, check=False).returncode else 0


def run_faults(words: list[str]) -> int:
    """Runs the long run of faults."""
    set_up("test")
    return subprocess.run([str(PYTHON), "tests/faults/long/run.py", *words], cwd=HERE, check=False).returncode


def main(words: list[str]) -> int:
    """Does what the words ask."""
    if not words:
        return run_sample()
    first, *rest = words
    if first == "--":
        set_up("base")
        return conformed(*rest)
    if first == "test":
        return run_tests(rest)
    if first == "faults":
        return run_faults(rest)
    if first == "setup" and not rest:
        set_up("test")
        return 0
    if first in ("-h", "--help"):
        print(__doc__)
        return 0
    print(
        f"start.py: {first!r} is not known. Type: python3 start.py -- {' '.join(words)}, or python3 start.py --help",
        file=sys.stderr,
    )
    return 2


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
