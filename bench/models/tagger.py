#!/usr/bin/python3
"""Makes a model that tags names out of its ONNX file, and its reference.

    tagger.py convert FILE OUT      writes the weights of an ONNX file of a
                                    BertForTokenClassification, whose matrices have
                                    4 bits and whose tables have 8, to OUT in float32
    tagger.py write MODEL FILE DATA makes MODEL/tags: 200 texts drawn from the
                                    corpora below DATA, their tokens, and what
                                    onnxruntime makes of them with the ONNX file

The numbers that the ONNX file stands for are written as they are, so the model is
the same one. It wants onnx, numpy and safetensors, and write also onnxruntime and
tokenizers.
"""

import gzip
import json
import os
import random
import sys

import numpy as np

CORPORA = (("zoomcamp_faq", 60), ("hippo_musique", 80), ("wikiqa_articles", 60))
LONGEST = 128  # tokens of a text of the reference


def dequantized(file):
    """The tensors of an ONNX file by the names that transformers gives them."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(file).graph
    have = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    out = {n: v for n, v in have.items() if v.dtype == np.float32 and n.endswith((".weight", ".bias"))}
    for name in have:
        if name.endswith(".weight_quantized"):
            base = name.removesuffix("_quantized")
            zero = have[base + "_zero_point"].astype(np.float32)
            out[base] = (have[name].astype(np.float32) - zero) * have[base + "_scale"]
    for node in graph.node:
        if node.op_type != "MatMulNBits":
            continue
        a = {x.name: x.i for x in node.attribute}
        if a["bits"] != 4 or len(node.input) != 3 or a.get("accuracy_level", 0) not in (0, 1):
            sys.exit(f"{node.name}: only 4 bits without zero points, computed in float32, are read")
        packed, scale = have[node.input[1]], have[node.input[2]].reshape(a["N"], -1, 1)
        rows = np.empty((*packed.shape[:2], 2 * packed.shape[2]), np.float32)
        rows[:, :, 0::2], rows[:, :, 1::2] = packed & 15, packed >> 4
        # /bert/encoder/layer.0/attention/self/query/MatMul_Q4
        name = node.name.removeprefix("/").rsplit("/", 1)[0].replace("/", ".")
        out[name + ".weight"] = ((rows - 8) * scale).reshape(a["N"], -1)[:, : a["K"]]
    return {n: np.ascontiguousarray(v, np.float32) for n, v in out.items()}


def texts(data):
    random.seed(17)
    out = []
    for name, n in CORPORA:
        with gzip.open(os.path.join(data, name, "corpus.jsonl.gz"), "rt") as f:
            rows = [json.loads(line).get("text") for line in f]
        out += random.sample([r for r in rows if r], n)
    return out


def write(model, file, data):
    import onnxruntime as ort
    from tokenizers import Tokenizer

    o = ort.SessionOptions()
    o.intra_op_num_threads = 1
    session = ort.InferenceSession(file, o, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(os.path.join(model, "tokenizer.json"))
    tokenizer.enable_truncation(LONGEST)
    all_ = []
    logits = []
    for text in texts(data):
        e = tokenizer.encode(text)
        ids = np.array([e.ids], np.int64)
        y = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)})[0][0]
        # The tokens of the text that were read, with where they stand in its characters.
        last = max(b for _, b in e.offsets)
        all_.append({"text": text[:last], "ids": e.ids, "offsets": e.offsets})
        logits.append(y)
    folder = os.path.join(model, "tags")
    os.makedirs(folder, exist_ok=True)
    json.dump(all_, open(os.path.join(folder, "texts.json"), "w"))
    np.concatenate(logits).astype("<f4").tofile(os.path.join(folder, "logits.f32"))
    print(f"{len(all_)} texts, {sum(map(len, logits))} tokens, onnxruntime {ort.__version__}")


def main():
    if sys.argv[1] == "write":
        return write(*sys.argv[2:])
    from safetensors.numpy import save_file

    save_file(dequantized(sys.argv[2]), sys.argv[3])


main()
