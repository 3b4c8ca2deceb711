import fs from 'node:fs'
import * as lint from '@signalbox/core/lint'
import { agentOpenApi } from '@signalbox/wire'
import { describe, expect, test } from 'vitest'
import { run } from '@/packages/cli/src/run.ts'
import { helpWith, renderReference } from './docs-reference.mjs'

const pages = await renderReference({
  help: helpWith(run),
  lint,
  agentApi: agentOpenApi('0'),
})

describe('docs/reference', () => {
  test.each(Object.keys(pages))('%s is what the code generates (npm run emit:docs)', (name) => {
    expect(fs.readFileSync(`docs/reference/${name}`, 'utf8')).toBe(pages[name])
  })

  test('holds no page that is not generated', () => {
    expect(fs.readdirSync('docs/reference').sort()).toEqual(Object.keys(pages).sort())
  })
})
