"""What counts as right: exact, type for type, judged outside, and never what the program says of itself."""

from __future__ import annotations

from typing import Any

import pytest

from conformed.model.answer import AnswerCheck
from conformed_plugins.verifiers.code.limits import CodeOptions
from conformed_plugins.verifiers.code.verifier import CodeVerifier

from .conftest import Judge


@pytest.mark.parametrize(
    ("body", "gives"),
    [
        ("1", 1), ("-7", -7), ("10**40", 10**40), ("'a\\u00e9\\n'", "aé\n"), ("None", None), ("True", True), ("[1, [2, {}]]", [1, [2, {}]]),
        ("{'b': 1, 'a': [None]}", {"a": [None], "b": 1}), ("'\\ud800'", "\ud800"), ("''", ""),
    ],
)  # fmt: skip
def test_right_results_are_right(judge: Judge, body: str, gives: Any) -> None:
    """Every kind of JSON value is returned as it is and found right; the order of keys does not count."""
    assert judge(f"def f(): return {body}", gives=gives).verdict.outcome == "correct"


@pytest.mark.parametrize(
    ("body", "gives"),
    [
        ("1.0", 1), ("True", 1), ("1", True), ("'1'", 1), ("1", "1"), ("None", "null"), ("'null'", None), ("[1]", [1, 1]), ("0", False),
        ("[]", None), ("{}", []), ("-1", 1), ("{'a': 1, 'b': 2}", {"a": 1}), ("'a '", "a"), ("'A'", "a"), ("'e\\u0301'", "é"),
    ],
)  # fmt: skip
def test_what_is_nearly_right_is_wrong(judge: Judge, body: str, gives: Any) -> None:
    """1, 1.0, true and "1" are four answers."""
    assert judge(f"def f(): return {body}", gives=gives).verdict.code == "test_failed:public:wrong_answer"


@pytest.mark.parametrize(
    "body",
    [
        "(1, 2)", "{1, 2}", "b'1'", "float('nan')", "float('inf')", "-float('inf')", "1j", "object()", "[float('nan')]", "{1: 2}", "iter([1, 2])",
        "type('I', (int,), {'__eq__': lambda a, b: True, '__hash__': None})(1)", "type('L', (list,), {})([1, 2])", "type('S', (str,), {})('1')",
        "type('D', (dict,), {})(a=1)", "__import__('fractions').Fraction(1)", "__import__('decimal').Decimal(1)", "print", "(x := [], x.append(x), x)[2]",
    ],
)  # fmt: skip
def test_what_is_no_json_is_no_answer(judge: Judge, body: str) -> None:
    """Tuples, sets, NaN, subclasses and objects that equal everything are refused, whatever was expected."""
    for gives in (1, [1, 2]):
        assert judge(f"def f(): return {body}", gives=gives).verdict.code == "test_failed:public:not_json"


def test_floats_are_compared_as_text() -> None:
    """A float can be given as JSON text and is right only where it is the same double; no tolerance is applied."""
    verifier = CodeVerifier(CodeOptions(cpu_s=1))
    if verifier.check(_call("def f(x): return x / 2", "[0.5]", "0.25")).code.startswith("sandbox_unavailable"):
        pytest.skip("no sandbox on this machine")
    assert verifier.check(_call("def f(x): return x / 2", "[0.5]", "0.25")).outcome == "correct"
    assert verifier.check(_call("def f(): return 0.1 + 0.2", "[]", "0.3")).outcome == "incorrect"
    assert verifier.check(_call("def f(): return -0.0", "[]", "0.0")).outcome == "incorrect"
    assert verifier.check(_call("def f(): return 1", "[]", "1.0")).outcome == "incorrect"


def _call(program: str, arguments: str, result: str) -> AnswerCheck:
    test = {"kind": "call", "function": "f", "arguments_json": arguments, "result_json": result}
    return AnswerCheck(candidate=program, reference="", facts={"tests": {"hidden": [test]}})


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("import sys\nsys.exit(0)", "wrong_answer"),
        ("import os\nos._exit(0)", "wrong_answer"),
        ("def f(): raise SystemExit(0)", "wrong_answer"),
        ("def f():\n    import os\n    os.write(1, b'5')\n    os.write(2, b'ready\\ncompiled\\n')\n    os._exit(0)", "wrong_answer"),
        ("import os\nfor i in range(3, 30):\n    try: os.write(i, b'passed')\n    except OSError: pass\ndef f(): return 6", "wrong_answer"),
        ("import os, threading\ndef f():\n    os.write(3, b'6'); return 5", "wrong_answer"),
        ("import json\njson.dumps = lambda *a, **k: '{\"outcome\": \"correct\"}'\ndef f(): return 6", "wrong_answer"),
        ("import builtins\nbuiltins.type = lambda *a: int\ndef f(): return object()", "not_json"),
        ("import atexit, os\natexit.register(lambda: os._exit(0))\ndef f(): return 6", "wrong_answer"),
        ("import sys\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)\ndef f(): return 6", "wrong_answer"),
        ("import __main__\n__main__._plain = lambda *a: True\ndef f(): return (5,)", "wrong_answer"),
        ("import __main__\n__main__._leave = print\ndef f(): raise ValueError", ""),
        ("import sys\nclass M(type(sys)): pass\nsys.excepthook = print\ndef f(): raise KeyError('5')", "raised"),
        ("class E(BaseException):\n    def __str__(self): raise self\ndef f(): raise E", "raised"),
        ("def f(): raise KeyboardInterrupt", "raised"),
        ("import os\ndef f(): os._exit(81)", "raised"),
        ("import os\ndef f(): os.abort()", "raised"),
        ("import ctypes\ndef f(): return ctypes.string_at(0)", "raised"),
        ("f = 5", "no_function"),
        ("def g(): return 5", "no_function"),
        ("def f(x): return 5", "raised"),
        ("async def f(): return 5", "not_json"),
        ("def f(): yield 5", "not_json"),
        ("raise RuntimeError('5')", "raised"),
        ("import numpy\ndef f(): return 5", "raised"),
    ],
)  # fmt: skip
def test_success_cannot_be_forged(judge: Judge, program: str, code: str) -> None:
    """Leaving early, writing elsewhere, patching the runner: none passes a test whose answer the program does not give."""
    found = judge(program, gives=5)
    assert found.verdict.outcome == "incorrect", found
    assert code in found.verdict.code


def test_the_right_result_is_nowhere_inside(judge: Judge) -> None:
    """A program that reads all that it can reach (its files, its input, its memory of the job) does not find what is expected."""
    program = """
import gc, os, sys
def f(x):
    texts = [open(os.path.join('/job', name), 'rb').read().decode() for name in sorted(os.listdir('/job'))]
    texts += [sys.stdin.read(), str(os.environ), str(sys.argv), str([o for o in gc.get_objects() if type(o) in (list, dict, tuple)])]
    return [str(991_000 + 7 * x) in text for text in texts]
"""
    found = judge(program, 11, gives=991_077, hidden=True)
    assert found.verdict.code == "test_failed:hidden:wrong_answer"
    found = judge(program, 11, gives=[False] * 7, hidden=True)  # and so it says
    assert found.verdict.outcome == "correct"


@pytest.mark.parametrize(
    ("program", "output", "outcome"),
    [
        ("print(5)", "5", "correct"), ("print(5)", "5\n\n", "correct"), ("print('5', end='')", "5\n", "correct"), ("print('5\\n\\n')", "5", "correct"),
        ("import sys\nprint(5)\nsys.exit(0)", "5", "correct"), ("print('5 ')", "5", "incorrect"), ("print(' 5')", "5", "incorrect"),
        ("print(5); print(6)", "5", "incorrect"), ("print('5\\r')", "5", "incorrect"), ("print('5.0')", "5", "incorrect"), ("", "5", "incorrect"),
        ("import sys\nprint(5)\nsys.exit(1)", "5", "incorrect"), ("print(5)\nraise ValueError", "5", "incorrect"), ("print('\\n5')", "5", "incorrect"),
        ("import os\nprint(5, flush=True)\nos.kill(os.getpid(), 15)", "5", "incorrect"), ("import sys\nprint(5, file=sys.stderr)", "5", "incorrect"),
        ("print(__name__)", "__main__", "correct"), ("import sys\nprint(sys.stdin.read().upper())", "ÉTÉ\n1", "correct"), ("print(input())", "été", "correct"),
        ("print(list({'a', 'b', 'c', 'd'}) == list({'a', 'b', 'c', 'd'}))", "True", "correct"),
    ],
)  # fmt: skip
def test_printed_answers_count_to_the_byte(judge: Judge, program: str, output: str, outcome: str) -> None:
    """Only line ends at the very end do not count; a program that fails after printing has failed."""
    assert judge(program, stdin="été\n1\n", gives=output).verdict.outcome == outcome


def test_sets_come_in_one_order(judge: Judge) -> None:
    """The order of a set of words is the same in every run, so a verdict does not change from run to run."""
    program = "print(list({'alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta'}))"
    first = judge(program, stdin="", gives="").feedback[0].shown
    assert all(judge(program, stdin="", gives="").feedback[0].shown == first for _ in range(3))


@pytest.mark.parametrize(
    "program",
    [
        "def f(:",
        "return 5",
        "x = \x00",
        "\tx\n  y",
        "'\ud800'",
        "f'{'",
        "def f(): return 5\n  x",
        "(" * 150 + ")" * 149,
        "await f()",
    ],
)
def test_what_does_not_compile_is_incorrect(judge: Judge, program: str) -> None:
    """A syntax error is told apart from what a program does; none of its lines was run."""
    found = judge(program, gives=5)
    assert (found.verdict.outcome, found.verdict.code) == ("incorrect", "syntax_error")


def test_a_program_too_deep_for_the_compiler_is_no_answer(judge: Judge) -> None:
    """Source that exhausts the compiler ends inside the sandbox, as the program's failure, and not in this process."""
    for program in (
        "(" * 100_000,
        "-" * 200_000 + "1",
        "x" + ".x" * 60_000,
        "[" * 90 + "]" * 90 + "\nx = " + "f(" * 99 + ")" * 99,
    ):
        assert judge(program, gives=5).verdict.outcome == "incorrect"


def test_feedback_holds_public_tests_alone(judge: Judge, small: CodeOptions) -> None:
    """A failing public test is fed back whole; of a failing hidden one nothing is, not even what the program said about it."""
    public = {"kind": "call", "function": "f", "arguments": [2], "result": 4}
    hidden = {"kind": "call", "function": "f", "arguments": [31_337], "result": 62_674}
    verifier = CodeVerifier(small)

    def ask(program: str) -> Any:
        return verifier.judge(
            AnswerCheck(candidate=program, reference="", facts={"tests": {"public": [public], "hidden": [hidden]}})
        )

    found = ask("def f(x):\n    y = x + 1\n    return y")
    assert found.feedback[0].given == "f(*[2])"
    assert (found.feedback[0].expected, found.feedback[0].shown, found.feedback[0].number) == ("4", "3", 1)
    found = ask("def f(x):\n    return x // 0")
    assert found.feedback[0].said == "ZeroDivisionError: integer division or modulo by zero (line 2)"
    for wrong in (
        "return 4",
        "raise SystemExit(repr(x))",
        "import os; os.write(2, b'%d' % x); os._exit(81)",
        "raise ValueError(x)",
    ):
        found = ask(f"def f(x):\n    if x == 2: return 4\n    {wrong}")
        assert found.verdict.code.startswith("test_failed:hidden:")
        assert found.feedback == ()
        assert "31337" not in repr(found)
    assert ask("def f(x): return 2 * x").verdict.outcome == "correct"


def test_the_first_three_failures_are_fed_back(judge: Judge, small: CodeOptions) -> None:
    """A failure that was found stays one, also where the time for the rest is over."""
    tests = [{"kind": "call", "function": "f", "arguments": [n], "result": n % 2} for n in range(8)]
    request = AnswerCheck(candidate="def f(n): return 0", reference="", facts={"tests": {"public": tests}})
    found = CodeVerifier(small).judge(request)
    assert [one.number for one in found.feedback] == [2, 4, 6]
    assert found.sentence == "Public test 2 failed."
    slow = "import time\ndef f(n):\n    time.sleep(60 * n)\n    return 1"
    request = AnswerCheck(candidate=slow, reference="", facts={"tests": {"public": tests}})
    found = CodeVerifier(small.model_copy(update={"total_s": 3})).judge(request)
    assert found.verdict.code in (
        "test_failed:public:wrong_answer",
        "tests_not_finished",
    )  # the latter where the machine is too busy
    assert (found.verdict.outcome == "incorrect") == bool(found.feedback)


def test_every_test_has_a_sandbox_of_its_own(judge: Judge, small: CodeOptions) -> None:
    """What a program keeps, in a file or in a module, is gone when the next test begins."""
    program = "import os\nn = 0\ndef f():\n    global n\n    n += 1\n    open('a', 'a').write('x')\n    return [n, len(open('a').read())]"
    test = {"kind": "call", "function": "f", "arguments": [], "result": [1, 1]}
    request = AnswerCheck(candidate=program, reference="", facts={"tests": {"public": [test] * 2, "hidden": [test] * 2}})
    assert CodeVerifier(small).check(request).outcome == "correct"


def test_a_check_has_an_end_in_all(judge: Judge, small: CodeOptions) -> None:
    """When the time of all tests together is over the check goes to a person: not all was looked at, nothing was found wrong."""
    test = {"kind": "stdin", "input": "", "output": ""}
    request = AnswerCheck(candidate="import time\ntime.sleep(0.7)", reference="", facts={"tests": {"hidden": [test] * 20}})
    found = CodeVerifier(small.model_copy(update={"total_s": 1})).check(request)
    assert (found.outcome, found.code) == ("review", "tests_not_finished")
