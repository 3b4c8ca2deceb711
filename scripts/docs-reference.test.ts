import fs from 'node:fs'
import { celExpressions } from '@signalbox/core/expression'
import { agentOpenApi } from '@signalbox/wire'
import { describe, expect, test } from 'vitest'
import { run } from '@/packages/cli/src/run.ts'
import { CALLS, callableFrom, helpWith, renderReference } from './docs-reference.mjs'

const engine = celExpressions()
const pages = await renderReference({
  help: helpWith(run),
  callable: callableFrom(JSON.stringify(engine.compile('unknown()', []))),
  agentApi: agentOpenApi('0'),
})

describe('docs/reference', () => {
  test.each(Object.keys(pages))('%s is what the code generates (npm run emit:docs)', (name) => {
    expect(fs.readFileSync(`docs/reference/${name}`, 'utf8')).toBe(pages[name])
  })

  test('holds no page that is not generated', () => {
    expect(fs.readdirSync('docs/reference').sort()).toEqual(Object.keys(pages).sort())
  })

  test.each(Object.entries(CALLS))('the example of %s compiles', (_, [, condition]) => {
    expect(engine.compile(condition, ['args'])).toHaveProperty('ok', true)
  })
})
