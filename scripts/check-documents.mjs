// @ts-check
// npm run check:documents: what documents tell a reader to type, in every kind of project, on Node 20 and 24. `npm test` runs one kind.
import { spawnSync } from 'node:child_process'
import { ROOT } from './build-steps.mjs'
import { blocksOfDocuments } from './document-blocks.mjs'

const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    ...['run', '--project', 'boot', '--reporter', 'verbose', 'scripts/documents.boot.test.ts'],
  ],
  { cwd: ROOT, stdio: 'inherit', env: { ...process.env, SIGNALBOX_DOCUMENTS: 'all' } },
)
const blocks = blocksOfDocuments()
for (const { file, line, notRun } of blocks)
  if (notRun !== null) console.log(`not run: ${file}:${line}: ${notRun}`)
console.log(
  `${blocks.length} blocks, ${blocks.filter(({ notRun }) => notRun !== null).length} not run`,
)
process.exit(status ?? 1)
