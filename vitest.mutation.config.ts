// Tests that mutants of core must not survive: core's own, without type tests and without the conformance table of CEL.
import path from 'node:path'
import { defineConfig } from 'vitest/config'

const packages = path.join(import.meta.dirname, 'packages')

export default defineConfig({
  resolve: {
    alias: {
      '@signalbox/core/expression': path.join(packages, 'core/src/expression/index.ts'),
      '@signalbox/core/lint': path.join(packages, 'core/src/lint/index.ts'),
      '@signalbox/core/analysis': path.join(packages, 'core/src/analysis/index.ts'),
      '@signalbox/core': path.join(packages, 'core/src/index.ts'),
      '@signalbox/wire': path.join(packages, 'wire/src/index.ts'),
      '@signalbox/testkit': path.join(packages, 'testkit/src/index.ts'),
    },
  },
  test: {
    setupFiles: ['scripts/fixed-seed.mjs'],
    env: { PROPERTY_RUNS: '25' },
    include: ['packages/core/src/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', 'packages/core/src/expression/**'],
    // Loads modules once for all files of a run, which saves more than half of a mutant's time.
    isolate: false,
  },
})
