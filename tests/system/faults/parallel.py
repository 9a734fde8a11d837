"""Many compilations at once on one store: one tuning a region, no busy store, the right objects; cold, warm, rebuilt.

usage: parallel.py KTCC FOLDER [--jobs N] [--regions N] [--objects N] [--nvcc PATH --real N]

Each of `regions` sources is compiled into `objects` objects, `jobs` commands at a time, all objects of a source next to
one another so that they meet. With --nvcc the first `--real` regions are built again by that compiler, in a store of
their own; their emissions must be byte for byte those of the fast compiler.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import time

import world as worlds


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("ktcc")
    parser.add_argument("folder")
    parser.add_argument("--jobs", type=int, default=64)
    parser.add_argument("--regions", type=int, default=200)
    parser.add_argument("--objects", type=int, default=2)
    parser.add_argument("--nvcc")
    parser.add_argument("--real", type=int, default=0)
    return parser.parse_args()


class Run:
    def __init__(self, options):
        self.options, self.world = options, worlds.World(options.folder, options.ktcc)
        self.cache = os.path.join(self.world.folder, "cache")
        self.sources = []
        for number in range(options.regions):
            self.sources.append(f"k{number}.cu")
            with open(os.path.join(self.world.folder, self.sources[-1]), "w") as out:
                out.write(worlds.source(number))

    def one(self, command, environment):
        begin = time.monotonic()
        done = subprocess.run(command, cwd=self.world.folder, env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr, time.monotonic() - begin

    def build(self, name, jobs, sources, cache, objects, **environment):
        """All objects of the sources; what is said and how long it took."""
        folder = os.path.join(self.world.folder, name)
        os.makedirs(folder, exist_ok=True)
        commands = [self.world.command(source, f"{name}/{source}.{number}.o") for source in sources
                    for number in range(objects)]
        given = self.world.environment(cache, **environment)
        begin = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            results = list(pool.map(lambda command: self.one(command, given), commands))
        wall = time.monotonic() - begin
        bad = [(command, said) for command, (code, said, _) in zip(commands, results) if code != 0]
        assert not bad, f"{len(bad)} failed, the first: {bad[0]}"
        said = "".join(said for _, said, _ in results)
        times = sorted(each for _, _, each in results)
        return {"commands": len(commands), "seconds": round(wall, 2), "median_s": round(times[len(times) // 2], 3),
                "slowest_s": round(times[-1], 3)}, said

    def objects(self, name, sources, count):
        return {(source, number): worlds.read(os.path.join(self.world.folder, name, f"{source}.{number}.o"))
                for source in sources for number in range(count)}

    def check_objects(self, name, reference):
        for (source, number), data in self.objects(name, self.sources, self.options.objects).items():
            assert data == reference[source], f"{name}/{source}.{number}.o is not what one process alone makes"

    def check_log(self):
        log = open(self.world.log).read()
        busy = [line for line in log.splitlines() if re.search(r"locked|busy|held by another", line)]
        assert not busy, f"{len(busy)} lines about a busy store, the first: {busy[0]}"

    def go(self):
        options, figures = self.options, {"jobs": self.options.jobs, "regions": self.options.regions}
        figures["cold"], said = self.build("cold", options.jobs, self.sources, self.cache, options.objects)
        counters = self.world.counters(self.cache)
        assert counters["tuned"] == options.regions, counters
        assert said.count(" configurations tried in ") == options.regions, "a region was tuned twice, or not at all"
        assert not any(name.startswith("reason:") for name in counters), counters
        assert counters["compiled-specialised"] == options.regions * options.objects, counters
        self.check_log()

        # Alone, in a store of its own, every source again: the same bytes.
        figures["alone"], _ = self.build("alone", 2, self.sources, os.path.join(self.world.folder, "alone-cache"), 1)
        reference = {source: worlds.read(os.path.join(self.world.folder, "alone", f"{source}.0.o"))
                     for source in self.sources}
        for number, source in enumerate(self.sources):
            assert b"__CUDA_ARCH__ == 900" in reference[source] and f"run_saxpy_{number}(".encode() in reference[source]
        self.check_objects("cold", reference)

        figures["warm"], said = self.build("cold", options.jobs, self.sources, self.cache, options.objects)
        counters = self.world.counters(self.cache)
        assert said == "" and counters["tuned"] == options.regions, (said[:500], counters)
        assert counters["manifest-hit"] == options.regions * options.objects, counters
        self.check_objects("cold", reference)

        # A build tree of its own: nothing is known of its commands, everything of its regions.
        figures["other_tree"], said = self.build("other", options.jobs, self.sources, self.cache, options.objects)
        counters = self.world.counters(self.cache)
        assert said == "" and counters["tuned"] == options.regions, (said[:500], counters)
        self.check_objects("other", reference)
        self.check_log()
        done = self.world.cache(self.cache, "verify", "--json")
        assert json.loads(done.stdout)["problems"] == 0, done.stdout
        figures["store_bytes"] = os.path.getsize(os.path.join(self.cache, "store.sqlite"))
        if options.nvcc and options.real:
            figures["real"] = self.real()
        return figures

    def real(self):
        """The user's compiler in place of the fast one. Emissions do not depend on it: they are compared."""
        sources, cache = self.sources[:self.options.real], os.path.join(self.world.folder, "real-cache")
        path = os.path.dirname(self.options.nvcc) + os.pathsep + os.environ["PATH"]
        figures = {"regions": len(sources)}
        figures["cold"], said = self.build("real", self.options.jobs, sources, cache, self.options.objects, PATH=path)
        counters = self.world.counters(cache)
        assert counters["tuned"] == len(sources) and said.count(" configurations tried in ") == len(sources), counters
        for source in sources:
            for number in range(self.options.objects):
                base = os.path.join(self.world.folder, "%s", f"{source}.{number}.o")
                emitted = os.path.join(base + ".ktune", source)
                # Kernels are named by what they are compiled with, too.
                same = [re.sub(rb"_[0-9a-f]{8,}", b"", worlds.read(emitted % tree)) for tree in ("cold", "real")]
                assert same[0] == same[1], f"{source}: another emission"
                data = worlds.read(base % "real")
                assert data[:4] == b"\x7fELF" and b"ktune_v_" in data, f"{source}: its object has no variant"
        figures["warm"], said = self.build("real", self.options.jobs, sources, cache, self.options.objects, PATH=path)
        counters = self.world.counters(cache)
        assert said == "" and counters["manifest-hit"] == len(sources) * self.options.objects, (said[:500], counters)
        return figures


print(json.dumps(Run(parse()).go(), indent=2))
