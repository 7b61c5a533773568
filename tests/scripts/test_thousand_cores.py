#!/usr/bin/env python3
"""bench/thousand-cores: campaigns that are played with figures of which one knows what comes of them."""

import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import commands  # noqa: E402

BENCH = commands.load("bench/thousand-cores")
FREE = {"looking at a task that runs": 0, "taking in a task": 0, "making clusters": 0, "writing state.json": 0,
        "counting all tasks": 0, "choosing the next task": 0, "writing a task to be started": 0,
        "removing the folder of a task": 0}


def play(cores, slurm=None, **costs):
    leader = {**FREE, **{key.replace("_", " "): value for key, value in costs.items()}}
    measured = {"process": {"start": 1}, "leader": {"7": leader}, "slurm": slurm or {}}
    return BENCH.play(measured, 7, cores, 100, 1)


class ThousandCores(unittest.TestCase):
    def test_a_leader_that_costs_nothing(self):
        used, wait, rate, leader, _ = play(10)
        self.assertTrue(0 <= wait <= 1, wait)  # until the next look
        self.assertAlmostEqual(used, (100 - 1) / (100 + wait))
        self.assertAlmostEqual(rate, 10 / 100, delta=0.01)
        self.assertEqual(sum(leader.spent.values()), 0)

    def test_merging_sets_the_rate(self):
        """10 ms a task are 100 tasks a second, and no more."""
        used, _, rate, leader, passed = play(100000, taking_in_a_task=10000)
        self.assertLess(rate, 100)
        self.assertLess(used, 0.15)
        self.assertEqual(max(leader.spent, key=leader.spent.get), "merging")
        self.assertGreater(leader.spent["merging"] / passed, 0.9)

    def test_clusters_get_a_tenth(self):
        _, _, _, leader, passed = play(1000, making_clusters=4)
        self.assertLessEqual(leader.spent["clusters"] / passed, 0.11)
        self.assertGreater(leader.spent["clusters"], 0)

    def test_slurm_is_asked_at_each_look(self):
        _, _, _, leader, passed = play(10, slurm={"10": (0.5, 0)})
        self.assertAlmostEqual(leader.spent["Slurm"] / passed, 0.5 / 1.5, delta=0.02)


if __name__ == "__main__":
    unittest.main()
