// The data, and what all parts of the report use.

const data = JSON.parse($("data").textContent);
/** A count with its noun, whose plural ends with s. */
const counted = (count, noun) => `${number.format(count)} ${noun}${count === 1 ? "" : "s"}`;
const sum = values => values.reduce((total, value) => total + value, 0);
