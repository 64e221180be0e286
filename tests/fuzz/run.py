# SPDX-License-Identifier: Apache-2.0
"""run.py [--seconds N|--coverage|--keep] [--fresh] [--junit FILE] TARGET... - runs fuzz targets that are built.

Two at a time, a line for each.  New inputs are kept in build/fuzz/found, and later runs go on from them
(not with --fresh, which begins with the seeds alone); inputs that fail are kept in build/fuzz/crashes.
--coverage runs no new inputs: it says how much of the files that a target names ("covers:") its inputs
reach, and fails below 90 % of the lines of any.  --keep makes seeds of what was found: the fewest inputs
that reach as much, beside the seeds that have a name.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.sax.saxutils

ROOT = pathlib.Path(__file__).resolve().parents[2]
FUZZ = ROOT / "build/fuzz"
COVER = ROOT / "build/fuzz-coverage"
CRASHES = FUZZ / "crashes"
LEAST = 90  # per cent of the lines
SEEDS = 200  # files of a target
# The first line of a report that says what is wrong.
REASON = re.compile(r".*(ERROR: |runtime error: |does not hold|: Assertion).*")


def seeds(name):
    return ROOT / "tests/fuzz/corpus" / name


def environment(**more):
    return {**os.environ, "ASAN_OPTIONS": "abort_on_error=0:exitcode=99:detect_stack_use_after_return=1",
            "UBSAN_OPTIONS": "print_stacktrace=1", **more}


def folders_of(name):
    """Where the target's inputs are."""
    return [folder for folder in (seeds(name), FUZZ / "found" / name) if folder.is_dir()]


def inputs_of(folder):
    return {path for path in folder.iterdir() if path.is_file()}


def fuzz(name, seconds, found):
    """(passed, lines): one target for so long."""
    program, log = FUZZ / "fuzz" / f"fuzz_{name}", FUZZ / "log" / name
    for folder in (found, log.parent, CRASHES):
        folder.mkdir(parents=True, exist_ok=True)
    before, crashed, begun = inputs_of(found), set(CRASHES.glob(f"{name}-*")), time.monotonic()
    with log.open("w") as out:
        status = subprocess.run(
            [program, f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=2048", "-print_final_stats=1",
             f"-artifact_prefix={CRASHES}/{name}-", found, seeds(name)],
            stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment()).returncode
    text = log.read_text(errors="replace")
    runs = re.search(r"number_of_executed_units: (\d+)", text)
    lines = [f"{name:9} {time.monotonic() - begun:6.0f} s {int(runs[1]) if runs else 0:11} runs "
             f"{len(inputs_of(found) - before):6} new inputs  {'FAILED' if status else 'clean'}"]
    if status:
        reason = REASON.search(text)
        lines.append(f"  {reason[0].strip() if reason else f'status {status}'}")
        lines += [f"  again: {program.relative_to(ROOT)} {path.relative_to(ROOT)}"
                  for path in set(CRASHES.glob(f"{name}-*")) - crashed]
        lines.append(f"  log: {log.relative_to(ROOT)}")
    return status == 0, lines


def covers(name):
    """The files that the target's first lines name."""
    head = (ROOT / f"tests/fuzz/fuzz_{name}.c").read_text().split("*/")[0]
    found = re.search(r"covers:((?:[\s*]+[\w/-]+\.c)+)", head)
    return found[1].replace("*", " ").split() if found else []


def coverage(name):
    """(passed, lines): how much of its files the target's inputs reach."""
    program, profile = COVER / "fuzz" / f"fuzz_{name}", COVER / f"{name}.profraw"
    subprocess.run([program, "-runs=0", *folders_of(name)], check=True, capture_output=True,
                   env=environment(LLVM_PROFILE_FILE=str(profile)))
    merged = profile.with_suffix(".profdata")
    subprocess.run(["llvm-profdata-14", "merge", "-o", merged, profile], check=True)
    report = subprocess.run(["llvm-cov-14", "report", program, f"-instr-profile={merged}"],
                            check=True, capture_output=True, text=True).stdout
    lines, passed = [], True
    for file in covers(name):
        number, missed = re.search(rf"^\S*{file}(?:\s+\S+){{6}}\s+(\d+)\s+(\d+)", report, re.M).groups()
        percent = 100 - 100 * int(missed) / int(number)
        passed = passed and percent >= LEAST
        lines.append(f"{name:9} {file:34} {percent:6.1f} % of {number} lines")
    return passed, lines


def keep(name):
    """(passed, lines): the target's seeds, anew."""
    made = re.compile(r"[0-9a-f]{40}")
    with tempfile.TemporaryDirectory() as merged:
        subprocess.run([FUZZ / "fuzz" / f"fuzz_{name}", "-set_cover_merge=1", "-use_counters=0", merged,
                        *folders_of(name)], check=True, capture_output=True, env=environment())
        named = {path.read_bytes() for path in inputs_of(seeds(name)) if not made.fullmatch(path.name)}
        for path in inputs_of(seeds(name)):
            if made.fullmatch(path.name):
                path.unlink()
        new = [path for path in inputs_of(pathlib.Path(merged)) if path.read_bytes() not in named]
        # A longer one reaches more than a shorter one.
        for path in sorted(new, key=lambda path: path.stat().st_size)[-(SEEDS - len(named)):]:
            shutil.copy(path, seeds(name) / path.name)
    kept = inputs_of(seeds(name))
    return True, [f"{name:9} {len(kept):4} seeds of {sum(path.stat().st_size for path in kept):6} bytes"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--junit", type=pathlib.Path)
    parser.add_argument("targets", nargs="+")
    options = parser.parse_args()
    found = FUZZ / ("fresh" if options.fresh else "found")
    if options.fresh:
        shutil.rmtree(found, ignore_errors=True)

    def one(name):
        if options.keep:
            passed, lines = keep(name)
        elif options.coverage:
            passed, lines = coverage(name)
        else:
            passed, lines = fuzz(name, options.seconds, found / name)
        sys.stdout.write("\n".join(lines) + "\n")  # in one piece: two targets run at once
        sys.stdout.flush()
        return name, passed, lines

    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        done = list(pool.map(one, options.targets))
    if options.junit:
        cases = [f'<testcase classname="fuzz" name="{name}">' +
                 ("" if passed else f"<failure>{xml.sax.saxutils.escape(chr(10).join(lines))}</failure>") +
                 "</testcase>" for name, passed, lines in done]
        options.junit.write_text(f"<testsuite>{''.join(cases)}</testsuite>\n")
    return 0 if all(passed for _, passed, _ in done) else 1


sys.exit(main())
