"""Encodings: what a picture tells is what the tool prints."""
import json
import re
import subprocess

from page import PageTest, given, number, table, tool, tool_json

STARTS = {"rope": ["--layout", "half"]}  # what a scheme cannot do without


class EncodingsTest(PageTest):
    def test_heat_map_tells_the_numbers_of_the_tool(self):
        self.show("#/encodings?scheme=sinusoidal&kind=heatmap&--dim=64&positions=0:64")
        rows = table("sinusoidal", "--dim", "64", "--positions", "0:64")
        for row, column in [(3, 0), (40, 17), (63, 63)]:
            told = self.cell(row, column, 64, 64)
            self.assertIn(f"position {row}, column {column}:", told)
            self.assertAlmostEqual(number(told.split(": ")[1]), rows[row][1 + column], delta=1e-5)

    def test_heat_map_has_the_colour_of_its_numbers(self):
        page = self.show("#/encodings?scheme=sinusoidal&kind=heatmap&--dim=64&positions=0:64")
        rows = table("sinusoidal", "--dim", "64", "--positions", "0:64")
        pixels = page.script("""(() => { const c = document.querySelector('.picture canvas');
          return [...c.getContext('2d').getImageData(0, 0, 64, 64).data]; })()""")
        styles = page.script("""['--low', '--middle', '--high'].map((name) => { const probe = document.createElement('i');
          probe.style.color = `var(${name})`; document.body.append(probe); return getComputedStyle(probe).color; })""")
        low, middle, high = ([int(n) for n in re.findall(r"\d+", s)] for s in styles)
        for row in range(0, 64, 7):
            for column in range(0, 64, 5):
                value = rows[row][1 + column]
                end, share = (high, value) if value >= 0 else (low, -value)
                wanted = [m + (e - m) * share for m, e in zip(middle, end)]
                got = pixels[4 * (64 * row + column):][:3]
                self.assertLess(max(abs(a - b) for a, b in zip(wanted, got)), 2.5, (row, column))

    def test_arrow_keys_walk_over_the_picture(self):
        page = self.show("#/encodings?scheme=alibi&kind=square&--heads=4&tokens=0:16&head=1")
        page.script("document.querySelector('.picture .stage').focus()")
        for key in ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown"]:
            page.key(key)
        told = page.text(".picture .readout")
        self.assertIn("query 1, key 2:", told)
        head_1 = [row for row in table("alibi", "--heads", "4", "--queries", "0:16", "--keys", "0:16") if row[0] == 1]
        self.assertAlmostEqual(number(told.split("bias ")[1]), head_1[1][2 + 2], delta=1e-6)

    def test_every_scheme_and_every_picture_of_it(self):
        self.show("#/console")
        for scheme in tool_json("list")["schemes"]:
            with self.subTest(scheme=scheme["name"]):
                page = self.go(f"#/encodings?scheme={scheme['name']}")
                self.assertIn(scheme["about"], page.text(".about"))
                kinds = page.script("document.querySelectorAll('.kinds button').length")
                self.assertGreater(kinds, 0)
                for i in range(kinds):
                    page.click(f".kinds button:nth-child({i + 1})")
                    self.assertEqual(page.text("[role=alert]"), "", page.script("location.hash"))
                    self.assertGreater(page.script("document.querySelectorAll('.picture svg, .picture canvas').length"), 0)

    def test_every_preset_and_option_of_every_scheme_has_a_control(self):
        self.show("#/console")
        for scheme in tool_json("list")["schemes"]:
            with self.subTest(scheme=scheme["name"]):
                page = self.go(f"#/encodings?scheme={scheme['name']}")
                labels = page.script("[...document.querySelectorAll('.controls label')].map((l) => l.textContent)")
                fields = tool_json("list", scheme["name"], *STARTS.get(scheme["name"], []))["schemes"][0]["fields"]
                taken = self.taken(fields, {})
                self.assertLessEqual({f["name"] for f in fields if taken(f)}, set(labels))
                presets = page.script(f"[...document.querySelector('{self.option('Preset')}').options].map((o) => o.value)")
                self.assertEqual(presets, ["", *(p["name"] for p in scheme["presets"])])
                for field in fields:
                    if field["kind"] == "choice" and taken(field):
                        choices = page.script(f"[...document.querySelector('{self.option(field['name'])}').options].map((o) => o.value)")
                        self.assertEqual([c for c in choices if c], field["choices"], field["name"])

    def taken(self, fields, given):
        """Whether a field is one of those that the chosen options have."""
        named = {f["name"]: f for f in fields}

        def is_taken(field):
            need = field.get("only_with")
            if not need:
                return True
            other = named[need["option"]]
            return given.get(other["name"], str(other["default"]).lower()) == need["choice"] and is_taken(other)
        return is_taken

    def test_options_that_need_a_choice_have_controls_once_it_is_made(self):
        self.show("#/console")
        more = 0
        for scheme in tool_json("list")["schemes"]:
            start = STARTS.get(scheme["name"], [])
            fields = tool_json("list", scheme["name"], *start)["schemes"][0]["fields"]
            needed = {(f["only_with"]["option"], f["only_with"]["choice"]) for f in fields if "only_with" in f}
            usual = self.taken(fields, {})
            for field in [f for f in fields if usual(f)]:
                for choice in [c for option, c in sorted(needed) if option == field["name"] and str(field["default"]).lower() != c]:
                    words = [*start, f"--{field['name']}", choice]
                    address = "&".join("=".join(words[i:i + 2]) for i in range(0, len(words), 2))
                    page = self.go(f"#/encodings?scheme={scheme['name']}&{address}")
                    labels = page.script("[...document.querySelectorAll('.controls label')].map((l) => l.textContent)")
                    now = self.taken(fields, {field["name"]: choice})
                    wanted = {f["name"] for f in fields if now(f) and not usual(f)}
                    self.assertLessEqual(wanted, set(labels), address)
                    more += len(wanted)
        self.assertGreater(more, 30)

    def option(self, name):
        """A selector of the control of that name."""
        return "#" + self.browser.script(
            f"[...document.querySelectorAll('.controls label')].find((l) => l.textContent === {json.dumps(name)}).htmlFor")

    def test_an_address_restores_what_was_typed_and_chosen(self):
        page = self.show("#/encodings?scheme=rope")
        page.click(".kinds button:nth-child(2)")
        page.type(self.option("dim"), "32")
        page.type(self.option("Positions"), "0:50")
        page.click(self.option("scaling"))
        page.key("Escape")
        page.script(f"""(s => {{ s.value = 'linear'; s.dispatchEvent(new Event('change')); }})(document.querySelector('{self.option("scaling")}'))""")
        page.type(self.option("scaling.factor"), "4")
        address = page.wait("location.hash.includes('scaling.factor') && location.hash")
        title = page.script("document.querySelector('.picture svg').getAttribute('aria-label')")
        for part in ["dim", "32", "linear", "positions=0%3A50", "kind=heatmap"]:
            self.assertIn(part, address)
        again = self.show(address)
        self.assertEqual(again.script("document.querySelector('.picture svg').getAttribute('aria-label')"), title)
        self.assertEqual(again.script("location.hash"), address)
        rows = table("rope", "--layout", "half", "--dim", "32", "--scaling", "linear", "--scaling.factor", "4", "--positions", "0:50")
        self.assertAlmostEqual(number(self.cell(20, 3, 50, 32).split(": ")[1]), rows[20][1 + 3], delta=1e-5)

    def test_an_address_with_names_that_do_not_exist_opens_what_does(self):
        for address, scheme in [("scheme=nonsense", "sinusoidal"), ("scheme=rope&preset=nonsense", "rope"),
                                       ("scheme=t5&kind=nonsense", "t5"), ("scheme=decomposed&preset=sam", "decomposed")]:
            page = self.show(f"#/encodings?{address}")
            self.assertEqual(page.text("main [role=alert]"), "")
            self.assertEqual(page.script("document.querySelector('#scheme').value"), scheme)
            self.assertIn(scheme, page.script("document.querySelector('.picture svg').getAttribute('aria-label')"))
        self.show("#/nonsense")
        self.assertEqual(page.text(".about h2"), "sinusoidal")

    def test_a_wrong_option_is_told_in_the_words_of_the_tool(self):
        page = self.show("#/encodings?scheme=sinusoidal&--dim=0")
        refused = subprocess.run([given.tool, "table", "sinusoidal", "--dim", "0"], capture_output=True, text=True).stderr
        self.assertIn(page.text(".picture .error").strip(), refused)
        self.assertNotEqual(page.text(".picture .error"), "")

    def test_circles_turn_as_the_table_says(self):
        page = self.show("#/encodings?scheme=rope&kind=circles&--layout=half&--dim=16&q=9&k=2")
        rows = table("rope", "--layout", "half", "--dim", "16", "--positions", "9,2")
        score = sum(a * b for a, b in zip(rows[0][1:], rows[1][1:])) / 8
        self.assertAlmostEqual(number(page.text(".told").split("score ")[1]), score, delta=1e-5)
        hands = page.script("[...document.querySelectorAll('.hand.q')].map((h) => h.getAttribute('d'))")
        for pair in (0, 3, 7):
            x0, y0, x1, y1 = map(float, re.findall(r"[-\d.]+", hands[pair]))
            self.assertAlmostEqual((x1 - x0) / 36.8, rows[0][1 + pair], delta=2e-3)
            self.assertAlmostEqual((y0 - y1) / 36.8, rows[0][9 + pair], delta=2e-3)

    def test_length_rules_and_wavelengths(self):
        page = self.show("#/encodings?scheme=rope&kind=rules&--layout=half&--dim=64&compare=yarn+factor%3D4")
        told = tool_json("frequencies", "rope", "--layout", "half", "--dim", "64", "--scaling", "yarn", "--scaling.factor", "4")
        page.script("document.querySelector('.picture .stage').focus()")
        for _ in range(16):
            page.key("ArrowRight")
        self.assertAlmostEqual(number(page.text(".readout").split()[-1]), told["frequencies"][15]["effect"], delta=1e-5)
        page = self.show("#/encodings?scheme=rope&kind=wavelengths&--layout=half&--dim=64&length=4096")
        late = sum(f["wavelength"] > 4096 for f in tool_json("frequencies", "rope", "--layout", "half", "--dim", "64")["frequencies"])
        self.assertIn(f"{late} pairs never complete a turn in 4096 tokens", page.text(".told"))

    def test_buckets(self):
        page = self.show("#/encodings?scheme=t5&kind=buckets&positions=0:10")
        page.script("document.querySelector('.picture .stage').focus()")
        told = []
        for _ in range(10):
            page.key("ArrowRight")
            told.append(number(page.text(".readout").split()[-1]))
        self.assertEqual(told, [0, 17, 18, 19, 20, 21, 22, 23, 24, 24])  # keys behind the query have the upper half

    def test_dragging_paints_the_canvas_alone(self):
        page = self.show("#/encodings?scheme=sinusoidal&kind=heatmap&--dim=512&positions=0:512")
        page.script("""[...document.querySelectorAll('.controls label')].find((l) => l.textContent === 'base').parentElement
          .querySelector('[type=range]').id = 'drag'""")
        before = page.script("document.querySelector('.picture canvas').toDataURL()")
        page.script("""self.changes = []; self.frames = 0;
          new MutationObserver((all) => all.forEach((one) => one.type === 'childList' && self.changes.push(one.target.className)))
            .observe(document.querySelector('.sight'), {childList: true, subtree: true});
          const put = CanvasRenderingContext2D.prototype.putImageData;
          CanvasRenderingContext2D.prototype.putImageData = function (...given) { ++self.frames; return put.apply(this, given); };""")
        page.call("Performance.enable", timeDomain="threadTicks")
        x, y, w, h = page.box("#drag")
        page.mouse("mousePressed", x + w / 2, y + h / 2)
        start = {m["name"]: m["value"] for m in page.call("Performance.getMetrics")["metrics"]}
        for i in range(1, 41):
            page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + w / 2 + i, y=y + h / 2, button="left", buttons=1)
        page.script("new Promise(requestAnimationFrame)")
        end = {m["name"]: m["value"] for m in page.call("Performance.getMetrics")["metrics"]}
        page.mouse("mouseReleased", x + w / 2 + 40, y + h / 2)
        frames = page.script("self.frames")
        spent = {name: 1000 * (end[name] - start[name]) / frames for name in ("TaskDuration", "ScriptDuration", "LayoutDuration", "RecalcStyleDuration")}
        print(f"\nmeasured: CPU of the main thread for a frame of 512 x 512 while dragging, {frames} frames:",
              ", ".join(f"{name[:-8].lower()} {ms:.2f} ms" for name, ms in spent.items()))
        self.assertNotEqual(page.script("document.querySelector('.picture canvas').toDataURL()"), before)
        self.assertGreater(frames, 9)
        self.assertLessEqual(frames, 42)  # one for each move at most
        self.assertLess(spent["TaskDuration"], 2 * 16.7)  # CPU time, twice what a screen of 60 Hz leaves: room for a busy machine
        self.assertEqual(page.script("self.changes"), [])  # no element of the picture is made anew

    def test_frames_while_dragging(self):
        """How many a second there are, where a finger asks for one in every frame: told, because a busy machine makes fewer."""
        page = self.show("#/encodings?scheme=sinusoidal&kind=heatmap&--dim=512&positions=0:512")
        page.script("""[...document.querySelectorAll('.controls label')].find((l) => l.textContent === 'base').parentElement
          .querySelector('[type=range]').id = 'drag'""")
        frames, seconds = page.script("""new Promise((done) => {
          const drag = document.querySelector('#drag'), put = CanvasRenderingContext2D.prototype.putImageData, start = performance.now();
          let painted = 0, moves = 0;
          CanvasRenderingContext2D.prototype.putImageData = function (...given) { ++painted; return put.apply(this, given); };
          const move = () => {
            if (++moves > 120) return done([painted, (performance.now() - start) / 1000]);
            drag.value = (moves % 60) - 30;
            drag.dispatchEvent(new Event('input'));
            requestAnimationFrame(move);
          };
          requestAnimationFrame(move);
        })""")
        print(f"\nmeasured: {frames / seconds:.0f} frames a second while dragging at 512 x 512, of at most 60")
        self.assertGreater(frames, 100)  # each move is painted

    def test_every_preset_is_drawn_or_refused_as_by_the_tool(self):
        self.show("#/console")
        for scheme in tool_json("list")["schemes"]:
            if scheme["family"] not in ("absolute", "rotary", "relative"):
                continue
            for preset in scheme["presets"]:
                with self.subTest(scheme=scheme["name"], preset=preset["name"]):
                    page = self.go(f"#/encodings?scheme={scheme['name']}&preset={preset['name']}")
                    told = page.text(".picture .error")
                    if told:  # layers that rotate nothing have no picture, and the tool says so too
                        refused = subprocess.run([given.tool, "table", scheme["name"], "--preset", preset["name"]], capture_output=True, text=True)
                        self.assertEqual(refused.stderr, f"posenc: {told}\n")
                    else:
                        self.assertGreater(page.script("document.querySelectorAll('.picture svg').length"), 0)

    def test_directions_on_an_image_that_is_not_square(self):
        self.show("#/encodings?scheme=rope&preset=qwen-vision&kind=directions&grid=4x6&patch=2,3")
        rows = {}
        for i in range(24):
            rows[divmod(i, 6)] = table("rope", "--preset", "qwen-vision", "--positions", f"{i // 6};{i % 6}")[0]
        here, pairs = rows[2, 3], (len(rows[2, 3]) - 2) // 2
        for row, column in [(0, 0), (2, 5), (3, 1)]:
            there = rows[row, column]
            score = sum(a * b for a, b in zip(here[2:], there[2:])) / pairs  # of a query and a key of ones, by their length
            told = self.cell(row, column, 4, 6)
            self.assertIn(f"(2, 3) · ({row}, {column})", told)
            self.assertAlmostEqual(number(told.split()[-1]), score, delta=1e-5)
