"""Terms that read queries and keys, convolutions and graphs: drawn by the library from made-up texts that are the same every time."""
import csv
import io
import json
import math

from page import PageTest, number, tool_json


def features(count, state):
    """The page's numbers between -1 and 1 that look like features."""
    out = []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        out.append(state / 2**31 - 1)
    return out


def made_up(*told):
    """Weights as the page makes them: told: (how many, mean, deviation) of each."""
    numbers = iter(features(sum(count for count, _, _ in told), 17))
    return [[mean + deviation * math.sqrt(3) * next(numbers) for _ in range(count)] for count, mean, deviation in told]


def of_token(i, size, salt):
    return features(size, 1000 * salt + 77 * i + 1)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


class LiveTest(PageTest):
    def csv(self):
        self.press("CSV")
        return list(csv.reader(io.StringIO(self.downloaded("posenc.csv").decode())))

    def grid(self, address):
        """The numbers of a heat map, without its names."""
        self.show(address)
        return [[float(v) for v in line[1:]] for line in self.csv()[1:]]

    def lines(self, address):
        self.show(address)
        out = {}
        for name, _, value in self.csv()[1:]:
            out.setdefault(name, []).append(float(value))
        return out

    def test_every_scheme_has_pictures_that_are_not_empty(self):
        self.show("#/console")
        for scheme in tool_json("list")["schemes"]:
            if scheme["family"] not in ("content", "convolution", "graph"):
                continue
            for preset in ["", *(p["name"] for p in scheme["presets"])]:
                with self.subTest(scheme=scheme["name"], preset=preset):
                    page = self.go(f"#/encodings?scheme={scheme['name']}&preset={preset}")
                    kinds = page.script("document.querySelectorAll('.kinds button').length")
                    self.assertGreater(kinds, 1)
                    for i in range(kinds):
                        page.click(f".kinds button:nth-child({i + 1})")
                        self.assertEqual(page.text(".picture [role=alert]"), "", page.script("location.hash"))
                        rows = self.csv()[1:]
                        last = [float(row[-1]) for row in rows] + [float(row[1]) for row in rows]
                        self.assertGreater(max(abs(v) for v in last if v == v), 0, page.script("location.hash"))

    def test_kerple_weight_is_the_score_times_its_kernel(self):
        got = self.grid("#/encodings?scheme=kerple-weight&kind=square_of_term&head=1&tokens=0:12")
        a, p = made_up((8, 0.5, 0.25), (8, 1, 0.5))
        q, k = ([of_token(i, 8 * 16, salt)[16:32] for i in range(12)] for salt in (2, 3))
        for i in range(12):
            for j in range(12):
                if j > i:
                    self.assertTrue(math.isnan(got[i][j]))
                else:
                    score = dot(q[i], k[j]) / 4
                    self.assertAlmostEqual(got[i][j], score * math.exp(-a[1] * (i - j) ** p[1]) - score, delta=1e-5)

    def test_forgetting_adds_the_gates_between(self):
        got = self.lines("#/encodings?scheme=forgetting&kind=row_of_term&tokens=0:9&q=7")["Head 1"]
        gates = [-math.log1p(math.exp(-2 - 2 * of_token(i, 2, 5)[1])) for i in range(9)]
        for j in range(8):
            self.assertAlmostEqual(got[j], sum(gates[j + 1:8]), delta=1e-5)
        self.assertTrue(math.isnan(got[8]))

    def test_shaw_multiplies_queries_by_the_vector_of_a_distance(self):
        got = self.grid("#/encodings?scheme=shaw&kind=square_of_term&--dim=8&--left=3&--right=3&tokens=0:10")
        [table] = made_up((7 * 8, 0, 0.02))
        for i in range(10):
            q = of_token(i, 2 * 8, 2)[:8]
            for j in range(10):
                row = 3 + min(max(j - i, -3), 3)
                self.assertAlmostEqual(got[i][j], dot(q, table[8 * row:8 * row + 8]), delta=1e-6)

    def test_equal_words_have_equal_queries_and_keys(self):
        address = "#/encodings?scheme=shaw&kind=square_of_term&--left=0&--right=0&text=a+b+a+c"
        got = self.grid(address)
        self.assertEqual(got[0], got[2])
        self.assertNotEqual(got[0], got[1])
        told = self.cell(1, 3, 4, 4)
        self.assertIn("query b, key c: term", told)
        self.assertAlmostEqual(number(told.split()[-1]), got[1][3], delta=1e-5)

    def test_a_term_over_an_image_is_that_of_its_cells(self):
        got = self.grid("#/encodings?scheme=decomposed&kind=cells_of_term&--height=4&--width=6&--dim=8&patch=2,3&head=0")
        rows = {name: list(zip(*[iter(table)] * 8)) for name, table in zip("hw", made_up((7 * 8, 0, 0.02), (11 * 8, 0, 0.02)))}
        q = of_token(2 * 6 + 3, 2 * 8, 2)[:8]
        for y in range(4):
            for x in range(6):
                wanted = dot(q, rows["h"][2 - y + 3]) + dot(q, rows["w"][3 - x + 5])
                self.assertAlmostEqual(got[y][x], wanted, delta=1e-6)

    def test_a_kernel_is_that_of_the_weights(self):
        got = self.grid("#/encodings?scheme=convolution&kind=kernel&--dim=8&--kernel=4&--groups=2&column=5")
        deviation = 1 / math.sqrt(3 * 4 * 4)
        length = deviation * math.sqrt(8 * 4)
        g, v, _ = made_up((4, length, 0), (8 * 4 * 4, 0, deviation), (8, 0, deviation))
        norms = [math.sqrt(sum(v[4 * i + n] ** 2 for i in range(32))) for n in range(4)]
        for r in range(4):  # columns 4 to 7 are a group, and column 5 the second of it
            for c, further in enumerate(range(-1, 3)):  # a token reads two further back and one ahead
                tap = 2 - further
                self.assertAlmostEqual(got[r][c], g[tap] * v[((4 + r) * 4 + 1) * 4 + tap] / norms[tap], delta=1e-5)

    def test_tokens_that_are_alike_differ_at_the_ends_alone(self):
        for line in self.lines("#/encodings?scheme=convolution&kind=ends&--dim=8&--kernel=5&--groups=2&count=20").values():
            self.assertEqual(len(line), 20)
            self.assertLess(max(line[2:18]) - min(line[2:18]), 1e-6)
        for end in (0, 19):
            self.assertGreater(abs(line[end] - line[10]), 1e-3)

    def test_nodes_are_those_of_the_tool(self):
        got = self.grid("#/encodings?scheme=random-walk&kind=nodes&graph=grid:3x5&--steps=6")
        wanted = tool_json("graph", "grid:3x5", "--scheme", "random-walk", "--steps", "6")["rows"]
        for row, line in zip(got, wanted, strict=True):
            for a, b in zip(row, line, strict=True):
                self.assertAlmostEqual(a, b, delta=1e-6)

    def test_a_graph_is_drawn_with_its_edges(self):
        for name, nodes, edges in [("grid:3x4", 12, 17), ("path:5", 5, 4), ("cycle:6", 6, 6), ("star:7", 7, 6), ("complete:5", 5, 10)]:
            page = self.show(f"#/encodings?scheme=degrees&kind=network&graph={name}")
            self.assertEqual(page.script("[document.querySelectorAll('.picture .node').length, document.querySelectorAll('.picture .edge').length]"), [nodes, edges])
            degrees = tool_json("graph", name, "--scheme", "degrees")["rows"]
            self.focus_picture()
            page.key("ArrowRight"), page.key("ArrowRight")
            self.assertEqual(number(page.text(".picture .readout").split()[-1]), degrees[1][0])

    def test_eigenvectors_are_those_of_the_tool(self):
        got = self.grid("#/encodings?scheme=laplacian&kind=nodes&graph=path:9&--dim=4")
        wanted = tool_json("graph", "path:9", "--scheme", "laplacian", "--dim", "4")["rows"]
        for column in range(4):
            for row, line in zip(got, wanted, strict=True):
                self.assertAlmostEqual(row[column], line[column], delta=1e-6)

    def test_an_address_restores_a_text(self):
        page = self.show("#/encodings?scheme=cope")
        label = json.dumps("Words")
        page.type("#" + page.script(f"[...document.querySelectorAll('.controls label')].find((l) => l.textContent === {label}).htmlFor"), "one two one three one")
        address = page.wait("location.hash.includes('text=one') && location.hash")
        before = self.csv()
        self.show(address)
        self.assertEqual(self.csv(), before)
        self.assertEqual(sorted(self.code()), ["cpp", "python"])
