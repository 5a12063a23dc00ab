package graphops

// The functions here multiply matrices of float64 held row by row. Each element
// of a result is a sum in the order of the rows or columns; that several are
// computed at a time only saves loads.

// addCross adds to dst, of rows of widthB elements, the products of the first
// widthA columns of a with those of b, over so many rows of both. strideA lies
// from row to row of a.
func addCross(dst, a []float64, strideA, widthA int, b []float64, widthB, rows int) {
	i := 0
	for ; i+4 <= widthA; i += 4 {
		j := 0
		for ; j+2 <= widthB; j += 2 {
			d0, d1 := dst[i*widthB+j:][:2], dst[(i+1)*widthB+j:][:2]
			d2, d3 := dst[(i+2)*widthB+j:][:2], dst[(i+3)*widthB+j:][:2]
			s00, s01, s10, s11 := d0[0], d0[1], d1[0], d1[1]
			s20, s21, s30, s31 := d2[0], d2[1], d3[0], d3[1]
			for r := range rows {
				x, y := (*[4]float64)(a[r*strideA+i:]), (*[2]float64)(b[r*widthB+j:])
				y0, y1 := y[0], y[1]
				s00 += float64(x[0] * y0)
				s01 += float64(x[0] * y1)
				s10 += float64(x[1] * y0)
				s11 += float64(x[1] * y1)
				s20 += float64(x[2] * y0)
				s21 += float64(x[2] * y1)
				s30 += float64(x[3] * y0)
				s31 += float64(x[3] * y1)
			}
			d0[0], d0[1], d1[0], d1[1] = s00, s01, s10, s11
			d2[0], d2[1], d3[0], d3[1] = s20, s21, s30, s31
		}
		for ; j < widthB; j++ {
			for k := i; k < i+4; k++ {
				addCrossOne(dst, a, strideA, k, b, widthB, j, rows)
			}
		}
	}
	for ; i < widthA; i++ {
		for j := range widthB {
			addCrossOne(dst, a, strideA, i, b, widthB, j, rows)
		}
	}
}

func addCrossOne(dst, a []float64, strideA, i int, b []float64, widthB, j, rows int) {
	s := dst[i*widthB+j]
	for r := range rows {
		s += float64(a[r*strideA+i] * b[r*widthB+j])
	}
	dst[i*widthB+j] = s
}

// addTimesRows adds to the first count elements of each row of dst the products
// of the row of a, of width elements, with the count rows of b. strideA,
// strideDst and strideB lie from row to row.
func addTimesRows(dst []float64, strideDst int, a []float64, strideA, width int, b []float64, strideB, count, rows int) {
	r := 0
	for ; r+4 <= rows; r += 4 {
		x0 := a[r*strideA:][:width]
		x1 := a[(r+1)*strideA:][:width]
		x2 := a[(r+2)*strideA:][:width]
		x3 := a[(r+3)*strideA:][:width]
		j := 0
		for ; j+2 <= count; j += 2 {
			y0, y1 := b[j*strideB:][:width], b[(j+1)*strideB:][:width]
			var s00, s01, s10, s11, s20, s21, s30, s31 float64
			for i := range width {
				p, q := y0[i], y1[i]
				s00 += float64(x0[i] * p)
				s01 += float64(x0[i] * q)
				s10 += float64(x1[i] * p)
				s11 += float64(x1[i] * q)
				s20 += float64(x2[i] * p)
				s21 += float64(x2[i] * q)
				s30 += float64(x3[i] * p)
				s31 += float64(x3[i] * q)
			}
			d := dst[r*strideDst+j:]
			d[0] += s00
			d[1] += s01
			d = d[strideDst:]
			d[0] += s10
			d[1] += s11
			d = d[strideDst:]
			d[0] += s20
			d[1] += s21
			d = d[strideDst:]
			d[0] += s30
			d[1] += s31
		}
		for ; j < count; j++ {
			for k := r; k < r+4; k++ {
				dst[k*strideDst+j] += dotOf(a[k*strideA:][:width], b[j*strideB:])
			}
		}
	}
	for ; r < rows; r++ {
		for j := range count {
			dst[r*strideDst+j] += dotOf(a[r*strideA:][:width], b[j*strideB:])
		}
	}
}

func dotOf(a, b []float64) float64 {
	b = b[:len(a)]
	s := 0.0
	for i, x := range a {
		s += float64(x * b[i])
	}
	return s
}
