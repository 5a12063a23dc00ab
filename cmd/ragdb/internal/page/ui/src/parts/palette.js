// Colours that people with any colour vision tell apart (Okabe and Ito).
export const palette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8a7a00", "#7f7f7f"];

// colour is that of the i-th kind of thing; there may be more kinds than colours.
export const colour = i => palette[i % palette.length];

// short cuts a name to what fits beside a point.
export const short = (s, most = 28) => [...s].length > most ? [...s].slice(0, most - 1).join("") + "…" : s;
