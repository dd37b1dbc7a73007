"use strict";
// Functions that all parts of the page use.

const $ = id => document.getElementById(id);
const number = new Intl.NumberFormat("en");

/** An element. Texts only ever become text nodes, so no name can be markup. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  Object.assign(element, properties);
  element.append(...children);
  return element;
}

function draw(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  return element;
}

const bytesText = count => count < 1024 ? `${count} B` : `${number.format(Math.round(count / 102.4) / 10)} KiB`;
const timeText = time => `${Math.round(time)} ms`;

/** Calls a function once the calls pause. */
function settled(action, delay = 250) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, delay);
  };
}
