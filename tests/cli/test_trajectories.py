# SPDX-License-Identifier: GPL-3.0-or-later
"""trajectory.h5, and what is exported from it.

Run with: ROPELAB=build/release/ropelab /usr/bin/python3 -m unittest tests.cli.test_trajectories
"""

from __future__ import annotations

import base64
import math
import xml.etree.ElementTree as ElementTree

import h5py
import numpy

from tests.cli.support import (BLOW_UP, DIVERGED, FAILED, FILES, WORK, Case, Result, Table,
                               contents, new_folder, same_number, small_disk)


class Trajectories(Case):
    """trajectory.h5 and its description hold the same numbers as the tables beside them."""

    RUNS = (("atwood", "impulse", "--every", "0.0125"),             # a massless rope, a closed form
            ("spinning-loop", "rattle", "--duration", "0.5"),       # closed
            ("nehe-rope", "nehe", "--duration", "0.8"),             # drawn, on the ground
            ("drape-sphere", "xpbd", "--duration", "1"),            # contacts
            ("tumbling-box", "rattle", "--duration", "0.5"),        # turning
            ("catenary", "pbd", "--duration", "0.3", "--frames-every", "1e-9"),  # no bodies
            ("atwood-drum", "impulse", "--duration", "0.3", "--set",  # over a body
             "bodies.drum.friction=0.1"),
            ("rope-bridge", "pbd", "--duration", "0.4", "--step", "0.004"))  # many ropes

    @staticmethod
    def names(file: h5py.File, kind: str) -> list[str]:
        return [name.decode() for name in file[f"{kind}/name"][:]]

    def lines(self, file: h5py.File, frame: int) -> dict[tuple[str, str, int], list[float]]:
        """(item, kind, index) -> position at a frame, as snapshots.csv has them."""
        found: dict[tuple[str, str, int], list[float]] = {}
        eyes = file["ropes/is_eye"][:]
        for prefix in ("", "exact_"):
            for r, rope in enumerate(self.names(file, "ropes")):
                first, last = file["ropes/first_point"][r:r + 2]
                if f"ropes/{prefix}points_m" in file:
                    points = file[f"ropes/{prefix}points_m"][frame, first:last].tolist()
                    for i, point in enumerate(points):
                        kind = "eye" if eyes[first + i] else "node"
                        found[rope, prefix + kind, i] = point
                if file["ropes/has_path"][r] and f"paths/{prefix}first" in file:
                    first, last = file[f"paths/{prefix}first"][frame, r:r + 2]
                    for i, point in enumerate(
                            file[f"paths/{prefix}points_m"][first:last].tolist()):
                        found[rope, prefix + "path", i] = point
                first, last = file["ropes/first_drawn"][r:r + 2]
                if not prefix and last > first:
                    for i, point in enumerate(file["ropes/drawn_m"][frame, first:last].tolist()):
                        found[rope, "drawn", i] = point
            for b, body in enumerate(self.names(file, "bodies")):
                if f"bodies/{prefix}position_m" in file:
                    found[body, prefix + "body", 0] = \
                        file[f"bodies/{prefix}position_m"][frame, b].tolist()
        return found

    def check_shapes(self, file: h5py.File) -> None:
        self.expect((file.attrs["format"], file.attrs["frames"]), (1, file["time_s"].shape[0]),
                    "format and frames")
        frames, points = file["time_s"].shape[0], int(file["ropes/first_point"][-1])
        elements, bodies = int(file["ropes/first_element"][-1]), file["bodies/name"].shape[0]
        shapes = {"ropes/points_m": (frames, points, 3), "ropes/tension_N": (frames, elements),
                  "ropes/drawn_m": (frames, int(file["ropes/first_drawn"][-1]), 3),
                  "bodies/position_m": (frames, bodies, 3), "bodies/rotation": (frames, bodies, 4),
                  "contacts/first": (frames,), "contacts/count": (frames,)}
        shapes |= {name.replace("/", "/exact_"): shape for name, shape in shapes.items()
                   if "contacts" not in name and "drawn" not in name}
        for name, shape in shapes.items():
            if name in file:
                self.expect((file[name].shape, file[name].chunks[0]), (shape, 64),
                            f"shape of {name}")
            else:
                self.expect_true("exact" in name or 0 in shape, shape, "nothing", f"no {name}")
        self.expect(file["ropes/is_eye"].shape, (points,), "shape of is_eye")

    def check_series(self, file: h5py.File, result: Result) -> None:
        rows = result.table("series").rows()
        last = result.manifest["steps"]
        steps = {step for step in range(0, last + 1, result.manifest["frames_every"])} | {last}
        rows = [row for row, step in zip(rows, self.row_steps(result)) if step in steps]
        self.expect(file["time_s"][:].tolist(), [float(row["time_s"]) for row in rows],
                    "times of the frames")
        largest = numpy.maximum(file["ropes/tension_N"][:].max(axis=1), 0.0).tolist()
        expected = [float(row["tension_max_N"]) for row in rows]
        self.expect_true(all(map(same_number, largest, expected)), largest,
                         "tension_max_N of series.csv", "largest tension of each frame")

    @staticmethod
    def row_steps(result: Result) -> list[int]:
        last = result.manifest["steps"]
        return sorted({*range(0, last + 1, result.manifest["every"]), last})

    def test_times_of_frames(self) -> None:
        """60 a second, of a short run 120 in all, or as asked for: always rows of series.csv."""
        for duration, step, every, frames_every in (
                (4.0, 1 / 240, None, None), (20.0, 0.01, None, None), (1.0, 1 / 240, None, None),
                (1.0, 0.0005, None, None), (2.0, 0.001, 0.02, None), (1.0, 0.001, 0.003, 0.007),
                (0.1, 0.001, None, 1e-9), (0.1, 0.001, 0.01, 1e9)):
            with self.subTest(duration=duration, step=step, every=every, frames=frames_every):
                words = ["--every", every] * bool(every)
                words += ["--frames-every", frames_every] * bool(frames_every)
                result = self.record("pendulum", "rattle", "--duration", duration, "--step", repr(step),
                                     *words)
                n = round(duration / step)
                rows = max(1, round((every or step) / step))
                wanted = frames_every or min(1 / 60, duration / 120)
                stride = rows * min(n // rows, max(1, math.floor(wanted / (rows * step) + 0.5)))
                self.expect(result.manifest["frames_every"], stride, "frames_every in run.json")
                self.expect(self.open(result)["time_s"][:].tolist(),
                            [k * (duration / n) for k in sorted({*range(0, n + 1, stride), n})],
                            "times of the frames")

    def check_snapshots(self, file: h5py.File, result: Result) -> None:
        times = file["time_s"][:].tolist()
        rows = result.table("snapshots").rows()
        for time_s in sorted({float(row["time_s"]) for row in rows} & set(times)):
            frame = times.index(time_s)
            expected = {(row["item"], row["kind"], int(row["index"])):
                        [float(row[c]) for c in "xyz"] for row in rows if float(row["time_s"]) == time_s}
            rotations = {key: expected.pop(key) for key in list(expected) if "rotation" in key[1]}
            self.expect(self.lines(file, frame), expected, f"positions at {time_s} s")
            for (body, kind, _), vector in rotations.items():
                b = self.names(file, "bodies").index(body)
                quaternion = file[f"bodies/{kind}"][frame, b]
                angle = math.hypot(*vector)
                axis = [math.sin(angle / 2) * v / angle if angle else 0.0 for v in vector]
                expected_quaternion = [*axis, math.cos(angle / 2)]
                dot = float(numpy.dot(quaternion, expected_quaternion))
                self.expect_true(abs(abs(dot) - 1.0) < 1e-12, quaternion.tolist(),
                                 str(expected_quaternion), f"{kind} of {body} at {time_s} s")

    def test_same_numbers_as_the_tables(self) -> None:
        for scenario, solver, *words in self.RUNS:
            with self.subTest(scenario=scenario, solver=solver):
                result = self.record(scenario, solver, *words)
                file = self.open(result)
                self.check_shapes(file)
                self.check_series(file, result)
                self.check_snapshots(file, result)
                self.check_sidecar(file, result)
                self.check_csv(file, result)
                self.check_vtk(file, result)

    def check_sidecar(self, file: h5py.File, result: Result) -> None:
        domain = ElementTree.parse(result.folder / "trajectory.xmf").getroot().find("Domain")
        shared = {}
        for item in domain.findall("DataItem"):
            source, name = item.text.split(":")
            shape = tuple(map(int, item.get("Dimensions").split()))
            self.expect((source, file[name].shape), ("trajectory.h5", shape), f"source {name}")
            shared[item.get("Name")] = file[name].shape
        cells = {}
        for topology in domain.findall("Topology"):
            numbers = topology.find("DataItem").text.split()
            self.expect(len(numbers), int(topology.find("DataItem").get("Dimensions")),
                        f"numbers of the cells of {topology.get('Name')}")
            cells[topology.get("Name")] = int(topology.get("NumberOfElements"))
        paths = sum(name in file for name in ("paths/first", "paths/exact_first"))
        frames = domain.find("Grid").findall("Grid")
        every = len(file["time_s"]) // 251 + 1
        self.expect([float(frame.find("Time").get("Value")) for frame in frames],
                    file["time_s"][::every].tolist(), "times in trajectory.xmf, at most 250")
        for number, frame in zip(range(0, len(file["time_s"]), every), frames):
            self.expect(len(frame.findall("Grid")), len(cells) + paths, "grids of a frame")
            for grid in frame.findall("Grid"):
                name = grid.get("Name")
                if name.endswith("paths"):
                    first = file["paths/exact_first" if name.startswith("exact") else "paths/first"]
                    self.check_path_grid(first[number].tolist(), grid)
                    continue
                start, _, count = numpy.array(
                    grid.find("Geometry/DataItem/DataItem").text.split(), int).reshape(3, -1)
                self.expect((start.tolist(), (1, *shared[f"{name} points"][1:])),
                            ([number, 0, 0], tuple(count.tolist())), f"points of {name}")
                if grid.find("Attribute") is not None:
                    self.expect(shared[f"{name} tension"][1], cells[name], f"tensions of {name}")

    def check_path_grid(self, first: list[int], grid: ElementTree.Element) -> None:
        """A cell for each point: the line to the next one, or the last point alone."""
        count = first[-1] - first[0]
        topology = grid.find("Topology")
        numbers = list(map(int, topology.find("DataItem").text.split()))
        self.expect((int(topology.get("NumberOfElements")), len(numbers)),
                    (count, int(topology.find("DataItem").get("Dimensions"))), "cells of a path")
        expected = []
        for a, b in zip(first, first[1:]):
            a, b = a - first[0], b - first[0]
            expected += [n for k in range(a, b)
                         for n in ([2, 2, k, k + 1] if k + 1 < b else [1, 1, k])]
        self.expect(numbers, expected, "cells of a path")
        self.expect(grid.find("Geometry/DataItem/DataItem").text.split(),
                    [str(n) for n in (first[0], 0, 1, 1, count, 3)], "points of a path")
        self.expect(grid.find("Attribute/DataItem/DataItem").text.split(),
                    [str(n) for n in (first[0], 1, count)], "tensions of a path")

    def check_csv(self, file: h5py.File, result: Result) -> None:
        self.quietly("export", result.folder, "--to", "csv")
        table = Table(result.folder / "trajectory.csv")
        self.expect(table.header, ["time_s", "item", "kind", "index", "x", "y", "z", "tension_N"],
                    "header of trajectory.csv")
        snapshots = result.table("snapshots")
        times = set(snapshots.texts("time_s")) & set(table.texts("time_s"))
        self.expect([row[:7] for row in table.cells if row[0] in times],
                    [row for row in snapshots.cells if row[0] in times], "lines of snapshots.csv")
        self.expect(list(dict.fromkeys(table.numbers("time_s"))), file["time_s"][:].tolist(),
                    "times of the table")
        last = [row for row in table.rows() if row["kind"] in ("node", "eye")
                and row["time_s"] == table.cells[-1][0]]
        for r, rope in enumerate(self.names(file, "ropes")):
            first, end = file["ropes/first_element"][r:r + 2]
            tension = file["ropes/tension_N"][-1, first:end].tolist()
            mine = [float(row["tension_N"]) for row in last if row["item"] == rope]
            expected = tension if len(tension) > 1 else tension * (len(mine) - 1)
            self.expect(mine[:len(expected)], expected, f"tensions along {rope}")
            if file["ropes/has_path"][r]:
                first, end = file["paths/first"][-1, r:r + 2]
                path = [float(row["tension_N"]) for row in table.rows() if row["kind"] == "path"
                        and (row["item"], row["time_s"]) == (rope, table.cells[-1][0])]
                self.expect_true(all(map(same_number, path, file["paths/tension_N"][first:end]))
                                 and len(path) == end - first, path[:9], "those of paths/tension_N",
                                 f"tensions along the path of {rope}")
            self.expect([math.isnan(t) for t in mine[len(expected):]],
                        [] if file["ropes/closed"][r] else [True], f"after the end of {rope}")

    def check_vtk(self, file: h5py.File, result: Result) -> None:
        self.quietly("export", result.folder, "--to", "vtk")
        folder = result.folder / "vtk"
        sets = list(ElementTree.parse(folder / "trajectory.pvd").getroot().iter("DataSet"))
        self.expect([float(entry.get("timestep")) for entry in sets], file["time_s"][:].tolist(),
                    "times in trajectory.pvd")
        self.expect(sorted(entry.get("file") for entry in sets) + ["trajectory.pvd"],
                    sorted(contents(folder)), "files of the export")
        piece = ElementTree.parse(folder / sets[-1].get("file")).getroot().find("PolyData/Piece")
        types = {"Float64": "<f8", "Int64": "<i8", "Int32": "<i4"}

        def array(name: str, parent: str) -> numpy.ndarray:
            element = piece.find(f"{parent}/DataArray[@Name='{name}']")
            data = base64.b64decode(element.text, validate=True)
            self.expect(int.from_bytes(data[:8], "little"), len(data) - 8, f"bytes of {name}")
            return numpy.frombuffer(data[8:], types[element.get("type")])

        points = array("Points", "Points").reshape(-1, 3).tolist()
        kinds = array("kind", "CellData")
        tension = array("tension_N", "CellData")[kinds == 0].tolist()
        if "paths" not in file:
            self.expect(tension, file["ropes/tension_N"][-1].tolist(), "tensions in the last frame")
        cells = []
        for parent in ("Verts", "Lines"):
            ends = array("offsets", parent).tolist()
            index = array("connectivity", parent).tolist()
            cells += [index[a:b] for a, b in zip([0, *ends], ends)]
        self.expect((len(cells), len(points)),
                    (len(kinds), int(piece.get("NumberOfPoints"))), "cells and points")
        at = self.lines(file, -1)
        for b, body in enumerate(self.names(file, "bodies")):
            self.expect(points[cells[b][0]], at[body, "body", 0], f"position of {body}")
        items = array("item", "CellData")
        for r, rope in enumerate(self.names(file, "ropes")):
            if file["ropes/has_path"][r]:
                first, end = file["paths/first"][-1, r:r + 2]
                lines = [[points[i] for i in cell] for cell, k, i in zip(cells, kinds, items)
                         if (k, i) == (0, r)]
                path = file["paths/points_m"][first:end].tolist()
                self.expect(lines, [list(pair) for pair in zip(path, path[1:])], f"path of {rope}")
                self.expect(tension, file["paths/tension_N"][first:end - 1].tolist(), "tensions")
                continue
            mine = [cell for cell, k, i in zip(cells, kinds, items) if (k, i) == (0, r)]
            path = [points[cell[0]] for cell in mine] if len(mine) > 1 else \
                [points[i] for i in mine[0]]
            count = len(path)
            self.expect(path, [at.get((rope, "node", i)) or at[rope, "eye", i]
                               for i in range(count)], f"path of {rope}")
            self.expect(mine[-1][-1] == mine[0][0], bool(file["ropes/closed"][r]), "a closed rope")

    def test_probes(self) -> None:
        result = self.record_any("drape-sphere", "rattle", "--duration", "1", "--frames-every",
                                 "1e-9", "--probe", "rope.contacts", "--probe", "rope.tension.7",
                                 "--probe", "rope.node.-1.y", "--probe", "ball.x")
        file, series = self.open(result), result.table("series")
        for probe, column in (("rope.contacts", file["contacts/count"][:]),
                              ("rope.tension.7", file["ropes/tension_N"][:, 7]),
                              ("rope.node.-1.y", file["ropes/points_m"][:, -1, 1]),
                              ("ball.x", file["bodies/position_m"][:, 0, 0])):
            same = map(same_number, column.tolist(), series.numbers(probe))
            self.expect_true(len(column) == len(series.cells) and all(same), column.tolist()[:9],
                             f"{series.texts(probe)[:9]} ...", probe)

    def test_contacts(self) -> None:
        result = self.record_any("drape-sphere", "rattle", "--probe", "rope.contacts")
        file = self.open(result)
        first, count = file["contacts/first"][:], file["contacts/count"][:]
        self.expect(first.tolist(), (numpy.cumsum(count) - count).tolist(), "first of each frame")
        total = int(count.sum())
        self.expect_true(total > 100, total, "more than 100", "contacts of a draped rope")
        manifest = result.manifest["scenario"]
        radius = manifest["bodies"]["ball"]["shape"][0]["sphere"]["radius"]
        position, normal = file["contacts/position_m"][:], file["contacts/normal"][:]
        self.expect((position.shape, normal.shape), ((total, 3), (total, 3)), "shapes")
        centre = file["bodies/position_m"][-1, 0]
        distance = numpy.linalg.norm(position - centre, axis=1)
        # The tangent plane where a contact was found; the rope has moved on by a step since.
        self.expect_true(float(abs(distance - radius).max()) < 0.02 * radius,
                         [float(distance.min()), float(distance.max())], f"about {radius}",
                         "distance of the contacts from the centre of the ball")
        self.expect_true(float(abs(numpy.linalg.norm(normal, axis=1) - 1.0).max()) < 1e-12, "", "1",
                         "length of the normals")
        outwards = ((position - centre) * normal).sum(axis=1) / distance
        self.expect_true(float(outwards.min()) > 0.99, float(outwards.min()), "about 1",
                         "normals along the radius")
        self.expect_true(bool((file["contacts/normal_force_N"][:] > 0.0).all()), "", "above 0",
                         "normal forces")
        self.expect({int(n) for n in file["contacts/rope"][:]} | {
            int(n) for n in file["contacts/body"][:]}, {0}, "rope and body")
        self.expect_true(int(file["contacts/node"][:].max()) <= 40, "", "at most 40", "nodes")
        self.expect_true(set(file["contacts/is_element"][:].tolist()) <= {0, 1}, "", "0 or 1",
                         "is_element")

    def test_massless_rope_over_an_eye(self) -> None:
        file = self.open(self.record("atwood", "rattle", "--duration", "0.2"))
        self.expect(file["ropes/is_eye"][:].tolist(), [0, 1, 0], "points of the rope")
        self.expect(file["ropes/first_element"][:].tolist(), [0, 1], "elements")
        self.expect(file["ropes/points_m"][-1, 1].tolist(), [0.0, 0.0, 0.0], "the eye")
        self.expect(file["ropes/exact_points_m"][0].tolist(), file["ropes/points_m"][0].tolist(),
                    "the closed form at the start")

    def test_rope_over_a_drum(self) -> None:
        probes = ("line.wrap.drum", "line.force.drum", "line.slip.drum", "line.entry.drum.x",
                  "line.exit.drum.y", "line.tension.from", "line.tension.to", "line.contacts",
                  "line.length")
        words = [word for probe in probes for word in ("--probe", probe)]
        for friction, grip in (("0", 0), ("0.1", 3), ("0.5", 1)):
            result = self.record("atwood-drum", "impulse", "--duration", "0.2", "--frames-every",
                                 "1e-9", "--set", f"bodies.drum.friction={friction}", *words)
            file, series = self.open(result), result.table("series")
            wraps = file["wraps"]
            self.expect(wraps["count"][:].tolist(), series.numbers("line.contacts"), "wraps")
            self.expect(wraps["grip"][-1], grip, f"grip at a friction of {friction}")
            self.expect(wraps["grip"][0], 4 if grip else 0, "grip at t = 0")
            for probe, column in (
                    ("line.wrap.drum", wraps["angle"][:]),
                    ("line.force.drum", numpy.sqrt((wraps["force_N"][:] ** 2).sum(axis=1))),
                    ("line.slip.drum", wraps["slip_m_s"][:]),
                    ("line.entry.drum.x", wraps["entry_m"][:, 0]),
                    ("line.exit.drum.y", wraps["exit_m"][:, 1]),
                    ("line.tension.from", wraps["tension_before_N"][:]),
                    ("line.tension.to", wraps["tension_after_N"][:])):
                recorded = numpy.array(series.numbers(probe))
                gaps = numpy.isnan(recorded) == numpy.isnan(column)
                close = abs(recorded - column) <= 1e-14 * (1.0 + abs(column))
                self.expect_true(bool((gaps & (close | numpy.isnan(column))).all()),
                                 recorded.tolist()[:5], column.tolist()[:5], probe)
            # The chords of an arc in 32 parts are shorter than it.
            first = file["paths/first"][-1]
            chords = numpy.diff(file["paths/points_m"][first[0]:first[1]], axis=0)
            length = numpy.sqrt((chords ** 2).sum(axis=1)).sum()
            arc = math.pi * 0.1
            short = arc - 32 * 0.2 * math.sin(arc / 0.1 / 64)
            self.expect_true(abs(series.numbers("line.length")[-1] - short - length) < 1e-12,
                             float(length), series.texts("line.length")[-1], "length of the points")
            self.expect(file["paths/bend"][first[0]:first[1]].tolist(), [-1, *[0] * 33, -1], "bend")

    def test_closed_form_that_no_longer_holds(self) -> None:
        file = self.open(self.record("atwood", "contraption", "--duration", "3"))
        gone = numpy.isnan(file["ropes/exact_points_m"][:]).all(axis=(1, 2))
        self.expect((bool(gone[0]), bool(gone[-1])), (False, True), "gaps at the start and the end")

    def test_same_run_same_bytes(self) -> None:
        for scenario in ("drape-sphere", "atwood-drum"):
            first, second = (self.record(scenario, "pbd", "--duration", "0.7") for _ in range(2))
            for name in FILES:
                if name != "run.json":
                    self.expect_true((first.folder / name).read_bytes()
                                     == (second.folder / name).read_bytes(), "other bytes",
                                     "the same bytes", f"{name} of one run made twice")

    def test_diverged(self) -> None:
        folder = new_folder()
        self.refused("run", "hanging-chain", "--solver", BLOW_UP, "--out", folder, status=DIVERGED)
        times = Result(folder).table("series").numbers("time_s")
        with h5py.File(folder / "trajectory.h5") as file:
            self.expect(file["time_s"][0::len(file["time_s"]) - 1].tolist(), [times[0], times[-1]],
                        "times of the first frame and the last, up to the divergence")


class Exports(Case):
    TARGETS = {"csv": "trajectory.csv", "vtk": "vtk", "xdmf": "trajectory.xmf"}

    def test_a_target_is_not_overwritten(self) -> None:
        result = self.record("atwood", "pbd", "--duration", "0.1")
        for to, target in self.TARGETS.items():
            if to != "xdmf":
                self.quietly("export", result.folder, "--to", to)
            before = contents(result.folder)
            self.refused("export", result.folder, "--to", to, says=(target, "--force"))
            self.expect(contents(result.folder), before, "files after a refused export")
            self.quietly("export", result.folder, "--to", to, "--force")
            self.expect(contents(result.folder), before, "files of the same export again")

    def test_another_place(self) -> None:
        result = self.record("atwood", "pbd", "--duration", "0.1")
        for to in self.TARGETS:
            before = contents(result.folder)
            place = new_folder()
            self.quietly("export", result.folder, "--to", to, "--out", place)
            self.expect_true(place.exists(), to, "a file or folder", "target of --out")
            self.expect(contents(result.folder), before, "the result that is exported")

    def test_files_of_the_user_stay(self) -> None:
        result = self.record("atwood", "pbd", "--duration", "0.1")
        self.quietly("export", result.folder, "--to", "vtk")
        (result.folder / "vtk/notes.txt").write_text("mine\n", encoding="utf-8")
        before = contents(result.folder)
        self.refused("export", result.folder, "--to", "vtk", "--force", says=("vtk",))
        self.expect(contents(result.folder), before, "files after a refused export")

    def test_nothing_to_export(self) -> None:
        empty, garbage, text = new_folder(), new_folder(), new_folder()
        for folder in (empty, garbage, text):
            folder.mkdir()
        (garbage / "trajectory.h5").write_bytes(bytes(range(256)) * 9)
        with h5py.File(text / "trajectory.h5", "w") as file:
            file.attrs["format"] = 1
            file["time_s"] = [0.0, 1.0]
        for place in (empty, garbage, text, WORK / "nowhere"):
            before = contents(place)
            for to in self.TARGETS:
                self.refused("export", place, "--to", to, says=("trajectory.h5", str(place)))
            self.expect(contents(place), before, "files in a folder without a trajectory")

    def test_bad_usage(self) -> None:
        result = self.record("atwood", "pbd", "--duration", "0.1")
        self.refused("export", result.folder, says=("--to", "csv", "vtk"))
        self.refused("export", result.folder, "--to", "cvs", says=("cvs", "csv"))
        self.refused("export", result.folder, "--to", "csv", "--out", "", says=("--out",))
        self.refused("export", "--to", "csv", says=("DIR",))

    def test_disk_full(self) -> None:
        result = self.record("atwood", "pbd")
        for to, target in self.TARGETS.items():
            before = contents(result.folder)
            self.refused("export", result.folder, "--to", to, "--force", status=FAILED,
                         says=(target, "File too large"), **small_disk(1000))
            self.expect(contents(result.folder), before, "files after an export without room")
