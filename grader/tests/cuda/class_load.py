#!/usr/bin/env python3
"""Grades a class of one lab on this machine's GPU and prints how busy the GPU was meanwhile.

Usage: class_load.py WARPGRADE [--lab LAB] [--submissions N] [--device KIND]

Every submission is the lab's solution with another comment, so that all of them are built, checked and measured. NVML
is sampled while `warpgrade grade` runs; the time from the first to the last busy sample is the time between the first
and the last measurement. Exit status: 0 if every submission is accepted, else 1.
"""

import argparse
import ctypes
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

KIT = pathlib.Path(__file__).resolve().parents[3]
PERIOD_S = 0.02


class Utilization(ctypes.Structure):
    _fields_ = [("gpu", ctypes.c_uint), ("memory", ctypes.c_uint)]


class Gpu:
    """The first GPU, as NVML sees it."""

    def __init__(self):
        self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        self.device = ctypes.c_void_p()
        self.check(self.nvml.nvmlInit_v2())
        self.check(self.nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device)))

    @staticmethod
    def check(error):
        if error:
            raise RuntimeError(f"NVML error {error}")

    def name(self):
        text = ctypes.create_string_buffer(96)
        self.check(self.nvml.nvmlDeviceGetName(self.device, text, len(text)))
        return text.value.decode()

    def busy_percent(self):
        """The share of NVML's last sample period in which a kernel was executed."""
        found = Utilization()
        self.check(self.nvml.nvmlDeviceGetUtilizationRates(self.device, ctypes.byref(found)))
        return found.gpu


class Sampler(threading.Thread):
    """Collects pairs of a time and a busy percentage until stop()."""

    def __init__(self, gpu):
        super().__init__()
        self.gpu, self.samples, self.stopped = gpu, [], threading.Event()

    def run(self):
        while not self.stopped.wait(PERIOD_S):
            self.samples.append((time.monotonic(), self.gpu.busy_percent()))

    def stop(self):
        self.stopped.set()
        self.join()

    def between_measurements(self):
        """The samples from the first busy one to the last busy one."""
        busy = [i for i, (_, percent) in enumerate(self.samples) if percent > 0]
        return self.samples[busy[0] : busy[-1] + 1] if busy else []


def write_class(folder, lab, count):
    name = json.loads((KIT / "labs" / lab / "lab.json").read_text(encoding="utf-8"))["sources"][0]
    source = (KIT / "solutions" / lab / name).read_text(encoding="utf-8")
    for i in range(count):
        place = folder / f"student{i + 1:03}"
        place.mkdir(parents=True)
        (place / name).write_text(f"// Submission {i + 1}\n{source}", encoding="utf-8")


def verdicts(folder, lab):
    return [json.loads(path.read_text(encoding="utf-8"))["verdict"] for path in folder.rglob(f"{lab}.json")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("warpgrade")
    parser.add_argument("--lab", default="02-tiled-matmul")
    parser.add_argument("--submissions", type=int, default=60)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    gpu = Gpu()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        write_class(folder / "class", options.lab, options.submissions)
        sampler = Sampler(gpu)
        start = time.monotonic()
        sampler.start()
        command = [str(pathlib.Path(options.warpgrade).resolve()), "grade", str(folder / "class"), "--lab", options.lab,
                   "--device", options.device, "--out", str(folder / "results")]
        subprocess.run(command, cwd=KIT, stdout=subprocess.DEVNULL, check=False)
        took = time.monotonic() - start
        sampler.stop()
        found = verdicts(folder / "results", options.lab)
    samples = sampler.between_measurements()
    if not samples:
        sys.exit("NVML saw no work of the GPU")
    between = samples[-1][0] - samples[0][0]
    busy = sum(percent for _, percent in samples) / len(samples) / 100
    accepted = found.count("accepted")
    print(f"{options.submissions} submissions of {options.lab}, --device {options.device}, on {gpu.name()}: {took:.1f} s, "
          f"{accepted} accepted")
    print(f"between the first and the last measurement: {between:.1f} s, GPU busy {busy:.0%}, "
          f"{busy * between / options.submissions:.2f} s of GPU time per submission")
    return 0 if accepted == options.submissions else 1


if __name__ == "__main__":
    sys.exit(main())
