// The tools that a page declares: those of the tab in front, and of no other.

import { expect, it } from "vitest";
import { PageToolList } from "../../../src/ui/side_panel/start/page_tool_list";
import { FakeKernel, show, showAgain } from "./fake_kernel";

const TOOL = {
  frame: "",
  name: "add_item",
  title: "",
  description: "",
  effect: "write",
  inputs: [],
  problem: "",
};

it("shows no tools of a page that is gone where the next one can't be asked", async () => {
  const kernel = new FakeKernel({ list_page_tools: { tools: [TOOL] } });
  const list = <PageToolList search="" changes={0} />;
  const place = await show(list, kernel);
  expect(place.textContent).toContain("add_item");
  kernel.answers.list_page_tools = undefined;
  await showAgain(list, kernel, 2);
  expect(place.textContent).not.toContain("add_item");
  expect(place.textContent).toContain("nobody answers list_page_tools");
});
