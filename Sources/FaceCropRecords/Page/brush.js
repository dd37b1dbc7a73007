// A brush that corrects the cut-out of the active frame. Its strokes are those of a plan, in fractions of the image.

/** What the brush does, "keep" or "remove"; null without one. */
let brush = null;
/** Its width as a share of the image's longer side. */
let brushWidth = 0.03;
/** The brush at the pointer. */
const tip = draw("circle", { class: "tip" });

const hasCutout = frame => Boolean(frame && (frame.background || data.hasBackground) && frame.background !== "original");

/** Takes a brush, or puts it away. */
function takeBrush(kind) {
  if (!hasCutout(framesOf(edited)[active])) return inform("Choose a new background first.");
  brush = brush === kind ? null : kind;
  drawEditor();
}

function setBrushWidth(width) {
  brushWidth = Math.round(clamped(width, 0.002, 0.25) * 1e4) / 1e4;
  drawEditor();
}

const moveTip = point => tip.setAttribute("transform", `translate(${point})`);

/** Adds a point of the image to the stroke of the gesture, unless it is too near to change anything. */
function paint([x, y]) {
  const [last, side] = [gesture.points.at(-1), Math.max(edited.width, edited.height)];
  if (last && Math.hypot(x - last[0], y - last[1]) < brushWidth * side / 4) return;
  gesture.points.push([x, y]);
  const part = value => Math.round(clamped(value, -1, 2) * 1e5) / 1e5;
  const points = gesture.points.map(([x, y]) => [part(x / edited.width), part(y / edited.height)]);
  const strokes = [...gesture.before, { kind: gesture.brush, width: brushWidth, points }];
  if (sum(strokes.map(({ points }) => points.length)) > data.mostPoints) inform("There are too many strokes. Undo some.");
  else nudge(frame => ({ ...frame, strokes }));
}

/** Takes back the last stroke; false if there is none, or no brush. */
function undoStroke() {
  const strokes = framesOf(edited)[active]?.strokes || [];
  if (!brush || !strokes.length) return false;
  nudge(frame => ({ ...frame, strokes: strokes.length > 1 ? strokes.slice(0, -1) : undefined }));
  return true;
}

/** The strokes of a frame in a drawing, and the brush. */
function marksOfStrokes(frame, entry) {
  const side = Math.max(entry.width, entry.height);
  tip.setAttribute("r", brushWidth * side / 2);
  // The last point occurs twice, so that a dot is drawn, too.
  const lines = (frame.strokes || []).map(({ kind, width, points }) => draw("polyline", {
    class: `stroke ${kind}`, "stroke-width": width * side,
    points: [...points, points.at(-1)].map(([x, y]) => `${x * entry.width},${y * entry.height}`).join(" "),
  }));
  return brush ? [...lines, tip] : lines;
}

function drawBrush(frame) {
  $("cutout").hidden = !hasCutout(frame);
  stage.classList.toggle("brush", Boolean(brush));
  for (const kind of ["keep", "remove"]) $(`brush-${kind}`).setAttribute("aria-pressed", brush === kind);
  $("brush-width").value = 100 * brushWidth;
}

for (const kind of ["keep", "remove"]) $(`brush-${kind}`).addEventListener("click", () => takeBrush(kind));
$("brush-width").addEventListener("input", () => setBrushWidth($("brush-width").value / 100));
