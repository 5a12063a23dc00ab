#!/usr/bin/python3
"""Runs a model's folder with onnxruntime, for fidelity and for speed.

    reference.py write MODEL DATA   makes MODEL/reference: 500 texts drawn from the
                                    corpora below DATA, and their vectors
    reference.py retrieval MODEL DATA
                                    makes MODEL/reference/retrieval: the passages and
                                    questions of the sets below, which passages answer
                                    which question, and the vectors of both
    reference.py time MODEL [int8]  prints chunks a CPU-second in batches of 32, and
                                    the CPU time of one query, on one thread

The graph is built here from model.safetensors with the fused operators that
onnxruntime's own optimizer would put in (Attention, SkipLayerNormalization,
BiasGelu), so the figures are those of its fast path; int8 is its dynamic
quantization with one scale a tensor, its fastest form. If the folder has the graph
that its package came with, graph.onnx, write also compares the two. It wants
onnxruntime, onnx, numpy, safetensors and tokenizers.
"""

import gzip
import json
import math
import os
import random
import resource
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto as T
from onnx import helper, numpy_helper
from safetensors.numpy import load_file
from tokenizers import Tokenizer

CORPORA = (("zoomcamp_faq", 200), ("hippo_musique", 200), ("wikiqa_articles", 100))
MS = "com.microsoft"
# Short texts with thousands of questions; passages that share names, most of their
# questions in other words; articles, every third, of which a model reads the beginning.
SETS = (("zoomcamp_faq", 1), ("hippo_musique", 1), ("wikiqa_articles", 3))


def rows(file):
    with (gzip.open if file.endswith(".gz") else open)(file, "rt") as f:
        return [json.loads(line) for line in f]


def retrieval(data, name, step):
    """Every step-th passage of a set, the questions that they answer, and which answer each."""
    passages = rows(os.path.join(data, name, "corpus.jsonl.gz"))[::step]
    asked = rows(os.path.join(data, name, "questions.jsonl.gz"))
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "paraphrase", "questions.jsonl")
    if name == "hippo_musique":
        asked += [r for r in rows(own) if r["set"] == name]
    at = {r["id"]: i for i, r in enumerate(passages)}
    asked = [r for r in asked if r.get("supporting") and all(s in at for s in r["supporting"])]
    return {
        "passages": [r["title"] + "\n" + r["text"] if r.get("title") else r["text"] for r in passages],
        "questions": [r["question"] for r in asked], "gold": [[at[s] for s in r["supporting"]] for r in asked]}


def texts(data):
    random.seed(5)
    out = []
    for name, n in CORPORA:
        for file, m in (("corpus", n * 3 // 4), ("questions", n // 4)):
            all_ = [r.get("text") or r.get("question") for r in rows(os.path.join(data, name, file + ".jsonl.gz"))]
            out += random.sample([t for t in all_ if t], m)
    return out


def build(model, out):
    """Writes the graph of the model's folder to the file out."""
    cfg = json.load(open(os.path.join(model, "config.json")))
    w = {k: v.astype(np.float32) for k, v in load_file(os.path.join(model, "model.safetensors")).items() if v.dtype.kind == "f"}
    w = {k.split(".", 1)[1] if k.startswith(("bert.", "roberta.", "mpnet.")) else k: v for k, v in w.items()}
    mpnet = cfg["model_type"] == "mpnet"
    heads, eps, hidden = cfg["num_attention_heads"], cfg["layer_norm_eps"], cfg["hidden_size"]
    first = 0 if cfg["model_type"] == "bert" else cfg["pad_token_id"] + 1
    nodes, weights = [], []

    def const(name, a):
        weights.append(numpy_helper.from_array(np.ascontiguousarray(a), name))
        return name

    def node(op, inputs, name, domain=MS, **attributes):
        names = name if isinstance(name, list) else [name]
        nodes.append(helper.make_node(op, inputs, names, domain=domain, **attributes))
        return names[0]

    e = "embeddings."
    kinds = w.get(e + "token_type_embeddings.weight")
    x = node("EmbedLayerNormalization", [
        "ids", "" if kinds is None else "types", const("words", w[e + "word_embeddings.weight"]),
        const("places", w[e + "position_embeddings.weight"][first:]), "" if kinds is None else const("kinds", kinds),
        const("g", w[e + "LayerNorm.weight"]), const("b", w[e + "LayerNorm.bias"]), "mask"], ["x", "lengths"], epsilon=eps)
    for n in range(cfg["num_hidden_layers"]):
        p = f"encoder.layer.{n}."
        qkv = [p + "attention." + s for s in (("attn.q", "attn.k", "attn.v") if mpnet else ("self.query", "self.key", "self.value"))]
        o, norm = (p + "attention.attn.o", p + "attention.LayerNorm") if mpnet else (
            p + "attention.output.dense", p + "attention.output.LayerNorm")
        a = node("Attention", [
            x, const(f"qkv{n}", np.concatenate([w[s + ".weight"].T for s in qkv], 1)),
            const(f"qkvb{n}", np.concatenate([w[s + ".bias"] for s in qkv])), "mask"] + (["", "near"] if mpnet else []),
            f"a{n}", num_heads=heads)
        for name, gain, source, act in (("o", norm, o, False), ("d", p + "output.LayerNorm", p + "output.dense", True)):
            if act:
                a = node("MatMul", [x, const(f"up{n}", w[p + "intermediate.dense.weight"].T)], f"u{n}", "")
                a = node("BiasGelu", [a, const(f"upb{n}", w[p + "intermediate.dense.bias"])], f"gelu{n}")
            a = node("MatMul", [a, const(f"{name}w{n}", w[source + ".weight"].T)], f"{name}{n}", "")
            x = node("SkipLayerNormalization", [
                a, x, const(f"{name}g{n}", w[gain + ".weight"]), const(f"{name}b{n}", w[gain + ".bias"]),
                const(f"{name}wb{n}", w[source + ".bias"])], f"{name}x{n}", epsilon=eps)
    inputs = [helper.make_tensor_value_info(n, T.INT32, ["b", "s"]) for n in ("ids", "types", "mask")]
    if mpnet:
        inputs = [inputs[0], inputs[2], helper.make_tensor_value_info("near", T.FLOAT, [1, heads, "s", "s"])]
    graph = helper.make_graph(nodes, "encoder", inputs, [helper.make_tensor_value_info(x, T.FLOAT, ["b", "s", hidden])], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(MS, 1)], ir_version=8), out)
    if out.endswith("int8.onnx"):
        from onnxruntime.quantization import QuantType, quantize_dynamic
        quantize_dynamic(out, out, weight_type=QuantType.QInt8, op_types_to_quantize=["MatMul", "Attention"],
                         extra_options={"DefaultTensorType": T.FLOAT})
    return w.get("encoder.relative_attention_bias.weight")


def distances(table, n):
    """MPNet's table as what is added to each pair of places."""
    d = np.arange(n)[None, :] - np.arange(n)[:, None]
    far = 8 + (np.log(np.maximum(np.abs(d), 1).astype(np.float32) / 8) / np.float32(math.log(16)) * 8).astype(np.int32)
    b = np.where(np.abs(d) < 8, np.abs(d), np.minimum(far, 15)) + np.where(d > 0, 16, 0)
    return np.ascontiguousarray(table[b].transpose(2, 0, 1)[None])


class Model:
    def __init__(self, model, form):
        limit = json.load(open(os.path.join(model, "sentence_bert_config.json")))["max_seq_length"]
        self.tokenizer = Tokenizer.from_file(os.path.join(model, "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(limit)
        prompts = json.load(open(os.path.join(model, "config_sentence_transformers.json"))).get("prompts", {})
        self.query, self.passage = prompts.get("query", ""), prompts.get("passage", "")
        self.cls = json.load(open(os.path.join(model, "1_Pooling", "config.json")))["pooling_mode_cls_token"]
        file = os.path.join("/tmp" if "TMPDIR" not in os.environ else os.environ["TMPDIR"], f"reference-{os.getpid()}-{form}.onnx")
        self.table = build(model, file)
        o = ort.SessionOptions()
        o.intra_op_num_threads = o.inter_op_num_threads = 1
        self.session = ort.InferenceSession(file, o, providers=["CPUExecutionProvider"])
        self.inputs = {i.name for i in self.session.get_inputs()}
        os.remove(file)

    def tokens(self, all_, query=False):
        return [e.ids for e in self.tokenizer.encode_batch([(self.query if query else self.passage) + t for t in all_])]

    def run(self, ids):
        n = max(map(len, ids))
        a = np.zeros((len(ids), n), np.int32)
        mask = np.zeros_like(a)
        for i, r in enumerate(ids):
            a[i, :len(r)], mask[i, :len(r)] = r, 1
        feed = {"ids": a, "types": np.zeros_like(a), "mask": mask}
        if self.table is not None:
            feed["near"] = distances(self.table, n)
        x = self.session.run(None, {k: v for k, v in feed.items() if k in self.inputs})[0]
        v = x[:, 0] if self.cls else (x * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
        return v / np.linalg.norm(v, axis=1)[:, None]

    def batches(self, ids):
        """Batches of 32 texts of about one length."""
        out = [None] * len(ids)
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        for i in range(0, len(order), 32):
            part = order[i:i + 32]
            for j, v in zip(part, self.run([ids[k] for k in part])):
                out[j] = v
        return np.array(out, np.float32)


def cpu():
    r = resource.getrusage(resource.RUSAGE_SELF)
    return r.ru_utime + r.ru_stime


def published(file, ids):
    """Vectors by the graph that a package came with: the mean of those of the tokens."""
    session = ort.InferenceSession(file, providers=["CPUExecutionProvider"])
    name = [o.name for o in session.get_outputs() if len(o.shape) == 3][0]
    out = []
    for row in ids:
        a = np.array([row], np.int64)
        v = session.run([name], {"input_ids": a, "attention_mask": np.ones_like(a)})[0][0].mean(0)
        out.append(v / np.linalg.norm(v))
    return np.array(out)


def main():
    what, model = sys.argv[1:3]
    folder = os.path.join(model, "reference")
    if what == "write":
        os.makedirs(folder, exist_ok=True)
        all_ = texts(sys.argv[3])
        m = Model(model, "f32")
        ids = m.tokens(all_)
        v = m.batches(ids).astype("<f4")
        v.tofile(os.path.join(folder, "vectors.f32"))
        json.dump(all_, open(os.path.join(folder, "texts.json"), "w"))
        print(f"{len(all_)} texts, {sum(map(len, ids))} tokens, onnxruntime {ort.__version__}")
        if os.path.exists(os.path.join(model, "graph.onnx")):
            cosine = (v * published(os.path.join(model, "graph.onnx"), ids)).sum(1)
            print(f"cosine to its package's graph lowest {cosine.min():.6f} mean {cosine.mean():.6f}")
        return
    if what == "retrieval":
        folder = os.path.join(folder, "retrieval")
        os.makedirs(folder, exist_ok=True)
        m = Model(model, "f32")
        for name, step in SETS:
            s = retrieval(sys.argv[3], name, step)
            both = m.tokens(s["passages"]) + m.tokens(s["questions"], True)
            m.batches(both).astype("<f4").tofile(os.path.join(folder, name + ".f32"))
            json.dump(s, open(os.path.join(folder, name + ".json"), "w"))
            print(f"{name}: {len(s['passages'])} passages, {len(s['questions'])} questions, onnxruntime {ort.__version__}", flush=True)
        return
    form = "int8" if "int8" in sys.argv[3:] else "f32"
    m = Model(model, form)
    all_ = json.load(open(os.path.join(folder, "texts.json")))
    ids = m.tokens(all_)
    m.batches(ids[:32])
    begin = cpu()
    v = m.batches(ids)
    took = cpu() - begin
    ref = np.fromfile(os.path.join(folder, "vectors.f32"), "<f4").reshape(v.shape)
    cosine = (v * ref).sum(1)
    query = [i for i in ids if len(i) >= 12][0]
    query = [query[:11] + query[-1:]]
    best = 1e9
    for _ in range(20):
        begin = cpu()
        for _ in range(20):
            m.run(query)
        best = min(best, (cpu() - begin) / 20)
    print(f"onnxruntime {ort.__version__} {form}: {len(ids) / took:.1f} texts/CPU-s, query of 12 tokens {best * 1e3:.2f} ms, "
          f"cosine to f32 lowest {cosine.min():.6f} mean {cosine.mean():.6f}")


main()
