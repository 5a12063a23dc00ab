// Places in texts. The server counts bytes of UTF-8 and JavaScript counts units of UTF-16,
// so a text is kept as bytes and pieces of it are decoded.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true }); // a mark of byte order is text

export class ByteText {
  constructor(text) {
    this.bytes = encoder.encode(text);
  }

  get length() {
    return this.bytes.length;
  }

  // slice returns the text of some bytes. An end within a character moves to its beginning.
  slice(from, to) {
    return decoder.decode(this.bytes.subarray(this.begin(from), this.begin(to)));
  }

  // begin returns where the character begins that a byte is part of.
  begin(at) {
    at = Math.max(0, Math.min(at, this.bytes.length));
    while (at > 0 && at < this.bytes.length && (this.bytes[at] & 0xc0) === 0x80) at--;
    return at;
  }

  // parts divides the bytes from..to at a range within them: before, lit, after.
  parts(from, to, lit) {
    const a = Math.max(from, Math.min(lit?.[0] ?? to, to)), b = Math.max(a, Math.min(lit?.[1] ?? to, to));
    return [this.slice(from, a), this.slice(a, b), this.slice(b, to)];
  }
}
