// A button on each block of code that copies it; prompts of a shell stay out.
for (const block of document.querySelectorAll("div.highlight")) {
  const button = document.createElement("button");
  button.className = "copy-code";
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const text = block.querySelector("pre").textContent.replace(/^(\$|>>>|\.\.\.) /gm, "");
    await navigator.clipboard.writeText(text.trimEnd());
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  block.append(button);
}
