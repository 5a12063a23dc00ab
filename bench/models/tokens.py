#!/usr/bin/env python3
"""Writes what the reference tokenizer makes of 20,000 texts, for the tests of
rag/llm/encoder/internal/tokenizer.

    tokens.py texts FILE [--data DIR] [--seed N]
                                          make the texts (JSON lines, gzip)
    tokens.py train DIR --texts FILE      train small tokenizers of many kinds
    tokens.py ids DIR... --texts FILE     write tokens.jsonl.gz beside each
                                          tokenizer.json or vocab.txt
    tokens.py unicode DIR                 write unicode.tsv.gz: the properties
                                          of all characters
    tokens.py speed DIR... --texts FILE   tokens a second on one core

Needs: tokenizers (the reference), faker (texts in other languages) and for
"train" sentencepiece. Everything stays outside the repository; the tests read
the directory above the models from RAGDB_MODELS.
"""
import argparse, base64, glob, gzip, json, os, random, sys, time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
COUNT = 20000
LOCALES = """ar_AA az_AZ bg_BG bn_BD cs_CZ da_DK de_DE el_GR en_US es_ES et_EE fa_IR fi_FI fr_FR
he_IL hi_IN hr_HR hu_HU hy_AM id_ID it_IT ja_JP ka_GE ko_KR lt_LT lv_LV ne_NP nl_NL no_NO pl_PL
pt_BR ro_RO ru_RU sk_SK sl_SI sv_SE ta_IN th_TH tr_TR uk_UA vi_VN zh_CN zh_TW""".split()


def as_go(raw):
    """Decodes UTF-8 as ragdb does: each bad byte becomes U+FFFD."""
    out, i = [], 0
    while i < len(raw):
        for n in (1, 2, 3, 4):
            try:
                out.append(raw[i:i + n].decode("utf-8"))
                i += n
                break
            except UnicodeDecodeError:
                continue
        else:
            out.append("\ufffd")
            i += 1
    return "".join(out)


def corpus_texts(data, rnd):
    """Passages and questions of the evaluation corpora."""
    out = []
    for name in sorted(glob.glob(os.path.join(data, "*", "*.jsonl.gz"))):
        lines = []
        with gzip.open(name, "rt", encoding="utf-8") as f:
            for line in f:
                lines.append(line)
                if len(lines) >= 2000:
                    break
        for line in rnd.sample(lines, min(len(lines), 150)):
            try:
                row = json.loads(line)
            except ValueError:
                continue
            texts = [v for v in row.values() if isinstance(v, str)] if isinstance(row, dict) else []
            if texts:
                t = max(texts, key=len)
                at = rnd.randrange(max(1, len(t) - 400))
                out.append(t[at:at + rnd.choice([40, 150, 400, 1500])])
    return out


def language_texts(rnd, count):
    from faker import Faker
    out = []
    fakes = []
    for loc in LOCALES:
        try:
            f = Faker(loc)
            f.seed_instance(rnd.randrange(1 << 30))
            fakes.append(f)
        except AttributeError:
            pass
    for i in range(count):
        f = fakes[i % len(fakes)]
        parts = [f.sentence(), f.name(), f.address(), f.company(), f.job(), f.paragraph(), f.date(), f.phone_number()]
        out.append(rnd.choice([" ", "  ", "\n", ", ", "\u3000"]).join(rnd.sample(parts, rnd.randint(1, 5))))
    return out, len(fakes)


BLOCKS = [(0x20, 0x7f), (0xa0, 0x180), (0x180, 0x370), (0x370, 0x590), (0x590, 0x900), (0x900, 0x1100),
          (0x1100, 0x1200), (0x1200, 0x1800), (0x1800, 0x1e00), (0x1e00, 0x2000), (0x2000, 0x2070), (0x2070, 0x2c00),
          (0x2c00, 0x3000), (0x3000, 0x3400), (0x3400, 0x4e00), (0x4e00, 0xa000), (0xa000, 0xac00), (0xac00, 0xd7b0),
          (0xd7b0, 0xd800), (0xe000, 0xf900), (0xf900, 0xfb00), (0xfb00, 0xfe00), (0xfe00, 0x10000), (0x10000, 0x11000),
          (0x11000, 0x12000), (0x12000, 0x17000), (0x17000, 0x1c000), (0x1c000, 0x1e000), (0x1e000, 0x1f000),
          (0x1f000, 0x1f300), (0x1f300, 0x1fb00), (0x1fb00, 0x20000), (0x20000, 0x30000), (0x30000, 0x32000),
          (0xe0000, 0xe0200), (0xf0000, 0xf0100), (0x10fff0, 0x110000)]
ODD = ["\0", "\t", "\n", "\r", "\r\n", "\v", "\f", "\x1f", "\x7f", "\x85", "\xa0", "\xad", "\u034f", "\u061c", "\u1680",
       "\u180e", "\u2000", "\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e",
       "\u2060", "\u2066", "\u2069", "\u2581", "\u3000", "\ufe0f", "\ufe0e", "\ufeff", "\ufffd", "\ufffe", "\uffff",
       "\U0001fffe", "\U000e0001", "\U000e0041", "\U000e007f", "\u0130", "\u0131", "\u00df", "\u1e9e", "\ufb01", "\ufdfa",
       "\u212b", "\u2126", "\u1100\u1161\u11a8", "\uac00\u11a8", "\u0e33", "\u0f73", "\U0001d15e", "\U0001d165",
       "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea", "\U0001f44d\U0001f3fd", "\u2764\ufe0f",
       "\u0915\u094d\u200d\u0937", "\u0301", "\u0323\u0301", "\u0345", "\u0489", "\u302e", "\u3099", "\u20dd", "\U00011935\U00011930",
       "[CLS]", "[SEP]", "[MASK]", "[UNK]", "[PAD]", "<s>", "</s>", "<unk>", "<mask>", "<pad>", " <mask> ", "##a", "<0x41>",
       "``", "''", "'s", "'LL", "n't", "1234567", "\u00bd", "\u0660\u0661", "\u4e09", "$$$", "...", "\u2026", "\u3002", "\u00bf"]
MARKS = [chr(c) for r in ((0x300, 0x370), (0x483, 0x48a), (0x591, 0x5be), (0x610, 0x61b), (0x64b, 0x660), (0x93c, 0x94e),
                          (0x1ab0, 0x1acf), (0x1dc0, 0x1e00), (0x20d0, 0x20f1), (0x302a, 0x3030), (0x3099, 0x309b),
                          (0xfe20, 0xfe30), (0x1d165, 0x1d170)) for c in range(*r)]


def odd_text(rnd):
    kind = rnd.randrange(9)
    n = rnd.choice([1, 2, 3, 5, 8, 20, 60, 200])
    block = rnd.choice(BLOCKS)
    char = lambda b: chr(rnd.randrange(*b))
    if kind == 0:  # one block
        return "".join(char(block) for _ in range(n))
    if kind == 1:  # one block, in words
        return "".join(rnd.choice([char(block)] * 6 + [" "]) for _ in range(n))
    if kind == 2:  # all planes
        while True:
            s = "".join(chr(rnd.randrange(0x110000)) for _ in range(n))
            if not any(0xd800 <= ord(c) < 0xe000 for c in s):
                return s
    if kind == 3:  # letters with marks
        return "".join(rnd.choice([chr(rnd.randrange(0x41, 0x7b)), char(block), rnd.choice(MARKS), rnd.choice(MARKS), " "])
                       for _ in range(n))
    if kind == 4:  # very many marks
        return "e" + "".join(rnd.choice(MARKS) for _ in range(n)) + " x"
    if kind == 5:  # odd characters in words
        return "".join(rnd.choice([rnd.choice(ODD), char((0x61, 0x7b)), char((0x61, 0x7b)), " ", char(block)]) for _ in range(n))
    if kind == 6:  # a very long word
        return rnd.choice(["a", "ab", "\u0431", "\u4e2d", char(block), "x\u0301"]) * rnd.choice([90, 99, 100, 101, 300, 3000])
    if kind == 7:
        return rnd.choice(ODD) + rnd.choice(["", " ", "  "]) + rnd.choice(ODD)
    return "".join(rnd.choice(ODD) for _ in range(n))


def mutate(rnd, text):
    s = list(text)
    for _ in range(rnd.randint(1, 8)):
        at = rnd.randrange(len(s) + 1)
        what = rnd.randrange(7)
        if what == 0:
            s[at:at] = rnd.choice(ODD)
        elif what == 1:
            s[at:at] = chr(rnd.randrange(*rnd.choice(BLOCKS)))
        elif what == 2:
            s[at:at + rnd.randint(1, 9)] = []
        elif what == 3:
            s[at:at + 1] = "".join(s[at:at + 1]).swapcase()
        elif what == 4:
            s[at:at] = rnd.choice(MARKS)
        elif what == 5:
            s[at:at] = s[at:at + 5] * rnd.randint(1, 5)
        else:
            s[at:at] = " " * rnd.randint(1, 3)
    return "".join(s)


def make_texts(args):
    rnd = random.Random(args.seed)
    out = ["", " ", "  ", "a", "\0", "\ufffd"]
    if args.data:
        out += corpus_texts(args.data, rnd)[:5000]
    langs, n = language_texts(rnd, 6000)
    out += langs
    plain = list(out)
    while len(out) < COUNT - 5000:
        out.append(odd_text(rnd))
    while len(out) < COUNT - 500:
        out.append(mutate(rnd, rnd.choice(plain)))
    rows = [{"t": t} for t in out]
    while len(rows) < COUNT:  # not UTF-8
        raw = bytearray(rnd.choice(plain)[:200].encode())
        for _ in range(rnd.randint(1, 6)):
            at = rnd.randrange(len(raw) + 1)
            raw[at:at] = rnd.choice([b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe4\xb8", b"\x80", b"\xf0\x9f\x98"])
        rows.append({"b": base64.b64encode(bytes(raw)).decode()})
    rnd.shuffle(rows)
    with gzip.open(args.dirs[0], "wt", encoding="utf-8") as f:
        for r in rows:
            f.write(json.dumps(r) + "\n")
    print(len(rows), "texts,", n, "languages")


def read_texts(name):
    with gzip.open(name, "rt", encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def content(row):
    return row["t"] if "t" in row else as_go(base64.b64decode(row["b"]))


def load(folder):
    """The reference tokenizer of a model's folder."""
    from tokenizers import Tokenizer, AddedToken, models, normalizers, pre_tokenizers, processors
    name = os.path.join(folder, "tokenizer.json")
    if os.path.exists(name):
        tok = Tokenizer.from_file(name)
        tok.no_padding()
        tok.no_truncation()
        return tok
    conf = {}
    for f in ("special_tokens_map.json", "tokenizer_config.json"):
        if os.path.exists(os.path.join(folder, f)):
            conf.update(json.load(open(os.path.join(folder, f))))
    lower = conf.get("do_lower_case", True)
    tok = Tokenizer(models.WordPiece.from_file(os.path.join(folder, "vocab.txt"), unk_token="[UNK]"))
    tok.normalizer = normalizers.BertNormalizer(True, conf.get("tokenize_chinese_chars", True), conf.get("strip_accents"), lower)
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tok.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in ("[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]")])
    tok.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", tok.token_to_id("[CLS]")), ("[SEP]", tok.token_to_id("[SEP]"))])
    return tok


def write_ids(args):
    import tokenizers
    rows = read_texts(args.texts)
    for folder in args.dirs:
        tok = load(folder)
        rnd = random.Random(5)
        with gzip.open(os.path.join(folder, "tokens.jsonl.gz"), "wt", encoding="utf-8") as f:
            f.write(json.dumps({"reference": "tokenizers " + tokenizers.__version__}) + "\n")
            for i, row in enumerate(rows):
                text = content(row)
                tok.no_truncation()
                out = dict(row, ids=tok.encode(text).ids)
                out["plain"] = tok.encode(text, add_special_tokens=False).ids
                f.write(json.dumps(out) + "\n")
                if i % 4 == 0:
                    n = rnd.choice([8, 9, 16, 17, 32, 128])
                    tok.enable_truncation(n)
                    f.write(json.dumps(dict(row, max=n, ids=tok.encode(text).ids)) + "\n")
                    other = rows[(i * 7919 + 13) % len(rows)]
                    e = tok.encode(text, content(other))
                    f.write(json.dumps(dict(row, max=n, pair=other, ids=e.ids, types=e.type_ids)) + "\n")
        print(folder, "vocabulary", tok.get_vocab_size())


def speed(args):
    rows = [content(r) for r in read_texts(args.texts)]
    plain = [t for t in rows if t.isascii() and len(t) > 100] or rows
    for folder in args.dirs:
        tok = load(folder)
        for name, texts in (("all", rows), ("English", plain)):
            best = 1e9
            for _ in range(3):
                t0, n = time.process_time(), 0
                for t in texts:
                    n += len(tok.encode(t).ids)
                best = min(best, time.process_time() - t0)
            t0, m = time.process_time(), 0
            for e in tok.encode_batch_fast(texts):
                m += len(e.ids)
            batch = time.process_time() - t0
            print("%s %s: %.0f tokens/s (encode), %.0f (encode_batch_fast)" % (folder, name, n / best, m / batch))


def write_unicode(args):
    from tokenizers import normalizers as N, pre_tokenizers as P
    clean, marks = N.BertNormalizer(True, False, False, False), N.StripAccents()
    mn = N.BertNormalizer(False, False, True, False)
    forms = [N.NFD(), N.NFKD(), N.NFC(), N.NFKC(), N.Lowercase()]
    punct, word, space, number = P.Punctuation(), P.Whitespace(), P.WhitespaceSplit(), P.Digits(True)
    nfd = forms[0]
    with gzip.open(os.path.join(args.dirs[0], "unicode.tsv.gz"), "wt") as f:
        for cp in range(0x110000):
            if 0xd800 <= cp < 0xe000:
                continue
            c = chr(cp)
            r = clean.normalize_str("a" + c + "a")
            flags = ""
            flags += "d" if r == "aa" else "."
            flags += "m" if mn.normalize_str("a" + c) == "a" else "."
            flags += "M" if marks.normalize_str(c) == "" else "."
            flags += "p" if len(punct.pre_tokenize_str("a" + c)) == 2 else "."
            flags += "w" if len(word.pre_tokenize_str("a" + c + "a")) == 1 else "."
            flags += "s" if len(space.pre_tokenize_str("a" + c + "a")) == 2 else "."
            flags += "n" if len(number.pre_tokenize_str("a" + c + "a")) == 3 else "."
            texts = [n.normalize_str(c) for n in forms] + [nfd.normalize_str("a\u0345" + c), nfd.normalize_str("a\u0334" + c + "\u0334")]
            f.write("\t".join(["%X" % cp, flags] + [t.encode().hex() for t in texts]) + "\n")


def train(args):
    import tokens_train
    tokens_train.main(args.dirs[0], [content(r) for r in read_texts(args.texts)])


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=["texts", "train", "ids", "unicode", "speed"])
    p.add_argument("dirs", nargs="+")
    p.add_argument("--texts")
    p.add_argument("--data")
    p.add_argument("--seed", type=int, default=17)
    a = p.parse_args()
    {"texts": make_texts, "train": train, "ids": write_ids, "unicode": write_unicode, "speed": speed}[a.what](a)
