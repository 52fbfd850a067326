"""python -m trial --minutes 10: see README.md."""

from __future__ import annotations

import argparse
import collections
import os
import pathlib
import pickle
import re
import sys
import time
from collections.abc import Callable

from . import found, graphs, guard, judge
from .graphs import Case
from .judge import Finding
from .shrink import shrink

BATCH = 60  # seeds of one mode, one after the other; of the slow one a few
PATIENCE = 90.0


def gist(finding: Finding) -> str:
    """What findings of one cause say alike: a message without names and numbers; of values only that they differ."""
    if finding.kind not in ("quiet", "refuses", "internal"):
        return ""
    text = re.sub(r"^turn \d+: ", "", finding.text)
    return re.sub(r"\d+|\"[^\"]*\"|'[^']*'|\[[^\]]*\]|\([^)]*\)", "", text.splitlines()[0] if text else "")[:90]


class Trial:
    def __init__(self, arguments: argparse.Namespace, job: int = 0, jobs: int = 1) -> None:
        self.arguments, self.job, self.jobs = arguments, job, jobs
        self.out: pathlib.Path = arguments.out
        self.counts: collections.Counter[str] = collections.Counter()
        self.signatures: dict[str, list[str]] = {}
        self.until = time.monotonic() + arguments.minutes * 60
        self.start = time.monotonic()
        self.shrinking = 0.0
        self.crashed: set[tuple[str, int]] = set()  # what ONNX Runtime does not survive

    def run(self) -> None:
        a = self.arguments
        modes = a.only.split(",") if a.only else list(graphs.MODES)
        if a.seed is not None:
            for mode in modes:
                self._batch(mode, [a.seed])
        seed = a.first + self.job * BATCH
        while a.seed is None and time.monotonic() < self.until:
            for mode in modes:
                step = 6 if mode == "large" and len(modes) > 1 else 1
                if time.monotonic() < self.until:
                    self._batch(mode, list(range(seed, seed + BATCH, step)))
            seed += BATCH * self.jobs

    def _batch(self, mode: str, seeds: list[int]) -> None:
        """One child for many seeds; another one for those behind a seed that ended it."""
        while seeds and (time.monotonic() < self.until or self.arguments.seed is not None):
            at: tuple[int, str] = (seeds[0], "start")
            pending: list[tuple[Case, Finding]] = []
            done = 0
            try:
                for kind, item in guard.each(self._work(mode, seeds), PATIENCE):
                    if kind == "at":
                        at = item
                        done = seeds.index(at[0])
                    elif kind == "counts":
                        self.counts.update(item)
                    elif kind == "finding":
                        pending.append(item)
                seeds = []
            except guard.Died as e:
                again = at[1] == "onnxruntime"  # by the nodes alone
                self.crashed.update([(mode, at[0])] if again else [])
                seeds = seeds[done if again else done + 1 :]
                self._died(mode, at, e.why)
            for case, finding in pending:
                self._found(case, finding)

    def _work(self, mode: str, seeds: list[int]) -> Callable[[guard.Send], None]:
        runtime = not self.arguments.without_onnxruntime

        def work(send: guard.Send) -> None:
            for seed in seeds:
                if time.monotonic() > self.until and self.arguments.seed is None:
                    return
                send(("at", (seed, "drawing")))
                case = graphs.draw_case(seed, mode)
                if case is None:
                    send(("counts", {"not drawn": 1}))
                    continue

                def phase(name: str, seed: int = seed) -> None:
                    send(("at", (seed, name)))

                asked = runtime and (mode, seed) not in self.crashed
                verdict = judge.judge(case, only=self._ways(), phase=phase, runtime=asked)
                send(("counts", verdict.counts))
                kinds: set[str] = set()
                for finding in verdict.findings:
                    if finding.kind not in kinds:
                        kinds.add(finding.kind)
                        send(("finding", (case, finding)))

        return work

    def _ways(self) -> list[str]:
        return [w for w in judge.all_ways() if re.search(self.arguments.ways, w)]

    def _died(self, mode: str, at: tuple[int, str], why: str) -> None:
        seed, phase = at
        if phase == "onnxruntime":
            self.counts["known difference: onnxruntime ended its process"] += 1
            return
        print(f"{self._clock()} {mode} {seed}: {why} while {phase}", flush=True)
        if phase in ("drawing", "start", "truth", "compare", "onnx's evaluator"):
            self._note(f"crash: {why} while {phase}", f"{mode} {seed}")
            return
        for case in guard.each(lambda send: send(graphs.draw_case(seed, mode)), PATIENCE):
            self._found(case, Finding("crash" if why.startswith("SIG") else why, phase, 0, why))

    def _fails(self, finding: Finding) -> Callable[[Case], Finding | None]:
        only = [finding.way] if finding.kind != "threads" else [w for w in judge.all_ways() if w.endswith("threads")]
        of_nodes = finding.way.startswith("nodes")

        def fails(case: Case) -> Finding | None:
            verdict = judge.judge(case, only=[] if of_nodes else only, runtime=of_nodes or finding.kind == "refuses")
            return next((f for f in verdict.findings if f.kind == finding.kind and gist(f) == gist(finding)), None)

        def dies(case: Case) -> Finding | None:
            try:
                collections.deque(guard.each(lambda send: fails(case), 20), 0)
            except guard.Died as e:
                return finding if e.why == finding.text else None
            return None

        return dies if finding.text == finding.kind or finding.kind == "crash" else fails

    def _found(self, case: Case, finding: Finding) -> None:
        """Makes it small in a child, as far as the time for that goes."""
        begun = time.monotonic()
        smallest, last = case, finding
        if self.shrinking < 20 + 0.5 * (begun - self.start):
            seconds = self.arguments.shrink

            def work(send: guard.Send) -> None:
                shrink(case, self._fails(finding), seconds, send)

            try:
                for better in guard.each(work, seconds + 30):
                    smallest, last = better
            except guard.Died:
                pass
        self.shrinking += time.monotonic() - begun
        sign = found.signature(smallest, last)
        if sign not in self.signatures:
            try:
                for _ in guard.each(lambda send: found.write(self.out, smallest, last, case), 60):
                    pass
            except guard.Died as e:
                print(f"not written: {e.why}", flush=True)
            first = last.text.splitlines()[0][:150] if last.text else ""
            print(f"{self._clock()} {case.mode}-{case.seed} {sign} [{last.way}] {first}", flush=True)
        self._note(sign, f"{case.mode} {case.seed}")

    def _note(self, sign: str, seed: str) -> None:
        self.signatures.setdefault(sign, []).append(seed)

    def _clock(self) -> str:
        passed = int(time.monotonic() - self.start)
        return f"{passed // 60}:{passed % 60:02}"


def print_report(counts: collections.Counter[str], signatures: dict[str, list[str]], out: pathlib.Path) -> int:
    print("== counts")
    for name, count in sorted(counts.items()):
        print(f"{count:9} {name}")
    total = sum(map(len, signatures.values()))
    print(f"== {total} findings, {len(signatures)} signatures" + (f", in {out}" if total else ""))
    for sign, seeds in sorted(signatures.items(), key=lambda x: -len(x[1])):
        print(f"{len(seeds):6} {sign}   ({', '.join(seeds[:3])})")
    return 1 if total else 0


def run(arguments: argparse.Namespace) -> int:
    """As many processes as there are jobs, each with every so many batch of seeds."""
    jobs = 1 if arguments.seed is not None else arguments.jobs or len(os.sched_getaffinity(0))
    arguments.out.mkdir(parents=True, exist_ok=True)
    children = []
    for job in range(jobs):
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            trial = Trial(arguments, job, jobs)
            trial.run()
            (arguments.out / f".job{job}").write_bytes(pickle.dumps((trial.counts, trial.signatures)))
            sys.stdout.flush()
            os._exit(0)
        children.append(pid)
    counts: collections.Counter[str] = collections.Counter()
    signatures: dict[str, list[str]] = {}
    for job, pid in enumerate(children):
        if os.waitpid(pid, 0)[1]:
            signatures.setdefault("the trial itself", []).append(f"job {job}")
            continue
        part = arguments.out / f".job{job}"
        more, signs = pickle.loads(part.read_bytes())
        part.unlink()
        counts.update(more)
        for sign, seeds in signs.items():
            signatures.setdefault(sign, []).extend(seeds)
    return print_report(counts, signatures, arguments.out)


def main() -> int:
    parser = argparse.ArgumentParser(prog="trial", description="Random models, run every way there is.")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, help="this one alone")
    parser.add_argument("--first", type=int, default=0, help="where seeds begin")
    parser.add_argument("--jobs", type=int, default=0, help="processes that draw; 0 is one for each core")
    parser.add_argument("--only", default="", help=f"modes: {', '.join(graphs.MODES)}")
    parser.add_argument("--ways", default="", help='a pattern: only sessions that are made so ("threads|all")')
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/trial/found"))
    parser.add_argument("--shrink", type=float, default=20, help="seconds for making one finding small")
    parser.add_argument("--without-onnxruntime", action="store_true")
    return run(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
