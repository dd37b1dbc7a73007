// The data, and what all parts of the report use.

const data = JSON.parse($("data").textContent);
/** A count with its noun, whose plural ends with s. */
const counted = (count, noun) => `${number.format(count)} ${noun}${count === 1 ? "" : "s"}`;
/** The outline of a face's head as a polygon; null where no head was found. */
function headOf(face, entry) {
  const outline = face.head && face.head.outline;
  if (!outline || outline.length < 3) return null;
  return draw("polygon", { class: "head", points: outline.map(([x, y]) => `${x * entry.width},${y * entry.height}`).join(" ") });
}
const sum = values => values.reduce((total, value) => total + value, 0);
