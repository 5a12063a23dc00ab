"""Trains small tokenizers of many kinds on the texts of tokens.py. Between them
they use every component that ragdb reads."""
import os, struct
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers as N, pre_tokenizers as P, processors, trainers

BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def save(folder, name, tok):
    os.makedirs(os.path.join(folder, name), exist_ok=True)
    tok.save(os.path.join(folder, name, "tokenizer.json"))


def bert_template(tok):
    c, s = tok.token_to_id("[CLS]"), tok.token_to_id("[SEP]")
    return processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
                                         special_tokens=[("[CLS]", c), ("[SEP]", s)])


def roberta_template(tok):
    c, s = tok.token_to_id("<s>"), tok.token_to_id("</s>")
    return processors.TemplateProcessing(single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>",
                                         special_tokens=[("<s>", c), ("</s>", s)])


def wordpiece(texts, normalizer, pre, post=None, size=8000):
    tok = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tok.normalizer, tok.pre_tokenizer = normalizer, pre
    tok.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=size, special_tokens=BERT, limit_alphabet=3000, show_progress=False))
    tok.post_processor = post or bert_template(tok)
    return tok


def unigram(texts, normalizer, pre, size=8000, extra=(), **kw):
    tok = Tokenizer(models.Unigram())
    tok.normalizer, tok.pre_tokenizer = normalizer, pre
    tok.train_from_iterator(texts, trainers.UnigramTrainer(vocab_size=size, special_tokens=ROBERTA + list(extra), unk_token="<unk>", show_progress=False))
    tok.post_processor = roberta_template(tok)
    return tok


def with_fallback(tok):
    import json
    d = json.loads(tok.to_str())
    d["model"]["byte_fallback"] = True
    return Tokenizer.from_str(json.dumps(d))


def bpe(texts, normalizer, pre, size=8000, **kw):
    tok = Tokenizer(models.BPE(**kw))
    if normalizer is not None:
        tok.normalizer = normalizer
    if pre is not None:
        tok.pre_tokenizer = pre
    alphabet = P.ByteLevel.alphabet() if not kw else []
    extra = ["<0x%02X>" % b for b in range(256)] if kw.get("byte_fallback") else []
    tok.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=size, special_tokens=ROBERTA + extra, initial_alphabet=alphabet, limit_alphabet=3000, show_progress=False))
    return tok


def sentencepiece(folder, texts):
    """A SentencePiece model as XLM-RoBERTa's, with its table of replacements."""
    import base64, io, json, sentencepiece as spm
    out = io.BytesIO()
    lines = [x for t in common(texts) for x in t.split("\n") if x and "\0" not in x]
    spm.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=out, vocab_size=16000, model_type="unigram",
                                   normalization_rule_name="nmt_nfkc", character_coverage=0.9995, bos_id=0, pad_id=1, eos_id=2, unk_id=3,
                                   hard_vocab_limit=False, minloglevel=2)
    pieces, charsmap = read_model(out.getvalue())
    def make(name, normalizer, pre, fallback=False):
        d = {"version": "1.0", "truncation": None, "padding": None, "decoder": None, "normalizer": normalizer, "pre_tokenizer": pre,
             "added_tokens": [{"id": i, "content": t, "single_word": False, "lstrip": t == "<mask>", "rstrip": False, "normalized": False,
                               "special": True} for i, t in [(0, "<s>"), (1, "<pad>"), (2, "</s>"), (3, "<unk>"), (len(pieces), "<mask>")]],
             "post_processor": {"type": "TemplateProcessing",
                                "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                                           {"SpecialToken": {"id": "</s>", "type_id": 0}}],
                                "pair": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                                         {"SpecialToken": {"id": "</s>", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}},
                                         {"Sequence": {"id": "B", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
                                "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}, "</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]}}},
             "model": {"type": "Unigram", "unk_id": 3, "vocab": pieces, "byte_fallback": fallback}}
        os.makedirs(os.path.join(folder, name), exist_ok=True)
        json.dump(d, open(os.path.join(folder, name, "tokenizer.json"), "w"), ensure_ascii=False)
    table = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode()}
    space = {"type": "Metaspace", "replacement": "\u2581", "add_prefix_space": True}
    make("xlmr", table, {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, space]})
    make("xlmr-new", {"type": "Sequence", "normalizers": [table, {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]},
         dict(space, prepend_scheme="always", split=True))
    make("t5", {"type": "Sequence", "normalizers": [table, {"type": "Strip", "strip_left": False, "strip_right": True},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "\u2581"}]}, dict(space, prepend_scheme="first", split=False, add_prefix_space=None))


def read_model(raw):
    """Reads pieces and the table of replacements from SentencePiece's file."""
    def fields(b):
        i = 0
        def varint():
            nonlocal i
            n = s = 0
            while True:
                c = b[i]; i += 1
                n |= (c & 127) << s; s += 7
                if c < 128:
                    return n
        while i < len(b):
            key = varint()
            wire = key & 7
            if wire == 0:
                v = varint()
            elif wire == 1:
                v = b[i:i + 8]; i += 8
            elif wire == 5:
                v = b[i:i + 4]; i += 4
            else:
                n = varint(); v = b[i:i + n]; i += n
            yield key >> 3, v
    pieces, charsmap = [], b""
    for n, v in fields(raw):
        if n == 1:
            f = dict(fields(v))
            pieces.append([f[1].decode(), struct.unpack("<f", f[2])[0] if 2 in f else 0.0])
        elif n == 3:
            charsmap = dict(fields(v)).get(2, b"")
    return pieces, charsmap


def common(texts):
    """Leaves out rare characters: a Unigram vocabulary must hold all."""
    from collections import Counter
    import unicodedata
    texts = [unicodedata.normalize("NFKD", t) for t in texts]
    count = Counter(c for t in texts for c in t)
    return ["".join(c for c in t if count[c] >= 20 and c not in "\0") for t in texts]


def main(folder, texts):
    sample = texts[:12000]
    frequent = common(sample)
    save(folder, "wp-uncased", wordpiece(sample, N.BertNormalizer(), P.BertPreTokenizer()))
    save(folder, "wp-cased", wordpiece(sample, N.BertNormalizer(lowercase=False), P.BertPreTokenizer()))
    t = wordpiece(sample, N.BertNormalizer(lowercase=True, strip_accents=False, handle_chinese_chars=False), P.BertPreTokenizer())
    t.post_processor = processors.BertProcessing(("[SEP]", t.token_to_id("[SEP]")), ("[CLS]", t.token_to_id("[CLS]")))
    save(folder, "wp-accents", t)
    t = wordpiece(sample, N.Sequence([N.Strip(), N.NFKD(), N.StripAccents(), N.Lowercase(), N.Replace("``", '"'), N.Replace(Regex(r"\s+"), " ")]),
                  P.Sequence([P.Whitespace(), P.Punctuation("contiguous"), P.Digits(True)]))
    t.add_tokens([AddedToken("Foo", single_word=True), AddedToken("Bar", lstrip=True, rstrip=True), AddedToken("d\u00e9j\u00e0 vu"),
                  AddedToken("...", normalized=False, single_word=True), AddedToken("<mask>", lstrip=True, normalized=False)])
    save(folder, "wp-sequence", t)
    save(folder, "wp-nfc", wordpiece(sample, N.Sequence([N.NFC(), N.Nmt()]), P.Sequence([P.WhitespaceSplit(), P.Punctuation("merged_with_previous"), P.Digits(False)])))
    save(folder, "wp-nfkc", wordpiece(sample, N.NFKC(), P.Sequence([P.CharDelimiterSplit(" "), P.Split(Regex(r"\d{1,3}|\w+"), "merged_with_next"), P.Split("-", "isolated")])))
    save(folder, "uni-meta", unigram(frequent, N.NFKC(), P.Metaspace()))
    save(folder, "uni-bytes", with_fallback(unigram(frequent, N.Sequence([N.NFD(), N.Lowercase()]), P.Metaspace(prepend_scheme="first", split=False),
                                                     extra=["<0x%02X>" % b for b in range(256)])))
    save(folder, "uni-never", unigram(frequent, N.Sequence([N.Nmt(), N.NFC(), N.Prepend("\u2581"), N.Replace(" ", "\u2581")]), P.Metaspace(prepend_scheme="never")))
    t = bpe(sample, None, P.ByteLevel(add_prefix_space=False))
    t.post_processor = processors.RobertaProcessing(("</s>", t.token_to_id("</s>")), ("<s>", t.token_to_id("<s>")), trim_offsets=True, add_prefix_space=False)
    save(folder, "bpe-roberta", t)
    llama = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    t = bpe(sample, N.NFC(), P.Sequence([P.Split(Regex(llama), "isolated"), P.ByteLevel(add_prefix_space=False, use_regex=False)]))
    t.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), roberta_template(t)])
    save(folder, "bpe-llama", t)
    save(folder, "bpe-bytes", bpe(sample, N.Replace(" ", "\u2581"), P.Split(" ", "merged_with_previous"), byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    sentencepiece(folder, sample)
