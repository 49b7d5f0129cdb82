// SPDX-License-Identifier: GPL-3.0-or-later
// The player of the report: the motions of all solvers on a canvas. player.py writes the data and
// describes their encoding. This file needs figures.js before it.
(() => {
"use strict";

const SLIDES = "1", STICKS = "2";  // kinds of contacts; others push
const HALF = 32767, GAP = -32768, UNKNOWN = 255;
const TILT = {yaw: 0.5, pitch: 0.35};  // initial view of a deep scene [rad]
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
const INK = "#1c1c1c", SOFT = "#5a5a5a", STILL = "#8c8c8c", GHOST = "#c9c9c9";
const FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";
// The colour map, from light to dark, so that it can be read in grey and by the colour-blind: viridis
// without its yellow, which is too pale on white.
const MAP = [[143, 215, 68], [53, 183, 121], [33, 145, 140], [49, 104, 142], [68, 57, 131], [68, 1, 84]];
// Number of corners and angle of the first [turns] of gnuplot's filled point types.
const SYMBOLS = {5: [4, 1 / 8], 7: [0, 0], 9: [3, 1 / 4], 11: [3, 3 / 4], 13: [4, 1 / 4], 15: [5, 1 / 4]};

// ---- Data ----

async function unpack(text) {
  return (await inflated(text)).arrayBuffer();
}

// Sums the differences between rows; a typed array overflows in the same way as the writer's.
function addUp(codes, rows) {
  const width = codes.length / rows;
  for (let i = width; i < codes.length; i++) codes[i] += codes[i - width];
  return codes;
}

async function positions(text, rows, data) {
  const codes = addUp(new Int16Array(await unpack(text)), rows);
  const {axes, low, high} = data, count = codes.length / axes.length;
  const places = new Float64Array(3 * count);
  for (let i = 0; i < count; i++) {
    for (let a = 0; a < 3; a++) places[3 * i + a] = low[a];
    axes.forEach((axis, k) => {
      const code = codes[axes.length * i + k];
      const share = (code + HALF) / (2 * HALF);
      places[3 * i + axis] = code === GAP ? NaN : low[axis] + share * (high[axis] - low[axis]);
    });
  }
  return places;
}

async function decodeMotion(coded, data) {
  const frames = coded.time.length, motion = {time: coded.time, ropes: coded.ropes || []};
  if (coded.points) {
    motion.points = await positions(coded.points, frames, data);
    motion.tension = addUp(new Uint8Array(await unpack(coded.tension)), frames);
  }
  if (coded.drawn) {
    motion.drawnRopes = coded.drawnRopes.map((points) => ({points, closed: false}));
    motion.drawn = await positions(coded.drawn, frames, data);
  }
  if (coded.centres) motion.centres = await positions(coded.centres, frames, data);
  if (coded.rotations) {
    motion.rotations = Float64Array.from(addUp(new Int16Array(await unpack(coded.rotations)), frames));
  }
  motion.breaks = new Set(coded.breaks || []);
  if (coded.contacts) {
    const all = coded.contactCounts.reduce((sum, n) => sum + n, 0);
    motion.contacts = await positions(coded.contacts, all, data);
    motion.contactKinds = coded.contactKinds || "0".repeat(all);
    motion.firstContact = [0];
    coded.contactCounts.forEach((n, i) => motion.firstContact.push(motion.firstContact[i] + n));
  }
  return motion;
}

async function decode(data) {
  const runs = [];
  for (const run of data.runs) {
    runs.push({...run, shown: true, motion: await decodeMotion(run, data)});
  }
  return {...data, runs, exact: data.exact && await decodeMotion(data.exact, data)};
}

// ---- Interpolation in time ----

// Returns the recorded frames around a time: frame `before`, the next, and the share between them.
function moment(time, t) {
  const last = time.length - 1;
  if (t >= time[last]) return {before: last, after: last, share: 0, nearest: last};
  let low = 0, high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle] <= t) low = middle; else high = middle;
  }
  const share = Math.max(0, (t - time[low]) / (time[high] - time[low]));
  return {before: low, after: high, share, nearest: share > 0.5 ? high : low};
}

// Interpolates linearly between two frames.
function between(values, frames, at) {
  if (!values) return null;
  const width = values.length / frames;
  const a = values.subarray(at.before * width, (at.before + 1) * width);
  if (at.share === 0) return a;
  const b = values.subarray(at.after * width, (at.after + 1) * width);
  return a.map((value, i) => value + at.share * (b[i] - value));
}

// Interpolates quaternions, of which q and -q are the same rotation.
function turned(values, frames, at) {
  if (!values) return null;
  const width = values.length / frames;
  const result = values.slice(at.before * width, (at.before + 1) * width);
  const next = values.subarray(at.after * width, (at.after + 1) * width);
  for (let q = 0; q < width; q += 4) {
    let dot = 0;
    for (let k = q; k < q + 4; k++) dot += result[k] * next[k];
    let length = 0;
    for (let k = q; k < q + 4; k++) {
      result[k] += at.share * ((dot < 0 ? -next[k] : next[k]) - result[k]);
      length += result[k] ** 2;
    }
    for (let k = q; k < q + 4; k++) result[k] /= Math.sqrt(length) || 1;
  }
  return result;
}

function pose(motion, t) {
  const frames = motion.time.length, at = moment(motion.time, t);
  const contacts = motion.contacts && motion.contacts.subarray(
    3 * motion.firstContact[at.nearest], 3 * motion.firstContact[at.nearest + 1]);
  const kinds = contacts && motion.contactKinds.slice(
    motion.firstContact[at.nearest], motion.firstContact[at.nearest + 1]);
  const elements = motion.tension ? motion.tension.length / frames : 0;
  // A rope that reaches or leaves a body between two frames is drawn as in the nearest of them.
  const ropesAt = motion.breaks.has(at.before) ? {before: at.nearest, share: 0} : at;
  return {
    points: between(motion.points, frames, ropesAt), drawn: between(motion.drawn, frames, at),
    centres: between(motion.centres, frames, at), rotations: turned(motion.rotations, frames, at),
    tension: motion.tension && motion.tension.subarray(at.nearest * elements, (at.nearest + 1) * elements),
    contacts, kinds, over: t > motion.time[frames - 1] + 1e-9,
  };
}

function rotate(q, p) {
  const [x, y, z, w] = q;
  const a = 2 * (y * p[2] - z * p[1]), b = 2 * (z * p[0] - x * p[2]), c = 2 * (x * p[1] - y * p[0]);
  return [p[0] + w * a + y * c - z * b, p[1] + w * b + z * a - x * c, p[2] + w * c + x * b - y * a];
}

// ---- The camera: a parallel projection, so that lengths can be compared ----

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const blend = (a, s, b, t) => [0, 1, 2].map((k) => a[k] * s + b[k] * t);

class Camera {
  constructor(data) {
    const axis = (k) => [0, 1, 2].map((i) => Number(i === k));
    const right = axis(data.across), up = axis(data.up);
    this.home = {right, up, toward: [
      right[1] * up[2] - right[2] * up[1], right[2] * up[0] - right[0] * up[2],
      right[0] * up[1] - right[1] * up[0]]};
    [this.low, this.high] = data.window;
    this.middle = blend(this.low, 0.5, this.high, 0.5);
    this.start = data.tilted ? TILT : {yaw: 0, pitch: 0};
    this.reset();
    this.size = {x: this.extent(this.right), y: this.extent(this.up)};
  }

  extent(direction) {
    const sizes = blend(this.high, 1, this.low, -1);
    return Math.max(dot(sizes, direction.map(Math.abs)), 0.05 * Math.max(...sizes, 1e-3));
  }

  reset() {
    Object.assign(this, {...this.start, zoom: 1, shift: [0, 0]});
    this.turn(0, 0);
  }

  turn(yaw, pitch) {
    this.yaw += yaw;
    this.pitch = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, this.pitch + pitch));
    const {right, up, toward} = this.home;
    const [c, s] = [Math.cos(this.yaw), Math.sin(this.yaw)];
    const [d, e] = [Math.cos(this.pitch), Math.sin(this.pitch)];
    const level = blend(toward, c, right, s);
    this.right = blend(right, c, toward, -s);
    this.up = blend(up, d, level, -e);
  }

  magnify(factor) {
    this.zoom = Math.max(0.1, Math.min(100, this.zoom * factor));
  }

  fit(width, height) {
    const border = Math.min(44, 0.1 * width);
    this.place = [width / 2, height / 2];
    this.fitted = Math.min((width - 2 * border) / this.size.x, (height - 2 * border) / this.size.y);
  }

  get scale() { return this.fitted * this.zoom; }

  flat(p) {
    const away = blend(p, 1, this.middle, -1);
    return [this.place[0] + this.shift[0] + this.scale * dot(away, this.right),
            this.place[1] + this.shift[1] - this.scale * dot(away, this.up)];
  }
}

// ---- Drawing ----

function shade(share) {
  const place = Math.max(0, Math.min(1, share)) * (MAP.length - 1);
  const k = Math.min(Math.floor(place), MAP.length - 2), part = place - k;
  return `rgb(${MAP[k].map((c, i) => Math.round(c + part * (MAP[k + 1][i] - c))).join()})`;
}

function paler(colour) {
  return "#" + [1, 3, 5].map((k) => ((parseInt(colour.slice(k, k + 2), 16) + 255) >> 1)
    .toString(16).padStart(2, "0")).join("");
}

function trace(ctx, points) {
  let pen = false;
  ctx.beginPath();
  for (const [x, y] of points) {
    if (!Number.isFinite(x + y)) pen = false;
    else if (pen) ctx.lineTo(x, y);
    else { ctx.moveTo(x, y); pen = true; }
  }
}

// Returns the outline of a convex part: the convex hull of its projected points (Andrew 1979).
function outline(points) {
  const sorted = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  const chain = (ordered) => {
    const kept = [];
    for (const [x, y] of ordered) {
      for (;;) {
        const [[ax, ay], [bx, by]] = [kept.at(-2) || [], kept.at(-1) || []];
        if (kept.length < 2 || (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0) break;
        kept.pop();
      }
      kept.push([x, y]);
    }
    return kept.slice(0, -1);
  };
  return [...chain(sorted), ...chain(sorted.reverse())];
}

// Fills a body transparently, so that ropes behind it stay visible; the bodies of several runs
// together are as dark as one.
function fillPale(ctx, points, colour, share) {
  trace(ctx, points);
  const alpha = ctx.globalAlpha;
  Object.assign(ctx, {fillStyle: colour, globalAlpha: 0.16 * share * alpha});
  ctx.fill();
  ctx.globalAlpha = alpha;
}

// Draws a rope with its real thickness.
function band(ctx, points, colour, width, share) {
  const alpha = ctx.globalAlpha;
  ctx.globalAlpha = 0.3 * share * alpha;
  line(ctx, points, colour, width);
  ctx.globalAlpha = alpha;
}

function line(ctx, points, colour, width, dash = []) {
  trace(ctx, points);
  ctx.setLineDash(dash);
  Object.assign(ctx, {strokeStyle: colour, lineWidth: width, lineDashOffset: 0});
  ctx.stroke();
}

// Draws every element in the colour of its tension; dashes continue from one to the next.
function shadedLine(ctx, points, tension, width, dash) {
  ctx.setLineDash(dash);
  let way = 0;
  for (let i = 0; i + 1 < points.length; i++) {
    const code = tension[points.elements ? points.elements[i] : Math.min(i, tension.length - 1)];
    trace(ctx, [points[i], points[i + 1]]);
    Object.assign(ctx, {strokeStyle: code === UNKNOWN ? STILL : shade(code / (UNKNOWN - 1)),
                        lineWidth: width, lineDashOffset: way});
    ctx.stroke();
    way += Math.hypot(points[i + 1][0] - points[i][0], points[i + 1][1] - points[i][1]) || 0;
  }
}

function symbol(ctx, [x, y], kind, colour, radius = 4.5) {
  if (!Number.isFinite(x + y)) return;
  const [corners, first] = SYMBOLS[kind];
  ctx.beginPath();
  if (corners === 0) ctx.arc(x, y, radius, 0, 2 * Math.PI);
  for (let k = 0; k < corners; k++) {
    const angle = 2 * Math.PI * (first + k / corners);
    ctx.lineTo(x + 1.2 * radius * Math.cos(angle), y - 1.2 * radius * Math.sin(angle));
  }
  ctx.closePath();
  ctx.setLineDash([]);
  Object.assign(ctx, {fillStyle: colour, strokeStyle: "#fff", lineWidth: 1});
  ctx.fill();
  ctx.stroke();
}

// Joins the elements of a rope that can part, two points each, into a line with gaps, and returns
// the element of each piece of the line, too.
function join(ends) {
  const points = [], elements = [];
  for (let i = 0; i < ends.length; i += 2) {
    const last = points[points.length - 1], start = ends[i];
    if (!last || last[0] !== start[0] || last[1] !== start[1]) {
      if (last) { // from the last piece to the gap, and on to this one
        points.push([NaN, NaN]);
        elements.push(i / 2, i / 2);
      }
      points.push(start);
    }
    points.push(ends[i + 1]);
    elements.push(i / 2);
  }
  points.elements = elements;
  return points;
}

// Splits the points of all ropes by rope.
function split(places, ropes, camera) {
  let start = 0;
  return ropes.map((rope) => {
    const points = [];
    for (let i = start; i < start + rope.points; i++) {
      points.push(camera.flat(places.subarray(3 * i, 3 * i + 3)));
    }
    start += rope.points;
    if (rope.parts) return join(points);
    if (rope.closed) points.push(points[0]);
    return points;
  });
}

// Returns the point at a share of a line's length.
function along(points, share) {
  const steps = points.map((p, i) => i ? Math.hypot(p[0] - points[i - 1][0], p[1] - points[i - 1][1]) || 0 : 0);
  let left = share * steps.reduce((sum, s) => sum + s, 0);
  for (let i = 1; i < points.length; i++) {
    if (left <= steps[i] && steps[i] > 0) {
      const part = left / steps[i];
      return [0, 1].map((k) => points[i - 1][k] + part * (points[i][k] - points[i - 1][k]));
    }
    left -= steps[i];
  }
  return points[points.length - 1];
}

// Returns the projected outline of a ball that is moved from a to b.
function roundOutline(camera, a, b, radius) {
  const [p, q] = [camera.flat(a), camera.flat(b)], size = radius * camera.scale;
  const heading = Math.atan2(q[1] - p[1], q[0] - p[0]), points = [];
  for (let k = 0; k <= 48; k++) {
    const angle = heading + Math.PI / 2 + 2 * Math.PI * k / 48;
    const centre = k < 24 ? p : q;
    points.push([centre[0] + size * Math.cos(angle), centre[1] + size * Math.sin(angle)]);
    if (k === 24) points.splice(-1, 0, [p[0] + size * Math.cos(angle), p[1] + size * Math.sin(angle)]);
  }
  points.push(points[0]);
  return points;
}

class Picture {
  constructor(canvas, scene, camera, choice) {
    Object.assign(this, {canvas, scene, camera, choice, ctx: canvas.getContext("2d")});
  }

  get width() { return this.canvas.clientWidth; }
  get height() { return this.canvas.clientHeight; }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(this.width * ratio));
    this.canvas.height = Math.max(1, Math.round(this.height * ratio));
    this.ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.camera.fit(this.width, this.height);
  }

  draw(t) {
    const {ctx, scene} = this;
    Object.assign(ctx, {fillStyle: "#fff", globalAlpha: 1, lineJoin: "round", lineCap: "butt"});
    ctx.fillRect(0, 0, this.width, this.height);
    const shown = scene.runs.filter((run) => run.shown);
    const poses = shown.map((run) => pose(run.motion, t));
    this.drawStill(poses[0] || pose(scene.runs[0].motion, t));
    if (scene.exact && this.choice.exact) this.drawGhost(pose(scene.exact, t));
    this.faded(shown, poses, (run, now) => this.drawBodies(run, now));
    this.faded(shown, poses, (run, now) => this.drawRopes(run, now));
    this.faded(shown, poses, (run, now) => this.drawSymbols(run, now, scene.runs.indexOf(run)));
    if (this.choice.contacts) this.faded(shown, poses, (run, now) => this.drawContacts(run, now));
    this.drawFrame(t);
  }

  // Draws runs that have ended pale.
  faded(runs, poses, draw) {
    runs.forEach((run, i) => {
      this.ctx.globalAlpha = poses[i].over && run.ending ? 0.35 : 1;
      draw(run, poses[i]);
    });
    this.ctx.globalAlpha = 1;
  }

  bodyLines(body, centre, q) {
    const place = (p) => blend(rotate(q, p), 1, centre, 1);
    const lines = body.lines.map((coordinates) => {
      const points = [];
      for (let i = 0; i < coordinates.length; i += 3) {
        points.push(this.camera.flat(place(coordinates.slice(i, i + 3))));
      }
      return points;
    });
    const rounds = body.rounds.map(({a, b, radius}) => roundOutline(this.camera, place(a), place(b), radius));
    return {lines, rounds};
  }

  drawBody(body, now, index, colour, dash, width, share = 1) {
    const centre = now.centres && Array.from(now.centres.subarray(3 * index, 3 * index + 3));
    if (!centre || centre.length < 3 || !centre.every(Number.isFinite)) return;
    const q = now.rotations ? Array.from(now.rotations.subarray(4 * index, 4 * index + 4)) : [0, 0, 0, 1];
    const {lines, rounds} = this.bodyLines(body, centre, q);
    for (const [first, count] of body.solids) {
      fillPale(this.ctx, outline(lines.slice(first, first + count).flat()), colour, share);
    }
    for (const points of lines) line(this.ctx, points, colour, rounds.length ? 0.7 * width : width, dash);
    for (const points of rounds) line(this.ctx, points, colour, width, dash);
  }

  drawStill(now) {
    this.scene.bodies.forEach((body, i) => {
      if (body.fixed) this.drawBody(body, now, i, STILL, [], 1.4);
    });
  }

  drawGhost(now) {
    if (now.points) {
      for (const points of split(now.points, this.scene.exact.ropes, this.camera)) {
        line(this.ctx, points, GHOST, 11);
      }
    }
    this.scene.bodies.forEach((body, i) => {
      if (body.fixed || !now.centres) return;
      this.drawBody(body, now, i, GHOST, [], 6);
      if (body.lines.length === 0) {
        const [x, y] = this.camera.flat(now.centres.subarray(3 * i, 3 * i + 3));
        this.ctx.beginPath();
        this.ctx.arc(x, y, 11, 0, 2 * Math.PI);
        this.ctx.fillStyle = GHOST;
        if (Number.isFinite(x + y)) this.ctx.fill();
      }
    });
  }

  drawBodies(run, now) {
    const share = 1 / this.scene.runs.filter((other) => other.shown).length;
    this.scene.bodies.forEach((body, i) => {
      if (!body.fixed) this.drawBody(body, now, i, run.colour, run.dash, 1.4, share);
    });
  }

  drawRopes(run, now) {
    const share = 1 / this.scene.runs.filter((other) => other.shown).length;
    if (now.points) {
      const ropes = split(now.points, run.motion.ropes, this.camera);
      let element = 0;
      ropes.forEach((points, r) => {
        const count = run.motion.ropes[r].elements;
        const {radius} = run.motion.ropes[r];
        if (radius) band(this.ctx, points, run.colour, 2 * radius * this.camera.scale, share);
        const tension = now.tension.subarray(element, element + count);
        element += count;
        if (this.choice.tension) shadedLine(this.ctx, points, tension, run.width + 1, run.dash);
        else line(this.ctx, points, now.drawn ? paler(run.colour) : run.colour, run.width, run.dash);
      });
    }
    if (now.drawn) {
      for (const points of split(now.drawn, run.motion.drawnRopes, this.camera)) {
        line(this.ctx, points, run.colour, 1.6);
      }
    }
  }

  // Returns the size of symbols, which are smaller where many would hide everything else.
  symbolSize(run) {
    const crowd = Math.max(run.motion.ropes.length, this.scene.bodies.length);
    return Math.min(1, Math.max(0.35, this.camera.zoom * Math.hypot(this.width, this.height) / crowd / 30));
  }

  // Draws symbols along the ropes, at different places for each solver, and on bodies without a shape.
  drawSymbols(run, now, index) {
    const size = this.symbolSize(run);
    const each = run.motion.ropes.length > 4 ? 1 : 3, count = this.scene.runs.length;
    if (now.points) {
      for (const points of split(now.points, run.motion.ropes, this.camera)) {
        for (let k = 0; k < each; k++) {
          symbol(this.ctx, along(points, (k + (index + 0.5) / count) / each), run.symbol, run.colour, 4 * size);
        }
      }
    }
    this.scene.bodies.forEach((body, i) => {
      if (body.fixed || body.lines.length || !now.centres) return;
      symbol(this.ctx, this.camera.flat(now.centres.subarray(3 * i, 3 * i + 3)), run.symbol, run.colour, 6 * size);
    });
  }

  // Returns the size of rings and squares, which grow with the picture and, up to twice, with the zoom.
  ringSize(run) {
    const zoom = Math.min(2, Math.max(1, Math.sqrt(this.camera.zoom)));
    return this.symbolSize(run) * zoom * Math.max(1, Math.hypot(this.width, this.height) / 600);
  }

  drawContacts(run, now) {
    const dots = this.symbolSize(run), rings = this.ringSize(run);
    for (let i = 0; now.contacts && i < now.contacts.length; i += 3) {
      const [x, y] = this.camera.flat(now.contacts.subarray(i, i + 3));
      if (!Number.isFinite(x + y)) continue;
      const kind = now.kinds[i / 3];
      const size = kind === STICKS || kind === SLIDES ? rings : dots;
      this.ctx.beginPath();
      if (kind === STICKS) this.ctx.rect(x - 3.5 * size, y - 3.5 * size, 7 * size, 7 * size);
      else this.ctx.arc(x, y, (kind === SLIDES ? 3.4 : 2.6) * size, 0, 2 * Math.PI);
      Object.assign(this.ctx, {fillStyle: kind === SLIDES ? "#fff" : INK, lineWidth: 0.9 + 0.3 * size,
                               strokeStyle: kind === SLIDES ? INK : run.colour});
      this.ctx.setLineDash([]);
      this.ctx.fill();
      this.ctx.stroke();
    }
  }

  // ---- Axes and legends ----

  text(words, x, y, align = "left", colour = SOFT) {
    Object.assign(this.ctx, {fillStyle: colour, textAlign: align, font: `12px ${FONT}`, textBaseline: "alphabetic"});
    this.ctx.fillText(words, x, y);
  }

  drawFrame(t) {
    this.text(`t = ${t.toFixed(this.scene.digits)} s`, 10, 20, "left", INK);
    this.drawRuler();
    this.drawAxes();
    if (this.choice.tension) this.drawColourBar();
  }

  drawRuler() {
    const wanted = 90 / this.camera.scale, power = 10 ** Math.floor(Math.log10(wanted));
    const length = power * [5, 2, 1].find((factor) => factor * power <= wanted);
    const y = this.height - 12, end = 10 + length * this.camera.scale;
    line(this.ctx, [[10, y - 4], [10, y], [end, y], [end, y - 4]], SOFT, 1.2);
    this.text(`${Number(length.toPrecision(1))} m`, end + 6, y + 2);
  }

  drawAxes() {
    const centre = [this.width - 34, this.height - 34];
    ["x", "y", "z"].forEach((name, k) => {
      const [x, y] = [this.camera.right[k], -this.camera.up[k]];
      if (Math.hypot(x, y) < 0.15) return;
      line(this.ctx, [centre, [centre[0] + 18 * x, centre[1] + 18 * y]], SOFT, 1.2);
      this.text(name, centre[0] + 26 * x, centre[1] + 26 * y + 4, "center");
    });
  }

  drawColourBar() {
    const wide = Math.min(160, 0.4 * this.width), left = this.width - wide - 14, top = 12;
    this.ctx.fillStyle = "rgba(255, 255, 255, 0.8)"; // keeps its numbers readable
    this.ctx.fillRect(left - 12, 0, wide + 26, top + 28);
    for (let k = 0; k < wide; k++) {
      this.ctx.fillStyle = shade(k / wide);
      this.ctx.fillRect(left + k, top, 1.5, 9);
    }
    this.text("0", left, top + 22, "center");
    this.text(`${number(this.scene.tensionLimit / 2)}`, left + wide / 2, top + 22, "center");
    this.text(`≥ ${number(this.scene.tensionLimit)} N`, left + wide + 10, top + 22, "right");
  }
}

const number = (value) => String(Number(value.toPrecision(3))).replace("-", "−");

// ---- Controls ----

function element(name, attributes = {}, text = "") {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

function checkbox(words, checked, changed) {
  const label = element("label"), box = element("input", {type: "checkbox"});
  box.checked = checked;
  box.addEventListener("change", () => changed(box.checked));
  label.append(box, ` ${words}`);
  return label;
}

function choices(words, options, chosen, changed) {
  const label = element("label", {}, `${words} `), select = element("select");
  for (const [value, text] of options) select.append(element("option", {value}, text));
  select.value = chosen;
  select.addEventListener("change", () => changed(select.value));
  label.append(select);
  return {label, select};
}

class Player {
  constructor(figure, scene) {
    Object.assign(this, {figure, scene, time: 0, playing: false, speed: 1, before: 0});
    this.calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.loop = !this.calm;
    this.choice = {tension: false, contacts: true, exact: true};
    this.times = [...scene.runs].sort((a, b) => b.motion.time.at(-1) - a.motion.time.at(-1))[0].motion.time;
    this.end = this.times.at(-1);
    scene.digits = Math.max(0, Math.min(5, 2 - Math.floor(Math.log10(this.end || 1))));
    this.camera = new Camera(scene);
    this.build();
    this.listen();
  }

  // ---- Elements ----

  build() {
    this.canvas = element("canvas", {tabindex: 0, role: "application", "aria-label":
      `${this.scene.title}: the motion of all solvers. Space plays, the arrow keys left and right go from frame to frame.`});
    const {x, y} = this.camera.size;
    this.canvas.style.aspectRatio = String(1 / Math.max(0.42, Math.min(0.95, y / x)));
    this.picture = new Picture(this.canvas, this.scene, this.camera, this.choice);
    const stage = this.figure.querySelector(".stage");
    stage.replaceChildren(this.canvas, this.buildBar(), this.buildLegend(), this.buildChoices());
  }

  buildBar() {
    const bar = element("div", {class: "bar"});
    this.button = element("button", {type: "button"});
    this.button.addEventListener("click", () => this.play(!this.playing));
    this.slider = element("input", {type: "range", min: 0, max: this.times.length - 1, step: 1, value: 0, "aria-label": "time"});
    this.slider.addEventListener("input", () => this.pauseAt(Number(this.slider.value)));
    this.clock = element("output", {"aria-live": "off"});
    bar.append(this.button, this.slider, this.clock);
    return bar;
  }

  buildChoices() {
    const row = element("div", {class: "choices"});
    const speed = choices("Speed", SPEEDS.map((s) => [s, `${s} ×`]), "1", (value) => { this.speed = Number(value); });
    this.speedSelect = speed.select;
    row.append(speed.label, checkbox("loop", this.loop, (on) => { this.loop = on; }));
    if (this.scene.tensionLimit > 0) {
      row.append(choices("Colour", [["solver", "solver"], ["tension", "tension"]], "solver",
                         (value) => this.choose("tension", value === "tension")).label);
    }
    if (this.scene.runs.some((run) => run.motion.contacts)) {
      row.append(checkbox("contacts", true, (on) => this.choose("contacts", on)));
    }
    if (this.scene.exact) row.append(checkbox("closed form (grey)", true, (on) => this.choose("exact", on)));
    const reset = element("button", {type: "button"}, "Reset view");
    reset.addEventListener("click", () => this.resetView());
    row.append(reset);
    return row;
  }

  buildLegend() {
    const legend = element("div", {class: "legend", role: "group", "aria-label": "solvers that are shown"});
    this.scene.runs.forEach((run, i) => {
      const button = element("button", {type: "button", "aria-pressed": "true"});
      if (i < 9) button.title = `key ${i + 1}`;
      button.append(this.sample(run), run.label);
      if (run.ending) button.append(element("small", {class: "ended"}, ` ✕ ${run.ending}`));
      button.addEventListener("click", () => this.toggle(i));
      run.button = button;
      legend.append(button);
    });
    return legend;
  }

  sample(run) {
    const canvas = element("canvas", {width: 88, height: 28, "aria-hidden": "true"});
    const ctx = canvas.getContext("2d");
    ctx.scale(2, 2);
    line(ctx, [[1, 7], [43, 7]], run.colour, 2.4, run.dash);
    symbol(ctx, [22, 7], run.symbol, run.colour, 4);
    return canvas;
  }

  // ---- Actions ----

  play(on) {
    if (on && this.time >= this.end) this.time = 0;
    this.playing = on;
    this.before = 0;
    cancelAnimationFrame(this.pending);
    if (on) this.pending = requestAnimationFrame((now) => this.tick(now));
    else this.time = this.times[this.frame];  // a recorded state
    this.show();
  }

  tick(now) {
    if (!this.playing) return;
    if (this.before) this.time += this.speed * Math.min(now - this.before, 250) / 1000;
    this.before = now;
    if (this.time >= this.end && this.loop && this.end > 0) this.time %= this.end;
    if (this.time >= this.end) {
      this.time = this.end;
      this.playing = false;
    }
    this.show();
    this.pending = requestAnimationFrame((later) => this.tick(later));
  }

  get frame() { return moment(this.times, this.time).nearest; }

  pauseAt(frame) {
    this.playing = false;
    this.time = this.times[Math.max(0, Math.min(this.times.length - 1, frame))];
    this.show();
  }

  faster(steps) {
    const index = Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(this.speed) + steps));
    this.speed = SPEEDS[index];
    this.speedSelect.value = String(this.speed);
  }

  toggle(index) {
    const run = this.scene.runs[index];
    if (!run) return;
    run.shown = !run.shown;
    run.button.setAttribute("aria-pressed", String(run.shown));
    this.show();
  }

  choose(name, on) {
    this.choice[name] = on;
    this.show();
  }

  resetView() {
    this.camera.reset();
    this.show();
  }

  show() {
    this.picture.draw(this.time);
    const time = `${this.time.toFixed(this.scene.digits)} s`;
    this.slider.value = String(this.frame);
    this.slider.setAttribute("aria-valuetext", `${time} of ${number(this.end)} s`);
    this.clock.textContent = `${time} / ${number(this.end)} s`;
    this.button.textContent = this.playing ? "❚❚ Pause" : "▶ Play";
    this.figure.dataset.state = this.playing ? "playing" : "ready";
  }

  // ---- Keys, mouse, fingers ----

  listen() {
    this.figure.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => { this.picture.resize(); this.show(); }).observe(this.canvas);
    new IntersectionObserver((entries) => {
      if (this.playing && !entries.at(-1).isIntersecting) this.play(false);
    }).observe(this.canvas);
    this.fingers = new Map();
    const on = (name, action) => this.canvas.addEventListener(name, action, {passive: false});
    on("pointerdown", (event) => this.press(event));
    on("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"]) on(name, (event) => this.fingers.delete(event.pointerId));
    on("wheel", (event) => this.wheel(event));
    on("dblclick", () => this.resetView());
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const {key, target} = event, own = target.tagName;
    // Keys of a focused control take precedence.
    if (own === "SELECT" || (own === "INPUT" && target.type === "range" && /^(Arrow|Home|End|Page)/.test(key))) return;
    if (key === " " && (own === "BUTTON" || own === "INPUT" && target.type === "checkbox")) return;
    const actions = {
      " ": () => this.play(!this.playing), Home: () => this.pauseAt(0), End: () => this.pauseAt(Infinity),
      ArrowLeft: () => this.pauseAt(this.frame - 1), ArrowRight: () => this.pauseAt(this.frame + 1),
      ArrowUp: () => this.faster(1), ArrowDown: () => this.faster(-1), 0: () => this.resetView(),
    };
    const action = actions[key] || (/^[1-9]$/.test(key) && (() => this.toggle(Number(key) - 1)));
    if (!action) return;
    event.preventDefault();
    action();
  }

  press(event) {
    this.canvas.focus({preventScroll: true});
    this.canvas.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, [event.clientX, event.clientY]);
  }

  drag(event) {
    const from = this.fingers.get(event.pointerId);
    if (!from) return;
    const to = [event.clientX, event.clientY];
    const other = [...this.fingers].find(([id]) => id !== event.pointerId);
    const moved = [to[0] - from[0], to[1] - from[1]];
    if (other) this.pinch(from, to, other[1], moved);
    else if (event.shiftKey) this.move(moved, 1);
    else this.camera.turn(-0.008 * moved[0], 0.008 * moved[1]);
    this.fingers.set(event.pointerId, to);
    this.show();
  }

  pinch(from, to, other, moved) {
    const distance = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
    this.camera.magnify(distance(to) / distance(from));
    this.move(moved, 0.5);
  }

  move([x, y], share) {
    this.camera.shift = [this.camera.shift[0] + share * x, this.camera.shift[1] + share * y];
  }

  // The wheel scrolls the page until the canvas has been clicked.
  wheel(event) {
    if (document.activeElement !== this.canvas && !event.ctrlKey) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 20 : 1;
    this.camera.magnify(Math.exp(-0.0015 * lines * event.deltaY));
    this.show();
  }
}

// ---- The page ----

async function start(figure) {
  if (figure.dataset.state) return;
  figure.dataset.state = "loading";
  try {
    const data = JSON.parse(figure.querySelector("script").textContent);
    new Player(figure, await decode(data));
  } catch (error) {
    figure.dataset.state = "failed";
    figure.querySelector(".stage").textContent = `This browser cannot show the player: ${error.message}`;
  }
}

// Creates a player when it comes near the visible part of the page, which can have many.
function watch() {
  const figures = document.querySelectorAll("figure.player");
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      observer.unobserve(entry.target);
      start(entry.target);
    }
  }, {rootMargin: "400px"});
  figures.forEach((figure) => observer.observe(figure));
}

watch();
})();
