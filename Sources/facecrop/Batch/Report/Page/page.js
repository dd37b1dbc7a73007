// The data, and what all parts of the page use.

const data = JSON.parse(document.getElementById("data").textContent);
const number = new Intl.NumberFormat("en");
/** A count with its noun, whose plural ends with s. */
const counted = (count, noun) => `${number.format(count)} ${noun}${count === 1 ? "" : "s"}`;
const $ = id => document.getElementById(id);

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  Object.assign(element, properties);
  element.append(...children);
  return element;
}
function draw(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  element.append(...children);
  return element;
}
/** The outline of a face's head as a polygon; null where no head was found. */
function headOf(face, entry) {
  const outline = face.head && face.head.outline;
  if (!outline || outline.length < 3) return null;
  return draw("polygon", { class: "head", points: outline.map(([x, y]) => `${x * entry.width},${y * entry.height}`).join(" ") });
}
const sum = values => values.reduce((total, value) => total + value, 0);
