// What is changed in this page, and the plans file that it is saved to.

/** By the entry's index: its frames, of which some may be rejected. */
const changes = new Map();
let isSaved = true;

function framesOf(entry) {
  const changed = changes.get(entry.index);
  if (changed) return changed;
  entry.frames ||= (entry.crops || []).map(crop => frameOf(crop, entry));
  return entry.frames;
}

const isEditable = entry => Boolean(entry.width && (entry.crops || entry.middle));

/** Nil takes back what was changed of it. */
function change(entry, frames) {
  if (frames) changes.set(entry.index, frames);
  else changes.delete(entry.index);
  isSaved = changes.size === 0;
  showChanges(entry);
}

function reject(entry, which, isRejected) {
  change(entry, framesOf(entry).map((frame, index) =>
    which === null || which === index ? { ...frame, isRejected } : frame));
}

/** One JSON object a line, as `--plan-in` takes them: of what is changed here, and of what earlier plans have changed. */
function plansText() {
  const lines = [JSON.stringify({ format: "facecrop-plans", version: 1 })];
  for (const entry of data.entries) {
    if (!changes.has(entry.index) && !entry.planned) continue;
    const crops = framesOf(entry).filter(frame => !frame.isRejected).map(frame => cropOf(frame, entry));
    const plan = {
      version: 1, source: { width: entry.width, height: entry.height }, rotation: entry.rotation, detector: entry.detector,
      faces: entry.faces || [], possibleFace: entry.possibleFace, crops,
    };
    lines.push(JSON.stringify({
      input: entry.input, inputBase64: entry.inputBase64, location: entry.location,
      locationBase64: entry.locationBase64, bytes: entry.bytes, content: entry.content, plan,
    }));
  }
  return lines.join("\n") + "\n";
}

function save() {
  const address = URL.createObjectURL(new Blob([plansText()], { type: "application/x-ndjson" }));
  make("a", { href: address, download: data.plans }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  isSaved = true;
  showChanges(null);
  const rejects = [...changes.values()].some(frames => frames.some(frame => frame.isRejected));
  $("command").textContent = data.command + (rejects && !data.prunes ? " --prune" : "");
  $("next").hidden = false;
}

window.addEventListener("beforeunload", event => {
  if (!isSaved) event.preventDefault();
});
