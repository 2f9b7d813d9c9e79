"""Models: files are explained, checked, compared and identified as the tool does it."""
import json
import pathlib
import struct
import subprocess
import tempfile
import urllib.parse

from page import PageTest, given, number, table, tool, tool_json


def features(count, state):
    """The page's numbers between -1 and 1 that look like features."""
    out = []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        out.append(state / 2**31 - 1)
    return out


class ModelsTest(PageTest):
    def drop(self, page, *files):
        node = page.call("DOM.querySelector", nodeId=page.call("DOM.getDocument")["root"]["nodeId"], selector="#files")
        page.call("DOM.setFileInputFiles", files=[str(f) for f in files], nodeId=node["nodeId"])

    def test_a_config_is_explained(self):
        config = {"model_type": "qwen2_vl", "hidden_size": 3584, "num_attention_heads": 28, "rope_theta": 1000000,
                  "max_position_embeddings": 32768, "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "config.json"
            file.write_text(json.dumps(config))
            page = self.show("#/models")
            self.drop(page, file)
            page.wait("document.querySelectorAll('.note').length > 0")
            told = tool_json("explain", str(file))
            text = page.text("main")
            for note in told["notes"]:
                self.assertIn(note["text"], text)
            self.assertIn("rope_delta", page.wait("document.querySelector('.strip') && document.querySelector('main').textContent"))
            self.assertLess(float(page.script("document.querySelector('[data-error]').dataset.error")), 1e-5)

    def test_a_file_that_is_dropped_is_explained(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "config.json"
            file.write_text(json.dumps({"model_type": "llama", "head_dim": 64, "rope_theta": 31415}))
            page = self.show("#/models")
            x, y, w, h = page.box(".drop")
            data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
            for kind in ("dragEnter", "dragOver", "drop"):
                page.call("Input.dispatchDragEvent", type=kind, x=x + w / 2, y=y + h / 2, data=data)
            self.assertIn("31415", page.wait("document.querySelector('.facts')?.textContent"))

    def test_layouts_are_those_of_the_tool(self):
        page = self.show("#/models?sample=Llama+3.1+8B", "document.querySelectorAll('#main svg').length > 2")
        page.script("[...document.querySelectorAll('#main h3')].find((e) => e.textContent.startsWith('Layouts')).nextElementSibling.nextElementSibling.id = 'layouts'")
        page.script("document.querySelector('#layouts .stage').focus()")
        for _ in range(10):
            page.key("ArrowRight")
        half, interleaved = (number(part.split()[-1]) for part in page.text("#layouts .readout").split("·"))
        dim, (q, other) = 128, (features(128, seed) for seed in (7, 11))
        k = [a + 0.5 * b for a, b in zip(q, other)]
        row = table("rope", "--preset", "llama3.1", "--positions", "9")[0][1:]

        def score(first, second):  # of the features that make pair i
            turned = [(c * q[first(i)] - s * q[second(i)], s * q[first(i)] + c * q[second(i)])
                      for i, (c, s) in enumerate(zip(row[:64], row[64:]))]
            return sum(x * k[first(i)] + y * k[second(i)] for i, (x, y) in enumerate(turned)) / dim
        self.assertAlmostEqual(half, score(lambda i: i, lambda i: i + 64), delta=1e-6)
        self.assertAlmostEqual(interleaved, score(lambda i: 2 * i, lambda i: 2 * i + 1), delta=1e-6)

    def test_two_configs_are_compared(self):
        llama = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000, "max_position_embeddings": 8192}
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / name for name in ("a.json", "b.json")]
            for file, base in zip(files, (500000, 10000)):
                file.write_text(json.dumps({**llama, "rope_theta": base}))
            page = self.show("#/models")
            self.drop(page, *files)
            self.assertIn("base: 500000 and 10000", page.wait("document.querySelector('[data-diff]')?.textContent"))

    def test_of_more_than_two_files_it_is_told_which_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / name for name in ("a.json", "b.json", "c.json")]
            for file in files:
                file.write_text(json.dumps({"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024}))
            page = self.show("#/models")
            self.drop(page, *files)
            page.wait("document.querySelector('[data-diff]') !== null")
            told = page.wait("document.querySelector('#main [role=status]').textContent")
            self.assertEqual(told, "Explained: a.json, b.json. At most two files are read and compared; not read: c.json.")
            self.assertFalse(page.script("document.querySelector('#main [role=status]').classList.contains('hidden')"))

    def test_a_table_is_identified(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "pe.npy"
            tool("table", "sinusoidal", "--base", "1000", "--dim", "64", "--positions", "0:128", "--out", str(file))
            page = self.show("#/models")
            self.drop(page, file)
            told = tool_json("identify", str(file))
            self.assertIn(told["sentence"], page.wait("document.querySelector('h3 + p')?.textContent"))
            try:
                page.click("#language")
                self.assertIn(told["sentence"], page.wait("document.documentElement.lang === 'zh-Hans' && document.querySelector('h3 + p')?.textContent"))
            finally:
                page.click("#language")

    def test_of_a_large_file_the_header_is_read(self):
        header = json.dumps({"transformer.wpe.weight": {"dtype": "F32", "shape": [1024, 768], "data_offsets": [0, 3145728]},
                             "transformer.h.0.attn.c_attn.weight": {"dtype": "F32", "shape": [768, 2304], "data_offsets": [3145728, 3145728 + 7077888]},
                             "transformer.wte.weight": {"dtype": "F32", "shape": [50257, 768], "data_offsets": [10223616, 10223616 + 154389504]}}).encode()
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "model.safetensors"
            with open(file, "wb") as out:
                out.write(struct.pack("<Q", len(header)) + header)
                out.truncate(8 + len(header) + 10223616 + 154389504)
            wanted = subprocess.run([given.tool, "explain", str(file)], capture_output=True, text=True)
            page = self.show("#/models")
            self.drop(page, file)
            told = page.wait("document.querySelector('#main h2 ~ *')?.textContent && document.querySelector('main').textContent")
            if wanted.returncode == 0:
                self.assertIn("learned", told)
            else:
                self.assertIn(wanted.stderr.split(": ", 2)[-1].strip(), told)

    def test_two_configs_are_drawn_over_each_other(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / name for name in ("a.json", "b.json")]
            for file, base in zip(files, (500000, 10000)):
                file.write_text(json.dumps({"model_type": "llama", "head_dim": 128, "rope_theta": base}))
            page = self.show("#/models")
            self.drop(page, *files)
            page.wait("document.querySelectorAll('.legend li').length === 2")
            page.script("document.querySelector('#main .stage').focus()")
            for _ in range(64):
                page.key("ArrowRight")
            told = [number(part.split()[-1]) for part in page.text("#main .readout").split("·")]
            for got, file in zip(told, files):
                wanted = tool_json("frequencies", "--model", str(file))["frequencies"][-1]["wavelength"]
                self.assertAlmostEqual(got / wanted, 1, delta=1e-5)

    def test_lint_tells_what_someone_should_look_at(self):
        config = {"model_type": "llama", "head_dim": 128, "rope_theta": 10000, "rope_scaling": {"type": "linear", "rope_type": "dynamic", "factor": 2}}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "config.json"
            file.write_text(json.dumps(config))
            done = subprocess.run([given.tool, "lint", str(file), "--json"], capture_output=True, text=True)
            found = json.loads(done.stdout)
            findings = [f"{one['kind']} {one['where'] + ': ' if one['where'] else ''}{one['text']}" for one in found["findings"]]
            self.assertGreater(len(findings), 0)
            page = self.show("#/models")
            self.drop(page, file)
            self.assertEqual(int(page.wait("document.querySelector('[data-lint]')?.dataset.lint")), len(findings))
            lines = page.script("[...document.querySelectorAll('[data-lint] .note')].map((n) => n.textContent)")
            self.assertEqual(lines, findings)
            notes = page.script("[...document.querySelectorAll('#main > div > .note')].map((n) => n.textContent)")
            self.assertEqual([note for note in notes if note in lines], [], "a finding is told once")
            told = tool_json("explain", str(file))["notes"]
            self.assertEqual(len(notes) + len(lines), len(told))
            self.assertRegex(page.text("[data-lint] p"), f"^{len(findings)} finding{'s' if len(findings) > 1 else ''}, (no trap|1 trap|[0-9]+ traps)")

    def test_a_model_without_findings_says_so(self):
        page = self.show("#/models?sample=GPT-2", "document.querySelector('[data-lint]') !== null")
        self.assertRegex(page.text("[data-lint]"), "^No finding, ")

    def test_a_header_of_gguf_is_explained(self):
        def text(value):
            return struct.pack("<Q", len(value)) + value.encode()
        entries = [("general.architecture", 8, text("llama")), ("llama.rope.freq_base", 6, struct.pack("<f", 500000)),
                   ("llama.block_count", 4, struct.pack("<I", 32)), ("llama.attention.head_count", 4, struct.pack("<I", 32)), ("llama.embedding_length", 4, struct.pack("<I", 4096)),
                   ("llama.context_length", 4, struct.pack("<I", 8192)), ("llama.rope.dimension_count", 4, struct.pack("<I", 128))]
        header = b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries))
        header += b"".join(text(name) + struct.pack("<I", kind) + value for name, kind, value in entries)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "model.gguf"
            file.write_bytes(header)
            told = tool_json("explain", str(file))
            page = self.show("#/models")
            self.drop(page, file)
            facts = page.wait("document.querySelector('.facts')?.textContent")
            self.assertIn("500000", facts)
            self.assertIn(told["components"][0]["layout"], facts)

    def test_a_cached_key_is_moved_and_chunks_are_counted(self):
        page = self.show("#/models?sample=Qwen2-VL+7B", "document.querySelectorAll('.strip').length === 2")
        self.assertLess(float(page.script("document.querySelector('[data-error]').dataset.error")), 1e-5)
        told = tool_json("positions", "segments", "--segments", "text:3,image:1x4x6,text:4", "--model", "qwen2-vl")
        strips = page.script("""[...document.querySelectorAll('.strip')].map((s) => [...s.querySelectorAll('tr:not(.parts)')].map((r) =>
          [...r.querySelectorAll('td')].map((c) => Number(c.textContent))))""")
        for axis, right, wrong in zip(told["positions"], *strips, strict=True):
            count = len(axis[0])
            decoded = [i + told["rope_delta"] for i in range(count, count + 3)]
            self.assertEqual(right, axis[0] + decoded)
            self.assertEqual(wrong, axis[0][:9] + list(range(9, count + 3)))

    def facts(self):
        return self.browser.script("[...document.querySelectorAll('#main h2, #main h3, #main .facts, #main .note')].map((e) => e.textContent)")

    def strips(self):
        return self.browser.script("""[...document.querySelectorAll('.strip')].map((s) => [...s.querySelectorAll('tr:not(.parts)')].map((r) =>
          [...r.querySelectorAll('td')].map((c) => Number(c.textContent))))""")

    def test_a_link_restores_a_configuration_that_was_dropped(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "mine.json"
            file.write_text(json.dumps({"model_type": "llama", "head_dim": 64, "rope_theta": 12345, "max_position_embeddings": 2048}))
            page = self.show("#/models")
            self.drop(page, file)
            address = page.wait("document.querySelectorAll('#main svg').length > 2 && location.hash.includes('config=') && location.hash")
            before = self.facts()
        self.assertIn("mine.json", before)
        self.show(address, "document.querySelectorAll('#main svg').length > 2")
        self.assertEqual(self.facts(), before)

    def test_mrope_counts_by_the_rule_of_the_model(self):
        config = {"model_type": "qwen2_5_vl", "hidden_size": 2048, "num_attention_heads": 16, "rope_theta": 1000000, "max_position_embeddings": 128000,
                  "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "config.json"
            file.write_text(json.dumps(config))
            page = self.show("#/models")
            self.drop(page, file)
            page.wait("document.querySelectorAll('.strip').length === 2")
            entry = page.script("[...document.querySelectorAll('#main label')].find((l) => l.textContent === 'Text and images').htmlFor")
            page.type("#" + entry, "text:2,video:4x4x4,text:3")
            page.wait("location.hash.includes('video') && document.querySelectorAll('.strip td').length > 0")
        told = tool_json("positions", "segments", "--segments", "text:2,video:4x4x4,text:3", "--model", "qwen2.5-vl")
        count = len(told["positions"][0][0])
        wanted = [axis[0] + [i + told["rope_delta"] for i in range(count, count + 3)] for axis in told["positions"]]
        self.assertEqual(self.strips()[0], wanted)
        slider = page.script("[...document.querySelectorAll('#main label')].find((l) => l.textContent === 'Tokens in the first chunk').htmlFor")
        page.script(f"document.querySelector('#{slider}').focus()")
        page.key("ArrowLeft")
        page.wait("location.hash.includes('chunk=8')")
        self.assertEqual(self.strips()[1], [axis[:8] + list(range(8, count + 3)) for axis in wanted])
        again = self.show(page.script("location.hash"), "document.querySelectorAll('.strip').length === 2")
        self.assertEqual(self.strips()[0], wanted)
        self.assertIn(f"rope_delta {str(told['rope_delta']).replace('-', '−')}", again.text("main"))

    def test_segments_are_refused_in_the_words_of_the_tool(self):
        config = {"model_type": "qwen2_vl", "hidden_size": 3584, "num_attention_heads": 28, "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}}
        address = "#/models?segments=nonsense&config=" + urllib.parse.quote(json.dumps(config))
        page = self.show(address, "document.querySelector('#main .error:not(:empty)') !== null")
        refused = subprocess.run([given.tool, "positions", "segments", "--segments", "nonsense", "--model", "qwen2-vl"], capture_output=True, text=True).stderr
        self.assertIn(page.text("#main .error:not(:empty)"), refused)

    def test_phase_errors_are_those_of_the_tool(self):
        page = self.show("#/models?sample=Llama+3.1+8B", "document.querySelectorAll('#main svg').length > 2")
        page.script("[...document.querySelectorAll('#main h3')].find((e) => e.textContent.startsWith('Phase')).nextElementSibling.nextElementSibling.id = 'phase'")
        page.script("document.querySelector('#phase .stage').focus()")
        page.key("ArrowRight")
        f32, bf16, exact = (number(part.split()[-1]) for part in page.text("#phase .readout").split("·"))
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "config.json"
            file.write_text(json.dumps({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000, "max_position_embeddings": 131072,
                                        "rope_scaling": {"factor": 8, "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192, "rope_type": "llama3"}}))
            run = ["--model", str(file), "--positions", "1000:1032"]
            true = [row[1:] for row in table(*run, "--dtype", "f64")]
            common = [row[1:] for row in table(*run, "--numerics", "torch-f32")]
        wanted = max(abs(a - b) for x, y in zip(true, common) for a, b in zip(x, y))
        self.assertAlmostEqual(f32, wanted, delta=1e-5 * wanted)
        self.assertLess(exact, f32)
        self.assertGreater(bf16, f32)
