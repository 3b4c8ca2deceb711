// Test projects: `unit` (no I/O beyond temporary files), `db` (a database per file, from a template) and `boot` (real processes).
import path from 'node:path'
import { defineConfig } from 'vitest/config'

const root = import.meta.dirname
const alias = {
  'server-only': path.join(root, 'scripts/empty-module.mjs'),
  '@signalbox/core/expression': path.join(root, 'packages/core/src/expression/index.ts'),
  '@signalbox/core/lint': path.join(root, 'packages/core/src/lint/index.ts'),
  '@signalbox/core/views': path.join(root, 'packages/core/src/views/index.ts'),
  '@signalbox/core': path.join(root, 'packages/core/src/index.ts'),
  '@signalbox/wire': path.join(root, 'packages/wire/src/index.ts'),
  '@signalbox/runtime/ai-sdk': path.join(root, 'packages/runtime/src/ai-sdk/index.ts'),
  '@signalbox/runtime/prompt': path.join(root, 'packages/runtime/src/prompt/index.ts'),
  '@signalbox/runtime/state': path.join(root, 'packages/runtime/src/state/index.ts'),
  '@signalbox/runtime/workspace': path.join(root, 'packages/runtime/src/workspace/index.ts'),
  '@signalbox/runtime': path.join(root, 'packages/runtime/src/index.ts'),
  '@signalbox/testkit': path.join(root, 'packages/testkit/src/index.ts'),
  '@': root,
}
const excluded = ['**/node_modules/**', '**/dist/**', '.next/**', 'e2e/**']

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['**/*.test.ts', '**/*.test.tsx'],
          exclude: [...excluded, '**/*.db.test.ts', '**/*.boot.test.ts'],
          typecheck: { enabled: true, include: ['**/*.test-d.ts'], tsconfig: 'tsconfig.json' },
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'db',
          include: ['**/*.db.test.ts'],
          exclude: excluded,
          globalSetup: ['server/db/test-global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'boot',
          include: ['**/*.boot.test.ts'],
          exclude: excluded,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
