package graphops

import (
	"context"
	"math"
)

// eigenOperator applies a symmetric matrix A to a block of columns, held row by
// row: dst = alpha A src + beta src + gamma prev. prev may be dst.
type eigenOperator func(ctx context.Context, dst, src, prev []float64, width int, alpha, beta, gamma float64) error

// eigenSolver finds the eigenvectors of the largest eigenvalues of a symmetric
// matrix by subspace iteration with Chebyshev polynomials (Zhou and Saad, "A
// Chebyshev-Davidson algorithm for large symmetric eigenproblems", 2007): each
// step raises a block of vectors by a polynomial that is small on the unwanted
// eigenvalues, and takes the best approximations in the span of the block.
// Those that have converged are set aside, and the block is kept orthogonal to
// them. A block finds equal eigenvalues, too, and everything in it is sums over
// fixed pieces of rows, in order.
type eigenSolver struct {
	n, want int
	apply   eigenOperator
	low     float64 // no eigenvalue is below
	enough  float64 // residual relative to the largest eigenvalue
	most    int     // steps
	workers int
	random  stream
	steps   int // made so far

	values  []float64 // of what is set aside, falling
	vectors []float64 // rows of `want` elements
	width   int       // of the block
	ritz    []float64 // approximate eigenvalues of the block, falling
	block   []float64
	image   []float64 // A times block
	spare   []float64
}

const (
	eigenMaxDegree = 32
	eigenExact     = 1e-7  // relative residual of what is set aside
	eigenMaxGrowth = 1e8   // of the polynomial, so that rounding errors stay small
	eigenMaxRaised = 1e4   // of errors of what is set aside
	eigenMinGap    = 0.002 // of the spectrum, between the largest and the unwanted
)

// eigenWidth returns how wide a block finds so many of n eigenvectors.
func eigenWidth(n, want int) int { return min(n, want+max(8, want/8)) }

// solve returns the want largest eigenvalues, falling, and their vectors as rows
// of an n x want matrix, and whether all have converged.
func (s *eigenSolver) solve(ctx context.Context) (values, vectors []float64, converged bool, err error) {
	n := s.n
	s.want = min(s.want, n)
	s.width = eigenWidth(n, s.want)
	s.vectors = make([]float64, n*s.want)
	for _, x := range []*[]float64{&s.block, &s.image, &s.spare} {
		if err := ctx.Err(); err != nil { // they may be large
			return nil, nil, false, err
		}
		*x = make([]float64, n*s.width)
	}
	s.refill(ctx, 0)
	if err := s.project(ctx); err != nil {
		return nil, nil, false, err
	}
	for i := 0; len(s.values) < s.want; i++ {
		if i == s.most {
			s.take(s.want - len(s.values))
			return s.values, s.vectors, false, nil
		}
		if err := s.filter(ctx); err != nil {
			return nil, nil, false, err
		}
		if err := s.project(ctx); err != nil {
			return nil, nil, false, err
		}
		s.steps++
	}
	return s.values, s.vectors, true, nil
}

// refill draws columns from the given one on. It ends early if ctx ends; the
// caller looks at ctx.
func (s *eigenSolver) refill(ctx context.Context, from int) {
	for u := range s.n {
		if ctx.Err() != nil {
			return
		}
		row := s.block[u*s.width : (u+1)*s.width]
		for j := from; j < s.width; j++ {
			row[j] = s.random.float() - 0.5
		}
	}
}

// filter applies the polynomial to the block. Its image is then in image.
func (s *eigenSolver) filter(ctx context.Context) error {
	high := s.ritz[0]
	cut := min(s.ritz[len(s.ritz)-1], high-eigenMinGap*(high-s.low))
	if !(cut > s.low) {
		cut = s.low + 0.1*(high-s.low)
	}
	if !(high > cut) { // all eigenvalues are equal
		return s.apply(ctx, s.image, s.block, s.block, s.width, 1, 0, 0)
	}
	centre, radius := (cut+s.low)/2, (cut-s.low)/2
	if least := (high - centre) / eigenMaxGrowth; radius < least {
		radius = least
	}
	// The polynomial of degree m is of about (x + sqrt(x^2-1))^m / 2 at high.
	x := (high - centre) / radius
	factor, growth, degree := x+math.Sqrt(float64(x*x)-1), 0.5, 1
	for growth *= factor; degree < eigenMaxDegree && growth*factor < eigenMaxGrowth; degree++ {
		growth *= factor
	}
	// Scaled such that it is 1 at high.
	sigma := radius / (high - centre)
	first := sigma
	was, is := s.block, s.spare
	err := s.apply(ctx, is, was, was, s.width, sigma/radius, -float64(centre*sigma)/radius, 0)
	// The polynomial raises the errors of what is set aside by raised a degree:
	// they are taken out before they matter.
	raised, since := 1.0, 1.0
	if len(s.values) > 0 {
		x := (s.values[0] - centre) / radius
		raised = x + math.Sqrt(max(float64(x*x)-1, 0))
	}
	for i := 1; i < degree && err == nil; i++ {
		if since *= raised; since*raised > eigenMaxRaised {
			since = 1
			for _, x := range [][]float64{was, is} {
				if err := s.takeOut(ctx, x); err != nil {
					return err
				}
			}
		}
		next := 1 / (2/first - sigma)
		err = s.apply(ctx, was, is, was, s.width, 2*next/radius, -float64(2*centre*next)/radius, -float64(sigma*next))
		was, is, sigma = is, was, next
	}
	if err != nil {
		return err
	}
	s.block, s.spare = is, was
	return nil
}

// project replaces the block by the best approximations of eigenvectors in its
// span, and sets aside those that have converged.
func (s *eigenSolver) project(ctx context.Context) error {
	for attempt := 0; ; attempt++ {
		if err := s.orthogonalise(ctx); err != nil {
			return err
		}
		if err := s.apply(ctx, s.image, s.block, s.block, s.width, 1, 0, 0); err != nil {
			return err
		}
		b := s.width
		gram, err := s.cross(ctx, s.block, b, s.block, b)
		if err != nil {
			return err
		}
		image, err := s.cross(ctx, s.block, b, s.image, b)
		if err != nil {
			return err
		}
		values, turn, err := ritz(ctx, gram, image, b)
		if err != nil {
			return err
		}
		if len(values) < b && attempt < 3 {
			// Some columns depend on the others: draw them again.
			if err := s.turn(ctx, turn, len(values), b); err != nil {
				return err
			}
			s.refill(ctx, len(values))
			continue
		}
		if err := s.turn(ctx, turn, len(values), len(values)); err != nil {
			return err
		}
		s.ritz = values
		s.resize(len(values))
		return s.lock(ctx)
	}
}

// resize says how wide the block has become.
func (s *eigenSolver) resize(width int) {
	s.width = width
	size := s.n * width
	s.block, s.image, s.spare = s.block[:size], s.image[:size], s.spare[:size]
}

// turn multiplies block and image by a matrix of so many columns, given by its
// columns. Rows are then stride apart.
func (s *eigenSolver) turn(ctx context.Context, columns []float64, count, stride int) error {
	b := s.width
	for _, x := range []*[]float64{&s.block, &s.image} {
		err := s.rows(ctx, func(lo, hi int) {
			for r := lo; r < hi; r++ {
				clear(s.spare[r*stride:][:count])
			}
			for j := 0; j < count && ctx.Err() == nil; j += eigenTile {
				addTimesRows(s.spare[lo*stride+j:], stride, (*x)[lo*b:], b, b, columns[j*b:], b, min(eigenTile, count-j), hi-lo)
			}
		})
		if err != nil {
			return err
		}
		*x, s.spare = s.spare, *x
	}
	return nil
}

// lock sets aside the leading columns if their residuals are so small that
// the errors do not matter to the others, or, if all wanted are exact enough,
// those.
func (s *eigenSolver) lock(ctx context.Context) error {
	b := s.width
	sums := make([][]float64, s.pieceCount())
	err := s.eachPiece(ctx, func(piece, lo, hi int) {
		sum := make([]float64, b)
		for u := lo; u < hi; u++ {
			v, w := s.block[u*b:(u+1)*b], s.image[u*b:(u+1)*b]
			for j := range sum {
				x := w[j] - float64(s.ritz[j]*v[j])
				sum[j] += float64(x * x)
			}
		}
		sums[piece] = sum
	})
	if err != nil {
		return err
	}
	for i := 1; i < len(sums); i++ {
		addAll(sums[0], sums[i])
	}
	if done := len(s.values); done > 0 {
		// What is left along vectors set aside is their error, not the block's.
		along, err := s.cross(ctx, s.image, b, s.vectors, s.want)
		if err != nil {
			return err
		}
		for j := range b {
			for _, x := range along[j*s.want:][:done] {
				sums[0][j] -= float64(x * x)
			}
		}
	}
	largest := math.Abs(s.ritz[0])
	if len(s.values) > 0 {
		largest = max(largest, math.Abs(s.values[0]))
	}
	exact, enough := 0, 0
	for j := 0; j < b && len(s.values)+enough < s.want; j++ {
		left := math.Sqrt(max(sums[0][j], 0))
		if !(left <= float64(s.enough*largest)) {
			break
		}
		enough++
		if exact == j && left <= float64(min(s.enough, eigenExact)*largest) {
			exact++
		}
	}
	if len(s.values)+enough < s.want {
		enough = exact
	}
	s.take(enough)
	return nil
}

// take moves the first columns of the block to what is set aside.
func (s *eigenSolver) take(count int) {
	if count == 0 {
		return
	}
	b, at := s.width, len(s.values)
	for u := range s.n {
		row := s.block[u*b : (u+1)*b]
		copy(s.vectors[u*s.want+at:], row[:count])
		// Rows move forward, behind what is still to be read.
		copy(s.block[u*(b-count):], row[count:])
	}
	s.values = append(s.values, s.ritz[:count]...)
	s.ritz = s.ritz[count:]
	s.resize(b - count)
}

// takeOut takes from a block its part along what is set aside.
func (s *eigenSolver) takeOut(ctx context.Context, x []float64) error {
	b, done := s.width, len(s.values)
	along, err := s.cross(ctx, x, b, s.vectors, s.want)
	if err != nil {
		return err
	}
	for i, y := range along {
		along[i] = -y
	}
	return s.rows(ctx, func(lo, hi int) {
		for j := 0; j < b && ctx.Err() == nil; j += eigenTile {
			addTimesRows(x[lo*b+j:], b, s.vectors[lo*s.want:], s.want, done, along[j*s.want:], s.want, min(eigenTile, b-j), hi-lo)
		}
	})
}

// orthogonalise takes out of the block what is set aside, twice for accuracy,
// and scales its columns to length 1.
func (s *eigenSolver) orthogonalise(ctx context.Context) error {
	b := s.width
	for range min(2*len(s.values), 2) {
		if err := s.takeOut(ctx, s.block); err != nil {
			return err
		}
	}
	square := make([]float64, b)
	for u := range s.n {
		if u%eigenLook == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for j, x := range s.block[u*b : (u+1)*b] {
			square[j] += float64(x * x)
		}
	}
	for j, x := range square {
		square[j] = 0
		if x > 0 {
			square[j] = 1 / math.Sqrt(x)
		}
	}
	for u := range s.n {
		if u%eigenLook == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row := s.block[u*b : (u+1)*b]
		for j := range row {
			row[j] *= square[j]
		}
	}
	return ctx.Err()
}

// eigenPieces is into how many pieces rows are cut at most. Between two looks at
// the context eigenTile columns are computed, or eigenLook rows read.
const (
	eigenPieces = 16
	eigenTile   = 64
	eigenLook   = 64
)

func (s *eigenSolver) pieceCount() int { return max(1, min(eigenPieces, s.n/64)) }

// eachPiece calls fn for each piece of the rows.
func (s *eigenSolver) eachPiece(ctx context.Context, fn func(piece, lo, hi int)) error {
	count := s.pieceCount()
	return parallel(ctx, s.workers, count, func(_, i int) error {
		fn(i, i*s.n/count, (i+1)*s.n/count)
		return ctx.Err()
	})
}

// rows calls fn for parts of the rows.
func (s *eigenSolver) rows(ctx context.Context, fn func(lo, hi int)) error {
	if err := pieces(ctx, s.workers, s.n, 64, func(_, _, lo, hi int) { fn(lo, hi) }); err != nil {
		return err
	}
	return ctx.Err()
}

// cross returns the products of the columns of a with those of b: row i has
// those of column i of a.
func (s *eigenSolver) cross(ctx context.Context, a []float64, widthA int, b []float64, widthB int) ([]float64, error) {
	parts := make([][]float64, s.pieceCount())
	err := s.eachPiece(ctx, func(piece, lo, hi int) {
		parts[piece] = make([]float64, widthA*widthB)
		// In parts that stay in the cache.
		for at := lo; at < hi; at += 32 {
			end := min(at+32, hi)
			for i := 0; i < widthA && ctx.Err() == nil; i += eigenTile {
				addCross(parts[piece][i*widthB:], a[at*widthA+i:], widthA, min(eigenTile, widthA-i), b[at*widthB:], widthB, end-at)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(parts); i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		addAll(parts[0], parts[i])
	}
	return parts[0], nil
}
