// The image with its faces.

let meta = null;
/** The rotation of the shown image by `upright=auto`, in degrees; null if the image is not shown yet. */
let shownRotation = null;

function drawMarks() {
  const marks = $("marks"), labels = $("labels");
  marks.replaceChildren();
  labels.replaceChildren();
  if (!meta) return;
  const { width, height } = meta.source;
  const layers = new Set([...document.querySelectorAll("#layers input:checked")].map(input => input.value));
  marks.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const rect = (box, kind) => marks.append(draw("rect", {
    class: kind, x: box.x * width, y: box.y * height, width: box.width * width, height: box.height * height,
  }));
  if (layers.has("region")) {
    const { x, y, width: w, height: h } = meta.region;
    const outer = `M0 0H${width}V${height}H0Z`;
    marks.append(draw("path", { class: "shade", d: `${outer}M${x * width} ${y * height}h${w * width}v${h * height}h${-w * width}Z` }));
    rect(meta.region, "region");
  }
  for (const [index, face] of meta.faces.entries()) {
    const isChosen = (meta.chosen || []).includes(index);
    if (layers.has("heads") && face.head?.outline) {
      marks.append(draw("polygon", { class: "head", points: face.head.outline.map(([x, y]) => `${x * width},${y * height}`).join(" ") }));
    }
    if (layers.has("boxes")) {
      rect(face, "under");
      rect(face, isChosen ? "box chosen" : "box");
      const label = make("span", { textContent: `${index + 1} · ${face.score.toFixed(2)}${isChosen ? " · chosen" : ""}` });
      label.style.left = `${face.x * 100}%`;
      label.style.top = `${Math.max(face.y * 100, 5)}%`;
      labels.append(label);
    }
    if (layers.has("landmarks")) {
      for (const [x, y] of face.landmarks || []) {
        const point = make("i");
        point.style.left = `${x * 100}%`;
        point.style.top = `${y * 100}%`;
        labels.append(point);
      }
    }
  }
}

function showFaces() {
  const count = meta.faces.length;
  $("found").textContent = count === 0 ? "No face found" : count === 1 ? "1 face found" : `${number.format(count)} faces found`;
  $("faces").replaceChildren(...meta.faces.slice(0, 50).map((face, index) => make("li", {},
    `Face ${index + 1}: score ${face.score.toFixed(2)}`,
    face.sharpness === undefined ? "" : `, sharpness ${face.sharpness.toFixed(2)}`,
    ...((meta.chosen || []).includes(index) ? [", ", make("b", { textContent: "chosen" })] : []))));
  for (const warning of meta.warnings || []) $("faces").append(make("li", { className: "quiet", textContent: warning }));
  $("input").alt = `The image with ${count} marked faces`;
}

/** Loads faces and crop region of the chosen preset; the image itself only if it is new. */
async function loadMeta(signal) {
  // The format auto goes with every option, so the faces are shown even if the chosen format does not.
  const [url] = await signed([address(state.preset, state.size, "auto", "meta")], signal);
  const response = await request(url, signal);
  meta = JSON.parse(await response.blob.text());
  const rotation = meta.rotation || 0;
  if (rotation !== shownRotation) {
    // The preset fill with the image's own shape shows all of it, in a format that each browser has.
    const { width, height } = meta.source;
    const scale = Math.min(1, 1200 / Math.max(width, height), facts.largestSide / Math.max(width, height));
    const size = [width, height].map(side => Math.max(Math.round(side * scale), 1)).join("x");
    const parts = [state.file ? "" : `src=${encodeURIComponent(state.source)}`, rotation ? "upright=auto" : ""];
    const query = parts.filter(part => part).join("&");
    const [whole] = await signed([`/crop/fill/${size}.jpg?${query}`], signal);
    await show($("input"), (await request(whole, signal)).blob);
    shownRotation = rotation;
  }
  drawMarks();
  showFaces();
}

async function listImages() {
  const response = await fetch("/playground/images?" + new URLSearchParams({ q: $("search").value }));
  const listing = await json(response);
  $("images").replaceChildren(...listing.images.map(name => make("li", {}, make("button", {
    type: "button", textContent: name, ariaPressed: String(name === state.source), onclick: () => choose(name, null),
  }))));
  $("images-note").textContent = listing.isCut ? `The first ${listing.images.length}; search to see others.`
    : listing.images.length ? "" : "No image has this name.";
  return listing.images;
}
