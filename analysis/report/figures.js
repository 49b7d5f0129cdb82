// SPDX-License-Identifier: GPL-3.0-or-later
// Decodes the figures of a page, which are deflated SVG: first those near the visible part of the
// page, then one after the other the rest, so that they can be searched and printed.
"use strict";

async function inflated(text) {
  const raw = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream);
}

async function openSheet(sheet) {
  const packed = sheet.querySelector("script");
  if (!packed || sheet.dataset.state) return;
  sheet.dataset.state = "loading";
  try {
    sheet.innerHTML = await (await inflated(packed.textContent)).text();
    sheet.dataset.state = "ready";
    sheet.style.aspectRatio = "";  // it reserved the room of the figure
  } catch (error) {
    sheet.dataset.state = "failed";
    sheet.textContent = `This browser cannot show the figure: ${error.message}`;
  }
}

(async () => {
  const sheets = document.querySelectorAll(".sheet");
  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) openSheet(entry.target);
    }
  }, {rootMargin: "1000px"});
  sheets.forEach((sheet) => near.observe(sheet));
  for (const sheet of sheets) {
    await new Promise((done) => setTimeout(done, 20));
    await openSheet(sheet);
    near.unobserve(sheet);
  }
})();
