import type { Plugin } from "vite";

export function unclobberAccesses(): Plugin;
