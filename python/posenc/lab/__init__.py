"""The lab: small Transformers trained with every encoding, so that a choice stands on numbers.

    python -m posenc.lab --quick              # minutes on a CPU
    python -m posenc.lab --full --workers 8   # one GPU
    python -m posenc.lab --report             # tables and plots of what there is

Results are JSON lines in a folder. Runs go on where they were ended; workers may be killed, and may be on many machines.
"""
