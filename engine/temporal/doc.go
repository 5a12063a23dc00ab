// Package temporal has the temporal values of the query language: dates, times
// of day with and without an offset, dates with a time with and without a zone,
// and durations.
//
// # Values
//
// A [Value] is an instant or a duration of one of six kinds. Years go from
// -999,999,999 to 999,999,999, times of day to the nanosecond, offsets to 18
// hours.
//
// [Kind.Parse] reads ISO 8601, [Kind.Make] takes components (year, week, hour),
// [Kind.At] converts Go's time, [Value.Truncate] cuts a value to a unit.
// [Value.Part] returns components. [Value.Add], [Value.Until] and others compute;
// a result that is out of range is an [ErrRange].
//
// # Zones
//
// A datetime keeps the offset that held when it was made, and the name of its
// zone if it has one. Rules of zones come from Go's package time: from the
// machine's database or, in a program that imports time/tzdata, from its own.
// This package does not import it. [Zones] remembers the zones that one caller
// has looked up. A nil one remembers none.
//
// # Order and bytes
//
// [Value.Compare] is the order of ORDER BY, and [Value.Append] writes bytes in
// that order, which [Kind.Decode] reads. Points in time come in their order, then
// offsets from west to east, then names of zones; durations come in the order of
// their mean lengths in seconds, then of their months, then of their days.
package temporal
