// Times Stagehand's locators, without a model. Arguments: DevTools WebSocket, rounds, page addresses. Prints one JSON
// object a page.
import { Stagehand } from "@browserbasehq/stagehand";

const [endpoint, rounds, ...urls] = process.argv.slice(2);
const stagehand = new Stagehand({
  env: "LOCAL",
  localBrowserLaunchOptions: { cdpUrl: endpoint },
  verbose: 0,
  disablePino: true,
});
await stagehand.init();
for (const url of urls) {
  const page = await stagehand.context.newPage(url);
  const field = page.locator("#search");
  const button = page.locator("#probe");
  const actions = {
    click: () => button.click(),
    fill: (number) => field.fill(`theirs ${number}`),
    hover: () => button.hover(),
    text: () => button.innerText(),
  };
  const took = {};
  for (const [name, act] of Object.entries(actions)) {
    took[name] = [];
    // The first isn't counted: it warms up.
    for (let number = 0; number <= Number(rounds); number++) {
      const began = performance.now();
      await act(number);
      if (number) took[name].push(performance.now() - began);
    }
  }
  console.log(JSON.stringify({ took }));
  await page.close();
}
process.exit(0);
