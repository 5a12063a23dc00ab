package layout

import "encoding/binary"

// sizeOf returns the bytes of n numbers of a width, of which there are 0 to 4.
func sizeOf(width uint8, n int) int {
	if width == 0 {
		return 0
	}
	return (n*(2<<width) + 7) / 8
}

// widthOf returns the least width for numbers up to x.
func widthOf(x uint32) uint8 {
	switch {
	case x == 0:
		return 0
	case x < 1<<4:
		return 1
	case x < 1<<8:
		return 2
	case x < 1<<16:
		return 3
	}
	return 4
}

// appendWidth appends numbers less base in a width.
func appendWidth(dst []byte, width uint8, x []uint32, base uint32) []byte {
	switch width {
	case 1:
		for i := 0; i < len(x); i += 2 {
			c := byte(x[i] - base)
			if i+1 < len(x) {
				c |= byte(x[i+1]-base) << 4
			}
			dst = append(dst, c)
		}
	case 2:
		for _, v := range x {
			dst = append(dst, byte(v-base))
		}
	case 3:
		for _, v := range x {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(v-base))
		}
	case 4:
		for _, v := range x {
			dst = binary.LittleEndian.AppendUint32(dst, v-base)
		}
	}
	return dst
}

// readWidth decodes a column of numbers.
func readWidth(b []byte, width uint8, dst []uint32, base uint32) {
	switch width {
	case 0:
		for i := range dst {
			dst[i] = base
		}
	case 1:
		b = b[:(len(dst)+1)/2]
		for i, c := range b[:len(dst)/2] {
			pair := dst[2*i : 2*i+2]
			pair[0], pair[1] = base+uint32(c&15), base+uint32(c>>4)
		}
		if n := len(dst); n%2 != 0 {
			dst[n-1] = base + uint32(b[n/2]&15)
		}
	case 2:
		b = b[:len(dst)]
		for i := range dst {
			dst[i] = base + uint32(b[i])
		}
	case 3:
		for i := range dst {
			dst[i] = base + uint32(binary.LittleEndian.Uint16(b[2*i:]))
		}
	case 4:
		for i := range dst {
			dst[i] = base + binary.LittleEndian.Uint32(b[4*i:])
		}
	}
}

// numberAt returns the j-th number of a column of a width.
func numberAt(b []byte, width uint8, j int) uint32 {
	switch width {
	case 1:
		return uint32(b[j/2]>>(j&1*4)) & 15
	case 2:
		return uint32(b[j])
	case 3:
		return uint32(binary.LittleEndian.Uint16(b[2*j:]))
	case 4:
		return binary.LittleEndian.Uint32(b[4*j:])
	}
	return 0
}
