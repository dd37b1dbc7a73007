// A page of `facecrop-server --review`: each correction is sent at once, and the server makes its outputs again.

const review = JSON.parse($("review").textContent);
const states = new Map(review.changes.map(({ index, state }) => [index, state]));
/** What the server has of an entry: its version, its frames if they were corrected, and the steps of its history. */
const stateOf = entry => states.get(entry.index) || { version: 0, undo: 0, redo: 0 };
/** The request or timer of an entry that is being saved. */
const sending = new Map();
/** The entries whose change the server has refused. */
const refused = new Set();
let sequence = review.sequence;
let isBusy = review.isBusy;
/** Whether outputs, or a newer report, wait until somebody asks for them. */
let isWaiting = review.isWaiting;
/** The reason why the last run of the batch failed. */
let runFault = review.fault;

const store = {
  isSaved: true,
  saveTitle: "Done",
  inputOf: entry => `/review/inputs/${entry.index}`,
  outputOf: (entry, index) => `/review/outputs/${entry.index}/${index}?v=${entry.outputs[index].sha256 || ""}`,
  thumbnailOf: (entry, index) => index === undefined ? `/review/thumbnails/${entry.index}`
    : `/review/thumbnails/${entry.index}/${index}?v=${entry.outputs[index]?.sha256 || ""}`,
  savedFrames: entry => stateOf(entry).frames?.map(({ crop, isRejected }) => ({ ...frameOf(crop, entry), isRejected })),
  previewOf: entry => changes.get(entry.index) || (stateOf(entry).isPending ? framesOf(entry) : null),
  noteOf: entry => stateOf(entry).fault || (!stateOf(entry).isPending ? "" : isWaiting ? "The outputs are still to be made." : "The outputs are being made."),
  hasPlan: entry => changes.has(entry.index) || (states.has(entry.index) ? Boolean(stateOf(entry).frames) : Boolean(entry.planned)),
  isCorrected: entry => store.hasPlan(entry),
  canSave: () => true,
  changed(entry) {
    refused.delete(entry.index);
    schedule(entry, 300);
  },
  canUndo: entry => changes.has(entry.index) || stateOf(entry).undo > 0,
  canRedo: entry => !changes.has(entry.index) && stateOf(entry).redo > 0,
  undo: entry => takeStep(entry, "undo"),
  redo: entry => takeStep(entry, "redo"),
  async afresh(entry) {
    // A step back from the old frame is the batch's own one.
    change(entry, framesOf(entry));
    await takeStep(entry, "undo");
  },
  async save() {
    await Promise.all([...changes.keys()].map(index => send(data.entries[index])));
    if (changes.size) return;
    const { status, body } = await post("/review/done", {});
    if (status !== 200) return tell(`The plans were not saved: ${body.message}`);
    $("next-text").textContent = `${number.format(body.count)} corrections are in ${body.plans}. `
      + (body.isBusy ? "The last outputs are being made." : workText())
      + " Later runs keep the corrections. This command applies them elsewhere, too:";
    $("command").textContent = body.command;
    $("next").hidden = false;
    $("next").focus();
  },
};

/** Tells it in the list, and in the editor, which covers the list. */
function tell(text) {
  for (const name of ["saved", "editor-saved"]) if ($(name).textContent !== text) $(name).textContent = text;
}

async function post(address, content) {
  try {
    const response = await fetch(address, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content),
    });
    return { status: response.status, body: await response.json() };
  } catch (error) {
    return { status: 0, body: { message: "the server does not respond" } };
  }
}

/** Sends an entry's change soon: a gesture makes many, and the last one counts. */
function schedule(entry, milliseconds) {
  store.isSaved = false;
  clearTimeout(sending.get(entry.index)?.timer);
  if (sending.get(entry.index)?.request) return;
  sending.set(entry.index, { timer: setTimeout(() => gesture ? schedule(entry, 300) : send(entry), milliseconds) });
}

/** Sends an entry's change; after an earlier one of the same entry. */
async function send(entry) {
  const earlier = sending.get(entry.index);
  clearTimeout(earlier?.timer);
  if (earlier?.request) await earlier.request;
  const frames = changes.get(entry.index);
  if (!frames) {
    // A step was not taken, or another tab's correction came first.
    sending.delete(entry.index);
    return finish(entry, true);
  }
  const request = post(`/review/entries/${entry.index}`, {
    start: review.start,
    version: stateOf(entry).version,
    frames: frames.map(frame => ({ crop: cropOf(frame, entry), isRejected: Boolean(frame.isRejected) })),
  });
  sending.set(entry.index, { request });
  tell("Saving …");
  await receive(entry, await request, frames);
}

async function receive(entry, { status, body }, frames) {
  sending.delete(entry.index);
  if (status === 200 || status === 409) {
    const isNewer = changes.get(entry.index) !== frames;
    if (status === 409 || !isNewer) changes.delete(entry.index);
    take(body);
    isBusy = true;
    isWaiting = false;
    if (status === 409) tell(`${entry.input} was corrected in another tab. This is its latest correction.`);
    else if (isNewer) schedule(entry, 300);
  } else {
    // A refused change stays in the page, as only the user can mend it, or undo it. A server that is away may return.
    if (status === 400) refused.add(entry.index);
    tell(`The correction of ${entry.input} was not saved: ${body.message}`);
    if (status === 0 || status === 429 || status >= 500) return schedule(entry, 3000);
  }
  finish(entry, status === 200);
}

function finish(entry, isTold = false) {
  store.isSaved = changes.size === 0;
  showChanges(entry);
  if (isTold) showWork();
}

/** One step back or forward in an entry's history. */
async function takeStep(entry, direction) {
  // A step names the version that the step or change before it gives.
  while (sending.get(entry.index)?.request) await sending.get(entry.index).request;
  if (direction === "undo" && refused.delete(entry.index)) {
    changes.delete(entry.index);
    return finish(entry, true);
  }
  if (changes.has(entry.index)) await send(entry);
  if (changes.has(entry.index) || !(direction === "undo" ? stateOf(entry).undo : stateOf(entry).redo)) return;
  const request = post(`/review/entries/${entry.index}/${direction}`, { start: review.start, version: stateOf(entry).version });
  sending.set(entry.index, { request });
  await receive(entry, await request, undefined);
}

/** Takes what the server has of an entry. */
function take({ index, state, entry: fresh }) {
  const entry = data.entries[index];
  if (!entry) return;
  states.set(index, state);
  if (fresh) {
    for (const name of Object.keys(entry)) delete entry[name];
    Object.assign(entry, fresh);
    describe(entry, index);
  }
  entry.frames = undefined;
}

/** What is known about the outputs of the corrections. */
function workText() {
  const pending = [...states.values()].filter(state => state.isPending && !state.fault).length;
  const faulty = [...states].filter(([, state]) => state.fault).map(([index]) => data.entries[index]).filter(Boolean);
  if (faulty.length) {
    const others = faulty.length - 1;
    return `All corrections are saved, but ${faulty[0].input} needs a look: ${stateOf(faulty[0]).fault}`
      + (others ? ` ${counted(others, "other image")} ${others === 1 ? "needs" : "need"} one, too.` : "");
  }
  if (runFault) return runFault;
  const outdated = data.entries.filter(isOutdated).length;
  if (outdated && !pending) {
    return `The corrections of ${counted(outdated, "image")} do not fit the file or the options, and the output was kept. `
      + "Use the old frame, edit it, or crop it afresh.";
  }
  if (isWaiting && pending) return `The outputs of ${counted(pending, "correction")} of an earlier session are still to be made.`;
  if (isWaiting) return "The report is older than the outputs.";
  return pending ? `Saved. The outputs of ${counted(pending, "image")} are being made.`
    : states.size ? "All corrections are saved, and their outputs are made." : "Corrections are saved at once.";
}

/** Runs the batch for what waits. Nothing is run before somebody asks: the folder may be from somebody else. */
const waiting = make("button", { type: "button", id: "make", hidden: true, textContent: "Make them now" });
$("saved").after(waiting);
waiting.addEventListener("click", async () => {
  const { status, body } = await post("/review/make", {});
  if (status !== 200) return tell(`The outputs were not made: ${body.message}`);
  [isBusy, isWaiting] = [true, false];
  tell("The batch is running …");
  waiting.hidden = true;
  poll();
});

function showWork() {
  tell(store.isSaved ? workText() : "Saving …");
  waiting.hidden = !isWaiting;
  waiting.textContent = ![...states.values()].some(state => state.isPending) ? "Update the report"
    : [...states.values()].some(state => state.fault) ? "Try again" : "Make them now";
}

/** Asks for what other tabs corrected, and for outputs that were made. */
async function poll() {
  clearTimeout(poll.timer);
  try {
    const response = await fetch(`/review/changes?after=${sequence}`);
    if (response.ok) {
      const news = await response.json();
      // Another start of the server counts anew.
      if (news.start !== review.start) return location.reload();
      sequence = news.sequence;
      const wasWaiting = isWaiting || isBusy;
      [isBusy, isWaiting, runFault] = [news.isBusy, news.isWaiting, news.fault];
      for (const changed of news.changes) {
        // The response to an entry's own change has its state.
        if (changes.has(changed.index) || sending.has(changed.index)) continue;
        take(changed);
        showChanges(data.entries[changed.index]);
      }
      if (news.changes.length || wasWaiting && store.isSaved && !sending.size) showWork();
    }
  } catch { /* The next poll asks again. */ }
  poll.timer = setTimeout(poll, isBusy ? 400 : 3000);
}

document.title = "facecrop review";
document.querySelector("h1").textContent = "facecrop review";
document.addEventListener("visibilitychange", () => document.hidden ? clearTimeout(poll.timer) : poll());
document.addEventListener("DOMContentLoaded", () => {
  showWork();
  poll();
});
