package unfinished

import (
	"fmt"
	"path/filepath"
)

// mostTemp is how many folders of one name may be in use at once.
const mostTemp = 100

// TempFolder makes a folder in dir for what is not to stay, and removes what
// processes that were killed left of others of the name. Its end is Discard.
func TempFolder(dir, name string) (f *Folder, err error) {
	for i := range mostTemp {
		place := filepath.Join(dir, fmt.Sprintf("%s-%d", name, i))
		if f == nil {
			f, err = MakeFolder(place)
			continue
		}
		// What cannot be removed belongs to another user, or waits for the next sweep.
		_ = Sweep(place)
	}
	if f == nil {
		return nil, err
	}
	return f, nil
}
