// Package safetensors reads files of tensors as models are published: eight
// bytes with the length of the header, the header in JSON, and the bytes of the
// tensors.
//
// [Open] maps the file for reading where the system can, so processes share its
// pages and nothing is read before it is used; elsewhere it reads the file. The
// file must not be changed while it is open: a mapped file that is cut makes
// the process fail where it reads the missing part, see [File.Guard].
//
// A file that is not of this form gives an error that is an [ErrFormat] and one
// sentence. What Open allocates is bounded by the length of the header, which is
// at most 4 MiB and always inside the file. No tensor's size is believed before
// its bytes are found in the file.
package safetensors
