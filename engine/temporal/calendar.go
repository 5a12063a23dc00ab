package temporal

// The first and the last day of all dates.
var (
	minDay = dayOf(minYear, 1, 1)
	maxDay = dayOf(maxYear, 12, 31)
)

// floorDiv divides and rounds down; b is positive.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// floorMod is the remainder of floorDiv.
func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }

// dayOf returns the days since 1970-01-01 of a date. Years begin in March here,
// so that the leap day is their last.
func dayOf(year, month, day int64) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	era := floorDiv(year, 400)
	ofEra := year - era*400
	ofYear := (153*(month-3)+2)/5 + day - 1
	return era*146_097 + ofEra*365 + ofEra/4 - ofEra/100 + ofYear - 719_468
}

// civil returns the year, month and day of a date.
func civil(days int64) (year, month, day int64) {
	days += 719_468
	era := floorDiv(days, 146_097)
	ofEra := days - era*146_097
	yearOfEra := (ofEra - ofEra/1460 + ofEra/36_524 - ofEra/146_096) / 365
	ofYear := ofEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	m := (5*ofYear + 2) / 153
	day = ofYear - (153*m+2)/5 + 1
	year, month = yearOfEra+era*400, m+3
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

func isLeap(year int64) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

func daysOfMonth(year, month int64) int64 {
	switch month {
	case 2:
		if isLeap(year) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

func daysOfYear(year int64) int64 {
	if isLeap(year) {
		return 366
	}
	return 365
}

// weekday returns 1 for Monday to 7 for Sunday.
func weekday(days int64) int64 { return floorMod(days+3, 7) + 1 }

// weekStart returns the Monday of the first week of a year: the week with its
// first Thursday.
func weekStart(year int64) int64 {
	fourth := dayOf(year, 1, 4)
	return fourth - weekday(fourth) + 1
}

// weekOf returns the year and the week of a date in ISO 8601.
func weekOf(days int64) (year, week int64) {
	year, _, _ = civil(days - weekday(days) + 4) // that of the week's Thursday
	return year, (days-weekStart(year))/7 + 1
}

// weeksOfYear returns 52 or 53.
func weeksOfYear(year int64) int64 { return (weekStart(year+1) - weekStart(year)) / 7 }

// quarterStart returns the first day of a quarter.
func quarterStart(year, quarter int64) int64 { return dayOf(year, quarter*3-2, 1) }

// addMonths adds months to a date; a day that the month lacks becomes its last.
func addMonths(days, months int64) (int64, bool) {
	y, m, d := civil(days)
	if months > 24*(maxYear+1) || months < -24*(maxYear+1) {
		return 0, false
	}
	m += months - 1
	y += floorDiv(m, 12)
	m = floorMod(m, 12) + 1
	if y < minYear || y > maxYear {
		return 0, false
	}
	return dayOf(y, m, min(d, daysOfMonth(y, m))), true
}
