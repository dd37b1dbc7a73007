// One input, large: its frames are dragged and scaled, other faces chosen, outputs rejected; by mouse, touch or keys.

const editor = $("editor");
const stage = $("stage");
const marks = $("marks");
let edited = null;
let active = 0;
/** What a pointer is doing: {kind, pointer, device, changed, start, frame, corner}. */
let gesture = null;

const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
const cornersOf = frame => corners.map(([wide, high]) => onPicture(frame, wide * frame.width / 2, high * frame.height / 2));

function edit(entry) {
  if (edited !== entry) [active, gesture] = [0, null];
  edited = entry;
  $("editor-name").textContent = entry.input;
  const place = chosen.indexOf(entry);
  $("editor-place").textContent = place < 0 ? "" : `${number.format(place + 1)} of ${number.format(chosen.length)}`;
  marks.setAttribute("viewBox", `0 0 ${entry.width} ${entry.height}`);
  // The thumbnail is shown until the input is there, and in its place where the browser cannot read that.
  const thumbnail = entry.thumbnail ? store.thumbnailOf(entry) : "";
  const large = $("large");
  large.src = thumbnail || store.inputOf(entry);
  const original = make("img", { src: store.inputOf(entry) });
  original.decode().then(() => {
    // The browser does not rotate the input, but its thumbnail is rotated.
    if (edited !== entry || (entry.rotation && thumbnail)) return;
    large.src = store.inputOf(entry);
    drawEditor();
  }, () => {});
  if (!editor.open) editor.showModal();
  stage.focus({ preventScroll: true });
  drawEditor();
}

/** Places the image so that all frames are seen, as those that reach out of it are, too. A gesture must not move it. */
function fitStage(entry, frames) {
  const points = [[0, 0], [entry.width, entry.height], ...frames.flatMap(cornersOf)];
  const [left, top] = [0, 1].map(axis => Math.min(...points.map(point => point[axis])));
  const [right, bottom] = [0, 1].map(axis => Math.max(...points.map(point => point[axis])));
  const [width, height] = [right - left, bottom - top];
  const sides = { shape: width / height, left: -left / width, top: -top / height, width: entry.width / width, height: entry.height / height };
  for (const name in sides) stage.style.setProperty(`--${name}`, sides[name]);
}

function drawEditor() {
  const entry = edited;
  const frames = framesOf(entry);
  active = Math.min(active, Math.max(frames.length - 1, 0));
  const frame = frames[active];
  if (!hasCutout(frame)) brush = null;
  // Handles and lines have the same size on the screen, whatever the picture's.
  if (!gesture) fitStage(entry, frames);
  const unit = entry.width / Math.max($("large").clientWidth, 1);
  marks.replaceChildren();
  if (frame) {
    const hole = cornersOf(frame).map(point => point.join(" ")).join("L");
    const kind = "shade" + (frame.isRejected ? " rejected" : "");
    // A drawing of its own is cut at the image, which a frame can leave.
    const shade = draw("path", { class: kind, d: `M0 0H${entry.width}V${entry.height}H0ZM${hole}Z` });
    marks.append(draw("svg", { width: entry.width, height: entry.height, overflow: "hidden" }, shade));
  }
  // A brush needs no faces or corners.
  for (const [index, face] of (brush ? [] : entry.faces || []).entries()) {
    marks.append(...marksOf(face, entry, frame?.faces.includes(index) ? "face chosen" : "face"));
    const label = draw("text", { class: "label", x: face.x * entry.width + 5 * unit, y: face.y * entry.height + 17 * unit,
      "font-size": 14 * unit });
    label.textContent = index + 1;
    marks.append(label);
  }
  for (const other of frames.filter((_, index) => index !== active)) marks.append(outline("under", other), outline("region", other));
  if (frame) {
    marks.append(outline("under", frame), outline("region active" + (frame.isRejected ? " rejected" : ""), frame));
    marks.append(...marksOfStrokes(frame, entry));
    for (const [index, [cx, cy]] of (brush ? [] : cornersOf(frame)).entries()) {
      marks.append(draw("circle", { class: "handle", "data-corner": index, r: 8 * unit, cx, cy }));
    }
  }
  drawSide(entry, frames, frame);
  say(frame);
}

const sizeOf = frame => `${Math.round(frame.width)} × ${Math.round(frame.height)} pixels of the image`
  + (frame.degrees ? `, turned by ${angleText(frame)}` : "") + (frame.background ? `, background ${frame.background}` : "");

/** Shows a message until the next change. */
function inform(text) {
  clearTimeout(say.timer);
  $("editor-state").textContent = text;
  $("editor-state").classList.add("shown");
}

/** Tells screen readers where the frame is; a pause ends a gesture. */
function say(frame) {
  $("editor-state").classList.remove("shown");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => {
    $("editor-state").textContent = !frame ? "No frame" : (frame.isRejected ? "Rejected. " : "")
      + `Frame of ${sizeOf(frame)}, at ${Math.round(frame.x - frame.width / 2)}, ${Math.round(frame.y - frame.height / 2)}`;
  }, 500);
}

const [rejectTitle, acceptTitle] = data.hides ? ["Do not hide", "Hide"] : ["Reject", "Undo reject"];

function drawSide(entry, frames, frame) {
  const side = $("side");
  const focused = document.activeElement && document.activeElement.dataset.action;
  const action = (name, text, run, properties = {}) => {
    const button = make("button", { type: "button", textContent: text, onclick: run, ...properties });
    button.dataset.action = name;
    return button;
  };
  const parts = [];
  if (frame) {
    parts.push(make("div", { className: "result" + (frame.isRejected ? " rejected" : "") },
      outputWithBackground(entry, frames) || windowOf(frame, entry, $("large").src, 240)),
      make("p", { className: "quiet", textContent: frame.isRejected ? (data.hides ? "not hidden" : "rejected") : sizeOf(frame) }));
    if (frames.length > 1) {
      parts.push(make("p", { className: "tabs" }, ...frames.map((_, index) => {
        const button = action(`output-${index}`, `${data.hides ? "Area" : "Output"} ${index + 1}`, () => activate(index));
        button.setAttribute("aria-pressed", index === active);
        return button;
      })));
    }
    parts.push(make("p", { className: "tabs" },
      action("reject", frame.isRejected ? acceptTitle : rejectTitle, toggleRejected),
      action("undo", "Undo", undo, { disabled: !store.canUndo(entry) }),
      ...(store.canRedo(entry) ? [action("redo", "Redo", redo)] : []),
      action("smaller", "Closer", () => nudge(frame => scaled(frame, 1 / 1.05, entry))),
      action("larger", "Wider", () => nudge(frame => scaled(frame, 1.05, entry)))));
  } else {
    parts.push(make("p", { className: "quiet", textContent: data.hides ? "Nothing is hidden." : "This input has no output." }));
  }
  if (!frame || data.hides) {
    parts.push(make("p", { className: "tabs" }, action("add", data.hides ? "Add an area" : "Add a frame", addFrame)));
  }
  const faces = entry.faces || [];
  if (faces.length) {
    parts.push(make("h2", { textContent: "Faces" }), make("p", { className: "tabs" }, ...faces.map((face, index) => {
      const button = action(`face-${index}`, `${index + 1}`, () => chooseFace(index));
      button.title = `score ${face.score.toFixed(2)}`
        + (face.sharpness === undefined ? "" : `, sharpness ${face.sharpness.toFixed(2)}`);
      button.setAttribute("aria-pressed", Boolean(frame && frame.faces.includes(index)));
      return button;
    })));
    const names = [...new Set(entry.faceNames?.filter(Boolean))];
    if (names.length) {
      parts.push(make("p", { className: "tabs" }, ...names.map(name =>
        action(`everywhere-${name}`, `Hide ${name} in all images`, () => hideEverywhere(name)))));
    }
  }
  side.replaceChildren(...parts);
  drawTools(entry, frame);
  const again = focused && [...side.querySelectorAll("button")].find(button => button.dataset.action === focused);
  if (again && !again.disabled) again.focus();
  else if (focused && !editor.contains(document.activeElement)) stage.focus({ preventScroll: true });
}

function activate(index) {
  active = index;
  drawEditor();
}

/** Changes the frame that is active; of an entry without any, nothing. */
function nudge(made) {
  const frames = framesOf(edited);
  if (!frames[active]) return;
  change(edited, frames.map((frame, index) => index === active ? { ...made(frame), isRejected: false } : frame));
}

const areaOf = (entry, face) => framesOf(entry).findIndex(frame => frame.faces.includes(face));

/** Where frames are hidden areas: hides a face, or shows it again. */
function toggleFace(face) {
  const place = areaOf(edited, face);
  active = place < 0 ? framesOf(edited).length : place;
  if (place < 0) hideFace(edited, face);
  else reject(edited, place, !framesOf(edited)[place].isRejected);
}

function hideFace(entry, face) {
  const place = areaOf(entry, face);
  if (place < 0) change(entry, [...framesOf(entry), frameOf(entry.choices[face], entry)]);
  else if (framesOf(entry)[place].isRejected) reject(entry, place, false);
}

/** Hides a person in each image of this page that the list of names has for it. */
function hideEverywhere(name) {
  const images = data.entries.filter(entry => isEditable(entry) && entry.faceNames?.includes(name));
  for (const entry of images) {
    for (const [face, own] of entry.faceNames.entries()) if (own === name) hideFace(entry, face);
  }
  inform(`${name} is hidden in ${counted(images.length, "image")}.`);
}

function chooseFace(face) {
  if (data.hides) return toggleFace(face);
  const crop = (edited.choices || [])[face];
  if (!crop) return;
  const frame = frameOf(crop, edited);
  if (!framesOf(edited).length) change(edited, [frame]);
  else nudge(({ number, background }) => ({ ...frame, number, background }));
}

function addFrame() {
  const frames = framesOf(edited);
  const crop = data.hides ? edited.middle : (edited.choices || [])[0] || edited.middle;
  if (frames.length && !data.hides) return inform("This image has a frame. Drag it, or choose another face.");
  if (!crop) return;
  active = frames.length;
  change(edited, [...frames, frameOf(crop, edited)]);
}

function toggleRejected() {
  const frame = framesOf(edited)[active];
  if (frame) reject(edited, active, !frame.isRejected);
}

const undo = () => undoStroke() || (store.canUndo(edited) && store.undo(edited));
const redo = () => store.canRedo(edited) && store.redo(edited);

/** The next input that can be edited, or the one before. */
function editOther(direction) {
  const other = neighbor(edited, direction, isEditable);
  if (other) edit(other);
}

// Turn and background.

/** The clockwise turn of the image in the output: its quarter turns, and the rest. */
function turnOf(frame) {
  const quarters = -Math.round(frame.degrees / 90) * 90;
  return { quarters, rest: -frame.degrees - quarters };
}

const angle = new Intl.NumberFormat("en", { maximumFractionDigits: 1, signDisplay: "negative" });
const angleText = frame => `${angle.format(-frame.degrees)}°`;

const turnBy = degrees => { if (!data.isLossless && !data.hides) nudge(frame => rotated(frame, frame.degrees - degrees, edited)); };

/** The name of a background in the list of backgrounds. */
function backgroundKind({ background }) {
  if (background === undefined) return "";
  if (["original", "transparent"].includes(background)) return background;
  return background.startsWith("blur") ? "blur" : background === "ffffff" ? "white" : "color";
}

/** A frame keeps its rectangles with another background. */
const setBackground = background => nudge(frame => ({ ...frame, background }));

/** The output of the active frame, if it has a new background, which only facecrop can make; null if it is not made yet. */
function outputWithBackground(entry, frames) {
  const frame = frames[active];
  const isNew = Boolean(frame.background ?? data.hasBackground);
  // While strokes are drawn, the output stays until the next one is made.
  if (!isNew || frame.isRejected || store.previewOf(entry) && !brush || !entry.thumbnail) return null;
  const place = frames.slice(0, active).filter(frame => !frame.isRejected).length;
  const index = (entry.outputs || []).findIndex(output => output.crop === place);
  if (index < 0 || index >= data.outputsShown) return null;
  // Browsers do not read all formats.
  const onerror = ({ target }) => Object.assign(target, { onerror: null, src: store.thumbnailOf(entry, index) });
  const [width, height] = sidesWithin(240, entry.outputs[index].width, entry.outputs[index].height);
  return make("img", { className: "made", src: store.outputOf(entry, index), width, height, onerror, alt: "The output" });
}

function drawTools(entry, frame) {
  $("tools").hidden = !frame || data.isLossless || data.hides;
  if ($("tools").hidden) return;
  const turn = turnOf(frame);
  $("turn").value = turn.rest;
  $("turn").setAttribute("aria-valuetext", angleText(frame));
  $("turn-angle").textContent = angleText(frame);
  const kind = backgroundKind(frame);
  for (const option of $("background").options) {
    const isPointless = { original: !data.hasBackground, transparent: (entry.outputs || []).some(isOpaque) }[option.value];
    option.hidden = Boolean(isPointless) && option.value !== kind;
  }
  $("background").value = kind;
  if (kind === "color") $("background-color").value = `#${frame.background}`;
  if (kind === "blur") $("background-blur").value = frame.background.slice("blur:".length) || 2;
  $("color-row").hidden = kind !== "color" && document.activeElement !== $("background-color");
  $("blur-row").hidden = kind !== "blur";
  drawBrush(frame);
}

$("turn-left").addEventListener("click", () => turnBy(-90));
$("turn-right").addEventListener("click", () => turnBy(90));
$("turn").addEventListener("input", () =>
  nudge(frame => rotated(frame, -turnOf(frame).quarters - Number($("turn").value), edited)));
$("background").addEventListener("change", () => {
  const kind = $("background").value;
  const [color, strength] = [$("background-color").value.slice(1), $("background-blur").value];
  setBackground(kind === "white" ? "ffffff" : kind === "color" ? color : kind === "blur" ? `blur:${strength}` : kind || undefined);
});
$("background-color").addEventListener("input", () => setBackground($("background-color").value.slice(1)));
$("background-blur").addEventListener("input", () => setBackground(`blur:${$("background-blur").value}`));

// Pointers.

function pointOf(event) {
  const area = marks.getBoundingClientRect();
  return [(event.clientX - area.left) / area.width * edited.width, (event.clientY - area.top) / area.height * edited.height];
}

/** Ends the gesture, and takes back what it has done. */
function abandon() {
  const { changed } = gesture;
  gesture = null;
  if (changes.get(edited.index) !== changed) change(edited, changed);
}

const isOfGesture = event => gesture?.pointer === event.pointerId;

stage.addEventListener("pointerdown", event => {
  // A hand beside a pen does nothing. A second finger takes back what the first one has done.
  if (gesture?.device === "pen" && event.pointerType === "touch") return;
  if (gesture) abandon();
  if (event.button !== 0 || !event.isPrimary) return;
  const frames = framesOf(edited);
  const start = pointOf(event);
  stage.setPointerCapture(event.pointerId);
  const own = { pointer: event.pointerId, device: event.pointerType, changed: changes.get(edited.index) };
  if (brush) {
    gesture = { ...own, kind: "brush", brush, before: frames[active].strokes || [], points: [], isDragged: true };
    moveTip(start);
    return paint(start);
  }
  const corner = event.target.dataset.corner;
  if (corner === undefined && !(frames[active] && holds(frames[active], ...start))) {
    const other = frames.findIndex(frame => holds(frame, ...start));
    if (other >= 0) activate(other);
  }
  const frame = frames[active];
  gesture = {
    ...own, kind: corner !== undefined ? "stretch" : frame && holds(frame, ...start) ? "move" : "point",
    corner: corners[corner], start, frame, from: [event.clientX, event.clientY], isDragged: false,
  };
});
stage.addEventListener("pointermove", event => {
  if (gesture && !isOfGesture(event)) return;
  if (brush) moveTip(pointOf(event));
  if (!gesture) return;
  if (gesture.kind === "brush") return paint(pointOf(event));
  if (!gesture.isDragged && Math.hypot(event.clientX - gesture.from[0], event.clientY - gesture.from[1]) < 4) return;
  gesture.isDragged = true;
  const [x, y] = pointOf(event);
  const { kind, frame, start, corner } = gesture;
  if (kind === "move") nudge(() => moved(frame, x - start[0], y - start[1], edited));
  else if (kind === "stretch") nudge(() => stretched(frame, corner, x, y, edited));
});
stage.addEventListener("pointerup", event => {
  if (!isOfGesture(event)) return;
  const ended = gesture;
  gesture = null;
  if (ended.isDragged) return drawEditor();
  // A click: the smallest face there.
  const [x, y] = ended.start;
  const hit = (edited.faces || []).map((face, index) => ({ face, index }))
    .filter(({ face }) => holds(boxOf(face, edited), x, y))
    .sort((a, b) => a.face.width * a.face.height - b.face.width * b.face.height)[0];
  if (hit) chooseFace(hit.index);
});
stage.addEventListener("pointercancel", event => isOfGesture(event) && abandon());
stage.addEventListener("wheel", event => {
  event.preventDefault();
  nudge(frame => scaled(frame, Math.exp(clamped(event.deltaY, -100, 100) / 1000), edited));
}, { passive: false });

// Keys.

$("keys-of-frames").hidden = Boolean(data.hides);
$("keys-of-areas").hidden = !data.hides;
$("keys-of-turns").hidden = Boolean(data.isLossless);
if (data.hides) $("keys-of-rejects").textContent = "hide nothing in it";

const keysInEditor = {
  ArrowLeft: shift => nudgeBy(-1, 0, shift), ArrowRight: shift => nudgeBy(1, 0, shift),
  ArrowUp: shift => nudgeBy(0, -1, shift), ArrowDown: shift => nudgeBy(0, 1, shift),
  "+": () => nudge(frame => scaled(frame, 1 / 1.02, edited)), "=": () => nudge(frame => scaled(frame, 1 / 1.02, edited)),
  "-": () => nudge(frame => scaled(frame, 1.02, edited)),
  ",": () => turnBy(-1), ".": () => turnBy(1), "<": () => turnBy(-90), ">": () => turnBy(90),
  x: toggleRejected, u: undo, r: redo, a: addFrame, s: () => store.canSave() && store.save(),
  n: () => editOther(1), p: () => editOther(-1), j: () => editOther(1), k: () => editOther(-1),
  b: () => takeBrush("keep"), e: () => takeBrush("remove"),
  "]": () => brush ? setBrushWidth(brushWidth * 1.25) : activate(clamped(active + 1, 0, framesOf(edited).length - 1)),
  "[": () => brush ? setBrushWidth(brushWidth / 1.25) : activate(Math.max(active - 1, 0)),
};

/** By a hundredth of the frame's height, with Shift by ten. */
function nudgeBy(dx, dy, isFar) {
  nudge(frame => {
    const by = Math.max(frame.height * (isFar ? 0.1 : 0.01), 1);
    return moved(frame, dx * by, dy * by, edited);
  });
}

editor.addEventListener("keydown", event => {
  if (event.altKey) return;
  const isStep = event.ctrlKey || event.metaKey;
  // Sliders and lists have keys of their own.
  if (!isStep && event.target.closest("input, select")) return;
  const run = isStep ? { z: undo, Z: redo, y: redo }[event.key]
    : /^[1-9]$/.test(event.key) ? () => chooseFace(Number(event.key) - 1) : keysInEditor[event.key];
  if (!run) return;
  event.preventDefault();
  event.stopPropagation();
  run(event.shiftKey);
});
editor.addEventListener("close", () => {
  const entry = edited;
  edited = null;
  gesture = null;
  focusRow(entry);
});
$("editor-close").addEventListener("click", () => editor.close());
$("editor-next").addEventListener("click", () => editOther(1));
$("editor-before").addEventListener("click", () => editOther(-1));
$("large").addEventListener("load", () => edited && drawEditor());
new ResizeObserver(() => edited && drawEditor()).observe(stage);
