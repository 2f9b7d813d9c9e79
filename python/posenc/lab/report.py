def write(rows, folder):
    return [f"{len(rows)} rows"]
