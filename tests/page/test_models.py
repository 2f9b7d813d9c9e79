"""Models: files are explained, checked, compared and identified as the tool does it."""
import json
import pathlib
import struct
import subprocess
import tempfile

from page import PageTest, given, number, tool, tool_json


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

    def test_two_configs_are_compared(self):
        llama = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000, "max_position_embeddings": 8192}
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / name for name in ("a.json", "b.json")]
            for file, base in zip(files, (500000, 10000)):
                file.write_text(json.dumps({**llama, "rope_theta": base}))
            page = self.show("#/models")
            self.drop(page, *files)
            self.assertIn("base: 500000 and 10000", page.wait("document.querySelector('[data-diff]')?.textContent"))

    def test_a_table_is_identified(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "pe.npy"
            tool("table", "sinusoidal", "--base", "1000", "--dim", "64", "--positions", "0:128", "--out", str(file))
            page = self.show("#/models")
            self.drop(page, file)
            told = tool_json("identify", str(file))
            self.assertIn(told["sentence"], page.wait("document.querySelector('h3 + p')?.textContent"))

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

    def test_lint_counts_what_someone_should_look_at(self):
        config = {"model_type": "llama", "head_dim": 128, "rope_theta": 10000, "rope_scaling": {"type": "linear", "rope_type": "dynamic", "factor": 2}}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "config.json"
            file.write_text(json.dumps(config))
            done = subprocess.run([given.tool, "lint", str(file), "--json"], capture_output=True, text=True)
            wanted = len(json.loads(done.stdout)["findings"])
            self.assertGreater(wanted, 0)
            page = self.show("#/models")
            self.drop(page, file)
            self.assertEqual(int(page.wait("document.querySelector('[data-lint]')?.dataset.lint")), wanted)

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
