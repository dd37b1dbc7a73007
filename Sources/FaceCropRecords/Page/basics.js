// What the report, the review and the playground of the server use.

const $ = id => document.getElementById(id);
const number = new Intl.NumberFormat("en");

/** An element. Texts only ever become text nodes, so no name can be markup. */
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

/** Calls a function once the calls pause. */
function settled(action, delay = 250) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, delay);
  };
}
