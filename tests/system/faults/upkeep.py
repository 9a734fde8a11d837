"""The part `upkeep` of faults.py: what changes a store as a whole, ended at each of its steps."""
import contextlib
import errno
import os
import shutil
import sqlite3

import world as worlds

VERSIONS = os.path.join(worlds.HERE, "../../unit/store/versions")


class Upkeep:
    def damaged(self, base):
        """Ruins a page of a store whose log is in use; nothing that was measured stands there."""
        path, known, tried = os.path.join(base, "store.sqlite"), worlds.trials(base), self.path("upkeep-tried")
        whole = worlds.read(path)
        assert worlds.read(path + "-wal"), "nothing stands in the log"
        for at in range(4096, len(whole), 4096):
            with open(path, "wb") as out:
                out.write(whole[:at] + bytes(4096) + whole[at + 4096:])
            open(os.path.join(base, "store.suspect"), "w").close()
            shutil.rmtree(tried, ignore_errors=True)
            shutil.copytree(base, tried)
            done = self.world.cache(tried, "stats")
            if "was damaged" in done.stderr and worlds.trials(tried) == known:
                return
        raise AssertionError("no page of the store could be ruined alone")

    def upkeep_bases(self):
        """(what, folder, words of `ktcc cache`): what changes a store as a whole."""
        base = self.path("upkeep-base")
        shutil.rmtree(base, ignore_errors=True)
        # Enough that some of it was written back from the log.
        for number in range(1000, 1003):
            self.build(number, "base.o", base)
        gc, damaged = self.path("upkeep-gc"), self.path("upkeep-damaged")
        for path in (gc, damaged):
            shutil.rmtree(path, ignore_errors=True)
            shutil.copytree(base, path)
        self.damaged(damaged)
        yield "replacing", damaged, ("stats",)
        yield "gc", gc, ("gc", "--days", "1")
        for name in sorted(os.listdir(VERSIONS)):
            older = self.path("upkeep-" + name)
            shutil.rmtree(older, ignore_errors=True)
            os.makedirs(older)
            with contextlib.closing(sqlite3.connect(os.path.join(older, "store.sqlite"))) as store:
                store.execute("PRAGMA journal_mode = WAL")
                store.executescript(worlds.read(os.path.join(VERSIONS, name)).decode())
            yield "upgrade of " + name, older, ("stats",)

    def upkeep(self):
        cache, counted = self.path("upkeep-cache"), self.path("upkeep-count")

        def run(words, base=None, **fault):
            if base is not None:
                shutil.rmtree(cache, ignore_errors=True)
                shutil.copytree(base, cache)
            return self.world.cache(cache, *words, **fault)

        for what, base, words in self.upkeep_bases():
            if os.path.exists(counted):
                os.unlink(counted)
            run(words, base, **self.fault(PATH=cache, COUNT=counted))
            known = worlds.trials(cache)
            assert known, f"{what}: no trial to lose"
            with open(counted) as file:
                most = max(map(int, file.read().split()))
            for at in range(1, most + 1, self.options.every):
                for error in (0, errno.EIO):
                    one = f"{what}, {'killed' if error == 0 else 'EIO'} at change {at} of {most}"
                    done = run(words, base, **self.fault(PATH=cache, AT=at, ERROR=error))
                    assert error == 0 or done.returncode in (0, 100), f"{one}: {done.returncode} {done.stderr}"
                    done = run(words)
                    assert done.returncode == 0, f"{one}: then {done.stderr}"
                    now = self.kept(known, cache, one)
                    assert now == known, f"{one}: trials were made up"
                    self.verified(cache, one)
                    self.count("upkeep", what)
