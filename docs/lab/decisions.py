"""What docs/choosing.md advises, as data: each entry names the column of a table that it stands on, or none."""

# (modality, task, extrapolate, scheme, why, what to do next, (table, column) or None, claim)
# An empty task or answer stands for any. claim: "best", where no other scheme of the column is better by more than the deviations
# between seeds; "" where the advice has another reason, which `why` says.
DECISIONS = [
    ("text", "generate", "yes", "alibi",
     "Best at 16 times the trained length, where it is as good as at the trained length. It retrieves letters from some 400 bytes back and hardly any from 2000 back. forgetting "
     "is 0.02 bits worse and retrieves them from 4000 bytes back, but computes its scores in memory: a step takes twice the time and three times the memory.",
     "posenc list alibi; posenc list forgetting; in PyTorch posenc.torch.RelativeBias(\"alibi\", heads=8), or posenc.torch.ContentTerm(\"forgetting\")",
     ("length-full", 4096), "best"),
    ("text", "generate", "no", "alibi",
     "As good as t5 within the deviations between seeds, with nothing to learn or to tune: the learning rate of t5's table was raised tenfold after a first experiment, without which "
     "it is one of many (t5 slow). The next ones are close, among them rope, which large models use.",
     "posenc list alibi; posenc list rope", ("length-full", 256), "best"),
    ("text", "understand", "yes", "alibi",
     "The only encoding whose masked encoder does not get worse on longer texts: 1.138 bits at the trained length, 1.060 at 16 times that. Up to twice the trained length t5 is better "
     "(0.983); rope needs 1.536 bits at 4 times that length.",
     "posenc list alibi; in PyTorch posenc.torch.RelativeBias(\"alibi\", heads=8)", ("encoder-length", 4096), "best"),
    ("text", "understand", "no", "t5",
     "A masked encoder needs positions. t5 is best, with ten times the learning rate for its table, without which it is far behind (t5 slow); rope, which has nothing to tune, is 0.07 "
     "bits behind it.",
     "posenc list t5; in PyTorch posenc.torch.RelativeBias(\"t5\", heads=8)", ("encoder", "masked encoder"), "best"),
    ("text", "retrieve", "yes", "kerple",
     "Trained on 256 bytes it retrieves letters from 4032 bytes back, as sandwich, t5 and forgetting do. On long texts kerple is 0.17 bits behind alibi and forgetting 0.02, but a step of "
     "forgetting takes twice the time and three times the memory. A rope model trained on short texts retrieves nine letters of ten with yarn applied at test time.",
     "posenc list kerple; posenc list forgetting; posenc list yarn", ("retrieval", 4032), "best"),
    ("text", "retrieve", "no", "rope",
     "Within the trained length most schemes retrieve everything after a short training on the task: rope is as good as any, and is what large models use.",
     "posenc list rope", ("retrieval", 192), "best"),
    ("text", "order", "yes", "alibi",
     "No scheme copies, reverses, adds or sorts at twice the trained length; only brackets, flip-flops and a few selective copies are still answered, most of them by alibi, none and "
     "fire. Of these three only alibi learned sums and LEGO chains with every seed at the trained length.",
     "train on the lengths you need; posenc list alibi", ("order-twice", "mean"), "best"),
    ("text", "order", "no", "alibi",
     "All but fire and none learn nearly every task at the trained length, and differ by no more than seeds do: choose by what else the model needs.",
     "posenc list alibi", ("order-trained", "mean"), "best"),
    ("image", "", "yes", "continuous",
     "Best at twice the trained resolution, together with axial rope and sinusoidal when their positions are scaled to the trained grid: they differ by no more than seeds do.",
     "posenc list continuous", ("pictures", 64), "best"),
    ("image", "", "no", "grid-sinusoidal",
     "Nothing to learn, and as good as the best at the trained resolution.",
     "posenc list grid-sinusoidal", ("pictures", 32), "best"),
    ("audio", "", "", "convolution",
     "What wav2vec 2.0, HuBERT and data2vec use; not measured by the lab.",
     "posenc list convolution", None, ""),
    ("graph", "", "", "laplacian",
     "Eigenvectors for nodes, with shortest-paths as a bias; not measured by the lab.",
     "posenc graph --help", None, ""),
    ("", "", "", "gaussian",
     "Fourier features of coordinates; not measured by the lab.",
     "posenc list gaussian", None, ""),
]  # fmt: skip

# (modality, scheme or empty for any, from this length on, what to mind, (table, column) or None)
CAUTIONS = [
    ("text", "", 1024,
     "The lab's models were trained on texts of at most 256 bytes and read at most 4096: whether encodings compare in the same way at much greater lengths is not known.", None),
    ("text", "rope", 512,
     "Compute angles from positions and frequencies in f32 or wider, never in bf16: bits per byte of a text whose first byte is at position 1000.",
     ("angles", 1000)),
    ("text", "rope", 100_000, "From some 10 million tokens on f32 angles cost too; posenc's are exact.", ("angles", 10_000_000)),
]  # fmt: skip
