#!/usr/bin/env python3
"""Measures a vocabulary that grows (sda fit --grow-vocab).

    growing_words.py score build/release/bin/sda texts.txt.zst held_out_ids [--vocab words] [--topics 100] ...

fits the texts twice, with the vocabulary known beforehand and with one grown from the first documents, and scores
both models on the same documents, half of whose words are observed, over the words that both models know: each
model is cut to these words, which leaves Dirichlet distributions, and scored by sda eval.

    growing_words.py zipf 5000000 | sda fit --grow-vocab --format text --topics 20 --max-vocab 50000 - -o model

writes documents of 50 words, word r of 20 million with a probability proportional to 1 / r.
"""
import argparse
import json
import math
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import zlib


def read_model(path):
    """The metadata, and each tensor as its shape and bytes."""
    data = pathlib.Path(path).read_bytes()
    body = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:body])
    metadata = header.pop("__metadata__")
    return metadata, {name: (t["shape"], data[body + t["data_offsets"][0] : body + t["data_offsets"][1]])
                      for name, t in header.items()}


def write_model(path, metadata, tensors):
    header, begin = {"__metadata__": metadata | {"checksum": "0" * 8}}, 0
    for name, (shape, numbers) in tensors.items():
        header[name] = {"dtype": "F64", "shape": shape, "data_offsets": [begin, begin + len(numbers)]}
        begin += len(numbers)
    text = json.dumps(header, separators=(",", ":"))
    text = (text + " " * (-len(text.encode()) % 8)).encode()
    data = len(text).to_bytes(8, "little") + text + b"".join(numbers for _, numbers in tensors.values())
    place = data.index(b'"checksum":"') + len(b'"checksum":"')
    checksum = f"{zlib.crc32(data):08x}".encode()
    pathlib.Path(path).write_bytes(data[:place] + checksum + data[place + 8 :])


def cut(path, words, out):
    """The model of these words alone: the other rows are summed out."""
    metadata, tensors = read_model(path)
    row = {word: i for i, word in enumerate(json.loads(metadata["vocabulary"]))}
    kept = {key: value for key, value in metadata.items() if key not in ("checksum", "grown_words", "coherence")}
    options = json.loads(kept["options"])
    options.pop("grow_vocab", None)
    kept |= {"vocabulary": json.dumps(words), "options": json.dumps(options)}
    topics = tensors["lambda"][0][1]
    numbers = b"".join(tensors["lambda"][1][8 * topics * row[w] : 8 * topics * (row[w] + 1)] for w in words)
    cut_rows = ([len(words), topics], numbers)
    write_model(out, kept, {"lambda": cut_rows, "alpha": tensors["alpha"], "eta": tensors["eta"]})


def fit(sda, args, extra, out):
    report = str(out) + ".json"
    command = [sda, "fit", args.input, "--topics", args.topics, "--format", "text", "-o", str(out), "--report", report,
               "--holdout", args.ids, "--seed", args.seed, *args.fit.split(), *extra]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(list(map(str, command)), check=True, stdout=sys.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = json.loads(pathlib.Path(report).read_text())
    return result | {"processor_seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def score(args):
    with tempfile.TemporaryDirectory(dir=args.scratch) as folder:
        folder = pathlib.Path(folder)
        known = ["--vocab", args.vocab] if args.vocab else ["--vocab-from", 1 << 40]
        models = {
            "fixed": fit(args.sda, args, [*known, "--max-vocab", args.max_vocab], folder / "fixed"),
            "grown": fit(args.sda, args, ["--grow-vocab", "--max-vocab", args.max_vocab, *args.grown.split()],
                         folder / "grown"),
        }
        vocabularies = {name: json.loads(read_model(folder / name)[0]["vocabulary"]) for name in models}
        common = sorted(set(vocabularies["fixed"]) & set(vocabularies["grown"]))
        print(f"words: fixed {len(vocabularies['fixed'])}, grown {len(vocabularies['grown'])}, common {len(common)}")
        for name, report in models.items():
            cut(folder / name, common, folder / (name + ".cut"))
            out = subprocess.run([args.sda, "eval", folder / (name + ".cut"), args.input, "--format", "text",
                                  "--holdout", args.ids, "--json"], check=True, capture_output=True, text=True)
            result = json.loads(out.stdout)
            print(f"{name}: score {result['log_predictive_probability']:.4f} over {result['test_tokens']} tokens; "
                  f"fitted {report['documents']} documents, {report['tokens']} tokens in {report['seconds']:.1f} s, "
                  f"{report['processor_seconds']:.1f} s of processor time; "
                  f"peak {report['peak_rss_bytes'] / 2**20:.0f} MiB", report.get("words", ""))


def letters(word):
    name = "z"
    while True:
        word, letter = divmod(word, 20)
        name += chr(ord("a") + letter)
        if word == 0:
            return name


def zipf(args):
    draw = random.Random(args.seed).random
    log_words = math.log(args.words)
    names = [letters(word) for word in range(100_000)]
    for _ in range(args.documents):
        ranks = [int(math.exp(draw() * log_words)) - 1 for _ in range(50)]
        print(*[names[r] if r < len(names) else letters(r) for r in ranks])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("score")
    command.add_argument("sda")
    command.add_argument("input")
    command.add_argument("ids")
    command.add_argument("--vocab", help="the words known beforehand; else chosen from all documents")
    command.add_argument("--max-vocab", default=20_000, type=int)
    command.add_argument("--topics", default=100, type=int)
    command.add_argument("--seed", default=1, type=int)
    command.add_argument("--scratch", help="folder for the models")
    command.add_argument("--fit", default="", help="more options of sda fit, in one argument")
    command.add_argument("--grown", default="", help="the same of the grown one alone")
    command.set_defaults(run=score)
    command = commands.add_parser("zipf")
    command.add_argument("documents", type=int)
    command.add_argument("--words", default=20_000_000, type=int)
    command.add_argument("--seed", default=1, type=int)
    command.set_defaults(run=zipf)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
