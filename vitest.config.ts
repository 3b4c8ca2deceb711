// Test projects: `unit` (no I/O beyond temporary files), `mocked` (packages are replaced), `db` (a database per file, from a template),
// `boot` (real processes) and `harness` (real agent harnesses, installed by scripts/harnesses.mjs).
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { defineConfig } from 'vitest/config'

const root = import.meta.dirname
/** Packages by their sources, so that tests need no build: one entry per form of entry point, a package and its subpaths that are folders. */
export const alias = [
  { find: 'server-only', replacement: path.join(root, 'scripts/empty-module.mjs') },
  { find: /^@signalbox\/([a-z]+)$/, replacement: path.join(root, 'packages/$1/src/index.ts') },
  {
    find: /^@signalbox\/([a-z]+)\/([a-z-]+)$/,
    replacement: path.join(root, 'packages/$1/src/$2/index.ts'),
  },
  { find: '@', replacement: root },
]
/** More than the number of cores, because files wait for the database and for processes a third of the time. */
const TOGETHER = { maxWorkers: availableParallelism() + 2 }
const excluded = ['**/node_modules/**', '**/dist/**', '.next/**', '.signalbox/**', 'e2e/**']

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          setupFiles: ['scripts/fixed-seed.mjs'],
          include: ['**/*.test.ts', '**/*.test.tsx'],
          provide: {
            bucket: process.env['SIGNALBOX_TEST_S3'] ?? '',
            isTemplateUpdate: process.env['TEMPLATES_UPDATE'] !== undefined,
          },
          exclude: [...excluded, '**/*.{mocked,db,boot,harness}.test.ts'],
          // Files of one worker share its modules, which halves the time; a mock would affect all of them.
          isolate: false,
          unstubEnvs: true,
          // Most tests take milliseconds; the limit ends a hanging test, and leaves room on a busy machine.
          testTimeout: 30_000,
          ...TOGETHER,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'mocked',
          setupFiles: ['scripts/fixed-seed.mjs'],
          include: ['**/*.mocked.test.ts'],
          exclude: excluded,
          ...TOGETHER,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'db',
          setupFiles: ['scripts/fixed-seed.mjs'],
          include: ['**/*.db.test.ts'],
          exclude: excluded,
          globalSetup: ['server/platform/db/test-global-setup.ts'],
          // Files of one worker share its modules, as above; process-memory.ts clears a worker's caches of one file's database before the
          // next.
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          ...TOGETHER,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'boot',
          include: ['**/*.boot.test.ts'],
          exclude: excluded,
          isolate: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // Each file waits for processes more than it works.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'harness',
          include: ['**/*.harness.test.ts'],
          exclude: excluded,
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Each file waits for processes more than it works.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
