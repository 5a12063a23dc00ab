package cypher

// sortWatched sorts a list stably. It checks the context while it sorts: weight
// is the number of loop steps that a comparison with an element counts as.
func sortWatched[T any](x *exec, list []T, compare func(a, b *T) int, weight func(a *T) int64) error {
	room, err := made[T](x, (len(list)+1)/2)
	if err != nil {
		return err
	}
	s := &mergeSort[T]{x: x, compare: compare, weight: weight, room: room}
	return s.sort(list)
}

type mergeSort[T any] struct {
	x       *exec
	compare func(a, b *T) int
	weight  func(a *T) int64
	room    []T // for the left half of what is merged
}

// fewSorted is how many elements are sorted by insertion.
const fewSorted = 12

func (s *mergeSort[T]) sort(list []T) error {
	if len(list) <= fewSorted {
		return s.insert(list)
	}
	mid := len(list) / 2
	if err := s.sort(list[:mid]); err != nil {
		return err
	}
	if err := s.sort(list[mid:]); err != nil {
		return err
	}
	return s.merge(list, mid)
}

// insert sorts a few elements.
func (s *mergeSort[T]) insert(list []T) error {
	for i := 1; i < len(list); i++ {
		if err := s.x.work(int64(i) + s.weight(&list[i])); err != nil {
			return err
		}
		for j := i; j > 0 && s.compare(&list[j], &list[j-1]) < 0; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	return nil
}

// merge merges the two sorted parts of a list.
func (s *mergeSort[T]) merge(list []T, mid int) error {
	if s.compare(&list[mid], &list[mid-1]) >= 0 {
		return nil
	}
	left := s.room[:mid]
	if err := copied(s.x, left, list[:mid]); err != nil {
		return err
	}
	right := list[mid:]
	for i := 0; len(left) > 0 && len(right) > 0; i++ {
		if err := s.x.work(1 + s.weight(&left[0])); err != nil {
			return err
		}
		if s.compare(&right[0], &left[0]) < 0 {
			list[i], right = right[0], right[1:]
		} else {
			list[i], left = left[0], left[1:]
		}
	}
	return copied(s.x, list[len(list)-len(right)-len(left):], left)
}
