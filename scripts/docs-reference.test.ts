import fs from 'node:fs'
import * as lint from '@signalbox/core/lint'
import { agentOpenApi, EVENT_SCHEMAS, EventV1 } from '@signalbox/wire'
import { describe, expect, test } from 'vitest'
import { run } from '@/packages/cli/src/run.ts'
import { helpWith, renderReference } from './docs-reference.mjs'
import { listAllBlocks } from './document-blocks.mjs'

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

  const examples = listAllBlocks().filter(
    ({ file, language }) => file === 'docs/reference/events.md' && language === 'json',
  )
  test.each(examples)('$where is an event', ({ text }) => {
    expect(EventV1.safeParse(JSON.parse(text))).toMatchObject({ success: true })
  })

  test('has an example of every event type', () => {
    const types = examples.map(({ text }) => JSON.parse(text).type)
    expect(types).toEqual([...EVENT_SCHEMAS.keys()])
  })
})
