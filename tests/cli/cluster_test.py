#!/usr/bin/env python3
"""`gradwire cluster`: the catalogue, what follows from a cluster's figures, and its picture.

usage: cluster_test.py GRADWIRE SOURCE_FOLDER
"""

import json
import os
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

import program
from program import ENVIRONMENT_ERROR, INPUT_ERROR

STANDINGS = {"measured", "published", "recalled", "derived", "assumed"}


def figure(name, value):
    return f'{name} {{ value: "{value}" standing: ASSUMED source: "a test" }}\n'


def cluster_text(name="small", nodes=3, more=""):
    link = figure("bandwidth", "10Gbps") + figure("latency", "20us")
    return (f'name: "{name}"\ndevice: "V100"\n' + figure("nodes", nodes) + figure("gpus_per_node", 2)
            + f"nic {{ {link} }}\nintra {{ {link} }}\n" + more)


RACKS = figure("nodes_per_rack", 1) + figure("oversubscription", 2)


class ClusterCommand(program.ProgramTest):

    def show(self, cluster):
        return json.loads(self.succeed("cluster", cluster, "--json"))

    def draw(self, text):
        """The dot text of a cluster."""
        path = self.out / "c.dot"
        self.succeed("cluster", self.write("c.txtpb", text), "--graph", path)
        return path.read_text(encoding="utf-8")

    def test_every_cluster_of_the_catalogue_is_listed_and_names_its_sources(self):
        listed = json.loads(self.succeed("cluster", "--json"))["clusters"]
        files = sorted(path.stem for path in (program.SOURCE / "platforms/catalog").glob("*.txtpb"))
        self.assertEqual([entry["name"] for entry in listed], files)
        table = self.succeed("cluster").splitlines()
        self.assertEqual([line.split()[0] for line in table[1:]], files)
        for name in files:
            for entry in self.show(name)["figures"]:
                self.assertIn(entry["standing"], STANDINGS, name)
                self.assertGreater(len(entry["source"]), 20, (name, entry))

    def test_known_rates(self):
        # bits/s of all NICs of a node: p3 by EC2's table; 8 x 400 Gbps is 400 GB/s; 2 and 4 x 200 Gbps.
        listed = {entry["name"]: entry for entry in json.loads(self.succeed("cluster", "--json"))["clusters"]}
        for name, rate, gpus in (("aws-p3-8xlarge", 10e9, 16 * 4), ("aws-p3-16xlarge", 25e9, 16 * 8),
                                 ("aws-p3dn-24xlarge", 100e9, 16 * 8), ("polaris", 400e9, 560 * 4),
                                 ("alps", 800e9, 10752), ("juwels-booster", 800e9, 912 * 4),
                                 ("dgx-h100-superpod", 8 * 400e9, 127 * 8), ("lab-1gbe", 1e9, 8)):
            self.assertEqual((listed[name]["node_bandwidth_bits_per_s"], listed[name]["gpus"]), (rate, gpus), name)

    def test_what_follows_is_arithmetic(self):
        # One GPU a node, 1448/1538 of 1 Gbps rounded to 0.9415, 50 us.
        derived = self.show("lab-1gbe")["derived"]
        self.assertAlmostEqual(derived["message_on_one_switch"]["bandwidth_bits_per_s"], 0.9415e9, delta=1)
        self.assertEqual(derived["message_on_one_switch"]["latency_low_s"], 25e-6)
        self.assertIsNone(derived["message_farthest"])
        ring = derived["ring_all_reduce"]
        time = 2 * 7 * (50e-6 + 100e6 / 8 * 8 / 0.9415e9)
        self.assertAlmostEqual(ring["time_s"], time, delta=1e-9)
        self.assertAlmostEqual(ring["algorithm_bandwidth_bytes_per_s"], 100e6 / time, delta=1)
        self.assertAlmostEqual(ring["bus_bandwidth_bytes_per_s"], 100e6 / time * 2 * 7 / 8, delta=1)

    def test_an_oversubscribed_rack_leaves_a_quarter_when_all_send(self):
        # A rack's 4 nodes of 4 GPUs share 4 * 10 Gbps / 4; the ring crosses a trunk once.
        derived = self.show("study-24x4-v100-10g-racks-4to1")["derived"]
        self.assertAlmostEqual(derived["half_shift"]["bandwidth_per_gpu_bits_per_s"], 10e9 / 16, delta=1)
        self.assertEqual(derived["half_shift"]["messages_there"], 16)
        self.assertEqual(derived["ring_all_reduce"]["round_bandwidth_bits_per_s"], 10e9)
        self.assertEqual(derived["message_farthest"]["links_between_switches"], 2)

    def test_a_cap_of_a_flow_bounds_messages_between_nodes(self):
        derived = self.show("aws-p3-16xlarge-one-flow")["derived"]
        self.assertEqual(derived["message_on_one_switch"]["bandwidth_bits_per_s"], 10e9)
        self.assertEqual(derived["ring_all_reduce"]["bound_by"], "the flow cap")

    def test_the_dot_text_of_a_small_cluster(self):
        boxes, lines = [], []
        for line in self.draw(cluster_text(nodes=2, more=RACKS)).splitlines():
            (lines if " -- " in line else boxes if line.startswith("  b") else []).append(line.split(" shape")[0].strip())
        self.assertEqual(boxes, ['b0 [label="core"', 'b1 [label="rack 0"', 'b2 [label="node 0\\n2 V100, 10 Gbps inside"',
                                 'b3 [label="rack 1"', 'b4 [label="node 1\\n2 V100, 10 Gbps inside"'])
        # A trunk has half of its one NIC; twice the rate is half a point wider.
        self.assertEqual(lines, ['b1 -- b2 [label="10 Gbps" penwidth=1.5]', 'b0 -- b1 [label="5 Gbps" penwidth=1.0]',
                                 'b3 -- b4 [label="10 Gbps" penwidth=1.5]', 'b0 -- b3 [label="5 Gbps" penwidth=1.0]'])

    def test_equal_racks_are_folded_and_an_odd_one_is_not(self):
        slow = "slow_nic { node: 7 " + figure("bandwidth_factor", "0.5") + "}\n"
        text = self.draw(cluster_text(nodes=12, more=RACKS + slow))
        self.assertEqual(text.count('label="rack '), 4)  # three of eleven equal ones, and that of node 7
        self.assertIn("... 8 more: rack 3 to rack 11", text)
        self.assertIn("NIC at 0.5 of its rate", text)

    def test_names_cannot_end_the_text_they_stand_in(self):
        name = '"] evil [label=\\"&lt;'
        escaped = name.replace("\\", "\\\\").replace('"', '\\"')
        text = self.draw(cluster_text(name=escaped))
        self.assertIn(escaped.replace("&", "&amp;"), text)

    @unittest.skipUnless(shutil.which("dot"), "Graphviz's dot is not installed")
    def test_every_picture_of_the_catalogue_is_drawn(self):
        for entry in json.loads(self.succeed("cluster", "--json"))["clusters"]:
            path = self.out / f"{entry['name']}.svg"
            self.succeed("cluster", entry["name"], "--graph", path)
            texts = [element.text for element in xml.etree.ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]
            self.assertIn(entry["name"], texts)
            self.assertLess(len(texts), 160, entry["name"])

    def test_without_dot_the_package_is_named_and_nothing_is_left(self):
        done = subprocess.run([program.GRADWIRE, "cluster", "polaris", "--graph", self.out / "p.svg"], text=True,
                              capture_output=True, check=False, env={**os.environ, "PATH": str(self.folder)})
        self.assertEqual((done.returncode, done.stdout), (ENVIRONMENT_ERROR, ""))
        self.assertIn("package graphviz", done.stderr)
        self.assertEqual(os.listdir(self.out), [])

    def test_a_simgrid_platform_is_shown_and_not_drawn(self):
        platform = program.SOURCE / "tests/simulator/engine/simgrid_platforms/star.xml"
        text = self.succeed("cluster", platform)
        self.assertIn("a message from node 0 to node 1, 2 links apart, the farthest: 10 Gbps, latency 20 us", text)
        picture = self.out / "star.dot"
        self.refuse(INPUT_ERROR, ("--graph", "does not tell what link"), "cluster", platform, "--graph", picture)
        self.assertFalse(picture.exists())

    def test_refusals(self):
        self.refuse(INPUT_ERROR, ["polariss", "polaris"], "cluster", "polariss")
        self.refuse(INPUT_ERROR, ["--graph", ".svg or .dot"], "cluster", "polaris", "--graph", self.out / "p.png")
        self.refuse(INPUT_ERROR, ["--graph", "without a cluster"], "cluster", "--graph", self.out / "p.dot")
        self.refuse(ENVIRONMENT_ERROR, ["p.dot"], "cluster", "polaris", "--graph", self.out / "none" / "p.dot")
        self.refuse(INPUT_ERROR, ["nodes"], "cluster", self.write("bad.txtpb", cluster_text(nodes=0)))


if __name__ == "__main__":
    program.main()
