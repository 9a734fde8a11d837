"""The part `mutate` of faults.py: files of a store and of a lock directory that somebody has changed."""
import os
import shutil
import time

import world as worlds


class Mutate:
    def spoil(self, path):
        """One change of a file; what was done."""
        data = bytearray(worlds.read(path) or b"")
        kind = self.random.choice(("flip", "flip", "flips", "cut", "page", "noise", "longer", "empty", "swap"))
        where = self.random.randrange(len(data)) if data else 0
        if kind in ("flip", "flips") and data:
            for _ in range(1 if kind == "flip" else self.random.randint(2, 200)):
                where = self.random.randrange(len(data))
                data[where] ^= 1 << self.random.randrange(8)
        elif kind == "cut":
            del data[where:]
        elif kind == "page":
            where -= where % 4096
            data[where:where + 4096] = bytes(len(data[where:where + 4096]))
        elif kind == "noise":
            size = min(self.random.randint(1, 5000), len(data) - where)
            data[where:where + size] = self.random.randbytes(size)
        elif kind == "empty":
            data.clear()
        elif kind == "swap" and len(data) >= 8192:
            one, two = (4096 * self.random.randrange(len(data) // 4096) for _ in range(2))
            data[one:one + 4096], data[two:two + 4096] = data[two:two + 4096], data[one:one + 4096]
        else:
            data += self.random.randbytes(self.random.randint(1, 9000))
        with open(path, "wb") as out:
            out.write(data)
        return f"{kind} at {where}"

    def files(self, cache, lock):
        """What can be spoilt, by kind."""
        leases = os.path.join(cache, "leases")
        entries = [os.path.join(folder, name) for folder, _, names in os.walk(lock) for name in names]
        return {"database": [os.path.join(cache, "store.sqlite")], "log": [os.path.join(cache, "store.sqlite-wal")],
                "index of the log": [os.path.join(cache, "store.sqlite-shm")],
                "locks": [os.path.join(cache, "store.lock")] +
                [os.path.join(leases, name) for name in os.listdir(leases)],
                "entries": entries}

    def main_file_trials(self, base):
        """Those that are in the database itself, not in its log."""
        alone = self.path("main-only")
        shutil.rmtree(alone, ignore_errors=True)
        os.makedirs(alone)
        shutil.copy(os.path.join(base, "store.sqlite"), alone)
        return worlds.trials(alone)

    def trials_before_damage(self, base, spoilt):
        """
        What the database and its log hold up to the last commit before the first byte that is not as it was: there the log
        ends when it is opened, and its pages hide those of the database, which a checkpoint may have made later ones.
        None: both together are no database then, so that nothing is promised.
        """
        alone = self.path("log-cut")
        log, now = (worlds.read(os.path.join(folder, "store.sqlite-wal")) or b"" for folder in (base, spoilt))
        same = next((at for at, pair in enumerate(zip(log, now)) if pair[0] != pair[1]), min(len(log), len(now)))
        frame = 24 + int.from_bytes(log[8:12], "big")
        # A frame that ends a commit has the size of the database in its header.
        ends = [end for end in range(32 + frame, same + 1, frame) if any(log[end - frame + 4:end - frame + 8])]
        shutil.rmtree(alone, ignore_errors=True)
        os.makedirs(alone)
        shutil.copy(os.path.join(base, "store.sqlite"), alone)
        with open(os.path.join(alone, "store.sqlite-wal"), "wb") as out:
            out.write(log[:ends[-1]] if ends else b"")
        return worlds.trials(alone)

    def mutate(self):
        base, cache, lock = self.path("mutate-base"), self.path("mutate-cache"), self.path("mutate-lock")
        regions = 8
        for number in range(regions):
            os.makedirs(self.path("lock-base"), exist_ok=True)
            code, said = self.build(5000 + number, f"m{number}.o", base)
            assert code == 0, said
        self.build(5000, "lock.o", self.path("lock-cache"), KTUNE_LOCK_DIR=self.path("lock-base"))
        every, main = worlds.trials(base), self.main_file_trials(base)
        lost, total, started = 0, 0, time.monotonic()
        for attempt in range(self.options.mutations):
            for path, source in ((cache, base), (lock, self.path("lock-base"))):
                shutil.rmtree(path, ignore_errors=True)
                shutil.copytree(source, path)
            kinds = self.files(cache, lock)
            kind = self.random.choice(("database", "database", "log", "log", "index of the log", "locks", "entries"))
            target = self.random.choice(kinds[kind])
            what = f"mutation {attempt}, {kind}: {self.spoil(target)}"
            promised = self.trials_before_damage(base, cache) if kind == "log" else None
            number = self.random.randrange(regions) if kind != "entries" else 0
            more = {"KTUNE_LOCK_DIR": lock} if kind == "entries" else {}
            # The same command, which a manifest knows; another one, which must look; and both again.
            for output in (f"m{number}.o", "mutated.o", f"m{number}.o"):
                code, said = self.build(5000 + number, output, cache, **more)
                assert code == 0, f"{what}: {said}"
                self.count("mutate", self.judge(5000 + number, output, cache, what))
            now = worlds.trials(cache)
            if now is None:
                # Nobody came across the damage: whoever checks makes the next build see to it.
                self.count("mutate", "damage seen by a check only")
                self.world.cache(cache, "verify")
                code, said = self.build(5000 + number, "mutated.o", cache, **more)
                assert code == 0, f"{what}: {said}"
                now = worlds.trials(cache)
            assert now is not None, f"{what}: the store cannot be read"
            for wrong in (row for row in now - every if row[5] != "ok" and row[2] not in self.wrong):
                raise AssertionError(f"{what}: a trial of {wrong} was made up")
            gone = every - now
            if kind in ("index of the log", "locks", "entries"):
                assert not gone, f"{what}: {len(gone)} trials are gone"
            elif kind == "log" and promised is not None:
                assert not promised - now, f"{what}: {len(promised - now)} trials are gone from before the damage"
                self.count("mutate", "logs whose beginning is kept")
            elif gone:
                lost, total = lost + len(gone), total + len(every)
            self.count("mutate", f"spoilt {kind}")
            if gone and os.environ.get("FAULTS_SHOW"):
                print(what, len(gone))
            if gone:
                self.count("mutate", f"trials lost with the {kind}")
        figures = self.figures["mutate"]
        figures["trials before"], figures["of them in the database itself"] = len(every), len(main)
        figures["lost of those at stake, where a database lost some"] = f"{lost} of {total}"
        figures["seconds"] = round(time.monotonic() - started, 1)
