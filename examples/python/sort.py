"""A small Transformer learns to sort, once with and once without a positional encoding (PyTorch).

Output i must be the i-th smallest of six digits. Attention can count the digits, but without a
positional encoding a token does not know which i it is.
"""

import torch

import posenc.torch

torch.set_num_threads(1)  # the model is too small for several threads
DIGITS, LENGTH, DIM = 10, 6, 64


class Sorter(torch.nn.Module):
    def __init__(self, encoding):
        super().__init__()
        self.embedding = torch.nn.Embedding(DIGITS, DIM)
        self.encoding = encoding
        self.layers = torch.nn.TransformerEncoder(
            torch.nn.TransformerEncoderLayer(DIM, nhead=4, dim_feedforward=256, dropout=0.0, batch_first=True),
            num_layers=2,
        )
        self.head = torch.nn.Linear(DIM, DIGITS)

    def forward(self, digits):
        return self.head(self.layers(self.encoding(self.embedding(digits))))


def train(encoding, steps=200):
    torch.manual_seed(0)
    model = Sorter(encoding)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for _ in range(steps):
        digits = torch.randint(DIGITS, (64, LENGTH))
        loss = torch.nn.functional.cross_entropy(model(digits).transpose(1, 2), digits.sort(dim=1).values)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    digits = torch.randint(DIGITS, (1000, LENGTH))
    with torch.no_grad():
        return (model(digits).argmax(-1) == digits.sort(dim=1).values).float().mean().item()


without = train(torch.nn.Identity())
print(f"without an encoding:       {without:.0%} of the digits right")
fixed = train(posenc.torch.SinusoidalEncoding(dim=DIM, batch_first=True))
print(f"with a sinusoidal one:     {fixed:.0%}")
learned = train(posenc.torch.LearnedEncoding(rows=LENGTH, dim=DIM, batch_first=True))
print(f"with a learned one:        {learned:.0%}")
assert fixed > without + 0.2 and learned > without + 0.2
