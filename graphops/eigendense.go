package graphops

import (
	"context"
	"math"
	"slices"
)

// ritz solves the eigenproblem of a block's products with itself and with its
// image, both b x b. It returns the values, falling, and for each the
// coefficients of its vector; fewer than b if columns depend on others. It ends
// with ctx.
func ritz(ctx context.Context, gram, image []float64, b int) (values, columns []float64, err error) {
	// Cholesky with the dependent columns left out.
	l := make([]float64, b*b)
	kept := make([]int, 0, b)
	for i := range b {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		row := l[len(kept)*b:][:b]
		for at, j := range kept {
			x := gram[i*b+j]
			other := l[at*b:][:b]
			for m := range at {
				x -= float64(row[m] * other[m])
			}
			row[at] = x / other[at]
		}
		x := gram[i*b+i]
		for _, y := range row[:len(kept)] {
			x -= float64(y * y)
		}
		if !(x > 1e-9) {
			clear(row)
			continue
		}
		row[len(kept)] = math.Sqrt(x)
		kept = append(kept, i)
	}
	n := len(kept)
	// c = L^-1 image L^-T, by rows and then by columns.
	c := make([]float64, n*n)
	for i, u := range kept {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		for j, v := range kept {
			c[i*n+j] = (image[u*b+v] + image[v*b+u]) / 2
		}
	}
	for range 2 {
		for i := range n {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			for m := range i {
				x := l[i*b+m]
				for j := range n {
					c[i*n+j] -= float64(x * c[m*n+j])
				}
			}
			for j := range n {
				c[i*n+j] /= l[i*b+i]
			}
		}
		if err := transposeSquare(ctx, c, n); err != nil {
			return nil, nil, err
		}
	}
	values, vectors, err := symmetricEigen(ctx, c, n)
	if err != nil {
		return nil, nil, err
	}
	// Each vector y becomes L^-T y.
	columns = make([]float64, n*b)
	for k := range n {
		y := vectors[k*n : (k+1)*n]
		for i := n - 1; i >= 0; i-- {
			if i%256 == 0 && ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			x := y[i]
			for m := i + 1; m < n; m++ {
				x -= float64(l[m*b+i] * y[m])
			}
			y[i] = x / l[i*b+i]
		}
		for i, u := range kept {
			columns[k*b+u] = y[i]
		}
	}
	return values, columns, nil
}

func transposeSquare(ctx context.Context, x []float64, n int) error {
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		for j := range i {
			x[i*n+j], x[j*n+i] = x[j*n+i], x[i*n+j]
		}
	}
	return nil
}

// symmetricEigen returns the eigenvalues of an n x n matrix, falling, and the
// eigenvectors as rows, by Jacobi's rotations (Golub and Van Loan, "Matrix
// Computations", 8.5). It destroys the matrix, and ends with ctx.
func symmetricEigen(ctx context.Context, a []float64, n int) (values, vectors []float64, err error) {
	v := make([]float64, n*n)
	for i := range n {
		v[i*n+i] = 1
	}
	square := 0.0
	for _, x := range a {
		square += float64(x * x)
	}
	tiny := 1e-16 * math.Sqrt(square)
	for sweep, rotated := 0, true; rotated && sweep < 60; sweep++ {
		rotated = false
		for p := range n {
			for q := p + 1; q < n; q++ {
				if q%128 == 0 && ctx.Err() != nil {
					return nil, nil, ctx.Err()
				}
				x := a[p*n+q]
				if math.Abs(x) <= tiny {
					continue
				}
				rotated = true
				theta := (a[q*n+q] - a[p*n+p]) / (2 * x)
				t := 1 / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
				if theta < 0 {
					t = -t
				}
				c := 1 / math.Sqrt(float64(t*t)+1)
				s := float64(t * c)
				for k := range n {
					y, z := a[k*n+p], a[k*n+q]
					a[k*n+p], a[k*n+q] = float64(c*y)-float64(s*z), float64(s*y)+float64(c*z)
				}
				rotateRows(a[p*n:(p+1)*n], a[q*n:(q+1)*n], c, s)
				rotateRows(v[p*n:(p+1)*n], v[q*n:(q+1)*n], c, s)
			}
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch x, y := a[i*n+i], a[j*n+j]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	vectors = make([]float64, n*n)
	for k, i := range order {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		values = append(values, a[i*n+i])
		copy(vectors[k*n:(k+1)*n], v[i*n:(i+1)*n])
	}
	return values, vectors, nil
}

func rotateRows(p, q []float64, c, s float64) {
	q = q[:len(p)]
	for k, y := range p {
		z := q[k]
		p[k], q[k] = float64(c*y)-float64(s*z), float64(s*y)+float64(c*z)
	}
}
