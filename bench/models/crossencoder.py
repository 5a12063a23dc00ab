"""Makes a cross-encoder of a sentence encoder, once as a folder and once as a GGUF file.

    python crossencoder.py MINILM DIR

MINILM is the folder of a BERT sentence encoder with a pooler. The head that scores a pair is
drawn at random from a seed: the order that it makes means nothing, and is the same for every
program that runs the model rightly. llama.cpp gives every token the type 0, so both types
have one vector here. It wants numpy and gguf.
"""
import json, os, shutil, struct, sys
import gguf, numpy as np

source, out = sys.argv[1:3]
folder = os.path.join(out, "crossencoder")
os.makedirs(folder, exist_ok=True)

with open(os.path.join(source, "model.safetensors"), "rb") as f:
    (n,) = struct.unpack("<Q", f.read(8))
    header, data = json.loads(f.read(n)), f.read()
tensors = {}
for name, t in header.items():
    if name != "__metadata__" and t["dtype"] == "F32":
        begin, end = t["data_offsets"]
        tensors[name.removeprefix("bert.")] = np.frombuffer(data[begin:end], "<f4").reshape(t["shape"]).copy()
config = json.load(open(os.path.join(source, "config.json")))
hidden = config["hidden_size"]
types = tensors["embeddings.token_type_embeddings.weight"]
types[1:] = types[0]
tensors["classifier.weight"] = np.random.default_rng(17).normal(0, 1, (1, hidden)).astype("<f4")
tensors["classifier.bias"] = np.zeros(1, "<f4")

# The folder, as published models have it.
for name in ("vocab.txt", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
    shutil.copy(os.path.join(source, name), folder)
config |= {"architectures": ["BertForSequenceClassification"], "id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0}}
json.dump(config, open(os.path.join(folder, "config.json"), "w"), indent=1)
header, blobs, at = {}, [], 0
for name, t in tensors.items():
    blob = np.ascontiguousarray(t, "<f4").tobytes()
    full = name if name.startswith("classifier.") else "bert." + name
    header[full] = {"dtype": "F32", "shape": list(t.shape), "data_offsets": [at, at + len(blob)]}
    blobs.append(blob)
    at += len(blob)
head = json.dumps(header).encode()
with open(os.path.join(folder, "model.safetensors"), "wb") as f:
    f.write(struct.pack("<Q", len(head)) + head + b"".join(blobs))

# The GGUF file.
w = gguf.GGUFWriter(os.path.join(out, "crossencoder.gguf"), "bert")
w.add_name("crossencoder")
w.add_context_length(config["max_position_embeddings"])
w.add_embedding_length(hidden)
w.add_feed_forward_length(config["intermediate_size"])
w.add_block_count(config["num_hidden_layers"])
w.add_head_count(config["num_attention_heads"])
w.add_layer_norm_eps(config["layer_norm_eps"])
w.add_causal_attention(False)
w.add_pooling_type(gguf.PoolingType.RANK)
w.add_file_type(gguf.LlamaFileType.ALL_F32)
words = open(os.path.join(source, "vocab.txt"), encoding="utf-8").read().split("\n")[: config["vocab_size"]]
special = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
w.add_token_type_count(config["type_vocab_size"])
w.add_tokenizer_model("bert")
w.add_tokenizer_pre("default")
w.add_token_list([t if t in special else t[2:] if t.startswith("##") else "\u2581" + t for t in words])
w.add_token_types([gguf.TokenType.CONTROL if t in special else gguf.TokenType.NORMAL for t in words])
for name, add in {"[CLS]": w.add_bos_token_id, "[UNK]": w.add_unk_token_id, "[PAD]": w.add_pad_token_id, "[MASK]": w.add_mask_token_id}.items():
    add(words.index(name))
w.add_sep_token_id(words.index("[SEP]"))
w.add_eos_token_id(words.index("[SEP]"))
# [CLS] question [SEP] passage [SEP]
w.add_add_bos_token(True)
w.add_add_eos_token(True)
w.add_bool("tokenizer.ggml.add_sep_token", False)
names = {
    "embeddings.word_embeddings": "token_embd", "embeddings.position_embeddings": "position_embd",
    "embeddings.token_type_embeddings": "token_types", "embeddings.LayerNorm": "token_embd_norm",
    "pooler.dense": "cls", "classifier": "cls.output",
}
for i in range(config["num_hidden_layers"]):
    layer, block = f"encoder.layer.{i}.", f"blk.{i}."
    names |= {
        layer + "attention.self.query": block + "attn_q", layer + "attention.self.key": block + "attn_k",
        layer + "attention.self.value": block + "attn_v", layer + "attention.output.dense": block + "attn_output",
        layer + "attention.output.LayerNorm": block + "attn_output_norm", layer + "intermediate.dense": block + "ffn_up",
        layer + "output.dense": block + "ffn_down", layer + "output.LayerNorm": block + "layer_output_norm",
    }
for name, t in tensors.items():
    stem, _, end = name.rpartition(".")
    if stem in names:
        w.add_tensor(f"{names[stem]}.{end}", t)
if left := [s for s in names if s + ".weight" not in tensors]:
    sys.exit(f"the model has no {left}")
w.write_header_to_file()
w.write_kv_data_to_file()
w.write_tensors_to_file()
w.close()
