"""How every contestant is timed, the way ktcc-runner does it (docs/verification.md, "Time").

Launches are queued behind a gate, with an event between them, and the gate opens when the batch is queued: a sample is
the distance of two neighbouring events, in it are the kernels of one call and nothing of the host. Before a
batch the cache is swept, and the calls of a batch go round sets of buffers that pass three times the L2 cache together,
or number more than a batch has calls: none finds its data in the cache. Contestants take turns, in
another order each round.
"""
import ctypes
import random
import statistics

import torch

SETS_OF_CACHE = 3
MOST_SETS = 48


class Clock:
    def __init__(self, library):
        self.library = library
        self.stream = torch.cuda.Stream()
        self.cache = torch.cuda.get_device_properties(0).L2_cache_size
        self.swept = torch.zeros(2 * self.cache // 4, dtype=torch.int32, device="cuda")
        self.sink = torch.zeros(1, dtype=torch.int32, device="cuda")
        self.number = 0
        self.random = random.Random(7)

    @property
    def handle(self):
        return ctypes.c_void_p(self.stream.cuda_stream)

    def sets(self, bytes_of_set):
        return max(2, min(MOST_SETS, SETS_OF_CACHE * self.cache // bytes_of_set + 1))

    def batch(self, call, sets, launches, begin):
        """Microseconds of each launch but the first, which meets the gate's end; sets go round from `begin`."""
        events = [torch.cuda.Event(enable_timing=True) for _ in range(launches + 2)]
        self.library.timing_sweep(ctypes.c_void_p(self.swept.data_ptr()), ctypes.c_size_t(self.swept.numel() * 4),
                                  ctypes.c_void_p(self.sink.data_ptr()), self.handle)
        self.number += 1
        if self.library.timing_gate(ctypes.c_uint(self.number), self.handle) != 0:
            raise RuntimeError("the gate could not be launched")
        with torch.cuda.stream(self.stream):
            events[0].record()
            for i in range(launches + 1):
                call((begin + i) % sets)
                events[i + 1].record()
        self.library.timing_open(ctypes.c_uint(self.number))
        self.stream.synchronize()
        return [1e3 * events[i].elapsed_time(events[i + 1]) for i in range(1, launches + 1)]

    def warm(self, call, sets, times=3):
        with torch.cuda.stream(self.stream):
            for i in range(max(times, sets)):
                call(i % sets)
        self.stream.synchronize()

    def quick(self, call, sets):
        """A rough median, to choose among configurations of one contestant."""
        self.warm(call, sets)
        return statistics.median(self.batch(call, sets, 8, 0) + self.batch(call, sets, 8, 3))

    def compare(self, calls, sets, repetitions, launches=6):
        """name → {"median_us", "deviation_us", "least_us", "samples"} of at least so many samples each."""
        samples = {name: [] for name in calls}
        for call in calls.values():
            self.warm(call, sets)
        rounds = -(-repetitions // launches)
        for turn in range(rounds):
            order = list(calls)
            self.random.shuffle(order)
            for name in order:
                samples[name] += self.batch(calls[name], sets, launches, turn * (launches + 1))
        result = {}
        for name, values in samples.items():
            middle = statistics.median(values)
            result[name] = {"median_us": middle, "deviation_us": statistics.median(abs(v - middle) for v in values),
                            "least_us": min(values), "samples": len(values)}
        return result
