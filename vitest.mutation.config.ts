// Tests that mutants of core must not survive: core's own, without type tests and without the conformance table of CEL.
import { defineConfig } from 'vitest/config'

import { alias } from './vitest.config'

export default defineConfig({
  resolve: { alias },
  test: {
    setupFiles: ['scripts/fixed-seed.mjs'],
    // A mutant only has to fail: a tenth of the cases, and no search for a smaller one.
    env: { PROPERTY_RUNS: '10', PROPERTY_SHRINK: 'off' },
    include: ['packages/core/src/**/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      '**/dist/**',
      'packages/core/src/expression/**',
      // They bound the work, and say nothing of results.
      'packages/core/src/engine/{compile-bounds,step-cost}.test.ts',
    ],
    // Loads modules once for all files of a run, which saves more than half of a mutant's time.
    isolate: false,
  },
})
