// With reduced motion no transition or animation takes time, and nothing scrolls smoothly.
const seconds = (list) => Math.max(...list.split(",").map((time) => parseFloat(time) * (time.trim().endsWith("ms") ? 0.001 : 1)));
const complaints = [];
for (const element of everything()) {
  for (const pseudo of [undefined, "::before", "::after"]) {
    const style = getComputedStyle(element, pseudo);
    if (pseudo && style.content === "none") continue;
    const of = `${name(element)}${pseudo ?? ""}`;
    if (seconds(style.transitionDuration) > 0.02) complaints.push(`${of} has a transition of ${style.transitionDuration}`);
    if (style.animationName !== "none" && seconds(style.animationDuration) > 0.02)
      complaints.push(`${of} has an animation of ${style.animationDuration}`);
    if (!pseudo && style.scrollBehavior === "smooth") complaints.push(`${of} scrolls smoothly`);
  }
}
for (const animation of document.getAnimations())
  if (animation.playState === "running") complaints.push(`an animation runs on ${name(animation.effect.target)}`);
return complaints;
