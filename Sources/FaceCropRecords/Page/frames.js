// What an output shows of its picture, in the picture's pixels: a rectangle by its middle and sides, turned about its middle by
// degrees, clockwise as seen. `crop` is what a plan says of its rectangles, until they are changed.

/** The frame of a plan's crop. */
function frameOf(crop, entry) {
  const rect = crop.turn ? crop.turn.rect : crop.frame || crop.region;
  const [width, height] = [rect.width * entry.width, rect.height * entry.height];
  return {
    x: rect.x * entry.width + width / 2, y: rect.y * entry.height + height / 2, width, height,
    degrees: crop.turn ? crop.turn.degrees : 0, faces: crop.faces, number: crop.number, background: crop.background,
    strokes: crop.strokes, template: crop.template, aspect: (!crop.template && data.aspect) || width / height, crop,
  };
}

/** The sides of the smallest upright rectangle around a turned one. */
function bounds({ width, height, degrees }) {
  const angle = degrees * Math.PI / 180;
  const [cosine, sine] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))];
  return { width: cosine * width + sine * height, height: sine * width + cosine * height };
}

const clamped = (value, low, high) => Math.min(Math.max(value, low), Math.max(high, low));

/** The frame with the shape that is asked for, in whole pixels, and inside the picture unless it may reach out. */
function fitted(frame, entry) {
  let height = Math.max(frame.height, Math.min(16, entry.height));
  const outer = bounds({ width: height * frame.aspect, height, degrees: frame.degrees });
  // A plan's frames are at most 20 times as wide and high as the picture.
  const reachesOut = data.reachesOut || Boolean(frame.template);
  const room = reachesOut ? 20 : 1;
  height *= Math.min(1, room * entry.width / outer.width, room * entry.height / outer.height);
  // A template has the exact shape of its outputs.
  const whole = side => frame.template ? side : Math.max(Math.round(side), 1);
  const made = { ...frame, width: whole(height * frame.aspect), height: whole(height), crop: null, level: null };
  if (!reachesOut && !frame.degrees) {
    made.width = Math.min(made.width, entry.width);
    made.height = Math.min(made.height, entry.height);
  }
  const { width: boundWidth, height: boundHeight } = bounds(made);
  const place = (middle, side, length, bound) => {
    let at = reachesOut ? clamped(middle, 1 - bound / 2, length - 1 + bound / 2)
      : clamped(middle, Math.min(bound, length) / 2, length - Math.min(bound, length) / 2);
    if (!frame.degrees && !frame.template) at = Math.round(at - side / 2) + side / 2;
    return at;
  };
  made.x = place(frame.x, made.width, entry.width, boundWidth);
  made.y = place(frame.y, made.height, entry.height, boundHeight);
  made.faces = facesIn(made, entry);
  return made;
}

/** A point of the picture along the frame's own axes, from its middle. */
function inFrame(frame, x, y) {
  const angle = frame.degrees * Math.PI / 180;
  const [dx, dy] = [x - frame.x, y - frame.y];
  return { x: Math.cos(angle) * dx + Math.sin(angle) * dy, y: -Math.sin(angle) * dx + Math.cos(angle) * dy };
}

/** A point along the frame's own axes, from its middle, in the picture. */
function onPicture(frame, x, y) {
  const angle = frame.degrees * Math.PI / 180;
  return [frame.x + Math.cos(angle) * x - Math.sin(angle) * y, frame.y + Math.sin(angle) * x + Math.cos(angle) * y];
}

function holds(frame, x, y) {
  const point = inFrame(frame, x, y);
  return Math.abs(point.x) <= frame.width / 2 && Math.abs(point.y) <= frame.height / 2;
}

/** A face's box, by its middle and sides like a frame. */
function boxOf(face, entry) {
  const [width, height] = [face.width * entry.width, face.height * entry.height];
  return { x: face.x * entry.width + width / 2, y: face.y * entry.height + height / 2, width, height, degrees: 0 };
}

/** A frame or a box in a drawing. */
const outline = (kind, { x, y, width, height, degrees }) => draw("rect", {
  class: kind, x: x - width / 2, y: y - height / 2, width, height, transform: `rotate(${degrees} ${x} ${y})`,
});

/** A face in a drawing: its box, and the outline of its head where one was found. */
function marksOf(face, entry, kind = "face") {
  const box = boxOf(face, entry);
  const head = face.head?.outline || [];
  const points = head.map(([x, y]) => `${x * entry.width},${y * entry.height}`).join(" ");
  return [outline("under", box), outline(kind, box), ...(head.length < 3 ? [] : [draw("polygon", { class: "head", points })])];
}

/** Those whom the frame was for, as far as it holds them; else all whom it holds. */
function facesIn(frame, entry) {
  const held = (entry.faces || []).map(face => boxOf(face, entry))
    .flatMap(({ x, y }, index) => holds(frame, x, y) ? [index] : []);
  const still = frame.faces.filter(index => held.includes(index));
  return still.length ? still : held;
}

const moved = (frame, dx, dy, entry) => fitted({ ...frame, x: frame.x + dx, y: frame.y + dy }, entry);

/** Scaled about its middle. */
const scaled = (frame, factor, entry) => fitted({ ...frame, height: frame.height * factor }, entry);

/** Rotated about its middle by an angle in degrees, clockwise. Where it does not fit the image, it is smaller, until it fits again. */
function rotated(frame, degrees, entry) {
  const level = frame.level || { x: frame.x, y: frame.y, height: frame.height };
  return { ...fitted({ ...frame, ...level, degrees: ((degrees + 180) % 360 + 360) % 360 - 180 }, entry), level };
}

/** With one corner, named by its signs along the frame's axes, drawn to a point; the opposite one stays. */
function stretched(frame, corner, x, y, entry) {
  const point = inFrame(frame, x, y);
  const [wide, high] = [frame.width / 2 + corner[0] * point.x, frame.height / 2 + corner[1] * point.y];
  const height = Math.max((wide / frame.aspect + high) / 2, 1);
  const [left, top] = onPicture(
    frame, corner[0] * (height * frame.aspect - frame.width) / 2, corner[1] * (height - frame.height) / 2);
  return fitted({ ...frame, height, x: left, y: top }, entry);
}

/** What a plan says of a frame. */
function cropOf(frame, entry) {
  const { number, background, strokes } = frame;
  if (frame.crop) return { ...frame.crop, number, background, strokes };
  const part = (left, top, right, bottom) => ({
    x: left / entry.width, y: top / entry.height, width: (right - left) / entry.width, height: (bottom - top) / entry.height,
  });
  const { width, height } = bounds(frame);
  const isTurned = Boolean(frame.degrees || frame.template);
  const [outward, inward] = isTurned ? [Math.floor, Math.ceil] : [Math.round, Math.round];
  // The pixels around it that interpolation and the border of a template need.
  const margin = frame.template ? Math.max(frame.width / 10, 16) : 0;
  const held = [outward(frame.x - width / 2 - margin), outward(frame.y - height / 2 - margin),
    inward(frame.x + width / 2 + margin), inward(frame.y + height / 2 + margin)];
  const seen = [Math.max(held[0], 0), Math.max(held[1], 0), Math.min(held[2], entry.width), Math.min(held[3], entry.height)];
  const crop = { region: part(...seen), faces: frame.faces, number, background, strokes, template: frame.template };
  if ((data.reachesOut || frame.template) && held.some((side, index) => side !== seen[index])) crop.frame = part(...held);
  if (isTurned) {
    const rect = part(frame.x - frame.width / 2, frame.y - frame.height / 2, frame.x + frame.width / 2, frame.y + frame.height / 2);
    crop.turn = { degrees: frame.degrees, rect };
  }
  return crop;
}

/** What the output will show: the picture behind a window of the frame's shape, whose longer side is given in CSS pixels. */
function windowOf(frame, entry, source, side) {
  const scale = side / Math.max(frame.width, frame.height);
  const image = make("img", { alt: "", src: source, draggable: false });
  image.style.width = `${entry.width * scale}px`;
  image.style.height = `${entry.height * scale}px`;
  image.style.transform = `translate(${frame.width * scale / 2}px, ${frame.height * scale / 2}px) rotate(${-frame.degrees}deg) `
    + `translate(${-frame.x * scale}px, ${-frame.y * scale}px)`;
  const view = make("div", { className: "window" + (data.circle ? " circle" : "") }, image);
  view.style.width = `${frame.width * scale}px`;
  view.style.height = `${frame.height * scale}px`;
  return view;
}
