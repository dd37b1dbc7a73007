// The start, and the answers to the user's actions.

let current = new AbortController();

/** Removes everything that belongs to the responses before. */
function clearAll() {
  meta = null;
  drawMarks();
  for (const id of ["faces", "found"]) $(id).replaceChildren();
  if (shownRotation === null) $("input").removeAttribute("src");
  clearResult();
  showFormats([]);
  for (const { image, note } of cards.values()) [image.hidden, note.textContent] = [true, ""];
}

/** Requests everything again. */
async function update() {
  if (!state.source && !state.file) return;
  current.abort();
  current = new AbortController();
  const { signal } = current;
  document.body.dataset.state = "busy";
  try {
    await loadMeta(signal).catch(error => { if (!signal.aborted) clearAll(); throw error; });
    await loadResult(signal);
    await loadFormats(signal);
    await loadCards(facts.presets, signal);
    if ($("documents").open) await loadCards(facts.documents, signal);
  } catch (error) {
    if (signal.aborted) return;
    $("fault").textContent = error.message;
  }
  document.body.dataset.state = "ready";
}

/** Chooses an image of the folder, or a file. */
function choose(source, file) {
  if (file && (!facts.uploads || file.size > facts.largestBody)) {
    $("fault").textContent = !facts.uploads ? "This server accepts no uploads (see the setting uploads)."
      : `The file has ${bytesText(file.size)}; the limit is ${bytesText(facts.largestBody)} (see the setting max-body).`;
    return;
  }
  state.source = source;
  state.file = file;
  meta = shownRotation = null;
  drawMarks();
  $("faces").replaceChildren();
  $("name").textContent = file ? file.name : source;
  for (const button of $("images").querySelectorAll("button")) button.ariaPressed = String(button.textContent === source);
  update();
}

const changed = settled(update);

function control(name, help, input) {
  input.id = `option-${name}`;
  $("options").append(make("label", {}, name, input, make("small", { textContent: help })));
  return input;
}

function select(values, empty) {
  const options = values.map(value => make("option", { value, textContent: value }));
  return make("select", {}, ...(empty ? [make("option", { value: "", textContent: empty })] : []), ...options);
}

function makeOptions() {
  const size = control("size", `The longer side, or both as 400x500. Up to ${facts.largestSide}; never enlarges.`,
    make("input", { value: state.size, inputMode: "text", pattern: "[0-9]+(x[0-9]+)?", autocomplete: "off" }));
  size.addEventListener("input", () => {
    if (!size.value || !size.checkValidity()) return;
    state.size = size.value;
    changed();
  });
  const format = control("format", "auto follows the browser's Accept header.", select(facts.formats));
  format.value = state.format;
  format.addEventListener("change", () => {
    state.format = format.value;
    changed();
  });
  for (const { name, help, values, least, most, longest } of facts.options) {
    const input = control(name, help, values ? select(values, "default")
      : most ? make("input", { type: "number", min: least, max: most, placeholder: "default" })
        : make("input", { maxLength: longest, placeholder: "none", autocomplete: "off" }));
    input.addEventListener("input", () => {
      if (!input.checkValidity()) return;
      if (input.value) state.options.set(name, input.value);
      else state.options.delete(name);
      changed();
    });
  }
  $("options").addEventListener("submit", event => event.preventDefault());
  for (const side of ["left", "right"]) {
    const formats = facts.formats.filter(value => value !== "auto");
    $(side).append(...formats.map(value => make("option", { value, textContent: value })));
    $(side).addEventListener("change", compare);
  }
  $("right").value = facts.formats.includes("avif") ? "avif" : "webp";
}

function listen() {
  $("file").addEventListener("change", () => { if ($("file").files[0]) choose(null, $("file").files[0]); });
  // The whole window takes a drop, so that a near miss does not leave the page.
  addEventListener("dragover", event => { event.preventDefault(); $("drop").classList.add("over"); });
  addEventListener("dragleave", event => { if (!event.relatedTarget) $("drop").classList.remove("over"); });
  addEventListener("drop", event => {
    event.preventDefault();
    $("drop").classList.remove("over");
    if (event.dataTransfer.files[0]) choose(null, event.dataTransfer.files[0]);
  });
  $("layers").addEventListener("change", drawMarks);
  $("search").addEventListener("input", settled(listImages));
  $("documents").addEventListener("toggle", () => {
    if ($("documents").open && (state.source || state.file)) loadCards(facts.documents, current.signal).catch(() => {});
  });
  $("again").addEventListener("click", () => loadResult(current.signal));
  $("border").addEventListener("input", moveBorder);
}

async function start() {
  facts = await json(await fetch("/playground/facts"));
  makeOptions();
  makeCards(facts.presets, $("presets"));
  makeCards(facts.documents, $("document-presets"));
  listen();
  if (!facts.signs && !facts.unsafe) $("fault").textContent = "This server has no key, so it refuses every image (set signing-key or unsafe).";
  $("folder").hidden = !facts.hasFolder;
  const images = facts.hasFolder ? await listImages() : [];
  if (images.length) choose(images[0], null);
  else document.body.dataset.state = "ready";
}

start().catch(error => { $("fault").textContent = error.message; });
