import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    environment: "happy-dom",
    // One environment for all files: making one anew takes longer than the tests of most files.
    isolate: false,
    pool: "threads",
    testTimeout: 20_000,
    restoreMocks: true,
  },
});
