import type { Plugin } from "vite";

export function ownMembers(): Plugin;
