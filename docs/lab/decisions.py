"""What docs/choosing.md advises, as data: each entry names the column of a table that it stands on, or none."""

# (modality, task, extrapolate, scheme, why, what to do next, (table, column) or None, claim)
# An empty task or answer stands for any. claim: "best", where no other scheme of the column is better by more than the deviations
# between seeds; "" where the advice has another reason, which `why` says.
DECISIONS = [
    ("text", "generate", "yes", "alibi",
     "Best at 16 times the trained length, where it is as good as at the trained length. It finds letters some 400 bytes back and hardly any 2000 back. forgetting is "
     "0.02 bits behind and finds them 4000 bytes back, but its scores are made in memory: twice the time of a step and three times the memory.",
     "posenc list alibi; posenc list forgetting; in PyTorch posenc.torch.RelativeBias(\"alibi\", heads=8), or posenc.torch.ContentTerm(\"forgetting\")",
     ("length-full", 4096), "best"),
    ("text", "generate", "no", "alibi",
     "As good as t5 within the deviations, with nothing to learn or to tune: the rate of t5's table was raised tenfold after a first try, without which it is one of many "
     "(t5 slow). The next ones are close, rope among them, which large models have.",
     "posenc list alibi; posenc list rope", ("length-full", 256), "best"),
    ("text", "understand", "", "rope",
     "Best in a masked encoder, which is lost without positions, together with t5 at ten times the learning rate for its table; alibi is within 0.14 bits. Both have "
     "been trained at half the rate of the others.",
     "posenc.torch.RotaryEncoding(dim=64, layout=\"half\", heads_first=True)", ("encoder", "masked encoder"), "best"),
    ("text", "retrieve", "yes", "kerple",
     "Trained on 256 bytes it finds letters 4032 bytes back, as sandwich, t5 and forgetting do. forgetting loses nothing on long texts where kerple loses 0.12 bits, but takes "
     "twice the time of a step and three times the memory. A rope model trained on short texts finds nine letters of ten when it is read under yarn.",
     "posenc list kerple; posenc list forgetting; posenc list yarn", ("retrieval", 4032), "best"),
    ("text", "retrieve", "no", "rope",
     "Within the trained length most schemes find everything once taught to: rope is as good as any, and is what large models have.",
     "posenc list rope", ("retrieval", 192), "best"),
    ("text", "order", "yes", "alibi",
     "No scheme copies, reverses, adds or sorts at twice the trained length; brackets, flip-flops and a few selective copies are what is left. alibi, none and fire answer "
     "most of them, and of the three alibi alone learned sums and LEGO chains with every seed at the trained length.",
     "train on the lengths you need; posenc list alibi", ("order-twice", "mean"), "best"),
    ("text", "order", "no", "alibi",
     "All but fire and none learn nearly every task at the trained length, and differ by no more than seeds do: take what the model needs otherwise.",
     "posenc list alibi", ("order-trained", "mean"), "best"),
    ("image", "", "yes", "continuous",
     "Best at twice the trained resolution, within the deviations of axial rope and sinusoids whose positions are scaled to the trained grid.",
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

# (modality, scheme, from this length on, what to mind, (table, column))
CAUTIONS = [
    ("text", "rope", 512,
     "Make angles from positions and frequencies in f32 or wider, never in bf16: bits per byte of a text that begins at position 1000.",
     ("angles", 1000)),
    ("text", "rope", 100_000, "From some 10 million tokens on f32 angles cost too; posenc's are exact.", ("angles", 10_000_000)),
]  # fmt: skip
