"""Which test files catch which mutants of `lib`: drawn by lot, one process a mutant.

python kill_list.py reach FILE        which lines of lib each short test reaches
python kill_list.py draw SEED N FILE  draw N mutants over lib's folders
python kill_list.py run REACH MUTANTS OUT
"""

# ruff: noqa
# mypy: ignore-errors

import ast
import collections
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

ROOT = Path.cwd()
TESTS = ["tests/lib", "tests/exercises", "tests/tools"]
SHORT = 1.0  # seconds
PER_FILE = 30  # of the tests of a file that reach the line, the shortest
QUIET = ["-p", "no:cacheprovider", "-q", "--no-header", "--tb=no", "-x0"]


class Reach:
    """Note for every short test the lines of lib that it runs."""

    def __init__(self):
        import coverage

        self.cov = coverage.Coverage(
            data_file=None,
            include=[str(ROOT / "lib/*")],
            omit=[str(ROOT / "lib/exercises/*")],
            config_file=False,
        )
        self.cov.start()
        self.lines, self.times, self.began = {}, {}, {}

    def pytest_runtest_logstart(self, nodeid, location):
        self.began[nodeid] = time.perf_counter()
        self.cov.switch_context(nodeid)

    def pytest_runtest_logfinish(self, nodeid, location):
        self.times[nodeid] = time.perf_counter() - self.began[nodeid]
        self.cov.switch_context("")

    def save(self, path):
        self.cov.stop()
        data = self.cov.get_data()
        reach = {}
        for file in data.measured_files():
            name = str(Path(file).relative_to(ROOT))
            reach[name] = {
                str(n): [c for c in cs if c]
                for n, cs in data.contexts_by_lineno(file).items()
            }
        Path(path).write_text(json.dumps({"times": self.times, "reach": reach}))


class Mutator(ast.NodeTransformer):
    """Count the places that can be changed, and change the one that was drawn."""

    def __init__(self, wanted=-1, seed=0):
        self.wanted, self.count, self.done = wanted, 0, None
        self.random = random.Random(seed)
        self.inside = 0
        self.doc = set()
        self.sites = []

    def _here(self, node, kind):
        if not self.inside:
            return False
        self.sites.append((node.lineno, kind))
        self.count += 1
        return self.count - 1 == self.wanted

    def visit_FunctionDef(self, node):
        if (
            node.body
            and isinstance(node.body[0], ast.Expr)
            and isinstance(node.body[0].value, ast.Constant)
        ):
            self.doc.add(id(node.body[0]))
            self.doc.add(id(node.body[0].value))
        self.inside += 1
        node.body = [self.visit(s) for s in node.body]
        self.inside -= 1
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        node.body = [self.visit(s) for s in node.body]
        return node

    def visit_Raise(self, node):
        return node  # the sentence of a refusal is nobody's arithmetic

    def visit_AnnAssign(self, node):
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_JoinedStr(self, node):
        return node

    def _note(self, before, after):
        self.done = f"{before} → {after}"

    def visit_Compare(self, node):
        if self._here(node, "operator"):
            before = ast.unparse(node)
            swap = {
                ast.Lt: ast.LtE,
                ast.LtE: ast.Lt,
                ast.Gt: ast.GtE,
                ast.GtE: ast.Gt,
                ast.Eq: ast.NotEq,
                ast.NotEq: ast.Eq,
                ast.Is: ast.IsNot,
                ast.IsNot: ast.Is,
                ast.In: ast.NotIn,
                ast.NotIn: ast.In,
            }
            node.ops[0] = swap[type(node.ops[0])]()
            self._note(before, ast.unparse(node))
            return node
        return self.generic_visit(node)

    def visit_BinOp(self, node):
        if self._here(node, "operator"):
            before = ast.unparse(node)
            swap = {
                ast.Add: ast.Sub,
                ast.Sub: ast.Add,
                ast.Mult: ast.Div,
                ast.Div: ast.Mult,
                ast.FloorDiv: ast.Mult,
                ast.Mod: ast.Mult,
                ast.Pow: ast.Mult,
                ast.MatMult: ast.Add,
                ast.BitAnd: ast.BitOr,
                ast.BitOr: ast.BitAnd,
            }
            node.op = swap.get(type(node.op), ast.Sub)()
            self._note(before, ast.unparse(node))
            return node
        return self.generic_visit(node)

    def visit_BoolOp(self, node):
        if self._here(node, "operator"):
            before = ast.unparse(node)
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            self._note(before, ast.unparse(node))
            return node
        return self.generic_visit(node)

    def visit_UnaryOp(self, node):
        if self._here(node, "operator"):
            self._note(ast.unparse(node), ast.unparse(node.operand))
            return node.operand
        return self.generic_visit(node)

    def visit_Constant(self, node):
        if id(node) in self.doc or node.value is None or node.value is Ellipsis:
            return node
        if self._here(node, "constant"):
            v = node.value
            new = (
                (not v)
                if isinstance(v, bool)
                else v + 1
                if isinstance(v, (int, float))
                else v + "x"
                if isinstance(v, str)
                else v + b"x"
            )
            self._note(ast.unparse(node), repr(new))
            return ast.copy_location(ast.Constant(new), node)
        return node

    def visit_Call(self, node):
        if (node.keywords or len(node.args) > 1) and self._here(node, "argument"):
            before = ast.unparse(node)
            if node.keywords and (len(node.args) < 2 or self.random.random() < 0.5):
                node.keywords.pop(self.random.randrange(len(node.keywords)))
            else:
                i = self.random.randrange(len(node.args) - 1)
                node.args[i], node.args[i + 1] = node.args[i + 1], node.args[i]
            self._note(before, ast.unparse(node))
            return node
        return self.generic_visit(node)

    def _statement(self, node):
        if id(node) in self.doc:
            return node
        if self._here(node, "statement"):
            self._note(ast.unparse(node).splitlines()[0], "nothing")
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)

    visit_Expr = visit_Assign = visit_AugAssign = visit_Return = visit_Delete = (
        visit_Continue
    ) = visit_Break = _statement


def mutated(name, wanted, seed):
    tree = ast.parse((ROOT / name).read_text())
    mutator = Mutator(wanted, seed)
    tree = ast.fix_missing_locations(mutator.visit(tree))
    return tree, mutator


def draw(seed, number, reach):
    lot = random.Random(seed)
    folders = collections.defaultdict(list)
    for p in sorted(ROOT.glob("lib/**/*.py")):
        name = str(p.relative_to(ROOT))
        if "exercises" in name or "shipped" in name:
            continue
        folders[str(Path(name).parent)].append(name)
    drawn = []
    while len(drawn) < number:
        folder = lot.choice(sorted(folders))
        weights = [mutated(n, -1, 0)[1].count for n in folders[folder]]
        if not sum(weights):
            continue
        name = lot.choices(folders[folder], weights)[0]
        _, counted = mutated(name, -1, 0)
        wanted = lot.randrange(counted.count)
        its_seed = lot.randrange(10**6)
        _, made = mutated(name, wanted, its_seed)
        if made.done is None or any(
            d["name"] == name and d["site"] == wanted for d in drawn
        ):
            continue
        line, kind = made.sites[wanted]
        drawn.append(
            {
                "name": name,
                "site": wanted,
                "seed": its_seed,
                "line": line,
                "kind": kind,
                "change": made.done,
            }
        )
    return drawn


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Give the mutant in place of its module."""

    def __init__(self, mutant):
        self.mutant = mutant
        parts = Path(mutant["name"]).with_suffix("").parts
        self.package = parts[-1] == "__init__"
        self.module = ".".join(parts[:-1] if self.package else parts)

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self.module:
            return None
        where = str(ROOT / self.mutant["name"])
        return importlib.util.spec_from_file_location(
            fullname,
            where,
            loader=self,
            submodule_search_locations=[str(Path(where).parent)]
            if self.package
            else None,
        )

    def create_module(self, spec):
        return None

    def get_filename(self, fullname):
        return str(ROOT / self.mutant["name"])

    def get_source(self, fullname):
        return (ROOT / self.mutant["name"]).read_text()

    def is_package(self, fullname):
        return self.package

    def exec_module(self, module):
        tree, _ = mutated(self.mutant["name"], self.mutant["site"], self.mutant["seed"])
        exec(compile(tree, str(ROOT / self.mutant["name"]), "exec"), module.__dict__)


class Files:
    """Leave a file at its first failure, and note which failed, by which test."""

    def __init__(self, out):
        self.out, self.failed = out, {}

    def pytest_runtest_protocol(self, item, nextitem):
        file = item.nodeid.split("::")[0]
        if file in self.failed:
            return True
        with open(self.out, "a") as out:
            out.write(f"run {item.nodeid}\n")
        return None

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self._note(report.nodeid)

    def pytest_collectreport(self, report):
        if report.failed:
            self._note(report.nodeid)

    def _note(self, nodeid):
        file = nodeid.split("::")[0]
        if file not in self.failed:
            self.failed[file] = nodeid
            with open(self.out, "a") as out:
                out.write(f"fail {nodeid}\n")


def chosen(mutant, reached, times):
    tests = reached.get(mutant["name"], {}).get(str(mutant["line"]), [])
    by_file = collections.defaultdict(list)
    for test in sorted(tests, key=lambda t: times.get(t, 9)):
        if times.get(test, 9) < SHORT:
            by_file[test.split("::")[0]].append(test)
    return [t for file in by_file.values() for t in file[:PER_FILE]]


def one(mutant, tests, limit=240):
    out = Path(f"/tmp/kill-{os.getpid()}.txt")
    out.write_text("")
    child = os.fork()
    if not child:
        os.setsid()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        sys.meta_path.insert(0, Finder(mutant))
        import pytest

        try:
            pytest.main(
                [*QUIET[:5], "--continue-on-collection-errors", *tests],
                plugins=[Files(out)],
            )
        finally:
            os._exit(0)
    began, late = time.time(), False
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        time.sleep(0.1)
        if time.time() - began > limit:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            late = True
            break
    lines = out.read_text().splitlines()
    failed = {
        line[5:].split("::")[0]: line[5:]
        for line in reversed(lines)
        if line.startswith("fail ")
    }
    if late and lines and lines[-1].startswith("run "):
        failed[lines[-1][4:].split("::")[0]] = lines[-1][4:] + " (did not end)"
    return failed


def main():
    if sys.argv[1] == "reach":
        import pytest

        plugin = Reach()
        pytest.main([*QUIET[:5], *TESTS], plugins=[plugin])
        plugin.save(sys.argv[2])
    elif sys.argv[1] == "draw":
        Path(sys.argv[4]).write_text(
            json.dumps(
                draw(int(sys.argv[2]), int(sys.argv[3]), None),
                indent=1,
                ensure_ascii=False,
            )
        )
    else:
        known = json.loads(Path(sys.argv[2]).read_text())
        mutants = json.loads(Path(sys.argv[3]).read_text())
        out = Path(sys.argv[4])
        done = json.loads(out.read_text()) if out.exists() else []
        import lightning, matplotlib.pyplot, numpy, pytest, torch  # noqa

        for mutant in mutants[len(done) :]:
            tests = chosen(mutant, known["reach"], known["times"])
            began = time.time()
            caught = one(mutant, tests) if tests else {}
            done.append(
                {
                    **mutant,
                    "tests": len(tests),
                    "caught": caught,
                    "seconds": round(time.time() - began),
                }
            )
            out.write_text(json.dumps(done, indent=1, ensure_ascii=False))


main()
