"""Links restore what was dropped: small files from the address itself, larger ones from the browser's own store."""
import csv
import io
import json
import pathlib
import struct
import subprocess
import tempfile

from page import PageTest, given, number, table, tool, tool_json


def text(value):
    return struct.pack("<Q", len(value)) + value.encode()


def entry(name, kind, value):
    return text(name) + struct.pack("<I", kind) + value


def texts(values):
    """A list of texts as GGUF has it."""
    return struct.pack("<IQ", 8, len(values)) + b"".join(text(v) for v in values)


def write_gguf(file, words, tail=0):
    """A llama with a vocabulary, a template and the factors of its frequencies; tail: bytes of weights behind."""
    entries = [entry("general.architecture", 8, text("llama")), entry("tokenizer.ggml.tokens", 9, texts(words)),
               entry("general.alignment", 4, struct.pack("<I", 64)), entry("tokenizer.chat_template", 8, text("x" * 5000)),
               entry("llama.block_count", 4, struct.pack("<I", 32)), entry("llama.attention.head_count", 4, struct.pack("<I", 32)),
               entry("llama.embedding_length", 4, struct.pack("<I", 4096)), entry("llama.context_length", 4, struct.pack("<I", 8192)),
               entry("llama.rope.dimension_count", 4, struct.pack("<I", 128)), entry("llama.rope.freq_base", 6, struct.pack("<f", 500000))]
    tensors = [("rope_freqs.weight", 64), ("token_embd.weight", max(tail // 4, 16))]
    start, offset = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(entries)) + b"".join(entries), 0
    for name, count in tensors:
        start += text(name) + struct.pack("<IQIQ", 1, count, 0, offset)
        offset += (4 * count + 63) // 64 * 64
    with open(file, "wb") as out:
        out.write(start + b"\0" * (-len(start) % 64))
        out.write(struct.pack("<64f", *(1 + i / 32 for i in range(64))))
        out.truncate(out.tell() + offset - 256)


class LinksTest(PageTest):
    def drop(self, page, *files):
        node = page.call("DOM.querySelector", nodeId=page.call("DOM.getDocument")["root"]["nodeId"], selector="#files")
        page.call("DOM.setFileInputFiles", files=[str(f) for f in files], nodeId=node["nodeId"])

    def told(self):
        return self.browser.script("[...document.querySelectorAll('#main h2, #main h3, #main .facts, #main .note, #main [data-lint], #main pre, #main h3 + p')].map((e) => e.textContent)")

    def restored(self, *files, word):
        """The address after files were dropped; opened anew, once they are gone, it shows the same."""
        page = self.show("#/models")
        self.drop(page, *files)
        address = page.wait(f"/[?&]({word})=/.test(location.hash) && location.hash")
        before = self.told()
        self.assertIn(files[0].name, before)
        for file in files:
            file.unlink()
        self.show(address, "document.querySelector('#main h2') !== null && /[?&](files|kept)=/.test(location.hash)")
        self.browser.wait(f"document.querySelectorAll('#main h2, #main h3').length === {self.headings(before)}")
        self.assertEqual(self.told(), before)
        return address

    def headings(self, told):
        return self.browser.script("document.querySelectorAll('#main h2, #main h3').length")

    def test_a_table(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "pe.npy"
            tool("table", "sinusoidal", "--base", "1000", "--dim", "64", "--positions", "0:128", "--out", str(file))
            told = tool_json("identify", str(file))
            self.restored(file, word="files")
            self.assertIn(told["sentence"], self.browser.text("main"))

    def test_a_large_table_is_kept_by_the_browser(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "large.npy"
            tool("table", "sinusoidal", "--base", "1000", "--dim", "512", "--positions", "0:512", "--out", str(file))
            address = self.restored(file, word="kept")
        self.assertLess(len(address), 200)
        page = self.show("#/models?kept=nothing", "document.querySelector('#main [role=status]:not(.hidden):not(#loading)') !== null")
        self.assertIn("stored only in the browser", page.text("main"))

    def test_a_gguf_without_its_vocabulary(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "model.gguf"
            write_gguf(file, [f"token{i}" for i in range(50000)])
            self.assertGreater(file.stat().st_size, 500_000)
            told = tool_json("explain", str(file))
            address = self.restored(file, word="files")
        self.assertLess(len(address), 3000)
        facts = self.browser.text(".facts")
        self.assertIn("500000", facts)
        self.assertIn(told["components"][0]["layout"], facts)

    def test_a_gguf_of_gigabytes(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "model.gguf"
            write_gguf(file, [f"token{i}" for i in range(3000)], tail=3 << 30)
            self.assertLess(len(self.restored(file, word="files")), 3000)

    def test_two_files_of_which_one_is_no_configuration(self):
        with tempfile.TemporaryDirectory() as folder:
            one, other = pathlib.Path(folder) / "model.gguf", pathlib.Path(folder) / "config.json"
            write_gguf(one, ["a", "b"])
            other.write_text(json.dumps({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 10000, "max_position_embeddings": 8192}))
            self.restored(one, other, word="files")
            self.assertIn("base: 500000 and 10000", self.browser.text("[data-diff]"))

    def test_what_files_say_is_given_away(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "config.json"
            file.write_text(json.dumps({"model_type": "llama", "head_dim": 64, "rope_theta": 31415}))
            page = self.show("#/models")
            self.drop(page, file)
            page.wait("document.querySelector('#main .facts ~ details.keep') !== null")
            page.script("Object.assign(document.querySelector('#main details.keep'), {id: 'told', open: true})")
            code = self.code("#told")
            self.assertIn("posenc explain config.json", code["shell"])
            for name in ("PNG", "SVG", "CSV"):
                self.press(name, "#told")
            lines = list(csv.reader(io.StringIO(self.downloaded("posenc.csv").decode())))
            self.assertEqual(self.downloaded("posenc.png")[:4], b"\x89PNG")
            self.assertIn("31415", self.downloaded("posenc.svg").decode())
            self.assertIn(["text", "base", "31415"], lines)
            for line in code["shell"].splitlines():
                done = subprocess.run([given.tool, *line.split()[1:]], cwd=folder, capture_output=True, text=True)
                self.assertNotIn("cannot read", done.stderr)

    def test_true_values_beside_those_of_f32(self):
        page = self.show("#/models?sample=Llama+3.1+8B", "document.querySelectorAll('#main svg').length > 2")
        rows = page.script("""[...[...document.querySelectorAll('#main h3')].find((e) => e.textContent.startsWith('The value with the largest error')).nextElementSibling
          .querySelectorAll('tbody tr')].map((r) => [...r.children].map((c) => c.textContent))""")
        self.assertEqual(len(rows), 5)
        for position, name, true, common, rounded, ours in rows:
            kind, pair = name.split(", pair ")
            column = int(pair) + (64 if kind == "sin" else 0)
            exact = table("rope", "--preset", "llama3.1", "--positions", position, "--dtype", "f64")[0][1 + column]
            f32 = table("rope", "--preset", "llama3.1", "--positions", position, "--numerics", "torch-f32")[0][1 + column]
            self.assertAlmostEqual(number(true), exact, delta=1e-5)
            self.assertAlmostEqual(number(common), f32, delta=1e-5)
            self.assertAlmostEqual(number(ours), exact, delta=1e-5)
            self.assertLess(abs(number(rounded)), 1.0001)
        self.assertGreater(abs(number(rows[-1][3]) - number(rows[-1][2])), 0.01)
