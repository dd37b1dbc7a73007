// The responses: all presets, the chosen one, and its formats.

const bytesText = count => count < 1024 ? `${count} B` : `${number.format(Math.round(count / 102.4) / 10)} KiB`;
const timeText = time => `${Math.round(time)} ms`;

const cards = new Map();

function makeCards(names, into) {
  for (const name of names) {
    const image = make("img", { alt: "", hidden: true });
    const note = make("small");
    const button = make("button", { type: "button", ariaPressed: String(name === state.preset) },
      make("span", { className: "view" }, image), make("span", { textContent: name }), note);
    button.dataset.preset = name;
    button.addEventListener("click", () => {
      state.preset = name;
      for (const [other, card] of cards) card.button.ariaPressed = String(other === name);
      update();
    });
    cards.set(name, { button, image, note });
    into.append(button);
  }
}

async function loadCards(names, signal) {
  await Promise.all(names.map(async name => {
    const { image, note } = cards.get(name);
    try {
      // Not each preset can have each option.
      const [url] = await signed([address(name, 256, "webp")], signal);
      const response = await request(url, signal);
      image.hidden = false;
      await show(image, response.blob);
      note.className = "";
      note.textContent = `${image.naturalWidth} × ${image.naturalHeight}, ${bytesText(response.blob.size)}, ${timeText(response.time)}`;
    } catch (error) {
      if (signal.aborted) return;
      image.hidden = true;
      note.className = "failed";
      note.textContent = error.message;
    }
  }));
}

function showBar(facts) {
  $("bar").replaceChildren(...facts.map(([term, value]) =>
    make("div", {}, make("dt", { textContent: term }), make("dd", { textContent: value }))));
}

/** The sizes for srcset: half, whole and double, as far as the region has the pixels. */
function sizes(size) {
  const sides = state.size.split("x").map(Number);
  const room = Math.max(meta.region.width * meta.source.width / size.width, meta.region.height * meta.source.height / size.height);
  return [0.5, 1, 2].filter(factor => factor <= Math.max(room, 1) && Math.max(...sides) * factor <= facts.largestSide)
    .map(factor => [sides.map(side => Math.max(Math.round(side * factor), 1)).join("x"), Math.round(size.width * factor)]);
}

function clearResult() {
  showBar([]);
  $("result").removeAttribute("src");
  $("result").alt = "";
  showSnippets([]);
}

async function loadResult(signal) {
  try {
    const [url] = await signed([address(state.preset, state.size, state.format)], signal);
    const response = await request(url, signal);
    const image = $("result");
    await show(image, response.blob);
    const size = { width: image.naturalWidth, height: image.naturalHeight };
    image.alt = `Response of the preset ${state.preset}`;
    $("fault").textContent = "";
    showBar([["Format", response.type.replace("image/", "").toUpperCase()], ["Size", `${size.width} × ${size.height}`],
      ["Bytes", bytesText(response.blob.size)], ["Time", timeText(response.time)], ["Cache", response.cache]]);
    const wanted = sizes(size);
    const paths = state.file ? [] : await signed(wanted.map(([side]) => address(state.preset, side, state.format)), signal);
    showSnippets(snippetsOf(url, paths.map((path, index) => [path, wanted[index][1]]), size));
  } catch (error) {
    if (signal.aborted) return;
    clearResult();
    $("fault").textContent = error.message;
  }
}

const made = new Map();

async function loadFormats(signal) {
  const formats = facts.formats.filter(format => format !== "auto");
  // Not each format can have each option: a circle needs transparency.
  const responses = await Promise.allSettled(formats.map(async format => {
    const [url] = await signed([address(state.preset, state.size, format)], signal);
    return request(url, signal);
  }));
  signal.throwIfAborted();
  await showFormats(responses.flatMap(({ value }, index) => value ? [[formats[index], value]] : []));
}

async function showFormats(responses) {
  made.clear();
  for (const [format, response] of responses) made.set(format, response);
  const most = Math.max(...[...made.values()].map(({ blob }) => blob.size), 1);
  $("formats").tBodies[0].replaceChildren(...[...made].map(([format, { blob, time, cache }]) => make("tr", {},
    make("th", { scope: "row", textContent: format }), make("td", { textContent: bytesText(blob.size) }),
    make("td", { textContent: timeText(time) }), make("td", { textContent: cache }),
    make("td", {}, make("meter", { max: most, value: blob.size, ariaLabel: `${Math.round(blob.size / most * 100)} % of the largest` })))));
  await compare();
}

async function compare() {
  for (const side of ["left", "right"]) {
    const [image, response] = [$(`compare-${side}`), made.get($(side).value)];
    if (response) await show(image, response.blob);
    else image.removeAttribute("src");
    image.alt = `${$(side).value}, ${response ? `${side} of the border` : "no response"}`;
  }
  moveBorder();
}

function moveBorder() {
  const [left, right] = [$("compare-left"), $("compare-right")];
  const at = $("border").value;
  // One pixel of the image is one pixel of the screen.
  for (const image of [left, right]) if (image.naturalWidth) image.style.width = `${image.naturalWidth / devicePixelRatio}px`;
  right.style.clipPath = `inset(0 0 0 ${at}%)`;
  $("line").style.left = `${left.offsetWidth * at / 100}px`;
  $("line").style.height = `${left.offsetHeight}px`;
}
